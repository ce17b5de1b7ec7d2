"""One table in several scenarios: which of its fields a predicate read, and which scenarios agree on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from tablegate.model.table import Table

T = TypeVar("T")

_FIELDS = tuple(field.name for field in fields(Table))
_WATCHED = frozenset(_FIELDS)
_PARTS = ("indexes", "local_indexes", "replicas")


@dataclass(frozen=True, slots=True)
class Scene:
    """A subject in the scenario of this number."""

    number: int
    subject: object


class Variants:
    """The scenarios of one table. A question is asked again only where the answer may differ."""

    def __init__(self, tables: Iterable[Table]) -> None:
        self._tables = tuple(tables)
        self._reads: set[str] = set()
        self._kinds: dict[str, tuple[int, ...]] = {}
        self.tables: tuple[Table, ...] = tuple(_watched(table, self._reads) for table in self._tables)
        self.scenarios = tuple(table.scenario or {} for table in self._tables)

    def answers(self, scenes: Sequence[Scene], ask: Callable[[object], T]) -> tuple[T, ...]:
        """The answer in each scene: of scenes that agree in all that was read, only the first is asked."""
        asked: list[tuple[Scene, frozenset[str], T]] = []
        answers = []
        for scene in scenes:
            known = next((answer for first, reads, answer in asked if self._agree(first, scene, reads)), None)
            if known is None:
                self._reads.clear()
                known = ask(scene.subject)
                asked.append((scene, frozenset(self._reads), known))
            answers.append(known)
        return tuple(answers)

    def _agree(self, one: Scene, other: Scene, reads: Iterable[str]) -> bool:
        if not isinstance(one.subject, Table) and one.subject != other.subject:
            return False
        return all(kinds[one.number] == kinds[other.number] for kinds in map(self._kinds_of, reads))

    def _kinds_of(self, name: str) -> tuple[int, ...]:
        """For each scenario, the number of the first one in which the field has the same value."""
        if name not in self._kinds:
            values = [getattr(table, name) for table in self._tables]
            self._kinds[name] = tuple(values.index(value) for value in values)
        return self._kinds[name]


class _Watched(Table):
    """A table that notes which of its fields are read."""

    __slots__ = ("reads",)
    reads: set[str]

    def __getattribute__(self, name: str) -> Any:
        if name in _WATCHED:
            object.__getattribute__(self, "reads").add(name)
        return object.__getattribute__(self, name)


def _watched(table: Table, reads: set[str]) -> Table:
    """A copy of the table, with parts of its own: what is read by way of a part is noted too."""
    copy = object.__new__(_Watched)
    object.__setattr__(copy, "reads", reads)
    for name in _FIELDS:
        value = getattr(table, name)
        if name in _PARTS and value.content:
            value = replace(value, content=tuple(replace(part) for part in value.content))
            for part in value.content:
                object.__setattr__(part, "table", copy)
        object.__setattr__(copy, name, value)
    return copy
