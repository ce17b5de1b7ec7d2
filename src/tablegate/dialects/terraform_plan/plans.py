"""One plan on its way into an estate."""

from __future__ import annotations

from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.dialects.terraform_plan import coverage
from tablegate.dialects.terraform_plan.configuration import Configuration
from tablegate.dialects.terraform_plan.crosscheck import check_planned
from tablegate.dialects.terraform_plan.descriptions import Description
from tablegate.dialects.terraform_plan.envelope import Envelope
from tablegate.dialects.terraform_plan.faults import Faults
from tablegate.dialects.terraform_plan.instances import Instances
from tablegate.dialects.terraform_plan.items import of_state
from tablegate.dialects.terraform_plan.states import State
from tablegate.model.table import Dialect
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
        made = options.source_map
        self._source_map = None if made is None else made(self._configuration, self._variables)
        self._state = State(self._envelope.part("prior_state"))
        self._instances = self._read_instances()
        self._description = Description(
            Dialect.TERRAFORM_PLAN,
            self._configuration,
            self._instances,
            self._faults,
            options,
            variables=self._variables,
            state=self._state,
            source_map=self._source_map,
        )

    def reading(self) -> Reading:
        """What the plan says."""
        coverage.note_coverage(self._instances, self._faults)
        coverage.note_twins(self._instances, self._faults)
        planned = set(check_planned(self._envelope.part("planned_values"), self._instances, self._faults))
        changes = self._description.changes()
        tables = tuple(change.after for change in changes if change.after is not None)
        estate = self._description.estate(tables, changes, planned)
        seen = self._description.input(tables, self._envelope.made_by(), coverage.counted(self._instances.items))
        unmapped = () if self._source_map is None else self._source_map.faults
        return Reading(input=seen, estate=estate, faults=(*self._faults.found, *unmapped))

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
                path, address = f"prior_state.resources[{number}]", resource.get("address")
                if not isinstance(address, str):
                    self._faults.refuse(f"{path}: address must be a text", path)
                elif resource.get("mode") == "managed" and address not in known:
                    instances.add(*of_state(resource, module), path)
        return instances

    def _items(self, part: raw_json.Part, path: str) -> list[raw_json.Part]:
        try:
            return raw_json.items(part)
        except ParseError as error:
            self._faults.refuse(f"{path}: {error.message}", path)
            return []
