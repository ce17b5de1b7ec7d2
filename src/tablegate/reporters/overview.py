"""Many inputs on one screen: each policy with how often and where, the worst inputs, and what was not judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from tablegate.findings import NO_INPUT, Fault, Finding, Outcome, Report, Skipped
from tablegate.model.value import Place
from tablegate.policy.declare import Severity
from tablegate.reporters.look import Look
from tablegate.reporters.paint import SEVERITIES, Paint, Style
from tablegate.reporters.safe import Shower, Shown, joined, own
from tablegate.reporters.words import counted, listed, number, subject, where

MANY = 12  # inputs that are still shown one by one
FAULTS, WORST, NAMED = 10, 10, 3
BETWEEN = "  "
_WORDS = [*map(str, Severity), *map(str, Outcome)]
_RANK: dict[str, int] = {word: rank for rank, word in enumerate(_WORDS)}
_FAILS = Outcome.FAILS


class Overview:
    """Sums up a report for one reader."""

    def __init__(self, look: Look, paint: Paint, show: Shower) -> None:
        self._look = look
        self._paint = paint
        self._show = show

    def blocks(self, report: Report) -> Iterator[list[Shown]]:
        """Block after block, the gravest first."""
        yield from self._faults(report.faults)
        help = "tablegate explain POLICY says how it is mended, -v shows each finding in full"
        for blocks, heading in ((True, f"blocking; {help}"), (False, "not blocking")):
            found = [finding for finding in report.findings if finding.blocks is blocks]
            if found:
                yield [self._paint(Style.QUIET, own(heading)), *self._policies(found)]
        worst = Counter([finding.file for finding in report.findings if finding.blocks])
        if worst:
            yield [self._paint(Style.QUIET, own("most of it blocks in")), *self._worst(worst)]
        yield from not_judged(report.skipped, self._paint, self._show)

    def _faults(self, faults: Sequence[Fault]) -> Iterator[list[Shown]]:
        """What could not be read or judged, by what is wrong with it."""
        if not faults:
            return
        from tablegate.reporters.frames import Frames  # nothing else is framed here

        frames = Frames(self._look, self._paint, self._show)
        alike: dict[tuple[object, ...], list[Fault]] = {}
        for fault in faults:
            alike.setdefault((not fault.blocks, fault.code, fault.message, fault.hint), []).append(fault)
        groups = sorted(alike.values(), key=lambda group: (not group[0].blocks, -len(group)))
        for group in groups[:FAULTS]:
            names = [where(fault.place, self._show) for fault in group[1 : NAMED + 1]]
            more = joined(own("   = also:  "), _some(names, len(group) - 1)) if names else None
            yield [*frames.fault(group[0]), *([more] if more else [])]
        left = sum(map(len, groups[FAULTS:]))
        if left:
            yield [joined(number(left), own(" more could not be read or judged; -v shows each"))]

    def _policies(self, found: list[Finding]) -> Iterator[Shown]:
        rows: dict[tuple[int, str, str], list[Finding]] = {}
        for finding in found:
            weight = finding.severity if finding.outcome is _FAILS else finding.outcome
            rows.setdefault((_RANK[weight], finding.policy.id, finding.policy.name), []).append(finding)
        lines = []
        for (rank, id, name), row in sorted(rows.items(), key=lambda item: (item[0][0], -len(item[1]), item[0][1])):
            files = len({finding.file for finding in row})
            times = joined(number(len(row)), own(" in "), counted(files, "input"))
            named = joined(self._show(id), own(" "), self._show(name))
            lines.append((_WORDS[rank], named, times, self._first(row[0])))
        words, names, counts = (max(len(line[at]) for line in lines) for at in range(3))
        for word, named, times, first in lines:
            lead = self._paint(SEVERITIES[word], Shown(f"{word:<{words}}"))
            yield listed((own(""), lead, Shown(f"{named:<{names}}"), Shown(f"{times:<{counts}}"), first), BETWEEN)

    def _first(self, finding: Finding) -> Shown:
        place = finding.place or Place(finding.file)
        return joined(subject(finding, self._show), own(" in "), where(Place(place.file, place.line), self._show))

    def _worst(self, worst: Counter[str]) -> Iterator[Shown]:
        ranked = sorted(worst.items(), key=lambda item: (-item[1], item[0]))
        most = max(len(number(count)) for _, count in ranked)
        for file, count in ranked[:WORST]:
            yield listed((own(""), Shown(f"{number(count):>{most}}"), self._show(file)), BETWEEN)
        if len(ranked) > WORST:
            yield listed((own(""), joined(own("and "), counted(len(ranked) - WORST, "input"), own(" more"))), BETWEEN)


def not_judged(skipped: Iterable[Skipped], paint: Paint, show: Shower) -> Iterator[list[Shown]]:
    """The files of folders that were left alone, by the reason."""
    listed_ones = tuple(skipped)
    if listed_ones:
        lead = paint(Style.QUIET, own("not judged"))
        yield [lead, *(joined(own(BETWEEN), _skipped(item, show)) for item in listed_ones)]


def notable(skipped: Iterable[Skipped]) -> Iterator[Skipped]:
    """Those that a reader may have expected to be judged."""
    return (item for item in skipped if item.why != NO_INPUT)


def _skipped(item: Skipped, show: Shower) -> Shown:
    names = [show(name) for name in islice(item.first, NAMED)]
    return joined(counted(item.files, "file"), own(": "), show(item.why), own(": "), _some(names, item.files))


def _some(names: list[Shown], every: int) -> Shown:
    left = every - len(names)
    return listed([*names, joined(own("…(+"), number(left), own(")"))] if left else names)
