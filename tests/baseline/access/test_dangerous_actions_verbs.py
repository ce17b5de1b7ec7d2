"""Verbs: wildcards that stand for actions of several sorts."""

from __future__ import annotations

import pytest

from support.access import HERE, ORDERS, findings, of, said, statement, told
from tablegate.iam.grants import HolderKind


@pytest.mark.parametrize(
    ("actions", "resources", "severity"),
    [
        (["Get*", "Put*", "Delete*"], ORDERS, "high"),
        (["Put*"], ORDERS, "high"),
        (["Update*"], ORDERS, "medium"),
        (["Get*"], ORDERS, None),
        (["Get*"], f"{HERE}app-*", "low"),
        (["Put*"], f"{HERE}Orders*", "critical"),
        (["*Table"], ORDERS, "high"),
        (["*Item"], f"{HERE}app-*", None),
        (["Batch*"], f"{HERE}app-*", None),
        (["PartiQL*"], f"{HERE}app-*", None),
        (["Describe*", "List*"], "*", None),
        (["dynamodb:*"], ORDERS, None),
        (["GetItem", "PutItem"], ORDERS, None),
        (["?utItem"], ORDERS, None),
    ],
)
def test_a_verb_is_weighed_by_the_strongest_that_it_holds(
    actions: list[str], resources: str, severity: str | None
) -> None:
    """One sort of actions is fine under a wildcard; several are not."""
    assert said(of(statement(actions, resources)), "TG507") == severity


def test_a_verb_silences_the_policies_on_single_actions() -> None:
    """One cause, one finding: it names what the verb holds, sort by sort."""
    world = of(statement(["Put*", "Delete*"]))
    assert told(world) == {"TG507": "high"}
    (found,) = findings(world)
    assert "destructive: DeleteTable, DeleteTableReplica; items: DeleteItem, PutItem; permissions: " in found.message


def test_a_verb_that_holds_nothing_silences_nothing() -> None:
    """Get* is fine on one table: DeleteTable beside it is reported."""
    assert told(of(statement(["Get*", "DeleteTable"]))) == {"TG510": "high"}


def test_what_is_named_beside_a_verb_is_told_with_it() -> None:
    """The strongest action of the statement decides, also where it is named in full."""
    world = of(statement(["Update*", "DeleteTable"]))
    assert told(world) == {"TG507": "high"}
    (found,) = findings(world)
    assert "in addition to DeleteTable" in found.message


def test_verbs_in_the_hands_of_a_deploy_role() -> None:
    """A deploy role makes, changes and drops tables."""
    assert told(of(statement(["Update*", "Delete*"]), kind=HolderKind.DEPLOY)) == {}
    assert said(of(statement(["Update*", "Delete*"])), "TG507", deploy_roles=("worker",)) is None
    assert said(of(statement(["Delete*"])), "TG510", deploy_roles=("worker",)) is None
