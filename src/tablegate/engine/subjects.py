"""What there is to judge; scenarios of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import compress
from operator import attrgetter, is_not
from typing import Any, TypeVar

from tablegate.iam.grants import Grant, Unread
from tablegate.iam.holders import Holder
from tablegate.model.estate import Change, DaxCluster, Estate, LegacyGlobalTable, with_tables
from tablegate.model.record import contents, names_of, record, replace, wire
from tablegate.model.table import Construct, Dialect, Index, Replica, Table
from tablegate.model.value import Place, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.engine.judge import Running
    from tablegate.engine.outlines import Alike


T = TypeVar("T")

_PARTS = ("indexes", "local_indexes", "replicas")


class ObservedTable(Table):
    """A table that notes in ``reads`` which of some fields are read, also by way of its parts, which are its own."""

    if TYPE_CHECKING:
        reads: set[str]

    def __post_init__(self) -> None:
        wire(self, "reads", set())
        for name in _PARTS:
            value = getattr(self, name)
            parts = tuple(map(replace, value.content or ()))
            for part in parts:
                wire(part, "table", self)
            if parts:
                wire(self, name, replace(value, content=parts))


@lru_cache
def _observing(names: frozenset[str]) -> type[ObservedTable]:
    """The class of tables that note when one of these fields is read: other fields are read at full speed."""
    return type("ObservedTable", (ObservedTable,), {name: _observed(name) for name in names})


def _observed(name: str) -> property:
    slot = vars(Table)[name]
    read = slot.__get__

    def get(table: ObservedTable) -> Any:
        table.reads.add(name)
        return read(table)

    return property(get, slot.__set__)


@record(kw_only=False)
class Scene:
    """A subject in one scenario, and the table that it is a part of, or is itself."""

    number: int
    subject: object
    scenario: Mapping[str, str]


class Variants:
    """The scenarios of one table. A question is asked again only where the answer may differ.

    ``tables`` are observed copies of the tables that are given.
    """

    def __init__(self, tables: Sequence[Table]) -> None:
        names = names_of(Table)
        self._kinds = _kinds(tables)
        observing = _observing(frozenset(self._kinds))
        self.tables = tuple(observing(**dict(zip(names, contents(table), strict=True))) for table in tables)
        self.observed = {id(table): copy for table, copy in zip(tables, self.tables, strict=True)}

    def answers(self, scenes: Sequence[Scene], ask: Callable[[object], T], *, alike: bool) -> list[T]:
        """The answer in each scene, or a single one for all of them.

        Of scenes that agree in all that was read, only the first is asked. ``alike`` tells that their subjects differ
        in nothing but their tables.
        """
        first, reads = self._asked(scenes[0], ask)
        if alike and not reads:
            return [first]
        asked = [(scenes[0], reads, first)]
        answers = [first]
        for scene in scenes[1:]:
            known = [answer for other, reads, answer in asked if self._agree(other, scene, reads)]
            if not known:
                answer, reads = self._asked(scene, ask)
                asked.append((scene, reads, answer))
                known = [answer]
            answers.append(known[0])
        return answers

    def _asked(self, scene: Scene, ask: Callable[[object], T]) -> tuple[T, tuple[str, ...]]:
        reads = self.tables[scene.number].reads
        reads.clear()
        return ask(scene.subject), tuple(reads)

    def _agree(self, one: Scene, other: Scene, reads: Iterable[str]) -> bool:
        for name in reads:
            kinds = self._kinds[name]
            if kinds[one.number] != kinds[other.number]:
                return False
        return one.subject == other.subject or isinstance(one.subject, Table)


def are_alike(scenes: Sequence[Scene]) -> bool:
    """Whether the subjects are tables, or parts that are equal but for their tables."""
    first = scenes[0].subject
    return isinstance(first, Table) or all(scene.subject == first for scene in scenes[1:])


def _kinds(tables: Sequence[Table]) -> dict[str, tuple[int, ...]]:
    """Of each field that differs, by scenario: the number of the first one in which it has the same value."""
    first, *others = map(contents, tables)
    moved = {name for other in others for name in compress(names_of(Table), map(is_not, first, other))}
    kinds = {}
    for name in moved:
        values = [getattr(table, name) for table in tables]
        found = tuple(map(values.index, values))
        if any(found):
            kinds[name] = found
    return kinds


Part = Mapping[str, str]


@record(kw_only=False)
class Site:
    """Where a finding about a subject belongs, and what an override can know it by."""

    file: str
    dialect: Dialect
    address: str
    place: Place | None
    part: Part | None = None
    tags: Value[Mapping[str, str | None]] | None = None
    construct: Construct | None = None
    type: str | None = None  # of the resource that declares the table
    spelling: str | None = None  # of a template: json or yaml


@record(eq=False, kw_only=False)
class Stand:
    """A subject at its site. ``scenes`` are for a subject that is in several scenarios.

    ``shared`` holds a statement once for each of its holders, where there are several.
    ``doubt`` stands for subjects that cannot be listed: there is nothing to ask a predicate about.
    ``is_one`` tells that none of these is set, and one answer is enough.
    """

    site: Site
    subject: object
    scenes: tuple[Scene, ...] = ()
    variants: Variants | None = None
    shared: tuple[Grant, ...] = ()
    doubt: tuple[Value[object], ...] = ()
    is_one: bool = True
    alike: bool = False  # the subjects in all scenes, but for their tables


class Subjects:
    """The subjects of one estate. Each sort is listed when a policy first asks for it."""

    def __init__(self, estate: Estate) -> None:
        self.groups = [_Group(tables) for tables in _by_address(estate.tables)]
        observed = [group.variants for group in self.groups if group.variants]
        self.estate = with_tables(estate, {key: table for each in observed for key, table in each.observed.items()})
        self._listed: dict[type, tuple[Stand, ...]] = {}
        self._alike: Alike | None = None

    def of(self, sort: type) -> tuple[Stand, ...]:
        """All subjects of one sort, in the estate's order."""
        if sort not in self._listed:
            self._listed[sort] = tuple(_LISTERS[sort](self))
        return self._listed[sort]

    def alike(self, sort: type, running: Running) -> Alike | None:
        """Which subjects of one sort differ in nothing but names."""
        if sort is not Grant or not self.estate.grants:
            return None
        if self._alike is None:
            self._alike = running.outlined.alike(self.estate.holders, self.of(Grant))
        return self._alike

    def site(self, subject: Any, part: Part | None = None, place: Place | None = None) -> Site:
        """Where a subject of this estate stands, or a part of it."""
        tags, type_ = (subject.tags, subject.type) if isinstance(subject, Table) else (None, None)
        own = subject.place if place is None else place
        estate, address = self.estate, subject.address
        construct = estate.constructs.get(address)
        return Site(estate.file, estate.dialect, address, own, part, tags, construct, type_, estate.spelling)


class _Group:
    """One table, in each of its scenarios."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self.variants = Variants(tables) if len(tables) > 1 else None
        self.tables = self.variants.tables if self.variants else tuple(tables)
        self.first = self.tables[0]

    def stand(self, site: Site, scenes: list[Scene]) -> Stand:
        """The stand of this table, or of the part of it that is seen in these scenes."""
        if self.variants is None:
            return Stand(site, scenes[0].subject)
        return Stand(site, scenes[0].subject, tuple(scenes), self.variants, is_one=False, alike=are_alike(scenes))


def _by_address(items: Iterable[T]) -> Iterable[list[T]]:
    gathered: dict[str, list[T]] = {}
    for item in items:
        gathered.setdefault(item.address, []).append(item)  # type: ignore[attr-defined]  # each subject has one
    return gathered.values()


def _scenes(items: Iterable[Table | DaxCluster | LegacyGlobalTable]) -> list[Scene]:
    return [Scene(number, item, item.scenario or {}) for number, item in enumerate(items)]


def _tables(subjects: Subjects) -> Iterator[Stand]:
    for group in subjects.groups:
        yield group.stand(subjects.site(group.first), _scenes(group.tables))


def _indexes(subjects: Subjects) -> Iterator[Stand]:
    for group in subjects.groups:
        values = [(table.indexes, table.local_indexes) for table in group.tables]
        yield from _parts(subjects, group, values, "index", attrgetter("name"))


def _replicas(subjects: Subjects) -> Iterator[Stand]:
    for group in subjects.groups:
        values = [(table.replicas,) for table in group.tables]
        yield from _parts(subjects, group, values, "replica", attrgetter("region"))


def _parts(
    subjects: Subjects,
    group: _Group,
    values: Sequence[tuple[Value[Any], ...]],
    kind: str,
    naming: Callable[[Any], Value[str]],
) -> Iterator[Stand]:
    """A table's parts, matched over its scenarios by name; those that cannot be listed are one doubt of the table."""
    found: dict[tuple[str, int], list[Scene]] = {}
    doubts: dict[Value[object], None] = {}
    for number, collections in enumerate(values):
        seen: dict[str, int] = {}
        for value in collections:
            if not value.content:
                if not value.known:
                    doubts[value] = None
                continue
            scenario = group.tables[number].scenario or {}
            for part in value.content:
                name = naming(part).content or "?"
                seen[name] = seen.get(name, 0) + 1
                found.setdefault((name, seen[name]), []).append(Scene(number, part, scenario))
    if doubts:
        yield Stand(subjects.site(group.first), group.first, doubt=tuple(doubts), is_one=False)
    for (name, _), scenes in found.items():
        place = scenes[0].subject.place  # type: ignore[attr-defined]  # each part has one
        yield group.stand(subjects.site(group.first, {kind: name}, place), scenes)


def _clusters(subjects: Subjects) -> Iterator[Stand]:
    return _apart(subjects, subjects.estate.dax_clusters)


def _legacy(subjects: Subjects) -> Iterator[Stand]:
    return _apart(subjects, subjects.estate.legacy_global_tables)


def _apart(subjects: Subjects, items: Iterable[DaxCluster | LegacyGlobalTable]) -> Iterator[Stand]:
    for several in _by_address(items):
        site = subjects.site(several[0])
        if len(several) == 1:
            yield Stand(site, several[0])
        else:
            yield Stand(site, several[0], tuple(_scenes(several)), is_one=False)


def _changes(subjects: Subjects) -> Iterator[Stand]:
    return (Stand(subjects.site(change), change) for change in subjects.estate.changes)


def _grants(subjects: Subjects) -> Iterator[Stand]:
    """Each statement of a document, once, however many hold it."""
    found: dict[tuple[str, str, int], list[Grant]] = {}
    for grant in subjects.estate.grants:
        found.setdefault((grant.address, grant.label, grant.statement.index), []).append(grant)
    for (_, label, _), grants in found.items():
        site = subjects.site(grants[0], {"statement": label})
        if len(grants) == 1:
            yield Stand(site, grants[0])
        else:
            yield Stand(site, grants[0], shared=tuple(grants), is_one=False)


def _holders(subjects: Subjects) -> Iterator[Stand]:
    return (Stand(subjects.site(holder), holder) for holder in subjects.estate.holders)


def _unread(subjects: Subjects) -> Iterator[Stand]:
    """Each document that could not be read, once, however many hold it; where it matters to one, it matters."""
    found: dict[str, Unread] = {}
    for item in (item for holder in subjects.estate.holders for item in holder.unread):
        if item.address not in found or (item.relevant and not found[item.address].relevant):
            found[item.address] = item
    return (Stand(subjects.site(item), item) for _, item in sorted(found.items()))


def _whole(subjects: Subjects) -> Iterator[Stand]:
    estate = subjects.estate
    yield Stand(Site(estate.file, estate.dialect, estate.file, None, spelling=estate.spelling), estate)


_LISTERS: Mapping[type, Callable[[Subjects], Iterator[Stand]]] = {
    Table: _tables,
    Index: _indexes,
    Replica: _replicas,
    Change: _changes,
    Grant: _grants,
    Holder: _holders,
    Unread: _unread,
    DaxCluster: _clusters,
    LegacyGlobalTable: _legacy,
    Estate: _whole,
}
