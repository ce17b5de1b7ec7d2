"""Sections and resources of a template as the protocols of both languages have them."""

from __future__ import annotations

import pytest

from tablegate.dialects.cloudformation.loading import load
from tablegate.dialects.cloudformation.properties import Resource as TemplateResource
from tablegate.dialects.cloudformation.properties import Section, resources_of
from tablegate.dialects.reading import ReadOptions
from tablegate.dialects.resource import Properties, Resource, ResourceRef
from tablegate.model.facts import Fact
from tablegate.model.value import Doubt

PIPE = """
Resources:
  Orders: {Type: 'AWS::DynamoDB::Table'}
  Mapping:
    Type: AWS::Pipes::Pipe
    Condition: Wanted
    Properties: PROPERTIES
Parameters:
  Open: {Type: String}
  Chosen: {Type: String, Default: a}
Conditions:
  Wanted: !Equals [!Ref Chosen, a]
"""


def resource(properties: str, **options: object) -> TemplateResource:
    """A resource with these properties."""
    resolver = load(PIPE.replace("PROPERTIES", properties), "t.yaml", ReadOptions(**options)).resolver
    assert resolver is not None
    (only,) = resources_of(resolver, "AWS::Pipes::Pipe")
    return only


def section(properties: str, **options: object) -> Section:
    """The properties of that resource."""
    return resource(properties, **options).properties


def test_protocols() -> None:
    """A resource of a template is a Resource, and its properties are Properties."""
    of_both: Resource = resource("{A: b}", region="eu-west-1", assume_defaults=True)
    properties: Properties = of_both.properties
    assert (of_both.address, of_both.type, of_both.owner) == ("Mapping", "AWS::Pipes::Pipe", "t.yaml")
    assert (of_both.region.content, of_both.present, of_both.place.line) == ("eu-west-1", True, 4)
    assert properties.text(Fact("a"), "A").content == "b"
    assert (properties.place().line, properties.place("A").column) == (7, 21)


def test_presence() -> None:
    """Outside of a scenario an open condition leaves it unknown whether a resource exists."""
    assert resource("{}").present is None
    assert resource("{}", parameters={"Chosen": "b"}).present is False
    assert not resource("{}").region.known


@pytest.mark.parametrize(
    ("written", "references"),
    [
        ("", []),
        ("arn:aws:sqs:a:b:c", [ResourceRef(text="arn:aws:sqs:a:b:c")]),
        ("[a, b]", [ResourceRef(text="a"), ResourceRef(text="b")]),
    ],
)
def test_known_references(written: str, references: list[ResourceRef]) -> None:
    """Known texts are references without an address."""
    assert list(section(f"{{Source: {written}}}").refs("Source")) == references


def test_reference_to_a_resource() -> None:
    """A reference leads to a resource of the template, also inside of a text."""
    own = section("{Source: !GetAtt Orders.StreamArn, Target: !Sub '${Orders.Arn}/index/*'}")
    (source,), (target,) = own.refs("Source"), own.refs("Target")
    assert (source.address, source.type, source.attribute) == ("Orders", "AWS::DynamoDB::Table", "StreamArn")
    assert (target.address, target.attribute, target.text) == ("Orders", "Arn", "${Orders.Arn}/index/*")
    assert source.doubt is not None


def test_open_reference() -> None:
    """A parameter without a value leads to no resource, and has a doubt."""
    (reference,) = section("{Source: !Ref Open}").refs("Source")
    assert (reference.address, reference.text) == (None, "${Open}")
    assert reference.doubt is not None
    assert "Open" in reference.doubt.reason


def test_wrong_reference() -> None:
    """A mapping names nothing."""
    (reference,) = section("{Source: {a: b}}").refs("Source")
    assert reference.doubt == Doubt("must be a text, not a mapping")


def test_mappings() -> None:
    """One mapping or many, with a doubt for each that is not known."""
    own = section("{One: {a: b}, Open: !Ref Open, Many: [{a: b}, !Ref Open], Text: t}")
    assert isinstance(own.one("One"), Section)
    assert own.one("Absent") is None
    many = own.many("Many")
    assert not isinstance(many, Doubt)
    assert [type(item) for item in many] == [Section, Doubt]
    assert own.many("Absent") == []
    for doubtful in (own.one("Open"), own.many("Open"), own.one("Text"), own.many("Text")):
        assert isinstance(doubtful, Doubt)


def test_doubts() -> None:
    """Only a member that is not known has a doubt."""
    own = section("{Known: a, Open: !Ref Open}")
    assert own.doubt("Known") is None
    assert own.doubt("Absent") is None
    assert isinstance(own.doubt("Open"), Doubt)


def test_unknown_section() -> None:
    """Each member of a section that is not known is not known for the same reason."""
    own = section("!Ref Open")
    inner = own.section("Inner")
    assert inner is not None
    assert own.doubt("Inner") == inner.doubt("Any") == own.text(Fact("a"), "A").doubt


@pytest.mark.parametrize(("written", "content"), [("-1", None), ("'5'", 5), ("5.0", 5)])
def test_number_for_none(written: str, content: int | None) -> None:
    """A number can mean that there is no limit."""
    value = section(f"{{Limit: {written}}}").number(Fact("limit"), "Limit", none=(-1,))
    assert (value.content, value.known) == (content, True)


def test_two_facts_of_one_property() -> None:
    """Each fact of a property has a value of its own."""
    own = section("{Mode: fast}")
    text = own.per_answers("Mode", None, lambda it: it.required_text("Mode"))
    column = own.per_answers("Mode", None, lambda it: it.place("Mode").column)
    assert (text, column) == ("fast", 24)
