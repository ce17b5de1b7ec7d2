"""What the list of a plan's changes says of each resource, before anybody looks into the change."""

from __future__ import annotations

from msgspec import UNSET, Raw, Struct, UnsetType

from tablegate.dialects.terraform_plan.configuration import Tree
from tablegate.syntax import raw_json


class Item(Struct, omit_defaults=True):
    """One resource change, its change still raw."""

    address: str
    type: str
    name: str
    change: Raw
    mode: str = ""
    module_address: str | UnsetType = UNSET
    previous_address: str | UnsetType = UNSET
    index: str | int | UnsetType = UNSET
    index_unknown: bool | UnsetType = UNSET
    provider_name: str | UnsetType = UNSET
    deposed: str | UnsetType = UNSET
    action_reason: str | UnsetType = UNSET


def mode_of(item: Item) -> str:
    """Whether it is read or managed. Filtered plans leave that out; the address has it too."""
    return "data" if item.address.removeprefix(f"{item.module_address or ''}.").startswith("data.") else "managed"


def item_of(content: Tree) -> Item:
    """What is well formed of such content; the change is added to it."""

    def text(name: str) -> str | UnsetType:
        found = content.get(name)
        return found if isinstance(found, str) else UNSET

    index = content.get("index")
    return Item(
        address=str(content.get("address", "")),
        mode=str(content.get("mode", "")),
        type=str(content.get("type", "")),
        name=str(content.get("name", "")),
        change=Raw(b"{}"),
        module_address=text("module_address"),
        previous_address=text("previous_address"),
        index=index if isinstance(index, (str, int)) and not isinstance(index, bool) else UNSET,
        provider_name=text("provider_name"),
        deposed=text("deposed"),
        action_reason=text("action_reason"),
    )


def of_state(resource: Tree, module: str) -> tuple[Item, raw_json.Part]:
    """A resource of a state, as a change that changes nothing."""
    values, marks = resource.get("values"), resource.get("sensitive_values", {})
    change = {
        "actions": ["no-op"],
        "before": values,
        "after": values,
        "after_unknown": {},
        "before_sensitive": marks,
        "after_sensitive": marks,
    }
    content = {**resource, "module_address": module or None, "deposed": resource.get("deposed_key")}
    return item_of(content), raw_json.Plain(change)
