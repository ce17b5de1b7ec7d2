"""What the roles of a plan are used for, where all that uses them is declared."""

from __future__ import annotations

import pytest

from support.planned_access import holders, made

STREAM = {"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"}


@pytest.mark.parametrize(
    ("role", "needs"),
    [
        ("gateway", {"Query"}),
        ("http", set()),
        ("resolvers", {"GetItem", "ConditionCheckItem", "DeleteItem", "PutItem", "UpdateItem"}),
        ("pipe", STREAM),
        ("rule", {"PutItem"}),
        ("unresolved", None),
        ("idle", None),
        ("code", None),
        ("both", None),
    ],
)
def test_a_role_needs_what_its_integrations_call(role: str, needs: set[str] | None) -> None:
    """By references that the apply fills in; where code may use it too, or nothing is seen to, nobody knows."""
    assert holders(made("integrations"))[f'aws_iam_role.of["{role}"]'].needs == needs
