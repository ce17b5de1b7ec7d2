"""Where the parts of an object or a list stand that is spelled out in Terraform's language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tablegate.syntax.errors import ParseError
from tablegate.syntax.hcl_scan import BLANK, IDENTIFIER, closing, heredoc, text_end

Span = tuple[int, int]

_KEY = re.compile(rf'(?:({IDENTIFIER})|"([^"\\$%\n]*+)")[ \t]*[=:](?![=>])')
_CALLED = re.compile(rf"(?:{IDENTIFIER}[ \t]*\([ \t\r\n]*)+")
_COMPUTED = re.compile(r"[ \t]*[=:](?![=>])")
_DULL = re.compile(r"[^\"{}\[\]()\#/<,\n]++")
_COMMENT = re.compile(r"\#[^\n]*+|//[^\n]*+|/\*.*?\*/", re.DOTALL)


def inner(text: str, start: int, steps: Sequence[str | int]) -> Span | None:
    """Where a part starts and ends, by the keys and numbers that lead to it; None where it is not spelled out.

    The whole may be given to a function that leaves its parts as they are: ``jsonencode``, ``tomap``, ``toset``.
    """
    try:
        called = _CALLED.match(text, start) if steps else None
        position = start if called is None else called.end()
        for step in steps:
            found = next((at for key, at in _members(text, position) if key == step), None)
            if found is None:
                return None
            position = found
        return position, _value_end(text, position, ",\n}])")
    except ParseError:
        return None


def _members(text: str, opened: int) -> Iterator[tuple[str | int | None, int]]:
    """The keys of an object, or the numbers of a list, each with where its value starts."""
    sign = text[opened : opened + 1]
    position, number = _blank_end(text, opened + 1), 0
    while sign in ("{", "[") and position < len(text) and text[position] not in "}]":
        key: str | int | None = number
        if sign == "{":
            found = _KEY.match(text, position)
            if found is not None:
                key, position = found[1] if found[1] is not None else found[2], found.end()
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
    """Behind a key in round brackets, or one with templates in it; below zero where there is none."""
    if text.startswith("(", position):
        position = closing(text, position) + 1
    elif text.startswith('"', position):
        position = text_end(text, position)
    found = _COMPUTED.match(text, position)
    return -1 if found is None else found.end()


def _value_end(text: str, position: int, ends: str) -> int:
    """The end of the value that starts here, without the blanks behind it."""
    end = position
    while position < len(text) and text[position] not in ends:
        found = _DULL.match(text, position)
        if found is not None:
            position = found.end()
            end = position - (len(found[0]) - len(found[0].rstrip()))
            continue
        comment = _COMMENT.match(text, position)
        if comment is not None:
            position = comment.end()
            continue
        position = end = _past(text, position)
    return end


def _past(text: str, position: int) -> int:
    sign = text[position]
    if sign in "{[(":
        return closing(text, position) + 1
    if sign == '"':
        return text_end(text, position)
    found = heredoc(text, position) if sign == "<" else None
    return position + 1 if found is None else found[3]


def _blank_end(text: str, position: int) -> int:
    found = BLANK.match(text, position)
    return position if found is None else found.end()
