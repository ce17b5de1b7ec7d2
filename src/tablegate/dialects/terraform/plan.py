"""Reads a plan: its envelope, its resource changes, and the check that its sections agree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from msgspec import Raw, Struct, field

from tablegate.dialects.reading import Faults, Reading, ReadOptions
from tablegate.dialects.terraform import coverage
from tablegate.dialects.terraform.callers import Callers
from tablegate.dialects.terraform.configuration import Configuration, Tree, tree
from tablegate.dialects.terraform.estate import EstateBuilder
from tablegate.dialects.terraform.prior_state import PriorState
from tablegate.dialects.terraform.resource_changes import ResourceChanges, of_state
from tablegate.dialects.terraform.schema import TABLE_TYPES
from tablegate.dialects.terraform.secrets import texts
from tablegate.dialects.terraform.source_info import SourceMap
from tablegate.model.estate import ChangeKind
from tablegate.model.record import replace
from tablegate.model.table import Dialect
from tablegate.syntax.json import lazy as raw_json
from tablegate.syntax.json.lazy import Document
from tablegate.syntax.node import ParseError, collector_paused
from tablegate.syntax.source import Tree as SourceTree

_CHANGES = "resource_changes"
_DEFERRED = "deferred_changes"


def read(document: Document, name: str, options: ReadOptions, source: SourceTree | None = None) -> Reading:
    """Read a plan. ``source`` holds the files that it was made from, if they are at hand."""
    with collector_paused():
        try:
            return Plan(document, name, options, source).reading()
        except ParseError:
            # A part knows its own lines only. The whole document, read strictly, knows the line in the file.
            document.check()
            raise


class Plan:
    """A plan, and the faults found while it is read."""

    def __init__(self, document: raw_json.Document, name: str, options: ReadOptions, source: SourceTree | None) -> None:
        self._faults = Faults(name)
        self._envelope = Envelope(document)
        self._allow_partial = options.allow_partial
        self._partial = self._envelope.note(self._faults, allow_partial=options.allow_partial)
        self._configuration = Configuration(self._envelope.mapping("configuration", self._faults))
        variables = self._envelope.mapping("variables", self._faults)
        self._state = PriorState(self._envelope.part("prior_state"))
        self._changes = self._read_changes()
        given = options.variables or options.variable_files
        self._declared = (
            frozenset((*tree(self._configuration.root.get("variables")), *variables)) if given else frozenset[str]()
        )
        self._source_map = self._mapped(source, options, variables)
        self._builder = EstateBuilder(
            Dialect.TERRAFORM_PLAN,
            self._configuration,
            self._changes,
            self._faults,
            options,
            variables=variables,
            state=self._state,
            source_map=self._source_map,
            callers=Callers(self._configuration, name, None if self._source_map is None else self._source_map.calls),
        )

    def reading(self) -> Reading:
        """The estate of the plan, and what could not be read."""
        coverage.note_coverage(self._changes, self._faults)
        coverage.note_twins(self._changes, self._faults)
        planned = set(check_planned(self._envelope.part("planned_values"), self._changes, self._faults))
        changes = self._builder.changes()
        tables = tuple(change.after for change in changes if change.after is not None)
        estate = self._builder.estate(tables, changes, planned)
        input_ = self._builder.input(tables, self._envelope.made_by(self._tool()), coverage.counted(self._changes.rows))
        input_ = replace(input_, declared=self._declared)
        source_faults = () if self._source_map is None else self._source_map.faults
        return Reading(input=input_, estate=estate, faults=(*self._faults.all(), *source_faults))

    def _read_changes(self) -> ResourceChanges:
        """The changes, those that are deferred, and, if the plan does not show everything, what exists already."""
        changes = ResourceChanges(self._faults)
        listed = self._envelope.part(_CHANGES)
        if listed is not None:
            changes.read(listed, _CHANGES)
        deferred = self._envelope.part(_DEFERRED)
        for number, item in enumerate([] if deferred is None else self._items(deferred, _DEFERRED)):
            path = f"{_DEFERRED}[{number}].resource_change"
            change = raw_json.members(item).get("resource_change")
            if change is None:
                self._faults.unreadable(f"{path} is missing", path)
            else:
                changes.read_one(change, path)
        known = {row.address for row in changes.rows}
        if listed is not None and not self._partial:
            self._partial = self._leaves_out(known.union(row.previous_address or "" for row in changes.rows))
        if listed is None or self._partial:
            for number, (resource, module) in enumerate(self._state.resources()):
                path, address = f"prior_state.resources[{number}]", resource.get("address")
                if not isinstance(address, str):
                    self._faults.unreadable(f"{path}: address must be a text", path)
                elif resource.get("mode") != "data" and address not in known:
                    changes.add(*of_state(resource, module), path)
        return changes

    def _mapped(self, source: SourceTree | None, options: ReadOptions, variables: Tree) -> SourceMap | None:
        """The source that the plan was made from, if there are files of it."""
        if source is None or not source.files(source.root):
            return None
        from tablegate.dialects.terraform import source_map  # most plans are checked without the reader of source

        # Terraform reads no .tofu files, so those beside its plan say nothing of it.
        tofu = self._tool() == "OpenTofu" and not any(
            str(name).startswith("registry.terraform.io/")
            for name in (*self._provider_names(), *(row.provider_name for row in self._changes.rows))
        )
        return source_map.SourceMap(
            source,
            options.variable_files,
            options.grammar,
            self._configuration,
            variables,
            tofu=tofu,
            state=self._state,
        )

    def _tool(self) -> str:
        """OpenTofu has providers from its own registry, which is all that tells it from Terraform."""
        names = [*self._provider_names(), *(row.provider_name for row in self._changes.rows[:1])]
        return "OpenTofu" if any(str(name).startswith("registry.opentofu.org/") for name in names) else "Terraform"

    def _provider_names(self) -> Iterator[object]:
        """The providers that the configuration names, with their registries."""
        return (tree(provider).get("full_name") for provider in self._configuration.providers.values())

    def _leaves_out(self, known: AbstractSet[str]) -> bool:
        """Report that the plan passes over what exists. OpenTofu says of no plan whether it is complete."""
        if "complete" in self._envelope.members or self._state.is_named_in(known):
            return False
        message = "a partial plan (-target or -exclude): it passes over resources that exist"
        self._faults.incomplete(message, hint=_PARTIAL, blocks=not self._allow_partial)
        return True

    def _items(self, part: raw_json.Part, path: str) -> list[raw_json.Part]:
        try:
            return raw_json.items(part)
        except ParseError as error:
            self._faults.unreadable(f"{path}: {error.message}", path)
            return []


_SECTIONS = ("resource_changes", "planned_values", "configuration", "prior_state", "resource_drift")
_VERSION = re.compile(r"(\d+)\.(\d+)")
_TO_SHOW = "terraform show -json PLANFILE"
_PARTIAL = "plan without -target or -exclude, or accept the rest unseen with --allow-partial"
_REFRESH = "fix what made it fail and plan again, or accept it with --allow-partial"


class Envelope:
    """The members of a plan, undecoded, and its flags."""

    def __init__(self, document: raw_json.Document) -> None:
        self.members = document.members
        self.redacted = "plan_format_version" in self.members and "format_version" not in self.members
        version = self._plain("plan_format_version" if self.redacted else "format_version")
        match = _VERSION.fullmatch(version) if isinstance(version, str) else None
        if match is None:
            raise ParseError("not a Terraform plan: it has no format_version", hint=_TO_SHOW)
        if int(match[1]) > 1:
            raise ParseError(f"unsupported plan format {match[0]}; formats 0.1 to 1.x are read")
        if not any(name in self.members for name in _SECTIONS) and "values" in self.members:
            raise ParseError("a state, not a plan", hint=_TO_SHOW)

    def part(self, name: str) -> raw_json.Part | None:
        """A member; None if it is absent or null."""
        part = self.members.get(name)
        return None if part is None or raw_json.is_null(part) else part

    def mapping(self, name: str, faults: Faults) -> dict[str, object]:
        """A member that is an object, decoded."""
        part = self.part(name)
        content = {} if part is None else raw_json.decode(part)
        if isinstance(content, dict):
            return content
        faults.unreadable(f"{name} must be an object, not {raw_json.kind_of(content)}", name)
        return {}

    def made_by(self, tool: str) -> str | None:
        """The tool that made it, Terraform or OpenTofu, with its version."""
        version = self._plain("terraform_version")
        return f"{tool} {version}" if isinstance(version, str) else None

    def note(self, faults: Faults, *, allow_partial: bool) -> bool:
        """Report what makes the plan partial. Returns whether anything does."""
        reasons = []
        if self._flag("errored", faults) is True:
            reasons.append(("the plan failed: what failed is missing from it", _REFRESH))
        elif self._flag("complete", faults) is False:
            reasons.append(
                ("a partial plan (-target, or deferred changes): what it leaves out is not judged", _PARTIAL)
            )
        elif self.part("deferred_changes") is not None:
            reasons.append(("the plan defers changes to a later one", _PARTIAL))
        if self.redacted:
            reasons.append(
                ("a redacted plan: values are missing from it", "the plan as terraform show -json prints it")
            )
        for message, hint in reasons:
            faults.incomplete(message, hint=hint, blocks=not allow_partial)
        return bool(reasons)

    def _flag(self, name: str, faults: Faults) -> bool | None:
        content = self._plain(name)
        if content is None or isinstance(content, bool):
            return content
        faults.unreadable(f"{name} must be true or false, not {raw_json.kind_of(content)}", name)
        return None

    def _plain(self, name: str) -> object:
        part = self.members.get(name)
        return None if part is None else raw_json.decode(part)


_NULL = Raw(b"null")
_READ_ATTRIBUTES = frozenset(
    {
        "attribute",
        "billing_mode",
        "deletion_protection_enabled",
        "global_secondary_index",
        "global_table_witness",
        "hash_key",
        "import_table",
        "local_secondary_index",
        "name",
        "on_demand_throughput",
        "point_in_time_recovery",
        "range_key",
        "read_capacity",
        "replica",
        "server_side_encryption",
        "stream_enabled",
        "stream_view_type",
        "table_class",
        "tags_all",
        "ttl",
        "write_capacity",
    }
)
_HINT = "plan again: one of the two sections was removed or edited"
Values: TypeAlias = dict[str, raw_json.Part]


class _Resource(Struct):
    address: str
    type: str
    mode: str = "managed"
    values: Raw = _NULL


class _Module(Struct):
    resources: list[_Resource] = []
    child_modules: list[_Module] = []


class _Output(Struct):
    sensitive: bool = False
    value: Raw = _NULL


class _Planned(Struct):
    root_module: _Module = field(default_factory=_Module)
    outputs: dict[str, _Output] = {}


def check_planned(part: raw_json.Part | None, changes: ResourceChanges, faults: Faults) -> Iterator[str]:
    """Report tables that differ between the planned values and the changes. Gives the texts of sensitive outputs."""
    planned = None if part is None else raw_json.typed(part, _Planned)
    if planned is None:
        return
    _compare(_tables(planned.root_module), changes, faults)
    for output in planned.outputs.values():
        if output.sensitive:
            yield from texts(raw_json.decode(output.value))


def _tables(root: _Module) -> Values:
    tables: Values = {}
    waiting = [root]
    while waiting:
        module = waiting.pop()
        for resource in module.resources:
            if resource.type in TABLE_TYPES and resource.mode != "data":
                tables[resource.address] = resource.values
        waiting += module.child_modules
    return tables


def _compare(planned: Values, changes: ResourceChanges, faults: Faults) -> None:
    changed = {one.address: one for one in changes.of(TABLE_TYPES) if one.mode == "managed" and not one.deposed}
    for address, values in planned.items():
        change = changed.get(address)
        if change is None:
            faults.unreadable(f"{address} is planned, but has no resource change", "planned_values", _HINT)
            continue
        after = change.side("after")
        if after is None:
            if change.kind is not ChangeKind.FORGET:
                faults.unreadable(f"{address} is planned, but its change has no values", change.path, _HINT)
        elif not raw_json.is_same(values, after) and _disagree(tree(raw_json.decode(values)), after):
            faults.unreadable(f"{address}: planned values and resource change disagree", change.path, _HINT)


def _disagree(planned: Tree, after: Tree) -> bool:
    """Whether an attribute that is read differs. One that only the change has is read from there."""
    return any(planned[key] != after.get(key) for key in planned if key in after or key in _READ_ATTRIBUTES)
