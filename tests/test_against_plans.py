"""What source tells without a plan is what the plan that Terraform made of it says."""

from __future__ import annotations

from pathlib import Path

import pytest

import spelled

# Planned on top of what exists already, which source does not tell.
FRESH = [folder for folder in spelled.folders() if not (folder / "apply").exists()]
OPEN = (spelled.UNKNOWN, spelled.DOUBTED)
MISSING = "(missing)"


@pytest.mark.parametrize("folder", FRESH, ids=lambda folder: folder.name)
def test_what_source_knows_the_plan_says_too(folder: Path) -> None:
    """Either may know more than the other, and neither anything else."""
    plan, source = spelled.leaves(folder / "plan.json"), spelled.leaves(folder / "main.tf")
    pairs = {path: (plan.get(path, MISSING), source.get(path, MISSING)) for path in sorted({*plan, *source})}
    assert {path: pair for path, pair in pairs.items() if pair[0] != pair[1] and not {*map(str, pair)} & {*OPEN}} == {}
