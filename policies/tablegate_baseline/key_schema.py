"""Key schema: would DynamoDB accept these keys and indexes at all?"""

from __future__ import annotations

from collections.abc import Iterator

from tablegate.policy import HIGH, Index, Table, Verdict, all_of, fails, not_applicable, policy
from tablegate_baseline.keys import NO_KEY, Keys, shape_of
from tablegate_baseline.parts import global_indexes, index_label, local_indexes, part_label, undecided

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
