"""Mappings in block style of which every line says by itself what it is: read line by line, without a parser.

Nearly all of a template is written so: ``key: value``, ``- item``, short tags, words in brackets. Whatever says more
than this reader knows for certain is refused, and left to libyaml.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from tablegate.syntax.node import Node, Scalar
from tablegate.syntax.scalars import FIRST, WORDS, resolve
from tablegate.syntax.tags import long_form

_DEEP = 30  # levels; more than people write
_KNOWN_LINES = 8192  # lines whose meaning is kept: many a line of a template is there often

# What begins with one of these characters is a plain scalar, and in it ": " and " #" alone mean something.
_WORD = r"[A-Za-z0-9_./$](?:[A-Za-z0-9_./$\-]|:(?=[A-Za-z0-9_./$\-:])){0,200}+"
_PLAIN = r"(?P<plain>[A-Za-z0-9_./$](?:[^:#]|:(?=\S)|(?<=\S)#)*+)"
_QUOTED = r""""[^"\\]*+"|'[^']*+'"""
_TAG = r"(?:(?P<tag>![A-Za-z0-9:]++)(?: ++|$))?+"
_LINE = re.compile(
    rf" *+(?P<dashes>(?:- ++){{0,4}}+)(?:(?P<key>{_WORD}):(?: ++|$))?+"
    rf"{_TAG}(?P<value>{_QUOTED}|{_PLAIN}|\[(?P<items>[^\[\]]*+)\])?+ *+(?:(?<= )#.*+)?+"
)
_ITEM = re.compile(rf" *+{_TAG}(?P<value>{_QUOTED}|(?P<plain>{_WORD})) *+(?P<more>,|$)")

_Value: TypeAlias = "tuple[Any, int, int | None]"
"""A scalar, or a list or mapping of such values, with its column and its end."""


class UnclearError(Exception):
    """A line says more than is known here."""


class _Line(NamedTuple):
    """What a line says. Its depth is twice its indentation, and one more for an item: those of a list may stand
    right below the key that the list belongs to, and are deeper."""

    depth: int
    inner: tuple[tuple[type, int, int], ...]  # what begins behind a dash: its kind, its column and its depth
    key: str | None
    content: Any  # a scalar, or values
    start: int
    end: int | None
    is_simple: bool  # the content is no values
    is_open: bool  # the content is on the lines below


def read_block(lines: Iterable[str], first: int, indent: int) -> dict[str, Node]:  # noqa: C901, PLR0912 - for speed
    """The mapping that the lines are; the first has this number, and the mapping has this indentation."""
    top: dict[str, Node] = {}
    content, current, stack = top, 2 * indent, [(top, -1)]  # type: Any, int, list[tuple[Any, int]]
    waiting: Node | None = None  # for its content, on the lines below its key
    for number, line in enumerate(map(_line, lines), first):
        if line is None:
            continue
        depth, inner, key, stated, start, end, is_simple, is_open = line
        if waiting is not None:
            if depth <= current or len(stack) > _DEEP:
                raise UnclearError
            stack.append((content, current))
            waiting.content = content = [] if depth % 2 else {}
            current, waiting = depth, None
        elif depth != current:
            while depth < current:
                content, current = stack.pop()
            if depth != current:
                raise UnclearError
        for kind, at, deeper in inner:
            stack.append((content, current))
            content.append(Node(kind(), number, at))
            content, current = content[-1].content, deeper
        node = Node(stated, number, start, end) if is_simple else _made((stated, start, end), number)
        if key is None:
            content.append(node)
        elif key in content:
            raise UnclearError
        else:
            content[key] = node
        if is_open:
            waiting = node if is_simple else _tagged(node)
    if waiting is not None:
        raise UnclearError
    return top


def ends_what_it_begins(line: str) -> bool:
    """Whether no quote or bracket of the line reaches beyond it; False where that is not known here."""
    found = _LINE.fullmatch(line)
    if found is None or found["items"] is None:
        return found is not None
    try:
        _items(line, *found.span("items"))
    except UnclearError:
        return False
    return True


def _tagged(node: Node) -> Node:
    """What stands behind a short tag."""
    (inner,) = node.content.values() if isinstance(node.content, dict) else (node,)
    return inner


def _made(value: _Value, number: int) -> Node:
    """The value as nodes, on the line with this number."""
    content, start, end = value
    if isinstance(content, list):
        content = [_made(part, number) for part in content]
    elif isinstance(content, dict):
        content = {key: _made(part, number) for key, part in content.items()}
    return Node(content, number, start, end)


@lru_cache(_KNOWN_LINES)
def _line(text: str) -> _Line | None:
    """What the line says; nothing where it is empty or a comment."""
    found = _LINE.fullmatch(text)
    if found is None:
        raise UnclearError
    key, indent = found["key"], found.start("dashes")
    dashes = [at for at in range(indent, found.end("dashes")) if text[at] == "-"]
    if key is None and not dashes:
        if found["tag"] or found["value"]:
            raise UnclearError
        return None
    inner: list[tuple[type, int, int]] = [(list, at + 1, 2 * at + 1) for at in dashes[1:]]
    if dashes and key is not None:
        inner.append((dict, found.start("key") + 1, 2 * found.start("key")))
    value, is_open = (_value(found), False) if found["value"] else (_opened(found), True)
    is_simple = not isinstance(value[0], (list, dict))
    return _Line(2 * indent + bool(dashes), tuple(inner), key, *value, is_simple, is_open)


def _opened(found: re.Match[str]) -> _Value:
    """A key whose value is on the lines below."""
    key, tag = found["key"], found["tag"]
    if key is None or key in WORDS:
        raise UnclearError
    content = None if tag is None else {_form(tag): (None, found.start("tag") + 1, None)}
    return content, found.start("key") + 1, found.end("key") + 1


def _value(found: re.Match[str]) -> _Value:
    """The value of a line. Whatever is no scalar stands at its key."""
    if found["key"] in WORDS:
        raise UnclearError
    at = None if found["key"] is None else (found.start("key") + 1, found.end("key") + 1)
    if found["items"] is None:
        return _scalar(found, at)
    start, end = found.start("value") + 1, found.start("value") + 2
    own = (start if found["tag"] is None else found.start("tag") + 1, end)
    items = _items(found.string, *found.span("items"))
    return (items, *(at or own)) if found["tag"] is None else ({_form(found["tag"]): (items, *own)}, *(at or own))


def _items(text: str, start: int, end: int) -> list[_Value]:
    items: list[_Value] = []
    more = bool(text[start:end].strip(" "))
    while more:
        found = _ITEM.match(text, start, end)
        if found is None:
            raise UnclearError
        items.append(_scalar(found, None))
        start, more = found.end(), bool(found["more"])
    return items


def _scalar(found: re.Match[str], at: tuple[int, int] | None) -> _Value:
    tag, plain, start = found["tag"], found["plain"], found.start("value")
    text: str = found["value"][1:-1] if plain is None else plain.rstrip(" ")
    end = found.end("value") + 1 if plain is None else start + len(text) + 1
    if tag is None:
        return _resolved(text) if plain is not None and text[:1] in FIRST else text, start + 1, end
    own, form = (found.start("tag") + 1, end), _form(tag)
    content: Any = [(part, *own) for part in text.split(".", 1)] if form == "Fn::GetAtt" else text
    return {form: (content, *own)}, *(at or own)


def _resolved(text: str) -> Scalar:
    try:
        return resolve(text)
    except ValueError:
        raise UnclearError from None


def _form(tag: str) -> str:
    form = long_form(tag)
    if form is None:
        raise UnclearError
    return form
