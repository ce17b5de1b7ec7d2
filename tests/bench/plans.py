"""A Terraform plan of many tables: one line, as ``terraform show -json`` writes it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, NamedTuple, TextIO

from bench.shapes import ACCOUNT, REGION, Shape

PROVIDER = "registry.terraform.io/hashicorp/aws"


class Resource(NamedTuple):
    """One instance of one resource."""

    inner: bool  # in the table's own module
    type: str
    name: str
    index: str | int | None
    values: dict[str, Any]
    computed: tuple[str, ...]


def write_plan(file: TextIO, shapes: list[Shape]) -> None:
    """Write the plan section by section: ten thousand tables are more than belongs in memory at once."""
    file.write('{"format_version":"1.2","terraform_version":"1.11.4","variables":{"env":{"value":"prod"}},')
    file.write('"planned_values":{"outputs":{},"root_module":{"child_modules":[')
    _write(file, _services(shapes))
    file.write(']}},"resource_changes":[')
    _write(file, (_change(shape, resource) for shape in shapes for resource in resources(shape)))
    file.write('],"prior_state":{"format_version":"1.0","terraform_version":"1.11.4",')
    file.write('"values":{"outputs":{},"root_module":{"child_modules":[')
    _write(file, _services([shape for shape in shapes if shape.exists]))
    file.write(f']}}}}}},"configuration":{_text(_configuration(shapes))}')
    file.write(',"timestamp":"2026-01-01T00:00:00Z","applyable":true,"complete":true,"errored":false}\n')


def resources(shape: Shape) -> list[Resource]:
    """The table, its policy, its autoscaling, and five resources that are none of tablegate's business."""
    tags = {"tags": shape.tags, "tags_all": shape.tags | {"managed-by": "terraform"}}
    policy = {"Version": "2012-10-17", "Statement": shape.statements(shape.arn, f"{shape.arn}/index/*")}
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
                "policy": _text(policy),
                **tags,
            },
            ("arn", "attachment_count", "id", "name_prefix", "policy_id"),
        ),
    ]
    if shape.documents > 1:
        inner += _reader(shape, tags)
    if shape.provisioned:
        inner += [item for dimension in ("Read", "Write") for item in _autoscaling(shape, dimension)]
    return inner + _neighbours(shape, tags)


def _reader(shape: Shape, tags: dict[str, Any]) -> list[Resource]:
    """A role that reads the table, with a document of its own."""
    trusted = {"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}
    name = f"{shape.name}-reader"
    role = {
        "assume_role_policy": _text({"Version": "2012-10-17", "Statement": [trusted]}),
        "description": None,
        "force_detach_policies": False,
        "max_session_duration": 3600,
        "name": name,
        "path": "/",
        "permissions_boundary": None,
        **tags,
    }
    policy = {"Version": "2012-10-17", "Statement": shape.reading(shape.arn, f"{shape.arn}/index/*")}
    held = {"name": "read", "policy": _text(policy), "role": name}
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
        "global_secondary_index": [
            capacity
            | {
                "hash_key": hash_key,
                "name": name,
                "non_key_attributes": ["total", "status"] if projection == "INCLUDE" else [],
                "on_demand_throughput": [],
                "projection_type": projection,
                "range_key": range_key or "",
                "warm_throughput": [],
            }
            for name, hash_key, range_key, projection in shape.indexes
        ],
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
        "replica": [
            {
                "consistency_mode": "EVENTUAL",
                "deletion_protection_enabled": None,
                "kms_key_arn": None,
                "point_in_time_recovery": False,
                "propagate_tags": True,
                "region_name": shape.replica,
            }
        ]
        if shape.replica
        else [],
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


def _neighbours(shape: Shape, tags: dict[str, Any]) -> list[Resource]:
    function = {
        "architectures": ["arm64"],
        "code_signing_config_arn": None,
        "dead_letter_config": [],
        "description": None,
        "environment": [{"variables": {"TABLE": shape.name, "LOG_LEVEL": "info", "STAGE": "prod"}}],
        "ephemeral_storage": [{"size": 512}],
        "file_system_config": [],
        "filename": f"dist/{shape.key}.zip",
        "function_name": f"{shape.name}-handler",
        "handler": "index.handler",
        "image_config": [],
        "image_uri": None,
        "kms_key_arn": None,
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
        "replace_security_groups_on_destroy": None,
        "reserved_concurrent_executions": -1,
        "role": f"arn:aws:iam::{ACCOUNT}:role/{shape.service}",
        "runtime": "nodejs22.x",
        "s3_bucket": None,
        "s3_key": None,
        "s3_object_version": None,
        "skip_destroy": False,
        "snap_start": [],
        "source_code_hash": f"{shape.number:044d}",
        "timeout": 30,
        "timeouts": None,
        "tracing_config": [{"mode": "Active"}],
        "vpc_config": [],
    }
    logs = {
        "kms_key_id": None,
        "log_group_class": "STANDARD",
        "name": f"/aws/lambda/{shape.name}-handler",
        "region": REGION,
        "retention_in_days": 30,
        "skip_destroy": False,
    }
    bucket = {
        "bucket": f"{shape.name}-export",
        "force_destroy": False,
        "object_lock_enabled": False,
        "region": REGION,
        "timeouts": None,
    }
    walls = ("block_public_acls", "block_public_policy", "ignore_public_acls", "restrict_public_buckets")
    queue = {
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
    return [
        Resource(False, "aws_lambda_function", "handler", shape.key, function | tags, _LAMBDA),
        Resource(False, "aws_cloudwatch_log_group", "handler", shape.key, logs | tags, ("arn", "id", "name_prefix")),
        Resource(False, "aws_s3_bucket", "export", shape.key, bucket | tags, _BUCKET),
        Resource(
            False,
            "aws_s3_bucket_public_access_block",
            "export",
            shape.key,
            {**dict.fromkeys(walls, True), "region": REGION},
            ("bucket", "id"),
        ),
        Resource(False, "aws_sqs_queue", "dlq", shape.key, queue | tags, _QUEUE),
    ]


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


def _change(shape: Shape, resource: Resource) -> dict[str, Any]:
    head = _head(shape, resource)
    marks = _containers(resource.values)
    change: dict[str, Any] = {"actions": ["create"], "before": None, "after": resource.values}
    if shape.exists:
        after = resource.values | _known(shape, resource)
        update = resource.type == "aws_dynamodb_table" and shape.number % 4 == 3
        before = after | {"tags": {"service": shape.service}} if update else after
        change = {"actions": ["update" if update else "no-op"], "before": before, "after": after}
        change |= {"after_unknown": {}, "before_sensitive": marks, "after_sensitive": marks}
    else:
        unknown = dict.fromkeys(resource.computed, True)
        change |= {"after_unknown": marks | unknown, "before_sensitive": False, "after_sensitive": marks}
    return {"address": head["address"], "module_address": _module(shape, resource), **head, "change": change}


def _known(shape: Shape, resource: Resource) -> dict[str, str]:
    told = {"arn": shape.arn, "id": shape.name}
    return {name: told.get(name, f"{name}-{shape.number:05d}") for name in resource.computed}


def _containers(values: dict[str, Any]) -> dict[str, Any]:
    """What marks of nothing look like: the containers stay, and what they hold goes."""
    return {
        name: [{} if isinstance(item, dict) else False for item in value] if isinstance(value, list) else {}
        for name, value in values.items()
        if isinstance(value, (dict, list))
    }


def _module(shape: Shape, resource: Resource) -> str:
    service = f"module.{shape.service}"
    return f'{service}.module.table["{shape.key}"]' if resource.inner else service


def _head(shape: Shape, resource: Resource) -> dict[str, Any]:
    index = "" if resource.index is None else f"[{json.dumps(resource.index)}]"
    head = {
        "address": f"{_module(shape, resource)}.{resource.type}.{resource.name}{index}",
        "mode": "managed",
        "type": resource.type,
        "name": resource.name,
    }
    return head | ({} if resource.index is None else {"index": resource.index}) | {"provider_name": PROVIDER}


def _services(shapes: Iterable[Shape]) -> Iterator[dict[str, Any]]:
    for service, members in groupby(shapes, key=lambda shape: shape.service):
        outer, inner = [], []
        for shape in members:
            made = [(resource.inner, _planned(shape, resource)) for resource in resources(shape)]
            outer += [planned for is_inner, planned in made if not is_inner]
            inner.append(
                {
                    "address": f'module.{service}.module.table["{shape.key}"]',
                    "resources": [planned for is_inner, planned in made if is_inner],
                }
            )
        yield {"address": f"module.{service}", "resources": outer, "child_modules": inner}


def _planned(shape: Shape, resource: Resource) -> dict[str, Any]:
    values = resource.values | _known(shape, resource) if shape.exists else resource.values
    sensitive = _containers(resource.values)
    return {**_head(shape, resource), "schema_version": 0, "values": values, "sensitive_values": sensitive}


def _configuration(shapes: list[Shape]) -> dict[str, Any]:
    each = _refers("var.tables")
    expressions = {"env": _refers("var.env"), "tables": _refers("local.tables"), "tags": _refers("local.tags")}
    neighbours = [
        _configured(resource.type, resource.name, {"tags": _refers("var.tags")}) | {"for_each_expression": each}
        for resource in _neighbours(Shape(0), {})
    ]
    inner = {
        "source": "../table",
        "expressions": {"env": _refers("var.env"), "table": _refers("each.value"), "tags": _refers("var.tags")},
        "for_each_expression": each,
        "module": {
            "outputs": {"arn": {"expression": _refers("aws_dynamodb_table.this.arn", "aws_dynamodb_table.this")}},
            "resources": _table_module(shapes[0]),
            "variables": {"env": {}, "table": {}, "tags": {"default": {}}},
        },
    }
    service = {
        "source": "./modules/service",
        "expressions": expressions,
        "module": {
            "resources": neighbours,
            "module_calls": {"table": inner},
            "variables": {"env": {}, "tables": {}, "tags": {"default": {}}},
        },
    }
    provider = {
        "name": "aws",
        "full_name": PROVIDER,
        "version_constraint": "~> 6.0",
        "expressions": {"region": {"constant_value": REGION}},
    }
    calls = dict.fromkeys((shape.service for shape in shapes), service)
    return {
        "provider_config": {"aws": provider},
        "root_module": {"module_calls": calls, "variables": {"env": {"default": "prod"}}},
    }


def _table_module(shape: Shape) -> list[dict[str, Any]]:
    given = _refers("var.table")
    name = _refers("local.name")
    table = {
        **dict.fromkeys(("billing_mode", "hash_key", "range_key", "deletion_protection_enabled"), given),
        "name": name,
        "point_in_time_recovery": [{"enabled": given}],
        "tags": _refers("var.tags"),
        "ttl": [{"enabled": given}],
    }
    policy = {"name": name, "policy": _refers("aws_dynamodb_table.this.arn", "aws_dynamodb_table.this")}
    made = [_configured("aws_dynamodb_table", "this", table), _configured("aws_iam_policy", "rw", policy)]
    if shape.documents > 1:
        made.append(_configured("aws_iam_role", "reader", {"name": name, "assume_role_policy": _refers("local.trust")}))
        reader = _refers("aws_iam_role.reader.name", "aws_iam_role.reader")
        made.append(_configured("aws_iam_role_policy", "reader", policy | {"role": reader}))
    for dimension in ("Read", "Write"):
        target = f"aws_appautoscaling_target.{dimension.lower()}"
        scaled = {
            "resource_id": _refers("aws_dynamodb_table.this.name", "aws_dynamodb_table.this"),
            "scalable_dimension": {"constant_value": f"dynamodb:table:{dimension}CapacityUnits"},
            "service_namespace": {"constant_value": "dynamodb"},
        }
        tracked = dict.fromkeys(("resource_id", "scalable_dimension"), _refers(f"{target}[0]", target))
        made += [
            _configured("aws_appautoscaling_target", dimension.lower(), scaled) | {"count_expression": given},
            _configured("aws_appautoscaling_policy", dimension.lower(), tracked) | {"count_expression": given},
        ]
    return made


def _configured(kind: str, name: str, expressions: dict[str, Any]) -> dict[str, Any]:
    return {
        "address": f"{kind}.{name}",
        "mode": "managed",
        "type": kind,
        "name": name,
        "provider_config_key": "aws",
        "expressions": expressions,
        "schema_version": 0,
    }


def _refers(*names: str) -> dict[str, list[str]]:
    return {"references": list(names)}


def _write(file: TextIO, items: Iterable[object]) -> None:
    for place, item in enumerate(items):
        file.write(f",{_text(item)}" if place else _text(item))


def _text(item: object) -> str:
    return json.dumps(item, separators=(",", ":"))
