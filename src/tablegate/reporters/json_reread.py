"""Reads a JSON report, version 1, back into a report, from which every format can be written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec

from tablegate.findings import (
    Counts,
    Exit,
    Fault,
    FaultCode,
    Finding,
    GatheredPolicy,
    Input,
    Outcome,
    Report,
    Shard,
    Skipped,
    exit_of,
    worst,
)
from tablegate.model.table import Construct, Table
from tablegate.model.value import Doubt, Origin, Place, Value, Verdict
from tablegate.policy.declare import InBothLanguages, Policy, Profile, Severity
from tablegate.reporters.json_report import VERSION
from tablegate.reporters.safe import ContentSummary
from tablegate.syntax.json.lazy import decode, part_of
from tablegate.syntax.node import ParseError
from tablegate.syntax.source import utf8

HINT = "give what this wrote: tablegate check ... -o json=FILE"


class _Place(msgspec.Struct):
    file: str
    line: int | None
    column: int | None
    end_column: int | None
    path: str | None
    because: _Place | None = None
    inside: _Place | None = None

    def place(self) -> Place:
        because = None if self.because is None else self.because.place()
        inside = None if self.inside is None else self.inside.place()
        return Place(self.file, self.line, self.column, self.end_column, self.path, because, inside)


class _Doubt(msgspec.Struct):
    reason: str
    settle: str | None


class _Value(msgspec.Struct):
    name: str
    value: Any
    origin: Origin
    place: _Place | None
    doubt: _Doubt | None

    def evidence(self) -> Value[object]:
        return Value(
            name=self.name,
            content=None if self.value is None else ContentSummary(self.value),
            origin=self.origin,
            place=None if self.place is None else self.place.place(),
            doubt=None if self.doubt is None else Doubt(self.doubt.reason, self.doubt.settle),
        )


class _Construct(msgspec.Struct):
    path: str
    place: _Place | None

    def construct(self) -> Construct:
        return Construct(path=self.path, place=None if self.place is None else self.place.place())


class _Waived(msgspec.Struct):
    reason: str


class _Gathered(msgspec.Struct):
    policy: str
    name: str
    severity: Severity
    message: str


class _Finding(msgspec.Struct):
    policy: str
    name: str
    severity: Severity
    outcome: Outcome
    blocks: bool
    input: str
    address: str
    part: dict[str, str] | None
    place: _Place
    scenario: dict[str, str] | None
    message: str
    evidence: list[_Value]
    fix: str | None
    fingerprint: str
    construct: _Construct | None
    waived: _Waived | None
    also: tuple[_Gathered, ...] = ()


class _Policy(msgspec.Struct):
    id: str
    name: str
    severity: Severity
    title: str
    rationale: str
    docs: str

    def policy(self) -> Policy:
        return Policy(
            id=self.id,
            name=self.name,
            severity=self.severity,
            title=self.title,
            rationale=self.rationale,
            docs=self.docs,
            remedy=InBothLanguages(None, None),
            subject=Table,
            options=(),
            profile=None,
            check=_predicate_of_another_run,
        )


class _Fault(msgspec.Struct):
    code: FaultCode
    blocks: bool
    file: str
    line: int | None
    column: int | None
    path: str | None
    message: str
    hint: str | None
    accepted: _Waived | None = None
    subjects: tuple[str, ...] = ()

    def fault(self) -> Fault:
        place = Place(self.file, self.line, self.column, path=self.path)
        accepted = None if self.accepted is None else self.accepted.reason
        return Fault(self.code, self.message, place, self.blocks, self.hint, accepted, self.subjects)


class _Documents(msgspec.Struct):
    read: int
    partly: int
    unread: int


class _Input(msgspec.Struct):
    path: str
    kind: str
    detail: str | None
    resources: int
    tables: int
    indexes: int
    replicas: int
    documents: _Documents
    not_created: int = 0

    def input(self) -> Input:
        members = msgspec.structs.asdict(self)
        documents = members.pop("documents")
        total = documents.read + documents.partly + documents.unread
        return Input(**members, documents=total, documents_partly=documents.partly, documents_unread=documents.unread)


class _Counts(msgspec.Struct):
    tables: int
    policies: int
    verdicts: int
    held: int
    failed: int
    unknown: int
    not_applicable: int
    waived: int


class _Skipped(msgspec.Struct):
    why: str
    files: int
    first: tuple[str, ...]


class _Shard(msgspec.Struct):
    number: int
    of: int
    roots: int
    digest: str


class _Report(msgspec.Struct):
    version: int
    inputs: list[_Input]
    findings: list[_Finding]
    faults: list[_Fault]
    counts: _Counts
    exit: int
    policies: list[_Policy]
    skipped: list[_Skipped]
    shard: _Shard | None
    profile: Profile = Profile.STANDARD
    strict_adds: int = 0


msgspec.json.Decoder(
    _Report
)  # threads may convert a shape at once, but not be the first to use it: msgspec 0.22 crashes


def reread(data: bytes) -> Report:
    """The report. A ParseError says why the bytes are none, or why it cannot be trusted."""
    content = decode(part_of(utf8(data).decode()))
    if not isinstance(content, dict) or not content.keys() >= {"version", "findings", "counts"}:
        raise ParseError("not a report of tablegate", hint=HINT)
    if content["version"] != VERSION:
        raise ParseError(f"a report of another version, where {VERSION} is known")
    try:
        parsed = msgspec.convert(content, _Report)
        exit = Exit(parsed.exit)
    except ValueError as error:
        _, _, where = str(error).partition(" - at ")
        raise ParseError(f"not a whole report of version {VERSION}{where and f': {where}'}") from None
    report = _report(parsed, exit)
    if not _adds_up(report):
        raise ParseError("the report's counts are not those of its findings")
    return report


def _report(parsed: _Report, exit: Exit) -> Report:
    policies = {item.id: item.policy() for item in parsed.policies}
    findings = tuple(_finding(item, policies) for item in parsed.findings)
    faults = tuple(item.fault() for item in parsed.faults)
    return Report(
        inputs=tuple(item.input() for item in parsed.inputs),
        findings=findings,
        faults=faults,
        counts=Counts(**msgspec.structs.asdict(parsed.counts)),
        exit=worst((exit, exit_of(findings, faults))),
        skipped=tuple(Skipped(item.why, item.files, item.first) for item in parsed.skipped),
        shard=None if parsed.shard is None else Shard(**msgspec.structs.asdict(parsed.shard)),
        profile=parsed.profile,
        strict_adds=parsed.strict_adds,
    )


def _finding(parsed: _Finding, policies: Mapping[str, Policy]) -> Finding:
    if parsed.policy not in policies:
        raise ParseError(f"the report says nothing of the policy {parsed.policy}")
    return Finding(
        policy=policies[parsed.policy],
        severity=parsed.severity,
        outcome=parsed.outcome,
        blocks=parsed.blocks,
        file=parsed.input,
        address=parsed.address,
        part=parsed.part,
        place=parsed.place.place(),
        scenario=parsed.scenario,
        message=parsed.message,
        evidence=tuple(item.evidence() for item in parsed.evidence),
        fix=parsed.fix,
        construct=None if parsed.construct is None else parsed.construct.construct(),
        waived=None if parsed.waived is None else parsed.waived.reason,
        also=tuple(GatheredPolicy(item.policy, item.name, item.severity, item.message) for item in parsed.also),
        known_fingerprint=parsed.fingerprint,
    )


def _adds_up(report: Report) -> bool:
    """Whether no finding is missing. Unknown ones may be: a configuration can ignore them."""
    counts = report.counts
    outcomes = Counter(item.outcome for item in report.findings)
    gathered = sum(len(item.also) for item in report.findings)
    return (
        counts.verdicts == counts.held + counts.failed + counts.unknown + counts.not_applicable + counts.waived
        and (counts.failed, counts.waived) == (outcomes[Outcome.FAILS] + gathered, outcomes[Outcome.WAIVED])
        and outcomes[Outcome.UNKNOWN] <= counts.unknown
    )


def _predicate_of_another_run(_subject: object) -> Verdict:
    """In place of a predicate that ran in another process."""
    raise AssertionError("a policy of another run cannot be asked")
