"""The parts of an audit: a few sources that are checked together, and give one report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from tablegate.engine.settings import ConfigError
from tablegate.findings import NOTHING, Fault, FaultCode, Finding, Report, merged
from tablegate.model.record import replace
from tablegate.model.value import Place
from tablegate.reporters.safe import is_plain, summarised
from tablegate.syntax.source import Source

Part: TypeAlias = tuple[Source, ...]
Check: TypeAlias = Callable[[Part], Report]

BYTES, SOURCES = 256 * 1024, 64  # of one part, unless a single source is larger


def in_parts(sources: Iterable[Source]) -> Iterator[Part]:
    """The sources in their order, in parts of about the same size. Sources that know of each other stay together."""
    part: list[Source] = []
    size = 0
    for group in groups(sources):
        if part and (size + size_of(group) > BYTES or len(part) + len(group) > SOURCES):
            yield tuple(part)
            part, size = [], 0
        part += group
        size += size_of(group)
    if part:
        yield tuple(part)


def groups(sources: Iterable[Source]) -> list[Part]:
    """The sources, each with those that it embeds: a nested template is judged inside the stack that embeds it."""
    sources = tuple(sources)
    names = {source.name for source in sources}
    leader = {name: name for name in names}  # another source of the same group; in the end the group's first
    for source in sources:
        for name in names & source.beside.files.keys():
            leader[_first(leader, name)] = _first(leader, source.name)
    by_first: dict[str, list[Source]] = {}
    for source in sources:
        by_first.setdefault(_first(leader, source.name), []).append(source)
    return [tuple(group) for group in by_first.values()]


def _first(leader: Mapping[str, str], name: str) -> str:
    while leader[name] != name:
        name = leader[name]
    return name


def size_of(part: Part) -> int:
    """The bytes of a part, with all files that belong to its sources."""
    return sum(_size(source) for source in part)


def _size(source: Source) -> int:
    parts = source.folder.parts if source.folder is not None else ()
    return len(source.data) + sum(map(len, source.beside.files.values())) + sum(len(part.data) for part in parts)


def check_part(part: Part, check: Check) -> Report:
    """The report on a part, without references into its estates.

    An error inside tablegate is a fault of the one source that causes it, and does not hide the others.
    """
    try:
        report = check(part)
    except ConfigError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, the report says it
        if len(part) == 1:
            return lost(part[0], f"tablegate failed on this input: {type(error).__name__}")
        return merged(check_part((source,), check) for source in part)
    return replace(report, findings=tuple([_light(finding) for finding in report.findings]))


def lost(source: Source, message: str) -> Report:
    """The report on a source that could not be judged."""
    return merged((replace(NOTHING, faults=(Fault(FaultCode.INTERNAL, message, Place(source.name)),)),))


def _light(finding: Finding) -> Finding:
    """The finding with what reports show of its evidence, so that no table or grant outlives its part."""
    if all(is_plain(value) for value in finding.evidence):
        return finding
    return finding.with_evidence(tuple(map(summarised, finding.evidence)))
