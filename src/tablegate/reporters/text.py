"""The text report: blocking findings in full, the rest in a line each, the gate last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from itertools import islice
from typing import NamedTuple

from tablegate import __version__
from tablegate.findings import NO_INPUT, Exit, Fault, Finding, Outcome, Report, Skipped
from tablegate.model.table import Dialect
from tablegate.model.value import Place
from tablegate.policy.declare import Profile, Severity
from tablegate.reporters.folders import folder_lines
from tablegate.reporters.frames import FindingGroup, Frames, grouped, in_order
from tablegate.reporters.safe import SafeText, Sanitizer, addresses, joined, trusted_text
from tablegate.reporters.wording import (
    SEVERITIES,
    Detail,
    Paint,
    ReportView,
    Style,
    columns,
    counted,
    folded,
    gate_text,
    listed,
    number,
    outcome_word,
    plural,
    subject,
    where,
    wrapped,
)

FEW_INPUTS = 12  # of more inputs the report is a summary
MAX_FRAMES = 5  # of one policy; its further findings are listed
MAX_FAULTS, MAX_INPUTS = 10, 10  # of a summary
_NAMED = 3  # addresses or files in one line
_GAP = "  "
_FURTHER = "  · "
_BELOW = "      | "  # before what does not fit beside its columns
_DOT = " · "
_UNREAD = "unread"  # the kind of an input that could not be read
_KINDS = {
    "cloudformation": "CloudFormation template",
    "terraform-plan": "Terraform plan",
    "terraform-source": "Terraform source",
    "terraform-state": "Terraform state",
    "cdk-assembly": "CDK assembly",
}
_WORDS = (*map(str, Severity), *map(str, Outcome))  # the worst first
_RANK = {word: rank for rank, word in enumerate(_WORDS)}


def render(report: Report, view: ReportView) -> SafeText:
    """The whole report. The same report gives the same bytes."""
    safe = Sanitizer(report.secrets, addresses(report))
    paint = Paint(colour=view.colour)
    blocks = list(_blocks(report, view, paint, safe))
    lines = list(folded(_header(report, safe), _DOT, view.width, mark=_FURTHER))
    for block in blocks:
        lines += [trusted_text(""), *block]
    if blocks:
        lines.append(trusted_text(""))
    lines += _footer(report, view, safe, paint)
    return SafeText("\n".join(lines) + "\n")


def _blocks(report: Report, view: ReportView, paint: Paint, safe: Sanitizer) -> Iterator[list[SafeText]]:
    if view.detail is Detail.USUAL and len(report.inputs) > FEW_INPUTS:
        yield from Summary(view, paint, safe).blocks(report)
        return
    frames = Frames(view, paint, safe)
    for fault in report.faults:
        yield list(frames.fault(fault))
    if view.detail is Detail.BRIEF:
        return
    framed, blocking, rest = _by_detail(grouped(report.findings, by_file=view.detail is Detail.FULL), view)
    for group in framed:
        yield list(frames.group(group))
    listing = Listing(paint, safe, width=view.width)
    for heading, groups in (("Also blocking", blocking), ("Not blocking", rest)):
        if groups:
            yield list(listing.block(heading, groups))
    skipped = report.skipped if view.detail is Detail.FULL else _unexpected(report.skipped)
    yield from _skipped_block(skipped, paint, safe, view.width)


def _by_detail(
    groups: tuple[FindingGroup, ...], view: ReportView
) -> tuple[list[FindingGroup], list[FindingGroup], list[FindingGroup]]:
    """The groups shown in full, the further ones that block, and those that do not block."""
    if view.detail is Detail.FULL:
        return list(groups), [], []
    framed: list[FindingGroup] = []
    further: list[FindingGroup] = []
    by_policy: Counter[str] = Counter()
    for group in groups:
        if group.first.blocks:
            policy = group.first.policy.id
            by_policy[policy] += 1
            (framed if by_policy[policy] <= MAX_FRAMES else further).append(group)
    return framed, further, [group for group in groups if not group.first.blocks]


class Listing:
    """Lists findings for one reader. If their lines are in several files, each finding is named with its file."""

    def __init__(self, paint: Paint, safe: Sanitizer, *, width: int) -> None:
        self._paint = paint
        self._safe = safe
        self._width = width

    def block(self, heading: str, groups: Sequence[FindingGroup]) -> Iterator[SafeText]:
        """The heading, and a line for each policy and outcome, in columns."""
        files = {_place(finding).file for group in groups for finding in group.findings}
        only = [joined(trusted_text(", in "), self._safe.name(file)) for file in files if len(files) == 1]
        lead = joined(trusted_text(heading), *only, trusted_text(" (-v for details):"))
        yield self._paint(Style.QUIET, lead)
        rows: dict[tuple[str, str, str], list[FindingGroup]] = {}
        for group in groups:
            policy = group.first.policy
            rows.setdefault((group.word, policy.id, policy.name), []).append(group)
        lines = []
        digits = max(len(number(sum(len(group.findings) for group in row))) for row in rows.values())
        for (word, id, name), row in rows.items():
            count = sum(len(group.findings) for group in row)
            named = list(islice(merge(*(group.findings for group in row), key=in_order), _NAMED))
            subjects = [self._subject(finding, in_one_file=bool(only)) for finding in named]
            called = joined(self._safe(id), trusted_text(" "), self._safe(name))
            lines.append(Row(word, called, SafeText(f"{number(count):>{digits}}"), subjects, count))
        yield from in_columns(lines, self._paint, self._width)

    def _subject(self, finding: Finding, *, in_one_file: bool) -> SafeText:
        place = _place(finding)
        if not in_one_file:
            return joined(subject(finding, self._safe), trusted_text(" in "), where(place, self._safe))
        at = [] if place.line is None else [trusted_text(":"), SafeText(str(place.line))]
        return joined(subject(finding, self._safe), *at)


class Row(NamedTuple):
    """A line of a list: severity or outcome, policy, how often, and the first of so many subjects."""

    word: str
    policy: SafeText
    times: SafeText
    subjects: list[SafeText]
    all: int


def in_columns(rows: Sequence[Row], paint: Paint, width: int) -> Iterator[SafeText]:
    """The rows, with as many subjects as fit beside the columns, or one at least below them."""
    words = max(len(row.word) for row in rows)
    policies = max(len(row.policy) for row in rows)
    times = max(len(row.times) for row in rows)
    for row in rows:
        lead = paint(SEVERITIES[row.word], SafeText(f"{row.word:<{words}}"))
        line = listed(
            (trusted_text(""), lead, SafeText(f"{row.policy:<{policies}}"), SafeText(f"{row.times:<{times}}")), _GAP
        )
        beside = _fitting(row, width - columns(line) - len(_GAP))
        if beside is not None:
            yield joined(line, trusted_text(_GAP), beside)
            continue
        below = _fitting(row, width - len(_BELOW)) or _some(row.subjects[:1], row.all)
        yield line
        for part in wrapped(below, width - len(_BELOW)):
            yield joined(trusted_text(_BELOW), part)


def _fitting(row: Row, room: int) -> SafeText | None:
    """As many subjects as fit; None if not one does."""
    for shown in range(len(row.subjects), 0, -1):
        text = _some(row.subjects[:shown], row.all)
        if columns(text) <= room:
            return text
    return None


def _place(finding: Finding) -> Place:
    """The file and line of a finding. If it has no line, its file is the input's."""
    place = finding.place
    return Place(finding.file) if place is None or place.line is None else Place(place.file, place.line)


class Summary:
    """Sums up a report of many inputs for one reader."""

    def __init__(self, view: ReportView, paint: Paint, safe: Sanitizer) -> None:
        self._view = view
        self._paint = paint
        self._safe = safe

    def blocks(self, report: Report) -> Iterator[list[SafeText]]:
        """Block after block, the gravest first."""
        yield from self._faults(report.faults)
        help = "(tablegate explain POLICY shows the fix, -v every finding)"
        for blocks, heading in ((True, f"Blocking {help}:"), (False, "Not blocking:")):
            findings = [finding for finding in report.findings if finding.blocks is blocks]
            if findings:
                yield [self._paint(Style.QUIET, trusted_text(heading)), *self._policies(findings)]
        by_input = Counter([finding.file for finding in report.findings if finding.blocks])
        if by_input:
            yield [
                self._paint(Style.QUIET, trusted_text("Inputs with the most blocking findings:")),
                *self._inputs(by_input),
            ]
        folders = list(folder_lines(report, self._safe))
        if folders:
            yield [self._paint(Style.QUIET, trusted_text("By folder:")), *folders]
        yield from _skipped_block(report.skipped, self._paint, self._safe, self._view.width)

    def _faults(self, faults: Sequence[Fault]) -> Iterator[list[SafeText]]:
        """What could not be read or checked, by the kind of fault."""
        frames = Frames(self._view, self._paint, self._safe)
        groups: dict[tuple[object, ...], list[Fault]] = {}
        for fault in faults:
            groups.setdefault((not fault.blocks, fault.code, fault.message, fault.hint, fault.accepted), []).append(
                fault
            )
        ranked = sorted(groups.values(), key=lambda group: (not group[0].blocks, -len(group)))
        for first, *others in ranked[:MAX_FAULTS]:
            names = [where(fault.place, self._safe) for fault in others[:_NAMED]]
            more = list(frames.also(_some(names, len(others)))) if others else []
            yield [*frames.fault(first), *more]
        left = sum(map(len, ranked[MAX_FAULTS:]))
        if left:
            unread = trusted_text(" more that could not be read or checked (-v for all)")
            yield [joined(trusted_text("... and "), number(left), unread)]

    def _policies(self, findings: Iterable[Finding]) -> Iterator[SafeText]:
        rows: dict[tuple[int, str, str], list[Finding]] = {}
        for finding in findings:
            rank = _RANK[outcome_word(finding)]
            rows.setdefault((rank, finding.policy.id, finding.policy.name), []).append(finding)
        lines = []
        for (rank, id, name), row in sorted(rows.items(), key=lambda item: (item[0][0], -len(item[1]), item[0][1])):
            inputs = counted(len({finding.file for finding in row}), "input")
            policy = joined(self._safe(id), trusted_text(" "), self._safe(name))
            times = joined(number(len(row)), trusted_text(" in "), inputs)
            lines.append(Row(_WORDS[rank], policy, times, [self._subject(row[0])], 1))
        yield from in_columns(lines, self._paint, self._view.width)

    def _subject(self, finding: Finding) -> SafeText:
        place = finding.place or Place(finding.file)
        at = where(Place(place.file, place.line), self._safe)
        return joined(subject(finding, self._safe), trusted_text(" in "), at)

    def _inputs(self, by_input: Counter[str]) -> Iterator[SafeText]:
        ranked = sorted(by_input.items(), key=lambda item: (-item[1], item[0]))
        digits = max(len(number(count)) for _, count in ranked)
        for file, count in ranked[:MAX_INPUTS]:
            yield listed((trusted_text(""), SafeText(f"{number(count):>{digits}}"), self._safe.name(file)), _GAP)
        if len(ranked) > MAX_INPUTS:
            left = number(len(ranked) - MAX_INPUTS)
            yield listed((trusted_text(""), joined(trusted_text("... and "), left, trusted_text(" more"))), _GAP)


def _skipped_block(skipped: Iterable[Skipped], paint: Paint, safe: Sanitizer, width: int) -> Iterator[list[SafeText]]:
    """The files of folders that were skipped, by the reason."""
    lines = [
        joined(trusted_text(_GAP if at == 0 else _BELOW), line)
        for group in skipped
        for at, line in enumerate(wrapped(_skipped_line(group, safe), width - len(_BELOW)))
    ]
    if lines:
        yield [paint(Style.QUIET, trusted_text("Skipped:")), *lines]


def _unexpected(skipped: Iterable[Skipped]) -> Iterator[Skipped]:
    """The files that a reader may have expected to be checked."""
    return (group for group in skipped if group.why != NO_INPUT)


def _skipped_line(group: Skipped, safe: Sanitizer) -> SafeText:
    names = _some([safe.name(name) for name in group.first[:_NAMED]], group.files)
    return joined(counted(group.files, "file"), trusted_text(": "), safe(group.why), trusted_text(": "), names)


def _some(names: list[SafeText], count: int) -> SafeText:
    """The first names of a number of them: ``a, b, …(+3)``."""
    left = count - len(names)
    return listed([*names, joined(trusted_text("…(+"), number(left), trusted_text(")"))] if left else names)


def _header(report: Report, safe: Sanitizer) -> Iterator[SafeText]:
    """The tool, what it read, and the number of policies."""
    yield trusted_text(f"tablegate {__version__}")
    yield from _inputs_read(report, safe)


def _inputs_read(report: Report, safe: Sanitizer) -> Iterator[SafeText]:
    if all(item.kind == _UNREAD for item in report.inputs):
        yield trusted_text("nothing was read")
        return
    if len(report.inputs) == 1:
        only = report.inputs[0]
        detail = [trusted_text(" ("), safe(only.detail), trusted_text(")")] if only.detail else []
        yield joined(_kind(only.kind, safe), *detail)
    else:
        yield joined(counted(len(report.inputs), "input"), trusted_text(": "), listed(_kinds(report, safe)))
    yield listed(_sizes(report))
    yield joined(counted(report.counts.policies, "policy"), trusted_text(" checked"))
    if report.profile is not Profile.STANDARD:
        yield trusted_text(f"profile {report.profile}")


def _kinds(report: Report, safe: Sanitizer) -> Iterator[SafeText]:
    kinds = Counter(item.kind for item in report.inputs)
    for kind in sorted(kinds, key=lambda kind: (kind == _UNREAD, kind)):
        name = trusted_text("not read") if kind == _UNREAD else _kind(kind, safe)
        if kinds[kind] > 1 and kind != _UNREAD:
            name = SafeText(plural(name))
        yield joined(number(kinds[kind]), trusted_text(" "), name)


def _kind(kind: str, safe: Sanitizer) -> SafeText:
    return safe(_KINDS.get(kind) or kind.replace("-", " "))


def _sizes(report: Report) -> Iterator[SafeText]:
    yield counted(sum(item.tables for item in report.inputs), "table")
    indexes = sum(item.indexes for item in report.inputs)
    replicas = sum(item.replicas for item in report.inputs)
    documents = sum(item.documents for item in report.inputs)
    if indexes:
        yield counted(indexes, "index")
    if replicas:
        yield counted(replicas, "replica")
    if documents:
        yield joined(counted(documents, "IAM document"), _not_wholly_read(report))


def _not_wholly_read(report: Report) -> SafeText:
    """The number of documents that could not be read wholly."""
    partly = sum(item.documents_partly for item in report.inputs)
    unread = sum(item.documents_unread for item in report.inputs)
    parts = [
        joined(number(count), trusted_text(words))
        for count, words in ((partly, " partly read"), (unread, " not read"))
        if count
    ]
    return joined(trusted_text(" ("), listed(parts), trusted_text(")")) if parts else trusted_text("")


def _footer(report: Report, view: ReportView, safe: Sanitizer, paint: Paint) -> Iterator[SafeText]:
    """The counts, what the other profile would add, the gate, and what to do next."""
    yield from folded(_counts(report, safe, paint), _DOT, view.width, mark=_FURTHER)
    if report.counts.verdicts and report.strict_adds:
        adds = counted(report.strict_adds, "policy")
        yield joined(trusted_text("profile strict would also check "), adds)
    style = Style.GOOD if report.exit is Exit.OPEN else Style.BAD
    gate = paint(style, trusted_text(gate_text(report)))
    yield joined(trusted_text("gate: "), gate, trusted_text(" (exit "), number(report.exit), trusted_text(")"))
    if report.exit is not Exit.OPEN and view.detail is not Detail.BRIEF:
        yield from wrapped(joined(trusted_text("next: "), _next(report, safe)), view.width)


def _next(report: Report, safe: Sanitizer) -> SafeText:
    """What a reader does next if the gate is not open."""
    if report.exit is not Exit.BLOCKED:
        return trusted_text("correct what is reported as an error; until then the result is not complete")
    failed = Counter(
        [
            (finding.policy.id, -_RANK[finding.severity])
            for finding in report.findings
            if finding.blocks and finding.outcome is Outcome.FAILS
        ]
    )
    if not failed:
        return trusted_text("resolve the unknown values, or let them pass with --unknown warn")
    policy, _ = max(failed, key=lambda which: (which[1], failed[which]))  # the worst, and of these the most frequent
    return joined(trusted_text("fix what blocks; tablegate explain "), safe(policy), trusted_text(" shows how"))


def _counts(report: Report, safe: Sanitizer, paint: Paint) -> Iterator[SafeText]:
    counts = report.counts
    if report.findings:
        yield from _findings_by_word(report, paint)
        yield _checks(report)
    elif not counts.verdicts:
        yield _nothing(report, safe)
    elif counts.held + counts.not_applicable == counts.verdicts:
        yield _all_pass(report)
    else:
        yield _checks(report)


def _nothing(report: Report, safe: Sanitizer) -> SafeText:
    if report.faults or not report.inputs:
        return trusted_text("nothing was checked")
    kinds = listed(_kind(kind, safe) for kind in sorted({item.kind for item in report.inputs}))
    not_created = sum(item.not_created for item in report.inputs)
    if not_created:
        given = "variables" if {item.kind for item in report.inputs} == {Dialect.TERRAFORM_SOURCE} else "parameters"
        return joined(
            kinds, trusted_text(": "), counted(not_created, "table"), trusted_text(f", not created with these {given}")
        )
    resources = counted(sum(item.resources for item in report.inputs), "resource")
    return joined(kinds, trusted_text(": "), resources, trusted_text(", none of them DynamoDB"))


def _findings_by_word(report: Report, paint: Paint) -> Iterator[SafeText]:
    for blocks, lead in ((True, "blocking: "), (False, "not blocking: ")):
        words = Counter([outcome_word(finding) for finding in report.findings if finding.blocks is blocks])
        each = [
            paint(SEVERITIES[word], joined(number(words[word]), trusted_text(" "), trusted_text(word)))
            for word in _WORDS
            if words[word]
        ]
        if each:
            yield joined(trusted_text(lead), listed(each))


def _all_pass(report: Report) -> SafeText:
    """``all 3 policies pass on 3 tables (9 checks, 3 not applicable)``."""
    counts = report.counts
    one = counts.policies == 1
    every = joined(trusted_text("all "), counted(counts.policies, "policy"), trusted_text(" pass"))
    policies = trusted_text("the policy passes") if one else every
    on = joined(trusted_text(" on all " if one and counts.tables > 1 else " on "), counted(counts.tables, "table"))
    apart = joined(trusted_text(", "), number(counts.not_applicable), trusted_text(" not applicable"))
    checks = joined(counted(counts.verdicts, "check"), apart if counts.not_applicable else trusted_text(""))
    tables = on if counts.tables else trusted_text("")
    return joined(policies, tables, trusted_text(" ("), checks, trusted_text(")"))


def _checks(report: Report) -> SafeText:
    """``95 checks: 16 failed, 37 passed, 42 not applicable``."""
    counts = report.counts
    results = {
        "failed": counts.failed,
        "unknown": counts.unknown,
        "waived": counts.waived,
        "passed": counts.held,
        "not applicable": counts.not_applicable,
    }
    results["without a result"] = counts.verdicts - sum(results.values())
    each = [joined(number(count), trusted_text(f" {word}")) for word, count in results.items() if count]
    return joined(counted(counts.verdicts, "check"), trusted_text(": "), listed(each))
