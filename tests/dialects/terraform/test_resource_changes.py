"""A resource as the plan has it: what is unknown and what is sensitive stand apart."""

from __future__ import annotations

import pytest

from tablegate.dialects.terraform.block import LATER
from tablegate.dialects.terraform.resources import overlaid
from tablegate.model.value import Value


@pytest.mark.parametrize(
    ("content", "unknown", "marks", "expected"),
    [
        ({"a": 1}, None, None, {"a": 1}),
        ({"a": 1}, {"b": True}, None, {"a": 1, "b": LATER}),
        ({"a": None}, {"a": True}, None, {"a": LATER}),
        ({"a": [{"b": 1}, {}]}, {"a": [{}, {"c": True}]}, None, {"a": [{"b": 1}, {"c": LATER}]}),
        ({"a": [1]}, {"a": []}, {"a": False}, {"a": [1]}),
        ({"a": {"b": "x"}}, None, {"a": True}, {"a": {"b": Value("a.b", "x", sensitive=True)}}),
        ({"a": ["x", None]}, None, {"a": [True, True]}, {"a": [Value("a[0]", "x", sensitive=True), None]}),
        ({"a": "x"}, None, True, {"a": Value("a", "x", sensitive=True)}),
    ],
)
def test_doubts_and_secrets_stand_in_their_places(
    content: object, unknown: object, marks: object, expected: object
) -> None:
    """What is marked above is marked below."""
    assert overlaid(content, unknown, marks) == expected
