"""A folder walked past its ignore files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container, Iterable, Iterator

from tablegate.model.record import record
from tablegate.syntax.relevance import MANIFEST

NAMES = (".gitignore", ".tablegateignore")  # the later one has the last word
# What most lines are: a name with at most one star, of files and folders anywhere or just here, or of folders alone.
_NAME = r"(?=.*\w)(?P<here>/?)(?P<before>[\w.+@~-]*+)(?P<star>\*?)(?P<after>[\w.+@~-]*+)(?P<folder>/?)"
_TOO_MANY = r"(?:\*+[^*/]+){5}|(?:\*\*/.*){4}"  # stars that a file's name can keep busy for ever
_FAR = 64  # folders up to the repository's own

Read = Callable[[str], bytes | None]  # an ignore file, or None where there is none to be read
Rule = Callable[[str], bool | None]  # whether a path is left out, if anything is said of it


@record(kw_only=False)
class _Line:
    """A line of an ignore file."""

    path: str
    number: int
    text: str


class Ignores:
    """The ignore files of one folder and of those above it, each with the folder that it speaks of."""

    def __init__(self, read: Read, refuse: Callable[[str, str], None]) -> None:
        self._read = read
        self._refuse = refuse
        self._held: tuple[tuple[str, Rule], ...] = ()

    @classmethod
    def of(cls, root: str, read: Read, refuse: Callable[[str, str], None]) -> Ignores:
        """What holds in a folder that was named: what its repository says too, unless that leaves out the folder."""
        above = cls(read, refuse)
        start = os.path.realpath(root)
        for folder in reversed(_above(start)):
            above = above.within(folder, NAMES)
        return cls(read, refuse) if above.leave_out(start, is_folder=True) else above

    def within(self, folder: str, names: Container[str]) -> Ignores:
        """The same, with what the folder's own files of these names add."""
        lines = [line for name in NAMES if name in names for line in self._lines(f"{folder}/{name}")]
        if not lines:
            return self
        inner = Ignores(self._read, self._refuse)
        inner._held = ((f"{folder}/", _by_names(lines) or self._by_git(lines)), *self._held)
        return inner

    def __bool__(self) -> bool:
        """Whether anything can be left out."""
        return bool(self._held)

    def leave_out(self, path: str, *, is_folder: bool) -> bool:
        """Whether a file or folder is left out: the nearest file that says anything of it decides."""
        for folder, rule in self._held:
            said = rule(path[len(folder) :] + ("/" if is_folder else ""))
            if said is not None:
                return said
        return False

    def _lines(self, path: str) -> Iterator[_Line]:
        data = self._read(path)
        if data:
            for number, text in enumerate(data.decode("utf-8", "replace").splitlines(), start=1):
                yield _Line(path, number, text)

    def _by_git(self, lines: Iterable[_Line]) -> Rule:
        """All that git knows of patterns. A line that cannot be followed does not take the others with it."""
        from pathspec import GitIgnoreSpec  # takes as long as a check of two tables

        whole = GitIgnoreSpec([])
        for line in lines:
            try:
                spec = None if re.search(_TOO_MANY, line.text) else GitIgnoreSpec.from_lines([line.text])
            except ValueError:
                spec = None
            if spec is None:
                self._refuse(line.path, f"line {line.number} is not a valid pattern, so it excludes nothing")
            else:
                whole += spec
        return lambda path: whole.check_file(path).include


def _by_names(lines: Iterable[_Line]) -> Rule | None:
    """The lines, where each is empty, a comment or a name: none takes back what another one says."""
    names: dict[tuple[str, str], list[str]] = {}  # by what stands before and behind them
    for line in lines:
        if not line.text or line.text.startswith("#"):
            continue
        found = re.fullmatch(_NAME, line.text)
        if found is None:
            return None
        around = "" if found["here"] else "(?:.+/)?", "/" if found["folder"] else "(?:/|$)"
        name = re.escape(found["before"]) + ("[^/]*" if found["star"] else "") + re.escape(found["after"])
        names.setdefault(around, []).append(name)
    patterns = [f"{before}(?:{'|'.join(several)}){behind}" for (before, behind), several in names.items()]
    match = re.compile("|".join(patterns or ["(?!)"])).match
    return lambda path: True if match(path) else None


def _above(start: str) -> list[str]:
    """The folders above, up to that of the repository; none where there is no repository."""
    folders = [start]
    while not os.path.exists(f"{folders[-1]}/.git"):
        above = os.path.dirname(folders[-1])
        if above == folders[-1] or len(folders) == _FAR:
            return []
        folders.append(above)
    return folders[1:]


_NOT_ENTERED = frozenset(
    {".git", ".hg", ".svn", ".terraform", ".terragrunt-cache", ".venv", "__pycache__", "node_modules"}
)

Refuse = Callable[[str, OSError], None]


@record()
class Walked:
    """What was met: files and links that may be of interest, and what ignore files leave out."""

    files: tuple[str, ...]
    links: tuple[str, ...]
    left_out: tuple[str, ...]


class Walk:
    """One walk. No link is followed, and a folder that is taken as a whole is not entered."""

    def __init__(
        self,
        root: str,
        wanted: Callable[[str], bool],
        refuse: Refuse,
        ignores: Ignores | None,
        taken: Callable[[str], bool],
    ) -> None:
        self._root = root
        self._start = os.path.realpath(root)
        self._wanted = wanted
        self._refuse = refuse
        self._ignores = ignores
        self._taken = taken
        self._files: list[str] = []
        self._links: list[str] = []
        self._left_out: list[str] = []

    def walked(self) -> Walked:
        """All that is below the root, sorted."""
        waiting = [(self._root, self._ignores)]
        while waiting:
            folder, ignores = waiting.pop()
            entries = self._entries(folder)
            if folder != self._root and any(entry.name == MANIFEST for entry in entries) and self._taken(folder):
                continue
            if ignores is not None:
                ignores = ignores.within(self._absolute(folder), {entry.name for entry in entries} & set(NAMES))
            waiting += [(entry.path, ignores) for entry in entries if self._is_entered(entry, ignores)]
        return Walked(
            files=tuple(sorted(self._files)), links=tuple(sorted(self._links)), left_out=tuple(sorted(self._left_out))
        )

    def _is_entered(self, entry: os.DirEntry[str], ignores: Ignores | None) -> bool:
        """Whether this is a folder to go into. What it is else, is noted."""
        is_link = entry.is_symlink()
        is_folder = not is_link and entry.is_dir(follow_symlinks=False)
        if is_folder and (entry.name in _NOT_ENTERED or entry.name.startswith("asset.")):
            return False
        if not is_folder and not is_link and not self._wanted(entry.name):
            return False
        if ignores and ignores.leave_out(self._absolute(entry.path), is_folder=is_folder):
            self._left_out.append(entry.path)
            return False
        if not is_folder:
            (self._links if is_link else self._files).append(entry.path)
        return is_folder

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                return list(entries)
        except OSError as error:
            self._refuse(folder, error)
            return []

    def _absolute(self, path: str) -> str:
        return self._start + path[len(self._root) :]
