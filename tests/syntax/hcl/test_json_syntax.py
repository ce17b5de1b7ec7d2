"""Terraform's language in JSON: the same blocks and expressions as the native syntax, with places."""

from __future__ import annotations

import json

import pytest

from tablegate.model.value import Place
from tablegate.syntax.hcl.json_syntax import JsonFile
from tablegate.syntax.hcl.nodes import (
    Access,
    Attr,
    Binary,
    Block,
    Call,
    Expression,
    Literal,
    Name,
    Object,
    Opaque,
    Template,
    Tuple,
)
from tablegate.syntax.node import ParseError

VAR = Access(Name("var"), (Attr("x"),))


def _blocks(content: object) -> list[Block]:
    return JsonFile("main.tf.json", json.dumps(content)).blocks()


def _bodies(text: str) -> list[object]:
    return [block.body for block in JsonFile("main.tf.json", text).blocks()]


def _value(content: object) -> Expression:
    (block,) = _blocks({"locals": {"a": content}})
    return block.body.attributes["a"].value


def test_labels_are_the_names_on_the_way() -> None:
    """A block may be an object or a list of them at each level, and keys of two slashes are comments."""
    blocks = _blocks(
        {
            "//": "a comment",
            "resource": [{"aws_dynamodb_table": {"a": {}, "b": [{}, {}]}}, {"aws_kms_key": {"k": {}, "//": "x"}}],
            "variable": {"v": {}},
            "locals": {"l": 1},
        }
    )
    assert [(block.type, *block.labels) for block in blocks] == [
        ("resource", "aws_dynamodb_table", "a"),
        ("resource", "aws_dynamodb_table", "b"),
        ("resource", "aws_dynamodb_table", "b"),
        ("resource", "aws_kms_key", "k"),
        ("variable", "v"),
        ("locals",),
    ]


def test_what_holds_objects_and_is_a_block_in_terraform_is_one() -> None:
    """An object, or a list of objects, under the name of a block; a dynamic block has its label in between."""
    (block,) = _blocks(
        {
            "resource": {
                "aws_dynamodb_table": {
                    "t": {
                        "ttl": {"enabled": True},
                        "attribute": [{"name": "a"}, {"name": "b"}],
                        "replica": [],
                        "tags": {"a": "b"},
                        "dynamic": {"point_in_time_recovery": {"for_each": [], "content": {"enabled": True}}},
                    }
                }
            }
        }
    )
    assert [(one.type, one.labels) for one in block.body.blocks] == [
        ("ttl", ()),
        ("attribute", ()),
        ("attribute", ()),
        ("dynamic", ("point_in_time_recovery",)),
    ]
    assert list(block.body.attributes) == ["tags"]
    assert [one.type for one in block.body.blocks[-1].body.blocks] == ["content"]


def test_a_type_that_goes_on_is_refused() -> None:
    """At its place in the file."""
    (block,) = JsonFile("main.tf.json", '{"variable": {"v": {"type": "string string"}}}').blocks()
    with pytest.raises(ParseError, match="invalid expression") as caught:
        _ = block.body
    assert (1, 29) == (caught.value.line, caught.value.column)


def test_null_in_a_list_is_a_block_without_content() -> None:
    """Null alone is none."""
    (block,) = _blocks({"resource": {"aws_dynamodb_table": {"t": [{"ttl": [None, {}], "replica": None}]}}})
    assert ["ttl", "ttl"] == [one.type for one in block.body.blocks]
    assert not block.body.blocks[0].body.attributes


@pytest.mark.parametrize("written", [[[{"enabled": True}]], [[{"//": 1}, {"enabled": True}]]])
def test_the_objects_of_a_list_in_a_list_are_one_block(written: object) -> None:
    """Each item of the outer list is a block, whose members may be spread."""
    (block,) = _blocks({"resource": {"aws_dynamodb_table": {"t": [[{"name": "a"}, {"ttl": written}]]}}})
    (ttl,) = block.body.blocks
    assert ["name"] == list(block.body.attributes)
    assert Literal(True) == ttl.body.attributes["enabled"].value


@pytest.mark.parametrize(
    ("content", "meant"),
    [
        (1, Literal(1)),
        (None, Literal(None)),
        ("plain", Literal("plain")),
        ("${var.x}", VAR),
        ("${var.x + 1}", Binary("+", VAR, Literal(1))),
        ("%{ if a }b%{ endif }", Opaque("a template with directives")),
        ("${var.x + 1} and $${2}", Template((Binary("+", VAR, Literal(1)), Literal(" and ${2}")))),
        (["${var.x}", 2], Tuple((VAR, Literal(2)))),
        ({"a": "${var.x}", "${var.x}": 1}, Object(((Literal("a"), VAR), (VAR, Literal(1))))),
    ],
)
def test_texts_are_templates(content: object, meant: Expression) -> None:
    """Also the keys of objects; what is more than a template can be is not evaluated."""
    assert _value(content) == meant


def test_a_word_is_looked_for_in_the_whole_file() -> None:
    """Which is near enough: who asks wants to know what may be there."""
    file = JsonFile("main.tf.json", '{"locals": {"a": "DynamoDB"}}')
    assert (file.says(0, 0, "dynamodb"), file.says(0, 0, "provisioner")) == (True, False)


def test_no_text_is_a_heredoc() -> None:
    """JSON has none: what looks like one is a text like all others, and no place is told inside it."""
    (block,) = _blocks({"locals": {"a": "<<EOT\nx\nEOT\n"}})
    attribute = block.body.attributes["a"]
    assert attribute.file.heredoc(attribute.first) is None


def test_files_of_variables_are_taken_literally() -> None:
    """Terraform reads no templates in them."""
    body = JsonFile("x.tfvars.json", '{"a": "${b}", "c": {"d": ["${e}"]}}').assignments()
    assert {name: one.value for name, one in body.attributes.items()} == {
        "a": Literal("${b}"),
        "c": Object(((Literal("d"), Tuple((Literal("${e}"),))),)),
    }


def test_places_are_those_of_the_values() -> None:
    """A value is underlined where it stands on one line."""
    (block,) = JsonFile("main.tf.json", '{"locals": {\n  "a": "b"}}').blocks()
    assert block.place == Place("main.tf.json", 1, 2)
    assert block.body.attributes["a"].place == Place("main.tf.json", 2, 8, 11)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]", "expected an object"),
        ("3", "the top level must be an object, or a list of objects"),
        ('{"resources": {}}', '"resources" is not a Terraform block'),
        ('{"resource": {"a": 1}}', "expected an object"),
        ('{"resource": {"a": {"b": 1}}}', "resource must be an object"),
        ('{"locals": {"a": "${1 +}"}}', "invalid expression"),
    ],
)
def test_what_is_wrong_is_refused(text: str, message: str) -> None:
    """Nothing is skipped in silence."""
    with pytest.raises(ParseError) as caught:
        _bodies(text)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("outer", "content"),
    [
        ({"module": {"m": {"ttl": {"a": 1}, "dynamic": {"b": 2}}}}, ["ttl", "dynamic"]),
        (
            {"locals": {"point_in_time_recovery": {"enabled": True}, "dynamic": 1}},
            ["point_in_time_recovery", "dynamic"],
        ),
        ({"variable": {"ttl": {"default": {"a": 1}}}}, ["default"]),
        ({"resource": {"awscc_dynamodb_table": {"t": {"key_schema": [{"a": 1}]}}}}, ["key_schema"]),
    ],
)
def test_what_has_the_name_of_a_block_elsewhere_is_a_value(outer: object, content: list[str]) -> None:
    """Only resources and providers have these blocks, and not all of them."""
    (block,) = _blocks(outer)
    assert (content, ()) == (list(block.body.attributes), block.body.blocks)


def test_types_of_variables_are_expressions() -> None:
    """In a text without template signs."""
    text = '{"variable": {"v": {"type": "object({enabled = optional(bool, false)})", "default": "string"}}}'
    (block,) = JsonFile("main.tf.json", text).blocks()
    inner = Call("optional", (Name("bool"), Literal(False)))
    assert Call("object", (Object(((Literal("enabled"), inner),)),)) == block.body.attributes["type"].value
    assert Literal("string") == block.body.attributes["default"].value


def test_two_slashes_are_a_comment_in_bodies_alone() -> None:
    """In a value they are a key like others."""
    assert Object(((Literal("//"), Literal(1)), (Literal("a"), Literal(1)))) == _value({"//": 1, "a": 1})
    body = JsonFile("x.tfvars.json", '{"//": "comment", "a": {"//": 1}}').assignments()
    assert {"a": Object(((Literal("//"), Literal(1)),))} == {name: one.value for name, one in body.attributes.items()}


def test_the_top_may_be_a_list_of_objects() -> None:
    """Also in a file of variables, where no name may occur twice."""
    blocks = _blocks([{"locals": {"a": 1}}, {}, {"locals": {"b": 1}, "output": {"o": None}, "module": None}])
    assert [["a"], ["b"]] == [list(block.body.attributes) for block in blocks]
    assert {"a", "b"} == set(JsonFile("x.tfvars.json", '[{"a": 1}, {"b": 2}]').assignments().attributes)
    with pytest.raises(ParseError, match="twice"):
        JsonFile("x.tfvars.json", '[{"a": 1}, {"a": 2}]').assignments()


def test_a_word_with_escapes_is_found() -> None:
    """What decides whether a block is read at all knows them."""
    assert JsonFile("main.tf.json", r'{"locals": {"for\u005feach": 1}}').says(0, 0, "for_each")


def test_a_type_is_any_expression() -> None:
    """A type may be any expression."""
    (block,) = JsonFile("main.tf.json", '{"variable": {"v": {"type": " (any) /* c */ // d"}}}').blocks()
    assert Name("any") == block.body.attributes["type"].value
