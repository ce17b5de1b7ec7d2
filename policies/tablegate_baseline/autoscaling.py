"""Does capacity follow traffic, safely."""

from __future__ import annotations

import operator
from collections.abc import Iterator

from tablegate.policy import (
    HIGH,
    MEDIUM,
    Index,
    ScalingTarget,
    Table,
    Value,
    Verdict,
    all_of,
    any_of,
    not_applicable,
    policy,
    when,
)
from tablegate_baseline.capacity import provisioned
from tablegate_baseline.helpers import (
    compared,
    every_part,
    global_indexes,
    in_doubt,
    index_label,
    not_seen,
    otherwise,
    undecided,
)

_NOT_PROVISIONED = "the table is not provisioned"
_SCALED_WRITES = """
WriteProvisionedThroughputSettings:
  WriteCapacityAutoScalingSettings:
    MinCapacity: 5
    MaxCapacity: 100
    TargetTrackingScalingPolicyConfiguration:
      TargetValue: 70
"""

Dimension = tuple[str, str, Value[str] | None, tuple[ScalingTarget, ...]]


@policy(
    "TG102",
    HIGH,
    "Provisioned capacity must scale in every dimension",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/AutoScaling.html",
    terraform="""
resource "aws_appautoscaling_target" "orders" {
  for_each           = toset(["Read", "Write"])
  service_namespace  = "dynamodb"
  resource_id        = "table/${aws_dynamodb_table.orders.name}"
  scalable_dimension = "dynamodb:table:${each.key}CapacityUnits"
  min_capacity       = 5
  max_capacity       = 100
}

resource "aws_appautoscaling_policy" "orders" {
  for_each           = aws_appautoscaling_target.orders
  name               = "orders-${each.key}"
  policy_type        = "TargetTrackingScaling"
  service_namespace  = each.value.service_namespace
  resource_id        = each.value.resource_id
  scalable_dimension = each.value.scalable_dimension

  target_tracking_scaling_policy_configuration {
    target_value = 70

    predefined_metric_specification {
      predefined_metric_type = "DynamoDB${each.key}CapacityUtilization"
    }
  }
}
""",
    cloudformation="""
Reads:
  Type: AWS::ApplicationAutoScaling::ScalableTarget
  Properties:
    ServiceNamespace: dynamodb
    ResourceId: !Sub table/${Table}
    ScalableDimension: dynamodb:table:ReadCapacityUnits
    MinCapacity: 5
    MaxCapacity: 100

ReadScaling:
  Type: AWS::ApplicationAutoScaling::ScalingPolicy
  Properties:
    PolicyName: reads
    PolicyType: TargetTrackingScaling
    ScalingTargetId: !Ref Reads
    TargetTrackingScalingPolicyConfiguration:
      TargetValue: 70
      PredefinedMetricSpecification:
        PredefinedMetricType: DynamoDBReadCapacityUtilization

Writes:
  Type: AWS::ApplicationAutoScaling::ScalableTarget
  Properties:
    ServiceNamespace: dynamodb
    ResourceId: !Sub table/${Table}
    ScalableDimension: dynamodb:table:WriteCapacityUnits
    MinCapacity: 5
    MaxCapacity: 100

WriteScaling:
  Type: AWS::ApplicationAutoScaling::ScalingPolicy
  Properties:
    PolicyName: writes
    PolicyType: TargetTrackingScaling
    ScalingTargetId: !Ref Writes
    TargetTrackingScalingPolicyConfiguration:
      TargetValue: 70
      PredefinedMetricSpecification:
        PredefinedMetricType: DynamoDBWriteCapacityUtilization
""",
    global_table=f"""
{_SCALED_WRITES}
Replicas:
  - Region: us-east-1
    ReadProvisionedThroughputSettings:
      ReadCapacityAutoScalingSettings:
        MinCapacity: 5
        MaxCapacity: 100
        TargetTrackingScalingPolicyConfiguration:
          TargetValue: 70
""",
)
def autoscaled_capacity(table: Table) -> Verdict:
    """A dimension that does not scale throttles at its fixed number, and a throttled index throttles its table.

    A scalable target alone changes nothing: it is the target-tracking policy that moves the capacity.
    """
    return when(provisioned(table), lambda: _scaled(table), _NOT_PROVISIONED)


def _scaled(table: Table) -> Verdict:
    found = _dimensions(table)
    covered = [(label, targets) for label, _, _, targets in found if targets]
    return all_of(
        (
            every_part(
                "no scaling target for",
                [(label, _missing(table, dimension, of)) for label, dimension, of, targets in found if not targets],
                table.billing_mode.at(table.place),
            ),
            every_part(
                "no target-tracking policy for",
                [(label, any_of([target.tracking.is_true for target in targets])) for label, targets in covered],
            ),
            every_part(
                "scaling is suspended for",
                [(label, any_of([~target.suspended.is_true for target in targets])) for label, targets in covered],
            ),
            *(doubt for _, doubt in in_doubt(table.indexes)),
            *(() if table.replicas.known else (undecided(table.replicas),)),
        )
    )


def _dimensions(table: Table) -> list[Dimension]:
    """Each dimension: its label, the name of the index or replica that it is of, and the targets that cover it."""
    found: list[Dimension] = []
    indexes = [(index_label(index), index.name) for index in global_indexes(table)]
    for dimension in ("read", "write"):
        found.append((f"{dimension}s of the table", dimension, None, _targets(table, dimension)))
        for label, name in indexes:
            found.append((f"{dimension}s of {label}", dimension, name, _targets(table, dimension, index=name)))
    for replica in table.replicas.content or ():
        label, region = f"reads of the replica in {replica.region.shown}", replica.region
        found.append((label, "read", region, _targets(table, "read", region=region)))
    return found


def _targets(
    table: Table, dimension: str, *, index: Value[str] | None = None, region: Value[str] | None = None
) -> tuple[ScalingTarget, ...]:
    """The targets on a dimension of the table, of one index, or of one replica."""
    if not table.scaling or not (index is None or index.known) or not (region is None or region.known):
        return ()
    of_index = None if index is None else index.content
    of_region = None if region is None else region.content
    return tuple(
        [
            target
            for target in table.scaling
            if target.dimension == dimension and target.index == of_index and target.region == of_region
        ]
    )


def _missing(table: Table, dimension: str, of: Value[str] | None = None) -> Verdict:
    """Nothing covers the dimension; or something may, where a name is not known."""
    if of is not None and not of.known and any(target.dimension == dimension for target in table.scaling):
        return undecided(of)
    return not_seen("scaling targets", table.scaling_doubt)


@policy(
    "TG106",
    MEDIUM,
    "An index must take as many writes as its table",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.ThroughputConsiderations",
    terraform="write_capacity = 10",
    cloudformation="""
ProvisionedThroughput:
  ReadCapacityUnits: 10
  WriteCapacityUnits: 10
""",
    global_table=_SCALED_WRITES,
)
def index_write_capacity(index: Index) -> Verdict:
    """Every write to the table is written to its indexes too. When one of them cannot keep up, the service
    throttles the table, however much capacity the table itself has left."""
    if index.local:
        return not_applicable("a local index shares its table's capacity")
    return when(provisioned(index.table), lambda: _keeps_up(index), _NOT_PROVISIONED)


def _keeps_up(index: Index) -> Verdict:
    table = index.table
    own, its_tables = _targets(table, "write", index=index.name), _targets(table, "write")
    unseen = [] if own else [_missing(table, "write", index.name)]
    unseen += [] if its_tables else [_missing(table, "write")]
    doubts = [missing for missing in unseen if missing.truth is None]
    if doubts:
        return all_of(doubts)
    least = own[0].maximum if own else index.capacity.write
    most = its_tables[0].maximum if its_tables else table.capacity.write
    verdict = compared(least, operator.ge, most)
    if verdict.truth is True:
        return verdict
    return otherwise(
        verdict, f"{index_label(index)} takes at most {least.shown} write units, and its table {most.shown}"
    )


_LOWEST_UTILISATION, _HIGHEST_UTILISATION = 20, 90  # what a target-tracking policy for DynamoDB accepts


@policy(
    "TG103",
    MEDIUM,
    "Autoscaling must have room, a ceiling and a sane target",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/AutoScaling.Console.html",
    terraform="""
min_capacity = 5
max_capacity = 100
""",
    cloudformation="""
MinCapacity: 5
MaxCapacity: 100
""",
)
def autoscaling_safeguards(table: Table, *, max_units: int = 40000) -> Verdict:
    """Scaling without room is a fixed capacity under another name; without a ceiling it is an open bill.

    A target outside 20 to 90 percent wastes what is paid for, or leaves no time to react; capacity that never
    scales in keeps the price of the highest peak.
    """
    if not table.scaling and table.scaling_doubt is None:
        return not_applicable("nothing scales the table")
    return when(provisioned(table), lambda: _guarded(table, max_units), "the table is not provisioned")


def _guarded(table: Table, max_units: int) -> Verdict:
    unseen = () if table.scaling_doubt is None else (not_seen("scaling targets", table.scaling_doubt),)
    return all_of((*(safe for target in table.scaling for safe in _safeguards(target, max_units)), *unseen))


def _safeguards(target: ScalingTarget, max_units: int) -> Iterator[Verdict]:
    """What is wrong with a target, or may be."""
    lowest, highest, utilisation = target.minimum, target.maximum, target.utilisation
    room = compared(lowest, operator.lt, highest)
    if room.truth is not True:
        note = f"the minimum of {lowest.shown} units is not below the maximum of {highest.shown}"
        yield _about(target, room, note)
    bounded = highest.satisfies(lambda units: units is None or units <= max_units)
    if bounded.truth is not True:
        yield _about(target, bounded, f"the maximum of {highest.shown} units is above {max_units}")
    sane = utilisation.satisfies(lambda percent: percent is None or _sane(percent))
    if sane.truth is not True:
        limits = f"{_LOWEST_UTILISATION} to {_HIGHEST_UTILISATION} %"
        yield _about(target, sane, f"the target utilisation of {utilisation.shown} % is outside {limits}")
    scales_in = ~target.scale_in_disabled.is_true
    if scales_in.truth is not True:
        yield _about(target, scales_in, "scale-in is disabled")
    for schedule in target.schedules:
        least, most = schedule.minimum, schedule.maximum
        within = compared(lowest, operator.le, least) & compared(most, operator.le, highest)
        bounds = f"{least.shown} to {most.shown} units, outside {lowest.shown} to {highest.shown}"
        yield _about(target, within, f"schedule {schedule.name} sets {bounds}")


def _about(target: ScalingTarget, verdict: Verdict, note: str) -> Verdict:
    return otherwise(verdict, f"{_label(target)}: {note}")


def _sane(percent: float) -> bool:
    return _LOWEST_UTILISATION <= percent <= _HIGHEST_UTILISATION


def _label(target: ScalingTarget) -> str:
    if target.index is not None:
        part = f"index {target.index}"
    else:
        part = "the table" if target.region is None else f"the replica in {target.region}"
    return f"{target.dimension}s of {part}"
