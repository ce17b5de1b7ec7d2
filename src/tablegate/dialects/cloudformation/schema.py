"""Keys, attributes and indexes: the part of a table that all its types spell alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

from tablegate.dialects.cloudformation.properties import as_section, doubted, flag, number, stated, subsection, word
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.values import Section, Unresolved, is_scalar, scalar_of
from tablegate.model import facts
from tablegate.model.facts import Fact
from tablegate.model.record import record
from tablegate.model.table import Index, KeyPart, Role, Units, VectorIndex
from tablegate.model.value import Value
from tablegate.syntax.node import Node

T = TypeVar("T")

_ROLES = {"HASH": Role.HASH, "RANGE": Role.RANGE}
_PROJECTIONS = frozenset({"ALL", "KEYS_ONLY", "INCLUDE"})
_LEGACY_KEYS = {"HashKeyElement": Role.HASH, "RangeKeyElement": Role.RANGE}


def keys(resolver: Resolver, section: Section) -> Value[tuple[KeyPart, ...]]:
    """The key schema of a table or an index."""
    fact = facts.KEYS
    node = resolver.get(section, "KeySchema")
    if node is None:
        return fact.unset
    if isinstance(node, Unresolved):
        return doubted(resolver, fact, node)
    found = _legacy_keys(resolver, node) if isinstance(node.content, dict) else _keys(resolver, node)
    return doubted(resolver, fact, found) if isinstance(found, Unresolved) else stated(resolver, fact, found, node)


def attributes(resolver: Resolver, section: Section) -> Value[Mapping[str, str]]:
    """The types of the attributes that keys are made of."""
    fact = facts.ATTRIBUTES
    node = resolver.get(section, "AttributeDefinitions")
    if node is None:
        return fact.unset
    if isinstance(node, Unresolved):
        return doubted(resolver, fact, node)
    pairs = pairs_of(resolver, node, "AttributeName", "AttributeType")
    return (
        doubted(resolver, fact, pairs) if isinstance(pairs, Unresolved) else stated(resolver, fact, dict(pairs), node)
    )


def pairs_of(resolver: Resolver, node: Node, first: str, second: str) -> list[tuple[str, str]] | Unresolved:
    """A list of mappings with two texts each."""
    if not isinstance(node.content, (list, tuple)):
        return resolver.wrong_shape(node, "a list is needed")
    plain = plain_pairs(node.content, first, second)
    if plain is not None:
        return plain
    pairs = []
    for item in node.content:
        pair = _resolved_pair(resolver, item, first, second)
        if isinstance(pair, Unresolved):
            return pair
        if pair is not None:
            pairs.append(pair)
    return pairs


def plain_pairs(items: Sequence[Node], first: str, second: str) -> list[tuple[str, str]] | None:
    """Two texts of each item, where all are written as they are, in mappings that hold nothing else: as nearly all."""
    pairs = []
    for item in items:
        content = item.content
        if not isinstance(content, dict) or len(content) != 2:
            return None
        try:
            one, other = content[first].content, content[second].content
        except KeyError:
            return None
        if not isinstance(one, str) or not isinstance(other, str) or "{{" in one or "{{" in other:
            return None
        pairs.append((one, other))
    return pairs


def _resolved_pair(resolver: Resolver, item: Node, first: str, second: str) -> tuple[str, str] | Unresolved | None:
    value = resolver.head(item)
    if value is None:
        return None
    one, other = text(resolver, value, first), text(resolver, value, second)
    if isinstance(one, Unresolved):
        return one
    return other if isinstance(other, Unresolved) else (one, other)


def text(resolver: Resolver, item: Node | Unresolved, key: str) -> str | Unresolved:
    """One text of a mapping that must have it."""
    section = as_section(resolver, item)
    if not isinstance(section, dict):
        return section if isinstance(section, Unresolved) else resolver.wrong_shape(_node(item), "a mapping is needed")
    node = resolver.get(section, key)
    if isinstance(node, Unresolved):
        return node
    if node is None or not is_scalar(node):
        return resolver.wrong_shape(node or _node(item), f"{key} is needed, and must be a text")
    return scalar_of(node)


def _node(value: Node | Unresolved) -> Node:
    return value.node if isinstance(value, Unresolved) else value


def _keys(resolver: Resolver, node: Node) -> tuple[KeyPart, ...] | Unresolved:
    pairs = pairs_of(resolver, node, "AttributeName", "KeyType")
    if isinstance(pairs, Unresolved):
        return pairs
    found = []
    for attribute, word_ in pairs:
        role = _ROLES.get(word_)
        if role is None:
            return resolver.wrong_shape(node, f"KeyType must be HASH or RANGE, and {word_[:20]!r} is neither")
        found.append(KeyPart(attribute=attribute, role=role))
    return tuple(found)


def _legacy_keys(resolver: Resolver, node: Node) -> tuple[KeyPart, ...] | Unresolved:
    """The form of 2012: a mapping of two elements."""
    parts = []
    section = as_section(resolver, node)
    for key, role in _LEGACY_KEYS.items():
        element = resolver.get(section, key) if section is not None else None
        if element is not None:
            attribute = text(resolver, element, "AttributeName")
            if isinstance(attribute, Unresolved):
                return attribute
            parts.append(KeyPart(attribute=attribute, role=role))
    return tuple(parts) or resolver.wrong_shape(node, "KeySchema must be a list of keys")


def capacity(resolver: Resolver, section: Section) -> Units:
    """Provisioned throughput."""
    inner = subsection(resolver, section, "ProvisionedThroughput")
    if inner is None:
        return facts.NO_CAPACITY
    return Units(
        read=number(resolver, facts.READ_CAPACITY, inner, "ReadCapacityUnits"),
        write=number(resolver, facts.WRITE_CAPACITY, inner, "WriteCapacityUnits"),
    )


def ceiling(resolver: Resolver, section: Section) -> Units:
    """The most that an on-demand table or index may use."""
    inner = subsection(resolver, section, "OnDemandThroughput")
    if inner is None:
        return facts.NO_CEILING
    return Units(
        read=limit(resolver, facts.MAX_READ, inner, "MaxReadRequestUnits"),
        write=limit(resolver, facts.MAX_WRITE, inner, "MaxWriteRequestUnits"),
    )


def limit(resolver: Resolver, fact: Fact[int], section: Section, key: str) -> Value[int]:
    """A limit. -1 takes it away."""
    value = number(resolver, fact, section, key)
    return fact.of(None, value.place) if value.content == -1 else value


def warmth(resolver: Resolver, section: Section) -> Units:
    """Warm throughput."""
    inner = subsection(resolver, section, "WarmThroughput")
    if inner is None:
        return facts.NO_WARMTH
    return Units(
        read=number(resolver, facts.WARM_READ, inner, "ReadUnitsPerSecond"),
        write=number(resolver, facts.WARM_WRITE, inner, "WriteUnitsPerSecond"),
    )


def insights(resolver: Resolver, section: Section) -> Value[bool]:
    """Contributor Insights."""
    inner = subsection(resolver, section, "ContributorInsightsSpecification")
    return facts.INSIGHTS.unset if inner is None else flag(resolver, facts.INSIGHTS, inner, "Enabled")


def parts(
    resolver: Resolver, fact: Fact[tuple[T, ...]], section: Section, key: str, make: Callable[[Node, Section], T]
) -> Value[tuple[T, ...]]:
    """A list of parts. Where one of them cannot be known, the list cannot."""
    node = resolver.get(section, key)
    if node is None:
        return fact.unset
    if isinstance(node, Node) and not isinstance(node.content, (list, tuple)):
        node = resolver.wrong_shape(node, "a list is needed")
    if isinstance(node, Unresolved):
        return doubted(resolver, fact, node)
    made = []
    for item in resolver.items(node):
        inner = as_section(resolver, item)
        if isinstance(item, Unresolved) or inner is None or isinstance(inner, Unresolved):
            return doubted(
                resolver,
                fact,
                inner if isinstance(inner, Unresolved) else resolver.wrong_shape(node, "an item is empty"),
            )
        made.append(make(item, inner))
    return stated(resolver, fact, tuple(made), node)


def indexes(resolver: Resolver, section: Section, make: Callable[[Node, Section], Index]) -> Value[tuple[Index, ...]]:
    """Global secondary indexes in the order of their names: the order in the source means nothing."""
    value = parts(resolver, facts.INDEXES, section, "GlobalSecondaryIndexes", make)
    if not value.content or len(value.content) == 1:
        return value
    ordered = tuple(sorted(value.content, key=lambda index: index.name.content or ""))
    return facts.INDEXES.of(ordered, value.place)


def local_indexes(resolver: Resolver, section: Section) -> Value[tuple[Index, ...]]:
    """Local secondary indexes."""

    def make(node: Node, inner: Section) -> Index:
        return index(resolver, node, inner, LOCAL)

    return parts(resolver, facts.LOCAL_INDEXES, section, "LocalSecondaryIndexes", make)


@record(kw_only=False)
class IndexCapacity:
    """What an index has apart from the table: only a global one has."""

    capacity: Units = facts.NO_CAPACITY
    on_demand: Units = facts.NO_CEILING
    warm: Units = facts.NO_WARMTH
    insights: Value[bool] = facts.INSIGHTS.unset


LOCAL: Final = IndexCapacity()


def index(resolver: Resolver, node: Node, section: Section, capacity_: IndexCapacity) -> Index:
    """One secondary index."""
    projection = subsection(resolver, section, "Projection")
    if projection is None:
        kind, projected = facts.PROJECTION.unset, facts.PROJECTED.unset
    else:
        kind = word(resolver, facts.PROJECTION, projection, "ProjectionType", _PROJECTIONS)
        projected = _projected(resolver, projection)
    return Index(
        name=word(resolver, facts.INDEX_NAME, section, "IndexName"),
        place=resolver.place(node),
        local=capacity_ is LOCAL,
        keys=keys(resolver, section),
        projection=kind,
        projected=projected,
        capacity=capacity_.capacity,
        on_demand=capacity_.on_demand,
        warm=capacity_.warm,
        insights=capacity_.insights,
    )


def _projected(resolver: Resolver, projection: Section) -> Value[tuple[str, ...]]:
    fact = facts.PROJECTED
    node = resolver.get(projection, "NonKeyAttributes")
    if node is None:
        return fact.unset
    if isinstance(node, Node) and not isinstance(node.content, (list, tuple)):
        node = resolver.wrong_shape(node, "a list is needed")
    if isinstance(node, Unresolved):
        return doubted(resolver, fact, node)
    names = []
    for item in resolver.items(node):
        if isinstance(item, Unresolved) or not is_scalar(item):
            unknown = item if isinstance(item, Unresolved) else resolver.wrong_shape(item, "a text is needed")
            return doubted(resolver, fact, unknown)
        names.append(scalar_of(item))
    return stated(resolver, fact, tuple(names), node)


def vector_indexes(resolver: Resolver, section: Section) -> Value[tuple[VectorIndex, ...]]:
    """Indexes over vectors."""

    def make(node: Node, inner: Section) -> VectorIndex:
        attribute = subsection(resolver, inner, "VectorAttribute")
        return VectorIndex(
            name=word(resolver, facts.INDEX_NAME, inner, "IndexName"),
            attribute=word(resolver, facts.VECTOR_ATTRIBUTE, attribute or {}, "AttributeName"),
            dimensions=number(resolver, facts.VECTOR_DIMENSIONS, inner, "Dimensions"),
            distance=word(resolver, facts.VECTOR_DISTANCE, inner, "DistanceFunction"),
            place=resolver.place(node),
        )

    return parts(resolver, facts.VECTOR_INDEXES, section, "VectorIndexes", make)
