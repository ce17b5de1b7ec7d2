"""Written plans and their source: objects as arguments, blocks that look alike, documents, and chains of every sort."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.plans import TABLE, change, configured, faults, only, resource, tables
from support.source_lines import Held, spot
from tablegate.dialects import read
from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.model.table import Table
from tablegate.model.value import Value
from tablegate.syntax.source import Source

CC = "awscc_dynamodb_table"
CC_TABLE: dict[str, Any] = {
    "table_name": "orders-prod",
    "billing_mode": "PAY_PER_REQUEST",
    "key_schema": json.dumps([{"AttributeName": "id", "KeyType": "HASH"}]),
    "attribute_definitions": [{"attribute_name": "id", "attribute_type": "S"}],
}
OBJECTS = """
resource "awscc_dynamodb_table" "t" {
  table_name = "orders-prod"
  point_in_time_recovery_specification = {
    point_in_time_recovery_enabled = var.recovery
    recovery_period_in_days        = 35
  }
  global_secondary_indexes = [
    { index_name = "a", projection = { projection_type = "ALL" } },
    {
      index_name = "b"
      projection = {
        projection_type = var.projection
      }
    },
  ]
  sse_specification = local.sse
}

variable "recovery" {
  default = false
}
"""


def planned(source: str, *changes: dict[str, Any], **members: Any) -> Reading:
    """A plan of these changes, with this source in main.tf."""
    content = {"format_version": "1.2", "terraform_version": "1.11.4", "resource_changes": list(changes), **members}
    held = Source("plan.json", json.dumps(content).encode(), tree=Held({"main.tf": source}, {}))
    return read(held, ReadOptions())


def table(source: str, after: dict[str, Any] | None = None, **members: Any) -> Table:
    """The table ``t`` of a plan without a configuration."""
    return only(planned(source, change({**TABLE, **(after or {})}), **members))


def at(value: Value[Any]) -> str:
    """Where a value stands in short, and because of what."""
    place = value.place
    assert place is not None
    because = f" because of {spot(place.because)}" if place.because else ""
    return f"{spot(place)}{because}"


def test_members_of_objects_have_places() -> None:
    """In an object that is an argument, and in a list of them."""
    index = {"key_schema": [{"attribute_name": "id", "key_type": "HASH"}]}
    after = {
        **CC_TABLE,
        "point_in_time_recovery_specification": {"point_in_time_recovery_enabled": False, "recovery_period_in_days": 7},
        "global_secondary_indexes": [
            {"index_name": "a", "projection": {"projection_type": "ALL"}, **index},
            {"index_name": "b", "projection": {"projection_type": "KEYS_ONLY"}, **index},
        ],
        "sse_specification": {"sse_enabled": True},
    }
    found = only(planned(OBJECTS, change(after, type=CC)))
    assert "main.tf:5:38 because of main.tf:21:13" == at(found.recovery.enabled)
    # The plan says 7 days, and is not sent to where 35 stand.
    assert "main.tf:4:42" == at(found.recovery.days)
    first, second = found.indexes.content or ()
    assert ("main.tf:9:58", "main.tf:13:27") == (at(first.projection), at(second.projection))
    assert "main.tf:17:23" == at(found.encryption.owner)


def test_objects_in_another_order_are_not_mistaken() -> None:
    """Where they say something else, the list stands for them."""
    index = {"projection": {"projection_type": "ALL"}, "key_schema": [{"attribute_name": "id", "key_type": "HASH"}]}
    after = {**CC_TABLE, "global_secondary_indexes": [{"index_name": "b", **index}, {"index_name": "c", **index}]}
    found = only(planned(OBJECTS, change(after, type=CC)))
    assert ["main.tf:8:30", "main.tf:8:30"] == [at(index.projection) for index in found.indexes.content or ()]


BLOCKS = """
resource "aws_dynamodb_table" "t" {
  name = "orders-prod"
  global_secondary_index {
    name            = "a"
    projection_type = "ALL"
  }
  global_secondary_index {
    name            = var.index
    projection_type = "KEYS_ONLY"
  }
  dynamic "replica" {
    for_each = var.regions
    iterator = region
    content {
      region_name            = region.value
      point_in_time_recovery = region.value == "eu-west-1"
    }
  }
}

variable "regions" {
  default = ["eu-west-1"]
}
"""


def test_blocks_are_told_apart_by_what_they_say() -> None:
    """By a name, or by anything else that only one of them says."""
    indexes = [
        {"name": name, "hash_key": "id", "projection_type": kind} for name, kind in (("b", "KEYS_ONLY"), ("a", "ALL"))
    ]
    found = table(BLOCKS, {"global_secondary_index": indexes})
    assert {"a": "main.tf:6:23", "b": "main.tf:10:23"} == {
        str(index.name.content): at(index.projection) for index in found.indexes.content or ()
    }


def test_blocks_that_look_alike_are_not_guessed() -> None:
    """The resource stands for them."""
    twice = BLOCKS.replace('"a"', "var.first").replace('"ALL"', '"KEYS_ONLY"')
    indexes = [{"name": name, "hash_key": "id", "projection_type": "KEYS_ONLY"} for name in ("a", "b")]
    found = table(twice, {"global_secondary_index": indexes})
    assert ["main.tf:2:1", "main.tf:2:1"] == [at(index.projection) for index in found.indexes.content or ()]


def test_a_dynamic_block_has_its_list_for_a_reason() -> None:
    """It makes all its blocks, and what it repeats over gives them their values."""
    replica = {"region_name": "eu-west-1", "point_in_time_recovery": True}
    (found,) = table(BLOCKS, {"replica": [replica]}).replicas.content or ()
    assert "main.tf:16:32 because of main.tf:23:13" == at(found.region)
    assert "main.tf:17:32 because of main.tf:23:13" == at(found.recovery.enabled)


CHAINS = {
    "each": ('for_each = { a = { kind = "PROVISIONED" } }', "each.value.kind", "main.tf:4:29"),
    "each-key": ('for_each = { a = { kind = "PROVISIONED" } }', "each.key", None),
    "each-of-a-call": ("for_each = merge(local.all, {})", "each.value.kind", "main.tf:9:9"),
    "index": ("", 'local.all["a"].kind', "main.tf:9:24"),
    "own-key": ("for_each = local.all", "local.all[each.key].kind", "main.tf:9:24"),
    "computed-key": ("for_each = local.all", "local.all[upper(each.key)].kind", "main.tf:9:9"),
    "list": ("", "local.list[1]", "main.tf:10:19"),
    "template": ("", '"${local.text}"', "main.tf:11:10"),
    "function": ("", "upper(local.text)", "main.tf:11:10"),
    "choice": ("", "local.text == null ? null : local.text", "main.tf:11:10"),
    "negated": ("", "!local.text", "main.tf:11:10"),
    "two": ("", "coalesce(local.text, local.list[0])", None),
    "loop": ("", "[for one in local.list : one][0]", "main.tf:10:10"),
    "missing-member": ("", "local.all.b.kind", None),
    "missing-local": ("", "local.none", None),
    "resource": ("", "aws_ssm_parameter.x.value", None),
    "circle": ("", "local.circle", "main.tf:12:12"),
    "path": ("", "path.module", None),
    "other-literal": ("", "local.other", None),
}


@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
def test_chains_lead_to_what_gives_the_value(chain: tuple[str, str, str | None]) -> None:
    """As far as one thing alone is read, and it may have given that value."""
    repeats, expression, reason = chain
    source = f"""
resource "aws_dynamodb_table" "t" {{
  name         = "orders-prod"
  {repeats}
  billing_mode = {expression}
}}

locals {{
  all = {{ a = {{ kind = "PROVISIONED" }} }}
  list = ["NONE", "PROVISIONED"]
  text = "PROVISIONED"
  circle = local.circle
  other = "PAY_PER_REQUEST"
}}
"""
    given = change({**TABLE, "billing_mode": "PROVISIONED"})
    given |= {"index": "a", "address": 'aws_dynamodb_table.t["a"]'} if repeats else {}
    place = only(planned(source, given)).billing_mode.place
    assert place is not None
    assert ("main.tf:5:18", reason) == (spot(place), spot(place.because) if place.because else None)


POLICY = {
    "Version": "2012-10-17",
    "Statement": [
        {"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "*"},
        {"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"},
    ],
}
SPELLED = {
    "data": ("data.aws_iam_policy_document.d.json", ["main.tf:11:3", "main.tf:12:3"]),
    "merged-data": ("data.aws_iam_policy_document.merged.json", ["main.tf:4:12", "main.tf:4:12"]),
    "dynamic-data": ("data.aws_iam_policy_document.dynamic.json", ["main.tf:4:12", "main.tf:4:12"]),
    "no-data": ("data.aws_iam_policy_document.none.json", ["main.tf:4:12", "main.tf:4:12"]),
    "local": ("local.document", ["main.tf:7:40", "main.tf:7:44"]),
    "one-of-them": ("jsonencode({ Statement = [{}] })", ["main.tf:4:12", "main.tf:4:12"]),
    "no-list": ("jsonencode({ Statement = local.all })", ["main.tf:4:12", "main.tf:4:12"]),
    "no-object": ("jsonencode(local.all)", ["main.tf:4:12", "main.tf:4:12"]),
    "file": ('file("policy.json")', ["main.tf:4:12", "main.tf:4:12"]),
    "text": (json.dumps(json.dumps(POLICY)), ["main.tf:4:12", "main.tf:4:12"]),
    "no-json": ("<<EOT\nnothing\nEOT", ["main.tf:2:1", "main.tf:2:1"]),
    "no-statement": ("<<EOT\n{}\nEOT", ["main.tf:4:12", "main.tf:4:12"]),
    "heredoc": (f"<<EOT\n{json.dumps(POLICY)}\nEOT", ["main.tf:5:41", "main.tf:5:109"]),
}


@pytest.mark.parametrize("spelling", SPELLED.values(), ids=SPELLED)
def test_statements_of_a_known_document_point_at_their_lines(spelling: tuple[str, list[str]]) -> None:
    """Wherever they are spelled out one by one; else at the argument that holds the document."""
    written, places = spelling
    source = f"""
resource "aws_iam_policy" "t" {{
  name = "t"
  policy = {written}
}}
locals {{
  document = jsonencode({{ Statement = [{{}}, {{}}] }})
}}
data "aws_iam_policy_document" "d" {{
  version = "2012-10-17"
  statement {{}}
  statement {{}}
}}
data "aws_iam_policy_document" "merged" {{
  source_json = ""
  statement {{}}
  statement {{}}
}}
data "aws_iam_policy_document" "dynamic" {{
  statement {{}}
  dynamic "statement" {{}}
}}
"""
    given = change({"name": "t", "policy": json.dumps(POLICY)}, type="aws_iam_policy")
    reading = planned(source, given)
    assert reading.estate is not None
    assert places == [spot(grant.statement.place) for grant in reading.estate.grants]


ELEMENTS = {
    "data": (
        "data.aws_iam_policy_document.d.json",
        {"Action": "main.tf:10:17", "Resource": "main.tf:11:17", "Principal": "main.tf:8:3", "Sid": "main.tf:9:17"},
    ),
    "object": (
        "jsonencode(local.document)",
        {"Action": "main.tf:4:12", "Resource": "main.tf:4:12", "Principal": "main.tf:4:12", "Sid": "main.tf:4:12"},
    ),
    "heredoc": (
        "<<EOT\n"
        '{"Version": "2012-10-17", "Statement": [{\n'
        '  "Sid": "${local.sid}", "Effect": "Allow",\n'
        '  "Action": ["dynamodb:GetItem"],\n'
        '  "Resource": "*"\n'
        "}]}\n"
        "EOT",
        {"Action": "main.tf:7:3", "Resource": "main.tf:8:15", "Principal": "main.tf:5:41", "Sid": "main.tf:6:10"},
    ),
}


@pytest.mark.parametrize("spelling", ELEMENTS.values(), ids=ELEMENTS)
def test_elements_of_a_statement_have_places(spelling: tuple[str, dict[str, str]]) -> None:
    """As far as they are spelled out; else the statement has, or the whole argument."""
    written, places = spelling
    source = f"""
resource "aws_iam_policy" "t" {{
  name = "t"
  policy = {written}
}}

data "aws_iam_policy_document" "d" {{
  statement {{
    sid       = "a"
    actions   = ["dynamodb:GetItem"]
    resources = ["*"]
  }}
}}
"""
    statement = {"Sid": "a", "Effect": "Allow", "Action": ["dynamodb:GetItem"], "Resource": "*"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    reading = planned(source, change({"name": "t", "policy": document}, type="aws_iam_policy"))
    assert reading.estate is not None
    (grant,) = reading.estate.grants
    assert places == {element: spot(grant.statement.at(element)) for element in places}


def test_one_statement_need_not_be_a_list() -> None:
    """It stands where its object does."""
    source = 'resource "aws_iam_policy" "t" {\n  policy = jsonencode({\n    Statement = {}\n  })\n}\n'
    given = change({"policy": json.dumps({"Statement": POLICY["Statement"][0]})}, type="aws_iam_policy")
    reading = planned(source, given)
    assert reading.estate is not None
    assert ["main.tf:3:17"] == [spot(grant.statement.place) for grant in reading.estate.grants]


@pytest.mark.parametrize(
    "value", ["<<EOT\nno end", "{ a = ", "[for x in", '"${upper(}"'], ids=["heredoc", "brace", "loop", "template"]
)
def test_a_block_that_cannot_be_read_is_said(value: str) -> None:
    """And judged as it is planned."""
    reading = planned(f'resource "aws_dynamodb_table" "t" {{\n  name = {value}\n}}\n', change(TABLE))
    assert [("TG001", False)] == [fault[:2] for fault in faults(reading)]
    assert ["aws_dynamodb_table.t"] == list(tables(reading))


def test_a_configuration_that_reads_something_else_is_of_another_source() -> None:
    """Blocks too: what they read, and how many there are."""
    source = """
resource "aws_dynamodb_table" "t" {
  name     = var.name
  attribute {
    name = "id"
    type = "S"
  }
  lifecycle {
    prevent_destroy = true
  }
}
"""
    same = {"name": {"references": ["var.name"]}, "attribute": [_attribute("id")]}
    others: list[dict[str, Any]] = [
        {**same, "name": {"references": ["var.other"]}},
        {**same, "name": {"constant_value": "x"}},
        {**same, "attribute": [_attribute("key")]},
        {**same, "attribute": [_attribute("id"), _attribute("id")]},
        {**same, "attribute": {}},
        {"name": same["name"]},
    ]
    found = [_kept(source, one) for one in (same, *others)]
    assert [True, *(None for _ in others)] == found


def _attribute(name: str) -> dict[str, Any]:
    return {"name": {"constant_value": name}, "type": {"constant_value": "S"}}


def _kept(source: str, expressions: dict[str, Any]) -> object:
    reading = planned(source, change(TABLE), configuration=configured(resource(expressions)))
    return only(reading).retention.prevent_destroy.content
