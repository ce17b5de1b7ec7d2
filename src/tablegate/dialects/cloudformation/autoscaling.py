"""Scaling targets of CloudFormation, with their policies and scheduled actions."""

from __future__ import annotations

from collections.abc import Iterator

from tablegate.dialects.cloudformation.joins import Candidate, Candidates, TableIdentity, TableNames
from tablegate.dialects.cloudformation.properties import Resource, Section, resources_of
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.template import SCALABLE_TARGET, SCALING_POLICY
from tablegate.dialects.cloudformation.values import (
    RESOURCE,
    NameReference,
    Unresolved,
    reference_text,
    text_with_references,
)
from tablegate.dialects.joins import TableName, table_name_in
from tablegate.dialects.joins.autoscaling import (
    DIMENSIONS,
    Tracking,
    doubtful,
    scaling_target,
    schedule,
    targets_in_order,
    tracking_by,
    tracking_in,
    tracking_together,
    unknown_dimension,
)
from tablegate.dialects.resource import CLOUDFORMATION
from tablegate.model.facts import Fact
from tablegate.model.table import ScalingSchedule, ScalingTarget
from tablegate.model.value import Doubt

_SCHEDULE = Fact[str]("schedule")


class Scaling:
    """The scaling targets of tables."""

    def __init__(self, resolver: Resolver, tables: TableNames) -> None:
        self._resolver = resolver
        self.candidates = Candidates(resolver, _targets(resolver), _table_in, tables)
        self._by_target: dict[str, list[Resource]] = {}
        self._by_id_and_dimension: dict[str, list[Resource]] = {}
        self._unattached: list[Resource] = []  # policies that may be for any target
        for policy in resources_of(resolver, SCALING_POLICY):
            self._attach(policy)

    def of(self, table: TableIdentity) -> tuple[tuple[ScalingTarget, ...], Doubt | None]:
        """The targets of a table and its indexes, and why there may be more."""
        targets = []
        doubt = self.candidates.doubt(table)
        for candidate in self.candidates.of(table):
            target = self._target(candidate)
            if isinstance(target, ScalingTarget):
                targets.append(target)
            else:
                doubt = doubt or target
        return targets_in_order(targets), doubt

    def _attach(self, policy: Resource) -> None:
        section = policy.properties
        target = section.get("ScalingTargetId")
        key = text_with_references(target) if target is not None else _id_and_dimension(section)
        reference = target.reference if isinstance(target, Unresolved) else None
        if key is None or (reference is not None and reference.kind != RESOURCE):
            self._unattached.append(policy)
        else:
            (self._by_id_and_dimension if target is None else self._by_target).setdefault(key, []).append(policy)

    def _target(self, candidate: Candidate) -> ScalingTarget | Doubt | None:
        resource, section = candidate.resource, candidate.section
        present = resource.present
        if present is False:
            return None
        scaled = section.get("ScalableDimension")
        if isinstance(scaled, Unresolved):
            return unknown_dimension(resource.address, scaled.doubt)
        dimension = DIMENSIONS.get((text_with_references(scaled) if scaled is not None else None) or "")
        if dimension is None:
            return None
        return scaling_target(
            section,
            CLOUDFORMATION,
            address=resource.address,
            place=resource.place,
            dimension=dimension.capacity,
            index=self._index(candidate) if dimension.of_index else None,
            region=None,
            tracking=tracking_together(self._policies(resource, section)) if present else _possible(resource),
            schedules=_schedules(section),
        )

    def _index(self, candidate: Candidate) -> str | None:
        value = self._resolver.resolve(candidate.target)
        return (text_with_references(value) or "").partition("/index/")[2] or None if value is not None else None

    def _policies(self, target: Resource, section: Section) -> Iterator[Tracking]:
        attached = self._by_target.get(reference_text(NameReference(target.address)), [])
        if self._by_id_and_dimension:
            attached = [*attached, *self._by_id_and_dimension.get(_id_and_dimension(section) or "", ())]
        for policy in attached:
            present = policy.present
            if present is None:
                yield _possible(policy)
            elif present:
                place = policy.place
                yield tracking_by(policy.properties, CLOUDFORMATION, place)
        yield from map(_possible, self._unattached)


def inline(
    section: Section, key: str, *, address: str, dimension: str, index: str | None, region: str | None
) -> ScalingTarget | None:
    """The scaling that a global table has in its own settings."""
    settings = section.section(key)
    if settings is None:
        return None
    place = settings.place() if settings.unresolved is not None else section.place(key)
    return scaling_target(
        settings,
        CLOUDFORMATION,
        address=address,
        place=place,
        dimension=dimension,
        index=index,
        region=region,
        tracking=tracking_in(settings, CLOUDFORMATION, place),
    )


def _targets(resolver: Resolver) -> Iterator[Candidate]:
    for resource in resources_of(resolver, SCALABLE_TARGET):
        section = resource.properties
        node = section.members.get("ResourceId") if section.unresolved is None else section.unresolved.node
        if node is not None:
            yield Candidate(resource, node, section)


def _table_in(resource_id: str) -> TableName | None:
    return table_name_in(resource_id) if resource_id.startswith("table/") else None


def _id_and_dimension(section: Section) -> str | None:
    values = [section.get(key) for key in ("ResourceId", "ScalableDimension")]
    texts = [text_with_references(value) for value in values if value is not None]
    return " ".join(text for text in texts if text is not None) if None not in texts and texts else None


def _possible(resource: Resource) -> Tracking:
    return doubtful(Doubt(f"{resource.address} may or may not scale this"))


def _schedules(section: Section) -> Iterator[ScalingSchedule]:
    actions = section.many("ScheduledActions")
    for action in () if isinstance(actions, Doubt) else actions:
        if isinstance(action, Section):
            name = action.text(_SCHEDULE, "ScheduledActionName").content or ""
            yield schedule(name, action.one("ScalableTargetAction"), CLOUDFORMATION, action.place())
