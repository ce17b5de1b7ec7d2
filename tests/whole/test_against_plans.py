"""What source tells without a plan is what the plan that Terraform made of it says, in facts and in findings."""

from __future__ import annotations

import json
import os
import tomllib
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
from tablegate.policy.declare import policies_in
from tablegate.run.gate import check
from tablegate.syntax.source import Source

FIXTURES = Path(__file__).parents[2] / "fixtures"
POLICIES = policies_in("tablegate_baseline")
EVERY = Settings(select=tuple(policy.id for policy in POLICIES))
OPEN = (spelled.UNKNOWN, spelled.DOUBTED)
MISSING = "(missing)"
HOME = "us-east-1"  # plans know the region of their provider
# What is not known hides whatever else there would be beside it.
HIDING = ("_doubt", ".owner")
# Where a plan does not say which key encrypts a table, it judges none.
KEYS_UNSEEN = {("plans/keys", "TG204")}
# Judged at the holder of a document, not at the document.
OF_HOLDERS = frozenset({"TG539"})

Said = tuple[str, str, str]  # the policy, what about, which part of it


def _is_fresh(folder: Path) -> bool:
    """Whether all of it was planned, on top of nothing: what exists already source does not tell."""
    deferred = b'"deferred_changes"' in (folder / "plan.json").read_bytes()
    return any(folder.glob("*.tf")) and not (folder / "apply").exists() and not deferred


# The code of the modules in ``modules/`` is not here, so their source says nothing of what they make.
FRESH = sorted(
    plan.parent
    for plan in FIXTURES.rglob("plan.json")
    if _is_fresh(plan.parent) and plan.parent.parent != FIXTURES / "modules"
)
by_folder = pytest.mark.parametrize("folder", FRESH, ids=lambda folder: folder.relative_to(FIXTURES).as_posix())


def _options(folder: Path, region: str | None = None) -> ReadOptions:
    path = folder / "options.toml"
    given = tomllib.loads(path.read_text()) if path.exists() else {}
    return ReadOptions(
        region=given.get("region", region),
        account=given.get("account"),
        allow_partial=True,
        assume_defaults=True,
        variables=spelled.variables(folder),
    )


@cache
def _source(folder: Path) -> Source:
    """The folder as a module, and not the plan that lies in it."""
    root = os.path.relpath(folder)
    sources = [one.twin or one for one in collect([str(folder)]).sources]
    (found,) = (one for one in sources if one.folder and one.folder.root == root)
    return found


def _plan(folder: Path) -> Source:
    return Source("plan.json", (folder / "plan.json").read_bytes())


def _facts(source: Source, options: ReadOptions) -> dict[str, Any]:
    estate = read(source, options).estate
    return {} if estate is None else spelled.by_address(estate)


@by_folder
def test_what_source_knows_the_plan_says_too(folder: Path) -> None:
    """Either may know more than the other, and neither anything else."""
    plan, source = _facts(_plan(folder), _options(folder)), _facts(_source(folder), _options(folder, HOME))
    pairs = {path: (plan.get(path, MISSING), source.get(path, MISSING)) for path in sorted({*plan, *source})}
    hidden = tuple(
        path.removesuffix(end) for end in HIDING for path in pairs if path.endswith(end) and _open(pairs[path])
    )
    apart = {path: pair for path, pair in pairs.items() if pair[0] != pair[1] and not _open(pair)}
    assert {path: pair for path, pair in apart.items() if not path.startswith(hidden)} == {}


def _open(pair: tuple[Any, Any]) -> bool:
    return bool({*map(str, pair)} & {*OPEN})


@by_folder
def test_what_source_finds_the_plan_does_not_deny(folder: Path) -> None:
    """A plan may hide a document that source shows, and source may not know what the plan does: neither is silent."""
    plan, source = (_findings(one, _options(folder, HOME)) for one in (_plan(folder), _source(folder)))
    hidden = {said[1] for said, outcome in plan.items() if said[0] == "TG541" and outcome is Outcome.UNKNOWN}
    room = folder.relative_to(FIXTURES).as_posix()
    apart = {
        said: (plan.get(said), source.get(said))
        for said in sorted({*plan, *source})
        if Outcome.UNKNOWN not in (plan.get(said), source.get(said)) and plan.get(said) != source.get(said)
    }
    hiding = OF_HOLDERS if hidden else frozenset()
    shown = {said for said in apart if said[1] in hidden or said[0] in hiding or (room, said[0]) in KEYS_UNSEEN}
    assert {said: pair for said, pair in apart.items() if said not in shown} == {}


def _findings(source: Source, options: ReadOptions) -> dict[Said, Outcome]:
    report = check((source,), POLICIES, EVERY, options)
    assert [fault.message for fault in report.faults if fault.code == "internal"] == []
    return {_said(item): item.outcome for item in report.findings}


def _said(item: Finding) -> Said:
    return item.policy.id, item.address, json.dumps(dict(item.part or {}))
