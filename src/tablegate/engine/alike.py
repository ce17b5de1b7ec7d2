"""Grants that differ in names alone: a verdict that needs none of them is asked for once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING

from tablegate.access.grants import Grant
from tablegate.access.holders import Holder
from tablegate.access.outlines import Withheld, outlines
from tablegate.engine.ask import Answer
from tablegate.model.record import record
from tablegate.model.value import Verdict

if TYPE_CHECKING:
    from tablegate.engine.subjects import Stand

_MOST = 1024  # shapes of holders that are kept


@record(eq=False, kw_only=False)
class Alike:
    """Stands by their numbers: those whose grants have one outline, outline by outline, and those that have none.

    ``verdict`` is that on every grant of an outline, where the outline is enough for it.
    """

    outlined: Sequence[tuple[Grant, Sequence[int]]]
    apart: Sequence[int]
    verdict: Callable[[Callable[[object], Answer], Grant], Verdict | None]


class Outlined:
    """The outlines of a run's grants, and the verdicts on them: those of one estate are much like those of the next."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._of_shapes: dict[Hashable, Holder] = {}
        self._verdicts: dict[tuple[Callable[[object], Answer], Grant], Verdict | None] = {}

    def alike(self, holders: Iterable[Holder], stands: Sequence[Stand]) -> Alike:
        """The stands of grants that have an outline, gathered by it, and the others."""
        if len(self._of_shapes) >= self._most:
            self._of_shapes.clear()
            self._verdicts.clear()
        known = outlines(holders, self._of_shapes)
        found: dict[Grant, list[int]] = {}
        apart: list[int] = []
        for number, stand in enumerate(stands):
            outline = known.get(stand.subject) if isinstance(stand.subject, Grant) and not stand.shared else None
            (apart if outline is None else found.setdefault(outline, [])).append(number)
        return Alike(tuple(found.items()), apart, self._verdict)

    def _verdict(self, ask: Callable[[object], Answer], outline: Grant) -> Verdict | None:
        """What makes a finding is never shared: it tells names."""
        key = (ask, outline)
        if key in self._verdicts:
            return self._verdicts[key]
        before = Withheld.times
        answer = ask(outline)
        found = None
        if isinstance(answer, Verdict) and answer.truth is True and Withheld.times == before:
            found = answer
        self._verdicts[key] = found
        return found
