"""A definition in the words of each language that can say it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from oracles.definitions.rules import GLOBAL, LOCAL, ON_DEMAND, Definition

REGION = "us-east-1"
_SAM_TYPES = {"S": "String", "N": "Number", "B": "Binary"}
_OF_SAM = (
    "TableName",
    "BillingMode",
    "KeySchema",
    "AttributeDefinitions",
    "ProvisionedThroughput",
    "SSESpecification",
    "PointInTimeRecoverySpecification",
)
_OF_REPLICAS = (
    "TableClass",
    "PointInTimeRecoverySpecification",
    "DeletionProtectionEnabled",
    "ContributorInsightsSpecification",
    "KinesisStreamSpecification",
    "Tags",
)
_NOT_OF_GLOBAL = ("ProvisionedThroughput", "ImportSourceSpecification")
# What the provider (5.100) refuses before there is a plan. It refuses more, which plans are asked for all the same.
REFUSED_BY_PROVIDER = frozenset(
    {"no-IndexName", "no-InputFormat", "no-S3Bucket", "no-S3BucketSource", "no-SSEEnabled", "recovery-days"}
)
_NOT_OF_PROVIDER = ("ContributorInsightsSpecification", "KinesisStreamSpecification")  # resources of their own


def as_table(definition: Definition) -> dict[str, Any]:
    """A table of CloudFormation: the definition is written as one."""
    return {"Type": "AWS::DynamoDB::Table", "Properties": definition}


def as_global_table(definition: Definition) -> dict[str, Any] | None:
    """A global table with one replica, which says a part of it; on demand only, as capacity is written otherwise."""
    parts = (definition, *definition.get(GLOBAL, ()))
    if definition.get("BillingMode", "") in ("", "PROVISIONED"):
        return None
    if any(key in part for key in _NOT_OF_GLOBAL for part in parts):
        return None
    replica: dict[str, Any] = {"Region": REGION}
    table = {key: value for key, value in definition.items() if key not in (*_OF_REPLICAS, GLOBAL)}
    replica.update((key, definition[key]) for key in _OF_REPLICAS if key in definition)
    _part_maxima(table, replica)
    of_replica = []
    for index in definition.get(GLOBAL, ()):
        own, there = dict(index), {"IndexName": index.get("IndexName")}
        _part_maxima(own, there)
        table.setdefault(GLOBAL, []).append(own)
        if len(there) > 1:
            of_replica.append(there)
    if any(index["IndexName"] is None for index in of_replica):
        return None
    if of_replica:
        replica[GLOBAL] = of_replica
    return {"Type": "AWS::DynamoDB::GlobalTable", "Properties": {**table, "Replicas": [replica]}}


def _part_maxima(table: dict[str, Any], replica: dict[str, Any]) -> None:
    """Say the maximum of writes with the table, and that of reads with its replica."""
    most = table.pop("OnDemandThroughput", {})
    for key, part, kind in (("MaxWriteRequestUnits", table, "Write"), ("MaxReadRequestUnits", replica, "Read")):
        if key in most:
            part[f"{kind}OnDemandThroughputSettings"] = {key: most[key]}


def as_simple_table(definition: Definition) -> dict[str, Any] | None:
    """A table of SAM, which has a partition key and no index."""
    if any(key not in _OF_SAM for key in definition):
        return None
    key, defined = definition.get("KeySchema", ()), definition.get("AttributeDefinitions", ())
    if [part.get("KeyType") for part in key] != ["HASH"] or len(defined) != 1 or "TableName" not in definition:
        return None
    name, kind = defined[0].get("AttributeName"), _SAM_TYPES.get(defined[0].get("AttributeType"))
    mode = definition.get("BillingMode", "PROVISIONED")
    has_capacity = "ProvisionedThroughput" in definition
    if mode not in ("PROVISIONED", ON_DEMAND):
        return None
    if not name or name != key[0].get("AttributeName") or kind is None or has_capacity is not (mode == "PROVISIONED"):
        return None
    kept = {key: definition[key] for key in _OF_SAM[4:] if key in definition}
    return {
        "Type": "AWS::Serverless::SimpleTable",
        "Properties": {"TableName": definition["TableName"], "PrimaryKey": {"Name": name, "Type": kind}, **kept},
    }


def as_awscc(definition: Definition) -> dict[str, Any]:
    """The arguments of ``awscc_dynamodb_table``: the same properties in snake case, and keys as a text of JSON."""
    said: dict[str, Any] = _snake(definition)
    return said


def _snake(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {_word(key): json.dumps(it) if key == "KeySchema" else _snake(it) for key, it in value.items()}
    return [_snake(item) for item in value] if isinstance(value, list) else value


def _word(key: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", key).lower()


def sent_by_provider(definition: Definition) -> dict[str, Any] | None:
    """What the provider asks the service for if Terraform is told a definition; None where it cannot be told.

    Attributes, indexes and what global ones project are sets; the capacity of an index on demand is not sent.
    """
    if any(key in definition for key in _NOT_OF_PROVIDER) or not _is_told(definition):
        return None
    sent: dict[str, Any] = json.loads(json.dumps(definition))
    if "AttributeDefinitions" in sent:
        sent["AttributeDefinitions"] = _as_set(sent["AttributeDefinitions"])
    for index in sent.get(GLOBAL, ()):
        if sent.get("BillingMode") == ON_DEMAND:
            index.pop("ProvisionedThroughput", None)
        if "NonKeyAttributes" in index.get("Projection", {}):
            index["Projection"]["NonKeyAttributes"] = _as_set(index["Projection"]["NonKeyAttributes"])
    sent.update((kind, _as_set(sent[kind])) for kind in (GLOBAL, LOCAL) if kind in sent)
    return sent


def _is_told(definition: Definition) -> bool:
    """Whether the arguments of ``aws_dynamodb_table`` have room for a definition, and mean it."""
    tags, key = definition.get("Tags", ()), definition.get("KeySchema", ())
    indexes = (*definition.get(GLOBAL, ()), *definition.get(LOCAL, ()))
    units = [
        unit
        for part in (definition, *indexes)
        for name in ("ProvisionedThroughput", "OnDemandThroughput", "WarmThroughput")
        for unit in (part.get(name, {"": 1}) or {"": 0}).values()
    ]
    lifetime = definition.get("TimeToLiveSpecification", {"Enabled": True})
    secured = definition.get("SSESpecification", {})
    recovery = definition.get("PointInTimeRecoverySpecification", {"PointInTimeRecoveryEnabled": True})
    return (
        "TableName" in definition
        and [part.get("KeyType") for part in key] in (["HASH"], ["HASH", "RANGE"])
        and all("AttributeName" in part for part in (*key, *definition.get("AttributeDefinitions", ())))
        and all("AttributeType" in one for one in definition.get("AttributeDefinitions", ()))
        and len({tag.get("Key") for tag in tags}) == len(tags)
        and all({"Key", "Value"} == tag.keys() for tag in tags)
        and all(unit >= 1 and unit == int(unit) for unit in units)
        and "Enabled" in lifetime
        and "PointInTimeRecoveryEnabled" in recovery
        and secured.get("SSEType", "KMS") == "KMS"
        and all(_is_told_of_global(index) for index in definition.get(GLOBAL, ()))
        and all(_is_told_of_local(index, key[0]) for index in definition.get(LOCAL, ()))
    )


def _is_told_of_global(index: Mapping[str, Any]) -> bool:
    return bool(index.get("KeySchema")) and all(
        {"AttributeName", "KeyType"} == part.keys() for part in index["KeySchema"]
    )


def _is_told_of_local(index: Mapping[str, Any], hash_key: Mapping[str, Any]) -> bool:
    key = index.get("KeySchema", ())
    roles = [part.get("KeyType") for part in key]
    return roles == ["HASH", "RANGE"] and key[0] == hash_key and "AttributeName" in key[1]


def _as_set(items: list[Any]) -> list[Any]:
    return list({json.dumps(item, sort_keys=True): item for item in items}.values())


def as_arguments(definition: Definition) -> dict[str, Any]:
    """The arguments of ``aws_dynamodb_table`` as a plan has them, blocks as lists."""
    table: dict[str, Any] = {"name": definition.get("TableName"), **_key_arguments(definition)}
    table["attribute"] = [
        {"name": one["AttributeName"], "type": one["AttributeType"]}
        for one in definition.get("AttributeDefinitions", ())
    ]
    plain = {"BillingMode": "billing_mode", "TableClass": "table_class"}
    plain["DeletionProtectionEnabled"] = "deletion_protection_enabled"
    table.update((argument, definition[key]) for key, argument in plain.items() if key in definition)
    table.update(_throughput(definition))
    if GLOBAL in definition:
        table["global_secondary_index"] = [
            {**_named(index), **_key_arguments(index), **_projected(index), **_throughput(index)}
            for index in definition[GLOBAL]
        ]
    if LOCAL in definition:
        table["local_secondary_index"] = [
            {**_named(index), "range_key": index["KeySchema"][1]["AttributeName"], **_projected(index)}
            for index in definition[LOCAL]
        ]
    if "StreamSpecification" in definition:
        table["stream_enabled"] = True
        table["stream_view_type"] = definition["StreamSpecification"].get("StreamViewType")
    for key, name, arguments in _BLOCKS:
        if key in definition:
            inner = definition[key]
            table[name] = [{argument: inner[member] for member, argument in arguments.items() if member in inner}]
    if "Tags" in definition:
        table["tags"] = {tag["Key"]: tag["Value"] for tag in definition["Tags"]}
    if "S3Bucket" in definition.get("ImportSourceSpecification", {}).get("S3BucketSource", {}):
        bucket = definition["ImportSourceSpecification"]["S3BucketSource"]["S3Bucket"]
        table["import_table"][0]["s3_bucket_source"] = [{"bucket": bucket}]
    return table


_BLOCKS: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("TimeToLiveSpecification", "ttl", {"AttributeName": "attribute_name", "Enabled": "enabled"}),
    ("SSESpecification", "server_side_encryption", {"SSEEnabled": "enabled", "KMSMasterKeyId": "kms_key_arn"}),
    (
        "PointInTimeRecoverySpecification",
        "point_in_time_recovery",
        {"PointInTimeRecoveryEnabled": "enabled", "RecoveryPeriodInDays": "recovery_period_in_days"},
    ),
    (
        "ImportSourceSpecification",
        "import_table",
        {"InputFormat": "input_format", "InputCompressionType": "input_compression_type"},
    ),
)


def _named(index: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": index["IndexName"]} if "IndexName" in index else {}


def _key_arguments(part: Mapping[str, Any]) -> dict[str, Any]:
    """Two arguments, or blocks where they do not say it."""
    key = part.get("KeySchema", ())
    if [one["KeyType"] for one in key] in (["HASH"], ["HASH", "RANGE"]):
        return {name: one["AttributeName"] for name, one in zip(("hash_key", "range_key"), key, strict=False)}
    return {"key_schema": [{"attribute_name": one["AttributeName"], "key_type": one["KeyType"]} for one in key]}


def _projected(index: Mapping[str, Any]) -> dict[str, Any]:
    words = {"ProjectionType": "projection_type", "NonKeyAttributes": "non_key_attributes"}
    inner = index.get("Projection", {})
    return {argument: inner[key] for key, argument in words.items() if key in inner}


def _throughput(part: Mapping[str, Any]) -> dict[str, Any]:
    words = {"ReadCapacityUnits": "read_capacity", "WriteCapacityUnits": "write_capacity"}
    said: dict[str, Any] = {words[key]: it for key, it in part.get("ProvisionedThroughput", {}).items()}
    if "OnDemandThroughput" in part:
        said["on_demand_throughput"] = [{_word(key): it for key, it in part["OnDemandThroughput"].items()}]
    if "WarmThroughput" in part:
        said["warm_throughput"] = [{_word(key): it for key, it in part["WarmThroughput"].items()}]
    return said


def as_source(arguments: Mapping[str, Any]) -> str:
    """Arguments and blocks of a plan as source writes them, on one line for each."""
    return "\n".join(_written(arguments))


def _written(arguments: Mapping[str, Any]) -> list[str]:
    lines = []
    for key, value in arguments.items():
        if isinstance(value, list) and key != "non_key_attributes":
            for block in value:
                lines += [f"{key} {{", *_written(block), "}"]
        elif isinstance(value, dict):
            lines.append(
                f"{key} = {{ {', '.join(f'{json.dumps(name)} = {json.dumps(it)}' for name, it in value.items())} }}"
            )
        elif value is not None:
            lines.append(f"{key} = {json.dumps(value, ensure_ascii=False)}")
    return lines
