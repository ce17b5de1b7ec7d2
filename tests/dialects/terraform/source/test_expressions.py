"""What expressions come to is what Terraform makes of them: every operator, form and function."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tablegate.dialects.reading import ReadOptions
from tablegate.dialects.terraform.references import UnknownValue
from tablegate.dialects.terraform.source import Project
from tablegate.inputs.collect import collect

ROOT = Path(__file__).parents[4] / "fixtures" / "expressions"
PLANNED = {
    name: output["value"]
    for name, output in json.loads((ROOT / "plan.json").read_text())["planned_values"]["outputs"].items()
}
# Evaluated by nobody here: rare around tables.
LEFT = {
    "collections": {"chunk", "matchkeys", "transpose"},
    "conversions": {"chosen_object", "equal_content"},  # their types decide, which nobody wrote down
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
