"""The prior state in a plan: what existed before it, and what data sources returned."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from msgspec import Raw, Struct, field

from tablegate.dialects.terraform.configuration import Key, Tree, tree, trees
from tablegate.model.record import record
from tablegate.syntax.json import lazy as raw_json

_NULL = Raw(b"null")


class _Resource(Struct):
    type: str
    name: str
    address: str = ""
    mode: str = "managed"
    index: str | int | None = None
    values: Raw = _NULL


class _Module(Struct):
    address: str = ""
    resources: list[_Resource] = []
    child_modules: list[_Module] = []


class _Values(Struct):
    root_module: _Module = field(default_factory=_Module)


class _State(Struct):
    values: _Values = field(default_factory=_Values)


@record(kw_only=False)
class DataSourceResult:
    """What one data source returned, still encoded."""

    module: str
    type: str
    name: str
    key: Key
    part: raw_json.Part

    @property
    def values(self) -> Tree:
        """Its attributes."""
        return tree(raw_json.decode(self.part))


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
    """The resource with its module in its address, which Terraform 0.12 leaves out."""
    address = resource.get("address")
    return {**resource, "address": absolute(address, module)} if isinstance(address, str) else resource


def absolute(address: str, module: str) -> str:
    """An address with its module."""
    return address if not module or address.startswith(f"{module}.") else f"{module}.{address}"


class PriorState:
    """The state before the plan. Its parts are decoded when they are first asked for."""

    def __init__(self, part: raw_json.Part | None) -> None:
        self._part = part
        self._resources: list[tuple[Tree, str]] | None = None
        self._data: list[DataSourceResult] | None = None

    def resources(self) -> list[tuple[Tree, str]]:
        """Its resources with their module addresses."""
        if self._resources is None:
            content = None if self._part is None else raw_json.decode(self._part)
            self._resources = list(resources(tree(content).get("values")))
        return self._resources

    def is_named_in(self, addresses: Collection[str]) -> bool:
        """Whether every managed resource has one of these addresses."""
        state = None if self._part is None else raw_json.typed(self._part, _State)
        if state is None:
            named = (one.get("address") for one, _ in self.resources() if one.get("mode") != "data")
            return all(address in addresses for address in named)
        waiting = [state.values.root_module]
        while waiting:
            module = waiting.pop()
            for one in module.resources:
                if one.mode != "data" and absolute(one.address, module.address) not in addresses:
                    return False
            waiting += module.child_modules
        return True

    def data(self, module: str, type_: str, name: str, key: Key) -> Tree | None:
        """What a data source returned when the plan was made."""
        wanted = (module, type_, name, key)
        return next(
            (one.values for one in self.data_of(type_) if (one.module, one.type, one.name, one.key) == wanted), None
        )

    def data_of(self, type_: str) -> list[DataSourceResult]:
        """The data sources of one type."""
        if self._data is None:
            self._data = [] if self._part is None else list(self._read(self._part))
        return [one for one in self._data if one.type == type_]

    def _read(self, part: raw_json.Part) -> Iterator[DataSourceResult]:
        state = raw_json.typed(part, _State)
        if state is None:
            for resource, address in self.resources():
                if resource.get("mode") == "data":
                    index = resource.get("index")
                    key = index if isinstance(index, (str, int)) else None
                    values = raw_json.Plain(resource.get("values"))
                    yield DataSourceResult(address, str(resource.get("type")), str(resource.get("name")), key, values)
            return
        waiting = [state.values.root_module]
        while waiting:
            module = waiting.pop()
            for one in module.resources:
                if one.mode == "data":
                    yield DataSourceResult(module.address, one.type, one.name, one.index, one.values)
            waiting += reversed(module.child_modules)
