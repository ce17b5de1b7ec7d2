"""What ``.gitignore`` and ``.tablegateignore`` leave out of a folder, by git's own rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

NAMES = (".gitignore", ".tablegateignore")  # the later one has the last word
_TOO_MANY = re.compile(r"(?:\*+[^*/]+){5}|(?:\*\*/.*){4}")  # stars that a file's name can keep busy for ever
_FAR = 64  # folders up to the repository's own

Read = Callable[[str], bytes | None]  # an ignore file, or None where there is none to be read


class Ignores:
    """The ignore files of one folder and of those above it, each with the folder that it speaks of."""

    def __init__(self, read: Read, refuse: Callable[[str, str], None]) -> None:
        self._read = read
        self._refuse = refuse
        self._held: tuple[tuple[str, GitIgnoreSpec], ...] = ()

    @classmethod
    def of(cls, root: str, read: Read, refuse: Callable[[str, str], None]) -> Ignores:
        """What holds in a folder that was named: what its repository says too, unless that leaves out the folder."""
        above = cls(read, refuse)
        start = Path(root).resolve()
        for folder in reversed(_above(start)):
            above = above.within(str(folder), NAMES)
        return cls(read, refuse) if above.leave_out(str(start), is_folder=True) else above

    def within(self, folder: str, names: Container[str]) -> Ignores:
        """The same, with what the folder's own files of these names add."""
        specs = [spec for name in NAMES if name in names for spec in self._specs(f"{folder}/{name}")]
        if not specs:
            return self
        inner = Ignores(self._read, self._refuse)
        inner._held = ((f"{folder}/", sum(specs[1:], specs[0])), *self._held)
        return inner

    def __bool__(self) -> bool:
        """Whether anything can be left out."""
        return bool(self._held)

    def leave_out(self, path: str, *, is_folder: bool) -> bool:
        """Whether a file or folder is left out: the nearest file that says anything of it decides."""
        for folder, spec in self._held:
            said = spec.check_file(path[len(folder) :] + ("/" if is_folder else "")).include
            if said is not None:
                return said
        return False

    def _specs(self, path: str) -> Iterator[GitIgnoreSpec]:
        """The patterns of one file, line by line: one that cannot be followed does not take the others with it."""
        data = self._read(path)
        if not data:
            return
        from pathspec import GitIgnoreSpec

        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), start=1):
            try:
                spec = None if _TOO_MANY.search(line) else GitIgnoreSpec.from_lines([line])
            except ValueError:
                spec = None
            if spec is None:
                self._refuse(path, f"line {number} cannot be followed, so it leaves nothing out")
            else:
                yield spec


def _above(start: Path) -> list[Path]:
    """The folders above, up to that of the repository; none where there is no repository."""
    found = [start, *start.parents][:_FAR]
    roots = [at for at, folder in enumerate(found) if _is_repository(folder)]
    return found[1 : roots[0] + 1] if roots else []


def _is_repository(folder: Path) -> bool:
    try:
        return (folder / ".git").exists()
    except OSError:
        return False
