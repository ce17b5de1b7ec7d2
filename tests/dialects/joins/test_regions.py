"""A resource is about the table in its own region, however it names the table: by name or by reference."""

from __future__ import annotations

from typing import Any

import pytest

from support.both import LATER, NAME, UNKNOWN, Refers, terraform, told
from tablegate.model.table import Table

REFERENCE = Refers("aws_dynamodb_table.t.name")
ARN = Refers("aws_dynamodb_table.t.arn")
STREAM = Refers("aws_dynamodb_table.t.stream_arn")
TABLE = {"replica": [{"region_name": "us-east-1"}], "stream_enabled": True, "stream_arn": LATER}
HOME, AWAY = {"region": "eu-west-1"}, {"region": "us-east-1"}
BY_PROVIDER = {"provider": "aws.us"}
NOWHERE = {"provider": "aws.later"}  # a provider whose region a plan does not show
READ = "dynamodb:table:ReadCapacityUnits"


def joined(type_: str, arguments: dict[str, Any], **more: dict[str, Any]) -> Table:
    """The table of a plan in eu-west-1, with a replica in us-east-1, and a resource beside it."""
    regions = {"aws.us": "us-east-1", "aws.later": ""}
    return terraform({f"{type_}.x": arguments, **more}, TABLE, regions=regions)


def insights(place: dict[str, Any], table: Any) -> tuple[object, object]:
    """Whether Contributor Insights are on for the table and for its replica."""
    found = joined("aws_dynamodb_contributor_insights", {"table_name": table, **place})
    (replica,) = found.replicas.content or ()
    return told(found.insights), told(replica.insights)


@pytest.mark.parametrize("table", [NAME, REFERENCE])
@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ({}, (True, False)),
        (HOME, (True, False)),
        (AWAY, (False, True)),
        (BY_PROVIDER, (False, True)),
        ({"region": "ap-south-1"}, (False, False)),
    ],
)
def test_region(place: dict[str, Any], table: Any, expected: tuple[object, object]) -> None:
    """In another region, it is the replica there, or nothing."""
    assert insights(place, table) == expected


def test_unknown_region() -> None:
    """From a provider whose region is not known it may be another table's, or the replica's."""
    assert insights(NOWHERE, NAME) == (UNKNOWN, UNKNOWN)
    assert insights(NOWHERE, REFERENCE) == (UNKNOWN, UNKNOWN)


@pytest.mark.parametrize("table", [NAME, REFERENCE])
def test_alarm(table: Any) -> None:
    """An alarm in another region watches the replica."""
    dimensions = {"TableName": table} if table is NAME else table
    alarm = {"namespace": "AWS/DynamoDB", "metric_name": "SystemErrors", "dimensions": dimensions}
    alarms = [joined("aws_cloudwatch_metric_alarm", {**alarm, **place}).alarms for place in (HOME, AWAY)]
    assert [len(it) for it in alarms] == [1, 0]


def test_stream() -> None:
    """The ARN of a stream has the table's region, whatever region its consumer has."""
    mapping = {"event_source_arn": STREAM, **AWAY}
    assert len(joined("aws_lambda_event_source_mapping", mapping).stream.consumers) == 1


def target(resource_id: Any, place: dict[str, Any]) -> dict[str, Any]:
    """A scaling target."""
    given = {"service_namespace": "dynamodb", "resource_id": resource_id, "scalable_dimension": READ}
    return {**given, "min_capacity": 5, "max_capacity": 50, **place}


def policy(resource_id: Any, place: dict[str, Any]) -> dict[str, Any]:
    """A target-tracking policy."""
    given = {"service_namespace": "dynamodb", "resource_id": resource_id, "scalable_dimension": READ}
    tracking = {"target_tracking_scaling_policy_configuration": [{"target_value": 70}]}
    return {**given, "policy_type": "TargetTrackingScaling", **tracking, **place}


@pytest.mark.parametrize("resource_id", ["table/orders", REFERENCE])
def test_target(resource_id: Any) -> None:
    """A target in another region scales the replica there."""
    places = (HOME, AWAY, BY_PROVIDER)
    tables = [joined("aws_appautoscaling_target", target(resource_id, place)) for place in places]
    assert [[it.region for it in table.scaling] for table in tables] == [[None], ["us-east-1"], ["us-east-1"]]


@pytest.mark.parametrize("resource_id", ["table/orders", REFERENCE])
@pytest.mark.parametrize(
    ("place", "expected"), [(HOME, (True, False)), (AWAY, (False, True)), (BY_PROVIDER, (False, True))]
)
def test_policy(resource_id: Any, place: dict[str, Any], expected: tuple[bool, bool]) -> None:
    """A policy moves the target in its own region."""
    others = {
        "aws_appautoscaling_target.away": target(resource_id, AWAY),
        "aws_appautoscaling_policy.p": policy(resource_id, place),
    }
    table = joined("aws_appautoscaling_target", target(resource_id, HOME), **others)
    by_region = {it.region: told(it.tracking) for it in table.scaling}
    assert (by_region[None], by_region["us-east-1"]) == expected


def test_policy_in_an_unknown_region() -> None:
    """A policy from a provider whose region is not known may move a target of the same id."""
    others = {"aws_appautoscaling_policy.p": policy("table/orders", NOWHERE)}
    (one,) = joined("aws_appautoscaling_target", target("table/orders", HOME), **others).scaling
    assert told(one.tracking) == UNKNOWN


@pytest.mark.parametrize(
    ("place", "expected"), [({}, True), (HOME, True), (AWAY, False), (BY_PROVIDER, False), (NOWHERE, UNKNOWN)]
)
def test_backup(place: dict[str, Any], expected: object) -> None:
    """A selection covers what is in its own region."""
    selection = {"resources": ["*"], **place}
    assert told(joined("aws_backup_selection", selection).backed_up) == expected


def test_tag() -> None:
    """A tag that a replica's provider puts on the ARN of the table is the replica's."""
    table = joined("aws_dynamodb_tag", {"resource_arn": ARN, "key": "team", "value": "shop", **AWAY})
    (replica,) = table.replicas.content or ()
    assert (told(table.tags), told(replica.tags)) == ({}, {"team": "shop"})
