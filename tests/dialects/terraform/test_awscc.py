"""The Cloud Control provider's tables fill the same model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.plans import change, configured, faults, only, resource, tables, told, written
from tablegate.dialects.terraform.awscc import TEXTS, property_name
from tablegate.model.table import KeyOwner, Table, TableKind

PROVIDER = json.loads((Path(__file__).parents[3] / "fixtures" / "awscc" / "schema.json").read_text())["types"]
SCHEMA = [{"AttributeName": "id", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"}]
CC_TABLE: dict[str, Any] = {
    "table_name": "orders-prod",
    "billing_mode": "PAY_PER_REQUEST",
    "key_schema": json.dumps(SCHEMA),
    "attribute_definitions": [
        {"attribute_name": "id", "attribute_type": "S"},
        {"attribute_name": "at", "attribute_type": "N"},
    ],
}
CC_GLOBAL: dict[str, Any] = {
    **CC_TABLE,
    "key_schema": [{"attribute_name": "id", "key_type": "HASH"}],
    "replicas": [{"region": "us-east-1"}, {"region": "eu-west-1"}],
}


def table(after: dict[str, Any] | None = None, *, expressions: Any = None, **members: Any) -> Table:
    """A regional table."""
    configuration = configured(resource(expressions or {}, type="awscc_dynamodb_table"))
    given = change({**CC_TABLE, **(after or {})}, type="awscc_dynamodb_table", **members)
    return only(written(given, configuration=configuration))


def global_table(after: dict[str, Any] | None = None, **members: Any) -> Table:
    """A global table whose provider is in eu-west-1."""
    type_ = "awscc_dynamodb_global_table"
    configuration = configured(resource({}, type=type_))
    return only(written(change({**CC_GLOBAL, **(after or {})}, type=type_, **members), configuration=configuration))


def test_plain_table() -> None:
    """Without more than a name and keys, everything else is as the service has it."""
    found = table()
    assert (told(found.name), found.kind, found.name_generated) == ("orders-prod", TableKind.REGIONAL, False)
    assert [(part.attribute, part.role.value) for part in found.keys.content or ()] == [("id", "HASH"), ("at", "RANGE")]
    assert told(found.attributes) == {"at": "N", "id": "S"}
    for value in (found.recovery.enabled, found.encryption.owner, found.ttl.enabled, found.stream.enabled, found.tags):
        assert told(value) is ...


def test_settings() -> None:
    """Every setting of a table."""
    found = table(
        {
            "point_in_time_recovery_specification": {
                "point_in_time_recovery_enabled": True,
                "recovery_period_in_days": 7,
            },
            "time_to_live_specification": {"enabled": True, "attribute_name": "expires"},
            "stream_specification": {"stream_view_type": "NEW_IMAGE", "resource_policy": {"policy_document": "{}"}},
            "contributor_insights_specification": {"enabled": True},
            "kinesis_stream_specification": {"stream_arn": "arn:aws:kinesis:eu-west-1:123456789012:stream/s"},
            "resource_policy": {"policy_document": '{"Statement": []}'},
            "deletion_protection_enabled": True,
            "table_class": "STANDARD_INFREQUENT_ACCESS",
            "on_demand_throughput": {"max_read_request_units": 5, "max_write_request_units": -1},
            "warm_throughput": {"read_units_per_second": 12000},
            "import_source_specification": {"s3_bucket_source": {"s3_bucket": "exports"}},
            "tags": [{"key": "environment", "value": "prod"}],
        }
    )
    assert (told(found.recovery.enabled), told(found.recovery.days)) == (True, 7)
    assert (told(found.ttl.enabled), told(found.ttl.attribute)) == (True, "expires")
    assert (told(found.stream.enabled), told(found.stream.view), told(found.stream.policy)) == (True, "NEW_IMAGE", "{}")
    assert (told(found.insights), told(found.policy), told(found.deletion_protection)) == (
        True,
        '{"Statement": []}',
        True,
    )
    assert (told(found.on_demand.read), told(found.on_demand.write), told(found.warm.read)) == (5, None, 12000)
    assert (told(found.import_source), told(found.table_class)) == ("exports", "STANDARD_INFREQUENT_ACCESS")
    assert (told(found.tags), told(found.declared.environment)) == ({"environment": "prod"}, "prod")
    assert [told(one.stream) for one in found.destinations] == ["arn:aws:kinesis:eu-west-1:123456789012:stream/s"]


def test_capacity() -> None:
    """Provisioned units."""
    units = {"read_capacity_units": 5, "write_capacity_units": 6}
    found = table({"billing_mode": "PROVISIONED", "provisioned_throughput": units})
    assert (told(found.capacity.read), told(found.capacity.write)) == (5, 6)


@pytest.mark.parametrize(
    ("sse", "owner"),
    [
        (None, ...),
        ({"sse_enabled": False}, KeyOwner.AWS_OWNED),
        ({"sse_enabled": True}, KeyOwner.AWS_MANAGED),
        ({"sse_enabled": True, "kms_master_key_id": "alias/aws/dynamodb"}, KeyOwner.AWS_MANAGED),
        ({"sse_enabled": True, "kms_master_key_id": "alias/app"}, KeyOwner.CUSTOMER),
    ],
)
def test_encryption(sse: dict[str, Any] | None, owner: object) -> None:
    """The owner of the key, by the same rules as everywhere."""
    expressions = {"sse_specification": {"constant_value": sse}}
    assert told(table({"sse_specification": sse}, expressions=expressions).encryption.owner) == owner


def test_key_by_reference() -> None:
    """An object in an attribute hides which of its members reads what; a key that it reads is still a key."""
    expressions = {"sse_specification": {"references": ["aws_kms_key.k.arn", "aws_kms_key.k"]}}
    reading = written(
        change(
            {**CC_TABLE, "sse_specification": {"sse_enabled": True}},
            type="awscc_dynamodb_table",
            unknown={"sse_specification": {"kms_master_key_id": True}},
        ),
        change({"enable_key_rotation": True}, type="aws_kms_key", name="k", unknown={"arn": True}),
        configuration=configured(
            resource(expressions, type="awscc_dynamodb_table"), resource({}, type="aws_kms_key", name="k")
        ),
    )
    found = only(reading).encryption
    assert told(found.owner) is KeyOwner.CUSTOMER
    assert found.resource is not None
    assert found.resource.address == "aws_kms_key.k"


def test_indexes() -> None:
    """Secondary indexes of all sorts."""
    schema = [{"attribute_name": "state", "key_type": "HASH"}]
    index = {
        "index_name": "by-state",
        "key_schema": schema,
        "projection": {"projection_type": "INCLUDE", "non_key_attributes": ["b", "a"]},
        "provisioned_throughput": {"read_capacity_units": 5, "write_capacity_units": 6},
        "contributor_insights_specification": {"enabled": True},
    }
    vector = {
        "index_name": "by-meaning",
        "vector_attribute": {"attribute_name": "embedding"},
        "dimensions": 1024,
        "distance_function": "COSINE",
    }
    found = table(
        {
            "global_secondary_indexes": [index],
            "local_secondary_indexes": [{"index_name": "l", "key_schema": schema}],
            "vector_indexes": [vector],
        }
    )
    (one,) = found.indexes.content or ()
    assert (told(one.name), told(one.projection), told(one.projected)) == ("by-state", "INCLUDE", ("b", "a"))
    assert (told(one.capacity.read), told(one.insights), one.local) == (5, True, False)
    assert one.place is not None
    assert one.place.path == "global_secondary_indexes[0]"
    (local,) = found.local_indexes.content or ()
    assert (told(local.name), told(local.projection), local.local) == ("l", ..., True)
    (meaning,) = found.vector_indexes.content or ()
    assert (told(meaning.name), told(meaning.attribute), told(meaning.dimensions)) == ("by-meaning", "embedding", 1024)


def test_global_table() -> None:
    """The entry of the provider's region is the table, the others are its replicas."""
    entries = [
        {
            "region": "us-east-1",
            "deletion_protection_enabled": True,
            "sse_specification": {"kms_master_key_id": "arn:aws:kms:us-east-1:123456789012:key/k"},
            "read_provisioned_throughput_settings": {
                "read_capacity_auto_scaling_settings": {"min_capacity": 1, "max_capacity": 9}
            },
        },
        {
            "region": "eu-west-1",
            "point_in_time_recovery_specification": {"point_in_time_recovery_enabled": True},
            "read_provisioned_throughput_settings": {"read_capacity_units": 5},
            "read_on_demand_throughput_settings": {"max_read_request_units": 7},
            "replica_stream_specification": {"resource_policy": {"policy_document": "{}"}},
            "tags": [{"key": "a", "value": "b"}],
            "global_table_settings_replication_mode": "ENABLED",
        },
    ]
    scaling = {
        "write_capacity_auto_scaling_settings": {
            "min_capacity": 5,
            "max_capacity": 100,
            "target_tracking_scaling_policy_configuration": {"target_value": 70, "disable_scale_in": True},
        }
    }
    found = global_table(
        {
            "replicas": entries,
            "sse_specification": {"sse_enabled": True},
            "stream_specification": {"stream_view_type": "NEW_AND_OLD_IMAGES"},
            "write_provisioned_throughput_settings": scaling,
            "write_on_demand_throughput_settings": {"max_write_request_units": 8},
            "multi_region_consistency": "STRONG",
            "global_table_witnesses": [{"region": "eu-north-1"}],
        }
    )
    assert (found.kind, told(found.region)) == (TableKind.GLOBAL, "eu-west-1")
    assert (told(found.recovery.enabled), told(found.deletion_protection), told(found.tags)) == (True, ..., {"a": "b"})
    assert (told(found.capacity.read), told(found.on_demand.read), told(found.on_demand.write)) == (5, 7, 8)
    assert (told(found.consistency), told(found.witness_region)) == ("STRONG", "eu-north-1")
    assert (told(found.settings_replication), told(found.stream.policy)) == ("ENABLED", "{}")
    assert told(found.encryption.owner) is KeyOwner.AWS_MANAGED
    (replica,) = found.replicas.content or ()
    assert (told(replica.region), told(replica.deletion_protection)) == ("us-east-1", True)
    assert told(replica.encryption.owner) is KeyOwner.CUSTOMER
    assert told(replica.recovery.enabled) is ...
    assert [(one.dimension, one.region, told(one.tracking), told(one.maximum)) for one in found.scaling] == [
        ("write", None, True, 100),
        ("read", "us-east-1", ..., 9),
    ]


def test_first_region_where_the_own_is_unknown() -> None:
    """Without a region of its own, the first entry is the table."""
    found = only(written(change(CC_GLOBAL, type="awscc_dynamodb_global_table")))
    assert [told(one.region) for one in found.replicas.content or ()] == ["eu-west-1"]


@pytest.mark.parametrize("replicas", [None, [], [None], "x"])
def test_global_table_without_regions(replicas: object) -> None:
    """A global table that names no region has unknown replicas."""
    assert not global_table({"replicas": replicas}).replicas.known


def test_generated_name() -> None:
    """Without a name the service makes one up."""
    unnamed = {key: value for key, value in CC_TABLE.items() if key != "table_name"}
    configuration = configured(resource({}, type="awscc_dynamodb_table"))
    for unknown in ({}, {"table_name": True}):
        given = change(unnamed, type="awscc_dynamodb_table", unknown=unknown)
        found = only(written(given, configuration=configuration))
        assert found.name_generated
    later = configured(resource({"table_name": {"references": ["local.n"]}}, type="awscc_dynamodb_table"))
    found = only(
        written(change(unnamed, type="awscc_dynamodb_table", unknown={"table_name": True}), configuration=later)
    )
    assert (found.name_generated, found.name.known) == (False, False)


@pytest.mark.parametrize(
    ("after", "fact"),
    [
        ({"key_schema": "{"}, lambda it: it.keys),
        ({"key_schema": '{"a": 1}'}, lambda it: it.keys),
        ({"key_schema": '[{"AttributeName": "id"}]'}, lambda it: it.keys),
        ({"point_in_time_recovery_specification": []}, lambda it: it.recovery.enabled),
        ({"time_to_live_specification": "x"}, lambda it: it.ttl.attribute),
        ({"provisioned_throughput": 1}, lambda it: it.capacity.read),
        ({"stream_specification": 1}, lambda it: it.stream.view),
        ({"tags": 1}, lambda it: it.tags),
        ({"tags": [None]}, lambda it: it.tags),
        ({"tags": [{"key": []}]}, lambda it: it.tags),
        ({"attribute_definitions": {}}, lambda it: it.attributes),
        ({"attribute_definitions": [None]}, lambda it: it.attributes),
        ({"attribute_definitions": [{"attribute_name": 1}]}, lambda it: it.attributes),
        ({"global_secondary_indexes": 1}, lambda it: it.indexes),
        ({"global_secondary_indexes": [None]}, lambda it: it.indexes),
        ({"vector_indexes": 1}, lambda it: it.vector_indexes),
        ({"sse_specification": []}, lambda it: it.encryption.owner),
        ({"import_source_specification": 1}, lambda it: it.import_source),
    ],
)
def test_wrong_shapes(after: dict[str, Any], fact: Any) -> None:
    """What has not the shape it must have is not known."""
    assert not fact(table(after)).known


def test_tags_in_doubt() -> None:
    """A tag whose value comes later is there, without a value."""
    unknown = {"tags": [{"value": True}]}
    found = table({"tags": [{"key": "environment"}]}, unknown=unknown)
    assert told(found.tags) == {"environment": None}
    assert not found.declared.environment.known


def test_projection_in_doubt() -> None:
    """Projected attributes that come later are not known."""
    index = {"index_name": "i", "key_schema": [], "projection": {"projection_type": "INCLUDE"}}
    expressions = {"global_secondary_indexes": {"references": ["local.i"]}}
    unknown = {"global_secondary_indexes": [{"projection": {"non_key_attributes": True}}]}
    (one,) = (
        table({"global_secondary_indexes": [index]}, unknown=unknown, expressions=expressions).indexes.content or ()
    )
    assert not one.projected.known


def test_no_fault() -> None:
    """The provider is one that is known."""
    assert faults(written(change(CC_TABLE, type="awscc_dynamodb_table"))) == []
    assert len(tables(written(change(CC_TABLE, type="awscc_dynamodb_table")))) == 1


def attributes(members: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Every attribute of the provider's schema that can be set: its name, its property and its type."""
    for name, member in members.items():
        type_ = member["type"]
        while isinstance(type_, dict) and "list" in type_:
            type_ = type_["list"]
        if not member.get("read_only"):
            yield name, member["property"], type_
        if isinstance(type_, dict):
            yield from attributes(type_["object"])


EVERY = [attribute for members in PROVIDER.values() for attribute in attributes(members)]


def test_names() -> None:
    """Each attribute is read as the property that the provider makes it from."""
    assert {name: property_name(name) for name, _, _ in EVERY} == {name: property for name, property, _ in EVERY}


def test_texts() -> None:
    """The attributes that can be any text are those of the schema."""
    words = {name for name, _, type_ in EVERY if type_ == "word"} - {"key_type"}
    assert {name for name, _, type_ in EVERY if type_ in ("string", "json")} - words == TEXTS


def test_an_arn_is_no_object() -> None:
    """Plan JSON lists what all regions read. A key's ARN leaves what is no text to the service."""
    expressions = {"replicas": {"references": ["aws_kms_key.k.arn", "aws_kms_key.k"]}}
    named = {"region": "eu-west-1", "sse_specification": {}}
    later = {"sse_specification": {"kms_master_key_id": True}, "tags": True, "deletion_protection_enabled": True}
    reading = written(
        change(
            {**CC_GLOBAL, "sse_specification": {"sse_enabled": True}, "replicas": [named]},
            type="awscc_dynamodb_global_table",
            unknown={"replicas": [later]},
        ),
        change({}, type="aws_kms_key", name="k", unknown={"arn": True}),
        configuration=configured(
            resource(expressions, type="awscc_dynamodb_global_table"), resource({}, type="aws_kms_key", name="k")
        ),
    )
    found = only(reading)
    assert (told(found.tags), told(found.deletion_protection)) == (..., ...)
    assert told(found.encryption.owner) is KeyOwner.CUSTOMER


def test_scaling_in_doubt() -> None:
    """Settings that are unknown are no scaling, and no lack of it either."""
    expressions = {"write_provisioned_throughput_settings": {"references": ["terraform_data.x.output"]}}
    type_ = "awscc_dynamodb_global_table"
    found = only(
        written(
            change(CC_GLOBAL, type=type_, unknown={"write_provisioned_throughput_settings": True}),
            change({}, type="terraform_data", name="x", unknown={"output": True}),
            configuration=configured(resource(expressions, type=type_), resource({}, type="terraform_data", name="x")),
        )
    )
    assert found.scaling == ()
    assert found.scaling_doubt is not None
