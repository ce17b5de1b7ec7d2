"""What is shown to people who write JSON, of what is kept in YAML."""

from __future__ import annotations

import pytest

from tablegate.syntax.yaml import as_json


@pytest.mark.parametrize(
    ("fragment", "expected"),
    [
        ("Enabled: true", '"Enabled": true'),
        ("Min: 5\nMax: 100", '"Min": 5,\n"Max": 100'),
        ("- Name: a\n- Name: b", '{"Name": "a"},\n{"Name": "b"}'),
        ("Key: !GetAtt OrdersKey.Arn", '"Key": {"Fn::GetAtt": ["OrdersKey", "Arn"]}'),
        ('Version: "2012-10-17"  # always', '"Version": "2012-10-17"'),
        ("Name: größe", '"Name": "größe"'),
        ("A: {}\n\nB: []", '"A": {}\n\n"B": []'),
        ("A:\n  B: 1\n\n  C: 2", '"A": {"B": 1, "C": 2}'),
    ],
)
def test_a_fragment_is_spelled_as_members_or_items(fragment: str, expected: str) -> None:
    """Nothing is around them, functions are in their long form, and what stands apart stays apart."""
    assert expected == as_json(fragment)


def test_what_is_too_long_for_a_line_has_several() -> None:
    """Each part on its own, two columns further in."""
    arn = "arn:aws:iam::111122223333:role/backup-of-orders"
    expected = f'"Selection": {{\n  "Roles": [\n    "{arn}",\n    "{arn}"\n  ],\n  "Name": "orders"\n}}'
    assert expected == as_json(f"Selection:\n  Roles: [{arn}, {arn}]\n  Name: orders")


@pytest.mark.parametrize("text", ["ask the team", "A: 1\n\nask the team", "A: [", "A: !Odd b", "# nothing", "A: .nan"])
def test_what_cannot_be_spelled_stays_as_it_is(text: str) -> None:
    """All of it: two languages in one remedy would be neither."""
    assert text == as_json(text)
