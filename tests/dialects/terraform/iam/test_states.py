"""The three states of a document in a plan: the same statement is found in each, wherever it is made."""

from __future__ import annotations

import pytest

from support.access import findings
from support.planned_access import counted, grants, holders, made

STATES = made("states")
PLACES = [
    ("aws_iam_role_policy.{}", "eu"),
    ('aws_iam_role_policy.{}_each["eu"]', "eu"),
    ('aws_iam_role_policy.{}_each["us"]', "us"),
    ('module.grants["eu"].aws_iam_role_policy.{}', "eu"),
    ('module.grants["us"].aws_iam_role_policy.{}', "us"),
]


@pytest.mark.parametrize(("address", "name"), PLACES)
@pytest.mark.parametrize("state", ["a", "b"])
def test_a_document_is_judged_in_each_state(address: str, name: str, state: str) -> None:
    """Known or composed later, at the root or below it: it drops the one table that its key leads to."""
    assert STATES.estate is not None
    found = [item for item in findings(STATES.estate) if item.address == address.format(state)]
    assert [(item.policy.id, str(item.outcome)) for item in found] == [("TG510", "fails")]
    (line,) = [
        line for line in grants(holders(STATES)["aws_iam_role.worker"]) if line.startswith(found[0].address + " ")
    ]
    assert line.removesuffix("…").endswith(f":table/orders-{name}")


@pytest.mark.parametrize(("address", "name"), PLACES)
def test_a_document_inside_a_function_is_told_to_be_unread(address: str, name: str) -> None:
    """Nothing is known of it but what it refers to: the table of its own key."""
    assert STATES.estate is not None
    found = [item for item in findings(STATES.estate) if item.address == address.format("c")]
    assert [(item.policy.id, str(item.outcome)) for item in found] == [("TG541", "unknown")]
    unread = [one for one in holders(STATES)["aws_iam_role.worker"].unread if one.address == address.format("c")]
    (refers,) = unread
    assert refers.doubt.refs[0].removesuffix(".arn") == f'aws_dynamodb_table.orders["{name}"]'


def test_each_document_is_counted_in_its_state() -> None:
    """Five of each: those of the third state were not read."""
    assert counted(STATES) == (15, 0, 5)
