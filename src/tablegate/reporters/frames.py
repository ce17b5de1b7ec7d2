"""A finding or a fault as a block that can be read alone: what, where, why, and what to write instead.

Findings of one policy with the same message and fix share a block. The reason, page and fix of a policy are told once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

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
    columns,
    first_sentence,
    folded,
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
MAX_MARKS = 6  # values shown in one frame
MAX_OTHERS = 5  # further addresses named in one frame
MAX_FIX_LINES = 12  # of a fix; all of it is on the policy's page
_GAP = "  "
_GUTTER = 3  # columns of the bar and the spaces around it
_LEAD = 14  # columns before a note
_LABEL = 24  # columns that the first line of a label has beside its value, or it begins below

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
    """Findings of one policy with the same message and fix. The first is shown for all."""

    findings: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        """The finding that is shown."""
        return self.findings[0]

    @property
    def word(self) -> str:
        """The severity, or ``unknown`` or ``waived``."""
        return outcome_word(self.first)


def grouped(findings: Iterable[Finding], *, by_file: bool = False) -> tuple[FindingGroup, ...]:
    """The findings by severity, policy, file, line and address, in groups, for each file if so wanted."""
    by_rank: dict[_Rank, list[Finding]] = {}
    for finding in findings:
        by_rank.setdefault(_rank(finding), []).append(finding)
    ranked = (sorted(by_rank[rank], key=by_place) for rank in sorted(by_rank))
    return tuple([group for found in ranked for group in _by_message(found, by_file=by_file)])


def _by_message(findings: Iterable[Finding], *, by_file: bool) -> list[FindingGroup]:
    groups: dict[object, list[Finding]] = {}
    for finding in findings:
        scenario = tuple(sorted(finding.scenario.items())) if finding.scenario else ()
        also = tuple([(other.policy, other.severity) for other in finding.also])
        common = finding.file if by_file else finding.fix
        key = (finding.outcome, finding.waived, finding.blocks, finding.message, common, scenario, also)
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
        self._explained: set[str] = set()  # policies whose reason and page are printed already
        self._fixed: set[tuple[str, str]] = set()  # their fixes

    def group(self, group: FindingGroup) -> Iterator[SafeText]:
        """The first finding in full, the others by their address."""
        finding = group.first
        marks = _marks(finding, self.safe)
        place = finding.place or Place(finding.file)
        edge = _edge(marks)
        yield from self._title(group.word, f"{finding.policy.id} {finding.policy.name}", finding.message)
        yield from self._arrow(edge, place, subject(finding, self.safe))
        yield self._gutter(edge, "|")
        yield from self._excerpt(marks[:MAX_MARKS], SEVERITIES[group.word], main=place, edge=edge)
        if len(marks) > MAX_MARKS:
            more = joined(trusted_text("  ... and "), number(len(marks) - MAX_MARKS), trusted_text(" more"))
            yield joined(self._gutter(edge, "|"), more)
        yield self._gutter(edge, "|")
        yield from self._notes(group, edge)

    def fault(self, fault: Fault) -> Iterator[SafeText]:
        """What could not be read or checked, and what to do about it."""
        code = f"{fault.code} {_FAULT_NAMES[fault.code]}" if fault.code is not FaultCode.INTERNAL else "internal"
        yield from self._title("error" if fault.blocks else "warning", code, fault.message)
        if fault.place.file:
            yield from self._arrow(2, fault.place, self.safe.name(fault.place.path or ""))
        if fault.subjects:
            names = [self.safe.name(name) for name in fault.subjects[:MAX_OTHERS]]
            left = len(fault.subjects) - len(names)
            more = [joined(trusted_text("... and "), number(left), trusted_text(" more"))] if left else []
            yield from self._note(2, "at", [*names, *more])
        if fault.accepted is not None:
            yield from self._note(2, "accepted", self._wrapped([fault.accepted]))
        elif fault.hint:
            yield from self._note(2, "do", self._wrapped([fault.hint]))

    def also(self, names: SafeText) -> Iterator[SafeText]:
        """The further places of a fault."""
        return self._note(2, "also", wrapped(names, self._room))

    def _title(self, word: str, code: str, message: str) -> Iterator[SafeText]:
        head = joined(trusted_text(word), trusted_text("["), self.safe(code), trusted_text("]"))
        lead = self.paint(SEVERITIES[word], head)
        further = self._gutter(2, "|")
        room = self.view.width - _GUTTER - 2
        for at, line in enumerate(wrapped(self.safe(message, PROSE), room, columns(head) - columns(further))):
            yield joined(lead if at == 0 else further, trusted_text(" "), self.paint(Style.STRONG, line))

    def _arrow(self, edge: int, place: Place, about: SafeText) -> Iterator[SafeText]:
        arrow = self.paint(Style.RULE, joined(SafeText(" " * edge), trusted_text("--> ")))
        at = where(place, self.safe)
        if not about or edge + 4 + columns(at) + 2 + columns(about) <= self.view.width:
            yield joined(arrow, at, trusted_text("  " if about else ""), about)
        else:
            yield joined(arrow, at)
            yield joined(self._gutter(edge, "|"), trusted_text(_GAP), about)

    def _gutter(self, edge: int, sign: str, line: int | None = None) -> SafeText:
        """The left edge of a line, with its number if it has one."""
        count = "" if line is None else str(line)
        return self.paint(Style.RULE, joined(SafeText(f"{count:>{edge}}"), trusted_text(" "), trusted_text(sign)))

    def _excerpt(self, marks: Iterable[Mark], style: Style, *, main: Place, edge: int) -> Iterator[SafeText]:
        """The marked lines of each file in turn, the finding's own file first."""
        file = main.file
        by_file: dict[str, dict[Place, list[Mark]]] = {}
        for mark in marks:
            by_file.setdefault(mark.place.file, {}).setdefault(_visible(mark.place), []).append(mark)
        for name in sorted(by_file, key=lambda name: (name != file, name)):
            places = sorted(by_file[name], key=_line_and_column)
            if name != file:
                lead = joined(SafeText(" " * edge), trusted_text("::: "), where(places[0], self.safe))
                yield self.paint(Style.RULE, lead)
            for place in places:
                secondary = _line_and_column(place) != _line_and_column(main) or name != file
                yield from self._marked_line(place, by_file[name][place], style, edge=edge, secondary=secondary)

    def _marked_line(
        self, place: Place, marks: Iterable[Mark], style: Style, *, edge: int, secondary: bool
    ) -> Iterator[SafeText]:
        each = dict.fromkeys(mark.label for mark in marks)
        style = Style.RULE if secondary else style
        text = None if place.line is None else self.view.line(place.file, place.line)
        bar = self._gutter(edge, "|")
        room = self.view.width - edge - _GUTTER
        if text is None:
            path = joined(self.safe.name(place.path), trusted_text(": ")) if place.path else trusted_text("")
            for label in each:
                for at, line in enumerate(wrapped(label, room - 1, columns(path))):
                    lead = path if at == 0 else trusted_text("")
                    yield joined(bar, trusted_text(_GAP), lead, self.paint(style, line))
            return
        labels = listed(each, "; ")
        # Scrubbed before it is cut: the parts of a secret would not be recognised.
        source, before, width = _window(self.safe.scrub(text), place, self.safe, min(room, MAX_LINE))
        yield joined(self._gutter(edge, "|", place.line), trusted_text(" "), source)
        carets = SafeText(("-" if secondary else "^") * width)
        beside = room - before - width - 1
        fits = beside >= max(min(_LABEL, columns(labels)), *map(columns, labels.split(" ")))
        lines = list(wrapped(labels, beside)) if fits else [carets, *wrapped(labels, room)]
        indent = SafeText(" " * before)
        if fits:
            lines[0] = joined(carets, trusted_text(" "), lines[0])
            hanging = SafeText(" " * (before + width + 1))
        else:
            hanging = trusted_text("")
        for at, line in enumerate(lines):
            yield joined(bar, trusted_text(" "), indent if at == 0 else hanging, self.paint(style, line))

    def _notes(self, group: FindingGroup, edge: int) -> Iterator[SafeText]:
        finding = group.first
        explains = self._explains(finding.policy.id)
        for word, lines in (
            *self._about(finding),
            ("why", self._wrapped([first_sentence(finding.policy.rationale)] if explains else [])),
            ("resolve", self._wrapped(_remedies(finding))),
            ("blocks", [_why_it_blocks(finding)] if finding.outcome is Outcome.UNKNOWN and finding.blocks else []),
            ("fix", self._fix(finding.policy.id, finding.fix) if finding.fix else []),
            ("and", self._wrapped(map(_gathered_policy, finding.also))),
            ("also", self._others(group.findings)),
            ("more", self._more(finding) if explains else []),
        ):
            yield from self._note(edge, word, lines)

    def _about(self, finding: Finding) -> Iterator[tuple[str, Iterable[SafeText]]]:
        """What is special about the finding."""
        if finding.scenario and " when " not in finding.message:
            yield "when", wrapped(pairs(finding.scenario, self.safe, " = "), self._room)
        if finding.construct:
            yield "construct", wrapped(self._construct(finding.construct), self._room - 4)
        if finding.waived is not None:
            yield "waived", self._wrapped([finding.waived])

    def _explains(self, policy: str) -> bool:
        """Whether the reason of a policy has to be told: once, or for each finding if all are shown in full."""
        known = policy in self._explained and self.view.detail is not Detail.FULL
        self._explained.add(policy)
        return not known

    def _note(self, edge: int, word: str, lines: Iterable[SafeText]) -> Iterator[SafeText]:
        lead = joined(trusted_text(word), trusted_text(":"), SafeText(" " * max(6 - len(word), 1)))
        for at, line in enumerate(lines):
            if at == 0:
                yield joined(self._gutter(edge, "="), trusted_text(" "), self.paint(Style.STRONG, lead), line)
            else:
                indent = SafeText(" " * (len(lead) + 1)) if len(line) else trusted_text("")
                yield joined(self._gutter(edge, "|"), indent, line)

    @property
    def _room(self) -> int:
        """The columns of a note."""
        return max(self.view.width - _LEAD, 40)

    def _wrapped(self, texts: Iterable[str]) -> Iterator[SafeText]:
        for text in texts:
            yield from wrapped(self.safe(" ".join(text.split()), PROSE), self._room)

    def _construct(self, construct: Construct) -> SafeText:
        path = self.safe.name(construct.path)
        if construct.place is None:
            return path
        return joined(path, trusted_text("  ("), where(construct.place, self.safe), trusted_text(")"))

    def _fix(self, policy: str, fix: str) -> Iterator[SafeText]:
        if (policy, fix) in self._fixed and self.view.detail is not Detail.FULL:
            yield joined(trusted_text("as above, for "), self.safe(policy))
            return
        self._fixed.add((policy, fix))
        lines = self.safe.lines(fix)
        yield from lines[:MAX_FIX_LINES]
        if len(lines) > MAX_FIX_LINES:
            yield joined(trusted_text("... and "), number(len(lines) - MAX_FIX_LINES), trusted_text(" more lines"))

    def _others(self, findings: Sequence[Finding]) -> Iterator[SafeText]:
        """The findings after the first, each by its address and its place."""
        first, *others = findings
        limit = len(others) if self.view.detail is Detail.FULL else MAX_OTHERS
        for finding in others[:limit]:
            place = finding.place or Place(finding.file)
            at = [where(place, self.safe)] if place.line or finding.file != first.file else []
            program = [self._construct(finding.construct)] if finding.construct else []
            yield from folded([subject(finding, self.safe), *at, *program], _GAP, self._room, mark=_GAP)
        if len(others) > limit:
            left = number(len(others) - limit)
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


def _marks(finding: Finding, safe: Sanitizer) -> list[Mark]:
    """A label for each value, at its place or at its subject's."""
    subject_place = replace(finding.place or Place(finding.file), path=None)
    marks: list[Mark] = []
    for value in _unknown_first(finding):
        place = value.place or subject_place
        marks.append(Mark(place=place, label=_label(value, finding, safe)))
        if place.because is not None:
            marks.append(Mark(place=place.because, label=trusted_text("because of this argument")))
        if place.inside is not None:
            marks.append(Mark(place=place.inside, label=trusted_text("inside the module")))
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
    return replace(place, because=None, inside=None, path=place.path if place.line is None else None)


def _line_and_column(place: Place) -> tuple[int, int]:
    return (place.line or 0, place.column or 0)


def _window(text: str, place: Place, safe: Sanitizer, most: int) -> tuple[SafeText, int, int]:
    """As much of a line as fits, the column at which the value begins, and the value's width."""
    start = min(max((place.column or 1) - 1, 0), len(text))
    end = min(max((place.end_column or start + 2) - 1, start + 1), max(len(text), start + 1))
    most = most if len(text) <= most else most - 2  # the marks of what is left out
    first = 0 if end <= most or start <= most // 2 else start - most // 2
    last = min(len(text), first + most)
    stop = min(end, last)
    head, value, tail = (_expanded(part, safe) for part in (text[first:start], text[start:stop], text[stop:last]))
    head = joined(trusted_text("…" if first else ""), head)
    tail = joined(tail, trusted_text("…" if last < len(text) else ""))
    return joined(head, value, tail), columns(head), max(columns(value), 1)


def _expanded(text: str, safe: Sanitizer) -> SafeText:
    return safe.name(text.replace("\t", "    "), MAX_LINE * 4)  # the whole line is scrubbed already
