"""Limits of parameters: what the service refuses is a fault if it is given, and no scenario if it is not."""

from __future__ import annotations

from typing import Any

import pytest

from support.templates import UNKNOWN, reading, said, table, tables, template, with_properties
from tablegate.dialects.cloudformation.parameters import ResolvedText

LENGTH = "is shorter or longer than its MinLength and MaxLength allow"
NUMBER = "is not between its MinValue and MaxValue"
PATTERN = "does not match its AllowedPattern"
NOT_ONE = "is not a number"


def refused(declared: str, value: str) -> list[str]:
    """What is said of a value that is given for P, which nothing uses."""
    found = reading(template("TableName: orders", f"Parameters: {{P: {{{declared}}}}}"), parameters={"P": value})
    assert all(fault.blocks and fault.code.value == "TG001" for fault in found.faults)
    return [fault.message.removeprefix("Parameters/P: ") for fault in found.faults]


@pytest.mark.parametrize(
    ("declared", "value", "why"),
    [
        ("Type: String, MinLength: 1", "", LENGTH),
        ("Type: String, MinLength: '3', MaxLength: 5", "ab", LENGTH),
        ("Type: String, MaxLength: 5", "abcdef", LENGTH),
        ("MinLength: 1", "", LENGTH),
        ("Type: Number, MinValue: 1", "0", NUMBER),
        ("Type: Number, MaxValue: '10'", "10.5", NUMBER),
        ("Type: Number", "many", NOT_ONE),
        ("Type: Number", "", NOT_ONE),
        ("Type: List<Number>", "1, b", NOT_ONE),
        ("Type: String, AllowedPattern: '[a-z]+'", "prod1", PATTERN),
        ("Type: String, AllowedPattern: '^(dev|prod)$'", "prods", PATTERN),
        ("Type: CommaDelimitedList, AllowedPattern: '[a-z]+'", "a,b,C", PATTERN),
        ("Type: String, AllowedValues: [a, b]", "c", "is not among its AllowedValues"),
    ],
)
def test_refused(declared: str, value: str, why: str) -> None:
    """The item that breaks a limit is named, even if no table uses the parameter."""
    (said_,) = refused(declared, value)
    assert said_ == f"{value.rsplit(',', maxsplit=1)[-1].strip()!r} given for the parameter P {why}"


@pytest.mark.parametrize(
    ("declared", "value"),
    [
        ("Type: String, MinLength: 1, MaxLength: 3", "abc"),
        ("Type: String, MaxLength: 1", "üü"),
        ("Type: String, MinLength: many", ""),
        ("Type: String, MinValue: 5", "1"),
        ("Type: Number, MinValue: 1, MaxValue: 2", "1.5"),
        ("Type: Number, MinLength: 3", "1"),
        ("Type: Number, MinValue: 5", "1e1"),
        ("Type: Number", " -5 "),
        ("Type: String, AllowedPattern: '(?i)[a-z]+'", "5"),
        ("Type: CommaDelimitedList, AllowedPattern: '[a-z]+'", ""),
        ("Type: 'AWS::EC2::VPC::Id', AllowedPattern: 'vpc-.*', MinLength: 3", "x"),
        ("Type: 'AWS::SSM::Parameter::Value<String>', AllowedPattern: '/.*', AllowedValues: [/a]", "prod"),
    ],
)
def test_not_refused(declared: str, value: str) -> None:
    """Limits hold for some types only, and what is not certain to be refused is taken."""
    assert refused(declared, value) == []


def test_a_resolved_parameter() -> None:
    """The limits of an SSM parameter are those of its name."""
    text = template("TableName: !Ref P", "Parameters: {P: {Type: 'AWS::SSM::Parameter::Value<String>', MinLength: 9}}")
    assert said(table(text, parameters={"P": ResolvedText("orders")}).name) == "orders"


def test_a_secret_is_not_shown() -> None:
    """The message names the parameter alone."""
    assert refused("Type: String, NoEcho: true, MinLength: 8", "hunter2") == [
        f"the value given for the parameter P {LENGTH}"
    ]


def test_a_default_that_is_refused() -> None:
    """Nobody can deploy with it, so it is not assumed."""
    text = template("TableName: !Ref P", "Parameters: {P: {Type: String, Default: '', MinLength: 1}}")
    assert said(table(text, assume_defaults=True).name) == UNKNOWN


def test_allowed_values_that_other_limits_refuse() -> None:
    """They are no scenarios, unless none is left."""
    head = "Parameters: {P: {Type: String, AllowedValues: ['', a, b], MinLength: %s}}"
    found = with_properties("TableName: !Ref P", head % 1)
    assert [said(it.name) for it in found] == ["a", "b"]
    assert len(with_properties("TableName: !Ref P", head % 5)) == 3


@pytest.mark.parametrize(
    ("declared", "word", "scenarios"),
    [
        ("Type: String, MinLength: 1", "''", 1),
        ("Type: String, MaxLength: 3", "prod", 1),
        ("Type: String, AllowedPattern: 'p-.*'", "prod", 1),
        ("Type: Number, MinValue: 1", "0", 1),
        ("Type: Number, MaxValue: 1", "2", 1),
        ("Type: Number", "none", 1),
        ("Type: String, MinLength: 1", "a", 2),
        ("Type: Number, MinValue: 1", "1", 2),
        ("Type: 'AWS::SSM::Parameter::Value<String>', MinLength: 1", "''", 2),
        ("Type: CommaDelimitedList, AllowedPattern: a", "b", 2),
    ],
)
@pytest.mark.parametrize("order", ["[!Ref P, %s]", "[%s, !Ref P]"])
def test_comparisons(declared: str, word: str, scenarios: int, order: str) -> None:
    """A parameter cannot equal what the service would refuse."""
    head = f"Parameters: {{P: {{{declared}}}}}\nConditions: {{Is: !Equals {order % word}}}"
    found = with_properties("DeletionProtectionEnabled: !If [Is, false, true]", head)
    assert (len(found), said(found[-1].deletion_protection)) == (scenarios, True)


def test_rows_of_a_map() -> None:
    """A row that the parameter cannot name is no scenario."""
    text = """
    Parameters: {P: {Type: String, AllowedPattern: 'p.*'}}
    Mappings: {M: {prod: {Name: a}, dev: {Name: b}, play: {Name: c}}}
    Resources: {T: {Type: 'AWS::DynamoDB::Table', Properties: {TableName: !FindInMap [M, !Ref P, Name]}}}
    """
    assert [said(it.name) for it in tables(text)] == ["a", "c"]
    found: list[Any] = [said(it.name) for it in tables(text.replace("p.*", "x.*"))]
    assert found == [UNKNOWN]
