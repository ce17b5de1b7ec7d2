"""Asks a predicate; answers over scenarios and holders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import combinations
from types import CoroutineType
from typing import TypeAlias

from tablegate.engine.settings import Settings
from tablegate.engine.subjects import Stand
from tablegate.iam.grants import Grant
from tablegate.interrupt import Interrupted
from tablegate.model.record import record, replace
from tablegate.model.value import Value, Verdict
from tablegate.policy.declare import Policy, Severity

_SEVERITIES = frozenset({None, *Severity})


class OutOfTime(BaseException):
    """Raised from outside into a predicate that does not end."""


@record(kw_only=False)
class Crash:
    """What a predicate did instead of giving a verdict. Never the text of an exception: it may hold data."""

    what: str


Answer: TypeAlias = Verdict | Crash


def asker(policy: Policy, settings: Settings) -> Callable[[object], Answer]:
    """What asks the policy about one subject, with its options as they are set."""
    own = settings.policies.get(policy.id)
    check = partial(policy.check, **own.options) if own and own.options else policy.check

    def ask(subject: object) -> Answer:
        try:
            verdict = check(subject)
            # Nine of ten answers are this one.
            if type(verdict) is Verdict and verdict.truth is True:
                return verdict
            return verdict if _well_formed(verdict) else Crash(_instead(verdict))
        except (OutOfTime, Interrupted):
            raise
        except BaseException as error:  # noqa: BLE001  a pack may raise anything, SystemExit(0) too
            return Crash(f"raised {type(error).__name__}")

    return ask


def _well_formed(verdict: object) -> bool:
    """Whether this is what the types promise: a pack without types may break it."""
    if type(verdict) is not Verdict:
        return False
    note: object = verdict.note
    fix: object = verdict.fix
    if (note is not None and not isinstance(note, str)) or (fix is not None and not isinstance(fix, str)):
        return False
    for value in verdict.evidence:
        if not isinstance(value, Value):
            return False
    return (verdict.truth is None or verdict.truth is False) and verdict.severity in _SEVERITIES


def _instead(verdict: object) -> str:
    if isinstance(verdict, CoroutineType):
        verdict.close()  # so that nobody warns that it was never awaited
    if isinstance(verdict, Verdict):
        return "returned a Verdict that holds something of the wrong type"
    name = "None" if verdict is None else type(verdict).__name__
    return f"returned {name} where a Verdict is wanted"


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
    answers = stand.variants.answers(stand.scenes, ask, alike=stand.alike)
    return answers[0] if len(answers) == 1 else _worst(stand, answers)


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


_NAMED_sharing = 3  # holders that a message names before it only counts


def shared(stand: Stand, ask: Callable[[object], Answer]) -> Merged | Answer:
    """The worst answer over the holders of a statement: a crash, then a failure, then an unknown."""
    answers = [(grant, ask(grant)) for grant in stand.shared]
    crashed = next((answer for _, answer in answers if isinstance(answer, Crash)), None)
    if crashed:
        return crashed
    verdicts = [(grant, answer) for grant, answer in answers if isinstance(answer, Verdict)]
    for truth in (False, None):
        hit = [(grant, verdict) for grant, verdict in verdicts if verdict.truth is truth]
        if hit:
            return _told_sharing(sorted(hit, key=_weight))
    return next((verdict for _, verdict in verdicts if verdict.applies), verdicts[0][1])


def _told_sharing(hit: Sequence[tuple[Grant, Verdict]]) -> Merged:
    """The first of these answers, with the evidence of the others where it is of the same name and says more."""
    (first, worst), *others = hit
    evidence = {(value.name, str(value.content)): value for value in worst.evidence}
    names = {value.name for value in worst.evidence}
    for value in (value for _, verdict in others for value in verdict.evidence if value.name in names):
        evidence.setdefault((value.name, str(value.content)), value)
    same = sorted({grant.holder.address for grant, _ in others} - {first.holder.address})
    told = f"the same goes for {_listed_sharing(same)}" if same else None
    return Merged(replace(worst, evidence=tuple(evidence.values())), when=told)


def _weight(answer: tuple[Grant, Verdict]) -> tuple[int, str]:
    """The worst first; a verdict without a severity of its own has the policy's, which is the worst it gives."""
    grant, verdict = answer
    weight = tuple(Severity).index(Severity(verdict.severity)) if verdict.severity else -1
    return weight, grant.holder.address


def _listed_sharing(names: Sequence[str]) -> str:
    more = len(names) - _NAMED_sharing
    return ", ".join(names[:_NAMED_sharing]) + (f" and {more} more" if more > 0 else "")
