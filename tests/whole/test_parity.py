"""Every spelling of a table is the same table: fact by fact, and finding by finding."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from support import spellings as spelled
from support.spellings import EVERYWHERE, Difference
from tablegate.engine.settings import Settings
from tablegate.policy.declare import policies_in
from tablegate.run.gate import check

POLICIES = policies_in("tablegate_baseline")
EVERY = Settings(select=tuple(policy.id for policy in POLICIES))
MISSING = "(missing)"

Said = tuple[str, str, str, str]  # the policy, what about, which part of it, the outcome

# Policies that one language alone can break.
ONE_LANGUAGE = (
    Difference("TG305", "terraform", "a plan holds neither CloudFormation's retention nor its own prevent_destroy"),
    Difference("TG307", "terraform", "CloudFormation sets a table's protection once its import is done"),
    Difference("TG903", "terraform", "only CloudFormation fixes a physical name"),
)

by_folder = pytest.mark.parametrize("folder", spelled.folders(), ids=lambda folder: folder.name)


@by_folder
def test_every_spelling_is_read_whole(folder: Path) -> None:
    """A fixture that earns a blocking fault proves nothing."""
    faults = {
        path.name: [fault for part in spelled.reading(path).all() for fault in part.faults]
        for path in spelled.spellings(folder)
    }
    assert {name: [fault for fault in found if fault.blocks] for name, found in faults.items()} == {
        name: [] for name in faults
    }


@by_folder
def test_same_model(folder: Path, request: pytest.FixtureRequest) -> None:
    """Every spelling gives the pinned facts, but for those it cannot state."""
    facts = {path.name: spelled.leaves(path) for path in spelled.spellings(folder)}
    excused = [*EVERYWHERE, *spelled.differences(folder)]
    if request.config.getoption("--update"):
        _write(folder / "table.json", _pinned(facts, excused))
    pinned = json.loads((folder / "table.json").read_text())
    assert {name: _apart(pinned, leaves, name, excused) for name, leaves in facts.items()} == {
        name: {} for name in facts
    }


@by_folder
def test_a_change_set_adds_nothing_to_its_template(folder: Path) -> None:
    """Beside its template a change set can say every table: what it shows is what the template comes to."""
    facts = spelled.leaves(folder / "template.yaml")
    told = {
        path: leaf for path, leaf in spelled.leaves_of(spelled.explained(folder)).items() if leaf != facts.get(path)
    }
    assert {path: leaf for path, leaf in told.items() if facts.get(path) != spelled.UNKNOWN} == {}


@by_folder
def test_no_excuse_is_stale(folder: Path) -> None:
    """A difference that is excused is there."""
    facts = {path.name: spelled.leaves(path) for path in spelled.spellings(folder)}
    pinned = json.loads((folder / "table.json").read_text())
    for excuse in spelled.differences(folder):
        apart = [_apart(pinned, leaves, name, EVERYWHERE) for name, leaves in facts.items()]
        seen = [path for name, paths in zip(facts, apart, strict=True) for path in paths if excuse.excuses(path, name)]
        assert seen, f"{excuse.field} does not differ in {excuse.spelling}"


@by_folder
def test_same_findings(folder: Path) -> None:
    """Every policy says the same of every spelling, but for what only one language can break."""
    findings = {path.name: _findings(path) for path in spelled.spellings(folder)}
    excused = [*ONE_LANGUAGE, *spelled.silences(folder)]
    assert _disagreements(findings, excused) == {}


@by_folder
def test_no_silence_is_stale(folder: Path) -> None:
    """A policy that is excused from agreeing does disagree."""
    findings = {path.name: _findings(path) for path in spelled.spellings(folder)}
    apart = _disagreements(findings, ONE_LANGUAGE)
    for excuse in spelled.silences(folder):
        assert excuse.field in apart, f"every spelling agrees about {excuse.field}"


def _findings(path: Path) -> set[Said]:
    named = spelled.subjects(spelled.estate(path))
    options = spelled.source_options if path.name == "main.tf" else spelled.options
    report = check((spelled.source(path),), POLICIES, EVERY, options(path.parent))
    return {
        (item.policy.id, named.get(item.address, item.address), _part(item.part), item.outcome)
        for item in report.findings
    }


def _part(part: Mapping[str, str] | None) -> str:
    """A part, its statement without the document that it is in: languages hold documents in other places."""
    said = dict(part or {})
    return json.dumps(said | {key: said[key].rpartition("/")[2] for key in said if key == "statement"})


def _disagreements(findings: dict[str, set[Said]], excused: Iterable[Difference]) -> dict[str, dict[str, list[Said]]]:
    """By policy, what the spellings say that may be compared, where they do not all say the same."""
    apart = {}
    for policy in sorted({said[0] for found in findings.values() for said in found}):
        compared = {
            name: sorted(said for said in found if said[0] == policy)
            for name, found in findings.items()
            if not any(excuse.excuses(policy, name) for excuse in excused)
        }
        if any(said != next(iter(compared.values())) for said in compared.values()):
            apart[policy] = compared
    return apart


def _apart(
    pinned: dict[str, Any], leaves: dict[str, Any], spelling: str, excused: Iterable[Difference]
) -> dict[str, tuple[Any, Any]]:
    """Where the facts are not those that are pinned: what was expected, and what was found."""
    pairs = {path: (pinned.get(path, MISSING), leaves.get(path, MISSING)) for path in sorted({*pinned, *leaves})}
    return {
        path: pair
        for path, pair in pairs.items()
        if pair[0] != pair[1] and not any(excuse.excuses(path, spelling) for excuse in excused)
    }


def _pinned(facts: dict[str, dict[str, Any]], excused: Iterable[Difference]) -> dict[str, Any]:
    """Each fact as the first spelling says it that can."""
    pinned: dict[str, Any] = {}
    for name, leaves in facts.items():
        for path, leaf in leaves.items():
            if not any(excuse.excuses(path, name) for excuse in excused):
                pinned.setdefault(path, leaf)
    return pinned


def _write(path: Path, facts: dict[str, Any]) -> None:
    path.write_text(json.dumps(dict(sorted(facts.items())), indent=1) + "\n")
