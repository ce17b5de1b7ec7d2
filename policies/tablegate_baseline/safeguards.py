"""Safeguards of scaling: does it have room, a ceiling and a sane target?"""

from __future__ import annotations

import operator
from collections.abc import Iterator

from tablegate.policy import (
    MEDIUM,
    ScalingTarget,
    Table,
    Verdict,
    all_of,
    not_applicable,
    policy,
    when,
)
from tablegate_baseline.capacity import provisioned
from tablegate_baseline.parts import compared, not_seen, otherwise

_LOWEST_UTILISATION, _HIGHEST_UTILISATION = 20, 90  # what a target-tracking policy for DynamoDB accepts


@policy(
    "TG103",
    MEDIUM,
    "Autoscaling must have room, a ceiling and a sane target",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/AutoScaling.Console.html",
    terraform="""
min_capacity = 5
max_capacity = 100
""",
    cloudformation="""
MinCapacity: 5
MaxCapacity: 100
""",
)
def autoscaling_safeguards(table: Table, *, max_units: int = 40000) -> Verdict:
    """Scaling without room is a fixed capacity under another name; without a ceiling it is an open bill.

    A target outside 20 to 90 percent wastes what is paid for, or leaves no time to react; capacity that never
    scales in keeps the price of the highest peak.
    """
    if not table.scaling and table.scaling_doubt is None:
        return not_applicable("nothing scales the table")
    return when(provisioned(table), lambda: _guarded(table, max_units), "the table is not provisioned")


def _guarded(table: Table, max_units: int) -> Verdict:
    unseen = () if table.scaling_doubt is None else (not_seen("scaling targets", table.scaling_doubt),)
    return all_of((*(safe for target in table.scaling for safe in _safeguards(target, max_units)), *unseen))


def _safeguards(target: ScalingTarget, max_units: int) -> Iterator[Verdict]:
    """What is wrong with a target, or may be."""
    lowest, highest, utilisation = target.minimum, target.maximum, target.utilisation
    room = compared(lowest, operator.lt, highest)
    if room.truth is not True:
        note = f"the minimum of {lowest.shown} units is not below the maximum of {highest.shown}"
        yield _about(target, room, note)
    bounded = highest.satisfies(lambda units: units is None or units <= max_units)
    if bounded.truth is not True:
        yield _about(target, bounded, f"the maximum of {highest.shown} units is above {max_units}")
    sane = utilisation.satisfies(lambda percent: percent is None or _sane(percent))
    if sane.truth is not True:
        limits = f"{_LOWEST_UTILISATION} to {_HIGHEST_UTILISATION} %"
        yield _about(target, sane, f"the target utilisation of {utilisation.shown} % is outside {limits}")
    scales_in = ~target.scale_in_disabled.is_true
    if scales_in.truth is not True:
        yield _about(target, scales_in, "scale-in is disabled")
    for schedule in target.schedules:
        least, most = schedule.minimum, schedule.maximum
        within = compared(lowest, operator.le, least) & compared(most, operator.le, highest)
        bounds = f"{least.shown} to {most.shown} units, outside {lowest.shown} to {highest.shown}"
        yield _about(target, within, f"schedule {schedule.name} sets {bounds}")


def _about(target: ScalingTarget, verdict: Verdict, note: str) -> Verdict:
    return otherwise(verdict, f"{_label(target)}: {note}")


def _sane(percent: float) -> bool:
    return _LOWEST_UTILISATION <= percent <= _HIGHEST_UTILISATION


def _label(target: ScalingTarget) -> str:
    if target.index is not None:
        part = f"index {target.index}"
    else:
        part = "the table" if target.region is None else f"the replica in {target.region}"
    return f"{target.dimension}s of {part}"
