"""What raw text may say: a word that is hidden, and one that cannot be there."""

from __future__ import annotations

import pytest

from tablegate.syntax.raw_text import may_hide, may_say, opens, revealed

WORDS = frozenset({"Resources", "Transform"})


@pytest.mark.parametrize(
    "text",
    [
        "DynamoDB",
        r'"\u0044ynamoDB"',
        r'"Dynamo\x44B"',
        r'"\U00000044ynamoDB"',
        '"Dynamo\\\n   DB"',
        '"Dynamo\\\r\n\tDB"',
        '"Dynamo\\\rDB"',
        '"Dynamo\\\x85 DB"',
        '"Dynamo\\\u2028DB"',
        '"Dynamo\\\u2029DB"',
        '"Dynamo\\\n  \\\n  DB"',
        "!D%79namoDB x",
        "!<!Dynamo%44B> x",
        "%TAG !d! !Dynamo\n---\n!d!DB x\n",
    ],
)
def test_a_word_that_may_be_there(text: str) -> None:
    """As it is, or behind an escape, a broken line or a tag: in a text and in its bytes."""
    assert may_say(text, "nothing", "DynamoDB")
    assert may_say(text.encode(), "nothing", "DynamoDB")
    assert ("DynamoDB" not in text) is may_hide(text) is may_hide(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Dynamo DB",
        r"C:\dir\user\x",
        "docker run \\\n  --rm \\\n  image\n",
        '"\\n \\" \\\\ \\t"',
        "100 %",
        "a!b 5% of %d",
        "\\u12 \\U0000 \\xg1",
    ],
)
def test_a_word_that_cannot_be_there(text: str) -> None:
    """What only looks like an escape, and what stands between words, hides nothing."""
    assert not may_say(text, "DynamoDB")
    assert not may_say(text.encode(), "DynamoDB")


@pytest.mark.parametrize("data", ["DynamoDB".encode("utf-16"), "Dynamo".encode("utf-16-be"), b"PK\x03\x04", b"D\0y\0"])
def test_bytes_of_another_encoding_hide_everything(data: bytes) -> None:
    """Words are searched as UTF-8."""
    assert may_say(data, "DynamoDB")


def test_half_of_a_surrogate_pair() -> None:
    """It cannot be encoded, and hides nothing itself."""
    assert not may_say("\ud800 % \\", "x")
    assert may_say("\ud800\\u0041", "x")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\u0052e\x73ource\U00000073", "Resources"),
        ("Re\\\r\n  sources", "Resources"),
        ("a\r\nb\rc\x85d\u2028e\u2029f", "a\nb\nc\nd\ne\nf"),
        (r"\U00110000 \Uffffffff \n", r"\U00110000 \Uffffffff \n"),
    ],
)
def test_what_escapes_stand_for(text: str, expected: str) -> None:
    """A character beyond Unicode stays as it is."""
    assert expected == revealed(text)


@pytest.mark.parametrize(
    "text",
    [
        "Resources:\n  [",
        "# c\n%YAML 1.1\n---\nA: 1\nResources : [",
        "  A: 1\n  'Transform': [",
        '"Re\\x73ources": [',
        "? Resources\n: [",
        "? Resources : [",
        "!!str Resources: [",
        "&a Resources: [",
        "--- &a\nResources: [",
        "--- {Resources: [",
        "---\n{A: 1, Resources: [",
        '{\n"A": 1,\n"Resources": [',
        "A: 1\x85Resources: [",
        "# c\u2028Resources: [",
        "A: 1\rResources: [",
    ],
)
def test_what_looks_like_a_key_at_the_top(text: str) -> None:
    """In any spelling, though the text is broken."""
    assert opens(text, WORDS)


@pytest.mark.parametrize(
    "text", ["", "A:\n  Resources: [", "Resources of ours: [", "See Resources: [", "- Resources: [", "Resource: ["]
)
def test_what_is_no_key_at_the_top(text: str) -> None:
    """A key below another one, and a word of a sentence."""
    assert not opens(text, WORDS)
