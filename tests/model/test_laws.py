"""The laws of verdicts, for all of them."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablegate.model.value import (
    Doubt,
    Origin,
    Span,
    Value,
    Verdict,
    all_of,
    any_of,
    fails,
    holds,
    not_applicable,
    unknown,
    when,
)

Contents = list[int | None]
Expression = Callable[[list[Value[int]]], Verdict]

VALUES = 4
DOUBT = Doubt("nobody knows")

verdicts = st.sampled_from((True, False, None)).map(Verdict)
silent = st.sampled_from((not_applicable("not here"), not_applicable("nor there")))
several = st.lists(st.one_of(verdicts, silent), max_size=5)
contents = st.lists(st.one_of(st.none(), st.integers(0, 3)), min_size=VALUES, max_size=VALUES)


edges = st.sampled_from((0, 1, 2, inf))


def spanning(low: float, high: float) -> Value[int]:
    return Value("x", None, Origin.UNKNOWN, None, DOUBT, span=Span(low, high))


def agreed(truths: set[bool | None]) -> bool | None:
    return truths.pop() if len(truths) == 1 else None


def known(item: int | None) -> Value[int]:
    return Value("x", item)


def asks(position: int, bound: int, question: str) -> Expression:
    """A claim about one of the values."""

    def claim(values: list[Value[int]]) -> Verdict:
        value = values[position]
        if question == "set":
            return value.is_set
        if question == "equals":
            return value.equals(bound)
        if question == "one of":
            return value.one_of(bound, bound + 1)
        return value.at_least(bound) if question == "at least" else value.at_most(bound)

    return claim


claims = st.builds(
    asks,
    st.integers(0, VALUES - 1),
    st.integers(0, 3),
    st.sampled_from(("set", "equals", "one of", "at least", "at most")),
)


def logical(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    """Larger claims made of smaller ones by logic."""
    two = st.tuples(inner, inner)
    return st.one_of(
        inner.map(lambda one: lambda values: ~one(values)),
        two.map(lambda both: lambda values: both[0](values) & both[1](values)),
        two.map(lambda both: lambda values: both[0](values) | both[1](values)),
        two.map(lambda both: lambda values: both[0](values).implies(both[1](values))),
        st.lists(inner, max_size=3).map(lambda parts: lambda values: all_of(part(values) for part in parts)),
        st.lists(inner, max_size=3).map(lambda parts: lambda values: any_of(part(values) for part in parts)),
    )


def limited(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    """Claims that apply under a condition only. They are joined by "and": there is nothing to choose or to deny."""
    two = st.tuples(inner, inner)
    return st.one_of(
        st.tuples(plain, inner).map(lambda both: lambda values: when(both[0](values), lambda: both[1](values), "no")),
        two.map(lambda both: lambda values: both[0](values) & both[1](values)),
        st.lists(inner, max_size=3).map(lambda parts: lambda values: all_of(part(values) for part in parts)),
    )


plain = st.recursive(claims, logical, max_leaves=6)
expressions = st.recursive(plain, limited, max_leaves=4)


@given(verdicts, verdicts)
def test_and_and_or_commute(a: Verdict, b: Verdict) -> None:
    """The order of what a policy asks decides nothing."""
    assert (a & b).truth == (b & a).truth
    assert (a | b).truth == (b | a).truth


@given(verdicts, verdicts, verdicts)
def test_and_and_or_associate_and_distribute(a: Verdict, b: Verdict, c: Verdict) -> None:
    """Nor do its brackets."""
    assert ((a & b) & c).truth == (a & (b & c)).truth
    assert ((a | b) | c).truth == (a | (b | c)).truth
    assert (a & (b | c)).truth == ((a & b) | (a & c)).truth


@given(verdicts, verdicts)
def test_de_morgan_and_double_negation(a: Verdict, b: Verdict) -> None:
    """Not is what it is in logic."""
    assert (~(a & b)).truth == (~a | ~b).truth
    assert (~(a | b)).truth == (~a & ~b).truth
    assert (~~a).truth == a.truth


@given(verdicts, silent)
def test_what_does_not_apply_is_left_out(a: Verdict, silent: Verdict) -> None:
    """It neither helps nor harms."""
    assert a & silent == silent & a == a
    assert a | silent == silent | a == a
    assert ~silent == silent


@given(several)
def test_folds_are_repeated_joins(parts: list[Verdict]) -> None:
    """``all_of`` and ``any_of`` give what ``&`` and ``|`` give."""
    every, some = Verdict(True), Verdict(False)
    for part in parts:
        every, some = every & part, some | part
    assert all_of(parts).truth == every.truth
    assert any_of(parts).truth == some.truth


@settings(max_examples=1000)
@given(expressions, contents, st.integers(0, VALUES - 1))
def test_a_value_replaced_by_an_unknown_decides_nothing_new(
    expression: Expression, items: Contents, position: int
) -> None:
    """The verdict stays or becomes unknown. A failure never turns into a pass, nor a pass into a failure."""
    values = [known(item) for item in items]
    before = expression(values).truth
    values[position] = Value("x", None, Origin.UNKNOWN, None, DOUBT)
    assert expression(values).truth in (before, None)


@settings(max_examples=1000)
@given(expressions, contents, st.integers(0, VALUES - 1), st.lists(st.integers(0, 3), max_size=3))
def test_a_value_replaced_by_its_candidates_decides_nothing_new(
    expression: Expression, items: Contents, position: int, others: list[int]
) -> None:
    """This also holds if an unknown value has candidates, among them the real one."""
    values = [known(item) for item in items]
    before = expression(values).truth
    candidates: tuple[int | None, ...] = (items[position], *others)
    values[position] = Value("x", None, Origin.UNKNOWN, None, DOUBT, candidates=candidates)  # type: ignore[arg-type]
    assert expression(values).truth in (before, None)


@settings(max_examples=1000)
@given(expressions, contents, st.integers(0, VALUES - 1), st.integers(0, 3), st.tuples(edges, edges))
def test_a_value_replaced_by_its_span_decides_nothing_new(
    expression: Expression, items: Contents, position: int, number: int, beyond: tuple[float, float]
) -> None:
    """Nor where an unknown number lies between two others, or on one side of one."""
    values = [known(item) for item in items]
    values[position] = known(number)
    before = expression(values).truth
    values[position] = spanning(number - beyond[0], number + beyond[1])
    assert expression(values).truth in (before, None)


@given(st.integers(0, 5), st.integers(0, 5), st.integers(-1, 11))
def test_a_span_answers_what_all_in_it_answer(low: int, length: int, bound: int) -> None:
    """And it is unknown only where they disagree."""
    inside = [known(number) for number in range(low, low + length + 1)]
    span = spanning(low, low + length)
    assert agreed({one.at_least(bound).truth for one in inside}) == span.at_least(bound).truth
    assert agreed({one.at_most(bound).truth for one in inside}) == span.at_most(bound).truth


@given(expressions, contents)
def test_known_values_give_known_verdicts(expression: Expression, items: Contents) -> None:
    """Unknown comes from the unknown only."""
    assert expression([known(item) for item in items]).truth is not None


@given(verdicts)
def test_a_verdict_has_no_truth_of_its_own(verdict: Verdict) -> None:
    """``if``, ``and``, ``or`` and ``not`` would take an unknown for one thing or the other."""
    with pytest.raises(TypeError, match="a verdict may be unknown and has no truth of its own; combine"):
        bool(verdict)


def test_a_value_has_no_truth_of_its_own() -> None:
    """Nor has what it is about."""
    with pytest.raises(TypeError, match=r"the value 'x' may be unknown and has no truth of its own; ask \.is_true"):
        bool(known(1))


def test_the_side_that_decides_keeps_its_evidence() -> None:
    """A finding shows what broke the policy, and nothing else."""
    one, other = Value("one", 1), Value("other", 2)
    doubtful = Value("doubtful", None, Origin.UNKNOWN, None, DOUBT)
    assert (fails("broken", one) & holds(other)).evidence == (one,)
    assert (holds(other) | fails("broken", one)).evidence == (other,)
    assert (unknown("unsure", doubtful) & holds(other)).evidence == (doubtful,)
    assert all_of((fails("a", one), holds(other), fails("b", other))) == Verdict(False, (one, other), "a; b")
    assert when(unknown("unsure", doubtful), lambda: fails("broken", one), "not here").evidence == (doubtful, one)
