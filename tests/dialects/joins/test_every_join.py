"""Every resource that can be about a table is about the one in its own region, and if that is not known, possibly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest

from support.both import LATER, NAME, UNKNOWN, Refers, terraform, told
from tablegate.dialects.terraform.coverage import READ
from tablegate.dialects.terraform.schema import TABLE_TYPES
from tablegate.model.table import Table

TABLE = {
    "replica": [{"region_name": "us-east-1"}],
    "stream_enabled": True,
    "stream_arn": LATER,
    "server_side_encryption": [{"enabled": True, "kms_key_arn": Refers("aws_kms_key.x.arn")}],
}
ARN = f"arn:aws:dynamodb:eu-west-1:123456789012:table/{NAME}"
READS = {"service_namespace": "dynamodb", "scalable_dimension": "dynamodb:table:ReadCapacityUnits"}
TARGET = {"min_capacity": 5, "max_capacity": 50, **READS}
TRACKING = {"policy_type": "TargetTrackingScaling", "target_tracking_scaling_policy_configuration": [{}], **READS}
ACTION = {"scalable_target_action": [{"min_capacity": 1, "max_capacity": 2}], **READS}
ALARM = {"namespace": "AWS/DynamoDB", "metric_name": "SystemErrors"}
KINESIS = {"aws_kinesis_stream.k": {"arn": LATER, "encryption_type": "NONE"}}
HOME_TARGET = {"aws_appautoscaling_target.home": {**TARGET, "resource_id": f"table/{NAME}"}}


class Join(NamedTuple):
    """What a resource says besides its table, how it names the table, and whether the table then has it."""

    arguments: Mapping[str, Any]
    names: Mapping[str, tuple[Any, ...]]
    has: Callable[[Table], object]
    others: Mapping[str, Mapping[str, Any]] = {}


def _by(value: str) -> tuple[Any, ...]:
    return value, Refers("aws_dynamodb_table.t.name")


def _scaled(table: Table) -> object:
    if any(it.region is None for it in table.scaling):
        return True
    return UNKNOWN if table.scaling_doubt else False


def _tracked(table: Table) -> object:
    return next(told(it.tracking) for it in table.scaling if it.region is None)


def _scheduled(table: Table) -> object:
    schedules = next(it.schedules for it in table.scaling if it.region is None)
    return UNKNOWN if any(not it.minimum.known for it in schedules) else bool(schedules)


def _watched(table: Table) -> object:
    return bool(table.alarms) or (UNKNOWN if table.alarms_doubt else False)


def _sent(table: Table) -> object:
    found = [told(it.encrypted) for it in table.destinations if it.encrypted is not None]
    return UNKNOWN if UNKNOWN in found else bool(found)


def _indexed(table: Table) -> object:
    return bool(table.indexes.content) if table.indexes.known else UNKNOWN


JOINS = {
    "aws_appautoscaling_target": Join(TARGET, {"resource_id": _by(f"table/{NAME}")}, _scaled),
    "aws_appautoscaling_policy": Join(TRACKING, {"resource_id": _by(f"table/{NAME}")}, _tracked, HOME_TARGET),
    "aws_appautoscaling_scheduled_action": Join(ACTION, {"resource_id": (f"table/{NAME}",)}, _scheduled, HOME_TARGET),
    "aws_backup_selection": Join(
        {}, {"resources": (["*"], [Refers("aws_dynamodb_table.t.arn")])}, lambda table: told(table.backed_up)
    ),
    "aws_cloudwatch_metric_alarm": Join(
        ALARM, {"dimensions": ({"TableName": NAME}, Refers("aws_dynamodb_table.t.name"))}, _watched
    ),
    "aws_dynamodb_contributor_insights": Join({}, {"table_name": _by(NAME)}, lambda table: told(table.insights)),
    "aws_dynamodb_global_secondary_index": Join({"index_name": "i"}, {"table_name": _by(NAME)}, _indexed),
    "aws_dynamodb_kinesis_streaming_destination": Join(
        {"stream_arn": Refers("aws_kinesis_stream.k.arn")}, {"table_name": _by(NAME)}, _sent, KINESIS
    ),
}
# These name a table or a stream by its ARN, which has a region of its own.
BY_ARN = {
    "aws_dynamodb_resource_policy",
    "aws_dynamodb_table_replica",
    "aws_dynamodb_tag",
    "aws_lambda_event_source_mapping",
    "aws_pipes_pipe",
    "awscc_lambda_event_source_mapping",
    "awscc_pipes_pipe",
}
# A table names these, or nothing does.
NAMED = {
    "aws_dax_cluster",
    "aws_dynamodb_global_table",
    "aws_kinesis_stream",
    "aws_kms_alias",
    "aws_kms_key",
    "aws_kms_replica_key",
}

PLACES: dict[str, tuple[dict[str, Any], object]] = {
    "default provider": ({}, True),
    "same region": ({"region": "eu-west-1"}, True),
    "region of the replica": ({"region": "us-east-1"}, False),
    "provider of the replica": ({"provider": "aws.us"}, False),
    "another region": ({"region": "ap-south-1"}, False),
    "unknown region": ({"region": Refers("var.later")}, UNKNOWN),
    "unknown provider": ({"provider": "aws.later"}, UNKNOWN),
    "home of an unknown provider": ({"provider": "aws.later", "region": "eu-west-1"}, True),
}
REGIONS = {"aws.us": "us-east-1", "aws.later": ""}


def test_every_type() -> None:
    """A type that is read is a join of this test, or a reason is given above why it is not."""
    assert {*JOINS, *BY_ARN, *NAMED, *TABLE_TYPES} == READ


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("type_", JOINS)
def test_join(type_: str, place: str) -> None:
    """By its name or by a reference, the table is the one in the resource's region."""
    join, (where, expected) = JOINS[type_], PLACES[place]
    for key, spellings in join.names.items():
        for spelling in spellings:
            resources = {f"{type_}.x": {**join.arguments, key: spelling, **where}, **join.others}
            assert join.has(terraform(resources, TABLE, regions=REGIONS)) == expected, spelling


@pytest.mark.parametrize("type_", JOINS)
def test_instances_of_a_provider(type_: str) -> None:
    """OpenTofu's instances of one provider's configuration may be in different regions."""
    join, regions = JOINS[type_], {"aws.each": "each.value"}
    for key, spellings in join.names.items():
        resources = {f"{type_}.x": {**join.arguments, key: spellings[0], "provider": "aws.each"}, **join.others}
        others = {address: {**it, "provider": "aws.each", "region": "eu-west-1"} for address, it in join.others.items()}
        table = {**TABLE, "provider": "aws.each", "region": "eu-west-1"}
        assert join.has(terraform({**resources, **others}, table, regions=regions)) == UNKNOWN


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ({}, "eu-west-1"),
        ({"region": "us-east-1"}, "us-east-1"),
        ({"provider": "aws.us"}, "us-east-1"),
        ({"region": Refers("var.later")}, UNKNOWN),
        ({"provider": "aws.later"}, UNKNOWN),
    ],
)
def test_key(place: dict[str, Any], expected: object) -> None:
    """A key is in its own region."""
    table = terraform({"aws_kms_key.x": {"arn": LATER, **place}}, TABLE, regions=REGIONS)
    assert told(table.encryption.key_region) == expected


@pytest.mark.parametrize("type_", sorted(BY_ARN - {"aws_dynamodb_table_replica"}))
@pytest.mark.parametrize("place", ["default provider", "unknown region", "unknown provider"])
def test_arn(type_: str, place: str) -> None:
    """What names an ARN is about what that names, wherever it is itself."""
    policy = {"policy": '{"Statement": []}', "key": "team", "value": "shop"}
    stream, arn = Refers("aws_dynamodb_table.t.stream_arn"), Refers("aws_dynamodb_table.t.arn")
    arguments = {"resource_arn": arn, "source": stream, "event_source_arn": stream, **policy, **PLACES[place][0]}
    table = terraform({f"{type_}.x": arguments}, TABLE, regions=REGIONS)
    assert table.stream.consumers or told(table.tags) or told(table.policy)


@pytest.mark.parametrize("place", PLACES)
def test_replica(place: str) -> None:
    """A replica is elsewhere than its table, whether or not it is known where."""
    arguments = {"global_table_arn": Refers("aws_dynamodb_table.t.arn"), **PLACES[place][0]}
    table = terraform({"aws_dynamodb_table_replica.x": arguments}, {}, regions=REGIONS)
    assert len(table.replicas.content or ()) == 1
