"""Scaling targets of Terraform, with their policies and scheduled actions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tablegate.dialects.joins import ByTable, TableName, match_name, table_name_in, unknown_region
from tablegate.dialects.joins.autoscaling import (
    DIMENSIONS,
    Dimension,
    Tracking,
    doubtful,
    scaling_target,
    schedule,
    targets_in_order,
    tracking_by,
    tracking_together,
    unknown_dimension,
)
from tablegate.dialects.resource import TERRAFORM
from tablegate.dialects.terraform.joins import TableFinder, spelled
from tablegate.dialects.terraform.references import has_symbols
from tablegate.dialects.terraform.resources import Resource, Snapshot, doubt_about
from tablegate.model.table import ScalingSchedule, ScalingTarget
from tablegate.model.value import Doubt

_TARGET = "aws_appautoscaling_target"
_NO_ACTION = Doubt("the scheduled action does not set it")


class Scaling:
    """The scaling targets of tables."""

    def __init__(self, snapshot: Snapshot, finder: TableFinder, indexes: Callable[[Resource], Sequence[str]]) -> None:
        self._snapshot = snapshot
        self._indexes = indexes
        self._finder = finder
        self._joined: ByTable[Resource] = ByTable()
        self._targets: dict[str, Resource] = {}
        self._by_id: dict[tuple[str | None, str | None], list[Resource]] = {}
        self._unattached: Doubt | None = None  # why a policy or a schedule may be for any target
        for target in snapshot.of(_TARGET):
            if _is_for_tables(target):
                self._joined.add(finder.of(target, "resource_id"), target)
                self._targets[target.address] = target
                self._by_id.setdefault(_id_and_dimension(target), []).append(target)
        self._policies = self._by_target("aws_appautoscaling_policy")
        self._schedules = self._by_target("aws_appautoscaling_scheduled_action")

    def of(self, table: Resource) -> tuple[tuple[ScalingTarget, ...], Doubt | None]:
        """A table's targets, and why there may be more."""
        targets = []
        doubt = self._joined.doubt(table.address)
        for match, target in self._joined.matches(table.address):
            dimension = DIMENSIONS.get(target.known_text("scalable_dimension") or "")
            if dimension is None:
                unknown = target.block.doubt("scalable_dimension")
                doubt = doubt or (None if unknown is None else unknown_dimension(target.address, unknown))
                continue
            index = self._index(table, target) if dimension.of_index else None
            if isinstance(index, Doubt):
                doubt = doubt or index
                continue
            missing = self._finder.existence(target, [table])
            targets.append(self._target(target, dimension, index, match.region, missing))
        return targets_in_order(targets), doubt

    def _index(self, table: Resource, target: Resource) -> str | Doubt:
        """The index that a target is for. If its id is not known: the index that it refers to, or else the only one,
        or the one of the target's own key."""
        text = target.known_text("resource_id") or spelled(target, "resource_id")
        if text is not None:
            rest = table_name_in(text).rest
            if rest and not has_symbols(rest):
                return rest.removeprefix("index/")
        referenced = self._referenced_indexes(target)
        names = referenced or self._indexes(table)
        if len(names) == 1:
            return names[0]
        key = _key(target)
        if isinstance(key, str) and key in names:
            return key
        return Doubt(
            f"{target.address} is for an index whose name is known only after apply",
            "write the index's name in its resource id",
        )

    def _referenced_indexes(self, target: Resource) -> list[str]:
        """The names of the separate indexes that a target's id refers to."""
        indexes = [
            index
            for reference in target.references("resource_id")
            if reference.type == "aws_dynamodb_global_secondary_index"
            for change in reference.targets
            if (index := self._snapshot.at(change)) is not None
        ]
        names = [index.known_text("index_name") for index in indexes]
        return [] if None in names else sorted({name for name in names if name is not None})

    def _target(
        self, target: Resource, dimension: Dimension, index: str | None, region: str | None, missing: Doubt | None
    ) -> ScalingTarget:
        tracking = doubtful(missing, target.reference_place) if missing else tracking_together(self._tracking(target))
        return scaling_target(
            target.block,
            TERRAFORM,
            address=target.address,
            place=target.reference_place,
            dimension=dimension.capacity,
            index=index,
            region=region,
            tracking=tracking,
            schedules=[_schedule(*attached) for attached in self._schedules.get(target.address, ())],
        )

    def _tracking(self, target: Resource) -> Iterator[Tracking]:
        for policy, doubt in self._policies.get(target.address, ()):
            place = policy.reference_place
            yield tracking_by(policy.block, TERRAFORM, place) if doubt is None else doubtful(doubt, place)
        if self._unattached is not None:
            yield doubtful(self._unattached)

    def _by_target(self, type_: str) -> dict[str, list[tuple[Resource, Doubt | None]]]:
        """Policies or schedules by the address of their target, with a doubt if it may be another target."""
        attached: dict[str, list[tuple[Resource, Doubt | None]]] = {}
        for resource in self._snapshot.of(type_) if self._by_id else ():
            if _is_for_tables(resource):
                addresses, doubt = self._targets_of(resource)
                for address in addresses:
                    missing = doubt or self._finder.existence(resource, [self._targets[address]])
                    attached.setdefault(address, []).append((resource, missing))
        return attached

    def _targets_of(self, resource: Resource) -> tuple[tuple[str, ...], Doubt | None]:
        """The targets of a policy or a schedule: by its id and dimension, or else by what its id refers to."""
        resource_id, dimension = _id_and_dimension(resource)
        if resource_id is None or dimension is None:
            return self._referenced_targets(resource, dimension)
        equal = [(it.address, self._finder.location(it)) for it in self._by_id.get((resource_id, dimension), ())]
        match = match_name(TableName(resource_id), resource.address, self._finder.location(resource), equal)
        return match.tables if match.region is None else (), match.doubt

    def _referenced_targets(self, resource: Resource, dimension: str | None) -> tuple[tuple[str, ...], Doubt | None]:
        """The targets that an id refers to, or else those of the table that it refers to."""
        location = self._finder.location(resource)
        references = resource.references("resource_id")
        targets = [
            target
            for reference in references
            if reference.type == _TARGET
            for change in reference.targets
            if (target := self._snapshot.at(change)) is not None
            and location.is_near(self._finder.location(target)) is not False
        ]
        if len(targets) > 1:
            targets = [target for target in targets if _key(target) == _key(resource)] or targets
        if len(targets) == 1:
            near = location.is_near(self._finder.location(targets[0]))
            return (targets[0].address,), unknown_region(resource.address, location) if near is None else None
        match = self._finder.of(resource, "resource_id")
        if match.table is None:
            self._unattached = self._unattached or match.doubt or doubt_about(references)
            return (), None
        scaled = DIMENSIONS.get(dimension or "")
        meant = (
            target.address
            for target_match, target in self._joined.matches(match.table)
            if target_match.region == match.region
            and target_match.rest in (match.rest, "")
            and target.known_text("scalable_dimension") == dimension
            and (_key(target) == _key(resource) or (scaled is not None and not scaled.of_index))
        )
        return tuple(meant), None


def _is_for_tables(resource: Resource) -> bool:
    namespace, dimension = resource.known_text("service_namespace"), resource.known_text("scalable_dimension")
    return namespace == "dynamodb" or (namespace is None and (dimension is None or dimension.startswith("dynamodb:")))


def _id_and_dimension(resource: Resource) -> tuple[str | None, str | None]:
    return resource.known_text("resource_id"), resource.known_text("scalable_dimension")


def _key(resource: Resource) -> object:
    return resource.resource_change.key


def _schedule(resource: Resource, doubt: Doubt | None) -> ScalingSchedule:
    action = doubt or resource.block.one("scalable_target_action") or _NO_ACTION
    name = resource.known_text("name") or resource.address
    return schedule(name, action, TERRAFORM, resource.reference_place)
