"""Definitions: sound ones of every kind, each single change of some of them, and several changes at random."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from oracles.definitions.rules import GLOBAL, LOCAL, ON_DEMAND, PROVISIONED

Path = tuple[str | int, ...]
Edit = tuple[Path, Any]
REMOVED = object()
_MOST_CHANGES = 3
_SIMPLE = 0.15  # the share of tables without sort key and indexes, as SAM can say them
_VIEWS = ("NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY")
_NAMES = ("ab", "abc", "a" * 255, "a" * 256, "orders prod", "bücher", "a/b", "O.r_d-9")
_ATTRIBUTES = ("x" * 255, "x" * 256, "ä" * 127, "ä" * 128, "other", "pk", "a b")
_UNITS = (0, -2, 1, 1.5, 40_000)
_VALUES: dict[str, tuple[Any, ...]] = {
    "BillingMode": (ON_DEMAND, PROVISIONED, "ON_DEMAND", "pay_per_request"),
    "TableClass": ("STANDARD", "INFREQUENT_ACCESS", "standard"),
    "StreamViewType": (*_VIEWS, "BOTH", "NEW_IMAGES"),
    "SSEType": ("KMS", "AES256", "kms"),
    "ProjectionType": ("ALL", "KEYS_ONLY", "INCLUDE", "NONE", "all"),
    "KeyType": ("HASH", "RANGE", "SORT", "hash"),
    "AttributeType": ("S", "N", "B", "SS", "BOOL", "String", "s"),
    "Mode": ("THROTTLED_KEYS", "ACCESSED_KEYS"),
    "ApproximateCreationDateTimePrecision": ("MICROSECOND", "SECOND"),
    "InputFormat": ("CSV", "ION", "JSON", "csv"),
    "InputCompressionType": ("NONE", "ZSTD", "gzip", "BZIP2"),
    "TableName": _NAMES,
    "IndexName": _NAMES,
    "AttributeName": _ATTRIBUTES,
    "RecoveryPeriodInDays": (0, 1, 35, 36),
    "ReadCapacityUnits": _UNITS,
    "WriteCapacityUnits": _UNITS,
    "MaxReadRequestUnits": _UNITS,
    "MaxWriteRequestUnits": _UNITS,
    "ReadUnitsPerSecond": (0, 11_999, 12_000, 20_000),
    "WriteUnitsPerSecond": (0, 3_999, 4_000, 20_000),
    "Key": ("k" * 128, "k" * 129),
    "Value": ("", "v" * 256, "v" * 257),
}


def single_changes() -> Iterator[dict[str, Any]]:
    """Some sound definitions, and each with one change."""
    for number, definition in enumerate(_ESTABLISHED):
        named = {"TableName": f"orders-{number}", **definition}
        yield named
        for index, edit in enumerate(edits(named)):
            renamed = named if edit[0] == ("TableName",) else {**named, "TableName": f"orders-{number}-{index}"}
            yield changed(renamed, *edit)


def at_random(seed: str) -> Iterator[dict[str, Any]]:
    """Sound definitions with none to three changes, without an end."""
    random = Random(f"definitions {seed}")
    number = 0
    while True:
        number += 1
        definition = sound(random, f"table-{number}")
        for _ in range(random.randint(0, _MOST_CHANGES)):
            groups: dict[str, list[Edit]] = {}
            for edit in edits(definition):
                groups.setdefault(str(edit[0][-1]), []).append(edit)
            definition = changed(definition, *random.choice(random.choice(list(groups.values()))))
        yield definition


def changed(definition: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """A copy with another value at a path, or without what is there."""
    copy: dict[str, Any] = json.loads(json.dumps(definition))
    parent: Any = copy
    for step in path[:-1]:
        parent = parent[step]
    if value is REMOVED:
        del parent[path[-1]]
    else:
        parent[path[-1]] = json.loads(json.dumps(value))
    return copy


def edits(definition: dict[str, Any]) -> list[Edit]:
    """Every single change that is known: what is removed, repeated, turned round, misspelled or beyond a limit."""
    return [*_inside((), definition), *_added(definition)]


def _inside(path: Path, value: Any) -> Iterator[Edit]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*path, key), REMOVED
            yield from _inside((*path, key), inner)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            if len(value) > 1:
                yield (*path, number), REMOVED
            yield path, [*value, item]
            yield from _inside((*path, number), item)
        if len(value) > 1:
            yield path, value[::-1]
        yield from _grown(path, value)
    elif isinstance(value, bool):
        yield path, not value
    else:
        yield from ((path, other) for other in _VALUES.get(str(path[-1]), ()) if other != value)


def _grown(path: Path, value: list[Any]) -> Iterator[Edit]:
    """Lists at their limits and beyond."""
    key = path[-1]
    if key == "NonKeyAttributes":
        yield from ((path, [f"n{number}" for number in range(count)]) for count in (20, 21, 100, 101))
    elif key == GLOBAL:
        yield from ((path, _copies(value[0], count)) for count in (20, 21))
        for count in (20, 21):
            names = [f"n{number}" for number in range(count)]
            including = {**value[0], "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": names}}
            yield path, _copies(including, 5)
            yield path, [*_copies(including, 4), {**including, "IndexName": "last"}, *value[1:]]
    elif key == LOCAL:
        yield from ((path, _copies(value[0], count)) for count in (5, 6))
    elif key == "KeySchema" and path[0] == GLOBAL:
        for roles in ("HHHHRRRR", "HHHHH", "HRRRRR", "HRH", "RR"):
            yield path, [_part(name, role) for name, role in zip(_MANY, roles, strict=False)]


def _added(definition: dict[str, Any]) -> Iterator[Edit]:
    """What is not there, in words that contradict something or do not."""
    for name, value in _ADDED.items():
        if name not in definition:
            yield (name,), value
    for number, index in enumerate(definition.get(GLOBAL, ())):
        for name in ("ProvisionedThroughput", "OnDemandThroughput", "WarmThroughput"):
            if name not in index:
                yield (GLOBAL, number, name), _ADDED[name]
    for kind in (GLOBAL, LOCAL):
        for number, index in enumerate(definition.get(kind, ())):
            if "NonKeyAttributes" not in index.get("Projection", {"NonKeyAttributes": ()}):
                yield (kind, number, "Projection", "NonKeyAttributes"), ["a"]
    definitions = definition.get("AttributeDefinitions")
    if definitions is not None:
        yield ("AttributeDefinitions",), [*definitions, {"AttributeName": "spare", "AttributeType": "S"}]


def sound(random: Random, name: str) -> dict[str, Any]:
    """A definition that the service takes."""
    is_simple = random.random() < _SIMPLE
    mode = random.choice((ON_DEMAND, ON_DEMAND, PROVISIONED, None))
    is_on_demand = mode == ON_DEMAND
    names = random.sample(_MANY, 8)
    has_sort = not is_simple and random.random() < 0.7
    key = [_part(names[0], "H"), *([_part(names[1], "R")] if has_sort else [])]
    definition: dict[str, Any] = {"TableName": name, "KeySchema": key}
    if mode is not None:
        definition["BillingMode"] = mode
    if not is_on_demand:
        definition["ProvisionedThroughput"] = _capacity(random)
    globals_ = [_global(random, f"by-{number}", names, is_on_demand) for number in range(random.randint(0, 3))]
    if globals_ and not is_simple:
        definition[GLOBAL] = globals_
    if has_sort and random.random() < 0.4:
        sorts = random.sample(names[2:], random.randint(1, 2))
        definition[LOCAL] = [
            {"IndexName": f"local-{it}", "KeySchema": [key[0], _part(it, "R")], "Projection": _projection(random)}
            for it in sorts
        ]
    used = {
        part["AttributeName"]: None
        for owner in (definition, *definition.get(GLOBAL, ()), *definition.get(LOCAL, ()))
        for part in owner["KeySchema"]
    }
    kinds = random.choices("SNB", k=len(used))
    definition["AttributeDefinitions"] = [
        {"AttributeName": it, "AttributeType": kind} for it, kind in zip(used, kinds, strict=True)
    ]
    for member in random.sample(sorted(_OF_SIMPLE if is_simple else _ADDED), random.randint(0, 2 if is_simple else 4)):
        is_settled = member not in ("ProvisionedThroughput", "BillingMode", GLOBAL, LOCAL)
        if is_settled and (is_on_demand or member not in ("OnDemandThroughput", "WarmThroughput")):
            definition[member] = _ADDED[member]
    return definition


def _global(random: Random, name: str, names: list[str], is_on_demand: bool) -> dict[str, Any]:
    hashes = random.choice((1, 1, 1, 2, 4))
    ranges = random.choice((0, 1, 1, 2, 4)) if hashes > 1 else random.randint(0, 1)
    parts = zip(random.sample(names, hashes + ranges), "H" * hashes + "R" * ranges, strict=True)
    index = {"IndexName": name, "KeySchema": [_part(*it) for it in parts], "Projection": _projection(random)}
    if not is_on_demand:
        index["ProvisionedThroughput"] = _capacity(random)
    elif random.random() < 0.2:
        index["OnDemandThroughput"] = dict(_ADDED["OnDemandThroughput"])
    return index


def _projection(random: Random) -> dict[str, Any]:
    kind = random.choice(("ALL", "KEYS_ONLY", "INCLUDE"))
    names = [f"n{number}" for number in range(random.choice((1, 2, 3, 20)))]
    return {"ProjectionType": kind, **({"NonKeyAttributes": names} if kind == "INCLUDE" else {})}


def _capacity(random: Random) -> dict[str, int]:
    return {"ReadCapacityUnits": random.choice((1, 5, 1000)), "WriteCapacityUnits": random.choice((1, 5, 1000))}


def _part(name: str, role: str) -> dict[str, str]:
    return {"AttributeName": name, "KeyType": {"H": "HASH", "R": "RANGE"}[role]}


def _copies(index: dict[str, Any], count: int) -> list[dict[str, Any]]:
    return [{**index, "IndexName": f"copy-{number}"} for number in range(count)]


_MANY = ["pk", "sk", "at", "who", "what", "where", "when", "why"]
_ADDED: dict[str, Any] = {
    "BillingMode": ON_DEMAND,
    "TableClass": "STANDARD_INFREQUENT_ACCESS",
    "StreamSpecification": {"StreamViewType": "NEW_AND_OLD_IMAGES"},
    "TimeToLiveSpecification": {"AttributeName": "expires", "Enabled": True},
    "SSESpecification": {"SSEEnabled": True, "SSEType": "KMS"},
    "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": 14},
    "DeletionProtectionEnabled": True,
    "OnDemandThroughput": {"MaxReadRequestUnits": 100, "MaxWriteRequestUnits": 50},
    "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
    "WarmThroughput": {"ReadUnitsPerSecond": 12_000, "WriteUnitsPerSecond": 4_000},
    "ContributorInsightsSpecification": {"Enabled": True, "Mode": "ACCESSED_AND_THROTTLED_KEYS"},
    "KinesisStreamSpecification": {
        "StreamArn": "arn:aws:kinesis:us-east-1:123456789012:stream/orders",
        "ApproximateCreationDateTimePrecision": "MILLISECOND",
    },
    "ImportSourceSpecification": {
        "InputFormat": "DYNAMODB_JSON",
        "InputCompressionType": "GZIP",
        "S3BucketSource": {"S3Bucket": "orders-archive"},
    },
    "Tags": [{"Key": "owner", "Value": "shop"}],
    GLOBAL: [{"IndexName": "by-pk", "KeySchema": [_part("pk", "H")], "Projection": {"ProjectionType": "ALL"}}],
}
_SETTINGS = (
    "TableClass",
    "StreamSpecification",
    "TimeToLiveSpecification",
    "SSESpecification",
    "PointInTimeRecoverySpecification",
    "DeletionProtectionEnabled",
    "OnDemandThroughput",
    "WarmThroughput",
    "ImportSourceSpecification",
    "Tags",
)
_OF_SIMPLE = ("SSESpecification", "PointInTimeRecoverySpecification")
_ESTABLISHED: tuple[dict[str, Any], ...] = (
    {
        "BillingMode": ON_DEMAND,
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [_part("pk", "H")],
        **{key: _ADDED[key] for key in ("ContributorInsightsSpecification", "KinesisStreamSpecification")},
    },
    {
        "BillingMode": ON_DEMAND,
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [_part("pk", "H")],
        **{key: _ADDED[key] for key in _SETTINGS},
    },
    {
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "B"}],
        "KeySchema": [_part("pk", "H")],
        **{key: _ADDED[key] for key in ("ProvisionedThroughput", *_OF_SIMPLE)},
    },
    {
        "BillingMode": ON_DEMAND,
        "AttributeDefinitions": [{"AttributeName": it, "AttributeType": "S"} for it in ("pk", "sk", "at")],
        "KeySchema": [_part("pk", "H"), _part("sk", "R")],
        GLOBAL: [
            {
                "IndexName": "by-at",
                "KeySchema": [_part("at", "H"), _part("pk", "R")],
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a", "b"]},
                "OnDemandThroughput": {"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": 10},
                "WarmThroughput": {"ReadUnitsPerSecond": 12_000, "WriteUnitsPerSecond": 4_000},
            },
            {"IndexName": "by-sk", "KeySchema": [_part("sk", "H")], "Projection": {"ProjectionType": "KEYS_ONLY"}},
        ],
        LOCAL: [
            {
                "IndexName": "within-pk",
                "KeySchema": [_part("pk", "H"), _part("at", "R")],
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a", "b"]},
            },
        ],
    },
    {
        "AttributeDefinitions": [{"AttributeName": it, "AttributeType": "N"} for it in ("pk", "sk", "at")],
        "KeySchema": [_part("pk", "H"), _part("sk", "R")],
        "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
        GLOBAL: [
            {
                "IndexName": "by-at",
                "KeySchema": [_part("at", "H")],
                "Projection": {"ProjectionType": "ALL"},
                "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
            },
        ],
        LOCAL: [
            {
                "IndexName": "within-pk",
                "KeySchema": [_part("pk", "H"), _part("at", "R")],
                "Projection": {"ProjectionType": "ALL"},
            },
        ],
    },
    {
        "BillingMode": ON_DEMAND,
        "AttributeDefinitions": [{"AttributeName": it, "AttributeType": "S"} for it in _MANY],
        "KeySchema": [_part("pk", "H"), _part("sk", "R")],
        GLOBAL: [
            {
                "IndexName": "by-all",
                "KeySchema": [_part(*it) for it in zip(_MANY, "HHHHRRRR", strict=True)],
                "Projection": {"ProjectionType": "ALL"},
            },
        ],
    },
)
