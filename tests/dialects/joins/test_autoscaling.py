"""Scaling targets find their tables, and policies their targets, by name or by reference."""

from __future__ import annotations

from typing import Any

from support.both import LATER, UNKNOWN, Case, Refers, cloudformation, each, terraform, told
from tablegate.model.table import ScalingTarget, Table

Both = tuple[dict[str, Any], str]
"""Members of a resource in Terraform and in CloudFormation."""

READ, WRITE = "dynamodb:table:ReadCapacityUnits", "dynamodb:table:WriteCapacityUnits"
ECS = "ecs:service:DesiredCount"
BY_A = "!Sub 'table/${Orders}/index/by-a'"
NAME = Refers("aws_dynamodb_table.t.name")
REFERENCE = Refers("aws_appautoscaling_target.x.resource_id")


IN_TEXT = "ServiceNamespace: dynamodb, MinCapacity: 5, MaxCapacity: 50"


def target(resource_id: Any, text: str, dimension: Any = READ, dimension_text: str = READ) -> Both:
    """What names the table and its capacity."""
    return (
        {"resource_id": resource_id, "scalable_dimension": dimension},
        f"{{{IN_TEXT}, ResourceId: {text}, ScalableDimension: {dimension_text}}}",
    )


def of_index(resource_id: Any, text: str, capacity: str = "Read") -> Both:
    """What names an index."""
    dimension = f"dynamodb:index:{capacity}CapacityUnits"
    return target(resource_id, text, dimension, dimension)


DOUBT = "(doubt)"
TARGETS = [
    Case("by name", *target("table/orders", "table/orders"), ("read", None)),
    Case("another name", *target("table/carts", "table/carts"), None),
    Case("by reference", *target(NAME, "!Sub 'table/${Orders}'"), ("read", None)),
    Case("by reference, joined", None, target(None, "!Join [/, [table, !Ref Orders]]")[1], ("read", None)),
    Case("writes", *target("table/orders", "table/orders", WRITE, WRITE), ("write", None)),
    Case("an index", *of_index("table/orders/index/by-a", "table/orders/index/by-a"), ("read", "by-a")),
    Case("an index by reference", None, of_index(None, BY_A, "Write")[1], ("write", "by-a")),
    Case("any table", *target(LATER, "!Sub 'table/${P}'"), DOUBT),
    Case("any id", *target(LATER, "!Ref P"), DOUBT),
    Case("any other name", None, target(None, "!Sub 'table/${P}-carts'")[1], None),
    Case("another service", *target("service/x", "service/x", ECS, ECS), None),
    Case("any dimension", *target("table/orders", "table/orders", LATER, "!Ref P"), DOUBT),
    Case("any dimension of another table", *target("table/carts", "table/carts", LATER, "!Ref P"), None),
]


def scaled(table: Table) -> object:
    """What the only target of a table scales."""
    if table.scaling_doubt is not None:
        return DOUBT
    targets = [(it.dimension, it.index) for it in table.scaling]
    return targets[0] if len(targets) == 1 else None


@each(TARGETS, "terraform")
def test_target_of_terraform(given: dict[str, Any], expected: object) -> None:
    """A target of a plan is for a table or an index."""
    members = {"service_namespace": "dynamodb", "min_capacity": 5, "max_capacity": 50, **given}
    if "ecs" in str(given["scalable_dimension"]):
        members["service_namespace"] = "ecs"
    assert scaled(terraform({"aws_appautoscaling_target.x": members})) == expected


@each(TARGETS, "cloudformation")
def test_target_of_cloudformation(given: str, expected: object) -> None:
    """A target of a template is for a table or an index."""
    (table,) = cloudformation(f"X: {{Type: 'AWS::ApplicationAutoScaling::ScalableTarget', Properties: {given}}}")
    assert scaled(table) == expected


ID = "ServiceNamespace: dynamodb, ResourceId: table/orders, ScalableDimension: %s"
TARGET = {"service_namespace": "dynamodb", "resource_id": "table/orders", "scalable_dimension": READ}
TARGET_TEXT = (
    "X: {Type: 'AWS::ApplicationAutoScaling::ScalableTarget', Properties: {%s, MinCapacity: 5, MaxCapacity: 50%s}}"
)
CONFIGURATION = {"target_tracking_scaling_policy_configuration": [{"target_value": 70, "disable_scale_in": True}]}
METRIC = "PredefinedMetricSpecification: {PredefinedMetricType: DynamoDBReadCapacityUtilization}"
CONFIGURATION_TEXT = f"TargetTrackingScalingPolicyConfiguration: {{TargetValue: 70, DisableScaleIn: 'true', {METRIC}}}"
STEPS = {"step_scaling_policy_configuration": [{}], "target_tracking_scaling_policy_configuration": []}


def policy(kind: Any, text: str | None, tracks: bool = True, **more: Any) -> Both:
    """A scaling policy of the target, by its id and dimension."""
    configuration = CONFIGURATION_TEXT if tracks else "StepScalingPolicyConfiguration: {}"
    return (
        {**TARGET, "policy_type": kind, **(CONFIGURATION if tracks else STEPS), **more},
        f"{{{ID % READ}, PolicyName: p, PolicyType: {text}, {configuration}}}",
    )


def by_reference(text: str) -> str:
    """A policy of CloudFormation that names its target."""
    return f"{{ScalingTargetId: {text}, PolicyName: p, PolicyType: TargetTrackingScaling, {CONFIGURATION_TEXT}}}"


TRACKED = (True, 70, True)
POLICIES = [
    Case("tracks", *policy("TargetTrackingScaling", "TargetTrackingScaling"), TRACKED),
    Case("tracks by default", policy(None, None)[0], None, TRACKED),
    Case("steps", *policy("StepScaling", "StepScaling", tracks=False), (False, None, False)),
    Case("steps by default", policy(None, None, tracks=False)[0], None, (False, None, False)),
    Case("predicts", *policy("PredictiveScaling", "PredictiveScaling"), (False, None, False)),
    Case("any type", *policy(LATER, "!Ref P"), (UNKNOWN, None, False)),
    Case("any type of steps", *policy(LATER, "!Ref P", tracks=False), (UNKNOWN, None, False)),
    Case("by reference", policy(None, "", resource_id=REFERENCE)[0], by_reference("!Ref X"), TRACKED),
    Case("any target", policy(None, "", resource_id=LATER)[0], by_reference("!Ref P"), (UNKNOWN, None, False)),
    Case("of another", policy(None, "", resource_id="table/carts")[0], by_reference("!Ref Y"), (False, None, False)),
]


def suspended(scaling_in: Any, scaling_out: Any) -> Both:
    """A state in which scaling is suspended."""
    texts = ["!Ref P" if it is LATER else str(it).lower() for it in (scaling_in, scaling_out)]
    return (
        {
            "suspended_state": [
                {"dynamic_scaling_in_suspended": scaling_in, "dynamic_scaling_out_suspended": scaling_out}
            ]
        },
        f", SuspendedState: {{DynamicScalingInSuspended: {texts[0]}, DynamicScalingOutSuspended: {texts[1]}}}",
    )


SUSPENDED = [
    Case("nothing", {"suspended_state": []}, "", False),
    Case("an empty state", {"suspended_state": [{}]}, ", SuspendedState: {}", False),
    Case("scaling in", *suspended(True, False), True),
    Case("scaling out", *suspended(False, True), True),
    Case("neither", *suspended(False, False), False),
    Case(
        "schedules",
        {"suspended_state": [{"scheduled_scaling_suspended": True}]},
        ", SuspendedState: {ScheduledScalingSuspended: true}",
        False,
    ),
    Case("any state", {"suspended_state": LATER}, ", SuspendedState: !Ref P", UNKNOWN),
    Case("scaling in, perhaps", *suspended(LATER, False), UNKNOWN),
    Case("scaling out, and perhaps in", *suspended(LATER, True), True),
]


def one_target(table: Table) -> ScalingTarget:
    """The target that the cases are about."""
    return next(it for it in table.scaling if it.address in ("aws_appautoscaling_target.x", "X"))


def followed(target: ScalingTarget) -> tuple[object, ...]:
    """How a target follows the traffic."""
    return told(target.tracking), target.utilisation.content, target.scale_in_disabled.content


@each(POLICIES, "terraform")
def test_policy_of_terraform(given: dict[str, Any], expected: object) -> None:
    """A policy of a plan moves a target."""
    table = terraform({"aws_appautoscaling_target.x": TARGET, "aws_appautoscaling_policy.p": given})
    assert followed(one_target(table)) == expected


@each(POLICIES, "cloudformation")
def test_policy_of_cloudformation(given: str, expected: object) -> None:
    """A policy of a template moves a target."""
    other = (TARGET_TEXT % (ID % WRITE, "")).replace("X:", "Y:", 1)
    policy_text = f"Policy: {{Type: 'AWS::ApplicationAutoScaling::ScalingPolicy', Properties: {given}}}"
    (table,) = cloudformation("\n".join((TARGET_TEXT % (ID % READ, ""), other, policy_text)))
    assert followed(one_target(table)) == expected


@each(SUSPENDED, "terraform")
def test_suspended_target_of_terraform(given: dict[str, Any], expected: object) -> None:
    """A target of a plan that is suspended in either direction does not follow the traffic."""
    assert told(one_target(terraform({"aws_appautoscaling_target.x": {**TARGET, **given}})).suspended) == expected


@each(SUSPENDED, "cloudformation")
def test_suspended_target_of_cloudformation(given: str, expected: object) -> None:
    """A target of a template that is suspended in either direction does not follow the traffic."""
    (table,) = cloudformation(TARGET_TEXT % (ID % READ, given))
    assert told(one_target(table).suspended) == expected


def test_schedules() -> None:
    """A schedule sets bounds; Terraform's provider keeps them as texts."""
    action = {**TARGET, "name": "night", "scalable_target_action": [{"min_capacity": "1", "max_capacity": 2}]}
    planned = terraform({"aws_appautoscaling_target.x": TARGET, "aws_appautoscaling_scheduled_action.s": action})
    actions = (
        "{ScheduledActionName: night, Schedule: cron(0), ScalableTargetAction: {MinCapacity: '1', MaxCapacity: 2}}"
    )
    (table,) = cloudformation(TARGET_TEXT % (ID % READ, f", ScheduledActions: [{actions}]"))
    for target_ in (one_target(planned), one_target(table)):
        (found,) = target_.schedules
        assert (found.name, told(found.minimum), told(found.maximum)) == ("night", 1, 2)


def test_best_policy() -> None:
    """A policy that tracks decides, also if another one may track."""
    policies = {"aws_appautoscaling_policy.a": policy(LATER, "")[0], "aws_appautoscaling_policy.b": policy(None, "")[0]}
    table = terraform({"aws_appautoscaling_target.x": TARGET, **policies})
    assert followed(one_target(table)) == TRACKED
