"""Everything in one input: tables, changes, clusters, holders and grants."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Protocol

from tablegate.model.record import field, record, replace, wire
from tablegate.model.table import Construct, Dialect, Table
from tablegate.model.value import Doubt, Place, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.iam.grants import Grant
    from tablegate.iam.holders import Holder


class ChangeKind(StrEnum):
    """What the deploy does to a resource."""

    NOOP = "no-op"
    CREATE = "create"
    UPDATE = "update"
    REPLACE = "replace"
    DELETE = "delete"
    READ = "read"
    FORGET = "forget"
    UNKNOWN = "unknown"


class ReplaceOrder(StrEnum):
    """The order of the two steps of a replacement."""

    DELETE_FIRST = "delete-first"
    CREATE_FIRST = "create-first"
    CREATE_THEN_FORGET = "create-then-forget"
    FORGET_THEN_CREATE = "forget-then-create"


@record(eq=False)
class Change:
    """The change of one table. ``before`` is read when a policy asks for it."""

    address: str
    place: Place | None
    kind: ChangeKind
    make_before: Callable[[], Table | None] = field(repr=False)
    after: Table | None = None
    order: ReplaceOrder | None = None
    replace_paths: tuple[str, ...] = ()
    reason: str | None = None
    importing: str | None = None
    previous_address: str | None = None
    deposed: str | None = None
    retained: Value[bool] | None = None  # whether the table survives its removal, if the input says so
    doubt: Doubt | None = None  # why it may be less than this
    estate: Estate = field(init=False, compare=False, repr=False)

    @property
    def before(self) -> Table | None:
        """The table as it is before the deploy."""
        return self.make_before()


@record()
class DaxCluster:
    """A DAX cluster in front of tables."""

    address: str
    place: Place | None
    encrypted: Value[bool]
    in_transit: Value[str]  # NONE or TLS
    scenario: Mapping[str, str] | None = None


@record()
class LegacyGlobalTable:
    """A global table of version 2017, or a replica that old CDK makes by a custom resource."""

    address: str
    place: Place | None
    custom_resource: bool
    table: str | None  # address of the table it extends, if that is in this input
    table_retained: Value[bool]
    deletion_policy: Value[str]
    scenario: Mapping[str, str] | None = None


class Callers(Protocol):
    """Who may change what a called module says."""

    def place(self, address: str, own: Place | None, fix: str | None = None) -> Place | None:
        """The place of a finding about a resource, or of its evidence: that of the call, if it is in a module."""

    def fix(self, address: str, text: str | None) -> str | None:
        """The remedy of a finding about a resource, as the caller of its module can apply it."""


@record(eq=False)
class Estate:
    """Everything in one input. ``manages_*`` tell whether it has resources of that kind at all."""

    file: str
    dialect: Dialect
    spelling: str | None = None  # how a template is written: json or yaml
    tables: tuple[Table, ...] = ()
    neighbours: tuple[Table, ...] = ()  # tables of other inputs of the run, named by grants of this one
    changes: tuple[Change, ...] = ()
    dax_clusters: tuple[DaxCluster, ...] = ()
    legacy_global_tables: tuple[LegacyGlobalTable, ...] = ()
    grants: tuple[Grant, ...] = ()
    holders: tuple[Holder, ...] = ()
    manages_alarms: bool = False
    manages_consumers: bool = False
    manages_backups: bool = False
    constructs: Mapping[str, Construct] = field(default_factory=dict, repr=False)  # by the address of the resource
    secrets: frozenset[str] = field(default=frozenset(), repr=False)  # texts that no report may show
    callers: Callers | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for subject in (*self.tables, *self.changes, *self.holders):
            wire(subject, "estate", self)


def with_tables(estate: Estate, tables: Mapping[int, Table]) -> Estate:
    """The estate with other tables, by the ids of those they replace. Its changes refer to the new ones."""
    if not tables:
        return estate
    changes = {id(change): _with_after(change, tables) for change in estate.changes}
    for table in tables.values():
        if id(table.change) in changes:
            wire(table, "change", changes[id(table.change)])
    return replace(
        estate,
        tables=tuple([tables.get(id(table), table) for table in estate.tables]),
        changes=tuple(changes.values()),
    )


def _with_after(change: Change, tables: Mapping[int, Table]) -> Change:
    after = tables.get(id(change.after))
    return change if after is None or after is change.after else replace(change, after=after)
