"""What `make schema-data` writes: the members of AWS's schemas, in the form that is committed."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tablegate import aws_schemas

ROOT = Path(__file__).parents[1]
SCRIPT = runpy.run_path(str(ROOT / "fixtures" / "make_schema_data.py"))
DEVIATIONS = tomllib.loads((ROOT / "fixtures" / "schemas" / "deviations.toml").read_text())
TEXT = (ROOT / "src" / "tablegate" / "aws_schemas.py").read_text()
SCHEMA: dict[str, Any] = {
    "required": ["Mode"],
    "requiredXor": ["Mode", "Speed"],
    "definitions": {"Pair": {"type": "object", "required": ["Key"], "properties": {"Key": {"type": "string"}}}},
    "properties": {
        "Mode": {"type": "string", "enum": ["B", "A"]},
        "Speed": {"type": "integer", "minimum": 1, "maximum": 9},
        "Pairs": {"type": "array", "items": {"$ref": "#/definitions/Pair"}, "uniqueItems": True, "minItems": 1},
        "Document": {"type": ["object", "string"]},
    },
}


def lines(**deviations: Any) -> list[str]:
    """The lines of the small schema."""
    found: dict[str, list[str]] = SCRIPT["lines_by_type"]({"T": SCHEMA}, {"written": {}, **deviations})
    return found["T"]


def test_the_module_is_in_the_form_that_is_written() -> None:
    """The script, given the committed lines, writes the committed file: nothing in it is by hand."""
    (origin,) = re.findall(r"^From (\S+ \S+ \(\S+\)), schemas as", TEXT, re.MULTILINE)
    schemas = {type_: text.splitlines() for type_, text in aws_schemas.SCHEMAS.items()}
    assert TEXT == SCRIPT["module"](schemas, origin, aws_schemas.SCHEMAS_AS_OF)
    package, version, licence = origin.split(" ")
    pins = (ROOT / "fixtures" / "schemas" / "requirements.txt").read_text()
    assert f"{package}=={version}  # {licence.strip('()')};" in pins


def test_the_types_and_deviations_are_those_that_are_listed() -> None:
    """Each deviation has its reason."""
    assert set(aws_schemas.SCHEMAS) == {*DEVIATIONS["types"], *DEVIATIONS["written"]}
    entries = [entry for name in SCRIPT["OPERATIONS"] for entry in DEVIATIONS.get(name, ())]
    assert all(entry["why"] for entry in [*entries, *DEVIATIONS["written"].values()])


def test_a_member_is_a_line() -> None:
    """With its kind, its set or its limits, and whether it is required."""
    assert lines() == [
        ". map one:Mode,Speed",
        "Document any",
        "Mode! text A|B",
        "Pairs list 1.. unique",
        "Pairs[] map",
        "Pairs[].Key! text",
        "Speed whole 1..9",
    ]


@pytest.mark.parametrize(
    ("operation", "path", "line"),
    [
        ("any", "Pairs", "Pairs any"),
        ("unlimited", "Speed", "Speed whole"),
        ("optional", "M*", "Mode text A|B"),
        ("within", "*[].Key", "Pairs[].Key! text 1..9"),
        ("closed", "*[].Key", "Pairs[].Key! text X"),
        ("one", "Pairs[]", "Pairs[] map one:X"),
    ],
)
def test_deviations(operation: str, path: str, line: str) -> None:
    """Each of them changes the lines that its paths mean."""
    assert line in lines(**{operation: [{"paths": [path], "words": ["X"], "limits": [1, 9], "why": "-"}]})


def test_a_deviation_that_means_nothing_is_refused() -> None:
    """AWS may have renamed what it was about."""
    with pytest.raises(SCRIPT["SourceError"], match="no schema has Gone"):
        lines(any=[{"paths": ["Gone"], "why": "-"}])
