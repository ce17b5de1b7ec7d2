"""The resources of a template that need no parser: nobody asks about them, or each of their lines says what it is.

They are taken out by whole lines. It is done only where every line shows by itself that it opens nothing that a later
line would close, and where no anchor is. Whatever does not look like that is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache

from tablegate.model.record import record
from tablegate.syntax.blocks import UnclearError, ends_what_it_begins, read_block
from tablegate.syntax.node import Node
from tablegate.syntax.scalars import WORDS

SECTION = "Resources"

# What ends on its line. A plain scalar that begins with one of these characters is text up to " #" or ": ",
# quotes and brackets included; inside of brackets quotes count only where a scalar can begin.
_QUOTED = r"""(?:"(?:[^"\\\n]|\\[^\n])*+"|'(?:[^'\n]|'')*+')"""
_PLAIN = r"[A-Za-z0-9_./$](?:[^\n:#]++|:(?=\S)|(?<=\S)#)*+"
_TAG = r"(?:![A-Za-z0-9:]++ ++)?+"
_WORD = r"[A-Za-z0-9_./$](?:[A-Za-z0-9_./$\-]++|:(?=[A-Za-z0-9_./$\-:]))*+"

_SAFE = r"""[^\n#"'\[{|>&*]*+"""
_ODD_LINE = re.compile(rf"""\n({_SAFE}[#"'\[{{|>&*][^\n]*+)""")
_COMMENT = re.compile(rf"""(?:{_SAFE}(?<= ))?+#.*+""")
_RESOURCES = re.compile(rf"^{SECTION}: *+\n(?: *+(?:#[^\n]*+)?\n)*+( ++)(?=[A-Za-z0-9])", re.MULTILINE)
_ORDINARY = bytes(range(0x20, 0x7F)) + b"\n"
_NO_NAMES = {None, *WORDS}


@record(kw_only=False)
class Piece:
    """Lines of a text, and the number of the first."""

    line: int
    text: str


@record(kw_only=False)
class Taken:
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
    found = None if section is None else _taken(text, section, wanted)
    return found or Taken([Piece(1, text)], {})


def _taken(text: str, section: re.Match[str], wanted: Callable[[str], bool]) -> Taken | None:
    left = _before(text, section)
    found: dict[str, Node] = {}
    names: list[str | None] = []
    doubtful: list[str] = []  # it has still to be found out whether these lines end what they begin
    line, stop, column = left[-1].line + left[-1].text.count("\n"), section.start(1), len(section[1]) + 1
    search = _head(len(section[1])).search
    head = search(text, stop - 1)
    while head is not None and head.end() > head.start() + 1:  # what is at the margin is the next section
        start, (name, indent, type_) = stop, head.groups()
        is_read = type_ is not None and wanted(type_)
        known = head.end() if type_ is None or is_read else _past_plain(text, head.end(), indent)
        following = search(text, known)
        stop = len(text) if following is None else following.start() + 1
        lines = text[start:stop].split("\n") if is_read else []
        body: dict[str, Node] | None = None
        if is_read:
            body = _read(lines[1:], line + 1, indent)
        elif type_ is not None and (known >= stop - 1 or not _stray(len(indent)).search(text, known, stop)):
            doubtful.append(text[known:stop])
            body = _type_of(head, line + 1)
        if body is None:
            left.append(Piece(line, text[start:stop]))
        else:
            found[name] = Node(body, line, column, column + len(name))
        names.append(name)
        line += len(lines) - 1 if is_read else text.count("\n", start, stop)
        head = following
    left.append(Piece(line, text[stop:]))
    rest = "".join([*(piece.text for piece in left), *doubtful])
    is_certain = _are_names(names) and _is_ordinary(rest) and _closes_every_line(rest)
    return Taken(left, found) if found and is_certain else None


def _before(text: str, section: re.Match[str]) -> list[Piece]:
    """What stands before the resources, and what opens them."""
    before, opening = text[: section.start()], text[section.start() : section.start(1)]
    return [Piece(1, before), Piece(1 + before.count("\n"), opening)]


def _are_names(names: list[str | None]) -> bool:
    """Whether all have one, each another one."""
    return len({*names}) == len(names) and _NO_NAMES.isdisjoint(names)


def _read(lines: Iterable[str], line: int, indent: str) -> dict[str, Node] | None:
    """The members of a resource that is wanted, where they can be read."""
    try:
        return read_block(lines, line, len(indent))
    except UnclearError:
        return None


def _past_plain(text: str, start: int, indent: str) -> int:
    """Where those lines of a resource end of which nothing has to be known."""
    plain = _plain(len(indent)).match(text, start)
    return start if plain is None else plain.end()


def _type_of(head: re.Match[str], line: int) -> dict[str, Node]:
    """What is read of a resource that is not wanted."""
    (start, end), before = head.span("type"), head.start("indent") - 1
    return {"Type": Node(head["type"], line, start - before, end - before)}


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
    return re.compile(rf"\n {{0,{indent}}}+(?=[^ \n#])(?:(?<=\n {{{indent}}}){name}(?:{resource})?+)?+")


@cache
def _plain(indent: int) -> re.Pattern[str]:
    """Members of a resource as nearly all are: ordinary, no type, and each line ends what it begins."""
    end, quoted = r"(?![^\n])", r"""(?:"[ !#-\[\]-~]*+"|'[ -&(-~]*+')"""
    characters = r"[ !$%()+-=?-Z\\-z}~]*+"
    safe = rf"{characters}(?:(?<= )#[ -~]*+)?+{end}"
    text = rf" *+(?:- ++)*+(?:{_WORD}: ++)?+{_TAG}{quoted} *+{end}"
    most = rf" {{{indent}}}[ A-SU-Za-z]{characters}(?=\n)"  # in few steps
    member = rf" {{{indent}}}(?=[ A-SU-Za-z]|T(?!ype\b))(?:{safe}|{text})"
    return re.compile(rf"(?:\n(?:{most}|{member}| *+(?:#[ -~]*+)?+{end}))*+")


@cache
def _stray(indent: int) -> re.Pattern[str]:
    """A line that is not a member of the resource, or a type once more."""
    return re.compile(rf"\n(?: {{0,{indent - 1}}}[^ \n#]| {{{indent}}}(?:Type\b|[^ \nA-Za-z#]))")
