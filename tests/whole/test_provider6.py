"""Plans of AWS provider 6 by new tools: each folder of ``fixtures/provider6`` says what it must in ``expect.toml``.

The top of the file is about the plan with the source beside it, ``[alone]`` about the plan without source, and any
other table about the source without the plan, with its own ``arguments``.
"""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from support.command import tablegate

FOLDERS = sorted(path.parent for path in (Path(__file__).parents[2] / "fixtures" / "provider6").glob("*/expect.toml"))
EXPECTED = {folder: tomllib.loads((folder / "expect.toml").read_text()) for folder in FOLDERS}
SOURCES = [(folder, name) for folder in FOLDERS for name, it in EXPECTED[folder].items() if isinstance(it, dict)]
PLAN, ALONE = "plan.json", "alone"


def holds(expected: Mapping[str, Any], about: list[str], given: str, folder: Path) -> None:
    """The policies that the plan is about say what is expected, and nothing else; so do the faults."""
    arguments = ["--no-config", "--select", ",".join(about), *expected.get("arguments", ())]
    report = json.loads(tablegate("check", given, *arguments, "-o", "json", cwd=folder).stdout)
    found = sorted((one["policy"], one["address"], one["outcome"], one["message"]) for one in report["findings"])
    wanted = sorted(
        (one["policy"], one["address"], one["outcome"], one.get("says", "")) for one in expected.get("finding", ())
    )
    assert [one[:3] for one in found] == [one[:3] for one in wanted]
    assert all(says in message for (*_, message), (*_, says) in zip(found, wanted, strict=True)), found
    assert [one["code"] for one in report["faults"]] == expected.get("faults", [])
    assert expected.get("blocks") in (None, [one["blocks"] for one in report["faults"]])


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_plan(folder: Path) -> None:
    """The plan, with its source beside it."""
    holds(EXPECTED[folder], EXPECTED[folder]["about"], PLAN, folder)


@pytest.mark.parametrize(("folder", "name"), SOURCES, ids=lambda it: it if isinstance(it, str) else it.name)
def test_part(folder: Path, name: str, tmp_path: Path) -> None:
    """The plan without its source, or the source without the plan."""
    kept = ("*.tf", "*.tfvars", "modules", "apply", "expect.toml") if name == ALONE else (PLAN, "apply", "expect.toml")
    shutil.copytree(folder, tmp_path / "given", ignore=shutil.ignore_patterns(*kept))
    given = PLAN if name == ALONE else "."
    holds(EXPECTED[folder][name], EXPECTED[folder]["about"], given, tmp_path / "given")
