"""The source that a plan was made of: where what the plan holds was written, and what only source tells.

The plan decides. Source that says something else than the plan is not the source of it: what is not found there has
no place, and where the two do not agree how a resource is written, nothing is settled by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from tablegate.dialects.source_map.agreement import OF_CALLS, agrees
from tablegate.dialects.source_map.causes import Causes, Site
from tablegate.dialects.source_map.evaluation import Evaluation
from tablegate.dialects.source_map.expressions import expression_of
from tablegate.dialects.source_map.modules import Folders, Module
from tablegate.dialects.source_map.reading import drilled
from tablegate.dialects.source_map.resources import Mapped
from tablegate.dialects.terraform_plan.addresses import calls, unkeyed
from tablegate.dialects.terraform_plan.configuration import Configuration, Tree, tree
from tablegate.dialects.terraform_plan.instances import Instance
from tablegate.dialects.terraform_plan.origins import Found
from tablegate.dialects.terraform_plan.references import Rest
from tablegate.dialects.terraform_source.writing import lifecycle
from tablegate.findings import Fault
from tablegate.syntax.hcl_nodes import Block, Body, Expression
from tablegate.syntax.source import Source
from tablegate.syntax.source import Tree as SourceTree


class SourceMap:
    """The source of one plan, looked into where something of the plan stands."""

    def __init__(
        self,
        source: SourceTree,
        values: Iterable[Source],
        grammar: str | None,
        configuration: Configuration,
        variables: Tree,
    ) -> None:
        self._folders = Folders(source, values, grammar)
        self._configuration = configuration
        self._causes = Causes(variables)
        self._root = Module(self._folders, source.root)
        self._variables = variables
        self._evaluation: Evaluation | None = None
        self._sure: dict[tuple[int, int], bool] = {}  # by blocks and what is configured, which stay as long as this
        self._called: dict[str, bool] = {"": True}

    @property
    def faults(self) -> Sequence[Fault]:
        """What of it could not be read."""
        return self._folders.faults

    def of(self, instance: Instance, configured: Tree | None, content: Tree) -> Found | None:
        """Where a resource was written, with this content after the plan."""
        module = self._module(instance.module)
        kind = "data" if instance.mode == "data" else "resource"
        block = None if module is None else module.block(kind, instance.type, instance.name)
        if module is None or block is None:
            return None
        body = self._folders.body(block)
        sure = configured is not None and self._agrees(block, body, configured) and self._is_called(instance.module)
        keys = tuple(call.key for call in calls(instance.module))
        site = Site(module, keys, body.attributes.get("for_each"), instance.key)
        value = partial(self._value, instance)
        written = Mapped(block, body, content, site, self._causes, sure=sure, value=value)
        return Found(written, lifecycle(body)[0], sure)

    def _agrees(self, block: Block, body: Body, configured: Tree) -> bool:
        """Whether the block is the one that was planned: the same for all instances of a resource."""
        key = id(block), id(configured)
        if key not in self._sure:
            self._sure[key] = agrees(body, tree(configured.get("expressions")))
        return self._sure[key]

    def _is_called(self, address: str) -> bool:
        """Whether a module, and those above it, are called as they were when the plan was made."""
        address = unkeyed(address)
        if address not in self._called:
            module, path = self._module(address), calls(address)
            call = None if module is None else module.call
            expressions = tree(self._configuration.call(address).get("expressions"))
            same = call is not None and agrees(self._folders.body(call), expressions, OF_CALLS)
            self._called[address] = same and self._is_called(path[-2].address if len(path) > 1 else "")
        return self._called[address]

    def local(self, module: str, name: str, rest: Rest) -> tuple[object, Rest] | None:
        """What a local reads, as a plan's configuration says it, and what is still to be taken of that."""
        found = self._module(module) if self._is_called(module) else None
        attribute = None if found is None else found.local(name)
        if attribute is None:
            return None
        keys = tuple(step.name if step.name is not None else step.key for step in rest)
        part = drilled(attribute.value, tuple(key for key in keys if key is not None))
        return expression_of(part.node), rest[len(part.taken) :]

    def _value(self, instance: Instance, node: Expression) -> object:
        if self._evaluation is None:
            self._evaluation = Evaluation(self._folders, self._root, self._variables)
        return self._evaluation.value(instance, node)

    def _module(self, address: str) -> Module | None:
        found: Module | None = self._root
        for call in calls(address):
            found = None if found is None else found.child(call.name)
        return found
