"""Shapes of AWS's schemas, and what they refuse."""

from __future__ import annotations

import pytest

from tablegate.aws_schemas import SCHEMAS
from tablegate.dialects.schemas import Shape, at, shape_of

TABLE = "AWS::DynamoDB::Table"


@pytest.mark.parametrize("type_", SCHEMAS)
def test_every_line_is_a_member(type_: str) -> None:
    """Nothing that is written is lost."""

    def count(shape: Shape) -> int:
        inner = [*shape.members.values(), *([shape.items] if shape.items is not None else [])]
        return len(inner) + sum(map(count, inner))

    assert count(shape_of(type_)) == len([line for line in SCHEMAS[type_].splitlines() if line.split()[0] != "."])


@pytest.mark.parametrize(
    ("path", "content", "message"),
    [
        ("BillingMode", "PROVISIONED", None),
        ("BillingMode", "PayPal", "'x' is not one of PAY_PER_REQUEST, PROVISIONED"),
        ("TableName", 5, None),
        ("DeletionProtectionEnabled", "true", None),
        ("DeletionProtectionEnabled", False, None),
        ("DeletionProtectionEnabled", "True", "must be true or false, not 'x'"),
        ("PointInTimeRecoverySpecification.RecoveryPeriodInDays", "35", None),
        ("PointInTimeRecoverySpecification.RecoveryPeriodInDays", 35.0, None),
        ("PointInTimeRecoverySpecification.RecoveryPeriodInDays", 36, "must be 1 to 35, not 'x'"),
        ("PointInTimeRecoverySpecification.RecoveryPeriodInDays", 1.5, "must be a whole number, not 'x'"),
        ("PointInTimeRecoverySpecification.RecoveryPeriodInDays", True, "must be a whole number, not 'x'"),
        ("Tags.Key", "", "must have 1 to 128 characters, not 0"),
        ("Tags", "text", "must be a list, not 'x'"),
        ("SSESpecification", "text", "must be a mapping, not 'x'"),
        ("KeySchema", "anything", None),
    ],
)
def test_what_is_refused(path: str, content: object, message: str | None) -> None:
    """Closed sets, limits and kinds; CloudFormation takes texts for numbers and for true."""
    assert at(TABLE, path).refusal(content, "'x'") == message


def test_numbers_with_a_lower_limit_alone() -> None:
    """And decimals."""
    assert at("AWS::CloudWatch::Alarm", "Period").refusal(0, "0") == "must be 1 or more, not 0"
    assert at("AWS::Kinesis::Stream", "DesiredShardLevelMetrics").refused_count(8) == "must have at most 7 items, not 8"
    threshold = at("AWS::CloudWatch::Alarm", "Threshold")
    assert [threshold.refusal(it, "x") for it in (0.5, "1e3", "many")] == [None, None, "must be a number, not x"]


@pytest.mark.parametrize(
    ("type_", "path", "present", "messages"),
    [
        (TABLE, "SSESpecification", {"SSEType"}, ["SSEEnabled is required"]),
        (TABLE, "WarmThroughput", set(), ["one of ReadUnitsPerSecond and WriteUnitsPerSecond is required"]),
        (
            TABLE,
            "PointInTimeRecoverySpecification",
            {"RecoveryPeriodInDays"},
            ["RecoveryPeriodInDays needs PointInTimeRecoveryEnabled beside it"],
        ),
        (
            "AWS::ApplicationAutoScaling::ScalingPolicy",
            "TargetTrackingScalingPolicyConfiguration",
            {"TargetValue"},
            ["exactly one of PredefinedMetricSpecification and CustomizedMetricSpecification is required"],
        ),
    ],
)
def test_what_is_lacking(type_: str, path: str, present: set[str], messages: list[str]) -> None:
    """Required members, one of several, and those that another one needs."""
    assert list(at(type_, path).lacking(present)) == messages
