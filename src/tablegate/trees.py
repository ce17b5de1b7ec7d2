"""The source that a plan was made of: in its folders, or inside of the plan file that Terraform saved."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from tablegate.engine.settings import ConfigError
from tablegate.files import content_of, name_of, part_at
from tablegate.model.record import replace
from tablegate.roots import is_source, may_enter, names_in, of_variables, repository_of, trusted_modules
from tablegate.syntax.source import Source, Tree, within

if TYPE_CHECKING:
    from zipfile import ZipFile

_MEMBERS = 20_000  # of a plan file
_FILE, _TOTAL = 4 * 1024 * 1024, 64 * 1024 * 1024  # bytes of one member that is read, and of all of them
_MEMBER = r"tfconfig/m-([^/\\\x00-\x1f]*)/([^/\\\x00-\x1f]+)"
_MANIFEST = "tfconfig/modules.json"
_SAVED = "what terraform plan -out FILE saved"


def with_trees(
    sources: Iterable[Source], folder: str | None, plan_file: str | None, *, trust_modules: bool
) -> tuple[Source, ...]:
    """The same, each with the source that it may have been made of: what the user names, else what lies beside it."""
    sources = tuple(sources)
    if folder is not None and plan_file is not None:
        raise ConfigError("--source and --plan-file cannot both be meant", "plan-file")
    if plan_file is not None:
        if len(sources) > 1:
            raise ConfigError("--plan-file belongs to one plan", "plan-file", hint="name that plan alone")
        named: Tree = SavedTree(plan_file, _read(plan_file))
        return tuple(replace(source, tree=named) for source in sources)
    if folder is not None:
        named = FolderTree(_name(folder), trust_modules=trust_modules)
        if not named.files(named.root):
            raise ConfigError(f"{folder}: no Terraform source in this folder", "source")
        return tuple(source if source.folder else replace(source, tree=named) for source in sources)
    return tuple(_with_own(source, trust_modules=trust_modules) for source in sources)


class FolderTree:
    """Folders of source, each read once, when somebody asks: inside of the repository, and no further."""

    def __init__(self, root: str, *, trust_modules: bool) -> None:
        self._root = root
        self._trust = trust_modules
        self._folders: dict[str, tuple[Source, ...]] = {}
        self._modules: Mapping[str, str] | None = None
        self._inside: str | None = None

    @property
    def root(self) -> str:
        """The folder of the root module."""
        return self._root

    def files(self, folder: str) -> tuple[Source, ...]:
        """The files of a folder that Terraform reads; none where it cannot be entered, or holds no source."""
        if folder not in self._folders:
            self._folders[folder] = tuple(self._files(folder)) if self._may_enter(folder) else ()
        return self._folders[folder]

    def module(self, path: tuple[str, ...]) -> str | None:
        """The folder that terraform init put a module into, where it is trusted."""
        if self._modules is None:
            self._modules = trusted_modules(part_at, self._root) if self._trust else {}
        return self._modules.get(".".join(path))

    def file(self, name: str) -> Source | None:
        """One of the files of these folders."""
        folder, _, own = name.rpartition("/")
        found = self.files(folder) if is_source(own) or of_variables(own) else ()
        return next((source for source in found if source.name == name), None)

    def _files(self, folder: str) -> Iterator[Source]:
        names = names_in(folder)
        if not any(map(is_source, names)):
            return
        for name in names:
            if is_source(name) or (folder == self._root and of_variables(name)):
                path = f"{folder}/{name}" if folder else name
                try:
                    yield Source(path, part_at(path))
                except OSError:
                    continue  # it has no lines to point at

    def _may_enter(self, folder: str) -> bool:
        if self._inside is None:
            self._inside = repository_of(self._root)
        return folder == self._root or may_enter(self._inside, folder)


class SavedTree:
    """The source inside of a plan file, as Terraform read it: nothing of it is ever written to a disk."""

    def __init__(self, name: str, data: bytes) -> None:
        import zipfile
        from io import BytesIO

        self._name = name
        self._root = _name(name).rpartition("/")[0]
        self._modules: dict[str, str] = {}
        self._folders: dict[str, list[Source]] = {}
        self._left = _TOTAL
        try:
            with zipfile.ZipFile(BytesIO(data)) as held:
                self._take(held)
        except ConfigError:
            raise
        except Exception as error:
            # What a broken or hostile archive makes zipfile raise is not all written down anywhere.
            raise ConfigError(f"{name}: no plan file, or a broken one", "plan-file", hint=_SAVED) from error
        if self._root not in self._folders:
            raise ConfigError(f"{name}: a plan file without the source of its root module", "plan-file", hint=_SAVED)

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
        """One of the files."""
        return next((source for source in self.files(name.rpartition("/")[0]) if source.name == name), None)

    def _take(self, held: ZipFile) -> None:
        import json

        members = held.infolist()
        if len(members) > _MEMBERS:
            raise ConfigError(f"{self._name}: more than {_MEMBERS} members", "plan-file", hint=_SAVED)
        rows = json.loads(self._content(held, _MANIFEST))
        self._modules = {str(row["Key"]): self._folder(str(row["Dir"])) for row in rows}
        for name in sorted({member.filename for member in members}):
            found = re.fullmatch(_MEMBER, name)
            if found is not None and is_source(found[2]) and found[1] in self._modules:
                folder = self._modules[found[1]]
                path = f"{folder}/{found[2]}" if folder else found[2]
                self._folders.setdefault(folder, []).append(Source(path, self._content(held, name)))

    def _folder(self, way: str) -> str:
        return way.rstrip("/") if way.startswith("/") else within(self._root, way)

    def _content(self, held: ZipFile, name: str) -> bytes:
        """A member, as long as it is of a size that people write."""
        limit = min(_FILE, self._left)
        with held.open(name) as member:
            data = member.read(limit + 1)
        if len(data) > limit:
            raise ConfigError(f"{self._name}: {name} is larger than source is", "plan-file", hint=_SAVED)
        self._left -= len(data)
        return data


def _with_own(source: Source, *, trust_modules: bool) -> Source:
    """A plan with the folder that it lies in; what came through a pipe lies nowhere."""
    if source.folder is not None or source.name.startswith(("<", "/dev/", "/proc/")):
        return source
    return replace(source, tree=FolderTree(source.name.rpartition("/")[0], trust_modules=trust_modules))


def _read(name: str) -> bytes:
    found = content_of(name)
    if isinstance(found, str):
        raise ConfigError(f"{name}: {found}", "plan-file")
    return found


def _name(path: str) -> str:
    """A path as reports call it, and nothing for the working directory itself."""
    name = name_of(path)
    return "" if name == "." else name
