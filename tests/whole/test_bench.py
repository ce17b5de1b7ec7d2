"""The benchmark measures what it says: its inputs are whole, and hold the tables that they are to hold."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

from bench.__main__ import Row
from bench.plans import write_plan
from bench.repository import write_others, write_roots
from bench.shapes import Shape
from bench.templates import template
from tablegate.dialects import read
from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.findings import NO_INPUT
from tablegate.inputs.collect import SILENT, collect
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


def test_a_repository_is_of_templates_and_modules(tmp_path: Path) -> None:
    """One root for each table, and beside them files of which none is parsed."""
    write_roots(tmp_path / "roots", SHAPES)
    write_others(tmp_path / "others", 40)
    assert len(SHAPES) == len(collect([str(tmp_path / "roots")]).sources)
    others = collect([str(tmp_path / "others")])
    assert ((), ()) == (others.sources, others.faults)
    assert {SILENT: 20, NO_INPUT: 20} == {item.why: item.files for item in others.skipped}
