"""Reports of parts into the report of the whole: the same, in whatever parts it was judged."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, pairwise

from tablegate.findings import Counts, Exit, Fault, Finding, Input, Report, Skipped, by_place, exit_of, worst
from tablegate.model.record import names_of

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
