"""Partition and sort keys; would the service accept them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from tablegate.policy import (
    HIGH,
    LOW,
    MEDIUM,
    Estate,
    Index,
    KeyPart,
    Role,
    Table,
    Value,
    Verdict,
    all_of,
    fails,
    holds,
    not_applicable,
    policy,
)
from tablegate_baseline.helpers import global_indexes, index_label, local_indexes, part_label, undecided, words_of

TIMES = ("date", "day", "week", "month", "year", "hour", "time", "timestamp", "created", "updated", "ts")
SEQUENCES = ("sequence", "seq", "counter", "autoincrement")
FEW_VALUES = (
    *("status", "state", "type", "kind", "category", "flag", "enabled", "active", "deleted", "boolean", "bool"),
    *("country", "region", "gender", "sex", "level", "priority", "tier", "role"),
)
HOT_WORDS = (*TIMES, *SEQUENCES, *FEW_VALUES)
_SHARDS = frozenset({"shard", "bucket", "hash", "prefix"})
_AFTER_A_TIME = frozenset({"at", "on", "id"})
_NAMES_KEPT = 1 << 16
_HASH = Role.HASH

Keys = Value[tuple[KeyPart, ...]]
Shape = tuple[tuple[str, ...], tuple[str, ...]]

NO_KEY = "the table's key comes from elsewhere"


@policy(
    "TG602",
    MEDIUM,
    "The partition key must spread the traffic",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-uniform-load.html",
    terraform="""
hash_key = "customer_id"

attribute {
  name = "customer_id"
  type = "S"
}
""",
    cloudformation="""
AttributeDefinitions:
  - AttributeName: customer_id
    AttributeType: S

KeySchema:
  - AttributeName: customer_id
    KeyType: HASH
""",
)
def hot_partition_key(table: Table, *, words: tuple[str, ...] = HOT_WORDS) -> Verdict:
    """All items that share a partition key share one partition's throughput. A time, a sequence or a status sends
    the traffic of the moment to the same few of them. A key with a shard in it does not."""
    if not table.keys.known:
        return undecided(table.keys)
    hashes, _ = shape_of(table.keys)
    if not hashes:
        return not_applicable(NO_KEY)
    heat = heat_of(hashes, words)
    return fails(f"partition key {heat}", table.keys) if heat else holds(table.keys)


def heat_of(hashes: tuple[str, ...], words: tuple[str, ...]) -> str | None:
    """How the parts of a partition key, taken together, gather the traffic: one that spreads it is enough."""
    found = [word for attribute in hashes if (word := hot_word(attribute, words)) is not None]
    if len(found) < len(hashes):
        return None
    return f"{', '.join(hashes)} ends in '{found[-1]}', and no shard spreads its traffic"


@lru_cache(maxsize=_NAMES_KEPT)
def hot_word(attribute: str, words: tuple[str, ...]) -> str | None:
    """The word that ends a name, where it is one of these and the name holds no shard."""
    spoken = words_of(attribute)
    if not _SHARDS.isdisjoint(spoken):
        return None
    end = len(spoken)
    while end > 1 and spoken[end - 1] in _AFTER_A_TIME:
        end -= 1
    if spoken[end - 1 : end] and spoken[end - 1] in TIMES:
        spoken = spoken[:end]
    return next((word for word in words if (parts := words_of(word)) and spoken[-len(parts) :] == parts), None)


def shape_of(keys: Keys) -> Shape:
    """The attributes of the partition key and those of the sort key, each in their order."""
    hashes: list[str] = []
    ranges: list[str] = []
    for part in keys.content or ():
        (hashes if part.role is _HASH else ranges).append(part.attribute)
    return tuple(hashes), tuple(ranges)


@policy(
    "TG607",
    LOW,
    "A table must have a sort key",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-sort-keys.html",
    terraform="""
range_key = "placed_at"

attribute {
  name = "placed_at"
  type = "S"
}
""",
    cloudformation="""
AttributeDefinitions:
  - AttributeName: id
    AttributeType: S
  - AttributeName: placed_at
    AttributeType: S

KeySchema:
  - AttributeName: id
    KeyType: HASH
  - AttributeName: placed_at
    KeyType: RANGE
""",
)
def sort_key(table: Table) -> Verdict:
    """Without one, a partition key finds a single item: no range, no order, no room for another kind of item.
    It cannot be added later without moving all data to a new table."""
    if not table.keys.known:
        return undecided(table.keys)
    if not table.keys.content:
        return not_applicable(NO_KEY)
    _, ranges = shape_of(table.keys)
    if ranges:
        return holds(table.keys)
    return fails("the table has no sort key, so no query reads a range", table.keys)


@policy(
    "TG609",
    LOW,
    "Key attributes must be named in one style",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html",
    terraform='hash_key = "customer_id"',
    cloudformation="""
KeySchema:
  - AttributeName: customer_id
    KeyType: HASH
""",
)
def attribute_naming(table: Table) -> Verdict:
    """A misspelled attribute is no error in DynamoDB: it is a second attribute. Names that mix styles invite it.

    The tables of one input are compared; PK, SK, GSI1PK and the like are one style.
    """
    keys = _keys(table)
    doubtful = [one for one in keys if not one.known]
    if doubtful:
        return undecided(*doubtful)
    own = _styles(_names(keys))
    prevailing, doubts = _prevailing(table.estate)
    if doubts and len(own) == 1:
        return Verdict(None, doubts)
    odd = [name for style, names in own.items() if style != prevailing for name in names]
    if not odd:
        return holds(table.keys)
    other = f"{prevailing} prevails" if prevailing else "no style prevails"
    return fails(f"key attributes {', '.join(odd)}: {other} in this input", table.keys)


_STYLES = (
    ("generic", r"(?i)((gsi|lsi)[-_]?\d*[-_]?)?(pk|sk)[-_]?\d*"),
    ("", r"[a-z0-9]+|[A-Z0-9]+"),  # one word fits every style
    ("snake_case", r"[a-z0-9]+(_[a-z0-9]+)+"),
    ("UPPER_SNAKE_CASE", r"[A-Z0-9]+(_[A-Z0-9]+)+"),
    ("kebab-case", r"[a-z0-9]+(-[a-z0-9]+)+"),
    ("dot.case", r"[a-z0-9]+(\.[a-z0-9]+)+"),
    ("camelCase", r"[a-z][A-Za-z0-9]*"),
    ("PascalCase", r"[A-Z][A-Za-z0-9]*"),
)


@lru_cache(maxsize=_NAMES_KEPT)
def _style(name: str) -> str:
    """The naming style of an attribute. Empty: it fits them all."""
    return next((style for style, pattern in _STYLES if re.fullmatch(pattern, name)), "a mix of styles")


def _keys(table: Table) -> list[Keys]:
    return [table.keys, *[index.keys for index in (*global_indexes(table), *local_indexes(table))]]


def _names(keys: Iterable[Keys]) -> tuple[str, ...]:
    """The attributes of these keys, each once."""
    return tuple(dict.fromkeys([part.attribute for one in keys for part in one.content or ()]))


@lru_cache(maxsize=1024)  # many tables have keys of the same names
def _styles(names: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    """The names of key attributes by their style, but for those that fit every style."""
    found: dict[str, tuple[str, ...]] = {}
    for name in names:
        if style := _style(name):
            found[style] = (*found.get(style, ()), name)
    return found


@lru_cache(maxsize=4)
def _prevailing(estate: Estate) -> tuple[str | None, tuple[Value[object], ...]]:
    """The style of most key attributes in an input, where one leads, and the keys that are not known."""
    named: dict[str, set[str]] = {}  # a table counts once, in however many scenarios it is
    doubts: list[Keys] = []
    for table in estate.tables:
        keys = _keys(table)
        named.setdefault(table.address, set()).update([part.attribute for one in keys for part in one.content or ()])
        doubts += [one for one in keys if not one.known]
    styles = [style for names in named.values() for name in names if (style := _style(name))]
    ranked = Counter(styles).most_common(2)
    leads = ranked and (len(ranked) == 1 or ranked[0][1] > ranked[1][1])
    return ranked[0][0] if leads else None, tuple(doubts)


# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html
_MOST_LOCAL_INDEXES = 5
_MOST_PROJECTED = 100
_MOST_KEY_PARTS = 4
_TYPES = ("S", "N", "B")

Verdicts = tuple[Verdict, ...]


@policy(
    "TG601",
    HIGH,
    "Keys, indexes and attribute definitions must agree with one another and with the service's limits",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html",
    terraform="""
hash_key  = "customer_id"
range_key = "order_id"

attribute {
  name = "customer_id"
  type = "S"
}

attribute {
  name = "order_id"
  type = "S"
}
""",
    cloudformation="""
AttributeDefinitions:
  - AttributeName: customer_id
    AttributeType: S
  - AttributeName: order_id
    AttributeType: S

KeySchema:
  - AttributeName: customer_id
    KeyType: HASH
  - AttributeName: order_id
    KeyType: RANGE
""",
)
def key_schema(table: Table) -> Verdict:
    """The service refuses such a table, and it does so in the middle of a deploy, after other resources changed."""
    if table.keys.known and not table.keys.content and _inherits(table):
        return not_applicable(NO_KEY)
    indexes = _indexes(table)
    found = [*_agreement(table, indexes), *_table_key(table.keys)]
    for index in indexes:
        found += _local_key(index) if index.local else _global_key(index)
        found += _projection(index)
    return all_of([*found, *_all_indexes(table, indexes)])


def _inherits(table: Table) -> bool:
    sources = (table.source_table, table.restore_source)
    return any(not source.known or source.content is not None for source in sources)


def _indexes(table: Table) -> tuple[Index, ...]:
    return (*global_indexes(table), *local_indexes(table))


def _agreement(table: Table, indexes: tuple[Index, ...]) -> list[Verdict]:
    """Every key attribute is defined, with a type that keys may have, and no other attribute is."""
    keys = [table.keys, *[index.keys for index in indexes]]
    doubts = [value for value in (table.indexes, table.local_indexes, *keys) if not value.known]
    found = [undecided(*doubts)] if doubts else []
    if not table.attributes.known:
        return [*found, undecided(table.attributes)]
    defined = table.attributes.content or {}
    used = {part.attribute for one in keys for part in one.content or ()}
    odd = [name for name, kind in defined.items() if kind not in _TYPES]
    if used == defined.keys() and not odd:
        return found
    found += [_undefined(table, name) for name in sorted(used.difference(defined))]
    for name in sorted(odd):
        found.append(fails(f"attribute {name} is defined as {defined[name]}: a key is S, N or B", table.attributes))
    if not doubts:
        found += _unused(table, sorted(defined.keys() - used))
    return found


def _undefined(table: Table, name: str) -> Verdict:
    """An attribute that only keys speak of. The first of them is named."""
    parts: tuple[Table | Index, ...] = (table, *_indexes(table))
    user = next(part for part in parts if any(key.attribute == name for key in part.keys.content or ()))
    note = f"attribute {name} is in the key of {part_label(user)}, and has no definition"
    return fails(note, user.keys, table.attributes)


def _unused(table: Table, names: list[str]) -> Verdicts:
    """A vector index may use attributes that no key does."""
    if not names or table.vector_indexes.content:
        return ()
    note = f"attribute {', '.join(names)} is defined, and no key uses it"
    return (fails(note, table.attributes) if table.vector_indexes.known else undecided(table.vector_indexes),)


def _table_key(keys: Keys) -> Verdicts:
    hashes, ranges = shape_of(keys)
    if not keys.known or (len(hashes) == 1 and len(ranges) <= 1):
        return ()
    return (fails(f"the table's key has {len(hashes)} partition keys and {len(ranges)} sort keys", keys),)


def _global_key(index: Index) -> Verdicts:
    hashes, ranges = shape_of(index.keys)
    if not index.keys.known or (1 <= len(hashes) <= _MOST_KEY_PARTS and len(ranges) <= _MOST_KEY_PARTS):
        return ()
    limit = f"1 to {_MOST_KEY_PARTS} and up to {_MOST_KEY_PARTS} are possible"
    found = f"{len(hashes)} partition and {len(ranges)} sort key parts"
    return (fails(f"{index_label(index)} has {found}: {limit}", index.keys),)


def _local_key(index: Index) -> Iterator[Verdict]:
    if not index.keys.known or not index.table.keys.known:
        return
    label, table_keys = index_label(index), index.table.keys
    (own, sorts), (its_tables, its_sorts) = shape_of(index.keys), shape_of(table_keys)
    if not its_sorts:
        yield fails(f"local {label} needs a table with a sort key", index.keys, table_keys)
    if own != its_tables:
        note = f"local {label} has partition key {', '.join(own)}, and its table {', '.join(its_tables)}"
        yield fails(note, index.keys, table_keys)
    if len(sorts) != 1:
        yield fails(f"local {label} has {len(sorts)} sort keys: exactly 1 is possible", index.keys)


def _projection(index: Index) -> Verdicts:
    projection, projected = index.projection, index.projected
    if not projection.known or not projected.known:
        return (undecided(projection, projected),)
    if (projection.content == "INCLUDE") is bool(projected.content):
        return ()
    if not projected.content:
        return (fails(f"{index_label(index)} projects INCLUDE, and names no attributes", projection),)
    return (fails(f"{index_label(index)} projects {projection.shown}, and names attributes", projection, projected),)


def _all_indexes(table: Table, indexes: tuple[Index, ...]) -> Iterator[Verdict]:
    locals_ = len(local_indexes(table))
    if locals_ > _MOST_LOCAL_INDEXES:
        note = f"the table has {locals_} local indexes: {_MOST_LOCAL_INDEXES} are possible"
        yield fails(note, table.local_indexes)
    lists = [index.projected for index in indexes if index.projected.content]
    projected = sum([len(names.content or ()) for names in lists])
    if projected > _MOST_PROJECTED:
        yield fails(f"the indexes project {projected} attributes: {_MOST_PROJECTED} are possible", *lists)
    names = [*[index.name for index in indexes], *[index.name for index in table.vector_indexes.content or ()]]
    called = [name.content for name in names if name.content is not None]
    if len(set(called)) < len(called):
        for twin in sorted({name for name in called if called.count(name) > 1}):
            note = f"{called.count(twin)} indexes are named {twin}"
            yield fails(note, *(name for name in names if name.content == twin))
