"""``Fn::ForEach``: every iteration is read, also if the list is unknown."""

from __future__ import annotations

from support.templates import UNKNOWN, reading, said, tables

TABLE = "{Type: 'AWS::DynamoDB::Table', Properties: {TableName: !Sub 'x-${N}', Tags: [{Key: n, Value: !Ref N}]}}"


def loop(collection: str, body: str = f"'Table${{N}}': {TABLE}", head: str = "") -> str:
    """A template with one loop over its resources."""
    return f"""
Transform: AWS::LanguageExtensions
{head}
Resources:
  Fn::ForEach::Tables: [N, {collection}, {{{body}}}]
"""


def test_loop_over_a_list() -> None:
    """Each iteration creates a resource, with the variable replaced everywhere."""
    found = tables(loop("[A, B]"))
    assert [(it.address, it.name.content, it.tags.content) for it in found] == [
        ("TableA", "x-A", {"n": "A"}),
        ("TableB", "x-B", {"n": "B"}),
    ]


def test_loop_over_a_parameter() -> None:
    """The list can come from a parameter."""
    text = loop("!Ref All", head="Parameters: {All: {Type: CommaDelimitedList}}")
    assert [it.address for it in tables(text, parameters={"All": "A,B"})] == ["TableA", "TableB"]


def test_loop_over_what_is_not_known() -> None:
    """An unknown list is one iteration with an unknown variable."""
    text = loop("!Ref All", head="Parameters: {All: {Type: CommaDelimitedList, Default: 'A,B'}}")
    (found,) = tables(text)
    assert (found.address, said(found.name), found.tags.content) == ("Table${N}", UNKNOWN, {"n": None})
    assert said(found.deletion_protection) is False


def test_nested_loops() -> None:
    """A loop in a loop makes a resource for each pair."""
    body = f"'Fn::ForEach::Inner': [M, [X, Y], {{'T${{N}}${{M}}': {TABLE}}}]"
    assert [it.address for it in tables(loop("[A, B]", body))] == ["TAX", "TAY", "TBX", "TBY"]


def test_bare_form_of_the_variable() -> None:
    """``&{N}`` gives the letters and digits of the value."""
    assert [it.address for it in tables(loop("['a.b']", f"'T&{{N}}': {TABLE}"))] == ["Tab"]


def test_loop_over_properties() -> None:
    """A loop can create properties."""
    text = """
    Transform: AWS::LanguageExtensions
    Resources:
      Orders:
        Type: AWS::DynamoDB::Table
        Properties:
          Fn::ForEach::Props: [P, [DeletionProtection], {"${P}Enabled": true}]
    """
    assert [said(it.deletion_protection) for it in tables(text)] == [True]


def test_loop_over_conditions() -> None:
    """A loop can create conditions."""
    text = """
    Transform: AWS::LanguageExtensions
    Conditions:
      Fn::ForEach::Cs: [C, [A, B], {"Is${C}": !Equals [!Ref C, A]}]
    Resources:
      Orders: {Type: 'AWS::DynamoDB::Table', Properties: {DeletionProtectionEnabled: !If [IsA, true, false]}}
      Carts: {Type: 'AWS::DynamoDB::Table', Properties: {DeletionProtectionEnabled: !If [IsB, true, false]}}
    """
    assert [said(it.deletion_protection) for it in tables(text)] == [True, False]


def faults(text: str) -> list[str]:
    """The messages of the faults that block."""
    return [fault.message for fault in reading(text).faults if fault.blocks]


def test_loop_without_its_transform() -> None:
    """CloudFormation knows no loops without the transform, and would refuse the template."""
    assert faults(loop("[A]").replace("Transform: AWS::LanguageExtensions", "")) == [
        "Resources/Fn::ForEach::Tables: Fn::ForEach needs its transform"
    ]


def test_loop_of_a_wrong_shape() -> None:
    """A loop takes three things."""
    assert faults("Transform: AWS::LanguageExtensions\nResources: {'Fn::ForEach::X': [N, [A]]}") == [
        "Resources/Fn::ForEach::X: Fn::ForEach takes a variable, a list and a mapping"
    ]


def test_loop_over_no_list() -> None:
    """A loop goes through a list."""
    assert faults(loop("text")) == ["Resources/Fn::ForEach::Tables/1: Fn::ForEach needs a list"]


def test_same_key_twice() -> None:
    """A loop that makes a key again is refused: which one counts would be a guess."""
    assert faults(loop("[A, A]")) == ["Resources/Fn::ForEach::Tables: a loop creates 'TableA' twice"]


def test_loops_without_end() -> None:
    """Nested loops with too many iterations are refused quickly."""
    numbers = ", ".join(str(number) for number in range(20))
    name = "x".join(f"${{V{depth}}}" for depth in range(5))
    body = f"'T{name}': {TABLE}"
    for depth in range(5):
        body = f"'Fn::ForEach::L{depth}': [V{depth}, [{numbers}], {{{body}}}]"
    assert "the loops of the template create more than 100000 values" in faults(loop("[A]", body))[0]
