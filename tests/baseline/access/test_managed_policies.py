"""Policies that AWS, or a framework, wrote."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from support.access import HERE, ORDERS, estate, findings, holder, said, statement, table, told, whole
from tablegate.iam.grants import HolderKind, Maker, MakerKind
from tablegate.iam.managed_policies import managed_policies
from tablegate.model import facts
from tablegate.model.estate import Estate
from tablegate.model.table import Consumer, Dialect

EVENT = Maker(MakerKind.EVENT, "Orders")
TEMPLATE = Maker(MakerKind.TEMPLATE, "DynamoDBCrudPolicy")
CONNECTOR = Maker(MakerKind.CONNECTOR, "Orders")
STREAMS = "service-role/AWSLambdaDynamoDBExecutionRole"


def attached(path: str, by: Maker | None = None, **others: Any) -> Estate:
    """A role with one managed policy."""
    known = managed_policies()[path].document()
    return estate(holder(known, managed=path, given={"made_by": by}, **others), tables=[table()])


@pytest.mark.parametrize(
    ("path", "kind", "severity"),
    [
        ("AmazonDynamoDBFullAccess", HolderKind.RUNTIME, "critical"),
        ("AmazonDynamoDBFullAccess_v2", HolderKind.RUNTIME, "critical"),
        ("AmazonDynamoDBFullAccess", HolderKind.END_USER, "critical"),
        ("AmazonDynamoDBFullAccess", HolderKind.HUMAN, "high"),
        ("AmazonDynamoDBFullAccess", HolderKind.DEPLOY, "medium"),
        ("AdministratorAccess", HolderKind.RUNTIME, "critical"),
        ("AdministratorAccess", HolderKind.DEPLOY, "info"),
        ("AdministratorAccess", HolderKind.HUMAN, "info"),
        ("AmazonDynamoDBReadOnlyAccess", HolderKind.RUNTIME, "high"),
        ("ReadOnlyAccess", HolderKind.HUMAN, "medium"),
        ("service-role/AWSIoTRuleActions", HolderKind.RUNTIME, "high"),
        (STREAMS, HolderKind.RUNTIME, "medium"),
        ("AWSBackupFullAccess", HolderKind.RUNTIME, "medium"),
        ("ResourceGroupsTaggingAPITagUntagSupportedResources", HolderKind.RUNTIME, "medium"),
        ("AmazonRedshiftAllCommandsFullAccess", HolderKind.RUNTIME, "medium"),
        ("SecurityAudit", HolderKind.RUNTIME, None),
        ("job-function/ViewOnlyAccess", HolderKind.RUNTIME, None),
        ("aws-service-role/AWSApplicationAutoscalingDynamoDBTablePolicy", HolderKind.RUNTIME, None),
    ],
)
def test_a_managed_policy_weighs_by_what_it_grants(path: str, kind: HolderKind, severity: str | None) -> None:
    """The same table as for statements: full, data, control; metadata alone is nothing."""
    world = attached(path, kind=kind)
    assert said(world, "TG517") == severity
    assert set(told(world)) <= {"TG517", "TG520"}


def test_a_policy_that_aws_made_for_the_service_is_fine_there() -> None:
    """The backup service has its own; an IoT rule too."""
    backup = {"kind": HolderKind.SERVICE, "services": ("backup.amazonaws.com",)}
    assert said(attached("service-role/AWSBackupServiceRolePolicyForRestores", **backup), "TG517") is None
    assert said(attached("service-role/AWSIoTRuleActions", services=("iot.amazonaws.com",)), "TG517") is None
    pipeline = {"kind": HolderKind.SERVICE, "services": ("osis-pipelines.amazonaws.com",)}
    assert said(attached(STREAMS, **pipeline), "TG517") is None


def test_the_fix_of_a_managed_policy_names_the_tables_here() -> None:
    """Reading stays reading; the ARNs are those of this input."""
    (found,) = findings(attached("AmazonDynamoDBReadOnlyAccess"), "TG517")
    assert found.fix is not None
    assert found.fix.startswith("instead of AmazonDynamoDBReadOnlyAccess:\n{")
    assert '"${aws_dynamodb_table.orders.arn}"' in found.fix
    assert "PutItem" not in found.fix
    assert found.message.startswith("AmazonDynamoDBReadOnlyAccess grants BatchGetItem, ")


@pytest.mark.parametrize(
    ("made_by", "resources", "severity"),
    [
        (TEMPLATE, f"{HERE}*", "medium"),
        (TEMPLATE, f"{HERE}myapp-*", "medium"),
        (TEMPLATE, [ORDERS, f"{ORDERS}/index/*"], None),
        (TEMPLATE, f"{ORDERS}/stream/{ORDERS}/stream/2024", "medium"),
        (CONNECTOR, f"{HERE}*", None),
        (None, f"{HERE}*", None),
    ],
)
def test_a_policy_template_takes_its_parameter_as_it_is(made_by: Any, resources: Any, severity: str | None) -> None:
    """A star, a beginning, or an ARN where a name belongs."""
    world = estate(holder(whole(statement("GetItem", resources)), given={"made_by": made_by}))
    assert said(world, "TG518") == severity


def test_an_event_brings_the_streams_of_all_tables() -> None:
    """Its author did not write that, and can only leave it by a role of the function's own: a note."""
    world = attached(STREAMS, EVENT)
    assert {item.policy.id: str(item.severity) for item in findings(world)} == {"TG518": "info"}


def test_a_finding_says_which_template_brought_it() -> None:
    """Its author never saw the statement."""
    world = estate(holder(whole(statement("UpdateTable")), given={"made_by": TEMPLATE}))
    (found,) = findings(world, "TG511")
    assert found.message.endswith("(from the policy template DynamoDBCrudPolicy)")


def test_an_events_fix_is_a_statement_on_the_streams_that_it_reads() -> None:
    """Of the tables here; one of elsewhere is left to fill in."""
    stream = replace(table().stream, consumers=(Consumer(address="F", place=None, failures=facts.TRIES_AGAIN),))
    orders = table(address="Orders", stream=stream)
    known = managed_policies()[STREAMS].document()
    held = holder(known, managed=STREAMS, at="F", address="F", given={"made_by": EVENT}, spelling="yaml")
    for tables, where in (
        ([orders, table("Users")], '- !Sub "${Orders.Arn}/stream/*"'),
        ([], '- !Sub "arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/TABLE/stream/*"'),
    ):
        (found,) = findings(estate(held, tables=tables, dialect=Dialect.CLOUDFORMATION), "TG518")
        assert (found.fix or "").startswith("use a Connector, or a Role of its own with:\n- Effect: Allow")
        assert where in (found.fix or "")
