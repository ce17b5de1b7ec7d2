"""Where the parts of Terraform's language end: brackets, texts with templates, heredocs, comments. Escapes, too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NoReturn

from tablegate.syntax.node import ParseError

DEPTH = 100  # of nested brackets and templates
# Terraform takes no other characters outside ASCII, so all of them, but for white space, are letters of names.
IDENTIFIER = r"[^\x00-@\[-^`{-\x7f\s][^\x00-,./:-@\[-^`{-\x7f\s]*+"
BLANK = re.compile(r"(?:[ \t\r\n]++|\#[^\n]*+|//[^\n]*+|/\*.*?\*/)*+", re.DOTALL)  # newlines and comments too
SPACE = re.compile(r"(?:[ \t\r]++|/\*.*?\*/)*+", re.DOTALL)  # without newlines but those in a comment

_NEUTRAL = re.compile(
    r"""(?:
        [^"{}\[\]()\#/<]++                                  # neither opens nor closes
      | "(?:[^"\\$%\n]++|\\.|[$%](?!\{))*+"                 # a text without templates
      | \#[^\n]*+ | //[^\n]*+ | /\*.*?\*/ | /(?![*/]) | <(?!<)
    )*+""",
    re.VERBOSE | re.DOTALL,
)
_IN_TEXT = re.compile(r'(?:[^"\\$%\n]++|\\.|\$\$\{|%%\{|[$%](?!\{))*+')
_HEREDOC = re.compile(rf"<<(-?)({IDENTIFIER})\r?\n")
# What Go takes for white space.
WHITE = "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
_WHITE = f"[{WHITE.replace(chr(10), '')}]*+"
_IN_HEREDOC = re.compile(r"(?:[^$%\n]++|\$\$\{|%%\{|[$%](?!\{))*+")
_CLOSERS = {"{": "}", "[": "]", "(": ")"}


def place(text: str, position: int) -> tuple[int, int]:
    """Line and column of a position, both 1-based."""
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)


def refuse(message: str, text: str, position: int, hint: str | None = None) -> NoReturn:
    """Raise the error at this position."""
    line, column = place(text, position)
    raise ParseError(message, line=line, column=column, hint=hint)


def closing(text: str, opened: int, depth: int = 0) -> int:
    """The position of the bracket that closes the one at ``opened``."""
    expected = [_CLOSERS[text[opened]]]
    position = opened + 1
    while True:
        position = _neutral_end(text, position)
        sign = text[position] if position < len(text) else ""
        if sign in ("{", "[", "("):
            expected.append(_CLOSERS[sign])
            if depth + len(expected) > DEPTH:
                refuse(f"nested more than {DEPTH} levels deep", text, position)
            position += 1
        elif sign in ("}", "]", ")"):
            if expected.pop() != sign:
                refuse(f'unmatched "{sign}"', text, position)
            if not expected:
                return position
            position += 1
        else:
            position = _past_opening(text, position, sign, opened, depth + len(expected))


def heredoc(text: str, position: int, depth: int = 0) -> tuple[bool, int, int, int] | None:
    """A heredoc that starts here: whether it is shifted left, the start and end of its text, and its own end.

    It ends with its word alone on a line, between any white space. Inside of a template the word ends nothing.
    """
    opened = _HEREDOC.match(text, position)
    if opened is None:
        return None
    word = re.compile(rf"^{_WHITE}{re.escape(opened[2])}{_WHITE}$", re.MULTILINE)
    last = word.search(text, opened.end())
    if last is not None and ("${" in (body := text[opened.end() : last.start()]) or "%{" in body):
        last = _past_templates(text, opened.end(), word, depth)
    if last is None:
        refuse(f"unterminated heredoc {opened[2]}", text, position)
    over = last.end() - (text[last.end() - 1] == "\r")
    return bool(opened[1]), opened.end(), last.start(), over


def _past_templates(text: str, position: int, word: re.Pattern[str], depth: int) -> re.Match[str] | None:
    """The line that ends a heredoc whose text starts here."""
    last = word.match(text, position)
    while last is None:
        part = _IN_HEREDOC.match(text, position)
        position = position if part is None else part.end()
        if position >= len(text):
            return None
        if text[position] == "\n":
            position += 1
            last = word.match(text, position)
        else:
            if depth + 1 > DEPTH:
                refuse(f"nested more than {DEPTH} levels deep", text, position)
            position = closing(text, position + 1, depth + 1) + 1
    return last


def text_end(text: str, position: int, depth: int = 0) -> int:
    """The position after the text that starts here."""
    opened = position
    position += 1
    while True:
        match = _IN_TEXT.match(text, position)
        position = position if match is None else match.end()
        sign = text[position] if position < len(text) else ""
        if sign == '"':
            return position + 1
        if sign not in ("$", "%"):
            refuse("unterminated text", text, opened)
        if depth + 1 > DEPTH:
            refuse(f"nested more than {DEPTH} levels deep", text, position)
        position = closing(text, position + 1, depth + 1) + 1


def _neutral_end(text: str, position: int) -> int:
    match = _NEUTRAL.match(text, position)
    return position if match is None else match.end()


def _past_opening(text: str, position: int, sign: str, opened: int, depth: int) -> int:
    """The position after a text, a heredoc or a comment that starts here."""
    if sign == '"':
        return text_end(text, position, depth)
    if sign == "<":
        span = heredoc(text, position, depth)
        return position + 2 if span is None else span[3]
    if sign == "/":
        refuse("unterminated comment", text, position)
    refuse(f'"{text[opened]}" is never closed', text, opened)


Span = tuple[int, int]

_KEY = re.compile(rf'(?:({IDENTIFIER})|"([^"\\$%\n]*+)")[ \t]*[=:](?![=>:])')
_CALLED = re.compile(rf"(?:{IDENTIFIER}[ \t]*\([ \t\r\n]*)+")
_COMPUTED = re.compile(r"[ \t]*[=:](?![=>:])")
_VALUE_TEXT = re.compile(r"[^\"{}\[\]()\#/<,\n]++")
_COMMENT = re.compile(r"\#[^\n]*+|//[^\n]*+|/\*.*?\*/", re.DOTALL)


def part_span(text: str, start: int, steps: Sequence[str | int]) -> Span | None:
    """The range of a part, by the keys and indexes that lead to it; None if it is not written out.

    The whole may be the argument of a function that keeps its parts: ``jsonencode``, ``tomap``, ``toset``.
    """
    try:
        called = _CALLED.match(text, start) if steps else None
        position = start if called is None else called.end()
        for step in steps:
            value_start = next((at for key, at in _members(text, position) if key == step), None)
            if value_start is None:
                return None
            position = value_start
        return position, _value_end(text, position, ",\n}])")
    except ParseError:
        return None


def _members(text: str, opened: int) -> Iterator[tuple[str | int | None, int]]:
    """The keys of an object or the indexes of a list, each with the start of its value."""
    sign = text[opened : opened + 1]
    position, number = _blank_end(text, opened + 1), 0
    while sign in ("{", "[") and position < len(text) and text[position] not in "}]":
        key: str | int | None = number
        if sign == "{":
            match = _KEY.match(text, position)
            if match is not None:
                key, position = match[1] if match[1] is not None else match[2], match.end()
            else:
                key, position = None, _computed(text, position)
            if position < 0:
                return
        position = _blank_end(text, position)
        yield key, position
        end = _value_end(text, position, ",\n}" if sign == "{" else ",]")
        position = _blank_end(text, end)
        if text.startswith(",", position):
            position = _blank_end(text, position + 1)
        elif position == end and text[position : position + 1] not in ("}", "]"):
            return
        number += 1


def _computed(text: str, position: int) -> int:
    """The position after a key in parentheses or with templates; negative if there is none."""
    if text.startswith("(", position):
        position = closing(text, position) + 1
    elif text.startswith('"', position):
        position = text_end(text, position)
    match = _COMPUTED.match(text, position)
    return -1 if match is None else match.end()


def _value_end(text: str, position: int, ends: str) -> int:
    """The end of the value that starts here, without trailing blanks."""
    end = position
    while position < len(text) and text[position] not in ends:
        match = _VALUE_TEXT.match(text, position)
        if match is not None:
            position = match.end()
            end = position - (len(match[0]) - len(match[0].rstrip()))
            continue
        comment = _COMMENT.match(text, position)
        if comment is not None:
            position = comment.end()
            continue
        position = end = _value_part_end(text, position)
    return end


def _value_part_end(text: str, position: int) -> int:
    sign = text[position]
    if sign in "{[(":
        return closing(text, position) + 1
    if sign == '"':
        return text_end(text, position)
    span = heredoc(text, position) if sign == "<" else None
    return position + 1 if span is None else span[3]


def _blank_end(text: str, position: int) -> int:
    match = BLANK.match(text, position)
    return position if match is None else match.end()


_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))|\$\$\{|%%\{", re.DOTALL)
_SIMPLE = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
_LAST = 0x10FFFF


def unescaped(text: str) -> str:
    """A text between quotes without its escapes."""
    return _ESCAPE.sub(_unescaped_one, text) if "\\" in text or "{" in text else text


def margin_of(text: str) -> int:
    """The width of the indentation that all lines share."""
    lines = (line for line in text.split("\n") if line.strip())
    return min((len(line) - len(line.lstrip(" \t")) for line in lines), default=0)


def _unescaped_one(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    if code:
        number = int(code, 16)
        return chr(number) if number <= _LAST else "\ufffd"
    if match[3] is not None:
        return _SIMPLE.get(match[3], match[0])
    return match[0][1:]
