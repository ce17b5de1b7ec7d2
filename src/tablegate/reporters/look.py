"""How the reader wants to see a report, and the sources that may be shown to them."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum

from tablegate.model.record import record


class Detail(IntEnum):
    """How much is said."""

    BRIEF = 0  # the counts and the gate
    USUAL = 1  # what blocks in full, the rest in a line each
    FULL = 2  # every finding in full


def no_line(file: str, line: int) -> str | None:  # noqa: ARG001 - the same answer for every place
    """The answer where no source can be shown."""
    return None


@record()
class Look:
    """The reader's wishes. They change no finding and no exit code."""

    colour: bool = False
    width: int = 100
    detail: Detail = Detail.USUAL
    line: Callable[[str, int], str | None] = no_line  # a line of a template; never of a plan
