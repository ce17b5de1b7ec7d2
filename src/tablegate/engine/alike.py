"""Grants that differ in names alone: a verdict that needs none of them is asked for once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from tablegate.access.grants import Grant
from tablegate.access.holders import Holder
from tablegate.access.outlines import Withheld, outlines
from tablegate.engine.ask import Answer
from tablegate.model.record import record
from tablegate.model.value import Verdict

if TYPE_CHECKING:
    from tablegate.engine.subjects import Stand


@record(eq=False, kw_only=False)
class Alike:
    """Stands, by their numbers, whose grants have one outline."""

    outline: Grant
    numbers: Sequence[int]

    def verdict(self, ask: Callable[[object], Answer]) -> Verdict | None:
        """The verdict on every one of them, where the outline is enough for it.

        What makes a finding is never shared: it tells names.
        """
        before = Withheld.times
        answer = ask(self.outline)
        if isinstance(answer, Verdict) and answer.truth is True and Withheld.times == before:
            return answer
        return None


def alike(holders: Iterable[Holder], stands: Sequence[Stand]) -> tuple[Alike, ...]:
    """The stands of grants that have an outline, gathered by it."""
    known = outlines(holders)
    found: dict[Grant, list[int]] = {}
    for number, stand in enumerate(stands):
        outline = known.get(stand.subject) if isinstance(stand.subject, Grant) and not stand.shared else None
        if outline is not None:
            found.setdefault(outline, []).append(number)
    return tuple(Alike(outline, numbers) for outline, numbers in found.items())
