"""Gathers findings that one mistake makes: what the reader mends once, they should read once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tablegate.findings import Finding, Outcome
from tablegate.policy.declare import Severity

_RANK = {severity: rank for rank, severity in enumerate(Severity)}


class Cause(NamedTuple):
    """Findings of one policy that say the same in one file. The first speaks for all."""

    findings: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        """The one that is shown."""
        return self.findings[0]

    @property
    def word(self) -> str:
        """What the reader sees first: the severity, or that it is unknown or waived."""
        outcome = self.first.outcome
        return str(self.first.severity) if outcome is Outcome.FAILS else str(outcome)


def causes(findings: Iterable[Finding]) -> tuple[Cause, ...]:
    """The findings by severity, policy, file, line and address, gathered by cause."""
    gathered: dict[object, list[Finding]] = {}
    for finding in sorted(findings, key=in_order):
        scenario = tuple(sorted(finding.scenario.items())) if finding.scenario else ()
        same = (finding.policy.id, finding.outcome, finding.blocks, finding.message, finding.file, scenario)
        gathered.setdefault((finding.severity, finding.waived, *same), []).append(finding)
    return tuple(Cause(findings=tuple(group)) for group in gathered.values())


def in_order(finding: Finding) -> tuple[object, ...]:
    """The key that findings are sorted by."""
    line = finding.place.line if finding.place else None
    part = tuple(sorted(finding.part.items())) if finding.part else ()
    return (
        _RANK[finding.severity],
        finding.policy.id,
        finding.outcome is not Outcome.FAILS,
        finding.file,
        line or 0,
        finding.address,
        part,
    )
