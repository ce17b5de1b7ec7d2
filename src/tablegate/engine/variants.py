"""One table in several scenarios: which of its fields a predicate read, and which scenarios agree on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, TypeVar

from tablegate.model.table import Table

T = TypeVar("T")

_SLOTS: Mapping[str, Any] = {field.name: vars(Table)[field.name] for field in fields(Table)}
_PARTS = ("indexes", "local_indexes", "replicas")


@dataclass(frozen=True, slots=True)
class Scene:
    """A subject in the scenario of this number."""

    number: int
    subject: object


class Variants:
    """The scenarios of one table. A question is asked again only where the answer may differ."""

    def __init__(self, tables: Iterable[Table]) -> None:
        originals = tuple(tables)
        self._kinds = _kinds(originals)
        self._reads: set[str] = set()
        watched = _watching(frozenset(self._kinds))
        self.tables = tuple(_copied(table, watched, self._reads) for table in originals)
        self.scenarios = tuple(table.scenario or {} for table in originals)

    def answers(self, scenes: Sequence[Scene], ask: Callable[[object], T]) -> tuple[T, ...]:
        """The answer in each scene: of scenes that agree in all that was read, only the first is asked."""
        self._reads.clear()
        first = ask(scenes[0].subject)
        asked = [(scenes[0], frozenset(self._reads), first)]
        if not self._reads and _are_alike(scenes):
            return (first,) * len(scenes)
        answers = [first]
        for scene in scenes[1:]:
            known = next((answer for other, reads, answer in asked if self._agree(other, scene, reads)), None)
            if known is None:
                self._reads.clear()
                known = ask(scene.subject)
                asked.append((scene, frozenset(self._reads), known))
            answers.append(known)
        return tuple(answers)

    def _agree(self, one: Scene, other: Scene, reads: Iterable[str]) -> bool:
        if not isinstance(one.subject, Table) and one.subject != other.subject:
            return False
        return all(self._kinds[name][one.number] == self._kinds[name][other.number] for name in reads)


def _are_alike(scenes: Sequence[Scene]) -> bool:
    first = scenes[0].subject
    return isinstance(first, Table) or all(scene.subject == first for scene in scenes)


def _kinds(tables: Sequence[Table]) -> dict[str, tuple[int, ...]]:
    """Of each field that differs, by scenario: the number of the first one in which it has the same value."""
    kinds = {}
    first, *others = tables
    for name, slot in _SLOTS.items():
        value = slot.__get__(first)
        if any(slot.__get__(other) is not value for other in others):
            values = [slot.__get__(table) for table in tables]
            found = tuple(values.index(value) for value in values)
            if any(found):
                kinds[name] = found
    return kinds


@cache
def _watching(names: frozenset[str]) -> type[Table]:
    """A table that notes which of these fields are read. The others are the same in every scenario."""
    noted = {name: _noted(name) for name in names}
    return type("Watched", (Table,), {"__slots__": ("reads",), **noted})


def _noted(name: str) -> property:
    read = _SLOTS[name].__get__

    def get(table: Any) -> Any:
        table.reads.add(name)
        return read(table)

    return property(get)


def _copied(table: Table, watched: type[Table], reads: set[str]) -> Table:
    """A copy that is watched, with parts of its own: what is read by way of a part is noted too."""
    copy = object.__new__(watched)
    object.__setattr__(copy, "reads", reads)
    for name, slot in _SLOTS.items():
        value = slot.__get__(table)
        if name in _PARTS and value.content:
            value = replace(value, content=tuple(replace(part) for part in value.content))
            for part in value.content:
                object.__setattr__(part, "table", copy)
        slot.__set__(copy, value)
    return copy
