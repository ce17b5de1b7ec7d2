"""Definitions: does the service accept the table as it is written?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from tablegate.policy import (
    HIGH,
    Dialect,
    Estate,
    Index,
    Role,
    Table,
    Value,
    Verdict,
    all_of,
    fails,
    not_applicable,
    policy,
)
from tablegate_baseline.helpers import (
    ON_DEMAND,
    global_indexes,
    index_label,
    local_indexes,
    not_known,
    part_label,
    quoted,
    units_of,
)
from tablegate_baseline.keys import NO_KEY, Keys, shape_of

# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html
_MAX_LOCAL_INDEXES = 5
_MAX_PROJECTED = 100  # by all indexes of a table
_MAX_PROJECTED_BY_INDEX = 20
_MAX_KEY_PARTS = 4
_NAME = re.compile(r"[a-zA-Z0-9_.-]{3,255}")
_MAX_ATTRIBUTE_BYTES = 255
_WARM_FLOORS = {"reads": 12_000, "writes": 4_000}  # of a table on demand
_SHOWN = 40  # characters of a name that is wrong
_ROLES_IN_ORDER = (Role.HASH, Role.RANGE)
_KEY_TYPES = ("S", "N", "B")

Verdicts = tuple[Verdict, ...]


@policy(
    "TG601",
    HIGH,
    "Keys, indexes and attribute definitions must match, within the service's limits",
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
    """The service refuses such a table in the middle of a deploy, after other resources have changed."""
    if table.keys.known and not table.keys.content and _is_copy(table):
        return not_applicable(NO_KEY)
    indexes = _known_indexes(table)
    verdicts = [*_definitions_agree(table, indexes), *_key_order(table), *_table_key_limits(table.keys)]
    for index in indexes:
        verdicts += _key_order(index)
        verdicts += _local_key_limits(index) if index.local else _global_key_limits(index)
        verdicts += _projection_limits(index)
    verdicts += [
        *_index_limits(table, indexes),
        *_names(table, indexes),
        *_stream_view(table),
        *_expiry(table),
        *_ceilings(table),
        *_warmth(table),
        *_namesake(table),
    ]
    return all_of(verdicts)


def _is_copy(table: Table) -> bool:
    sources = (table.source_table, table.restore_source)
    return any(not source.known or source.content is not None for source in sources)


def _known_indexes(table: Table) -> tuple[Index, ...]:
    return (*global_indexes(table), *local_indexes(table))


def _definitions_agree(table: Table, indexes: tuple[Index, ...]) -> list[Verdict]:
    """Every key attribute is defined with a type for keys, and no other attribute is defined."""
    keys = [table.keys, *[index.keys for index in indexes]]
    doubts = [value for value in (table.indexes, table.local_indexes, *keys) if not value.known]
    verdicts = [not_known(*doubts)] if doubts else []
    if not table.attributes.known:
        return [*verdicts, not_known(table.attributes)]
    defined = table.attributes.content or {}
    used = {part.attribute for one in keys for part in one.content or ()}
    odd = [name for name, kind in defined.items() if kind not in _KEY_TYPES]
    if used == defined.keys() and not odd:
        return verdicts
    verdicts += [_undefined(table, name) for name in sorted(used.difference(defined))]
    for name in sorted(odd):
        kinds = defined[name].split(" and ")
        twice = f"attribute {name} has type {defined[name]}: it is defined {len(kinds)} times"
        wrong = f"attribute {name} has type {defined[name]}, but a key must be S, N or B"
        verdicts.append(fails(twice if len(kinds) > 1 else wrong, table.attributes))
    if not doubts:
        verdicts += _unused(table, sorted(defined.keys() - used))
    return verdicts


def _undefined(table: Table, name: str) -> Verdict:
    """An attribute that is in a key and not defined. The first such key is in the message."""
    parts: tuple[Table | Index, ...] = (table, *_known_indexes(table))
    user = next(part for part in parts if any(key.attribute == name for key in part.keys.content or ()))
    note = f"attribute {name} is in the key of {part_label(user)}, but is not defined"
    return fails(note, user.keys, table.attributes)


def _unused(table: Table, names: list[str]) -> Verdicts:
    """Attributes that are defined and in no key. A vector index may use them."""
    if not names or table.vector_indexes.content:
        return ()
    note = f"attribute {', '.join(names)} is defined, but no key uses it"
    return (fails(note, table.attributes) if table.vector_indexes.known else not_known(table.vector_indexes),)


def _key_order(part: Table | Index) -> Iterator[Verdict]:
    """The parts of a partition key come before those of a sort key, and no attribute is in a key twice."""
    keys = part.keys.content or ()
    roles = [key.role for key in keys]
    if roles != sorted(roles, key=_ROLES_IN_ORDER.index):
        yield fails(f"in the key of {part_label(part)}, a sort key comes before a partition key", part.keys)
    for name in _repeated([key.attribute for key in keys]):
        yield fails(f"attribute {name} is in the key of {part_label(part)} twice", part.keys)


def _repeated(names: Sequence[str]) -> list[str]:
    """What is there more than once."""
    return sorted(name for name, count in Counter(names).items() if count > 1) if len(set(names)) < len(names) else []


def _table_key_limits(keys: Keys) -> Verdicts:
    hashes, ranges = shape_of(keys)
    if not keys.known or (len(hashes) == 1 and len(ranges) <= 1):
        return ()
    return (
        fails(
            f"the table has {len(hashes)} partition keys and {len(ranges)} sort keys: it must have 1, and at most 1",
            keys,
        ),
    )


def _global_key_limits(index: Index) -> Verdicts:
    hashes, ranges = shape_of(index.keys)
    if not index.keys.known or (1 <= len(hashes) <= _MAX_KEY_PARTS and len(ranges) <= _MAX_KEY_PARTS):
        return ()
    limit = f"it must have 1 to {_MAX_KEY_PARTS}, and at most {_MAX_KEY_PARTS}"
    parts = f"{len(hashes)} partition and {len(ranges)} sort key parts"
    return (fails(f"{index_label(index)} has {parts}: {limit}", index.keys),)


def _local_key_limits(index: Index) -> Iterator[Verdict]:
    if not index.keys.known or not index.table.keys.known:
        return
    label, table_keys = index_label(index), index.table.keys
    (hashes, ranges), (table_hashes, table_ranges) = shape_of(index.keys), shape_of(table_keys)
    if not table_ranges:
        yield fails(f"local {label} needs a table with a sort key", index.keys, table_keys)
    if hashes != table_hashes:
        note = f"local {label} has partition key {', '.join(hashes)}, but its table has {', '.join(table_hashes)}"
        yield fails(note, index.keys, table_keys)
    if len(ranges) != 1:
        yield fails(f"local {label} has {len(ranges)} sort keys: it must have exactly 1", index.keys)


def _projection_limits(index: Index) -> Verdicts:
    projection, projected = index.projection, index.projected
    if not projection.known or not projected.known:
        return (not_known(projection, projected),)
    if projection.content is None:
        return (fails(f"{index_label(index)} has no projection: it needs a projection type", projection, index.name),)
    if (projection.content == "INCLUDE") is bool(projected.content):
        return tuple(_projected_limits(index))
    if not projected.content:
        return (fails(f"{index_label(index)} projects INCLUDE, but names no attributes", projection),)
    return (fails(f"{index_label(index)} projects {projection.shown}, but names attributes", projection, projected),)


def _projected_limits(index: Index) -> Iterator[Verdict]:
    names, label = index.projected.content or (), index_label(index)
    if len(names) > _MAX_PROJECTED_BY_INDEX:
        yield fails(
            f"{label} projects {len(names)} attributes: the limit is {_MAX_PROJECTED_BY_INDEX}", index.projected
        )
    for name in _repeated(names):
        yield fails(f"{label} projects attribute {name} twice", index.projected)


def _index_limits(table: Table, indexes: tuple[Index, ...]) -> Iterator[Verdict]:
    local_count = len(local_indexes(table))
    if local_count > _MAX_LOCAL_INDEXES:
        note = f"the table has {local_count} local indexes: the limit is {_MAX_LOCAL_INDEXES}"
        yield fails(note, table.local_indexes)
    lists = [index.projected for index in indexes if index.projected.content]
    projected = sum([len(names.content or ()) for names in lists])
    if projected > _MAX_PROJECTED:
        yield fails(f"the indexes project {projected} attributes: the limit is {_MAX_PROJECTED}", *lists)
    names = [*[index.name for index in indexes], *[index.name for index in table.vector_indexes.content or ()]]
    known = [name.content for name in names if name.content is not None]
    if len(set(known)) < len(known):
        for twice in sorted({name for name in known if known.count(name) > 1}):
            note = f"{known.count(twice)} indexes are named {twice}"
            yield fails(note, *(name for name in names if name.content == twice))


def _names(table: Table, indexes: tuple[Index, ...]) -> Iterator[Verdict]:
    """Names of tables and indexes have a pattern, those of attributes a length."""
    index_names = [*[index.name for index in indexes], *[index.name for index in table.vector_indexes.content or ()]]
    named = [("table", table.name), *[("index", name) for name in index_names]]
    for what, name in named:
        if name.content is not None and not _NAME.fullmatch(name.content):
            yield fails(f"{what} name {_cut(name)} is not 3 to 255 of the characters a-z, A-Z, 0-9, _, . and -", name)
    attributes: dict[str, Value[Any]] = {}
    for keys in (table.keys, *[index.keys for index in indexes]):
        attributes |= {key.attribute: keys for key in keys.content or ()}
    for index in indexes:
        attributes |= dict.fromkeys(index.projected.content or (), index.projected)
    if table.ttl.attribute.content is not None:
        attributes[table.ttl.attribute.content] = table.ttl.attribute
    for attribute, value in attributes.items():
        length = len(attribute.encode("utf-8", "surrogatepass"))
        if not 1 <= length <= _MAX_ATTRIBUTE_BYTES:
            note = f"attribute name {attribute[:_SHOWN]}... has {length} bytes: the limit is {_MAX_ATTRIBUTE_BYTES}"
            yield fails(note if length else "the name of an attribute is empty", value)


def _cut(name: Value[str]) -> str:
    text = quoted(name)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...'"


def _stream_view(table: Table) -> Iterator[Verdict]:
    """A stream that is switched on says what its records hold."""
    stream = table.stream
    if stream.enabled.content is True and stream.view.known and stream.view.content is None:
        yield fails("the stream has no view type", stream.enabled)


def _expiry(table: Table) -> Iterator[Verdict]:
    """Time to live that is switched on says which attribute has the time."""
    ttl = table.ttl
    if ttl.enabled.content is True and ttl.attribute.known and ttl.attribute.content is None:
        yield fails("time to live is on, but names no attribute", ttl.enabled)


def _ceilings(table: Table) -> Iterator[Verdict]:
    """A maximum of on-demand requests is at least 1."""
    for kind, part, value in units_of(table, lambda part: part.on_demand):
        if value.content is not None and value.content < 1:
            yield fails(
                f"the on-demand maximum of {kind} of {part_label(part)} is {value.content}: it must be 1 or more", value
            )


def _warmth(table: Table) -> Iterator[Verdict]:
    """Warm throughput on demand is not below what every such table has from the start."""
    mode = table.billing_mode
    for kind, part, value in units_of(table, lambda part: part.warm):
        floor = _WARM_FLOORS[kind]
        if value.content is None or value.content >= floor:
            continue
        label = f"the warm throughput of {kind} of {part_label(part)} is {value.content}"
        if value.content < 1:
            yield fails(f"{label}: it must be 1 or more", value)
        elif mode.content == ON_DEMAND:
            yield fails(f"{label}: on demand it must be {floor} or more", value, mode)
        elif not mode.known:
            yield not_known(mode)


def _namesake(table: Table) -> Iterator[Verdict]:
    """An account has one table of a name in a region. The later one of an input fails.

    Source is not judged: of two tables whose counts exclude each other, it may show both.
    """
    if table.name.content is None or table.dialect is Dialect.TERRAFORM_SOURCE:
        return
    for other in _tables_by_name(table.estate).get(table.name.content, ()):
        if other.address == table.address:
            return
        if _in_one_place(table, other) and _may_meet(table, other):
            yield fails(f"{other.address} has the same name in the same account and region", table.name)
            return


@lru_cache(maxsize=4)  # every table of an input asks
def _tables_by_name(estate: Estate) -> Mapping[str, tuple[Table, ...]]:
    tables: dict[str, tuple[Table, ...]] = {}
    for table in estate.tables:
        if (name := table.name.content) is not None:
            tables[name] = (*tables.get(name, ()), table)
    return tables


def _in_one_place(one: Table, other: Table) -> bool:
    """Whether account and region are the same: in a stack they are, elsewhere they have to be known."""
    if one.dialect is Dialect.CLOUDFORMATION:
        return True
    pairs = ((one.region, other.region), (one.account, other.account))
    return all(first.content is not None and first.content == second.content for first, second in pairs)


def _may_meet(one: Table, other: Table) -> bool:
    """Whether there is a scenario with both tables."""
    scenario, others = one.scenario or {}, other.scenario or {}
    return all(others.get(key, value) == value for key, value in scenario.items())
