"""Builds the estate of a plan or of source: tables with their changes, DAX clusters, holders and grants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from tablegate.dialects.reading import Access, Faults, ReadOptions
from tablegate.dialects.terraform import coverage, secrets
from tablegate.dialects.terraform.configuration import NOTHING, Configuration, Tree, tree
from tablegate.dialects.terraform.coverage import POLICY_TYPES
from tablegate.dialects.terraform.definitions import hold_against_schemas
from tablegate.dialects.terraform.joins import TableFinder
from tablegate.dialects.terraform.kms import KmsKeys
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
from tablegate.model.estate import Callers, Change, ChangeKind, DaxCluster, Estate, LegacyGlobalTable
from tablegate.model.record import wire
from tablegate.model.table import Dialect, Table
from tablegate.model.value import Doubt, Place


class EstateBuilder:
    """Builds the estate from the resources before and after a plan."""

    def __init__(
        self,
        dialect: Dialect,
        configuration: Configuration,
        changes: ResourceChanges,
        faults: Faults,
        options: ReadOptions,
        *,
        variables: Tree = NOTHING,
        state: PriorState | None = None,
        source_map: SourceMap | None = None,
        callers: Callers | None = None,
    ) -> None:
        self._dialect = dialect
        self._callers = callers
        self._configuration = configuration
        self._changes = changes
        self._faults = faults
        self._variables = variables
        self._state = state or PriorState(None)
        resolver = ReferenceResolver(configuration, changes, variables, source_map)
        self._regions = Regions(configuration, resolver, self._state, options.region, options.account)
        snapshot = partial(
            Snapshot,
            changes=changes,
            configuration=configuration,
            resolver=resolver,
            regions=self._regions,
            faults=faults,
            dialect=dialect,
        )
        self._before, self._after = snapshot("before"), snapshot("after", source_map=source_map)
        self._access_read: Access | None = None
        self._managed_keys: set[str] = set()
        self._joins: dict[Snapshot, TableJoins] = {}
        self._tables_before: dict[ResourceChange, Table | None] = {}

    def changes(self) -> tuple[Change, ...]:
        """What a plan does to its tables."""
        changes = []
        for resource_change in self._changes.of(coverage.READ):
            if resource_change.mode == "managed":
                note_actions(resource_change, self._faults)
        for resource_change in self._changes.of(TABLE_TYPES):
            if resource_change.mode != "managed":
                continue
            resource = None if resource_change.deposed else self._after.at(resource_change)
            after = None if resource is None else self._table(resource)
            place = None if resource is None else resource.place
            changes.append(read_change(resource_change, after, self._table_before, place))
        changes.sort(key=lambda change: (change.address, change.deposed or ""))
        return tuple(changes)

    def tables(self) -> tuple[Table, ...]:
        """The tables of source, which does not show what exists already."""
        tables = [self._table(resource) for resource in self._after.of(*TABLE_TYPES)]
        return tuple(sorted(tables, key=lambda table: table.address))

    def estate(self, tables: tuple[Table, ...], changes: tuple[Change, ...], more_secrets: Iterable[str]) -> Estate:
        """The estate."""
        joins = self._joins_of(self._after)
        hold_against_schemas(self._after)
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
            callers=self._callers,
        )

    def input(self, tables: tuple[Table, ...], detail: str | None, resources: int) -> Input:
        """What was read, for the report."""
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

    def _table_before(self, change: ResourceChange) -> Table | None:
        """The table before a change, read when it is first asked for."""
        if change not in self._tables_before:
            resource = self._before.at(change)
            self._tables_before[change] = None if resource is None else self._table(resource)
        return self._tables_before[change]

    def _table(self, resource: Resource) -> Table:
        joins = self._joins_of(resource.snapshot)
        if resource.type == TABLE_TYPES[0]:
            return read_table(resource, joins)
        from tablegate.dialects.terraform.awscc import read_awscc_table  # few plans use that provider

        return read_awscc_table(resource, joins)

    def _joins_of(self, snapshot: Snapshot) -> TableJoins:
        joins = self._joins.get(snapshot)
        if joins is None:
            keys = KmsKeys(snapshot, self._before, self._regions, self._state, self._managed_keys)
            joins = self._joins[snapshot] = TableJoins(snapshot, self._regions, keys)
        return joins

    def _access(self, tables: tuple[Table, ...]) -> Access:
        """Who has access to what; nothing if no resource says so."""
        if self._access_read is None:
            self._access_read = self._read_access(tables) if self._changes.any_of(POLICY_TYPES) else Access()
        return self._access_read

    def _read_access(self, tables: tuple[Table, ...]) -> Access:
        # imported only if needed: most plans for tables alone hold no policy
        from tablegate.dialects.terraform.iam import read_access
        from tablegate.dialects.terraform.iam.context import PlanContext

        context = PlanContext(
            snapshot=self._after,
            before=self._before,
            finder=self._joins_of(self._after).finder,
            regions=self._regions,
            state=self._state,
            tables={table.address: table for table in tables},
        )
        return read_access(context)

    def _secrets(self) -> set[str]:
        return {
            *secrets.of_changes(self._changes.of(coverage.READ)),
            *secrets.of_variables(self._configuration, self._variables),
            *secrets.of_providers(self._configuration),
        }


def read_change(
    resource_change: ResourceChange,
    after: Table | None,
    read_before: Callable[[ResourceChange], Table | None],
    place: Place | None,
) -> Change:
    """The change of one table, linked with the table that it results in."""
    at = place or Place(resource_change.faults.file)
    change = Change(
        address=resource_change.address,
        place=at,
        kind=ChangeKind.DELETE if resource_change.deposed and not resource_change.keeps else resource_change.kind,
        make_before=partial(read_before, resource_change),
        after=after,
        order=resource_change.order,
        replace_paths=_paths(resource_change.change.get("replace_paths")),
        reason=resource_change.reason,
        importing=_importing(resource_change.change.get("importing")),
        previous_address=resource_change.previous_address,
        deposed=resource_change.deposed,
        retained=facts.RETAINED.of(True, at) if resource_change.keeps else None,
    )
    if after is not None:
        wire(after, "change", change)  # the two refer to each other
    return change


def note_actions(change: ResourceChange, faults: Faults) -> None:
    """Report a change whose actions are not among those that are known."""
    if change.kind is ChangeKind.UNKNOWN and change.change is not NOTHING:  # which is reported already
        actions = ", ".join(change.actions) or "none"
        faults.unreadable(f"{change.address}: unknown actions ({actions})", change.path)


def _paths(content: object) -> tuple[str, ...]:
    """Attribute paths as places have them: ``replica[0].region_name``."""
    paths = []
    for path in content if isinstance(content, list) else ():
        steps = path if isinstance(path, list) else [path]
        text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
        paths.append(text.removeprefix("."))
    return tuple(paths)


def _importing(content: object) -> str | None:
    """The id or identity by which an existing table is imported."""
    if not isinstance(content, Mapping):
        return None
    id_ = content.get("id")
    if isinstance(id_, str):
        return id_
    identity = tree(content.get("identity"))
    parts = [f"{key}={value}" for key, value in sorted(identity.items()) if isinstance(value, (str, int))]
    return ", ".join(parts) or "known only after apply"


def dax_clusters(snapshot: Snapshot) -> tuple[DaxCluster, ...]:
    """The DAX clusters."""
    return tuple(sorted(map(_cluster, snapshot.of("aws_dax_cluster")), key=lambda cluster: cluster.address))


def legacy_global_tables(snapshot: Snapshot, finder: TableFinder) -> tuple[LegacyGlobalTable, ...]:
    """The global tables of 2017: each is a resource that joins tables of one name."""
    globals_ = (_legacy(resource, finder) for resource in snapshot.of("aws_dynamodb_global_table"))
    return tuple(sorted(globals_, key=lambda table: table.address))


def _cluster(cluster: Resource) -> DaxCluster:
    block = cluster.block.one("server_side_encryption")
    if block is None:
        encrypted = facts.DAX_ENCRYPTED.unset
    elif isinstance(block, Doubt):
        encrypted = facts.DAX_ENCRYPTED.doubted(block, cluster.block.place("server_side_encryption"))
    else:
        encrypted = block.flag(facts.DAX_ENCRYPTED, "enabled")
    return DaxCluster(
        address=cluster.address,
        place=cluster.place,
        encrypted=encrypted,
        in_transit=cluster.block.text(facts.DAX_IN_TRANSIT, "cluster_endpoint_encryption_type"),
    )


def _legacy(resource: Resource, finder: TableFinder) -> LegacyGlobalTable:
    match = finder.of(resource, "name")
    table = finder.by_address.get(match.tables[0]) if match.tables and match.doubt is None else None
    return LegacyGlobalTable(
        address=resource.address,
        place=resource.place,
        custom_resource=False,
        table=None if table is None else table.address,
        table_retained=facts.DELETION_PROTECTION.unset
        if table is None
        else table.block.flag(facts.DELETION_PROTECTION, "deletion_protection_enabled"),
        deletion_policy=facts.DELETION_POLICY.unset,
    )
