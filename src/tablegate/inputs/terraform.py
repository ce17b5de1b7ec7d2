"""Terraform source: root modules with all that they call, and the source that a plan was made from."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from io import BytesIO
from typing import NamedTuple

from tablegate.engine.settings import ConfigError
from tablegate.inputs.files import content_or_reason, name_of, read_part
from tablegate.model.record import replace
from tablegate.syntax.node import ParseError
from tablegate.syntax.raw_text import may_hide
from tablegate.syntax.relevance import may_concern_tables
from tablegate.syntax.source import Folder, Source, Tree, decode, within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.syntax.hcl.nodes import Block

Read = Callable[[str], bytes]  # the content of a file, or an OSError

ENDINGS = (".tf", ".tofu", ".tf.json", ".tofu.json")
VARIABLES = ("terraform.tfvars", "terraform.tfvars.json")
VARIABLES_ENDINGS = (".auto.tfvars", ".auto.tfvars.json")

_MODULE = rb"""(?m)(?:^|[\s/{,\xbf])"?module[\s"/]"""  # the header of a block, or a word of a comment
_HEADER = rb"""(?m)^[ \t]*(?:module[ \t]|[{,]?[ \t]*"module"[ \t]*:)"""  # in a file that cannot be parsed
_DOWNLOADED = ".terraform/modules/modules.json"
ANY = "*"  # in the path of a module: a part that is not written out
_MOST_FOLDERS = 100  # that such a path may mean
_MOST_PARENTS = 64  # folders up to the root of the repository

# A saved plan is a zip archive.
_MOST_MEMBERS = 20_000
_MOST_BYTES, _MOST_BYTES_IN_ALL = 4 * 1024 * 1024, 64 * 1024 * 1024
_MEMBER = r"tfconfig/m-([^/\\\x00-\x1f]*)/([^/\\\x00-\x1f]+)"
_SAVED_MODULES = "tfconfig/modules.json"
_PLAN_FILE_HINT = "give the file that terraform plan -out=FILE saved"
_ENCRYPTED_HINT = "give the plan by tofu show -json, and its source with --source"


def is_source(name: str) -> bool:
    """Whether Terraform or OpenTofu reads a file of this name as source: also ``#x.tf``, but no hidden file."""
    return name.endswith(ENDINGS) and not name.startswith(".")


def is_variables_file(name: str) -> bool:
    """Whether Terraform reads values of variables from a file of this name by itself."""
    return name in VARIABLES or name.endswith(VARIABLES_ENDINGS)


class RootModules:
    """Finds the root modules among folders of source. ``names`` lists the files of a folder: those on disk."""

    def __init__(
        self, read: Read, *, trust_modules: bool = False, names: Callable[[str], list[str]] | None = None
    ) -> None:
        self._read = read
        self._names = names or names_in
        self._trust = trust_modules
        self._folders: dict[str, list[Source]] = {}
        self._named: dict[str, list[Source]] = {}
        self._found: set[str] = set()  # folders that the user did not name
        self._calls: dict[str, tuple[str, ...]] = {}  # the folders that the modules of a folder call
        self._possible: set[str] = set()  # folders of which an expression decides which one is called
        self._calls_by_file: dict[str, Calls] = {}
        self._limits: dict[str, str] = {}  # the folder that a root module may not leave

    def add_folder(self, folder: str, sources: Iterable[Source], *, found: bool) -> None:
        """A folder of source, which the user named or which was found below one."""
        self._folders.setdefault(folder, list(sources))
        if found:
            self._found.add(folder)

    def add_file(self, source: Source) -> None:
        """A file that the user named without its folder: the rest of the folder is not read."""
        self._named.setdefault(source.name.rpartition("/")[0], []).append(source)

    def sources(self) -> tuple[list[Source], list[str]]:
        """The root modules with all that they call, and the folders without anything of interest."""
        called = {module for folder, parts in self._folders.items() for module in self._called(folder, parts)}
        called -= self._possible  # if they are not the one that is called, nobody else checks them
        reached: set[str] = set()
        roots: list[Source] = []
        irrelevant: list[str] = []
        for folder in (*sorted(self._folders.keys() - called), *sorted(self._folders.keys() & called)):
            if folder in reached:
                continue
            parts = self._folders[folder]
            if not self._called(folder, parts) and not self._may_concern_tables(parts):
                irrelevant.append(folder or ".")
                continue
            root, module = self._root(folder or ".", folder, parts)
            reached |= {part.name.rpartition("/")[0] for part in module.parts} - self._possible
            if self._may_concern_tables(module.parts) or self._calls_unread_module(module):
                roots.append(root)
            else:
                irrelevant.append(folder or ".")
        return [*roots, *self._named_files()], irrelevant

    def _calls_unread_module(self, module: Folder) -> bool:
        folders = {part.name.rpartition("/")[0] for part in module.parts}
        return any(called not in folders for folder in folders for called in self._called(folder, ()))

    def _named_files(self) -> Iterator[Source]:
        for folder, parts in sorted(self._named.items()):
            if folder in self._folders:
                continue
            others = sum(1 for name in self._names(folder) if is_source(name)) - len(parts)
            name = parts[0].name if len(parts) == 1 and others > 0 else folder or "."
            yield self._root(name, folder, parts, left=max(others, 0))[0]

    def _root(self, name: str, folder: str, parts: list[Source], left: int = 0) -> tuple[Source, Folder]:
        """The root module in a folder, with the modules that it calls."""
        downloaded = trusted_modules(self._read, folder) if self._trust else {}
        parts_by_folder = {folder: parts}
        waiting = [folder, *sorted(set(downloaded.values()))]
        while waiting:
            module = waiting.pop()
            if module not in parts_by_folder:
                parts_by_folder[module] = self._parts(module)
            called = self._called(module, parts_by_folder[module])
            waiting += [each for each in called if each not in parts_by_folder and self._may_enter(folder, each)]
        variables = tuple(self._source(folder, name) for name in self._names(folder) if is_variables_file(name))
        all_parts = tuple(part for module in sorted(parts_by_folder) for part in parts_by_folder[module])
        root = Folder(root=folder, parts=all_parts, beside=variables, modules=downloaded, left=left)
        return Source(name, b"", root, found=folder in self._found), root

    def _parts(self, folder: str) -> list[Source]:
        """The files of a module's folder. None if it cannot be read: the dialect reports that."""
        if folder in self._folders:
            return self._folders[folder]
        return [self._source(folder, name) for name in self._names(folder) if is_source(name)]

    def _source(self, folder: str, name: str) -> Source:
        path = f"{folder}/{name}" if folder else name
        try:
            return Source(path, self._read(path))
        except OSError:
            return Source(path, b"\xff")  # not UTF-8, so it is reported as unreadable

    def _called(self, folder: str, parts: Iterable[Source]) -> tuple[str, ...]:
        """The folders of the local modules that a module calls."""
        if folder not in self._calls:
            called = [within(folder, path) for part in parts for path in self._calls_of(part).local]
            for path in [path for path in called if ANY in path and self._names is names_in]:
                on_disk = (found for found in matching_folders(path) if any(map(is_source, self._names(found))))
                walked = fnmatch.filter(self._folders, path.replace("[", "[[]"))
                modules = [*dict.fromkeys((*on_disk, *sorted(walked)))]
                called += modules
                if len(modules) > 1:
                    self._possible.update(modules)
            self._calls[folder] = tuple(dict.fromkeys(called))
        return self._calls[folder]

    def _calls_of(self, part: Source) -> Calls:
        if part.name not in self._calls_by_file:
            self._calls_by_file[part.name] = calls_of(part)
        return self._calls_by_file[part.name]

    def _may_concern_tables(self, parts: Iterable[Source]) -> bool:
        """Whether these files may have a table, or call a module that is not local and may have one."""
        return any(may_concern_tables(part.data) or self._calls_of(part).others for part in parts)

    def _may_enter(self, root: str, folder: str) -> bool:
        if root not in self._limits:
            self._limits[root] = repository_of(root)
        return may_enter(self._limits[root], folder)


class Calls(NamedTuple):
    """What modules a file calls: the relative folders of the local ones, and whether there are others.

    A folder has ``ANY`` for a part that an expression makes.
    """

    local: tuple[str, ...]
    others: bool


_NONE = Calls((), others=False)


def calls_of(source: Source) -> Calls:
    """The modules that a file calls."""
    data = source.data
    has_word = b"module" in data and re.search(_MODULE, data) is not None  # the pattern is slow
    if not has_word and not (source.name.endswith(".json") and may_hide(data)):
        return _NONE
    from tablegate.syntax.hcl.json_syntax import file_of  # most inputs are no source

    try:
        blocks = file_of(source.name, decode(data)).blocks()
    except ParseError:
        return Calls((), others=re.search(_HEADER, data) is not None)  # the dialect reports why
    paths = [_local_path(block) for block in blocks if block.type == "module"]
    return Calls(tuple(path for path in paths if path), others=None in paths)


def _local_path(block: Block) -> str | None:
    from tablegate.syntax.hcl.nodes import Literal, Template

    try:
        attribute = block.body.attributes.get("source")
    except ParseError:
        return None
    node = None if attribute is None else attribute.value
    parts = node.parts if isinstance(node, Template) else (node,)
    value = "".join(str(part.content) if isinstance(part, Literal) else ANY for part in parts)
    return value if value.startswith(("./", "../")) else None


def matching_folders(pattern: str) -> list[str]:
    """The folders on disk that a path with ``ANY`` in it may mean. The files in them decide whether one is a module."""
    found = [""]
    for number, step in enumerate(pattern.split("/")):
        wanted = step.replace("[", "[[]")
        pairs = [
            (folder, name)
            for folder in found
            for name in (fnmatch.filter(_folders_in(folder), wanted) if ANY in step else [step])
        ]
        found = [f"{folder}/{name}" if number else name for folder, name in pairs[:_MOST_FOLDERS]]
    return found


def _folders_in(folder: str) -> list[str]:
    """The names of the folders in a folder, without links and hidden ones."""
    try:
        with os.scandir(folder or ".") as entries:
            own = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return sorted(name for name in own if not name.startswith("."))


def trusted_modules(read: Read, folder: str) -> Mapping[str, str]:
    """The folders of the modules that terraform init downloaded, by their paths."""
    path = f"{folder}/{_DOWNLOADED}" if folder else _DOWNLOADED
    try:
        rows = json.loads(read(path))["Modules"]
        folders = {str(row["Key"]): within(folder, str(row["Dir"])) for row in rows if row["Key"]}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    limit = repository_of(folder)
    return {key: module for key, module in folders.items() if may_enter(limit, module)}


def names_in(folder: str) -> list[str]:
    """The names of the files in a folder, without links."""
    try:
        with os.scandir(folder or ".") as entries:
            return sorted(entry.name for entry in entries if entry.is_file(follow_symlinks=False))
    except OSError:
        return []


def repository_of(folder: str) -> str:
    """The folder that a module may not leave: its repository, else the working directory, else the folder itself."""
    start = current = os.path.realpath(folder or ".")
    for _ in range(_MOST_PARENTS):
        if os.path.exists(os.path.join(current, ".git")):
            return current
        parent = os.path.dirname(current)
        if parent == current:
            break
        current = parent
    here = os.getcwd()
    return here if _is_within(start, here) else start


def may_enter(limit: str, folder: str) -> bool:
    """Whether a folder is inside the limit once links are followed."""
    return _is_within(os.path.realpath(folder or "."), limit)


def _is_within(path: str, folder: str) -> bool:
    return os.path.join(os.path.normcase(path), "").startswith(os.path.join(os.path.normcase(folder), ""))


def with_source_trees(
    sources: Iterable[Source], folder: str | None, plan_file: str | None, *, trust_modules: bool
) -> tuple[Source, ...]:
    """The sources, plans with the Terraform source that the user names, or that is in the plan's own folder."""
    sources = tuple(sources)
    if folder is not None and plan_file is not None:
        raise ConfigError("--source and --plan-file cannot be combined", "plan-file")
    if plan_file is not None:
        if len(sources) > 1:
            raise ConfigError("--plan-file needs exactly one plan", "plan-file", hint="name only that plan")
        saved: Tree = SavedTree(plan_file, _plan_file(plan_file))
        return tuple(replace(source, tree=saved) for source in sources)
    if folder is not None:
        tree = FolderTree(_folder_name(folder), trust_modules=trust_modules)
        if not tree.files(tree.root):
            raise ConfigError(f"{folder}: no Terraform source in this folder", "source")
        return tuple(source if source.folder else replace(source, tree=tree) for source in sources)
    return tuple(_with_own_folder(source, trust_modules=trust_modules) for source in sources)


def _with_own_folder(source: Source, *, trust_modules: bool) -> Source:
    if source.folder is not None or source.name.startswith(("<", "/dev/", "/proc/")):  # a pipe is in no folder
        return source
    return replace(source, tree=FolderTree(source.name.rpartition("/")[0], trust_modules=trust_modules))


def _plan_file(name: str) -> bytes:
    content = content_or_reason(name)
    if isinstance(content, str):
        raise ConfigError(f"{name}: {content}", "plan-file")
    return content


def _folder_name(path: str) -> str:
    """The name of a folder in reports; empty for the working directory."""
    name = name_of(path)
    return "" if name == "." else name


class FolderTree:
    """Source in folders, inside the repository. Each folder is read once, when it is needed."""

    def __init__(self, root: str, *, trust_modules: bool) -> None:
        self._root = root
        self._trust = trust_modules
        self._folders: dict[str, tuple[Source, ...]] = {}
        self._modules: Mapping[str, str] | None = None
        self._limit: str | None = None

    @property
    def root(self) -> str:
        """The folder of the root module."""
        return self._root

    def files(self, folder: str) -> tuple[Source, ...]:
        """The files of a folder that Terraform reads. None if it is outside the repository or has no source."""
        if folder not in self._folders:
            self._folders[folder] = tuple(self._files(folder)) if self._may_enter(folder) else ()
        return self._folders[folder]

    def module(self, path: tuple[str, ...]) -> str | None:
        """The folder of a downloaded module, if those are trusted."""
        if self._modules is None:
            self._modules = trusted_modules(read_part, self._root) if self._trust else {}
        return self._modules.get(".".join(path))

    def file(self, name: str) -> Source | None:
        """A file by its name in reports."""
        folder, _, own = name.rpartition("/")
        files = self.files(folder) if is_source(own) or is_variables_file(own) else ()
        return next((source for source in files if source.name == name), None)

    def _files(self, folder: str) -> Iterator[Source]:
        names = names_in(folder)
        if not any(map(is_source, names)):
            return
        for name in names:
            if is_source(name) or (folder == self._root and is_variables_file(name)):
                path = f"{folder}/{name}" if folder else name
                try:
                    yield Source(path, read_part(path))
                except OSError:
                    continue  # findings in it have no line

    def _may_enter(self, folder: str) -> bool:
        if self._limit is None:
            self._limit = repository_of(self._root)
        return folder == self._root or may_enter(self._limit, folder)


class SavedTree:
    """Source in a saved plan. It is read in memory: nothing is unpacked to a disk."""

    def __init__(self, name: str, data: bytes) -> None:
        self._name = name
        self._root = _folder_name(name).rpartition("/")[0]
        self._modules: dict[str, str] = {}
        self._folders: dict[str, list[Source]] = {}
        self._bytes_left = _MOST_BYTES_IN_ALL
        if data.lstrip()[:1] == b"{" and b'"encrypted_data"' in data:
            raise ConfigError(f"{name}: a plan file that OpenTofu encrypted", "plan-file", hint=_ENCRYPTED_HINT)
        try:
            with zipfile.ZipFile(BytesIO(data)) as archive:
                self._read(archive)
        except ConfigError:
            raise
        except Exception as error:
            # zipfile does not document every error that a broken or hostile archive raises.
            raise ConfigError(f"{name}: not a plan file, or a broken one", "plan-file", hint=_PLAN_FILE_HINT) from error
        if self._root not in self._folders:
            message = f"{name}: a plan file without the source of its root module"
            raise ConfigError(message, "plan-file", hint=_PLAN_FILE_HINT)

    @property
    def root(self) -> str:
        """The folder of the root module."""
        return self._root

    def files(self, folder: str) -> tuple[Source, ...]:
        """The files of a module's folder."""
        return tuple(self._folders.get(folder, ()))

    def module(self, path: tuple[str, ...]) -> str | None:
        """The folder that a module was read from."""
        return self._modules.get(".".join(path))

    def file(self, name: str) -> Source | None:
        """A file by its name in reports."""
        return next((source for source in self.files(name.rpartition("/")[0]) if source.name == name), None)

    def _read(self, archive: zipfile.ZipFile) -> None:
        members = archive.infolist()
        if len(members) > _MOST_MEMBERS:
            raise ConfigError(f"{self._name}: more than {_MOST_MEMBERS} members", "plan-file", hint=_PLAN_FILE_HINT)
        rows = json.loads(self._content(archive, _SAVED_MODULES))
        self._modules = {str(row["Key"]): self._folder(str(row["Dir"])) for row in rows}
        for name in sorted({member.filename for member in members}):
            match = re.fullmatch(_MEMBER, name)
            if match is not None and is_source(match[2]) and match[1] in self._modules:
                folder = self._modules[match[1]]
                path = f"{folder}/{match[2]}" if folder else match[2]
                self._folders.setdefault(folder, []).append(Source(path, self._content(archive, name)))

    def _folder(self, path: str) -> str:
        return path.rstrip("/") if path.startswith("/") else within(self._root, path)

    def _content(self, archive: zipfile.ZipFile, name: str) -> bytes:
        """A member, if it is not larger than source can be."""
        limit = min(_MOST_BYTES, self._bytes_left)
        with archive.open(name) as member:
            data = member.read(limit + 1)
        if len(data) > limit:
            raise ConfigError(
                f"{self._name}: {name} is too large for Terraform source", "plan-file", hint=_PLAN_FILE_HINT
            )
        self._bytes_left -= len(data)
        return data
