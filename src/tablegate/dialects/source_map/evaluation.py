"""What the source of a plan comes to, with the plan's own variables: asked only for what the plan does not hold."""

from __future__ import annotations

from tablegate.dialects.source_map.modules import Folders, Module
from tablegate.dialects.terraform_plan.addresses import calls
from tablegate.dialects.terraform_plan.configuration import Tree, tree
from tablegate.dialects.terraform_plan.instances import Instance
from tablegate.dialects.terraform_plan.unknowns import Unknown
from tablegate.dialects.terraform_source.definitions import Definition, Key, defined
from tablegate.dialects.terraform_source.evaluate import evaluated
from tablegate.dialects.terraform_source.modules import ModuleInstance
from tablegate.dialects.terraform_source.scopes import Scope
from tablegate.dialects.terraform_source.things import instance_key
from tablegate.dialects.terraform_source.values import FailedError
from tablegate.model.value import Place
from tablegate.syntax.errors import ParseError
from tablegate.syntax.hcl_nodes import Block, Expression

_STEPS = 100_000  # of loops


class Evaluation:
    """The modules of one plan's source, with what the plan was given."""

    def __init__(self, folders: Folders, root: Module, variables: Tree) -> None:
        self._folders = folders
        self._variables = variables
        self._steps = _STEPS
        self._definitions: dict[str, Definition] = {}
        self._modules: dict[str, ModuleInstance | None] = {"": ModuleInstance(self, self._definition(root.folder))}

    def value(self, instance: Instance, node: Expression) -> object:
        """What an expression of a resource comes to; None where its instance is not found."""
        module = self._module(instance.module)
        if module is None:
            return None
        try:
            scope = self._scope(module, instance)
            return None if scope is None else evaluated(node, scope)
        except ParseError:
            return None

    def called(self, block: Block, folder: str, path: tuple[str, ...]) -> Definition | None:
        """The module that a block calls; None where its source is not at hand."""
        found = self._folders.of_call(block, folder, path)
        return None if found is None or not self._folders.sources(found) else self._definition(found)

    def given(self, name: str, block: Block, module: ModuleInstance) -> object:  # noqa: ARG002 - the plan says it
        """The content of a variable of the root module."""
        held = tree(self._variables.get(name))
        return held["value"] if "value" in held else Unknown(f"the variable {name} is not in the plan")

    def refuse(self, message: str, place: Place, *, duplicate: bool = False, hint: str | None = None) -> None:
        """A part of the source that cannot be read."""
        self._folders.refuse(message, place, duplicate=duplicate, hint=hint)

    def spend(self) -> None:
        """One more step of a loop. Of too many the expression fails."""
        self._steps -= 1
        if self._steps < 0:
            raise FailedError

    def keep_secret(self, content: object) -> None:
        """The plan tells already what no report may hold."""

    def _definition(self, folder: str) -> Definition:
        found = self._definitions.get(folder)
        if found is None:
            sources = self._folders.sources(folder)
            found = self._definitions[folder] = defined(folder, sources, self._folders.grammar, self._folders.refuse)
        return found

    def _module(self, address: str) -> ModuleInstance | None:
        if address not in self._modules:
            path = calls(address)
            above = self._module(path[-2].address if len(path) > 1 else "")
            found = None if above is None else (one for one in above.children() if one.address == address)
            self._modules[address] = None if found is None else next(found, None)
        return self._modules[address]

    def _scope(self, module: ModuleInstance, instance: Instance) -> Scope | None:
        key = Key(instance.mode, instance.type, instance.name)
        if key not in module.definition.resources:
            return None
        repeats = module.repeats(key)
        found = (pair for pair in repeats.pairs if instance_key(pair[0]) == instance.key)
        at = next(found, None)
        return None if at is None or repeats.doubt is not None else Scope(module, *at, repeats.counts)
