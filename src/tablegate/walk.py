"""Walks a folder for files that may be judged, past what its ignore files leave out."""

from __future__ import annotations

import os
from collections.abc import Callable

from tablegate.ignores import NAMES, Ignores
from tablegate.model.record import record
from tablegate.syntax.mentions import MANIFEST

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
