"""An input before anybody has looked into it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from tablegate.model.record import field, record


@record(eq=False, kw_only=False)
class Beside:
    """Files that a source may name, by what reports call them, and why others of them were not read."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)


ALONE = Beside()


@record(kw_only=False)
class Source:
    """A named run of bytes. The name is what reports call it: a POSIX path, or ``<stdin>``.

    A folder that is one input has no bytes of its own, but a ``folder``. A plan may have the ``tree`` that it was
    made of.
    """

    name: str
    data: bytes
    folder: Folder | None = None
    beside: Beside = field(default=ALONE, compare=False)
    tree: Tree | None = field(default=None, compare=False)


@record()
class Folder:
    """A folder of Terraform source: its own files, and those of the module folders that it leads to.

    ``modules`` are the folders of modules from elsewhere by their paths, where somebody trusts them.
    ``left`` counts the files of the folder that were not named, and so not read.
    """

    root: str
    parts: tuple[Source, ...]
    beside: tuple[Source, ...] = ()
    modules: Mapping[str, str] = field(default_factory=dict)
    left: int = 0


class Tree(Protocol):
    """Terraform source that is read where somebody asks for it: a root module, and what it leads to."""

    @property
    def root(self) -> str:
        """The folder of the root module."""

    def files(self, folder: str) -> tuple[Source, ...]:
        """The files of a folder that Terraform reads, its own values of variables too."""

    def module(self, path: tuple[str, ...]) -> str | None:
        """The folder of a module from elsewhere, by the names of the calls that lead to it."""

    def file(self, name: str) -> Source | None:
        """One of all those files."""


def within(folder: str, way: str) -> str:
    """The folder that a relative way leads to from another one; both with slashes, none for the working directory."""
    steps = [step for step in folder.split("/") if step not in ("", ".")]
    root = "/" if folder.startswith("/") else ""
    for step in way.split("/"):
        if step == ".." and steps and steps[-1] != "..":
            steps.pop()
        elif (step == ".." and not root) or step not in ("", ".", ".."):
            steps.append(step)
    return root + "/".join(steps)
