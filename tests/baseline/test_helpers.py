"""How verdicts on one value are worded."""

from __future__ import annotations

import pytest

from support.policies import outcome
from support.tables import DOUBT
from tablegate.model import facts
from tablegate.model.value import Place, Value
from tablegate_baseline.helpers import require

MAYBE = facts.DELETION_POLICY.doubted(DOUBT)


@pytest.mark.parametrize(
    ("value", "expected", "note"),
    [
        (facts.DELETION_POLICY.of("Retain"), "holds", None),
        (facts.DELETION_POLICY.of("Delete"), "fails", "it is wrong"),
        (MAYBE, "unknown", "cannot tell whether it is right"),
        (facts.DELETION_POLICY.doubted(DOUBT, None, ("Retain",)), "holds", None),
        (facts.DELETION_POLICY.doubted(DOUBT, None, ("Delete", "Snapshot")), "fails", "it is wrong"),
        (
            facts.DELETION_POLICY.doubted(DOUBT, None, ("Delete", "Retain")),
            "unknown",
            "cannot tell whether it is right",
        ),
    ],
)
def test_a_verdict_says_what_is_wrong_or_what_cannot_be_told(
    value: Value[str], expected: str, note: str | None
) -> None:
    """A value that is not known may still be settled by all that it can be."""
    verdict = require(value, "Retain", "it is wrong", "it is right")
    assert (expected, note) == (outcome(verdict), verdict.note)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (facts.RECOVERY_DAYS.of(7), "7"),
        (facts.NAME.of("orders", sensitive=True), "(sensitive)"),
        (MAYBE, "(unknown)"),
        (facts.DELETION_POLICY.doubted(DOUBT, None, ("Delete", "Snapshot")), "Delete or Snapshot"),
    ],
)
def test_a_message_shows_what_may_be_shown(value: Value[object], expected: str) -> None:
    """What is sensitive never stands in a message, and what is unknown only as all that it can be."""
    assert expected == value.shown


def test_a_fact_keeps_its_own_place() -> None:
    """Another place stands in only where there is none."""
    here, there = Place("template.yaml", 3), Place("template.yaml", 9)
    assert facts.ROTATION.unset.at(there).place == there
    assert facts.ROTATION.of(True, here).at(there).place == here
    assert facts.ROTATION.unset.at(None).place is None
