"""Definitions that the service refuses, as templates and as Terraform source write them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from support import plans
from support import tables as build
from tablegate import Text, check
from tablegate.model import facts
from tablegate.model.table import Units
from tablegate_baseline.definitions import key_schema

KEY = ({"AttributeName": "id", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"})
INDEX = {"IndexName": "by-at", "KeySchema": [{"AttributeName": "at", "KeyType": "HASH"}]}
ALL = {"ProjectionType": "ALL"}
DEFINED = ({"AttributeName": "id", "AttributeType": "S"}, {"AttributeName": "at", "AttributeType": "S"})
TABLE: Mapping[str, Any] = {
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": list(DEFINED),
    "KeySchema": list(KEY),
}
SOURCE = """
resource "aws_dynamodb_table" "t" {
  name         = "orders"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "id"
  range_key    = "at"
  attribute {
    name = "id"
    type = "S"
  }
  attribute {
    name = "at"
    type = "S"
  }
  %s
}
"""


def found(*texts: Text) -> list[str]:
    """What TG601 finds, by message."""
    report = check(*texts, select=["TG601"])
    assert not report.faults
    return [finding.message for finding in report.findings]


def in_template(type: str = "AWS::DynamoDB::Table", **properties: Any) -> list[str]:
    """What is found in a table with these properties."""
    stated = {**TABLE, **properties}
    replicas = {"Replicas": [{"Region": "us-east-1"}]} if type == "AWS::DynamoDB::GlobalTable" else {}
    table = {"Type": type, "Properties": {**stated, **replicas}}
    return found(Text("template.json", json.dumps({"Resources": {"T": table}})))


def in_source(body: str, **replaced: str) -> list[str]:
    """What is found in a table with this body, and other values for some of its texts."""
    text = SOURCE % body
    for old, new in replaced.items():
        text = text.replace(f'"{old}"', f'"{new}"')
    return found(Text("main.tf", text))


def index_block(*lines: str, name: str = "by-at", kind: str = "global", key: str = "hash_key") -> str:
    """The block of an index on ``at``."""
    body = "\n".join((f'name = "{name}"', f'{key} = "at"', *lines))
    return f"{kind}_secondary_index {{\n{body}\n}}"


@pytest.mark.parametrize("type", ["AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable"])
def test_partition_keys_come_first(type: str) -> None:
    """In the key of a table and of an index, also where it has several parts."""
    assert in_template(type, KeySchema=KEY[::-1]) == [
        "in the key of the table, a sort key comes before a partition key"
    ]
    roles = [{"AttributeName": "id", "KeyType": "RANGE"}, {"AttributeName": "at", "KeyType": "HASH"}]
    index = {"IndexName": "by-at", "KeySchema": roles, "Projection": ALL}
    assert in_template(type, GlobalSecondaryIndexes=[index]) == [
        "in the key of index by-at, a sort key comes before a partition key"
    ]


def test_partition_keys_come_first_in_the_blocks_of_source() -> None:
    """The provider refuses the plan; source alone is judged here."""
    blocks = "\n".join(
        f'key_schema {{\nattribute_name = "{name}"\nkey_type = "{role}"\n}}'
        for name, role in (("id", "RANGE"), ("at", "HASH"))
    )
    index = f'global_secondary_index {{\nname = "by-at"\nprojection_type = "ALL"\n{blocks}\n}}'
    assert in_source(index) == ["in the key of index by-at, a sort key comes before a partition key"]


def test_an_attribute_is_in_a_key_once() -> None:
    """As partition and sort key, of the table and of an index."""
    twice = [{"AttributeName": "at", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"}]
    index = {"IndexName": "by-at", "KeySchema": twice, "Projection": ALL}
    assert in_template(GlobalSecondaryIndexes=[index]) == ["attribute at is in the key of index by-at twice"]
    block = index_block('range_key = "at"', 'projection_type = "ALL"')
    assert in_source(block) == ["attribute at is in the key of index by-at twice"]


@pytest.mark.parametrize("projection", [{}, {"Projection": {}}, {"Projection": {"NonKeyAttributes": ["a"]}}])
def test_an_index_needs_a_projection(projection: dict[str, Any]) -> None:
    """Without one, or without its type."""
    assert in_template(GlobalSecondaryIndexes=[{**INDEX, **projection}]) == [
        "index by-at has no projection: it needs a projection type"
    ]


@pytest.mark.parametrize(("kind", "key"), [("global", "hash_key"), ("local", "range_key")])
def test_an_index_in_source_needs_a_projection(kind: str, key: str) -> None:
    """The provider refuses the plan; source alone is judged here."""
    assert in_source(index_block(kind=kind, key=key)) == ["index by-at has no projection: it needs a projection type"]


@pytest.mark.parametrize("kind", ["S", "N"])
def test_an_attribute_is_defined_once(kind: str) -> None:
    """Whatever its types are: a template has a list of definitions."""
    again = {"AttributeName": "at", "AttributeType": kind}
    assert in_template(AttributeDefinitions=[*DEFINED, again]) == [
        f"attribute at has type S and {kind}: it is defined 2 times"
    ]


def test_blocks_of_terraform_are_a_set() -> None:
    """Two equal ones are one, and two types of one attribute are too many."""
    again = 'attribute {\nname = "at"\ntype = "%s"\n}'
    assert in_source(again % "S") == []
    assert in_source(again % "N") == ["attribute at has type N and S: it is defined 2 times"]


PATTERN = "is not 3 to 255 of the characters a-z, A-Z, 0-9, _, . and -"


@pytest.mark.parametrize("name", ["ab", "orders prod", "bücher", "orders/prod", "a" * 256])
@pytest.mark.parametrize("type", ["AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable"])
def test_tables_and_indexes_have_names_of_a_pattern(type: str, name: str) -> None:
    """In both languages. A long name is cut."""
    shown = f"'{name}'" if len(name) < 40 else "'" + "a" * 39 + "...'"
    assert in_template(type, TableName=name) == [f"table name {shown} {PATTERN}"]
    assert in_source("", orders=name) == [f"table name {shown} {PATTERN}"]
    index = {**INDEX, "IndexName": name, "Projection": ALL}
    assert in_template(type, GlobalSecondaryIndexes=[index]) == [f"index name {shown} {PATTERN}"]
    for kind, key in (("global", "hash_key"), ("local", "range_key")):
        block = index_block('projection_type = "ALL"', name=name, kind=kind, key=key)
        assert in_source(block) == [f"index name {shown} {PATTERN}"]


@pytest.mark.parametrize("name", ["abc", "A.b-c_9", "a" * 255])
def test_names_of_the_pattern_hold(name: str) -> None:
    """At both ends of the range."""
    assert in_template(TableName=name) == []
    assert in_source("", orders=name) == []


@pytest.mark.parametrize(("name", "fails"), [("a" * 255, False), ("a" * 256, True), ("ü" * 128, True)])
def test_attributes_have_names_of_a_length(name: str, fails: bool) -> None:
    """Of keys, of what an index projects, and of expiry. The length is in bytes."""
    expected = [f"attribute name {name[:40]}... has 256 bytes: the limit is 255"] if fails else []
    assert in_source("", at=name) == expected
    assert in_template(TimeToLiveSpecification={"Enabled": True, "AttributeName": name}) == expected
    projection = {"ProjectionType": "INCLUDE", "NonKeyAttributes": [name]}
    assert in_template(GlobalSecondaryIndexes=[{**INDEX, "Projection": projection}]) == expected


NO_VIEW = "the stream has no view type"


def test_a_stream_needs_a_view() -> None:
    """A section turns it on in a template, a flag in Terraform."""
    for type_ in ("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable"):
        assert in_template(type_, StreamSpecification={}) == [NO_VIEW]
        assert in_template(type_, StreamSpecification={"StreamViewType": "KEYS_ONLY"}) == []
    assert in_source("stream_enabled = true") == [NO_VIEW]
    assert in_source('stream_enabled = true\nstream_view_type = "KEYS_ONLY"') == []
    assert in_source("stream_enabled = false") == []


@pytest.mark.parametrize("kind", ["global", "local"])
@pytest.mark.parametrize("count", [20, 21])
def test_an_index_projects_at_most_twenty(kind: str, count: int) -> None:
    """DynamoDB Local takes a hundred, the service does not."""
    expected = ["index by-at projects 21 attributes: the limit is 20"] if count > 20 else []
    names = json.dumps([f"a{n}" for n in range(count)])
    key = "hash_key" if kind == "global" else "range_key"
    lines = ('projection_type = "INCLUDE"', f"non_key_attributes = {names}")
    assert in_source(index_block(*lines, kind=kind, key=key)) == expected
    index = {**INDEX, "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": json.loads(names)}}
    assert in_template(GlobalSecondaryIndexes=[index]) == expected


def test_an_index_projects_an_attribute_once() -> None:
    """A global index of Terraform has a set of names, every other index a list."""
    expected = ["index by-at projects attribute a twice"]
    index = {**INDEX, "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a", "b", "a"]}}
    assert in_template(GlobalSecondaryIndexes=[index]) == expected
    lines = ('projection_type = "INCLUDE"', 'non_key_attributes = ["a", "b", "a"]')
    assert in_source(index_block(*lines)) == []
    assert in_source(index_block(*lines, kind="local", key="range_key")) == expected


def test_time_to_live_names_an_attribute() -> None:
    """Where it is on. Off, and where the name is not known, there is nothing to say."""
    expected = ["time to live is on, but names no attribute"]
    assert in_template(TimeToLiveSpecification={"Enabled": True}) == expected
    assert in_template(TimeToLiveSpecification={"Enabled": False}) == []
    assert in_source("ttl {\nenabled = true\n}") == expected
    assert in_source('ttl {\nenabled = true\nattribute_name = var.name\n}\n}\nvariable "name" {') == []


@pytest.mark.parametrize(("kind", "key"), [("global", "hash_key"), ("local", "range_key")])
def test_indexes_of_terraform_are_a_set(kind: str, key: str) -> None:
    """Two equal blocks are one; two that differ have one name."""
    block = index_block('projection_type = "ALL"', kind=kind, key=key)
    assert in_source(f"{block}\n{block}") == []
    other = index_block('projection_type = "KEYS_ONLY"', kind=kind, key=key)
    assert in_source(f"{block}\n{other}") == ["2 indexes are named by-at"]


def test_an_on_demand_maximum_is_at_least_one() -> None:
    """Of the table and of its global indexes."""
    note = "the on-demand maximum of {} of {} is {}: it must be 1 or more"
    assert in_template(OnDemandThroughput={"MaxReadRequestUnits": 0}) == [note.format("reads", "the table", 0)]
    assert in_template(OnDemandThroughput={"MaxReadRequestUnits": 1}) == []
    index = {**INDEX, "Projection": ALL, "OnDemandThroughput": {"MaxWriteRequestUnits": -2}}
    assert in_template(GlobalSecondaryIndexes=[index]) == [note.format("writes", "index by-at", -2)]
    block = "on_demand_throughput {\nmax_read_request_units = -2\n}"
    assert in_source(block) == [note.format("reads", "the table", -2)]


@pytest.mark.parametrize("actions", [("create",), ("update",), ("no-op",), ("delete", "create")])
def test_an_on_demand_maximum_is_lifted_in_an_update(actions: tuple[str, ...]) -> None:
    """-1 takes a maximum away; a table that the plan creates has none, and the service refuses it."""
    limits = {"on_demand_throughput": [{"max_read_request_units": -1, "max_write_request_units": 0}]}
    table = plans.change({**plans.TABLE, **limits}, actions=actions, before=plans.TABLE)
    plan = {"format_version": "1.2", "terraform_version": "1.11.4", "resource_changes": [table]}
    messages = found(Text("plan.json", json.dumps(plan)))
    refused = "the on-demand maximum of reads of the table is -1: it must be 1 or more"
    assert messages == ([refused] if "create" in actions else [])


def test_warm_throughput_has_a_floor() -> None:
    """On demand it is what every table has; of a provisioned table it is at least 1."""
    note = "the warm throughput of {} of {} is {}: on demand it must be {} or more"
    warm = {"ReadUnitsPerSecond": 11_999, "WriteUnitsPerSecond": 4_000}
    assert in_template(WarmThroughput=warm) == [note.format("reads", "the table", 11_999, 12_000)]
    assert in_template(WarmThroughput={"ReadUnitsPerSecond": 12_000}) == []
    index = {**INDEX, "Projection": ALL, "WarmThroughput": {"WriteUnitsPerSecond": 3_999}}
    assert in_template("AWS::DynamoDB::GlobalTable", GlobalSecondaryIndexes=[index]) == [
        note.format("writes", "index by-at", 3_999, 4_000)
    ]
    block = "warm_throughput {\nread_units_per_second = 100\n}"
    assert in_source(block) == [note.format("reads", "the table", 100, 12_000)]
    assert in_source(block, PAY_PER_REQUEST="PROVISIONED") == []
    assert in_source(block.replace("100", "0"), PAY_PER_REQUEST="PROVISIONED") == [
        "the warm throughput of reads of the table is 0: it must be 1 or more"
    ]


def test_warm_throughput_under_an_unknown_billing_mode() -> None:
    """Whether the floor of tables on demand counts is not known."""
    doubt = build.doubted(facts.BILLING_MODE.unset)
    warm = Units(read=facts.WARM_READ.of(100), write=facts.WARM_WRITE.unset)
    assert key_schema.check(build.table(billing_mode=doubt, warm=warm)).truth is None
    high = Units(read=facts.WARM_READ.of(12_000), write=facts.WARM_WRITE.unset)
    assert key_schema.check(build.table(billing_mode=doubt, warm=high)).truth is True


def namesakes(first: dict[str, Any], second: dict[str, Any], **others: Any) -> list[str]:
    """What is found in two tables of one name."""
    table = {"Type": "AWS::DynamoDB::Table", "Properties": {**TABLE, "TableName": "orders"}}
    document = {"Resources": {"A": {**table, **first}, "B": {**table, **second}}, **others}
    return found(Text("template.json", json.dumps(document)))


def test_a_stack_has_one_table_of_a_name() -> None:
    """The later one fails, unless there is never both."""
    assert namesakes({}, {}) == ["A has the same name in the same account and region"]
    conditions = {
        "Parameters": {"Stage": {"Type": "String"}},
        "Conditions": {
            "Prod": {"Fn::Equals": [{"Ref": "Stage"}, "prod"]},
            "Test": {"Fn::Not": [{"Condition": "Prod"}]},
            "Eu": {"Fn::Equals": [{"Ref": "AWS::Region"}, "eu-west-1"]},
        },
    }
    assert namesakes({"Condition": "Prod"}, {"Condition": "Test"}, **conditions) == []
    assert namesakes({"Condition": "Prod"}, {"Condition": "Eu"}, **conditions) != []


def test_names_of_terraform_meet_where_account_and_region_are_known() -> None:
    """Source is not judged: its counts may exclude each other."""
    region, account = facts.REGION.of("eu-west-1"), facts.ACCOUNT.of("111122223333")
    one = build.table(address="a", region=region, account=account)
    elsewhere, anywhere = {"region": facts.REGION.of("us-east-1")}, {"account": facts.ACCOUNT.unset}
    cases: tuple[tuple[dict[str, Any], bool], ...] = (({}, False), (elsewhere, True), (anywhere, True))
    for stated, truth in cases:
        other = build.table(**({"address": "b", "region": region, "account": account} | stated))
        build.estate(one, other)
        assert key_schema.check(other).truth is truth
        assert key_schema.check(one).truth is True
