"""JSONPath over the model: jsonpath-ng parses a path, which then selects values with their places and doubts."""

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
from tablegate.model.table import Recovery, Stream, Ttl
from tablegate.model.value import Doubt, Origin, Place, Value, Verdict, all_of, any_of

# References from a part back to its whole, or out of the table: a view would never end.
_REFERENCES = frozenset({"table", "estate", "change", "raw", "make_before"})

# Settings of a feature that ``enabled`` turns on.
_SETTINGS: Mapping[type, tuple[str, ...]] = {Recovery: ("days",), Ttl: ("attribute",), Stream: ("view",)}

SENSITIVE = "(sensitive)"
UNSEEN = Doubt("it cannot be seen here")


def view(part: object) -> Any:
    """A part of the model as plain data, each value as its content. An unknown value is ``{"unknown": reason}``."""
    match part:
        case Value():
            return SENSITIVE if part.sensitive and part.content is not None else view(content_of(part))
        case Doubt():
            return {"unknown": part.reason}
        case Place():
            return {name: it for name in members(Place) if (it := getattr(part, name)) is not None}
        case Mapping():
            return {str(key): view(part[key]) for key in part}
        case list() | tuple():
            return [view(item) for item in part]
        case set() | frozenset():
            return sorted(str(item) for item in part)
        case str():
            return str(part)
        case _ if is_dataclass(part):
            return {name: view(member_of(part, name)) for name in members(type(part))}
    return part


def member_of(part: Any, name: str) -> object:
    """A member of an object of the model. A setting of a feature that is off is not set, even if it has a default."""
    content = getattr(part, name)
    if name not in _SETTINGS.get(type(part), ()) or part.enabled.content is True:
        return content
    if part.enabled.known:
        return Value(content.name, None, Origin.DEFAULT, content.place or part.enabled.place)
    if not content.known:
        return content
    return replace(
        content,
        content=None,
        origin=Origin.UNKNOWN,
        doubt=part.enabled.doubt,
        candidates=(content.content, None),
    )


def content_of(value: Value[Any]) -> object:
    """The content of a value, with a doubt in place of an unknown content, or of an unknown entry of a mapping."""
    if not value.known:
        return value.doubt or UNSEEN
    if isinstance(value.content, Mapping):
        return {key: UNSEEN if item is None else item for key, item in value.content.items()}
    return value.content


def members(kind: Any) -> tuple[str, ...]:
    """The names of an object of the model that a path can take."""
    return tuple(field.name for field in fields(kind) if field.name not in _REFERENCES)


Condition = Callable[[object], Verdict]


@record(kw_only=False)
class Match:
    """One match of a path. ``fact`` is the value it is in, ``condition`` the verdict on which it depends."""

    content: object
    name: str = ""
    fact: Value[Any] | None = None
    condition: Verdict | None = None

    @property
    def is_unknown(self) -> bool:
        """Whether no step can go on from here, because the content is unknown."""
        return isinstance(self.content, Doubt) or (isinstance(self.content, Value) and not self.content.known)

    def value(self) -> Value[Any]:
        """The content as a value, with the place and the origin of the fact it is in."""
        if isinstance(self.content, Value):
            return self.content
        fact: Value[Any] = Value(self.name, None) if self.fact is None else self.fact
        if isinstance(self.content, Doubt):
            return Value(self.name, None, Origin.UNKNOWN, fact.place, self.content)
        return replace(fact, name=self.name, content=self.content)

    def inside(self) -> Match:
        """The match of what is inside a value; itself if it is none."""
        if isinstance(self.content, Value):
            return replace(self, content=content_of(self.content), fact=self.content)
        return self

    def member(self, key: str, content: object) -> Match:
        """The match of a member of this one."""
        name = f"{self.name}.{key}" if self.name and not key.startswith("[") else self.name + key
        return replace(self, content=content, name=name)


@record(kw_only=False)
class Step:
    """One step of a path: the names it can take, or none if it takes all, and the matches it leads to."""

    names: tuple[str, ...]
    plural: bool
    follow: Callable[[Match], Iterable[Match]]


@record(kw_only=False)
class Path:
    """A compiled path."""

    text: str
    steps: tuple[Step, ...]

    @property
    def plural(self) -> bool:
        """Whether it can have several matches, or none."""
        return any(step.plural for step in self.steps)

    def matches(self, root: object) -> list[Match]:
        """All matches of the path."""
        matches = [Match(root)]
        for step in self.steps:
            matches = [
                after for match in matches for after in ((match,) if match.is_unknown else step.follow(match.inside()))
            ]
        return matches


_ONE_AT_A_TIME = Lock()  # filters of warnings, and the parser's modules, belong to the process


def compile_path(text: str) -> Path:
    """The path. ConfigError if it is wrong."""
    from jsonpath_ng.ext.parser import parse  # few runs need it

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
    nodes = [tree]
    while nodes:
        node = nodes.pop()
        if _kind(node) == "Child":
            nodes += (node.right, node.left)
        else:
            yield node


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
            return Step((), len(indices) > 1, lambda match: _by_index(match, indices))
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
    content = match.content
    for name in names:
        if isinstance(content, Mapping) and name in content:
            yield match.member(name, content[name])
        elif is_dataclass(content) and name in members(type(content)):
            yield match.member(name, member_of(content, name))


def _every(match: Match) -> Iterable[Match]:
    content = match.content
    if isinstance(content, Mapping):
        return _named(match, tuple(content))
    return _named(match, members(type(content))) if is_dataclass(content) else _items(match)


def _items(match: Match) -> Iterator[Match]:
    if isinstance(match.content, (list, tuple)):
        for number, item in enumerate(match.content):
            yield match.member(f"[{number}]", item)


def _by_index(match: Match, indices: Iterable[int]) -> Iterator[Match]:
    items = list(_items(match))
    for index in indices:
        if -len(items) <= index < len(items):
            yield items[index]


def _filtered(match: Match, conditions: Iterable[Condition]) -> Iterator[Match]:
    for item in _items(match):
        verdict = Verdict(None) if item.is_unknown else all_of(condition(item.content) for condition in conditions)
        if verdict.truth is True:
            yield item
        elif verdict.truth is None:
            yield replace(item, condition=verdict if item.condition is None else item.condition & verdict)


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
    """A test that compares a content with the literal in a filter."""
    if wanted is not None and not isinstance(wanted, (str, int, float, bool)):
        raise ConfigError(f'"{text}" holds a filter that compares with something else than a text or a number')
    if op == "=~":
        search = compile_regex(str(wanted)).search
        return lambda content: isinstance(content, str) and search(content) is not None
    if op in ("==", "="):
        return lambda content: is_equal(content, wanted)
    if op == "!=":
        return lambda content: not is_equal(content, wanted)
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


def is_equal(content: object, literal: object) -> bool:
    """Whether a content equals a literal of a policy. 1 is not true."""
    plain = view(content)
    return plain == literal and isinstance(plain, bool) == isinstance(literal, bool)


def compile_regex(pattern: str, *keys: str) -> re.Pattern[str]:
    """The compiled pattern. ConfigError if it is wrong."""
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ConfigError(f'"{pattern}" is no regular expression: {error}', *keys) from None
    except (OverflowError, RecursionError):
        raise ConfigError("the regular expression counts too far, or is nested too deeply", *keys) from None


def is_number(content: object) -> TypeGuard[float]:
    """Whether the content is a number. True and false are none."""
    return isinstance(content, (int, float)) and not isinstance(content, bool)
