"""Terraform that the provider or the service refuses."""

from __future__ import annotations

import pytest

from support.plans import TABLE, change, faults, written
from tablegate import Text, check

SOURCE = """
resource "aws_dynamodb_table" "t" {
  name     = "orders"
  hash_key = "id"
  attribute {
    name = "id"
    type = "S"
  }
  %s
}
"""
TARGET = {
    "resource_id": "table/orders",
    "scalable_dimension": "dynamodb:table:ReadCapacityUnits",
    "service_namespace": "dynamodb",
    "min_capacity": 0,
    "max_capacity": 5,
}


def refused(text: str) -> list[tuple[int | None, str]]:
    """The lines and messages of what is refused of source."""
    return [(it.place.line, it.message) for it in check(Text("main.tf", text)).faults]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('billing_mode = "PayPal"', "billing_mode: 'PayPal' is not one of PAY_PER_REQUEST, PROVISIONED"),
        ('table_class = "GLACIER"', "table_class: 'GLACIER' is not one of STANDARD, STANDARD_INFREQUENT_ACCESS"),
        (
            'stream_view_type = "BOTH"',
            "stream_view_type: 'BOTH' is not one of KEYS_ONLY, NEW_AND_OLD_IMAGES, NEW_IMAGE, OLD_IMAGE",
        ),
        ("server_side_encryption {}", "server_side_encryption[0]: enabled is required"),
        ("replica {}", "replica[0]: region_name is required"),
        (
            "point_in_time_recovery {\n enabled = true\n recovery_period_in_days = 36\n}",
            "point_in_time_recovery[0].recovery_period_in_days: must be 1 to 35, not 36",
        ),
        (
            "point_in_time_recovery {\n enabled = false\n recovery_period_in_days = 0\n}",
            "point_in_time_recovery[0].recovery_period_in_days: must be 1 to 35, not 0",
        ),
        (
            'import_table {\n input_format = "ION"\n}',
            "import_table[0]: s3_bucket_source is required",
        ),
        (
            'import_table {\n s3_bucket_source {}\n input_format = "ION"\n}',
            "import_table[0].s3_bucket_source[0]: bucket is required",
        ),
    ],
)
def test_source(body: str, message: str) -> None:
    """At the line of the argument, or of the block that lacks one."""
    ((line, found),) = refused(SOURCE % body)
    assert found == f"aws_dynamodb_table.t: {message}"
    assert line == (11 if "days" in message else 10 if "bucket is" in message else 9)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('input_format = "XML"', "input_format: 'XML' is not one of CSV, DYNAMODB_JSON, ION"),
        (
            'input_format = "ION"\n input_compression_type = "LZ4"',
            "input_compression_type: 'LZ4' is not one of GZIP, NONE, ZSTD",
        ),
    ],
)
def test_imports_in_source(body: str, message: str) -> None:
    """Their format and compression are closed sets."""
    text = f'import_table {{\n s3_bucket_source {{\n bucket = "b"\n }}\n {body}\n}}'
    assert [found for _, found in refused(SOURCE % text)] == [f"aws_dynamodb_table.t: import_table[0].{message}"]


def test_tags() -> None:
    """Keys and values have limits, in source and in plans; values are not quoted."""
    long = {"k" * 129: "shop", "owner": "s" * 257, "most": "m" * 256}
    messages = [
        "aws_dynamodb_table.t: tags: a key must have 1 to 128 characters, not 129",
        "aws_dynamodb_table.t: tags: the value of 'owner' must have 0 to 256 characters, not 257",
    ]
    written_out = ", ".join(f'"{key}" = "{value}"' for key, value in long.items())
    assert sorted(refused(SOURCE % f"tags = {{ {written_out} }}")) == [(9, message) for message in messages]
    assert [it[2] for it in faults(written(change({**TABLE, "tags": long})))] == messages


def test_sound_source() -> None:
    """What is not known may be right, and empty is not set."""
    body = 'billing_mode = var.mode\nstream_view_type = ""\nserver_side_encryption {\n enabled = var.on\n}'
    assert refused('variable "mode" {}\nvariable "on" {}\n' + SOURCE % body) == []


def test_scaling_in_source() -> None:
    """A target of a table lacks its limits; one of another service is left alone."""
    text = """
resource "aws_appautoscaling_target" "%s" {
  resource_id        = "%s"
  scalable_dimension = "%s"
  service_namespace  = "%s"
}
"""
    assert refused(text % ("e", "service/a/b", "ecs:service:DesiredCount", "ecs")) == []
    found = refused(text % ("d", "table/a", "dynamodb:table:ReadCapacityUnits", "ecs"))
    assert sorted(message for _, message in found) == [
        "aws_appautoscaling_target.d: max_capacity is required",
        "aws_appautoscaling_target.d: min_capacity is required",
        "aws_appautoscaling_target.d: service_namespace: 'ecs' is not one of dynamodb",
    ]


def test_plans() -> None:
    """A plan has what the provider requires; sets are compared, also of what it does not look at."""
    assert faults(written(change(TABLE), change(TARGET, type="aws_appautoscaling_target"))) == []
    odd = {
        **TABLE,
        "billing_mode": "PayPal",
        "point_in_time_recovery": [{"enabled": False, "recovery_period_in_days": 0}],
    }
    assert [it[2] for it in faults(written(change(odd)))] == [
        "aws_dynamodb_table.t: billing_mode: 'PayPal' is not one of PAY_PER_REQUEST, PROVISIONED"
    ]
    of_ecs = {**TARGET, "service_namespace": "ecs"}
    assert [it[2] for it in faults(written(change(of_ecs, type="aws_appautoscaling_target")))] == [
        "aws_appautoscaling_target.t: service_namespace: 'ecs' is not one of dynamodb"
    ]


def test_cloud_control() -> None:
    """Tables of the Cloud Control provider are CloudFormation's."""
    text = 'resource "awscc_dynamodb_table" "t" {\n  key_schema = jsonencode([])\n  table_class = "GLACIER"\n}\n'
    assert any("table_class: 'GLACIER' is not one of STANDARD" in message for _, message in refused(text))
