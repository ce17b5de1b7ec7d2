"""AllowedPattern: the whole text, Java's syntax as far as it is certain, and bounded."""

from __future__ import annotations

import re
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablegate.dialects.cloudformation.allowed_pattern import matches


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("[a-z]+", "abc", True),
        ("[a-z]+", "abc1", False),
        ("^[a-zA-Z][a-zA-Z0-9_.-]{2,254}$", "orders-1", True),
        ("^[a-zA-Z][a-zA-Z0-9_.-]{2,254}$", "or", False),
        (r"\d{12}", "123456789012", True),
        (r"\d{12}", "12345678901", False),
        (r"(dev|prod)(-\w+)?", "prod-eu", True),
        (r"(dev|prod)(-\w+)?", "stage", False),
        ("", "", True),
        ("", "a", False),
        ("a|", "", True),
        ("(?!aws).*", "aws-x", False),
        ("(?=.*[0-9])[a-z0-9]*", "abc1", True),
        (r"arn:aws[\w-]*:kms:[^:]*:\d+:key/.+", "arn:aws:kms:eu-west-1:1:key/x", True),
        (r"[\]a-]+", "a]-", True),
        (r"\S*", "a b", False),
        ("a{2}", "aaa", False),
        ("a{2,}?", "aaa", True),
        ("(a*)*b", "aaab", True),
        ("(?:ab){2}", "abab", True),
        ("a.c", "abc", True),
        ("a}]", "a}]", True),
    ],
)
def test_decided(pattern: str, text: str, found: bool) -> None:
    """Java and Python agree, and so does this."""
    assert (matches(pattern, text), bool(re.fullmatch(pattern, text))) == (found, found)


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a)\1", "(?i)a", "(?<=a)b", "(?<n>a)", "a++", "a*+", "[a-z&&[^b]]", "[a[b]]", "[]a]", "[^]a]", r"\p{Alpha}",
        r"\Qa.b\E", r"\bab", "a{", "*a", "(a", "a)", "[a", "[b-a]", "a{3,2}", "ü", "a" * 2000, "(" * 40 + ")" * 40,
        "\\", "(*a)", "[a&&b]", "a**", r"[\d-z]", "[a-[b]]",
    ],
)  # fmt: skip
def test_not_decided(pattern: str) -> None:
    """It means something else in Java, or nothing."""
    assert matches(pattern, "abab") is None


@pytest.mark.parametrize("text", ["ü", "a\n", "a\tb"])
def test_texts_that_are_not_decided(text: str) -> None:
    """Dots, ends and classes differ there."""
    assert matches(".*$", text) is None


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|a)*b", "(a*)*(a*)*(a*)*b", "((a{1,99}){1,99}){1,99}b", "(a{9999}){9999}"]
)
def test_bounded(pattern: str) -> None:
    """No pattern takes longer than a moment."""
    started = perf_counter()
    assert matches(pattern, "a" * 4000 + "c") in (False, None)
    assert perf_counter() - started < 1


_ATOMS = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", r"\w", r"\d", "^", "$", "-"])
_PATTERNS = st.recursive(
    _ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda both: f"(?:{both[0]}|{both[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{0,}", "*?"])).map(
            lambda both: f"(?:{both[0]}){both[1]}"
        ),
        inner.map(lambda it: f"(?={it})"),
        inner.map(lambda it: f"(?!{it})"),
    ),
    max_leaves=6,
)


@given(_PATTERNS, st.text("ab1-", max_size=5))
def test_agrees_with_python(pattern: str, text: str) -> None:
    """On what means the same in Java and Python, the reader of Python gives the same answer."""
    assert matches(pattern, text) is bool(re.fullmatch(pattern, text))
