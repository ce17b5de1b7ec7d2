"""What tablegate sees in templates, against what they come to: a sample of `make oracle-cfn` with its answers."""

from __future__ import annotations

from collections import Counter

import pytest

from oracles.cloudformation import sam
from oracles.cloudformation.families import FAMILIES
from oracles.cloudformation.sample import OF_EACH_FAMILY, read_sample
from oracles.cloudformation.seen import differences, milder

CASES, PAIRS = read_sample()


@pytest.mark.parametrize("family", FAMILIES)
def test_templates_come_to_what_they_were_made_from(family: str) -> None:
    """Facts, findings and the matrix are those of the same template without a function."""
    cases = [(case, text) for case, text in CASES if case.family == family]
    assert len(cases) == OF_EACH_FAMILY
    found = Counter(one for case, text in cases for one in differences(case, text))
    assert found == Counter()


def test_what_is_open_is_no_milder() -> None:
    """What fails with the values of the parameters does not hold without them."""
    closed = [case for case, _ in CASES if case.can_be_opened]
    found = Counter(one for case in closed[::3] for one in milder(case))
    assert found == Counter()


def test_sam_templates_come_to_their_translation() -> None:
    """Findings and the matrix are those of what SAM's own translator makes."""
    assert len(PAIRS) > 80
    found = Counter(one for pair in PAIRS for one in sam.differences(pair))
    assert found == Counter()
