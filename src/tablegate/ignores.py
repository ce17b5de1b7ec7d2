"""What ``.gitignore`` and ``.tablegateignore`` leave out of a folder, by git's own rules."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container, Iterable, Iterator

from tablegate.model.record import record

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
                self._refuse(line.path, f"line {line.number} cannot be followed, so it leaves nothing out")
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
