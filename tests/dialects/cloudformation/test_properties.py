"""Sections and resources of a template."""

from __future__ import annotations

import pytest

from tablegate.dialects.cloudformation.loading import load
from tablegate.dialects.cloudformation.properties import Resource, Section
from tablegate.dialects.reading import ReadOptions
from tablegate.dialects.resource import Properties
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


def resource(properties: str, **options: object) -> Resource:
    """A resource with these properties."""
    resolver = load(PIPE.replace("PROPERTIES", properties), "t.yaml", ReadOptions(**options)).resolver
    assert resolver is not None
    (only,) = resolver.template.of("AWS::Pipes::Pipe")
    return Resource(resolver, only)


def section(properties: str, **options: object) -> Section:
    """The properties of that resource."""
    return resource(properties, **options).properties


def test_resource() -> None:
    """A resource of a template has an address, a place and properties."""
    pipe = resource("{A: b}", assume_defaults=True)
    properties: Properties = pipe.properties
    assert (pipe.address, pipe.type) == ("Mapping", "AWS::Pipes::Pipe")
    assert (pipe.present, pipe.place.line) == (True, 4)
    assert properties.text(Fact("a"), "A").content == "b"
    assert (properties.place().line, properties.place("A").column) == (7, 21)


def test_presence() -> None:
    """Outside of a scenario an open condition leaves it unknown whether a resource exists."""
    assert resource("{}").present is None
    assert resource("{}", parameters={"Chosen": "b"}).present is False


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
