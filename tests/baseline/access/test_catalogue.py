"""The catalogue: for each policy of the family, one grant that breaks it, and the same as it should be."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from support import tables as build
from support.access import HERE, ITEMS, ORDERS, POLICIES, deny, document, estate, holder, of, said, statement, table
from support.access_estates import INDEXED, KEYED, OTHER, OWN, SUB, TAGGED, USERS, endpoint, made, opened, service
from tablegate.iam.grants import HolderForm, HolderKind, Unread
from tablegate.iam.managed_policies import managed_policies
from tablegate.model.estate import Estate

INDEXES = f"{ORDERS}/index/*"
AUDIT = f"{HERE}Audit"
LISTED = {"ForAllValues:StringEquals": {"dynamodb:Attributes": ["id", "name"]}}
FULL = managed_policies()["AmazonDynamoDBFullAccess"].document()
UNREAD = Unread(address="aws_iam_role_policy.worker", place=None, doubt=build.DOUBT, relevant=True, partly=False)


class Pair(NamedTuple):
    """A world that breaks a policy, at what severity, and one that keeps it."""

    policy: str
    wrong: Estate
    severity: str
    right: Estate


SHUT = {"StringNotEquals": {"aws:SourceVpce": "vpce-1"}}
ZERO_ETL = {"StringEquals": {"aws:SourceAccount": "111122223333"}}
SPARED = {
    "Bool": {"aws:PrincipalIsAWSService": "false"},
    "ArnNotLike": {"aws:PrincipalArn": "arn:aws:iam::111122223333:role/deploy"},
}
BOUND = {"StringEqualsIfExists": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES", "dynamodb:ReturnValues": "NONE"}}
NAMED = of(statement(["GetItem", "PutItem", "Query"], [ORDERS, INDEXES]))
PUT = of(statement("PutItem"))
READ = of(statement("Query", [ORDERS, INDEXES]))

PAIRS = [
    # width
    Pair(
        "TG501",
        of(statement("dynamodb:*", "*", {"StringEquals": {"aws:RequestedRegion": "eu-west-1"}})),
        "critical",
        NAMED,
    ),
    Pair(
        "TG502",
        of(statement(["GetItem", "Query"], f"{HERE}*")),
        "high",
        of(statement("ListTables", "*"), statement(ITEMS)),
    ),
    Pair("TG503", of(statement("dynamodb:*")), "high", of(statement(ITEMS))),
    Pair("TG503", of(statement("dynamodb:*")), "high", made([ORDERS, INDEXES])),
    Pair(
        "TG504", of(statement(ITEMS, f"{HERE}myapp-*")), "medium", of(statement(ITEMS, [f"{HERE}myapp-orders", ORDERS]))
    ),
    Pair("TG505", of(statement(ITEMS, f"{ORDERS}*")), "medium", of(statement(ITEMS, [ORDERS, INDEXES]))),
    Pair("TG506", of(statement("GetItem", "arn:aws:dynamodb:us-east-1:*:table/Orders")), "low", NAMED),
    Pair("TG507", of(statement(["Get*", "Put*", "Delete*"])), "high", of(statement(["GetItem", "PutItem"]))),
    Pair("TG508", of(statement(None, "*", NotAction=["iam:*", "organizations:*"])), "critical", NAMED),
    Pair(
        "TG508",
        of(statement(None, "*", NotAction=["iam:*"])),
        "critical",
        of(statement(ITEMS), deny(None, "*") | {"NotAction": ["dynamodb:*"]}),
    ),
    Pair(
        "TG509",
        of(statement("dynamodb:*", None, NotResource=AUDIT)),
        "critical",
        of(statement(ITEMS), deny("dynamodb:*", AUDIT)),
    ),
    # power
    Pair("TG510", of(statement(["PutItem", "DeleteTable"])), "high", PUT),
    Pair("TG510", of(statement("DeleteTable")), "high", of(statement("DeleteTable"), kind=HolderKind.DEPLOY)),
    Pair("TG511", of(statement(["Query", "UpdateContinuousBackups", "UpdateTimeToLive"])), "medium", READ),
    Pair(
        "TG511",
        of(statement("UpdateTable")),
        "low",
        of(statement(["DescribeTable", "UpdateTable"]), **service("application-autoscaling")),
    ),
    Pair("TG512", of(statement(["PutItem", "PutResourcePolicy"])), "high", PUT),
    Pair(
        "TG513",
        of(statement("ExportTableToPointInTime", f"{HERE}*"), statement("s3:PutObject", "*")),
        "high",
        of(
            statement(["DescribeTable", "DescribeContinuousBackups", "ExportTableToPointInTime"]),
            statement("DescribeExport", f"{ORDERS}/export/*"),
            statement("s3:PutObject", "arn:aws:s3:::exports/orders/*"),
            **service("osis-pipelines"),
        ),
    ),
    Pair("TG514", of(statement(["GetItem", "Query", "Scan"])), "info", of(statement(["GetItem", "Query"]))),
    Pair("TG515", of(statement("GetRecords", "*")), "medium", of(statement("GetRecords", f"{ORDERS}/stream/*"))),
    Pair(
        "TG516",
        of(statement(["Query", "PartiQLSelect"])),
        "low",
        of(statement(["Query", "PartiQLSelect"], ORDERS, {"Bool": {"dynamodb:FullTableScan": "false"}})),
    ),
    Pair(
        "TG516",
        of(statement(["Query", "PartiQLSelect"])),
        "low",
        of(
            statement(["Query", "PartiQLSelect"]),
            deny("PartiQLSelect", ORDERS, {"Bool": {"dynamodb:FullTableScan": "true"}}),
        ),
    ),
    Pair("TG517", estate(holder(FULL, managed="AmazonDynamoDBFullAccess")), "critical", NAMED),
    Pair("TG518", made(f"{HERE}*"), "medium", made([ORDERS, INDEXES])),
    Pair("TG519", of(statement(ITEMS), needs=frozenset({"Query"})), "low", of(statement("Query", [ORDERS, INDEXES]))),
    # tenants
    Pair(
        "TG520",
        of(statement(["GetItem", "Query", "PutItem"]), **USERS),
        "high",
        of(statement(["GetItem", "Query", "PutItem"], ORDERS, KEYED), **USERS),
    ),
    Pair(
        "TG521",
        of(statement(["GetItem", "Query", "Scan"], ORDERS, KEYED), **USERS),
        "critical",
        of(statement(["GetItem", "Query"], ORDERS, KEYED), **USERS),
    ),
    Pair(
        "TG521",
        of(statement(["GetItem", "Query", "Scan"], ORDERS, KEYED)),
        "high",
        of(statement(["GetItem", "Query", "Scan"], ORDERS, {**KEYED, "Null": {"dynamodb:LeadingKeys": "false"}})),
    ),
    Pair(
        "TG522",
        of(statement("BatchGetItem", ORDERS, {"ForAnyValue:StringEquals": {"dynamodb:LeadingKeys": [SUB]}})),
        "high",
        of(statement("BatchGetItem", ORDERS, KEYED)),
    ),
    Pair(
        "TG523",
        of(
            statement(
                "GetItem",
                ORDERS,
                {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["${aws:PrincipalTag/TenantId}*"]}},
            )
        ),
        "medium",
        of(
            statement(
                "GetItem",
                ORDERS,
                {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["${aws:PrincipalTag/TenantId}#*"]}},
            )
        ),
    ),
    Pair(
        "TG524",
        of(statement(["GetItem", "Query"], ORDERS, LISTED)),
        "medium",
        of(statement(["GetItem", "Query"], ORDERS, LISTED | BOUND)),
    ),
    Pair(
        "TG525",
        of(statement("dynamodb:*"), deny("DeleteItem")),
        "medium",
        of(
            statement("dynamodb:*"),
            deny(["DeleteItem", "BatchWriteItem", "PartiQLDelete", "DeleteTable*", "UpdateTimeToLive"]),
        ),
    ),
    Pair(
        "TG526",
        of(statement("GetItem", "*", TAGGED), statement("TagResource", "*")),
        "high",
        of(
            statement("GetItem", "*", TAGGED),
            statement("TagResource", "*", TAGGED | {"ForAllValues:StringEquals": {"aws:TagKeys": ["team"]}}),
        ),
    ),
    # doors
    Pair("TG527", opened("GetItem", "*"), "critical", opened("GetItem", {"AWS": OWN})),
    Pair(
        "TG528",
        opened(["GetItem", "DeleteTable"], {"AWS": OTHER}),
        "critical",
        opened(
            "GetItem",
            {"AWS": "arn:aws:iam::999988887777:role/reader"},
            {"StringEquals": {"aws:PrincipalOrgID": "o-1"}},
        ),
    ),
    Pair(
        "TG529",
        opened("ExportTableToPointInTime", {"Service": "redshift.amazonaws.com"}),
        "high",
        opened(
            "ExportTableToPointInTime",
            {"Service": "redshift.amazonaws.com"},
            ZERO_ETL | {"ArnEquals": {"aws:SourceArn": "arn:aws:redshift:*:111122223333:integration:*"}},
        ),
    ),
    Pair("TG533", opened("GetRecords", {"AWS": OWN}), "medium", opened("GetItem", {"AWS": OWN})),
    Pair(
        "TG534",
        opened("dynamodb:*", "*", SHUT, Effect="Deny"),
        "high",
        opened("dynamodb:*", "*", SHUT | SPARED, Effect="Deny"),
    ),
    Pair("TG535", of(statement("GetItem", f"{HERE}orders"), tables=[table()]), "low", of(statement("GetItem"))),
    # dead grants
    Pair(
        "TG530",
        of(statement(["TransactWriteItems", "CreateItem"])),
        "info",
        of(statement(["PutItem", "ConditionCheckItem"])),
    ),
    Pair("TG531", of(statement("GetRecords")), "info", of(statement("GetRecords", f"{ORDERS}/stream/*"))),
    Pair(
        "TG532",
        of(statement("Query"), tables=[INDEXED]),
        "info",
        of(statement("Query", [ORDERS, f"{ORDERS}/index/byCustomer"]), tables=[INDEXED]),
    ),
    # surroundings
    Pair(
        "TG536",
        endpoint("*"),
        "low",
        endpoint(
            "dynamodb:*",
            {"StringEquals": {"aws:ResourceAccount": "111122223333", "aws:PrincipalAccount": "111122223333"}},
        ),
    ),
    Pair(
        "TG537",
        of(statement("GetItem"), statement("kms:Decrypt", "*")),
        "medium",
        of(
            statement("GetItem"),
            statement(
                "kms:Decrypt",
                "arn:aws:kms:us-east-1:111122223333:key/1",
                {"StringLike": {"kms:ViaService": "dynamodb.*.amazonaws.com"}},
            ),
        ),
    ),
    Pair(
        "TG538", of(statement("dynamodb:*", "*"), **service("dax")), "critical", of(statement(ITEMS), **service("dax"))
    ),
    Pair(
        "TG539",
        of(statement(ITEMS, f"{HERE}app-*")),
        "low",
        of(statement(ITEMS, f"{HERE}app-*"), ceilings=(document(statement(ITEMS, "*")),)),
    ),
    Pair("TG540", of(statement("PutItem"), form=HolderForm.USER, kind=HolderKind.HUMAN), "medium", PUT),
    Pair("TG541", estate(holder(unread=(UNREAD,))), "high?", NAMED),
    Pair(
        "TG542",
        of(statement("ReadDataForReplication", f"{HERE}*")),
        "critical",
        opened("ReadDataForReplication", {"Service": "replication.dynamodb.amazonaws.com"}, ZERO_ETL),
    ),
    Pair(
        "TG543",
        of(statement("GetItem"), trusts=(document(statement("sts:AssumeRole", None, Principal="*")),)),
        "high",
        of(statement("GetItem"), trusts=(document(statement("sts:AssumeRole", None, Principal={"AWS": OWN})),)),
    ),
    Pair(
        "TG544",
        of(statement("iam:PutRolePolicy", "*"), arn=OWN, tables=[table()]),
        "high",
        of(statement("iam:PassRole", "*"), arn=OWN, tables=[table()]),
    ),
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.policy)
def test_what_is_wrong_fails_and_what_is_right_holds(pair: Pair) -> None:
    """Each grant that the catalogue calls wrong is told at its weight; each that it calls right is passed over."""
    assert (said(pair.wrong, pair.policy), said(pair.right, pair.policy)) == (pair.severity, None)


def test_no_policy_is_missing() -> None:
    """Every policy of the family has its pair."""
    family = {policy.id for policy in POLICIES if policy.family == "access"}
    assert {pair.policy for pair in PAIRS} == family
