"""Replacing: what a fix proposes grants what was meant, and nothing that the policies take exception to."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support import document_forms as dresses
from support import tables as build
from support.access import HERE, ORDERS, estate, findings, holder, of, statement, table, told, whole
from tablegate.findings import Finding
from tablegate.iam.arns import Symbols
from tablegate.iam.documents import UnknownPart
from tablegate.iam.grants import HolderKind
from tablegate.model import facts
from tablegate.model.table import Dialect

TEMPLATE = Dialect.CLOUDFORMATION
INDEXED = table(indexes=facts.INDEXES.of((build.index(),)))
OWN = "its DynamoDB actions, in a separate statement:\n"
BEGUN = ["Orders", "a-b-TABLE", "a-b-TABLE/index/*"]
BATCHES = [(["BatchGet*", "Query"], ["TABLE", "TABLE/index/*"])]
_START = '{\n  "Effect"'
ALL = "the DynamoDB actions that it needs, in a separate statement:\n"


def proposed(fix: str | None) -> list[dict[str, Any]]:
    """The statements of a fix."""
    text = fix or ""
    start, found = text.find(_START), []
    while start >= 0:
        one, end = json.JSONDecoder().raw_decode(text, start)
        found.append(one)
        start = text.find(_START, end)
    return found


def fix(*statements: Any, policy: str, tables: Any = (), **others: Any) -> str:
    """The fix of the one finding of a policy about these statements."""
    (found,) = findings(of(*statements, tables=tables, **others), policy)
    assert found.fix is not None
    return found.fix


def granted(*statements: Any, policy: str, **others: Any) -> list[tuple[Any, Any]]:
    """Actions, without their service, and resources of what the fix proposes."""
    found = proposed(fix(*statements, policy=policy, **others))
    return [([name.removeprefix("dynamodb:") for name in one["Action"]], one["Resource"]) for one in found]


@pytest.mark.parametrize(
    ("stated", "policy", "expected"),
    [
        # as it is written, with the tables named
        (statement(["GetItem", "DescribeTable"], "*"), "TG502", [(["DescribeTable", "GetItem"], ["TABLE"])]),
        (
            statement(["BatchGet*", "Query"], f"{HERE}*"),
            "TG502",
            [(["BatchGet*", "Query"], ["TABLE", "TABLE/index/*"])],
        ),
        (
            statement("Query", [ORDERS, f"{HERE}app-*"]),
            "TG504",
            [(["Query"], ["Orders", "app-TABLE", "app-TABLE/index/*"])],
        ),
        (statement("PutItem", f"{ORDERS}*"), "TG505", [(["PutItem"], ["Orders"])]),
        (statement("Query", f"{HERE}*/index/*"), "TG502", [(["Query"], ["TABLE/index/*"])]),
        # without what is objected to
        (statement(["PutItem", "DeleteTable"]), "TG510", [(["PutItem"], ["Orders"])]),
        (statement(["GetItem", "Scan"]), "TG514", [(["GetItem"], ["Orders"])]),
        (statement(["DescribeTable", "Scan"]), "TG514", [(["DescribeTable", "Query"], ["Orders"])]),
        (statement(["Get*", "Update*"]), "TG507", [(["GetItem", "UpdateItem"], ["Orders"])]),
        (statement(["Get*", "Update*"], f"{HERE}*"), "TG507", [(["GetItem", "UpdateItem"], ["TABLE"])]),
        # all that is granted below the table stays there
        (
            statement("dynamodb:*", [ORDERS, f"{ORDERS}/index/*"]),
            "TG503",
            [(["GetItem", "PutItem", "Query", "UpdateItem"], ["Orders", "Orders/index/*"])],
        ),
        # what takes no table stays on a star
        (
            statement(["GetItem", "ListTables", "DescribeLimits"], "*"),
            "TG502",
            [(["GetItem"], ["TABLE"]), (["DescribeLimits", "ListTables"], "*")],
        ),
        (
            statement(["DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"], "*"),
            "TG515",
            [(["DescribeStream", "GetRecords", "GetShardIterator"], ["TABLE/stream/*"]), (["ListStreams"], "*")],
        ),
        (statement("RestoreTableFromBackup", "*"), "TG513", None),
    ],
)
def test_a_statement_keeps_what_nobody_objects_to(stated: Any, policy: str, expected: Any) -> None:
    """Its harmless actions, its other tables, and its wildcards that hold nothing more than they say."""
    if expected is None:
        assert fix(stated, policy=policy) == "remove the DynamoDB actions from this statement"
        return
    told = [
        (names, [text.removeprefix(HERE).replace("arn:aws:dynamodb:REGION:ACCOUNT:table/", "") for text in where])
        for names, where in granted(stated, policy=policy)
    ]
    assert told == [(names, list(where)) for names, where in expected]


@pytest.mark.parametrize(
    ("stated", "policy", "lead"),
    [
        (statement(["GetItem", "s3:GetObject"], "*"), "TG502", OWN),
        (statement("*", "*"), "TG501", ALL),
        (statement(None, "*", NotAction=["iam:*"]), "TG508", ALL),
        (statement("GetItem", "*"), "TG502", ""),
    ],
)
def test_what_a_statement_grants_of_other_services_is_not_lost(stated: Any, policy: str, lead: str) -> None:
    """The fix says that it stands for the DynamoDB actions alone."""
    assert fix(stated, policy=policy).partition("{")[0] == lead


def test_other_services_resources_are_none_of_a_tables() -> None:
    """A bucket does not follow into the statement about tables."""
    stated = statement(["PutItem", "s3:PutObject"], ["arn:aws:s3:::bucket/*", f"{HERE}app-*"])
    assert granted(stated, policy="TG504") == [(["PutItem"], [f"{HERE}app-TABLE"])]


def test_indexes_are_named_where_the_actions_and_the_table_have_any() -> None:
    """An action on items does nothing on an index, and neither does any action on no index."""
    for actions, known, where in (
        ("Query", INDEXED, ["${aws_dynamodb_table.orders.arn}", "${aws_dynamodb_table.orders.arn}/index/*"]),
        ("GetItem", INDEXED, ["${aws_dynamodb_table.orders.arn}"]),
        ("Query", table(), ["${aws_dynamodb_table.orders.arn}"]),
    ):
        assert granted(statement(actions, "*"), policy="TG502", tables=[known]) == [([actions], where)]


def test_an_account_that_is_left_open_is_filled_in() -> None:
    """With the region where that is open too; a table that is known has a name."""
    stated = statement("GetItem", "arn:aws:dynamodb:*:*:table/Orders")
    assert granted(stated, policy="TG506") == [(["GetItem"], ["arn:aws:dynamodb:REGION:ACCOUNT:table/Orders"])]
    assert granted(stated, policy="TG506", tables=[table()]) == [(["GetItem"], ["${aws_dynamodb_table.orders.arn}"])]


def test_a_template_has_words_for_what_is_to_fill_in() -> None:
    """Its own account and region are pseudo parameters; a name behind the stack's is set off."""
    symbols = Symbols()
    stated = statement("GetItem", f"arn:aws:dynamodb:*:*:table/{symbols.of('AWS::StackName')}*")
    world = estate(holder(whole(stated), symbols=symbols), dialect=TEMPLATE)
    (found,) = findings(world, "TG505")
    assert [one["Resource"] for one in proposed(found.fix)] == [
        [{"Fn::Sub": "arn:aws:dynamodb:${AWS::Region}:${AWS::AccountId}:table/${AWS::StackName}-TABLE"}]
    ]


@pytest.mark.parametrize(
    ("symbol", "word", "name"),
    [
        ("AWS::StackName", "-cc", "${AWS::StackName}-cc-TABLE"),
        ("AWS::StackName", "", "${AWS::StackName}-TABLE"),
        ("UsersTable", "", "${UsersTable}"),
    ],
)
def test_a_name_that_holds_the_unknown_may_be_a_beginning(symbol: str, word: str, name: str) -> None:
    """A stack's name begins a table's; a parameter alone is all of it."""
    symbols = Symbols()
    stated = statement("GetItem", f"{HERE}{symbols.of(symbol)}{word}*")
    (found,) = findings(estate(holder(whole(stated), symbols=symbols), dialect=TEMPLATE), "TG505")
    assert [one["Resource"] for one in proposed(found.fix)] == [[{"Fn::Sub": f"{HERE}{name}"}]]


def test_a_deploy_role_keeps_its_wildcards() -> None:
    """It is the tables that it lacks."""
    assert granted(statement(["dynamodb:*", "s3:*"], "*"), policy="TG501", kind=HolderKind.DEPLOY) == [
        (["*"], ["arn:aws:dynamodb:REGION:ACCOUNT:table/TABLE", "arn:aws:dynamodb:REGION:ACCOUNT:table/TABLE/*"])
    ]


def test_resources_that_cannot_be_read_leave_the_table_to_fill_in() -> None:
    """There is nothing to keep."""
    stated = statement(["GetItem", "DeleteTable"], [UnknownPart(build.DOUBT, (ORDERS,)), "*"])
    assert granted(stated, policy="TG510")[0][1] == [ORDERS, "arn:aws:dynamodb:REGION:ACCOUNT:table/TABLE"]


VECTORS = [
    pytest.param(vector, found, id=f"{vector['id']}-{found.policy.id}")
    for vector in dresses.vectors()
    for found in findings(estate(holder(vector["document"])))
    if proposed(found.fix)
]


@pytest.mark.parametrize(("vector", "found"), VECTORS)
def test_what_is_proposed_is_sound(vector: dict[str, Any], found: Finding) -> None:
    """With the fix in place of the statement the policy is content, and no other one finds more than before."""
    listed = vector["document"]["Statement"]
    listed = listed if isinstance(listed, list) else [listed]
    label = found.part["statement"] if found.part else None
    others = [one for number, one in enumerate(listed) if one.get("Sid", str(number)) != label]
    version = vector["document"].get("Version")
    before = told(estate(holder(vector["document"])))
    after = told(estate(holder(whole(*others, *proposed(found.fix), version=version))))
    assert after.keys() <= before.keys() - ({found.policy.id} if not others else set())
