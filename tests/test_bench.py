"""The benchmark measures what it says: its inputs are whole, and hold the tables that they are to hold."""

from __future__ import annotations

from io import StringIO

from bench.__main__ import Row
from bench.plans import write_plan
from bench.shapes import Shape
from bench.templates import template
from tablegate.dialects import read
from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.syntax.source import Source

SHAPES = [Shape(number) for number in range(24)]


def reading(name: str, text: str) -> Reading:
    """One input as tablegate reads it."""
    return read(Source(name, text.encode()), ReadOptions(parameters={"Env": "prod"}))


def test_inputs_are_read_whole() -> None:
    """Both languages describe the same tables, and nothing in them has to be refused."""
    plan = StringIO()
    write_plan(plan, SHAPES)
    readings = [reading("plan.json", plan.getvalue()), reading("template.yaml", template(SHAPES))]
    for made in readings:
        assert made.estate is not None
        assert [fault for fault in made.faults if fault.blocks] == []
        assert sorted(str(table.name.content) for table in made.estate.tables) == sorted(it.name for it in SHAPES)


def test_a_plan_is_one_line() -> None:
    """As Terraform writes it."""
    plan = StringIO()
    write_plan(plan, SHAPES[:2])
    assert plan.getvalue().count("\n") == 1


def test_a_limit_is_a_limit() -> None:
    """A row holds up to its limit, and not beyond."""
    assert Row("work", 2.0, "base", 1.0, 2).kept
    assert not Row("work", 2.1, "base", 1.0, 2).kept
