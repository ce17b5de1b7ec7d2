"""What makes text harmless."""

from __future__ import annotations

import base64
import json
import re
import unicodedata
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablegate.reporters.safe import Sanitizer, Scrubber, is_harmless, json_text, safe_text, scrub, yaml_text

SECRET = 'hunter2-"p\\ä?/ss'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("orders", "orders"),
        ("größe 注文", "größe 注文"),
        ("a\nb\r\tc", r"a\x0ab\x0d\x09c"),
        ("\x1b[31mred\x7f\x9b", r"\x1b[31mred\x7f\x9b"),
        ("\x85\u2028\u2029", r"\x85\u2028\u2029"),
        ("\u061c\u200e\u202e\u2066", r"\u061c\u200e\u202e\u2066"),
        ("\xad\u200b\u2060\ufeff", r"\xad\u200b\u2060\ufeff"),
        ("\ud800\ufffe\U000e0001", r"\ud800\ufffe\U000e0001"),
        ("\u0378", r"\u0378"),
        ("a\\nb", r"a\\nb"),
    ],
)
def test_what_cannot_be_seen_is_spelled_out(text: str, expected: str) -> None:
    """Controls, line ends, bidirectional marks, invisible and unassigned characters never pass as they are."""
    assert expected == safe_text(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("##[error]x", r"#\x23[error]x"),
        ("a ##vso[task.complete]", r"a #\x23vso[task.complete]"),
        ("##teamcity[x]", r"#\x23teamcity[x]"),
        ("ends in ##", r"ends in #\x23"),
        ("## a heading", "## a heading"),
    ],
)
def test_commands_of_build_servers_are_broken(text: str, expected: str) -> None:
    """A log reader that acts on a mark anywhere in a line finds none, also where two texts meet."""
    assert expected == safe_text(text)


def test_long_text_is_clipped_and_says_so() -> None:
    """The reader learns how much is missing, and the clip cannot cut an escape in two."""
    assert "\\x00" * 200 + "…(+50)" == safe_text("\0" * 250)


@given(st.text())
def test_nothing_shown_steers_a_terminal(text: str) -> None:
    """For every text: one line, and no character that is a control, a format, a surrogate or unassigned."""
    shown = safe_text(text)
    assert not {unicodedata.category(character) for character in shown} & {"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"}
    assert re.search(r"##\w*\[", shown) is None


@pytest.mark.parametrize(
    "spelled",
    [
        SECRET,
        json.dumps(SECRET),
        json.dumps(SECRET, ensure_ascii=False),
        repr(SECRET),
        quote(SECRET),
        quote(SECRET, safe=""),
        quote_plus(SECRET),
        base64.b64encode(SECRET.encode()).decode(),
        base64.b64encode(b"user:" + SECRET.encode() + b"!").decode(),
        base64.b64encode(b"u:" + SECRET.encode() + b"!").decode(),
        base64.urlsafe_b64encode(b"u" + SECRET.encode()).decode(),
    ],
)
def test_a_secret_is_found_however_it_is_spelled(spelled: str) -> None:
    """JSON, Python, URLs and base64 spell the same secret: none of them gets out."""
    scrubbed = scrub(f"the value is {spelled} there", [SECRET])
    assert "(sensitive)" in scrubbed
    assert spelled not in scrubbed
    assert "hunter2" not in scrubbed


def test_the_longest_secret_goes_first() -> None:
    """A secret that holds another leaves no rest of itself."""
    assert "(sensitive) (sensitive)" == scrub("swordfish-extended swordfish", ["swordfish", "swordfish-extended"])


def test_a_short_secret_goes_as_it_is() -> None:
    """Of two or three characters, base64 leaves too little to be told from anything else."""
    assert scrub("ab, YWI=, b", ["ab"]) == "(sensitive), YWI=, b"


def test_without_secrets_nothing_changes() -> None:
    """No secret, or an empty one, takes nothing away."""
    assert "a text" == scrub("a text", [""])
    assert "short" == scrub("short", ["much longer than that"])


@given(st.lists(st.text(min_size=6), min_size=1), st.text(), st.text(), st.data())
def test_no_secret_survives(secrets: list[str], before: str, after: str, data: st.DataObject) -> None:
    """Whatever stands around it, a secret's text is gone."""
    secret = data.draw(st.sampled_from(secrets))
    scrubbed = Scrubber(secrets)(before + secret + after)
    assert secret not in scrubbed or secret in "(sensitive)" * 3


@pytest.mark.parametrize(
    ("text", "secrets", "expected"),
    [
        ("aws_dynamodb_table.orders fails", ["orders"], "aws_dynamodb_table.orders fails"),
        ("data.awscc_x.orders.y", ["orders"], "data.awscc_x.orders.y"),
        ('module.a["k"].aws_iam_role.orders', ["aws_iam"], 'module.a["k"].aws_iam_role.orders'),
        ("module.orders, var.orders, local.orders", ["orders"], "module.orders, var.orders, local.orders"),
        ('resource "aws_dynamodb_table" "orders" {', ["orders"], 'resource "aws_dynamodb_table" "orders" {'),
        ('data "aws_x" "orders" { x = "orders" }', ["orders"], 'data "aws_x" "orders" { x = "(sensitive)" }'),
        ("Orders: Ord", ["Ord"], "Orders: (sensitive)"),
        ("Orders is Orders", ["Orders"], "(sensitive) is (sensitive)"),
        ("MyOrders", ["Orders"], "My(sensitive)"),
        ("aws_iam_role.x-y is", ["role.x-y is"], "aws_iam_(sensitive)"),
        ("aws_iam_role.orders", ["aws_iam_role.orders"], "(sensitive)"),
        ("see aws_iam_role.orders", ["see aws", "orders"], "(sensitive)_iam_role.(sensitive)"),
        ("x aws_iam_role.xx", ["x"], "(sensitive) aws_iam_role.xx"),
    ],
)
def test_names_in_a_text_stay(text: str, secrets: list[str], expected: str) -> None:
    """A secret that is a part of an address is there by chance; one that is more than that is none."""
    assert expected == Scrubber(secrets, ["Orders", ""])(text)


@pytest.mark.parametrize(
    ("text", "harmless"),
    [
        ("orders", True),
        ("größe\u3000注文", True),
        ("\u202ex", False),
        ("\u200b", False),
        ("##[error]", False),
        ("#", True),
    ],
)
def test_what_steers_is_known(text: str, harmless: bool) -> None:
    """A command of a log and whatever cannot be seen is not harmless."""
    assert harmless is is_harmless(text)


def test_documents_are_escaped_as_their_languages_do() -> None:
    """A reader of JSON or YAML gets what was written, and a log sees nothing that it acts on."""
    assert r'"#\u0023vso[x]"' == json_text('"##vso[x]"')
    assert 'a: "\\u202e#\\x23vso[x]"\n' == yaml_text('a: "\u202e##vso[x]"\n')
    assert "a: größe\n" == yaml_text("a: größe\n")


def test_a_name_is_made_safe_and_keeps_what_is_in_it() -> None:
    """A secret is not looked for in an address."""
    safe = Sanitizer(["swordfish"])
    assert [r"swordfish\x1b"] * 2 == [safe.name("swordfish\x1b") for _ in range(2)]


def test_the_sanitizer_does_both_at_once() -> None:
    """A text is scrubbed before it is clipped, so that no half of a secret is left."""
    assert "x" * 195 + "(sens…(+6)" == Sanitizer(["swordfish"])("x" * 195 + "swordfish")


def test_lines_stay_lines() -> None:
    """A remedy of several lines keeps them, each made harmless."""
    assert ("a {", r"  b\x1b", "}") == Sanitizer().lines("a {\n  b\x1b\n}")
