"""Blocks and resources of a plan."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.plans import change, configured
from support.plans import resource as in_configuration
from tablegate.dialects.reading import Faults, ReadOptions
from tablegate.dialects.resource import Properties
from tablegate.dialects.terraform.block import LATER, MISSHAPEN, Block, ResourceRef
from tablegate.dialects.terraform.configuration import Configuration
from tablegate.dialects.terraform.prior_state import PriorState
from tablegate.dialects.terraform.references import ReferenceResolver
from tablegate.dialects.terraform.regions import Regions
from tablegate.dialects.terraform.resource_changes import ResourceChanges
from tablegate.dialects.terraform.resources import Resource, Snapshot
from tablegate.model.facts import Fact
from tablegate.syntax.json.lazy import part_of

TYPE = "aws_appautoscaling_scheduled_action"


def resource(after: dict[str, Any], expressions: dict[str, Any] | None = None, **members: Any) -> Resource:
    """The resource of a plan with this content, beside a table whose ARN is known only after apply."""
    rows = [change(after, type=TYPE, **members), change({}, unknown={"arn": True, "name": True})]
    changes, faults = ResourceChanges(Faults("plan.json")), Faults("plan.json")
    changes.read(part_of(json.dumps(rows)), "resource_changes")
    content = configured(in_configuration(expressions or {}, type=TYPE), in_configuration({}))
    configuration = Configuration(content)
    resolver = ReferenceResolver(configuration, changes, {})
    regions = Regions(configuration, resolver, PriorState(None), ReadOptions().region, None)
    snapshot = Snapshot(
        "after", changes, configuration, resolver, regions=regions, faults=faults, dialect=None, source_map=None
    )
    (found,) = snapshot.of(TYPE)
    return found


def properties(after: dict[str, Any], expressions: dict[str, Any] | None = None, **members: Any) -> Block:
    """The properties of that resource."""
    return resource(after, expressions, **members).block


def test_resource() -> None:
    """A resource of a plan has an address, a provider, a region and a place."""
    found = resource({"a": "b"})
    assert (found.address, found.type, found.owner) == (f"{TYPE}.t", TYPE, "aws")
    assert (found.region.content, found.place.file) == ("eu-west-1", "plan.json")


def test_values() -> None:
    """Texts, flags and numbers, which some types keep as texts."""
    found: Properties = properties(
        {"a": "b", "f": True, "n": 5, "d": 1.5, "scalable_target_action": [{"min_capacity": "7"}]}
    )
    assert (found.text(Fact("a"), "a").content, found.flag(Fact("f"), "f").content) == ("b", True)
    assert (found.number(Fact("n"), "n").content, found.decimal(Fact("d"), "d").content) == (5, 1.5)
    assert found.number(Fact("n", 3), "n", (5,)).content == 3
    action = found.one("scalable_target_action")
    assert not isinstance(action, type(LATER))
    assert action is not None
    assert action.number(Fact("n"), "min_capacity").content == 7
    assert action.place("min_capacity").path == f"{TYPE}.t.scalable_target_action[0].min_capacity"
    assert action.place().path == f"{TYPE}.t.scalable_target_action[0]"


@pytest.mark.parametrize(("text", "known"), [("ON", True), ("on", False)])
def test_one_of_a_few(text: str, known: bool) -> None:
    """A text that is not among those allowed is not known."""
    found = properties({"a": text}).text(Fact("a"), "a", ("ON", "OFF"))
    assert found.known is known
    assert found.doubt is (None if known else MISSHAPEN)


def test_references() -> None:
    """Texts as they are, and the resources that an unknown member reads."""
    expressions = {"arns": {"references": ["aws_dynamodb_table.t.arn", "aws_dynamodb_table.t"]}}
    found = properties({"name": "n", "names": ["a", "b"]}, expressions, unknown={"arns": True})
    assert list(found.refs("name")) == [ResourceRef(text="n")]
    assert list(found.refs("names")) == [ResourceRef(text="a"), ResourceRef(text="b")]
    assert list(found.refs("absent")) == []
    (ref,) = found.refs("arns")
    assert (ref.address, ref.type, ref.attribute) == ("aws_dynamodb_table.t", "aws_dynamodb_table", "arn")
    assert ref.doubt is not None
    assert found.doubt("arns") is not None
    assert found.doubt("name") is None
