"""A report as JSON, version 1, back into a report: with what it tells, any format can be written."""

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
from tablegate.policy.declare import InBothLanguages, Policy, Severity
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

    def place(self) -> Place:
        because = None if self.because is None else self.because.place()
        return Place(self.file, self.line, self.column, self.end_column, self.path, because)


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
            on=True,
            check=_asked_elsewhere,
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

    def fault(self) -> Fault:
        place = Place(self.file, self.line, self.column, path=self.path)
        return Fault(self.code, self.message, place, self.blocks, self.hint)


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

    def input(self) -> Input:
        found = msgspec.structs.asdict(self)
        held = found.pop("documents")
        total = held.read + held.partly + held.unread
        return Input(**found, documents=total, documents_partly=held.partly, documents_unread=held.unread)


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


def reread(data: bytes) -> Report:
    """The report that this is. A ParseError says why it is none, or none that can be trusted."""
    content = decode(part_of(utf8(data).decode()))
    if not isinstance(content, dict) or not content.keys() >= {"version", "findings", "counts"}:
        raise ParseError("not a report of tablegate", hint=HINT)
    if content["version"] != VERSION:
        raise ParseError(f"a report of another version, where {VERSION} is known")
    try:
        told = msgspec.convert(content, _Report)
        exit = Exit(told.exit)
    except ValueError as error:
        _, _, where = str(error).partition(" - at ")
        raise ParseError(f"not a whole report of version {VERSION}{where and f': {where}'}") from None
    report = _report(told, exit)
    if not _adds_up(report):
        raise ParseError("the report's counts are not those of its findings")
    return report


def _report(told: _Report, exit: Exit) -> Report:
    policies = {item.id: item.policy() for item in told.policies}
    findings = tuple(_finding(item, policies) for item in told.findings)
    faults = tuple(item.fault() for item in told.faults)
    return Report(
        inputs=tuple(item.input() for item in told.inputs),
        findings=findings,
        faults=faults,
        counts=Counts(**msgspec.structs.asdict(told.counts)),
        exit=worst((exit, exit_of(findings, faults))),
        skipped=tuple(Skipped(item.why, item.files, item.first) for item in told.skipped),
        shard=None if told.shard is None else Shard(**msgspec.structs.asdict(told.shard)),
    )


def _finding(told: _Finding, policies: Mapping[str, Policy]) -> Finding:
    if told.policy not in policies:
        raise ParseError(f"the report says nothing of the policy {told.policy}")
    return Finding(
        policy=policies[told.policy],
        severity=told.severity,
        outcome=told.outcome,
        blocks=told.blocks,
        file=told.input,
        address=told.address,
        part=told.part,
        place=told.place.place(),
        scenario=told.scenario,
        message=told.message,
        evidence=tuple(item.evidence() for item in told.evidence),
        fix=told.fix,
        construct=None if told.construct is None else told.construct.construct(),
        waived=None if told.waived is None else told.waived.reason,
        known_as=told.fingerprint,
    )


def _adds_up(report: Report) -> bool:
    """Whether no finding is missing: unknown ones may be, where somebody ignores them."""
    counts = report.counts
    found = Counter(item.outcome for item in report.findings)
    return (
        counts.verdicts == counts.held + counts.failed + counts.unknown + counts.not_applicable + counts.waived
        and (counts.failed, counts.waived) == (found[Outcome.FAILS], found[Outcome.WAIVED])
        and found[Outcome.UNKNOWN] <= counts.unknown
    )


def _asked_elsewhere(_subject: object) -> Verdict:
    """What stands for a predicate that was asked in another run."""
    raise AssertionError("a policy of another run cannot be asked")
