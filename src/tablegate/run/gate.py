"""The corridor: sources and policies in, a report out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext

from tablegate.dialects import read_all
from tablegate.dialects.reading import ReadOptions
from tablegate.engine.finding import overridden
from tablegate.engine.judge import Guard, Running, judge, unsound
from tablegate.engine.settings import Settings, selected
from tablegate.findings import Fault, FaultCode, Input, Report, exit_of, in_order
from tablegate.model.estate import Estate
from tablegate.model.value import Place
from tablegate.policy.declare import Policy
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
    """Read every source, judge what it describes, and say what it means. ``faults`` are what the caller met before."""
    running = Running(selected(policies, settings), settings)
    return checked(sources, running, options, faults=faults, guard=guard)


def checked(
    sources: Iterable[Source],
    running: Running,
    options: ReadOptions,
    *,
    faults: Iterable[Fault] = (),
    guard: Guard = nullcontext,
    keep: Callable[[Estate], object] | None = None,
) -> Report:
    """The same, by policies that are selected and made ready already. ``keep`` is given each estate."""
    inputs: list[Input] = []
    found = list(faults)
    secrets: set[str] = set()

    def estates() -> Iterator[Estate]:
        for reading in read_all(sources, options):
            inputs.append(reading.input)
            found.extend(reading.faults)
            if reading.estate is not None:
                secrets.update(reading.estate.secrets)
                estate = overridden(reading.estate, running.settings.overrides)
                if keep is not None:
                    keep(estate)
                yield estate

    found += unsound(judge)
    judgement = judge(estates(), running, guard=guard)
    found += judgement.faults
    seen, judged = sum(item.tables for item in inputs), judgement.counts.tables
    if seen != judged and not any(fault.blocks for fault in found):
        found.append(Fault(FaultCode.INTERNAL, f"{seen} tables were read and {judged} judged", Place("")))
    if not inputs and not found:
        found.append(Fault(FaultCode.UNREADABLE, "there is no input to judge", Place("")))
    return Report(
        inputs=tuple(sorted(inputs, key=lambda item: item.path)),
        findings=judgement.findings,
        faults=in_order(found),
        counts=judgement.counts,
        exit=exit_of(judgement.findings, found),
        secrets=frozenset(secrets),
    )
