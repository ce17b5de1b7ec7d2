"""Whole runs: every folder of ``fixtures/projects`` is checked as its ``args`` say, and every byte is compared.

``make golden`` rewrites what is expected; the difference is reviewed like code.
"""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import jsonschema
import pytest

from support.command import tablegate

ROOT = Path(__file__).parents[2]
PROJECTS = sorted(path.parent for path in (ROOT / "fixtures" / "projects").glob("*/args"))
SCHEMA = json.loads(resources.files("tablegate.reporters").joinpath("report-v1.schema.json").read_text("utf-8"))


def run(project: Path, *arguments: str) -> tuple[int, str]:
    """One run in the project's folder: the exit code, and what was printed."""
    given = (project / "args").read_text().split()
    ran = tablegate("check", *given, *arguments, cwd=project)
    return ran.returncode, ran.stdout.decode()


def compared(path: Path, actual: str, *, update: bool) -> None:
    """Compare with the file, or write it."""
    if update:
        path.write_text(actual)
    assert path.read_text() == actual


@pytest.mark.parametrize("project", PROJECTS, ids=lambda path: path.name)
def test_project(project: Path, request: pytest.FixtureRequest) -> None:
    """Text, JSON and exit code are what they were, and the format changes nothing but the format."""
    update = request.config.getoption("--update")
    code, text = run(project)
    also, document = run(project, "-o", "json")
    jsonschema.validate(json.loads(document), SCHEMA)
    assert (code, code) == (also, json.loads(document)["exit"])
    compared(project / "report.txt", text, update=update)
    compared(project / "report.json", document, update=update)
    compared(project / "exit", f"{code}\n", update=update)


def test_every_exit_that_an_input_can_cause_is_shown() -> None:
    """The projects cover an open gate, a closed one, and none."""
    assert {"0", "1", "3"} == {(project / "exit").read_text().strip() for project in PROJECTS}
