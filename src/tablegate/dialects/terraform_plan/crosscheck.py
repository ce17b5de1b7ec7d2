"""Planned values against resource changes: Terraform writes the same twice, and who edits a plan may not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from msgspec import Raw, Struct, field

from tablegate.dialects.terraform_plan.configuration import Tree, tree
from tablegate.dialects.terraform_plan.faults import Faults
from tablegate.dialects.terraform_plan.instances import Instances
from tablegate.dialects.terraform_plan.secrets import texts
from tablegate.dialects.terraform_plan.worlds import TABLE_TYPES
from tablegate.model.change import ChangeKind
from tablegate.syntax import raw_json

_NULL = Raw(b"null")
_READ = frozenset(
    {
        "attribute",
        "billing_mode",
        "deletion_protection_enabled",
        "global_secondary_index",
        "global_table_witness",
        "hash_key",
        "import_table",
        "local_secondary_index",
        "name",
        "on_demand_throughput",
        "point_in_time_recovery",
        "range_key",
        "read_capacity",
        "replica",
        "server_side_encryption",
        "stream_enabled",
        "stream_view_type",
        "table_class",
        "tags_all",
        "ttl",
        "write_capacity",
    }
)
_HINT = "plan again: one of the two sections was taken away or edited"
Values: TypeAlias = dict[str, raw_json.Part]


class _Resource(Struct):
    address: str
    type: str
    mode: str = "managed"
    values: Raw = _NULL


class _Module(Struct):
    resources: list[_Resource] = []
    child_modules: list[_Module] = []


class _Output(Struct):
    sensitive: bool = False
    value: Raw = _NULL


class _Planned(Struct):
    root_module: _Module = field(default_factory=_Module)
    outputs: dict[str, _Output] = {}


def check_planned(part: raw_json.Part | None, instances: Instances, faults: Faults) -> Iterator[str]:
    """Refuse tables of which the two sections say different things. Gives the texts of sensitive outputs."""
    planned = None if part is None else raw_json.typed(part, _Planned)
    if planned is None:
        return
    _compare(_tables(planned.root_module), instances, faults)
    for output in planned.outputs.values():
        if output.sensitive:
            yield from texts(raw_json.decode(output.value))


def _tables(root: _Module) -> Values:
    found: Values = {}
    waiting = [root]
    while waiting:
        module = waiting.pop()
        for resource in module.resources:
            if resource.type in TABLE_TYPES and resource.mode == "managed":
                found[resource.address] = resource.values
        waiting += module.child_modules
    return found


def _compare(planned: Values, instances: Instances, faults: Faults) -> None:
    changed = {one.address: one for one in instances.of(TABLE_TYPES) if one.mode == "managed" and not one.deposed}
    for address, values in planned.items():
        instance = changed.get(address)
        if instance is None:
            faults.refuse(f"{address} is planned, but no resource change speaks of it", "planned_values", _HINT)
            continue
        after = instance.side("after")
        if after is None:
            if instance.kind is not ChangeKind.FORGET:
                faults.refuse(f"{address} is planned, but its change leaves nothing", instance.path, _HINT)
        elif not raw_json.is_same(values, after) and _disagree(tree(raw_json.decode(values)), after):
            faults.refuse(f"{address}: planned values and resource change disagree", instance.path, _HINT)


def _disagree(planned: Tree, after: Tree) -> bool:
    """Whether anything that is judged differs; what only the change knows is judged all the same."""
    return any(planned[key] != after.get(key) for key in planned if key in after or key in _READ)
