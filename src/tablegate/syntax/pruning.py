"""The resources of a template that need no parser: nobody asks about them, or each of their lines says what it is.

They are taken out by whole lines. It is done only where every line shows by itself that it opens nothing that a later
line would close, and where no anchor is. Whatever does not look like that is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from tablegate.syntax.blocks import UnclearError, ends_what_it_begins, read_block
from tablegate.syntax.node import Node
from tablegate.syntax.scalars import WORDS

SECTION = "Resources"

# What ends on its line. A plain scalar that begins with one of these characters is text up to " #" or ": ",
# quotes and brackets included; inside of brackets quotes count only where a scalar can begin.
_QUOTED = r"""(?:"(?:[^"\\\n]|\\[^\n])*+"|'(?:[^'\n]|'')*+')"""
_PLAIN = r"[A-Za-z0-9_./$](?:[^\n:#]|:(?=\S)|(?<=\S)#)*+"
_TAG = r"(?:![A-Za-z0-9:]++ ++)?+"
_WORD = r"[A-Za-z0-9_./$](?:[A-Za-z0-9_./$\-]|:(?=[A-Za-z0-9_./$\-:]))*+"

_SAFE = r"""[^\n#"'\[{|>&*]*+"""
_ODD_LINE = re.compile(rf"""\n({_SAFE}[#"'\[{{|>&*][^\n]*+)""")
_COMMENT = re.compile(rf"""(?:{_SAFE}(?<= ))?+#.*+""")
_RESOURCES = re.compile(rf"^{SECTION}: *+\n(?: *+(?:#[^\n]*+)?\n)*+( ++)(?=[A-Za-z0-9])", re.MULTILINE)
_ORDINARY = bytes(range(0x20, 0x7F)) + b"\n"
_NO_NAMES = {None, *WORDS}


class Piece(NamedTuple):
    """Lines of a text, and the number of the first."""

    line: int
    text: str


class Taken(NamedTuple):
    """What is left of a text, and the resources that were taken out of it.

    Where there are any, the first piece is what stands before their section, the second one opens it, and the last one
    is what follows it.
    """

    pieces: list[Piece]
    resources: dict[str, Node]

    @property
    def text(self) -> str:
        """What is left, where it was."""
        parts: list[str] = []
        line = 1
        for piece in self.pieces:
            if piece.line > line:
                parts += ["#", "\n" * (piece.line - line)]
            parts.append(piece.text)
            line = piece.line + piece.text.count("\n")
        return "".join(parts)


def taken(text: str, wanted: Callable[[str], bool]) -> Taken:
    """The resources that can be taken out. Of those whose type is not wanted nothing but the Type is read."""
    section = _RESOURCES.search(text)
    if section is not None and _is_ordinary(text):
        heads, stop = _heads(text, section)
        names = {head["name"] for head in heads}
        if len(names) == len(heads) and names.isdisjoint(_NO_NAMES):
            found = _taken(text, section, heads, stop, wanted)
            if found is not None:
                return found
    return Taken([Piece(1, text)], {})


def _heads(text: str, section: re.Match[str]) -> tuple[list[re.Match[str]], int]:
    """The first lines of each resource, and where the section ends."""
    heads: list[re.Match[str]] = []
    for head in _head(len(section[1])).finditer(text, section.start(1) - 1):
        if head.end() == head.start() + 1:
            return heads, head.end()
        heads.append(head)
    return heads, len(text)


def _taken(
    text: str, section: re.Match[str], heads: list[re.Match[str]], stop: int, wanted: Callable[[str], bool]
) -> Taken | None:
    line = text.count("\n", 0, section.start()) + 1
    left = [Piece(1, text[: section.start()]), Piece(line, text[section.start() : section.start(1)])]
    line += text.count("\n", section.start(), section.start(1))
    found: dict[str, Node] = {}
    unclosed: list[str] = []
    ends = [*(head.start() + 1 for head in heads[1:]), stop]
    for head, end in zip(heads, ends, strict=True):
        start, (name, _, type_) = head.start() + 1, head.groups()
        resource = None
        if type_ and wanted(type_):
            resource = _read(text, head, end, line)
        elif type_:
            resource = _unread(text, head, end, line, unclosed)
        if resource is not None:
            found[name] = resource
        else:
            left.append(Piece(line, text[start:end]))
        line += text.count("\n", start, end)
    left.append(Piece(line, text[stop:]))
    known = found and _closes_every_line("".join([*(piece.text for piece in left), *unclosed]))
    return Taken(left, found) if known else None


def _read(text: str, head: re.Match[str], stop: int, line: int) -> Node | None:
    """A resource that is wanted, where this can be read."""
    try:
        body = read_block(text[head.start("indent") : stop].split("\n"), line + 1, len(head["indent"]))
    except UnclearError:
        return None
    return _named(head, line, body)


def _unread(text: str, head: re.Match[str], stop: int, line: int, unclosed: list[str]) -> Node | None:
    """A resource with its Type alone, where nothing in it may be another Type or not belong to it.

    What is not known to end on its line is added to the other such lines.
    """
    _, indent, type_ = head.groups()
    if _simple(len(indent)).fullmatch(text, head.end(), stop) is None:
        if _stray(len(indent)).search(text, head.end(), stop):
            return None
        unclosed.append(text[head.end() : stop])
    column = head.start("type") - head.start("indent") + 1
    return _named(head, line, {"Type": Node(type_, line + 1, column, column + len(type_))})


def _named(head: re.Match[str], line: int, body: dict[str, Node]) -> Node:
    newline = head.start()
    return Node(body, line, head.start("name") - newline, head.end("name") - newline)


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
    return re.compile(rf"\n {{0,{indent}}}(?=[^ \n#])(?:(?<=\n {{{indent}}}){name}(?:{resource})?+)?+")


@cache
def _simple(indent: int) -> re.Pattern[str]:
    """Members of a resource and what is in them, as nearly all are: no type, and each line ends what it begins."""
    end, quoted = r"(?![^\n])", r"""(?:"[^"\\\n]*+"|'[^'\n]*+')"""
    plain = rf"{_SAFE}(?:(?<= )#[^\n]*+)?+{end}"
    text = rf" *+(?:- ++)*+(?:{_WORD}: ++)?+{_TAG}{quoted} *+{end}"
    member = rf" {{{indent}}}(?=[ A-SU-Za-z]|T(?!ype\b))(?:{plain}|{text})"
    return re.compile(rf"(?:\n(?:{member}| *+(?:#[^\n]*+)?+{end}))*+")


@cache
def _stray(indent: int) -> re.Pattern[str]:
    """A line that is not a member of the resource, or a type once more."""
    return re.compile(rf"\n(?: {{0,{indent - 1}}}[^ \n#]| {{{indent}}}(?:Type\b|[^ \nA-Za-z#]))")
