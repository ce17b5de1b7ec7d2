"""Findings, faults, exit codes and the report; reports are merged here too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum, StrEnum
from itertools import chain, pairwise

from tablegate.model.record import field_names, record, replace
from tablegate.model.table import Construct
from tablegate.model.value import Place, Value
from tablegate.policy.declare import Policy, Profile, Severity


class Outcome(StrEnum):
    """The kind of a finding. A policy that holds makes none."""

    FAILS = "fails"
    UNKNOWN = "unknown"
    WAIVED = "waived"


class Exit(IntEnum):
    """The exit code of a run. If several apply, the first in ``WORST_FIRST`` counts."""

    OPEN = 0
    BLOCKED = 1
    USAGE = 2
    UNREAD = 3
    INTERNAL = 4


WORST_FIRST = (Exit.INTERNAL, Exit.USAGE, Exit.UNREAD, Exit.BLOCKED, Exit.OPEN)


NO_INPUT = "not a plan, a template or Terraform source"  # why most files of a folder are skipped


class FaultCode(StrEnum):
    """The kind of a fault."""

    UNREADABLE = "TG001"
    INCOMPLETE = "TG002"
    DUPLICATE_KEY = "TG003"
    INTERNAL = "internal"


@record(kw_only=False)
class Fault:
    """Something that could not be read or judged. If it ``blocks``, the run cannot end with exit code 0."""

    code: FaultCode
    message: str
    place: Place
    blocks: bool = True
    hint: str | None = None
    accepted: str | None = None  # the reason, if the configuration lets the file stay unread
    subjects: tuple[str, ...] = ()  # at which a policy crashed


@record(kw_only=False)
class GatheredPolicy:
    """A policy that fails for the cause of a finding, and is fixed with it."""

    policy: str
    name: str
    severity: Severity
    message: str


@record()
class Finding:
    """A policy that fails for a subject, or is unknown."""

    policy: Policy
    severity: Severity
    outcome: Outcome
    blocks: bool
    file: str
    address: str
    part: Mapping[str, str] | None
    place: Place | None
    scenario: Mapping[str, str] | None
    message: str
    evidence: tuple[Value[object], ...]
    fix: str | None
    construct: Construct | None = None
    waived: str | None = None  # the reason, if it is
    also: tuple[GatheredPolicy, ...] = ()  # that fail for the same cause, and are no findings of their own
    known_fingerprint: str | None = None  # of a finding that is read from a report, which hides part of the evidence

    @property
    def fingerprint(self) -> str:
        """A digest of policy, address, part and names of facts. Lines, values, scenarios and files do not change it."""
        if self.known_fingerprint is not None:
            return self.known_fingerprint
        part = "\0".join(text for item in sorted(self.part.items()) for text in item) if self.part else ""
        names = "\0".join(sorted({value.name for value in self.evidence}))
        return digest(f"{self.policy.id}\0{self.address}\0{part}\0{names}")

    def with_evidence(self, evidence: tuple[Value[object], ...]) -> Finding:
        """The finding with other evidence."""
        return replace(self, evidence=evidence)


@record()
class Input:
    """One input that was read, and how much is in it."""

    path: str
    kind: str
    detail: str | None = None  # such as the version of the tool that made it
    resources: int = 0
    tables: int = 0
    not_created: int = 0  # tables that are written down, and do not exist with these parameters or variables
    indexes: int = 0
    replicas: int = 0
    documents: int = 0  # IAM documents, also those that are not or not wholly read
    documents_partly: int = 0
    documents_unread: int = 0
    declared: frozenset[str] = frozenset()  # parameters or root variables, if the user gives values of some


@record(kw_only=False)
class Skipped:
    """Files of folders that were skipped for one reason."""

    why: str
    files: int
    first: tuple[str, ...] = ()  # some of their names


@record(kw_only=False)
class Shard:
    """One part of an audit. ``roots`` and ``digest`` identify the audit, and are equal in all of its shards."""

    number: int
    of: int
    roots: int
    digest: str


@record()
class Counts:
    """The totals of the ledger. There is one verdict for each policy and subject."""

    tables: int = 0
    policies: int = 0
    verdicts: int = 0
    held: int = 0
    failed: int = 0
    unknown: int = 0
    not_applicable: int = 0
    waived: int = 0


@record()
class Report:
    """The result of a run, sorted: the same inputs give the same report."""

    inputs: tuple[Input, ...]
    findings: tuple[Finding, ...]
    faults: tuple[Fault, ...]
    counts: Counts
    exit: Exit
    secrets: frozenset[str] = frozenset()
    skipped: tuple[Skipped, ...] = ()
    shard: Shard | None = None
    profile: Profile = Profile.STANDARD
    strict_adds: int = 0  # policies that profile strict would run beside these
    addressed: frozenset[str] = frozenset()  # addresses of overrides that something in the inputs matches

    @property
    def gate(self) -> str:
        """The decision: open, blocked, or none, as not everything could be checked."""
        if self.exit is Exit.OPEN:
            return "open"
        return "blocked" if self.exit is Exit.BLOCKED else "no verdict"


def by_place(finding: Finding) -> tuple[object, ...]:
    """The key that a report's findings are sorted by."""
    line = finding.place.line if finding.place else None
    part = tuple(sorted(finding.part.items())) if finding.part else ()
    return (finding.file, line or 0, finding.address, part, finding.policy.id)


def exit_of(findings: Iterable[Finding], faults: Iterable[Fault]) -> Exit:
    """The exit code of a run with these findings and faults."""
    codes = {fault.code for fault in faults if fault.blocks}
    if codes:
        return Exit.INTERNAL if FaultCode.INTERNAL in codes else Exit.UNREAD
    return Exit.BLOCKED if any(finding.blocks for finding in findings) else Exit.OPEN


def worst(exits: Iterable[Exit]) -> Exit:
    """The exit code that counts if several apply."""
    return min(exits, key=WORST_FIRST.index)


# hashlib loads OpenSSL: 6 ms at start-up, a tenth of a whole check. Python's own module has had two names.
try:
    from _sha2 import sha256  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found,unused-ignore]
    except ImportError:  # pragma: no cover - a Python without its own
        from hashlib import sha256

_LENGTH = 16


def digest(text: str) -> str:
    """The first digits of the text's SHA-256."""
    return str(sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_LENGTH])


NAMED = 5  # skipped files that are named for each reason
NOTHING = Report(inputs=(), findings=(), faults=(), counts=Counts(), exit=Exit.OPEN)


def merged(reports: Iterable[Report], *, ours: bool = False) -> Report:
    """One report on the inputs of all reports, sorted as if one run had made it.

    ``ours`` are reports of this run, whose findings are sorted.
    """
    parts = tuple(reports)
    of_parts = [part.findings for part in parts if part.findings]
    findings = of_parts[0] if len(of_parts) == 1 else tuple(chain.from_iterable(of_parts))
    if len(of_parts) > 1 and not (ours and _follow(of_parts)):
        findings = tuple(sorted(findings, key=by_place))
    faults = in_order(chain.from_iterable(part.faults for part in parts))
    return Report(
        inputs=tuple(sorted(chain.from_iterable(part.inputs for part in parts), key=_path)),
        findings=findings,
        faults=faults,
        counts=_summed([part.counts for part in parts]),
        exit=worst([exit_of(findings, faults), *(part.exit for part in parts)]),
        secrets=frozenset().union(*(part.secrets for part in parts)),
        skipped=_skipped(chain.from_iterable(part.skipped for part in parts)),
        profile=max((part.profile for part in parts), default=Profile.STANDARD, key=tuple(Profile).index),
        strict_adds=max((part.strict_adds for part in parts), default=0),
        addressed=frozenset().union(*(part.addressed for part in parts)),
    )


def _follow(parts: Iterable[tuple[Finding, ...]]) -> bool:
    """Whether the findings of each part come before those of the next, as they mostly do."""
    return all(by_place(one[-1]) <= by_place(other[0]) for one, other in pairwise(parts))


def in_order(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Each fault once, with all its subjects, sorted by place."""
    subjects: dict[Fault, dict[str, None]] = {}
    for fault in faults:
        subjects.setdefault(replace(fault, subjects=()) if fault.subjects else fault, {}).update(
            dict.fromkeys(fault.subjects)
        )
    merged = (replace(fault, subjects=tuple(sorted(names))) if names else fault for fault, names in subjects.items())
    return tuple(sorted(merged, key=lambda fault: (fault.place.file, fault.place.line or 0, fault.message)))


def _skipped(skipped: Iterable[Skipped]) -> tuple[Skipped, ...]:
    """The skipped files, by reason."""
    by_reason: dict[str, list[Skipped]] = {}
    for item in skipped:
        by_reason.setdefault(item.why, []).append(item)
    return tuple(
        Skipped(why, sum(item.files for item in items), tuple(sorted(chain(*(item.first for item in items)))[:NAMED]))
        for why, items in sorted(by_reason.items())
    )


def _summed(counts: list[Counts]) -> Counts:
    """The sums of counts. Every part runs the same policies."""
    total = {name: sum(getattr(part, name) for part in counts) for name in field_names(Counts)}
    return Counts(**total | {"policies": max((part.policies for part in counts), default=0)})


def _path(item: Input) -> str:
    return item.path
