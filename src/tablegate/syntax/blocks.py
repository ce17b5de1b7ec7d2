"""Mappings in block style of which every line says by itself what it is: read line by line, without a parser.

Nearly all of a template is written so: ``key: value``, ``- item``, short tags, words in brackets. Whatever says more
than this reader knows for certain is refused, and left to libyaml.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, TypeAlias

from tablegate.syntax.node import Node, Scalar
from tablegate.syntax.scalars import FIRST, WORDS, resolve
from tablegate.syntax.tags import long_form

_DEEP = 30  # levels; more than people write
_LONG = 200  # characters of a key; libyaml knows none of more than 1024
_KNOWN_LINES = 8192  # lines whose meaning is kept: many a line of a template is there often

# What begins with one of these characters is a plain scalar, and in it ": " and " #" alone mean something.
_WORD = r"[A-Za-z0-9_./$](?:[A-Za-z0-9_./$\-]++|:(?=[A-Za-z0-9_./$\-:]))*+"
_PLAIN = r"(?P<plain>[A-Za-z0-9_./$](?:[^:#]++|:(?=\S)|(?<=\S)#)*+)"
_QUOTED = r""""[^"\\]*+"|'[^']*+'"""
_TAG = r"(?:(?P<tag>![A-Za-z0-9:]++)(?: ++|$))?+"
_LINE = re.compile(
    rf" *+(?P<dashes>(?:- ++){{0,4}}+)(?:(?P<key>{_WORD}):(?: ++|$))?+"
    rf"{_TAG}(?P<value>{_QUOTED}|{_PLAIN}|\[(?P<items>[^\[\]]*+)\])?+ *+(?:(?<![^ ])#.*+)?+"
)
_SIMPLE = re.compile(
    r"(?:(?P<tag>![A-Za-z:]++) )?+"
    r"""(?P<value>"[ !#-\[\]-~]*+"|'[ -&(-~]++'|(?P<plain>[A-Za-z0-9_./$](?:[ !"$-9;-~]++|:(?=[!-~]))*+))"""
)  # what most values are
_ITEM = re.compile(rf" *+{_TAG}(?P<value>{_QUOTED}|(?P<plain>{_WORD})) *+(?P<more>,|$)")

_Value: TypeAlias = "tuple[Any, int, int | None]"
"""A scalar, a list of such values, or a function as its name and value; with its column and its end."""

_At: TypeAlias = "tuple[int, int] | None"
"""Where a key stands."""

_Opening: TypeAlias = "tuple[int, tuple[tuple[type, int, int], ...], str | None, _At]"
"""What a line begins with: its depth, what begins behind its dashes, its key and where that stands."""


class UnclearError(Exception):
    """A line says more than is known here."""


_Line: TypeAlias = "tuple[int, tuple[tuple[type, int, int], ...], str | None, Any, int, int | None, bool, bool]"
"""What a line says, in a plain tuple because those are taken apart at once: its depth; what begins behind its dashes,
each with its kind, its column and its depth; its key; a scalar, or a value that is more, with its column and its end;
whether it is a scalar; and whether its content is on the lines below.

The depth is twice the indentation, and one more for an item: those of a list may stand right below the key that the
list belongs to, and are deeper."""


def read_block(lines: Iterable[str], first: int, indent: int) -> dict[str, Node]:  # noqa: C901, PLR0912 - for speed
    """The mapping that the lines are; the first has this number, and the mapping has this indentation."""
    top: dict[str, Node] = {}
    content, current, stack = top, 2 * indent, [(top, -1)]  # type: Any, int, list[tuple[Any, int]]
    waiting: Node | None = None  # for its content, on the lines below its key
    for number, line in enumerate(map(_LINES.__getitem__, lines), first):
        if line is None:
            continue
        depth, inner, key, stated, start, end, is_scalar, is_open = line
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
        if inner:
            for kind, at, deeper in inner:
                stack.append((content, current))
                begun = kind()
                content.append(Node(begun, number, at))
                content, current = begun, deeper
        node = Node(stated, number, start, end) if is_scalar else _made(stated, number)
        if key is None:
            content.append(node)
        elif key in content:
            raise UnclearError
        else:
            content[key] = node
        if is_open:
            waiting = node if is_scalar else _tagged(node)
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
    (inner,) = node.content.values()  # type: ignore[union-attr]
    return inner


def _made(value: _Value, number: int) -> Node:
    """The value as nodes, on the line with this number."""
    content, start, end = value
    kind = content.__class__
    if kind is tuple:
        name, inner = content
        content = {name: _made(inner, number)}
    elif kind is list:
        content = [_made(part, number) for part in content]
    return Node(content, number, start, end)


class _Lines(dict[str, "_Line | None"]):
    """What lines say, of as many as are kept."""

    def __missing__(self, text: str) -> _Line | None:
        if len(self) == _KNOWN_LINES:
            self.clear()
            _OPENINGS.clear()
        said = self[text] = _said(text)
        return said


_LINES = _Lines()
_OPENINGS: dict[str, _Opening] = {}  # by what stands before the value: there are fewer of those


def _said(text: str) -> _Line | None:
    """What the line says; nothing where it is empty or a comment.

    Most lines begin as others do, and then only a simple value is new.
    """
    before, sign, rest = text.partition(": ")
    if not sign:
        before, sign, rest = text.partition("- ")
    opening = _OPENINGS.get(before + sign)
    found = None if opening is None else _SIMPLE.fullmatch(rest)
    if opening is None or found is None:
        return _unlike(text)
    depth, inner, key, at = opening
    own, behind = len(before) + 2, found.start("value")
    stated = _scalar(found.groups(), own + behind, own, at)
    content, start, end = stated
    return depth, inner, key, stated if behind else content, start, end, not behind, False


def _unlike(text: str) -> _Line | None:
    """The same of a line that begins as no other one did, or whose value is not simple."""
    found = _LINE.fullmatch(text)
    if found is None or not text.isprintable():
        raise UnclearError
    dashes, key, tag, value, plain, items = found.groups()
    before = found.end("dashes")
    if key is None and not dashes:
        if tag or value:
            raise UnclearError
        return None
    if key in WORDS or (key is not None and len(key) > _LONG):
        raise UnclearError
    at = None if key is None else (before + 1, before + 1 + len(key))
    if not value:
        stated = _opened(found, tag, at)
    elif items is None:
        stated = _scalar((tag, value, plain), found.start("value"), found.start("tag"), at)
    else:
        stated = _listed(found, tag, at)
    content, start, end = stated
    is_scalar = tag is None and items is None
    indent = before - len(dashes)
    depth, inner = (2 * indent + 1, _begun(dashes, indent, key)) if dashes else (2 * indent, ())
    if at is not None or dashes == "- ":
        _OPENINGS[text[:before] if at is None else f"{text[: at[1] - 1]}: "] = depth, inner, key, at
    return depth, inner, key, content if is_scalar else stated, start, end, is_scalar, not value


def _begun(dashes: str, start: int, key: str | None) -> tuple[tuple[type, int, int], ...]:
    """What begins behind the dashes of a line, which are here."""
    inner: list[tuple[type, int, int]] = []
    if "-" in dashes[1:]:
        inner += [(list, at + 1, 2 * at + 1) for at, sign in enumerate(dashes[1:], start + 1) if sign == "-"]
    if key is not None:
        inner.append((dict, start + len(dashes) + 1, 2 * (start + len(dashes))))
    return tuple(inner)


def _opened(found: re.Match[str], tag: str | None, at: _At) -> _Value:
    """A key whose value is on the lines below."""
    if at is None:
        raise UnclearError
    return None if tag is None else (_form(tag), (None, found.start("tag") + 1, None)), *at


def _listed(found: re.Match[str], tag: str | None, at: _At) -> _Value:
    """A list in brackets. Whatever is no scalar stands at its key."""
    start, end = found.start("value") + 1, found.start("value") + 2
    own = (start if tag is None else found.start("tag") + 1, end)
    held = _items(found.string, *found.span("items"))
    return (held, *(at or own)) if tag is None else ((_form(tag), (held, *own)), *(at or own))


def _items(text: str, start: int, end: int) -> list[_Value]:
    items: list[_Value] = []
    more = bool(text[start:end].strip(" "))
    while more:
        found = _ITEM.match(text, start, end)
        if found is None:
            raise UnclearError
        tag, value, plain, _ = found.groups()
        items.append(_scalar((tag, value, plain), found.start("value"), found.start("tag"), None))
        start, more = found.end(), bool(found["more"])
    return items


def _scalar(said: tuple[str | Any, ...], start: int, before: int, at: _At) -> _Value:
    """A scalar, said by its tag, its text, and this again if it is plain; where it starts, and where the tag does."""
    tag, value, plain = said
    text = value[1:-1] if plain is None else plain.rstrip(" ")
    end = start + 1 + len(value if plain is None else text)
    if tag is None:
        return _resolved(text) if plain is not None and text[0] in FIRST else text, start + 1, end
    own, form = (before + 1, end), _form(tag)
    content: Any = [(part, *own) for part in text.split(".", 1)] if form == "Fn::GetAtt" else text
    return (form, (content, *own)), *(at or own)


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
