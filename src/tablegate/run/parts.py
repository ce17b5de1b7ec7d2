"""One part of an audit: a few sources that are judged together, and what is left of the report once they are."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import ClassVar, TypeAlias

from tablegate.engine.settings import ConfigError
from tablegate.findings import NOTHING, Fault, FaultCode, Finding, Report, merged
from tablegate.model.estate import Estate, let_go
from tablegate.model.record import replace
from tablegate.model.value import Place
from tablegate.policy.declare import Policy
from tablegate.reporters.safe import is_plain, summarised
from tablegate.syntax.node import collect_if_much
from tablegate.syntax.source import Source

Part: TypeAlias = "tuple[Source, ...]"

BYTES, SOURCES = 256 * 1024, 64  # of one part, unless a single source is larger
MUCH = 1_000_000  # objects, about 100 MB, from which it pays to look for those that nobody needs


class Judge:
    """What judges sources, with these policies."""

    def __init__(
        self, check: Callable[[Part], Report], policies: Iterable[Policy], estates: list[Estate] | None = None
    ) -> None:
        self.check = check
        self.policies = {policy.id: policy for policy in policies}
        self.estates = [] if estates is None else estates  # those that were judged, as far as the check tells of them
        self.much = MUCH

    def forget(self) -> None:
        """Let go of what has been judged, and if that is much, of what policies remember of it."""
        for estate in self.estates:
            let_go(estate)
        self.estates.clear()
        if collect_if_much(self.much, first=self._forget_answers):
            self.much = 0  # from now on after each part, while what it left is near at hand

    def _forget_answers(self) -> None:
        for clear in self._memories:
            clear()

    @cached_property
    def _memories(self) -> tuple[Callable[[], None], ...]:
        return tuple(_memories(self.policies.values()))


def _memories(policies: Iterable[Policy]) -> Iterator[Callable[[], None]]:
    """What empties the caches that packs keep. Those of tablegate, which packs may import, hold what is always so."""
    packs = {policy.check.__module__.partition(".")[0] for policy in policies}
    for name, module in sorted(sys.modules.items()):
        if name.partition(".")[0] in packs:
            own = (thing for thing in vars(module).values() if getattr(thing, "__module__", None) == name)
            yield from (thing.cache_clear for thing in own if hasattr(thing, "cache_clear"))


def in_parts(sources: Iterable[Source]) -> Iterator[Part]:
    """The sources in their order, in parts of about the same size; those that know of each other stay together."""
    part: list[Source] = []
    size = 0
    for group in groups(sources):
        if part and (size + weight(group) > BYTES or len(part) + len(group) > SOURCES):
            yield tuple(part)
            part, size = [], 0
        part += group
        size += weight(group)
    if part:
        yield tuple(part)


def groups(sources: Iterable[Source]) -> list[Part]:
    """The sources, each with those that it embeds: these are judged where they stand."""
    sources = tuple(sources)
    names = {source.name for source in sources}
    lead = {name: name for name in names}  # of each source, another one of its group; in the end the group's first
    for source in sources:
        for name in names & source.beside.files.keys():
            lead[_first(lead, name)] = _first(lead, source.name)
    found: dict[str, list[Source]] = {}
    for source in sources:
        found.setdefault(_first(lead, source.name), []).append(source)
    return [tuple(group) for group in found.values()]


def _first(lead: Mapping[str, str], name: str) -> str:
    while lead[name] != name:
        name = lead[name]
    return name


def weight(part: Part) -> int:
    """The bytes of a part, with all that belongs to its sources."""
    return sum(_size(source) for source in part)


def _size(source: Source) -> int:
    parts = source.folder.parts if source.folder is not None else ()
    return len(source.data) + sum(map(len, source.beside.files.values())) + sum(len(part.data) for part in parts)


def judged(part: Part, judge: Judge) -> Report:
    """What is found in a part. Where tablegate itself fails is a fault of one source, and does not hide the others."""
    judge.forget()  # the last part: what is judged last may stay
    try:
        return _light(judge.check(part))
    except ConfigError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, the report says it
        if len(part) == 1:
            return lost(part[0], f"tablegate failed at it: {type(error).__name__}")
        return merged(judged((source,), judge) for source in part)


def packed(report: Report) -> bytes:
    """The report as bytes, small and easily sent. Policies are named in it: a predicate cannot be sent."""
    import io
    import pickle

    out = io.BytesIO()
    pickler = pickle.Pickler(out, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = {Policy: lambda policy: (_Known.policy, (policy.id,))}
    pickler.dump(report)
    return out.getvalue()


def unpacked(parts: Iterable[bytes], judge: Judge) -> Iterator[Report]:
    """The reports that processes of ours packed."""
    import pickle

    _Known.policies = judge.policies
    for part in parts:
        yield pickle.loads(part)  # noqa: S301


class _Known:
    """The policies by their ids, for reports that are unpacked."""

    policies: ClassVar[Mapping[str, Policy]] = {}

    @classmethod
    def policy(cls, id: str) -> Policy:
        return cls.policies[id]


def lost(source: Source, message: str) -> Report:
    """The report on a source that could not be judged."""
    return merged((replace(NOTHING, faults=(Fault(FaultCode.INTERNAL, message, Place(source.name)),)),))


def _light(report: Report) -> Report:
    """The same report without the estates: of values, what reports tell of them."""
    return replace(report, findings=tuple([_summarised(finding) for finding in report.findings]))


def _summarised(finding: Finding) -> Finding:
    for value in finding.evidence:
        if not is_plain(value):
            return finding.showing(tuple(map(summarised, finding.evidence)))
    return finding
