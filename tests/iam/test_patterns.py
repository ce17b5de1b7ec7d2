"""Patterns: wildcards, symbols, and time."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablegate.iam import patterns
from tablegate.iam.arns import Symbols
from tablegate.iam.patterns import intersects, matches, subset

TEXTS = ["".join(letters) for length in range(8) for letters in itertools.product("ab", repeat=length)]
PATTERN = st.text("ab*?", max_size=5)
SHORT = st.text("ab*?", max_size=3)


@cache
def language(pattern: str) -> frozenset[str]:
    """Every short text that a pattern matches, by brute force."""
    expression = "".join({"*": "[ab]*", "?": "[ab]"}.get(letter, letter) for letter in pattern)
    return frozenset(text for text in TEXTS if re.fullmatch(expression, text))


@given(pattern=PATTERN, text=st.sampled_from(TEXTS))
def test_matches_agrees_with_brute_force(pattern: str, text: str) -> None:
    """A pattern matches exactly the texts of its language."""
    assert matches(pattern, text) is (text in language(pattern))


@given(left=SHORT, right=SHORT)
def test_intersects_agrees_with_brute_force(left: str, right: str) -> None:
    """Two patterns intersect when some text is in both languages; short patterns have short witnesses."""
    assert intersects(left, right) is bool(language(left) & language(right))


@given(inner=SHORT, outer=SHORT)
def test_subset_agrees_with_brute_force(inner: str, outer: str) -> None:
    """One pattern is within another when every text of its language is in the other's."""
    assert subset(inner, outer) is (language(inner) <= language(outer))


@given(pattern=PATTERN)
def test_everything_is_within_a_star(pattern: str) -> None:
    """A star covers every pattern, and every pattern covers itself."""
    assert subset(pattern, "*")
    assert subset(pattern, pattern)


def test_a_symbol_that_both_begin_with_has_one_value() -> None:
    """What a name turns out to be, the table is neither its stream nor one of its indexes."""
    symbols = Symbols()
    own = f"arn:aws:dynamodb:{symbols.of('region')}:1:table/{symbols.of('name')}"
    assert matches(own, f"{own}/index/a") is False
    assert matches(f"{own}/index/a", f"{own}/index/b") is False
    assert matches(f"{own}*", f"{own}/index/a") is True
    assert intersects(own, f"{own}/stream/*") is False
    assert intersects(f"{own}/*", f"{own}/stream/*") is True
    assert intersects(f"{own}/{symbols.of('part')}", f"{own}/stream/*") is None
    assert intersects(own + symbols.suffix("name"), f"{own}/stream/*") is None
    assert intersects(own + symbols.suffix("name"), own + symbols.suffix("name") + "/x") is None


def test_a_symbol_equals_itself_and_may_equal_anything() -> None:
    """An unknown part decides only against itself."""
    symbols = Symbols()
    orders, users = symbols.of("orders"), symbols.of("users")
    assert matches(f"table/{orders}", f"table/{orders}") is True
    assert matches(f"table/{orders}", f"table/{users}") is None
    assert matches(f"table/{orders}", "table/x") is None
    assert matches(f"index/{orders}", "table/x") is False
    assert intersects(f"table/{orders}*", f"table/{users}") is None


def test_what_is_not_known_of_an_arn_s_part_stays_in_it() -> None:
    """An account holds no colon: it does not make one table's index another table."""
    here = f"arn:aws:dynamodb:us-east-1:{Symbols().of('account')}:table"
    assert matches(f"{here}/Orders/index/*", f"{here}/Users") is False
    assert intersects(f"{here}/Orders/*", f"{here}/Users/*") is False
    assert matches("arn:aws:dynamodb:*:1:table/Users", f"{here}/Users") is None
    assert matches("arn:aws:*", f"{here}/Users") is True


def test_a_symbol_is_of_no_length() -> None:
    """A question mark takes in one character, and nobody knows how many a symbol has; a star takes in all of them."""
    name = Symbols().of("name")
    assert (matches("table/?", f"table/{name}"), matches("table/*", f"table/{name}")) == (None, True)
    assert (subset(f"table/{name}", "table/?"), subset(f"table/{name}", "table/*")) == (False, True)
    assert (intersects("table/?", f"table/{name}"), intersects("table/*", f"table/{name}")) == (None, True)
    assert (intersects(f"table/{name}", "table/?"), intersects(f"table/{name}", "table/*")) == (None, True)


def calls(work: Callable[[], object]) -> int:
    """How many functions of the module are entered while it works."""
    entered = 0

    def count(frame: object, event: str, _: object) -> None:
        nonlocal entered
        code = getattr(frame, "f_code", None)
        entered += event == "call" and code is not None and code.co_filename == patterns.__file__

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return entered


@pytest.mark.parametrize("ending", ["", "b"])
def test_forty_stars_take_a_step_or_two_a_character(ending: str) -> None:
    """The automaton takes one step a character, whether it ends in a match or not: forty stars cost what one does."""
    text = "a" * 4000
    assert matches("*a" * 40 + ending, text) is (ending == "")
    assert calls(lambda: matches("*a" * 40 + ending, text)) <= 2 * len(text) + 10


def test_forty_stars_against_forty_stars_take_a_step_or_two_a_character() -> None:
    """The same where both sides are patterns."""
    left, right = "*a" * 40, "a*" * 40
    assert intersects(left, right) is True
    assert calls(lambda: intersects(left, right)) <= 2 * len(left) + 10
    assert calls(lambda: subset(left, right)) <= 2 * len(left) + 10


@pytest.mark.parametrize(("marks", "sure"), [(3, True), (20, False)])
def test_what_takes_too_long_to_prove_is_not_sure(marks: int, sure: bool) -> None:
    """Behind some letter so many others, wherever the star stands: with many of them too much to go through."""
    inner, outer = "*a*" + "?" * marks, "*a" + "?" * marks + "*"
    assert subset(inner, outer) is sure
    assert calls(lambda: subset(inner + "b", outer)) <= 50_000


def test_brackets_are_plain_characters() -> None:
    """IAM has no character class."""
    assert matches("[ab]", "a") is False
    assert matches("[ab]", "[ab]") is True
