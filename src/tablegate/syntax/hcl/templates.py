"""Templates: texts with parts that are inserted, and the white space that their marks and margins take away."""

from __future__ import annotations

import unicodedata
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from tablegate.syntax.hcl.nodes import Expression, Literal, Opaque, Template
from tablegate.syntax.hcl.scanner import WHITE

_EXTENDING = ("Mn", "Mc", "Me", "Cf", "Sk")  # what may form one character with the white space before it


class Inserted(NamedTuple):
    """``${value}``, or a directive, with ``~`` towards the text that loses its white space."""

    value: Expression
    trims_before: bool
    trims_after: bool
    is_directive: bool = False


Part: TypeAlias = str | Inserted  # texts are lines in a heredoc and in JSON, where ``~`` goes no further


def joined(parts: list[Part], *, shifted: bool = False) -> Expression:
    """The parts as one expression. A single value in quotes is that value, of any type."""
    if any(isinstance(part, Inserted) and part.is_directive for part in parts):
        return Opaque("a template with directives")
    if any(_is_unusual(before, part) for before, part in pairwise(parts)):
        return Opaque("a template with unusual white space")
    parts = _trimmed(parts)
    if shifted:
        margin = _margin(parts)
        if margin is None:
            return Opaque("a heredoc with an unusual margin")
        parts = _without(parts, margin)
    pieces = _melded(parts)
    if len(parts) == len(pieces) == 1:
        return pieces[0]
    if all(isinstance(piece, Literal) and isinstance(piece.content, str) for piece in pieces):
        return Literal("".join(str(piece.content) for piece in pieces if isinstance(piece, Literal)))
    return Template(tuple(pieces))


def _melded(parts: list[Part]) -> list[Expression]:
    """The parts as expressions, with the texts that follow each other as one."""
    made: list[Expression] = []
    texts: list[str] = []
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
            continue
        if texts:
            made.append(Literal("".join(texts)))
            texts = []
        made.append(part.value)
    if texts:
        made.append(Literal("".join(texts)))
    return made


def _is_unusual(before: Part, part: Part) -> bool:
    """Whether ``~`` follows white space of which HashiCorp's scanner counts a part to the sign before it."""
    if isinstance(before, Inserted) or isinstance(part, str) or not part.trims_before:
        return False
    text = before.rstrip(WHITE)
    return text.endswith(("$", "%")) and "\r" in before[len(text) :]


def _trimmed(parts: list[Part]) -> list[Part]:
    """The parts without the white space that ``~`` takes from the texts beside it."""
    made = list(parts)
    for at, part in enumerate(parts):
        if isinstance(part, str):
            continue
        if part.trims_before and at and isinstance(before := made[at - 1], str):
            made[at - 1] = before.rstrip(WHITE)
        if part.trims_after and at + 1 < len(parts) and isinstance(behind := made[at + 1], str):
            made[at + 1] = behind.lstrip(WHITE)
    return made


def _starts(parts: list[Part]) -> list[int]:
    """The numbers of the parts that begin a line."""
    starts, begins = [], True
    for at, part in enumerate(parts):
        if begins:
            starts.append(at)
        begins = isinstance(part, str) and part.endswith("\n")
    return starts


def _margin(parts: list[Part]) -> int | None:
    """The width of the indentation that all lines with text share. None if it is hard to tell."""
    widths = []
    for at in _starts(parts):
        part = parts[at]
        text = part.lstrip(WHITE) if isinstance(part, str) else ""
        if isinstance(part, Inserted):
            widths.append(0)
        elif text or not part.endswith("\n"):
            if text and unicodedata.category(text[0]) in _EXTENDING and not text[0].isascii():
                return None
            widths.append(len(part) - len(text))
    return min(widths, default=0)


def _without(parts: list[Part], margin: int) -> list[Part]:
    made = list(parts)
    for at in _starts(parts):
        part = parts[at]
        if isinstance(part, str) and (part.lstrip(WHITE) or not part.endswith("\n")):
            made[at] = part[margin:]
    return made
