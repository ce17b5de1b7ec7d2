"""TOML that its parser cannot take is refused with a reason."""

from __future__ import annotations

import pytest

from tablegate.syntax.node import ParseError
from tablegate.syntax.toml import parse_toml


def test_tables_are_read() -> None:
    """As the parser of Python reads them."""
    assert parse_toml("a = 1\n[b]\nc = [true]") == {"a": 1, "b": {"c": [True]}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = ", "not valid TOML: Invalid value"),
        ("a = " + "[" * 5_000 + "]" * 5_000, "not readable: its brackets are nested too deeply"),
        ("a = " + "{b = " * 5_000 + "1" + "}" * 5_000, "not readable: its brackets are nested too deeply"),
        ("a = " + "1" * 5_000, "not readable: a number or a date in it is beyond all limits"),
        ("a = 2026-99-01", "not "),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, message: str) -> None:
    """However the parser fails."""
    with pytest.raises(ParseError) as refused:
        parse_toml(text)
    assert refused.value.message.startswith(message)
