"""One finding as a block with its lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tablegate.findings import Fault, FaultCode, Finding, Outcome, by_place
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
    pairs,
    statement,
    subject,
    where,
    wrapped,
)

_RANK = {severity: rank for rank, severity in enumerate(Severity)}
_FAILS = Outcome.FAILS

Row = tuple[int, str, bool]


@record(kw_only=False)
class FindingGroup:
    """Findings of one policy that say the same in one file. The first speaks for all."""

    findings: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        """The one that is shown."""
        return self.findings[0]

    @property
    def word(self) -> str:
        """What the reader sees first: the severity, or that it is unknown or waived."""
        outcome = self.first.outcome
        return str(self.first.severity) if outcome is Outcome.FAILS else str(outcome)


def grouped(findings: Iterable[Finding]) -> tuple[FindingGroup, ...]:
    """The findings by severity, policy, file, line and address, gathered by cause."""
    rows: dict[Row, list[Finding]] = {}
    for finding in findings:
        rows.setdefault(_row(finding), []).append(finding)
    return tuple([group for row in sorted(rows) for group in _by_message(sorted(rows[row], key=by_place))])


def _by_message(row: Iterable[Finding]) -> list[FindingGroup]:
    gathered: dict[object, list[Finding]] = {}
    for finding in row:
        scenario = tuple(sorted(finding.scenario.items())) if finding.scenario else ()
        same = (finding.outcome, finding.waived, finding.blocks, finding.message, finding.file, scenario)
        gathered.setdefault(same, []).append(finding)
    return [FindingGroup(findings=tuple(group)) for group in gathered.values()]


def in_order(finding: Finding) -> tuple[object, ...]:
    """The key that findings are sorted by."""
    return (*_row(finding), *by_place(finding))


def _row(finding: Finding) -> Row:
    return (_RANK[finding.severity], finding.policy.id, finding.outcome is not _FAILS)


WIDEST = 140  # characters of a source line; of a longer one, what stands around the value
BEFORE = 60  # of them before the value


@record(kw_only=False)
class Mark:
    """A place in an input, and what is to be said of it."""

    place: Place
    label: SafeText
    behind: bool = False  # what stands there is the reason for what stands elsewhere


@record(kw_only=False)
class Brush:
    """What an excerpt is drawn with."""

    view: ReportView
    paint: Paint
    safe: Sanitizer
    style: Style


def excerpt(marks: Iterable[Mark], brush: Brush, *, file: str, edge: int) -> Iterator[SafeText]:
    """The marked lines of each file in turn, the finding's own file first."""
    gathered: dict[str, dict[Place, list[Mark]]] = {}
    for mark in marks:
        gathered.setdefault(mark.place.file, {}).setdefault(_spot(mark.place), []).append(mark)
    for name in sorted(gathered, key=lambda name: (name != file, name)):
        if name != file:
            first = where(min(gathered[name], key=_at), brush.safe)
            yield brush.paint(Style.RULE, joined(SafeText(" " * edge), trusted_text("::: "), first))
        for place in sorted(gathered[name], key=_at):
            yield from _marked(place, gathered[name][place], brush, edge)


def edge_of(marks: Iterable[Mark]) -> int:
    """The width of the widest line number, and a little."""
    return max((len(str(mark.place.line)) for mark in marks if mark.place.line is not None), default=1) + 1


def gutter(brush_paint: Paint, edge: int, sign: str, number: int | None = None) -> SafeText:
    """The left edge of a line."""
    count = trusted_text("" if number is None else str(number))
    return brush_paint(Style.RULE, joined(SafeText(f"{count:>{edge}}"), trusted_text(" "), trusted_text(sign)))


def _spot(place: Place) -> Place:
    """What tells two places apart that a reader sees."""
    return replace(place, because=None, path=place.path if place.line is None else None)


def _at(place: Place) -> tuple[int, int]:
    return (place.line or 0, place.column or 0)


def _marked(place: Place, marks: Iterable[Mark], brush: Brush, edge: int) -> Iterator[SafeText]:
    labels = {mark.label: mark.behind for mark in marks}
    text = None if place.line is None else brush.view.line(place.file, place.line)
    bar = gutter(brush.paint, edge, "|")
    if text is None:
        path = joined(brush.safe(place.path), trusted_text(": ")) if place.path else trusted_text("")
        for label in labels:
            yield joined(bar, trusted_text("  "), path, brush.paint(brush.style, label))
        return
    label = listed(labels, "; ")
    source, before, width = _window(text, place, brush.safe)
    yield joined(gutter(brush.paint, edge, "|", place.line), trusted_text(" "), source)
    sign = "-" if all(labels.values()) else "^"
    carets = joined(
        SafeText(" " * before), brush.paint(brush.style, joined(SafeText(sign * width), trusted_text(" "), label))
    )
    yield joined(bar, trusted_text(" "), carets)


def _window(text: str, place: Place, safe: Sanitizer) -> tuple[SafeText, int, int]:
    """As much of a line as fits, how far in the value begins, and how wide it is."""
    start = min(max((place.column or 1) - 1, 0), len(text))
    end = min(max((place.end_column or start + 2) - 1, start + 1), max(len(text), start + 1))
    first = 0 if len(text) <= WIDEST else max(start - BEFORE, 0)
    last = min(len(text), first + WIDEST)
    head, value, tail = (_spelled(text[left:right], safe) for left, right in _cut(first, start, min(end, last), last))
    opening, closing = trusted_text("…" if first else ""), trusted_text("…" if last < len(text) else "")
    width = max(_columns(value), 1)
    return joined(opening, head, value, tail, closing), _columns(joined(opening, head)), width


def _cut(first: int, start: int, end: int, last: int) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
    return (first, start), (start, end), (end, last)


def _spelled(text: str, safe: Sanitizer) -> SafeText:
    return safe(text.replace("\t", "    "), WIDEST * 4)


def _columns(text: str) -> int:
    """How many columns of a terminal the text takes."""
    if text.isascii():
        return len(text)
    import unicodedata

    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


MARKS = 6  # values shown in one frame
LEAD = 14  # columns before a note
OTHERS = 5  # further addresses named in one frame
FIX_LINES = 12  # of a remedy; all of it is on the policy's page

_FAULT_NAMES = {
    FaultCode.UNREADABLE: "unreadable",
    FaultCode.INCOMPLETE: "incomplete",
    FaultCode.DUPLICATE_KEY: "duplicate-key",
    FaultCode.INTERNAL: "internal",
}


class Frames:
    """Draws frames for one reader."""

    def __init__(self, view: ReportView, paint: Paint, safe: Sanitizer) -> None:
        self.view = view
        self.paint = paint
        self.safe = safe

    def group(self, group: FindingGroup) -> Iterator[SafeText]:
        """The first finding in full, the others by their address."""
        finding = group.first
        brush = Brush(view=self.view, paint=self.paint, safe=self.safe, style=SEVERITIES[group.word])
        marks = _marks(finding, self.safe)
        edge = edge_of(marks)
        yield self._title(group.word, f"{finding.policy.id} {finding.policy.name}", finding.message)
        yield self._arrow(edge, finding.place or Place(finding.file), subject(finding, self.safe))
        yield gutter(self.paint, edge, "|")
        yield from excerpt(marks[:MARKS], brush, file=(finding.place or Place(finding.file)).file, edge=edge)
        if len(marks) > MARKS:
            more = joined(trusted_text("  and "), number(len(marks) - MARKS), trusted_text(" more"))
            yield joined(gutter(self.paint, edge, "|"), more)
        yield gutter(self.paint, edge, "|")
        yield from self._notes(group, edge)

    def fault(self, fault: Fault) -> Iterator[SafeText]:
        """What could not be read or judged, and what to do about it."""
        code = f"{fault.code} {_FAULT_NAMES[fault.code]}" if fault.code is not FaultCode.INTERNAL else "internal"
        yield self._title("error" if fault.blocks else "warning", code, fault.message)
        if fault.place.file:
            yield self._arrow(2, fault.place, self.safe(fault.place.path or ""))
        if fault.hint:
            yield from self._note(2, "do", self._wrapped([fault.hint]))

    def _title(self, word: str, code: str, message: str) -> SafeText:
        style = SEVERITIES[word]
        head = joined(trusted_text(word), trusted_text("["), self.safe(code), trusted_text("]"))
        return joined(self.paint(style, head), trusted_text(" "), self.paint(Style.STRONG, self.safe(message, PROSE)))

    def _arrow(self, edge: int, place: Place, about: SafeText) -> SafeText:
        arrow = self.paint(Style.RULE, joined(SafeText(" " * edge), trusted_text("--> ")))
        return joined(arrow, where(place, self.safe), trusted_text("  " if about else ""), about)

    def _notes(self, group: FindingGroup, edge: int) -> Iterator[SafeText]:
        finding = group.first
        if finding.scenario and " when " not in finding.message:
            yield from self._note(edge, "when", [pairs(finding.scenario, self.safe, " = ")])
        if finding.construct:
            yield from self._note(edge, "made by", [self._construct(finding.construct)])
        if finding.waived is not None:
            yield from self._note(edge, "waived", self._wrapped([finding.waived]))
        yield from self._note(edge, "why", self._wrapped([first_sentence(finding.policy.rationale)]))
        if settle := _settling(finding):
            yield from self._note(edge, "settle it", self._wrapped(settle))
        if finding.outcome is Outcome.UNKNOWN and finding.blocks:
            yield from self._note(edge, "blocks", [_weight(finding)])
        if finding.fix:
            yield from self._note(edge, "fix", self._fix(finding.fix))
        if len(group.findings) > 1:
            yield from self._note(edge, "also", self._others(group.findings[1:]))
        yield from self._note(edge, "more", self._more(finding))

    def _construct(self, construct: Construct) -> SafeText:
        place = construct.place
        at = joined(trusted_text("  ("), where(place, self.safe), trusted_text(")")) if place else trusted_text("")
        return joined(self.safe(construct.path), at)

    def _more(self, finding: Finding) -> Iterator[SafeText]:
        page = joined(trusted_text("tablegate explain "), self.safe(finding.policy.id))
        docs = self.safe(finding.policy.docs)
        if len(page) + len(docs) + LEAD > self.view.width:
            yield page
            yield docs
        else:
            yield joined(page, trusted_text("   "), docs) if docs else page

    def _note(self, edge: int, word: str, lines: Iterable[SafeText]) -> Iterator[SafeText]:
        lead = joined(trusted_text(word), trusted_text(":"), SafeText(" " * max(6 - len(word), 1)))
        for at, line in enumerate(lines):
            if at == 0:
                yield joined(gutter(self.paint, edge, "="), trusted_text(" "), self.paint(Style.STRONG, lead), line)
            else:
                indent = SafeText(" " * (len(lead) + 1)) if line else trusted_text("")
                yield joined(gutter(self.paint, edge, "|"), indent, line)

    def _wrapped(self, texts: Iterable[str]) -> Iterator[SafeText]:
        width = max(self.view.width - LEAD, 40)
        for text in texts:
            yield from wrapped(self.safe(" ".join(text.split()), PROSE), width)

    def _fix(self, fix: str) -> Iterator[SafeText]:
        lines = self.safe.lines(fix)
        yield from lines[:FIX_LINES]
        if len(lines) > FIX_LINES:
            yield joined(trusted_text("and "), number(len(lines) - FIX_LINES), trusted_text(" more lines"))

    def _others(self, findings: tuple[Finding, ...]) -> Iterator[SafeText]:
        cap = len(findings) if self.view.detail is Detail.FULL else OTHERS
        for finding in findings[:cap]:
            place = finding.place
            at = joined(trusted_text("  "), where(place, self.safe)) if place and place.line else trusted_text("")
            yield joined(subject(finding, self.safe), at)
        if len(findings) > cap:
            yield joined(trusted_text("and "), number(len(findings) - cap), trusted_text(" more with the same cause"))


def _marks(finding: Finding, safe: Sanitizer) -> list[Mark]:
    """What is said of each value, where it stands or where its subject does."""
    here = replace(finding.place or Place(finding.file), path=None)
    marks: list[Mark] = []
    for value in _telling(finding):
        place = value.place or here
        marks.append(Mark(place=place, label=_label(value, finding, safe)))
        if place.because is not None:
            marks.append(Mark(place=place.because, label=trusted_text("because of this argument"), behind=True))
    return marks or [Mark(place=here, label=trusted_text("here"))]


def _label(value: Value[object], finding: Finding, safe: Sanitizer) -> SafeText:
    """What the title does not say already."""
    if value.doubt and not value.known and value.doubt.reason in finding.message:
        return joined(safe(value.name), trusted_text(" is not known"))
    label = statement(value, safe)
    return trusted_text("set here") if label == safe(finding.message, PROSE) else label


def _telling(finding: Finding) -> tuple[Value[object], ...]:
    """Of an unknown verdict, the values that are unknown come first."""
    if finding.outcome is not Outcome.UNKNOWN:
        return finding.evidence
    return tuple(sorted(finding.evidence, key=lambda value: value.origin is not Origin.UNKNOWN))


def _settling(finding: Finding) -> list[str]:
    if finding.outcome is not Outcome.UNKNOWN:
        return []
    settles = (value.doubt.settle for value in finding.evidence if value.doubt and not value.known)
    return list(dict.fromkeys(settle for settle in settles if settle))


def _weight(finding: Finding) -> SafeText:
    return joined(
        trusted_text("its severity is "), trusted_text(str(finding.severity)), trusted_text(' and unknown = "block"')
    )
