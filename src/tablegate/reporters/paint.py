"""Colour for terminals: the only bytes in a report that steer one."""

from __future__ import annotations

from enum import StrEnum

from tablegate.reporters.safe import Shown, joined, own


class Style(StrEnum):
    """What a piece of text is to the reader."""

    BAD = "1;31"
    WARN = "1;33"
    DOUBT = "1;35"
    NOTE = "1;36"
    GOOD = "1;32"
    STRONG = "1"
    QUIET = "2"
    RULE = "34"


SEVERITIES = {
    "critical": Style.BAD,
    "high": Style.BAD,
    "medium": Style.WARN,
    "low": Style.NOTE,
    "info": Style.NOTE,
    "unknown": Style.DOUBT,
    "waived": Style.QUIET,
    "error": Style.BAD,
    "warning": Style.WARN,
}


class Paint:
    """Paints text, or leaves it as it is."""

    def __init__(self, *, colour: bool) -> None:
        self._colour = colour

    def __call__(self, style: Style, text: Shown) -> Shown:
        """The text in its style."""
        if not self._colour or not text:
            return text
        return joined(own(f"\x1b[{style}m"), text, own("\x1b[0m"))
