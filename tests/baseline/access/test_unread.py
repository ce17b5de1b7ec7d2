"""TG541: how much the unknown parts of a document weigh."""

from __future__ import annotations

from typing import Any

import pytest

from support import tables as build
from support.access import HERE, ITEMS, ORDERS, estate, findings, holder, statement, table, whole
from support.access_estates import door
from tablegate.iam.documents import UnknownPart
from tablegate.iam.grants import HolderKind, Unread
from tablegate.model.estate import Estate

UNKNOWN = UnknownPart(build.DOUBT)
STAR = UnknownPart(build.DOUBT, usual=("*",))
PART = UnknownPart(build.DOUBT, (f"{HERE}\U000f0001",), (f"{HERE}*",))


def severity(world: Estate) -> str | None:
    """That of TG541, which is unknown wherever it speaks."""
    found = findings(world, "TG541")
    assert all(one.outcome == "unknown" for one in found)
    return max((str(one.severity) for one in found), default=None)


@pytest.mark.parametrize(
    ("actions", "resources", "expected"),
    [
        ("GetItem", UNKNOWN, "info"),
        (ITEMS, UNKNOWN, "info"),
        ("dynamodb:*", UNKNOWN, "high"),
        ("DeleteTable", UNKNOWN, "high"),
        ("UpdateTable", UNKNOWN, "medium"),
        ("GetItem", STAR, "high"),
        ("dynamodb:*", STAR, "critical"),
        ("GetItem", PART, "high"),
        ("GetItem", [ORDERS, STAR], "high"),
        ("GetItem", [UnknownPart(build.DOUBT, usual=(ORDERS,))], "info"),
    ],
)
def test_an_unknown_resource_weighs_as_one_table(actions: Any, resources: Any, expected: str) -> None:
    """Or as what it is by default, if that is wider."""
    assert severity(estate(holder(whole(statement(actions, resources))), tables=[table()])) == expected


@pytest.mark.parametrize(
    ("resources", "expected"),
    [(ORDERS, "high"), ("*", "critical"), (UNKNOWN, "high"), (STAR, "critical"), ("arn:aws:s3:::bucket", "info")],
)
def test_an_unknown_action_weighs_as_everything(resources: Any, expected: str) -> None:
    """At the width of the resources beside it."""
    world = estate(holder(whole(statement(None, resources, Action=[UNKNOWN, "dynamodb:GetItem"]))), tables=[table()])
    assert severity(world) == expected


def test_an_unknown_action_beside_a_not_resource_weighs_as_everything_everywhere() -> None:
    """It is granted on all but what is listed."""
    world = estate(holder(whole(statement(None, None, Action=UNKNOWN, NotResource=ORDERS))), tables=[table()])
    assert severity(world) == "critical"


def test_a_statement_that_is_not_known_may_grant_anything() -> None:
    """However small the statements beside it are."""
    assert severity(estate(holder(whole(statement("GetItem"), UNKNOWN)), tables=[table()])) == "high"


def test_an_unknown_condition_weighs_nothing_here() -> None:
    """Each policy about the statement is unknown already."""
    world = estate(holder(whole(statement("dynamodb:*", "*", Condition=UNKNOWN))), tables=[table()])
    assert severity(world) == "info"


def test_the_heaviest_of_one_address_counts() -> None:
    """A policy elsewhere is medium, whatever is unread beside it."""
    missing = Unread(
        address="aws_iam_role_policy.worker", place=None, doubt=build.DOUBT, relevant=True, partly=False, elsewhere=True
    )
    assert severity(estate(holder(whole(statement("GetItem")), unread=[missing]), tables=[table()])) == "medium"
    heavy = holder(whole(statement("DeleteTable", UNKNOWN)), unread=[missing])
    assert severity(estate(heavy, tables=[table()])) == "high"


@pytest.mark.parametrize(
    ("usual", "kind", "expected"),
    [
        (("AdministratorAccess",), HolderKind.RUNTIME, "high"),
        (("AmazonDynamoDBReadOnlyAccess",), HolderKind.RUNTIME, "high"),
        (("AWSCloudTrail_FullAccess", "PowerUserAccess"), HolderKind.UNKNOWN, "high"),
        (("AdministratorAccess",), HolderKind.DEPLOY, "medium"),
        (("AdministratorAccess",), HolderKind.HUMAN, "medium"),
        (("AWSCloudTrail_FullAccess",), HolderKind.RUNTIME, "medium"),
        (("AWSDenyAll",), HolderKind.RUNTIME, "medium"),
    ],
)
def test_a_policy_elsewhere_weighs_as_what_it_is_by_default(
    usual: tuple[str, ...], kind: HolderKind, expected: str
) -> None:
    """If that grants the items of every table, and whoever holds it is no deploy role and no person."""
    missing = Unread(
        address="aws_iam_role.worker",
        place=None,
        doubt=build.DOUBT,
        relevant=True,
        partly=False,
        elsewhere=True,
        usual=usual,
    )
    world = estate(holder(whole(statement("GetItem")), unread=[missing], kind=kind), tables=[table()])
    assert severity(world) == expected


def test_who_holds_it_counts() -> None:
    """What a deploy role may do with one table is expected of it."""
    world = estate(holder(whole(statement("dynamodb:*", UNKNOWN)), kind=HolderKind.DEPLOY), tables=[table()])
    assert severity(world) == "info"


def test_the_policy_of_a_table_is_about_one_table() -> None:
    """An unknown action in it may be any, on that table."""
    world = estate(door(statement(None, "*", Action=UNKNOWN, Principal="*")), tables=[table()])
    assert severity(world) == "high"
