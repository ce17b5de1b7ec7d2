"""Unknowns: whatever of a document is not known, what it broke is not passed over."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.access import POLICIES, findings
from support.rewriting import template
from tablegate.dialects import cloudformation
from tablegate.dialects.reading import ReadOptions

CASES = Path(__file__).parents[3] / "fixtures" / "cases"
BROKEN = [
    path
    for policy in POLICIES
    if policy.family == "access"
    for path in sorted((CASES / policy.id).glob("fails*/template.yaml"))
    if not (path.parent / "options.toml").exists()
]
LATER = {"Ref": "Later"}
Steps = tuple[Any, ...]


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: f"{path.parts[-3]}-{path.parts[-2]}")
def test_an_unknown_never_makes_a_finding_fall_silent(path: Path) -> None:
    """Wherever a parameter without a value stands instead: something is still said of the document."""
    whole = template(path)
    whole.setdefault("Parameters", {})["Later"] = {"Type": "String"}
    assert [hole for hole in _holes(whole["Resources"]) if not _said(whole, hole, path.parts[-3])] == []


def _said(whole: dict[str, Any], hole: Steps, policy: str) -> bool:
    """Whether the family, or the policy by itself, says anything where there is a hole."""
    changed = copy.deepcopy(whole)
    node = changed["Resources"]
    for step in hole[:-1]:
        node = node[step]
    node[hole[-1]] = LATER
    estate = cloudformation.read(json.dumps(changed), "template.json", ReadOptions()).estate
    assert estate is not None
    return bool(findings(estate) or findings(estate, policy))


def _holes(tree: Any, path: Steps = (), *, inside: bool = False) -> Iterator[Steps]:
    """Every place of the policy documents below, but for names and versions. Functions are values themselves."""
    if inside and path[-1] not in ("Sid", "Version"):
        yield path
    if isinstance(tree, dict) and any(key == "Ref" or key.startswith("Fn::") for key in tree):
        return
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, below in items:
        if key != "AssumeRolePolicyDocument":
            yield from _holes(below, (*path, key), inside=inside or path[-1:] in (("PolicyDocument",), ("KeyPolicy",)))
