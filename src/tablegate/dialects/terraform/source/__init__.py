"""Reads a root module of Terraform source, and the modules it calls, into an estate. No plan is needed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import cached_property

from tablegate.dialects.reading import Faults, Reading, ReadOptions
from tablegate.dialects.terraform.callers import Callers
from tablegate.dialects.terraform.configuration import Configuration
from tablegate.dialects.terraform.configuration import Key as InstanceKey
from tablegate.dialects.terraform.estate import EstateBuilder
from tablegate.dialects.terraform.references import UnknownValue
from tablegate.dialects.terraform.secrets import texts
from tablegate.dialects.terraform.source.budget import Budget
from tablegate.dialects.terraform.source.call_lines import CallsOfSource
from tablegate.dialects.terraform.source.definitions import (
    Definition,
    Key,
    RootVariables,
    definition_of,
    is_tofu,
    module_files,
    refuse_parsing,
)
from tablegate.dialects.terraform.source.evaluate import evaluated
from tablegate.dialects.terraform.source.modules import ModuleInstance
from tablegate.dialects.terraform.source.resources import Resources
from tablegate.dialects.terraform.source.values import EvaluationScope
from tablegate.model.record import replace
from tablegate.model.table import Dialect
from tablegate.model.value import Place
from tablegate.syntax.hcl.nodes import Block
from tablegate.syntax.node import ParseError, collector_paused
from tablegate.syntax.source import Folder, Source, within

_MODULES = 1_000
_LOCAL = ("./", "../")
_TRUST = "run terraform init and pass --trust-modules, or check the plan, which has every module"


class Project:
    """One root module with all modules below it."""

    def __init__(self, name: str, folder: Folder, options: ReadOptions) -> None:
        self._folder = folder
        self._options = options
        self._faults = Faults(name)
        self._folders: dict[str, list[Source]] = {}
        for part in folder.parts:
            self._folders.setdefault(part.name.rpartition("/")[0], []).append(part)
        self._definitions: dict[str, Definition] = {}
        self._secrets: set[str] = set()
        self._resources = Resources(self._faults, self.refuse)
        self._uncovered: dict[str, None] = {}
        self.budget = Budget()
        self._variables = RootVariables(options, folder.beside, self.refuse)

    @cached_property
    def root(self) -> ModuleInstance:
        """The root module."""
        return ModuleInstance(self, self._definition(self._folder.root))

    def reading(self) -> Reading:
        """Read every resource of every module."""
        resources = self._resources
        for module in self._modules(self.root):
            resources.add(module)
        resources.note_unread()
        self._note_alone()
        configuration = Configuration(
            {"root_module": resources.data.module(), "provider_config": resources.providers.found}
        )
        dialect = Dialect.TERRAFORM_SOURCE
        calls = CallsOfSource(self.root)
        callers = Callers(calls, self._faults.file, calls)
        description = EstateBuilder(
            dialect, configuration, resources.instances, self._faults, self._options, callers=callers
        )
        tables = description.tables()
        estate = description.estate(tables, (), self._secrets)
        seen = description.input(tables, self._detail(), resources.managed)
        given = self._options.variables or self._options.variable_files
        declared = frozenset(self.root.definition.variables if given else ())
        seen = replace(seen, not_created=resources.not_created, declared=declared)
        return Reading(input=seen, estate=estate, faults=self._faults.all())

    def _note_alone(self) -> None:
        left = self._folder.left
        if left:
            files = "file" if left == 1 else "files"
            message = f"checked without the {left} other {files} of its folder"
            self._faults.incomplete(message, hint="name the folder: a module is all files in it")

    def _detail(self) -> str:
        doubts = self._resources.doubts
        if not doubts:
            return "every value known"
        return f"{doubts} {'value' if doubts == 1 else 'values'} known only from a plan"

    def _modules(self, root: ModuleInstance) -> Iterator[ModuleInstance]:
        waiting = deque([root])
        for _ in range(_MODULES):
            if not waiting:
                return
            module = waiting.popleft()
            yield module
            waiting += module.children()
        self._faults.incomplete(f"more than {_MODULES} modules", blocks=True)

    def _definition(self, folder: str) -> Definition:
        definition = self._definitions.get(folder)
        if definition is None:
            files = self._files(folder)
            definition = self._definitions[folder] = definition_of(folder, files, self._options.grammar, self.refuse)
        return definition

    def _files(self, folder: str) -> list[Source]:
        """The files of a module. A folder with files of both tools is read as Terraform does, unless told otherwise."""
        files = self._folders.get(folder, [])
        alone = [source for source in files if is_tofu(source)]
        tofu = self._options.tofu or len(alone) == len(files) or self._has_only_tofu(self._folder.root)
        if alone and not tofu:
            count = "a .tofu file" if len(alone) == 1 else f"{len(alone)} .tofu files"
            message = f"read as Terraform does, without {count}"
            self._faults.incomplete(message, Place(alone[0].name), hint="for OpenTofu: --tofu")
        return module_files(files, tofu=tofu)

    def _has_only_tofu(self, folder: str) -> bool:
        """Whether only OpenTofu can read a folder."""
        return all(map(is_tofu, self._folders.get(folder, ())))

    def refuse(self, message: str, place: Place, *, duplicate: bool = False, hint: str | None = None) -> None:
        """Report a part of the source that cannot be read."""
        if duplicate:
            self._faults.duplicate_key(message, place, hint)
        else:
            self._faults.unreadable(message, place, hint)

    def definition_called(self, block: Block, module: ModuleInstance, path: tuple[str, ...]) -> Definition | None:
        """The definition of the module that a block of a module calls. None if it was not read, which is reported."""
        try:
            attribute = block.body.attributes.get("source")
        except ParseError as error:
            refuse_parsing(error, block.file.name, self.refuse)
            return None
        source = None if attribute is None else evaluated(attribute.value, EvaluationScope(module))
        target = None
        if isinstance(source, str) and source.startswith(_LOCAL):
            target = within(module.definition.folder, source)
        elif self._folder.modules:
            target = self._folder.modules.get(".".join(path))
        if target is not None and target in self._folders:
            return self._definition(target)
        self._not_covered(block, source)
        return None

    def _not_covered(self, block: Block, source: object) -> None:
        name = block.labels[0]
        what = f"module.{name} ({source})" if isinstance(source, str) and source else f"module.{name}"
        if what not in self._uncovered:
            self._uncovered[what] = None
            if isinstance(source, UnknownValue) and _may_be_local(source):
                message = f"{what} was not read: its source is not known ({source.doubt().reason})"
                self._faults.incomplete(message, block.place, source.settle, blocks=True)
            elif isinstance(source, str) and source.startswith(_LOCAL):
                message = f"{what} was not read: no such folder of source, or it lies outside of the repository"
                self._faults.unreadable(message, block.place)
            else:
                message = f"{what} is not covered: nothing is known of what is in it"
                self._faults.incomplete(message, block.place, _TRUST)

    def root_variable(self, name: str, block: Block, module: ModuleInstance) -> object:
        """The value of a root variable."""
        return self._variables.value(name, block, module)

    def keep_secret(self, content: object) -> None:
        """Keep the texts of a sensitive value out of every report."""
        self._secrets.update(texts(content))

    def read_by_plan(self, module: str, data: Key, key: InstanceKey, attribute: str) -> object:
        """Nothing: there is no plan."""


def _may_be_local(source: UnknownValue) -> bool:
    """Whether the source of a module may be a folder: as far as it is known, it does not begin otherwise."""
    first = source.parts[0] if source.parts else None
    return not isinstance(first, str) or _LOCAL[1].startswith(first) or first.startswith(_LOCAL)


def read(text: str, name: str, options: ReadOptions) -> Reading:
    """Read one file without the rest of its folder."""
    folder = name.rpartition("/")[0]
    return read_folder(Source(name, b"", Folder(root=folder, parts=(Source(name, text.encode()),))), options)


def read_folder(source: Source, options: ReadOptions) -> Reading:
    """Read a folder and the modules it calls."""
    if source.folder is None:
        raise AssertionError(source.name)
    with collector_paused():
        return Project(source.name, source.folder, options).reading()
