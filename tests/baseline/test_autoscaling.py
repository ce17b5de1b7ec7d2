"""Scaling policies: which dimensions are asked about, and what a doubt does to them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from support import tables as build
from tablegate.model import facts
from tablegate.model.table import Table
from tablegate.model.value import Value
from tablegate_baseline.autoscaling import _not_scaled, autoscaled_capacity, index_write_capacity

PROVISIONED = facts.BILLING_MODE.of("PROVISIONED")
SCALED = (build.target("read"), build.target("write"))
UNNAMED = facts.INDEX_NAME.doubted(build.DOUBT)


def provisioned(**stated: Any) -> Table:
    """A provisioned table that scales in both dimensions, unless stated otherwise."""
    return build.table(**({"billing_mode": PROVISIONED, "scaling": SCALED, "capacity": build.units(5, 5)} | stated))


def indexes(*made: Any) -> Value[Any]:
    """These global indexes."""
    return facts.INDEXES.of(made)


def test_each_dimension_that_does_not_scale_is_named() -> None:
    """The table, each index and each replica count, and one finding names all."""
    table = provisioned(
        scaling=(), indexes=indexes(build.index("by-status")), replicas=facts.REPLICAS.of((build.replica(),))
    )
    verdict = autoscaled_capacity.check(table)
    assert verdict.note == (
        "no autoscaling for reads and writes of the table and index by-status, reads of the replica in eu-west-1"
    )
    assert verdict.evidence == (PROVISIONED.at(table.place),)


def test_a_suspended_target_and_one_without_a_policy_are_told_apart() -> None:
    """Each kind of defect says its own."""
    scaling = (
        build.target("read", suspended=facts.SUSPENDED.of(True)),
        build.target("write", tracking=facts.TRACKING.unset),
    )
    assert autoscaled_capacity.check(provisioned(scaling=scaling)).note == (
        "no target-tracking policy for writes of the table; scaling is suspended for reads of the table"
    )


def test_an_index_whose_name_is_not_known_may_be_covered() -> None:
    """A target for some index may be this one's; without any, nothing scales it."""
    unnamed = indexes(replace(build.index(), name=UNNAMED))
    assert autoscaled_capacity.check(provisioned(indexes=unnamed)).truth is None
    uncovered = autoscaled_capacity.check(provisioned(indexes=unnamed, scaling=()))
    assert uncovered.note is not None
    assert "an index whose name is not known" in uncovered.note


@pytest.mark.parametrize(
    "stated",
    [
        {"scaling": SCALED[:1], "scaling_doubt": build.DOUBT},
        {"indexes": facts.INDEXES.doubted(build.DOUBT)},
        {"replicas": facts.REPLICAS.doubted(build.DOUBT)},
        {"scaling": (SCALED[0], build.target("write", tracking=facts.TRACKING.doubted(build.DOUBT)))},
        {"scaling": (SCALED[0], build.target("write", suspended=facts.SUSPENDED.doubted(build.DOUBT)))},
        {"replicas": facts.REPLICAS.of((replace(build.replica(), region=facts.REGION.doubted(build.DOUBT)),))},
    ],
)
def test_what_is_not_known_is_neither_scaled_nor_fixed(stated: dict[str, Any]) -> None:
    """A doubt about coverage is a doubt of the verdict."""
    verdict = autoscaled_capacity.check(provisioned(**stated))
    assert verdict.truth is None
    assert any(value.doubt is build.DOUBT for value in verdict.evidence)


def test_a_doubt_that_concerns_nobody_is_none() -> None:
    """A table that is covered stays covered, whatever else scales."""
    assert autoscaled_capacity.check(provisioned(scaling_doubt=build.DOUBT)).truth is True


def test_an_index_is_held_against_its_tables_ceiling() -> None:
    """Scaling maxima count in place of the fixed numbers, on either side."""
    index = build.index("by-status", capacity=build.units(5, 50))
    provisioned(indexes=indexes(index))
    verdict = index_write_capacity.check(index)
    assert verdict.note == "index by-status has 50 write units, but its table has 100"
    assert [value.content for value in verdict.evidence] == [50, 100]


def test_an_index_of_a_table_without_capacity_is_not_compared() -> None:
    """That there is no capacity is another policy's business."""
    index = build.index("by-status", capacity=build.units(5, 50))
    provisioned(indexes=indexes(index), scaling=(), capacity=facts.NO_CAPACITY)
    assert index_write_capacity.check(index).truth is True


@pytest.mark.parametrize("scaling", [(), (build.target("write"),)])
def test_an_index_is_not_compared_while_a_target_may_be_its_own(scaling: tuple[Any, ...]) -> None:
    """The ceiling of either side may be higher than it looks."""
    index = build.index("by-status", capacity=build.units(5, 5))
    provisioned(indexes=indexes(index), scaling=scaling, scaling_doubt=build.DOUBT)
    assert index_write_capacity.check(index).truth is None


def test_a_target_of_the_other_dimension_covers_nothing() -> None:
    """An index without a name is not scaled for writes by what scales reads."""
    found = _not_scaled(provisioned(scaling=(build.target("read"),)), "write", UNNAMED)
    assert found.truth is False
    assert _not_scaled(provisioned(scaling=(build.target("write"),)), "write", UNNAMED).truth is None


@pytest.mark.parametrize("scaling", [(build.target("write", index="by-status"),), SCALED])
def test_an_index_waits_for_the_side_that_is_in_doubt(scaling: tuple[Any, ...]) -> None:
    """Its own target, or its table's."""
    index = build.index("by-status", capacity=build.units(5, 50))
    provisioned(indexes=indexes(index), scaling=scaling, scaling_doubt=build.DOUBT)
    assert index_write_capacity.check(index).truth is None
    both = (*SCALED, build.target("write", index="by-status"))
    covered = build.index("by-status", capacity=build.units(5, 50))
    provisioned(indexes=indexes(covered), scaling=both, scaling_doubt=build.DOUBT)
    assert index_write_capacity.check(covered).truth is True
