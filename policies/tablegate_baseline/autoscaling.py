"""Autoscaling: does provisioned capacity follow the traffic, within safe limits?"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Annotated, NamedTuple

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
from tablegate_baseline.helpers import (
    compare,
    every_part,
    global_indexes,
    index_label,
    not_known,
    not_seen,
    otherwise,
    provisioned,
    unknown_collection,
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

_LOWEST_UTILISATION, _HIGHEST_UTILISATION = 20, 90  # what a target-tracking policy for DynamoDB accepts


class _Dimension(NamedTuple):
    """Reads or writes of a table, an index or a replica, and the targets that scale them."""

    label: str
    units: str
    of: Value[str] | None  # the name of the index, or the region of the replica
    targets: tuple[ScalingTarget, ...]


@policy(
    "TG102",
    HIGH,
    "Autoscaling must cover all provisioned capacity",
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
    state_locks=False,
    cause="billing mode",
)
def autoscaled_capacity(table: Table) -> Verdict:
    """Capacity that does not scale throttles at its fixed number, and a throttled index throttles its table.

    A scalable target alone changes nothing: the target-tracking policy moves the capacity.
    """
    return when(provisioned(table), lambda: all_scaled(table), _NOT_PROVISIONED)


@policy(
    "TG103",
    MEDIUM,
    "Autoscaling must have room to scale, an upper limit and a sensible target",
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
def autoscaling_safeguards(
    table: Table, *, max_units: Annotated[int, "highest maximum of a scaling target"] = 40000
) -> Verdict:
    """Scaling without room is a fixed capacity under another name; without an upper limit it is an open bill.

    A target outside 20 to 90 percent wastes capacity, or leaves no time to react. Capacity that never scales in
    keeps the price of the highest peak.
    """
    if not table.scaling and table.scaling_doubt is None:
        return not_applicable("the table has no autoscaling")
    return when(provisioned(table), lambda: _all_safe(table, max_units), _NOT_PROVISIONED)


@policy(
    "TG106",
    MEDIUM,
    "An index must have as much write capacity as its table",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.ThroughputConsiderations",
    terraform="write_capacity = 10",
    cloudformation="""
ProvisionedThroughput:
  ReadCapacityUnits: 10
  WriteCapacityUnits: 10
""",
    global_table=_SCALED_WRITES,
    cause="capacity of an index",
)
def index_write_capacity(index: Index) -> Verdict:
    """Every write to the table is written to its indexes too. When one of them cannot keep up, the service
    throttles the table, however much capacity the table itself has left."""
    if index.local:
        return not_applicable("a local index shares its table's capacity")
    return when(provisioned(index.table), lambda: _writes_keep_up(index), _NOT_PROVISIONED)


def all_scaled(table: Table) -> Verdict:
    """Every dimension of a provisioned table has a target-tracking policy, and none is suspended."""
    dimensions = _dimensions(table)
    scaled = [(one.label, one.targets) for one in dimensions if one.targets]
    unscaled = every_part(
        "no autoscaling for",
        [(one.label, _not_scaled(table, one.units, one.of)) for one in dimensions if not one.targets],
        table.billing_mode.at(table.place),
    )
    others = _other_regions(table)
    if unscaled.truth is False and others:
        unscaled = unscaled.because(f"{unscaled.note} (targets of that name are in {', '.join(others)})")
    return all_of(
        (
            unscaled,
            every_part(
                "no target-tracking policy for",
                [(label, any_of([target.tracking.is_true for target in targets])) for label, targets in scaled],
            ),
            every_part(
                "scaling is suspended for",
                [(label, any_of([~target.suspended.is_true for target in targets])) for label, targets in scaled],
            ),
            *(doubt for _, doubt in unknown_collection(table.indexes)),
            *(() if table.replicas.known else (not_known(table.replicas),)),
        )
    )


def _other_regions(table: Table) -> list[str]:
    """Regions with scaling targets of the table's name, in which neither the table nor a replica is."""
    own = {table.region.content, *(replica.region.content for replica in table.replicas.content or ())}
    named = {target.region for target in table.scaling if target.region is not None}
    return sorted(named - own)


def _dimensions(table: Table) -> list[_Dimension]:
    """Everything that scales by itself: reads and writes of the table and each index, reads of each replica."""
    dimensions: list[_Dimension] = []
    indexes = [(index_label(index), index.name) for index in global_indexes(table)]
    for units in ("read", "write"):
        dimensions.append(_Dimension(f"{units}s of the table", units, None, _targets(table, units)))
        for label, name in indexes:
            dimensions.append(_Dimension(f"{units}s of {label}", units, name, _targets(table, units, index=name)))
    for replica in table.replicas.content or ():
        label, region = f"reads of the replica in {replica.region.shown}", replica.region
        dimensions.append(_Dimension(label, "read", region, _targets(table, "read", region=region)))
    return dimensions


def _targets(
    table: Table, units: str, *, index: Value[str] | None = None, region: Value[str] | None = None
) -> tuple[ScalingTarget, ...]:
    """The scaling targets for reads or writes of the table, of one index, or of one replica."""
    if not table.scaling or not (index is None or index.known) or not (region is None or region.known):
        return ()
    index_name = None if index is None else index.content
    region_name = None if region is None else region.content
    return tuple(
        [
            target
            for target in table.scaling
            if target.dimension == units and target.index == index_name and target.region == region_name
        ]
    )


def _not_scaled(table: Table, units: str, of: Value[str] | None = None) -> Verdict:
    """Fails: no scaling target. Unknown where the index's or replica's name is not known, and a target may be its."""
    if of is not None and not of.known and any(target.dimension == units for target in table.scaling):
        return not_known(of)
    return not_seen("scaling targets", table.scaling_doubt)


def _writes_keep_up(index: Index) -> Verdict:
    table = index.table
    index_targets, table_targets = _targets(table, "write", index=index.name), _targets(table, "write")
    missing = [] if index_targets else [_not_scaled(table, "write", index.name)]
    missing += [] if table_targets else [_not_scaled(table, "write")]
    doubts = [verdict for verdict in missing if verdict.truth is None]
    if doubts:
        return all_of(doubts)
    index_units = index_targets[0].maximum if index_targets else index.capacity.write
    table_units = table_targets[0].maximum if table_targets else table.capacity.write
    verdict = compare(index_units, operator.ge, table_units)
    if verdict.truth is True:
        return verdict
    return otherwise(
        verdict,
        f"{index_label(index)} has {index_units.shown} write units, but its table has {table_units.shown}",
    )


def _all_safe(table: Table, max_units: int) -> Verdict:
    unseen = () if table.scaling_doubt is None else (not_seen("scaling targets", table.scaling_doubt),)
    return all_of((*(verdict for target in table.scaling for verdict in _limits(target, max_units)), *unseen))


def _limits(target: ScalingTarget, max_units: int) -> Iterator[Verdict]:
    """A verdict for each limit of a target that is wrong, or may be."""
    lowest, highest, utilisation = target.minimum, target.maximum, target.utilisation
    has_room = compare(lowest, operator.lt, highest)
    if has_room.truth is not True:
        note = f"the minimum of {lowest.shown} units is not below the maximum of {highest.shown}"
        yield _with_target(target, has_room, note)
    bounded = highest.satisfies(lambda units: units is None or units <= max_units)
    if bounded.truth is not True:
        yield _with_target(target, bounded, f"the maximum of {highest.shown} units is above the limit of {max_units}")
    in_range = utilisation.satisfies(lambda percent: percent is None or _is_accepted(percent))
    if in_range.truth is not True:
        limits = f"{_LOWEST_UTILISATION} to {_HIGHEST_UTILISATION} %"
        yield _with_target(target, in_range, f"the target utilisation of {utilisation.shown} % is outside {limits}")
    scales_in = ~target.scale_in_disabled.is_true
    if scales_in.truth is not True:
        yield _with_target(target, scales_in, "scale-in is disabled")
    for schedule in target.schedules:
        least, most = schedule.minimum, schedule.maximum
        within = compare(lowest, operator.le, least) & compare(most, operator.le, highest)
        bounds = f"{least.shown} to {most.shown} units, outside {lowest.shown} to {highest.shown}"
        yield _with_target(target, within, f"schedule {schedule.name} sets {bounds}")


def _with_target(target: ScalingTarget, verdict: Verdict, note: str) -> Verdict:
    return otherwise(verdict, f"{_label(target)}: {note}")


def _is_accepted(percent: float) -> bool:
    return _LOWEST_UTILISATION <= percent <= _HIGHEST_UTILISATION


def _label(target: ScalingTarget) -> str:
    if target.index is not None:
        part = f"index {target.index}"
    else:
        part = "the table" if target.region is None else f"the replica in {target.region}"
    return f"{target.dimension}s of {part}"
