"""What can be asked of a value, and what it says of itself."""

from __future__ import annotations

from typing import Any

import pytest

from tablegate.model import facts
from tablegate.model.estate import Change, ChangeKind
from tablegate.model.value import Doubt, Origin, Place, Span, Value, Verdict

DOUBT = Doubt("nobody knows")
UNKNOWN: Value[Any] = Value("x", None, Origin.UNKNOWN, None, DOUBT)


@pytest.mark.parametrize(
    ("content", "question", "expected"),
    [
        (True, lambda value: value.is_true, True),
        (1, lambda value: value.is_true, False),
        (False, lambda value: value.is_false, True),
        (0, lambda value: value.is_false, False),
        (None, lambda value: value.is_set, False),
        ("", lambda value: value.is_set, True),
        ("a", lambda value: value.equals("a"), True),
        ("a", lambda value: value.one_of("b", "a"), True),
        ("a", lambda value: value.one_of(), False),
        (5, lambda value: value.at_least(5), True),
        (True, lambda value: value.at_least(0), False),
        (None, lambda value: value.at_least(0), False),
        (5, lambda value: value.at_most(4), False),
        ("5", lambda value: value.at_most(9), False),
        ("orders-prod", lambda value: value.matches("-prod$"), True),
        (5, lambda value: value.matches("5"), False),
    ],
)
def test_a_known_value_answers(content: Any, question: Any, expected: bool) -> None:
    """Of its content alone, and of the right type only. An unknown one does not answer."""
    value = Value("x", content)
    assert question(value) == Verdict(expected, (value,))
    assert question(UNKNOWN) == Verdict(None, (UNKNOWN,))


def test_candidates_answer_where_they_agree() -> None:
    """What an unknown value can be may be enough."""
    value = facts.BILLING_MODE.doubted(DOUBT, candidates=("A", "B"))
    assert value.one_of("A", "B").truth is True
    assert value.equals("C").truth is False
    assert value.equals("A").truth is None


def test_a_span_answers_where_it_lies_on_one_side() -> None:
    """Its bounds are in it; and it stays with a value that is placed."""
    value = facts.READ_CAPACITY.doubted(DOUBT, span=Span(low=1)).at(Place("a", 1))
    assert value.at_least(1).truth is True
    assert value.at_least(2).truth is None
    assert value.at_most(0).truth is False
    assert value.at_most(9).truth is None
    assert value.equals(0).truth is None


def test_a_value_shows_what_may_be_shown() -> None:
    """A secret does not leave by a message, nor by a traceback."""
    assert Value("x", 5).shown == "5"
    assert UNKNOWN.shown == "(unknown)"
    assert facts.BILLING_MODE.doubted(DOUBT, candidates=("A", "B")).shown == "A or B"
    assert facts.NAME.of("S3CRET", sensitive=True).shown == "(sensitive)"
    assert repr(facts.NAME.of("S3CRET", sensitive=True)) == "Value(table name: set)"
    assert repr(UNKNOWN) == "Value(x: unknown)"
    assert repr(Value("x", 5)) == "Value(x: set 5)"


def test_a_value_can_be_placed() -> None:
    """A place of its own stays."""
    place, other = Place("a", 1), Place("b", 2)
    assert Value("x", 5).at(place).place == place
    assert Value("x", 5, place=place).at(other).place == place
    assert Value("x", 5).at(None).place is None


def test_a_verdict_can_be_reworded_and_reweighed() -> None:
    """Its truth stays."""
    verdict = Verdict(False).because("so").weighing("low").fixed_by("this")
    assert (verdict.truth, verdict.note, verdict.severity, verdict.fix) == (False, "so", "low", "this")


def test_what_was_before_is_made_when_somebody_asks() -> None:
    """Most runs never do."""
    asked = []
    change = Change(address="a", place=None, kind=ChangeKind.UPDATE, make_before=lambda: asked.append(1))
    assert asked == []
    assert change.before is None
    assert asked == [1]
