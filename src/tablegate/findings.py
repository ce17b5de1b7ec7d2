"""Findings, faults, exit codes, the report, and merging reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum, StrEnum
from itertools import chain, pairwise

from tablegate.model.record import names_of, record
from tablegate.model.table import Construct
from tablegate.model.value import Place, Value
from tablegate.policy.declare import Policy, Severity


class Outcome(StrEnum):
    """What a finding says of its subject."""

    FAILS = "fails"
    UNKNOWN = "unknown"
    WAIVED = "waived"


class Exit(IntEnum):
    """What the process says to its caller. Of several, the one named first in ``WORST_FIRST`` counts."""

    OPEN = 0
    BLOCKED = 1
    USAGE = 2
    UNREAD = 3
    INTERNAL = 4


WORST_FIRST = (Exit.INTERNAL, Exit.USAGE, Exit.UNREAD, Exit.BLOCKED, Exit.OPEN)


NO_INPUT = "neither a plan nor a template"  # why most files of a folder are skipped


class FaultCode(StrEnum):
    """Why an input, or a judgement, could not be trusted."""

    UNREADABLE = "TG001"
    INCOMPLETE = "TG002"
    DUPLICATE_KEY = "TG003"
    INTERNAL = "internal"


@record(kw_only=False)
class Fault:
    """Something that could not be read or judged: shown, never swallowed."""

    code: FaultCode
    message: str
    place: Place
    blocks: bool = True
    hint: str | None = None


@record()
class Finding:
    """One policy that one subject breaks, or that cannot be decided for it."""

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
    waived: str | None = None  # why, where the outcome is that

    known_as: str | None = None  # its fingerprint, where another run told it: what that hid is not known here

    @property
    def fingerprint(self) -> str:
        """The same as long as the policy breaks there for the same facts: no line, no value, no scenario, no file."""
        if self.known_as is not None:
            return self.known_as

        part = "\0".join(text for item in sorted(self.part.items()) for text in item) if self.part else ""
        names = "\0".join(sorted({value.name for value in self.evidence}))
        return digest(f"{self.policy.id}\0{self.address}\0{part}\0{names}")

    def with_evidence(self, evidence: tuple[Value[object], ...]) -> Finding:
        """The same finding, with this evidence."""
        return Finding(
            policy=self.policy,
            severity=self.severity,
            outcome=self.outcome,
            blocks=self.blocks,
            file=self.file,
            address=self.address,
            part=self.part,
            place=self.place,
            scenario=self.scenario,
            message=self.message,
            evidence=evidence,
            fix=self.fix,
            construct=self.construct,
            waived=self.waived,
            known_as=self.known_as,
        )


@record()
class Input:
    """One input that was read, and what was seen in it."""

    path: str
    kind: str
    detail: str | None = None  # such as the version of the tool that made it
    resources: int = 0
    tables: int = 0
    indexes: int = 0
    replicas: int = 0
    documents: int = 0  # policy documents, those read partly or not at all among them
    documents_partly: int = 0
    documents_unread: int = 0


@record(kw_only=False)
class Skipped:
    """Files of folders that were not judged, for one reason."""

    why: str
    files: int
    first: tuple[str, ...] = ()  # some of their names


@record(kw_only=False)
class Shard:
    """Which part of an audit this is. ``roots`` and ``digest`` say of which audit: the same for all its parts."""

    number: int
    of: int
    roots: int
    digest: str


@record()
class Counts:
    """The ledger's totals. One verdict each per policy and subject: the parts add up to the whole."""

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
    """All that a run has to say, sorted."""

    inputs: tuple[Input, ...]
    findings: tuple[Finding, ...]
    faults: tuple[Fault, ...]
    counts: Counts
    exit: Exit
    secrets: frozenset[str] = frozenset()
    skipped: tuple[Skipped, ...] = ()
    shard: Shard | None = None

    @property
    def gate(self) -> str:
        """What the run decides, in words."""
        if self.exit is Exit.OPEN:
            return "open"
        return "blocked" if self.exit is Exit.BLOCKED else "no verdict"


def by_place(finding: Finding) -> tuple[object, ...]:
    """The key that a report's findings are sorted by."""
    line = finding.place.line if finding.place else None
    part = tuple(sorted(finding.part.items())) if finding.part else ()
    return (finding.file, line or 0, finding.address, part, finding.policy.id)


def exit_of(findings: Iterable[Finding], faults: Iterable[Fault]) -> Exit:
    """What a run says to its caller. It is open only where nothing blocks."""
    codes = {fault.code for fault in faults if fault.blocks}
    if codes:
        return Exit.INTERNAL if FaultCode.INTERNAL in codes else Exit.UNREAD
    return Exit.BLOCKED if any(finding.blocks for finding in findings) else Exit.OPEN


def worst(exits: Iterable[Exit]) -> Exit:
    """The one that counts of several."""
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


NAMED = 5  # files named of those that were not judged for one reason
NOTHING = Report(inputs=(), findings=(), faults=(), counts=Counts(), exit=Exit.OPEN)


def merged(reports: Iterable[Report], *, ours: bool = False) -> Report:
    """All that the parts say, sorted as one report would be. What two parts say alike of the run is said once.

    ``ours`` are the reports of this run: nobody has changed their order.
    """
    parts = tuple(reports)
    found = [part.findings for part in parts if part.findings]  # each sorted
    findings = found[0] if len(found) == 1 else tuple(chain.from_iterable(found))
    if len(found) > 1 and not (ours and _follow(found)):
        findings = tuple(sorted(findings, key=by_place))
    faults = in_order(chain.from_iterable(part.faults for part in parts))
    return Report(
        inputs=tuple(sorted(chain.from_iterable(part.inputs for part in parts), key=_path)),
        findings=findings,
        faults=faults,
        counts=_summed([part.counts for part in parts]),
        exit=worst([exit_of(findings, faults), *(part.exit for part in parts)]),
        secrets=frozenset().union(*(part.secrets for part in parts)),
        skipped=together(chain.from_iterable(part.skipped for part in parts)),
    )


def _follow(found: Iterable[tuple[Finding, ...]]) -> bool:
    """Whether the findings of each part come before those of the next: mostly they are of different files."""
    return all(by_place(one[-1]) <= by_place(other[0]) for one, other in pairwise(found))


def in_order(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Each fault once, by its place."""
    return tuple(
        sorted(dict.fromkeys(faults), key=lambda fault: (fault.place.file, fault.place.line or 0, fault.message))
    )


def together(skipped: Iterable[Skipped]) -> tuple[Skipped, ...]:
    """The files that were not judged, reason by reason."""
    whys: dict[str, list[Skipped]] = {}
    for item in skipped:
        whys.setdefault(item.why, []).append(item)
    return tuple(
        Skipped(why, sum(item.files for item in items), tuple(sorted(chain(*(item.first for item in items)))[:NAMED]))
        for why, items in sorted(whys.items())
    )


def _summed(counts: list[Counts]) -> Counts:
    """One ledger of several. Every part asked the same policies."""
    total = {name: sum(getattr(part, name) for part in counts) for name in names_of(Counts)}
    return Counts(**total | {"policies": max((part.policies for part in counts), default=0)})


def _path(item: Input) -> str:
    return item.path
