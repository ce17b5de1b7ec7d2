"""A finding or a fault as a block that can be read alone: what, where, why, and what to write instead.

Findings of one policy with the same message in one file share a block.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

from tablegate.findings import Fault, FaultCode, Finding, GatheredPolicy, Outcome, by_place
from tablegate.model.record import record, replace
from tablegate.model.table import Construct
from tablegate.model.value import Origin, Place, Value
from tablegate.policy.declare import Severity
from tablegate.reporters.safe import PROSE, SafeText, Sanitizer, joined, trusted_text
from tablegate.reporters.wording import (
    SEVERITIES,
    Detail,
    Paint,
    ReportView,
    Style,
    first_sentence,
    listed,
    number,
    outcome_word,
    pairs,
    statement,
    subject,
    where,
    wrapped,
)

MAX_LINE = 140  # characters of a source line; of a longer one, the part around the value
BEFORE_VALUE = 60  # of them before the value
MAX_MARKS = 6  # values shown in one frame
MAX_OTHERS = 5  # further addresses named in one frame
MAX_FIX_LINES = 12  # of a fix; all of it is on the policy's page
_LEAD = 14  # columns before a note

_FAULT_NAMES = {
    FaultCode.UNREADABLE: "unreadable",
    FaultCode.INCOMPLETE: "incomplete",
    FaultCode.DUPLICATE_KEY: "duplicate-key",
    FaultCode.INTERNAL: "internal",
}
_RANK = {severity: rank for rank, severity in enumerate(Severity)}
_FAILS = Outcome.FAILS

_Rank = tuple[int, str, bool]


@record(kw_only=False)
class FindingGroup:
    """Findings of one policy with the same message in one file. The first is shown for all."""

    findings: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        """The finding that is shown."""
        return self.findings[0]

    @property
    def word(self) -> str:
        """The severity, or ``unknown`` or ``waived``."""
        return outcome_word(self.first)


def grouped(findings: Iterable[Finding]) -> tuple[FindingGroup, ...]:
    """The findings by severity, policy, file, line and address, in groups."""
    by_rank: dict[_Rank, list[Finding]] = {}
    for finding in findings:
        by_rank.setdefault(_rank(finding), []).append(finding)
    return tuple([group for rank in sorted(by_rank) for group in _by_message(sorted(by_rank[rank], key=by_place))])


def _by_message(findings: Iterable[Finding]) -> list[FindingGroup]:
    groups: dict[object, list[Finding]] = {}
    for finding in findings:
        scenario = tuple(sorted(finding.scenario.items())) if finding.scenario else ()
        also = tuple([(other.policy, other.severity) for other in finding.also])
        key = (finding.outcome, finding.waived, finding.blocks, finding.message, finding.file, scenario, also)
        groups.setdefault(key, []).append(finding)
    return [FindingGroup(tuple(group)) for group in groups.values()]


def in_order(finding: Finding) -> tuple[object, ...]:
    """The key that findings are sorted by."""
    return (*_rank(finding), *by_place(finding))


def _rank(finding: Finding) -> _Rank:
    return (_RANK[finding.severity], finding.policy.id, finding.outcome is not _FAILS)


class Frames:
    """Draws frames for one reader."""

    def __init__(self, view: ReportView, paint: Paint, safe: Sanitizer) -> None:
        self.view = view
        self.paint = paint
        self.safe = safe

    def group(self, group: FindingGroup) -> Iterator[SafeText]:
        """The first finding in full, the others by their address."""
        finding = group.first
        marks = _marks(finding, self.safe)
        place = finding.place or Place(finding.file)
        edge = _edge(marks)
        yield self._title(group.word, f"{finding.policy.id} {finding.policy.name}", finding.message)
        yield self._arrow(edge, place, subject(finding, self.safe))
        yield self._gutter(edge, "|")
        yield from self._excerpt(marks[:MAX_MARKS], SEVERITIES[group.word], file=place.file, edge=edge)
        if len(marks) > MAX_MARKS:
            more = joined(trusted_text("  ... and "), number(len(marks) - MAX_MARKS), trusted_text(" more"))
            yield joined(self._gutter(edge, "|"), more)
        yield self._gutter(edge, "|")
        yield from self._notes(group, edge)

    def fault(self, fault: Fault) -> Iterator[SafeText]:
        """What could not be read or checked, and what to do about it."""
        code = f"{fault.code} {_FAULT_NAMES[fault.code]}" if fault.code is not FaultCode.INTERNAL else "internal"
        yield self._title("error" if fault.blocks else "warning", code, fault.message)
        if fault.place.file:
            yield self._arrow(2, fault.place, self.safe.name(fault.place.path or ""))
        if fault.hint:
            yield from self._note(2, "do", self._wrapped([fault.hint]))

    def _title(self, word: str, code: str, message: str) -> SafeText:
        head = joined(trusted_text(word), trusted_text("["), self.safe(code), trusted_text("]"))
        title = self.paint(Style.STRONG, self.safe(message, PROSE))
        return joined(self.paint(SEVERITIES[word], head), trusted_text(" "), title)

    def _arrow(self, edge: int, place: Place, about: SafeText) -> SafeText:
        arrow = self.paint(Style.RULE, joined(SafeText(" " * edge), trusted_text("--> ")))
        return joined(arrow, where(place, self.safe), trusted_text("  " if len(about) else ""), about)

    def _gutter(self, edge: int, sign: str, line: int | None = None) -> SafeText:
        """The left edge of a line, with its number if it has one."""
        count = "" if line is None else str(line)
        return self.paint(Style.RULE, joined(SafeText(f"{count:>{edge}}"), trusted_text(" "), trusted_text(sign)))

    def _excerpt(self, marks: Iterable[Mark], style: Style, *, file: str, edge: int) -> Iterator[SafeText]:
        """The marked lines of each file in turn, the finding's own file first."""
        by_file: dict[str, dict[Place, list[Mark]]] = {}
        for mark in marks:
            by_file.setdefault(mark.place.file, {}).setdefault(_visible(mark.place), []).append(mark)
        for name in sorted(by_file, key=lambda name: (name != file, name)):
            places = sorted(by_file[name], key=_line_and_column)
            if name != file:
                lead = joined(SafeText(" " * edge), trusted_text("::: "), where(places[0], self.safe))
                yield self.paint(Style.RULE, lead)
            for place in places:
                yield from self._marked_line(place, by_file[name][place], style, edge)

    def _marked_line(self, place: Place, marks: Iterable[Mark], style: Style, edge: int) -> Iterator[SafeText]:
        labels = {mark.label: mark.is_reason for mark in marks}
        text = None if place.line is None else self.view.line(place.file, place.line)
        bar = self._gutter(edge, "|")
        if text is None:
            path = joined(self.safe.name(place.path), trusted_text(": ")) if place.path else trusted_text("")
            for label in labels:
                yield joined(bar, trusted_text("  "), path, self.paint(style, label))
            return
        # Scrubbed before it is cut: the parts of a secret would not be recognised.
        source, before, width = _window(self.safe.scrub(text), place, self.safe)
        yield joined(self._gutter(edge, "|", place.line), trusted_text(" "), source)
        sign = "-" if all(labels.values()) else "^"
        carets = joined(SafeText(sign * width), trusted_text(" "), listed(labels, "; "))
        yield joined(bar, trusted_text(" "), SafeText(" " * before), self.paint(style, carets))

    def _notes(self, group: FindingGroup, edge: int) -> Iterator[SafeText]:
        finding = group.first
        if finding.scenario and " when " not in finding.message:
            yield from self._note(edge, "when", [pairs(finding.scenario, self.safe, " = ")])
        if finding.construct:
            yield from self._note(edge, "construct", [self._construct(finding.construct)])
        if finding.waived is not None:
            yield from self._note(edge, "waived", self._wrapped([finding.waived]))
        yield from self._note(edge, "why", self._wrapped([first_sentence(finding.policy.rationale)]))
        if remedies := _remedies(finding):
            yield from self._note(edge, "resolve", self._wrapped(remedies))
        if finding.outcome is Outcome.UNKNOWN and finding.blocks:
            yield from self._note(edge, "blocks", [_why_it_blocks(finding)])
        if finding.fix:
            yield from self._note(edge, "fix", self._fix(finding.fix))
        if finding.also:
            yield from self._note(edge, "and", self._wrapped(map(_gathered_policy, finding.also)))
        if len(group.findings) > 1:
            yield from self._note(edge, "also", self._others(group.findings[1:]))
        yield from self._note(edge, "more", self._more(finding))

    def _note(self, edge: int, word: str, lines: Iterable[SafeText]) -> Iterator[SafeText]:
        lead = joined(trusted_text(word), trusted_text(":"), SafeText(" " * max(6 - len(word), 1)))
        for at, line in enumerate(lines):
            if at == 0:
                yield joined(self._gutter(edge, "="), trusted_text(" "), self.paint(Style.STRONG, lead), line)
            else:
                indent = SafeText(" " * (len(lead) + 1)) if len(line) else trusted_text("")
                yield joined(self._gutter(edge, "|"), indent, line)

    def _wrapped(self, texts: Iterable[str]) -> Iterator[SafeText]:
        width = max(self.view.width - _LEAD, 40)
        for text in texts:
            yield from wrapped(self.safe(" ".join(text.split()), PROSE), width)

    def _construct(self, construct: Construct) -> SafeText:
        path = self.safe.name(construct.path)
        if construct.place is None:
            return path
        return joined(path, trusted_text("  ("), where(construct.place, self.safe), trusted_text(")"))

    def _fix(self, fix: str) -> Iterator[SafeText]:
        lines = self.safe.lines(fix)
        yield from lines[:MAX_FIX_LINES]
        if len(lines) > MAX_FIX_LINES:
            yield joined(trusted_text("... and "), number(len(lines) - MAX_FIX_LINES), trusted_text(" more lines"))

    def _others(self, findings: tuple[Finding, ...]) -> Iterator[SafeText]:
        limit = len(findings) if self.view.detail is Detail.FULL else MAX_OTHERS
        for finding in findings[:limit]:
            place = finding.place
            at = joined(trusted_text("  "), where(place, self.safe)) if place and place.line else trusted_text("")
            yield joined(subject(finding, self.safe), at)
        if len(findings) > limit:
            left = number(len(findings) - limit)
            yield joined(trusted_text("... and "), left, trusted_text(" more with the same cause"))

    def _more(self, finding: Finding) -> Iterator[SafeText]:
        page = joined(trusted_text("tablegate explain "), self.safe(finding.policy.id))
        docs = self.safe(finding.policy.docs)
        if len(page) + len(docs) + _LEAD > self.view.width:
            yield page
            yield docs
        else:
            yield joined(page, trusted_text("   "), docs) if len(docs) else page


@record(kw_only=False)
class Mark:
    """A place in an input, and its label."""

    place: Place
    label: SafeText
    is_reason: bool = False  # the reason for a value at another place


def _marks(finding: Finding, safe: Sanitizer) -> list[Mark]:
    """A label for each value, at its place or at its subject's."""
    subject_place = replace(finding.place or Place(finding.file), path=None)
    marks: list[Mark] = []
    for value in _unknown_first(finding):
        place = value.place or subject_place
        marks.append(Mark(place=place, label=_label(value, finding, safe)))
        if place.because is not None:
            marks.append(Mark(place=place.because, label=trusted_text("because of this argument"), is_reason=True))
    return marks or [Mark(place=subject_place, label=trusted_text("here"))]


def _label(value: Value[object], finding: Finding, safe: Sanitizer) -> SafeText:
    """The value in words; shorter if the title says it already."""
    if value.doubt and not value.known and value.doubt.reason in finding.message:
        return joined(safe.name(value.name), trusted_text(" is unknown"))
    label = statement(value, safe)
    return trusted_text("set here") if label == safe(finding.message, PROSE) else label


def _unknown_first(finding: Finding) -> tuple[Value[object], ...]:
    """The evidence; of an unknown verdict, the unknown values first."""
    if finding.outcome is not Outcome.UNKNOWN:
        return finding.evidence
    return tuple(sorted(finding.evidence, key=lambda value: value.origin is not Origin.UNKNOWN))


def _remedies(finding: Finding) -> list[str]:
    """How to make the unknown values known, each once."""
    if finding.outcome is not Outcome.UNKNOWN:
        return []
    remedies = (value.doubt.settle for value in finding.evidence if value.doubt and not value.known)
    return list(dict.fromkeys(remedy for remedy in remedies if remedy))


def _gathered_policy(item: GatheredPolicy) -> str:
    """A policy that fails for the same cause, in one line."""
    return f"{item.severity}[{item.policy} {item.name}] {item.message}"


def _why_it_blocks(finding: Finding) -> SafeText:
    return joined(trusted_text(str(finding.severity)), trusted_text(' severity, and unknown = "block"'))


def _edge(marks: Iterable[Mark]) -> int:
    """One column more than the widest line number."""
    return max((len(str(mark.place.line)) for mark in marks if mark.place.line is not None), default=1) + 1


def _visible(place: Place) -> Place:
    """The place without what a reader does not see of it."""
    return replace(place, because=None, path=place.path if place.line is None else None)


def _line_and_column(place: Place) -> tuple[int, int]:
    return (place.line or 0, place.column or 0)


def _window(text: str, place: Place, safe: Sanitizer) -> tuple[SafeText, int, int]:
    """As much of a line as fits, the column at which the value begins, and the value's width."""
    start = min(max((place.column or 1) - 1, 0), len(text))
    end = min(max((place.end_column or start + 2) - 1, start + 1), max(len(text), start + 1))
    first = 0 if len(text) <= MAX_LINE else max(start - BEFORE_VALUE, 0)
    last = min(len(text), first + MAX_LINE)
    stop = min(end, last)
    head, value, tail = (_expanded(part, safe) for part in (text[first:start], text[start:stop], text[stop:last]))
    head = joined(trusted_text("…" if first else ""), head)
    tail = joined(tail, trusted_text("…" if last < len(text) else ""))
    return joined(head, value, tail), _columns(head), max(_columns(value), 1)


def _expanded(text: str, safe: Sanitizer) -> SafeText:
    return safe.name(text.replace("\t", "    "), MAX_LINE * 4)  # the whole line is scrubbed already


def _columns(text: str) -> int:
    """The columns of a terminal that the text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )
