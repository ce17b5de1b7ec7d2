"""Conditions: what each of them leaves of a grant."""

from __future__ import annotations

from typing import Any

import pytest

from support.access import document, statement
from support.tables import DOUBT
from tablegate.iam.actions import by_name
from tablegate.iam.arns import Symbols
from tablegate.iam.conditions import (
    Condition,
    Narrowing,
    closed_by_null,
    complement,
    conditions_hold,
    narrowing,
    parse_operator,
)
from tablegate.iam.documents import UnknownPart

SYMBOLS = Symbols()
UNKNOWN = SYMBOLS.of("parameter")


def conditions(tree: Any) -> tuple[Condition, ...]:
    """A statement's conditions."""
    return document(statement("GetItem", "*", tree), symbols=SYMBOLS).statements[0].conditions


@pytest.mark.parametrize(
    ("tree", "action", "expected"),
    [
        # conditions on keys
        ({"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["a"]}}, "GetItem", Narrowing.ITEMS),
        ({"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["a#*"]}}, "Query", Narrowing.ITEMS),
        ({"ForAllValues:StringEquals": {"dynamodb:FirstPartitionKeyValues": ["a"]}}, "GetItem", Narrowing.ITEMS),
        ({"StringEquals": {"dynamodb:LeadingKeys": ["a"]}}, "GetItem", Narrowing.ITEMS),
        ({"ForAnyValue:StringEquals": {"dynamodb:LeadingKeys": ["a"]}}, "GetItem", Narrowing.NONE),
        ({"ForAllValues:StringEqualsIfExists": {"dynamodb:LeadingKeys": ["a"]}}, "GetItem", Narrowing.ITEMS),
        ({"StringEqualsIfExists": {"dynamodb:LeadingKeys": ["a"]}}, "GetItem", Narrowing.NONE),
        ({"ForAllValues:StringNotEquals": {"dynamodb:LeadingKeys": ["a"]}}, "GetItem", Narrowing.NONE),
        ({"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["*"]}}, "GetItem", Narrowing.NONE),
        # actions that do not carry the key
        ({"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["a"]}}, "Scan", Narrowing.NONE),
        ({"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["a"]}}, "DeleteTable", Narrowing.NONE),
        ({"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["a"]}}, "SearchVectors", Narrowing.NEVER),
        ({"ForAnyValue:StringEquals": {"dynamodb:LeadingKeys": ["a"]}}, "Scan", Narrowing.NEVER),
        ({"StringEquals": {"dynamodb:LeadingKeys": ["a"]}}, "Scan", Narrowing.NEVER),
        ({"StringNotEquals": {"dynamodb:LeadingKeys": ["a"]}}, "Scan", Narrowing.NONE),
        (
            {
                "ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["a"]},
                "Null": {"dynamodb:LeadingKeys": "false"},
            },
            "Scan",
            Narrowing.NEVER,
        ),
        ({"Null": {"dynamodb:LeadingKeys": "true"}}, "Scan", Narrowing.NONE),
        ({"StringEquals": {"dynamodb:LeadingKeys": ["a"]}}, "StartBulkPutItems", Narrowing.UNKNOWN),
        ({"Bool": {"aws:ViaAWSService": UnknownPart(DOUBT)}}, "GetItem", Narrowing.UNKNOWN),
        ({"Bool": {"aws:MultiFactorAuthPresent": UNKNOWN}}, "GetItem", Narrowing.UNKNOWN),
        # tags of the resource
        ({"StringEquals": {"aws:ResourceTag/app": "orders"}}, "GetItem", Narrowing.TABLES),
        ({"StringEquals": {"AWS:RESOURCETAG/app": "${aws:PrincipalTag/app}"}}, "Query", Narrowing.TABLES),
        ({"StringEquals": {"aws:ResourceTag/app": "orders"}}, "DeleteBackup", Narrowing.NEVER),
        ({"StringEqualsIfExists": {"aws:ResourceTag/app": "orders"}}, "GetItem", Narrowing.NONE),
        ({"StringNotEquals": {"aws:ResourceTag/app": "orders"}}, "GetItem", Narrowing.NONE),
        ({"StringLike": {"aws:ResourceTag/app": "*"}}, "GetItem", Narrowing.NONE),
        ({"StringEquals": {"aws:ResourceTag/app": "*"}}, "GetItem", Narrowing.TABLES),
        # accounts and regions
        ({"StringEquals": {"aws:ResourceAccount": "111122223333"}}, "GetItem", Narrowing.WHERE),
        ({"StringEquals": {"aws:ResourceOrgID": "o-1"}}, "GetItem", Narrowing.WHERE),
        ({"StringEquals": {"aws:RequestedRegion": "eu-west-1"}}, "GetItem", Narrowing.WHERE),
        # context
        ({"StringEquals": {"aws:SourceVpce": "vpce-1"}}, "GetItem", Narrowing.CONTEXT),
        ({"StringEquals": {"aws:SourceVpc": "vpc-1"}}, "GetItem", Narrowing.CONTEXT),
        ({"IpAddress": {"aws:SourceIp": "10.0.0.0/8"}}, "GetItem", Narrowing.CONTEXT),
        ({"IpAddress": {"aws:SourceIp": "0.0.0.0/0"}}, "GetItem", Narrowing.NONE),
        ({"NotIpAddress": {"aws:SourceIp": "10.0.0.0/8"}}, "GetItem", Narrowing.NONE),
        ({"StringEquals": {"aws:PrincipalOrgID": "o-1"}}, "GetItem", Narrowing.CONTEXT),
        ({"Bool": {"aws:MultiFactorAuthPresent": "true"}}, "GetItem", Narrowing.CONTEXT),
        ({"Bool": {"aws:MultiFactorAuthPresent": False}}, "GetItem", Narrowing.NONE),
        ({"BoolIfExists": {"aws:MultiFactorAuthPresent": "true"}}, "GetItem", Narrowing.NONE),
        ({"ForAnyValue:StringEquals": {"aws:CalledVia": "cloudformation.amazonaws.com"}}, "GetItem", Narrowing.CONTEXT),
        ({"ForAllValues:StringEquals": {"aws:CalledVia": "cloudformation.amazonaws.com"}}, "GetItem", Narrowing.NONE),
        ({"Bool": {"aws:ViaAWSService": "true"}}, "GetItem", Narrowing.CONTEXT),
        # what only looks as if it narrowed
        ({"Bool": {"aws:SecureTransport": "true"}}, "GetItem", Narrowing.NONE),
        ({"DateLessThan": {"aws:CurrentTime": "2030-01-01T00:00:00Z"}}, "GetItem", Narrowing.NONE),
        ({"StringLike": {"aws:UserAgent": "app"}}, "GetItem", Narrowing.NONE),
        ({"StringLike": {"aws:Referer": "app"}}, "GetItem", Narrowing.NONE),
        ({"StringEquals": {"dynamodb:ReturnConsumedCapacity": "NONE"}}, "GetItem", Narrowing.NONE),
        # attributes, and scans by PartiQL
        ({"ForAllValues:StringEquals": {"dynamodb:Attributes": ["a"]}}, "GetItem", Narrowing.ATTRIBUTES),
        ({"ForAllValues:StringEquals": {"dynamodb:Attributes": ["a"]}}, "DeleteTable", Narrowing.NONE),
        ({"Bool": {"dynamodb:FullTableScan": "false"}}, "PartiQLSelect", Narrowing.ITEMS),
        ({"Bool": {"dynamodb:FullTableScan": "true"}}, "PartiQLSelect", Narrowing.NONE),
        ({"Bool": {"dynamodb:FullTableScan": "false"}}, "GetItem", Narrowing.NEVER),
        # what is not known
        ({"StringLike": {"aws:ResourceTag/app": UnknownPart(DOUBT)}}, "GetItem", Narrowing.UNKNOWN),
        ({"StringLike": {"aws:ResourceTag/app": ["a", UnknownPart(DOUBT)]}}, "GetItem", Narrowing.UNKNOWN),
        ({"StringLike": {"aws:ResourceTag/app": UNKNOWN}}, "GetItem", Narrowing.UNKNOWN),
        ({"StringLike": {"aws:ResourceTag/app": f"{UNKNOWN}-orders"}}, "GetItem", Narrowing.TABLES),
        ({"StringEquals": {"aws:ResourceTag/app": UnknownPart(DOUBT)}}, "GetItem", Narrowing.TABLES),
        ({"StringLike": {"aws:UserAgent": UnknownPart(DOUBT)}}, "GetItem", Narrowing.NONE),
        # several: joined by `and`
        (
            {
                "StringEquals": {"aws:ResourceTag/app": "orders", "aws:SourceVpce": "vpce-1"},
                "Bool": {"aws:SecureTransport": "true"},
            },
            "GetItem",
            Narrowing.TABLES,
        ),
        ({}, "GetItem", Narrowing.NONE),
    ],
)
def test_a_condition_narrows_an_action(tree: Any, action: str, expected: Narrowing) -> None:
    """Each sort of condition takes away what it binds, and nothing where its key never comes."""
    assert narrowing(conditions(tree), by_name()[action.lower()]) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("StringEquals", ("StringEquals", None, False)),
        ("ForAllValues:StringLike", ("StringLike", "forallvalues", False)),
        ("foranyvalue:StringEqualsIfExists", ("StringEquals", "foranyvalue", True)),
        ("BoolIfExists", ("Bool", None, True)),
        ("String Equals!", ("String Equals!", None, False)),
    ],
)
def test_an_operator_has_three_parts(text: str, expected: tuple[str, str | None, bool]) -> None:
    """A qualifier over sets, a name, and whether an absent key meets it."""
    assert parse_operator(text) == expected


@pytest.mark.parametrize(
    ("tree", "left"),
    [
        ({"StringNotEquals": {"aws:ResourceTag/app": "orders"}}, ["StringEquals"]),
        ({"StringNotEqualsIfExists": {"aws:ResourceTag/app": "orders"}}, ["StringEquals"]),
        ({"ForAnyValue:StringNotEquals": {"dynamodb:LeadingKeys": ["a"]}}, ["ForAllValues:StringEquals"]),
        ({"ArnNotLike": {"aws:PrincipalArn": "arn:aws:iam::1:role/a"}}, ["ArnLike"]),
        ({"Bool": {"dynamodb:FullTableScan": "true"}}, ["Bool"]),
        ({"StringEquals": {"aws:ResourceTag/app": "orders"}}, None),
        ({"ForAllValues:StringNotEquals": {"dynamodb:LeadingKeys": ["a"]}}, None),
        ({"Null": {"aws:ResourceTag/app": "true"}}, None),
        ({"StringNotEquals": {"aws:ResourceTag/app": "a"}, "StringEquals": {"aws:SourceVpc": "b"}}, None),
        ({}, []),
    ],
)
def test_a_deny_leaves_the_complement_of_its_condition(tree: Any, left: list[str] | None) -> None:
    """What a Deny spares is bound by the opposite; a Deny of some values spares all others."""
    found = complement(conditions(tree))
    assert (None if found is None else [item.spelled for item in found]) == left


def test_a_switch_is_turned() -> None:
    """A Deny where it is on leaves what has it off, and the other way round."""
    (on,) = complement(conditions({"Bool": {"dynamodb:FullTableScan": "true"}})) or ()
    (off,) = complement(conditions({"Bool": {"aws:MultiFactorAuthPresent": "false"}})) or ()
    assert (on.values, off.values) == (("false",), ("true",))


@pytest.mark.parametrize(
    ("tree", "action", "expected"),
    [
        ({}, "Scan", True),
        # a key that the action never carries
        ({"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["a"]}}, "Scan", True),
        ({"ForAllValues:StringEquals": {"dynamodb:ThirdPartitionKeyValues": ["a"]}}, "Scan", True),
        ({"StringEquals": {"dynamodb:LeadingKeys": ["a"]}}, "Scan", False),
        ({"ForAnyValue:StringEquals": {"dynamodb:LeadingKeys": ["a"]}}, "Scan", False),
        ({"ForAnyValue:StringNotEquals": {"dynamodb:LeadingKeys": ["a"]}}, "Scan", False),
        ({"ForAnyValue:StringEqualsIfExists": {"dynamodb:LeadingKeys": ["a"]}}, "Scan", None),
        ({"StringNotEquals": {"dynamodb:LeadingKeys": ["a"]}}, "Scan", True),
        ({"StringEqualsIfExists": {"dynamodb:LeadingKeys": ["a"]}}, "Scan", True),
        ({"Null": {"dynamodb:LeadingKeys": "true"}}, "Scan", True),
        ({"Null": {"dynamodb:LeadingKeys": "false"}}, "Scan", False),
        ({"Null": {"dynamodb:LeadingKeys": ["true", "false"]}}, "Scan", None),
        ({"Null": {"dynamodb:LeadingKeys": UnknownPart(DOUBT)}}, "Scan", None),
        ({"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["a"]}}, "SearchVectors", False),
        ({"StringEquals": {"aws:ResourceTag/app": "orders"}}, "DeleteBackup", False),
        ({"StringNotEquals": {"aws:ResourceTag/app": "orders"}}, "ListTables", True),
        # a key that the request decides
        ({"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["a"]}}, "GetItem", None),
        ({"StringEquals": {"aws:ResourceTag/app": "orders"}}, "Scan", None),
        ({"Bool": {"aws:SecureTransport": "true"}}, "Scan", None),
        ({"Null": {"dynamodb:LeadingKeys": "true"}}, "GetItem", None),
        ({"StringEquals": {"dynamodb:LeadingKeys": ["a"]}}, "StartBulkPutItems", None),
        # all of them together
        ({"Null": {"dynamodb:LeadingKeys": "true"}, "Bool": {"aws:SecureTransport": "true"}}, "Scan", None),
        ({"Null": {"dynamodb:LeadingKeys": "false"}, "Bool": {"aws:SecureTransport": "true"}}, "Scan", False),
    ],
)
def test_some_conditions_are_always_met_or_never(tree: Any, action: str, expected: bool | None) -> None:
    """Where a request never carries the key, its operator alone decides."""
    assert conditions_hold(conditions(tree), by_name()[action.lower()]) is expected


def test_null_demands_that_a_key_is_there() -> None:
    """For the same key, and where it says false."""
    closed = conditions({"Null": {"dynamodb:LeadingKeys": "false"}})
    assert closed_by_null(closed, "dynamodb:leadingkeys") is True
    assert closed_by_null(closed, "dynamodb:attributes") is False
    assert closed_by_null(conditions({"Null": {"dynamodb:LeadingKeys": "true"}}), "dynamodb:leadingkeys") is False


def test_a_condition_keeps_its_spelling() -> None:
    """Keys are compared without their case, and shown with it."""
    (item,) = conditions({"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["a", 1, True]}})
    assert (item.spelled, item.key, item.written) == (
        "ForAllValues:StringLike",
        "dynamodb:leadingkeys",
        "dynamodb:LeadingKeys",
    )
    assert item.values == ("a", "1", "true")
