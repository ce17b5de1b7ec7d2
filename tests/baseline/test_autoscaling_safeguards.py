"""Safeguards of scaling: what is compared, and what a doubt does to it."""

from __future__ import annotations

from typing import Any

import pytest

from support import tables as build
from tablegate.model import facts
from tablegate.model.table import ScalingSchedule, Table
from tablegate_baseline.autoscaling import autoscaling_safeguards


def provisioned(**stated: Any) -> Table:
    """A provisioned table."""
    return build.table(billing_mode=facts.BILLING_MODE.of("PROVISIONED"), **stated)


def test_every_broken_safeguard_is_named() -> None:
    """Bounds, ceiling, target, scale-in and schedules are each judged, for each target."""
    broken = build.target(
        "write",
        index="by-status",
        minimum=facts.SCALING_MIN.of(50000),
        maximum=facts.SCALING_MAX.of(50000),
        utilisation=facts.UTILISATION.of(95),
        scale_in_disabled=facts.SCALE_IN_DISABLED.of(True),
        schedules=(
            ScalingSchedule(name="night", minimum=facts.SCALING_MIN.of(1), maximum=facts.SCALING_MAX.of(50000)),
        ),
    )
    note = autoscaling_safeguards.check(provisioned(scaling=(broken,))).note
    assert note is not None
    assert note.split("; ") == [
        "writes of index by-status: the minimum of 50000 units is not below the maximum of 50000",
        "writes of index by-status: the maximum of 50000 units is above the limit of 40000",
        "writes of index by-status: the target utilisation of 95 % is outside 20 to 90 %",
        "writes of index by-status: scale-in is disabled",
        "writes of index by-status: schedule night sets 1 to 50000 units, outside 50000 to 50000",
    ]


def test_a_replicas_target_says_its_region() -> None:
    """Targets of another region are told apart."""
    target = build.target("read", region="eu-west-1", maximum=facts.SCALING_MAX.of(5))
    note = autoscaling_safeguards.check(provisioned(scaling=(target,))).note
    assert note == "reads of the replica in eu-west-1: the minimum of 5 units is not below the maximum of 5"


def test_what_a_target_does_not_state_is_not_compared() -> None:
    """A schedule may set one bound only, and a target may have no policy yet."""
    schedule = ScalingSchedule(name="night", minimum=facts.SCALING_MIN.unset, maximum=facts.SCALING_MAX.of(20))
    target = build.target("read", utilisation=facts.UTILISATION.unset, schedules=(schedule,))
    assert autoscaling_safeguards.check(provisioned(scaling=(target,))).truth is True


@pytest.mark.parametrize("field", ["minimum", "maximum", "utilisation", "scale_in_disabled"])
def test_a_safeguard_that_is_not_known_is_a_doubt(field: str) -> None:
    """No bound is guessed."""
    target = build.target("read")
    target = build.target("read", **{field: build.doubted(getattr(target, field))})
    assert autoscaling_safeguards.check(provisioned(scaling=(target,))).truth is None


@pytest.mark.parametrize(("percent", "expected"), [(19.9, False), (20, True), (90, True), (90.1, False)])
def test_the_bounds_of_a_target_hold(percent: float, expected: bool) -> None:
    """20 and 90 percent are fine."""
    target = build.target("read", utilisation=facts.UTILISATION.of(percent))
    assert expected is autoscaling_safeguards.check(provisioned(scaling=(target,))).truth


def test_the_greatest_maximum_holds() -> None:
    """As it is set, or as the option says."""
    target = build.target("read", maximum=facts.SCALING_MAX.of(40000))
    assert autoscaling_safeguards.check(provisioned(scaling=(target,))).truth is True
    assert autoscaling_safeguards.check(provisioned(scaling=(target,)), max_units=39999).truth is False


def test_a_table_that_nothing_scales_has_no_safeguards() -> None:
    """That nothing does is another policy's business."""
    assert autoscaling_safeguards.check(provisioned(scaling=())).applies is False


def test_a_target_that_may_be_this_tables_is_a_doubt() -> None:
    """Its bounds may be wrong."""
    assert autoscaling_safeguards.check(provisioned(scaling_doubt=build.DOUBT)).truth is None
