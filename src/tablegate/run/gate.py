"""The corridor: sources and policies in, a report out.

``check`` is a pure function: the same arguments give the same report, and it changes none of them. Threads may call it
at the same time, also with the same sources, policies and settings. Options that ``with_shared_inputs`` returns are
for one thread. Policies of other packs take turns: their guard (`tablegate.packs`) changes state of the process.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import nullcontext

from tablegate.dialects import read_all
from tablegate.dialects.reading import ReadOptions
from tablegate.engine.finding import addressed, overridden
from tablegate.engine.judge import Guard, Ledger, PreparedPolicies, judge, self_check
from tablegate.engine.settings import Settings, added_by_strict, selected_policies
from tablegate.findings import Exit, Fault, FaultCode, Input, Report, exit_of, in_order
from tablegate.model.record import replace
from tablegate.model.value import Place
from tablegate.policy.declare import Policy
from tablegate.run.twins import with_twin
from tablegate.syntax.source import Source


def check(
    sources: Iterable[Source],
    policies: Sequence[Policy],
    settings: Settings,
    options: ReadOptions,
    *,
    faults: Iterable[Fault] = (),
    guard: Guard = nullcontext,
) -> Report:
    """Check the sources against the policies that the settings select.

    ``faults`` of the caller, such as files that could not be opened, go into the report.
    """
    return check_prepared(sources, prepare_policies(policies, settings), options, faults=faults, guard=guard)


def prepare_policies(policies: Sequence[Policy], settings: Settings) -> PreparedPolicies:
    """The policies that the settings select, ready to run."""
    return PreparedPolicies(selected_policies(policies, settings), settings, added_by_strict(policies, settings))


def check_prepared(
    sources: Iterable[Source],
    prepared: PreparedPolicies,
    options: ReadOptions,
    *,
    faults: Iterable[Fault] = (),
    guard: Guard = nullcontext,
) -> Report:
    """Check the sources against policies that are selected and prepared, as an audit does part by part."""
    ledger = Ledger(prepared)
    inputs: list[Input] = []
    faults = [*faults, *self_check(judge)]
    secrets: set[str] = set()
    matched: set[str] = set()
    sources = tuple(sources)
    for reading in read_all(sources, options):
        inputs.append(reading.input)
        faults += reading.faults
        if reading.estate is not None:
            secrets |= reading.estate.secrets
            matched |= addressed(reading.estate, prepared.settings.overrides)
            judge(overridden(reading.estate, prepared.settings.overrides), ledger, guard=guard)

    judgement = ledger.close()
    faults += judgement.faults
    read, judged = sum(item.tables for item in inputs), judgement.counts.tables
    if read != judged and not any(fault.blocks for fault in faults):
        faults.append(Fault(FaultCode.INTERNAL, f"{read} tables were read and {judged} checked", Place("")))
    if not inputs and not faults:
        faults.append(
            Fault(
                FaultCode.UNREADABLE, "no input given; try: tablegate check plan.json, or: tablegate check .", Place("")
            )
        )
    report = Report(
        inputs=tuple(sorted(inputs, key=lambda item: item.path)),
        findings=judgement.findings,
        faults=in_order(faults),
        counts=judgement.counts,
        exit=exit_of(judgement.findings, faults),
        secrets=frozenset(secrets),
        profile=prepared.settings.profile,
        strict_adds=prepared.strict_adds,
        addressed=frozenset(matched),
    )
    for source in sources:
        if source.twin is not None:
            of_twin = check_prepared((source.twin,), prepared, options, guard=guard)
            report = with_twin(report, of_twin, source)
    return report


def with_required_resources(report: Report) -> Report:
    """The report, with a fault if nothing was judged: a run for which ``require-resources`` is set."""
    if report.counts.verdicts or report.exit > Exit.USAGE:
        return report
    name = report.inputs[0].path if len(report.inputs) == 1 else ""
    fault = Fault(FaultCode.UNREADABLE, "no DynamoDB resource found, and --require-resources is given", Place(name))
    return replace(report, faults=(*report.faults, fault), exit=Exit.UNREAD)
