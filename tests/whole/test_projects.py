"""Whole runs: every folder of ``fixtures/projects`` is checked as its ``args`` say, and every byte is compared.

Each format of `REPORTERS` has its ``report.*`` in every project, and each format of the matrix its ``matrix.*`` where
``iam-args`` name the inputs of `tablegate iam`. ``make golden`` rewrites what is expected; review it like code.
"""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import jsonschema
import pytest

from support.command import tablegate
from tablegate.reporters import REPORTERS
from tablegate.reporters.matrix import RENDERERS

ROOT = Path(__file__).parents[2]
PROJECTS = sorted(path.parent for path in (ROOT / "fixtures" / "projects").glob("*/args"))
MATRICES = sorted(path.parent for path in (ROOT / "fixtures" / "projects").glob("*/iam-args"))
SCHEMA = json.loads(resources.files("tablegate.reporters").joinpath("report-v1.schema.json").read_text("utf-8"))
SUFFIXES = {"text": "txt", "markdown": "md"}  # of the other formats, their names


def compared(path: Path, actual: str, *, update: bool) -> None:
    """Compare with the file, or write it."""
    if update:
        path.write_text(actual)
    assert path.exists(), f"{path.relative_to(ROOT)} is missing: make golden writes it"
    assert path.read_text() == actual


@pytest.mark.parametrize("form", REPORTERS)
@pytest.mark.parametrize("project", PROJECTS, ids=lambda path: path.name)
def test_project(project: Path, form: str, request: pytest.FixtureRequest) -> None:
    """The report and the exit code are what they were; the format does not change the exit code."""
    update = request.config.getoption("--update")
    ran = tablegate("check", *(project / "args").read_text().split(), "-o", form, cwd=project)
    compared(project / f"report.{SUFFIXES.get(form, form)}", ran.stdout.decode(), update=update)
    compared(project / "exit", f"{ran.returncode}\n", update=update)


@pytest.mark.parametrize("form", RENDERERS)
@pytest.mark.parametrize("project", MATRICES, ids=lambda path: path.name)
def test_matrix(project: Path, form: str, request: pytest.FixtureRequest) -> None:
    """The matrix is what it was."""
    ran = tablegate("iam", *(project / "iam-args").read_text().split(), "-o", form, cwd=project)
    assert ran.returncode == 0, ran.stderr.decode()
    path = project / f"matrix.{SUFFIXES.get(form, form)}"
    compared(path, ran.stdout.decode(), update=request.config.getoption("--update"))


@pytest.mark.parametrize("project", PROJECTS, ids=lambda path: path.name)
def test_the_json_report_follows_its_schema(project: Path) -> None:
    """It says the exit code too."""
    document = json.loads((project / "report.json").read_text())
    jsonschema.validate(document, SCHEMA)
    assert f"{document['exit']}\n" == (project / "exit").read_text()


def test_every_exit_that_an_input_can_cause_is_shown() -> None:
    """The projects cover an open gate, a closed one, and none."""
    assert {"0", "1", "3"} == {(project / "exit").read_text().strip() for project in PROJECTS}
