"""What expressions come to is what Terraform makes of them: every operator, form and function."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from tablegate.dialects.reading import ReadOptions
from tablegate.dialects.terraform.references import UnknownValue
from tablegate.dialects.terraform.source import Project
from tablegate.dialects.terraform.source.evaluate import evaluated
from tablegate.dialects.terraform.source.values import EvaluationScope, Module
from tablegate.inputs.collect import collect
from tablegate.syntax.hcl import File

ROOT = Path(__file__).parents[4] / "fixtures" / "expressions"
PLANNED = {
    name: output["value"]
    for name, output in json.loads((ROOT / "plan.json").read_text())["planned_values"]["outputs"].items()
}
# Evaluated by nobody here: rare around tables.
LEFT = {
    "collections": {"chunk", "matchkeys", "transpose"},
    "conversions": {"chosen_object", "concat", "equal_content", "lookup"},  # their types decide
    "functions": {"indent"},
}


@cache
def _evaluated(name: str) -> Any:
    (root,) = (one for one in collect([str(ROOT)]).sources if one.folder)
    assert root.folder is not None
    return Project(root.name, root.folder, ReadOptions(assume_defaults=True)).root.output(name)


CASES = [(name, key) for name, group in sorted(PLANNED.items()) for key in sorted(group)]


@pytest.mark.parametrize(("name", "key"), CASES, ids=lambda word: word)
def test_an_expression_comes_to_what_terraform_makes_of_it(name: str, key: str) -> None:
    """Or it is not known, and then it is one of those that are said not to be evaluated."""
    found = _evaluated(name)[key]
    assert isinstance(found, UnknownValue) is (key in LEFT.get(name, ()))
    assert isinstance(found, UnknownValue) or _plain(found) == PLANNED[name][key]


def _plain(content: Any) -> Any:
    """As JSON has it."""
    return json.loads(json.dumps(content))


CALLS = json.loads((ROOT / "calls.json").read_text(encoding="utf-8"))
MOST_UNKNOWN = 0.15  # share of the calls, which are chosen to be odd


def _called(expression: str) -> object:
    """What it comes to here, as JSON, or that it fails."""
    body = File("", f'x = try(jsonencode({expression}), "refused")\n').assignments()
    return evaluated(body.attributes["x"].value, EvaluationScope(Mock(spec=Module)))


def test_no_call_comes_to_anything_but_what_terraform_makes_of_it() -> None:
    """Neither to another value, nor to a value that Terraform refuses, nor to a failure where it has a value."""
    found = {expression: _called(expression) for expression, _ in CALLS}
    known = {expression: text for expression, text in found.items() if not isinstance(text, UnknownValue)}
    assert {one: (known[one], said) for one, said in CALLS if one in known and known[one] != said} == {}
    assert len(known) > (1 - MOST_UNKNOWN) * len(CALLS)


@pytest.mark.parametrize(
    "expression",
    [
        "sum([0.1, 0.2])",
        'length("\N{WOMAN}\u200d\N{GIRL}")',
        'tonumber("1e400")',
        'regex("(a)", "a")',
        "5 % 0",
        "ephemeral.a_b.c.d",
    ],
)
def test_what_only_terraform_counts_is_neither_a_value_nor_a_failure(expression: str) -> None:
    """So that ``can`` and ``try`` do not decide by it."""
    assert isinstance(_called(expression), UnknownValue)
