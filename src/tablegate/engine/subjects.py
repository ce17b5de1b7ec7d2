"""The subjects of an estate, as policies ask for them; the scenarios of a table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import compress
from operator import attrgetter, is_not
from typing import Any, TypeVar

from tablegate.iam.grants import Grant, Unread
from tablegate.iam.holders import Holder
from tablegate.model.estate import Change, DaxCluster, Estate, LegacyGlobalTable, with_tables
from tablegate.model.record import field_names, field_values, record, replace, wire
from tablegate.model.table import Construct, Dialect, Index, Replica, Table
from tablegate.model.value import Place, Value

TYPE_CHECKING = False
T = TypeVar("T")
SubjectPart = Mapping[str, str]  # such as {"index": "by-status"}

_PARTS = ("indexes", "local_indexes", "replicas")  # of a table, that lead back to it


class ObservedTable(Table):
    """A copy of a table that notes in ``reads`` which of some fields are read.

    It has copies of its parts, so that what is read by way of a part is noted too.
    """

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
    """The class of tables that note when one of these fields is read. The others are read at full speed."""
    return type("ObservedTable", (ObservedTable,), {name: _observed(name) for name in names})


def _observed(name: str) -> property:
    slot = vars(Table)[name]
    read = slot.__get__

    def get(table: ObservedTable) -> Any:
        table.reads.add(name)
        return read(table)

    return property(get, slot.__set__)


@record(kw_only=False)
class ScenarioSubject:
    """A subject in one scenario, and the number of that scenario among those of its table."""

    number: int
    subject: object
    scenario: Mapping[str, str]


class TableScenarios:
    """One table in its scenarios. A predicate is asked again only where its result may differ."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self._first_equal = _first_equal(tables)
        observing = _observing(frozenset(self._first_equal))
        names = field_names(Table)
        self.tables = tuple(observing(**dict(zip(names, field_values(table), strict=True))) for table in tables)
        self.copies = {id(table): copy for table, copy in zip(tables, self.tables, strict=True)}

    def ask(self, subject: ScenarioSubject, ask: Callable[[object], T]) -> tuple[T, Collection[str]]:
        """The result for one subject, and the fields that were read of those that differ between scenarios."""
        reads = self.tables[subject.number].reads
        reads.clear()
        return ask(subject.subject), tuple(reads)

    def results(
        self, subjects: Sequence[ScenarioSubject], ask: Callable[[object], T], first: T, reads: Collection[str]
    ) -> list[T]:
        """The result for each subject, if ``first`` is that for the first one, and ``reads`` what was read for it.

        Of scenarios that agree in all that was read, only the first is asked about.
        """
        asked = [(subjects[0], reads, first)]
        results = [first]
        for subject in subjects[1:]:
            known = [result for other, reads, result in asked if self._agree(other, subject, reads)]
            if not known:
                result, reads = self.ask(subject, ask)
                asked.append((subject, reads, result))
                known = [result]
            results.append(known[0])
        return results

    def _agree(self, one: ScenarioSubject, other: ScenarioSubject, reads: Iterable[str]) -> bool:
        for name in reads:
            first_equal = self._first_equal[name]
            if first_equal[one.number] != first_equal[other.number]:
                return False
        return _are_equal_parts((one, other))


def _are_equal_parts(subjects: Sequence[ScenarioSubject]) -> bool:
    """Whether the subjects are tables, or parts that are equal but for their tables."""
    first = subjects[0].subject
    return isinstance(first, Table) or all(other.subject == first for other in subjects[1:])


def _first_equal(tables: Sequence[Table]) -> dict[str, tuple[int, ...]]:
    """For each field that differs and each table, the number of the first table with an equal value."""
    first, *others = map(field_values, tables)
    names = {name for other in others for name in compress(field_names(Table), map(is_not, first, other))}
    numbers = {}
    for name in names:
        values = [getattr(table, name) for table in tables]
        equal = tuple(map(values.index, values))
        if any(equal):
            numbers[name] = equal
    return numbers


@record(kw_only=False)
class FindingSite:
    """The address and place that a finding about a subject has, and what an override can match it by."""

    file: str
    dialect: Dialect
    address: str
    place: Place | None
    part: SubjectPart | None = None
    tags: Value[Mapping[str, str | None]] | None = None
    construct: Construct | None = None
    type: str | None = None  # of the resource that declares the table
    spelling: str | None = None  # of a template: json or yaml
    sensitive: bool = False  # whether it is about a policy document that nothing may be shown of


@record(eq=False, kw_only=False)
class SubjectEntry:
    """A subject at its site. One line of the ledger for each policy.

    If ``is_one``, a predicate is asked once, about ``subject``. Otherwise it is asked about a table or a part of one in
    ``scenarios`` (of ``table``, where that tells what is read), about ``grants``, one for each holder of a statement,
    or not at all, where a ``doubt`` keeps the subjects from being listed.
    """

    site: FindingSite
    subject: object
    is_one: bool = True
    scenarios: Sequence[ScenarioSubject] = ()
    table: TableScenarios | None = None
    equal_parts: bool = False  # the subjects of all scenarios differ in nothing but their tables
    grants: Sequence[Grant] = ()
    doubt: tuple[Value[object], ...] = ()


class Subjects:
    """The subjects of one estate. Each kind is listed when a policy first asks for it."""

    def __init__(self, estate: Estate) -> None:
        self.tables = [_TableEntries(tables) for tables in _by_address(estate.tables)]
        observed = [each.scenarios for each in self.tables if each.scenarios]
        self.estate = with_tables(estate, {key: copy for table in observed for key, copy in table.copies.items()})
        self._listed: dict[type, Sequence[SubjectEntry]] = {}

    def of(self, kind: type) -> Sequence[SubjectEntry]:
        """All subjects of one kind, in the estate's order."""
        if kind not in self._listed:
            self._listed[kind] = tuple(_LISTERS[kind](self))
        return self._listed[kind]

    def site(self, subject: Any, part: SubjectPart | None = None, place: Place | None = None) -> FindingSite:
        """The site of a subject of this estate, or of a part of it."""
        tags, type_ = (subject.tags, subject.type) if isinstance(subject, Table) else (None, None)
        own = subject.place if place is None else place
        estate, address = self.estate, subject.address
        construct = estate.constructs.get(address)
        return FindingSite(estate.file, estate.dialect, address, own, part, tags, construct, type_, estate.spelling)


class _TableEntries:
    """One table in each of its scenarios."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self.scenarios = TableScenarios(tables) if len(tables) > 1 else None
        self.tables = self.scenarios.tables if self.scenarios else tables
        self.first = self.tables[0]

    def entry(self, site: FindingSite, subjects: Sequence[ScenarioSubject]) -> SubjectEntry:
        """The entry of this table, or of the part of it that is in these scenarios."""
        first = subjects[0].subject
        if self.scenarios is None:
            return SubjectEntry(site, first)
        return SubjectEntry(site, first, False, subjects, self.scenarios, _are_equal_parts(subjects))


def _by_address(subjects: Iterable[T]) -> Iterable[list[T]]:
    by_address: dict[str, list[T]] = {}
    for subject in subjects:
        by_address.setdefault(subject.address, []).append(subject)  # type: ignore[attr-defined]  # each has one
    return by_address.values()


def _in_scenarios(subjects: Iterable[Table | DaxCluster | LegacyGlobalTable]) -> list[ScenarioSubject]:
    return [ScenarioSubject(number, subject, subject.scenario or {}) for number, subject in enumerate(subjects)]


def _tables(subjects: Subjects) -> Iterator[SubjectEntry]:
    for table in subjects.tables:
        yield table.entry(subjects.site(table.first), _in_scenarios(table.tables))


def _indexes(subjects: Subjects) -> Iterator[SubjectEntry]:
    for table in subjects.tables:
        parts = [(one.indexes, one.local_indexes) for one in table.tables]
        yield from _parts(subjects, table, parts, "index", attrgetter("name"))


def _replicas(subjects: Subjects) -> Iterator[SubjectEntry]:
    for table in subjects.tables:
        parts = [(one.replicas,) for one in table.tables]
        yield from _parts(subjects, table, parts, "replica", attrgetter("region"))


def _parts(
    subjects: Subjects,
    table: _TableEntries,
    parts_of: Sequence[tuple[Value[Any], ...]],
    kind: str,
    name_of: Callable[[Any], Value[str]],
) -> Iterator[SubjectEntry]:
    """A table's parts, matched over its scenarios by name; all that cannot be listed is one doubt about the table."""
    by_name: dict[tuple[str, int], list[ScenarioSubject]] = {}
    doubts: dict[Value[object], None] = {}
    for number, values in enumerate(parts_of):
        scenario = table.tables[number].scenario or {}
        times: dict[str, int] = {}
        for value in values:
            if not value.known and not value.content:
                doubts[value] = None
            for part in value.content or ():
                name = name_of(part).content or "?"
                times[name] = times.get(name, 0) + 1
                by_name.setdefault((name, times[name]), []).append(ScenarioSubject(number, part, scenario))
    if doubts:
        yield SubjectEntry(subjects.site(table.first), table.first, is_one=False, doubt=tuple(doubts))
    for (name, _), parts in by_name.items():
        place = parts[0].subject.place  # type: ignore[attr-defined]  # each part has one
        yield table.entry(subjects.site(table.first, {kind: name}, place), parts)


def _clusters(subjects: Subjects) -> Iterator[SubjectEntry]:
    return _unobserved(subjects, subjects.estate.dax_clusters)


def _legacy(subjects: Subjects) -> Iterator[SubjectEntry]:
    return _unobserved(subjects, subjects.estate.legacy_global_tables)


def _unobserved(subjects: Subjects, listed: Iterable[DaxCluster | LegacyGlobalTable]) -> Iterator[SubjectEntry]:
    """Subjects that are asked about in each of their scenarios."""
    for group in _by_address(listed):
        one = len(group) == 1
        yield SubjectEntry(subjects.site(group[0]), group[0], one, () if one else _in_scenarios(group))


def _changes(subjects: Subjects) -> Iterator[SubjectEntry]:
    return (SubjectEntry(subjects.site(change), change) for change in subjects.estate.changes)


def _grants(subjects: Subjects) -> Iterator[SubjectEntry]:
    """Each statement of a document, once, however many hold it."""
    statements: dict[tuple[str, str, int], list[Grant]] = {}
    for grant in subjects.estate.grants:
        statements.setdefault((grant.address, grant.label, grant.statement.index), []).append(grant)
    sensitive = _with_sensitive_documents(subjects.estate)
    for (_, label, _), grants in statements.items():
        one = len(grants) == 1
        site = subjects.site(grants[0], {"statement": label})
        if sensitive and any(grant.holder in sensitive for grant in grants):
            site = replace(site, sensitive=True)
        yield SubjectEntry(site, grants[0], one, grants=() if one else grants)


def _holders(subjects: Subjects) -> Iterator[SubjectEntry]:
    sensitive = _with_sensitive_documents(subjects.estate)
    for holder in subjects.estate.holders:
        site = subjects.site(holder)
        yield SubjectEntry(replace(site, sensitive=True) if holder in sensitive else site, holder)


def _with_sensitive_documents(estate: Estate) -> frozenset[Holder]:
    """The holders with a sensitive document: a message about one of their statements may quote another."""
    return frozenset(
        holder
        for holder in estate.holders
        if any(grant.document.sensitive for grant in holder.grants)
        or any(document.sensitive for document in holder.ceilings)
    )


def _unread(subjects: Subjects) -> Iterator[SubjectEntry]:
    """Each document that could not be read, once, however many hold it; relevant if it is relevant to one of them."""
    by_address: dict[str, Unread] = {}
    for document in (document for holder in subjects.estate.holders for document in holder.unread):
        other = by_address.get(document.address)
        if other is None or (document.relevant and not other.relevant):
            by_address[document.address] = document
    return (SubjectEntry(subjects.site(document), document) for _, document in sorted(by_address.items()))


def _estate(subjects: Subjects) -> Iterator[SubjectEntry]:
    estate = subjects.estate
    yield SubjectEntry(FindingSite(estate.file, estate.dialect, estate.file, None, spelling=estate.spelling), estate)


_LISTERS: Mapping[type, Callable[[Subjects], Iterator[SubjectEntry]]] = {
    Table: _tables,
    Index: _indexes,
    Replica: _replicas,
    Change: _changes,
    Grant: _grants,
    Holder: _holders,
    Unread: _unread,
    DaxCluster: _clusters,
    LegacyGlobalTable: _legacy,
    Estate: _estate,
}
