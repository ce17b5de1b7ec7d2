"""Guards of power: whose work a powerful action is, and on what it may stand."""

from __future__ import annotations

from typing import Any

import pytest

from support.access import HERE, ITEMS, ORDERS, estate, holder, of, statement, table, tagged
from support.access_estates import made, service
from support.access_guards import Guard
from tablegate.iam.documents import Document
from tablegate.iam.grants import HolderKind
from tablegate.iam.managed_policies import managed_policies
from tablegate.model import facts
from tablegate.model.estate import Estate

AUDIT = f"{HERE}Audit"
DEPLOY = {"kind": HolderKind.DEPLOY}
HUMAN = {"kind": HolderKind.HUMAN}
BACKUP = service("backup")
PROTECTED = table(deletion_protection=facts.DELETION_PROTECTION.of(True))
LEASES = statement(["CreateTable", "DescribeTable", "UpdateTable", "GetItem", "PutItem"], f"{HERE}consumer")


def attached(path: str, **others: Any) -> Estate:
    """A role with one of AWS's managed policies."""
    known: Document = managed_policies()[path].document()
    return estate(holder(known, managed=path, **others))


DROP = statement("DeleteTable")
POWER = [
    Guard("TG510", "a deploy role", of(DROP), of(DROP, **DEPLOY)),
    Guard(
        "TG510",
        "backups by the backup service",
        of(statement("DeleteBackup", f"{ORDERS}/backup/*")),
        of(statement("DeleteBackup", f"{ORDERS}/backup/*"), **BACKUP),
    ),
    Guard("TG510", "a temporary table by name", of(DROP), of(statement("DeleteTable", f"{HERE}orders-test-7"))),
    Guard(
        "TG510",
        "a temporary table by tag",
        of(DROP, tables=[PROTECTED]),
        of(DROP, tables=[tagged(purpose="temporary")]),
    ),
    Guard("TG510", "deletion protection", of(DROP, tables=[table()]), of(DROP, tables=[PROTECTED]), "high"),
    Guard(
        "TG510",
        "a custom resource that makes tables",
        of(statement(["CreateTable", "DeleteTable"])),
        of(statement(["CreateTable", "DeleteTable"]), why="used by a custom resource"),
        "medium",
    ),
    Guard(
        "TG511",
        "autoscaling",
        of(statement(["DescribeTable", "UpdateTable"], f"{HERE}*")),
        of(statement(["DescribeTable", "UpdateTable"], f"{HERE}*"), **service("dynamodb.application-autoscaling")),
    ),
    Guard(
        "TG511",
        "scheduled scaling of one table",
        of(statement(["PutItem", "UpdateTable"])),
        of(statement(["DescribeTable", "UpdateTable"])),
        "low",
    ),
    Guard("TG511", "a consumer's leases", of(LEASES), of(LEASES, statement("kinesis:GetRecords", "*")), "low"),
    Guard(
        "TG511",
        "a lock needs items only",
        of(statement(["GetItem", "PutItem", "DeleteItem", "UpdateTable"])),
        of(statement(["GetItem", "PutItem", "DeleteItem", "DescribeTable"])),
    ),
    Guard(
        "TG512",
        "a deploy role at a beginning",
        of(statement("PutResourcePolicy", f"{HERE}app-*")),
        of(statement("PutResourcePolicy", f"{HERE}app-*"), **DEPLOY),
    ),
    Guard(
        "TG512",
        "verbs are TG507's",
        of(statement(["PutItem", "PutResourcePolicy"])),
        of(statement("Put*")),
    ),
    *(
        Guard(
            "TG513",
            f"the work of {name}",
            of(statement("ExportTableToPointInTime")),
            of(statement("ExportTableToPointInTime"), services=(f"{name}.amazonaws.com",)),
        )
        for name in ("osis-pipelines", "redshift", "glue", "backup", "export.dynamodb")
    ),
    Guard(
        "TG513",
        "one backup of one table",
        of(statement("CreateBackup", f"{HERE}app-*")),
        of(statement("CreateBackup")),
        "info",
    ),
    Guard(
        "TG513",
        "a declared integration exports",
        of(statement("ExportTableToPointInTime"), needs=frozenset({"GetItem"})),
        of(statement("ExportTableToPointInTime"), needs=frozenset({"ExportTableToPointInTime"})),
    ),
    Guard(
        "TG514",
        "a declared integration scans",
        of(statement(["Query", "Scan"]), needs=frozenset({"Query"})),
        of(statement(["Query", "Scan"]), needs=frozenset({"Query", "Scan"})),
    ),
    Guard(
        "TG514",
        "a job that loads tables elsewhere",
        of(statement("Scan")),
        of(statement("Scan"), services=("glue.amazonaws.com",)),
    ),
    Guard(
        "TG514",
        "tables that are small",
        of(statement("Scan", AUDIT), tables=[table(), table("Audit")]),
        of(statement("Scan"), tables=[table(), table("Audit")]),
        options={"small_tables": ("Orders",)},
    ),
    Guard(
        "TG514",
        "people, and whoever deploys",
        of(statement("Scan")),
        of(statement("Scan"), **HUMAN),
    ),
    Guard("TG515", "listing", of(statement("GetRecords", "*")), of(statement("ListStreams", "*"))),
    Guard(
        "TG515",
        "below one table",
        of(statement("GetRecords", f"{HERE}*")),
        of(statement("GetRecords", f"{ORDERS}/stream/*")),
    ),
    Guard(
        "TG517",
        "a service-linked policy",
        attached("AWSBackupFullAccess"),
        attached("aws-service-role/AWSApplicationAutoscalingDynamoDBTablePolicy"),
    ),
    Guard("TG517", "metadata alone", attached("ReadOnlyAccess"), attached("SecurityAudit")),
    Guard(
        "TG517",
        "made for the service",
        attached("service-role/AWSBackupServiceRolePolicyForRestores"),
        attached("service-role/AWSBackupServiceRolePolicyForRestores", **BACKUP),
    ),
    *(
        Guard(
            "TG517",
            "the administrator's to deploy or to break the glass",
            attached("AdministratorAccess"),
            attached("AdministratorAccess", **whose),
            "info",
        )
        for whose in (DEPLOY, HUMAN)
    ),
    Guard("TG518", "a table by name", made(f"{HERE}app-*"), made([ORDERS, f"{ORDERS}/index/*"])),
    Guard("TG519", "code uses it", of(statement(ITEMS), needs=frozenset()), of(statement(ITEMS), needs=None)),
]


@pytest.mark.parametrize("guard", POWER, ids=str)
def test_a_guard_takes_a_finding_back(guard: Guard) -> None:
    """Without it something is told; with it nothing, or less."""
    without, left = guard.told()
    assert without not in (None, guard.left)
    assert left == guard.left
