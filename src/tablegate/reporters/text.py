"""The text report: header, overview, lists, footer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from itertools import islice

from tablegate import __version__
from tablegate.findings import NO_INPUT, Exit, Fault, Finding, Outcome, Report, Skipped
from tablegate.model.value import Place
from tablegate.policy.declare import Severity
from tablegate.reporters.frames import Cause, in_order
from tablegate.reporters.safe import Shower, Shown, joined, own
from tablegate.reporters.wording import (
    SEVERITIES,
    Detail,
    Look,
    Paint,
    Style,
    counted,
    listed,
    number,
    plural,
    subject,
    where,
)

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


DOT = " · "
_FAILS_summary = Outcome.FAILS
UNREAD = "unread"  # the kind of an input that nobody could read


def header(report: Report, show: Shower) -> Shown:
    """The tool, what it read, and how many policies it asked."""
    asked = counted(report.counts.policies, "policy")
    return listed([own(f"tablegate {__version__}"), *_read(report, show), asked], DOT)


def _read(report: Report, show: Shower) -> Iterator[Shown]:
    read = [item for item in report.inputs if item.kind != UNREAD]
    if not read:
        yield own("nothing was read")
        return
    if len(report.inputs) == 1:
        only = report.inputs[0]
        yield joined(_kind(only.kind, show), *([own(" ("), show(only.detail), own(")")] if only.detail else []))
    else:
        yield joined(counted(len(report.inputs), "input"), own(": "), listed(_kinds(report, show)))
    yield listed(_seen(report))


def _kinds(report: Report, show: Shower) -> Iterator[Shown]:
    kinds = Counter(item.kind for item in report.inputs)
    for kind in sorted(kinds, key=lambda kind: (kind == UNREAD, kind)):
        name = own("not read") if kind == UNREAD else _kind(kind, show)
        if kinds[kind] > 1 and kind != UNREAD:
            name = Shown(plural(name))
        yield joined(number(kinds[kind]), own(" "), name)


def _kind(kind: str, show: Shower) -> Shown:
    return show("cloudformation template" if kind == "cloudformation" else kind.replace("-", " "))


def _seen(report: Report) -> Iterator[Shown]:
    yield counted(sum(item.tables for item in report.inputs), "table")
    indexes, replicas = (sum(getattr(item, name) for item in report.inputs) for name in ("indexes", "replicas"))
    if indexes:
        yield counted(indexes, "index")
    if replicas:
        yield counted(replicas, "replica")
    documents = sum(item.documents for item in report.inputs)
    if documents:
        yield joined(counted(documents, "policy document"), *_unread(report))


def _unread(report: Report) -> Iterator[Shown]:
    """How many of the documents could not be read wholly."""
    partly, unread = (
        sum(getattr(item, name) for item in report.inputs) for name in ("documents_partly", "documents_unread")
    )
    told = [
        joined(number(count), own(what)) for count, what in ((partly, " partly read"), (unread, " not read")) if count
    ]
    if told:
        yield joined(own(" ("), listed(told), own(")"))


def footer(report: Report, show: Shower, paint: Paint) -> Iterator[Shown]:
    """The counts, and the gate."""
    yield from _counts(report, show, paint)
    style = Style.GOOD if report.exit is Exit.OPEN else Style.BAD
    yield joined(own("gate: "), paint(style, own(report.gate)), own(" (exit "), number(report.exit), own(")"))


def _counts(report: Report, show: Shower, paint: Paint) -> Iterator[Shown]:
    counts = report.counts
    if report.findings:
        yield listed(_found(report, paint), DOT)
    elif not counts.verdicts:
        yield from _nothing(report, show)
    elif counts.held + counts.not_applicable == counts.verdicts:
        everywhere = joined(own("all "), counted(counts.policies, "policy"), own(" hold on "))
        apart = joined(own(", "), number(counts.not_applicable), own(" of them not applicable"))
        told = joined(counted(counts.verdicts, "verdict"), apart if counts.not_applicable else own(""))
        yield joined(everywhere, counted(counts.tables, "table"), own(DOT), told)
    else:
        yield _verdicts(report)


def _nothing(report: Report, show: Shower) -> Iterator[Shown]:
    if report.faults or not report.inputs:
        yield own("nothing was judged")
        return
    resources = sum(item.resources for item in report.inputs)
    kinds = listed(_kind(kind, show) for kind in sorted({item.kind for item in report.inputs}))
    yield joined(kinds, own(" understood: "), counted(resources, "resource"), own(", none of them DynamoDB"))


def _found(report: Report, paint: Paint) -> Iterator[Shown]:
    for blocks, lead in ((True, "blocking: "), (False, "not blocking: ")):
        words = Counter([_word(finding) for finding in report.findings if finding.blocks is blocks])
        order = [*Severity, *Outcome]
        each = [
            paint(SEVERITIES[word], joined(number(words[word]), own(" "), own(word))) for word in order if words[word]
        ]
        if each:
            yield joined(own(lead), listed(each))
    yield _verdicts(report)


def _word(finding: Finding) -> Severity | Outcome:
    return finding.severity if finding.outcome is _FAILS_summary else finding.outcome


def _verdicts(report: Report) -> Shown:
    counts = report.counts
    apart = joined(own(", "), number(counts.not_applicable), own(" not applicable"))
    held = joined(number(counts.held), own(" of "), counted(counts.verdicts, "verdict"), own(" hold"))
    return joined(held, apart) if counts.not_applicable else held


FRAMES = 5  # of one policy; its further causes are listed


def render(report: Report, look: Look) -> str:
    """The whole report. The same report gives the same bytes."""
    show = Shower(report.secrets)
    paint = Paint(colour=look.colour)
    blocks = list(_blocks(report, look, paint, show))
    lines = [header(report, show)]
    for block in blocks:
        lines += [own(""), *block]
    if blocks:
        lines.append(own(""))
    lines += footer(report, show, paint)
    return "\n".join(lines) + "\n"


def _blocks(report: Report, look: Look, paint: Paint, show: Shower) -> Iterator[list[Shown]]:
    if look.detail is Detail.USUAL and len(report.inputs) > MANY:
        yield from Overview(look, paint, show).blocks(report)
        return
    # Imported here: many inputs are summed up, and nothing is shown in full or listed.
    from tablegate.reporters.frames import Frames, causes

    frames = Frames(look, paint, show)
    for fault in report.faults:
        yield list(frames.fault(fault))
    if look.detail is Detail.BRIEF:
        return
    full, further, rest = _sorted_out(causes(report.findings), look)
    for cause in full:
        yield list(frames.cause(cause))
    listing = Listing(paint, show, width=look.width, several=len(report.inputs) > 1)
    for heading, causes_left in (("blocking too", further), ("not blocking", rest)):
        if causes_left:
            lead = paint(Style.QUIET, joined(own(heading), own("; -v shows each in full")))
            yield [lead, *listing.lines(causes_left)]
    skipped = report.skipped if look.detail is Detail.FULL else notable(report.skipped)
    yield from not_judged(skipped, paint, show)


def _sorted_out(found: tuple[Cause, ...], look: Look) -> tuple[list[Cause], list[Cause], list[Cause]]:
    """What is shown in full, what blocks and is listed because there is much of it, and what does not block."""
    if look.detail is Detail.FULL:
        return list(found), [], []
    full: list[Cause] = []
    further: list[Cause] = []
    seen: dict[str, int] = {}
    for cause in found:
        if cause.first.blocks:
            policy = cause.first.policy.id
            seen[policy] = seen.get(policy, 0) + 1
            (full if seen[policy] <= FRAMES else further).append(cause)
    return full, further, [cause for cause in found if not cause.first.blocks]


NAMED_listing = 3  # addresses in a line
BETWEEN_listing = "  "


class Listing:
    """Lists findings for one reader. Where several inputs were read, each is named with its file."""

    def __init__(self, paint: Paint, show: Shower, *, width: int, several: bool) -> None:
        self._paint = paint
        self._show = show
        self._width = width
        self._several = several

    def lines(self, found: list[Cause]) -> Iterator[Shown]:
        """A line for each policy and outcome, in columns."""
        rows: dict[tuple[str, str, str], list[Cause]] = {}
        for cause in found:
            policy = cause.first.policy
            rows.setdefault((cause.word, policy.id, policy.name), []).append(cause)
        names = [joined(self._show(id_), own(" "), self._show(name)) for _, id_, name in rows]
        words = max(len(word) for word, _, _ in rows)
        widest = max(map(len, names))
        counts = [sum(len(cause.findings) for cause in row) for row in rows.values()]
        most = max(len(number(count)) for count in counts)
        room = self._width - words - widest - most - 4 * len(BETWEEN_listing)
        for ((word, _, _), row), name, every in zip(rows.items(), names, counts, strict=True):
            lead = self._paint(SEVERITIES[word], Shown(f"{word:<{words}}"))
            count = Shown(f"{number(every):>{most}}")
            yield listed(
                (own(""), lead, Shown(f"{name:<{widest}}"), count, self._named(row, every, room)), BETWEEN_listing
            )

    def _named(self, row: list[Cause], every: int, room: int) -> Shown:
        """As many as fit, and one at least."""
        named: list[Shown] = []
        for finding in islice(merge(*(cause.findings for cause in row), key=in_order), NAMED_listing):
            name = self._one(finding)
            room -= len(name) + len(BETWEEN_listing)
            if named and room < 0:
                break
            named.append(name)
        left = every - len(named)
        return listed([*named, joined(own("…(+"), number(left), own(")"))] if left else named)

    def _one(self, finding: Finding) -> Shown:
        line = finding.place.line if finding.place else None
        if self._several:
            file = finding.file if finding.place is None or line is None else finding.place.file
            return joined(subject(finding, self._show), own(" in "), where(Place(file, line), self._show))
        return joined(subject(finding, self._show), *([own(":"), Shown(str(line))] if line is not None else []))
