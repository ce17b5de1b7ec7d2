"""Folders of Terraform source: which files belong to one root module, and which modules it leads to.

Only this room follows the way from a module to another one, and it stays inside of the repository.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from tablegate.syntax.errors import ParseError
from tablegate.syntax.sniff import may_concern_tables
from tablegate.syntax.source import Folder, Source, within
from tablegate.syntax.text import decode

if TYPE_CHECKING:
    from tablegate.syntax.hcl_nodes import Block

ENDINGS = (".tf", ".tofu", ".tf.json", ".tofu.json")
OF_VARIABLES = (".auto.tfvars", ".auto.tfvars.json")
VARIABLES = ("terraform.tfvars", "terraform.tfvars.json")
_CALLS = rb"""(?m)(?:^|[\s{,])"?(?:source)"?\s*[:=]\s*"\.\.?/"""
_MODULES = rb"""(?m)^\s*module\s"""
_MANIFEST = ".terraform/modules/modules.json"
_FAR = 64  # folders up to the repository's own

Read = Callable[[str], bytes]  # one file, or an OSError


def is_source(name: str) -> bool:
    """Whether Terraform or OpenTofu reads a file of this name: not those that editors leave behind."""
    return name.endswith(ENDINGS) and not name.startswith((".", "#"))


def of_variables(name: str) -> bool:
    """Whether they read variables from it unasked."""
    return name in VARIABLES or name.endswith(OF_VARIABLES)


class Roots:
    """Every folder of source that was met, and the roots among them."""

    def __init__(self, read: Read, *, trust_modules: bool = False) -> None:
        self._read = read
        self._trust = trust_modules
        self._folders: dict[str, list[Source]] = {}
        self._named: dict[str, list[Source]] = {}
        self._ways: dict[str, tuple[str, ...]] = {}
        self._inside: dict[str, str] = {}

    def add_folder(self, folder: str, sources: Iterable[Source]) -> None:
        """A folder of source that was met on the way."""
        self._folders.setdefault(folder, list(sources))

    def add_file(self, source: Source) -> None:
        """A file that was named, and not its folder: it is judged without the others."""
        self._named.setdefault(source.name.rpartition("/")[0], []).append(source)

    def sources(self) -> tuple[list[Source], list[str]]:
        """The roots, each with all that belongs to it; and the folders that have nothing of interest."""
        called = {way for folder, parts in self._folders.items() for way in self._called(folder, parts)}
        reached: set[str] = set()
        made: list[Source] = []
        left: list[str] = []
        for folder in (*sorted(self._folders.keys() - called), *sorted(self._folders.keys() & called)):
            if folder in reached:
                continue
            parts = self._folders[folder]
            if not self._called(folder, parts) and not _may_concern_tables(parts):
                left.append(folder or ".")
                continue
            found = self._made(folder or ".", folder, parts)
            reached |= {part.name.rpartition("/")[0] for part in found.folder.parts} if found.folder else set()
            if found.folder is not None and (_may_concern_tables(found.folder.parts) or self._leads_out(found.folder)):
                made.append(found)
            else:
                left.append(folder or ".")
        return [*made, *self._alone()], left

    def _leads_out(self, folder: Folder) -> bool:
        """Whether a module is called that cannot be looked into."""
        here = {part.name.rpartition("/")[0] for part in folder.parts}
        return any(way not in here for at in here for way in self._called(at, ()))

    def _alone(self) -> list[Source]:
        made = []
        for folder, parts in sorted(self._named.items()):
            if folder in self._folders:
                continue
            others = sum(1 for name in names_in(folder) if is_source(name)) - len(parts)
            name = parts[0].name if len(parts) == 1 and others > 0 else folder or "."
            made.append(self._made(name, folder, parts, left=max(others, 0)))
        return made

    def _made(self, name: str, folder: str, parts: list[Source], left: int = 0) -> Source:
        modules = trusted_modules(self._read, folder) if self._trust else {}
        everything = {folder: parts}
        waiting = [folder, *sorted(set(modules.values()))]
        while waiting:
            at = waiting.pop()
            if at not in everything:
                everything[at] = self._folder(at)
            ways = self._called(at, everything[at])
            waiting += [way for way in ways if way not in everything and self._may_enter(folder, way)]
        beside = tuple(self._source(folder, one) for one in names_in(folder) if of_variables(one))
        held = tuple(part for at in sorted(everything) for part in everything[at])
        return Source(name, b"", Folder(root=folder, parts=held, beside=beside, modules=modules, left=left))

    def _folder(self, folder: str) -> list[Source]:
        """The files of a module folder; none where it cannot be read, which the dialect says."""
        if folder in self._folders:
            return self._folders[folder]
        return [self._source(folder, name) for name in names_in(folder) if is_source(name)]

    def _source(self, folder: str, name: str) -> Source:
        path = f"{folder}/{name}" if folder else name
        try:
            return Source(path, self._read(path))
        except OSError:
            return Source(path, b"\xff")  # unreadable, and said to be

    def _called(self, folder: str, parts: Iterable[Source]) -> tuple[str, ...]:
        """The folders of the local modules that a module calls."""
        if folder not in self._ways:
            ways = [within(folder, way) for part in parts for way in local_calls(part)]
            self._ways[folder] = tuple(dict.fromkeys(ways))
        return self._ways[folder]

    def _may_enter(self, root: str, way: str) -> bool:
        """Whether a module is inside of the repository, or where there is none, of the working directory."""
        if root not in self._inside:
            self._inside[root] = repository_of(root)
        return may_enter(self._inside[root], way)


def trusted_modules(read: Read, folder: str) -> Mapping[str, str]:
    """Where terraform init put the modules from elsewhere, by their paths."""
    import json

    path = f"{folder}/{_MANIFEST}" if folder else _MANIFEST
    try:
        rows = json.loads(read(path))["Modules"]
        found = {str(row["Key"]): within(folder, str(row["Dir"])) for row in rows if row["Key"]}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    inside = repository_of(folder)
    return {key: way for key, way in found.items() if may_enter(inside, way)}


def may_enter(inside: str, way: str) -> bool:
    """Whether a folder is inside of another one, links followed."""
    return _is_within(os.path.realpath(way or "."), inside)


def _is_within(path: str, folder: str) -> bool:
    return os.path.join(os.path.normcase(path), "").startswith(os.path.join(os.path.normcase(folder), ""))


def local_calls(source: Source) -> list[str]:
    """The relative folders of the modules that a file calls."""
    if b"module" not in source.data or not re.search(_CALLS, source.data):
        return []
    # Imported here: most inputs are no source, and pay for no reader of it.
    from tablegate.syntax.hcl import File
    from tablegate.syntax.hcl_json import JsonFile

    try:
        text = decode(source.data)
        blocks = (JsonFile if source.name.endswith(".json") else File)(source.name, text).blocks()
    except ParseError:
        return []  # the dialect says why
    ways = [_way(block) for block in blocks if block.type == "module"]
    return [way for way in ways if way]


def _may_concern_tables(parts: Iterable[Source]) -> bool:
    """Whether a table may be in these files, or in a module that is fetched from elsewhere."""
    return any(may_concern_tables(part.data) or _calls_afar(part) for part in parts)


def _calls_afar(source: Source) -> bool:
    """Whether a file may call a module that is not beside it."""
    if b"module" not in source.data:
        return False
    if source.name.endswith(".json"):
        return b'"module"' in source.data
    return len(re.findall(_MODULES, source.data)) > len(re.findall(_CALLS, source.data))


def _way(block: Block) -> str | None:
    from tablegate.syntax.hcl_nodes import Literal

    try:
        attribute = block.body.attributes.get("source")
    except ParseError:
        return None
    value = attribute.value.content if attribute is not None and isinstance(attribute.value, Literal) else None
    return value if isinstance(value, str) and value.startswith(("./", "../")) else None


def names_in(folder: str) -> list[str]:
    """The names of a folder's own files, links left out."""
    try:
        with os.scandir(folder or ".") as entries:
            return sorted(entry.name for entry in entries if entry.is_file(follow_symlinks=False))
    except OSError:
        return []


def repository_of(folder: str) -> str:
    """The folder that nothing may lead out of."""
    start = above = os.path.realpath(folder or ".")
    for _ in range(_FAR):
        if os.path.exists(os.path.join(above, ".git")):
            return above
        below, above = above, os.path.dirname(above)
        if above == below:
            break
    here = os.getcwd()
    return here if _is_within(start, here) else start
