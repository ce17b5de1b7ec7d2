"""Definitions that the service refuses, as templates and as Terraform source write them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tablegate import Text, check

KEY = ({"AttributeName": "id", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"})
INDEX = {"IndexName": "by-at", "KeySchema": [{"AttributeName": "at", "KeyType": "HASH"}]}
ALL = {"ProjectionType": "ALL"}
TABLE: Mapping[str, Any] = {
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [
        {"AttributeName": "id", "AttributeType": "S"},
        {"AttributeName": "at", "AttributeType": "S"},
    ],
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
