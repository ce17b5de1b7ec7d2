"""What a plan says of itself decides whether it can be judged at all."""

from __future__ import annotations

from typing import Any

import pytest

from support.plans import TABLE, change, configured, faults, made, only, resource, tables, told, written
from tablegate.dialects.reading import ReadOptions
from tablegate.dialects.terraform.plan import read
from tablegate.syntax.json.lazy import Document
from tablegate.syntax.node import ParseError

FAILED = ("TG002", True, "the plan failed: what failed is missing from it")
PARTIAL = ("TG002", True, "a partial plan (-target, or deferred changes): what it leaves out is not judged")


@pytest.mark.parametrize(("name", "fault"), [("errored", FAILED), ("target-incomplete", PARTIAL)])
def test_partial_plans(name: str, fault: tuple[str, bool, str]) -> None:
    """A plan that failed, or was made for a part, blocks unless its user accepts the rest unseen."""
    assert faults(made(name)) == [fault]
    code, _, message = fault
    assert faults(made(name, allow_partial=True)) == [(code, False, message)]


@pytest.mark.parametrize(
    "name", ["create", "noop", "destroy", "refresh-only", "replace-by-request", "modules-provider-keys"]
)
def test_whole_plans(name: str) -> None:
    """Everything else is complete."""
    assert faults(made(name)) == []


def test_refresh_only() -> None:
    """A plan that changes nothing but its state is judged by the state."""
    found = tables(made("refresh-only"))
    assert "aws_dynamodb_table.full" in found
    full = found["aws_dynamodb_table.full"]
    assert full.change is not None
    assert (full.change.kind.value, told(full.region)) == ("no-op", "eu-west-1")


def test_destroy() -> None:
    """A plan that destroys everything leaves no table, and a change for each."""
    reading = made("destroy")
    assert reading.estate is not None
    assert reading.estate.tables == ()
    kinds = {one.kind.value for one in reading.estate.changes}
    assert (kinds, len(reading.estate.changes)) == ({"delete"}, 7)


def test_untouched_by_a_target() -> None:
    """Where a partial plan is accepted, what it does not touch is judged by the state."""
    state = {"resources": [{"mode": "managed", "type": "aws_dynamodb_table", "name": "old", "values": TABLE}]}
    state["resources"][0]["address"] = "aws_dynamodb_table.old"
    prior = {"values": {"root_module": {"child_modules": [{"address": "module.m", **state}], **state}}}
    reading = written(
        change({**TABLE, "name": "new"}),
        complete=False,
        prior_state=prior,
        options=ReadOptions(allow_partial=True),
    )
    old = {"aws_dynamodb_table.old", "module.m.aws_dynamodb_table.old"}  # Terraform 0.12 leaves the module out
    assert set(tables(reading)) == {"aws_dynamodb_table.t", *old}


def test_deferred_changes() -> None:
    """Tables that are put off are judged, and the plan is partial."""
    deferred = [{"reason": "provider_config_unknown", "resource_change": change(TABLE)}]
    reading = written(deferred_changes=deferred)
    assert told(only(reading).name) == "orders-prod"
    assert faults(reading) == [("TG002", True, "the plan defers changes to a later one")]
    broken = written(deferred_changes=[{"reason": "x"}])
    assert ("TG001", True, "deferred_changes[0].resource_change is missing") in faults(broken)
    no_list = written(deferred_changes={})
    assert any(message.startswith("deferred_changes: expected a list") for _, _, message in faults(no_list))


def test_redacted_plan() -> None:
    """A redacted plan lacks values and its configuration: that is said."""
    reading = written(change(TABLE), format_version=..., plan_format_version="1.0")
    assert [(code, blocks) for code, blocks, _ in faults(reading)] == [("TG002", True)]


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"format_version": ...}, "no format_version"),
        ({"format_version": 1.2}, "no format_version"),
        ({"format_version": "2.0"}, "unsupported plan format 2.0"),
        ({"resource_changes": ..., "values": {}}, "a state, not a plan"),
    ],
)
def test_no_plan(members: dict[str, Any], message: str) -> None:
    """What is no plan, or one that nobody has seen yet, is refused."""
    with pytest.raises(ParseError, match=message):
        written(**{"resource_changes": [], **members})


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"errored": "yes"}, "errored must be true or false, not a text"),
        ({"configuration": []}, "configuration must be an object, not a list"),
        ({"variables": "x"}, "variables must be an object, not a text"),
    ],
)
def test_wrong_members(members: dict[str, Any], message: str) -> None:
    """Members of another shape are refused, and the tables judged all the same."""
    reading = written(change(TABLE), **members)
    assert faults(reading) == [("TG001", True, message)]
    assert told(only(reading).name) == "orders-prod"


def test_nothing_in_it() -> None:
    """A plan without resources is a plan."""
    reading = written(resource_changes=...)
    assert (faults(reading), reading.input.resources, reading.input.detail) == ([], 0, "Terraform 1.11.4")
    assert written(resource_changes=None, terraform_version=...).input.detail is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, "resource_changes: expected a list, found an object"),
        (["x"], "resource_changes[0]: expected an object, found a text"),
        ([{}], "resource_changes[0] needs address, type, name, change"),
        ([{**change(TABLE), "address": 1}], "resource_changes[0] needs address"),
        ([{**change(TABLE), "change": []}], "aws_dynamodb_table.t: change must be an object, not a list"),
    ],
)
def test_wrong_changes(content: object, message: str) -> None:
    """A list of changes that is none is refused with the place."""
    assert [found for _, blocks, found in faults(written(resource_changes=content)) if blocks] == [message]


@pytest.mark.parametrize("side", ["before", "after"])
def test_wrong_sides(side: str) -> None:
    """Before and after are objects or null."""
    one = change(TABLE, before=TABLE, actions=["update"])
    one["change"][side] = [TABLE]
    reading = written(one)
    assert reading.estate is not None
    for found in reading.estate.changes:
        assert found.before is None or side == "after"
    assert side == "before" or faults(reading) == [
        ("TG001", True, "aws_dynamodb_table.t: after must be an object or null, not a list")
    ]


def test_members_that_nobody_knows() -> None:
    """Newer plans hold more: it is passed over."""
    one = {**change(TABLE), "something": {"new": 1}, "index": "k", "index_unknown": True}
    one["address"] += '["k"]'
    reading = written(one)
    assert list(tables(reading)) == ['aws_dynamodb_table.t["k"]']
    odd = {**one, "index": [1], "provider_name": 1}
    assert faults(written(odd)) == []


def test_filtered_plans() -> None:
    """Filters leave the mode out; the address tells it."""
    one = change(TABLE)
    del one["mode"]
    data = {**change(TABLE, actions=["read"]), "address": "data.aws_dynamodb_table.t"}
    del data["mode"]
    odd = {**one, "extra": 1, "address": "aws_dynamodb_table.u", "name": "u"}
    assert set(tables(written(one, data))) == {"aws_dynamodb_table.t"}
    assert set(tables(written(one, data, odd))) == {"aws_dynamodb_table.t", "aws_dynamodb_table.u"}


def test_duplicate_keys() -> None:
    """A key that is there twice refuses the plan, with the line in the whole file."""
    text = '{"format_version": "1.2",\n "resource_changes": [\n{"address": "aws_dynamodb_table.t", "mode": "managed",'
    text += '"type": "aws_dynamodb_table", "name": "t", "change": {"actions": ["no-op"],\n'
    text += '"after": {"name": "a", "name": "b"}}}]}'
    with pytest.raises(ParseError) as caught:
        read(Document(text), "plan.json", ReadOptions())
    assert (caught.value.duplicate, caught.value.line) == (True, 4)


@pytest.mark.parametrize("name", ["resource_changes", "deferred_changes"])
def test_duplicate_keys_of_a_change(name: str) -> None:
    """The same of a change's own members."""
    one = '{"address":"aws_dynamodb_table.t","mode":"managed","type":"x","type":"aws_dynamodb_table","name":"t",'
    one += '"change":{"actions":["no-op"],"after":null}}'
    content = one if name == "resource_changes" else f'{{"resource_change":{one}}}'
    with pytest.raises(ParseError, match="duplicate key"):
        read(Document(f'{{"format_version":"1.2","{name}":[{content}]}}'), "plan.json", ReadOptions())


def test_lone_surrogates() -> None:
    """A name that is no proper text is a name."""
    assert told(only(written(change({**TABLE, "name": "\ud800"}))).name) == "\ud800"


def test_configuration_is_optional() -> None:
    """Without a configuration nothing can be followed, and everything else is read."""
    found = only(written(change({**TABLE, "read_capacity": None}, unknown={"read_capacity": True})))
    assert told(found.capacity.read) is ...
    assert told(found.region).__class__ is str
    assert only(written(change(TABLE), configuration=configured(resource({})))).region.content == "eu-west-1"
