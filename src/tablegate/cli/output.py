"""Writes to standard output, standard error and files, and reports progress."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Callable
from typing import TextIO

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from tablegate.reporters.safe import SafeText

_PLAIN = str.maketrans({"·": "-", "…": "...", "—": "-"})  # for a terminal without Unicode


NARROWEST, WIDEST, PIPED = 60, 120, 100  # columns; a pipe has a fixed width, so that equal inputs give equal bytes


def columns() -> int:
    """The width of the terminal, within limits, or that of a pipe."""
    if not is_terminal():
        return PIPED
    return min(max(os.get_terminal_size(sys.stdout.fileno()).columns, NARROWEST), WIDEST)


def is_terminal() -> bool:
    """Whether standard output is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


class OutputError(Exception):
    """A report could not be written."""


def emit(text: SafeText) -> None:
    """Write to standard output: the one way out for every text. If its reader leaves early, that is no error."""
    if sys.stdout is None:
        raise OutputError("standard output is closed")
    try:
        _write(sys.stdout, text)
    except BrokenPipeError:
        _silence(sys.stdout)
    except (OSError, ValueError) as error:
        _silence(sys.stdout)
        raise OutputError(f"standard output: {_reason(error)}") from None


def note(*lines: str) -> None:
    """Write lines to standard error, if it is open. Control characters are escaped."""
    if sys.stderr is None:
        return
    from tablegate.reporters.safe import PROSE, safe_text

    try:
        _write(sys.stderr, "".join(f"{safe_text(line, PROSE)}\n" for line in lines))
    except (OSError, ValueError):
        _silence(sys.stderr)


def quote(text: str) -> None:
    """Write what a pack printed to standard error."""
    note(*(f"pack: {line}" for line in text.splitlines()))


def save(path: Path, text: SafeText) -> None:
    """Write a file in one step: a reader finds the old content or the new one, never half of it."""
    refusal = _refusal(path)
    if refusal:
        raise OutputError(f"{path}: {refusal}")
    data = text.encode("utf-8", "backslashreplace")
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)  # a pipe or a device
        else:
            _replace(path, data)
    except OSError as error:
        raise OutputError(f"{path}: {_reason(error)}") from None


def _write(stream: TextIO, text: str) -> None:
    encoding = (stream.encoding or "ascii").lower().replace("_", "-")
    data = text.encode("utf-8", "backslashreplace") if encoding in ("utf-8", "utf8") else _narrowed(text, encoding)
    stream.flush()
    stream.buffer.write(data)
    stream.flush()


def _narrowed(text: str, encoding: str) -> bytes:
    return text.translate(_PLAIN).encode(encoding, "backslashreplace")


def _silence(stream: TextIO) -> None:
    """Discard what is written from now on, also what Python flushes at its end."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        return


def _replace(path: Path, data: bytes) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _refusal(path: Path) -> str | None:
    """Why the file is not written: a link in a checked-out tree may lead anywhere.

    A link of the machine, such as /tmp on some systems, is none of a tree; the file itself is never one.
    """
    if path.is_relative_to("/dev"):
        return None
    for step in [path, *path.parents]:
        try:
            is_link = stat.S_ISLNK(step.lstat().st_mode)
        except OSError:
            continue
        if is_link and (step == path or not path.is_absolute() or _is_in_tree(step)):
            return f"{step} is a symbolic link, and reports are not written through links"
    return None


def _is_in_tree(link: Path) -> bool:
    """Whether a link is in the working folder or in any checkout."""
    folder = link.parent.resolve()
    return folder.is_relative_to(os.getcwd()) or any((each / ".git").exists() for each in (folder, *folder.parents))


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__).lower()


QUIET_FOR = 1.0  # seconds before the first message on a terminal
ON_TERMINAL, IN_LOG = 0.1, 10.0  # seconds between two messages
_CLEAR = "\r\x1b[K"


class Progress:
    """Shows how many files were looked at, and how many inputs are checked. Short runs show nothing."""

    def __init__(
        self, stream: TextIO | None = None, *, silent: bool = False, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._live = not silent and self._stream is not None and self._stream.isatty()
        self._silent = silent or self._stream is None
        self._clock = clock
        self._due = clock() + (QUIET_FOR if self._live else IN_LOG)
        self._drawn = False

    def met(self, files: int) -> None:
        """Show how many files were looked at."""
        self._tell(f"looked at {files:,} files")

    def __call__(self, done: int, total: int) -> None:
        """Show how many inputs are checked, of how many."""
        self._tell(f"checked {done:,} of {total:,} inputs")

    def _tell(self, line: str) -> None:
        now = self._clock()
        if self._silent or now < self._due:
            return
        self._due = now + (ON_TERMINAL if self._live else IN_LOG)
        if self._live:
            self._draw(f"{_CLEAR}{line}")
        else:
            note(line)

    def end(self) -> None:
        """Clear the line on the terminal."""
        if self._drawn:
            self._draw(_CLEAR)

    def _draw(self, text: str) -> None:
        self._drawn = True
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            self._silent = True
