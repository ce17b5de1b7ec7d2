"""Several scenarios into one verdict: what fails in one of them fails, and says in which."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations

from tablegate.engine.ask import Answer
from tablegate.engine.subjects import Stand
from tablegate.model.record import record
from tablegate.model.value import Verdict

Scenario = Mapping[str, str]

_NAMED = 3  # scenarios that a message names before it only counts


@record(kw_only=False)
class Merged:
    """The verdict on a subject in all its scenarios, and in which of them it was given."""

    verdict: Verdict
    scenario: Scenario | None = None
    when: str | None = None


def merged(stand: Stand, ask: Callable[[object], Answer]) -> Merged | Answer:
    """The worst answer over the scenes of a stand, or what its doubt says: a crash, then a failure, then an unknown."""
    if stand.doubt:
        return Merged(Verdict(None, stand.doubt))
    if stand.variants is None:
        return _worst(stand, [ask(scene.subject) for scene in stand.scenes])
    stand.variants.reads.clear()
    return again(stand, ask, ask(stand.subject))


def again(stand: Stand, ask: Callable[[object], Answer], first: Answer) -> Merged | Answer:
    """The same, of a stand whose first answer needed what is not the same in all of its scenes."""
    return first if stand.variants is None else _worst(stand, stand.variants.answers(stand.scenes, ask, first))


def _worst(stand: Stand, answers: Sequence[Answer]) -> Merged | Answer:
    truths: list[bool | None] = []
    verdicts: list[Verdict] = []
    for answer in answers:
        if type(answer) is not Verdict:
            return answer
        truths.append(answer.truth)
        verdicts.append(answer)
    worst = False if False in truths else None if None in truths else True
    if worst is True:
        return next((verdict for verdict in verdicts if verdict.applies), verdicts[0])
    verdict = verdicts[truths.index(worst)]
    if truths.count(worst) == len(truths):
        return verdict
    return Merged(
        verdict, *_told(worst, tuple(truths), tuple([tuple(scene.scenario.items()) for scene in stand.scenes]))
    )


@lru_cache(maxsize=256)  # the tables of one template are in the same few scenarios
def _told(
    worst: bool | None, truths: tuple[bool | None, ...], settings: tuple[tuple[tuple[str, str], ...], ...]
) -> tuple[Scenario, str]:
    """The first scenario with the worst truth, told apart from the others, and in words in which it is given."""
    at = [(dict(each), truth) for each, truth in zip(settings, truths, strict=True)]
    told = told_apart([one for one, truth in at if truth is worst], [one for one, truth in at if truth is not worst])
    when = f"{'fails' if worst is False else 'is unknown'} when {_listed(told)}"
    holding = [one for one, truth in at if truth is True]
    if holding:
        when += f"; holds when {_listed(told_apart(holding, [one for one, _ in at if one not in holding]))}"
    return told[0], when


def told_apart(chosen: Sequence[Scenario], others: Sequence[Scenario]) -> list[dict[str, str]]:
    """The fewest settings that pick out the chosen scenarios and none of the others."""
    told: list[dict[str, str]] = []
    for scenario in chosen:
        if not any(atoms.items() <= scenario.items() for atoms in told):
            told.append(_smallest(scenario, others))
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
