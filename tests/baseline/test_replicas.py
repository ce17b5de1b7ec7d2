"""Copies of a table: the verdicts that cases cannot show."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from support.policies import outcome
from support.tables import doubted, replica, table
from tablegate.model import facts
from tablegate.model.estate import LegacyGlobalTable
from tablegate.model.table import Recovery, Table
from tablegate.model.value import Value
from tablegate_baseline.replicas import legacy_global_table, replica_parity


def legacy(**stated: Any) -> LegacyGlobalTable:
    """A replica by a custom resource that goes, of a table that is kept."""
    base = LegacyGlobalTable(
        address="ReplicaIreland",
        place=None,
        custom_resource=True,
        table="Orders",
        table_retained=Value("table retained", True),
        deletion_policy=facts.DELETION_POLICY.unset,
    )
    return replace(base, **stated)


KEPT, GONE = Value("table retained", True), Value("table retained", False)
UNSEEN = doubted(facts.DELETION_POLICY.unset)


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        (legacy(), "fails"),
        (legacy(deletion_policy=facts.DELETION_POLICY.of("Retain")), "holds"),
        (legacy(deletion_policy=facts.DELETION_POLICY.of("RetainExceptOnCreate")), "holds"),
        (legacy(table_retained=GONE), "holds"),
        (legacy(table_retained=GONE, deletion_policy=UNSEEN), "holds"),
        (legacy(deletion_policy=UNSEEN), "unknown"),
        (legacy(table_retained=doubted(KEPT)), "unknown"),
        (legacy(table_retained=doubted(KEPT), deletion_policy=facts.DELETION_POLICY.of("Retain")), "holds"),
        (legacy(custom_resource=False), "fails"),
        (legacy(custom_resource=False, deletion_policy=facts.DELETION_POLICY.of("Retain")), "fails"),
    ],
)
def test_a_legacy_replica_is_kept_where_its_table_is(subject: LegacyGlobalTable, expected: str) -> None:
    """A global table of 2017 always fails; a custom resource only where it goes and the table stays."""
    assert expected == outcome(legacy_global_table.check(subject))


def test_a_table_that_is_elsewhere_has_no_name_here() -> None:
    """The message does not name what the input does not hold."""
    assert legacy_global_table.check(legacy(table=None)).note == (
        "the table is retained, but its replica's DeletionPolicy is Delete"
    )


def spread(here: dict[str, Any], *elsewhere: dict[str, Any]) -> Table:
    """A table that states this, with replicas that state that."""
    regions = ("eu-west-1", "ap-southeast-2")
    copies = tuple(replica(region, **stated) for region, stated in zip(regions, elsewhere, strict=False))
    return table(replicas=facts.REPLICAS.of(copies), **here)


def on(*, recovery: bool) -> dict[str, Any]:
    """Point-in-time recovery, on or off."""
    return {"recovery": Recovery(enabled=facts.RECOVERY.of(recovery), days=facts.RECOVERY_DAYS.unset)}


def tags(**given: str | None) -> dict[str, Any]:
    """Tags as stated."""
    return {"tags": facts.TAGS.of(given)}


UNSEEN_TAGS = {"tags": doubted(facts.TAGS.unset)}
POLICY = {"policy": facts.POLICY.of("{}")}
INSIGHTS = {"insights": facts.INSIGHTS.of(True)}
PROTECTED = {"deletion_protection": facts.DELETION_PROTECTION.of(True)}


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        (table(), "exempt"),
        (table(replicas=doubted(facts.REPLICAS.unset)), "unknown"),
        (spread({}, {}), "holds"),
        (spread(on(recovery=True), on(recovery=True)), "holds"),
        (spread(on(recovery=True), {}), "fails"),
        (spread(on(recovery=False), {}), "holds"),
        (spread({}, {}, on(recovery=True)), "fails"),
        (spread(INSIGHTS, {}), "fails"),
        (spread(POLICY, {}), "fails"),
        (spread(POLICY, POLICY), "holds"),
        (spread(PROTECTED, {}), "fails"),
        (spread(PROTECTED, {"deletion_protection": doubted(facts.DELETION_PROTECTION.unset)}), "unknown"),
        (spread({"deletion_protection": doubted(facts.DELETION_PROTECTION.unset)}, PROTECTED, {}), "fails"),
        (spread(tags(owner="a"), tags(owner="a")), "holds"),
        (spread(tags(owner="a"), tags(owner="b")), "fails"),
        (spread(tags(owner="a"), {}), "fails"),
        (spread(tags(owner=""), {}), "fails"),
        (spread(tags(owner=None), {}), "fails"),
        (spread(tags(owner=None), tags(owner="a")), "unknown"),
        (spread(tags(owner=None), tags(owner="a"), tags(owner="b")), "fails"),
        (spread(tags(owner="a"), UNSEEN_TAGS), "unknown"),
        (spread(tags(**{"aws:cloudformation:stack-name": "orders"}), {}), "holds"),
    ],
)
def test_every_region_is_protected_alike(subject: Table, expected: str) -> None:
    """Two known values that differ fail, whatever else is in doubt."""
    assert expected == outcome(replica_parity.check(subject))


def test_a_doubt_names_the_value_in_doubt() -> None:
    """What is known everywhere else does not hide it."""
    unseen = doubted(facts.DELETION_PROTECTION.unset)
    assert replica_parity.check(spread(PROTECTED, {"deletion_protection": unseen})).evidence == (unseen,)


def test_the_message_says_who_has_what() -> None:
    """Every place is named on its side."""
    verdict = replica_parity.check(spread({**INSIGHTS, **tags(owner="a", env="b")}, INSIGHTS, tags(owner="c", env="b")))
    assert verdict.note == (
        "Contributor Insights is on for the table and the replica in eu-west-1, but off for the replica in "
        "ap-southeast-2; tags differ between the table and its replicas: env, owner"
    )


def test_sensitive_tags_are_not_named() -> None:
    """That tags differ can be said without saying which."""
    hidden = {"tags": facts.TAGS.of({"token": "x"}, sensitive=True)}
    verdict = replica_parity.check(spread(hidden, {}))
    assert verdict.note == "tags differ between the table and its replicas"
