"""Plans of AWS provider 6 by new tools: each folder of ``fixtures/provider6`` says what it must in ``expect.toml``."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from support.command import tablegate

FOLDERS = sorted(path.parent for path in (Path(__file__).parents[2] / "fixtures" / "provider6").glob("*/expect.toml"))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_plan(folder: Path) -> None:
    """The policies that the plan is about say what is expected, and nothing else; so do the faults."""
    expected = tomllib.loads((folder / "expect.toml").read_text())
    ran = tablegate(
        "check", "plan.json", "--no-config", "--select", ",".join(expected["about"]), "-o", "json", cwd=folder
    )
    report = json.loads(ran.stdout)
    found = sorted((one["policy"], one["address"], one["outcome"], one["message"]) for one in report["findings"])
    wanted = sorted(
        (one["policy"], one["address"], one["outcome"], one.get("says", "")) for one in expected.get("finding", ())
    )
    assert [one[:3] for one in found] == [one[:3] for one in wanted]
    assert all(says in message for (*_, message), (*_, says) in zip(found, wanted, strict=True)), found
    assert [one["code"] for one in report["faults"]] == expected.get("faults", [])
