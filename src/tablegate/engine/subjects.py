"""What there is to judge in an estate, sort by sort: each subject once, with all the scenarios it appears in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from tablegate.access.grants import Grant, Unread
from tablegate.access.holders import Holder
from tablegate.engine.variants import Scene, Variants, are_alike
from tablegate.model.change import Change
from tablegate.model.estate import DaxCluster, Estate, LegacyGlobalTable
from tablegate.model.record import record
from tablegate.model.table import Construct, Dialect, Index, Replica, Table
from tablegate.model.value import Place, Value

if TYPE_CHECKING:
    from tablegate.engine.alike import Alike
    from tablegate.engine.running import Running

T = TypeVar("T")

Part = Mapping[str, str]

_NOTHING: frozenset[str] = frozenset()


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
    ``reads`` gathers what a predicate reads that is not the same in all scenes: one answer is enough while nothing is
    in it. It is None where one answer never is.
    """

    site: Site
    subject: object
    scenes: tuple[Scene, ...] = ()
    variants: Variants | None = None
    shared: tuple[Grant, ...] = ()
    doubt: tuple[Value[object], ...] = ()
    reads: Set[str] | None = _NOTHING


class Subjects:
    """The subjects of one estate. Each sort is listed when a policy first asks for it."""

    def __init__(self, estate: Estate) -> None:
        self.estate = estate
        self.tables = tuple(_Group(tables) for tables in _by_address(estate.tables))
        reads = [group.variants.reads for group in self.tables if group.variants]
        self._reads = tuple({id(one): one for one in reads}.values())
        self._listed: dict[type, tuple[Stand, ...]] = {}
        self._alike: Alike | None = None

    def of(self, sort: type) -> tuple[Stand, ...]:
        """All subjects of one sort, in the estate's order. Nothing counts as read of them yet."""
        if sort not in self._listed:
            self._listed[sort] = tuple(_LISTERS[sort](self))
        for reads in self._reads:
            reads.clear()
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

    def __init__(self, tables: list[Table]) -> None:
        self.first = tables[0]
        self.variants = Variants(tables) if len(tables) > 1 else None
        self.tables = self.variants.tables if self.variants else tuple(tables)

    def stand(self, site: Site, scenes: list[Scene]) -> Stand:
        """The stand of this table, or of the part of it that is seen in these scenes."""
        if self.variants is None:
            return Stand(site, scenes[0].subject)
        reads = self.variants.reads if are_alike(scenes) else None
        return Stand(site, scenes[0].subject, tuple(scenes), self.variants, reads=reads)


def _by_address(items: Iterable[T]) -> Iterable[list[T]]:
    gathered: dict[str, list[T]] = {}
    for item in items:
        gathered.setdefault(item.address, []).append(item)  # type: ignore[attr-defined]  # each subject has one
    return gathered.values()


def _scenes(items: Iterable[Table | DaxCluster | LegacyGlobalTable]) -> list[Scene]:
    return [Scene(number, item, item.scenario or {}) for number, item in enumerate(items)]


def _tables(subjects: Subjects) -> Iterator[Stand]:
    for group in subjects.tables:
        yield group.stand(subjects.site(group.first), _scenes(group.tables))


def _indexes(subjects: Subjects) -> Iterator[Stand]:
    for group in subjects.tables:
        values = [(table.indexes, table.local_indexes) for table in group.tables]
        yield from _parts(subjects, group, values, "index", attrgetter("name"))


def _replicas(subjects: Subjects) -> Iterator[Stand]:
    for group in subjects.tables:
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
        yield Stand(subjects.site(group.first), group.first, doubt=tuple(doubts), reads=None)
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
            yield Stand(site, several[0], tuple(_scenes(several)), reads=None)


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
            yield Stand(site, grants[0], shared=tuple(grants), reads=None)


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
