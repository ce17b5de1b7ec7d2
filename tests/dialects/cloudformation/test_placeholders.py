"""Texts that another tool fills in before CloudFormation sees them are unknown."""

from __future__ import annotations

import json

import pytest

from support.templates import UNKNOWN, reading, reason, said, table, tables, template, with_properties
from tablegate.dialects.cloudformation.placeholders import has_placeholder
from tablegate.dialects.cloudformation.stacks import read
from tablegate.dialects.reading import ReadOptions

KEYS = """
KeySchema: [{AttributeName: pk, KeyType: HASH}]
AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]
"""
PLACEHOLDERS = [
    "${self:custom.name}",
    "${opt:stage, self:provider.stage}-orders",
    "${self:custom.${opt:stage}.name}",
    "${self:custom.${opt:stage, '${env:STAGE}'}.name}",
    "orders-${sls:stage}",
    "${env:NAME}",
    "${param:name}",
    "${file(names.yml):orders}",
    "${cf:other.Name}",
    "${cf.eu-west-1:other.Name}",
    "${ssm:/orders/name}",
    "${ssm(eu-west-1):/orders/name}",
    "${s3(eu-west-1):bucket/name}",
    "${aws:region}-orders",
    "{{ name }}",
    "orders-{{stage}}",
    "${{ parameters.name }}",
    "<%= name %>",
    "${self:deeper.${a.${b.${c.${d}}}}}",
]
OWN = [
    "${aws:username}",
    "${aws:PrincipalTag/team}",
    "${s3:prefix}",
    "${ssm:resourceTag/team}",
    "${saml:sub}",
    "${Orders}",
    "{{",
    "}} {{",
    "{}",
    "< %",
    "{% $states.input.name %}",
]


@pytest.mark.parametrize("text", PLACEHOLDERS)
def test_a_placeholder_is_unknown(text: str) -> None:
    """A name with a placeholder is not that text, in YAML and in JSON."""
    spelled = json.dumps(text)
    (it,) = with_properties(f"TableName: {spelled}\n{KEYS}")
    assert said(it.name) == UNKNOWN
    assert reason(it.name).endswith(" is filled in before the deploy")
    assert it.name.doubt is not None
    assert it.name.doubt.settle is not None
    body = {"Type": "AWS::DynamoDB::Table", "Properties": {"TableName": text, "BillingMode": "PAY_PER_REQUEST"}}
    made = read(json.dumps({"Resources": {"Orders": body}}), "t.json", ReadOptions())
    assert made.estate is not None
    assert [said(it.name) for it in made.estate.tables] == [UNKNOWN]


@pytest.mark.parametrize("text", OWN)
def test_what_aws_has_itself_is_no_placeholder(text: str) -> None:
    """Variables of IAM, names of Fn::Sub and odd braces are none."""
    assert not has_placeholder(text)


@pytest.mark.parametrize("call", ["!Sub '{}'", "!Sub ['{}', {{x: y}}]", "!Join ['', ['{}']]", "!Select [0, ['{}']]"])
@pytest.mark.parametrize("text", ["${self:custom.name}", "<%= name %>"])
def test_a_placeholder_in_a_function_is_unknown(call: str, text: str) -> None:
    """A function of a placeholder is not known, and is no fault."""
    (it,) = with_properties(f"TableName: {call.format(text)}\n{KEYS}")
    assert said(it.name) == UNKNOWN


def test_names_beside_a_placeholder_are_filled_in() -> None:
    """``Fn::Sub`` replaces its own names; what is the same in two texts is equal."""
    it = table(
        """
        Parameters: {Env: {Type: String}}
        Conditions:
          Same: !Equals [!Sub "${self:service}-${Env}", "${self:service}-prod"]
        Resources:
          Orders:
            Type: AWS::DynamoDB::Table
            Properties:
              TableName: !If [Same, a, b]
              KeySchema: [{AttributeName: pk, KeyType: HASH}]
              AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]
        """,
        parameters={"Env": "prod"},
    )
    assert said(it.name) == "a"


@pytest.mark.parametrize("placeholder", ["${self:custom.stage}", "{{ stage }}", "<%= stage %>"])
def test_a_condition_on_a_placeholder_makes_no_table_vanish(placeholder: str) -> None:
    """Such a condition is open: the table is there in one scenario."""
    (it,) = tables(
        f"""
        Conditions: {{IsProd: !Equals ["{placeholder}", prod]}}
        Resources:
          Orders:
            Type: AWS::DynamoDB::Table
            Condition: IsProd
            Properties:
              KeySchema: [{{AttributeName: pk, KeyType: HASH}}]
              AttributeDefinitions: [{{AttributeName: pk, AttributeType: S}}]
        """
    )
    assert it.scenario == {"IsProd": "true"}


def test_the_name_of_a_condition_may_be_a_placeholder() -> None:
    """Which condition it is, on a resource or in ``Fn::If``, is unknown."""
    (it,) = tables(
        """
        Resources:
          Orders:
            Type: AWS::DynamoDB::Table
            Condition: ${self:custom.condition}
            Properties:
              TableName: !If ["${self:custom.condition}", a, b]
              KeySchema: [{AttributeName: pk, KeyType: HASH}]
              AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]
        """
    )
    assert said(it.name) == UNKNOWN
    assert reason(it.name) == "${self:custom.condition} is filled in before the deploy"


def test_a_type_may_be_a_placeholder() -> None:
    """A resource of any type may be a table: that blocks."""
    (fault,) = reading("Resources: {Orders: {Type: '${self:custom.type}'}}").faults
    assert fault.blocks
    assert fault.message == "Resources/Orders/Type: the type of this resource is filled in before the deploy"


@pytest.mark.parametrize(
    ("declared", "given"),
    [
        ("{Type: String, Default: '${self:custom.name}'}", {}),
        ("{Type: CommaDelimitedList, Default: '${self:custom.name},x'}", {}),
        ("{Type: String, AllowedValues: ['${self:custom.name}']}", {}),
        ("{Type: String, AllowedPattern: '${self:custom.pattern}'}", {}),
        ("{Type: String}", {"Name": "{{ name }}"}),
    ],
)
def test_a_parameter_may_be_a_placeholder(declared: str, given: dict[str, str]) -> None:
    """Its default, its allowed values and the value that is given for it are not known then."""
    properties = f"TableName: !Sub '${{Name}}'\n{KEYS}" if "List" not in declared else f"TableName: !Ref Name\n{KEYS}"
    head = f"Parameters: {{Name: {declared}}}"
    (it,) = with_properties(properties, head, parameters=given, assume_defaults=True)
    assert said(it.name) == UNKNOWN


@pytest.mark.parametrize(
    "call", ["!GetAtt '${self:custom.other}.Arn'", "!Ref '${self:custom.other}'", "!FindInMap ['${self:a}', b, c]"]
)
def test_what_a_function_names_may_be_a_placeholder(call: str) -> None:
    """Nothing is said to be missing then."""
    (it,) = with_properties(f"TableName: {call}\n{KEYS}")
    assert said(it.name) == UNKNOWN


def test_a_delimiter_is_written_out() -> None:
    """A placeholder as the delimiter would be taken for its text."""
    (fault,) = reading(template(f"TableName: !Join ['${{self:custom.dash}}', [a, b]]\n{KEYS}")).faults
    assert fault.message == "Resources/Orders/Properties/TableName: Fn::Join takes a delimiter and a list"


def test_a_dynamic_reference_may_hold_a_placeholder() -> None:
    """The whole of it is one unknown."""
    (it,) = with_properties("TableName: '{{resolve:ssm:${self:custom.path}}}'\n" + KEYS)
    assert said(it.name) == UNKNOWN


def test_an_alias_is_marked_once() -> None:
    """A node may stand in several places."""
    (it,) = with_properties(f"TableName: &a '${{self:custom.name}}'\nTags: [&t {{Key: a, Value: *a}}, *t]\n{KEYS}")
    assert said(it.name) == UNKNOWN
    assert "unfilled" not in str(it.raw())


def test_a_loop_over_a_placeholder() -> None:
    """A placeholder in a loop is still one when the loop is unrolled."""
    found = tables(
        """
        Transform: AWS::LanguageExtensions
        Resources:
          Fn::ForEach::All:
            - Name
            - [A, B]
            - T${Name}:
                Type: AWS::DynamoDB::Table
                Properties:
                  TableName: ${self:service}-${Name}
                  KeySchema: [{AttributeName: pk, KeyType: HASH}]
                  AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]
        """
    )
    assert [(it.address, said(it.name)) for it in found] == [("TA", UNKNOWN), ("TB", UNKNOWN)]
