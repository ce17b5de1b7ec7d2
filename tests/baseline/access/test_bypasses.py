"""Leaks: what gets past a Deny, and past a tag."""

from __future__ import annotations

from typing import Any

import pytest

from support.access import HERE, ORDERS, deny, estate, findings, holder, of, said, statement, tagged, whole
from tablegate.iam.grants import DocumentRole, HolderKind

TAGGED = {"StringEquals": {"aws:ResourceTag/app": "orders"}}


@pytest.mark.parametrize(
    ("allowed", "denied", "severity"),
    [
        (statement("dynamodb:*"), deny("DeleteItem"), "medium"),
        (
            statement("dynamodb:*"),
            deny(["DeleteItem", "BatchWriteItem", "PartiQL*", "DeleteTable*", "UpdateTime*"]),
            None,
        ),
        (statement(["PutItem", "DeleteItem"]), deny("DeleteItem"), None),
        (statement(["BatchWriteItem", "DeleteItem"]), deny("DeleteItem", f"{HERE}Audit"), None),
        (statement(["BatchWriteItem", "DeleteItem"], f"{HERE}*"), deny("DeleteItem", f"{HERE}Audit"), "medium"),
        (statement(["BatchWriteItem", "DeleteItem"], f"{HERE}*"), deny("DeleteItem", f"{HERE}app-*"), "medium"),
        (statement(["GetItem", "Query"]), deny("GetItem"), "medium"),
        (statement(["Scan", "Query"]), deny("Scan"), None),
        (statement(["Scan", "PartiQLSelect"]), deny("Scan"), "medium"),
        (statement(["PutItem", "UpdateItem"]), deny("UpdateItem"), None),
        (statement(["PutItem", "UpdateItem"]), deny("PutItem"), "medium"),
        (statement("dynamodb:*", "*"), deny("dynamodb:*"), None),
        (statement("dynamodb:*", "*"), deny(None, "*") | {"NotAction": ["dynamodb:GetItem"]}, None),
        (statement(["Query"], [ORDERS, f"{ORDERS}/index/*"]), deny("Query"), "medium"),
        (statement(["Query"], [ORDERS, f"{ORDERS}/index/*"]), deny("Query", [ORDERS, f"{ORDERS}/index/*"]), None),
        (statement(["Query"], [ORDERS, f"{ORDERS}/index/*"]), deny("Query", f"{ORDERS}*"), None),
    ],
)
def test_a_deny_covers_what_does_the_same(allowed: Any, denied: Any, severity: str | None) -> None:
    """Only where the other action is really allowed, on what the Deny is about, or on its indexes."""
    assert said(of(allowed, denied), "TG525") == severity


def test_a_deny_that_guards_something_sensitive_is_worse() -> None:
    """By the table's data class, or where it is about attributes."""
    broken = (statement(["BatchWriteItem", "DeleteItem"]), deny("DeleteItem"))
    assert said(of(*broken, tables=[tagged(**{"data-classification": "pii"})]), "TG525") == "high"
    assert said(of(*broken, tables=[tagged(**{"data-classification": "public"})]), "TG525") == "medium"
    world = of(*broken, tables=[tagged(**{"data-classification": "public"})])
    assert said(world, "TG525", sensitive=("public",)) == "high"
    attributes = {"ForAnyValue:StringEquals": {"dynamodb:Attributes": ["salary"]}}
    world = of(statement(["GetItem", "Query"]), deny("GetItem", ORDERS, attributes))
    assert said(world, "TG525") == "high"


def test_only_an_identitys_deny_is_judged() -> None:
    """A boundary's is a ceiling."""
    world = of(statement(["GetItem", "Query"]), deny("GetItem"), role=DocumentRole.CEILING)
    assert said(world, "TG525") is None


@pytest.mark.parametrize(
    ("statements", "severity"),
    [
        ([statement("GetItem", "*", TAGGED), statement("TagResource", "*")], "high"),
        ([statement("GetItem", "*", TAGGED), statement(["TagResource", "UntagResource"], f"{HERE}app-*")], "high"),
        ([statement("GetItem", "*", TAGGED), statement("TagResource", "*", TAGGED)], None),
        ([statement("GetItem", "*", TAGGED), statement("TagResource", ORDERS)], "high"),
        ([statement("GetItem", f"{HERE}app-*", TAGGED), statement("TagResource", ORDERS)], None),
        ([statement("GetItem", ORDERS, TAGGED), statement("UntagResource", f"{ORDERS}*")], "high"),
        ([statement("GetItem", "*", TAGGED), statement("CreateTable", ORDERS)], None),
        ([statement("GetItem", "*"), statement("TagResource", "*")], None),
        ([statement("GetItem", "*", TAGGED), statement("CreateTable", "*")], "high"),
        (
            [
                statement("GetItem", "*", TAGGED),
                statement("CreateTable", "*", {"StringEquals": {"aws:RequestTag/app": "orders"}}),
            ],
            None,
        ),
        (
            [
                statement("GetItem", "*", TAGGED),
                statement("TagResource", "*", {"ForAllValues:StringEquals": {"aws:TagKeys": ["team"]}}),
            ],
            None,
        ),
        (
            [
                statement("GetItem", "*", TAGGED),
                statement("TagResource", "*", {"ForAllValues:StringEquals": {"aws:TagKeys": ["app"]}}),
            ],
            "high",
        ),
        (
            [
                statement("GetItem", "*", {"StringEqualsIfExists": {"aws:ResourceTag/app": "orders"}}),
                statement("TagResource", "*"),
            ],
            None,
        ),
    ],
)
def test_whoever_is_bound_by_a_tag_does_not_set_it(statements: list[Any], severity: str | None) -> None:
    """A tag that the holder may set binds nobody."""
    assert said(of(*statements), "TG526") == severity


@pytest.mark.parametrize(
    ("kind", "resources", "conditions", "severity"),
    [
        (HolderKind.RUNTIME, ORDERS, None, "medium"),
        (HolderKind.UNKNOWN, "*", None, "medium"),
        (HolderKind.RUNTIME, f"{HERE}Users", None, None),
        (HolderKind.RUNTIME, ORDERS, {"ForAllValues:StringEquals": {"aws:TagKeys": ["team"]}}, None),
        (HolderKind.DEPLOY, ORDERS, None, None),
        (HolderKind.HUMAN, ORDERS, None, None),
    ],
)
def test_whoever_sets_the_tag_of_others_hands_them_the_table(
    kind: HolderKind, resources: str, conditions: Any, severity: str | None
) -> None:
    """Setting tags is the work of deploy roles and people."""
    limited = holder(whole(statement("GetItem", ORDERS, TAGGED)), address="aws_iam_role.tenant", at="a")
    tagging = holder(whole(statement(["TagResource", "CreateTable"], resources, conditions)), kind=kind)
    world = estate(limited, tagging)
    assert said(world, "TG526") == severity
    if severity:
        (found,) = findings(world, "TG526")
        assert found.message == "TagResource can set the tag app that limits the grants of aws_iam_role.tenant"


def test_the_fix_binds_tagging_by_the_same_tag() -> None:
    """The condition of the other grants, on this one too."""
    (found,) = findings(of(statement("GetItem", "*", TAGGED), statement("TagResource", "*")), "TG526")
    assert found.fix is not None
    assert '"aws:ResourceTag/app": ["orders"]' in found.fix
