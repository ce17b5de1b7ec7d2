"""Application autoscaling: the targets of a table and its indexes, with the policies and schedules that move them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tablegate.dialects.resource import Properties, Spelling
from tablegate.model import facts
from tablegate.model.facts import Fact
from tablegate.model.record import record
from tablegate.model.table import ScalingSchedule, ScalingTarget
from tablegate.model.value import Doubt, Place, Value

_MINIMUM = Spelling("min_capacity", "MinCapacity")
_MAXIMUM = Spelling("max_capacity", "MaxCapacity")
_SUSPENDED = Spelling("suspended_state", "SuspendedState")
_SUSPENDED_OUT = Spelling("dynamic_scaling_out_suspended", "DynamicScalingOutSuspended")
_SUSPENDED_IN = Spelling("dynamic_scaling_in_suspended", "DynamicScalingInSuspended")
_POLICY_TYPE = Spelling("policy_type", "PolicyType")
_TRACKING = Spelling("target_tracking_scaling_policy_configuration", "TargetTrackingScalingPolicyConfiguration")
_TARGET_VALUE = Spelling("target_value", "TargetValue")
_SCALE_IN_DISABLED = Spelling("disable_scale_in", "DisableScaleIn")

_TARGET_TRACKING = "TargetTrackingScaling"
_KIND = Fact[str]("scaling policy type", "StepScaling")


class Dimension(NamedTuple):
    """What a target scales: the reads or the writes of the table, or of one of its indexes."""

    capacity: str
    of_index: bool


DIMENSIONS = {
    "dynamodb:table:ReadCapacityUnits": Dimension("read", of_index=False),
    "dynamodb:table:WriteCapacityUnits": Dimension("write", of_index=False),
    "dynamodb:index:ReadCapacityUnits": Dimension("read", of_index=True),
    "dynamodb:index:WriteCapacityUnits": Dimension("write", of_index=True),
}


@record(kw_only=False)
class Tracking:
    """How a target follows the traffic."""

    tracking: Value[bool] = facts.TRACKING.unset
    utilisation: Value[float] = facts.UTILISATION.unset
    scale_in_disabled: Value[bool] = facts.SCALE_IN_DISABLED.unset


NO_TRACKING = Tracking()


def unknown_dimension(address: str, doubt: Doubt) -> Doubt:
    """A table may have one target more, for its reads, its writes, or those of an index."""
    reason = f"{address} scales an unknown dimension: {doubt.reason}"
    return Doubt(reason, doubt.settle, (address, *doubt.refs))


def doubtful(doubt: Doubt, place: Place | None = None) -> Tracking:
    """Whether a target follows the traffic is not known."""
    return Tracking(facts.TRACKING.doubted(doubt, place))


def tracking_by(policy: Properties, column: int, place: Place) -> Tracking:
    """What a scaling policy does."""
    kind = policy.text(_KIND, _POLICY_TYPE[column])
    if kind.doubt is not None:
        return doubtful(kind.doubt, kind.place)
    if kind.content not in (_TARGET_TRACKING, _KIND.default):
        return NO_TRACKING
    return tracking_in(policy, column, place, certain=kind.content == _TARGET_TRACKING)


def tracking_in(holder: Properties, column: int, place: Place, *, certain: bool = False) -> Tracking:
    """What a target-tracking configuration does. ``certain`` means that it exists even if it is not known."""
    configuration = holder.one(_TRACKING[column])
    if configuration is None:
        return NO_TRACKING
    if isinstance(configuration, Doubt):
        at = holder.place(_TRACKING[column])
        return Tracking(
            facts.TRACKING.of(True, place) if certain else facts.TRACKING.doubted(configuration, at),
            facts.UTILISATION.doubted(configuration, at),
            facts.SCALE_IN_DISABLED.doubted(configuration, at),
        )
    return Tracking(
        facts.TRACKING.of(True, place),
        configuration.decimal(facts.UTILISATION, _TARGET_VALUE[column]),
        configuration.flag(facts.SCALE_IN_DISABLED, _SCALE_IN_DISABLED[column]),
    )


def tracking_together(policies: Iterable[Tracking]) -> Tracking:
    """What the policies of a target do together: the first that tracks, or else may track, decides."""
    policies = list(policies)
    certain = (policy for policy in policies if policy.tracking.content is True)
    possible = (policy for policy in policies if not policy.tracking.known)
    return next(certain, None) or next(possible, NO_TRACKING)


def scaling_target(
    target: Properties,
    column: int,
    *,
    address: str,
    place: Place,
    dimension: str,
    index: str | None,
    region: str | None,
    tracking: Tracking,
    schedules: Iterable[ScalingSchedule] = (),
) -> ScalingTarget:
    """A scalable target, or the settings in a table that stand for one."""
    return ScalingTarget(
        address=address,
        place=place,
        dimension=dimension,
        index=index,
        region=region,
        minimum=target.number(facts.SCALING_MIN, _MINIMUM[column]),
        maximum=target.number(facts.SCALING_MAX, _MAXIMUM[column]),
        tracking=tracking.tracking,
        utilisation=tracking.utilisation,
        scale_in_disabled=tracking.scale_in_disabled,
        suspended=_suspended(target, column),
        schedules=tuple(schedules),
    )


def schedule(name: str, action: Properties | Doubt | None, column: int, place: Place) -> ScalingSchedule:
    """A scheduled action: the bounds that it sets."""
    if isinstance(action, Doubt):
        minimum, maximum = facts.SCALING_MIN.doubted(action, place), facts.SCALING_MAX.doubted(action, place)
    elif action is None:
        minimum, maximum = facts.SCALING_MIN.unset, facts.SCALING_MAX.unset
    else:
        minimum = action.number(facts.SCALING_MIN, _MINIMUM[column])
        maximum = action.number(facts.SCALING_MAX, _MAXIMUM[column])
    return ScalingSchedule(name=name, minimum=minimum, maximum=maximum)


def targets_in_order(targets: Iterable[ScalingTarget]) -> tuple[ScalingTarget, ...]:
    """The targets of a table."""
    return tuple(sorted(targets, key=lambda it: (it.index or "", it.dimension, it.region or "", it.address)))


def _suspended(target: Properties, column: int) -> Value[bool]:
    """Whether scaling in either direction is suspended: capacity no longer follows the traffic."""
    state = target.one(_SUSPENDED[column])
    if state is None:
        return facts.SUSPENDED.unset
    if isinstance(state, Doubt):
        return facts.SUSPENDED.doubted(state, target.place(_SUSPENDED[column]))
    directions = [state.flag(facts.SUSPENDED, key[column]) for key in (_SUSPENDED_OUT, _SUSPENDED_IN)]
    return min(directions, key=lambda it: (it.content is not True, it.known, it is facts.SUSPENDED.unset))
