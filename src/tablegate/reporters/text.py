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
from tablegate.reporters.frames import FindingGroup, in_order
from tablegate.reporters.safe import SafeText, Sanitizer, joined, trusted_text
from tablegate.reporters.wording import (
    SEVERITIES,
    Detail,
    Paint,
    ReportView,
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

    def __init__(self, view: ReportView, paint: Paint, safe: Sanitizer) -> None:
        self._look = view
        self._paint = paint
        self._show = safe

    def blocks(self, report: Report) -> Iterator[list[SafeText]]:
        """Block after block, the gravest first."""
        yield from self._faults(report.faults)
        help = "tablegate explain POLICY says how it is mended, -v shows each finding in full"
        for blocks, heading in ((True, f"blocking; {help}"), (False, "not blocking")):
            found = [finding for finding in report.findings if finding.blocks is blocks]
            if found:
                yield [self._paint(Style.QUIET, trusted_text(heading)), *self._policies(found)]
        worst = Counter([finding.file for finding in report.findings if finding.blocks])
        if worst:
            yield [self._paint(Style.QUIET, trusted_text("most of it blocks in")), *self._worst(worst)]
        yield from not_judged(report.skipped, self._paint, self._show)

    def _faults(self, faults: Sequence[Fault]) -> Iterator[list[SafeText]]:
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
            more = joined(trusted_text("   = also:  "), _some(names, len(group) - 1)) if names else None
            yield [*frames.fault(group[0]), *([more] if more else [])]
        left = sum(map(len, groups[FAULTS:]))
        if left:
            yield [joined(number(left), trusted_text(" more could not be read or judged; -v shows each"))]

    def _policies(self, found: list[Finding]) -> Iterator[SafeText]:
        rows: dict[tuple[int, str, str], list[Finding]] = {}
        for finding in found:
            weight = finding.severity if finding.outcome is _FAILS else finding.outcome
            rows.setdefault((_RANK[weight], finding.policy.id, finding.policy.name), []).append(finding)
        lines = []
        for (rank, id, name), row in sorted(rows.items(), key=lambda item: (item[0][0], -len(item[1]), item[0][1])):
            files = len({finding.file for finding in row})
            times = joined(number(len(row)), trusted_text(" in "), counted(files, "input"))
            named = joined(self._show(id), trusted_text(" "), self._show(name))
            lines.append((_WORDS[rank], named, times, self._first(row[0])))
        words, names, counts = (max(len(line[at]) for line in lines) for at in range(3))
        for word, named, times, first in lines:
            lead = self._paint(SEVERITIES[word], SafeText(f"{word:<{words}}"))
            yield listed(
                (trusted_text(""), lead, SafeText(f"{named:<{names}}"), SafeText(f"{times:<{counts}}"), first), BETWEEN
            )

    def _first(self, finding: Finding) -> SafeText:
        place = finding.place or Place(finding.file)
        return joined(
            subject(finding, self._show), trusted_text(" in "), where(Place(place.file, place.line), self._show)
        )

    def _worst(self, worst: Counter[str]) -> Iterator[SafeText]:
        ranked = sorted(worst.items(), key=lambda item: (-item[1], item[0]))
        most = max(len(number(count)) for _, count in ranked)
        for file, count in ranked[:WORST]:
            yield listed((trusted_text(""), SafeText(f"{number(count):>{most}}"), self._show(file)), BETWEEN)
        if len(ranked) > WORST:
            yield listed(
                (
                    trusted_text(""),
                    joined(trusted_text("and "), counted(len(ranked) - WORST, "input"), trusted_text(" more")),
                ),
                BETWEEN,
            )


def not_judged(skipped: Iterable[Skipped], paint: Paint, safe: Sanitizer) -> Iterator[list[SafeText]]:
    """The files of folders that were left alone, by the reason."""
    listed_ones = tuple(skipped)
    if listed_ones:
        lead = paint(Style.QUIET, trusted_text("not judged"))
        yield [lead, *(joined(trusted_text(BETWEEN), _skipped(item, safe)) for item in listed_ones)]


def notable(skipped: Iterable[Skipped]) -> Iterator[Skipped]:
    """Those that a reader may have expected to be judged."""
    return (item for item in skipped if item.why != NO_INPUT)


def _skipped(item: Skipped, safe: Sanitizer) -> SafeText:
    names = [safe(name) for name in islice(item.first, NAMED)]
    return joined(
        counted(item.files, "file"), trusted_text(": "), safe(item.why), trusted_text(": "), _some(names, item.files)
    )


def _some(names: list[SafeText], every: int) -> SafeText:
    left = every - len(names)
    return listed([*names, joined(trusted_text("…(+"), number(left), trusted_text(")"))] if left else names)


DOT = " · "
_FAILS_summary = Outcome.FAILS
UNREAD = "unread"  # the kind of an input that nobody could read


def header(report: Report, safe: Sanitizer) -> SafeText:
    """The tool, what it read, and how many policies it asked."""
    asked = counted(report.counts.policies, "policy")
    return listed([trusted_text(f"tablegate {__version__}"), *_read(report, safe), asked], DOT)


def _read(report: Report, safe: Sanitizer) -> Iterator[SafeText]:
    read = [item for item in report.inputs if item.kind != UNREAD]
    if not read:
        yield trusted_text("nothing was read")
        return
    if len(report.inputs) == 1:
        only = report.inputs[0]
        yield joined(
            _kind(only.kind, safe), *([trusted_text(" ("), safe(only.detail), trusted_text(")")] if only.detail else [])
        )
    else:
        yield joined(counted(len(report.inputs), "input"), trusted_text(": "), listed(_kinds(report, safe)))
    yield listed(_seen(report))


def _kinds(report: Report, safe: Sanitizer) -> Iterator[SafeText]:
    kinds = Counter(item.kind for item in report.inputs)
    for kind in sorted(kinds, key=lambda kind: (kind == UNREAD, kind)):
        name = trusted_text("not read") if kind == UNREAD else _kind(kind, safe)
        if kinds[kind] > 1 and kind != UNREAD:
            name = SafeText(plural(name))
        yield joined(number(kinds[kind]), trusted_text(" "), name)


def _kind(kind: str, safe: Sanitizer) -> SafeText:
    return safe("cloudformation template" if kind == "cloudformation" else kind.replace("-", " "))


def _seen(report: Report) -> Iterator[SafeText]:
    yield counted(sum(item.tables for item in report.inputs), "table")
    indexes, replicas = (sum(getattr(item, name) for item in report.inputs) for name in ("indexes", "replicas"))
    if indexes:
        yield counted(indexes, "index")
    if replicas:
        yield counted(replicas, "replica")
    documents = sum(item.documents for item in report.inputs)
    if documents:
        yield joined(counted(documents, "policy document"), *_unread(report))


def _unread(report: Report) -> Iterator[SafeText]:
    """How many of the documents could not be read wholly."""
    partly, unread = (
        sum(getattr(item, name) for item in report.inputs) for name in ("documents_partly", "documents_unread")
    )
    told = [
        joined(number(count), trusted_text(what))
        for count, what in ((partly, " partly read"), (unread, " not read"))
        if count
    ]
    if told:
        yield joined(trusted_text(" ("), listed(told), trusted_text(")"))


def footer(report: Report, safe: Sanitizer, paint: Paint) -> Iterator[SafeText]:
    """The counts, and the gate."""
    yield from _counts(report, safe, paint)
    style = Style.GOOD if report.exit is Exit.OPEN else Style.BAD
    yield joined(
        trusted_text("gate: "),
        paint(style, trusted_text(report.gate)),
        trusted_text(" (exit "),
        number(report.exit),
        trusted_text(")"),
    )


def _counts(report: Report, safe: Sanitizer, paint: Paint) -> Iterator[SafeText]:
    counts = report.counts
    if report.findings:
        yield listed(_found(report, paint), DOT)
    elif not counts.verdicts:
        yield from _nothing(report, safe)
    elif counts.held + counts.not_applicable == counts.verdicts:
        everywhere = joined(trusted_text("all "), counted(counts.policies, "policy"), trusted_text(" hold on "))
        apart = joined(trusted_text(", "), number(counts.not_applicable), trusted_text(" of them not applicable"))
        told = joined(counted(counts.verdicts, "verdict"), apart if counts.not_applicable else trusted_text(""))
        yield joined(everywhere, counted(counts.tables, "table"), trusted_text(DOT), told)
    else:
        yield _verdicts(report)


def _nothing(report: Report, safe: Sanitizer) -> Iterator[SafeText]:
    if report.faults or not report.inputs:
        yield trusted_text("nothing was judged")
        return
    resources = sum(item.resources for item in report.inputs)
    kinds = listed(_kind(kind, safe) for kind in sorted({item.kind for item in report.inputs}))
    yield joined(
        kinds, trusted_text(" understood: "), counted(resources, "resource"), trusted_text(", none of them DynamoDB")
    )


def _found(report: Report, paint: Paint) -> Iterator[SafeText]:
    for blocks, lead in ((True, "blocking: "), (False, "not blocking: ")):
        words = Counter([_word(finding) for finding in report.findings if finding.blocks is blocks])
        order = [*Severity, *Outcome]
        each = [
            paint(SEVERITIES[word], joined(number(words[word]), trusted_text(" "), trusted_text(word)))
            for word in order
            if words[word]
        ]
        if each:
            yield joined(trusted_text(lead), listed(each))
    yield _verdicts(report)


def _word(finding: Finding) -> Severity | Outcome:
    return finding.severity if finding.outcome is _FAILS_summary else finding.outcome


def _verdicts(report: Report) -> SafeText:
    counts = report.counts
    apart = joined(trusted_text(", "), number(counts.not_applicable), trusted_text(" not applicable"))
    held = joined(number(counts.held), trusted_text(" of "), counted(counts.verdicts, "verdict"), trusted_text(" hold"))
    return joined(held, apart) if counts.not_applicable else held


FRAMES = 5  # of one policy; its further causes are listed


def render(report: Report, view: ReportView) -> str:
    """The whole report. The same report gives the same bytes."""
    safe = Sanitizer(report.secrets)
    paint = Paint(colour=view.colour)
    blocks = list(_blocks(report, view, paint, safe))
    lines = [header(report, safe)]
    for block in blocks:
        lines += [trusted_text(""), *block]
    if blocks:
        lines.append(trusted_text(""))
    lines += footer(report, safe, paint)
    return "\n".join(lines) + "\n"


def _blocks(report: Report, view: ReportView, paint: Paint, safe: Sanitizer) -> Iterator[list[SafeText]]:
    if view.detail is Detail.USUAL and len(report.inputs) > MANY:
        yield from Overview(view, paint, safe).blocks(report)
        return
    # Imported here: many inputs are summed up, and nothing is shown in full or listed.
    from tablegate.reporters.frames import Frames, grouped

    frames = Frames(view, paint, safe)
    for fault in report.faults:
        yield list(frames.fault(fault))
    if view.detail is Detail.BRIEF:
        return
    full, further, rest = _sorted_out(grouped(report.findings), view)
    for group in full:
        yield list(frames.group(group))
    listing = Listing(paint, safe, width=view.width, several=len(report.inputs) > 1)
    for heading, causes_left in (("blocking too", further), ("not blocking", rest)):
        if causes_left:
            lead = paint(Style.QUIET, joined(trusted_text(heading), trusted_text("; -v shows each in full")))
            yield [lead, *listing.lines(causes_left)]
    skipped = report.skipped if view.detail is Detail.FULL else notable(report.skipped)
    yield from not_judged(skipped, paint, safe)


def _sorted_out(
    found: tuple[FindingGroup, ...], view: ReportView
) -> tuple[list[FindingGroup], list[FindingGroup], list[FindingGroup]]:
    """What is shown in full, what blocks and is listed because there is much of it, and what does not block."""
    if view.detail is Detail.FULL:
        return list(found), [], []
    full: list[FindingGroup] = []
    further: list[FindingGroup] = []
    seen: dict[str, int] = {}
    for group in found:
        if group.first.blocks:
            policy = group.first.policy.id
            seen[policy] = seen.get(policy, 0) + 1
            (full if seen[policy] <= FRAMES else further).append(group)
    return full, further, [group for group in found if not group.first.blocks]


NAMED_listing = 3  # addresses in a line
BETWEEN_listing = "  "


class Listing:
    """Lists findings for one reader. Where several inputs were read, each is named with its file."""

    def __init__(self, paint: Paint, safe: Sanitizer, *, width: int, several: bool) -> None:
        self._paint = paint
        self._show = safe
        self._width = width
        self._several = several

    def lines(self, found: list[FindingGroup]) -> Iterator[SafeText]:
        """A line for each policy and outcome, in columns."""
        rows: dict[tuple[str, str, str], list[FindingGroup]] = {}
        for group in found:
            policy = group.first.policy
            rows.setdefault((group.word, policy.id, policy.name), []).append(group)
        names = [joined(self._show(id_), trusted_text(" "), self._show(name)) for _, id_, name in rows]
        words = max(len(word) for word, _, _ in rows)
        widest = max(map(len, names))
        counts = [sum(len(group.findings) for group in row) for row in rows.values()]
        most = max(len(number(count)) for count in counts)
        room = self._width - words - widest - most - 4 * len(BETWEEN_listing)
        for ((word, _, _), row), name, every in zip(rows.items(), names, counts, strict=True):
            lead = self._paint(SEVERITIES[word], SafeText(f"{word:<{words}}"))
            count = SafeText(f"{number(every):>{most}}")
            yield listed(
                (trusted_text(""), lead, SafeText(f"{name:<{widest}}"), count, self._named(row, every, room)),
                BETWEEN_listing,
            )

    def _named(self, row: list[FindingGroup], every: int, room: int) -> SafeText:
        """As many as fit, and one at least."""
        named: list[SafeText] = []
        for finding in islice(merge(*(group.findings for group in row), key=in_order), NAMED_listing):
            name = self._one(finding)
            room -= len(name) + len(BETWEEN_listing)
            if named and room < 0:
                break
            named.append(name)
        left = every - len(named)
        return listed([*named, joined(trusted_text("…(+"), number(left), trusted_text(")"))] if left else named)

    def _one(self, finding: Finding) -> SafeText:
        line = finding.place.line if finding.place else None
        if self._several:
            file = finding.file if finding.place is None or line is None else finding.place.file
            return joined(subject(finding, self._show), trusted_text(" in "), where(Place(file, line), self._show))
        return joined(
            subject(finding, self._show), *([trusted_text(":"), SafeText(str(line))] if line is not None else [])
        )
