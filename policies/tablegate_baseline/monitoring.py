"""Monitoring: does anybody see that the table throttles, and which key is hot?"""

from __future__ import annotations

from typing import Annotated, Literal

from tablegate.policy import LOW, MEDIUM, Table, Verdict, fails, holds, not_applicable, policy
from tablegate_baseline.helpers import every_part, not_seen, part_label, scaled_parts, unknown_collection

_ERRORS_AND_CONSUMPTION = (
    "ConsumedReadCapacityUnits",
    "ConsumedWriteCapacityUnits",
    "SystemErrors",
    "ThrottledRequests",
)


Requirement = Annotated[Literal["always", "when-managed"], "when alarms are required: always, or if the input has any"]


@policy(
    "TG107",
    MEDIUM,
    "An alarm must watch the table's throttling, errors or consumption",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Monitoring-metrics-with-Amazon-CloudWatch.html",
    terraform="""
resource "aws_cloudwatch_metric_alarm" "orders_throttled" {
  alarm_name          = "orders-throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ReadThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.orders.name }
  statistic           = "Sum"
  period              = 60
  evaluation_periods  = 5
  comparison_operator = "GreaterThanThreshold"
  threshold           = 0
}
""",
    cloudformation="""
Throttled:
  Type: AWS::CloudWatch::Alarm
  Properties:
    Namespace: AWS/DynamoDB
    MetricName: ReadThrottleEvents
    Dimensions:
      - Name: TableName
        Value: !Ref Table
    Statistic: Sum
    Period: 60
    EvaluationPeriods: 5
    ComparisonOperator: GreaterThanThreshold
    Threshold: 0
""",
)
def capacity_alarms(table: Table, *, require: Requirement = "when-managed") -> Verdict:
    """Throttling shows up as slow requests and retries long before anybody suspects the table.

    An input without alarms is not checked, unless ``require`` is ``always``.
    """
    if any(alarm.index is None and _watches(alarm.metric) for alarm in table.alarms):
        return holds()
    if require == "when-managed" and not table.estate.manages_alarms:
        return not_applicable("this input has no alarms")
    missing = fails("no alarm watches the table's throttling, system errors or consumed capacity")
    return missing | not_seen("alarms", table.alarms_doubt)


@policy(
    "TG108",
    LOW,
    "Contributor Insights must be on for the table and its indexes",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/contributorinsights.html",
    terraform="""
resource "aws_dynamodb_contributor_insights" "orders" {
  table_name = aws_dynamodb_table.orders.name
}
""",
    cloudformation="""
ContributorInsightsSpecification:
  Enabled: true
""",
    global_table="""
Replicas:
  - Region: us-east-1
    ContributorInsightsSpecification:
      Enabled: true
""",
    on="strict",
)
def contributor_insights(table: Table) -> Verdict:
    """A table throttles on one hot key while its average looks idle. Only Contributor Insights names the key."""
    parts = [
        (part_label(part), part.insights.is_true) for part in scaled_parts(table) if part.insights.content is not True
    ]
    return every_part("Contributor Insights is off for", (*parts, *unknown_collection(table.indexes)))


def _watches(metric: str) -> bool:
    return metric in _ERRORS_AND_CONSUMPTION or metric.endswith("ThrottleEvents")
