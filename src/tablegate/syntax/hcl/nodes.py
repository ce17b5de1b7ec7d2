"""Expressions, attributes, blocks and bodies of Terraform's language, as every reader of it makes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from tablegate.model.value import Place
from tablegate.syntax.node import ParseError


class Literal(NamedTuple):
    """A text without templates, a number, true, false or null."""

    content: str | int | float | bool | None


class Name(NamedTuple):
    """A name: ``var``, ``local``, ``each``, the type of a resource, the variable of a loop."""

    name: str


class Attr(NamedTuple):
    """``.name`` after an expression."""

    name: str


class At(NamedTuple):
    """``[key]`` after an expression."""

    key: Expression


class Splat(NamedTuple):
    """``[*]`` or ``.*`` after an expression."""


Step: TypeAlias = Attr | At | Splat


class Access(NamedTuple):
    """An expression and the steps into its value."""

    base: Expression
    steps: tuple[Step, ...]


class Template(NamedTuple):
    """A text with expressions in it."""

    parts: tuple[Expression, ...]


class Tuple(NamedTuple):
    """``[a, b]``."""

    items: tuple[Expression, ...]


class Object(NamedTuple):
    """``{ a = b }``. A bare word as key is a text."""

    items: tuple[tuple[Expression, Expression], ...]


class Call(NamedTuple):
    """``name(a, b...)``."""

    name: str
    arguments: tuple[Expression, ...]
    spread: bool = False


class Unary(NamedTuple):
    """``-a`` and ``!a``."""

    operator: str
    operand: Expression


class Binary(NamedTuple):
    """``a + b``."""

    operator: str
    left: Expression
    right: Expression


class Conditional(NamedTuple):
    """``test ? yes : no``."""

    test: Expression
    yes: Expression
    no: Expression


class For(NamedTuple):
    """``[for k, v in all : result if condition]``; in braces it has a ``key``."""

    names: tuple[str, ...]
    all: Expression
    key: Expression | None
    result: Expression
    condition: Expression | None
    grouped: bool = False


class Opaque(NamedTuple):
    """A valid expression that is not read any further. A key of an object that looks like a reference is kept."""

    text: str
    reference: Access | None = None


LONG_NUMBER = Opaque("a number with so many digits")

Expression: TypeAlias = (
    Literal | Name | Access | Template | Tuple | Object | Call | Unary | Binary | Conditional | For | Opaque
)


class Located(Protocol):
    """A file that gives places to what it contains."""

    name: str

    def place(self, start: int, end: int | None = None) -> Place:
        """The place of a range."""

    def says(self, start: int, end: int, word: str) -> bool:
        """Whether a range contains a word, in lower or upper case."""

    def inner(self, start: int, steps: Sequence[str | int]) -> tuple[int, int] | None:
        """The range of a part of the object or list that starts here; None if it is not written out."""

    def heredoc(self, start: int) -> Place | None:
        """The place of the text of a heredoc that starts here, without its margin; None if there is no heredoc."""


class Attribute(NamedTuple):
    """``name = expression``: the start of the name, and the start and end of the expression."""

    name: str
    start: int
    value: Expression
    first: int
    end: int
    file: Located

    @property
    def place(self) -> Place:
        """The place of the expression."""
        return self.file.place(self.first, self.end)


class Body(NamedTuple):
    """The content of a block, or of a file of assignments."""

    attributes: Mapping[str, Attribute]
    blocks: tuple[Block, ...]


class Block:
    """A block with its header; the body is read on demand."""

    __slots__ = ("_body", "_read", "close", "file", "first", "labels", "parts", "start", "type")

    def __init__(
        self,
        type_: str,
        labels: tuple[str, ...],
        *,
        start: int,
        first: int,
        close: int,
        file: Located,
        read: Callable[[Block], Body],
        parts: tuple[Block, ...] = (),
    ) -> None:
        self.type = type_
        self.labels = labels
        self.start = start
        self.first = first
        self.close = close
        self.file = file
        self.parts = parts  # that it is merged from
        self._read = read
        self._body: Body | None = None

    @property
    def place(self) -> Place:
        """The place of the header."""
        return self.file.place(self.start)

    def says(self, word: str) -> bool:
        """Whether the block, or what overrides it, may contain a word, in lower or upper case."""
        if self.parts:
            return any(part.says(word) for part in self.parts)
        return self.file.says(self.start, self.close, word)

    @property
    def body(self) -> Body:
        """The content of the block. A ParseError has the place of an error."""
        if self._body is None:
            try:
                self._body = self._read(self)
            except ParseError as error:
                error.file = error.file or self.file.name
                raise
        return self._body
