"""How far a long run is, on standard error: one line that changes on a terminal, one every ten seconds in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

from tablegate.cli.output import note

QUICK = 1.0  # seconds that nobody minds
CALM, SELDOM = 0.1, 10.0  # seconds between two words, on a terminal and in a log
_CLEAR = "\r\x1b[K"


class Progress:
    """Says how many files were met, and how many sources are judged. Short runs say nothing."""

    def __init__(
        self, stream: TextIO | None = None, *, silent: bool = False, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._live = not silent and self._stream is not None and self._stream.isatty()
        self._silent = silent or self._stream is None
        self._clock = clock
        self._due = clock() + (QUICK if self._live else SELDOM)
        self._drawn = False

    def met(self, files: int) -> None:
        """So many files were looked at, on the way to what is to be judged."""
        self._tell(f"looked at {files:,} files")

    def __call__(self, done: int, total: int) -> None:
        """So many of so many."""
        self._tell(f"judged {done:,} of {total:,} inputs")

    def _tell(self, line: str) -> None:
        now = self._clock()
        if self._silent or now < self._due:
            return
        self._due = now + (CALM if self._live else SELDOM)
        if self._live:
            self._draw(f"{_CLEAR}{line}")
        else:
            note(line)

    def end(self) -> None:
        """Leave nothing on the terminal."""
        if self._drawn:
            self._draw(_CLEAR)

    def _draw(self, text: str) -> None:
        self._drawn = True
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            self._silent = True
