"""AWS managed policies and actions: facts by name."""

from __future__ import annotations

import pytest

from tablegate.iam.actions import (
    Kind,
    by_name,
    enclosing_operations,
    expand,
    is_wildcard,
    known_actions,
    may_concern_dynamodb,
    newer_actions,
    service_keys,
)
from tablegate.iam.arns import Symbols
from tablegate.iam.managed_policies import managed_path, managed_policies


@pytest.mark.parametrize("partition", ["aws", "aws-cn", "aws-us-gov", "aws-iso-b", "aws-eusc"])
def test_a_managed_policy_is_known_in_every_partition(partition: str) -> None:
    """By what stands behind `:policy/`."""
    assert managed_path(f"arn:{partition}:iam::aws:policy/AdministratorAccess") == "AdministratorAccess"
    assert managed_path(f"arn:{partition}:iam::aws:policy/job-function/DataScientist") == "job-function/DataScientist"


@pytest.mark.parametrize("arn", ["arn:aws:iam::111122223333:policy/own", "AdministratorAccess", "aws:policy/a", ""])
def test_other_policies_are_not_managed_by_aws(arn: str) -> None:
    """A customer's own, or no ARN at all."""
    assert managed_path(arn) is None


@pytest.mark.parametrize(
    ("path", "width", "actions"),
    [
        ("AmazonDynamoDBFullAccess", "full", ("*",)),
        ("AmazonDynamoDBFullAccess_v2", "full", ("*",)),
        ("service-role/AWSIoTRuleActions", "data-write", ("PutItem",)),
        ("SecurityAudit", "metadata-only", ()),
    ],
)
def test_what_a_managed_policy_grants(path: str, width: str, actions: tuple[str, ...]) -> None:
    """Its width, and its actions on tables where it has any that matter."""
    policy = managed_policies()[path]
    assert (policy.width, policy.actions, policy.name) == (width, actions, path.rpartition("/")[2])
    (statement,) = policy.document().statements
    assert statement.actions.texts == tuple(f"dynamodb:{name}" for name in actions)


def test_reading_a_table_is_not_viewing_one() -> None:
    """ReadOnlyAccess reads items; ViewOnlyAccess does not."""
    assert "Scan" in managed_policies()["ReadOnlyAccess"].actions
    assert managed_policies()["job-function/ViewOnlyAccess"].actions == ()
    assert "linked" in managed_policies()["aws-service-role/DynamoDBReplicationServiceRolePolicy"].flags


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("DynamoDB:deleteTABLE", {"DeleteTable"}),
        ("dynamodb:?can", {"Scan"}),
        ("dynamodb:*Item", {"BatchGetItem", "BatchWriteItem", "ConditionCheckItem", "DeleteItem", "GetItem"}),
        ("dynamodb:Put*", {"PutItem", "PutResourcePolicy"}),
        ("dynamodb:CreateItem", set()),
        ("dynamodb:StartBulk*", set()),
        ("dynamodb:StartBulkPutItems", {"StartBulkPutItems"}),
        ("s3:*", set()),
        ("GetItem", set()),
    ],
)
def test_a_pattern_stands_for_actions(pattern: str, names: set[str]) -> None:
    """Case is folded; a wildcard stands for the actions of the reference alone."""
    found = {action.name for action in expand(pattern)}
    assert names <= found
    assert bool(found) is bool(names)


@pytest.mark.parametrize("pattern", ["*", "dynamodb:*", "dynamo*:*", "*:*", "dynamodb:?*"])
def test_everything_has_many_spellings(pattern: str) -> None:
    """All of them come to all actions."""
    assert expand(pattern) == frozenset(known_actions())


def test_each_action_has_its_facts() -> None:
    """Kinds, types, keys, and what a table's policy can carry."""
    scan = by_name()["scan"]
    assert (scan.kind, scan.types, scan.account_level, scan.full_name) == (
        Kind.BULK_READ,
        ("index", "table"),
        False,
        "dynamodb:Scan",
    )
    assert "LeadingKeys" not in scan.keys
    assert by_name()["liststreams"].account_level is True
    assert by_name()["createtable"].in_resource_policy is False
    assert {action.name for action in newer_actions()} >= {"StartBulkPutItems"}
    assert not set(newer_actions()) & set(known_actions())
    assert enclosing_operations()["transactgetitems"] == ("GetItem",)
    assert {"leadingkeys", "attributes", "fulltablescan"} <= service_keys()
    assert sorted(known_actions()) == list(known_actions())


def test_a_pattern_may_be_about_dynamodb() -> None:
    """By its service; a hole may be anything."""
    symbols = Symbols()
    hole = symbols.of("a")
    assert may_concern_dynamodb("dynamodb:GetItem") is True
    assert may_concern_dynamodb("*") is True
    assert may_concern_dynamodb("s3:GetObject") is False
    assert may_concern_dynamodb(f"{hole}:GetItem") is None
    assert may_concern_dynamodb(f"dynamodb:{hole}") is None
    assert (is_wildcard("a*"), is_wildcard("a?"), is_wildcard("a")) == (True, True, False)
