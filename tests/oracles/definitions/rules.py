"""The rules of the service for a definition: which of them it breaks.

Written from the service's model, documentation and answers, and from nothing of tablegate. A definition has the
properties of ``AWS::DynamoDB::Table``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Definition = Mapping[str, Any]

ON_DEMAND, PROVISIONED = "PAY_PER_REQUEST", "PROVISIONED"
GLOBAL, LOCAL = "GlobalSecondaryIndexes", "LocalSecondaryIndexes"
_NAME = re.compile(r"[a-zA-Z0-9_.-]+")
_VIEWS = ("NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY")
_SETS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {  # where a word is, and what it may be
    "billing-mode": (("BillingMode",), (ON_DEMAND, PROVISIONED)),
    "table-class": (("TableClass",), ("STANDARD", "STANDARD_INFREQUENT_ACCESS")),
    "stream-view": (("StreamSpecification", "StreamViewType"), _VIEWS),
    "encryption-type": (("SSESpecification", "SSEType"), ("KMS",)),
    "insights-mode": (
        ("ContributorInsightsSpecification", "Mode"),
        ("ACCESSED_AND_THROTTLED_KEYS", "THROTTLED_KEYS"),
    ),
    "kinesis-precision": (
        ("KinesisStreamSpecification", "ApproximateCreationDateTimePrecision"),
        ("MICROSECOND", "MILLISECOND"),
    ),
    "import-format": (("ImportSourceSpecification", "InputFormat"), ("CSV", "DYNAMODB_JSON", "ION")),
    "import-compression": (("ImportSourceSpecification", "InputCompressionType"), ("GZIP", "NONE", "ZSTD")),
}
_REQUIRED = (  # members that must be there where the mapping is
    ("SSESpecification", "SSEEnabled"),
    ("TimeToLiveSpecification", "Enabled"),
    ("StreamSpecification", "StreamViewType"),
    ("ContributorInsightsSpecification", "Enabled"),
    ("KinesisStreamSpecification", "StreamArn"),
    ("ImportSourceSpecification", "InputFormat"),
    ("ImportSourceSpecification", "S3BucketSource"),
    ("ProvisionedThroughput", "ReadCapacityUnits"),
    ("ProvisionedThroughput", "WriteCapacityUnits"),
)
_PROJECTIONS = ("ALL", "INCLUDE", "KEYS_ONLY")
_FLOORS = {"ReadUnitsPerSecond": 12_000, "WriteUnitsPerSecond": 4_000}
_MOST_UNITS = 40_000  # a quota, which is not judged


def broken(definition: Definition) -> tuple[str, ...]:
    """The names of the rules that a definition breaks, in order; none if the service takes it."""
    found = [*_words(definition), *_required(definition), *_keys(definition)]
    found += [
        *_key_attributes(definition),
        *_names(definition),
        *_indexes(definition),
        *_throughput(definition),
        *_limits(definition),
    ]
    return tuple(sorted(set(found)))


def is_unsure(definition: Definition) -> bool:
    """Whether nobody measured what the service, or what a deploy makes of it."""
    indexes = [*definition.get(GLOBAL, ()), *definition.get(LOCAL, ())]
    if any(definition.get(kind) == [] for kind in (GLOBAL, LOCAL, "AttributeDefinitions", "Tags")):
        return True
    if any(index.get("Projection", {}).get("NonKeyAttributes") == [] for index in indexes):
        return True
    secured = definition.get("SSESpecification", {})
    if secured.get("SSEEnabled") is False and len(secured) > 1:
        return True
    recovery = definition.get("PointInTimeRecoverySpecification", {})
    if recovery.get("PointInTimeRecoveryEnabled") is False and len(recovery) > 1:
        return True
    units = [
        value
        for part in (definition, *indexes)
        for key in ("ProvisionedThroughput", "OnDemandThroughput", "WarmThroughput")
        for value in part.get(key, {}).values()
    ]
    if any(value > _MOST_UNITS for value in units):
        return True
    if any(-1 in part.get("OnDemandThroughput", {}).values() for part in (definition, *indexes)):
        return True  # it lifts a maximum in an update, and a definition does not say whether its table exists
    if _has_twins(tag.get("Key") for tag in definition.get("Tags", ())):
        return True
    on_demand = definition.get("BillingMode") == ON_DEMAND
    if not on_demand and any("WarmThroughput" in part for part in (definition, *indexes)):
        return True  # it may not be below the capacity, which nobody measured
    return on_demand and any(
        set(part.get("ProvisionedThroughput", {}).values()) == {0} for part in (definition, *indexes)
    )


def _words(definition: Definition) -> Iterator[str]:
    for rule, (path, words) in _SETS.items():
        value = _at(definition, path)
        if value is not None and value not in words:
            yield rule
    for key in _key_schemas(definition):
        if any(part.get("KeyType") not in ("HASH", "RANGE") for part in key):
            yield "key-type"
    if any(one.get("AttributeType") not in ("S", "N", "B") for one in definition.get("AttributeDefinitions", ())):
        yield "attribute-type"


def _required(definition: Definition) -> Iterator[str]:
    for part in (definition, *definition.get(GLOBAL, ())):
        for outer, inner in _REQUIRED:
            if outer in part and inner not in part[outer]:
                yield f"no-{inner}"
        if part.get("WarmThroughput") == {}:
            yield "empty-warm-throughput"
    lifetime = definition.get("TimeToLiveSpecification", {})
    if lifetime.get("Enabled") is True and "AttributeName" not in lifetime:
        yield "no-expiry-attribute"
    if "S3Bucket" not in _at(definition, ("ImportSourceSpecification", "S3BucketSource"), {"S3Bucket": ""}):
        yield "no-S3Bucket"
    recovery = definition.get("PointInTimeRecoverySpecification", {})
    if "RecoveryPeriodInDays" in recovery and "PointInTimeRecoveryEnabled" not in recovery:
        yield "no-PointInTimeRecoveryEnabled"
    if "AttributeDefinitions" not in definition:
        yield "no-AttributeDefinitions"
    parts = [part for key in _key_schemas(definition) for part in key]
    if any("AttributeName" not in part for part in (*parts, *definition.get("AttributeDefinitions", ()))):
        yield "no-AttributeName"


def _keys(definition: Definition) -> Iterator[str]:
    if "KeySchema" not in definition:
        yield "no-KeySchema"
    hashes, ranges = _shape(definition)
    if len(hashes) != 1 or len(ranges) > 1:
        yield "table-key-parts"
    for index in definition.get(GLOBAL, ()):
        of_index = _shape(index)
        if not 1 <= len(of_index[0]) <= 4 or len(of_index[1]) > 4:
            yield "index-key-parts"
    for index in definition.get(LOCAL, ()):
        own_hashes, own_ranges = _shape(index)
        if not ranges:
            yield "local-index-without-sort-key"
        if own_hashes != hashes:
            yield "local-index-partition-key"
        if len(own_ranges) != 1:
            yield "local-index-sort-key"


def _key_attributes(definition: Definition) -> Iterator[str]:
    for key in _key_schemas(definition):
        roles = [part.get("KeyType") for part in key]
        if "HASH" in roles[roles.index("RANGE") if "RANGE" in roles else len(roles) :]:
            yield "key-order"
        if _has_twins(part.get("AttributeName") for part in key):
            yield "key-attribute-twice"
    used = {part.get("AttributeName") for key in _key_schemas(definition) for part in key}
    defined = [one.get("AttributeName") for one in definition.get("AttributeDefinitions", ())]
    if used.difference(defined):
        yield "undefined-attribute"
    if set(defined).difference(used):
        yield "unused-definition"
    if _has_twins(defined):
        yield "attribute-defined-twice"


def _names(definition: Definition) -> Iterator[str]:
    if "TableName" in definition and not _is_name(definition["TableName"]):
        yield "table-name"
    indexes = [*definition.get(GLOBAL, ()), *definition.get(LOCAL, ())]
    names = [index.get("IndexName") for index in indexes]
    if None in names:
        yield "no-IndexName"
    if any(name is not None and not _is_name(name) for name in names):
        yield "index-name"
    if _has_twins(name for name in names if name is not None):
        yield "index-name-twice"
    attributes = {part.get("AttributeName", "x") for key in _key_schemas(definition) for part in key}
    for index in indexes:
        attributes.update(index.get("Projection", {}).get("NonKeyAttributes", ()))
    attributes.add(definition.get("TimeToLiveSpecification", {}).get("AttributeName", "x"))
    if not all(1 <= len(name.encode()) <= 255 for name in attributes):
        yield "attribute-name-length"


def _indexes(definition: Definition) -> Iterator[str]:
    indexes = [*definition.get(GLOBAL, ()), *definition.get(LOCAL, ())]
    if len(definition.get(LOCAL, ())) > 5:
        yield "local-index-count"
    if len(definition.get(GLOBAL, ())) > 20:
        yield "global-index-count"
    if any("KeySchema" not in index for index in indexes):
        yield "no-index-KeySchema"
    if sum(len(index.get("Projection", {}).get("NonKeyAttributes", ())) for index in indexes) > 100:
        yield "projected-by-all-indexes"
    for index in indexes:
        yield from _projection(index["Projection"]) if "Projection" in index else ("no-Projection",)


def _projection(projection: Mapping[str, Any]) -> Iterator[str]:
    kind, names = projection.get("ProjectionType"), projection.get("NonKeyAttributes", ())
    if kind is None:
        yield "no-ProjectionType"
    elif kind not in _PROJECTIONS:
        yield "projection-type"
    if kind == "INCLUDE" and not names:
        yield "include-without-attributes"
    if kind in ("ALL", "KEYS_ONLY") and names:
        yield "attributes-without-include"
    if len(names) > 20:
        yield "projected-by-one-index"
    if _has_twins(names):
        yield "projected-twice"


def _throughput(definition: Definition) -> Iterator[str]:
    mode = definition.get("BillingMode", PROVISIONED)
    for prefix, part in [("", definition), *[("index-", index) for index in definition.get(GLOBAL, ())]]:
        capacity, most = part.get("ProvisionedThroughput"), part.get("OnDemandThroughput")
        if mode == PROVISIONED and capacity is None:
            yield f"no-{prefix}capacity"
        if mode == ON_DEMAND and capacity is not None:
            yield f"{prefix}capacity-on-demand"
        if mode == PROVISIONED and most is not None:
            yield f"{prefix}maximum-of-provisioned"
        if any(value < 1 for value in (capacity or {}).values()):
            yield f"{prefix}capacity-below-1"
        yield from _units(most or {}, part.get("WarmThroughput", {}), capacity or {})


def _units(most: Mapping[str, Any], warm: Mapping[str, Any], capacity: Mapping[str, Any]) -> Iterator[str]:
    if any(value < 1 for value in most.values()):
        yield "maximum-below-1"
    if any(value != int(value) for units in (most, warm, capacity) for value in units.values()):
        yield "no-whole-number"
    if any(value < _FLOORS[key] for key, value in warm.items()):
        yield "warm-below-floor"


def _limits(definition: Definition) -> Iterator[str]:
    days = definition.get("PointInTimeRecoverySpecification", {}).get("RecoveryPeriodInDays", 1)
    if not 1 <= days <= 35:
        yield "recovery-days"
    for tag in definition.get("Tags", ()):
        yield from (f"no-tag-{key}" for key in ("Key", "Value") if key not in tag)
        if not 1 <= len(tag.get("Key", "x")) <= 128 or len(tag.get("Value", "")) > 256:
            yield "tag-length"


def _key_schemas(definition: Definition) -> list[list[dict[str, Any]]]:
    parts = (definition, *definition.get(GLOBAL, ()), *definition.get(LOCAL, ()))
    return [part.get("KeySchema", []) for part in parts]


def _shape(part: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    hashes, ranges = (
        [one.get("AttributeName") for one in part.get("KeySchema", ()) if one.get("KeyType") == role]
        for role in ("HASH", "RANGE")
    )
    return hashes, ranges


def _is_name(name: str) -> bool:
    return 3 <= len(name) <= 255 and _NAME.fullmatch(name) is not None


def _has_twins(names: Iterable[Any]) -> bool:
    return any(count > 1 for count in Counter(names).values())


def _at(definition: Definition, path: tuple[str, ...], absent: Any = None) -> Any:
    value: Any = definition
    for key in path:
        if key not in value:
            return absent
        value = value[key]
    return value
