"""Definitions pass as the service takes them: 4,000, with the rules that each breaks, in each language that can."""

from __future__ import annotations

from collections import Counter

import pytest

from oracles.definitions import sample
from oracles.definitions.rules import broken

CASES = sample.read()
SAID = {  # of the sample: how many each language can say, and how many of these the service refuses
    "table": (4000, 2284),
    "global table": (1858, 1057),
    "simple table": (214, 35),
    "awscc": (1334, 749),
    "source": (2617, 1256),
    "plan": (2569, 1208),
}
SHARE = {"awscc": 3}  # one in so many: its tables are read as a template's are
BRING_OTHERS = {"no-AttributeDefinitions", "no-AttributeName", "no-KeySchema", "no-index-KeySchema"}


@pytest.mark.parametrize("language", sample.LANGUAGES)
def test_what_the_service_refuses_fails_and_nothing_else(language: str) -> None:
    """As TG601, TG105, TG604 above the quota, or as a fault."""
    cases = CASES[:: SHARE.get(language, 1)]
    assert sample.said_in(language, cases) == SAID[language]
    assert list(sample.differences(language, cases)) == []


def test_every_rule_is_broken_alone() -> None:
    """By a definition that breaks no other, so that no rule hides behind another one."""
    broken_alone = Counter(case.rules[0] for case in CASES if len(case.rules) == 1)
    every = {rule for case in CASES for rule in case.rules}
    assert every - broken_alone.keys() == BRING_OTHERS
    assert len(CASES) == 4000


def test_the_verdicts_are_those_of_the_rules() -> None:
    """Nobody wrote one by hand."""
    assert [case for case in CASES if list(broken(case.definition)) != case.rules] == []
