"""Policy documents, statements and principals, and how a document is parsed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Any, TypeAlias

from tablegate.iam.arns import Symbols, is_symbol, is_variable
from tablegate.iam.conditions import Condition, parse_operator
from tablegate.model.record import field, record, replace
from tablegate.model.value import Doubt, Place, Value

Path: TypeAlias = tuple[str | int, ...]
Locate: TypeAlias = Callable[[Path], Place | None]

_DENY = "Deny"
_EFFECTS = ("Allow", "Deny")
_ACTIONS = frozenset({"Action", "NotAction"})
_UNKNOWN_ACTION_NAME = Doubt("the name of one of its actions is not known", "write the action's full name")
_STATEMENT_KEYS = frozenset(
    {"Sid", "Effect", "Action", "NotAction", "Resource", "NotResource", "Principal", "NotPrincipal", "Condition"}
)


@record(kw_only=False)
class UnknownPart:
    """A part of a document that is not known. ``reaches`` holds the patterns that it may match; none: anything.

    ``usual`` holds the texts that it has by the defaults of what it is made of.
    """

    doubt: Doubt
    reaches: tuple[str, ...] = ()
    usual: tuple[str, ...] = ()


@record(kw_only=False)
class ConditionalPart:
    """A statement, or one pattern of a list, that exists only in some scenario of the source."""

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
    perhaps: tuple[str, ...] = ()  # those of the texts that exist only in some scenario of the source
    usual: tuple[str, ...] = ()  # what unknown patterns are by default

    @property
    def sure(self) -> tuple[str, ...]:
        """The texts that exist in every scenario."""
        return tuple(text for text in self.texts if text not in self.perhaps) if self.perhaps else self.texts

    def __bool__(self) -> bool:
        return bool(self.texts) or self.doubt is not None


class PrincipalKind(StrEnum):
    """The kind of caller that a resource policy allows."""

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
    present: bool = True  # False where it exists only in some scenario of the source
    unsettled: Doubt | None = None  # why its effect or its conditions are not known
    path: Path = ()
    locate: Locate | None = field(default=None, compare=False, repr=False)

    def at(self, element: str) -> Place | None:
        """The place of one of its elements, such as its Principal."""
        return self.place if self.locate is None else self.locate((*self.path, element))

    def place_of(self, patterns: Patterns, text: str) -> Place | None:
        """The place of one of its patterns; the statement's own place where that is not known."""
        paths = (path for known, path in zip(patterns.texts, patterns.paths, strict=False) if known == text)
        path = next(paths, None)
        return self.place if self.locate is None or path is None else self.locate(path)

    @property
    def allows(self) -> bool:
        """Whether it grants something, or may do so."""
        return self.effect != _DENY

    @property
    def denies(self) -> bool:
        """Whether it certainly denies something."""
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
    gives_up: Value[bool] | None = None  # whether its author confirms that it may shut them out of it
    sensitive: bool = False  # whether its input marks it: nothing of it may be shown

    def shown(self, text: str) -> str:
        """A text of this document for a reader."""
        return text if self.symbols is None else self.symbols.shown(text)

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """Everything that could not be read."""
        own = () if self.doubt is None else (self.doubt,)
        return (*own, *(doubt for statement in self.statements for doubt in statement.doubts))


SENSITIVE = "what it says is sensitive"  # in place of what is wrong with a document


def hidden(document: Document) -> Document:
    """The document, marked as sensitive. Its statements are called by their numbers, for a Sid is a part of it."""
    statements = tuple([replace(one, label=str(one.index)) for one in document.statements])
    return replace(document, statements=statements, sensitive=True)


def parse_document(tree: Any, symbols: Symbols, locate: Locate, within: str | None = None) -> Document:
    """The document of a tree of plain objects and unknown parts. What IAM would refuse is listed in ``malformed``.

    ``within`` starts the labels of its statements, where other documents have the same address.
    """
    if isinstance(tree, UnknownPart):
        return Document(doubt=tree.doubt)
    if not isinstance(tree, dict):
        return Document(malformed=(Malformed("a policy document is an object", ()),))
    malformed: list[Malformed] = []
    version = tree.get("Version")
    doubt = version.doubt if isinstance(version, UnknownPart) else None
    listed = tree.get("Statement", [])
    if isinstance(listed, UnknownPart):
        return Document(version=_text(version), doubt=listed.doubt)
    single = isinstance(listed, dict)
    variables = doubt is not None or version == "2012-10-17"
    reader = _Reader(symbols, locate, malformed, variables, f"{within}/" if within else "")
    statements: list[Statement] = []
    for index, entry in enumerate([listed] if single else listed if isinstance(listed, list) else []):
        path: Path = ("Statement",) if single else ("Statement", index)
        item, present = (entry.tree, False) if isinstance(entry, ConditionalPart) else (entry, True)
        if isinstance(item, dict):
            statements.append(reader.statement(item, index, path, present=present))
        elif isinstance(item, UnknownPart):
            doubt = item.doubt
        else:
            malformed.append(Malformed("a statement is an object", path))
    if not single and not isinstance(listed, list):
        malformed.append(Malformed("Statement is a list or an object", ("Statement",)))
    return Document(
        statements=tuple(statements),
        version=_text(version),
        malformed=tuple(malformed),
        doubt=doubt,
        symbols=symbols,
    )


@record(kw_only=False)
class _Reader:
    """Reads the statements of one document."""

    symbols: Symbols
    locate: Locate
    malformed: list[Malformed]
    variables: bool  # whether ``${name}`` is a policy variable in this version of the language
    label_start: str

    def statement(self, tree: Mapping[str, Any], index: int, path: Path, *, present: bool) -> Statement:
        if not _STATEMENT_KEYS.issuperset(tree):
            for key in sorted(set(map(str, tree)) - _STATEMENT_KEYS):
                self.malformed.append(Malformed(f"a statement has no element {key!r}", (*path, key)))
        doubts: list[Doubt] = []
        unsettled: list[Doubt] = []
        sid = tree.get("Sid")
        return Statement(
            label=self.label_start + (sid if isinstance(sid, str) and sid else str(index)),
            index=index,
            place=self.locate(path),
            effect=self._effect(tree, path, unsettled),
            actions=self._either(tree, path, "Action", "NotAction", doubts),
            resources=self._either(tree, path, "Resource", "NotResource", doubts),
            principals=self._principals(tree, path, doubts),
            conditions=self._conditions(tree.get("Condition"), path, unsettled),
            doubts=(*unsettled, *doubts),
            present=present,
            unsettled=unsettled[0] if unsettled else None,
            path=path,
            locate=self.locate,
        )

    def _effect(self, tree: Mapping[str, Any], path: Path, doubts: list[Doubt]) -> str | None:
        effect = tree.get("Effect")
        if effect in _EFFECTS:
            return str(effect)
        if isinstance(effect, UnknownPart):
            doubts.append(effect.doubt)
            return None
        self.malformed.append(Malformed("Effect is Allow or Deny, in exactly these letters", (*path, "Effect")))
        return None

    def _either(self, tree: Mapping[str, Any], path: Path, key: str, other: str, doubts: list[Doubt]) -> Patterns:
        """``Action`` or ``NotAction``, ``Resource`` or ``NotResource``."""
        if other in tree:
            if key in tree:
                self.malformed.append(Malformed(f"a statement has {key} or {other}, not both", path))
            return self._patterns(tree[other], (*path, other), doubts, inverted=True)
        if key in tree:
            return self._patterns(tree[key], (*path, key), doubts, inverted=False)
        if key == "Action":
            self.malformed.append(Malformed("a statement has an Action or a NotAction", path))
        return Patterns()

    def _patterns(self, tree: Any, path: Path, doubts: list[Doubt], *, inverted: bool) -> Patterns:
        if isinstance(tree, list) and _are_plain(tree, ascii_only=path[-1] in _ACTIONS):
            return Patterns(tuple(tree), inverted, None, _paths(path, len(tree)))  # nearly all of them
        texts: list[str] = []
        paths: list[Path] = []
        perhaps: list[str] = []
        usual: list[str] = []
        doubt: Doubt | None = None
        for index, entry in enumerate(tree if isinstance(tree, list) else [tree]):
            item_path: Path = (*path, index) if isinstance(tree, list) else path
            before, always = len(texts), not isinstance(entry, ConditionalPart)
            item = entry.tree if isinstance(entry, ConditionalPart) else entry
            if isinstance(item, UnknownPart):
                usual.extend(map(self._with_variables, item.usual))
                texts.extend(item.reaches)
                paths.extend([item_path] * len(item.reaches))
                if not item.reaches:
                    doubt = item.doubt
                if not item.reaches or item.usual:
                    doubts.append(item.doubt)
            elif isinstance(item, str):
                texts.append(self._with_variables(item))
                paths.append(item_path)
                if not item.isascii() and path[-1] in _ACTIONS and any(map(_is_unknown, texts[-1])):
                    doubt = _UNKNOWN_ACTION_NAME
                    doubts.append(doubt)
            else:
                self.malformed.append(Malformed("a pattern is a text", item_path))
            perhaps.extend(() if always else texts[before:])
        return Patterns(tuple(texts), inverted, doubt, tuple(paths), tuple(perhaps), tuple(usual))

    def _principals(self, tree: Mapping[str, Any], path: Path, doubts: list[Doubt]) -> Principals | None:
        inverted = "NotPrincipal" in tree
        key = "NotPrincipal" if inverted else "Principal"
        if key not in tree:
            return None
        by_kind = tree[key]
        if isinstance(by_kind, UnknownPart):
            doubts.append(by_kind.doubt)
            return Principals(inverted=inverted, doubt=by_kind.doubt)
        if by_kind == "*":
            return Principals((Principal(PrincipalKind.ANYONE, "*"),), inverted)
        if not isinstance(by_kind, dict):
            self.malformed.append(Malformed("a principal is * or an object", (*path, key)))
            return Principals(inverted=inverted)
        items: list[Principal] = []
        doubt: Doubt | None = None
        for kind, listed in by_kind.items():
            patterns = self._patterns(listed, (*path, key, kind), doubts, inverted=False)
            doubt = doubt or patterns.doubt
            items.extend(self._principal(kind, text, (*path, key)) for text in patterns.texts)
        return Principals(tuple(items), inverted, doubt)

    def _principal(self, kind: str, text: str, path: Path) -> Principal:
        if text == "*" and kind in ("AWS", "*"):
            return Principal(PrincipalKind.ANYONE, text)
        if kind not in tuple(PrincipalKind):
            self.malformed.append(Malformed(f"there is no principal of type {kind!r}", path))
            return Principal(PrincipalKind.AWS, text)
        return Principal(PrincipalKind(kind), text)

    def _conditions(self, tree: Any, path: Path, doubts: list[Doubt]) -> tuple[Condition, ...]:
        if tree is None:
            return ()
        if isinstance(tree, UnknownPart):
            doubts.append(tree.doubt)
            return ()
        if not isinstance(tree, dict):
            self.malformed.append(Malformed("a Condition is an object", (*path, "Condition")))
            return ()
        conditions: list[Condition] = []
        for operator, block in tree.items():
            conditions += self._operator_block(operator, block, (*path, "Condition", operator), doubts)
        return tuple(conditions)

    def _operator_block(self, operator: str, block: Any, path: Path, doubts: list[Doubt]) -> Sequence[Condition]:
        if isinstance(block, UnknownPart):
            doubts.append(block.doubt)
            return ()
        if not isinstance(block, dict):
            self.malformed.append(Malformed("a condition operator holds an object of keys", path))
            return ()
        parsed = parse_operator(operator)
        return [self._condition(parsed, str(key), values) for key, values in block.items()]

    def _condition(self, operator: tuple[str, str | None, bool], key: str, values: Any) -> Condition:
        listed = values if isinstance(values, list) else [values]
        known = [self._with_variables(_scalar(value)) for value in listed if not isinstance(value, UnknownPart)]
        unread = len(listed) - len(known)
        return Condition(operator[0], key.lower(), tuple(known), operator[1], operator[2], unread, key)

    def _with_variables(self, text: str) -> str:
        """The text with its policy variables as symbols. Before version 2012-10-17 they were plain text."""
        return self.symbols.with_variables(text) if self.variables and "${" in text else text


def _are_plain(texts: list[Any], *, ascii_only: bool) -> bool:
    """Whether all are texts without policy variables, and, with ``ascii_only``, without symbols."""
    try:
        joined = "\n".join(texts)
    except TypeError:
        return False
    return "${" not in joined and (joined.isascii() or not ascii_only)


@lru_cache(maxsize=1024)  # many statements have lists of the same length
def _paths(path: Path, count: int) -> tuple[Path, ...]:
    """The paths of the items of a list."""
    return tuple((*path, index) for index in range(count))


def _is_unknown(character: str) -> bool:
    return is_symbol(character) and not is_variable(character)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
