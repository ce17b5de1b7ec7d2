"""The resources of a template that need no parser: nobody asks about them, or each of their lines says what it is.

They are taken out by whole lines, and the line feeds stay: what is left keeps its place. It is done only where every
line shows by itself that it opens nothing that a later line would close, and where no anchor is. Whatever does not look
like that is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from tablegate.syntax.blocks import UnclearError, ends_what_it_begins, read_block
from tablegate.syntax.node import Node
from tablegate.syntax.scalars import WORDS

# What ends on its line. A plain scalar that begins with one of these characters is text up to " #" or ": ",
# quotes and brackets included; inside of brackets quotes count only where a scalar can begin.
_QUOTED = r"""(?:"(?:[^"\\\n]|\\[^\n])*+"|'(?:[^'\n]|'')*+')"""
_PLAIN = r"[A-Za-z0-9_./$](?:[^\n:#]|:(?=\S)|(?<=\S)#)*+"
_TAG = r"(?:![A-Za-z0-9:]++ ++)?+"
_WORD = r"[A-Za-z0-9_./$](?:[A-Za-z0-9_./$\-]|:(?=[A-Za-z0-9_./$\-:]))*+"

_ODD_LINE = re.compile(r"""\n([^\n#"'\[{|>&*]*+[#"'\[{|>&*][^\n]*+)""")
_COMMENT = re.compile(r"""(?:[^#"'\[{|>&*]*+(?<= ))?+#.*+""")
_RESOURCES = re.compile(r"^Resources: *+\n(?: *+(?:#[^\n]*+)?\n)*+( ++)(?=[A-Za-z0-9])", re.MULTILINE)
_ORDINARY = bytes(range(0x20, 0x7F)) + b"\n"
_NO_NAMES = {None, *WORDS}
_TOP = re.compile(r"\n(?=[^\s#])")


class Taken(NamedTuple):
    """What is left of a text, and the resources that were taken out of it."""

    text: str
    resources: dict[str, Node]


def taken(text: str, wanted: Callable[[str], bool]) -> Taken:
    """The resources that can be taken out. Of those whose type is not wanted nothing but the Type is read."""
    section = _RESOURCES.search(text)
    if section is None or not _is_ordinary(text):
        return Taken(text, {})
    start, end = section.start(1), _TOP.search(text, section.start(1))
    stop = end.start() + 1 if end else len(text)
    heads = list(_head(len(section[1])).finditer(text, start - 1, stop))
    names = {head["name"] for head in heads}
    if len(names) < len(heads) or not names.isdisjoint(_NO_NAMES):
        return Taken(text, {})
    return _taken(text, zip(heads, pairwise([*(head.start() + 1 for head in heads), stop]), strict=True), wanted)


def _taken(
    text: str, resources: Iterable[tuple[re.Match[str], tuple[int, int]]], wanted: Callable[[str], bool]
) -> Taken:
    found: dict[str, Node] = {}
    left: list[str] = []
    unread: list[str] = []  # what is not known line by line
    kept = known = counted = 0
    number = 1
    for head, (start, stop) in resources:
        number, counted = number + text.count("\n", counted, start), start
        if not head["type"]:
            continue
        read = _read if wanted(head["type"]) else _unread
        resource = read(text, head, stop, number)
        if resource is None:
            continue
        found[head["name"]] = resource
        left += [text[kept:start], "#", "\n" * text.count("\n", start, stop)]
        kept = stop
        if read is _read:
            unread.append(text[known:start])
            known = stop
    if not found or not _closes_every_line("".join([*unread, text[known:]])):
        return Taken(text, {})
    return Taken("".join([*left, text[kept:]]), found)


def _read(text: str, head: re.Match[str], stop: int, number: int) -> Node | None:
    """A resource that is wanted, where this can be read."""
    lines = text[head.start("indent") : stop].split("\n")
    try:
        return _named(head, number, read_block(lines, number + 1, len(head["indent"])))
    except UnclearError:
        return None


def _unread(text: str, head: re.Match[str], stop: int, number: int) -> Node | None:
    """A resource with its Type alone, where nothing in it may be another Type or not belong to it."""
    if _stray(len(head["indent"])).search(text, head.end(), stop):
        return None
    newline = head.start("indent") - 1
    type_ = Node(head["type"], number + 1, head.start("type") - newline, head.end("type") - newline)
    return _named(head, number, {"Type": type_})


def _named(head: re.Match[str], number: int, body: dict[str, Node]) -> Node:
    newline = head.start()
    return Node(body, number, head.start("name") - newline, head.end("name") - newline)


def _is_ordinary(text: str) -> bool:
    """Whether there are no tabs, no line ends but line feeds, and nothing that YAML does not allow."""
    return text.encode().translate(None, _ORDINARY).decode().isprintable()


def _closes_every_line(text: str) -> bool:
    """Whether no quote, bracket or anchor reaches beyond its line."""
    return all(
        ends_what_it_begins(line) or _COMMENT.fullmatch(line) or _closing().fullmatch(line)
        for line in set(_ODD_LINE.findall("\n" + text))
    )


@cache
def _closing() -> re.Pattern[str]:
    """A line that ends all that it begins. Few templates need it, and it takes its time to compile."""
    flow = _flow("|" + _flow(""))  # deeper nesting is rare
    key = rf"(?:{_WORD}|{_QUOTED}):(?![^ \n]) *+"
    node = rf"{_TAG}(?:{_QUOTED}|{flow}|[|>][-+0-9]{{0,2}}|{_PLAIN})"
    return re.compile(rf" *+(?:- ++)*+(?:{key})?+(?:{node})?+ *+(?:(?<= )#[^\n]*+)?")


def _flow(inner: str) -> str:
    item = rf"{_TAG}(?:{_QUOTED}|{_WORD}{inner})"
    pair = rf"(?:{_QUOTED}|{_WORD}): ++{item}"
    return rf"(?:\[ *+(?:{item} *+(?:, *+{item} *+)*+)?+\]|\{{ *+(?:{pair} *+(?:, *+{pair} *+)*+)?+\}})"


@cache
def _head(indent: int) -> re.Pattern[str]:
    """A line at the depth of the resources' names or less deep; with its type, where this is all of the next line."""
    name = r"(?P<name>[A-Za-z0-9]++(?:::[A-Za-z0-9]++)*+):(?=[ \n])"
    type_ = r"(?P<type>[A-Za-z][A-Za-z0-9]*+(?:::[A-Za-z0-9@_-]++)*+) *+(?=\n)"
    resource = rf" *+\n(?P<indent> {{{indent + 1},}}+)Type: ++{type_}(?!\n(?: *+\n)*+(?P=indent) )"
    return re.compile(rf"\n {{1,{indent}}}(?=[^ \n#])(?:(?<=\n {{{indent}}}){name}(?:{resource})?+)?+")


@cache
def _stray(indent: int) -> re.Pattern[str]:
    """A line that is not a member of the resource, or a type once more."""
    return re.compile(rf"\n(?: {{0,{indent - 1}}}[^ \n#]| {{{indent}}}(?:Type\b|[^ \nA-Za-z#]))")
