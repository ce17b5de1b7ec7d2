"""The matrix in its formats: the same cells in each, and nothing from an input that acts."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tablegate.iam.matrix import Cell, Column, Matrix, Right, Row
from tablegate.model.record import replace
from tablegate.reporters.matrix import RENDERERS, cell_text, column_titles
from tablegate.reporters.safe import Sanitizer

R, W, D, S, T, A = Right
ORDERS = Column("aws_dynamodb_table.orders", "orders")
STATUS = Column("aws_dynamodb_table.orders", "orders", "by-status")


def matrix(*rows: Row, columns: tuple[Column, ...] = (ORDERS, STATUS)) -> Matrix:
    """The rows over a table with one index."""
    return Matrix("plan.json", columns, rows)


def row(
    address: str = "aws_iam_role.worker", principal: str | None = None, name: str | None = None, **cells: Cell
) -> Row:
    """A row; its cells by column: ``c0``, ``c1``."""
    return Row(address, "role", "runtime", principal, {int(at[1:]): cell for at, cell in cells.items()}, name)


def rendered(form: str, *matrices: Matrix, width: int = 100, secrets: tuple[str, ...] = ()) -> str:
    """What is written."""
    return RENDERERS[form](matrices, Sanitizer(secrets), width)


FULL = Cell((R, W), (D,), (A,))


def test_a_cell_is_letters_and_marks() -> None:
    """In one order, whatever is sure and whatever is not."""
    assert [cell_text(FULL), cell_text(Cell())] == ["RWD*A?", ""]


def test_a_table_whose_name_is_shared_is_called_by_its_address() -> None:
    """Otherwise two columns would be called the same; an index that is not known is a question mark."""
    twins = (ORDERS, Column("aws_dynamodb_table.other", "orders"), Column("aws_dynamodb_table.carts", "carts", ""))
    assert column_titles(twins, Sanitizer()) == ["aws_dynamodb_table.orders", "aws_dynamodb_table.other", "carts/?"]


def test_text_is_a_table_with_a_legend() -> None:
    """Holders as rows, and those with nothing here counted."""
    text = rendered("text", matrix(row(c0=FULL, c1=Cell((R,))), row("aws_iam_role.idle")))
    expected = """\
plan.json · 1 table · 1 index · 2 holders

holder               kind          orders  orders/by-status
aws_iam_role.worker  role runtime  RWD*A?  R

1 holder without access to any table here

R read  W write  D delete  S scan  T read the stream  A administer
R* under a condition  R? unknown  blank: no access
"""
    assert text == expected


def test_a_holder_who_is_not_here_has_a_name() -> None:
    """Its address is that of a document."""
    outside = matrix(row("aws_iam_role_policy.p", name="admin", c0=FULL))
    assert rendered("text", outside).splitlines()[3] == "admin by aws_iam_role_policy.p  role runtime  RWD*A?"
    (holder,) = json.loads(rendered("json", outside))["inputs"][0]["holders"]
    assert (holder["address"], holder["name"]) == ("aws_iam_role_policy.p", "admin")


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_without_a_table_there_is_no_cell(form: str) -> None:
    """That is no lack of rights: they may be on tables elsewhere."""
    text = rendered(form, matrix(row(), columns=()))
    assert "his input has no table: access to tables elsewhere is not shown" in text
    assert "nothing on any table" not in text


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_of_many_inputs_those_with_tables_are_shown(form: str) -> None:
    """Most templates of a repository hold none: they are counted."""
    without = [matrix(row(), columns=()) for _ in range(1200)]
    text = rendered(form, *without, matrix(row(c0=FULL)))
    assert "1,200 inputs without a table: access to tables elsewhere is not shown" in text
    assert 1 == text.count("plan.json")


def test_text_of_many_says_what_it_leaves_out() -> None:
    """A terminal is no place for a thousand columns."""
    columns = tuple(Column(f"t.t{number:03d}", f"t{number:03d}") for number in range(60))
    rows = [row(f"r.r{number:03d}", **{f"c{number % 60}": FULL}) for number in range(130)]
    text = rendered("text", matrix(*rows, columns=columns))
    assert "not shown: 30 holders, 20 columns (-o csv has them all)" in text
    assert max(map(len, text.splitlines())) <= 100


def test_markdown_holds_nothing_that_acts() -> None:
    """Names are code, in which neither a pipe nor a backtick ends anything."""
    hostile = row("[x](http://evil)|`<img>`@team", c0=FULL)
    line = rendered("markdown", matrix(hostile)).splitlines()[4]
    assert line == r"| `[x](http://evil)\x7c\x60<img>\x60@team` | `role runtime` | `RWD*A?` |"


@pytest.mark.parametrize("start", ["=cmd()", "+1", "-1", "@SUM"])
def test_csv_holds_no_formula(start: str) -> None:
    """A spreadsheet shows it, and does not run it."""
    rows = list(csv.reader(io.StringIO(rendered("csv", matrix(row(start, c0=FULL))))))
    assert rows[1] == ["plan.json", f"'{start}", "role runtime", "RWD*A?", ""]


def test_csv_and_json_leave_nothing_out() -> None:
    """They are for machines."""
    columns = tuple(Column(f"t.t{number:03d}", f"t{number:03d}") for number in range(60))
    whole = matrix(*(row(f"r.r{number:03d}") for number in range(130)), columns=columns)
    rows = list(csv.reader(io.StringIO(rendered("csv", whole))))
    document = json.loads(rendered("json", whole))["inputs"][0]
    assert (131, 63) == (len(rows), len(rows[0]))
    assert (130, 60) == (len(document["holders"]), len(document["columns"]))


def test_json_names_columns_by_number() -> None:
    """A cell that is blank is not there."""
    document = json.loads(rendered("json", matrix(row(principal="arn:x", c1=Cell((R,))))))
    assert document == {
        "version": 1,
        "inputs": [
            {
                "path": "plan.json",
                "columns": [
                    {"table": ORDERS.address, "name": "orders", "index": None},
                    {"table": ORDERS.address, "name": "orders", "index": "by-status"},
                ],
                "holders": [
                    {
                        "address": "aws_iam_role.worker",
                        "form": "role",
                        "kind": "runtime",
                        "road": None,
                        "dax": False,
                        "name": None,
                        "principal": "arn:x",
                        "cells": {"1": "R"},
                    }
                ],
            }
        ],
    }


@pytest.mark.parametrize("form", RENDERERS)
def test_no_format_prints_a_secret(form: str) -> None:
    """Nor its copy in a name. An address, which comes from the configuration, stays."""
    text = rendered(form, matrix(row("role-hunter2-x", c0=FULL)), secrets=("hunter2",))
    assert "role-hunter2-x" in text
    text = rendered(form, matrix(row(name="role-hunter2-x", principal=None, c0=FULL)), secrets=("hunter2",))
    assert "hunter2" not in text
    text = rendered(form, matrix(row(principal="role-hunter2-x", c0=FULL)), secrets=("hunter2",))
    assert "hunter2" not in text


def test_commands_of_build_servers_are_broken() -> None:
    """No format prints what a build server acts on."""
    for form in RENDERERS:
        text = rendered(form, matrix(row(principal="##vso[task.complete]", c0=FULL)))
        assert "##vso" not in text, form


@pytest.mark.parametrize("form", RENDERERS)
def test_nothing_is_rendered_of_nothing(form: str) -> None:
    """An input without holders is still an answer."""
    assert rendered(form, matrix())


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_callers_of_caches_are_named(form: str) -> None:
    """Also those that reach no table by themselves; not all, where there are many."""
    one = replace(row("aws_iam_role.reader"), dax=True)
    assert "not shown: what clusters of DAX reach for aws_iam_role.reader" in rendered(form, matrix(one, row(c0=FULL)))
    assert "DAX" not in rendered(form, matrix(row(c0=FULL)))
    many = [replace(row(f"role.r{number}"), dax=True) for number in range(10, 24)]
    assert "role.r20, role.r21, 2 other holders" in rendered(form, matrix(*many))
