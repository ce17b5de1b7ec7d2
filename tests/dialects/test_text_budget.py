"""Texts that double from one expression to the next are unknown before they fill the memory, known or not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.both import told
from support.templates import tables
from tablegate.dialects.reading import ReadOptions, TextBudget
from tablegate.dialects.terraform.source import read
from tablegate.dialects.terraform.source.budget import Budget
from tablegate.dialects.terraform.source.scalars import InexactError
from tablegate.model.table import Table

TABLE = 'resource "aws_dynamodb_table" "t" {\n  name = local.a30\n}\nvariable "x" {}\n'
DOUBT = "(unknown)"


def named(text: str) -> Table:
    """The one table of a file of Terraform source."""
    (table,) = read(text, "main.tf", ReadOptions()).estate.tables
    return table


@pytest.mark.parametrize("first", ['"-a"', '"-${var.x}"', '"-${aws_sqs_queue.q.arn}"', "var.x"])
@pytest.mark.parametrize(
    "step", ['"${P}${P}"', 'join("-", [P, P])', 'format("%s%s", P, P)', '"${P}-%{ if var.x }${P}%{ endif }"']
)
def test_texts_of_source_that_double(first: str, step: str) -> None:
    """Thirty locals are a thousand million times the text."""
    doubled = [f"  a{number} = {step.replace('P', f'local.a{number - 1}')}" for number in range(1, 31)]
    table = named("\n".join(["locals {", f"  a0 = {first}", *doubled, "}", TABLE]))
    assert told(table.name) == DOUBT


def test_a_text_of_source_may_be_long() -> None:
    """A policy is."""
    doubled = "".join(f'  a{number} = "${{local.a{number - 1}}}${{local.a{number - 1}}}"\n' for number in range(1, 13))
    table = named(f'locals {{\n  a0 = "ab"\n{doubled}}}\n{TABLE.replace("a30", "a12")}')
    assert len(str(table.name.content)) == 2 << 12


def test_source_spends_what_its_texts_take() -> None:
    """What is beyond it is unknown."""
    budget = Budget()
    for _ in range(250):
        budget.spend_text(200_000)
    with pytest.raises(InexactError):
        budget.spend_text(200_000)
    budget.spend_text(100)


def nested(first: Any, depth: int) -> Any:
    """A text in a text in a text, each of which has the other twice."""
    for _ in range(depth):
        first = {"Fn::Sub": ["${a}${a}", {"a": first}]}
    return first


@pytest.mark.parametrize("first", ["-a", {"Fn::Sub": "-${P}"}, {"Fn::GetAtt": ["Queue", "Arn"]}])
def test_texts_of_a_template_that_double(first: Any) -> None:
    """A map in a map is resolved once, however often the text names it."""
    (table,) = tables(_template(nested(first, 40)), region="eu-west-1")
    assert told(table.name) == DOUBT
    assert table.name.doubt is not None
    assert table.name.doubt.reason == "a text that is too long to be read"


def test_a_text_of_a_template_may_be_long() -> None:
    """A policy is."""
    (table,) = tables(_template(nested("ab", 12)), region="eu-west-1")
    assert len(str(table.name.content)) == 2 << 12


def test_a_budget_is_for_all_long_texts() -> None:
    """Short ones are free."""
    budget = TextBudget()
    assert all(budget.allows(1_000) for _ in range(100_000))
    assert not budget.allows(10_000_000)
    assert budget.allows(200_000)
    assert not all(budget.allows(200_000) for _ in range(1_000))


def _template(name: Any) -> str:
    table = {"Type": "AWS::DynamoDB::Table", "Properties": {"TableName": name}}
    resources = {"Orders": table, "Queue": {"Type": "AWS::SQS::Queue"}}
    return json.dumps({"Parameters": {"P": {"Type": "String"}}, "Resources": resources})
