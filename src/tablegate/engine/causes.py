"""One cause, one finding: policies that fail for one cause are listed inside the most severe finding of it.

Of a policy that follows others, what none of them leads is one finding for each document.
"""

from __future__ import annotations

from collections.abc import Iterable

from tablegate.findings import Finding, GatheredPolicy, Outcome
from tablegate.model.record import replace
from tablegate.policy.declare import Severity

_RANK = {severity: rank for rank, severity in enumerate(Severity)}


def gathered(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, those that share a cause as one.

    Failing policies share it if they declare the same cause, and their findings are on the same part of a table or
    document, or one of them is on the whole and they quote the same value. Waived findings and unknown ones are left as
    they are.
    """
    apart: list[Finding] = []
    by_cause: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in findings:
        cause = finding.policy.cause
        if cause is None or finding.outcome is not Outcome.FAILS:
            apart.append(finding)
        else:
            by_cause.setdefault((cause, finding.file, finding.address), []).append(finding)
    for findings_of_cause in by_cause.values():
        apart += (
            _led(sorted(findings_of_cause, key=_leaders_first)) if len(findings_of_cause) > 1 else findings_of_cause
        )
    return apart


def _leaders_first(finding: Finding) -> tuple[int, bool, str]:
    return _RANK[finding.severity], finding.policy.follows, finding.policy.id


def _led(findings: Iterable[Finding]) -> list[Finding]:
    """Each finding that no earlier one leads, with those that it leads."""
    groups: list[list[Finding]] = []
    for finding in findings:
        group = next((group for group in groups if _share_a_cause(group[0], finding)), None)
        if group is None:
            groups.append([finding])
        else:
            group.append(finding)
    by_document: dict[tuple[object, ...], list[Finding]] = {}
    for number, group in enumerate(groups):
        leader = group[0]
        key = (leader.policy.id, _document_of(leader)) if leader.policy.follows else (number,)
        by_document.setdefault(key, []).extend(group)
    return [replace(leader, also=tuple(map(_gathered_policy, others))) for leader, *others in by_document.values()]


def _document_of(finding: Finding) -> str:
    """Which of the documents at its address a finding is about: the start of its statement's label."""
    return (finding.part or {}).get("statement", "").rpartition("/")[0]


def _share_a_cause(leader: Finding, other: Finding) -> bool:
    if leader.policy is other.policy:
        return False
    if leader.part and other.part:  # what two statements both quote is their holder
        return leader.part == other.part
    return leader.part == other.part or not _quoted(leader).isdisjoint(_quoted(other))


def _quoted(finding: Finding) -> set[tuple[object, ...]]:
    return {(value.name, value.place) for value in finding.evidence if value.place is not None}


def _gathered_policy(finding: Finding) -> GatheredPolicy:
    return GatheredPolicy(finding.policy.id, finding.policy.name, finding.severity, finding.message)
