"""Application autoscaling: targets with their policies and schedules, brought to the tables they are for."""

from __future__ import annotations

from collections.abc import Sequence

from tablegate.dialects.joins import ByTable, table_name_in
from tablegate.dialects.terraform.block import Block
from tablegate.dialects.terraform.configuration import trees
from tablegate.dialects.terraform.joins import TableFinder
from tablegate.dialects.terraform.resources import Resource, Snapshot, doubt_about
from tablegate.model import facts
from tablegate.model.table import ScalingSchedule, ScalingTarget
from tablegate.model.value import Doubt, Value

_TARGET = "aws_appautoscaling_target"
_DIMENSIONS = {
    "dynamodb:table:ReadCapacityUnits": ("read", False),
    "dynamodb:table:WriteCapacityUnits": ("write", False),
    "dynamodb:index:ReadCapacityUnits": ("read", True),
    "dynamodb:index:WriteCapacityUnits": ("write", True),
}


class Scaling:
    """The scaling targets of a world's tables."""

    def __init__(self, world: Snapshot, finder: TableFinder) -> None:
        self._world = world
        self._finder = finder
        self._joined: ByTable[Resource] = ByTable()
        self._attached: dict[str, list[Resource]] = {}
        self._loose: Doubt | None = None  # a policy or schedule that may be anybody's
        targets = [one for one in world.of(_TARGET) if _is_for_tables(one)]
        for target in targets:
            self._joined.add(finder.of(target, "resource_id"), target)
        by_triple: dict[tuple[str | None, str | None], list[Resource]] = {}
        for target in targets:
            by_triple.setdefault(_triple(target), []).append(target)
        for one in world.of("aws_appautoscaling_policy", "aws_appautoscaling_scheduled_action"):
            if targets and _is_for_tables(one):
                self._attach(one, by_triple)

    def of(self, table: Resource) -> tuple[tuple[ScalingTarget, ...], Doubt | None]:
        """A table's targets, and why there may be more."""
        found = []
        doubt = self._joined.doubt(table.address)
        for link, target in self._joined.matches(table.address):
            dimension = _DIMENSIONS.get(target.known_text("scalable_dimension") or "")
            if dimension is None:
                doubt = doubt or target.block.doubt("scalable_dimension")
                continue
            index = self._index(table, target) if dimension[1] else None
            if isinstance(index, Doubt):
                doubt = doubt or index
                continue
            found.append(self._target(target, dimension[0], index, link.region))
        found.sort(key=lambda one: (one.index or "", one.dimension, one.region or "", one.address))
        return tuple(found), doubt

    def _attach(self, one: Resource, by_triple: dict[tuple[str | None, str | None], list[Resource]]) -> None:
        for target in self._targets(one, by_triple):
            self._attached.setdefault(target.address, []).append(one)

    def _targets(
        self, one: Resource, by_triple: dict[tuple[str | None, str | None], list[Resource]]
    ) -> Sequence[Resource]:
        """The targets that a policy or a schedule is for: by the triple, else by what its id refers to."""
        triple = _triple(one)
        if None not in triple:
            same = by_triple.get(triple, [])
            return [target for target in same if target.provider == one.provider] or same
        mentions = one.references("resource_id")
        named = [
            target
            for mention in mentions
            if mention.type == _TARGET
            for instance in mention.targets
            if (target := self._world.at(instance)) is not None
        ]
        if len(named) > 1:
            named = [target for target in named if target.resource_change.key == one.resource_change.key] or named
        if len(named) == 1:
            return named
        link = self._finder.of(one, "resource_id")
        if link.table is None:
            self._loose = self._loose or link.doubt or doubt_about(mentions)
            return ()
        return [
            target
            for other, target in self._joined.matches(link.table)
            if target.known_text("scalable_dimension") == triple[1]
            and (other.rest == link.rest or not other.rest)
            and (
                target.resource_change.key == one.resource_change.key
                or _DIMENSIONS.get(triple[1] or "", ("", True))[1] is False
            )
        ]

    def _index(self, table: Resource, target: Resource) -> str | Doubt:
        """Which index a target is for: where its id is not known, the one index, or that of the target's own key."""
        text = target.known_text("resource_id")
        if text is not None:
            return table_name_in(text).rest.removeprefix("index/")
        names = [str(index.get("name")) for index in trees(table.content.get("global_secondary_index"))]
        if len(names) == 1:
            return names[0]
        key = target.resource_change.key
        if isinstance(key, str) and key in names:
            return key
        return Doubt(
            f"{target.address} is for an index that is not named before the apply", "the index's name in its id"
        )

    def _target(self, target: Resource, dimension: str, index: str | None, region: str | None) -> ScalingTarget:
        attached = self._attached.get(target.address, [])
        policies = [one for one in attached if one.resource_change.type == "aws_appautoscaling_policy"]
        schedules = [one for one in attached if one.resource_change.type == "aws_appautoscaling_scheduled_action"]
        tracking, block = self._tracking(policies)
        return ScalingTarget(
            address=target.address,
            place=target.reference_place,
            dimension=dimension,
            index=index,
            region=region,
            minimum=target.block.number(facts.SCALING_MIN, "min_capacity"),
            maximum=target.block.number(facts.SCALING_MAX, "max_capacity"),
            tracking=tracking,
            utilisation=facts.UTILISATION.unset if block is None else block.decimal(facts.UTILISATION, "target_value"),
            scale_in_disabled=facts.SCALE_IN_DISABLED.unset
            if block is None
            else block.flag(facts.SCALE_IN_DISABLED, "disable_scale_in"),
            suspended=_suspended(target.block),
            schedules=tuple(_schedule(one) for one in schedules),
        )

    def _tracking(self, policies: Sequence[Resource]) -> tuple[Value[bool], Block | None]:
        doubt = self._loose
        for policy in policies:
            kind = policy.known_text("policy_type")
            block = policy.block.one("target_tracking_scaling_policy_configuration")
            if kind == "TargetTrackingScaling" or isinstance(block, Block):
                return facts.TRACKING.of(True, policy.reference_place), block if isinstance(block, Block) else None
            doubt = doubt or policy.block.doubt("policy_type")
        return (facts.TRACKING.unset if doubt is None else facts.TRACKING.doubted(doubt)), None


def _is_for_tables(one: Resource) -> bool:
    namespace = one.known_text("service_namespace")
    dimension = one.known_text("scalable_dimension")
    return namespace == "dynamodb" or (namespace is None and (dimension is None or dimension.startswith("dynamodb:")))


def _triple(one: Resource) -> tuple[str | None, str | None]:
    return one.known_text("resource_id"), one.known_text("scalable_dimension")


def _suspended(target: Block) -> Value[bool]:
    """Suspended in either direction: capacity no longer follows the traffic."""
    block = target.one("suspended_state")
    if isinstance(block, Doubt):
        return facts.SUSPENDED.doubted(block, target.place("suspended_state"))
    if block is None:
        return facts.SUSPENDED.unset
    both = [block.flag(facts.SUSPENDED, f"dynamic_scaling_{direction}_suspended") for direction in ("in", "out")]
    suspended = [one for one in both if one.content is True]
    return (suspended or [one for one in both if not one.known] or both)[0]


def _schedule(one: Resource) -> ScalingSchedule:
    action = one.block.one("scalable_target_action")
    name = one.known_text("name") or one.address
    if not isinstance(action, Block):
        doubt = action or Doubt("the action does not say")
        return ScalingSchedule(
            name=name,
            minimum=facts.SCALING_MIN.doubted(doubt, one.reference_place),
            maximum=facts.SCALING_MAX.doubted(doubt, one.reference_place),
        )
    return ScalingSchedule(
        name=name,
        minimum=action.number(facts.SCALING_MIN, "min_capacity"),
        maximum=action.number(facts.SCALING_MAX, "max_capacity"),
    )
