"""Application autoscaling: the targets of a table and its indexes, with the policies that move them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tablegate.dialects.cloudformation.joins import Candidate, Candidates, TableIdentity, TableNames
from tablegate.dialects.cloudformation.properties import Section, exists, properties, section_of
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.template import SCALABLE_TARGET, SCALING_POLICY, Resource
from tablegate.dialects.cloudformation.values import (
    RESOURCE,
    NameReference,
    Unresolved,
    reference_text,
    text_with_references,
)
from tablegate.dialects.joins import TableName, table_name_in
from tablegate.model import facts
from tablegate.model.facts import Fact
from tablegate.model.record import record, replace
from tablegate.model.table import ScalingSchedule, ScalingTarget
from tablegate.model.value import Doubt, Place, Value

_SUSPENDED_IN = Fact[bool]("scaling in suspended", False)
_SUSPENDED_OUT = Fact[bool]("scaling out suspended", False)
_POLICY_TYPE = Fact[str]("scaling policy type", "StepScaling")
_SCHEDULE = Fact[str]("schedule")
_DIMENSIONS = {
    "dynamodb:table:ReadCapacityUnits": "read",
    "dynamodb:table:WriteCapacityUnits": "write",
    "dynamodb:index:ReadCapacityUnits": "read",
    "dynamodb:index:WriteCapacityUnits": "write",
}


@record(kw_only=False)
class Tracking:
    """What moves a target."""

    tracking: Value[bool]
    utilisation: Value[float]
    scale_in_disabled: Value[bool]


NO_TRACKING = Tracking(facts.TRACKING.unset, facts.UTILISATION.unset, facts.SCALE_IN_DISABLED.unset)


def table_of(resource_id: str) -> TableName | None:
    """The table in a resource id such as ``table/orders/index/by-status``."""
    return table_name_in(resource_id) if resource_id.startswith("table/") else None


class Scaling:
    """The scaling targets and policies of one template."""

    def __init__(self, resolver: Resolver, tables: TableNames) -> None:
        self._resolver = resolver
        self.candidates = Candidates(resolver, _with(resolver, SCALABLE_TARGET, "ResourceId"), table_of, tables)
        self._attached: dict[str, list[Resource]] = {}
        self._by_triple: dict[str, list[Resource]] = {}
        self._unresolved: list[Resource] = []
        for policy in resolver.template.of(SCALING_POLICY):
            self._attach(policy)

    def of(self, table: TableIdentity) -> tuple[ScalingTarget, ...]:
        """The targets of a table and its indexes."""
        made = map(self._target, self.candidates.of(table))
        found = [target for target in made if target is not None]
        return tuple(sorted(found, key=lambda target: (target.index or "", target.dimension, target.address)))

    def doubt(self, table: TableIdentity) -> Doubt | None:
        """Why there may be more targets."""
        return self.candidates.doubt(table)

    def _attach(self, policy: Resource) -> None:
        section = properties(self._resolver, policy)
        target = section.get("ScalingTargetId")
        key = text_with_references(target) if target is not None else self._triple(section)
        symbol = target.symbol if isinstance(target, Unresolved) else None
        if key is None or (symbol is not None and symbol.kind != RESOURCE):
            self._unresolved.append(policy)
        else:
            (self._by_triple if target is None else self._attached).setdefault(key, []).append(policy)

    def _triple(self, section: Section) -> str | None:
        values = [section.get(key) for key in ("ResourceId", "ScalableDimension")]
        texts = [text_with_references(value) for value in values if value is not None]
        return " ".join(text for text in texts if text is not None) if None not in texts and texts else None

    def _target(self, candidate: Candidate) -> ScalingTarget | None:
        resolver, resource, section = self._resolver, candidate.resource, candidate.section
        there = exists(resolver, resource)
        if there is False:
            return None
        node = section.get("ScalableDimension")
        stated = (text_with_references(node) if node is not None else None) or ""
        dimension = _DIMENSIONS.get(stated)
        if dimension is None:
            return None
        tracking = self._tracking(resource, section) if there else _doubtful(resource)
        return ScalingTarget(
            address=resource.address,
            place=resolver.place(resource.node),
            dimension=dimension,
            index=self._index(candidate) if ":index:" in stated else None,
            minimum=section.number(facts.SCALING_MIN, "MinCapacity"),
            maximum=section.number(facts.SCALING_MAX, "MaxCapacity"),
            tracking=tracking.tracking,
            utilisation=tracking.utilisation,
            scale_in_disabled=tracking.scale_in_disabled,
            suspended=_suspended(section),
            schedules=tuple(_schedules(section)),
        )

    def _index(self, candidate: Candidate) -> str | None:
        value = self._resolver.head(candidate.target)
        return (text_with_references(value) or "").partition("/index/")[2] or None if value is not None else None

    def _tracking(self, target: Resource, section: Section) -> Tracking:
        attached = self._attached.get(reference_text(NameReference(target.address)), [])
        if self._by_triple:
            attached = [*attached, *self._by_triple.get(self._triple(section) or "", ())]
        for policy in attached:
            there = exists(self._resolver, policy)
            if there is not False:
                found = tracking_of(self._resolver, policy) if there else _doubtful(policy)
                if found.tracking.content is not False:
                    return found
        return _doubtful(self._unresolved[0]) if self._unresolved else NO_TRACKING


def _doubtful(resource: Resource) -> Tracking:
    doubt = Doubt(f"{resource.address} may or may not scale this")
    return replace(NO_TRACKING, tracking=facts.TRACKING.doubted(doubt))


def tracking_of(resolver: Resolver, policy: Resource) -> Tracking:
    """What one scaling policy does."""
    section = properties(resolver, policy)
    kind = section.text(_POLICY_TYPE, "PolicyType")
    if kind.doubt is not None:
        return replace(NO_TRACKING, tracking=facts.TRACKING.doubted(kind.doubt, kind.place))
    inner = section.section("TargetTrackingScalingPolicyConfiguration")
    if inner is None or kind.content not in ("TargetTrackingScaling", "StepScaling"):
        return NO_TRACKING
    return configured(inner, resolver.place(policy.node))


def configured(section: Section, place: Place) -> Tracking:
    """What a target-tracking configuration says."""
    if section.unresolved is not None:
        tracking = section.unknown(facts.TRACKING, section.unresolved)
    else:
        tracking = facts.TRACKING.of(True, place)
    return Tracking(
        tracking,
        section.decimal(facts.UTILISATION, "TargetValue"),
        section.flag(facts.SCALE_IN_DISABLED, "DisableScaleIn"),
    )


def _with(resolver: Resolver, type_: str, key: str) -> Iterator[Candidate]:
    for resource in resolver.template.of(type_):
        section = properties(resolver, resource)
        node = section.members.get(key) if section.unresolved is None else section.unresolved.node
        if node is not None:
            yield Candidate(resource, node, section)


def _suspended(section: Section) -> Value[bool]:
    inner = section.section("SuspendedState")
    if inner is None:
        return facts.SUSPENDED.unset
    ways = (
        inner.flag(_SUSPENDED_OUT, "DynamicScalingOutSuspended"),
        inner.flag(_SUSPENDED_IN, "DynamicScalingInSuspended"),
    )
    for way in sorted(ways, key=lambda way: (way.content is not True, way.known)):
        if way.content or way.doubt is not None:
            return Value(facts.SUSPENDED.name, way.content, way.origin, way.place, way.doubt)
    return facts.SUSPENDED.of(False, ways[0].place) if ways[0].place else facts.SUSPENDED.unset


def _schedules(section: Section) -> Iterable[ScalingSchedule]:
    found = section.items("ScheduledActions")
    for item in found if isinstance(found, list) else ():
        inner = section_of(section.resolver, item)
        if inner is None:
            continue
        action = inner.section("ScalableTargetAction")
        name = inner.text(_SCHEDULE, "ScheduledActionName")
        low, high = facts.SCALING_MIN, facts.SCALING_MAX
        yield ScalingSchedule(
            name=name.content or "",
            minimum=low.unset if action is None else action.number(low, "MinCapacity"),
            maximum=high.unset if action is None else action.number(high, "MaxCapacity"),
        )


def inline(
    section: Section,
    key: str,
    *,
    address: str,
    dimension: str,
    index: str | None,
    region: str | None,
) -> ScalingTarget | None:
    """The scaling that a global table keeps in its own settings."""
    settings = section.section(key)
    if settings is None:
        return None
    policy = settings.section("TargetTrackingScalingPolicyConfiguration")
    place = settings.place() if settings.unresolved is not None else section.place(key)
    moved = NO_TRACKING if policy is None else configured(policy, place)
    return ScalingTarget(
        address=address,
        place=place,
        dimension=dimension,
        index=index,
        region=region,
        minimum=settings.number(facts.SCALING_MIN, "MinCapacity"),
        maximum=settings.number(facts.SCALING_MAX, "MaxCapacity"),
        tracking=moved.tracking,
        utilisation=moved.utilisation,
        scale_in_disabled=moved.scale_in_disabled,
        suspended=facts.SUSPENDED.unset,
    )
