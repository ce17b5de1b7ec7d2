"""Asks a predicate about one subject, and combines its results over scenarios and over holders.

A crash goes before a failure, a failure before an unknown, an unknown before the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import combinations
from types import CoroutineType
from typing import TypeAlias

from tablegate.engine.crash import Crash, crash_of, line_of_predicate
from tablegate.engine.settings import Settings
from tablegate.engine.subjects import SubjectEntry
from tablegate.iam.grants import Grant
from tablegate.interrupt import Interrupted
from tablegate.model.record import record, replace
from tablegate.model.table import Table
from tablegate.model.value import Value, Verdict, not_applicable
from tablegate.policy.declare import RELAXED_FAMILIES, Policy, Severity

_GIVE_A_VERDICT = "return a Verdict, such as table.ttl.enabled.is_true, holds() or fails('...')"
_LOCK_KEY = "LockID"
_SEVERITIES = frozenset({None, *Severity})


class OutOfTime(BaseException):
    """Raised by a timer inside a predicate that does not end."""


PredicateResult: TypeAlias = Verdict | Crash


def asker(policy: Policy, settings: Settings) -> Callable[[object], PredicateResult]:
    """A function that asks the policy about one subject, with the policy's options as they are set."""
    own = settings.policies.get(policy.id)
    check = partial(policy.check, **own.options) if own and own.options else policy.check
    relaxed = _relaxed_environments(policy, settings)
    severity = policy.severity_in(settings.profile)

    def ask(subject: object) -> PredicateResult:
        try:
            verdict = check(subject)
            if type(verdict) is Verdict and verdict.truth is True:  # nine of ten, and nothing of them is reported
                return verdict
            if not _is_well_formed(verdict):
                return Crash(_malformed(verdict), line_of_predicate(policy.check), _GIVE_A_VERDICT)
            if not policy.state_locks and isinstance(subject, Table) and _holds_state_locks(subject):
                return not_applicable("the table holds Terraform's state locks", subject.keys)
            return _relaxed(verdict, subject, severity) if relaxed and _environment(subject) in relaxed else verdict
        except (OutOfTime, Interrupted):
            raise
        except BaseException as error:  # noqa: BLE001  a pack may raise anything, SystemExit(0) too
            return crash_of(error)

    return ask


def _relaxed_environments(policy: Policy, settings: Settings) -> frozenset[str]:
    """The environments in which the policy's findings weigh less."""
    if policy.family not in RELAXED_FAMILIES:
        return frozenset()
    return frozenset(name.lower() for name in settings.relaxed_environments)


def _holds_state_locks(table: Table) -> bool:
    """Whether its purpose is lock, or no other purpose is known and its only key is ``LockID``, a String."""
    purpose = table.declared.purpose.content
    if purpose is not None:
        return purpose == "lock"
    attributes = [part.attribute for part in table.keys.content or ()]
    return attributes == [_LOCK_KEY] and (table.attributes.content or {}).get(_LOCK_KEY) in (None, "S")


def _environment(subject: object) -> str | None:
    """The environment of the subject's table, if it is known."""
    table = subject if isinstance(subject, Table) else getattr(subject, "table", None)
    return table.declared.environment.content if isinstance(table, Table) else None


def _relaxed(verdict: Verdict, subject: object, severity: Severity) -> Verdict:
    """The verdict, one step less severe."""
    reasons = (verdict.reason, f"its environment is {_environment(subject)}")
    lower = Severity(verdict.severity or severity).one_step_lower()
    return verdict.weighing(lower, " and ".join(filter(None, reasons)))


def _is_well_formed(verdict: object) -> bool:
    """Whether a pack without types keeps to the types: note, fix, evidence and severity get into the report."""
    if type(verdict) is not Verdict:
        return False
    truth: object = verdict.truth
    texts: tuple[object, ...] = (verdict.note, verdict.fix, verdict.reason)
    return (
        (truth is None or truth is False)
        and all(text is None or isinstance(text, str) for text in texts)
        and all(isinstance(value, Value) for value in verdict.evidence)
        and verdict.severity in _SEVERITIES
    )


def _malformed(verdict: object) -> str:
    if isinstance(verdict, CoroutineType):
        verdict.close()  # otherwise Python warns that it was never awaited
    if isinstance(verdict, Verdict):
        return "returned a Verdict that holds something of the wrong type"
    name = "None" if verdict is None else type(verdict).__name__
    return f"returned {name} where a Verdict is wanted"


Scenario = Mapping[str, str]

_NAMED = 3  # scenarios or holders that a message names before it counts the rest


@record(kw_only=False)
class CombinedVerdict:
    """The verdict on a subject in several scenarios or with several holders, and which of them it is for."""

    verdict: Verdict
    scenario: Scenario | None = None
    when: str | None = None


def worst_scenario(entry: SubjectEntry, ask: Callable[[object], PredicateResult]) -> CombinedVerdict | PredicateResult:
    """The worst result over the scenarios of an entry; an entry with a doubt is unknown."""
    if entry.doubt:
        return CombinedVerdict(Verdict(None, entry.doubt))
    if entry.table is None:
        return _worst(entry, [ask(each.subject) for each in entry.scenarios])
    first, reads = entry.table.ask(entry.scenarios[0], ask)
    if entry.equal_parts and not reads:
        return first
    return _worst(entry, entry.table.results(entry.scenarios, ask, first, reads))


def _worst(entry: SubjectEntry, results: Sequence[PredicateResult]) -> CombinedVerdict | PredicateResult:
    verdicts: list[Verdict] = []
    for result in results:
        if isinstance(result, Crash):
            return result
        verdicts.append(result)
    truths = [verdict.truth for verdict in verdicts]
    worst = False if False in truths else None if None in truths else True
    if worst is True:
        return next((verdict for verdict in verdicts if verdict.applies), verdicts[0])
    verdict = min((verdict for verdict in verdicts if verdict.truth is worst), key=_rank)
    if truths.count(worst) == len(truths):
        return verdict
    scenarios = tuple([tuple(each.scenario.items()) for each in entry.scenarios])
    return CombinedVerdict(verdict, *_in_words(worst, tuple(truths), scenarios))


@lru_cache(maxsize=256)  # the tables of one template are in the same few scenarios
def _in_words(
    worst: bool | None, truths: tuple[bool | None, ...], scenarios: tuple[tuple[tuple[str, str], ...], ...]
) -> tuple[Scenario, str]:
    """The settings that single out the first scenario with the worst truth, and a clause on all of them."""
    pairs = [(dict(each), truth) for each, truth in zip(scenarios, truths, strict=True)]
    chosen = distinguishing_settings(
        [one for one, truth in pairs if truth is worst], [one for one, truth in pairs if truth is not worst]
    )
    when = f"{'fails' if worst is False else 'is unknown'} when {_scenarios_in_words(chosen)}"
    holding = [one for one, truth in pairs if truth is True]
    if holding:
        others = [one for one, _ in pairs if one not in holding]
        when += f"; holds when {_scenarios_in_words(distinguishing_settings(holding, others))}"
    return chosen[0], when


def distinguishing_settings(chosen: Sequence[Scenario], others: Sequence[Scenario]) -> list[dict[str, str]]:
    """The fewest settings that pick out the chosen scenarios and none of the others."""
    picked: list[dict[str, str]] = []
    for scenario in chosen:
        if not any(settings.items() <= scenario.items() for settings in picked):
            picked.append(_smallest(scenario, others))
    return picked


def _smallest(scenario: Scenario, others: Sequence[Scenario]) -> dict[str, str]:
    """One or two settings if they are enough; otherwise all of them but those that can be left out."""
    settings = sorted(scenario.items())
    for few in (*combinations(settings, 1), *combinations(settings, 2)):
        if not _is_shared(few, others):
            return dict(few)
    needed = list(settings)
    for setting in settings:
        fewer = [each for each in needed if each != setting]
        if not _is_shared(fewer, others):
            needed = fewer
    return dict(needed)


def _is_shared(settings: Iterable[tuple[str, str]], others: Sequence[Scenario]) -> bool:
    return any(set(settings) <= other.items() for other in others)


def _scenarios_in_words(scenarios: Sequence[Scenario]) -> str:
    texts = [" and ".join(f"{key} = {each[key]}" for key in sorted(each)) for each in scenarios[:_NAMED]]
    more = len(scenarios) - len(texts)
    return ", or ".join(texts) + (f", or in {more} more scenarios" if more else "")


def worst_holder(entry: SubjectEntry, ask: Callable[[object], PredicateResult]) -> CombinedVerdict | PredicateResult:
    """The worst result over the holders of a statement."""
    results = [(grant, ask(grant)) for grant in entry.grants]
    crash = next((result for _, result in results if isinstance(result, Crash)), None)
    if crash:
        return crash
    verdicts = [(grant, result) for grant, result in results if isinstance(result, Verdict)]
    for truth in (False, None):
        worst = [(grant, verdict) for grant, verdict in verdicts if verdict.truth is truth]
        if worst:
            return _over_holders(sorted(worst, key=_by_severity))
    return next((verdict for _, verdict in verdicts if verdict.applies), verdicts[0][1])


def _over_holders(verdicts: Sequence[tuple[Grant, Verdict]]) -> CombinedVerdict:
    """The first verdict, with evidence of the others if it has the same name and another content."""
    (first, worst), *others = verdicts
    evidence = {(value.name, str(value.content)): value for value in worst.evidence}
    names = {value.name for value in worst.evidence}
    for value in (value for _, verdict in others for value in verdict.evidence if value.name in names):
        evidence.setdefault((value.name, str(value.content)), value)
    same = sorted({grant.holder.address for grant, _ in others} - {first.holder.address})
    when = f"the same goes for {_holders_in_words(same)}" if same else None
    return CombinedVerdict(replace(worst, evidence=tuple(evidence.values())), when=when)


def _by_severity(verdict_on: tuple[Grant, Verdict]) -> tuple[int, str]:
    """The worst first; a verdict without a severity of its own has its policy's, which is the highest it gives."""
    grant, verdict = verdict_on
    return _rank(verdict), grant.holder.address


def _rank(verdict: Verdict) -> int:
    return tuple(Severity).index(Severity(verdict.severity)) if verdict.severity else -1


def _holders_in_words(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
