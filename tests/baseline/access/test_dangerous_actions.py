"""Power: actions that drop, change, copy and give away, and whose work they are."""

from __future__ import annotations

from typing import Any

import pytest

from support.access import HERE, ORDERS, deny, estate, findings, holder, of, said, statement, table, tagged, whole
from tablegate.iam.grants import DocumentRole, HolderForm, HolderKind
from tablegate.model import facts

BACKUP: dict[str, Any] = {"kind": HolderKind.SERVICE, "services": ("backup.amazonaws.com",)}
SCALER: dict[str, Any] = {"kind": HolderKind.SERVICE, "services": ("dynamodb.application-autoscaling.amazonaws.com",)}
PIPELINE: dict[str, Any] = {"kind": HolderKind.SERVICE, "services": ("osis-pipelines.amazonaws.com",)}
GLUE: dict[str, Any] = {"services": ("glue.amazonaws.com",)}


@pytest.mark.parametrize(
    ("actions", "resources", "kind", "severity"),
    [
        (["PutItem", "DeleteTable"], ORDERS, HolderKind.RUNTIME, "high"),
        (["DeleteTable"], "*", HolderKind.RUNTIME, "critical"),
        (["DeleteTable"], ORDERS, HolderKind.END_USER, "critical"),
        (["DeleteTable"], ORDERS, HolderKind.HUMAN, "medium"),
        (["DeleteTable"], ORDERS, HolderKind.UNKNOWN, "medium"),
        (["DeleteTable"], ORDERS, HolderKind.DEPLOY, None),
        (["DeleteBackup"], f"{ORDERS}/backup/*", HolderKind.RUNTIME, "high"),
        (["DisassociateTableReplica"], ORDERS, HolderKind.RUNTIME, "high"),
        (["PutItem"], ORDERS, HolderKind.RUNTIME, None),
        (["DeleteTable"], f"{ORDERS}/index/*", HolderKind.RUNTIME, None),
    ],
)
def test_dropping_tables(actions: list[str], resources: str, kind: HolderKind, severity: str | None) -> None:
    """Code needs no way to drop a table; a deploy role does."""
    assert said(of(statement(actions, resources), kind=kind), "TG510") == severity


def test_backups_expire_by_the_backup_service() -> None:
    """Deleting backups is its work; deleting tables is not."""
    assert said(of(statement(["DeleteBackup"], f"{HERE}*"), **BACKUP), "TG510") is None
    assert said(of(statement(["DeleteTable"], f"{HERE}*"), **BACKUP), "TG510") == "critical"


def test_a_table_without_protection_is_worse_to_drop() -> None:
    """Deletion protection would stop the call: where it is off, nothing does."""
    drop = statement("DeleteTable")
    assert said(of(drop, tables=[table()]), "TG510") == "critical"
    guarded = table(deletion_protection=facts.DELETION_PROTECTION.of(True))
    assert said(of(drop, tables=[guarded]), "TG510") == "high"
    (found,) = findings(of(statement(["DeleteTable", "UpdateTable"]), tables=[guarded]), "TG510")
    assert "UpdateTable, which can switch deletion protection off" in found.message


def test_tables_that_are_meant_to_go_may_be_dropped() -> None:
    """By their name, or by what they are declared to be for."""
    assert said(of(statement("DeleteTable", f"{HERE}orders-test-1")), "TG510") is None
    assert said(of(statement("DeleteTable", f"{HERE}orders-test")), "TG510") is None
    assert said(of(statement("DeleteTable", f"{HERE}app-test-*")), "TG510") == "high"
    assert said(of(statement("DeleteTable"), tables=[tagged(purpose="ephemeral")]), "TG510") is None
    assert said(of(statement("DeleteTable", f"{HERE}orders-1")), "TG510", temporary_tables=("orders-*",)) is None


def test_a_custom_resource_drops_what_it_makes() -> None:
    """It is code that deploys: medium, not nothing."""
    own = {"why": "used by a custom resource"}
    assert said(of(statement(["CreateTable", "DeleteTable"]), **own), "TG510") == "medium"
    assert said(of(statement(["DeleteTable"]), **own), "TG510") == "high"


def test_what_is_denied_is_not_held() -> None:
    """A Deny takes away where it covers, and nowhere else."""
    assert said(of(statement("DeleteTable"), deny("DeleteTable")), "TG510") is None
    assert said(of(statement("DeleteTable"), deny("DeleteTable", f"{HERE}Audit")), "TG510") == "high"
    conditional = deny("DeleteTable", "*", {"Bool": {"aws:SecureTransport": "false"}})
    assert said(of(statement("DeleteTable"), conditional), "TG510") == "high"
    guard = deny("DeleteTable", "*", {"StringNotEquals": {"aws:ResourceTag/stage": "test"}})
    assert said(of(statement("DeleteTable"), guard), "TG510") is None


@pytest.mark.parametrize(
    ("actions", "resources", "others", "severity"),
    [
        (["Query", "UpdateContinuousBackups", "UpdateTimeToLive"], ORDERS, {}, "medium"),
        (["UpdateTable"], "*", {}, "high"),
        (["CreateTable"], f"{HERE}app-*", {}, "medium"),
        (["InjectError"], "*", {}, "critical"),
        (["PurchaseReservedCapacityOfferings"], "*", {}, "high"),
        (["InjectError"], f"{HERE}*", {}, "critical"),
        (["InjectError"], f"{HERE}app-*", {}, None),
        (["PurchaseReservedCapacityOfferings"], "arn:aws:dynamodb:*:111122223333:*", {}, "high"),
        (["UpdateTable"], ORDERS, {"kind": HolderKind.DEPLOY}, None),
        (["DescribeTable", "UpdateTable"], ORDERS, {}, "low"),
        (["DescribeTable", "UpdateTable"], f"{HERE}app-*", {}, "high"),
        (["DescribeTable", "UpdateTable"], "*", SCALER, None),
        (["UpdateContinuousBackups"], "*", SCALER, "high"),
        (["Query"], ORDERS, {}, None),
    ],
)
def test_changing_settings(actions: list[str], resources: str, others: Any, severity: str | None) -> None:
    """Scaling is a scaler's work, and little in the hands of a schedule; the rest is a deploy role's."""
    assert said(of(statement(actions, resources), **others), "TG511") == severity


def test_a_deny_over_the_account_counts() -> None:
    """AWS's guide denies the purchase of capacity in all regions of the account."""
    buying = statement("PurchaseReservedCapacityOfferings", "*")
    guide = "arn:aws:dynamodb:*:111122223333:*"
    assert said(of(buying, deny("PurchaseReservedCapacityOfferings", guide)), "TG511") is None
    assert said(of(buying, deny("PurchaseReservedCapacityOfferings", ORDERS)), "TG511") == "high"


def test_the_effect_of_a_setting_is_told() -> None:
    """Each action with what it can do."""
    (found,) = findings(of(statement(["UpdateContinuousBackups", "UpdateTimeToLive"])), "TG511")
    assert "UpdateContinuousBackups can switch point-in-time recovery off" in found.message
    assert "UpdateTimeToLive can make items expire" in found.message


def test_a_streams_consumer_makes_its_lease_table() -> None:
    """Consumer libraries keep their leases in a table that they make themselves."""
    leases = statement(["CreateTable", "DescribeTable", "UpdateTable", "GetItem", "PutItem"], f"{HERE}consumer")
    assert said(of(leases), "TG511") == "medium"
    assert said(of(leases, statement("kinesis:GetRecords", "*")), "TG511") == "low"
    assert said(of(leases, statement("GetRecords", f"{ORDERS}/stream/*")), "TG511") == "low"


@pytest.mark.parametrize(
    ("actions", "resources", "kind", "severity"),
    [
        (["PutItem", "PutResourcePolicy"], ORDERS, HolderKind.RUNTIME, "high"),
        (["DeleteResourcePolicy"], "*", HolderKind.RUNTIME, "critical"),
        (["UpdateAbacStatus"], "*", HolderKind.RUNTIME, "critical"),
        (["UpdateAbacStatus"], f"{HERE}*", HolderKind.RUNTIME, "critical"),
        (["UpdateAbacStatus"], ORDERS, HolderKind.RUNTIME, None),
        (["PutResourcePolicy"], f"{HERE}app-*", HolderKind.DEPLOY, None),
        (["PutItem"], ORDERS, HolderKind.RUNTIME, None),
    ],
)
def test_giving_tables_away(actions: list[str], resources: str, kind: HolderKind, severity: str | None) -> None:
    """Whoever sets a table's policy can let anybody in; the switch for tags is the account's."""
    assert said(of(statement(actions, resources), kind=kind), "TG512") == severity


@pytest.mark.parametrize(
    ("statements", "others", "severity"),
    [
        ([statement("ExportTableToPointInTime")], {}, "medium"),
        ([statement("ExportTableToPointInTime"), statement("s3:PutObject", "*")], {}, "high"),
        ([statement("ExportTableToPointInTime"), statement("s3:PutObject", "arn:aws:s3:::exports/*")], {}, "medium"),
        ([statement("ExportTableToPointInTime", f"{HERE}*")], {}, "high"),
        ([statement(["DescribeTable", "ExportTableToPointInTime"])], PIPELINE, None),
        ([statement(["ExportTableToPointInTime"])], GLUE, None),
        (
            [statement("ExportTableToPointInTime")],
            {"services": ("glue.amazonaws.com", "lambda.amazonaws.com")},
            "medium",
        ),
        ([statement("CreateBackup")], {}, "info"),
        ([statement(["CreateBackup", "RestoreTableToPointInTime"])], {}, "medium"),
        (
            [statement("RestoreTableToPointInTime"), statement("CreateTable", f"{HERE}app-*")],
            {},
            "high",
        ),
        ([statement("CreateBackup")], {"kind": HolderKind.DEPLOY}, None),
        ([statement("GetItem")], {}, None),
    ],
)
def test_copying_tables(statements: list[Any], others: Any, severity: str | None) -> None:
    """Copies are the work of backups and pipelines; a way out of the account makes one worse."""
    assert said(of(*statements, **others), "TG513") == severity


@pytest.mark.parametrize(
    ("actions", "resources", "kind", "severity"),
    [
        (["ReadDataForReplication"], f"{HERE}*", HolderKind.RUNTIME, "critical"),
        (["ReadDataForReplication"], ORDERS, HolderKind.RUNTIME, "high"),
        (["AssociateTableReplica", "CreateTableReplica"], ORDERS, HolderKind.DEPLOY, None),
        (["GetItem"], ORDERS, HolderKind.RUNTIME, None),
    ],
)
def test_replicating(actions: list[str], resources: str, kind: HolderKind, severity: str | None) -> None:
    """Reading for replication reads a whole table."""
    assert said(of(statement(actions, resources), kind=kind), "TG542") == severity


@pytest.mark.parametrize(
    ("principal", "actions", "severity"),
    [
        ({"Service": "replication.dynamodb.amazonaws.com"}, "ReadDataForReplication", None),
        ({"AWS": "arn:aws:iam::111122223333:role/reader"}, "ReadDataForReplication", "high"),
        ({"AWS": "arn:aws:iam::111122223333:role/reader"}, "GetItem", None),
    ],
)
def test_replication_in_a_tables_own_policy(principal: Any, actions: str, severity: str | None) -> None:
    """There it is for the service that replicates, and nobody else."""
    door = holder(
        whole(statement(actions, "*", Principal=principal)),
        form=HolderForm.TABLE,
        role=DocumentRole.RESOURCE,
        target=ORDERS,
    )
    assert said(estate(door), "TG542") == severity
    inverted = {"NotPrincipal": principal}
    door = holder(
        whole(statement(actions, "*", **inverted)), form=HolderForm.TABLE, role=DocumentRole.RESOURCE, target=ORDERS
    )
    assert said(estate(door), "TG542") == (None if actions == "GetItem" else "high")


def test_the_fix_is_the_statement_without_the_action() -> None:
    """What was taken exception to is left out; the rest stays as it was."""
    (found,) = findings(of(statement(["PutItem", "DeleteTable"])), "TG510")
    assert found.fix is not None
    assert '"Action": ["dynamodb:PutItem"]' in found.fix
    assert ORDERS in found.fix


@pytest.mark.parametrize("first", [True, False])
def test_a_table_in_its_scenarios(first: bool) -> None:
    """One scenario without protection is enough, and a table that is temporary in one alone is not."""
    protected = facts.DELETION_PROTECTION.of(True), facts.DELETION_PROTECTION.of(False)
    tables = [table(deletion_protection=each) for each in protected]
    assert said(of(statement("DeleteTable"), tables=tables if first else tables[::-1]), "TG510") == "critical"
    mixed = [tagged(purpose="ephemeral"), tagged(purpose="ledger")]
    assert said(of(statement("DeleteTable"), tables=mixed if first else mixed[::-1]), "TG510") is not None
    assert said(of(statement("DeleteTable"), tables=[tagged(purpose="ephemeral")] * 2), "TG510") is None
