"""Indexes: is each of them worth what it costs on every write?"""

from __future__ import annotations

from typing import Annotated

from tablegate.policy import HIGH, LOW, MEDIUM, Index, Table, Verdict, all_of, fails, holds, not_applicable, policy
from tablegate_baseline.helpers import global_indexes, index_label, local_indexes, not_known, otherwise
from tablegate_baseline.keys import HOT_WORDS, HotWords, Keys, Shape, hot_key, shape_of

_DEFAULT_QUOTA = 20  # https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html


@policy(
    "TG603",
    MEDIUM,
    "An index's partition key must spread the traffic",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-indexes-gsi-sharding.html",
    terraform='hash_key = "status_shard"',
    cloudformation="""
KeySchema:
  - AttributeName: status_shard
    KeyType: HASH
""",
)
def hot_index_key(index: Index, *, words: HotWords = HOT_WORDS) -> Verdict:
    """An index has partitions of its own, and a hot one throttles the writes of its table. A status or a date is a
    good key for queries once a shard is part of it."""
    if index.local:
        return not_applicable("a local index has its table's partition key")
    if not index.keys.known:
        return not_known(index.keys)
    hashes, _ = shape_of(index.keys)
    if not hashes:
        return not_applicable("the index has no partition key")
    heat = hot_key(hashes, words)
    return fails(f"{index_label(index)}: partition key {heat}", index.keys) if heat else holds(index.keys)


@policy(
    "TG604",
    MEDIUM,
    "A table must not have more indexes than its access patterns need",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-indexes-general.html",
    terraform="""
global_secondary_index {
  name            = "gsi1"
  hash_key        = "GSI1PK"
  range_key       = "GSI1SK"
  projection_type = "KEYS_ONLY"
}
""",
    cloudformation="""
- IndexName: gsi1
  KeySchema:
    - AttributeName: GSI1PK
      KeyType: HASH
    - AttributeName: GSI1SK
      KeyType: RANGE
  Projection:
    ProjectionType: KEYS_ONLY
""",
)
def index_count(table: Table, *, max: Annotated[int, "highest number of global indexes"] = 5) -> Verdict:
    """Each index is written on every write, and billed and throttled on its own. One with generic keys serves several
    access patterns. Above the default quota of 20 the deploy fails, unless the account's quota was raised."""
    if not table.indexes.known:
        return not_known(table.indexes)
    count = len(global_indexes(table))
    if count <= max:
        return holds(table.indexes)
    verdict = fails(f"the table has {count} global indexes, more than {max}", table.indexes)
    return verdict.weighing(HIGH) if count > _DEFAULT_QUOTA else verdict


@policy(
    "TG605",
    LOW,
    "An index must project what its queries read, not everything",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-indexes-general.html",
    terraform="""
projection_type    = "INCLUDE"
non_key_attributes = ["total"]
""",
    cloudformation="""
Projection:
  ProjectionType: INCLUDE
  NonKeyAttributes:
    - total
""",
    on="strict",
)
def index_projection(index: Index) -> Verdict:
    """Projecting ALL stores the table twice and writes every change twice, even of attributes that no query on the
    index ever reads."""
    projects_less = ~index.projection.equals("ALL")
    if projects_less.truth is True:
        return projects_less
    return otherwise(projects_less, f"{index_label(index)} projects ALL attributes")


@policy(
    "TG606",
    MEDIUM,
    "An index must serve queries that nothing else serves",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-indexes-general.html",
    terraform="""
global_secondary_index {
  name            = "by-status"
  hash_key        = "status_shard"
  range_key       = "placed_at"
  projection_type = "KEYS_ONLY"
}
""",
    cloudformation="""
- IndexName: by-status
  KeySchema:
    - AttributeName: status_shard
      KeyType: HASH
    - AttributeName: placed_at
      KeyType: RANGE
  Projection:
    ProjectionType: KEYS_ONLY
""",
)
def redundant_index(index: Index) -> Verdict:
    """The table, or another index, answers every query on such an index at no further cost. All that the index adds is
    its price."""
    table = index.table
    if not index.keys.known or not table.keys.known:
        return not_known(index.keys, table.keys)
    own, table_shape = shape_of(index.keys), shape_of(table.keys)
    if own == table_shape:
        return fails(f"{index_label(index)} repeats the table's key", index.keys, table.keys)
    if own == (table_shape[0], ()):
        return fails(f"{index_label(index)} has the table's own partition key and no sort key", index.keys, table.keys)
    return all_of(_replaceable_by_others(index, own))


@policy(
    "TG608",
    LOW,
    "A local index must not be used where a global one would do",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/LSI.html",
    terraform="""
global_secondary_index {
  name            = "by-total"
  hash_key        = "customer_id"
  range_key       = "total"
  projection_type = "KEYS_ONLY"
}
""",
    cloudformation="""
GlobalSecondaryIndexes:
  - IndexName: by-total
    KeySchema:
      - AttributeName: customer_id
        KeyType: HASH
      - AttributeName: total
        KeyType: RANGE
    Projection:
      ProjectionType: KEYS_ONLY
""",
)
def local_index(index: Index) -> Verdict:
    """A local index can never be removed, and it limits all items that share a partition key to 10 GB: beyond that,
    writes fail."""
    if not index.local:
        return holds(index.name)
    return fails(
        f"local {index_label(index)} can never be removed, and limits each item collection to 10 GB", index.name
    )


def _replaceable_by_others(index: Index, own: Shape) -> list[Verdict]:
    """A failing verdict for each index that serves all its queries; for a local one, only among local ones."""
    table = index.table
    collections = (table.local_indexes,) if index.local else (table.indexes, table.local_indexes)
    verdicts = [not_known(collection) for collection in collections if not collection.known]
    others = local_indexes(table) if index.local else (*global_indexes(table), *local_indexes(table))
    for other in others:
        if other is not index and _may_begin_with(other.keys, own):
            verdict = ~_replaces(other, index, own)
            if verdict.truth is False:
                verdict = verdict.because(f"{index_label(other)} serves every query that {index_label(index)} does")
            verdicts.append(verdict)
    return verdicts


def _may_begin_with(keys: Keys, own: Shape) -> bool:
    """Whether a key begins with the index's own, or may do so."""
    if not keys.known:
        return True
    hashes, ranges = shape_of(keys)
    return own[0] == hashes and own[1] == ranges[: len(own[1])]


def _replaces(other: Index, index: Index, own: Shape) -> Verdict:
    """The other index has all attributes of this one. Of two equal indexes, the first by name stays."""
    if not other.keys.known:
        return not_known(other.keys)
    covered = _covers(other, index)
    first = (other.name.content or "") < (index.name.content or "")
    if own != shape_of(other.keys) or other.local is not index.local or first:
        return covered
    return covered & ~_covers(index, other)


def _covers(other: Index, index: Index) -> Verdict:
    """Every attribute that the index projects is in the other too."""
    if other.projection.content == "ALL" or index.projection.content == "KEYS_ONLY":
        return Verdict(True, (index.keys, other.keys))
    parts = (other.projection, index.projection, other.projected, index.projected)
    if not all(part.known for part in parts):
        return not_known(*parts)
    keys = {part.attribute for of in (other.keys, other.table.keys) for part in of.content or ()}
    wanted = set(index.projected.content or ()) - keys
    enough = index.projection.content != "ALL" and wanted <= set(other.projected.content or ())
    return Verdict(enough, (index.projection, other.projection))
