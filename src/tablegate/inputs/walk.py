"""Walks a folder and skips what its ignore files exclude. No link is followed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container, Iterable, Iterator

from tablegate.model.record import record
from tablegate.syntax.relevance import MANIFEST

Read = Callable[[str], bytes | None]  # the content of an ignore file, or None if there is none
Rule = Callable[[str], bool | None]  # whether a path is excluded; None if no line matches it
Refuse = Callable[[str, OSError], None]

NAMES = (".gitignore", ".tablegateignore")  # the later one decides

_NOT_ENTERED = frozenset(
    {".git", ".hg", ".svn", ".terraform", ".terragrunt-cache", ".venv", "__pycache__", "node_modules"}
)
# What most lines are: a name with at most one star, of files and folders in any or in this folder, or of folders only.
_NAME = r"(?=.*\w)(?P<here>/?)(?P<before>[\w.+@~-]*+)(?P<star>\*?)(?P<after>[\w.+@~-]*+)(?P<folder>/?)"
_TOO_MANY_STARS = r"(?:\*+[^*/]+){5}|(?:\*\*/.*){4}"  # matching them could take very long
_MOST_PARENTS = 64  # folders up to the root of the repository


def is_passed_over(name: str) -> bool:
    """Whether folders and links of this name are not entered: what is in them is not written by hand."""
    return name in _NOT_ENTERED or name.startswith("asset.")


@record()
class Walked:
    """The files and links of a walk that may be inputs, and what ignore files exclude, sorted."""

    files: tuple[str, ...]
    links: tuple[str, ...]
    ignored: tuple[str, ...]


class Walk:
    """One walk. ``take`` is called for each folder with a manifest, before those in it."""

    def __init__(
        self,
        root: str,
        is_candidate: Callable[[str], bool],
        refuse: Refuse,
        ignores: Ignores | None,
        take: Callable[[str], object],
    ) -> None:
        self._root = root
        self._start = os.path.realpath(root)
        self._is_candidate = is_candidate
        self._refuse = refuse
        self._ignores = ignores
        self._take = take
        self._files: list[str] = []
        self._links: list[str] = []
        self._ignored: list[str] = []

    def walked(self) -> Walked:
        """Walk, once."""
        waiting = [(self._root, self._ignores)]
        while waiting:
            folder, ignores = waiting.pop()
            entries = self._entries(folder)
            if any(entry.name == MANIFEST for entry in entries):
                self._take(folder)
            if ignores is not None:
                ignores = ignores.within(self._absolute(folder), {entry.name for entry in entries} & set(NAMES))
            waiting += [(entry.path, ignores) for entry in entries if self._is_entered(entry, ignores)]
        return Walked(
            files=tuple(sorted(self._files)), links=tuple(sorted(self._links)), ignored=tuple(sorted(self._ignored))
        )

    def _is_entered(self, entry: os.DirEntry[str], ignores: Ignores | None) -> bool:
        """Whether this is a folder to walk. Files, links and ignored entries are noted."""
        is_link = entry.is_symlink()
        is_folder = not is_link and entry.is_dir(follow_symlinks=False)
        if (is_folder or is_link) and is_passed_over(entry.name):
            return False
        if not is_folder and not is_link and not self._is_candidate(entry.name):
            return False
        if ignores and ignores.excludes(self._absolute(entry.path), is_folder=is_folder):
            self._ignored.append(entry.path)
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


@record(kw_only=False)
class _Line:
    """A line of an ignore file."""

    path: str
    number: int
    text: str


class Ignores:
    """The rules of a folder: those of its ignore files, and of those in the folders above it."""

    def __init__(self, read: Read, refuse: Callable[[str, str], None]) -> None:
        self._read = read
        self._refuse = refuse
        self._rules: tuple[tuple[str, Rule], ...] = ()  # by folder, the nearest first

    @classmethod
    def of(cls, root: str, read: Read, refuse: Callable[[str, str], None]) -> Ignores:
        """The rules of a named folder: also those of its repository, unless they exclude the folder itself."""
        ignores = cls(read, refuse)
        start = os.path.realpath(root)
        for folder in reversed(_parents(start)):
            ignores = ignores.within(folder, NAMES)
        return cls(read, refuse) if ignores.excludes(start, is_folder=True) else ignores

    def within(self, folder: str, names: Container[str]) -> Ignores:
        """These rules and those of the folder's own ignore files of these names."""
        lines = [line for name in NAMES if name in names for line in self._lines(f"{folder}/{name}")]
        if not lines:
            return self
        inner = Ignores(self._read, self._refuse)
        inner._rules = ((f"{folder}/", _by_names(lines) or self._by_git(lines)), *self._rules)
        return inner

    def __bool__(self) -> bool:
        """Whether there are any rules."""
        return bool(self._rules)

    def excludes(self, path: str, *, is_folder: bool) -> bool:
        """Whether a file or folder is excluded. The nearest file with a line that matches decides."""
        for folder, rule in self._rules:
            excluded = rule(path[len(folder) :] + ("/" if is_folder else ""))
            if excluded is not None:
                return excluded
        return False

    def _lines(self, path: str) -> Iterator[_Line]:
        data = self._read(path)
        if data:
            for number, text in enumerate(data.decode("utf-8", "replace").splitlines(), start=1):
                yield _Line(path, number, text)

    def _by_git(self, lines: Iterable[_Line]) -> Rule:
        """A rule for any pattern of git. A line that is not valid is reported and skipped."""
        from pathspec import GitIgnoreSpec  # its import takes as long as a check of two tables

        whole = GitIgnoreSpec([])
        for line in lines:
            try:
                spec = None if re.search(_TOO_MANY_STARS, line.text) else GitIgnoreSpec.from_lines([line.text])
            except ValueError:
                spec = None
            if spec is None:
                self._refuse(line.path, f"line {line.number} is not a valid pattern, so it excludes nothing")
            else:
                whole += spec
        return lambda path: whole.check_file(path).include


def _by_names(lines: Iterable[_Line]) -> Rule | None:
    """A rule for lines that are empty, comments or names. None if a line is anything else, such as a negation."""
    names: dict[tuple[str, str], list[str]] = {}  # by the patterns before and after them
    for line in lines:
        if not line.text or line.text.startswith("#"):
            continue
        match = re.fullmatch(_NAME, line.text)
        if match is None:
            return None
        around = "" if match["here"] else "(?:.+/)?", "/" if match["folder"] else "(?:/|$)"
        name = re.escape(match["before"]) + ("[^/]*" if match["star"] else "") + re.escape(match["after"])
        names.setdefault(around, []).append(name)
    patterns = [f"{before}(?:{'|'.join(alternatives)}){after}" for (before, after), alternatives in names.items()]
    matches = re.compile("|".join(patterns or ["(?!)"])).match
    return lambda path: True if matches(path) else None


def _parents(start: str) -> list[str]:
    """The folders above, up to the root of the repository. None if there is no repository."""
    folders = [start]
    while not os.path.exists(f"{folders[-1]}/.git"):
        parent = os.path.dirname(folders[-1])
        if parent == folders[-1] or len(folders) == _MOST_PARENTS:
            return []
        folders.append(parent)
    return folders[1:]
