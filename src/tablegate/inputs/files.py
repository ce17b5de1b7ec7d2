"""Opens one file with care: what is no file, too large, or changes while it is read is told, and never waited for."""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from functools import lru_cache
from typing import Protocol

LIMIT = 320 * 1024 * 1024  # bytes of one input
# Without waiting for whoever writes a FIFO, and not for the children of this process.
FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_REASONS = {
    errno.ENOENT: "no such file or folder",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ELOOP: "a circular link",
    errno.ENAMETOOLONG: "the path is too long",
}


_PLAIN = re.compile(r"(?:[^./\\\0][^/\\\0]*+/)*+[^./\\\0][^/\\\0]*+")  # a path that is its own name


class _Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...


class UnreadableError(Exception):
    """Why a file is not read."""


def read_file(path: str, flags: int) -> tuple[tuple[int, int], bytes]:
    """A regular file's identity and content, whole and as it was when it was opened."""
    file = os.open(path, flags)
    try:
        before = os.fstat(file)
        if not stat.S_ISREG(before.st_mode):
            raise UnreadableError("not a regular file")
        if before.st_size > LIMIT:
            raise _too_large()
        data = os.read(file, before.st_size + 1)  # at once: a large file is not copied
        after = os.fstat(file)
    finally:
        os.close(file)
    if (len(data), after.st_size, after.st_mtime_ns) != (before.st_size, before.st_size, before.st_mtime_ns):
        raise UnreadableError("it changed while it was read")
    return (before.st_dev, before.st_ino), data


def identity_of(path: str) -> tuple[int, int] | None:
    """The identity of what is there, if anything is."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def read_stdin() -> bytes:
    if sys.stdin is None:
        raise UnreadableError("standard input is closed")
    return drained(sys.stdin.buffer)


def drained(stream: _Stream, limit: int = LIMIT, piece: int = 1024 * 1024) -> bytes:
    """Everything up to the limit and one byte, never more."""
    chunks: list[bytes] = []
    size = 0
    while size <= limit and (chunk := stream.read(min(piece, limit + 1 - size))):
        chunks.append(chunk)
        size += len(chunk)
    if size > LIMIT:
        raise _too_large()
    return b"".join(chunks)


def _too_large() -> UnreadableError:
    return UnreadableError(f"larger than {LIMIT // 1024 // 1024} MB, the limit")


def reason_of(error: Exception, path: str) -> str:
    if isinstance(error, UnreadableError):
        return str(error)
    if isinstance(error, OSError):
        if error.errno == errno.ENOENT and os.path.islink(path):
            return "a broken link"
        return _REASONS.get(error.errno or 0, (error.strerror or "it cannot be read").lower())
    return "not a path"


def name_of(path: str) -> str:
    """How reports call a file: relative to the working directory, with slashes."""
    if _PLAIN.fullmatch(path):
        return path
    start = os.getcwd()
    folder, name = os.path.split(path)
    try:
        if not folder or name in ("", ".", ".."):
            return _relative(path, start)
        within = _relative(folder, start)
    except ValueError:  # no path at all, or on another drive
        return path
    return name if within == "." else f"{within}/{name}"


@lru_cache(maxsize=64)  # the files of a folder are met one after the other
def _relative(path: str, start: str) -> str:
    return os.path.relpath(path, start).replace(os.sep, "/")


def content_of(path: str) -> bytes | str:
    """The content of a file, or why it is not read."""
    try:
        return read_file(path, FLAGS)[1]
    except (OSError, ValueError, UnreadableError) as error:
        return reason_of(error, path)


def read_part(path: str) -> bytes:
    """A file that belongs to another one; what is no file to read is an OSError too."""
    try:
        return read_file(path, FLAGS | NO_LINK)[1]
    except UnreadableError as error:
        raise OSError(str(error)) from None
