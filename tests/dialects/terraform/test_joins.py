"""What other resources say of a table reaches it, by name, by ARN or by reference."""

from __future__ import annotations

from typing import Any

import pytest

from support.plans import TABLE, change, configured, faults, made, only, resource, tables, told, written
from tablegate.dialects.reading import ReadOptions
from tablegate.dialects.terraform.source import read as read_source
from tablegate.model.table import Table

ARN = "arn:aws:dynamodb:eu-west-1:123456789012:table/orders-prod"


def orders() -> Table:
    """The table whose name and ARN only the apply knows."""
    return tables(made("joins-by-reference"))["aws_dynamodb_table.orders"]


def plain() -> Table:
    """The table beside it, which nothing but an alarm speaks of."""
    return tables(made("joins-by-reference"))["aws_dynamodb_table.plain"]


def test_insights() -> None:
    """Contributor Insights belong to the table, or to the index that they name."""
    (index,) = orders().indexes.content or ()
    assert (told(orders().insights), told(index.insights), told(plain().insights)) == (True, True, ...)


def test_alarms() -> None:
    """An alarm is the table's whose name stands in its dimensions, also inside a metric query."""
    assert [(one.metric, one.index) for one in orders().alarms] == [("ReadThrottleEvents", None)]
    assert [(one.metric, one.index) for one in plain().alarms] == [("SystemErrors", "by-state")]
    assert orders().alarms_doubt is None


def test_consumers() -> None:
    """A mapping and a pipe read the stream that they refer to, and their filters say which images they need."""
    assert [(one.address, set(one.images)) for one in orders().stream.consumers] == [
        ("aws_lambda_event_source_mapping.orders", {"OLD_IMAGE"}),
        ("aws_pipes_pipe.orders", {"NEW_IMAGE"}),
    ]


def test_destination() -> None:
    """The Kinesis stream of this input is found, with its encryption."""
    (found,) = orders().destinations
    assert found.encrypted is not None
    assert (found.address, told(found.encrypted)) == ("aws_kinesis_stream.changes", True)


def test_policies() -> None:
    """A policy on the stream's ARN is the stream's, one on the table's ARN the table's."""
    assert (orders().policy.content or "").count("stream") == 0
    assert (orders().stream.policy.content or "").count("stream") == 1
    assert told(plain().policy) is ...


def test_tags() -> None:
    """Default tags and single tags are the table's as well."""
    assert told(orders().tags) == {"Owner": "shop", "environment": "prod"}
    assert told(orders().declared.environment) == "prod"


def test_replica() -> None:
    """A replica that is a resource of its own stands in its provider's region, with its own tags."""
    (replica,) = orders().replicas.content or ()
    assert (replica.address, told(replica.region)) == ("aws_dynamodb_table_replica.orders", "eu-west-1")
    assert (told(replica.recovery.enabled), told(replica.tags)) == (True, {"environment": "dr"})
    assert (told(replica.insights), told(replica.deletion_protection)) == (..., ...)


def test_backups() -> None:
    """A selection covers the table that it refers to, and no other."""
    assert (told(orders().backed_up), told(plain().backed_up)) == (True, ...)


def test_estate() -> None:
    """The estate says which sorts of resources the input manages, and the input what is not judged."""
    reading = made("joins-by-reference")
    assert reading.estate is not None
    estate = reading.estate
    assert (estate.manages_alarms, estate.manages_backups, estate.manages_consumers) == (True, True, True)
    assert faults(reading) == []
    assert (reading.input.resources, reading.input.tables, reading.input.replicas) == (20, 2, 1)


def beside(*others: dict[str, Any], table: dict[str, Any] | None = None, **members: Any) -> Table:
    """A table in eu-west-1 with these beside it."""
    members.setdefault("configuration", configured(resource({})))
    return only(written(change({**TABLE, **(table or {})}), *others, **members))


def unsettled(type: str, key: str, after: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """A resource of which the plan does not show for which table it is, and the configuration that hides it."""
    expressions = {key: {"references": ["local.hidden"]}}
    return (
        change(after or {}, type=type, name="x", unknown={key: True}),
        configured(resource({}), resource(expressions, type=type, name="x")),
    )


@pytest.mark.parametrize(
    ("type", "key", "after", "fact"),
    [
        ("aws_dynamodb_contributor_insights", "table_name", {}, lambda it: it.insights),
        ("aws_dynamodb_resource_policy", "resource_arn", {"policy": "{}"}, lambda it: it.policy),
        ("aws_dynamodb_table_replica", "global_table_arn", {}, lambda it: it.replicas),
        ("aws_dynamodb_global_secondary_index", "table_name", {"index_name": "i"}, lambda it: it.indexes),
    ],
)
def test_somebodys(type: str, key: str, after: dict[str, Any], fact: Any) -> None:
    """What may be any table's leaves every table in doubt."""
    one, configuration = unsettled(type, key, after)
    assert "local.hidden" in str(told(fact(beside(one, configuration=configuration))))


def test_somebodys_alarm() -> None:
    """The same of alarms, which the table has a doubt of their own for."""
    alarm = {"namespace": "AWS/DynamoDB", "metric_name": "SystemErrors"}
    one, configuration = unsettled("aws_cloudwatch_metric_alarm", "dimensions", alarm)
    found = beside(one, configuration=configuration)
    assert found.alarms_doubt is not None
    assert "local.hidden" in found.alarms_doubt.reason


@pytest.mark.parametrize(("kind", "encrypted"), [("KMS", True), ("NONE", False), (None, False)])
def test_encryption_of_a_destination(kind: str | None, encrypted: bool) -> None:
    """A Kinesis stream is found by its ARN; without KMS it is not encrypted."""
    arn = "arn:aws:kinesis:eu-west-1:123456789012:stream/changes"
    stream = change({"arn": arn, "encryption_type": kind}, type="aws_kinesis_stream", name="s", actions=["no-op"])
    to = change(
        {"table_name": "orders-prod", "stream_arn": arn}, type="aws_dynamodb_kinesis_streaming_destination", name="d"
    )
    (found,) = beside(stream, to).destinations
    assert found.encrypted is not None
    assert (told(found.stream), told(found.encrypted)) == (arn, encrypted)


def test_encryption_of_a_destination_in_doubt() -> None:
    """Encryption that only the apply knows is not known."""
    arn = "arn:aws:kinesis:eu-west-1:123456789012:stream/changes"
    stream = change({"arn": arn}, type="aws_kinesis_stream", name="s", unknown={"encryption_type": True})
    to = change(
        {"table_name": "orders-prod", "stream_arn": arn}, type="aws_dynamodb_kinesis_streaming_destination", name="d"
    )
    (found,) = beside(stream, to).destinations
    assert found.encrypted is not None
    assert str(told(found.encrypted)).startswith("unknown: ")


def test_destination_elsewhere() -> None:
    """A Kinesis stream that is not in this input is not judged by it."""
    to = change(
        {"table_name": "orders-prod", "stream_arn": "arn:aws:kinesis:eu-west-1:123456789012:stream/x"},
        type="aws_dynamodb_kinesis_streaming_destination",
        name="d",
    )
    (found,) = beside(to).destinations
    assert found.encrypted is None


def test_standalone_index() -> None:
    """An index that is a resource of its own is the table's like any other."""
    index = {
        "table_name": "orders-prod",
        "index_name": "by-state",
        "key_schema": [
            {"attribute_name": "state", "attribute_type": "S", "key_type": "HASH"},
            {"attribute_name": "at", "attribute_type": "N", "key_type": "RANGE"},
        ],
        "projection": [{"projection_type": "INCLUDE", "non_key_attributes": ["b", "a"]}],
        "provisioned_throughput": [{"read_capacity_units": 5, "write_capacity_units": 6}],
        "warm_throughput": {"read_units_per_second": 12000, "write_units_per_second": 4000},
    }
    one = change(index, type="aws_dynamodb_global_secondary_index", name="i")
    (found,) = beside(one, table={"billing_mode": "PROVISIONED", "read_capacity": 5}).indexes.content or ()
    assert told(found.name) == "by-state"
    assert [(part.attribute, part.role.value) for part in found.keys.content or ()] == [
        ("state", "HASH"),
        ("at", "RANGE"),
    ]
    assert (told(found.projection), told(found.projected)) == ("INCLUDE", ("a", "b"))
    assert (told(found.capacity.read), told(found.capacity.write), told(found.warm.read)) == (5, 6, 12000)
    (on_demand,) = beside(one).indexes.content or ()
    assert told(on_demand.capacity.read) is ...


def test_tables_of_one_name() -> None:
    """Of tables with one name in two regions, the one in the same region is meant."""
    providers = {
        "aws": {"expressions": {"region": {"constant_value": "eu-west-1"}}},
        "aws.us": {"expressions": {"region": {"constant_value": "us-east-1"}}},
    }
    there = {**resource({}, name="there"), "provider_config_key": "aws.us"}
    watch = {**resource({}, type="aws_dynamodb_contributor_insights", name="x"), "provider_config_key": "aws.us"}
    found = tables(
        written(
            change(TABLE),
            change(TABLE, name="there"),
            change({"table_name": "orders-prod"}, type="aws_dynamodb_contributor_insights", name="x"),
            configuration={**configured(resource({}), there, watch), "provider_config": providers},
        )
    )
    assert {address: told(table.insights) for address, table in found.items()} == {
        "aws_dynamodb_table.t": ...,
        "aws_dynamodb_table.there": True,
    }


def test_other_accounts_table() -> None:
    """Two tables of one name in one region are told apart by their provider."""
    providers = {
        "aws": {"expressions": {"region": {"constant_value": "eu-west-1"}}},
        "aws.other": {"expressions": {"region": {"constant_value": "eu-west-1"}}},
    }
    there = {**resource({}, name="there"), "provider_config_key": "aws.other"}
    watch = {**resource({}, type="aws_dynamodb_contributor_insights", name="x"), "provider_config_key": "aws.other"}
    found = tables(
        written(
            change(TABLE),
            change(TABLE, name="there"),
            change({"table_name": "orders-prod"}, type="aws_dynamodb_contributor_insights", name="x"),
            configuration={**configured(resource({}), there, watch), "provider_config": providers},
        )
    )
    assert [address for address, table in found.items() if table.insights.content] == ["aws_dynamodb_table.there"]


@pytest.mark.parametrize(
    ("others", "region", "insights"),
    [
        ({}, "eu-west-1", True),
        ({"awscc": {"full_name": "registry/hashicorp/awscc", "expressions": {"x": {}}}}, "eu-west-1", True),
        ({"aws.us": {"full_name": "registry/hashicorp/aws", "alias": "us"}}, None, None),
        ({"module.a:aws": {"full_name": "registry/hashicorp/aws", "expressions": {"x": {}}}}, None, None),
    ],
)
def test_provider_of_a_wrapped_module(others: Any, region: str | None, insights: object) -> None:
    """A module below one without resources has a key without a configuration: the default one if it is the only one."""
    aws = {"full_name": "registry/hashicorp/aws"}
    table = {**resource({}), "provider_config_key": "module.a.module.t:aws"}
    watch = {**resource({}, type=INSIGHTS, name="x"), "provider_config_key": "module.a.module.w:aws"}
    below = {"t": {"module": {"resources": [table]}}, "w": {"module": {"resources": [watch]}}}
    written_so = configured(module_calls={"a": {"module": {"module_calls": below}}})
    providers = {
        "aws": {**aws, **written_so["provider_config"]["aws"]},
        "module.a.module.t:aws": aws,
        "module.a.module.w:aws": aws,
        **others,
    }
    at = "module.a.module.t"
    reading = written(
        change(TABLE, address=f"{at}.aws_dynamodb_table.t", module_address=at),
        change(
            {"table_name": "orders-prod"},
            type=INSIGHTS,
            name="x",
            address=f"module.a.module.w.{INSIGHTS}.x",
            module_address="module.a.module.w",
        ),
        configuration={**written_so, "provider_config": providers},
    )
    assert (only(reading).region.content, only(reading).insights.content) == (region, insights)


def insights_of(expression: Any, *, key: str | None = None, names: tuple[str, ...] = ("a", "b")) -> dict[str, object]:
    """Contributor Insights of two tables without known names, for one resource that refers to them so."""
    watch: dict[str, Any] = {"index": key, "address": f"{INSIGHTS}.x[{key!r}]"} if key else {}
    reading = written(
        *(change({**TABLE, "name": None}, name=name, unknown={"name": True}) for name in names),
        change({}, type=INSIGHTS, name="x", unknown={"table_name": True}, **watch),
        configuration=configured(
            *(resource({}, name=name) for name in names), resource({"table_name": expression}, type=INSIGHTS, name="x")
        ),
    )
    return {table.label: told(table.insights) for table in tables(reading).values()}


INSIGHTS = "aws_dynamodb_contributor_insights"
A, B = (["aws_dynamodb_table.a.name", "aws_dynamodb_table.a"], ["aws_dynamodb_table.b.name", "aws_dynamodb_table.b"])


def test_one_of_two() -> None:
    """What refers to two tables is one of theirs, and nobody knows whose."""
    assert insights_of({"references": A}) == {"a": True, "b": ...}
    doubt = "unknown: known only after apply: aws_dynamodb_table.a.name, aws_dynamodb_table.b.name"
    assert insights_of({"references": A + B}) == {"a": doubt, "b": doubt}
    assert insights_of({"references": A + B}, key="k") == {"a": doubt, "b": doubt}


def test_nothing_that_is_a_table() -> None:
    """What refers to no table, or gives no name at all, is nobody's."""
    assert insights_of({"constant_value": "x"}) == {"a": ..., "b": ...}
    assert told(beside(change({"table_name": None}, type=INSIGHTS, name="x")).insights) is ...


def test_twins() -> None:
    """Two tables of one name in one place both have what is said of the name."""
    found = tables(
        written(change(TABLE), change(TABLE, name="u"), change({"table_name": "orders-prod"}, type=INSIGHTS, name="x"))
    )
    assert [told(table.insights) for table in found.values()] == [True, True]


def test_alarm_that_watches_nothing_of_ours() -> None:
    """Dimensions without a table, and queries without a metric, watch no table."""
    for after in (
        {"namespace": "AWS/DynamoDB", "metric_name": "x", "dimensions": {"Operation": "GetItem"}},
        {"namespace": "AWS/DynamoDB", "metric_name": "x", "dimensions": None},
        {"metric_query": [{"id": "q", "expression": "a + b"}]},
        {"metric_query": [None]},
        {"metric_query": "x"},
    ):
        found = beside(change(after, type="aws_cloudwatch_metric_alarm", name="x"))
        assert (found.alarms, found.alarms_doubt) == ((), None)


def test_filter_without_images() -> None:
    """A filter may look at other things than images."""
    mapping = change(
        {
            "event_source_arn": f"{ARN}/stream/2026-01-01T00:00:00.000",
            "filter_criteria": [{"filter": [{"pattern": '{"eventName": ["INSERT"]}'}, {"pattern": None}]}],
        },
        type="aws_lambda_event_source_mapping",
        name="x",
    )
    (found,) = beside(mapping, table={"stream_enabled": True}).stream.consumers
    assert found.images == frozenset()


def test_policies_of_table_and_stream() -> None:
    """Of two policies each finds its place, by ARN as well."""
    on_table = change({"resource_arn": ARN, "policy": "[1]"}, type="aws_dynamodb_resource_policy", name="a")
    arn = f"{ARN}/stream/2026-01-01T00:00:00.000"
    on_stream = change({"resource_arn": arn, "policy": "[2]"}, type="aws_dynamodb_resource_policy", name="b")
    found = beside(on_stream, on_table)
    assert (told(found.policy), told(found.stream.policy)) == ("[1]", "[2]")


def apart(name: str = "a", index: str = "by-day", **members: Any) -> dict[str, Any]:
    """An index that is a resource of its own."""
    parts = [{"attribute_name": "day", "attribute_type": "S", "key_type": "HASH"}]
    content = {"index_name": index, "table_name": "orders-prod", "key_schema": parts}
    return change(content | members.pop("after", {}), type="aws_dynamodb_global_secondary_index", name=name, **members)


DAY = {"name": "by-day", "hash_key": "day", "projection_type": "ALL"}
LISTED = {**TABLE, "attribute": [*TABLE["attribute"], {"name": "day", "type": "S"}], "global_secondary_index": [DAY]}


def test_separate_index_defines_its_attributes() -> None:
    """Its types are the table's too; two types of one attribute are both kept."""
    number = [{"attribute_name": "id", "attribute_type": "N", "key_type": "HASH"}]
    assert told(only(written(change(TABLE), apart())).attributes) == {"day": "S", "id": "S"}
    assert told(only(written(change(TABLE), apart(after={"key_schema": number}))).attributes) == {"id": "N and S"}
    unknown = apart(
        unknown={"key_schema": [{"attribute_type": True}]}, after={"key_schema": [{"attribute_name": "day"}]}
    )
    assert "unknown" in str(told(only(written(change(TABLE), unknown)).attributes))


def test_separate_index_that_the_table_lists() -> None:
    """The provider computes the table's list: it is one index, unless the table writes it too."""
    plan = (change(LISTED, before=LISTED, actions=["no-op"]), apart(actions=["no-op"]))
    written_too = configured(resource({"global_secondary_index": [{"name": {"constant_value": "by-day"}}]}))
    assert len(only(written(*plan)).indexes.content or ()) == 1
    assert len(only(written(*plan, configuration=written_too)).indexes.content or ()) == 2


@pytest.mark.parametrize(("actions", "names"), [(["delete"], []), (["forget"], ["by-day"])])
def test_separate_index_that_goes(actions: list[str], names: list[str]) -> None:
    """An index whose resource is deleted is gone with its attributes; one that is forgotten stays."""
    before = {"index_name": "by-day", "table_name": "orders-prod"}
    before["key_schema"] = [{"attribute_name": "day", "attribute_type": "S", "key_type": "HASH"}]  # type: ignore[assignment]
    gone = change(None, before=before, actions=actions, type="aws_dynamodb_global_secondary_index", name="a")
    table = only(written(change(LISTED, before=LISTED, actions=["no-op"]), gone))
    assert [index.name.content for index in table.indexes.content or ()] == names
    assert ("day" in (table.attributes.content or {})) is bool(names)


def test_separate_index_that_is_replaced() -> None:
    """The table lists it under its old name until the apply."""
    before = {"index_name": "by-old-day", "table_name": "orders-prod", "key_schema": []}
    listed = {**LISTED, "global_secondary_index": [{**DAY, "name": "by-old-day"}]}
    renamed = apart(before=before, actions=["delete", "create"])
    table = only(written(change(listed, before=listed, actions=["no-op"]), renamed))
    assert [index.name.content for index in table.indexes.content or ()] == ["by-day"]


@pytest.mark.parametrize("other", ["i", "j"])
def test_resources_that_refer_to_each_other(other: str) -> None:
    """Terraform refuses such a cycle, so no plan has it; source may, and the table is then not known."""
    insights = 'resource "aws_dynamodb_contributor_insights" "{}" {{\n  table_name = {}.{}.table_name\n}}\n'
    kind = "aws_dynamodb_contributor_insights"
    text = insights.format("i", kind, other) + insights.format("j", kind, "i")
    table = 'resource "aws_dynamodb_table" "t" {\n  name = "t"\n  hash_key = "pk"\n}\n'
    made = read_source(f"{text}{table}", "main.tf", ReadOptions())
    assert made.estate is not None
    assert [it.insights.known for it in made.estate.tables] == [False]
