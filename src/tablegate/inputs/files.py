"""Reads one file with care: only a regular file, not too large, and whole. It never waits for a pipe."""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from functools import lru_cache
from typing import Protocol

LIMIT = 320 * 1024 * 1024  # bytes of one input
# Opening a FIFO does not wait for its writer, and child processes do not inherit the file.
FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_REASONS = {
    errno.ENOENT: "no such file or folder",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ELOOP: "a circular link",
    errno.ENAMETOOLONG: "the path is too long",
}
_PLAIN = re.compile(r"(?:[^./\\\0][^/\\\0]*+/)*+[^./\\\0][^/\\\0]*+")  # a path that reports can show as it is


class _Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...


class UnreadableError(Exception):
    """Why a file is not read."""


def read_file(path: str, flags: int) -> tuple[tuple[int, int], bytes]:
    """The identity (device and inode) and the content of a regular file."""
    file = os.open(path, flags)
    try:
        before = os.fstat(file)
        if not stat.S_ISREG(before.st_mode):
            raise UnreadableError("not a regular file")
        if before.st_size > LIMIT:
            raise _too_large()
        data = os.read(file, before.st_size + 1)  # in one call: a large file is not copied
        after = os.fstat(file)
    finally:
        os.close(file)
    if (len(data), after.st_size, after.st_mtime_ns) != (before.st_size, before.st_size, before.st_mtime_ns):
        raise UnreadableError("the file changed while it was read")
    return (before.st_dev, before.st_ino), data


def read_part(path: str) -> bytes:
    """The content of a file that belongs to another one. Links are not followed. OSError if it cannot be read."""
    try:
        return read_file(path, FLAGS | NO_LINK)[1]
    except UnreadableError as error:
        raise OSError(str(error)) from None


def content_or_reason(path: str) -> bytes | str:
    """The content of a file, or why it cannot be read."""
    try:
        return read_file(path, FLAGS)[1]
    except (OSError, ValueError, UnreadableError) as error:
        return reason_of(error, path)


def read_stdin() -> bytes:
    """All of standard input."""
    if sys.stdin is None:
        raise UnreadableError("standard input is closed")
    return read_stream(sys.stdin.buffer)


def read_stream(stream: _Stream, limit: int = LIMIT, piece: int = 1024 * 1024) -> bytes:
    """All of a stream. It reads at most one byte more than the limit."""
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


def identity_of(path: str) -> tuple[int, int] | None:
    """The device and inode of a file, if it exists."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def reason_of(error: Exception, path: str) -> str:
    """The error in words."""
    if isinstance(error, UnreadableError):
        return str(error)
    if isinstance(error, OSError):
        if error.errno == errno.ENOENT and os.path.islink(path):
            return "a broken link"
        return _REASONS.get(error.errno or 0, (error.strerror or "it cannot be read").lower())
    return "not a path"


def name_of(path: str) -> str:
    """The name of a file in reports: relative to the working directory, with slashes."""
    if _PLAIN.fullmatch(path):
        return path
    start = os.getcwd()
    folder, name = os.path.split(path)
    try:
        if not folder or name in ("", ".", ".."):
            return _relative(path, start)
        parent = _relative(folder, start)
    except ValueError:  # not a path, or on another drive
        return path
    return name if parent == "." else f"{parent}/{name}"


@lru_cache(maxsize=64)  # a folder's files come one after the other
def _relative(path: str, start: str) -> str:
    return os.path.relpath(path, start).replace(os.sep, "/")
