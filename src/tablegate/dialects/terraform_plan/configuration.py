"""The plan's configuration section: what was written, as far as plan JSON tells it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from tablegate.dialects.terraform_plan.addresses import calls, unkeyed

Tree: TypeAlias = Mapping[str, object]

NOTHING: Tree = {}


def tree(content: object) -> Tree:
    """The content if it is an object, else nothing."""
    return content if isinstance(content, dict) else NOTHING


def trees(content: object) -> Sequence[Tree]:
    """The objects among the items of a list."""
    return [item for item in content if isinstance(item, dict)] if isinstance(content, list) else []


class Configuration:
    """Modules, their resources and calls, found by module address."""

    def __init__(self, content: Tree) -> None:
        self.providers = tree(content.get("provider_config"))
        self._root = tree(content.get("root_module"))
        self._modules: dict[str, Tree] = {"": self._root}
        self._resources: dict[int, dict[tuple[str, str, str], Tree]] = {}

    @property
    def root(self) -> Tree:
        """The root module."""
        return self._root

    def module(self, address: str) -> Tree:
        """What a module holds: the same for all its instances."""
        found = self._modules.get(address)
        if found is None:
            plain = unkeyed(address)
            found = self._modules.get(plain)
            if found is None:
                found = self._root
                for call in calls(plain):
                    found = tree(tree(tree(found.get("module_calls")).get(call.name)).get("module"))
                self._modules[plain] = found
            self._modules[address] = found
        return found

    def call(self, address: str) -> Tree:
        """How a module is called."""
        path = calls(address)
        above = self.module(path[-2].address if len(path) > 1 else "")
        return tree(tree(above.get("module_calls")).get(path[-1].name))

    def resource(self, module: str, mode: str, type_: str, name: str) -> Tree | None:
        """A resource as it was written; None where the plan does not tell."""
        content = self.module(module)
        index = self._resources.get(id(content))
        if index is None:
            index = {
                (str(item.get("mode")), str(item.get("type")), str(item.get("name"))): item
                for item in trees(content.get("resources"))
            }
            self._resources[id(content)] = index
        return index.get((mode, type_, name))
