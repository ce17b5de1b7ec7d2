"""Where module calls are written in the source of a plan."""

from __future__ import annotations

from collections.abc import Callable

from tablegate.dialects.terraform.callers import DynamicBlocks, Keys
from tablegate.dialects.terraform.configuration import calls, parent
from tablegate.dialects.terraform.source.call_lines import argument_place, dynamic_in
from tablegate.dialects.terraform.source_map.modules import Module
from tablegate.model.value import Place


class CallsOfPlan:
    """The calls in the source of a plan, also those of modules whose source is not at hand."""

    def __init__(self, module: Callable[[str], Module | None]) -> None:
        self._module = module

    def place(self, call: str, argument: str, keys: Keys, content: object = None) -> Place | None:
        """Where a call sets an argument, or the call itself; None if the call is not found."""
        above = self._module(parent(call))
        block = None if above is None else above.block("module", calls(call)[-1].name)
        return None if block is None else argument_place(block, argument, keys, content)

    @property
    def in_order(self) -> bool:
        """A plan sorts blocks."""
        return False

    def dynamic(self, module: str, type_: str, name: str, block: str) -> DynamicBlocks | None:
        """The dynamic blocks of a name in a resource; None if there are none, or others as well."""
        owner = self._module(module)
        found = None if owner is None else owner.block("resource", type_, name)
        return None if owner is None or found is None else dynamic_in(owner.folders.body(found), block)

    def folder(self, module: str) -> str | None:
        """The folder of a module; None if its source is not at hand."""
        found = self._module(module)
        return None if found is None else found.folder
