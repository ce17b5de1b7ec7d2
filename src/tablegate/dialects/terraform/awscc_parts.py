"""The parts of a Cloud Control table: one reader per property, for tables, replicas and indexes alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tablegate.dialects.terraform.block import MISSHAPEN, Block
from tablegate.dialects.terraform.table_parts import by_name, keys_of, warmth
from tablegate.model import facts
from tablegate.model.facts import Fact
from tablegate.model.table import Index, KeyPart, Recovery, Role, Stream, StreamDestination, Ttl, Units, VectorIndex
from tablegate.model.value import Doubt, Value
from tablegate.syntax.json.lazy import decode, part_of
from tablegate.syntax.node import ParseError

Tags = Value[Mapping[str, str | None]]
_NO_LIMIT = (-1, 0)


def text(fact: Fact[str], block: Block, name: str, key: str) -> Value[str]:
    """A text in an object."""
    inner = block.one(name)
    if inner is None:
        return fact.unset
    if isinstance(inner, Doubt):
        return fact.doubted(inner, block.place(name))
    return inner.text(fact, key)


def flag(fact: Fact[bool], block: Block, name: str, key: str) -> Value[bool]:
    """True or false in an object."""
    inner = block.one(name)
    if inner is None:
        return fact.unset
    if isinstance(inner, Doubt):
        return fact.doubted(inner, block.place(name))
    return inner.flag(fact, key)


def number(fact: Fact[int], block: Block, name: str, key: str, none: tuple[int, ...] = ()) -> Value[int]:
    """A whole number in an object."""
    inner = block.one(name)
    if inner is None:
        return fact.unset
    if isinstance(inner, Doubt):
        return fact.doubted(inner, block.place(name))
    return inner.number(fact, key, none=none)


def capacity(block: Block) -> Units:
    """Provisioned units."""
    name = "provisioned_throughput"
    return Units(
        read=number(facts.READ_CAPACITY, block, name, "read_capacity_units"),
        write=number(facts.WRITE_CAPACITY, block, name, "write_capacity_units"),
    )


def ceiling(block: Block) -> Units:
    """The most that on-demand requests may use."""
    name = "on_demand_throughput"
    return Units(
        read=number(facts.MAX_READ, block, name, "max_read_request_units", _NO_LIMIT),
        write=number(facts.MAX_WRITE, block, name, "max_write_request_units", _NO_LIMIT),
    )


def recovery(block: Block) -> Recovery:
    """Point-in-time recovery."""
    name = "point_in_time_recovery_specification"
    return Recovery(
        enabled=flag(facts.RECOVERY, block, name, "point_in_time_recovery_enabled"),
        days=number(facts.RECOVERY_DAYS, block, name, "recovery_period_in_days"),
    )


def ttl(block: Block) -> Ttl:
    """Expiry of items."""
    name = "time_to_live_specification"
    return Ttl(
        enabled=flag(facts.TTL_ENABLED, block, name, "enabled"),
        attribute=text(facts.TTL_ATTRIBUTE, block, name, "attribute_name"),
    )


def insights(block: Block) -> Value[bool]:
    """Contributor Insights."""
    return flag(facts.INSIGHTS, block, "contributor_insights_specification", "enabled")


def policy(fact: Fact[str], block: Block, name: str = "resource_policy") -> Value[str]:
    """A resource policy: a JSON text."""
    return text(fact, block, name, "policy_document")


def stream(block: Block, policy_holder: Block, policy_name: str) -> Stream:
    """The change stream: that it is specified turns it on."""
    name = "stream_specification"
    inner = block.one(name)
    if inner is None:
        return facts.NO_STREAM
    if isinstance(inner, Doubt):
        place = block.place(name)
        return Stream(
            enabled=facts.STREAM_ENABLED.doubted(inner, place),
            view=facts.STREAM_VIEW.doubted(inner, place),
            policy=facts.STREAM_POLICY.doubted(inner, place),
        )
    holder = inner if policy_holder is block else policy_holder.one(policy_name)
    return Stream(
        enabled=facts.STREAM_ENABLED.of(True, block.place(name)),
        view=inner.text(facts.STREAM_VIEW, "stream_view_type"),
        policy=policy(facts.STREAM_POLICY, holder) if isinstance(holder, Block) else facts.STREAM_POLICY.unset,
    )


def destination(block: Block) -> tuple[StreamDestination, ...]:
    """The Kinesis stream that receives the changes."""
    found = text(facts.DESTINATION, block, "kinesis_stream_specification", "stream_arn")
    return () if found is facts.DESTINATION.unset else (StreamDestination(stream=found),)


def tags(block: Block) -> Tags:
    """Tags, as a list of pairs."""
    pairs = block.many("tags")
    place = block.place("tags")
    if isinstance(pairs, Doubt):
        return facts.TAGS.doubted(pairs, place)
    found: dict[str, str | None] = {}
    for pair in pairs:
        key = pair.content.get("key") if isinstance(pair, Block) else None
        if not isinstance(pair, Block) or not isinstance(key, str):
            return facts.TAGS.doubted(pair if isinstance(pair, Doubt) else MISSHAPEN, place)
        value = pair.content.get("value")
        found[key] = value if isinstance(value, str) else None
    return facts.TAGS.of(found, place, sensitive=block.is_sensitive("tags")) if found else facts.TAGS.unset


def keys(block: Block) -> Value[tuple[KeyPart, ...]]:
    """The key schema: a list, or the JSON text of one."""
    given = block.content.get("key_schema")
    if not isinstance(given, str):
        return keys_of(block)
    place = block.place("key_schema")
    try:
        parts = decode(part_of(given))
    except ParseError:
        parts = None
    found = []
    for part in parts if isinstance(parts, list) else [None]:
        name, role = (part.get("AttributeName"), part.get("KeyType")) if isinstance(part, dict) else (None, None)
        if not isinstance(name, str) or role not in ("HASH", "RANGE"):
            block.report_shape("key_schema", "a list of keys as JSON")
            return facts.KEYS.doubted(MISSHAPEN, place)
        found.append(KeyPart(attribute=name, role=Role(role)))
    return facts.KEYS.of(tuple(found), place)


def attributes(block: Block) -> Value[Mapping[str, str]]:
    """Attribute definitions."""
    place = block.place("attribute_definitions")
    blocks = block.many("attribute_definitions")
    if isinstance(blocks, Doubt):
        return facts.ATTRIBUTES.doubted(blocks, place)
    found: dict[str, str] = {}
    for one in blocks:
        if isinstance(one, Doubt):
            return facts.ATTRIBUTES.doubted(one, place)
        name, type_ = one.text(facts.INDEX_NAME, "attribute_name"), one.text(facts.PROJECTION, "attribute_type")
        doubt = name.doubt or type_.doubt
        if doubt is not None:
            return facts.ATTRIBUTES.doubted(doubt, place)
        found[name.content or ""] = type_.content or ""
    return facts.ATTRIBUTES.of(dict(sorted(found.items())), place) if found else facts.ATTRIBUTES.unset


def indexes(block: Block, fact: Fact[tuple[Index, ...]], name: str, *, local: bool = False) -> Value[tuple[Index, ...]]:
    """Secondary indexes."""
    blocks = block.many(name)
    place = block.place(name)
    if isinstance(blocks, Doubt):
        return fact.doubted(blocks, place)
    found = []
    for one in blocks:
        if isinstance(one, Doubt):
            return fact.doubted(one, place)
        found.append(_index(one, local=local))
    return fact.of(by_name(found), place) if found else fact.unset


def vector_indexes(block: Block) -> Value[tuple[VectorIndex, ...]]:
    """Indexes over vectors."""
    name = "vector_indexes"
    blocks = block.many(name)
    place = block.place(name)
    if isinstance(blocks, Doubt):
        return facts.VECTOR_INDEXES.doubted(blocks, place)
    found = [_vector_index(one) for one in blocks if isinstance(one, Block)]
    found.sort(key=lambda one: one.name.content or "")
    return facts.VECTOR_INDEXES.of(tuple(found), place) if found else facts.VECTOR_INDEXES.unset


def _vector_index(one: Block) -> VectorIndex:
    return VectorIndex(
        name=one.text(facts.INDEX_NAME, "index_name"),
        attribute=text(facts.VECTOR_ATTRIBUTE, one, "vector_attribute", "attribute_name"),
        dimensions=one.number(facts.VECTOR_DIMENSIONS, "dimensions"),
        distance=one.text(facts.VECTOR_DISTANCE, "distance_function"),
        place=one.place(),
    )


def _index(one: Block, *, local: bool) -> Index:
    projection = one.one("projection")
    return Index(
        name=one.text(facts.INDEX_NAME, "index_name"),
        place=one.place(),
        local=local,
        keys=keys(one),
        projection=text(facts.PROJECTION, one, "projection", "projection_type"),
        projected=_projected(projection) if isinstance(projection, Block) else facts.PROJECTED.unset,
        capacity=facts.NO_CAPACITY if local else capacity(one),
        on_demand=facts.NO_CEILING if local else ceiling(one),
        warm=facts.NO_WARMTH if local else warmth(one.one("warm_throughput")),
        insights=facts.INSIGHTS.unset if local else insights(one),
    )


def _projected(projection: Block) -> Value[tuple[str, ...]]:
    names = projection.content.get("non_key_attributes")
    place = projection.place("non_key_attributes")
    doubt = projection.doubt("non_key_attributes")
    if doubt is not None:
        return facts.PROJECTED.doubted(doubt, place)
    texts: Sequence[str] = sorted(one for one in names if isinstance(one, str)) if isinstance(names, list) else ()
    return facts.PROJECTED.of(tuple(texts), place) if texts else facts.PROJECTED.unset
