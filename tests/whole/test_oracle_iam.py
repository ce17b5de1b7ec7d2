"""The harness against an IAM simulator: what it needs no simulator for. `make oracle-iam` runs all of it."""

from __future__ import annotations

import pytest

from oracles.iam import worlds
from oracles.iam.__main__ import _answers, _compared, _questions, main


@pytest.mark.parametrize(
    ("truth", "requests", "how"),
    [
        ((False, False), [False, False], "no"),
        ((False, False), [False, True], "fail-open"),
        ((None, False), [True, True], "unknown"),
        ((True, False), [True, True], "yes"),
        ((True, False), [False, False], "false yes"),
        ((True, False), [False, True], "sometimes"),
        ((True, True), [False, True], "conditional"),
        ((True, True), [False, False], "conditional, never met"),
    ],
)
def test_how_answers_agree(truth: tuple[bool | None, bool], requests: list[bool], how: str) -> None:
    """A no must hold for every request, a certain yes for all of them."""
    assert _compared(truth, requests) == how


def test_both_dialects_say_the_same_of_a_world() -> None:
    """Every world is one template and one root module; each seed gives the same worlds."""
    made = list(worlds.worlds(10, "both"))
    assert made == list(worlds.worlds(10, "both"))
    questions = [question for number, world in enumerate(made) for question in _questions(number, world)]
    template, source = (list(_answers(made, questions, write)) for write in (worlds.as_template, worlds.as_source))
    assert template == source
    assert {truth for _, (truth, _) in template} >= {True, False}


def test_without_the_simulator_it_is_skipped(capsys: pytest.CaptureFixture[str], tmp_path: object) -> None:
    """And says so."""
    assert main(["1", "seed", "--modules", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("oracle-iam: skipped")
