"""Documents of which a plan holds nothing but what they refer to: said, never passed."""

from __future__ import annotations

from functools import cache

import pytest

from support.planned_access import counted, grants, holders, made, unread
from tablegate.dialects.reading import Reading

LATER = "known only after apply: aws_dynamodb_table.orders.arn"


@cache
def unseen() -> Reading:
    return made("unseen")


@pytest.mark.parametrize(
    ("holder", "document", "why"),
    [
        ("aws_iam_role.worker", "aws_iam_role_policy.table", LATER),
        ("aws_iam_policy.template", "aws_iam_policy.template", LATER),
        ('module.worker["a"].aws_iam_policy.this', 'module.worker["a"].aws_iam_policy.this', LATER),
        (
            "aws_iam_policy.local",
            "aws_iam_policy.local",
            "known only after apply: local.statements, which is not in the plan",
        ),
    ],
)
def test_what_refers_to_a_table_matters(holder: str, document: str, why: str) -> None:
    """A function of a table's ARN hides the whole text: what it refers to shows that it is about tables."""
    assert unread(holders(unseen())[holder]) == [(document, True, False, why)]


def test_what_refers_to_a_queue_alone_does_not_matter() -> None:
    """A document about another service, in the hands of nobody who is concerned with tables."""
    ((address, relevant, _, _),) = unread(holders(unseen())["aws_iam_role.sender"])
    assert (address, relevant) == ("aws_iam_role_policy.queue", False)


def test_the_remedy_is_the_source_or_a_document_that_a_plan_shows() -> None:
    """What would settle it is said, first what costs nothing; in the same words of all, so that it is said once."""
    (one,) = holders(unseen())["aws_iam_role.worker"].unread
    given = "pass --source DIR with the source of the plan"
    shown = "use data.aws_iam_policy_document instead of a function: a plan shows its statements"
    assert one.doubt.settle == f"{given}, or {shown}"
    assert one.doubt.refs == ("aws_dynamodb_table.orders.arn",)
    doubts = [unread.doubt for holder in holders(unseen()).values() for unread in holder.unread]
    assert {doubt.settle for doubt in doubts} == {one.doubt.settle}
    assert len(doubts) > 1


def test_a_text_with_a_placeholder_for_the_table_is_read() -> None:
    """What a module replaces by its table's ARN is that ARN."""
    (line,) = grants(holders(unseen())["aws_dynamodb_table.orders"])
    orders = "arn:aws:dynamodb:us-east-1:${account}:table/orders"
    assert line == f"aws_dynamodb_resource_policy.filled Mine: Allow dynamodb:GetItem on {orders}/index/*"


def test_unread_documents_are_counted() -> None:
    """Six documents, and five of them hidden."""
    assert counted(unseen()) == (6, 0, 5)
