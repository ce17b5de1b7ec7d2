"""Source may not tell whether a resource exists: what it does for a table is then not known, either."""

from __future__ import annotations

import pytest

from support.both import UNKNOWN, told
from support.plans import only, tables
from tablegate.dialects import read
from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.model.table import Table
from tablegate.syntax.source import Folder, Source

VARIABLES = 'variable "on" {\n  type = bool\n}\nprovider "aws" {\n  region = "eu-west-1"\n}\n'
TARGET = """
resource "aws_appautoscaling_target" "x" {
  service_namespace  = "dynamodb"
  resource_id        = "table/orders"
  scalable_dimension = "dynamodb:table:ReadCapacityUnits"
  min_capacity       = 5
  max_capacity       = 50
  %s
}
"""
POLICY = """
resource "aws_appautoscaling_policy" "x" {
  name               = "p"
  service_namespace  = "dynamodb"
  resource_id        = "table/orders"
  scalable_dimension = "dynamodb:table:ReadCapacityUnits"
  policy_type        = "TargetTrackingScaling"
  target_tracking_scaling_policy_configuration {
    target_value = 70
  }
  %s
}
"""
INSIGHTS = 'resource "aws_dynamodb_contributor_insights" "x" {\n  table_name = "orders"\n  %s\n}\n'
ALARM = """
resource "aws_cloudwatch_metric_alarm" "x" {
  namespace   = "AWS/DynamoDB"
  metric_name = "SystemErrors"
  dimensions  = { TableName = "orders" }
  %s
}
"""
BACKUP = 'resource "aws_backup_selection" "x" {\n  resources = ["*"]\n  %s\n}\n'

ALWAYS, NEVER = "lifecycle {\n  enabled = true\n}", "lifecycle {\n  enabled = false\n}"
MAYBE = ["count = var.on ? 1 : 0", "lifecycle {\n  enabled = var.on\n}", 'for_each = var.on ? toset(["a"]) : toset([])']


def source(text: str, *modules: tuple[str, str], **options: bool) -> Reading:
    """A root module with other modules."""
    files = (("main.tf", VARIABLES + text), *((f"{name}/main.tf", content) for name, content in modules))
    folder = Folder(root="", parts=tuple(Source(name, content.encode()) for name, content in files))
    return read(Source(".", b"", folder), ReadOptions(**options))  # type: ignore[arg-type]


def table(repeats: str = "") -> str:
    """A table that is repeated in some way."""
    return f'resource "aws_dynamodb_table" "t" {{\n  name = "orders"\n  hash_key = "id"\n  {repeats}\n}}\n'


@pytest.mark.parametrize(
    ("repeats", "addresses"),
    [
        (ALWAYS, ["aws_dynamodb_table.t"]),
        (NEVER, []),
        (ALWAYS.replace("true", '"true"'), ["aws_dynamodb_table.t"]),
        (MAYBE[1], ["aws_dynamodb_table.t"]),
        (MAYBE[1].replace("var.on", "[]"), ["aws_dynamodb_table.t"]),
    ],
)
def test_enabled(repeats: str, addresses: list[str]) -> None:
    """What OpenTofu disables is not there. Where nobody knows, a table is judged as if it were."""
    assert sorted(tables(source(table(repeats)))) == addresses


def test_enabled_by_an_override_file() -> None:
    """The lifecycle of an override wins."""
    over = ("override.tf", table(NEVER))
    parts = (Source("main.tf", (VARIABLES + table(ALWAYS)).encode()), Source(over[0], over[1].encode()))
    assert not tables(read(Source(".", b"", Folder(root="", parts=parts)), ReadOptions()))


@pytest.mark.parametrize(
    ("expression", "name"),
    [("aws_kms_key.k.description", "d"), ('try(aws_kms_key.none.description, "none")', "none")],
)
def test_what_refers_to_it(expression: str, name: str) -> None:
    """A disabled resource is null, so that nothing in it can be read."""
    keys = "".join(
        f'resource "aws_kms_key" "{key}" {{\n  description = "d"\n  {repeats}\n}}\n'
        for key, repeats in (("k", ALWAYS), ("none", NEVER))
    )
    assert only(source(keys + table().replace('"orders"', expression))).name.content == name


@pytest.mark.parametrize(("enabled", "number"), [("true", 1), ("false", 0)])
def test_module(enabled: str, number: int) -> None:
    """OpenTofu disables whole modules as well."""
    call = f'module "m" {{\n  source = "./m"\n  lifecycle {{\n    enabled = {enabled}\n  }}\n}}\n'
    assert len(tables(source(call, ("m", table())))) == number


def tracking(found: Table) -> object:
    """Whether capacity follows the traffic."""
    return [told(target.tracking) for target in found.scaling]


@pytest.mark.parametrize("maybe", MAYBE)
def test_scaling(maybe: str) -> None:
    """A target, or a policy of it, that may not exist may not scale."""
    assert tracking(only(source(table() + TARGET % "" + POLICY % ""))) == [True]
    assert tracking(only(source(table() + TARGET % "" + POLICY % maybe))) == [UNKNOWN]
    assert tracking(only(source(table() + TARGET % maybe + POLICY % ""))) == [UNKNOWN]
    assert tracking(only(source(table() + TARGET % NEVER + POLICY % NEVER))) == []


@pytest.mark.parametrize("maybe", MAYBE)
def test_same_condition(maybe: str) -> None:
    """What exists if and only if the table does helps it."""
    (one,) = tables(source(table(maybe) + TARGET % maybe + POLICY % maybe)).values()
    assert tracking(one) == [True]
    (other,) = tables(source(table("count = var.on ? 0 : 1") + TARGET % maybe + POLICY % maybe)).values()
    assert tracking(other) == [UNKNOWN]


def test_same_module() -> None:
    """So does what is in the same module, whether or not that is called."""
    call = 'module "m" {\n  source = "./m"\n  count = var.on ? 1 : 0\n}\n'
    inner = ("m", table() + TARGET % "" + POLICY % "")
    assert tracking(only(source(call, inner))) == [True]
    apart = ("m", TARGET % "" + POLICY % "")
    found = only(source(call + table(), apart))
    assert tracking(found) == [UNKNOWN]
    doubt = found.scaling[0].tracking.doubt
    assert doubt is not None
    assert doubt.reason.startswith("whether module.m[0].aws_appautoscaling_target.x exists is not known: variable on")


@pytest.mark.parametrize("maybe", MAYBE)
def test_watchers(maybe: str) -> None:
    """Insights, alarms and backups that may not exist are doubts."""
    assert told(only(source(table() + INSIGHTS % maybe)).insights) == UNKNOWN
    assert told(only(source(table() + BACKUP % maybe)).backed_up) == UNKNOWN
    watched = only(source(table() + ALARM % maybe))
    assert (watched.alarms, watched.alarms_doubt is None) == ((), False)
    sure = only(source(table() + INSIGHTS % ALWAYS + BACKUP % ALWAYS + ALARM % ALWAYS))
    assert (told(sure.insights), told(sure.backed_up), len(sure.alarms)) == (True, True, 1)


@pytest.mark.parametrize("type_", ["aws_dynamodb_table", "awscc_dynamodb_table", "awscc_dynamodb_global_table"])
@pytest.mark.parametrize(
    ("repeats", "counts"),
    [
        ("", (1, 0)),
        ("count = 0", (0, 1)),
        ("for_each = {}", (0, 1)),
        (NEVER, (0, 1)),
        ("count = var.on ? 1 : 0", (1, 0)),
    ],
)
def test_tables_that_are_not_created_are_counted(type_: str, repeats: str, counts: tuple[int, int]) -> None:
    """A table of which there is no instance is none, but is not forgotten."""
    seen = source(f'resource "{type_}" "orders" {{\n  {repeats}\n}}\n').input
    assert counts == (seen.tables, seen.not_created)
