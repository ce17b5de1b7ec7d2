"""Holds resources of Terraform against AWS's schemas: what the provider requires, and the closed sets and limits.

The provider refuses most of this when it makes a plan; source is judged before anybody asked it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from tablegate.dialects.joins.watchers import NAMESPACE
from tablegate.dialects.schemas import Shape, at
from tablegate.dialects.terraform.block import Block
from tablegate.dialects.terraform.resources import Resource, Snapshot
from tablegate.model.value import Doubt, Place

_TABLE = "AWS::DynamoDB::Table"
_TARGET = "AWS::ApplicationAutoScaling::ScalableTarget"
_POLICY = "AWS::ApplicationAutoScaling::ScalingPolicy"
_TRACKING = "target_tracking_scaling_policy_configuration"
_IN_TRACKING = "TargetTrackingScalingPolicyConfiguration"
_METRIC = f"{_IN_TRACKING}.PredefinedMetricSpecification.PredefinedMetricType"
_SHOWN = 40  # characters of the key of a tag
_SCALED = {"resource_id": "table/", "scalable_dimension": "dynamodb:", "service_namespace": "dynamodb"}

# Each argument with `!` if the provider requires it in its block, and the member whose set and limits it has.
_ARGUMENTS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "aws_dynamodb_table": (
        _TABLE,
        {
            "name!": "",
            "billing_mode": "BillingMode",
            "table_class": "TableClass",
            "stream_view_type": "StreamSpecification.StreamViewType",
            "attribute.name!": "",
            "attribute.type!": "",
            "global_secondary_index.name!": "",
            "global_secondary_index.projection_type": "GlobalSecondaryIndexes.Projection.ProjectionType",
            "local_secondary_index.name!": "",
            "local_secondary_index.range_key!": "",
            "local_secondary_index.projection_type": "LocalSecondaryIndexes.Projection.ProjectionType",
            "import_table.input_format!": "ImportSourceSpecification.InputFormat",
            "import_table.input_compression_type": "ImportSourceSpecification.InputCompressionType",
            "import_table.s3_bucket_source!.bucket!": "",
            "point_in_time_recovery.enabled!": "",
            "point_in_time_recovery.recovery_period_in_days": "PointInTimeRecoverySpecification.RecoveryPeriodInDays",
            "replica.region_name!": "",
            "server_side_encryption.enabled!": "",
            "tags": "Tags",
        },
    ),
    "aws_dynamodb_table_replica": (_TABLE, {"global_table_arn!": "", "table_class_override": "TableClass"}),
    "aws_dynamodb_global_secondary_index": (
        _TABLE,
        {
            "table_name!": "",
            "index_name!": "",
            "projection.projection_type": "GlobalSecondaryIndexes.Projection.ProjectionType",
        },
    ),
    "aws_appautoscaling_target": (
        _TARGET,
        {
            "min_capacity!": "",
            "max_capacity!": "",
            "resource_id!": "",
            "scalable_dimension!": "ScalableDimension",
            "service_namespace!": "ServiceNamespace",
        },
    ),
    "aws_appautoscaling_policy": (
        _POLICY,
        {
            "name!": "",
            "policy_type": "PolicyType",
            "resource_id!": "",
            "scalable_dimension!": "ScalableDimension",
            "service_namespace!": "ServiceNamespace",
            f"{_TRACKING}.target_value!": f"{_IN_TRACKING}.TargetValue",
            f"{_TRACKING}.predefined_metric_specification.predefined_metric_type!": _METRIC,
        },
    ),
    "aws_dax_cluster": (
        "AWS::DAX::Cluster",
        {
            "cluster_name!": "",
            "iam_role_arn!": "",
            "node_type!": "",
            "replication_factor!": "",
            "network_type": "NetworkType",
            "cluster_endpoint_encryption_type": "ClusterEndpointEncryptionType",
        },
    ),
    "aws_cloudwatch_metric_alarm": (
        "AWS::CloudWatch::Alarm",
        {
            "alarm_name!": "",
            "comparison_operator!": "ComparisonOperator",
            "statistic": "Statistic",
            "treat_missing_data": "TreatMissingData",
        },
    ),
}


class _Argument(NamedTuple):
    """An argument or a block, with what is in it."""

    key: str
    required: bool
    shape: Shape | None
    inner: tuple[_Argument, ...]


class _Wrong(NamedTuple):
    """What is wrong, and where: the steps to an argument, which for a block have its number."""

    steps: tuple[str | int, ...]
    message: str


def hold_against_schemas(snapshot: Snapshot) -> None:
    """Report what the schemas of the tables' types, and of the types about them, do not let a resource hold."""
    for type_ in _ARGUMENTS:
        for resource in snapshot.of(type_):
            if _is_about_tables(resource):
                _check(resource)


def _is_about_tables(resource: Resource) -> bool:
    content = resource.content
    if resource.type.startswith("aws_appautoscaling_"):
        return any(str(content.get(key) or "").startswith(begin) for key, begin in _SCALED.items())
    return resource.type != "aws_cloudwatch_metric_alarm" or content.get("namespace") == NAMESPACE


def _check(resource: Resource) -> None:
    is_source = resource.source is not None  # the provider has seen to it that a plan has what it requires
    unknown = resource.block.unknown if is_source else True
    for wrong in _wrongs(_arguments(resource.type), resource.content, unknown, ()):
        path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in wrong.steps).removeprefix(".")
        resource.refuse(path, f"{path}: {wrong.message}" if path else wrong.message, at=_place(resource, wrong.steps))


def _wrongs(
    arguments: tuple[_Argument, ...], content: Mapping[str, object], unknown: object, steps: tuple[str | int, ...]
) -> Iterator[_Wrong]:
    """What is wrong in one block. What is empty is not set, nor in a plan what is zero."""
    for argument in arguments:
        key = argument.key
        value = content.get(key)
        if value is None or value in ("", []):
            if argument.required and unknown is not True and not (isinstance(unknown, dict) and unknown.get(key)):
                yield _Wrong(steps, f"{key} is required")
        elif argument.inner:
            doubts = unknown.get(key) if isinstance(unknown, dict) else unknown
            for number, item in enumerate(value if isinstance(value, list) else [value]):
                doubt = doubts[number] if isinstance(doubts, list) and number < len(doubts) else doubts
                if isinstance(item, dict):
                    yield from _wrongs(argument.inner, item, doubt, (*steps, key, number))
        elif argument.shape is not None and isinstance(value, dict):
            yield from (_Wrong((*steps, key), message) for message in _wrong_tags(value, argument.shape))
        elif argument.shape is not None and (value or unknown is not True) and not isinstance(value, list):
            message = argument.shape.refusal(value, repr(value) if isinstance(value, str) else str(value))
            if message is not None:
                yield _Wrong((*steps, key), message)


def _wrong_tags(tags: Mapping[str, object], shape: Shape) -> Iterator[str]:
    """What is wrong with keys and values of tags, which CloudFormation has as a list."""
    of_tag = shape.items.members if shape.items is not None else {}
    for key, value in tags.items():
        for what, part, text in (("a key", "Key", key), (f"the value of {key[:_SHOWN]!r}", "Value", value)):
            message = of_tag[part].refusal(text, "") if isinstance(text, str) else None
            if message is not None:
                yield f"{what} {message}"


def _place(resource: Resource, steps: tuple[str | int, ...]) -> Place | None:
    """The place of an argument in source, or of the block that lacks it; None in a plan."""
    if resource.source is None:
        return None
    block = resource.block
    for number, step in enumerate(steps):
        if isinstance(step, int):
            blocks = block.many(str(steps[number - 1]))
            inner = None if isinstance(blocks, Doubt) else blocks[step]
            if not isinstance(inner, Block):
                return block.place()
            block = inner
    return block.place(str(steps[-1]) if steps and isinstance(steps[-1], str) else None)


@cache
def _arguments(type_: str) -> tuple[_Argument, ...]:
    """The arguments of a type, as a tree."""
    schema, members = _ARGUMENTS[type_]
    return _tree(schema, [(path.split("."), member) for path, member in members.items()])


def _tree(schema: str, paths: list[tuple[list[str], str]]) -> tuple[_Argument, ...]:
    grouped: dict[str, list[tuple[list[str], str]]] = {}
    for (first, *rest), member in paths:
        grouped.setdefault(first, []).append((rest, member))
    return tuple(
        _Argument(
            key.rstrip("!"),
            key.endswith("!"),
            at(schema, inside[0][1]) if inside[0][1] and not inside[0][0] else None,
            _tree(schema, inside) if inside[0][0] else (),
        )
        for key, inside in grouped.items()
    )
