"""What ``-o`` asks for: formats, and where each goes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from tablegate.engine.nearest import meant
from tablegate.engine.settings import ConfigError
from tablegate.model.record import record
from tablegate.reporters import REPORTERS

if TYPE_CHECKING:
    from pathlib import Path

WHEN = ("auto", "always", "never")
NARROWEST, WIDEST, PIPED = 60, 120, 100


@record(kw_only=False)
class Destination:
    """One report in one format. Without a path it goes to standard output."""

    format: str
    path: Path | None = None


def destinations(words: Iterable[str], formats: Iterable[str] = tuple(REPORTERS)) -> tuple[Destination, ...]:
    """Every report that is due. Text goes to standard output where nothing else does."""
    asked = [_destination(word, tuple(formats)) for word in words]
    paths = [destination.path for destination in asked if destination.path is not None]
    if len(set(paths)) < len(paths):
        raise ConfigError("--output: two reports cannot go to one file", "output")
    streamed = [destination for destination in asked if destination.path is None]
    if len(streamed) > 1:
        formats = " and ".join(destination.format for destination in streamed)
        raise ConfigError(
            f"--output: {formats} cannot share standard output", "output", hint="give one a path: json=FILE"
        )
    return tuple(asked if streamed else [*asked, Destination("text")])


def _destination(word: str, formats: tuple[str, ...]) -> Destination:
    name, given, path = word.partition("=")
    if name not in formats:
        known = ", ".join(formats)
        raise ConfigError(f'--output: "{name}" is no format: {known}', "output", hint=meant(name, formats))
    if given and not path:
        raise ConfigError(f"--output: {name}= names no file", "output")
    if not path:
        return Destination(name)
    from pathlib import Path

    return Destination(name, Path(path))


def coloured(when: str, environment: Mapping[str, str]) -> bool:
    """Whether standard output is coloured: the flag decides, then the environment, then whether it is a terminal."""
    if when not in WHEN:
        raise ConfigError(f'--color: "{when}" must be {", ".join(WHEN)}', "color", hint=meant(when, WHEN))
    if when != "auto":
        return when == "always"
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "0") != "0" or environment.get("CLICOLOR_FORCE", "0") != "0":
        return True
    return environment.get("TERM") != "dumb" and _is_terminal()


def width() -> int:
    """The reader's width; a pipe has a fixed one, so that the same input gives the same bytes."""
    if not _is_terminal():
        return PIPED
    return min(max(os.get_terminal_size(sys.stdout.fileno()).columns, NARROWEST), WIDEST)


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()
