"""Guards of tenants and doors: what really keeps users, accounts and services apart."""

from __future__ import annotations

from typing import Any

import pytest

from support.access import HERE, ORDERS, deny, of, statement, table
from support.access_estates import KEYED, OTHER, OWN, SUB, TAGGED, USERS, opened
from support.access_guards import Guard
from tablegate.iam.arns import Symbols
from tablegate.iam.grants import HolderKind
from tablegate.model.estate import Estate

DEPLOY = {"kind": HolderKind.DEPLOY}
HUMAN = {"kind": HolderKind.HUMAN}
SYMBOLS = Symbols()
STACK = SYMBOLS.of("AWS::StackName")
LIKE = "ForAllValues:StringLike"
VPCE = {"StringNotEquals": {"aws:SourceVpce": "vpce-1"}}
EXPORT: Any = ("ExportTableToPointInTime", {"Service": "redshift.amazonaws.com"})


def tenant(value: str) -> Estate:
    """Code that is bound to keys that match."""
    return of(statement("GetItem", ORDERS, {LIKE: {"dynamodb:LeadingKeys": [value]}}))


USER_ITEMS = {"dynamodb:LeadingKeys": [SUB]}
SPARING = {"ForAnyValue:StringNotEquals": USER_ITEMS}
READING = statement(["GetItem", "Scan"], ORDERS, KEYED)
BATCHES = ["DeleteItem", "BatchWriteItem"]
TENANTS = [
    Guard(
        "TG520",
        "tables that everybody may read",
        of(statement("PutItem"), tables=[table()], **USERS),
        of(statement("GetItem"), tables=[table()], **USERS),
        options={"public_tables": ("Orders",)},
    ),
    Guard(
        "TG520",
        "a Deny of everybody else's items",
        of(statement("GetItem"), **USERS),
        of(statement("GetItem"), deny("GetItem", ORDERS, SPARING), **USERS),
    ),
    Guard(
        "TG520", "no action at all", of(statement("GetItem"), **USERS), of(statement("appsync:GraphQL", "*"), **USERS)
    ),
    Guard(
        "TG521",
        "closed by Null",
        of(READING),
        of(statement(["GetItem", "Scan"], ORDERS, {**KEYED, "Null": {"dynamodb:LeadingKeys": "false"}})),
    ),
    Guard("TG521", "a Deny of what slips past", of(READING), of(READING, deny("Scan"))),
    Guard(
        "TG521", "only looking is left", of(READING), of(statement(["GetItem", "DescribeTable"], ORDERS, KEYED)), "info"
    ),
    Guard("TG521", "vectors never match", of(READING), of(statement(["Query", "SearchVectors"], ORDERS, KEYED))),
    *(
        Guard(
            "TG523", f"set off by {mark}", tenant("${aws:PrincipalTag/t}*"), tenant(f"${{aws:PrincipalTag/t}}{mark}*")
        )
        for mark in "#|/:"
    ),
    Guard("TG523", "of one length and form", tenant("${aws:PrincipalTag/t}*"), tenant(f"{SUB}*"), "info"),
    Guard(
        "TG525",
        "the other is not allowed",
        of(statement(BATCHES), deny("DeleteItem")),
        of(statement(["DeleteItem", "GetItem"]), deny("DeleteItem")),
    ),
    Guard(
        "TG526",
        "tagging under the same tag",
        of(statement("GetItem", "*", TAGGED), statement("TagResource", "*")),
        of(statement("GetItem", "*", TAGGED), statement("TagResource", "*", TAGGED)),
    ),
]

DOORS = [
    Guard("TG527", "a Deny", opened("GetItem", "*"), opened("GetItem", "*", Effect="Deny")),
    Guard(
        "TG527",
        "pinned to the organisation",
        opened("GetItem", "*"),
        opened("GetItem", "*", {"StringEquals": {"aws:PrincipalOrgID": "o-1"}}),
    ),
    Guard(
        "TG527",
        "open in the path and name only",
        opened("GetItem", "*"),
        opened("GetItem", "*", {"ArnLike": {"aws:PrincipalArn": "arn:aws:iam::111122223333:role/app/*"}}),
        "medium",
    ),
    Guard(
        "TG528",
        "an account that is trusted",
        opened("GetItem", {"AWS": "arn:aws:iam::444455556666:root"}),
        opened("GetItem", {"AWS": OTHER}),
        options={"trusted_accounts": ("999988887777",)},
    ),
    Guard("TG528", "the same account", opened("GetItem", {"AWS": OTHER}), opened("GetItem", {"AWS": OWN})),
    Guard(
        "TG529",
        "open in region and resource, and not in the account",
        opened(*EXPORT, {"ArnLike": {"aws:SourceArn": "arn:aws:redshift:us-east-1:*:integration:*"}}),
        opened(*EXPORT, {"ArnLike": {"aws:SourceArn": "arn:aws:redshift:*:111122223333:integration:*"}}),
    ),
    Guard(
        "TG529",
        "the account besides",
        opened(*EXPORT, {"ArnLike": {"aws:SourceArn": "arn:aws:redshift:us-east-1:*:integration:*"}}),
        opened(
            *EXPORT,
            {
                "ArnLike": {"aws:SourceArn": "arn:aws:redshift:us-east-1:*:integration:*"},
                "StringEquals": {"aws:SourceAccount": "111122223333"},
            },
        ),
    ),
    Guard("TG533", "a wildcard", opened("GetRecords", {"AWS": OWN}), opened("dynamodb:*", {"AWS": OWN})),
    Guard(
        "TG533",
        "exports, which AWS takes all the same",
        opened("ListTables", {"AWS": OWN}),
        opened("DescribeExport", {"AWS": OWN}),
    ),
    Guard(
        "TG533",
        "what AWS does not say",
        opened("CreateTable", {"AWS": OWN}),
        opened("SearchVectors", {"AWS": OWN}),
    ),
    Guard(
        "TG534",
        "services are left in",
        opened("dynamodb:*", "*", VPCE, Effect="Deny"),
        opened("dynamodb:*", "*", VPCE | {"Bool": {"aws:PrincipalIsAWSService": "false"}}, Effect="Deny"),
    ),
    Guard(
        "TG534",
        "the deploy role is left in",
        opened("dynamodb:*", "*", Effect="Deny"),
        opened(
            "dynamodb:*",
            "*",
            {"ArnNotLike": {"aws:PrincipalArn": "arn:aws:iam::111122223333:role/deploy"}},
            Effect="Deny",
        ),
    ),
    Guard(
        "TG535",
        "tables of other stacks",
        of(statement("GetItem", f"{HERE}orders"), tables=[table()]),
        of(statement("GetItem", f"{HERE}Invoices"), tables=[table()]),
    ),
    Guard(
        "TG535",
        "a name that is not known",
        of(statement("GetItem", f"{HERE}orders"), tables=[table()]),
        of(statement("GetItem", f"{HERE}{STACK}"), tables=[table()], symbols=SYMBOLS),
    ),
]


@pytest.mark.parametrize("guard", [*TENANTS, *DOORS], ids=str)
def test_a_guard_takes_a_finding_back(guard: Guard) -> None:
    """Without it something is told; with it nothing, or less."""
    without, left = guard.told()
    assert without not in (None, guard.left)
    assert left == guard.left
