"""What a plan, or source without one, describes: resources and their configuration, on their way into an estate."""

from __future__ import annotations

from collections.abc import Iterable

from tablegate.dialects.reading import ReadOptions
from tablegate.dialects.terraform_plan import coverage, secrets
from tablegate.dialects.terraform_plan.access import POLICY_TYPES, Access
from tablegate.dialects.terraform_plan.changes import note_actions, read_change
from tablegate.dialects.terraform_plan.configuration import NOTHING, Configuration, Tree
from tablegate.dialects.terraform_plan.encryption import Keys
from tablegate.dialects.terraform_plan.faults import Faults
from tablegate.dialects.terraform_plan.instances import Instance, Instances
from tablegate.dialects.terraform_plan.joins import Joins
from tablegate.dialects.terraform_plan.origins import SourceMap
from tablegate.dialects.terraform_plan.others import dax_clusters, legacy_global_tables
from tablegate.dialects.terraform_plan.references import Tracer
from tablegate.dialects.terraform_plan.regions import Regions
from tablegate.dialects.terraform_plan.states import State
from tablegate.dialects.terraform_plan.tables import read_table
from tablegate.dialects.terraform_plan.worlds import TABLE_TYPES, Resource, World
from tablegate.findings import Input
from tablegate.model.change import Change
from tablegate.model.estate import Estate
from tablegate.model.table import Dialect, Table


class Description:
    """Resources, their worlds before and after, and the faults found on the way."""

    def __init__(
        self,
        dialect: Dialect,
        configuration: Configuration,
        instances: Instances,
        faults: Faults,
        options: ReadOptions,
        *,
        variables: Tree = NOTHING,
        state: State | None = None,
        source_map: SourceMap | None = None,
    ) -> None:
        self._dialect = dialect
        self._configuration = configuration
        self._instances = instances
        self._faults = faults
        self._variables = variables
        self._state = state or State(None)
        tracer = Tracer(configuration, instances, variables, source_map)
        self._regions = Regions(configuration, tracer, self._state, options.region, options.account)
        self._before = World("before", instances, configuration, tracer, faults, dialect=dialect)
        self._after = World("after", instances, configuration, tracer, faults, dialect=dialect, source_map=source_map)
        self._read: Access | None = None
        self._managed_keys: set[str] = set()
        self._joins: dict[World, Joins] = {}

    def changes(self) -> tuple[Change, ...]:
        """What a plan does to its tables."""
        found = []
        for instance in self._instances.of(TABLE_TYPES):
            if instance.mode != "managed":
                continue
            note_actions(instance, self._faults)
            resource = None if instance.deposed else self._after.at(instance)
            after = None if resource is None else self._table(resource, self._after)
            here = None if resource is None else resource.here
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
            legacy_global_tables=legacy_global_tables(self._after, joins.links),
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

    def _table_before(self, instance: Instance) -> Table | None:
        resource = self._before.at(instance)
        return None if resource is None else self._table(resource, self._before)

    def _table(self, resource: Resource, world: World) -> Table:
        joins = self._joins_of(world)
        if resource.instance.type == TABLE_TYPES[0]:
            return read_table(resource, joins)
        from tablegate.dialects.terraform_plan.awscc import read_awscc_table  # few plans use that provider

        return read_awscc_table(resource, joins)

    def _joins_of(self, world: World) -> Joins:
        found = self._joins.get(world)
        if found is None:
            keys = Keys(world, self._before, self._regions, self._state, self._managed_keys)
            found = self._joins[world] = Joins(world, self._regions, keys)
        return found

    def _access(self, tables: tuple[Table, ...]) -> Access:
        """Who may do what, where there is anything that says so."""
        if self._read is None:
            self._read = self._read_access(tables) if self._instances.any_of(POLICY_TYPES) else Access()
        return self._read

    def _read_access(self, tables: tuple[Table, ...]) -> Access:
        # imported when there is something to read: most plans for tables alone hold no policy
        from tablegate.dialects.terraform_plan.access.estate import read_access
        from tablegate.dialects.terraform_plan.access.ground import Ground

        ground = Ground(
            world=self._after,
            before=self._before,
            links=self._joins_of(self._after).links,
            regions=self._regions,
            state=self._state,
            tables={table.address: table for table in tables},
        )
        return read_access(ground)

    def _secrets(self) -> set[str]:
        return {
            *secrets.of_instances(self._instances.of(coverage.READ)),
            *secrets.of_variables(self._configuration, self._variables),
            *secrets.of_providers(self._configuration),
        }
