"""The resources of one invented table, with the values that a plan gives for each."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from bench.shapes import ACCOUNT, REGION, Shape


class Resource(NamedTuple):
    """One instance of one resource."""

    inner: bool  # in the table's own module
    type: str
    name: str
    index: str | int | None
    values: dict[str, Any]
    computed: tuple[str, ...]


def resources(shape: Shape) -> list[Resource]:
    """The table, its policy, its autoscaling, and five resources that are none of tablegate's business."""
    tags = {"tags": shape.tags, "tags_all": shape.tags | {"managed-by": "terraform"}}
    inner = [
        Resource(
            True, "aws_dynamodb_table", "this", None, _table(shape) | tags, ("arn", "id", "stream_arn", "stream_label")
        ),
        Resource(
            True,
            "aws_iam_policy",
            "rw",
            None,
            {
                "delay_after_policy_creation_in_ms": None,
                "description": f"read and write {shape.name}",
                "name": f"{shape.name}-rw",
                "path": "/",
                "policy": _text(shape.statements(shape.arn, f"{shape.arn}/index/*")),
                **tags,
            },
            ("arn", "attachment_count", "id", "name_prefix", "policy_id"),
        ),
    ]
    if shape.documents > 1:
        inner += _reader(shape, tags)
    if shape.provisioned:
        inner += [item for dimension in ("Read", "Write") for item in _autoscaling(shape, dimension)]
    return inner + neighbours(shape, tags)


def _text(statements: list[dict[str, Any]]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": statements}, separators=(",", ":"))


def _reader(shape: Shape, tags: dict[str, Any]) -> list[Resource]:
    """A role that reads the table, with a document of its own."""
    trusted = {"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}
    name = f"{shape.name}-reader"
    role = {
        "assume_role_policy": _text([trusted]),
        "description": None,
        "force_detach_policies": False,
        "max_session_duration": 3600,
        "name": name,
        "path": "/",
        "permissions_boundary": None,
        **tags,
    }
    held = {"name": "read", "policy": _text(shape.reading(shape.arn, f"{shape.arn}/index/*")), "role": name}
    computed = ("arn", "create_date", "id", "name_prefix", "unique_id")
    return [
        Resource(True, "aws_iam_role", "reader", None, role, computed),
        Resource(True, "aws_iam_role_policy", "reader", None, held, ("id", "name_prefix")),
    ]


def _table(shape: Shape) -> dict[str, Any]:
    units = shape.capacity if shape.provisioned else 0
    capacity = {"read_capacity": units, "write_capacity": units}
    own_key = shape.key_arn if shape.encryption == "customer" else None
    return capacity | {
        "attribute": [{"name": name, "type": "S"} for name in sorted(shape.attributes)],
        "billing_mode": "PROVISIONED" if shape.provisioned else "PAY_PER_REQUEST",
        "deletion_protection_enabled": shape.protected or None,
        "global_secondary_index": [_index(*index) | capacity for index in shape.indexes],
        "hash_key": "pk",
        "import_table": [],
        "local_secondary_index": [
            {"name": "by-time", "non_key_attributes": None, "projection_type": "ALL", "range_key": shape.local_index}
        ]
        if shape.local_index
        else [],
        "name": shape.name,
        "on_demand_throughput": [],
        "point_in_time_recovery": [
            {"enabled": shape.recovery, "recovery_period_in_days": 35 if shape.recovery else None}
        ],
        "range_key": shape.sort_key,
        "region": REGION,
        "replica": [_replica(shape.replica)] if shape.replica else [],
        "restore_date_time": None,
        "restore_source_name": None,
        "restore_source_table_arn": None,
        "restore_to_latest_time": None,
        "server_side_encryption": [{"enabled": True, "kms_key_arn": own_key}] if shape.encryption else [],
        "stream_enabled": bool(shape.stream) or None,
        "stream_view_type": shape.stream or "",
        "table_class": shape.table_class,
        "timeouts": None,
        "ttl": [{"attribute_name": shape.expiry or "", "enabled": bool(shape.expiry)}],
    }


def _index(name: str, hash_key: str, range_key: str | None, projection: str) -> dict[str, Any]:
    return {
        "hash_key": hash_key,
        "name": name,
        "non_key_attributes": ["total", "status"] if projection == "INCLUDE" else [],
        "on_demand_throughput": [],
        "projection_type": projection,
        "range_key": range_key or "",
        "warm_throughput": [],
    }


def _replica(region: str) -> dict[str, Any]:
    return {
        "consistency_mode": "EVENTUAL",
        "deletion_protection_enabled": None,
        "kms_key_arn": None,
        "point_in_time_recovery": False,
        "propagate_tags": True,
        "region_name": region,
    }


def _autoscaling(shape: Shape, dimension: str) -> list[Resource]:
    scaled = {
        "region": REGION,
        "resource_id": f"table/{shape.name}",
        "scalable_dimension": f"dynamodb:table:{dimension}CapacityUnits",
        "service_namespace": "dynamodb",
    }
    metric = {"predefined_metric_type": f"DynamoDB{dimension}CapacityUtilization", "resource_label": None}
    tracking = {
        "customized_metric_specification": [],
        "disable_scale_in": False,
        "predefined_metric_specification": [metric],
        "scale_in_cooldown": None,
        "scale_out_cooldown": None,
        "target_value": 70,
    }
    target = {
        "max_capacity": shape.capacity * 10,
        "min_capacity": shape.capacity,
        "suspended_state": [],
        "tags": None,
        "tags_all": {},
    }
    policy = {
        "name": f"DynamoDB{dimension}CapacityUtilization:table/{shape.name}",
        "policy_type": "TargetTrackingScaling",
        "predictive_scaling_policy_configuration": [],
        "step_scaling_policy_configuration": [],
        "target_tracking_scaling_policy_configuration": [tracking],
    }
    name = dimension.lower()
    return [
        Resource(True, "aws_appautoscaling_target", name, 0, target | scaled, ("arn", "id", "role_arn")),
        Resource(True, "aws_appautoscaling_policy", name, 0, policy | scaled, ("alarm_arns", "arn", "id")),
    ]


def neighbours(shape: Shape, tags: dict[str, Any]) -> list[Resource]:
    """Five resources that are none of tablegate's business."""
    walls = ("block_public_acls", "block_public_policy", "ignore_public_acls", "restrict_public_buckets")
    return [
        Resource(False, "aws_lambda_function", "handler", shape.key, _function(shape) | tags, _LAMBDA),
        Resource(
            False, "aws_cloudwatch_log_group", "handler", shape.key, _logs(shape) | tags, ("arn", "id", "name_prefix")
        ),
        Resource(False, "aws_s3_bucket", "export", shape.key, _bucket(shape) | tags, _BUCKET),
        Resource(
            False,
            "aws_s3_bucket_public_access_block",
            "export",
            shape.key,
            {**dict.fromkeys(walls, True), "region": REGION},
            ("bucket", "id"),
        ),
        Resource(False, "aws_sqs_queue", "dlq", shape.key, _queue(shape) | tags, _QUEUE),
    ]


def _function(shape: Shape) -> dict[str, Any]:
    return dict.fromkeys(_UNSET) | {
        "architectures": ["arm64"],
        "dead_letter_config": [],
        "environment": [{"variables": {"TABLE": shape.name, "LOG_LEVEL": "info", "STAGE": "prod"}}],
        "ephemeral_storage": [{"size": 512}],
        "file_system_config": [],
        "filename": f"dist/{shape.key}.zip",
        "function_name": f"{shape.name}-handler",
        "handler": "index.handler",
        "image_config": [],
        "layers": [],
        "logging_config": [
            {
                "application_log_level": None,
                "log_format": "JSON",
                "log_group": f"/aws/lambda/{shape.name}-handler",
                "system_log_level": None,
            }
        ],
        "memory_size": 512,
        "package_type": "Zip",
        "publish": False,
        "region": REGION,
        "reserved_concurrent_executions": -1,
        "role": f"arn:aws:iam::{ACCOUNT}:role/{shape.service}",
        "runtime": "nodejs22.x",
        "skip_destroy": False,
        "snap_start": [],
        "source_code_hash": f"{shape.number:044d}",
        "timeout": 30,
        "tracing_config": [{"mode": "Active"}],
        "vpc_config": [],
    }


def _logs(shape: Shape) -> dict[str, Any]:
    return {
        "kms_key_id": None,
        "log_group_class": "STANDARD",
        "name": f"/aws/lambda/{shape.name}-handler",
        "region": REGION,
        "retention_in_days": 30,
        "skip_destroy": False,
    }


def _bucket(shape: Shape) -> dict[str, Any]:
    return {
        "bucket": f"{shape.name}-export",
        "force_destroy": False,
        "object_lock_enabled": False,
        "region": REGION,
        "timeouts": None,
    }


def _queue(shape: Shape) -> dict[str, Any]:
    return {
        "content_based_deduplication": False,
        "delay_seconds": 0,
        "fifo_queue": False,
        "kms_master_key_id": None,
        "max_message_size": 262144,
        "message_retention_seconds": 1209600,
        "name": f"{shape.name}-dlq",
        "receive_wait_time_seconds": 0,
        "region": REGION,
        "sqs_managed_sse_enabled": True,
        "timeouts": None,
        "visibility_timeout_seconds": 30,
    }


_UNSET = (
    "code_signing_config_arn",
    "description",
    "image_uri",
    "kms_key_arn",
    "replace_security_groups_on_destroy",
    "s3_bucket",
    "s3_key",
    "s3_object_version",
    "timeouts",
)
_LOGS = ("arn", "id", "name_prefix")
_LAMBDA = ("arn", "code_sha256", "id", "invoke_arn", "last_modified", "qualified_arn", "source_code_size", "version")
_QUEUE = ("arn", "deduplication_scope", "fifo_throughput_limit", "id", "name_prefix", "policy", "redrive_policy", "url")
_BUCKET = (
    "acl",
    "arn",
    "bucket_domain_name",
    "cors_rule",
    "grant",
    "hosted_zone_id",
    "id",
    "lifecycle_rule",
    "logging",
    "policy",
    "server_side_encryption_configuration",
    "versioning",
    "website",
)
