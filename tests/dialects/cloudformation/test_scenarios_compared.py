"""Conditions that compare parameters with each other: scenarios never contradict themselves."""

from __future__ import annotations

from itertools import permutations

import pytest

from support.templates import with_properties


def truths(*names: str) -> str:
    """A table's name that tells which of these conditions hold, asked in this order."""
    return f"TableName: !Join ['', [{', '.join(f'!If [{name}, {name}., no.]' for name in names)}]]"


@pytest.mark.parametrize(
    "same",
    [
        "[!Ref A, !Ref B]",
        "[!Ref B, !Ref A]",
        '[!Sub "x-${A}-y", !Sub "x-${B}-y"]',
        '[!Join [/, [!Ref B, z]], !Sub "${A}/z"]',
    ],
)
@pytest.mark.parametrize("order", list(permutations(["same", "one", "other"])))
def test_parameters_that_are_compared_with_each_other(same: str, order: tuple[str, ...]) -> None:
    """Scenarios agree: two that are equal are not two words, and two that differ are not one."""
    found = with_properties(
        truths(*order),
        f"""
        Parameters: {{A: {{Type: String}}, B: {{Type: String}}}}
        Conditions:
          same: !Equals {same}
          one: !Equals [!Ref A, prod]
          other: !Equals [!Ref B, prod]
        """,
    )
    held = {frozenset(str(it.name.content).split(".")) - {"no", ""} for it in found}
    assert held == {frozenset({"same", "one", "other"}), *map(frozenset, ({"same"}, {"one"}, {"other"}, ()))}
    assert len(found) == 5


@pytest.mark.parametrize("order", list(permutations(["ab", "bc", "ac"])))
def test_parameters_that_are_equal_to_a_third_are_equal(order: tuple[str, ...]) -> None:
    """All three are the same, two of them are, or none."""
    found = with_properties(
        truths(*order, "prod"),
        """
        Parameters: {A: {Type: String}, B: {Type: String}, C: {Type: String}}
        Conditions:
          ab: !Equals [!Ref A, !Ref B]
          bc: !Equals [!Ref B, !Ref C]
          ac: !Equals [!Ref A, !Ref C]
          prod: !Equals [!Ref C, prod]
        """,
    )
    held = {frozenset(str(it.name.content).split(".")) - {"no", "", "prod"} for it in found}
    assert held == {frozenset({"ab", "bc", "ac"}), *map(frozenset, ({"ab"}, {"bc"}, {"ac"}, ()))}
    assert len(found) == 10


def test_a_comparison_of_parameters_is_told_as_it_is_written() -> None:
    """A scenario names both."""
    found = with_properties(
        "TableName: !If [other, a, b]",
        "Parameters: {A: {Type: String}, B: {Type: String}}\nConditions: {other: !Not [!Equals [!Ref B, !Ref A]]}",
    )
    assert [it.scenario for it in found] == [{"other": "false"}, {"other": "true"}]
    within = with_properties(
        "TableName: !If [both, a, b]",
        """
        Parameters: {A: {Type: String}, B: {Type: String}}
        Conditions: {both: !And [!Equals [!Ref B, !Ref A], !Equals [!Ref A, x]]}
        """,
    )
    assert [it.scenario for it in within] == [
        {"${A} = ${B}": "true", "A": "x"},
        {"${A} = ${B}": "true", "A": "not x"},
        {"${A} = ${B}": "false"},
    ]
