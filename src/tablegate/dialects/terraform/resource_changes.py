"""The resource changes of a plan. Each is decoded when it is first asked for.

A large plan has thousands of changes, and few of them are of types that are read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec import UNSET, Raw, Struct, UnsetType

from tablegate.dialects.reading import Faults
from tablegate.dialects.terraform.configuration import NOTHING, Configuration, Key, Tree, bracketed, calls
from tablegate.model.estate import ChangeKind, ReplaceOrder
from tablegate.syntax.json import lazy as raw_json
from tablegate.syntax.node import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.dialects.terraform.source_info import LazySourceResource


class ChangeRow(Struct, omit_defaults=True):
    """One entry of the list, its change still encoded."""

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


MODES = frozenset({"managed", "data"})


def mode_of(row: ChangeRow) -> str:
    """``data`` or ``managed``, by the address: filtered plans leave the mode out."""
    return "data" if row.address.removeprefix(f"{row.module_address or ''}.").startswith("data.") else "managed"


def row_of(content: Tree) -> ChangeRow:
    """The members that are well formed, without the change."""

    def text(name: str) -> str | UnsetType:
        value = content.get(name)
        return value if isinstance(value, str) else UNSET

    index = content.get("index")
    return ChangeRow(
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


def of_state(resource: Tree, module: str) -> tuple[ChangeRow, raw_json.Part]:
    """A resource of a state, as a change without actions."""
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
    return row_of(content), raw_json.Plain(change)


_KINDS: dict[tuple[str, ...], ChangeKind] = {
    ("no-op",): ChangeKind.NOOP,
    ("create",): ChangeKind.CREATE,
    ("read",): ChangeKind.READ,
    ("update",): ChangeKind.UPDATE,
    ("delete",): ChangeKind.DELETE,
    ("forget",): ChangeKind.FORGET,
}
_ORDERS: dict[tuple[str, ...], ReplaceOrder] = {
    ("delete", "create"): ReplaceOrder.DELETE_FIRST,
    ("create", "delete"): ReplaceOrder.CREATE_FIRST,
    ("create", "forget"): ReplaceOrder.CREATE_THEN_FORGET,
    ("forget", "create"): ReplaceOrder.FORGET_THEN_CREATE,
}
_TEXTS = ("address", "type", "name")


class ResourceChange:
    """One instance of one resource, and what the plan does to it."""

    __slots__ = (
        "_change",
        "_kind",
        "_marks",
        "_part",
        "address",
        "deposed",
        "faults",
        "key",
        "mode",
        "module",
        "name",
        "path",
        "previous_address",
        "provider",
        "reason",
        "source_resource",
        "type",
    )

    def __init__(
        self, row: ChangeRow, part: raw_json.Part, path: str, faults: Faults, origin: LazySourceResource | None = None
    ) -> None:
        self.source_resource = origin
        self.address = row.address
        self.module = row.module_address or ""
        self.mode = row.mode
        self.type = row.type
        self.name = row.name
        self.key: Key = None if row.index is UNSET else row.index
        self.provider = row.provider_name or ""
        self.deposed = row.deposed or None
        self.previous_address = row.previous_address or None
        self.reason = row.action_reason or None
        self.path = path
        self.faults = faults
        self._part = part
        self._change: Tree | None = None
        self._kind: ChangeKind | None = None
        self._marks: dict[str, object] = {}

    @property
    def change(self) -> Tree:
        """The change: actions, before, after, and what is unknown or sensitive."""
        if self._change is None:
            content = (
                raw_json.decode(self._part) if self.source_resource is None else self.source_resource.loaded.change
            )
            if not isinstance(content, dict):
                what = raw_json.kind_of(content)
                self.faults.unreadable(f"{self.address}: change must be an object, not {what}", f"{self.path}.change")
                content = NOTHING
            self._change = content
        return self._change

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions as the plan names them."""
        actions = self.change.get("actions")
        return tuple(str(action) for action in actions) if isinstance(actions, list) else ()

    @property
    def kind(self) -> ChangeKind:
        """What the actions amount to."""
        if self._kind is None:
            actions = self.actions
            replaces = "create" in actions and ("delete" in actions or "forget" in actions)
            self._kind = ChangeKind.REPLACE if replaces else _KINDS.get(actions, ChangeKind.UNKNOWN)
        return self._kind

    @property
    def order(self) -> ReplaceOrder | None:
        """Which comes first in a replacement."""
        return _ORDERS.get(self.actions)

    @property
    def keeps(self) -> bool:
        """Whether the object that there is stays, without being managed any more."""
        return "forget" in self.actions

    def marks(self, side: str) -> object:
        """The marks of sensitive members ``before`` or ``after``; None if there are none."""
        if side not in self._marks:
            marks = self.change.get(f"{side}_sensitive")
            self._marks[side] = marks if marks and raw_json.holds_true(marks) else None
        return self._marks[side]

    def configured(self, configuration: Configuration) -> Tree | None:
        """How the resource is configured; None if that is not known."""
        if self.source_resource is None:
            return configuration.resource(self.module, self.mode, self.type, self.name)
        loaded = self.source_resource.loaded
        return {"provider_config_key": loaded.provider, "expressions": loaded.expressions}

    def side(self, name: str) -> Tree | None:
        """The values ``before`` or ``after``; None if the resource does not exist on that side."""
        content = self.change.get(name)
        if content is None or isinstance(content, dict):
            return content
        what = raw_json.kind_of(content)
        path = f"{self.path}.change.{name}"
        self.faults.unreadable(f"{self.address}: {name} must be an object or null, not {what}", path)
        return None


class ResourceChanges:
    """All changes of a plan, in its order."""

    def __init__(self, faults: Faults) -> None:
        self.rows: list[ChangeRow] = []
        self._faults = faults
        self._parts: list[raw_json.Part] = []
        self._paths: dict[int, str] = {}  # of rows that are not in the list of changes
        self._list = ""
        self._sources: dict[int, LazySourceResource] = {}
        self._changes: dict[int, ResourceChange] = {}
        self._by_type: dict[str, list[int]] | None = None
        self._keys: dict[str, list[Key]] | None = None
        self._index: dict[tuple[str, str, str, str], list[int]] | None = None

    def add(self, row: ChangeRow, part: raw_json.Part, path: str, origin: LazySourceResource | None = None) -> None:
        """Add a row that is not in the list of changes."""
        if origin is not None:
            self._sources[len(self.rows)] = origin
        row.mode = row.mode or mode_of(row)
        self._paths[len(self.rows)] = path
        self.rows.append(row)
        self._parts.append(part)

    def at(self, number: int) -> ResourceChange:
        """The change of a row."""
        change = self._changes.get(number)
        if change is None:
            source = self._sources.get(number)
            change = ResourceChange(self.rows[number], self._parts[number], self.path(number), self._faults, source)
            self._changes[number] = change
        return change

    def path(self, number: int) -> str:
        """The path of a row in the plan."""
        return self._paths.get(number) or f"{self._list}[{number}]"

    def any_of(self, wanted: Collection[str]) -> bool:
        """Whether there is a change of one of these types."""
        return not self._typed().keys().isdisjoint(wanted)

    def of(self, wanted: Iterable[str]) -> list[ResourceChange]:
        """The changes of these types, in the plan's order."""
        by_type = self._typed()
        return [self.at(number) for number in sorted(number for type_ in wanted for number in by_type.get(type_, ()))]

    def _typed(self) -> dict[str, list[int]]:
        if self._by_type is None:
            self._by_type = {}
            for number, row in enumerate(self.rows):
                self._by_type.setdefault(row.type, []).append(number)
        return self._by_type

    def named(self, module: str, mode: str, type_: str, name: str) -> list[ResourceChange]:
        """The changes of one resource in one module instance."""
        if self._index is None:
            self._index = {}
            for number, row in enumerate(self.rows):
                if not row.deposed:
                    key = (row.module_address or "", row.mode, row.type, row.name)
                    self._index.setdefault(key, []).append(number)
        return [self.at(number) for number in self._index.get((module, mode, type_, name), ())]

    def keys(self, module: str) -> list[Key]:
        """The keys of the instances of a called module that have resources."""
        if self._keys is None:
            self._keys = {}
            addresses = {row.module_address for row in self.rows if row.module_address}
            for call in sorted({call for address in addresses for call in calls(address)}, key=str):
                self._keys.setdefault(call.address.removesuffix(bracketed(call.key)), []).append(call.key)
        return self._keys.get(module, [])

    def read(self, part: raw_json.Part, path: str) -> None:
        """Read the plan's list. Items of another shape are faults."""
        rows = raw_json.shaped(part, list[ChangeRow])
        if rows is not None:
            for row in rows:
                row.mode = row.mode or mode_of(row)
            self.rows = rows
            self._parts = [row.change for row in rows]
            self._list = path
            return
        try:
            parts = raw_json.items(part)
        except ParseError as error:
            if error.line is not None:
                raise
            self._faults.unreadable(f"{path}: {error.message}", path)
            return
        for number, one in enumerate(parts):
            self.read_one(one, f"{path}[{number}]")

    def read_one(self, part: raw_json.Part, path: str) -> None:
        """Add one change, member by member."""
        try:
            members = raw_json.members(part)
        except ParseError as error:
            if error.line is not None:
                raise
            self._faults.unreadable(f"{path}: {error.message}", path)
            return
        change = members.pop("change", None)
        content = {name: raw_json.decode(members[name]) for name in ChangeRow.__struct_fields__ if name in members}
        missing = [name for name in _TEXTS if not isinstance(content.get(name), str)]
        if change is None or missing:
            names = ", ".join([*missing, *(["change"] if change is None else [])])
            self._faults.unreadable(f"{path} needs {names}", path)
            return
        self.add(row_of(content), change, path)
