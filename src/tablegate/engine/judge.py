"""Every policy on every subject of an estate, the ledger of their verdicts, and the engine's check of itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TypeAlias

from tablegate.engine.ask import CombinedVerdict, OutOfTime, PredicateResult, asker, worst_holder, worst_scenario
from tablegate.engine.causes import gathered
from tablegate.engine.crash import Crash, line_of_pack
from tablegate.engine.finding import as_called, finding_maker
from tablegate.engine.settings import Settings, UnknownMode
from tablegate.engine.subjects import FindingSite, SubjectEntry, Subjects
from tablegate.findings import Counts, Fault, FaultCode, Finding, Outcome, by_place
from tablegate.iam.grants import Grant
from tablegate.model import facts
from tablegate.model.estate import Callers, DaxCluster, Estate
from tablegate.model.record import record
from tablegate.model.table import Dialect
from tablegate.model.value import Doubt, Place, Verdict
from tablegate.policy.declare import InBothLanguages, Policy, Severity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.engine.outlines import GrantShapes, ShapeVerdicts

Guard: TypeAlias = Callable[[], AbstractContextManager[object]]  # surrounds a policy while it runs


class PreparedPolicies:
    """Policies ready to run under some settings. They do not change, and threads may share them."""

    def __init__(self, policies: Sequence[Policy], settings: Settings, strict_adds: int = 0) -> None:
        self.policies = tuple(policies)
        self.settings = settings
        self.strict_adds = strict_adds  # policies that profile strict would run beside these
        self.askers = [(policy, asker(policy, settings)) for policy in policies]
        self.finding_makers = {policy.id: finding_maker(policy, settings) for policy in policies}


@record(kw_only=False)
class Judgement:
    """The verdicts on all estates of a run."""

    findings: tuple[Finding, ...]
    counts: Counts
    faults: tuple[Fault, ...]


@record(kw_only=False)
class Results:
    """What one policy returned for the subjects of one estate: how often it holds, is not applicable, and the rest."""

    held: int
    not_applicable: int
    rest: Sequence[tuple[SubjectEntry, PredicateResult | CombinedVerdict]]


_NO_RESULTS = Results(0, 0, ())


class Ledger:
    """One entry for each policy and subject of a run."""

    def __init__(self, prepared: PreparedPolicies) -> None:
        self.prepared = prepared
        self.tables = 0
        self.due = 0
        self._entered: Counter[str] = Counter()
        self._findings: list[Finding] = []
        self._faults: list[Fault] = []
        self._crashes: dict[tuple[str, Crash], tuple[Policy, list[FindingSite]]] = {}
        self._shape_verdicts: ShapeVerdicts | None = None

    @property
    def shape_verdicts(self) -> ShapeVerdicts:
        """The verdicts on grants that differ in names only, from all estates of the run."""
        if self._shape_verdicts is None:
            # Imported here: most inputs hold no grants.
            from tablegate.engine.outlines import ShapeVerdicts

            self._shape_verdicts = ShapeVerdicts()
        return self._shape_verdicts

    def enter(self, policy: Policy, results: Results, callers: Callers | None = None) -> None:
        """Enter the results of one policy for one estate. Findings inside a called module are its caller's."""
        make_finding = self.prepared.finding_makers[policy.id]
        findings: list[Finding] = []
        for entry, result in results.rest:
            if isinstance(result, Verdict):
                findings.append(make_finding(entry.site, result, None))
            elif isinstance(result, CombinedVerdict):
                findings.append(make_finding(entry.site, result.verdict, result))
            else:
                self._entered["crashed"] += 1
                self._crashes.setdefault((policy.id, result), (policy, []))[1].append(entry.site)
        if callers is not None:
            findings = [as_called(finding, callers) for finding in findings]
        self._findings += findings
        self._entered.update([finding.outcome for finding in findings])
        self._entered["held"] += results.held
        self._entered["not_applicable"] += results.not_applicable

    def close(self) -> Judgement:
        """The judgement, with a fault if the number of entries is not the number due."""
        entered = self._entered
        total = entered.total()
        if total != self.due:
            message = f"{self.due} verdicts were due and {total} were given"
            self._faults.append(Fault(FaultCode.INTERNAL, message, Place("")))
        counts = Counts(
            tables=self.tables,
            policies=len(self.prepared.policies),
            verdicts=total - entered["crashed"],
            held=entered["held"],
            failed=entered[Outcome.FAILS],
            unknown=entered[Outcome.UNKNOWN],
            not_applicable=entered["not_applicable"],
            waived=entered[Outcome.WAIVED],
        )
        return Judgement(
            tuple(sorted(gathered(self._reported()), key=by_place)), counts, (*self._faults, *self._of_crashes())
        )

    def _of_crashes(self) -> Iterator[Fault]:
        """One fault for all subjects of a policy at which the same happens."""
        for (_, crash), (policy, sites) in self._crashes.items():
            message = f"policy {policy.id} ({policy.name}) {crash.what}"
            hint = ": ".join(filter(None, ("this is a mistake in the policy, not in the input", crash.remedy)))
            subjects = tuple(f"{site.address} in {site.file}" for site in sites)
            yield Fault(FaultCode.INTERNAL, message, crash.line or Place(""), hint=hint, subjects=subjects)

    def _reported(self) -> list[Finding]:
        """The findings without unknowns that the settings ignore: these are counted only."""
        if self.prepared.settings.unknown is not UnknownMode.IGNORE:
            return self._findings
        return [finding for finding in self._findings if finding.outcome is not Outcome.UNKNOWN]


def judge(estate: Estate, ledger: Ledger, *, guard: Guard = nullcontext) -> None:
    """Enter into the ledger what every policy returns for every subject of the estate."""
    subjects = Subjects(estate)
    ledger.tables += len(subjects.tables)
    grant_shapes: GrantShapes | None = None
    for policy, ask in ledger.prepared.askers:
        entries = subjects.of(policy.subject)
        if policy.subject is Grant and entries and grant_shapes is None:
            grant_shapes = ledger.shape_verdicts.shapes(estate.holders, entries)
        shapes = grant_shapes if policy.subject is Grant else None
        ledger.due += len(entries)
        ledger.enter(policy, _results(entries, shapes, ask, guard), estate.callers)


def _results(
    entries: Sequence[SubjectEntry], shapes: GrantShapes | None, ask: Callable[[object], PredicateResult], guard: Guard
) -> Results:
    to_ask, known = entries, _NO_RESULTS
    rest: list[tuple[SubjectEntry, PredicateResult | CombinedVerdict]] = []
    held = not_applicable = 0
    result: PredicateResult | CombinedVerdict
    try:
        with guard():
            if shapes is not None:
                to_ask, known = _known_by_shape(entries, shapes, ask)
            for entry in to_ask:
                if entry.is_one:
                    result = ask(entry.subject)
                else:
                    result = worst_holder(entry, ask) if entry.grants else worst_scenario(entry, ask)
                if type(result) is not Verdict or result.truth is not True:
                    rest.append((entry, result))
                elif result.applies:
                    held += 1
                else:
                    not_applicable += 1
    except OutOfTime as error:
        crash = Crash("did not end in time, and was given up", line_of_pack(error))
        rest += [(entry, crash) for entry in to_ask[held + not_applicable + len(rest) :]]
    return Results(held + known.held, not_applicable + known.not_applicable, rest)


def _known_by_shape(
    entries: Sequence[SubjectEntry], shapes: GrantShapes, ask: Callable[[object], PredicateResult]
) -> tuple[Sequence[SubjectEntry], Results]:
    """The entries that have to be asked one by one, and the results for those whose outline is enough."""
    to_ask = list(shapes.others)
    held = not_applicable = 0
    for outline, numbers in shapes.by_outline:
        verdict = shapes.verdict(ask, outline)
        if verdict is None:
            to_ask += numbers
        elif verdict.applies:
            held += len(numbers)
        else:
            not_applicable += len(numbers)
    return [entries[number] for number in sorted(to_ask)], Results(held, not_applicable, ())


def self_check(judge: Callable[[Estate, Ledger], None]) -> tuple[Fault, ...]:
    """A fault, unless one bad cluster fails, one good cluster holds and one unknown cluster is unknown."""
    encrypted = (facts.DAX_ENCRYPTED.of(False), facts.DAX_ENCRYPTED.of(True), facts.DAX_ENCRYPTED.doubted(_DOUBT))
    clusters = tuple(
        DaxCluster(address=str(number), place=None, encrypted=value, in_transit=facts.DAX_IN_TRANSIT.unset)
        for number, value in enumerate(encrypted)
    )
    ledger = Ledger(PreparedPolicies((_CANARY,), Settings()))
    judge(Estate(file="", dialect=Dialect.CLOUDFORMATION, dax_clusters=clusters), ledger)
    counts = ledger.close().counts
    if (counts.failed, counts.held, counts.unknown) == (1, 1, 1):
        return ()
    message = "the engine does not judge a known case as it must, so nothing it says can be trusted"
    return (Fault(FaultCode.INTERNAL, message, Place(""), hint="does a pack change tablegate itself?"),)


def _encrypted(cluster: DaxCluster) -> Verdict:
    return cluster.encrypted.is_true


_DOUBT = Doubt("nobody says")
_CANARY = Policy(
    id="TG000",
    name="canary",
    severity=Severity.HIGH,
    title="",
    rationale="",
    docs="",
    remedy=InBothLanguages(None, None),
    subject=DaxCluster,
    options=(),
    profile=None,
    check=_encrypted,
)
