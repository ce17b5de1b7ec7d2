"""Where reports go: the standard streams, and files that are either whole or untouched."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import TextIO

# What a terminal without Unicode is given instead.
_PLAIN = str.maketrans({"·": "-", "…": "...", "—": "-"})


class OutputError(Exception):
    """A report that was due could not be written."""


def emit(text: str) -> None:
    """Write to standard output. A reader who leaves early is nobody's mistake."""
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
    """Write lines to standard error, if anybody can read it. Each begins with a word of ours."""
    if sys.stderr is None:
        return
    from tablegate.reporters.safe import PROSE, show

    try:
        _write(sys.stderr, "".join(f"{show(line, PROSE)}\n" for line in lines))
    except (OSError, ValueError):
        _silence(sys.stderr)


def quote(text: str) -> None:
    """Pass on what a pack printed."""
    note(*(f"pack: {line}" for line in text.splitlines()))


def save(path: Path, text: str) -> None:
    """Write a file in one step: whoever reads it finds the old one or the new one, never a half."""
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
    """Nothing more can be written there: also not when Python ends and flushes what is left."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        return


def _replace(path: Path, data: bytes) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _refusal(path: Path) -> str | None:
    """Why nothing is written there: a link in a checked-out tree may lead anywhere."""
    if path.is_relative_to("/dev"):
        return None
    import stat

    steps = [path] if path.is_absolute() else [path, *path.parents]
    for step in steps:
        try:
            if stat.S_ISLNK(step.lstat().st_mode):
                return f"{step} is a symbolic link, and reports are not written through links"
        except OSError:
            continue
    return None


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__).lower()
