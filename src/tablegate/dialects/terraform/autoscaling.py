"""Scaling targets of Terraform, with their policies and scheduled actions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tablegate.dialects.joins import ByTable, TableMatch, TableName, match_name, table_name_in
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
from tablegate.dialects.terraform.configuration import trees
from tablegate.dialects.terraform.joins import TableFinder
from tablegate.dialects.terraform.resources import Resource, Snapshot, doubt_about
from tablegate.model.table import ScalingSchedule, ScalingTarget
from tablegate.model.value import Doubt

_TARGET = "aws_appautoscaling_target"
_POLICY = "aws_appautoscaling_policy"
_SCHEDULE = "aws_appautoscaling_scheduled_action"
_NO_ACTION = Doubt("the action does not say")


class Scaling:
    """The scaling targets of tables."""

    def __init__(self, snapshot: Snapshot, finder: TableFinder) -> None:
        self._snapshot = snapshot
        self._finder = finder
        self._joined: ByTable[Resource] = ByTable()
        self._attached: dict[str, list[tuple[Resource, Doubt | None]]] = {}
        self._unattached: Doubt | None = None  # why a policy or a schedule may be for any target
        self._by_id: dict[tuple[str | None, str | None], list[Resource]] = {}
        for target in snapshot.of(_TARGET):
            if _is_for_tables(target):
                self._joined.add(finder.of(target, "resource_id"), target)
                self._by_id.setdefault(_id_and_dimension(target), []).append(target)
        for one in snapshot.of(_POLICY, _SCHEDULE) if self._by_id else ():
            if _is_for_tables(one):
                self._attach(one)

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
            index = _index(table, target) if dimension.of_index else None
            if isinstance(index, Doubt):
                doubt = doubt or index
                continue
            targets.append(self._target(target, dimension, index, match.region))
        return targets_in_order(targets), doubt

    def _target(self, target: Resource, dimension: Dimension, index: str | None, region: str | None) -> ScalingTarget:
        attached = self._attached.get(target.address, [])
        return scaling_target(
            target.block,
            TERRAFORM,
            address=target.address,
            place=target.reference_place,
            dimension=dimension.capacity,
            index=index,
            region=region,
            tracking=tracking_together(self._policies(attached)),
            schedules=[_schedule(*pair) for pair in attached if pair[0].resource_change.type == _SCHEDULE],
        )

    def _policies(self, attached: Iterable[tuple[Resource, Doubt | None]]) -> Iterator[Tracking]:
        for one, doubt in attached:
            if one.resource_change.type == _POLICY:
                place = one.reference_place
                yield tracking_by(one.block, TERRAFORM, place) if doubt is None else doubtful(doubt, place)
        if self._unattached is not None:
            yield doubtful(self._unattached)

    def _attach(self, one: Resource) -> None:
        """Attach a policy or a schedule to its targets: by its id and dimension, or else by what its id refers to."""
        resource_id, dimension = _id_and_dimension(one)
        doubt = None
        if resource_id is not None and dimension is not None:
            equal = [(it.address, self._finder.location(it)) for it in self._by_id.get((resource_id, dimension), ())]
            match = match_name(TableName(resource_id), self._finder.location(one), equal)
            addresses, doubt = match.tables if match.region is None else (), match.doubt
        else:
            addresses = tuple(target.address for target in self._referenced_targets(one, dimension))
        for address in addresses:
            self._attached.setdefault(address, []).append((one, doubt))

    def _referenced_targets(self, one: Resource, dimension: str | None) -> Sequence[Resource]:
        """The targets that an id refers to, or else those of the table that it refers to."""
        location = self._finder.location(one)
        references = one.references("resource_id")
        targets = [
            target
            for reference in references
            if reference.type == _TARGET
            for change in reference.targets
            if (target := self._snapshot.at(change)) is not None
            and location.is_near(self._finder.location(target)) is not False
        ]
        if len(targets) > 1:
            targets = [target for target in targets if _key(target) == _key(one)] or targets
        if len(targets) == 1:
            return targets
        match = self._finder.of(one, "resource_id")
        if match.table is None:
            self._unattached = self._unattached or match.doubt or doubt_about(references)
            return ()
        return [
            target
            for other, target in self._joined.matches(match.table)
            if other.region == match.region
            and target.known_text("scalable_dimension") == dimension
            and _is_same_part(match, one, other, target)
        ]


def _is_same_part(match: TableMatch, one: Resource, other: TableMatch, target: Resource) -> bool:
    """Whether a policy or a schedule and a target of its table are for the same index, or both for the table."""
    if other.rest not in (match.rest, ""):
        return False
    dimension = DIMENSIONS.get(target.known_text("scalable_dimension") or "")
    return _key(target) == _key(one) or (dimension is not None and not dimension.of_index)


def _index(table: Resource, target: Resource) -> str | Doubt:
    """The index that a target is for. If its id is not known: the only index, or the one of the target's own key."""
    text = target.known_text("resource_id")
    if text is not None:
        return table_name_in(text).rest.removeprefix("index/")
    names = [str(index.get("name")) for index in trees(table.content.get("global_secondary_index"))]
    if len(names) == 1:
        return names[0]
    key = _key(target)
    if isinstance(key, str) and key in names:
        return key
    return Doubt(f"{target.address} is for an index that is not named before the apply", "the index's name in its id")


def _is_for_tables(one: Resource) -> bool:
    namespace, dimension = one.known_text("service_namespace"), one.known_text("scalable_dimension")
    return namespace == "dynamodb" or (namespace is None and (dimension is None or dimension.startswith("dynamodb:")))


def _id_and_dimension(one: Resource) -> tuple[str | None, str | None]:
    return one.known_text("resource_id"), one.known_text("scalable_dimension")


def _key(one: Resource) -> object:
    return one.resource_change.key


def _schedule(one: Resource, doubt: Doubt | None) -> ScalingSchedule:
    action = doubt or one.block.one("scalable_target_action") or _NO_ACTION
    return schedule(one.known_text("name") or one.address, action, TERRAFORM, one.reference_place)
