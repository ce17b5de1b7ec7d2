"""The matrix of access: who may do what, where, and how sure that is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from support import tables as build
from support.access import HERE, ORDERS, deny, document, estate, holder, of, statement, table, whole
from tablegate.iam.arns import Symbols, arn_of
from tablegate.iam.documents import UnknownPart, parse_document
from tablegate.iam.grants import DocumentRole, HolderForm, HolderKind
from tablegate.iam.matrix import Matrix, Row, matrix_of
from tablegate.model import facts
from tablegate.model.estate import Estate
from tablegate.reporters.matrix import cell_text

ALL = "ForAllValues:StringEquals"
KEYED = {ALL: {"dynamodb:LeadingKeys": "${aws:PrincipalTag/t}"}}
PRESENT = {"Null": {"dynamodb:LeadingKeys": "false"}}
ABSENT = {"Null": {"dynamodb:LeadingKeys": "true"}}


def orders(**stated: Any) -> Any:
    """A table with an index."""
    return table("Orders", indexes=facts.INDEXES.of((build.index("by-status"),)), **stated)


def row(world: Estate, number: int = 0) -> dict[str, str]:
    """The cells of one row, by the column's table and index."""
    matrix = matrix_of(world)
    return shown(matrix, matrix.rows[number])


def shown(matrix: Matrix, one: Row) -> dict[str, str]:
    """The cells of a row as letters."""
    columns = matrix.columns
    return {
        columns[number].address.rpartition(".")[2]
        + ("" if (index := columns[number].index) is None else f"/{index}"): cell_text(cell)
        for number, cell in one.cells.items()
    }


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ([statement("GetItem")], {"orders": "R"}),
        ([statement(["GetItem", "PutItem", "DeleteItem", "Scan", "DeleteTable"])], {"orders": "RWDSA"}),
        ([statement("Query", [ORDERS, f"{ORDERS}/index/*"])], {"orders": "R", "orders/by-status": "R"}),
        ([statement("Query", f"{ORDERS}/index/by-other")], {}),
        ([statement("GetRecords", f"{ORDERS}/stream/2026-01-01T00:00:00.000")], {"orders": "T"}),
        ([statement("GetRecords", f"{ORDERS}/stream/*")], {"orders": "T"}),
        ([statement("DescribeTable")], {}),
        ([statement("PutItem", conditions=KEYED)], {"orders": "W*"}),
        ([statement(["GetItem", "PutItem"]), deny("PutItem")], {"orders": "R"}),
        ([statement("PutItem"), deny("PutItem", conditions=KEYED)], {"orders": "W*"}),
        ([statement("dynamodb:*", "*")], {"orders": "RWDSTA", "orders/by-status": "RS"}),
        ([statement("GetItem", "arn:aws:dynamodb:*:*:table/Ord*")], {"orders": "R"}),
        ([statement("GetItem", f"{ORDERS}-archive")], {}),
        ([statement("s3:GetObject", "*")], {}),
        ([statement(["GetItem", "Scan"], conditions=KEYED)], {"orders": "R*S"}),
        ([statement(["GetItem", "Scan"], conditions=KEYED | PRESENT)], {"orders": "R*"}),
        ([statement(["GetItem", "Scan"], conditions=KEYED), deny("*", "*", ABSENT)], {"orders": "R*"}),
        ([statement(["GetItem", "Scan"], conditions={"StringEquals": KEYED[ALL]})], {"orders": "R*"}),
        ([statement("Scan"), deny("*", "*", {"StringEquals": KEYED[ALL]})], {"orders": "S"}),
    ],
)
def test_a_cell_says_what_the_holder_may_do(statements: list[Any], expected: dict[str, str]) -> None:
    """Each right is a letter; under a condition it is starred; what is denied or elsewhere is blank."""
    assert row(estate(holder(whole(*statements)), tables=[orders()])) == expected


def test_a_not_resource_reaches_all_tables_but_those() -> None:
    """The table that is left out is blank, every other one is not."""
    inverted = statement("GetItem", None, NotResource=ORDERS)
    world = estate(holder(whole(inverted)), tables=[orders(), table("Carts")])
    assert row(world) == {"carts": "R"}


@pytest.mark.parametrize(
    ("form", "action", "expected"),
    [
        (HolderForm.TABLE, "dynamodb:*", {"orders": "RWDSA", "orders/by-status": "RS"}),
        (HolderForm.TABLE, "GetRecords", {}),
        (HolderForm.TABLE, "CreateTable", {}),
        (HolderForm.STREAM, "dynamodb:*", {"orders": "T"}),
        (HolderForm.STREAM, "GetItem", {}),
    ],
)
def test_a_policy_of_a_resource_s_own_grants_what_it_can(
    form: HolderForm, action: str, expected: dict[str, str]
) -> None:
    """A stream's nothing on its table, a table's nothing on its stream, and neither what such a policy cannot carry."""
    own = statement(action, "*", Principal={"AWS": "arn:aws:iam::999988887777:role/reader"})
    door = holder(whole(own), form=form, role=DocumentRole.RESOURCE, address="aws_dynamodb_table.orders")
    assert row(estate(door, tables=[orders(), table("Users")])) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Orders*", {"orders": "R", "orders/by-status": "R", "ordersv2": "R", "orders_a": "R"}),
        ("Orders??", {"ordersv2": "R", "orders_a": "R"}),
        ("Orders", {"orders": "R"}),
        ("Orders/*", {"orders/by-status": "R"}),
        ("*V2", {"ordersv2": "R"}),
    ],
)
def test_a_star_behind_a_table_reaches_the_tables_that_begin_so(name: str, expected: dict[str, str]) -> None:
    """It crosses the end of the name, though the name is that of a table of this input."""
    tables = [orders(), table("OrdersV2"), table("Orders-a")]
    assert row(of(statement("Query", f"{HERE}{name}"), tables=tables)) == expected


def test_a_row_may_be_wide_and_have_exceptions() -> None:
    """A star reaches every table; what is denied on one is denied there alone."""
    world = estate(
        holder(whole(statement("GetItem", "*"), deny("*", ORDERS))), tables=[orders(), table("Carts"), table("Users")]
    )
    assert row(world) == {"carts": "R", "users": "R"}


def test_what_was_not_read_is_never_blank() -> None:
    """A document that could not be read may grant anything, and is said to."""
    symbols = Symbols()
    part = parse_document(UnknownPart(build.DOUBT), symbols, lambda _: None)
    read = document(statement("GetItem"), symbols=symbols)
    cells = row(estate(holder(read, part, symbols=symbols), tables=[orders()]))
    assert cells == {"orders": "RW?D?S?T?A?", "orders/by-status": "R?S?"}


def test_a_pattern_of_unknown_name_may_be_any_table() -> None:
    """A symbol that is no table's own may be each of them."""
    symbols = Symbols()
    arn = f"{ORDERS[: -len('Orders')]}{symbols.of('var.name')}"
    assert row(estate(holder(whole(statement("GetItem", arn)), symbols=symbols), tables=[orders()])) == {"orders": "R?"}


def test_a_table_named_by_reference_is_no_other_table() -> None:
    """Two tables whose names are not known yet are two tables."""
    symbols = Symbols()
    unnamed = [replace(table(name), name=facts.NAME.doubted(build.DOUBT)) for name in ("Orders", "Carts")]
    own = arn_of(unnamed[0], symbols)
    assert row(estate(holder(whole(statement("GetItem", own)), symbols=symbols), tables=unnamed)) == {"orders": "R"}


def test_a_boundary_caps_what_is_shown() -> None:
    """Nothing passes that the ceiling does not let through."""
    symbols = Symbols()
    ceiling = document(statement("GetItem", "*"), symbols=symbols)
    world = estate(
        holder(whole(statement("dynamodb:*", ORDERS)), ceilings=(ceiling,), symbols=symbols), tables=[orders()]
    )
    assert row(world) == {"orders": "R"}


def test_principals_of_a_table_s_own_policy_are_rows() -> None:
    """Each has a row of its own, about this table alone; what the policy denies to all is taken away."""
    partner = {"AWS": "arn:aws:iam::444455556666:role/reporting"}
    letting = statement(["GetItem", "PutItem"], "*", Principal=partner)
    everybody = statement("PutItem", "*", Principal="*", Effect="Deny")
    door = holder(
        whole(letting, everybody),
        form=HolderForm.TABLE,
        kind=HolderKind.UNKNOWN,
        address="aws_dynamodb_table.orders",
        role=DocumentRole.RESOURCE,
        target=ORDERS,
    )
    matrix = matrix_of(estate(door, tables=[orders(), table("Carts")]))
    assert [(one.principal, shown(matrix, one)) for one in matrix.rows] == [(partner["AWS"], {"orders": "R"})]


def test_the_order_of_the_input_changes_nothing() -> None:
    """Rows and columns are sorted."""
    one = holder(whole(statement("GetItem")), address="aws_iam_role.a")
    other = holder(whole(statement("PutItem")), address="aws_iam_role.b")
    tables = [orders(), table("Carts")]
    forward, backward = estate(one, other, tables=tables), estate(other, one, tables=tables[::-1])
    assert matrix_of(forward) == matrix_of(backward)


def test_actions_that_nobody_has_heard_of_are_named() -> None:
    """Those that are allowed: a Deny takes something away, and a NotAction names what is not meant."""
    newer = "dynamodb:FrobnicateItem"
    asked = {
        statement: matrix_of(estate(holder(whole(one)), tables=[table()])).unheard
        for statement, one in (
            ("allow", statement(newer)),
            ("deny", deny(newer)),
            ("but", statement(None, ORDERS, NotAction=newer)),
        )
    }
    assert asked == {"allow": (newer,), "deny": (), "but": ()}


def test_callers_of_caches_are_marked() -> None:
    """A cluster reads with its own role: their rows have nothing of it. A Deny and other services are no matter."""
    asked = {
        written: matrix_of(estate(holder(whole(one)), tables=[table()])).rows[0].dax
        for written, one in (
            ("all", statement("dax:*", "*")),
            ("one", statement("DAX:GetItem", "arn:aws:dax:us-east-1:111122223333:cache/orders")),
            ("deny", deny("dax:*", "*")),
            ("but", statement(None, "*", NotAction="dax:*")),
            ("table", statement("GetItem")),
        )
    }
    assert asked == {"all": True, "one": True, "deny": False, "but": False, "table": False}
