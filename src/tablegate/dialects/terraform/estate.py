"""Resources into an estate: tables, changes, dax."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from tablegate.dialects.reading import Access, Faults, ReadOptions
from tablegate.dialects.terraform import coverage, secrets
from tablegate.dialects.terraform.configuration import NOTHING, Configuration, Tree, tree
from tablegate.dialects.terraform.coverage import POLICY_TYPES
from tablegate.dialects.terraform.joins import TableFinder
from tablegate.dialects.terraform.kms import Keys
from tablegate.dialects.terraform.prior_state import PriorState
from tablegate.dialects.terraform.references import ReferenceResolver
from tablegate.dialects.terraform.regions import Regions
from tablegate.dialects.terraform.resource_changes import ResourceChange, ResourceChanges
from tablegate.dialects.terraform.resources import Resource, Snapshot
from tablegate.dialects.terraform.schema import TABLE_TYPES
from tablegate.dialects.terraform.source_info import SourceMap
from tablegate.dialects.terraform.table import TableJoins, read_table
from tablegate.findings import Input
from tablegate.model import facts
from tablegate.model.estate import Change, ChangeKind, DaxCluster, Estate, LegacyGlobalTable
from tablegate.model.record import wire
from tablegate.model.table import Dialect, Table
from tablegate.model.value import Doubt, Place


def read_change(
    instance: ResourceChange,
    after: Table | None,
    make_before: Callable[[ResourceChange], Table | None],
    here: Place | None,
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


def note_actions(instance: ResourceChange, faults: Faults) -> None:
    """Say of an action that nobody knows yet that it is not known."""
    if instance.kind is ChangeKind.UNKNOWN:
        actions = ", ".join(instance.actions) or "none"
        faults.incomplete(f"{instance.address}: unknown actions ({actions})", instance.path)


class _Once:
    """Makes the table before the change when somebody first asks."""

    __slots__ = ("_instance", "_made", "_make", "_table")

    def __init__(self, instance: ResourceChange, make: Callable[[ResourceChange], Table | None]) -> None:
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


def dax_clusters(world: Snapshot) -> tuple[DaxCluster, ...]:
    """The DAX clusters."""
    return tuple(sorted((_cluster(one) for one in world.of("aws_dax_cluster")), key=lambda one: one.address))


def legacy_global_tables(world: Snapshot, finder: TableFinder) -> tuple[LegacyGlobalTable, ...]:
    """The global tables of 2017: a resource that ties tables of one name together."""
    found = (_legacy(one, finder) for one in world.of("aws_dynamodb_global_table"))
    return tuple(sorted(found, key=lambda one: one.address))


def _cluster(one: Resource) -> DaxCluster:
    block = one.block.one("server_side_encryption")
    if block is None:
        encrypted = facts.DAX_ENCRYPTED.unset
    elif isinstance(block, Doubt):
        encrypted = facts.DAX_ENCRYPTED.doubted(block, one.block.place("server_side_encryption"))
    else:
        encrypted = block.flag(facts.DAX_ENCRYPTED, "enabled")
    return DaxCluster(
        address=one.address,
        place=one.place,
        encrypted=encrypted,
        in_transit=one.block.text(facts.DAX_IN_TRANSIT, "cluster_endpoint_encryption_type"),
    )


def _legacy(one: Resource, finder: TableFinder) -> LegacyGlobalTable:
    match = finder.of(one, "name")
    table = next((it for it in finder.tables if it.address in match.tables[:1]), None) if match.doubt is None else None
    return LegacyGlobalTable(
        address=one.address,
        place=one.place,
        custom_resource=False,
        table=None if table is None else table.address,
        table_retained=facts.DELETION_PROTECTION.unset
        if table is None
        else table.block.flag(facts.DELETION_PROTECTION, "deletion_protection_enabled"),
        deletion_policy=facts.DELETION_POLICY.unset,
    )


class EstateBuilder:
    """Resources, their worlds before and after, and the faults found on the way."""

    def __init__(
        self,
        dialect: Dialect,
        configuration: Configuration,
        instances: ResourceChanges,
        faults: Faults,
        options: ReadOptions,
        *,
        variables: Tree = NOTHING,
        state: PriorState | None = None,
        source_map: SourceMap | None = None,
    ) -> None:
        self._dialect = dialect
        self._configuration = configuration
        self._instances = instances
        self._faults = faults
        self._variables = variables
        self._state = state or PriorState(None)
        tracer = ReferenceResolver(configuration, instances, variables, source_map)
        self._regions = Regions(configuration, tracer, self._state, options.region, options.account)
        self._before = Snapshot("before", instances, configuration, tracer, faults, dialect=dialect)
        self._after = Snapshot(
            "after", instances, configuration, tracer, faults, dialect=dialect, source_map=source_map
        )
        self._read: Access | None = None
        self._managed_keys: set[str] = set()
        self._joins: dict[Snapshot, TableJoins] = {}

    def changes(self) -> tuple[Change, ...]:
        """What a plan does to its tables."""
        found = []
        for instance in self._instances.of(TABLE_TYPES):
            if instance.mode != "managed":
                continue
            note_actions(instance, self._faults)
            resource = None if instance.deposed else self._after.at(instance)
            after = None if resource is None else self._table(resource, self._after)
            here = None if resource is None else resource.place
            found.append(read_change(instance, after, self._table_before, here))
        found.sort(key=lambda change: (change.address, change.deposed or ""))
        return tuple(found)

    def tables(self) -> tuple[Table, ...]:
        """The tables as they will be, of source: it does not tell what there is already."""
        found = [self._table(resource, self._after) for resource in self._after.of(*TABLE_TYPES)]
        return tuple(sorted(found, key=lambda table: table.address))

    def estate(self, tables: tuple[Table, ...], changes: tuple[Change, ...], more_secrets: Iterable[str]) -> Estate:
        """All of it."""
        joins = self._joins_of(self._after)
        access = self._access(tables)
        return Estate(
            file=self._faults.file,
            dialect=self._dialect,
            tables=tables,
            changes=changes,
            dax_clusters=dax_clusters(self._after),
            legacy_global_tables=legacy_global_tables(self._after, joins.finder),
            grants=access.grants,
            holders=access.holders,
            manages_alarms=joins.alarms.any,
            manages_consumers=joins.consumers.any,
            manages_backups=joins.backups.any,
            secrets=frozenset({*more_secrets, *self._secrets(), *access.secrets}),
        )

    def input(self, tables: tuple[Table, ...], detail: str | None, resources: int) -> Input:
        """What was seen."""
        access = self._access(tables)
        return Input(
            path=self._faults.file,
            kind=str(self._dialect),
            detail=detail,
            resources=resources,
            tables=len(tables),
            indexes=sum(len(table.indexes.content or ()) + len(table.local_indexes.content or ()) for table in tables),
            replicas=sum(len(table.replicas.content or ()) for table in tables),
            documents=access.documents,
            documents_partly=access.partly,
            documents_unread=access.unread,
        )

    def _table_before(self, instance: ResourceChange) -> Table | None:
        resource = self._before.at(instance)
        return None if resource is None else self._table(resource, self._before)

    def _table(self, resource: Resource, world: Snapshot) -> Table:
        joins = self._joins_of(world)
        if resource.resource_change.type == TABLE_TYPES[0]:
            return read_table(resource, joins)
        from tablegate.dialects.terraform.awscc import read_awscc_table  # few plans use that provider

        return read_awscc_table(resource, joins)

    def _joins_of(self, world: Snapshot) -> TableJoins:
        found = self._joins.get(world)
        if found is None:
            keys = Keys(world, self._before, self._regions, self._state, self._managed_keys)
            found = self._joins[world] = TableJoins(world, self._regions, keys)
        return found

    def _access(self, tables: tuple[Table, ...]) -> Access:
        """Who may do what, where there is anything that says so."""
        if self._read is None:
            self._read = self._read_access(tables) if self._instances.any_of(POLICY_TYPES) else Access()
        return self._read

    def _read_access(self, tables: tuple[Table, ...]) -> Access:
        # imported when there is something to read: most plans for tables alone hold no policy
        from tablegate.dialects.terraform.iam import read_access
        from tablegate.dialects.terraform.iam.context import PlanContext

        context = PlanContext(
            world=self._after,
            before=self._before,
            finder=self._joins_of(self._after).finder,
            regions=self._regions,
            state=self._state,
            tables={table.address: table for table in tables},
        )
        return read_access(context)

    def _secrets(self) -> set[str]:
        return {
            *secrets.of_instances(self._instances.of(coverage.READ)),
            *secrets.of_variables(self._configuration, self._variables),
            *secrets.of_providers(self._configuration),
        }
