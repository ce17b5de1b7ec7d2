"""Source is read as HashiCorp's parser and Terraform read it: a sample of what they answer to `make oracle-hcl`."""

from __future__ import annotations

from functools import cache

import pytest

from oracles.hcl import calls, modules, readings, sample

MOST_UNKNOWN = {"files": 0.0, "calls": 0.15, "modules": 0.1}  # share of cases, which are chosen to be odd
REFUSED = "refused"


@cache
def _cases(part: str) -> list[sample.Case]:
    return [case for case in sample.read() if case.part == part]


def _compared(case: sample.Case) -> str:
    if case.part == "files":
        name, data = case.question
        return readings.verdict(case.answer, readings.reading(name, data.encode("latin-1")))
    here = (calls if case.part == "calls" else modules).answered(case.question)
    if case.part == "modules" and case.answer == REFUSED:
        return "same"  # Terraform refuses the whole configuration, so nothing of it is applied
    return calls.compared(case.answer, here)


@pytest.mark.parametrize("part", ["files", "calls", "modules"])
def test_nothing_is_read_otherwise(part: str) -> None:
    """Neither as something else, nor refused where it is legal; what is left unknown is counted."""
    found = [(case.question, _compared(case)) for case in _cases(part)]
    assert [one for one in found if one[1] not in ("same", "limit", "unknown here")] == []
    unknown = sum(kind == "unknown here" for _, kind in found)
    assert unknown <= MOST_UNKNOWN[part] * len(found)


def test_the_sample_is_large_enough() -> None:
    """Three thousand cases of every part."""
    assert [2000, 850, 150] == [len(_cases(part)) for part in ("files", "calls", "modules")]


def test_a_difference_is_noticed() -> None:
    """In a value, an argument, a block, a label, a place, and a refusal."""
    text = 'a "b" {\n  c = 1 + 2\n  d {\n  }\n}\n'
    there = readings.reading("x.tf", text.encode())
    there["blocks"][0]["lines"] = {"c": [2, 2]}
    assert "same" == readings.verdict(there, readings.reading("x.tf", text.encode()))
    for old, new in (
        ("+", "-"),
        ("c =", "e ="),
        ("d {", "e {"),
        ('"b"', '"e"'),
        ("c = 1", "c = \n1"),
        ("{\n  }", "{\n}}"),
    ):
        assert "same" != readings.verdict(there, readings.reading("x.tf", text.replace(old, new).encode()))
    assert "same" != readings.verdict(there, readings.reading("x.tf", ("\n" + text).encode()))
