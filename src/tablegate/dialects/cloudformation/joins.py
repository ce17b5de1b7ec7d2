"""Which resources of a template are about which table: by reference, by name, or only possibly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tablegate.dialects.cloudformation.parameters import ACCOUNT, REGION
from tablegate.dialects.cloudformation.properties import Resource, Section, resources_of, value_of_stack
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.template import TABLES
from tablegate.dialects.cloudformation.values import (
    RESOURCE,
    NameReference,
    Part,
    Unresolved,
    reference_text,
    text_with_references,
)
from tablegate.dialects.joins import Location, TableName
from tablegate.model import facts
from tablegate.model.record import record
from tablegate.model.value import Doubt
from tablegate.syntax.node import Node

NameParser = Callable[[str], TableName | None]
"""Takes the table out of a text such as a resource id or an ARN; None if it names no table."""


@record(kw_only=False)
class TableIdentity:
    """A table in one scenario: its logical id, and its name as far as it is known."""

    address: str
    name: Node | Unresolved | None


@record(kw_only=False)
class Candidate:
    """A resource that may be about a table: the value that names the table, and the section with what it says."""

    resource: Resource
    target: Node
    section: Section
    doubt: Doubt | None = None  # why it may be about another table than the one that it names


class Candidates:
    """The resources of one kind, by the table that they are about."""

    def __init__(
        self, resolver: Resolver, candidates: Iterable[Candidate], parse: NameParser, tables: TableNames
    ) -> None:
        self._resolver = resolver
        self._parse = parse
        self._tables = tables
        self._certain: dict[str, list[Candidate]] = {}
        self._by_name: dict[str, list[Candidate]] = {}
        self._unresolved: list[Candidate] = []
        for candidate in candidates:
            self._add(candidate)
        self.read_names = bool(self._by_name or self._unresolved)  # whether matches depend on a table's name
        self.referenced = self._certain.keys()  # tables with a certain candidate

    def of(self, table: TableIdentity) -> Iterable[Candidate]:
        """Those that are certainly about this table in this scenario."""
        return [candidate for candidate in self._named(table) if candidate.doubt is None]

    def possible(self, table: TableIdentity) -> Iterator[tuple[Candidate, Doubt]]:
        """Those that may be about this table, and why that is not known."""
        for candidate in self._named(table):
            if candidate.doubt is not None:
                yield candidate, candidate.doubt
        for candidate in self._unresolved:
            value = self._resolver.resolve(candidate.target)
            if isinstance(value, Unresolved) and self._compare(value, table) is None:
                yield candidate, _possible_doubt(candidate, value.doubt)
        if isinstance(table.name, Unresolved):
            own = text_with_references(table.name)
            for candidate in (it for name, named in self._by_name.items() if _could_be(name, own) for it in named):
                yield candidate, _possible_doubt(candidate, table.name.doubt)

    def doubt(self, table: TableIdentity) -> Doubt | None:
        """Why there may be more of them."""
        return next((doubt for _, doubt in self.possible(table)), None)

    def _named(self, table: TableIdentity) -> Iterable[Candidate]:
        """Those that name this table in this scenario."""
        certain = self._certain.get(table.address, ())
        if not self.read_names:
            return certain
        text = text_with_references(table.name) if isinstance(table.name, Node) else None
        named = self._by_name.get(text, ()) if text is not None else ()
        unresolved = [candidate for candidate in self._unresolved if self._is_about(candidate, table)]
        return [*certain, *named, *unresolved]

    def _add(self, candidate: Candidate) -> None:
        value = self._resolver.resolve(candidate.target)
        text = text_with_references(value) if value is not None else None
        if value is None or text is None:
            self._unresolved.append(candidate)
            return
        name = self._parse(text)
        if name is None:
            if isinstance(value, Unresolved) and _may_be_any_name(value):
                self._unresolved.append(candidate)
            return
        if not self._tables.are_near(name):
            return
        table = self._tables.address_of(name.name)
        if table is not None:
            self._certain.setdefault(table, []).append(candidate)
        elif isinstance(value, Unresolved):
            self._unresolved.append(candidate)
        else:
            self._by_name.setdefault(name.name, []).append(candidate)

    def _is_about(self, candidate: Candidate, table: TableIdentity) -> bool | None:
        value = self._resolver.resolve(candidate.target)
        return False if value is None else self._compare(value, table)

    def _compare(self, value: Node | Unresolved, table: TableIdentity) -> bool | None:
        text = text_with_references(value)
        parsed = self._parse(text) if text is not None else None
        name = None if parsed is None else parsed.name
        if parsed is not None and not self._tables.are_near(parsed):
            return False
        own = text_with_references(table.name) if table.name is not None else None
        if name is not None and name in (reference_text(NameReference(table.address)), own):
            return True
        if table.name is None or (isinstance(value, Node) and isinstance(table.name, Node)):
            return False  # nothing can name a table whose name the service chooses
        if isinstance(value, Unresolved) and any(_is_of_resource(part) for part in value.parts):
            return False
        if name is None and text is not None and not (isinstance(value, Unresolved) and _may_be_any_name(value)):
            return False
        return None if _could_be(name, own) else False


class TableNames:
    """The tables of a template by their names: what they are called in every scenario."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._by_reference = {
            reference_text(NameReference(it.address)): it.address for it in resources_of(resolver, *TABLES)
        }
        self._by_name: dict[str, str] | None = None
        region = value_of_stack(resolver, facts.REGION, REGION).content
        self.location = Location(region, value_of_stack(resolver, facts.ACCOUNT, ACCOUNT).content)

    def are_near(self, name: TableName) -> bool:
        """Whether the region and the account of an ARN can be those of the stack."""
        return self.location.of(name).is_near(self.location) is not False

    def address_of(self, name: str) -> str | None:
        """The logical id of the table that a name or a reference means."""
        address = self._by_reference.get(name)
        if address is None and self._by_reference:
            if self._by_name is None:
                self._by_name = dict(self._names())
            address = self._by_name.get(name)
        return address

    def _names(self) -> Iterator[tuple[str, str]]:
        for resource in resources_of(self._resolver, *TABLES):
            name = resource.properties.get("TableName")
            text = text_with_references(name) if name is not None else None
            if text:
                yield text, resource.address


def _possible_doubt(candidate: Candidate, doubt: Doubt) -> Doubt:
    address = candidate.resource.address
    reason = f"{address} may or may not be about this table: {doubt.reason}"
    return Doubt(reason, doubt.settle, (address, *doubt.refs))


def _may_be_any_name(value: Unresolved) -> bool:
    """Whether a text is made of nothing but references that may hold the name of a table."""
    return all(isinstance(part, NameReference) and part.kind != RESOURCE for part in value.parts)


def _is_of_resource(part: Part) -> bool:
    return isinstance(part, NameReference) and part.kind == RESOURCE


def _could_be(name: str | None, own: str | None) -> bool:
    """Whether two texts can be equal: the parts before and after their references must agree."""
    if name is None or own is None:
        return True
    (head, tail), (own_head, own_tail) = _ends(name), _ends(own)
    for text, before, behind in ((name, own_head, own_tail), (own, head, tail)):
        if "${" not in text and len(text) < len(before) + len(behind):
            return False
    heads, tails = sorted((head, own_head), key=len), sorted((tail, own_tail), key=len)
    return heads[1].startswith(heads[0]) and tails[1].endswith(tails[0])


def _ends(text: str) -> tuple[str, str]:
    """The text before the first reference, and the text after the last."""
    return (text.partition("${")[0], text.rpartition("}")[2]) if "${" in text else (text, text)
