"""State inside a plan: what was there before, what is planned as a whole, and what data sources gave."""

from __future__ import annotations

from collections.abc import Iterator

from tablegate.dialects.terraform_plan.addresses import Key
from tablegate.dialects.terraform_plan.configuration import Tree, tree, trees
from tablegate.syntax import raw_json


def resources(values: object) -> Iterator[tuple[Tree, str]]:
    """Every resource of a state's values, with its module address."""
    waiting = [(tree(tree(values).get("root_module")), "")]
    while waiting:
        module, address = waiting.pop()
        for resource in trees(module.get("resources")):
            yield _absolute(resource, address), address
        children = trees(module.get("child_modules"))
        waiting += [(child, str(child.get("address", ""))) for child in reversed(children)]


def _absolute(resource: Tree, module: str) -> Tree:
    """Terraform 0.12 leaves the module out of the addresses of a state."""
    address = resource.get("address")
    if not module or not isinstance(address, str) or address.startswith(f"{module}."):
        return resource
    return {**resource, "address": f"{module}.{address}"}


class State:
    """The state before the plan, decoded when somebody asks."""

    def __init__(self, part: raw_json.Part | None) -> None:
        self._part = part
        self._found: list[tuple[Tree, str]] | None = None
        self._data: dict[tuple[str, str, str, Key], Tree] | None = None

    def resources(self) -> list[tuple[Tree, str]]:
        """All its resources, with their module addresses."""
        if self._found is None:
            content = None if self._part is None else raw_json.decode(self._part)
            self._found = list(resources(tree(content).get("values")))
        return self._found

    def data(self, module: str, type_: str, name: str, key: Key) -> Tree | None:
        """What a data source gave when the plan was made."""
        if self._data is None:
            self._data = {}
            for resource, address in self.resources():
                if resource.get("mode") == "data":
                    index = resource.get("index")
                    found = index if isinstance(index, (str, int)) else None
                    where = (address, str(resource.get("type")), str(resource.get("name")), found)
                    self._data[where] = tree(resource.get("values"))
        return self._data.get((module, type_, name, key))
