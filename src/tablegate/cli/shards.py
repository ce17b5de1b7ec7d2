"""One audit over many machines: which part is whose, and whether all parts have come together again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tablegate.findings import Fault, FaultCode, Report, Shard
from tablegate.fingerprint import digest
from tablegate.model.record import replace
from tablegate.model.value import Place
from tablegate.parts import groups, weight
from tablegate.sources import Collected


def share(collected: Collected, number: int, of: int) -> tuple[Collected, Shard]:
    """One part of what was found: every so many sources one, and in the first all that could not be read."""
    found = groups(collected.sources)
    seen = "\0".join(f"{source.name}\0{weight((source,))}" for source in collected.sources)
    shard = Shard(number, of, len(collected.sources), digest(f"{of}\0{seen}"))
    own = replace(collected, sources=tuple(source for group in found[number - 1 :: of] for source in group))
    return (own if number == 1 else replace(own, faults=(), skipped=())), shard


def missing(reports: Iterable[Report]) -> Iterator[Fault]:
    """What stands in the way of taking these reports for the whole of an audit."""
    audits: dict[tuple[int, str], list[int]] = {}
    for report in reports:
        if report.shard is not None:
            audits.setdefault((report.shard.of, report.shard.digest), []).append(report.shard.number)
    if len(audits) > 1:
        yield _fault("these are shards of different audits", "give those that one commit was split into")
    for (of, _), numbers in sorted(audits.items()):
        for number in range(1, of + 1):
            if numbers.count(number) != 1:
                what = "missing" if number not in numbers else "there more than once"
                yield _fault(f"shard {number} of {of} is {what}", "give the report of every shard, each once")


def _fault(message: str, hint: str) -> Fault:
    return Fault(FaultCode.INCOMPLETE, message, Place(""), hint=hint)
