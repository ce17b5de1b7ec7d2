"""Keys: do partition and sort keys serve the traffic, and does the service accept them?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Annotated

from tablegate.policy import (
    LOW,
    MEDIUM,
    Estate,
    KeyPart,
    Role,
    Table,
    Value,
    Verdict,
    fails,
    holds,
    not_applicable,
    policy,
)
from tablegate_baseline.helpers import (
    global_indexes,
    local_indexes,
    not_known,
    words_of,
)
from tablegate_baseline.ttl import PURPOSES

TIMES = ("date", "day", "week", "month", "year", "hour", "time", "timestamp", "created", "updated", "ts")
SEQUENCES = ("sequence", "seq", "counter", "autoincrement")
FEW_VALUES = (
    *("status", "state", "type", "kind", "category", "flag", "enabled", "active", "deleted", "boolean", "bool"),
    *("country", "region", "gender", "sex", "level", "priority", "tier", "role"),
)
HotWords = Annotated[tuple[str, ...], "words in a key's name that suggest few values, or values in order of time"]

HOT_WORDS = (*TIMES, *SEQUENCES, *FEW_VALUES)
_SHARD_WORDS = frozenset({"shard", "bucket", "hash", "prefix"})
_TIME_SUFFIXES = frozenset({"at", "on", "id"})
_CACHED_NAMES = 1 << 16

Keys = Value[tuple[KeyPart, ...]]
Shape = tuple[tuple[str, ...], tuple[str, ...]]

NO_KEY = "the table takes its key from the table that it copies"

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
    state_locks=False,
)
def hot_partition_key(table: Table, *, words: HotWords = HOT_WORDS) -> Verdict:
    """All items that share a partition key share one partition's throughput. A time, a sequence or a status sends
    the traffic of the moment to a few of them. A key with a shard in it does not."""
    if not table.keys.known:
        return not_known(table.keys)
    hashes, _ = shape_of(table.keys)
    if not hashes:
        return not_applicable(NO_KEY)
    if hashes == ("state",) and _expires(table):
        return holds(table.keys, note="the state of an authorization request is random")
    heat = hot_key(hashes, words)
    return fails(f"partition key {heat}", table.keys) if heat else holds(table.keys)


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
    on="strict",
    state_locks=False,
)
def sort_key(table: Table) -> Verdict:
    """Without one, a partition key finds a single item: no range, no order, no room for another kind of item.
    It cannot be added later without moving all data to a new table."""
    if not table.keys.known:
        return not_known(table.keys)
    if not table.keys.content:
        return not_applicable(NO_KEY)
    _, ranges = shape_of(table.keys)
    if ranges:
        return holds(table.keys)
    return fails("no sort key, so queries cannot read a range of items", table.keys)


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
    """A misspelled attribute is no error in DynamoDB: it is a second attribute. Mixed naming styles invite it.

    The tables of one input are compared. PK, SK, GSI1PK and the like count as one style.
    """
    keys = _all_keys(table)
    unknowns = [one for one in keys if not one.known]
    if unknowns:
        return not_known(*unknowns)
    own = _by_style(_attributes(keys))
    prevailing, doubts = _prevailing_style(table.estate)
    if doubts and len(own) == 1:
        return Verdict(None, doubts)
    odd = [name for style, names in own.items() if style != prevailing for name in names]
    if not odd:
        return holds(table.keys)
    names = ", ".join(odd)
    if prevailing:
        return fails(f"{names} is not {prevailing}, unlike most key attributes in this input", table.keys)
    return fails(f"no naming style prevails among the key attributes of this input (here: {names})", table.keys)


def hot_key(hashes: tuple[str, ...], words: tuple[str, ...]) -> str | None:
    """Why a partition key concentrates traffic, for a message; None where one of its attributes spreads it."""
    hot_words = [word for attribute in hashes if (word := hot_word(attribute, words)) is not None]
    if len(hot_words) < len(hashes):
        return None
    names = ", ".join(f"'{name}'" for name in hashes)
    return f"{names} probably {_heat(hot_words[-1])}, and is not sharded"


def _expires(table: Table) -> bool:
    """Whether items of the table are used once: its purpose is ephemeral, or they expire."""
    return table.ttl.enabled.content is True or table.declared.purpose.content in PURPOSES


def _heat(word: str) -> str:
    if word in FEW_VALUES:
        return "has few values"
    return "follows the time" if word in TIMES else "counts up" if word in SEQUENCES else "concentrates traffic"


@lru_cache(maxsize=_CACHED_NAMES)
def hot_word(attribute: str, words: tuple[str, ...]) -> str | None:
    """The last word of a name, where it is one of these and the name has no word for a shard."""
    name_words = words_of(attribute)
    if not _SHARD_WORDS.isdisjoint(name_words):
        return None
    end = len(name_words)
    while end > 1 and name_words[end - 1] in _TIME_SUFFIXES:
        end -= 1
    if name_words[end - 1 : end] and name_words[end - 1] in TIMES:
        name_words = name_words[:end]
    return next((word for word in words if (parts := words_of(word)) and name_words[-len(parts) :] == parts), None)


def shape_of(keys: Keys) -> Shape:
    """The attributes of the partition key and those of the sort key, in order."""
    hashes: list[str] = []
    ranges: list[str] = []
    for part in keys.content or ():
        (hashes if part.role is Role.HASH else ranges).append(part.attribute)
    return tuple(hashes), tuple(ranges)


@lru_cache(maxsize=_CACHED_NAMES)
def _style(name: str) -> str:
    """The naming style of an attribute; empty for one word, which fits every style."""
    return next((style for style, pattern in _STYLES if re.fullmatch(pattern, name)), "a mix of styles")


def _all_keys(table: Table) -> list[Keys]:
    return [table.keys, *[index.keys for index in (*global_indexes(table), *local_indexes(table))]]


def _attributes(keys: Iterable[Keys]) -> tuple[str, ...]:
    """The distinct attributes of these keys."""
    return tuple(dict.fromkeys([part.attribute for one in keys for part in one.content or ()]))


@lru_cache(maxsize=1024)  # many tables have keys of the same names
def _by_style(names: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    """Names by their style, without those that fit every style."""
    by_style: dict[str, tuple[str, ...]] = {}
    for name in names:
        if style := _style(name):
            by_style[style] = (*by_style.get(style, ()), name)
    return by_style


@lru_cache(maxsize=4)  # every table of an input asks
def _prevailing_style(estate: Estate) -> tuple[str | None, tuple[Value[object], ...]]:
    """The most common style of key attributes in an input, None where two are equally common; and unknown keys."""
    by_address: dict[str, set[str]] = {}  # a table counts once, in however many scenarios it is
    unknown_keys: list[Keys] = []
    for table in estate.tables:
        keys = _all_keys(table)
        by_address.setdefault(table.address, set()).update(_attributes(keys))
        unknown_keys += [one for one in keys if not one.known]
    styles = [style for names in by_address.values() for name in names if (style := _style(name))]
    ranked = Counter(styles).most_common(2)
    leads = ranked and (len(ranked) == 1 or ranked[0][1] > ranked[1][1])
    return ranked[0][0] if leads else None, tuple(unknown_keys)
