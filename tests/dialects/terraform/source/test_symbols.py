"""A variable without a value: what is named by it is joined to the table that is named by the same."""

from __future__ import annotations

import pytest

from tablegate.dialects import read
from tablegate.dialects.reading import ReadOptions
from tablegate.model.table import Table
from tablegate.syntax.source import Folder, Source

VARIABLES = """
variable "name" { type = string }
variable "other" { type = string }
variable "on" { type = bool }
variable "named" { type = map(object({ name = string })) }
locals { full = "${var.name}-orders" }
provider "aws" { region = "eu-west-1" }
"""
CAREFUL = 'hash_key = "id"\n  billing_mode = "PROVISIONED"\n  read_capacity = 5\n  write_capacity = 5\n}\n'
TABLE = 'resource "aws_dynamodb_table" "t" {{\n  name = {}\n  {}\n  ' + CAREFUL.replace("}", "}}")


def beside(name: str, repeats: str = "", id_: str | None = None) -> str:
    """A target, an alarm and insights of a table that an expression names."""
    return f"""
resource "aws_appautoscaling_target" "x" {{
  service_namespace  = "dynamodb"
  resource_id        = {id_ or f'"table/${{{name}}}"'}
  scalable_dimension = "dynamodb:table:ReadCapacityUnits"
  min_capacity       = 5
  max_capacity       = 50
  {repeats}
}}
resource "aws_cloudwatch_metric_alarm" "x" {{
  namespace   = "AWS/DynamoDB"
  metric_name = "SystemErrors"
  dimensions  = {{ TableName = {name} }}
  {repeats}
}}
resource "aws_dynamodb_contributor_insights" "x" {{
  table_name = {name}
  {repeats}
}}
"""


def table(text: str) -> Table:
    """The table of a root module."""
    folder = Folder(root="", parts=(Source("main.tf", (VARIABLES + text).encode()),))
    (found,) = read(Source(".", b"", folder), ReadOptions()).estate.tables
    return found


def joined(found: Table) -> list[object]:
    """What is certain about it: the targets, alarms, insights."""
    return [len(found.scaling), len(found.alarms), found.insights.content]


def doubted(found: Table) -> list[bool]:
    """What may be more: targets, alarms, insights."""
    return [found.scaling_doubt is not None, found.alarms_doubt is not None, not found.insights.known]


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("var.name", "var.name"),
        ("local.full", '"${var.name}-orders"'),
        ('"${var.name}-orders"', "local.full"),
        ('"${var.name}-orders"', 'format("%s-orders", var.name)'),
        ('var.named["orders"].name', 'var.named["orders"].name'),
    ],
)
def test_one_unknown_name(name: str, theirs: str) -> None:
    """The same unknown on both sides."""
    found = table(TABLE.format(name, "") + beside(theirs))
    assert [1, 1, True] == joined(found)
    assert [False, False, False] == doubted(found)


@pytest.mark.parametrize("theirs", ["var.other", '"${var.other}-x"', "lower(var.name)", '"${!var.on}"'])
def test_another_unknown_name(theirs: str) -> None:
    """It may come to the same, or not: a doubt."""
    found = table(TABLE.format("var.name", "") + beside(theirs))
    assert [0, 0, False] == [len(found.scaling), len(found.alarms), bool(found.insights.content)]
    assert [True, True, True] == doubted(found)


@pytest.mark.parametrize(
    ("name", "theirs"), [('"orders-${var.name}"', '"carts-${var.name}"'), ('"t"', '"${var.name}-x"')]
)
def test_a_name_that_cannot_be(name: str, theirs: str) -> None:
    """What is known of both differs: another table."""
    found = table(TABLE.format(name, "") + beside(theirs))
    assert [0, 0, False] == joined(found)
    assert [False, False, False] == doubted(found)


@pytest.mark.parametrize(
    "theirs",
    ['join("", aws_dynamodb_table.t[*].id)', "one(aws_dynamodb_table.t[*].name)", "aws_dynamodb_table.t[0].name"],
)
def test_an_unknown_count(theirs: str) -> None:
    """Instances whose number is not known are still those of that table."""
    found = table(TABLE.format("var.name", "count = var.on ? 1 : 0") + beside(theirs, "count = var.on ? 1 : 0"))
    assert [1, 1, True] == joined(found)


def test_an_index() -> None:
    """The index behind an unknown name is read from the text."""
    index = (
        '  global_secondary_index {\n    name = "by-day"\n    hash_key = "day"\n    projection_type = "ALL"\n  }\n}\n'
    )
    more = index.replace("by-day", "by-week").removesuffix("}\n") + index
    target = beside("var.name", id_='"table/${var.name}/index/by-week"').replace("dynamodb:table", "dynamodb:index")
    found = table(TABLE.format("var.name", "").removesuffix("}\n") + more + target)
    assert ["by-week"] == [one.index for one in found.scaling]
