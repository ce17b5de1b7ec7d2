"""What the plan does to each table."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tablegate.dialects.terraform_plan.configuration import tree
from tablegate.dialects.terraform_plan.faults import Faults
from tablegate.dialects.terraform_plan.instances import Instance
from tablegate.model.change import Change, ChangeKind
from tablegate.model.record import wire
from tablegate.model.table import Table
from tablegate.model.value import Place


def read_change(
    instance: Instance, after: Table | None, make_before: Callable[[Instance], Table | None], here: Place | None
) -> Change:
    """The change of one table, bound to the table that it leaves."""
    change = Change(
        address=instance.address,
        place=here or Place(instance.faults.file),
        kind=ChangeKind.DELETE if instance.deposed else instance.kind,
        make_before=_Once(instance, make_before),
        after=after,
        order=instance.order,
        replace_paths=_paths(instance.change.get("replace_paths")),
        reason=instance.reason,
        importing=_importing(instance.change.get("importing")),
        previous_address=instance.previous_address,
        deposed=instance.deposed,
    )
    if after is not None:
        # The two know each other, and the one has to be there before the other.
        wire(after, "change", change)
    return change


def note_actions(instance: Instance, faults: Faults) -> None:
    """Say of an action that nobody knows yet that it is not known."""
    if instance.kind is ChangeKind.UNKNOWN:
        actions = ", ".join(instance.actions) or "none"
        faults.incomplete(f"{instance.address}: unknown actions ({actions})", blocks=False, path=instance.path)


class _Once:
    """Makes the table before the change when somebody first asks."""

    __slots__ = ("_instance", "_made", "_make", "_table")

    def __init__(self, instance: Instance, make: Callable[[Instance], Table | None]) -> None:
        self._instance = instance
        self._make = make
        self._made = False
        self._table: Table | None = None

    def __call__(self) -> Table | None:
        if not self._made:
            self._table = self._make(self._instance)
            self._made = True
        return self._table


def _paths(content: object) -> tuple[str, ...]:
    """Attribute paths, in the notation of places."""
    found = []
    for path in content if isinstance(content, list) else ():
        steps = path if isinstance(path, list) else [path]
        text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
        found.append(text.removeprefix("."))
    return tuple(found)


def _importing(content: object) -> str | None:
    """By which id or identity an existing table comes under management."""
    if not isinstance(content, Mapping):
        return None
    found = content.get("id")
    if isinstance(found, str):
        return found
    identity = tree(content.get("identity"))
    parts = [f"{key}={value}" for key, value in sorted(identity.items()) if isinstance(value, (str, int))]
    return ", ".join(parts) or "known only after apply"
