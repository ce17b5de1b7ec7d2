"""Jsonpath over the model as plain data."""

from __future__ import annotations

import operator
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from threading import Lock
from typing import Any, TypeGuard

from tablegate.engine.settings import ConfigError
from tablegate.model.record import record, replace
from tablegate.model.value import Doubt, Origin, Place, Value, Verdict, all_of, any_of

# What leads from a part back to its whole, or out of the table: a view would never end.
_WIRES = frozenset({"table", "estate", "change", "raw", "make_before"})

SENSITIVE = "(sensitive)"
UNSEEN = Doubt("it cannot be seen here")


def view(thing: object) -> Any:
    """The thing with every value as its content. What is not known is ``{"unknown": reason}``."""
    match thing:
        case Value():
            return SENSITIVE if thing.sensitive and thing.content is not None else view(content_of(thing))
        case Doubt():
            return {"unknown": thing.reason}
        case Place():
            return {name: part for name in members(Place) if (part := getattr(thing, name)) is not None}
        case Mapping():
            return {str(key): view(thing[key]) for key in thing}
        case list() | tuple():
            return [view(item) for item in thing]
        case set() | frozenset():
            return sorted(str(item) for item in thing)
        case str():
            return str(thing)
        case _ if is_dataclass(thing):
            return {name: view(getattr(thing, name)) for name in members(type(thing))}
    return thing


def content_of(value: Value[Any]) -> object:
    """The content of a value, with doubts where something is not known: itself, or an entry of a mapping."""
    if not value.known:
        return value.doubt or UNSEEN
    if isinstance(value.content, Mapping):
        return {key: UNSEEN if item is None else item for key, item in value.content.items()}
    return value.content


def members(kind: Any) -> tuple[str, ...]:
    """The names by which a path may go on from an object of the model."""
    return tuple(field.name for field in fields(kind) if field.name not in _WIRES)


Condition = Callable[[object], Verdict]


@record(kw_only=False)
class Match:
    """What a path leads to. ``carrier`` is the fact that holds it; ``given``, on what condition it is there."""

    thing: object
    name: str = ""
    carrier: Value[Any] | None = None
    given: Verdict | None = None

    @property
    def stuck(self) -> bool:
        """Whether nothing is known below this."""
        return isinstance(self.thing, Doubt) or (isinstance(self.thing, Value) and not self.thing.known)

    def value(self) -> Value[Any]:
        """The thing as a value, with the place and the origin of the fact that holds it."""
        if isinstance(self.thing, Value):
            return self.thing
        carrier: Value[Any] = Value(self.name, None) if self.carrier is None else self.carrier
        if isinstance(self.thing, Doubt):
            return Value(self.name, None, Origin.UNKNOWN, carrier.place, self.thing)
        return replace(carrier, name=self.name, content=self.thing)

    def opened(self) -> Match:
        """The content of a value, of which something is known."""
        if isinstance(self.thing, Value):
            return replace(self, thing=content_of(self.thing), carrier=self.thing)
        return self

    def below(self, key: str, thing: object) -> Match:
        """What stands under a key of this."""
        name = f"{self.name}.{key}" if self.name and not key.startswith("[") else self.name + key
        return replace(self, thing=thing, name=name)


@record(kw_only=False)
class Step:
    """One step of a path: the names it may take, none where it takes them as they come, and how it goes on."""

    names: tuple[str, ...]
    plural: bool
    go: Callable[[Match], Iterable[Match]]


@record(kw_only=False)
class Path:
    """A compiled path."""

    text: str
    steps: tuple[Step, ...]

    @property
    def plural(self) -> bool:
        """Whether it may lead to several things, or to none."""
        return any(step.plural for step in self.steps)

    def matches(self, root: object) -> list[Match]:
        """All that the path leads to."""
        found = [Match(root)]
        for step in self.steps:
            found = [after for match in found for after in ((match,) if match.stuck else step.go(match.opened()))]
        return found


_ONE_AT_A_TIME = Lock()  # filters of warnings, and the parser's modules, belong to the process


def compiled(text: str) -> Path:
    """The path, or ConfigError with what is wrong about it."""
    from jsonpath_ng.ext.parser import parse

    try:
        with _ONE_AT_A_TIME, warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            tree = parse(text)
    except Exception:  # noqa: BLE001  its parser, its lexer and its functions each have their own
        raise ConfigError(f'"{text}" is no JSONPath', hint='write it like "$.recovery.enabled"') from None
    return _path(tree, text)


def _path(tree: Any, text: str) -> Path:
    return Path(text, tuple(_step(node, text) for node in _nodes(tree) if _kind(node) not in ("Root", "This")))


def _nodes(tree: Any) -> Iterator[Any]:
    if _kind(tree) == "Child":
        yield from _nodes(tree.left)
        yield from _nodes(tree.right)
    else:
        yield tree


def _kind(node: object) -> str:
    return type(node).__name__


def _step(node: Any, text: str) -> Step:
    match _kind(node):
        case "Fields" if "*" not in node.fields:
            names = tuple(node.fields)
            return Step(names, len(names) > 1, lambda match: _named(match, names))
        case "Fields" | "Wildcard":
            return Step((), True, _every)
        case "Index":
            indices = node.indices
            return Step((), len(indices) > 1, lambda match: _at(match, indices))
        case "Slice":
            bounds = slice(node.start, node.end, node.step)
            return Step((), True, lambda match: list(_items(match))[bounds])
        case "Filter":
            conditions = [_condition(expression, text) for expression in node.expressions]
            return Step((), True, lambda match: _filtered(match, conditions))
        case "Descendants":
            raise ConfigError(f'"{text}" holds "..", which leads anywhere', hint="name the steps")
    raise ConfigError(f'"{text}" holds {_kind(node).lower()}, which no policy needs')


def _named(match: Match, names: Iterable[str]) -> Iterator[Match]:
    thing = match.thing
    for name in names:
        if isinstance(thing, Mapping) and name in thing:
            yield match.below(name, thing[name])
        elif is_dataclass(thing) and name in members(type(thing)):
            yield match.below(name, getattr(thing, name))


def _every(match: Match) -> Iterable[Match]:
    thing = match.thing
    if isinstance(thing, Mapping):
        return _named(match, tuple(thing))
    return _named(match, members(type(thing))) if is_dataclass(thing) else _items(match)


def _items(match: Match) -> Iterator[Match]:
    if isinstance(match.thing, (list, tuple)):
        for number, item in enumerate(match.thing):
            yield match.below(f"[{number}]", item)


def _at(match: Match, indices: Iterable[int]) -> Iterator[Match]:
    items = list(_items(match))
    for index in indices:
        if -len(items) <= index < len(items):
            yield items[index]


def _filtered(match: Match, conditions: Iterable[Condition]) -> Iterator[Match]:
    for item in _items(match):
        verdict = Verdict(None) if item.stuck else all_of(condition(item.thing) for condition in conditions)
        if verdict.truth is True:
            yield item
        elif verdict.truth is None:
            yield replace(item, given=verdict if item.given is None else item.given & verdict)


def _condition(expression: Any, text: str) -> Condition:
    kind = _kind(expression)
    if kind in ("Or", "And"):
        operands = [_condition(operand, text) for operand in expression.operands]
        fold = any_of if kind == "Or" else all_of
        return lambda item: fold(operand(item) for operand in operands)
    path = _path(expression.target, text)
    if expression.op is None:
        return lambda item: any_of(match.value().is_set for match in path.matches(item))
    if expression.op == "!":
        return lambda item: ~any_of(match.value().is_set for match in path.matches(item))
    test = _comparison(expression.op, expression.value, text)
    return lambda item: any_of(match.value().satisfies(test) for match in path.matches(item))


def _comparison(op: str, wanted: object, text: str) -> Callable[[object], bool]:
    """What compares a content with the literal in a filter."""
    if wanted is not None and not isinstance(wanted, (str, int, float, bool)):
        raise ConfigError(f'"{text}" holds a filter that compares with something else than a text or a number')
    if op == "=~":
        found = regex(str(wanted)).search
        return lambda content: isinstance(content, str) and found(content) is not None
    if op in ("==", "="):
        return lambda content: same(content, wanted)
    if op == "!=":
        return lambda content: not same(content, wanted)
    compare = _ORDERS[op]
    if isinstance(wanted, str):
        return lambda content: isinstance(content, str) and compare(content, wanted)
    return lambda content: is_number(content) and compare(content, wanted)


_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def same(content: object, written: object) -> bool:
    """Equal, and of one type: 1 is not true."""
    plain = view(content)
    return plain == written and isinstance(plain, bool) == isinstance(written, bool)


def regex(pattern: str, *keys: str) -> re.Pattern[str]:
    """The compiled pattern, or ConfigError."""
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ConfigError(f'"{pattern}" is no regular expression: {error}', *keys) from None


def is_number(content: object) -> TypeGuard[float]:
    """A number, which true and false are not."""
    return isinstance(content, (int, float)) and not isinstance(content, bool)
