"""Scaling targets find their tables, and policies their targets, by name or by reference."""

from __future__ import annotations

from typing import Any

from support.both import LATER, Case, Refers, cloudformation, each, terraform
from tablegate.model.table import Table

Both = tuple[dict[str, Any], str]
"""Members of a resource in Terraform and in CloudFormation."""

READ, WRITE = "dynamodb:table:ReadCapacityUnits", "dynamodb:table:WriteCapacityUnits"
ECS = "ecs:service:DesiredCount"
BY_A = "!Sub 'table/${Orders}/index/by-a'"
NAME = Refers("aws_dynamodb_table.t.name")


def target(resource_id: Any, text: str, dimension: Any = READ, dimension_text: str = READ) -> Both:
    """What names the table and its capacity."""
    return (
        {"resource_id": resource_id, "scalable_dimension": dimension},
        f"{{ResourceId: {text}, ScalableDimension: {dimension_text}}}",
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
