"""libyaml's events into nodes, without a constructor and without recursion.

Anchors and aliases have a budget: a few lines of aliases can expand to more nodes than fit into memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

import yaml
from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from tablegate.syntax.node import Node, ParseError, Scalar
from tablegate.syntax.yaml.scalars import COLLECTIONS, CORE, FIRST, WORDS, core_scalar, long_form, resolve, shown

EXPANDED = 250_000  # nodes of all aliases together
LEVELS = 120  # of nesting, aliases expanded


class _Extent(NamedTuple):
    size: int
    height: int


class Aliases:
    """The anchors so far, and the budget that aliases have used."""

    __slots__ = ("_expanded", "_extents", "_named", "open")

    def __init__(self) -> None:
        self.open: dict[int, tuple[str, Node]] = {}  # by depth: open containers with an anchor
        self._named: dict[str, Node | None] = {}  # None while the container is open
        self._extents: dict[int, _Extent] = {}
        self._expanded = 0

    def scalar(self, name: str, node: Node) -> None:
        """Add an anchored scalar."""
        self._named[name] = node
        self._extents[id(node)] = self._extent(node)

    def begin(self, name: str, depth: int, node: Node) -> None:
        """Open an anchored container; no alias may name it until it ends."""
        self.open[depth] = (name, node)
        self._named[name] = None

    def end(self, depth: int) -> None:
        """Close the container at this depth, anchored or not."""
        if depth in self.open:
            name, node = self.open.pop(depth)
            self._named[name] = node
            self._extents[id(node)] = self._extent(node)

    def target(self, name: str, depth: int) -> Node:
        """The node of an alias at this depth. A ValueError says why there is none."""
        if name not in self._named:
            raise ValueError("alias without an anchor")
        node = self._named[name]
        if node is None:
            raise ValueError("alias inside its own anchor, which would never end")
        size, height = self._extents[id(node)]
        self._expanded += size
        if self._expanded > EXPANDED or depth + height > LEVELS:
            raise ValueError(f"the aliases expand to more than {EXPANDED:,} nodes or {LEVELS} levels")
        return node

    def _extent(self, node: Node) -> _Extent:
        """Size and height, level by level. Anchored parts are not walked again."""
        size = height = depth = 0
        level = [node]
        while level:
            depth += 1
            known = [self._extents[id(each)] for each in level if id(each) in self._extents]
            new = [each for each in level if id(each) not in self._extents]
            size += len(new) + sum(extent.size for extent in known)
            height = max(height, depth, *(depth - 1 + extent.height for extent in known))
            level = [child for each in new for child in _children(each)]
        return _Extent(size, height)


def _children(node: Node) -> Iterable[Node]:
    if isinstance(node.content, Mapping):
        return node.content.values()
    return node.content if isinstance(node.content, list) else ()


DEPTH = 60  # three times the deepest template seen
SHOWN = 80  # characters of a key or a tag in a message

_Event: TypeAlias = Any  # of libyaml or of PyYAML

_Parser: Any = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
_ODD_KEYS = frozenset(WORDS) | {"<<"}
_ITEM = "(item)"  # in place of a key inside a sequence; None: a key is next
_PLACEHOLDERS = "fill in the placeholders of the template engine, {{ ... }}, first"
_UNPRINTABLE = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def document_of(text: str) -> Node:
    """The only document of a text."""
    try:
        return _Builder(text).document()
    except (yaml.YAMLError, UnicodeEncodeError) as error:
        raise _in_our_words(error, text) from None


class _Builder:
    """One document, built from front to back."""

    __slots__ = ("_aliases", "_next", "_resolved", "_root")

    def __init__(self, text: str) -> None:
        self._next: Callable[[], _Event] = _Parser(text).get_event
        self._aliases = Aliases()
        self._resolved: dict[str, Scalar] = {}
        self._root: list[Node] = []

    def document(self) -> Node:
        """The only document of the stream."""
        self._next()
        if isinstance(self._next(), StreamEndEvent):
            raise ParseError("the file has only comments, no YAML document")
        root = self._tree()
        event = self._next()
        if not isinstance(event, StreamEndEvent):
            raise _error("more than one YAML document in the file", event)
        return root

    def _tree(self) -> Node:  # noqa: C901, PLR0912 - a call for each event would cost a fifth
        next_event, aliases, resolved = self._next, self._aliases, self._resolved
        content, key, at, stack = self._root, _ITEM, None, []  # type: Any, str | None, Any, list[tuple[Any, str | None]]
        while True:
            kind = (event := next_event()).__class__
            if kind is ScalarEvent:
                text, plain = event.value, event.tag is None and event.anchor is None
                if key is None:
                    key, at = text if plain and text not in _ODD_KEYS else self._key(event), event
                    if key in content:
                        raise _duplicate(key, content[key], event)
                    continue
                if plain:
                    if not event.style and text[:1] in FIRST:
                        text = resolved[text] if text in resolved else self._resolve(event)
                    start, end, line = event.start_mark, event.end_mark, event.start_mark.line
                    node = Node(text, line + 1, start.column + 1, end.column + 1 if end.line == line else None)
                else:
                    node = self._marked_scalar(event, event if key is _ITEM else at)
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                if aliases.open:
                    aliases.end(len(stack))
                content, key = stack.pop()
                continue
            elif key is None:
                raise _error("a key must be a text, not a list, a mapping or an alias", event, _PLACEHOLDERS)
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                inner: Any = {} if kind is MappingStartEvent else []
                node = self._container(event, event if key is _ITEM else at, inner, len(stack) + 1)
            elif kind is AliasEvent:
                node = self._alias(event, len(stack))
            else:
                return self._root[0]
            if key is _ITEM:
                content.append(node)
            else:
                content[key], key = node, None
            if kind is MappingStartEvent or kind is SequenceStartEvent:
                stack.append((content, key))
                content, key = inner, None if kind is MappingStartEvent else _ITEM

    def _key(self, event: _Event) -> str:
        """A key with a tag or an anchor, or one that does not look like a text."""
        text: str = event.value
        if event.anchor is not None:
            self._aliases.scalar(event.anchor, Node(text, *_place(event)))
        if event.tag == CORE + "str" or (event.style and event.tag is None):
            return text
        if event.tag not in (None, "!"):
            raise _error(f"key with the tag {shown(event.tag)[:SHOWN]}; expected a text", event)
        if text == "<<":
            raise _error("CloudFormation does not support merge keys (<<); write the members out", event)
        if text in WORDS:
            kind = "null" if WORDS[text] is None else "a boolean"
            raise _error(f'this key is read as {kind}; if it is a text, put it in quotes: "{text}"', event)
        return text

    def _resolve(self, event: _Event) -> Scalar:
        try:
            value = self._resolved[event.value] = resolve(event.value)
        except ValueError as error:
            raise _error(str(error), event) from None
        return value

    def _marked_scalar(self, event: _Event, at: _Event) -> Node:
        """A scalar with a tag, an anchor or both. A function has the place of its key, as every mapping."""
        node = Node(event.value, *_place(event))
        form = None if event.tag in (None, "!") else long_form(event.tag)
        if form is not None:
            inner = node
            if form == "Fn::GetAtt":
                inner = Node([Node(part, *_place(event)) for part in event.value.split(".", 1)], *_place(event))
            node = Node({form: inner}, *_place(at))
        elif event.tag in (None, "!"):
            node.content = event.value if event.style else self._resolve(event)
        else:
            node.content = self._core(event)
        if event.anchor is not None:
            self._aliases.scalar(event.anchor, node)
        return node

    def _core(self, event: _Event) -> Scalar:
        try:
            return core_scalar(event.tag, event.value)
        except LookupError:
            raise _unknown_tag(event) from None
        except ValueError as error:
            raise _error(str(error), event) from None

    def _container(self, event: _Event, at: _Event, inner: Any, depth: int) -> Node:
        """An empty sequence or mapping, with the place of its key."""
        node = Node(inner, *_place(at))
        if depth > DEPTH:
            raise _error(f"nested deeper than {DEPTH} levels", event)
        if event.tag not in (None, "!") and COLLECTIONS.get(event.tag) is not type(inner):
            form = long_form(event.tag)
            if form is None:
                raise _unknown_tag(event)
            node = Node({form: Node(inner, *_place(event))}, *_place(at))
        if event.anchor is not None:
            self._aliases.begin(event.anchor, depth, node)
        return node

    def _alias(self, event: _Event, depth: int) -> Node:
        try:
            return self._aliases.target(event.anchor, depth)
        except ValueError as error:
            raise _error(str(error), event) from None


def _place(event: _Event) -> tuple[int, int, int | None]:
    start, end = event.start_mark, event.end_mark
    on_one_line = end.line == start.line and end.column > start.column
    return start.line + 1, start.column + 1, end.column + 1 if on_one_line else None


def _error(message: str, event: _Event, hint: str | None = None) -> ParseError:
    line, column, _ = _place(event)
    return ParseError(message, line=line, column=column, hint=hint)


def _unknown_tag(event: _Event) -> ParseError:
    hint = "supported are CloudFormation's short forms, such as !Ref, and plain types, such as !!str"
    return _error(f"unknown tag {shown(event.tag)[:SHOWN]}", event, hint)


def _duplicate(key: str, first: Node, event: _Event) -> ParseError:
    line, column, _ = _place(event)
    message = f'duplicate key "{key[:SHOWN]}" on line {first.line} and again on line {line}'
    return ParseError(message, line=line, column=column, duplicate=True)


def _in_our_words(error: Any, text: str) -> ParseError:
    """An error of the parser. Its context may quote the input, so only the problem is used."""
    mark = getattr(error, "problem_mark", None)
    if mark is not None:
        return ParseError(f"not valid YAML: {error.problem}", line=mark.line + 1, column=mark.column + 1)
    control = _UNPRINTABLE.search(text)
    at = control.start() if control else 0
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    return ParseError("control character, which YAML does not allow", line=line, column=column)
