"""Scaling of Terraform that refers to what only the apply knows."""

from __future__ import annotations

from typing import Any

from support.plans import TABLE, change, configured, made, only, resource, tables, told, written
from tablegate.model.table import ScalingTarget, Table

READ = "dynamodb:table:ReadCapacityUnits"
LOCAL = "known only after apply: local.later, which is not in the plan"


def summary(table: Table) -> list[tuple[Any, ...]]:
    """What each target is for, and what tracks it."""
    return [(one.address, one.dimension, one.index, told(one.tracking)) for one in table.scaling]


def test_by_reference() -> None:
    """Names that only the apply knows: tables, indexes, policies and schedules are joined by what they refer to."""
    orders = tables(made("scaling-by-reference"))["aws_dynamodb_table.orders"]
    assert summary(orders) == [
        ("aws_appautoscaling_target.read", "read", None, True),
        ("aws_appautoscaling_target.write", "write", None, True),
        ('aws_appautoscaling_target.index["by-owner"]', "write", "by-owner", True),
        ('aws_appautoscaling_target.index["by-state"]', "write", "by-state", True),
    ]
    read, write, *_ = orders.scaling
    assert (told(read.utilisation), told(read.scale_in_disabled), told(read.suspended)) == (70, True, ...)
    assert (told(write.utilisation), told(write.scale_in_disabled), told(write.suspended)) == (60, ..., True)
    (night,) = write.schedules
    assert (night.name, told(night.minimum), told(night.maximum)) == ("night", 1, 10)


def test_by_each() -> None:
    """A target in a for_each is for the table with its own key."""
    found = tables(made("scaling-by-reference"))
    for key in ("a", "b"):
        assert summary(found[f'aws_dynamodb_table.each["{key}"]']) == [
            (f'aws_appautoscaling_target.each["{key}"]', "read", None, ...),
            (f'aws_appautoscaling_target.by_key["{key}"]', "write", None, ...),
        ]


def test_by_output() -> None:
    """A keyed output means the table of that very module instance."""
    found = tables(made("scaling-by-reference"))
    assert summary(found["module.counted[0].aws_dynamodb_table.this"]) == []
    assert summary(found["module.counted[1].aws_dynamodb_table.this"]) == [
        ("aws_appautoscaling_target.second", "read", None, ...)
    ]


def test_dead_end() -> None:
    """A local is not in a plan: a target that comes from one may be any table's."""
    for table in tables(made("scaling-by-reference")).values():
        assert table.scaling_doubt is not None
        assert table.scaling_doubt.reason == LOCAL


def target(after: dict[str, Any] | None = None, *, name: str = "t", **members: Any) -> dict[str, Any]:
    """A scaling target of the table."""
    given = {
        "service_namespace": "dynamodb",
        "resource_id": "table/orders-prod",
        "scalable_dimension": READ,
        "min_capacity": 5,
        "max_capacity": 100,
        "suspended_state": [],
        **(after or {}),
    }
    kept = {key: value for key, value in given.items() if value is not ...}
    return change(kept, type="aws_appautoscaling_target", name=name, **members)


def policy(after: dict[str, Any] | None = None, *, name: str = "p", **members: Any) -> dict[str, Any]:
    """A target-tracking policy of that target."""
    given = {
        "service_namespace": "dynamodb",
        "resource_id": "table/orders-prod",
        "scalable_dimension": READ,
        "policy_type": "TargetTrackingScaling",
        "target_tracking_scaling_policy_configuration": [{"target_value": 70}],
        **(after or {}),
    }
    kept = {key: value for key, value in given.items() if value is not ...}
    return change(kept, type="aws_appautoscaling_policy", name=name, **members)


def joined(*others: dict[str, Any], table: dict[str, Any] | None = None, **members: Any) -> Table:
    """A table with these beside it."""
    return only(written(change({**TABLE, **(table or {})}), *others, **members))


def one(*others: dict[str, Any], **members: Any) -> ScalingTarget:
    """The one target of such a table."""
    (found,) = joined(*others, **members).scaling
    return found


def test_of_the_only_index() -> None:
    """Where the id is not known, a target for an index can only be for the one there is."""
    expressions = {"resource_id": {"references": ["aws_dynamodb_table.t.name", "aws_dynamodb_table.t"]}}
    nameless = target(
        {"resource_id": ..., "scalable_dimension": "dynamodb:index:ReadCapacityUnits"}, unknown={"resource_id": True}
    )
    configuration = configured(resource(expressions, type="aws_appautoscaling_target"))
    index = {"name": "by-owner", "hash_key": "owner", "projection_type": "ALL"}
    found = joined(nameless, table={"global_secondary_index": [index]}, configuration=configuration)
    assert [(it.index, it.dimension) for it in found.scaling] == [("by-owner", "read")]
    two = [index, {**index, "name": "by-state"}]
    found = joined(nameless, table={"global_secondary_index": two}, configuration=configuration)
    assert found.scaling == ()
    assert found.scaling_doubt is not None
    assert "an index whose name is known only after apply" in found.scaling_doubt.reason


def test_suspended_in_doubt() -> None:
    """A dynamic block on a target that exists hides whether scaling is suspended."""
    unknown = target({"suspended_state": ...}, unknown={"suspended_state": True}, actions=["update"])
    assert str(told(one(unknown).suspended)).startswith("unknown: the contents of a dynamic block")
    half = target({"suspended_state": [{}]}, unknown={"suspended_state": [{"dynamic_scaling_out_suspended": True}]})
    configuration = configured(
        resource(
            {"suspended_state": [{"dynamic_scaling_out_suspended": {"references": ["local.x"]}}]},
            type="aws_appautoscaling_target",
        )
    )
    assert "local.x" in str(told(one(half, configuration=configuration).suspended))


def test_policy_of_nobody() -> None:
    """A policy that may be any target's makes tracking doubtful where no other policy settles it."""
    loose = policy({"resource_id": ...}, unknown={"resource_id": True}, name="loose")
    configuration = configured(
        resource({"resource_id": {"references": ["local.id"]}}, type="aws_appautoscaling_policy", name="loose")
    )
    assert "local.id" in str(told(one(target(), loose, configuration=configuration).tracking))
    assert told(one(target(), policy(), loose, configuration=configuration).tracking) is True


def test_schedule_without_bounds() -> None:
    """A schedule that does not say its bounds is not taken to have none."""
    schedule = change(
        {"service_namespace": "dynamodb", "resource_id": "table/orders-prod", "scalable_dimension": READ},
        type="aws_appautoscaling_scheduled_action",
        name="s",
    )
    (found,) = one(target(), schedule).schedules
    assert str(told(found.minimum)).startswith("unknown: ")


def test_target_that_goes() -> None:
    """A target that this change deletes scales nothing any more."""
    going = target(actions=["delete"])
    going["change"] |= {"before": going["change"]["after"], "after": None}
    assert joined(going).scaling == ()


def test_nobody_scales() -> None:
    """A policy without any target scales nothing."""
    assert joined(policy()).scaling == ()


def test_several_targets_by_reference() -> None:
    """A policy in a for_each that refers to all targets means the one with its own key."""
    names = {"a": "dynamodb:table:ReadCapacityUnits", "b": "dynamodb:table:WriteCapacityUnits"}
    reference = ["aws_appautoscaling_target.t"]
    targets = [
        {
            **target({"resource_id": ..., "scalable_dimension": it}, unknown={"resource_id": True}),
            "index": key,
            "address": f'aws_appautoscaling_target.t["{key}"]',
        }
        for key, it in names.items()
    ]
    policies = [
        {
            **policy({"resource_id": ..., "scalable_dimension": names[key]}, unknown={"resource_id": True}),
            "index": key,
            "address": f'aws_appautoscaling_policy.p["{key}"]',
        }
        for key in ("a",)
    ]
    configuration = configured(
        resource({"resource_id": {"references": ["aws_dynamodb_table.t.id"]}}, type="aws_appautoscaling_target"),
        resource({"resource_id": {"references": reference}}, type="aws_appautoscaling_policy", name="p"),
    )
    found = joined(*targets, *policies, configuration=configuration)
    assert [(it.dimension, told(it.tracking)) for it in found.scaling] == [("read", True), ("write", ...)]
