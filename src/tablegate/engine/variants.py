"""One table in several scenarios: which of its fields a predicate read, and which scenarios agree on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import compress
from operator import is_not
from typing import Any, TypeVar

from tablegate.model.record import contents, names_of, record, replace, wire
from tablegate.model.table import Table

T = TypeVar("T")

_SLOTS: Mapping[str, Any] = {name: vars(Table)[name] for name in names_of(Table)}
_PARTS = ("indexes", "local_indexes", "replicas")


@record(kw_only=False)
class Scene:
    """A subject in one scenario, and the number that the scenario has among those of the subject's table."""

    number: int
    subject: object
    scenario: Mapping[str, str]


class Variants:
    """The scenarios of one table. A question is asked again only where the answer may differ."""

    def __init__(self, tables: Iterable[Table]) -> None:
        self.tables = tuple(tables)
        self._kinds = _kinds(self.tables)
        self.reads = _watch(self.tables, frozenset(self._kinds))

    def answers(self, scenes: Sequence[Scene], ask: Callable[[object], T], first: T) -> list[T]:
        """The answer in each scene. The first was just given, and what it needed is in ``reads``.

        Of scenes that agree in all that was read, only the first is asked.
        """
        reads = self.reads
        asked = [(scenes[0], tuple(reads), first)]
        answers = [first]
        for scene in scenes[1:]:
            for other, read, answer in asked:
                if self._agree(other, scene, read):
                    answers.append(answer)
                    break
            else:
                reads.clear()
                answers.append(ask(scene.subject))
                asked.append((scene, tuple(reads), answers[-1]))
        reads.clear()
        return answers

    def _agree(self, one: Scene, other: Scene, reads: Iterable[str]) -> bool:
        kinds, at, there = self._kinds, one.number, other.number
        for name in reads:
            if kinds[name][at] != kinds[name][there]:
                return False
        return one.subject == other.subject or isinstance(one.subject, Table)


def are_alike(scenes: Sequence[Scene]) -> bool:
    """Whether the subjects are tables, or parts that are equal but for their tables."""
    first = scenes[0].subject
    return isinstance(first, Table) or all(scene.subject == first for scene in scenes[1:])


def _kinds(tables: Sequence[Table]) -> dict[str, tuple[int, ...]]:
    """Of each field that differs, by scenario: the number of the first one in which it has the same value."""
    first, *others = map(contents, tables)
    moved = {name for other in others for name in compress(_SLOTS, map(is_not, first, other))}
    kinds = {}
    for name in moved:
        values = [getattr(table, name) for table in tables]
        found = tuple(map(values.index, values))
        if any(found):
            kinds[name] = found
    return kinds


def _watch(tables: Iterable[Table], names: frozenset[str]) -> set[str]:
    """Let the tables note, in this set, which of the fields are read: through their parts too, which lead to them.

    Each becomes an instance of a class that differs in nothing else.
    """
    watching, reads = _watching(names)
    for table in tables:
        _own_parts(table)
        wire(table, "__class__", watching)
    return reads


def _own_parts(table: Table) -> None:
    """Give the table parts of its own, where those it has lead to the table of another scenario."""
    for name in _PARTS:
        value = getattr(table, name)
        if value.content and value.content[0].table is not table:
            value = replace(value, content=tuple(map(replace, value.content)))
            for part in value.content:
                wire(part, "table", table)
            wire(table, name, value)


@cache
def _watching(names: frozenset[str]) -> tuple[type[Table], set[str]]:
    reads: set[str] = set()
    noted = {name: _noted(name, reads) for name in names}
    return type("Watched", (Table,), noted), reads


def _noted(name: str, reads: set[str]) -> property:
    read = _SLOTS[name].__get__

    def get(table: Table) -> Any:
        reads.add(name)
        return read(table)

    return property(get)
