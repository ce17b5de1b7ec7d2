"""What a policy document is: statements, with their lists, principals and conditions, and what is not known of them."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeAlias

from tablegate.access.conditions import Condition
from tablegate.access.symbols import Symbols
from tablegate.model.record import field, record
from tablegate.model.value import Doubt, Place, Value

Path: TypeAlias = tuple[str | int, ...]
Locate: TypeAlias = Callable[[Path], Place | None]

_DENY = "Deny"


@record(kw_only=False)
class Hole:
    """Something in a document that cannot be known, and what it may reach: patterns, empty for anything."""

    doubt: Doubt
    reaches: tuple[str, ...] = ()


@record(kw_only=False)
class Perhaps:
    """A statement, or one pattern of a list, that is there only in some scenario of the source."""

    tree: Any


@record(kw_only=False)
class Malformed:
    """A part of a document that IAM would refuse."""

    message: str
    path: Path


@record(kw_only=False)
class Patterns:
    """One of a statement's lists: the patterns that are known, and why some are not."""

    texts: tuple[str, ...] = ()
    inverted: bool = False  # NotAction, NotResource, NotPrincipal
    doubt: Doubt | None = None
    paths: tuple[Path, ...] = ()
    perhaps: tuple[str, ...] = ()  # those of the texts that are there only in some scenario of the source

    @property
    def sure(self) -> tuple[str, ...]:
        """The texts that are there in every scenario."""
        return tuple(text for text in self.texts if text not in self.perhaps) if self.perhaps else self.texts

    def __bool__(self) -> bool:
        return bool(self.texts) or self.doubt is not None


class PrincipalKind(StrEnum):
    """What sort of caller a resource policy lets in."""

    ANYONE = "*"
    AWS = "AWS"
    SERVICE = "Service"
    FEDERATED = "Federated"
    CANONICAL = "CanonicalUser"


@record(kw_only=False)
class Principal:
    """One principal of a statement, as a text with symbols."""

    kind: PrincipalKind
    text: str


@record(kw_only=False)
class Principals:
    """The principals of a statement. A statement of an identity's document has none."""

    items: tuple[Principal, ...] = ()
    inverted: bool = False
    doubt: Doubt | None = None


@record()
class Statement:
    """One statement. ``effect`` is None where it is not known."""

    label: str  # the Sid, or the index where there is none
    index: int
    place: Place | None
    effect: str | None
    actions: Patterns
    resources: Patterns
    principals: Principals | None
    conditions: tuple[Condition, ...]
    doubts: tuple[Doubt, ...]
    present: bool = True  # False: only perhaps, as its own condition in the source is not decided
    unsettled: Doubt | None = None  # why its effect, or under which conditions it stands, is not known
    path: Path = ()
    locate: Locate | None = field(default=None, compare=False, repr=False)

    def at(self, element: str) -> Place | None:
        """Where one of its elements stands, such as its Principal."""
        return self.place if self.locate is None else self.locate((*self.path, element))

    def place_of(self, patterns: Patterns, text: str) -> Place | None:
        """Where one of its patterns stands; the statement's own place where that is not known."""
        where = (path for known, path in zip(patterns.texts, patterns.paths, strict=False) if known == text)
        found = next(where, None)
        return self.place if self.locate is None or found is None else self.locate(found)

    @property
    def allows(self) -> bool:
        """Whether this grants something, for certain or perhaps."""
        return self.effect != _DENY

    @property
    def denies(self) -> bool:
        """Whether this takes something away for certain."""
        return self.effect == _DENY


@record()
class Document:
    """A whole policy document. ``doubt`` is set where it, or some of its statements, could not be read."""

    statements: tuple[Statement, ...] = ()
    version: str | None = None
    malformed: tuple[Malformed, ...] = ()
    doubt: Doubt | None = None
    size: int | None = None
    symbols: Symbols | None = None
    gives_up: Value[bool] | None = None  # whether whoever sets it confirms that it may shut them out

    def shown(self, text: str) -> str:
        """A text of this document as a reader would write it."""
        return text if self.symbols is None else self.symbols.shown(text)

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """Everything that could not be read."""
        found = [] if self.doubt is None else [self.doubt]
        for statement in self.statements:
            found += statement.doubts
        return tuple(found)
