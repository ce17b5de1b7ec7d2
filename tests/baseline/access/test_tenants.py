"""Tenants: conditions on keys and attributes, for users and for code."""

from __future__ import annotations

from typing import Any

import pytest

from support.access import (
    HERE,
    ORDERS,
    deny,
    document,
    estate,
    findings,
    holder,
    of,
    said,
    statement,
    table,
    told,
)
from support.tables import key
from tablegate.iam.grants import HolderKind
from tablegate.model import facts

SUB = "${cognito-identity.amazonaws.com:sub}"
TENANT = "${aws:PrincipalTag/tenant}"
USER: dict[str, Any] = {
    "kind": HolderKind.END_USER,
    "why": "trusts cognito-identity.amazonaws.com",
    "services": (),
}
ANYBODY = {**USER, "why": "trusts unauthenticated users of cognito-identity.amazonaws.com"}


def keys(*values: str, operator: str = "ForAllValues:StringEquals", name: str = "dynamodb:LeadingKeys") -> Any:
    """A condition on the partition key."""
    return {operator: {name: list(values)}}


@pytest.mark.parametrize(
    ("statements", "severity"),
    [
        ([statement(["GetItem", "Query", "PutItem"])], "high"),
        ([statement(["GetItem", "Query"], ORDERS, keys(SUB))], None),
        ([statement("GetItem", ORDERS, keys("public"))], "medium"),
        ([statement("GetItem", ORDERS, keys("public#*", operator="ForAllValues:StringLike"))], "high"),
        ([statement("GetItem", ORDERS, keys(SUB, operator="ForAllValues:StringNotEquals"))], "high"),
        ([statement("GetItem", ORDERS, keys(SUB, operator="ForAllValues:StringNotLike"))], "high"),
        ([statement("GetItem", ORDERS, keys(SUB, operator="ForAnyValue:StringNotEqualsIfExists"))], "high"),
        ([statement("GetItem", ORDERS, keys("x", operator="ForAllValues:StringNotEquals"))], "high"),
        ([statement("GetItem", ORDERS, keys(SUB, operator="ForAllValues:StringEqualsIfExists"))], None),
        ([statement("GetItem", ORDERS, {"StringNotEquals": {"aws:ResourceTag/tenant": TENANT}})], "high"),
        ([statement("GetItem", ORDERS, {"Null": {"dynamodb:LeadingKeys": SUB}})], "high"),
        ([statement("GetItem", ORDERS, keys(TENANT))], None),
        ([statement("GetItem", f"{HERE}${{aws:userid}}")], None),
        ([statement("GetItem", ORDERS, {"StringEquals": {"aws:ResourceTag/tenant": TENANT}})], None),
        ([statement("GetItem", ORDERS, {"StringEquals": {"aws:ResourceTag/app": "orders"}})], "high"),
        (
            [statement("GetItem"), deny("GetItem", "*", keys(SUB, operator="ForAnyValue:StringNotEquals"))],
            None,
        ),
        ([statement("DescribeTable")], None),
        ([statement(["GetItem", "Scan"], ORDERS, keys(SUB))], None),
    ],
)
def test_a_user_reaches_items_of_their_own(statements: list[Any], severity: str | None) -> None:
    """By a key, a tag, or a table of their own; what slips past a condition is TG521's."""
    assert said(of(*statements, **USER), "TG520") == severity


def test_users_who_are_not_signed_in_are_anybody() -> None:
    """Then it is critical."""
    assert said(of(statement("GetItem"), **ANYBODY), "TG520") == "critical"


def test_code_is_no_user() -> None:
    """Code reads everybody's items for a living."""
    assert said(of(statement("GetItem")), "TG520") is None


def test_a_public_table_may_be_read() -> None:
    """Read, not written."""
    assert said(of(statement("GetItem"), **USER), "TG520", public_tables=("Orders",)) is None
    assert said(of(statement(["GetItem", "PutItem"]), **USER), "TG520", public_tables=("Orders",)) == "high"
    assert said(of(statement("GetItem"), tables=[table()], **USER), "TG520", public_tables=("Orders",)) is None


@pytest.mark.parametrize(
    ("actions", "conditions", "severity"),
    [
        (["GetItem", "Query", "Scan"], keys(SUB), "critical"),
        (["GetItem", "Query"], keys(SUB), None),
        (["GetItem", "GetRecords"], keys(SUB), None),
        (["GetItem", "ExportTableToPointInTime"], keys(SUB), "critical"),
        (["GetItem", "DescribeTable"], keys(SUB), "info"),
        (["GetItem", "SearchVectors"], keys(SUB), None),
        (["GetItem", "Scan"], keys(SUB) | {"Null": {"dynamodb:LeadingKeys": "false"}}, None),
        (["GetItem", "Scan"], keys(SUB, operator="StringEquals"), None),
        (["GetItem", "Scan"], keys("a", name="dynamodb:Attributes"), None),
        (["GetItem", "DeleteTable"], keys("a", name="dynamodb:Attributes"), "critical"),
        (["GetItem", "Scan"], keys(SUB, name="dynamodb:FirstPartitionKeyValues"), "critical"),
        (["GetItem", "Scan"], {"StringEquals": {"aws:SourceVpce": "vpce-1"}}, None),
    ],
)
def test_a_condition_over_a_set_is_met_by_none(actions: list[str], conditions: Any, severity: str | None) -> None:
    """ForAllValues holds where the key is absent: for the actions that never carry it."""
    assert said(of(statement(actions, ORDERS, conditions), **USER), "TG521") == severity


def test_what_slips_past_can_be_denied() -> None:
    """A Deny of the actions that do not carry the key mends it, by their names or by the key's absence."""
    open_ = statement(["GetItem", "Scan"], ORDERS, keys(SUB))
    assert said(of(open_, deny("Scan", "*"), **USER), "TG521") is None
    assert said(of(open_, deny("dynamodb:*", "*", {"Null": {"dynamodb:LeadingKeys": "true"}})), "TG521") is None
    assert said(of(open_), "TG521") == "high"


@pytest.mark.parametrize(
    ("conditions", "why"),
    [
        (keys(TENANT, operator="ForAnyValue:StringEquals"), "allows a whole batch"),
        (keys(TENANT, operator="StringEquals"), "needs ForAllValues"),
        (keys(TENANT, operator="ForAllValues:StringEqualsIfExists"), None),
        (keys(TENANT, operator="StringEqualsIfExists"), "is met by every request without the key"),
        (keys(TENANT, operator="ForAllValues:StringNotEquals"), "allows every key except those that it lists"),
        (keys(TENANT, operator="ForAllValues:StringNotLike"), "allows every key except those that it lists"),
        (keys("TENANT#*"), "takes a wildcard literally"),
        (keys("*", operator="ForAllValues:StringLike"), "allows every key"),
        (keys(TENANT, name="dynamodb:LeadingKey"), "there is no condition key dynamodb:LeadingKey"),
        (keys(TENANT), None),
        (keys(TENANT, name="dynamodb:leadingkeys"), None),
        (keys("TENANT#*", operator="ForAllValues:StringLike"), None),
        (keys(TENANT) | {"Null": {"dynamodb:LeadingKeys": "false"}}, None),
        ({"StringEquals": {"dynamodb:Select": "COUNT"}}, None),
    ],
)
def test_the_operator_over_keys(conditions: Any, why: str | None) -> None:
    """One value for each item of a request: the operator must hold for all of them."""
    found = findings(of(statement(["GetItem", "BatchGetItem"], ORDERS, conditions)), "TG522")
    assert [why in item.message for item in found if why] == ([True] if why else [])
    assert len(found) == (1 if why else 0)


def test_only_a_batch_has_several_keys() -> None:
    """Where no action takes several, one of them is all of them."""
    condition = keys(TENANT, operator="ForAnyValue:StringEquals")
    assert said(of(statement(["GetItem", "Query"], ORDERS, condition)), "TG522") is None
    assert said(of(statement(["GetItem", "PartiQLSelect"], ORDERS, condition)), "TG522") == "high"


@pytest.mark.parametrize(("version", "severity"), [(None, "high"), ("2008-10-17", "high"), ("2012-10-17", None)])
def test_variables_need_the_languages_second_version(version: str | None, severity: str | None) -> None:
    """Before it, they were plain text."""
    old = document(statement("GetItem", ORDERS, keys(TENANT)), version=version)
    assert said(estate(holder(old)), "TG522") == severity


def test_an_operator_over_no_items_does_not_matter() -> None:
    """A statement that grants no item is another matter."""
    assert said(of(statement("DescribeTable", ORDERS, keys(TENANT, operator="StringEquals"))), "TG522") is None


@pytest.mark.parametrize(
    ("value", "kind", "severity"),
    [
        (f"{TENANT}*", HolderKind.END_USER, "high"),
        (f"{TENANT}*", HolderKind.RUNTIME, "medium"),
        (f"{TENANT}#*", HolderKind.END_USER, None),
        (f"{TENANT}|*", HolderKind.END_USER, None),
        (f"{SUB}*", HolderKind.END_USER, "info"),
        ("tenant1*", HolderKind.RUNTIME, "medium"),
        ("tenant#*", HolderKind.RUNTIME, None),
        ("tenant1", HolderKind.RUNTIME, None),
        ("*", HolderKind.RUNTIME, None),
    ],
)
def test_a_tenants_prefix_ends_at_a_delimiter(value: str, kind: HolderKind, severity: str | None) -> None:
    """Tenant 1 is the beginning of tenant 10, unless something stands between."""
    conditions = keys(value, operator="ForAllValues:StringLike")
    assert said(of(statement("GetItem", ORDERS, conditions), kind=kind), "TG523") == severity
    assert said(of(statement("GetItem", ORDERS, keys(value)), kind=kind), "TG523") is None


SELECT = {"dynamodb:Select": "SPECIFIC_ATTRIBUTES"}
RETURNED = {"dynamodb:ReturnValues": ["NONE", "UPDATED_NEW"]}


@pytest.mark.parametrize(
    ("actions", "others", "severity"),
    [
        (["GetItem", "Query"], {}, "medium"),
        (["GetItem", "Query"], {"StringEqualsIfExists": SELECT}, None),
        (["GetItem", "Query"], {"StringEquals": SELECT}, None),
        (["GetItem", "Query"], {"StringEquals": {"dynamodb:Select": "ALL_ATTRIBUTES"}}, "medium"),
        (["GetItem", "Query"], {"StringNotEquals": SELECT}, "medium"),
        (["UpdateItem"], {}, "medium"),
        (["UpdateItem"], {"StringEqualsIfExists": RETURNED}, None),
        (["UpdateItem"], {"StringEqualsIfExists": {"dynamodb:ReturnValues": "ALL_OLD"}}, "medium"),
        (["PutItem"], {"StringEqualsIfExists": SELECT | RETURNED}, "medium"),
        (["DescribeTable"], {}, None),
    ],
)
def test_attributes_leak_where_nothing_says_what_is_returned(
    actions: list[str], others: Any, severity: str | None
) -> None:
    """Reads return everything without a projection, writes when asked to, and putting replaces the whole."""
    conditions = keys("id", "name", name="dynamodb:Attributes") | others
    assert said(of(statement(actions, ORDERS, conditions)), "TG524") == severity


def test_attributes_without_the_key_refuse_every_request() -> None:
    """A request names the key of its item; the list must hold it."""
    conditions = keys("name", name="dynamodb:Attributes") | {"StringEqualsIfExists": SELECT}
    world = of(statement("GetItem", ORDERS, conditions), tables=[table(keys=facts.KEYS.of(key("id", "name")))])
    (found,) = findings(world, "TG524")
    assert "the listed attributes lack id" in found.message
    patterns = keys("*", name="dynamodb:Attributes", operator="ForAllValues:StringLike")
    world = of(statement("GetItem", ORDERS, patterns | {"StringEqualsIfExists": SELECT}), tables=[table()])
    assert said(world, "TG524") is None


def test_no_limit_on_attributes_is_no_leak() -> None:
    """And the fix of one binds what is returned."""
    assert said(of(statement("GetItem")), "TG524") is None
    (found,) = findings(of(statement("GetItem", ORDERS, keys("id", name="dynamodb:Attributes"))), "TG524")
    assert found.fix is not None
    assert "SPECIFIC_ATTRIBUTES" in found.fix


def test_the_sound_role_of_a_user() -> None:
    """Own items, no scan: nothing to say."""
    world = of(statement(["GetItem", "Query", "PutItem"], [ORDERS, f"{ORDERS}/index/*"], keys(SUB)), **USER)
    assert told(world) == {}
