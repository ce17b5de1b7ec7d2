"""Paths, folders and standard input into sources: the only hands on what is judged, and they open it with care."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

from tablegate.bundles import Bundle
from tablegate.findings import Fault, FaultCode
from tablegate.model.record import record
from tablegate.model.value import Place
from tablegate.roots import Roots, is_source
from tablegate.syntax.mentions import MANIFEST, is_manifest, mentioned
from tablegate.syntax.relevance import looks_relevant
from tablegate.syntax.source import ALONE, Beside, Source

LIMIT = 320 * 1024 * 1024  # bytes of one input
STDIN = "-"
STDIN_NAME = "<stdin>"

_ENDINGS = (".json", ".yaml", ".yml", ".template", ".cfn", ".txt")
_NOT_ENTERED = frozenset(
    {".git", ".hg", ".svn", ".terraform", ".terragrunt-cache", ".venv", "__pycache__", "node_modules"}
)
_DESCRIPTORS = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")  # what a shell puts for <(command)
# Without waiting for whoever writes a FIFO, and not for the children of this process.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_REASONS = {
    errno.ENOENT: "no such file or folder",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ELOOP: "a link that leads in a circle",
    errno.ENAMETOOLONG: "the path is too long",
}


@record(kw_only=False)
class Collected:
    """What was found: the sources, what went wrong, and the files of folders that are none of our business."""

    sources: tuple[Source, ...]
    faults: tuple[Fault, ...]
    skipped: tuple[str, ...]


class _Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...


class _UnreadableError(Exception):
    """Why a file is not read."""


def collect(paths: Iterable[str], stdin_filename: str | None = None, *, trust_modules: bool = False) -> Collected:
    """Read every path: a file as it is, a folder for all that is judged in it, ``-`` for standard input.

    A folder of Terraform source is one input, and so are the files of one folder that are named.
    """
    collector = _Collector(stdin_filename or STDIN_NAME, trust_modules=trust_modules)
    for path in dict.fromkeys(paths):
        collector.add(path)
    return collector.collected()


class _Collector:
    """What has been found so far; every file once, by whatever names it came."""

    def __init__(self, stdin_name: str, *, trust_modules: bool) -> None:
        self._stdin_name = stdin_name
        self._roots = Roots(_contents, trust_modules=trust_modules)
        self._sources: dict[str, Source] = {}
        self._faults: list[Fault] = []
        self._skipped: set[str] = set()
        self._seen: set[tuple[int, int]] = set()
        self._assemblies = 0  # met in folders

    def collected(self) -> Collected:
        """Everything, sorted by name."""
        roots, left = self._roots.sources()
        self._sources |= {root.name: root for root in roots}
        self._skipped.update(left)
        return Collected(
            tuple(self._sources[name] for name in sorted(self._sources)),
            tuple(sorted(self._faults, key=lambda fault: (fault.place.file, fault.message))),
            tuple(sorted(self._skipped - self._sources.keys())),
        )

    def add(self, path: str) -> None:
        """One path as the user named it: it is judged, whatever its name and its content."""
        try:
            if path == STDIN:
                self._sources[self._stdin_name] = Source(self._stdin_name, _stdin())
            elif path.startswith(_DESCRIPTORS):
                with Path(path).open("rb") as stream:
                    self._sources[path] = Source(path, _drained(stream))
            elif Path(path).is_dir():
                self._add_folder(path)
            elif is_source(Path(path).name):
                self._roots.add_file(Source(_name(path), _read(path, _FLAGS)[1]))
            else:
                self._add_file(path, _FLAGS, named=True)
        except (OSError, ValueError, _UnreadableError) as error:
            self._refuse(path, _reason(error, path))

    def _add_folder(self, root: str) -> None:
        if self._try_assembly(root):
            return
        faults, assemblies = len(self._faults), self._assemblies
        files, links = self._walked(root)
        source = [path for path in files if is_source(Path(path).name)]
        judged = [self._try_file(path, _FLAGS | _NO_LINK) for path in files if not is_source(Path(path).name)]
        judged += [self._add_link(path, Path(root).resolve()) for path in links]
        judged += [self._add_modules(source)] if source else []
        if not any(judged) and (len(self._faults), self._assemblies) == (faults, assemblies):
            passed_over = f", among {len(judged)} files that could be one" if judged else ""
            self._refuse(root, f"no plan and no template was found in this folder{passed_over}")
        if any(path.endswith(".template.json") and Path(path).parent == Path(root) for path in files):
            self._refuse(root, "templates of a CDK assembly without its manifest.json", blocks=False)

    def _try_assembly(self, folder: str) -> bool:
        """Whether the folder is a CDK assembly; then it is one source, named by its manifest."""
        path = str(Path(folder) / MANIFEST)
        try:
            identity, data = _read(path, _FLAGS | _NO_LINK)
        except (OSError, _UnreadableError):
            return False
        if not is_manifest(data):
            return False
        if identity not in self._seen:
            self._seen.add(identity)
            self._sources[_name(path)] = Source(_name(path), data, beside=Bundle(_take, _name).of_assembly(folder))
        return True

    def _add_modules(self, paths: list[str]) -> bool:
        """Folders of Terraform source, each with all of its files."""
        folders: dict[str, list[Source]] = {}
        for path in paths:
            try:
                read = Source(_name(path), _read(path, _FLAGS | _NO_LINK)[1])
            except (OSError, _UnreadableError) as error:
                self._refuse(path, _reason(error, path))
            else:
                folders.setdefault(read.name.rpartition("/")[0], []).append(read)
        for folder, sources in folders.items():
            self._roots.add_folder(folder, sources)
        return bool(folders)

    def _walked(self, root: str) -> tuple[list[str], list[str]]:
        """The files and the links below a folder that may be of interest."""
        files: list[str] = []
        links: list[str] = []
        waiting = [root]
        while waiting:
            folder = waiting.pop()
            if folder != root and self._try_assembly(folder):
                self._assemblies += 1
                continue
            for entry in self._entries(folder):
                if entry.is_symlink():
                    links.append(entry.path)
                elif entry.is_dir(follow_symlinks=False):
                    if entry.name not in _NOT_ENTERED and not entry.name.startswith("asset."):
                        waiting.append(entry.path)
                elif entry.name.lower().endswith(_ENDINGS) or is_source(entry.name):
                    files.append(entry.path)
        return sorted(files), sorted(links)

    def _entries(self, folder: str) -> Iterator[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                yield from entries
        except OSError as error:
            self._refuse(folder, _reason(error, folder))

    def _add_link(self, path: str, root: Path) -> bool:
        """A link met in a folder: never followed out of it, and not twice to what is there anyway."""
        wanted = path.lower().endswith(_ENDINGS) or is_source(Path(path).name)
        try:
            target = Path(path).resolve(strict=True)
        except (OSError, RuntimeError):
            if wanted:
                self._refuse(path, "a link that leads nowhere, or in a circle")
            return False
        if not target.is_relative_to(root):
            if wanted or target.is_dir():
                self._refuse(path, "a link that leaves the folder; it was not followed", blocks=wanted)
            return False
        return wanted and not target.is_dir() and self._try_file(path, _FLAGS)

    def _try_file(self, path: str, flags: int) -> bool:
        """Whether the file is judged, now or already."""
        try:
            return self._add_file(path, flags, named=False)
        except (OSError, _UnreadableError) as error:
            self._refuse(path, _reason(error, path))
            return False

    def _add_file(self, path: str, flags: int, *, named: bool) -> bool:
        identity, data = _read(path, flags)
        if identity in self._seen:
            return True
        name = _name(path)
        if not named and not looks_relevant(data, name):
            self._skipped.add(name)
            return False
        self._seen.add(identity)
        self._sources[name] = Source(name, data, beside=_beside(path, data))
        return True

    def _refuse(self, path: str, message: str, *, blocks: bool = True) -> None:
        self._faults.append(Fault(FaultCode.UNREADABLE, message, Place(_name(path)), blocks))


def _contents(path: str) -> bytes:
    """A file that belongs to another one; what is no file to read is an OSError too."""
    try:
        return _read(path, _FLAGS | _NO_LINK)[1]
    except _UnreadableError as error:
        raise OSError(str(error)) from None


def _beside(path: str, data: bytes) -> Beside:
    """What a source leads to: the rest of its assembly, or the templates that it embeds, and theirs."""
    if Path(path).name == MANIFEST and is_manifest(data):
        return Bundle(_take, _name).of_assembly(str(Path(path).parent))
    return Bundle(_take, _name).of_embedded(path, data) if mentioned(data) else ALONE


def _take(path: str) -> bytes | str:
    """The content of a file, or why it is not read."""
    try:
        return _read(path, _FLAGS)[1]
    except (OSError, _UnreadableError) as error:
        return _reason(error, path)


def _read(path: str, flags: int) -> tuple[tuple[int, int], bytes]:
    """A regular file's identity and content, whole and as it was when it was opened."""
    with open(os.open(path, flags), "rb", buffering=0) as file:  # noqa: PTH123 - opened already, with flags of our own
        before = os.fstat(file.fileno())
        if not stat.S_ISREG(before.st_mode):
            raise _UnreadableError("not a regular file")
        if before.st_size > LIMIT:
            raise _too_large()
        data = _drained(file, before.st_size, before.st_size + 1)  # at once: a large file is not copied
        after = os.fstat(file.fileno())
    if (len(data), after.st_size, after.st_mtime_ns) != (before.st_size, before.st_size, before.st_mtime_ns):
        raise _UnreadableError("it changed while it was read")
    return (before.st_dev, before.st_ino), data


def _stdin() -> bytes:
    if sys.stdin is None:
        raise _UnreadableError("standard input is closed")
    return _drained(sys.stdin.buffer)


def _drained(stream: _Stream, limit: int = LIMIT, piece: int = 1024 * 1024) -> bytes:
    """Everything up to the limit and one byte, never more."""
    chunks: list[bytes] = []
    size = 0
    while size <= limit and (chunk := stream.read(min(piece, limit + 1 - size))):
        chunks.append(chunk)
        size += len(chunk)
    if size > LIMIT:
        raise _too_large()
    return b"".join(chunks)


def _too_large() -> _UnreadableError:
    return _UnreadableError(f"larger than {LIMIT // 1024 // 1024} MB, the most that is read")


def _reason(error: Exception, path: str) -> str:
    if isinstance(error, _UnreadableError):
        return str(error)
    if isinstance(error, OSError):
        if error.errno == errno.ENOENT and Path(path).is_symlink():
            return "a link that leads nowhere"
        return _REASONS.get(error.errno or 0, (error.strerror or "it cannot be read").lower())
    return "not a path"


def _name(path: str) -> str:
    """How reports call a file: relative to the working directory, with slashes."""
    try:
        return os.path.relpath(path).replace(os.sep, "/")
    except ValueError:  # no path at all, or on another drive
        return path
