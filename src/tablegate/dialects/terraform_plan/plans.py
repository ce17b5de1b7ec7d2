"""One plan on its way into an estate."""

from __future__ import annotations

from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.dialects.terraform_plan import coverage, secrets
from tablegate.dialects.terraform_plan.access import POLICY_TYPES, Access
from tablegate.dialects.terraform_plan.awscc import read_awscc_table
from tablegate.dialects.terraform_plan.changes import note_actions, read_change
from tablegate.dialects.terraform_plan.configuration import Configuration
from tablegate.dialects.terraform_plan.crosscheck import check_planned
from tablegate.dialects.terraform_plan.encryption import Keys
from tablegate.dialects.terraform_plan.envelope import Envelope
from tablegate.dialects.terraform_plan.faults import Faults
from tablegate.dialects.terraform_plan.instances import Instance, Instances, of_state
from tablegate.dialects.terraform_plan.joins import Joins
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
from tablegate.syntax import raw_json
from tablegate.syntax.errors import ParseError

_CHANGES = "resource_changes"
_DEFERRED = "deferred_changes"


class Plan:
    """A plan, its worlds before and after, and the faults found on the way."""

    def __init__(self, document: raw_json.Document, name: str, options: ReadOptions) -> None:
        self._faults = Faults(name)
        self._envelope = Envelope(document)
        self._partial = self._envelope.note(self._faults, allow_partial=options.allow_partial)
        self._configuration = Configuration(self._envelope.mapping("configuration", self._faults))
        self._variables = self._envelope.mapping("variables", self._faults)
        self._state = State(self._envelope.part("prior_state"))
        self._instances = self._read_instances()
        tracer = Tracer(self._configuration, self._instances, self._variables)
        self._regions = Regions(self._configuration, tracer, self._state, options.region, options.account)
        worlds = (World(moment, self._instances, self._configuration, tracer, self._faults) for moment in _MOMENTS)
        self._before, self._after = worlds
        self._managed_keys: set[str] = set()
        self._joins: dict[World, Joins] = {}

    def reading(self) -> Reading:
        """What the plan says."""
        coverage.note_coverage(self._instances, self._faults)
        coverage.note_twins(self._instances, self._faults)
        planned = set(check_planned(self._envelope.part("planned_values"), self._instances, self._faults))
        changes = self._changes()
        tables = tuple(change.after for change in changes if change.after is not None)
        joins = self._joins_of(self._after)
        access = self._access(joins, tables)
        estate = Estate(
            file=self._faults.file,
            dialect=Dialect.TERRAFORM_PLAN,
            tables=tables,
            changes=changes,
            dax_clusters=dax_clusters(self._after),
            legacy_global_tables=legacy_global_tables(self._after, joins.links),
            grants=access.grants,
            holders=access.holders,
            manages_alarms=joins.alarms.any,
            manages_consumers=joins.consumers.any,
            manages_backups=joins.backups.any,
            secrets=frozenset(planned | self._secrets() | access.secrets),
        )
        return Reading(input=self._input(tables, access), estate=estate, faults=self._faults.found)

    def _read_instances(self) -> Instances:
        """What changes, what is put off, and, where the plan does not show everything, what is there already."""
        instances = Instances(self._faults)
        changes = self._envelope.part(_CHANGES)
        if changes is not None:
            instances.read(changes, _CHANGES)
        deferred = self._envelope.part(_DEFERRED)
        for number, one in enumerate([] if deferred is None else self._items(deferred, _DEFERRED)):
            path = f"{_DEFERRED}[{number}].resource_change"
            found = raw_json.members(one).get("resource_change")
            if found is None:
                self._faults.refuse(f"{path} is missing", path)
            else:
                instances.read_one(found, path)
        if changes is None or self._partial:
            known = {item.address for item in instances.items}
            for number, (resource, module) in enumerate(self._state.resources()):
                if resource.get("mode") == "managed" and resource.get("address") not in known:
                    instances.add(*of_state(resource, module), f"prior_state.resources[{number}]")
        return instances

    def _items(self, part: raw_json.Part, path: str) -> list[raw_json.Part]:
        try:
            return raw_json.items(part)
        except ParseError as error:
            self._faults.refuse(f"{path}: {error.message}", path)
            return []

    def _changes(self) -> tuple[Change, ...]:
        found = []
        for instance in self._instances.of(TABLE_TYPES):
            if instance.mode != "managed":
                continue
            note_actions(instance, self._faults)
            resource = None if instance.deposed else self._after.at(instance)
            after = None if resource is None else self._table(resource, self._after)
            found.append(read_change(instance, after, self._table_before))
        found.sort(key=lambda change: (change.address, change.deposed or ""))
        return tuple(found)

    def _table_before(self, instance: Instance) -> Table | None:
        resource = self._before.at(instance)
        return None if resource is None else self._table(resource, self._before)

    def _table(self, resource: Resource, world: World) -> Table:
        read = read_table if resource.instance.type == TABLE_TYPES[0] else read_awscc_table
        return read(resource, self._joins_of(world))

    def _joins_of(self, world: World) -> Joins:
        found = self._joins.get(world)
        if found is None:
            keys = Keys(world, self._before, self._regions, self._state, self._managed_keys)
            found = self._joins[world] = Joins(world, self._regions, keys)
        return found

    def _secrets(self) -> set[str]:
        return {
            *secrets.of_instances(self._instances.of(coverage.READ)),
            *secrets.of_variables(self._configuration, self._variables),
            *secrets.of_providers(self._configuration),
        }

    def _access(self, joins: Joins, tables: tuple[Table, ...]) -> Access:
        """Who may do what, where the plan holds anything that says so."""
        if not self._instances.any_of(POLICY_TYPES):
            return Access()
        # imported when there is something to read: most plans for tables alone hold no policy
        from tablegate.dialects.terraform_plan.access.estate import read_access
        from tablegate.dialects.terraform_plan.access.ground import Ground

        ground = Ground(
            world=self._after,
            before=self._before,
            links=joins.links,
            regions=self._regions,
            state=self._state,
            tables={table.address: table for table in tables},
        )
        return read_access(ground)

    def _input(self, tables: tuple[Table, ...], access: Access) -> Input:
        return Input(
            path=self._faults.file,
            kind=str(Dialect.TERRAFORM_PLAN),
            detail=self._envelope.made_by(),
            resources=coverage.counted(self._instances.items),
            tables=len(tables),
            indexes=sum(len(table.indexes.content or ()) + len(table.local_indexes.content or ()) for table in tables),
            replicas=sum(len(table.replicas.content or ()) for table in tables),
            documents=access.documents,
            documents_partly=access.partly,
            documents_unread=access.unread,
        )


_MOMENTS = ("before", "after")
