"""A template without the resources that nobody asks about, so that libyaml need not read them.

Taken away are whole lines, and their line feeds stay: what is left keeps its place. It is done only where every line
shows by itself that it opens nothing that a later line would close, and where no anchor is. Whatever does not look like
that is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise

# What ends on its line. A plain scalar that begins with one of these characters is text up to " #" or ": ",
# quotes and brackets included; inside of brackets quotes count only where a scalar can begin.
_QUOTED = r"""(?:"(?:[^"\\\n]|\\[^\n])*+"|'(?:[^'\n]|'')*+')"""
_PLAIN = r"[A-Za-z0-9_./$](?:[^\n:#]|:(?=\S)|(?<=\S)#)*+"
_TAG = r"(?:![A-Za-z0-9:]++ ++)?+"
_WORD = r"[A-Za-z0-9_./$](?:[A-Za-z0-9_./$\-]|:(?=[A-Za-z0-9_./$\-]))*+"


def _flow(inner: str) -> str:
    item = rf"{_TAG}(?:{_QUOTED}|{_WORD}{inner})"
    pair = rf"(?:{_QUOTED}|{_WORD}): ++{item}"
    return rf"(?:\[ *+(?:{item} *+(?:, *+{item} *+)*+)?+\]|\{{ *+(?:{pair} *+(?:, *+{pair} *+)*+)?+\}})"


_FLOW = _flow("|" + _flow(""))  # deeper nesting is rare, and each level doubles what start-up pays for the pattern
_KEY = rf"(?:{_WORD}|{_QUOTED}):(?![^ \n]) *+"
_NODE = rf"{_TAG}(?:{_QUOTED}|{_FLOW}|[|>][-+0-9]{{0,2}}|{_PLAIN})"
_LINE = re.compile(rf" *+(?:- ++)*+(?:{_KEY})?+(?:{_NODE})?+ *+(?:(?<= )#[^\n]*+)?")
_FROM_ODD = re.compile(r"""[#"'\[{|>&*][^\n]*+""")
_RESOURCES = re.compile(r"^Resources: *+\n(?: *+(?:#[^\n]*+)?\n)*+( ++)(?=[A-Za-z0-9])", re.MULTILINE)
_ORDINARY = bytes(range(0x20, 0x7F)) + b"\n"
_NOT_ORDINARY = re.compile("[^\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_TOP = re.compile(r"\n(?=[^\s#])")


def pruned(text: str, wanted: Callable[[str], bool]) -> str:
    """The text with nothing but the Type of each resource whose type is not wanted."""
    found = _RESOURCES.search(text)
    if found is None or not _is_ordinary(text) or not _closes_every_line(text):
        return text
    start, indent = found.start(1), len(found[1])
    end = _TOP.search(text, start)
    stop = end.start() + 1 if end else len(text)
    outer = [line.span() for line in _outer(indent).finditer(text, start - 1, stop)]
    if any(end - start != indent + 1 for start, end in outer):
        return text
    heads = [start + 1 for start, _ in outer]
    pieces: list[str] = []
    kept = 0
    for head, following in pairwise([*heads, stop]):
        body = _unwanted_body(text, head, following, indent, wanted)
        if body:
            pieces += [text[kept:body], "\n" * text.count("\n", body, following)]
            kept = following
    return "".join([*pieces, text[kept:]])


def _is_ordinary(text: str) -> bool:
    """Whether there are no tabs, no line ends but line feeds, and nothing that YAML does not allow."""
    return not _NOT_ORDINARY.search(text.encode().translate(None, _ORDINARY).decode())


def _closes_every_line(text: str) -> bool:
    """Whether no quote, bracket or anchor reaches beyond its line."""
    for odd in _FROM_ODD.finditer(text):
        start = text.rfind("\n", 0, odd.start()) + 1
        if not _LINE.fullmatch(text, start, odd.end()) and not _is_comment(text, odd.start()):
            return False
    return True


def _is_comment(text: str, at: int) -> bool:
    return text[at] == "#" and (at == 0 or text[at - 1] in " \n")


def _unwanted_body(text: str, head: int, following: int, indent: int, wanted: Callable[[str], bool]) -> int:
    """Where the lines begin that can be taken away from a resource; 0 when none can."""
    found = _head(indent).match(text, head, following)
    if found is None or wanted(found[2]):
        return 0
    return 0 if _stray(len(found[1])).search(text, found.end() - 1, following) else found.end()


@cache
def _outer(indent: int) -> re.Pattern[str]:
    """A line at the depth of the resources' names, or less deep."""
    return re.compile(rf"\n {{1,{indent}}}(?=[^ \n#])")


@cache
def _head(indent: int) -> re.Pattern[str]:
    """A resource whose first line is its type, and that type on one line."""
    name, type_ = rf" {{{indent}}}[A-Za-z0-9]++: *+\n", rf"( {{{indent + 1},}}+)Type: ++([A-Za-z0-9:]++) *+\n"
    return re.compile(rf"{name}{type_}(?!(?: *+\n)*+\1 )")


@cache
def _stray(indent: int) -> re.Pattern[str]:
    """A line that is not a member of the resource, or a type once more."""
    return re.compile(rf"\n(?: {{0,{indent - 1}}}[^ \n#]| {{{indent}}}(?:Type\b|[^ \nA-Za-z#]))")
