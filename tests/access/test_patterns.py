"""Patterns: wildcards, symbols, and time."""

from __future__ import annotations

import itertools
import re

from hypothesis import given
from hypothesis import strategies as st

from tablegate.access.patterns import intersects, matches, subset
from tablegate.access.symbols import Symbols

TEXTS = ["".join(letters) for length in range(6) for letters in itertools.product("ab", repeat=length)]
PATTERN = st.text("ab*?", max_size=5)


def language(pattern: str) -> set[str]:
    """Every short text that a pattern matches, by brute force."""
    expression = "".join({"*": "[ab]*", "?": "[ab]"}.get(letter, letter) for letter in pattern)
    return {text for text in TEXTS if re.fullmatch(expression, text)}


@given(pattern=PATTERN, text=st.sampled_from(TEXTS))
def test_matches_agrees_with_brute_force(pattern: str, text: str) -> None:
    """A pattern matches exactly the texts of its language."""
    assert matches(pattern, text) is (text in language(pattern))


@given(left=st.text("ab*?", max_size=3), right=st.text("ab*?", max_size=2))
def test_intersects_agrees_with_brute_force(left: str, right: str) -> None:
    """Two patterns intersect when some text is in both languages; short patterns have short witnesses."""
    assert intersects(left, right) is bool(language(left) & language(right))


@given(inner=PATTERN, outer=PATTERN)
def test_subset_is_sound(inner: str, outer: str) -> None:
    """What is called a subset is one: nothing outside the outer language is let in."""
    if subset(inner, outer):
        assert language(inner) <= language(outer)


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


def test_many_stars_take_no_time_to_speak_of() -> None:
    """The automaton takes one step a character: forty stars end like one."""
    assert matches("*a" * 40, "a" * 4000) is True
    assert matches("*a" * 40 + "b", "a" * 4000) is False
    assert intersects("*a" * 40, "a*" * 40) is True


def test_brackets_are_plain_characters() -> None:
    """IAM has no character class."""
    assert matches("[ab]", "a") is False
    assert matches("[ab]", "[ab]") is True
