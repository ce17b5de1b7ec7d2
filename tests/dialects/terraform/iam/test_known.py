"""Documents that are known when the plan is made: every place that holds one, and everybody who has it."""

from __future__ import annotations

from functools import cache

import pytest

from support.planned_access import counted, grants, holders, made, unread
from tablegate.dialects.reading import Reading
from tablegate.iam.grants import DocumentRole, HolderForm

TABLE = "arn:aws:dynamodb:us-east-1:111122223333:table"


@cache
def known() -> Reading:
    return made("known")


def test_a_role_holds_what_is_written_into_it_attached_to_it_and_managed_by_aws() -> None:
    """One holder has all its documents, wherever they stand, each under the address of what holds it."""
    role = holders(known())["aws_iam_role.worker"]
    found = [line.partition(":")[0] for line in grants(role)]
    assert found == [
        "aws_iam_policy.literal Read",
        "aws_iam_policy.shared Shared",
        "aws_iam_role.worker AmazonDynamoDBReadOnlyAccess",
        "aws_iam_role.worker own/0",
        "aws_iam_role_policy.heredoc One",
        'aws_iam_role_policy_attachment.managed["AmazonDynamoDBFullAccess"] AmazonDynamoDBFullAccess',
    ]


def test_a_later_statement_takes_the_place_of_one_with_its_sid() -> None:
    """Of a composed document the merged result counts: what was overridden grants nothing."""
    role = holders(known())["aws_iam_role.worker"]
    (read,) = [line for line in grants(role) if "literal" in line]
    assert read.endswith(f"Allow dynamodb:Query on {TABLE}/${{aws:PrincipalTag/team}}-orders")


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("aws_iam_role.worker", "inline_policy[0].policy.Statement[0]"),
        ("aws_iam_role_policy.heredoc", "policy.Statement"),
        ("aws_iam_policy.literal", "policy.Statement[0]"),
    ],
)
def test_a_statement_stands_in_the_attribute_of_its_resource(address: str, place: str) -> None:
    """Its place is the path from the resource on: a plan has no lines."""
    role = holders(known())["aws_iam_role.worker"]
    found = {grant.statement.place.path for grant in role.grants if grant.address == address and grant.statement.place}
    assert place in found


def test_an_aws_managed_policy_is_known_by_its_name() -> None:
    """What is attached by name is a grant, or known to grant nothing on tables."""
    role = holders(known())["aws_iam_role.worker"]
    managed = {grant.managed for grant in role.grants} - {None}
    assert managed == {"AmazonDynamoDBFullAccess", "AmazonDynamoDBReadOnlyAccess"}
    assert unread(role) == []


def test_a_boundary_is_a_ceiling_and_no_grant() -> None:
    """A policy that only bounds grants nothing; one that is not in the input leaves a doubt."""
    found = holders(known())
    bounded, worker = found["aws_iam_role.bounded"], found["aws_iam_role.worker"]
    assert "aws_iam_policy.limit" not in found
    assert [document.statements[0].actions.texts for document in bounded.ceilings] == [("dynamodb:Get*",)]
    assert worker.ceilings == ()
    assert worker.ceiling_doubt is not None
    assert worker.ceiling_doubt.reason == "the policy arn:aws:iam::111122223333:policy/limit is not in this input"


def test_a_list_of_attachments_is_for_each_of_them() -> None:
    """The single form, the list form and the exclusive list all attach; a list of nobody attaches to nobody."""
    found = holders(known())
    shared = "aws_iam_policy.shared Shared: Allow dynamodb:ListTables on *"
    stranger = found["aws_iam_policy_attachment.several"]
    assert stranger.outside
    assert (stranger.form, stranger.name, grants(stranger)) == (HolderForm.ROLE, "elsewhere", [shared])
    assert shared in grants(found["aws_iam_group.team"])
    assert [grant.managed for grant in found["aws_iam_role.bounded"].grants] == ["AmazonDynamoDBFullAccess"]
    loose = found["aws_iam_policy.loose"]
    assert (loose.form, loose.why) == (HolderForm.UNATTACHED, "not attached in this input")


def test_a_user_holds_what_his_groups_hold_and_the_group_answers_for_it() -> None:
    """A member's share counts when he is asked what he may do, and is judged once, at the group."""
    user = holders(known())["aws_iam_user.ann"]
    assert "aws_iam_group_policy.team Team: Allow dynamodb:PutItem on *" in grants(user)
    assert "aws_iam_user_policy.ann 0: Deny dynamodb:DeleteTable on *" in grants(user)
    estate = known().estate
    assert estate is not None
    judged = [grant for grant in estate.grants if grant.address == "aws_iam_group_policy.team"]
    assert [grant.holder.address for grant in judged] == ["aws_iam_group.team"]


def test_a_permission_set_is_held_by_people() -> None:
    """Inline, managed and customer-managed policies of a permission set, under its boundary."""
    analyst = holders(known())["aws_ssoadmin_permission_set.analyst"]
    assert (analyst.form, analyst.kind) == (HolderForm.PERMISSION_SET, "human")
    assert [grant.address.partition(".")[0] for grant in analyst.grants] == [
        "aws_iam_policy",
        "aws_ssoadmin_managed_policy_attachment",
        "aws_ssoadmin_permission_set_inline_policy",
    ]
    assert len(analyst.ceilings) == 1


def test_a_limit_on_accounts_is_a_ceiling() -> None:
    """A service control policy grants nothing: its statements are told apart by their role."""
    guard = holders(known())["aws_organizations_policy.guard"]
    assert [grant.role for grant in guard.grants] == [DocumentRole.CEILING]


def test_every_document_is_counted_once() -> None:
    """However many hold it, and the documents of AWS not among them."""
    assert counted(known()) == (10, 0, 0)


def test_grants_are_listed_by_address_and_statement() -> None:
    """The same plan gives the same order."""
    estate = known().estate
    assert estate is not None
    keys = [(grant.address, grant.statement.index) for grant in estate.grants]
    assert keys == sorted(keys)


def test_what_goes_grants_nothing_and_what_stays_does() -> None:
    """Deleted and forgotten documents are gone, also from what a role is seen to have; unchanged ones grant as ever."""
    reading = made("existing")
    found = holders(reading)
    orders = "arn:aws:dynamodb:us-east-1:123456789012:table/Orders"
    assert list(found) == ["aws_iam_role.worker"]
    assert grants(found["aws_iam_role.worker"]) == [
        f"aws_iam_policy.kept Own: Allow dynamodb:Query on {orders}",
        f"aws_iam_role_policy.kept Kept: Allow dynamodb:GetItem on {orders}/index/*, {orders}",
    ]
    assert {grant.spelling for grant in found["aws_iam_role.worker"].grants} == {"hcl", "json"}
    assert counted(reading) == (2, 0, 0)
