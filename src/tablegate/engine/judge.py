"""Every policy on every subject: findings, and a ledger that says that none was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple, TypeAlias

from tablegate.engine.ask import Answer, Crash, OutOfTime, asker
from tablegate.engine.finding import finder
from tablegate.engine.scenarios import Merged, merged
from tablegate.engine.settings import Settings, UnknownMode
from tablegate.engine.sharing import shared
from tablegate.engine.subjects import Stand, Subjects
from tablegate.findings import Counts, Fault, FaultCode, Finding, Outcome
from tablegate.model.estate import Estate
from tablegate.model.value import Place, Verdict
from tablegate.policy.declare import Policy

Guard: TypeAlias = Callable[[], AbstractContextManager[object]]


class Judgement(NamedTuple):
    """What the policies say of the estates."""

    findings: tuple[Finding, ...]
    counts: Counts
    faults: tuple[Fault, ...]


def judge(
    estates: Iterable[Estate], policies: Sequence[Policy], settings: Settings, *, guard: Guard = nullcontext
) -> Judgement:
    """Judge estate by estate, so that each can go when it is done. The guard surrounds whatever a policy runs."""
    ledger = Ledger(policies, settings)
    for estate in estates:
        subjects = Subjects(estate)
        ledger.tables += len(subjects.tables)
        for policy, ask in ledger.askers:
            stands = subjects.of(policy.subject)
            ledger.due += len(stands)
            ledger.enter(policy, stands, _answers(stands, ask, guard))
    return ledger.closed()


def _answers(stands: Sequence[Stand], ask: Callable[[object], Answer], guard: Guard) -> list[Answer | Merged]:
    answers: list[Answer | Merged] = []
    try:
        with guard():
            for stand in stands:
                if stand.scenes or stand.doubt:
                    answers.append(Merged(Verdict(None, stand.doubt)) if stand.doubt else merged(stand, ask))
                elif stand.shared:
                    answers.append(shared(stand, ask))
                else:
                    answers.append(ask(stand.subject))
    except OutOfTime:
        answers.append(Crash("did not end in time"))
        answers += [Crash("was given up, because it did not end in time")] * (len(stands) - len(answers))
    return answers


class Ledger:
    """One entry for each policy and subject."""

    def __init__(self, policies: Sequence[Policy], settings: Settings) -> None:
        self.askers = [(policy, asker(policy, settings)) for policy in policies]
        self.tables = 0
        self.due = 0
        self._settings = settings
        self._finders = {policy.id: finder(policy, settings) for policy in policies}
        self._entered: Counter[str] = Counter()
        self._findings: list[Finding] = []
        self._faults: list[Fault] = []

    def enter(self, policy: Policy, stands: Sequence[Stand], answers: Sequence[Answer | Merged]) -> None:
        """Enter what one policy answered about the subjects of one estate."""
        entered = self._entered
        find = self._finders[policy.id]
        held = aside = 0
        for stand, answer in zip(stands, answers, strict=False):
            verdict, among = (answer.answer, answer) if isinstance(answer, Merged) else (answer, None)
            if isinstance(verdict, Crash):
                entered["crashed"] += 1
                self._faults.append(_fault(policy, stand, verdict))
            elif verdict.truth is not True:
                finding = find(stand.site, verdict, among)
                entered[finding.outcome] += 1
                self._findings.append(finding)
            elif verdict.applies:
                held += 1
            else:
                aside += 1
        entered["held"] += held
        entered["not_applicable"] += aside

    def closed(self) -> Judgement:
        """The judgement, with a fault if the entries are not as many as were due."""
        entered = self._entered
        given = entered.total()
        if given != self.due:
            message = f"{self.due} verdicts were due and {given} were given"
            self._faults.append(Fault(FaultCode.INTERNAL, message, Place("")))
        counts = Counts(
            tables=self.tables,
            policies=len(self.askers),
            verdicts=given - entered["crashed"],
            held=entered["held"],
            failed=entered[Outcome.FAILS],
            unknown=entered[Outcome.UNKNOWN],
            not_applicable=entered["not_applicable"],
            waived=entered[Outcome.WAIVED],
        )
        return Judgement(tuple(self._shown()), counts, tuple(self._faults))

    def _shown(self) -> Iterable[Finding]:
        """The findings in their order. Unknowns that are to be ignored are counted, and not shown."""
        silent = self._settings.unknown is UnknownMode.IGNORE
        shown = (item for item in self._findings if not (silent and item.outcome is Outcome.UNKNOWN))
        return sorted(shown, key=_order)


def _order(finding: Finding) -> tuple[object, ...]:
    line = finding.place.line if finding.place else None
    part = tuple(sorted(finding.part.items())) if finding.part else ()
    return (finding.file, line or 0, finding.address, part, finding.policy.id)


def _fault(policy: Policy, stand: Stand, crash: Crash) -> Fault:
    message = f"policy {policy.id} ({policy.name}) {crash.what} at {stand.site.address}"
    place = stand.site.place or Place(stand.site.file)
    return Fault(FaultCode.INTERNAL, message, place, hint="this is a mistake in the policy, not in the input")
