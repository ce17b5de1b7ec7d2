"""Texts of Terraform's language without their escapes, and heredocs without their margins."""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))|\$\$\{|%%\{", re.DOTALL)
_SIMPLE = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
_LAST = 0x10FFFF


def unescaped(text: str) -> str:
    """What a text between quotes means."""
    return _ESCAPE.sub(_meant, text) if "\\" in text or "{" in text else text


def unmargined(text: str) -> str:
    """A heredoc's text without the indentation that all its lines share."""
    lines, margin = text.split("\n"), margin_of(text)
    return "\n".join(line[margin:] if line.strip() else line.lstrip(" \t") for line in lines)


def margin_of(text: str) -> int:
    """The width of that indentation."""
    lines = (line for line in text.split("\n") if line.strip())
    return min((len(line) - len(line.lstrip(" \t")) for line in lines), default=0)


def _meant(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    if code:
        number = int(code, 16)
        return chr(number) if number <= _LAST else "\ufffd"
    if found[3] is not None:
        return _SIMPLE.get(found[3], found[0])
    return found[0][1:]
