"""Plans of modules that others wrote: what must be said of each, alone and with the caller's source, and where.

``expect.toml`` of each folder of ``fixtures/modules`` has every finding at medium and above, and what leads to it in
the call. With the source beside the plan, ``line`` is the line of ``main.tf`` that it is at.
"""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

from support.command import tablegate

FOLDERS = sorted(path.parent for path in (Path(__file__).parents[2] / "fixtures" / "modules").glob("*/expect.toml"))
LOW = {"low", "info"}


def found(folder: Path) -> list[dict[str, Any]]:
    """The findings of a plan, in short."""
    report = json.loads(tablegate("check", "plan.json", "--no-config", "-o", "json", cwd=folder).stdout)
    assert [] == [fault for fault in report["faults"] if fault["blocks"]]
    short = []
    for one in report["findings"]:
        if one["severity"] not in LOW:
            place = one["place"]
            line = {"line": place["line"]} if place["file"] == "main.tf" else {}
            at = {"at": place["path"]} if place["path"] else {}
            fix = {"fix": one["fix"]} if (one["fix"] or "").startswith("# in module.") else {}
            short.append({key: one[key] for key in ("policy", "outcome", "address")} | at | line | fix)
    return sorted(short, key=lambda one: (one["address"], one["policy"]))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_with_the_source_of_the_caller(folder: Path) -> None:
    """Without that of the module, which is not fetched."""
    expected = tomllib.loads((folder / "expect.toml").read_text())
    assert expected.get("finding", []) == found(folder)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_alone(folder: Path, tmp_path: Path) -> None:
    """The plan alone says the same, without lines."""
    expected = tomllib.loads((folder / "expect.toml").read_text()).get("finding", [])
    shutil.copy(folder / "plan.json", tmp_path)
    assert [{key: one[key] for key in one if key != "line"} for one in expected] == found(tmp_path)


def test_targets_in_another_region_are_named() -> None:
    """The module hands the region to the table, and not to its targets: they are of another table of that name."""
    folder = next(folder for folder in FOLDERS if folder.name == "region-scaled-elsewhere")
    report = json.loads(tablegate("check", "plan.json", "--no-config", "-o", "json", cwd=folder).stdout)
    (message,) = (one["message"] for one in report["findings"] if one["policy"] == "TG102")
    assert message.endswith("(targets of that name are in eu-west-1)")
