"""Small CloudFormation templates for tests, and what is read from them."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

from tablegate.dialects.cloudformation.stacks import read
from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.model.table import Table
from tablegate.model.value import Value

UNKNOWN = "(unknown)"


def reading(text: str, **options: Any) -> Reading:
    """The template, read."""
    return read(dedent(text), "template.yaml", ReadOptions(**options))


def tables(text: str, **options: Any) -> tuple[Table, ...]:
    """Every table of a template that has to be read without a blocking fault."""
    made = reading(text, **options)
    assert [fault for fault in made.faults if fault.blocks] == []
    assert made.estate is not None
    return made.estate.tables


def table(text: str, **options: Any) -> Table:
    """The one table of a template with one scenario."""
    found = tables(text, **options)
    assert [(it.address, it.scenario) for it in found] == [(found[0].address, None)]
    return found[0]


def with_properties(properties: str, head: str = "", **options: Any) -> tuple[Table, ...]:
    """The tables of a template with one resource, ``Orders``, that has these properties."""
    return tables(template(properties, head), **options)


def template(properties: str, head: str = "", type_: str = "AWS::DynamoDB::Table") -> str:
    """A template with one resource, ``Orders``, that has these properties."""
    indented = "\n".join(f"      {line}" for line in dedent(properties).strip().splitlines())
    return f"{dedent(head).strip()}\nResources:\n  Orders:\n    Type: {type_}\n    Properties:\n{indented}\n"


def said(value: Value[Any]) -> Any:
    """A value's content, or that it is not known."""
    return value.content if value.known else UNKNOWN


def reason(value: Value[Any]) -> str:
    """Why a value is not known."""
    assert value.doubt is not None
    return value.doubt.reason
