"""Keys, attributes, indexes and capacity, which all types of tables spell the same way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from tablegate.dialects.cloudformation.properties import Section, section_of
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.values import Unresolved, is_scalar, scalar_of
from tablegate.model import facts
from tablegate.model.facts import Fact
from tablegate.model.record import record
from tablegate.model.table import Index, KeyPart, Role, Units, VectorIndex
from tablegate.model.value import Value
from tablegate.syntax.node import Node

T = TypeVar("T")

_ROLES = {"HASH": Role.HASH, "RANGE": Role.RANGE}
_PROJECTIONS = frozenset({"ALL", "KEYS_ONLY", "INCLUDE"})
NO_LIMIT = (-1,)
_LEGACY_KEYS = {"HashKeyElement": Role.HASH, "RangeKeyElement": Role.RANGE}


def keys(section: Section) -> Value[tuple[KeyPart, ...]]:
    """The key schema of a table or an index."""
    fact = facts.KEYS
    node = section.get("KeySchema")
    if node is None:
        return fact.unset
    if isinstance(node, Unresolved):
        return section.unknown(fact, node)
    read = _legacy_keys if isinstance(node.content, dict) else _keys
    parts = read(section.resolver, node)
    return section.unknown(fact, parts) if isinstance(parts, Unresolved) else section.known(fact, parts, node)


def attributes(section: Section) -> Value[Mapping[str, str]]:
    """The types of the key attributes."""
    fact = facts.ATTRIBUTES
    node = section.get("AttributeDefinitions")
    if node is None:
        return fact.unset
    if isinstance(node, Unresolved):
        return section.unknown(fact, node)
    pairs = _pairs(section.resolver, node, "AttributeName", "AttributeType")
    if isinstance(pairs, Unresolved):
        return section.unknown(fact, pairs)
    return section.known(fact, facts.defined(pairs), node)


def _pairs(resolver: Resolver, node: Node, first: str, second: str) -> list[tuple[str, str]] | Unresolved:
    """A list of mappings with two texts each."""
    if not isinstance(node.content, (list, tuple)):
        return resolver.wrong_shape(node, "must be a list")
    pairs = []
    for item in node.content:
        section = section_of(resolver, resolver.resolve(item))
        if section is None:
            continue
        one, other = section.required_text(first), section.required_text(second)
        if isinstance(one, Unresolved):
            return one
        if isinstance(other, Unresolved):
            return other
        pairs.append((one, other))
    return pairs


def _keys(resolver: Resolver, node: Node) -> tuple[KeyPart, ...] | Unresolved:
    pairs = _pairs(resolver, node, "AttributeName", "KeyType")
    if isinstance(pairs, Unresolved):
        return pairs
    parts = []
    for attribute, type_ in pairs:
        role = _ROLES.get(type_)
        if role is None:
            shown = "(sensitive)" if resolver.is_secret(node) else repr(type_[:20])
            return resolver.wrong_shape(node, f"KeyType must be HASH or RANGE, not {shown}")
        parts.append(KeyPart(attribute=attribute, role=role))
    return tuple(parts)


def _legacy_keys(resolver: Resolver, node: Node) -> tuple[KeyPart, ...] | Unresolved:
    """The format of 2012: a mapping with two elements."""
    parts = []
    section = section_of(resolver, node)
    for key, role in _LEGACY_KEYS.items():
        element = section.section(key)
        if element is not None:
            attribute = element.required_text("AttributeName")
            if isinstance(attribute, Unresolved):
                return attribute
            parts.append(KeyPart(attribute=attribute, role=role))
    return tuple(parts) or resolver.wrong_shape(node, "KeySchema must be a list of keys")


def capacity(section: Section) -> Units:
    """Provisioned throughput."""
    inner = section.part("ProvisionedThroughput")
    return Units(
        read=inner.number(facts.READ_CAPACITY, "ReadCapacityUnits"),
        write=inner.number(facts.WRITE_CAPACITY, "WriteCapacityUnits"),
    )


def ceiling(section: Section) -> Units:
    """The maximum throughput of an on-demand table or index."""
    inner = section.part("OnDemandThroughput")
    return Units(
        read=inner.number(facts.MAX_READ, "MaxReadRequestUnits", NO_LIMIT),
        write=inner.number(facts.MAX_WRITE, "MaxWriteRequestUnits", NO_LIMIT),
    )


def warmth(section: Section) -> Units:
    """Warm throughput."""
    inner = section.part("WarmThroughput")
    return Units(
        read=inner.number(facts.WARM_READ, "ReadUnitsPerSecond"),
        write=inner.number(facts.WARM_WRITE, "WriteUnitsPerSecond"),
    )


def insights(section: Section) -> Value[bool]:
    """Contributor Insights."""
    return section.part("ContributorInsightsSpecification").flag(facts.INSIGHTS, "Enabled")


@record(kw_only=False)
class IndexCapacity:
    """What only a global index has: a local one uses the table's."""

    capacity: Units = facts.NO_CAPACITY
    on_demand: Units = facts.NO_CEILING
    warm: Units = facts.NO_WARMTH
    insights: Value[bool] = facts.INSIGHTS.unset


LOCAL: Final = IndexCapacity()


def indexes(section: Section, capacity_of: Callable[[Section], IndexCapacity]) -> Value[tuple[Index, ...]]:
    """Global secondary indexes by name: their order in the source has no meaning."""

    def read(item: Section) -> Index:
        return _index(item, capacity_of(item))

    value = _parts(facts.INDEXES, section, "GlobalSecondaryIndexes", read)
    if not value.content or len(value.content) == 1:
        return value
    ordered = tuple(sorted(value.content, key=lambda index: index.name.content or ""))
    return facts.INDEXES.of(ordered, value.place)


def local_indexes(section: Section) -> Value[tuple[Index, ...]]:
    """Local secondary indexes."""

    def read(item: Section) -> Index:
        return _index(item, LOCAL)

    return _parts(facts.LOCAL_INDEXES, section, "LocalSecondaryIndexes", read)


def vector_indexes(section: Section) -> Value[tuple[VectorIndex, ...]]:
    """Indexes over vectors."""

    def read(item: Section) -> VectorIndex:
        return VectorIndex(
            name=item.text(facts.INDEX_NAME, "IndexName"),
            attribute=item.part("VectorAttribute").text(facts.VECTOR_ATTRIBUTE, "AttributeName"),
            dimensions=item.number(facts.VECTOR_DIMENSIONS, "Dimensions"),
            distance=item.text(facts.VECTOR_DISTANCE, "DistanceFunction"),
            place=item.place(),
        )

    return _parts(facts.VECTOR_INDEXES, section, "VectorIndexes", read)


def _index(section: Section, own: IndexCapacity) -> Index:
    projection = section.part("Projection")
    return Index(
        name=section.text(facts.INDEX_NAME, "IndexName"),
        place=section.place(),
        local=own is LOCAL,
        keys=keys(section),
        projection=projection.text(facts.PROJECTION, "ProjectionType", _PROJECTIONS),
        projected=_projected(projection),
        capacity=own.capacity,
        on_demand=own.on_demand,
        warm=own.warm,
        insights=own.insights,
    )


def _projected(projection: Section) -> Value[tuple[str, ...]]:
    fact, resolver = facts.PROJECTED, projection.resolver
    node = _list(projection, "NonKeyAttributes")
    if node is None:
        return fact.unset
    if isinstance(node, Unresolved):
        return projection.unknown(fact, node)
    names = []
    for item in resolver.items(node):
        if isinstance(item, Unresolved) or not is_scalar(item):
            unknown = item if isinstance(item, Unresolved) else resolver.wrong_shape(item, "must be a text")
            return projection.unknown(fact, unknown)
        names.append(scalar_of(item))
    return projection.known(fact, tuple(names), node)


def _parts(fact: Fact[tuple[T, ...]], section: Section, key: str, read: Callable[[Section], T]) -> Value[tuple[T, ...]]:
    """A list of parts. If one of them is not known, the list is not."""
    resolver, node = section.resolver, _list(section, key)
    if node is None:
        return fact.unset
    if isinstance(node, Unresolved):
        return section.unknown(fact, node)
    parts = []
    for value in resolver.items(node):
        item = section_of(resolver, value)
        if item.unresolved is not None:
            return section.unknown(fact, item.unresolved)
        parts.append(read(item))
    return section.known(fact, tuple(parts), node)


def _list(section: Section, key: str) -> Node | Unresolved | None:
    node = section.get(key)
    if isinstance(node, Node) and not isinstance(node.content, (list, tuple)):
        return section.resolver.wrong_shape(node, "must be a list")
    return node
