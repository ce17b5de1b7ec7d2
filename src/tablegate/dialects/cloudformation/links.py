"""Which resources speak of which table: by reference, by name, or only perhaps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from tablegate.dialects.cloudformation.fields import Section, member, properties
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.template import TABLES, Resource
from tablegate.dialects.cloudformation.unsettled import (
    RESOURCE,
    Symbol,
    Unsettled,
    hole,
    text_with_holes,
)
from tablegate.model.value import Doubt
from tablegate.syntax.node import Node


class Naming(NamedTuple):
    """What a table is called in this scenario: its logical id, and its name as far as it is known."""

    address: str
    name: Node | Unsettled | None


class Linked(NamedTuple):
    """A resource that speaks of a table, where it says of which, and the section that says what."""

    resource: Resource
    where: Node
    section: Section = {}


Names = Callable[[str], str | None]
"""Takes the table's name out of a text such as a resource id or an ARN; None where it names no table."""


class Links:
    """One kind of resources, by the table that they speak of."""

    def __init__(self, resolver: Resolver, pairs: Iterable[Linked], names: Names) -> None:
        self._resolver = resolver
        self._names = names
        self._tables = tables_by_name(resolver)
        self._certain: dict[str, list[Linked]] = {}
        self._named: dict[str, list[Linked]] = {}
        self._loose: list[Linked] = []
        for linked in pairs:
            self._add(linked)

    def of(self, table: Naming) -> Iterator[Linked]:
        """Those that speak of this table, for certain, in this scenario."""
        yield from self._certain.get(table.address, ())
        known = table.name if isinstance(table.name, Node) else None
        text = text_with_holes(known) if known is not None else None
        if text is not None:
            yield from self._named.get(text, ())
        for linked in self._loose:
            if self._speaks(linked, table) is True:
                yield linked

    def doubt(self, table: Naming) -> Doubt | None:
        """Why there may be more of them."""
        for linked in self._loose:
            value = self._resolver.head(linked.where)
            if isinstance(value, Unsettled) and self._compare(value, table) is None:
                return Doubt(
                    f"{linked.resource.address} may or may not be about this table: {value.doubt.reason}",
                    value.doubt.settle,
                    (linked.resource.address, *value.doubt.refs),
                )
        return None

    def _add(self, linked: Linked) -> None:
        value = self._resolver.head(linked.where)
        text = text_with_holes(value) if value is not None else None
        if value is None or text is None:
            self._loose.append(linked)
            return
        name = self._names(text)
        if name is None:
            if isinstance(value, Unsettled) and _is_vague(value):
                self._loose.append(linked)
        elif name in self._tables:
            self._certain.setdefault(self._tables[name], []).append(linked)
        elif isinstance(value, Unsettled):
            self._loose.append(linked)
        else:
            self._named.setdefault(name, []).append(linked)

    def _speaks(self, linked: Linked, table: Naming) -> bool | None:
        value = self._resolver.head(linked.where)
        return False if value is None else self._compare(value, table)

    def _compare(self, value: Node | Unsettled, table: Naming) -> bool | None:
        text = text_with_holes(value)
        name = self._names(text) if text is not None else None
        own = text_with_holes(table.name) if table.name is not None else None
        if name is not None and name in (hole(Symbol(table.address)), own):
            return True
        if table.name is None or (isinstance(value, Node) and isinstance(table.name, Node)):
            return False  # a name that the service makes up is written nowhere
        if isinstance(value, Unsettled) and any(it.sort == RESOURCE for it in value.parts if isinstance(it, Symbol)):
            return False
        if name is None and text is not None and not (isinstance(value, Unsettled) and _is_vague(value)):
            return False
        return None if _could_be(name, own) else False


def tables_by_name(resolver: Resolver) -> dict[str, str]:
    """The tables of the template, by each way to say their names without choosing a scenario."""
    found: dict[str, str] = {}
    for resource in resolver.template.of(*TABLES):
        found[hole(Symbol(resource.address))] = resource.address
        name = member(resolver, properties(resolver, resource), "TableName")
        text = text_with_holes(name) if name is not None else None
        if text:
            found.setdefault(text, resource.address)
    return found


def _is_vague(value: Unsettled) -> bool:
    """Whether the text may hold a table's name though no part of it says so."""
    return all(isinstance(part, Symbol) and part.sort != RESOURCE for part in value.parts)


def _could_be(name: str | None, own: str | None) -> bool:
    """Whether two texts with holes can be the same: what stands before and behind their holes must agree."""
    if name is None or own is None:
        return True
    (head, tail), (own_head, own_tail) = _ends(name), _ends(own)
    for text, before, behind in ((name, own_head, own_tail), (own, head, tail)):
        if "${" not in text and len(text) < len(before) + len(behind):
            return False
    heads, tails = sorted((head, own_head), key=len), sorted((tail, own_tail), key=len)
    return heads[1].startswith(heads[0]) and tails[1].endswith(tails[0])


def _ends(text: str) -> tuple[str, str]:
    """What stands before the first hole and behind the last."""
    return (text.partition("${")[0], text.rpartition("}")[2]) if "${" in text else (text, text)
