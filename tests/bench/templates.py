"""CloudFormation templates of many tables, in the short-form YAML that people write."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from bench.shapes import Shape

TABLES_EACH = 50  # about 400 resources, and 500 is the service's limit


class Tag(NamedTuple):
    """An intrinsic function by its short tag, with its argument as it stands behind it."""

    name: str
    argument: str


def template(shapes: list[Shape]) -> str:
    """One template of these tables."""
    resources = {name: resource for shape in shapes for name, resource in _resources(shape).items()}
    text = {"Type": "String"}
    document = {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": "tables for the benchmark",
        "Parameters": {
            "Env": {"Type": "String", "Default": "prod", "AllowedValues": ["dev", "prod"]},
            "KeyArn": text,
            "Artifacts": text,
            "RoleArn": text,
        },
        "Conditions": {"IsProd": Tag("Equals", "[!Ref Env, prod]")},
        "Resources": resources,
        "Outputs": {"First": {"Value": Tag("GetAtt", f"{next(iter(resources))}.Arn")}},
    }
    return "".join(_yaml(document, 0)).lstrip("\n")


def _resources(shape: Shape) -> dict[str, Any]:
    name = "T" + "".join(word.capitalize() for word in shape.key.split("-"))
    kept = {"DeletionPolicy": "Retain", "UpdateReplacePolicy": "Retain"}
    policy = shape.statements(Tag("GetAtt", f"{name}.Arn"), Tag("Sub", f'"${{{name}.Arn}}/index/*"'))
    made = {
        name: {"Type": "AWS::DynamoDB::Table", **kept, "Properties": _table(shape)},
        f"{name}Policy": _resource(
            "AWS::IAM::ManagedPolicy",
            Description=Tag("Sub", f'"read and write ${{{name}}}"'),
            PolicyDocument={"Version": "2012-10-17", "Statement": policy},
        ),
    }
    if shape.provisioned:
        for dimension in ("Read", "Write"):
            made |= _autoscaling(name, shape.capacity, dimension)
    return made | _neighbours(name, shape, kept)


def _table(shape: Shape) -> dict[str, Any]:
    units = {"ReadCapacityUnits": shape.capacity, "WriteCapacityUnits": shape.capacity}
    capacity = {"ProvisionedThroughput": units} if shape.provisioned else {}
    table: dict[str, Any] = {
        "TableName": Tag("Sub", f'"${{Env}}-{shape.key}"'),
        "BillingMode": "PROVISIONED" if shape.provisioned else "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in shape.attributes],
        "KeySchema": _keys("pk", shape.sort_key),
        "TableClass": shape.table_class,
        "Tags": _tags(shape),
        "PointInTimeRecoverySpecification": {
            "PointInTimeRecoveryEnabled": Tag("If", f"[IsProd, {str(shape.recovery).lower()}, false]")
        },
        **capacity,
    }
    if shape.indexes:
        table["GlobalSecondaryIndexes"] = [
            {"IndexName": name, "KeySchema": _keys(hash_key, range_key), "Projection": _projection(kind), **capacity}
            for name, hash_key, range_key, kind in shape.indexes
        ]
    if shape.local_index:
        keys = _keys("pk", shape.local_index)
        table["LocalSecondaryIndexes"] = [
            {"IndexName": "by-time", "KeySchema": keys, "Projection": {"ProjectionType": "ALL"}}
        ]
    if shape.expiry:
        table["TimeToLiveSpecification"] = {"AttributeName": shape.expiry, "Enabled": True}
    if shape.stream:
        table["StreamSpecification"] = {"StreamViewType": shape.stream}
    if shape.encryption:
        own_key = {"SSEType": "KMS", "KMSMasterKeyId": Tag("Ref", "KeyArn")} if shape.encryption == "customer" else {}
        table["SSESpecification"] = {"SSEEnabled": True, **own_key}
    if shape.protected:
        table["DeletionProtectionEnabled"] = True
    return table


def _autoscaling(name: str, units: int, dimension: str) -> dict[str, Any]:
    metric = {"PredefinedMetricType": f"DynamoDB{dimension}CapacityUtilization"}
    return {
        f"{name}{dimension}Target": _resource(
            "AWS::ApplicationAutoScaling::ScalableTarget",
            MaxCapacity=units * 10,
            MinCapacity=units,
            ResourceId=Tag("Sub", f'"table/${{{name}}}"'),
            ScalableDimension=f"dynamodb:table:{dimension}CapacityUnits",
            ServiceNamespace="dynamodb",
        ),
        f"{name}{dimension}Scaling": _resource(
            "AWS::ApplicationAutoScaling::ScalingPolicy",
            PolicyName=f"{name}-{dimension.lower()}",
            PolicyType="TargetTrackingScaling",
            ScalingTargetId=Tag("Ref", f"{name}{dimension}Target"),
            TargetTrackingScalingPolicyConfiguration={"TargetValue": 70, "PredefinedMetricSpecification": metric},
        ),
    }


def _neighbours(name: str, shape: Shape, kept: dict[str, str]) -> dict[str, Any]:
    walls = ("BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets")
    only_tls = {
        "Sid": "TlsOnly",
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:*",
        "Resource": [Tag("GetAtt", f"{name}Export.Arn"), Tag("Sub", f'"${{{name}Export.Arn}}/*"')],
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }
    return {
        f"{name}Function": _resource(
            "AWS::Lambda::Function",
            Runtime="nodejs22.x",
            Handler="index.handler",
            Code={"S3Bucket": Tag("Ref", "Artifacts"), "S3Key": f"{shape.key}.zip"},
            MemorySize=512,
            Timeout=30,
            Role=Tag("Ref", "RoleArn"),
            Environment={"Variables": {"TABLE": Tag("Ref", name), "LOG_LEVEL": "info"}},
            Tags=_tags(shape),
        ),
        f"{name}Logs": {
            "Type": "AWS::Logs::LogGroup",
            **kept,
            "Properties": {"LogGroupName": Tag("Sub", f'"/aws/lambda/${{{name}Function}}"'), "RetentionInDays": 30},
        },
        f"{name}Export": _resource(
            "AWS::S3::Bucket", Tags=_tags(shape), PublicAccessBlockConfiguration=dict.fromkeys(walls, True)
        ),
        f"{name}ExportPolicy": _resource(
            "AWS::S3::BucketPolicy",
            Bucket=Tag("Ref", f"{name}Export"),
            PolicyDocument={"Version": "2012-10-17", "Statement": [only_tls]},
        ),
        f"{name}Dlq": _resource(
            "AWS::SQS::Queue",
            QueueName=Tag("Sub", f'"${{Env}}-{shape.key}-dlq"'),
            MessageRetentionPeriod=1209600,
            SqsManagedSseEnabled=True,
            Tags=_tags(shape),
        ),
    }


def _resource(kind: str, **properties: Any) -> dict[str, Any]:
    return {"Type": kind, "Properties": properties}


def _keys(hash_key: str, range_key: str | None) -> list[dict[str, str]]:
    pairs = [(hash_key, "HASH"), (range_key, "RANGE")]
    return [{"AttributeName": name, "KeyType": role} for name, role in pairs if name]


def _projection(kind: str) -> dict[str, Any]:
    return {"ProjectionType": kind} | ({"NonKeyAttributes": ["total", "status"]} if kind == "INCLUDE" else {})


def _tags(shape: Shape) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in shape.tags.items()]


def _yaml(item: Any, depth: int) -> list[str]:
    """What stands behind a key or a dash, with the line break that ends it."""
    pad = "  " * depth
    if isinstance(item, Tag):
        return [f" !{item.name} {item.argument}\n"]
    if isinstance(item, dict):
        entries = [[f"{pad}{key}:", *_yaml(below, depth + 1)] for key, below in item.items()]
        return ["\n", *(piece for entry in entries for piece in entry)]
    if isinstance(item, list):
        return ["\n", *(piece for below in item for piece in _entry(below, depth))]
    return [f" {_scalar(item)}\n"]


def _entry(item: Any, depth: int) -> list[str]:
    pieces = _yaml(item, depth + 1)
    if pieces[0] == "\n":
        pieces = [f" {pieces[1].lstrip()}", *pieces[2:]]
    return ["  " * depth + "-", *pieces]


def _scalar(item: object) -> str:
    if isinstance(item, str) and re.fullmatch(r"[A-Za-z][\w./:-]*[\w/]", item) and item not in ("true", "false"):
        return item
    return json.dumps(item)
