"""The files that one source leads to: the rest of a CDK assembly, or the templates that a template embeds."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from tablegate.syntax.mentions import MANIFEST, MOST, mentioned
from tablegate.syntax.source import Beside

if TYPE_CHECKING:
    from pathlib import Path

_ENDINGS = (".json", ".yaml", ".yml")

Take = Callable[[str], bytes | str]
"""Gives the content of a file, or why it is not read."""


class Bundle:
    """Gathers files, each under the name that reports give it."""

    def __init__(self, take: Take, name: Callable[[str], str]) -> None:
        self._take = take
        self._name = name
        self._files: dict[str, bytes] = {}
        self._refused: dict[str, str] = {}

    def of_assembly(self, folder: str) -> Beside:
        """The manifests, templates and notes of an assembly and of those within it. No link in it is followed."""
        waiting = [folder]
        while waiting:
            with os.scandir(waiting.pop()) as entries:
                for entry in sorted(entries, key=lambda entry: entry.name):
                    if entry.name.startswith("asset."):
                        continue
                    if entry.is_symlink():
                        self._refused[self._name(entry.path)] = "a link, which is not followed in an assembly"
                    elif entry.is_dir():
                        waiting += [entry.path] if os.path.isfile(os.path.join(entry.path, MANIFEST)) else []
                    elif entry.name.endswith(_ENDINGS):
                        self._add(entry.path)
        return Beside(self._files, self._refused)

    def of_embedded(self, path: str, data: bytes) -> Beside:
        """The templates that a template embeds, and those that they embed, as long as they stay inside."""
        from pathlib import Path

        root = _root(path)
        waiting = [(path, name) for name in mentioned(data)]
        while waiting and len(self._files) < MOST:
            holder, mention = waiting.pop(0)
            child = os.path.normpath(Path(holder).parent / mention)
            name = self._name(child)
            if name in self._files or not Path(child).is_file():
                continue
            if not Path(child).resolve().is_relative_to(root):
                self._refused[name] = "it lies outside of the folder that is checked"
                continue
            self._add(child)
            waiting += [(child, inner) for inner in mentioned(self._files.get(name, b""))]
        return Beside(self._files, self._refused)

    def _add(self, path: str) -> None:
        taken = self._take(path)
        if isinstance(taken, bytes):
            self._files[self._name(path)] = taken
        else:
            self._refused[self._name(path)] = taken


def _root(path: str) -> Path:
    """What an embedded template may not leave: the working directory, or the template's folder."""
    from pathlib import Path

    here, folder = Path.cwd().resolve(), Path(path).resolve().parent
    return here if folder.is_relative_to(here) else folder
