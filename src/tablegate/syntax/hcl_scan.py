"""Where the pieces of Terraform's language end: brackets, strings with templates in them, heredocs, comments."""

from __future__ import annotations

import re
from typing import NoReturn

from tablegate.syntax.errors import ParseError

DEPTH = 100  # brackets and templates in one another; people write five
IDENTIFIER = r"[^\W\d][\w-]*"
BLANK = re.compile(r"(?:[ \t\r\n]++|\#[^\n]*+|//[^\n]*+|/\*.*?\*/)*+", re.DOTALL)  # newlines and comments too
SPACE = re.compile(r"(?:[ \t\r]++|/\*[^\n]*?\*/)*+")  # within a line

_DULL = re.compile(
    r"""(?:
        [^"{}\[\]()\#/<]++                                  # nothing that opens or closes
      | "(?:[^"\\$%\n]++|\\.|[$%](?!\{))*+"                 # a text without templates
      | \#[^\n]*+ | //[^\n]*+ | /\*.*?\*/ | /(?![*/]) | <(?!<)
    )*+""",
    re.VERBOSE | re.DOTALL,
)
_DULL_LINE = re.compile(
    r"""(?:
        [^"{}\[\]()\#/<\n]++
      | "(?:[^"\\$%\n]++|\\.|[$%](?!\{))*+"
      | /\*[^\n]*?\*/ | /(?![*/]) | <(?!<)
    )*+""",
    re.VERBOSE,
)
_IN_TEXT = re.compile(r'(?:[^"\\$%\n]++|\\.|\$\$\{|%%\{|[$%](?!\{))*+')
_HEREDOC = re.compile(r"<<(-?)(" + IDENTIFIER.replace("-]", ".-]") + r")[ \t]*\r?\n")
_CLOSERS = {"{": "}", "[": "]", "(": ")"}


def place(text: str, position: int) -> tuple[int, int]:
    """Line and column of a position, both from one on."""
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)


def refuse(message: str, text: str, position: int, hint: str | None = None) -> NoReturn:
    """Say what is wrong there."""
    line, column = place(text, position)
    raise ParseError(message, line=line, column=column, hint=hint)


def closing(text: str, opened: int, depth: int = 0) -> int:
    """The position of the bracket that closes the one at ``opened``."""
    expected = [_CLOSERS[text[opened]]]
    position = opened + 1
    while True:
        position = _dull_end(text, position)
        sign = text[position] if position < len(text) else ""
        if sign in ("{", "[", "("):
            expected.append(_CLOSERS[sign])
            if depth + len(expected) > DEPTH:
                refuse(f"nested more than {DEPTH} levels deep", text, position)
            position += 1
        elif sign in ("}", "]", ")"):
            if expected.pop() != sign:
                refuse(f'"{sign}" closes nothing', text, position)
            if not expected:
                return position
            position += 1
        else:
            position = _past(text, position, sign, opened, depth + len(expected))


def line_end(text: str, position: int) -> int:
    """The end of the expression that starts here: the end of its line, a comment, or a bracket that is not its own."""
    while True:
        found = _DULL_LINE.match(text, position)
        position = position if found is None else found.end()
        sign = text[position] if position < len(text) else ""
        if sign in ("", "\n", "#", "}", "]", ")"):
            return position
        if sign in _CLOSERS:
            position = closing(text, position) + 1
        elif sign == "/":
            return position
        else:
            position = _past(text, position, sign, position, 0)


def heredoc(text: str, position: int) -> tuple[bool, int, int, int] | None:
    """Of a heredoc: whether it is to be shifted left, where its text starts and ends, and where it is over."""
    opened = _HEREDOC.match(text, position)
    if opened is None:
        return None
    last = re.compile(rf"^[ \t]*{re.escape(opened[2])}[ \t]*\r?$", re.MULTILINE).search(text, opened.end())
    if last is None:
        refuse(f"the heredoc {opened[2]} has no end", text, position)
    over = last.end() - (text[last.end() - 1] == "\r")
    return bool(opened[1]), opened.end(), last.start(), over


def text_end(text: str, position: int, depth: int = 0) -> int:
    """The position behind the quote that closes the text which opens here."""
    opened = position
    position += 1
    while True:
        found = _IN_TEXT.match(text, position)
        position = position if found is None else found.end()
        sign = text[position] if position < len(text) else ""
        if sign == '"':
            return position + 1
        if sign not in ("$", "%"):
            refuse("the text has no closing quote", text, opened)
        if depth + 1 > DEPTH:
            refuse(f"nested more than {DEPTH} levels deep", text, position)
        position = closing(text, position + 1, depth + 1) + 1


def _dull_end(text: str, position: int) -> int:
    found = _DULL.match(text, position)
    return position if found is None else found.end()


def _past(text: str, position: int, sign: str, opened: int, depth: int) -> int:
    """Behind what opens here and is no bracket."""
    if sign == '"':
        return text_end(text, position, depth)
    if sign == "<":
        found = heredoc(text, position)
        return position + 2 if found is None else found[3]
    if sign == "/":
        refuse("the comment has no end", text, position)
    refuse(f'"{text[opened]}" is never closed', text, opened)
