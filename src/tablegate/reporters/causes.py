"""Gathers findings that one mistake makes: what the reader mends once, they should read once."""

from __future__ import annotations

from collections.abc import Iterable

from tablegate.findings import Finding, Outcome, by_place
from tablegate.model.record import record
from tablegate.policy.declare import Severity

_RANK = {severity: rank for rank, severity in enumerate(Severity)}
_FAILS = Outcome.FAILS

Row = tuple[int, str, bool]


@record(kw_only=False)
class Cause:
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
    rows: dict[Row, list[Finding]] = {}
    for finding in findings:
        rows.setdefault(_row(finding), []).append(finding)
    return tuple([cause for row in sorted(rows) for cause in _gathered(sorted(rows[row], key=by_place))])


def _gathered(row: Iterable[Finding]) -> list[Cause]:
    gathered: dict[object, list[Finding]] = {}
    for finding in row:
        scenario = tuple(sorted(finding.scenario.items())) if finding.scenario else ()
        same = (finding.outcome, finding.waived, finding.blocks, finding.message, finding.file, scenario)
        gathered.setdefault(same, []).append(finding)
    return [Cause(findings=tuple(group)) for group in gathered.values()]


def in_order(finding: Finding) -> tuple[object, ...]:
    """The key that findings are sorted by."""
    return (*_row(finding), *by_place(finding))


def _row(finding: Finding) -> Row:
    return (_RANK[finding.severity], finding.policy.id, finding.outcome is not _FAILS)
