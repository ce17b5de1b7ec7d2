"""Findings in a line for each policy: how many, and the first of their addresses."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from itertools import islice

from tablegate.findings import Finding
from tablegate.model.value import Place
from tablegate.reporters.causes import Cause, in_order
from tablegate.reporters.paint import SEVERITIES, Paint
from tablegate.reporters.safe import Shower, Shown, joined, own
from tablegate.reporters.words import listed, number, subject, where

NAMED = 3  # addresses in a line
BETWEEN = "  "


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
        room = self._width - words - widest - most - 4 * len(BETWEEN)
        for ((word, _, _), row), name, every in zip(rows.items(), names, counts, strict=True):
            lead = self._paint(SEVERITIES[word], Shown(f"{word:<{words}}"))
            count = Shown(f"{number(every):>{most}}")
            yield listed((own(""), lead, Shown(f"{name:<{widest}}"), count, self._named(row, every, room)), BETWEEN)

    def _named(self, row: list[Cause], every: int, room: int) -> Shown:
        """As many as fit, and one at least."""
        named: list[Shown] = []
        for finding in islice(merge(*(cause.findings for cause in row), key=in_order), NAMED):
            name = self._one(finding)
            room -= len(name) + len(BETWEEN)
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
