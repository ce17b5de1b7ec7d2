"""Several scenarios into one verdict: what fails in one of them fails, and says in which."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations

from tablegate.engine.ask import Answer, Crash
from tablegate.engine.subjects import Stand
from tablegate.model.record import record
from tablegate.model.value import Verdict

Scenario = Mapping[str, str]
_Settings = tuple[tuple[str, str], ...]

_NAMED = 3  # scenarios that a message names before it only counts


@record(kw_only=False)
class Merged:
    """The answer for a subject in all its scenarios, and in which of them it was given."""

    answer: Answer
    scenario: Scenario | None = None
    when: str | None = None


def merged(stand: Stand, ask: Callable[[object], Answer]) -> Merged | Answer:
    """The worst answer over the scenes of a stand, or what its doubt says: a crash, then a failure, then an unknown."""
    if stand.doubt:
        return Merged(Verdict(None, stand.doubt))
    if stand.variants:
        answers = stand.variants.answers(stand.scenes, ask, alike=stand.alike)
    else:
        answers = tuple(ask(scene.subject) for scene in stand.scenes)
    if len(answers) == 1:
        return answers[0]
    crashed = next((answer for answer in answers if isinstance(answer, Crash)), None)
    if crashed:
        return Merged(crashed)
    verdicts = [answer for answer in answers if isinstance(answer, Verdict)]
    worst = next((truth for truth in (False, None) if any(verdict.truth is truth for verdict in verdicts)), True)
    if worst is True:
        return Merged(next((verdict for verdict in verdicts if verdict.applies), verdicts[0]))
    hit = [verdict.truth is worst for verdict in verdicts]
    chosen = [scenario for scenario, is_hit in zip(stand.scenarios, hit, strict=True) if is_hit]
    verdict = verdicts[hit.index(True)]
    if all(hit):
        return Merged(verdict)
    others = [scenario for scenario, is_hit in zip(stand.scenarios, hit, strict=True) if not is_hit]
    holding = [at for at, verdict in zip(stand.scenarios, verdicts, strict=True) if verdict.truth is True]
    word = "fails" if worst is False else "is unknown"
    told = told_apart(chosen, others)
    when = f"{word} when {_listed(told)}"
    if holding:
        when += f"; holds when {_listed(told_apart(holding, [at for at in stand.scenarios if at not in holding]))}"
    return Merged(verdict, told[0], when)


def told_apart(chosen: Sequence[Scenario], others: Sequence[Scenario]) -> Sequence[Scenario]:
    """The fewest settings that pick out the chosen scenarios and none of the others."""
    return _told_apart(*(tuple(tuple(scenario.items()) for scenario in each) for each in (chosen, others)))


@lru_cache(maxsize=64)  # the tables of one template are in the same few scenarios
def _told_apart(chosen: Sequence[_Settings], others: Sequence[_Settings]) -> Sequence[Scenario]:
    told: list[Scenario] = []
    for scenario in map(dict, chosen):
        if not any(atoms.items() <= scenario.items() for atoms in told):
            told.append(_smallest(scenario, [dict(other) for other in others]))
    return told


def _smallest(scenario: Scenario, others: Sequence[Scenario]) -> dict[str, str]:
    """One or two settings if they do; else all of them, less each that is not needed."""
    items = sorted(scenario.items())
    for atoms in (*combinations(items, 1), *combinations(items, 2)):
        if not _shared(atoms, others):
            return dict(atoms)
    kept = list(items)
    for item in items:
        fewer = [atom for atom in kept if atom != item]
        if not _shared(fewer, others):
            kept = fewer
    return dict(kept)


def _shared(atoms: Iterable[tuple[str, str]], others: Sequence[Scenario]) -> bool:
    return any(set(atoms) <= other.items() for other in others)


def _listed(told: Sequence[Scenario]) -> str:
    texts = [" and ".join(f"{key} = {atoms[key]}" for key in sorted(atoms)) for atoms in told[:_NAMED]]
    more = len(told) - len(texts)
    return ", or ".join(texts) + (f", or in {more} more scenarios" if more else "")
