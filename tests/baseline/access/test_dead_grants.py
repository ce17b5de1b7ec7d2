"""Dead grants: actions and resources that do not go together, or are not there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support import tables as build
from support.access import HERE, ORDERS, estate, findings, holder, of, said, statement, table, whole
from tablegate.iam.arns import Symbols
from tablegate.iam.aws_data import ACTIONS_AS_OF
from tablegate.iam.grants import DocumentRole, HolderKind, Maker, MakerKind
from tablegate.model import facts
from tablegate.model.estate import Change, ChangeKind
from tablegate.model.table import Table

FILL_IN = "arn:aws:dynamodb:REGION:ACCOUNT:table/TABLE"
KEYED = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:userid}"]}}


@pytest.mark.parametrize(
    ("action", "severity", "why"),
    [
        ("TransactWriteItems", "info", "ConditionCheckItem, PutItem, UpdateItem, DeleteItem authorise it"),
        ("ExecuteStatement", "info", "PartiQLSelect"),
        ("CreateItem", "info", "did you mean PutItem?"),
        ("GetItems", "info", "did you mean GetItem?"),
        ("dynamo*:GetItem", "info", "a wildcard in its service prefix, which IAM refuses"),
        ("FrobnicateLedger", "info?", "it is newer than this data, or grants nothing"),
        ("dynamodb:Xyz*", "info?", "it is newer than this data, or grants nothing"),
        ("PutItem", None, ""),
        ("dynamodb:pUtItEm", None, ""),
        ("DisassociateTableReplica", None, ""),
        ("s3:GetObjects", None, ""),
        ("dynamodb:Get*", None, ""),
    ],
)
def test_an_action_is_one_that_there_is(action: str, severity: str | None, why: str) -> None:
    """What was meant is named; what is in nobody's list may be new, and so is unknown."""
    world = of(statement([action, "Query"]))
    assert said(world, "TG530") == severity
    assert all(why in item.message for item in findings(world, "TG530"))


def test_actions_with_holes_are_nobodys_slip() -> None:
    """A name that is not known is another matter; and what AWS wrote is AWS's."""
    symbols = Symbols()
    world = of(statement(f"dynamodb:{symbols.of('verb')}Item"), symbols=symbols)
    assert said(world, "TG530") is None
    assert said(of(statement("s3:GetObjects", "*")), "TG530") is None
    (found,) = findings(of(statement(["FrobnicateLedger", "CreateItem"])), "TG530")
    told = f"not a known action (as of {ACTIONS_AS_OF}); dynamodb:CreateItem is not an action; did you mean PutItem?"
    assert f"dynamodb:FrobnicateLedger is {told}" in found.message
    assert said(of(statement("TransactGetItems"), managed="SecurityAudit"), "TG530") is None


@pytest.mark.parametrize(
    ("actions", "resources", "severity"),
    [
        (["GetRecords"], ORDERS, "info"),
        (["GetRecords"], f"{ORDERS}/stream/*", None),
        (["GetItem"], f"{ORDERS}/index/*", "info"),
        (["Query"], f"{ORDERS}/index/*", None),
        (["GetItem"], f"{ORDERS}/*", "info"),
        (["ListTables"], ORDERS, "info"),
        (["ListTables"], "*", None),
        (["ListTables"], f"{HERE}*", None),
        (["DescribeLimits", "GetAbacStatus"], "arn:aws:dynamodb:*:111122223333:*", None),
        (["ListTables"], f"{HERE}*/index/*", "info"),
        (["GetItem"], "arn:aws:dynamodb::111122223333:table/Orders", "info"),
        (["GetItem"], "arn:aws:dynamodb:us-east-1::table/*", "info"),
        (["GetItem"], ["arn:aws:dynamodb:us-east-1::table/Orders", ORDERS], None),
        (["GetItem"], "arn:aws:dynamodb:::table/*", "info"),
        (["GetItem"], "arn:aws:iam::111122223333:role/a", None),
        (["ListTables"], f"{HERE}*/stream/*", "info"),
        (["ListTables"], f"{HERE}app-*", "info"),
        (["DeleteBackup"], ORDERS, "info"),
        (["DeleteBackup"], f"{ORDERS}/backup/*", None),
        (["Query"], f"{ORDERS}index/*", None),
        (["Query"], "Orders", "info"),
        (["GetItem", "Query", "GetRecords", "GetShardIterator"], ORDERS, None),
        (["DescribeStream", "ListStreams"], f"{ORDERS}/stream/*", None),
        (["dynamodb:*"], f"{ORDERS}/index/*", None),
        (["Get*"], f"{ORDERS}/index/*", None),
        (["GetItem"], "arn:aws:s3:::bucket", None),
        (["GetItem"], [], None),
    ],
)
def test_an_action_stands_over_what_it_works_on(actions: list[str], resources: Any, severity: str | None) -> None:
    """Wildcards never mismatch, nor do the shapes that frameworks write."""
    assert said(of(statement(actions, resources)), "TG531") == severity


def test_an_index_behind_a_name_without_a_slash() -> None:
    """Beside the table of that name it is a mistake; the name may be another table's."""
    grant = statement("Query", [ORDERS, f"{ORDERS}index/*"])
    assert said(of(grant, tables=[table()]), "TG531") == "info"
    assert said(of(grant), "TG531") is None
    assert said(of(grant, tables=[table(), table("Ordersindex")]), "TG531") is None
    assert said(of(statement("Query", [ORDERS, f"{ORDERS}/index/*"]), tables=[table()]), "TG531") is None


def test_vectors_are_not_searched_under_a_condition_on_keys() -> None:
    """Such a statement never matches that action."""
    (found,) = findings(of(statement(["Query", "SearchVectors"], ORDERS, KEYED)), "TG531")
    assert "SearchVectors has no effect under these conditions" in found.message


def test_a_slash_is_missing() -> None:
    """A slip of public samples: the name runs into the word index."""
    (found,) = findings(of(statement("GetItem", f"{ORDERS}index/*")), "TG531")
    assert "which lacks a slash before index" in found.message
    (found,) = findings(of(statement("GetItem", "Orders")), "TG531")
    assert "which is a name, not an ARN" in found.message


@pytest.mark.parametrize(
    ("actions", "resources", "why", "fix"),
    [
        (["ListTables"], ORDERS, ": only a resource for all tables grants it", (["ListTables"], ["*"])),
        (["GetRecords"], ORDERS, ": it works on stream", (["GetRecords"], [f"{ORDERS}/stream/*"])),
        (["GetItem"], f"{ORDERS}/index/*", ": it works on table", (["GetItem"], [ORDERS])),
        (["DeleteBackup"], ORDERS, ": it works on backup", (["DeleteBackup"], [f"{ORDERS}/backup/*"])),
        (
            ["GetItem"],
            "arn:aws:dynamodb:us-east-1::table/Orders",
            ": its region or account is empty",
            (["GetItem"], ["arn:aws:dynamodb:us-east-1:ACCOUNT:table/Orders"]),
        ),
        (["Query"], "Orders", ", which is a name, not an ARN", (["Query"], [FILL_IN, f"{FILL_IN}/index/*"])),
    ],
)
def test_a_dead_action_is_told_where_it_lives(actions: list[str], resources: str, why: str, fix: Any) -> None:
    """The fix is a statement of the action, on what it works on."""
    (found,) = findings(of(statement(actions, resources)), "TG531")
    assert found.message == f"{actions[0]} has no effect on {resources}{why}"
    made = json.loads(found.fix or "")
    assert ([name.removeprefix("dynamodb:") for name in made["Action"]], made["Resource"]) == fix


def test_an_unknown_action_is_mended_in_its_own_statement() -> None:
    """What was meant stands in its place; the rest stays."""
    (found,) = findings(of(statement(["GetItem", "CreateItem", "TransactGetItems"])), "TG530")
    made = json.loads(found.fix or "")
    assert (made["Action"], made["Resource"]) == (["dynamodb:GetItem", "dynamodb:PutItem"], [ORDERS])


def test_an_index_that_is_not_granted_is_added() -> None:
    """To the statement as it is; whoever may only scan is not said to query."""
    (found,) = findings(of(statement(["Scan", "PutItem"]), tables=[INDEXED]), "TG532")
    assert found.message == "may scan aws_dynamodb_table.orders, but none of its indexes: byCustomer, byDay"
    made = json.loads(found.fix or "")
    assert (made["Action"], made["Resource"]) == (
        ["dynamodb:PutItem", "dynamodb:Scan"],
        ["${aws_dynamodb_table.orders.arn}", "${aws_dynamodb_table.orders.arn}/index/*"],
    )


def test_what_nobody_wrote_is_not_held_against_them() -> None:
    """Templates list streams on an ARN; managed policies, denies and what is left out are no matter either."""
    maker = Maker(MakerKind.TEMPLATE, "DynamoDBStreamReadPolicy")
    world = estate(holder(whole(statement("ListStreams", f"{ORDERS}/stream/*")), given={"made_by": maker}))
    assert said(world, "TG531") is None
    assert said(of(statement("ListTables", ORDERS, Effect="Deny")), "TG531") is None
    assert said(of(statement(None, ORDERS, NotAction="dynamodb:*")), "TG531") is None
    assert said(of(statement("GetRecords", None, NotResource=ORDERS)), "TG531") is None


INDEXED = table(
    indexes=facts.INDEXES.of((build.index("byCustomer"),)),
    local_indexes=facts.LOCAL_INDEXES.of((build.index("byDay", local=True),)),
)


@pytest.mark.parametrize(
    ("statements", "severity"),
    [
        ([statement("Query")], "info"),
        ([statement("Scan")], "info"),
        ([statement("GetItem")], None),
        ([statement("Query", [ORDERS, f"{ORDERS}/index/byCustomer"])], None),
        ([statement("Query", [ORDERS, f"{ORDERS}/index/*"])], None),
        ([statement("Query"), statement("Query", f"{ORDERS}/*")], None),
        ([statement("Query"), statement("GetItem", f"{ORDERS}*")], None),
        ([statement("Query", f"{ORDERS}/index/byOrder")], "info"),
        ([statement("Query", f"{ORDERS}/index/bycustomer")], "info"),
        ([statement("Query", f"{ORDERS}/index/byDay")], None),
    ],
)
def test_whoever_queries_a_table_reaches_its_indexes(statements: list[Any], severity: str | None) -> None:
    """All of the holder's grants count; a name that no index has is told too."""
    assert said(of(*statements, tables=[INDEXED]), "TG532") == severity


def test_indexes_that_are_not_there_or_not_known_are_not_missed() -> None:
    """Nor is anything where the suffix of the reference is not known."""
    assert said(of(statement("Query"), tables=[table()]), "TG532") is None
    unknown = table(indexes=build.doubted(facts.INDEXES.unset))
    assert said(of(statement("Query"), tables=[unknown]), "TG532") is None
    symbols = Symbols()
    follows = f"{ORDERS}{symbols.suffix('what follows')}"
    assert said(of(statement("Query", follows), symbols=symbols, tables=[INDEXED]), "TG532") is None


@pytest.mark.parametrize(
    ("resources", "closed", "severity"),
    [
        (f"{HERE}Orders", False, None),
        (f"{HERE}orders", False, "low"),
        (f"{HERE}Order", False, "low"),
        ("arn:aws:dynamodb:eu-west-1:111122223333:table/Orders", False, "low"),
        ("arn:aws:dynamodb:us-east-1:999988887777:table/Orders", False, "low"),
        (f"{HERE}Users", False, None),
        (f"{HERE}Users", True, "info"),
        (f"{HERE}app-*", True, None),
        ("*", True, None),
    ],
)
def test_a_name_that_is_nearly_a_tables(resources: str, closed: bool, severity: str | None) -> None:
    """A slip, or the right name in another place; in a closed world every stranger is told."""
    world = of(statement("GetItem", resources), tables=[table()])
    assert said(world, "TG535", closed_world=closed) == severity


@pytest.mark.parametrize(
    ("kind", "after", "told"),
    [
        (ChangeKind.DELETE, None, "any more: aws_dynamodb_table.invoices is deleted"),
        (ChangeKind.REPLACE, table("Bills"), "any more: aws_dynamodb_table.invoices is renamed"),
        (ChangeKind.FORGET, None, None),
    ],
)
def test_a_name_that_outlives_its_table(kind: ChangeKind, after: Table | None, told: str | None) -> None:
    """What this very plan deletes or renames is not there when it is done; what it lets go of is."""
    change = Change(
        address="aws_dynamodb_table.invoices",
        place=None,
        kind=kind,
        make_before=lambda: table("Invoices"),
        after=after,
    )
    holding = holder(whole(statement("GetItem", f"{HERE}Invoices")))
    world = estate(holding, tables=[table()], changes=(change,))
    assert [told in item.message for item in findings(world, "TG535") if told] == ([True] if told else [])
    assert said(world, "TG535") == ("low" if told else None)


def test_an_input_without_tables_knows_no_stranger() -> None:
    """Its tables are in another one."""
    assert said(of(statement("GetItem", f"{HERE}orders")), "TG535", closed_world=True) is None
    symbols = Symbols()
    world = of(statement("GetItem", f"{HERE}{symbols.of('name')}"), symbols=symbols, tables=[table()])
    assert said(world, "TG535", closed_world=True) is None


def test_who_grants_nothing_is_not_judged() -> None:
    """A boundary's list may hold what it likes."""
    assert said(of(statement("TransactGetItems"), role=DocumentRole.CEILING), "TG530") is None
    assert said(of(statement("GetRecords"), kind=HolderKind.DEPLOY), "TG531") == "info"
