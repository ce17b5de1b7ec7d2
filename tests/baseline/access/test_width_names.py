"""Names: prefixes, bleeding patterns, and ARNs that leave their account or region open."""

from __future__ import annotations

from typing import Any

import pytest

from support import tables as build
from support.access import (
    HERE,
    ITEMS,
    ORDERS,
    deny,
    document,
    estate,
    findings,
    holder,
    of,
    said,
    statement,
    table,
    told,
    whole,
)
from tablegate.iam.arns import Symbols
from tablegate.iam.grants import DocumentRole, HolderForm, HolderKind
from tablegate.model import facts

SYMBOLS = Symbols()
STACK = SYMBOLS.of("AWS::StackName")


@pytest.mark.parametrize(
    ("actions", "name", "kind", "severity"),
    [
        (ITEMS, "myapp-*", HolderKind.RUNTIME, "medium"),
        (["GetItem"], "myapp-*", HolderKind.RUNTIME, "low"),
        (["Scan"], "myapp_*", HolderKind.RUNTIME, "low"),
        (["UpdateTable"], "myapp.*", HolderKind.RUNTIME, "high"),
        (["DeleteTable"], "myapp-*", HolderKind.RUNTIME, "high"),
        (["dynamodb:*"], "myapp-*", HolderKind.RUNTIME, "high"),
        (["dynamodb:*"], "myapp-*", HolderKind.DEPLOY, None),
        (["dynamodb:*"], "myapp-*", HolderKind.UNKNOWN, "medium"),
        (["DescribeTable"], "myapp-*", HolderKind.RUNTIME, None),
        (["GetRecords"], "myapp-*", HolderKind.RUNTIME, None),
        (ITEMS, "Orders", HolderKind.RUNTIME, None),
        (ITEMS, "Orders/index/*", HolderKind.RUNTIME, None),
        (ITEMS, "a-*", HolderKind.RUNTIME, None),
        (ITEMS, "${aws:PrincipalTag/team}-*", HolderKind.RUNTIME, None),
        (ITEMS, f"{STACK}-*", HolderKind.RUNTIME, "low"),
        (["dynamodb:*"], f"{STACK}-*", HolderKind.DEPLOY, None),
    ],
)
def test_a_names_beginning_is_weighed(actions: Any, name: str, kind: HolderKind, severity: str | None) -> None:
    """Four characters and a delimiter make a beginning; one that only this stack can have is low."""
    assert said(of(statement(actions, HERE + name), kind=kind, symbols=SYMBOLS), "TG504") == severity


def test_a_beginning_names_the_tables_that_it_reaches_today() -> None:
    """The table that the holder names elsewhere is meant; those that begin alike come along."""
    world = of(
        statement(ITEMS, f"{HERE}myapp-*"),
        statement("Query", f"{HERE}myapp-orders"),
        tables=[table("myapp-orders"), table("myapp-users"), table("other")],
    )
    (found,) = findings(world, "TG504")
    assert {value.name: value.content for value in found.evidence}["tables newly reachable"] == "myapp-users"


def test_a_beginning_can_be_allowed() -> None:
    """The option takes it with or without its star."""
    world = of(statement(ITEMS, f"{HERE}myapp-*"))
    assert said(world, "TG504", allowed_prefixes=("myapp-",)) is None
    assert said(world, "TG504", allowed_prefixes=("myapp-*",)) is None
    assert said(world, "TG504", allowed_prefixes=("mya",)) == "medium"


@pytest.mark.parametrize(
    ("actions", "name", "severity"),
    [
        (ITEMS, "Orders*", "medium"),
        (["GetItem"], "Orders*", "medium"),
        (["DeleteTable"], "Orders*", "critical"),
        (["DescribeTable"], "Orders*", None),
        (ITEMS, "a*", "medium"),
        (ITEMS, "*-prod", "medium"),
        (ITEMS, "*Orders*", "medium"),
        (ITEMS, "Orders/index/*", None),
        (ITEMS, "Orders", None),
        (ITEMS, f"*-{STACK}-prod", "low"),
    ],
)
def test_a_pattern_without_anchor_bleeds(actions: Any, name: str, severity: str | None) -> None:
    """A star behind a complete name, behind next to nothing, or in front."""
    assert said(of(statement(actions, HERE + name), symbols=SYMBOLS), "TG505") == severity


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["Orders", "OrdersArchive"], {"TG505": "medium"}),
        (["OrdersV1", "OrdersV2"], {"TG504": "medium"}),
        (["Users"], {"TG505": "medium"}),
    ],
)
def test_the_tables_here_tell_a_beginning_from_a_name(names: list[str], expected: dict[str, str]) -> None:
    """Where tables begin so and none ends there, a beginning is what was meant."""
    world = of(statement(ITEMS, f"{HERE}Orders*"), tables=[table(name) for name in names])
    assert told(world) == expected


def test_a_star_behind_a_reference_to_a_table_bleeds() -> None:
    """The name may not be known yet: that other names begin so is known."""
    symbols = Symbols()
    name = symbols.of("name of aws_dynamodb_table.orders")
    assert said(of(statement(ITEMS, f"{HERE}{name}*"), symbols=symbols), "TG505") == "medium"
    assert said(of(statement(ITEMS, f"{HERE}{name}/index/*"), symbols=symbols), "TG505") is None


@pytest.mark.parametrize(
    ("arn", "severity"),
    [
        ("arn:aws:dynamodb:us-east-1:*:table/Orders", "low"),
        ("arn:aws:dynamodb:us-east-1::table/Orders", None),
        ("arn:aws:dynamodb:*:111122223333:table/Orders", "info"),
        ("arn:*:dynamodb:us-east-1:111122223333:table/Orders", "info"),
        ("arn:aws:dynamodb:*:*:table/myapp-*", "low"),
        (ORDERS, None),
        ("arn:aws:dynamodb:*:*:table/*", None),
        ("arn:aws:dynamodb::111122223333:global-table/Orders", None),
    ],
)
def test_an_arn_names_its_account_and_region(arn: str, severity: str | None) -> None:
    """An open account is low, an open region a note; what reaches all tables is another policy's."""
    assert said(of(statement(ITEMS, arn)), "TG506") == severity


@pytest.mark.parametrize(
    ("arn", "conditions"),
    [
        ("arn:aws:dynamodb:us-east-1:*:table/Orders", {"StringEquals": {"aws:ResourceAccount": "111122223333"}}),
        ("arn:aws:dynamodb:*:111122223333:table/Orders", {"StringEquals": {"aws:RequestedRegion": "us-east-1"}}),
    ],
)
def test_a_condition_can_close_what_an_arn_leaves_open(arn: str, conditions: Any) -> None:
    """The account of the resource, or the region of the request."""
    assert said(of(statement(ITEMS, arn, conditions)), "TG506") is None


def test_a_global_table_is_in_several_regions() -> None:
    """A star for the region is how its grants look."""
    replicated = table(replicas=facts.REPLICAS.of((build.replica("eu-west-1"),)))
    everywhere = statement(ITEMS, "arn:aws:dynamodb:*:111122223333:table/Orders")
    assert said(of(everywhere, tables=[replicated]), "TG506") is None
    assert said(of(everywhere, tables=[table()]), "TG506") == "info"


def test_a_deny_lets_no_stranger_in() -> None:
    """A table's own policy may also keep people out."""
    shut = holder(
        whole(deny("GetItem", "*") | {"Principal": "*"}),
        form=HolderForm.TABLE,
        role=DocumentRole.RESOURCE,
        address="aws_dynamodb_table.orders",
        target=ORDERS,
    )
    role = holder(whole(statement(ITEMS, "arn:aws:dynamodb:us-east-1:*:table/Orders")))
    assert said(estate(role, shut, tables=[table()]), "TG506") == "low"


@pytest.mark.parametrize(
    ("principal", "severity"),
    [
        ({"AWS": "arn:aws:iam::999988887777:root"}, "high"),
        ("*", "high"),
        ({"AWS": "arn:aws:iam::111122223333:role/reader"}, "low"),
        ({"Service": "redshift.amazonaws.com"}, "low"),
    ],
)
def test_an_open_account_is_worse_where_the_table_lets_strangers_in(principal: Any, severity: str) -> None:
    """Two halves of one door: the table of that name has a policy for another account."""
    door = holder(
        whole(statement("GetItem", "*", Principal=principal)),
        form=HolderForm.TABLE,
        role=DocumentRole.RESOURCE,
        address="aws_dynamodb_table.orders",
        target=ORDERS,
    )
    role = holder(whole(statement(ITEMS, "arn:aws:dynamodb:us-east-1:*:table/Orders")))
    assert said(estate(role, door, tables=[table()]), "TG506") == severity


def test_the_samples_of_the_standards() -> None:
    """Six actions, Scan among them, on a name's beginning in any region and account."""
    sample = whole(statement([*ITEMS, "Scan"], "arn:aws:dynamodb:*:*:table/myapp-*"))
    unheld = estate(holder(sample, form=HolderForm.UNATTACHED, kind=HolderKind.UNKNOWN, services=()))
    assert {item.policy.id for item in findings(unheld)} == {"TG504", "TG506", "TG514"}
    assert {item.policy.id for item in findings(estate(holder(sample)))} == {"TG504", "TG506", "TG514"}


def test_the_worked_pair() -> None:
    """A Lambda's three statements break five policies; spelled as they were meant, none."""
    tables = [table("Orders"), table("OrdersArchive"), table("Users")]
    broken = of(
        statement(["Get*", "Put*", "Query"], f"{HERE}Orders*", Sid="App"),
        statement(["GetRecords", "GetShardIterator", "DescribeStream", "ListStreams"], "*", Sid="Streams"),
        statement("TransactWriteItems", f"{HERE}Users", Sid="Tx"),
        tables=tables,
    )
    found = {(item.policy.id, item.part["statement"] if item.part else "") for item in findings(broken)}
    assert found == {("TG505", "App"), ("TG507", "App"), ("TG515", "Streams"), ("TG530", "Tx")}
    mended = of(
        statement(["GetItem", "PutItem", "Query"], [ORDERS, f"{ORDERS}/index/*"]),
        statement(["GetRecords", "GetShardIterator", "DescribeStream"], f"{ORDERS}/stream/*"),
        statement("ListStreams", "*"),
        statement(["PutItem", "UpdateItem", "ConditionCheckItem"], f"{HERE}Users"),
        tables=tables,
    )
    assert findings(mended) == []


def test_a_boundary_narrows_a_beginning() -> None:
    """What is left of a wide grant under a boundary is judged at the boundary's width."""
    limit = document(statement("*", f"{HERE}app-prod-*"))
    assert told(of(statement(ITEMS, "*"), ceilings=(limit,))) == {"TG504": "medium"}
