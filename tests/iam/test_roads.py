"""Indirect access: how a holder can give itself, or a role that reaches tables, more than it has."""

from __future__ import annotations

from typing import Any

import pytest

from support.access import deny, document, estate, holder, statement, table, whole
from tablegate.iam.documents import UnknownPart
from tablegate.iam.grants import HolderForm
from tablegate.iam.roads import Road, road_of
from tablegate.model.value import Doubt

IAM = "arn:aws:iam::111122223333"
ME, TASK, ANNA = f"{IAM}:role/worker", f"{IAM}:role/task", f"{IAM}:user/anna"
LIMIT = {"StringEquals": {"iam:PermissionsBoundary": f"{IAM}:policy/limit"}}


def passed_to(*services: str, operator: str = "StringEquals") -> Any:
    """A condition on the service that a role is passed to."""
    return {operator: {"iam:PassedToService": [f"{service}.amazonaws.com" for service in services]}}


def road(*statements: Any, form: HolderForm = HolderForm.ROLE, **others: Any) -> Road | None:
    """That of a holder beside a role and a user who reach a table, and a role that does not."""
    arn = ME if form is HolderForm.ROLE else f"{IAM}:user/worker"
    who = holder(whole(*statements), form=form, arn=arn, **others)
    task = holder(whole(statement("GetItem")), address="aws_iam_role.task", arn=TASK)
    anna = holder(whole(statement("GetItem")), address="aws_iam_user.anna", form=HolderForm.USER, arn=ANNA)
    idle = holder(whole(statement("s3:GetObject", "*")), address="aws_iam_role.idle", arn=f"{IAM}:role/idle")
    estate(who, task, anna, idle, tables=[table()])
    return road_of(who)


@pytest.mark.parametrize(
    ("statements", "actions", "certain"),
    [
        ([statement("GetItem")], None, True),
        ([statement("iam:PutRolePolicy", "*")], "iam:PutRolePolicy", True),
        ([statement("iam:AttachRolePolicy", ME)], "iam:AttachRolePolicy", True),
        ([statement("iam:Put*", TASK)], "iam:PutRolePolicy", True),
        ([statement("iam:PutRolePolicy", f"{IAM}:role/idle")], None, True),
        ([statement("iam:PutUserPolicy", ANNA)], "iam:PutUserPolicy", True),
        ([statement("iam:CreateAccessKey", ANNA)], "iam:CreateAccessKey", True),
        ([statement("iam:CreateLoginProfile", f"{IAM}:user/*")], "iam:CreateLoginProfile", True),
        ([statement("iam:UpdateAssumeRolePolicy", TASK)], "iam:UpdateAssumeRolePolicy", True),
        ([statement("iam:UpdateAssumeRolePolicy", ME)], None, True),
        ([statement("iam:CreatePolicyVersion", f"{IAM}:policy/*")], "iam:CreatePolicyVersion", True),
        ([statement("iam:SetDefaultPolicyVersion", f"{IAM}:policy/orders")], None, True),
        ([statement("iam:AttachGroupPolicy", "*")], None, True),
        ([statement("iam:PassRole", "*")], None, True),
        ([statement("lambda:CreateFunction", "*")], None, True),
        ([statement(["iam:PassRole", "ec2:RunInstances"], "*")], "iam:PassRole ec2:RunInstances", True),
        ([statement("iam:PassRole", TASK), statement("glue:*", "*")], "iam:PassRole glue:CreateJob", True),
        ([statement("iam:PassRole", f"{IAM}:role/idle"), statement("glue:*", "*")], None, True),
        (
            [statement("iam:PassRole", "*", passed_to("ecs-tasks")), statement("ecs:RunTask", "*")],
            "iam:PassRole ecs:RunTask",
            True,
        ),
        ([statement("iam:PassRole", "*", passed_to("states")), statement("ecs:RunTask", "*")], None, True),
        (
            [
                statement("iam:PassRole", "*", passed_to("lambda", operator="StringNotEquals")),
                statement("lambda:CreateFunction", "*"),
            ],
            None,
            True,
        ),
        (
            [
                statement("iam:PassRole", "*", {"StringEquals": {"iam:PassedToService": UnknownPart(Doubt("later"))}}),
                statement("lambda:CreateFunction", "*"),
            ],
            "iam:PassRole lambda:CreateFunction",
            False,
        ),
        ([statement("iam:PutRolePolicy", "*", LIMIT)], "iam:PutRolePolicy", False),
        ([statement("iam:PutRolePolicy", "*"), deny("iam:*", "*")], None, True),
        ([statement("iam:PutRolePolicy", "*"), deny("iam:*", "*", LIMIT)], "iam:PutRolePolicy", False),
        ([statement("iam:PutRolePolicy", ME), deny("iam:*", TASK)], "iam:PutRolePolicy", True),
        ([statement(None, "*", NotAction="s3:*")], "iam:PutRolePolicy", True),
        ([statement("*", "*")], None, True),  # nothing is left to give
        ([statement("*", "*"), deny("dynamodb:*", "*")], "iam:PutRolePolicy", True),
        ([statement("*", "*", LIMIT)], "iam:PutRolePolicy", False),
        ([statement(None, ME, Action=[UnknownPart(Doubt("later"))])], "iam:PutRolePolicy", False),
        ([statement(None, "*", Action=["iam:GetRole", UnknownPart(Doubt("later"))])], "iam:PutRolePolicy", False),
    ],
)
def test_the_way_to_more(statements: list[Any], actions: str | None, certain: bool) -> None:
    """By policies, by keys of another user, or by code that runs as a role; a condition leaves it open."""
    found = road(*statements)
    assert (found and " ".join(found.actions)) == actions
    assert found is None or found.certain is certain


def test_a_user_goes_other_ways() -> None:
    """By their groups, or by a group that they join."""
    ways = [road(statement(f"iam:{name}", "*"), form=HolderForm.USER) for name in ("PutGroupPolicy", "AddUserToGroup")]
    assert [way and way.target for way in ways] == ["every group", "aws_iam_role.worker"]


def test_a_boundary_bars_the_way() -> None:
    """If it does not allow it, or denies it; one that is not known leaves it open."""
    put = statement("iam:PutRolePolicy", "*")
    assert road(put, ceilings=(document(statement("dynamodb:*", "*")),)) is None
    assert road(put, ceilings=(document(statement("*", "*"), deny("iam:*", "*")),)) is None
    assert road(put, ceilings=(document(statement("*", "*")),)) == Road(("iam:PutRolePolicy",), "aws_iam_role.worker")
    unknown = road(put, ceiling_doubt=Doubt("elsewhere"))
    assert unknown is not None
    assert not unknown.certain


def test_without_a_table_there_is_nothing_to_reach() -> None:
    """An input without tables is not about them."""
    who = holder(whole(statement("*", "*")), arn=ME)
    estate(who)
    assert road_of(who) is None
