"""Definitions: does the service accept the table as it is written?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tablegate.policy import HIGH, Index, Role, Table, Verdict, all_of, fails, not_applicable, policy
from tablegate_baseline.helpers import global_indexes, index_label, local_indexes, not_known, part_label
from tablegate_baseline.keys import NO_KEY, Keys, shape_of

# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html
_MAX_LOCAL_INDEXES = 5
_MAX_PROJECTED = 100
_MAX_KEY_PARTS = 4
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
    return all_of([*verdicts, *_index_limits(table, indexes)])


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
        verdicts.append(
            fails(f"attribute {name} has type {defined[name]}, but a key must be S, N or B", table.attributes)
        )
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
        return ()
    if not projected.content:
        return (fails(f"{index_label(index)} projects INCLUDE, but names no attributes", projection),)
    return (fails(f"{index_label(index)} projects {projection.shown}, but names attributes", projection, projected),)


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
