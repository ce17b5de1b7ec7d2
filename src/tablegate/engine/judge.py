"""Every policy on every subject; ledger; canary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TypeAlias

from tablegate.engine.ask import Answer, Crash, Merged, OutOfTime, asker, merged, shared
from tablegate.engine.finding import finder
from tablegate.engine.settings import Settings, UnknownMode
from tablegate.engine.subjects import Stand, Subjects
from tablegate.findings import Counts, Fault, FaultCode, Finding, Outcome, by_place
from tablegate.model import facts
from tablegate.model.estate import DaxCluster, Estate
from tablegate.model.record import record
from tablegate.model.table import Dialect
from tablegate.model.value import Doubt, Place, Verdict
from tablegate.policy.declare import InBothLanguages, Policy, Severity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.engine.outlines import Alike, Outlined


class Running:
    """Each policy with what asks it, by its id what makes its findings, and what is known of outlines by now."""

    def __init__(self, policies: Sequence[Policy], settings: Settings) -> None:
        self.policies = policies
        self.settings = settings
        self.askers = [(policy, asker(policy, settings)) for policy in policies]
        self.finders = {policy.id: finder(policy, settings) for policy in policies}
        self._outlined: Outlined | None = None

    @property
    def outlined(self) -> Outlined:
        """What earlier estates told of grants that differ in names alone."""
        if self._outlined is None:
            # Imported here: most inputs hold no grants.
            from tablegate.engine.outlines import Outlined

            self._outlined = Outlined()
        return self._outlined


Guard: TypeAlias = Callable[[], AbstractContextManager[object]]


@record(kw_only=False)
class Judgement:
    """What the policies say of the estates."""

    findings: tuple[Finding, ...]
    counts: Counts
    faults: tuple[Fault, ...]


@record(kw_only=False)
class Answers:
    """What one policy said of one estate's subjects: how many it holds for, how many it is not for, and the rest."""

    held: int
    aside: int
    rest: Sequence[tuple[Stand, Answer | Merged]]


_NONE = Answers(0, 0, ())


def judge(estates: Iterable[Estate], running: Running, *, guard: Guard = nullcontext) -> Judgement:
    """Judge estate by estate, so that each can go when it is done. The guard surrounds whatever a policy runs."""
    ledger = Ledger(running)
    for estate in estates:
        subjects = Subjects(estate)
        ledger.tables += len(subjects.groups)
        for policy, ask in running.askers:
            stands = subjects.of(policy.subject)
            ledger.due += len(stands)
            ledger.enter(policy, _answers(stands, subjects.alike(policy.subject, running), ask, guard))
    return ledger.closed()


def _answers(stands: Sequence[Stand], alike: Alike | None, ask: Callable[[object], Answer], guard: Guard) -> Answers:
    left, known = stands, _NONE
    rest: list[tuple[Stand, Answer | Merged]] = []
    held = aside = 0
    answer: Answer | Merged
    try:
        with guard():
            if alike is not None:
                left, known = _outlined(stands, alike, ask)
            for stand in left:
                if stand.is_one:
                    answer = ask(stand.subject)
                else:
                    answer = shared(stand, ask) if stand.shared else merged(stand, ask)
                if type(answer) is not Verdict or answer.truth is not True:
                    rest.append((stand, answer))
                elif answer.applies:
                    held += 1
                else:
                    aside += 1
    except OutOfTime:
        crash = Crash("did not end in time")
        for stand in left[held + aside + len(rest) :]:
            rest.append((stand, crash))
            crash = Crash("was given up, because it did not end in time")
    return Answers(held + known.held, aside + known.aside, rest)


def _outlined(
    stands: Sequence[Stand], alike: Alike, ask: Callable[[object], Answer]
) -> tuple[Sequence[Stand], Answers]:
    """The stands that have to be asked themselves, and what the others' outlines were enough for."""
    left: list[int] = []
    held = aside = 0
    for outline, numbers in alike.outlined:
        verdict = alike.verdict(ask, outline)
        if verdict is None:
            left += numbers
        elif verdict.applies:
            held += len(numbers)
        else:
            aside += len(numbers)
    asked = sorted([*left, *alike.apart]) if left else alike.apart
    return [stands[number] for number in asked], Answers(held, aside, ())


class Ledger:
    """One entry for each policy and subject."""

    def __init__(self, running: Running) -> None:
        self.tables = 0
        self.due = 0
        self._running = running
        self._entered: Counter[str] = Counter()
        self._findings: list[Finding] = []
        self._faults: list[Fault] = []

    def enter(self, policy: Policy, answered: Answers) -> None:
        """Enter what one policy answered about the subjects of one estate."""
        find = self._running.finders[policy.id]
        found: list[Finding] = []
        for stand, answer in answered.rest:
            if isinstance(answer, Verdict):  # mostly, so it comes first
                found.append(find(stand.site, answer, None))
            elif isinstance(answer, Merged):
                found.append(find(stand.site, answer.verdict, answer))
            else:
                self._entered["crashed"] += 1
                self._faults.append(_fault(policy, stand, answer))
        if found:
            self._findings += found
            self._entered.update([finding.outcome for finding in found])
        self._entered["held"] += answered.held
        self._entered["not_applicable"] += answered.aside

    def closed(self) -> Judgement:
        """The judgement, with a fault if the entries are not as many as were due."""
        entered = self._entered
        given = entered.total()
        if given != self.due:
            message = f"{self.due} verdicts were due and {given} were given"
            self._faults.append(Fault(FaultCode.INTERNAL, message, Place("")))
        counts = Counts(
            tables=self.tables,
            policies=len(self._running.policies),
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
        silent = self._running.settings.unknown is UnknownMode.IGNORE
        shown = [item for item in self._findings if not (silent and item.outcome is Outcome.UNKNOWN)]
        return sorted(shown, key=by_place)


def _fault(policy: Policy, stand: Stand, crash: Crash) -> Fault:
    message = f"policy {policy.id} ({policy.name}) {crash.what} at {stand.site.address}"
    place = stand.site.place or Place(stand.site.file)
    return Fault(FaultCode.INTERNAL, message, place, hint="this is a mistake in the policy, not in the input")


def unsound(judge: Callable[[tuple[Estate, ...], Running], Judgement]) -> tuple[Fault, ...]:
    """A fault, unless a bad cluster fails, a good one holds, and one of which nothing is known is unknown."""
    encrypted = (facts.DAX_ENCRYPTED.of(False), facts.DAX_ENCRYPTED.of(True), facts.DAX_ENCRYPTED.doubted(_DOUBT))
    clusters = tuple(
        DaxCluster(address=str(number), place=None, encrypted=value, in_transit=facts.DAX_IN_TRANSIT.unset)
        for number, value in enumerate(encrypted)
    )
    estate = Estate(file="", dialect=Dialect.CLOUDFORMATION, dax_clusters=clusters)
    counts = judge((estate,), Running((_POLICY,), Settings())).counts
    if (counts.failed, counts.held, counts.unknown) == (1, 1, 1):
        return ()
    message = "the engine does not judge a known case as it must, so nothing it says can be trusted"
    return (Fault(FaultCode.INTERNAL, message, Place(""), hint="does a pack change tablegate itself?"),)


def _encrypted(cluster: DaxCluster) -> Verdict:
    return cluster.encrypted.is_true


_DOUBT = Doubt("nobody says")
_POLICY = Policy(
    id="TG000",
    name="canary",
    severity=Severity.HIGH,
    title="",
    rationale="",
    docs="",
    remedy=InBothLanguages(None, None),
    subject=DaxCluster,
    options=(),
    on=True,
    check=_encrypted,
)
