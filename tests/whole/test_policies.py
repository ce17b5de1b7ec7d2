"""Every policy that ships fails, holds, doubts and steps aside where its cases say so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tablegate.policy import Policy
from tablegate.policy.declare import policies_in
from tablegate.syntax.yaml import as_json, parse_yaml
from tablegate.testing import Case, cases, gaps_of, prove

CASES = Path(__file__).parents[2] / "fixtures" / "cases"
POLICIES = policies_in("tablegate_baseline")


@pytest.mark.parametrize("case", cases(POLICIES, CASES), ids=str)
def test_case(case: Case) -> None:
    """The policy says of the case what the case's folder is called."""
    prove(case)


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.id)
def test_nothing_is_missing(policy: Policy) -> None:
    """Each language that has a remedy has a case that fails, and one that holds with the remedy in it."""
    assert gaps_of(policy, CASES) == ()


REMEDIES = {policy.id: policy.remedy.cloudformation for policy in POLICIES if policy.remedy.cloudformation}


@pytest.mark.parametrize("remedy", REMEDIES.values(), ids=REMEDIES)
def test_a_remedy_says_the_same_in_json(remedy: str) -> None:
    """Each of its fragments, inside of braces or brackets, is the JSON of what the YAML says."""
    expected = [parse_yaml(fragment).plain() for fragment in remedy.split("\n\n")]
    around = ["{%s}" if isinstance(fragment, dict) else "[%s]" for fragment in expected]
    fragments = zip(around, as_json(remedy).split("\n\n"), strict=True)
    assert expected == [json.loads(braces % fragment) for braces, fragment in fragments]


# What is written by AWS, or by SAM, is known to the letter.
KNOWN = {"TG517", "TG518"}


@pytest.mark.parametrize("language", ["template.yaml", "plan.json"])
def test_every_access_policy_is_shown_in_doubt(language: str) -> None:
    """A statement may stand in a document and its effect not: that is told as unknown, in each language."""
    doubted = {
        case.policy.id for case in cases(POLICIES, CASES) if case.outcome == "unknown" and case.input.name == language
    }
    assert {policy.id for policy in POLICIES if policy.family == "access"} - doubted == KNOWN


def test_every_folder_of_cases_belongs_to_a_policy() -> None:
    """A policy that is renamed takes its cases along."""
    assert {path.name for path in CASES.iterdir() if path.is_dir()} <= {policy.id for policy in POLICIES}
