"""Guards of width: what makes a wide grant sound, or less grave."""

from __future__ import annotations

import pytest

from support import tables as build
from support.access import HERE, ITEMS, ORDERS, deny, document, of, statement, table, tagged
from support.access_estates import TAGGED, service
from support.access_guards import Guard
from tablegate.iam.arns import Symbols
from tablegate.iam.grants import DocumentRole, HolderKind
from tablegate.model import facts

AUDIT = f"{HERE}Audit"
DEPLOY = {"kind": HolderKind.DEPLOY}
HUMAN = {"kind": HolderKind.HUMAN}
BACKUP = service("backup")
SYMBOLS = Symbols()
STACK = SYMBOLS.of("AWS::StackName")
SUFFIX = SYMBOLS.suffix("what follows")
ITEM_CEILING = document(statement(ITEMS, "*"))
PRODUCTION = [tagged(environment="production")]


WIDE = of(statement("dynamodb:*", "*"))
WIDTH = [
    Guard("TG501", "a deploy role", WIDE, of(statement("dynamodb:*", "*"), **DEPLOY), "medium"),
    Guard("TG501", "a boundary", WIDE, of(statement("dynamodb:*", "*"), ceilings=(ITEM_CEILING,))),
    Guard("TG501", "the resource's tag", WIDE, of(statement("dynamodb:*", "*", TAGGED))),
    Guard("TG501", "a Deny", WIDE, of(statement("dynamodb:*", "*"), deny(["Delete*", "Disassociate*"], "*"))),
    Guard("TG501", "a ceiling grants nothing", WIDE, of(statement("dynamodb:*", "*"), role=DocumentRole.CEILING)),
    Guard(
        "TG502",
        "streams are TG515's",
        of(statement("GetItem", "*")),
        of(statement(["GetRecords", "GetShardIterator"], "*")),
    ),
    Guard(
        "TG502",
        "actions of the account need a star",
        of(statement(["ListTables", "GetItem"], "*")),
        of(statement(["ListTables", "DescribeLimits", "ListStreams"], "*")),
    ),
    Guard("TG502", "looking alone", of(statement("GetItem", "*")), of(statement("DescribeTable", "*"))),
    Guard(
        "TG502",
        "the backup service on all tables",
        of(statement(["CreateBackup", "StartAwsBackupJob"], f"{HERE}*")),
        of(statement(["CreateBackup", "StartAwsBackupJob"], f"{HERE}*"), **BACKUP),
    ),
    Guard("TG503", "a deploy role", of(statement("dynamodb:*")), of(statement("dynamodb:*"), **DEPLOY)),
    Guard(
        "TG503", "indexes only", of(statement("dynamodb:*")), of(statement("dynamodb:*", f"{ORDERS}/index/*")), "low"
    ),
    Guard("TG503", "streams only", of(statement("dynamodb:*")), of(statement("dynamodb:*", f"{ORDERS}/stream/*"))),
    Guard(
        "TG504",
        "a beginning of this stack, for code",
        of(statement(ITEMS, f"{HERE}myapp-*")),
        of(statement(ITEMS, f"{HERE}{STACK}-*"), symbols=SYMBOLS),
        "low",
    ),
    Guard(
        "TG504",
        "a beginning of this stack, to deploy",
        of(statement(ITEMS, f"{HERE}myapp-*"), **DEPLOY),
        of(statement(ITEMS, f"{HERE}{STACK}-*"), symbols=SYMBOLS, **DEPLOY),
    ),
    Guard(
        "TG504",
        "names that a framework makes",
        of(statement(ITEMS, f"{HERE}Todo-*")),
        of(statement(ITEMS, f"{HERE}Todo-{STACK}-*"), symbols=SYMBOLS),
        "low",
    ),
    Guard(
        "TG504",
        "looking alone",
        of(statement("GetItem", f"{HERE}myapp-*")),
        of(statement("Describe*", f"{HERE}myapp-*")),
    ),
    Guard(
        "TG504",
        "the option",
        of(statement(ITEMS, f"{HERE}other-*")),
        of(statement(ITEMS, f"{HERE}myapp-*")),
        options={"allowed_prefixes": ("myapp-",)},
    ),
    Guard(
        "TG505",
        "what follows is not known",
        of(statement(ITEMS, f"{ORDERS}*")),
        of(statement(ITEMS, f"{ORDERS}{SUFFIX}"), symbols=SYMBOLS),
    ),
    Guard(
        "TG505",
        "tables begin so and none ends there",
        of(statement(ITEMS, f"{ORDERS}*"), tables=[table()]),
        of(statement(ITEMS, f"{ORDERS}*"), tables=[table("OrdersV1"), table("OrdersV2")]),
    ),
    Guard(
        "TG506",
        "a global table in any region",
        of(statement("GetItem", "arn:aws:dynamodb:*:111122223333:table/Orders"), tables=[table()]),
        of(
            statement("GetItem", "arn:aws:dynamodb:*:111122223333:table/Orders"),
            tables=[table(replicas=facts.REPLICAS.of((build.replica(),)))],
        ),
    ),
    Guard(
        "TG507",
        "one sort of actions",
        of(statement("Put*")),
        of(statement(["Describe*", "List*", "*Item", "PartiQL*"])),
    ),
    Guard(
        "TG508",
        "it leaves DynamoDB out",
        of(statement(None, "*", NotAction=["iam:*"])),
        of(statement(None, "*", NotAction=["iam:*", "dynamodb:*"])),
    ),
    Guard(
        "TG508",
        "in a boundary",
        of(statement(None, "*", NotAction=["iam:*"])),
        of(statement(None, "*", NotAction=["iam:*"]), role=DocumentRole.CEILING),
    ),
    Guard(
        "TG508",
        "people, outside of production",
        of(statement(None, "*", NotAction=["iam:*"]), tables=PRODUCTION, **HUMAN),
        of(statement(None, "*", NotAction=["iam:*"]), tables=[tagged(environment="test")], **HUMAN),
        "medium",
    ),
    Guard(
        "TG509",
        "a Deny",
        of(statement("dynamodb:*", None, NotResource=AUDIT)),
        of(statement("GetItem"), deny("dynamodb:*", None) | {"NotResource": AUDIT}),
    ),
]


@pytest.mark.parametrize("guard", WIDTH, ids=str)
def test_a_guard_takes_a_finding_back(guard: Guard) -> None:
    """Without it something is told; with it nothing, or less."""
    without, left = guard.told()
    assert without not in (None, guard.left)
    assert left == guard.left
