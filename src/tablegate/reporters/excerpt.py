"""The lines of a template that a finding is about, with the values under them marked and said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tablegate.model.record import record, replace
from tablegate.model.value import Place
from tablegate.reporters.look import Look
from tablegate.reporters.paint import Paint, Style
from tablegate.reporters.safe import Shower, Shown, joined, own
from tablegate.reporters.words import listed, where

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
