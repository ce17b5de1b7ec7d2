"""What CloudFormation does to one resource, in the words of the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from tablegate.dialects.change_set.document import ResourceChange, items, member, members, text
from tablegate.model import facts
from tablegate.model.change import Change, ChangeKind, ReplaceOrder
from tablegate.model.table import Table
from tablegate.model.value import Doubt, Place, Value

_KINDS = {
    "Add": ChangeKind.CREATE,
    "Modify": ChangeKind.UPDATE,
    "Remove": ChangeKind.DELETE,
    "Import": ChangeKind.NOOP,
    "SyncWithActual": ChangeKind.NOOP,
}
_RETAINED = {"Delete": False, "ReplaceAndDelete": False, "Retain": True, "ReplaceAndRetain": True}
_CONDITIONALLY = Doubt("it is replaced only under a condition that CloudFormation decides when it executes the set")


def exists_before(change: ResourceChange) -> bool:
    """Whether the object is there before the change set is executed."""
    return change.action != "Add"


def exists_after(change: ResourceChange) -> bool:
    """Whether the object is there once it is executed."""
    return change.action != "Remove"


def change_of(
    change: ResourceChange, place: Place, after: Table | None, earlier: Callable[[str], Table | None]
) -> Change:
    """The record of one change. What is there before is made when somebody asks."""
    kind = _KINDS.get(change.action, ChangeKind.UNKNOWN)
    replacement = text(change.members, "Replacement")
    if kind is ChangeKind.UPDATE and replacement in ("True", "Conditional", "true"):
        kind = ChangeKind.REPLACE
    return Change(
        address=change.address,
        place=place,
        kind=kind,
        make_before=partial(earlier, change.address) if exists_before(change) else _nothing,
        after=after,
        order=ReplaceOrder.CREATE_FIRST if kind is ChangeKind.REPLACE else None,
        replace_paths=tuple(dict.fromkeys(_replacing(change))) if kind is ChangeKind.REPLACE else (),
        importing=text(change.members, "PhysicalResourceId") if change.action == "Import" else None,
        retained=_retained(change, place),
        doubt=_CONDITIONALLY if replacement == "Conditional" else None,
    )


def _nothing() -> Table | None:
    return None


def _retained(change: ResourceChange, place: Place) -> Value[bool] | None:
    found = _RETAINED.get(text(change.members, "PolicyAction") or "")
    return None if found is None else facts.RETAINED.of(found, place)


def _replacing(change: ResourceChange) -> Iterator[str]:
    """The properties that make CloudFormation replace the object."""
    for detail in items(member(change.members, "Details")):
        target = members(member(members(detail), "Target"))
        if text(target, "RequiresRecreation") in ("Always", "Conditionally"):
            path = (text(target, "Path") or "").removeprefix("/Properties/").replace("/", ".")
            found = path or text(target, "Name")
            if found:
                yield found
