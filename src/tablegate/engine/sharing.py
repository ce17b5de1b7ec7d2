"""One statement in the hands of several holders: one subject, and one answer that names them all."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tablegate.access.grants import Grant
from tablegate.engine.ask import Answer, Crash
from tablegate.engine.scenarios import Merged
from tablegate.engine.subjects import Stand
from tablegate.model.record import replace
from tablegate.model.value import Verdict
from tablegate.policy.declare import Severity

_NAMED = 3  # holders that a message names before it only counts


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
            return _told(sorted(hit, key=_weight))
    return next((verdict for _, verdict in verdicts if verdict.applies), verdicts[0][1])


def _told(hit: Sequence[tuple[Grant, Verdict]]) -> Merged:
    """The first of these answers, with the evidence of the others where it is of the same name and says more."""
    (first, worst), *others = hit
    evidence = {(value.name, str(value.content)): value for value in worst.evidence}
    names = {value.name for value in worst.evidence}
    for value in (value for _, verdict in others for value in verdict.evidence if value.name in names):
        evidence.setdefault((value.name, str(value.content)), value)
    same = sorted({grant.holder.address for grant, _ in others} - {first.holder.address})
    told = f"the same goes for {_listed(same)}" if same else None
    return Merged(replace(worst, evidence=tuple(evidence.values())), when=told)


def _weight(answer: tuple[Grant, Verdict]) -> tuple[int, str]:
    """The worst first; a verdict without a severity of its own has the policy's, which is the worst it gives."""
    grant, verdict = answer
    weight = tuple(Severity).index(Severity(verdict.severity)) if verdict.severity else -1
    return weight, grant.holder.address


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
