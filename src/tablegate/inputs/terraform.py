"""Root modules; the source beside a plan."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from tablegate.engine.settings import ConfigError
from tablegate.inputs.files import content_of, name_of, read_part
from tablegate.model.record import replace
from tablegate.syntax.node import ParseError
from tablegate.syntax.relevance import may_concern_tables
from tablegate.syntax.source import Folder, Source, Tree, decode, within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from zipfile import ZipFile

    from tablegate.syntax.hcl.nodes import Block


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


def is_variables_file(name: str) -> bool:
    """Whether they read variables from it unasked."""
    return name in VARIABLES or name.endswith(OF_VARIABLES)


class Roots:
    """Every folder of source that was met, and the roots among them."""

    def __init__(
        self, read: Read, *, trust_modules: bool = False, names: Callable[[str], list[str]] | None = None
    ) -> None:
        self._read = read
        self._names = names or names_in
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
            others = sum(1 for name in self._names(folder) if is_source(name)) - len(parts)
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
        beside = tuple(self._source(folder, one) for one in self._names(folder) if is_variables_file(one))
        held = tuple(part for at in sorted(everything) for part in everything[at])
        return Source(name, b"", Folder(root=folder, parts=held, beside=beside, modules=modules, left=left))

    def _folder(self, folder: str) -> list[Source]:
        """The files of a module folder; none where it cannot be read, which the dialect says."""
        if folder in self._folders:
            return self._folders[folder]
        return [self._source(folder, name) for name in self._names(folder) if is_source(name)]

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
    from tablegate.syntax.hcl.json_syntax import JsonFile

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
    from tablegate.syntax.hcl.nodes import Literal

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


_MEMBERS = 20_000  # of a plan file
_FILE, _TOTAL = 4 * 1024 * 1024, 64 * 1024 * 1024  # bytes of one member that is read, and of all of them
_MEMBER = r"tfconfig/m-([^/\\\x00-\x1f]*)/([^/\\\x00-\x1f]+)"
_MANIFEST_trees = "tfconfig/modules.json"
_SAVED = "give the file that terraform plan -out=FILE saved"


def with_source_trees(
    sources: Iterable[Source], folder: str | None, plan_file: str | None, *, trust_modules: bool
) -> tuple[Source, ...]:
    """The same, each with the source that it may have been made of: what the user names, else what lies beside it."""
    sources = tuple(sources)
    if folder is not None and plan_file is not None:
        raise ConfigError("--source and --plan-file cannot both be meant", "plan-file")
    if plan_file is not None:
        if len(sources) > 1:
            raise ConfigError("--plan-file needs exactly one plan", "plan-file", hint="name only that plan")
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
            self._modules = trusted_modules(read_part, self._root) if self._trust else {}
        return self._modules.get(".".join(path))

    def file(self, name: str) -> Source | None:
        """One of the files of these folders."""
        folder, _, own = name.rpartition("/")
        found = self.files(folder) if is_source(own) or is_variables_file(own) else ()
        return next((source for source in found if source.name == name), None)

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
            raise ConfigError(f"{name}: not a plan file, or a broken one", "plan-file", hint=_SAVED) from error
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
        rows = json.loads(self._content(held, _MANIFEST_trees))
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
            raise ConfigError(f"{self._name}: {name} is too large for Terraform source", "plan-file", hint=_SAVED)
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
