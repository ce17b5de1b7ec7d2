"""One finding as a block with its lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tablegate.findings import Fault, FaultCode, Finding, Outcome, by_place
from tablegate.model.record import record, replace
from tablegate.model.table import Construct
from tablegate.model.value import Origin, Place, Value
from tablegate.policy.declare import Severity
from tablegate.reporters.safe import PROSE, Shower, Shown, joined, own
from tablegate.reporters.wording import (
    SEVERITIES,
    Detail,
    Look,
    Paint,
    Style,
    first_sentence,
    listed,
    number,
    pairs,
    said,
    subject,
    where,
    wrapped,
)

_RANK = {severity: rank for rank, severity in enumerate(Severity)}
_FAILS = Outcome.FAILS

Row = tuple[int, str, bool]


@record(kw_only=False)
class Cause:
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


def causes(findings: Iterable[Finding]) -> tuple[Cause, ...]:
    """The findings by severity, policy, file, line and address, gathered by cause."""
    rows: dict[Row, list[Finding]] = {}
    for finding in findings:
        rows.setdefault(_row(finding), []).append(finding)
    return tuple([cause for row in sorted(rows) for cause in _gathered(sorted(rows[row], key=by_place))])


def _gathered(row: Iterable[Finding]) -> list[Cause]:
    gathered: dict[object, list[Finding]] = {}
    for finding in row:
        scenario = tuple(sorted(finding.scenario.items())) if finding.scenario else ()
        same = (finding.outcome, finding.waived, finding.blocks, finding.message, finding.file, scenario)
        gathered.setdefault(same, []).append(finding)
    return [Cause(findings=tuple(group)) for group in gathered.values()]


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
    label: Shown
    behind: bool = False  # what stands there is the reason for what stands elsewhere


@record(kw_only=False)
class Brush:
    """What an excerpt is drawn with."""

    look: Look
    paint: Paint
    show: Shower
    style: Style


def excerpt(marks: Iterable[Mark], brush: Brush, *, file: str, edge: int) -> Iterator[Shown]:
    """The marked lines of each file in turn, the finding's own file first."""
    gathered: dict[str, dict[Place, list[Mark]]] = {}
    for mark in marks:
        gathered.setdefault(mark.place.file, {}).setdefault(_spot(mark.place), []).append(mark)
    for name in sorted(gathered, key=lambda name: (name != file, name)):
        if name != file:
            first = where(min(gathered[name], key=_at), brush.show)
            yield brush.paint(Style.RULE, joined(Shown(" " * edge), own("::: "), first))
        for place in sorted(gathered[name], key=_at):
            yield from _marked(place, gathered[name][place], brush, edge)


def edge_of(marks: Iterable[Mark]) -> int:
    """The width of the widest line number, and a little."""
    return max((len(str(mark.place.line)) for mark in marks if mark.place.line is not None), default=1) + 1


def gutter(brush_paint: Paint, edge: int, sign: str, number: int | None = None) -> Shown:
    """The left edge of a line."""
    count = own("" if number is None else str(number))
    return brush_paint(Style.RULE, joined(Shown(f"{count:>{edge}}"), own(" "), own(sign)))


def _spot(place: Place) -> Place:
    """What tells two places apart that a reader sees."""
    return replace(place, because=None, path=place.path if place.line is None else None)


def _at(place: Place) -> tuple[int, int]:
    return (place.line or 0, place.column or 0)


def _marked(place: Place, marks: Iterable[Mark], brush: Brush, edge: int) -> Iterator[Shown]:
    labels = {mark.label: mark.behind for mark in marks}
    text = None if place.line is None else brush.look.line(place.file, place.line)
    bar = gutter(brush.paint, edge, "|")
    if text is None:
        path = joined(brush.show(place.path), own(": ")) if place.path else own("")
        for label in labels:
            yield joined(bar, own("  "), path, brush.paint(brush.style, label))
        return
    label = listed(labels, "; ")
    source, before, width = _window(text, place, brush.show)
    yield joined(gutter(brush.paint, edge, "|", place.line), own(" "), source)
    sign = "-" if all(labels.values()) else "^"
    carets = joined(Shown(" " * before), brush.paint(brush.style, joined(Shown(sign * width), own(" "), label)))
    yield joined(bar, own(" "), carets)


def _window(text: str, place: Place, show: Shower) -> tuple[Shown, int, int]:
    """As much of a line as fits, how far in the value begins, and how wide it is."""
    start = min(max((place.column or 1) - 1, 0), len(text))
    end = min(max((place.end_column or start + 2) - 1, start + 1), max(len(text), start + 1))
    first = 0 if len(text) <= WIDEST else max(start - BEFORE, 0)
    last = min(len(text), first + WIDEST)
    head, value, tail = (_spelled(text[left:right], show) for left, right in _cut(first, start, min(end, last), last))
    opening, closing = own("…" if first else ""), own("…" if last < len(text) else "")
    width = max(_columns(value), 1)
    return joined(opening, head, value, tail, closing), _columns(joined(opening, head)), width


def _cut(first: int, start: int, end: int, last: int) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
    return (first, start), (start, end), (end, last)


def _spelled(text: str, show: Shower) -> Shown:
    return show(text.replace("\t", "    "), WIDEST * 4)


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

    def __init__(self, look: Look, paint: Paint, show: Shower) -> None:
        self.look = look
        self.paint = paint
        self.show = show

    def cause(self, cause: Cause) -> Iterator[Shown]:
        """The first finding in full, the others by their address."""
        finding = cause.first
        brush = Brush(look=self.look, paint=self.paint, show=self.show, style=SEVERITIES[cause.word])
        marks = _marks(finding, self.show)
        edge = edge_of(marks)
        yield self._title(cause.word, f"{finding.policy.id} {finding.policy.name}", finding.message)
        yield self._arrow(edge, finding.place or Place(finding.file), subject(finding, self.show))
        yield gutter(self.paint, edge, "|")
        yield from excerpt(marks[:MARKS], brush, file=(finding.place or Place(finding.file)).file, edge=edge)
        if len(marks) > MARKS:
            more = joined(own("  and "), number(len(marks) - MARKS), own(" more"))
            yield joined(gutter(self.paint, edge, "|"), more)
        yield gutter(self.paint, edge, "|")
        yield from self._notes(cause, edge)

    def fault(self, fault: Fault) -> Iterator[Shown]:
        """What could not be read or judged, and what to do about it."""
        code = f"{fault.code} {_FAULT_NAMES[fault.code]}" if fault.code is not FaultCode.INTERNAL else "internal"
        yield self._title("error" if fault.blocks else "warning", code, fault.message)
        if fault.place.file:
            yield self._arrow(2, fault.place, self.show(fault.place.path or ""))
        if fault.hint:
            yield from self._note(2, "do", self._wrapped([fault.hint]))

    def _title(self, word: str, code: str, message: str) -> Shown:
        style = SEVERITIES[word]
        head = joined(own(word), own("["), self.show(code), own("]"))
        return joined(self.paint(style, head), own(" "), self.paint(Style.STRONG, self.show(message, PROSE)))

    def _arrow(self, edge: int, place: Place, about: Shown) -> Shown:
        arrow = self.paint(Style.RULE, joined(Shown(" " * edge), own("--> ")))
        return joined(arrow, where(place, self.show), own("  " if about else ""), about)

    def _notes(self, cause: Cause, edge: int) -> Iterator[Shown]:
        finding = cause.first
        if finding.scenario and " when " not in finding.message:
            yield from self._note(edge, "when", [pairs(finding.scenario, self.show, " = ")])
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
        if len(cause.findings) > 1:
            yield from self._note(edge, "also", self._others(cause.findings[1:]))
        yield from self._note(edge, "more", self._more(finding))

    def _construct(self, construct: Construct) -> Shown:
        place = construct.place
        at = joined(own("  ("), where(place, self.show), own(")")) if place else own("")
        return joined(self.show(construct.path), at)

    def _more(self, finding: Finding) -> Iterator[Shown]:
        page = joined(own("tablegate explain "), self.show(finding.policy.id))
        docs = self.show(finding.policy.docs)
        if len(page) + len(docs) + LEAD > self.look.width:
            yield page
            yield docs
        else:
            yield joined(page, own("   "), docs) if docs else page

    def _note(self, edge: int, word: str, lines: Iterable[Shown]) -> Iterator[Shown]:
        lead = joined(own(word), own(":"), Shown(" " * max(6 - len(word), 1)))
        for at, line in enumerate(lines):
            if at == 0:
                yield joined(gutter(self.paint, edge, "="), own(" "), self.paint(Style.STRONG, lead), line)
            else:
                indent = Shown(" " * (len(lead) + 1)) if line else own("")
                yield joined(gutter(self.paint, edge, "|"), indent, line)

    def _wrapped(self, texts: Iterable[str]) -> Iterator[Shown]:
        width = max(self.look.width - LEAD, 40)
        for text in texts:
            yield from wrapped(self.show(" ".join(text.split()), PROSE), width)

    def _fix(self, fix: str) -> Iterator[Shown]:
        lines = self.show.lines(fix)
        yield from lines[:FIX_LINES]
        if len(lines) > FIX_LINES:
            yield joined(own("and "), number(len(lines) - FIX_LINES), own(" more lines"))

    def _others(self, findings: tuple[Finding, ...]) -> Iterator[Shown]:
        cap = len(findings) if self.look.detail is Detail.FULL else OTHERS
        for finding in findings[:cap]:
            place = finding.place
            at = joined(own("  "), where(place, self.show)) if place and place.line else own("")
            yield joined(subject(finding, self.show), at)
        if len(findings) > cap:
            yield joined(own("and "), number(len(findings) - cap), own(" more with the same cause"))


def _marks(finding: Finding, show: Shower) -> list[Mark]:
    """What is said of each value, where it stands or where its subject does."""
    here = replace(finding.place or Place(finding.file), path=None)
    marks: list[Mark] = []
    for value in _telling(finding):
        place = value.place or here
        marks.append(Mark(place=place, label=_label(value, finding, show)))
        if place.because is not None:
            marks.append(Mark(place=place.because, label=own("because of this argument"), behind=True))
    return marks or [Mark(place=here, label=own("here"))]


def _label(value: Value[object], finding: Finding, show: Shower) -> Shown:
    """What the title does not say already."""
    if value.doubt and not value.known and value.doubt.reason in finding.message:
        return joined(show(value.name), own(" is not known"))
    label = said(value, show)
    return own("set here") if label == show(finding.message, PROSE) else label


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


def _weight(finding: Finding) -> Shown:
    return joined(own("its severity is "), own(str(finding.severity)), own(' and unknown = "block"'))
