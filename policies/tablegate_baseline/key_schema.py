"""Key schema: would DynamoDB accept these keys and indexes at all?"""

from __future__ import annotations

from collections.abc import Iterator

from tablegate.policy import HIGH, Index, Role, Table, Value, Verdict, all_of, fails, not_applicable, policy
from tablegate_baseline.keys import NO_KEY, Keys, attributes_of
from tablegate_baseline.parts import global_indexes, index_label, local_indexes, part_label, undecided

# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html
_MOST_LOCAL_INDEXES = 5
_MOST_PROJECTED = 100
_MOST_KEY_PARTS = 4
_TYPES = ("S", "N", "B")


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
    return all_of((*_agreement(table), *_table_key(table), *_each_index(table), *_all_indexes(table)))


def _inherits(table: Table) -> bool:
    sources = (table.source_table, table.restore_source)
    return any(not source.known or source.content is not None for source in sources)


def _indexes(table: Table) -> tuple[Index, ...]:
    return (*global_indexes(table), *local_indexes(table))


def _agreement(table: Table) -> Iterator[Verdict]:
    """Every key attribute is defined, with a type that keys may have, and no other attribute is."""
    parts: list[Table | Index] = [table, *_indexes(table)]
    doubts: list[Value[object]] = [value for value in (table.indexes, table.local_indexes) if not value.known]
    doubts += [part.keys for part in parts if not part.keys.known]
    if doubts:
        yield undecided(*doubts)
    if not table.attributes.known:
        yield undecided(table.attributes)
        return
    defined = table.attributes.content or {}
    used = {key.attribute: part for part in reversed(parts) for key in part.keys.content or ()}
    for name in sorted(used.keys() - defined.keys()):
        note = f"attribute {name} is in the key of {part_label(used[name])}, and has no definition"
        yield fails(note, used[name].keys, table.attributes)
    for name in sorted([name for name, kind in defined.items() if kind not in _TYPES]):
        yield fails(f"attribute {name} is defined as {defined[name]}: a key is S, N or B", table.attributes)
    if not doubts:
        yield from _unused(table, sorted(defined.keys() - used.keys()))


def _unused(table: Table, names: list[str]) -> Iterator[Verdict]:
    """A vector index may use attributes that no key does."""
    if not names or table.vector_indexes.content:
        return
    note = f"attribute {', '.join(names)} is defined, and no key uses it"
    yield fails(note, table.attributes) if table.vector_indexes.known else undecided(table.vector_indexes)


def _table_key(table: Table) -> Iterator[Verdict]:
    hashes, ranges = _counts(table.keys)
    if table.keys.known and not (hashes == 1 and ranges <= 1):
        yield fails(f"the table's key has {hashes} partition keys and {ranges} sort keys", table.keys)


def _counts(keys: Keys) -> tuple[int, int]:
    roles = [part.role for part in keys.content or ()]
    return roles.count(Role.HASH), roles.count(Role.RANGE)


def _each_index(table: Table) -> Iterator[Verdict]:
    for index in global_indexes(table):
        yield from _global_key(index)
        yield from _projection(index)
    for index in local_indexes(table):
        yield from _local_key(index)
        yield from _projection(index)


def _global_key(index: Index) -> Iterator[Verdict]:
    hashes, ranges = _counts(index.keys)
    if index.keys.known and not (1 <= hashes <= _MOST_KEY_PARTS and ranges <= _MOST_KEY_PARTS):
        limit = f"1 to {_MOST_KEY_PARTS} and up to {_MOST_KEY_PARTS} are possible"
        yield fails(f"{index_label(index)} has {hashes} partition and {ranges} sort key parts: {limit}", index.keys)


def _local_key(index: Index) -> Iterator[Verdict]:
    if not index.keys.known or not index.table.keys.known:
        return
    label, table_keys = index_label(index), index.table.keys
    own, its_tables = attributes_of(index.keys, Role.HASH), attributes_of(table_keys, Role.HASH)
    if not attributes_of(table_keys, Role.RANGE):
        yield fails(f"local {label} needs a table with a sort key", index.keys, table_keys)
    if own != its_tables:
        note = f"local {label} has partition key {', '.join(own)}, and its table {', '.join(its_tables)}"
        yield fails(note, index.keys, table_keys)
    if _counts(index.keys)[1] != 1:
        yield fails(f"local {label} has {_counts(index.keys)[1]} sort keys: exactly 1 is possible", index.keys)


def _projection(index: Index) -> Iterator[Verdict]:
    projection, projected = index.projection, index.projected
    if not projection.known or not projected.known:
        yield undecided(projection, projected)
    elif projection.content == "INCLUDE" and not projected.content:
        yield fails(f"{index_label(index)} projects INCLUDE, and names no attributes", projection)
    elif projection.content != "INCLUDE" and projected.content:
        yield fails(f"{index_label(index)} projects {projection.shown}, and names attributes", projection, projected)


def _all_indexes(table: Table) -> Iterator[Verdict]:
    locals_ = len(local_indexes(table))
    if locals_ > _MOST_LOCAL_INDEXES:
        note = f"the table has {locals_} local indexes: {_MOST_LOCAL_INDEXES} are possible"
        yield fails(note, table.local_indexes)
    lists = tuple(index.projected for index in _indexes(table))
    projected = sum(len(names.content or ()) for names in lists)
    if projected > _MOST_PROJECTED:
        note = f"the indexes project {projected} attributes: {_MOST_PROJECTED} are possible"
        yield fails(note, *(names for names in lists if names.content))
    vectors = table.vector_indexes.content or ()
    names = [*(index.name for index in _indexes(table)), *(index.name for index in vectors)]
    called = [name.content for name in names if name.content is not None]
    for twin in sorted({name for name in called if called.count(name) > 1}):
        yield fails(f"{called.count(twin)} indexes are named {twin}", *(name for name in names if name.content == twin))
