"""Values of expressions: conversions, type constraints, unknown values, and the scope of an expression."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from tablegate.dialects.reading import LONGEST_TEXT, TOO_LONG, UNKNOWN_LENGTH
from tablegate.dialects.terraform.references import PLAN, Reached, UnknownValue
from tablegate.dialects.terraform.source.budget import Budget
from tablegate.dialects.terraform.source.scalars import (
    UNTYPED,
    FailedError,
    InexactError,
    UntypedError,
    as_bool,
    as_number,
    as_text,
    composed,
)
from tablegate.syntax.hcl.nodes import Call, Expression, Literal, Name, Object

APPLY = "apply that first, or write the value itself"


_PLAIN = 10**10  # the first number that Terraform writes with an exponent where it sorts
_MAX_SIZE = 20_000  # items of one value, and lines of its texts


class SetValue(list[object]):
    """The elements of a set, in the order of Terraform."""


class MapValue(dict[str, object]):
    """The members of a map, which are of one type. Those of an object, and of what may be either, are a plain dict."""


def known_after_apply(name: str, reached: Reached) -> UnknownValue:
    """An attribute that is known only after the apply."""
    return UnknownValue("known only after apply", APPLY, names=(name,), references=(reached,), direct=True)


def known_after_plan(name: str, reached: Reached) -> UnknownValue:
    """An attribute of a data source, which only a plan reads."""
    return UnknownValue("read when the plan is made", PLAN, names=(name,), references=(reached,), direct=True)


def merged_unknown(
    unknowns: Iterable[UnknownValue], *, parts: tuple[str | UnknownValue, ...] = (), options: tuple[object, ...] = ()
) -> UnknownValue:
    """One unknown value for several causes. The first gives the reason."""
    causes = list(unknowns)
    first = causes[0]
    same_reason = [one for one in causes if one.reason == first.reason]
    return UnknownValue(
        first.reason,
        first.settle,
        names=tuple(dict.fromkeys(name for one in same_reason for name in one.names)),
        references=tuple(dict.fromkeys(one for unknown in causes for one in unknown.references)),
        parts=parts,
        options=options,
    )


def joined_text(pieces: Iterable[object]) -> object:
    """Join pieces into one text. If some are unknown, the result is unknown and keeps its known parts."""
    parts: list[str | UnknownValue] = []
    whole, length = True, 0
    for piece in pieces:
        length += len(piece) if type(piece) is str else length_of(piece)
        if length > LONGEST_TEXT:
            raise InexactError(TOO_LONG)
        if type(piece) is str:
            parts.append(piece)
        elif type(piece) is UnknownValue:
            parts += piece.parts or (piece,)
        elif inner_unknowns := list(unknowns(piece)):
            parts += inner_unknowns  # a list or an object, which is no text: Terraform will say so
            whole = False
        else:
            parts.append(as_text(piece))
    doubts = [one for one in parts if type(one) is UnknownValue]
    if doubts:
        return merged_unknown(doubts, parts=tuple(parts) if whole else ())
    return composed("".join(one for one in parts if type(one) is str))


def length_of(text: object) -> int:
    """The length of a text, known or not. A part that is not known counts as much as it costs."""
    if isinstance(text, str):
        return len(text)
    parts = text.parts if type(text) is UnknownValue else ()
    return sum(len(part) if type(part) is str else UNKNOWN_LENGTH for part in parts) or 1


def unknowns(content: object) -> Iterator[UnknownValue]:
    """Every unknown value inside some content, at any depth."""
    kind = type(content)
    if kind is UnknownValue:
        yield content  # type: ignore[misc]
    elif kind is dict or kind is MapValue:
        for item in content.values():  # type: ignore[attr-defined]
            yield from unknowns(item)
    elif kind is list or kind is SetValue:
        for item in content:  # type: ignore[attr-defined]
            yield from unknowns(item)
    elif hasattr(content, "whole"):
        yield content.whole()


def is_large(content: object) -> bool:
    """Whether content is larger than people write: a guard against inputs made to exhaust the reader."""
    size, waiting = 0, [content]
    while waiting:
        item = waiting.pop()
        size += 1
        if isinstance(item, str):
            size += len(item) // 50
        elif isinstance(item, dict):
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
        if size + len(waiting) > _MAX_SIZE:
            return True
    return False


def as_list(content: object) -> list[object]:
    """A list or a set."""
    if isinstance(content, list):
        return content
    raise FailedError


def as_map(content: object) -> dict[str, object]:
    """A map or an object."""
    if isinstance(content, dict):
        return content
    raise FailedError


def as_set(items: Sequence[object]) -> SetValue:
    """A set of the items, converted to one type, in the order of Terraform: null comes last."""
    members = list({identity(item): item for item in unified(items)}.values())
    known = [item for item in members if item is not None]
    if all(isinstance(item, str) for item in known):
        known.sort(key=str)
    elif all(isinstance(item, (int, float)) for item in known):
        known.sort()
    else:
        known.sort(key=_rank)
    return SetValue(known + [None] * (len(members) - len(known)))


def _rank(content: object) -> str:
    """What Terraform sorts lists and objects in a set by."""
    if content is None:
        return "~"
    if isinstance(content, bool):
        return "T" if content else "F"
    if isinstance(content, (int, float)):
        if not isinstance(content, int) or abs(content) >= _PLAIN:
            raise InexactError
        return str(content)
    if isinstance(content, str):
        return json.dumps(content, ensure_ascii=False)
    if isinstance(content, dict):
        return "".join(f"{json.dumps(key)}:{_rank(content[key])};" for key in sorted(content)) + "}"
    return "".join(f"{_rank(item)};" for item in as_list(content)) + "]"


def identity(content: object) -> tuple[object, ...]:
    """What tells a value from others: equal values of one type have the same."""
    if isinstance(content, dict):
        return ("object", *sorted((key, identity(item)) for key, item in content.items()))
    if isinstance(content, SetValue):
        return ("set", *sorted((identity(item) for item in content), key=repr))
    if isinstance(content, list):
        return ("list", *map(identity, content))
    if _is_plain(content):
        return _kind(content), content
    return type(content).__name__, None if content is None else id(content)


_SCALARS = frozenset({"text", "number", "flag"})


def unified(items: Sequence[object]) -> list[object]:
    """The items converted to one type. Raises UntypedError if only Terraform can tell which."""
    known = [item for item in items if _is_plain(item)]
    kinds = {_kind(item) for item in known}
    if len(kinds) <= 1 and kinds <= _SCALARS:
        return list(items)
    if kinds <= _SCALARS:
        if "text" not in kinds:
            raise UntypedError
        return [as_text(item) if _is_plain(item) else item for item in items]
    if kinds == {"object"}:
        members = iter(_objects([item for item in known if isinstance(item, dict)]))
    elif (
        kinds == {"list"}
        and len({isinstance(item, SetValue) for item in known if item or isinstance(item, SetValue)}) <= 1
    ):
        members = iter(_lists([item for item in known if isinstance(item, list)]))
    else:
        raise UntypedError
    return [next(members) if _is_plain(item) else item for item in items]


def unified_with(content: object, other: object) -> object:
    """The content converted to the type it shares with the other branch of a conditional."""
    try:
        return unified([content, other])[0]
    except UntypedError:
        return UnknownValue(UNTYPED)


def same_type_and_content(left: object, right: object) -> bool:
    """Whether two values are equal and of one type."""
    return type(left) is type(right) and identity(left) == identity(right)


def holds_only_texts(content: object) -> bool:
    """Whether content holds only strings, which no unification changes."""
    if isinstance(content, dict):
        return all(map(holds_only_texts, content.values()))
    if isinstance(content, list):
        return all(map(holds_only_texts, content))
    return not _is_plain(content) or isinstance(content, str)


def _objects(items: list[dict[str, object]]) -> list[object]:
    if len({frozenset(item) for item in items}) > 1:
        _one_kind([leaf for item in items for leaf in item.values()])
        return list(items)
    columns = {key: unified([item[key] for item in items]) for key in items[0]}
    return [{key: columns[key][row] for key in item} for row, item in enumerate(items)]


def _lists(items: list[list[object]]) -> list[object]:
    if len({len(item) for item in items}) > 1:
        leaves = iter(unified([leaf for item in items for leaf in item]))
        return [_like(item, [next(leaves) for _ in item]) for item in items]
    columns = [unified(column) for column in zip(*items, strict=True)]
    return [_like(item, [column[row] for column in columns]) for row, item in enumerate(items)]


def _like(item: list[object], items: list[object]) -> list[object]:
    return SetValue(items) if isinstance(item, SetValue) else items


def _one_kind(leaves: list[object]) -> None:
    kinds = {_kind(leaf) for leaf in leaves if _is_plain(leaf)}
    if len(kinds) > 1 or not kinds <= _SCALARS:
        raise UntypedError


def _is_plain(content: object) -> bool:
    return content is not None and not isinstance(content, UnknownValue) and not hasattr(content, "whole")


def _kind(content: object) -> str:
    if isinstance(content, bool):
        return "flag"
    if isinstance(content, (int, float)):
        return "number"
    if isinstance(content, str):
        return "text"
    return "object" if isinstance(content, dict) else "list"


_SCALAR_TYPES: dict[str, Callable[[object], object]] = {"string": as_text, "number": as_number, "bool": as_bool}
_OF_ONE_TYPE = frozenset({"list", "set", "map"})
_FEW = 2


def converted(content: object, type_: Expression | None) -> object:
    """Convert a value to a type constraint. A value that does not fit is unknown: Terraform would refuse it."""
    try:
        return _converted(content, type_)
    except InexactError as error:
        return UnknownValue(error.reason)
    except FailedError:
        return UnknownValue("the value does not fit its variable's type")


def is_text(type_: Expression | None) -> bool:
    """Whether a value on the command line is taken as it is written, not parsed as an expression."""
    return type_ is None or _word(type_) in _SCALAR_TYPES


def _converted(content: object, type_: Expression | None) -> object:
    if type_ is None or content is None or type(content) is UnknownValue or hasattr(content, "whole"):
        return content
    word = _word(type_)
    if word in _SCALAR_TYPES:
        return _SCALAR_TYPES[word](content)
    if not isinstance(type_, Call) or not type_.arguments:
        return content
    return _collected(content, type_, type_.arguments[0])


def _collected(content: object, type_: Call, inner: Expression) -> object:
    if _word(inner) == "any" and type_.name in _OF_ONE_TYPE:
        content = _of_one_type(content)
    match type_.name:
        case "list":
            return [_converted(item, inner) for item in as_list(content)]
        case "set":
            items = [_converted(item, inner) for item in as_list(content)]
            return SetValue(items) if any(unknowns(items)) else as_set(items)
        case "map":
            return MapValue((key, _converted(item, inner)) for key, item in as_map(content).items())
        case "tuple":
            kinds, items = getattr(inner, "items", ()), as_list(content)
            if len(kinds) != len(items):
                raise FailedError
            return [_converted(item, kind) for item, kind in zip(items, kinds, strict=True)]
        case "object" if isinstance(inner, Object):
            return _object(as_map(content), inner)
    return content


def _of_one_type(content: object) -> object:
    if isinstance(content, dict):
        return dict(zip(content, unified(list(content.values())), strict=True))
    return unified(as_list(content))


def _object(content: dict[str, object], type_: Object) -> dict[str, object]:
    """Convert to an object type: other attributes are dropped, optional ones get their default."""
    members: dict[str, object] = {}
    for key, inner in type_.items:
        name = key.content if isinstance(key, Literal) else None
        if not isinstance(name, str):
            raise FailedError
        optional = isinstance(inner, Call) and inner.name == "optional"
        wanted = inner.arguments[0] if isinstance(inner, Call) and optional and inner.arguments else inner
        member = content.get(name)
        if member is None and not (optional or name in content):
            raise FailedError
        if member is None and isinstance(inner, Call) and optional and len(inner.arguments) == _FEW:
            member = _constant(inner.arguments[1])
        members[name] = _converted(member, wanted)
    return members


def _constant(node: Expression) -> object:
    """The default in ``optional(type, default)``, which is a constant."""
    if isinstance(node, Literal):
        return node.content
    if isinstance(node, Object):
        return {str(key.content): _constant(item) for key, item in node.items if isinstance(key, Literal)}
    items = getattr(node, "items", None)
    if isinstance(items, tuple):
        return [_constant(item) for item in items]
    raise FailedError


def _word(node: Expression) -> str:
    return node.name if isinstance(node, Name) else ""


class ResourceValue(Protocol):
    """A resource or module, or all its instances. Its members are evaluated when they are read."""

    def get(self, name: str) -> object:
        """One attribute."""

    def at(self, key: object) -> object:
        """One instance."""

    def each(self) -> list[object] | UnknownValue:
        """Every instance."""

    def keys(self) -> Mapping[str, object] | UnknownValue:
        """The instances by key."""

    def whole(self) -> UnknownValue:
        """The whole as one value, which is never known."""


class Module(Protocol):
    """The module instance that an expression belongs to."""

    def variable(self, name: str) -> object:
        """The value of a variable."""

    def local(self, name: str) -> object:
        """The value of a local."""

    def module(self, name: str) -> object:
        """A called module."""

    def resource(self, mode: str, type_: str, name: str) -> object:
        """A resource."""

    def note_sensitive(self) -> None:
        """Note that a sensitive value was read."""

    @property
    def budget(self) -> Budget:
        """What is left to be spent."""


class EvaluationScope(NamedTuple):
    """The scope of an expression: its module, the key and value of its instance, and the variables of loops."""

    module: Module
    key: object = None
    value: object = None
    counts: bool = False
    names: Mapping[str, object] = {}
