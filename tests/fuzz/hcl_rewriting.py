"""Terraform source in other words: comments, line ends, blanks, the order of blocks, and escapes in plain texts."""

from __future__ import annotations

import random
import re
from typing import NamedTuple

COMMENTS = ("# note", "// note", "/* note */", '# resource "aws_dynamodb_table" "x" {', '/* " { */', "# <<EOT")
_HEREDOC = re.compile(r"<<-?\s*\"?(\w+)\"?\s*$")
_TEXT = re.compile(r'(?<![\w\\"])"([A-Za-z0-9_.-]+)"(?![\w"])')
_TOP = re.compile(r"^(?:resource|data|variable|output|locals|provider|module)\b[^\n]*\{")


class Line(NamedTuple):
    """A line, and whether nothing in it may change: it is in a heredoc, or in a comment."""

    text: str
    fixed: bool
    first: bool  # of a block at the top


def tree_of(text: str) -> list[Line]:
    """The lines of a file. A ValueError says that it is not known what they are."""
    if "\r" in text or "/*" in text:
        raise ValueError("a file that is odd already")
    lines: list[Line] = []
    end: str | None = None
    for line in text.split("\n"):
        if end is not None:
            lines.append(Line(line, fixed=True, first=False))
            end = None if line.strip() == end else end
            continue
        lines.append(Line(line, fixed=line.lstrip().startswith(("#", "//")), first=_TOP.match(line) is not None))
        opened = _HEREDOC.search(line)
        end = opened[1] if opened else None
    return lines


def rewritten(lines: list[Line], chance: random.Random) -> bytes:
    """Another spelling of a file."""
    escapes = chance.choice((0, 0, 0.1, 0.5))
    comments = chance.choice((0, 0, 0.05, 0.3))
    labels = chance.choice((0, 0, 0.5))
    made: list[str] = []
    for line in lines:
        if line.fixed:
            made.append(line.text)
            continue
        text = line.text
        if escapes and "#" not in text and "//" not in text:
            text = _TEXT.sub(lambda match: _escaped(match, escapes, chance), text)
        if line.first and chance.random() < labels:
            text = re.sub(r'" (?=["{])', lambda _: f'" {chance.choice(("", "/* l */ ", "  "))}', text)
        if chance.random() < comments and line.first:
            made.append(chance.choice(COMMENTS))
        made.append(text)
    if chance.random() < 0.3:
        made = _shuffled(made, lines, chance) if len(made) == len(lines) else made
    text = "\n".join(made)
    if chance.random() < 0.2 and "<<" not in text:
        text = text.replace("\n", "\r\n")
    return text.encode("utf-8-sig" if chance.random() < 0.1 else "utf-8")


def _shuffled(made: list[str], lines: list[Line], chance: random.Random) -> list[str]:
    """The blocks at the top in another order. What is before the first one stays."""
    starts = [number for number, line in enumerate(lines) if line.first]
    if not starts:
        return made
    blocks = [made[start:end] for start, end in zip(starts, [*starts[1:], len(made)], strict=True)]
    chance.shuffle(blocks)
    return [*made[: starts[0]], *(line for block in blocks for line in [*block, ""])]


def _escaped(match: re.Match[str], often: float, chance: random.Random) -> str:
    def sign(each: str) -> str:
        if chance.random() >= often:
            return each
        return chance.choice((f"\\u{ord(each):04x}", f"\\U{ord(each):08X}"))

    return f'"{"".join(map(sign, match[1]))}"'
