"""A plan and the source beside it are one root: a finding of both is reported once, and no failure is lost."""

from __future__ import annotations

import json
import re

from tablegate.findings import Counts, Finding, Outcome, Report, by_place, exit_of, in_order
from tablegate.model.record import replace
from tablegate.syntax.source import Source

_ADDRESS = re.compile(rb'"address"\s*:\s*("(?:[^"\\]|\\.)*")')
_INSTANCE = re.compile(r'\[(?:\d+|"(?:[^"\\]|\\.)*")\]')


def with_twin(report: Report, of_source: Report, plan: Source) -> Report:
    """The report on a plan, with what the report on its source adds to it.

    The plan wins: what source cannot tell is dropped if the plan has that resource. What fails in source and not in the
    plan stays, and so does what the plan does not have at all: the plan is older than its source, or of another one.
    """
    reported = {key for finding in report.findings if finding.file == plan.name for key in _keys(finding)}
    new = [finding for finding in of_source.findings if reported.isdisjoint(_keys(finding)[:1])]
    planned = _planned(plan.data) if new else frozenset()
    added = [item for item in new if item.outcome is Outcome.FAILS or _bare(item.address) not in planned]
    findings = tuple(sorted((*report.findings, *added), key=by_place))
    faults = in_order((*report.faults, *of_source.faults))
    declared = frozenset().union(*(item.declared for item in of_source.inputs))
    inputs = tuple(
        replace(item, declared=item.declared | declared) if item.path == plan.name else item for item in report.inputs
    )
    return replace(
        report,
        inputs=inputs,
        findings=findings,
        faults=faults,
        counts=_counted(report.counts, added),
        exit=exit_of(findings, faults),
        secrets=report.secrets | of_source.secrets,
        addressed=report.addressed | of_source.addressed,
    )


def _keys(finding: Finding) -> list[tuple[object, ...]]:
    """What a finding is about: its own policy, and those that it lists."""
    part = tuple(sorted(finding.part.items())) if finding.part else ()
    policies = (finding.policy.id, *(other.policy for other in finding.also))
    return [(policy, _bare(finding.address), part) for policy in policies]


def _bare(address: str) -> str:
    """The address without the keys of instances, which source may not know."""
    return _INSTANCE.sub("", address)


def _planned(plan: bytes) -> frozenset[str]:
    """The addresses in a plan."""
    return frozenset(_bare(json.loads(text)) for text in _ADDRESS.findall(plan))


def _counted(counts: Counts, added: list[Finding]) -> Counts:
    """The counts with a verdict for each finding that is added, and for those that it lists."""
    of = {outcome: sum(item.outcome is outcome for item in added) for outcome in Outcome}
    gathered = sum(len(item.also) for item in added)
    return replace(
        counts,
        verdicts=counts.verdicts + len(added) + gathered,
        failed=counts.failed + of[Outcome.FAILS] + gathered,
        unknown=counts.unknown + of[Outcome.UNKNOWN],
        waived=counts.waived + of[Outcome.WAIVED],
    )
