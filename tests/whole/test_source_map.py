"""A plan with the source that it was made of says where each finding stands, and what only source tells."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from support import spellings as spelled
from tablegate.dialects import read
from tablegate.dialects.reading import ReadOptions
from tablegate.engine.settings import Settings
from tablegate.findings import Finding, Outcome
from tablegate.inputs.collect import collect
from tablegate.inputs.terraform import FolderTree
from tablegate.model.value import Place
from tablegate.policy.declare import policies_in
from tablegate.run.gate import check
from tablegate.syntax.source import Source

FIXTURES = Path(__file__).parents[2] / "fixtures"
POLICIES = policies_in("tablegate_baseline")
EVERY = Settings(select=tuple(policy.id for policy in POLICIES))
OPTIONS = ReadOptions(region="us-east-1", allow_partial=True, assume_defaults=True)
FOLDERS = sorted(
    plan.parent
    for room in ("tables", "cases", "plans", "access", "examples", "projects", "secrets")
    for plan in (FIXTURES / room).rglob("plan.json")
    if any(plan.parent.glob("*.tf"))
)
# An argument with its expression, the header of a block, or a member of what is spelled out.
ARGUMENT = re.compile(r'\s*("?[\w.-]+"?\s*[=:]\s*|.*[=\[{(,]\s*)')
HEADER = re.compile(r'[\w-]+(\s+("[^"]*"|[\w-]+))*\s*\{')

# Those that say of one table what others say too are asked less.
MANIFOLD = [folder for folder in FOLDERS if "cases" not in folder.parts]


def _label(folder: Path) -> str:
    return folder.relative_to(FIXTURES).as_posix()


by_folder = pytest.mark.parametrize("folder", FOLDERS, ids=_label)
by_room = pytest.mark.parametrize("folder", MANIFOLD, ids=_label)


def plan(folder: Path, *, mapped: bool) -> Source:
    """The plan of a folder, with the source that lies beside it, or alone."""
    source = Source("plan.json", (folder / "plan.json").read_bytes())
    tree = FolderTree(os.path.relpath(folder), trust_modules=False)
    return replace(source, tree=tree) if mapped else source


@cache
def findings(folder: Path, *, mapped: bool) -> tuple[Finding, ...]:
    """What every policy finds in the plan of a folder."""
    return check((plan(folder, mapped=mapped),), POLICIES, EVERY, OPTIONS).findings


def outcomes(folder: Path, *, mapped: bool) -> dict[tuple[str, str, str], Finding]:
    """The same by policy, address and part."""
    return {_said(item): item for item in findings(folder, mapped=mapped)}


def _said(item: Finding) -> tuple[str, str, str]:
    return item.policy.id, item.address, json.dumps(dict(item.part or {}))


@by_folder
def test_every_finding_points_at_its_line(folder: Path) -> None:
    """An argument, a block, or the resource around them: each place is where its line says so."""
    places = [value.place or item.place for item in findings(folder, mapped=True) for value in item.evidence]
    places += [item.place for item in findings(folder, mapped=True)]
    assert [place for place in places if place is None or not _stands(place)] == []


def _stands(place: Place) -> bool:
    if place.line is None or place.column is None:
        return False
    line = Path(place.file).read_text().splitlines()[place.line - 1]
    before, after = line[: place.column - 1], line[place.column - 1 :]
    return bool(
        ARGUMENT.fullmatch(before) if before.strip() else HEADER.match(after) or after.startswith(("{", "[", '"'))
    )


@by_room
def test_the_plan_wins(folder: Path) -> None:
    """What a plan knows, its source does not change: only what the plan leaves open is settled."""
    alone, mapped = (_facts(plan(folder, mapped=one)) for one in (False, True))
    known = {path: fact for path, fact in alone.items() if str(fact) not in (spelled.UNKNOWN, spelled.DOUBTED)}
    settled = {path.rpartition(".")[0] for path in alone.keys() - known.keys()}
    apart = {path: (fact, mapped.get(path)) for path, fact in known.items() if mapped.get(path) != fact}
    # Where the doubt of a whole thing goes, its parts are known as well.
    assert {path: pair for path, pair in apart.items() if path.rpartition(".")[0] not in settled} == {}


def _facts(source: Source) -> dict[str, Any]:
    estate = read(source, OPTIONS).estate
    return {} if estate is None else spelled.by_address(estate)


@by_folder
def test_what_fails_still_fails(folder: Path) -> None:
    """Source takes doubts away, and never a failure."""
    alone, mapped = (outcomes(folder, mapped=one) for one in (False, True))
    failed = {said for said, item in alone.items() if item.outcome is Outcome.FAILS}
    assert {said for said in failed if said not in mapped or mapped[said].outcome is not Outcome.FAILS} == set()


@by_folder
def test_fingerprints_stay(folder: Path) -> None:
    """They hold neither lines nor values: a finding that rests on the same facts is the same one."""
    alone, mapped = (outcomes(folder, mapped=one) for one in (False, True))
    both = [(item, mapped[said]) for said, item in alone.items() if said in mapped]
    same = [pair for pair in both if {_facts_of(pair[0])} == {_facts_of(pair[1])}]
    assert [one.fingerprint for one, _ in same] == [other.fingerprint for _, other in same]
    assert len(same) >= len([pair for pair in both if pair[0].outcome is pair[1].outcome]) - 1


def _facts_of(item: Finding) -> frozenset[str]:
    return frozenset(value.name for value in item.evidence)


@pytest.mark.parametrize("folder", [folder for folder in MANIFOLD if not (folder / "apply").exists()], ids=_label)
def test_source_without_a_plan_points_at_the_same_lines(folder: Path) -> None:
    """Two readers of one module agree where things stand, but for documents: one of them points into these."""
    mapped, alone = outcomes(folder, mapped=True), _source_findings(folder)
    both = [(item, alone[said]) for said, item in mapped.items() if said in alone and not said[0].startswith("TG5")]
    pairs = [(one, two) for one, two in both if len(one.evidence) == len(two.evidence)]  # source may know a tag more
    assert [(_places(one), one.policy.id) for one, _ in pairs] == [(_places(two), two.policy.id) for _, two in pairs]


def _source_findings(folder: Path) -> dict[tuple[str, str, str], Finding]:
    root = os.path.relpath(folder)
    both = [one for source in collect([str(folder)]).sources for one in (source, source.twin) if one is not None]
    (source,) = (one for one in both if one.folder and one.folder.root == root)
    options = replace(OPTIONS, variables=spelled.variables(folder))
    found = check((source,), POLICIES, EVERY, options).findings
    return {_said(item): item for item in found}


def _places(item: Finding) -> list[tuple[str, Place | None]]:
    """The places of a finding's values, whatever order a language gives them in."""
    found = ((value.name, value.place and _comparable(value.place)) for value in item.evidence)
    return sorted(found, key=str)


def _comparable(place: Place) -> Place:
    """The place; of the argument of a call, the line: a plan points at the name, source at the value."""
    bare = replace(place, path=None, because=None, inside=None)
    return bare if place.inside is None else replace(bare, column=None, end_column=None)
