"""Unknowns of a plan: whatever of a composed document is known only after the apply is not passed over."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.access import POLICIES, findings
from support.rewriting import plan_of
from tablegate.dialects.reading import ReadOptions
from tablegate.dialects.terraform import plan as terraform_plan
from tablegate.syntax.json.lazy import Document

CASES = Path(__file__).parents[3] / "fixtures" / "cases"
BROKEN = [
    path
    for policy in POLICIES
    if policy.family == "access"
    for path in sorted((CASES / policy.id).glob("fails*/plan.json"))
    if not (path.parent / "options.toml").exists()
]
# Where a list is not known, what it refers to stands for it: a star beside the reference is not in a plan.
REFERRED = {("TG502", "fails-beside-a-table")}
_LISTS = ("actions", "not_actions", "resources", "not_resources")
_BLOCKS = ("principals", "condition")
_NAMED = {"type", "test", "variable"}

Steps = tuple[Any, ...]


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: f"{path.parts[-3]}-{path.parts[-2]}")
def test_an_unknown_never_makes_a_finding_fall_silent(path: Path) -> None:
    """An effect, a list, or a value of a condition: something is still said of the document."""
    plan, policy = plan_of(path), path.parts[-3]
    holes = [
        (number, hole)
        for number, change in enumerate(plan["resource_changes"])
        if change["mode"] == "data" and change["type"] == "aws_iam_policy_document"
        for hole in _holes(change["change"]["after"]["statement"])
        if (policy, path.parts[-2]) not in REFERRED or hole[1] != "resources"
    ]
    assert [hole for number, hole in holes if not _said(plan, number, hole, policy)] == []


def _said(plan: dict[str, Any], number: int, hole: Steps, policy: str) -> bool:
    """Whether the family, or the policy by itself, says anything where there is a hole."""
    changed = copy.deepcopy(plan)
    change = changed["resource_changes"][number]["change"]
    known = change["after"]["statement"]
    unknown = change["after_unknown"]["statement"] = _as_long(change["after_unknown"].get("statement"), known)
    for step in hole[:-1]:
        known = known[step]
        unknown[step] = unknown = _as_long(unknown[step], known) if isinstance(known, list) else dict(unknown[step])
    known.pop(hole[-1], None)
    unknown[hole[-1]] = True
    estate = terraform_plan.read(Document(json.dumps(changed)), "plan.json", ReadOptions()).estate
    assert estate is not None
    return bool(findings(estate) or findings(estate, policy))


def _as_long(marks: Any, known: list[Any]) -> list[Any]:
    """Marks for each block of a list."""
    listed = list(marks) if isinstance(marks, list) else []
    return [*listed, *({} for _ in known[len(listed) :])]


def _holes(statements: list[dict[str, Any]]) -> Iterator[Steps]:
    """What of each statement can be known later."""
    for number, statement in enumerate(statements):
        yield number, "effect"
        yield from ((number, key) for key in _LISTS if statement.get(key))
        for key in _BLOCKS:
            for place, block in enumerate(statement.get(key) or ()):
                yield from ((number, key, place, inner) for inner in sorted(block.keys() - _NAMED))
