"""Capacity policies on tables that no single input can show: doubts, candidates, evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from support import tables as build
from tablegate.model import facts
from tablegate.model.table import Table, Units
from tablegate.model.value import Place
from tablegate.policy import Policy
from tablegate_baseline.autoscaling import autoscaled_capacity
from tablegate_baseline.capacity import capacity_contradiction, on_demand_billing, on_demand_ceiling

ON_DEMAND = facts.BILLING_MODE.of("PAY_PER_REQUEST", Place("t.yaml", 5))
PROVISIONED = facts.BILLING_MODE.of("PROVISIONED", Place("t.yaml", 5))


def test_the_default_mode_stands_at_the_table() -> None:
    """Where billing is not stated, the finding stands at the table and names the mode that applies."""
    table = build.table()
    verdict = on_demand_billing.check(table)
    assert verdict.truth is False
    refusal, _, scaling = str(verdict.note).partition("; ")
    assert refusal == "billing mode is PROVISIONED, and neither a tag nor the configuration allows it"
    assert scaling == "no autoscaling for reads and writes of the table"
    assert verdict.evidence[0].place == table.place


def test_provisioned_capacity_that_scales_weighs_less() -> None:
    """Autoscaling of the table alone is not enough where an index has none."""
    scaling = (build.target("read"), build.target("write"))
    scaled = on_demand_billing.check(build.table(scaling=scaling))
    assert (scaled.truth, scaled.severity, scaled.reason) == (False, "medium", "all of its capacity scales")
    half = on_demand_billing.check(build.table(scaling=scaling, indexes=facts.INDEXES.of((build.index(),))))
    assert (half.truth, half.severity) == (False, None)
    assert str(half.note).endswith("; no autoscaling for reads and writes of index by-status")


def test_terraform_ignores_the_capacity_of_indexes_under_on_demand() -> None:
    """CloudFormation refuses it, and so does every dialect for the table itself."""
    indexes = facts.INDEXES.of((build.index(capacity=build.units(5, 5)),))
    table = build.table(billing_mode=ON_DEMAND, indexes=indexes)
    assert capacity_contradiction.check(table).severity == "low"
    assert capacity_contradiction.check(table).truth is False
    for refused in (
        replace(table, capacity=build.units(5, 5)),
        replace(table, type="AWS::DynamoDB::Table"),
        replace(table, scaling=(build.target("read"),)),
    ):
        verdict = capacity_contradiction.check(refused)
        assert (verdict.truth, verdict.severity) == (False, None)
        assert "index by-status" in (verdict.note or "")


@pytest.mark.parametrize("tag", ["tablegate:capacity", "Tablegate:Capacity"])
def test_tags_are_read_in_any_case(tag: str) -> None:
    """A tag's key and value count in any case."""
    tags = facts.TAGS.of({tag: "Provisioned"})
    assert on_demand_billing.check(build.table(tags=tags)).truth is True


def test_a_selector_without_a_value_wants_the_tag_alone() -> None:
    """`provisioned-when = ["legacy"]` is content with any value, also one that is not known."""
    for text in ("", "yes", None):
        table = build.table(tags=facts.TAGS.of({"legacy": text}))
        assert on_demand_billing.check(table, provisioned_when=("legacy",)).truth is True


def test_a_tag_whose_value_is_not_known_decides_nothing() -> None:
    """The doubt names the tag, and stands where the tags are."""
    tags = facts.TAGS.of({"team": None}, Place("t.yaml", 9))
    verdict = on_demand_billing.check(build.table(tags=tags), provisioned_when=("team=billing",))
    assert verdict.truth is None
    assert [value.name for value in verdict.evidence] == ["tag team"]
    assert verdict.evidence[0].place == Place("t.yaml", 9)


def test_tags_that_are_not_known_decide_nothing() -> None:
    """Unknown tags may say that provisioned capacity is required."""
    verdict = on_demand_billing.check(build.table(tags=build.doubted(facts.TAGS.unset)))
    assert verdict.truth is None


def test_a_tag_of_its_own_wins_over_an_override() -> None:
    """What is declared counts as an override only where the table's own tag is silent."""
    tags = facts.TAGS.of({"tablegate:capacity": "provisioned"})
    assert on_demand_billing.check(build.table(tags=tags), provisioned_when=()).truth is False


def test_a_mode_known_to_be_one_of_two_provisioned_spellings_fails() -> None:
    """Candidates that all fail are a failure, not a doubt."""
    mode = facts.BILLING_MODE.doubted(build.DOUBT, None, ("PROVISIONED",))
    assert on_demand_billing.check(build.table(billing_mode=mode)).truth is False
    both = facts.BILLING_MODE.doubted(build.DOUBT, None, ("PROVISIONED", "PAY_PER_REQUEST"))
    assert on_demand_billing.check(build.table(billing_mode=both)).truth is None


def test_a_ceiling_of_nothing_is_none() -> None:
    """-1 and 0 lift the limit."""
    for units in (-1, 0):
        table = build.table(billing_mode=ON_DEMAND, on_demand=build.ceiling(units, 5))
        assert on_demand_ceiling.check(table).note == "no maximum for reads of the table"


@pytest.mark.parametrize("check", [on_demand_ceiling.check, capacity_contradiction.check])
def test_indexes_that_are_not_known_are_a_doubt(check) -> None:  # type: ignore[no-untyped-def]
    """What cannot be listed may be wrong, and what is wrong elsewhere still fails."""
    unlisted = build.doubted(facts.INDEXES.unset)
    table = build.table(billing_mode=ON_DEMAND, on_demand=build.ceiling(5, 5), indexes=unlisted)
    assert check(table).truth is None
    assert check(table).evidence == (unlisted,)


def test_one_unit_is_a_ceiling_and_a_capacity() -> None:
    """The least that the service accepts."""
    assert on_demand_ceiling.check(build.table(billing_mode=ON_DEMAND, on_demand=build.ceiling(1, 1))).truth is True
    assert capacity_contradiction.check(build.table(capacity=build.units(1, 1))).truth is True


def test_a_number_that_is_not_known_may_be_out_of_place() -> None:
    """Nobody can tell whether it is given at all."""
    doubted = Units(read=facts.READ_CAPACITY.doubted(build.DOUBT), write=facts.WRITE_CAPACITY.unset)
    assert capacity_contradiction.check(build.table(billing_mode=ON_DEMAND, capacity=doubted)).truth is None
    capped = Units(read=facts.MAX_READ.doubted(build.DOUBT), write=facts.MAX_WRITE.unset)
    table = build.table(billing_mode=PROVISIONED, capacity=build.units(5, 5), on_demand=capped)
    assert capacity_contradiction.check(table).truth is None


def test_capacity_of_a_replica_is_capacity() -> None:
    """A replica's own read capacity is out of place under on-demand billing, and its maximum under provisioned."""
    replicas = facts.REPLICAS.of((build.replica(read_capacity=facts.READ_CAPACITY.of(5)),))
    verdict = capacity_contradiction.check(build.table(billing_mode=ON_DEMAND, replicas=replicas))
    expected = "an on-demand table must not set provisioned capacity: it is set for reads of the replica in eu-west-1"
    assert verdict.note == expected
    assert ON_DEMAND in verdict.evidence
    capped = facts.REPLICAS.of((build.replica(max_read=facts.MAX_READ.of(5)),))
    verdict = capacity_contradiction.check(
        build.table(billing_mode=PROVISIONED, capacity=build.units(5, 5), replicas=capped)
    )
    assert verdict.note == (
        "on-demand maximums have no effect with provisioned billing: they are set for reads of the replica in eu-west-1"
    )


def test_a_target_that_may_be_this_tables_is_a_doubt_under_on_demand() -> None:
    """A scaling target that cannot be assigned may be dead configuration of this table."""
    table = build.table(billing_mode=ON_DEMAND, scaling_doubt=build.DOUBT)
    assert capacity_contradiction.check(table).truth is None


def test_all_contradictions_are_named() -> None:
    """One finding names everything that is wrong."""
    table = build.table(
        billing_mode=PROVISIONED,
        capacity=build.units(5),
        on_demand=build.ceiling(write=5),
        replicas=facts.REPLICAS.unset,
    )
    assert capacity_contradiction.check(table).note == (
        "on-demand maximums have no effect with provisioned billing: they are set for writes of the table;"
        " provisioned billing needs a capacity of at least 1 for writes of the table"
    )


def inline(table: Table) -> Table:
    """The table, scaling its own reads and writes."""
    targets = tuple(build.target(dimension, address=table.address) for dimension in ("read", "write"))
    return build.table(billing_mode=PROVISIONED, scaling=targets)


def test_a_table_that_scales_itself_states_no_capacity() -> None:
    """Inline bounds stand for the fixed numbers; a target beside the table does not."""
    assert capacity_contradiction.check(inline(build.table())).truth is True
    beside = build.table(billing_mode=PROVISIONED, scaling=(build.target("read"), build.target("write")))
    assert capacity_contradiction.check(beside).truth is False


@pytest.mark.parametrize("policy", [on_demand_billing, capacity_contradiction, autoscaled_capacity])
def test_a_replica_in_another_account_has_its_sources_capacity(policy: Policy) -> None:
    """It is judged where it is stated; what the replica states itself is judged here."""
    source = facts.SOURCE_TABLE.of("arn:aws:dynamodb:us-east-1:111122223333:table/orders")
    assert policy.check(build.table(source_table=source)).applies is False
    assert policy.check(build.table(source_table=source, billing_mode=PROVISIONED)).truth is False
