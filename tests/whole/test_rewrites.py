"""Inputs in other words: the same verdicts, named or found in a folder. `make fuzz` tries far more of them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fuzz.cases import Case, Outcome, cases, rewriting

REWRITES = 512
PARTS = 8
EVERY = list(cases())


@pytest.mark.parametrize("part", range(PARTS))
def test_other_words_for_the_same_input(part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Escapes, tags, flow style, line ends, comments, order: nothing that keeps the meaning moves a verdict."""
    monkeypatch.chdir(tmp_path)
    chance = random.Random(part)  # noqa: S311 - the same rewrites in every run
    moved = []
    for case in chance.sample(EVERY, k=REWRITES // PARTS):
        case.write()
        before, after = case.outcomes(), _rewritten(case, chance)
        if before != after:
            moved.append((case.id, before, after))
    assert [] == moved


def _rewritten(case: Case, chance: random.Random) -> tuple[Outcome, Outcome]:
    target = chance.choice(case.targets)
    data = None
    while data is None:
        data = rewriting(target, chance)
    case.write_one(target.name, data)
    return case.outcomes()


def test_every_language_is_rewritten() -> None:
    """No kind of input is left out of the test above."""
    names = {target.name for case in EVERY for target in case.targets}
    wanted = {"plan.json", "main.tf", "template.yaml", "sam.yaml", "template.json", "changeset.json", "manifest.json"}
    assert wanted <= names
    assert len(EVERY) > REWRITES
