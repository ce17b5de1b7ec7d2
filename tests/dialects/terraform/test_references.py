"""Expressions are followed to what they read in the end, in the module instance where they stand."""

from __future__ import annotations

from typing import Any

import pytest

from support.plans import TABLE, change, configured, made, only, resource, tables, told, written
from tablegate.dialects.reading import Faults, ReadOptions
from tablegate.dialects.terraform.configuration import (
    Call,
    Configuration,
    Step,
    bracketed,
    calls,
    parent,
    steps,
    unkeyed,
)
from tablegate.dialects.terraform.references import ExpressionScope, ReferenceResolver
from tablegate.dialects.terraform.resource_changes import ChangeRow, ResourceChanges
from tablegate.syntax.json import lazy as raw_json


@pytest.mark.parametrize(
    ("reference", "parts"),
    [
        ("aws_dynamodb_table.t.arn", (Step("aws_dynamodb_table"), Step("t"), Step("arn"))),
        ('module.m["a.b[0]"].x', (Step("module"), Step("m"), Step(None, "a.b[0]"), Step("x"))),
        ('t.e["q\\"q"]', (Step("t"), Step("e"), Step(None, 'q"q'))),
        ("t.e[0]", (Step("t"), Step("e"), Step(None, 0))),
    ],
)
def test_steps(reference: str, parts: tuple[Step, ...]) -> None:
    """Keys in brackets may hold dots, brackets and quotes."""
    assert steps(reference) == parts


def test_module_addresses() -> None:
    """A module address is a path of calls, each with its instance's key."""
    address = 'module.a["k.v"].module.b[0].module.c'
    assert calls(address) == (
        Call('module.a["k.v"]', "a", "k.v"),
        Call('module.a["k.v"].module.b[0]', "b", 0),
        Call(address, "c", None),
    )
    assert (calls(""), parent(address), parent("module.a")) == ((), 'module.a["k.v"].module.b[0]', "")
    assert unkeyed(address) == "module.a.module.b.module.c"
    assert (bracketed("k"), bracketed(0), bracketed(None)) == ('["k"]', "[0]", "")


def tracer(configuration: dict[str, Any], *addresses: tuple[str, str], **variables: Any) -> ReferenceResolver:
    """A tracer over tables with these module addresses and keys."""
    instances = ResourceChanges(Faults("plan.json"))
    for module, key in addresses:
        item = ChangeRow(
            address="x", type="aws_dynamodb_table", name="t", change=raw_json.msgspec.Raw(b"{}"), mode="managed"
        )
        item.module_address = module
        if key:
            item.index = key
        instances.add(item, raw_json.Plain({"actions": ["create"]}), "resource_changes[0]")
    given = {name: {"value": value} for name, value in variables.items()}
    return ReferenceResolver(Configuration(configuration), instances, given)


def contents(found: ReferenceResolver, expression: object, scope: ExpressionScope) -> list[object]:
    """The constants that an expression reads, and the names of dead ends."""
    return [one.reference if one.is_lost else one.content for one in found.trace(expression, scope)]


ROOT = ExpressionScope("")


def refs(*references: str) -> dict[str, Any]:
    """An expression with references."""
    return {"references": list(references)}


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("var.plain", ["value"]),
        ("var.map.a.b", ["deep"]),
        ('var.map["a"].b', ["deep"]),
        ("var.list[1]", ["two"]),
        ("var.list[7]", [None]),
        ("var.plain.none", [None]),
        ("var.defaulted", ["default"]),
        ("var.missing", [None]),
        ("local.x", ["local.x"]),
        ("data.x", ["data.x"]),
        ("path.module", [""]),
        ("module.gone.x", ["module.gone.x"]),
        ("orphan", ["orphan"]),
    ],
)
def test_root(reference: str, found: list[object]) -> None:
    """Variables of the root have values, with paths into them; locals lead nowhere."""
    configuration = {"root_module": {"variables": {"defaulted": {"default": "default"}}}}
    values = {"plain": "value", "map": {"a": {"b": "deep"}}, "list": ["one", "two"]}
    assert contents(tracer(configuration, **values), refs(reference), ROOT) == found


def test_shapes_of_expressions() -> None:
    """Constants, calls without references, and blocks within blocks."""
    found = tracer({})
    assert contents(found, {"constant_value": 1}, ROOT) == [1]
    assert contents(found, {}, ROOT) == ["a function call"]
    assert contents(found, None, ROOT) == []
    nested = [{"a": {"constant_value": 1}}, {"b": refs("local.x")}]
    assert contents(found, nested, ROOT) == [1, "local.x"]


def test_beginnings_are_no_references_of_their_own() -> None:
    """A plan lists each reference with all its beginnings."""
    found = tracer({}, v={"a": 1})
    assert contents(found, refs("var.v.a", "var.v", "local.b", "local.b"), ROOT) == [1, "local.b"]


CALLED = {
    "root_module": {
        "module_calls": {
            "m": {
                "expressions": {
                    "given": {"constant_value": "given"},
                    "each": refs("each.value.name"),
                    "k": refs("each.key"),
                },
                "for_each_expression": {"constant_value": {"a": {"name": "first"}, "b": {"name": "second"}}},
                "module": {
                    "variables": {"defaulted": {"default": "inner"}},
                    "outputs": {
                        "name": {"expression": refs("var.each")},
                        "fixed": {"expression": {"constant_value": 1}},
                    },
                    "module_calls": {"deep": {"expressions": {"v": refs("var.each")}, "module": {}}},
                },
            },
            "once": {"module": {"outputs": {"o": {"expression": {"constant_value": {"p": "q"}}}}}},
        }
    }
}


@pytest.mark.parametrize(
    ("reference", "scope", "found"),
    [
        ("var.given", ExpressionScope('module.m["a"]', "k"), ["given"]),
        ("var.defaulted", ExpressionScope('module.m["a"]'), ["inner"]),
        ("var.each", ExpressionScope('module.m["a"]'), ["first"]),
        ("var.each", ExpressionScope('module.m["b"]'), ["second"]),
        ("var.k", ExpressionScope('module.m["b"]'), ["b"]),
        ("var.v", ExpressionScope('module.m["b"].module.deep'), ["second"]),
        ('module.m["a"].name', ROOT, ["first"]),
        ("module.m", ExpressionScope("", "b"), [1, "second"]),
        ("module.m", ROOT, [1, "first", "second"]),
        ("module.once.o.p", ROOT, ["q"]),
        ("each.key", ExpressionScope("", "me"), ["me"]),
        ("count.index", ExpressionScope("", 3), [3]),
        ("each.value", ExpressionScope("", "x", refs("local.map")), ["each.value (local.map)"]),
        ("each.value.p", ExpressionScope("", "x", {"constant_value": {"x": {"p": "q"}}}), ["q"]),
        ("each.value.p", ExpressionScope("", "x", {"constant_value": {"x": {}}}), [None]),
        ("each.value", ExpressionScope("", "x", {"constant_value": {"y": "q"}}), ["each.value"]),
        ("each.value", ExpressionScope("", "x", {"constant_value": "a text that a map is made of"}), ["each.value"]),
        ("each.value", ExpressionScope("", "x", {"constant_value": ["x"]}), ["each.value"]),
    ],
)
def test_modules(reference: str, scope: ExpressionScope, found: list[object]) -> None:
    """Into called modules by their outputs, out of them by their variables, each instance by itself."""
    traced = tracer(CALLED, ('module.m["a"]', ""), ('module.m["b"]', ""))
    assert sorted(map(str, contents(traced, refs(reference), scope))) == sorted(map(str, found))


def test_circles_end() -> None:
    """References that go round in a circle end as dead ends."""
    configuration = {
        "root_module": {
            "module_calls": {
                "a": {
                    "expressions": {"v": refs("module.a.o")},
                    "module": {"outputs": {"o": {"expression": refs("var.v")}}},
                }
            }
        }
    }
    (found,) = tracer(configuration).trace(refs("module.a.o"), ROOT)
    assert found.is_lost


def test_instances_of_resources() -> None:
    """A key means one instance, none all of them, unless the reader has a key of its own."""
    traced = tracer({}, ("", "a"), ("", "b"))

    def keys(reference: str, scope: ExpressionScope = ROOT) -> list[object]:
        (mention,) = traced.trace(refs(reference), scope)
        return [one.key for one in mention.targets]

    assert keys('aws_dynamodb_table.t["a"].arn') == ["a"]
    assert keys('aws_dynamodb_table.t["z"].arn') == []
    assert keys("aws_dynamodb_table.t") == ["a", "b"]
    assert keys("aws_dynamodb_table.t", ExpressionScope("", "b")) == ["b"]
    assert keys("aws_dynamodb_table.t", ExpressionScope("", "z")) == ["a", "b"]
    assert keys("each.value.arn", ExpressionScope("", "a", refs("aws_dynamodb_table.t"))) == ["a"]


def test_values_that_are_handed_on() -> None:
    """A resource that only hands a value on is looked through, where there is a resource behind it."""
    hand = {
        **resource(
            {"input": refs("aws_dynamodb_table.t.name", "aws_dynamodb_table.t")}, type="terraform_data", name="h"
        )
    }
    watch = resource({"table_name": refs("terraform_data.h.output", "terraform_data.h")}, type=INSIGHTS, name="i")
    reading = written(
        change({**TABLE, "name": None}, unknown={"name": True}),
        change({}, type="terraform_data", name="h", unknown={"output": True}),
        change({}, type=INSIGHTS, name="i", unknown={"table_name": True}),
        configuration=configured(resource({}), hand, watch),
    )
    assert told(only(reading).insights) is True


INSIGHTS = "aws_dynamodb_contributor_insights"
NOT_SPELLED_OUT = "unknown: the region of its provider's configuration is not known"


@pytest.mark.parametrize(
    ("name", "regions"),
    [
        (
            "modules-and-regions",
            {
                "aws_dynamodb_table.token": "eu-central-1",
                'module.own["a.b"].aws_dynamodb_table.this': "eu-central-1",
                'module.own["c[0]"].aws_dynamodb_table.this': "eu-central-1",
                "module.passed.aws_dynamodb_table.this": NOT_SPELLED_OUT,
            },
        ),
        (
            "create",
            {
                "aws_dynamodb_table.bare": "eu-west-1",
                "module.m[0].aws_dynamodb_table.other": "us-east-1",
                "module.m[0].aws_dynamodb_table.this": "eu-west-1",
            },
        ),
    ],
)
def test_regions(name: str, regions: dict[str, str]) -> None:
    """A region comes from the provider's block, wherever that stands; built from pieces it is not known."""
    found = tables(made(name))
    assert {address: told(found[address].region) for address in regions} == regions


def test_provider_blocks_inside_modules() -> None:
    """A provider block inside a module is found by its module's name."""
    assert {told(table.region) for table in tables(made("modules-provider-keys")).values()} >= {"eu-west-1"}


def test_region_and_account_of_the_user() -> None:
    """What the plan leaves open, the user may say; an ARN follows from its parts."""
    found = only(written(change(TABLE), options=ReadOptions(region="eu-west-1", account="123456789012")))
    assert (told(found.region), told(found.account)) == ("eu-west-1", "123456789012")
    assert told(found.arn) == "arn:aws:dynamodb:eu-west-1:123456789012:table/orders-prod"
    china = only(written(change(TABLE), options=ReadOptions(region="cn-north-1", account="123456789012")))
    assert told(china.arn) == "arn:aws-cn:dynamodb:cn-north-1:123456789012:table/orders-prod"
    assert str(told(only(written(change(TABLE))).arn)).startswith("unknown: ")


def test_account_of_a_neighbour() -> None:
    """An ARN of one table tells the account of all that its provider has."""
    arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/old"
    found = tables(
        written(
            change(TABLE),
            change({**TABLE, "name": "old", "arn": arn}, name="old", actions=["no-op"]),
            configuration=configured(resource({}), resource({}, name="old")),
        )
    )
    assert {told(table.account) for table in found.values()} == {"123456789012"}


@pytest.mark.parametrize(
    ("after", "unknown", "default_tags", "found"),
    [
        ({"tags": None}, {"tags_all": True}, None, ...),
        ({"tags": {"a": "b"}}, {"tags_all": True}, None, {"a": "b"}),
        ({"tags": {"a": "b"}}, {"tags_all": True}, {"constant_value": {"c": "d"}}, {"c": "d", "a": "b"}),
        ({"tags": None}, {"tags_all": True}, refs("local.tags"), "unknown: known only after apply"),
        ({"tags": {"a": "b"}}, {}, None, {"a": "b"}),
        ({}, {"tags": True, "tags_all": True}, None, "unknown: known only after apply"),
        ({"tags_all": {"a": None}}, {}, None, {"a": None}),
    ],
)
def test_tags(after: dict[str, Any], unknown: Any, default_tags: Any, found: object) -> None:
    """The tags a table will carry: with the provider's, where those are constant."""
    configuration = configured(resource({}))
    if default_tags is not None:
        configuration["provider_config"]["aws"]["expressions"]["default_tags"] = [{"tags": default_tags}]
    shown = only(written(change({**TABLE, **after}, unknown=unknown), configuration=configuration))
    assert told(shown.tags) == found
