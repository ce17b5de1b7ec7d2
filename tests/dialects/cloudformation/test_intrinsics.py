"""CloudFormation's functions: their values, and the values that stay unknown."""

from __future__ import annotations

import pytest

from support.templates import UNKNOWN, reading, reason, said, table, template, with_properties

HEAD = """
Transform: AWS::LanguageExtensions
Parameters:
  Env: {Type: String}
  List: {Type: CommaDelimitedList}
  Numbers: {Type: List<Number>}
  Secret: {Type: String, NoEcho: true}
  Unknown: {Type: String}
  Names: {Type: CommaDelimitedList}
Mappings:
  Map: {prod: {name: mapped, parts: [a, b]}}
Conditions:
  Always: !Equals [1, "1"]
  Never: !Equals [!Ref Env, dev]
"""
GIVEN = {"Env": "prod", "List": "a, b,c", "Numbers": "1,2", "Secret": "hunter2"}


def name(expression: str, **options: object) -> object:
    """The value of a table's name."""
    given = {"parameters": GIVEN, "region": "eu-west-1", "account": "123456789012"} | options
    return said(table(template(f"TableName: {expression}", HEAD), **given).name)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("!Ref Env", "prod"),
        ("!Ref AWS::Region", "eu-west-1"),
        ("!Ref AWS::Partition", "aws"),
        ("!Sub '${Env}-${AWS::Region}'", "prod-eu-west-1"),
        ("!Sub ['${A}-${Env}', {A: !Ref Env}]", "prod-prod"),
        ("!Sub '${!Env}'", "${Env}"),
        ("!Sub 'a${Env'", "a${Env"),
        ("!Sub '${ Env }'", "prod"),
        ("!Join ['-', [a, !Ref Env, 1, true]]", "a-prod-1-true"),
        ("!Join ['-', !Ref List]", "a-b-c"),
        ("!Join ['-', [a, [b, c]]]", "a-b-c"),
        ("!Join ['', [a, !If [Never, b, !Ref AWS::NoValue], c]]", "ac"),
        ("!Select [1, !Ref List]", "b"),
        ("!Select ['0', !Split ['-', 'x-y']]", "x"),
        ("!Select [0, !FindInMap [Map, !Ref Env, parts]]", "a"),
        ("!FindInMap [Map, prod, name]", "mapped"),
        ("{'Fn::FindInMap': [Map, dev, name, {DefaultValue: other}]}", "other"),
        ("!If [Always, !If [Never, a, b], c]", "b"),
        ("!Base64 abc", "YWJj"),
        ("{'Fn::ToJsonString': {a: [!Ref Env, 1]}}", '{"a":["prod",1]}'),
        ("{'Fn::ToJsonString': {a: !Ref AWS::NoValue, b: {c: !If [Never, 1, !Ref AWS::NoValue]}}}", '{"b":{}}'),
        ("{'Fn::ToJsonString': [1, !Ref AWS::NoValue, [!Ref AWS::NoValue], null]}", "[1,[],null]"),
        ("{'Fn::ToJsonString': !Ref AWS::NoValue}", UNKNOWN),
        ("{'Fn::ToJsonString': {a: [!Ref AWS::NoValue, !Ref Unknown]}}", UNKNOWN),
        ("!Sub ['n${N}', {N: {'Fn::Length': !Ref List}}]", "n3"),
        ("12", "12"),
        ("!Ref Unknown", UNKNOWN),
        ("!Sub '${Unknown}-a'", UNKNOWN),
        ("!Join ['-', !Ref Names]", UNKNOWN),
        ("!Select [0, !Ref Names]", UNKNOWN),
        ("!Select [!Ref Unknown, [a]]", UNKNOWN),
        ("!Split ['-', !Ref Unknown]", UNKNOWN),
        ("!Base64 {Ref: Unknown}", UNKNOWN),
        ("{'Fn::ToJsonString': {a: [!Ref Unknown]}}", UNKNOWN),
        ("!Sub ['${N}', {N: {'Fn::Length': !Ref Names}}]", UNKNOWN),
        ("!FindInMap [!Ref Unknown, a, b]", UNKNOWN),
        ("!ImportValue other", UNKNOWN),
        ("{'Fn::GetStackOutput': {StackName: s, OutputName: o}}", UNKNOWN),
        ("!Select [0, !GetAZs '']", UNKNOWN),
        ("!Select [0, !Cidr [10.0.0.0/8, 2, 8]]", UNKNOWN),
        ("'{{resolve:ssm:/name:1}}'", UNKNOWN),
        ("!Sub '{{resolve:secretsmanager:${Env}:SecretString:k}}'", UNKNOWN),
        ("!Ref AWS::StackName", UNKNOWN),
        ("!GetAtt Orders.Arn", UNKNOWN),
        ("!GetAtt [Orders, !Ref Env]", UNKNOWN),
        ("!GetAtt [Orders, !Ref Unknown]", UNKNOWN),
        ("{'Fn::Frobnicate': a}", UNKNOWN),
    ],
)
def test_value(expression: str, expected: object) -> None:
    """A function has a value if its arguments are known."""
    assert name(expression) == expected


@pytest.mark.parametrize(
    ("expression", "what"),
    [
        ("{Ref: [a]}", "Ref takes a name"),
        ("!Ref Nobody", "'Nobody' is neither a parameter nor a resource of this template"),
        ("!Sub '${Nobody.Arn}'", "'Nobody' is neither a parameter nor a resource of this template"),
        ("!Sub [a]", "Fn::Sub takes a text, or a text and a map"),
        ("!Sub '${List}'", "List is not a text"),
        ("!Join [a]", "Fn::Join takes a delimiter and a list"),
        ("!Join ['', a]", "Fn::Join takes a delimiter and a list"),
        ("!Join ['', [{a: b}]]", "Fn::Join joins texts"),
        ("!Split [a]", "Fn::Split takes a delimiter and a text"),
        ("!Select [a]", "Fn::Select takes a number and a list"),
        ("!Select [0, a]", "Fn::Select takes a number and a list"),
        ("!Select [3, [a]]", "Fn::Select has no item '3' to select"),
        ("!Select [-1, [a]]", "Fn::Select has no item '-1' to select"),
        ("!If [Always, a]", "Fn::If takes a condition's name and two values"),
        ("!If [Nobody, a, b]", "there is no condition 'Nobody'"),
        ("!FindInMap [Map]", "Fn::FindInMap takes a map and two keys"),
        ("!FindInMap [Nobody, a, b]", "there is no mapping 'Nobody' with this key"),
        ("!FindInMap [Map, prod, nothing]", "there is no mapping 'Map' with this key"),
        ("!GetAtt Orders", "Fn::GetAtt takes a logical id and an attribute"),
        ("{'Fn::If': [Always, a, b], Other: c}", "Fn::If must be the only key of its mapping"),
        ("{Ref: Env, Other: c}", "Ref must be the only key of its mapping"),
        ("{a: b}", "must be a text, not a mapping"),
        ("[a]", "must be a text, not a list"),
    ],
)
def test_wrong_shape(expression: str, what: str) -> None:
    """A function that is not written as it must be is a fault that blocks, and its value is unknown."""
    made = reading(template(f"TableName: {expression}", HEAD), parameters=GIVEN)
    assert made.estate is not None
    assert [(fault.blocks, fault.message.partition(": ")[2]) for fault in made.faults] == [(True, what)]
    assert {said(it.name) for it in made.estate.tables} == {UNKNOWN}


def test_path_of_a_fault() -> None:
    """A fault names the path to it, and its line."""
    (fault,) = reading(template("Tags:\n  - Key: {a: b}\n    Value: c")).faults
    assert (fault.place.path, fault.place.line) == ("Resources/Orders/Properties/Tags/0/Key", 7)


def test_no_value_is_absence() -> None:
    """A property that is ``AWS::NoValue`` is absent."""
    found = table(template("BillingMode: !Ref AWS::NoValue\nTags: [!Ref AWS::NoValue]"))
    assert (said(found.billing_mode), found.billing_mode.place, said(found.tags)) == ("PROVISIONED", None, {})


def test_secret_parameter() -> None:
    """A secret is marked, and so is each text that contains it."""
    made = reading(template("TableName: !Sub 'a-${Secret}'", HEAD), parameters=GIVEN)
    assert made.estate is not None
    (found,) = made.estate.tables
    assert (found.name.content, found.name.sensitive, made.estate.secrets) == ("a-hunter2", True, {"hunter2"})


@pytest.mark.parametrize(
    "expression",
    [
        "!Base64 {Ref: Secret}",
        "!Base64 {'Fn::Sub': 'a-${Secret}'}",
        "{'Fn::ToJsonString': {a: [1, {b: !Ref Secret}]}}",
        "{'Fn::ToJsonString': !Ref Secret}",
        "!Join ['-', [a, !Ref Secret]]",
        "!Join ['-', !Split ['t', !Ref Secret]]",
        "!Select [1, !Split ['t', !Ref Secret]]",
        "!Select [0, !Split [',', !Base64 {Ref: Secret}]]",
        "!Sub ['${A}', {A: !Ref Secret}]",
        "!Select [0, !Ref Secrets]",
        "!Select [0, [!Ref Secret]]",
        "!If [Always, !Ref Secret, a]",
        "!Sub ['n${N}', {N: {'Fn::Length': !Split ['t', !Ref Secret]}}]",
        "!Sub ['n${N}', {N: {'Fn::Length': !Ref Secrets}}]",
        "!FindInMap [Map, !Ref Row, name]",
        "!Select [0, !FindInMap [Map, !Ref Row, parts]]",
    ],
)
def test_every_function_keeps_a_secret(expression: str) -> None:
    """Whatever is computed from a secret is one: its mark goes through every function."""
    head = HEAD.replace(
        "Mappings:",
        "  Row: {Type: String, NoEcho: true}\n  Secrets: {Type: CommaDelimitedList, NoEcho: true}\nMappings:",
    )
    made = reading(template(f"TableName: {expression}", head), parameters=GIVEN | {"Row": "prod", "Secrets": "a,b"})
    assert made.estate is not None
    assert ["(sensitive)"] == [found.name.shown for found in made.estate.tables]


def test_the_pieces_of_a_secret_are_secrets() -> None:
    """Those that are long enough to be no ordinary words."""
    given = {"Secret": "long-enough-a-piecemeal"}
    made = reading(template("TableName: !Select [1, !Split ['-', !Ref Secret]]", HEAD), parameters=given)
    assert made.estate is not None
    assert {*given.values(), "enough", "piecemeal"} == made.estate.secrets


def test_a_secret_that_selects_nothing_is_not_quoted() -> None:
    """The beginning of it would be a text that no scrubber knows."""
    text = template("TableName: !Select [!Ref Secret, [a]]", HEAD)
    (fault,) = reading(text, parameters={"Secret": "12345678901234567890-secret"}).faults
    assert fault.message.endswith("Fn::Select has no item to select")


def test_secret_in_a_fault() -> None:
    """A wrong value that must not be shown is not shown."""
    (fault,) = reading(template("DeletionProtectionEnabled: !Ref Secret", HEAD), parameters=GIVEN).faults
    assert "hunter2" not in f"{fault}"


def test_transform_in_properties() -> None:
    """Fn::Transform beside a table's properties makes all of them unknown, which is reported."""
    made = reading(template("DeletionProtectionEnabled: true\nFn::Transform: {Name: 'AWS::Include'}"))
    assert made.estate is not None
    (found,) = made.estate.tables
    assert (said(found.deletion_protection), said(found.keys), said(found.encryption.owner)) == (UNKNOWN,) * 3
    assert [(fault.code.value, fault.blocks) for fault in made.faults] == [("TG002", False)]


@pytest.mark.parametrize("transform", ["Macro", "[AWS::LanguageExtensions, Macro]", "[{Name: Macro, Parameters: {}}]"])
def test_macro_over_the_template(transform: str) -> None:
    """A macro can rewrite anything: nothing of the template is known."""
    made = reading(template("DeletionProtectionEnabled: true", f"Transform: {transform}"))
    assert made.estate is not None
    (found,) = made.estate.tables
    assert reason(found.deletion_protection) == "the macro Macro can rewrite this template"
    assert [(fault.code.value, fault.blocks) for fault in made.faults] == [("TG002", False)]


@pytest.mark.parametrize(
    "transform",
    ["!Ref Macro", "{Name: !Ref Macro}", "{Parameters: {}}", "[AWS::Serverless-2016-10-31, {}]", "[[Macro]]"],
)
def test_a_transform_without_a_name(transform: str) -> None:
    """CloudFormation refuses the template, and what the transform would make of it nobody knows."""
    made = reading(template("DeletionProtectionEnabled: true", f"Transform: {transform}"))
    messages = [fault.message.partition(": ")[2] for fault in made.faults if fault.blocks]
    assert messages == ["a transform must be a name, or a mapping with a Name"]


def test_transforms_that_leave_tables_alone() -> None:
    """Transforms of AWS that do not touch tables leave them known."""
    transforms = "[AWS::LanguageExtensions, AWS::Serverless-2016-10-31, AWS::SecretsManager-2024-09-16]"
    found = table(template("DeletionProtectionEnabled: true", f"Transform: {transforms}"))
    assert said(found.deletion_protection) is True


def test_names_that_a_transform_makes() -> None:
    """References to resources that SAM generates are valid."""
    head = "Transform: AWS::Serverless-2016-10-31"
    assert reason(table(template("TableName: !Ref FunctionRole", head)).name) == (
        "FunctionRole may come from a transform or module, which is not run"
    )


def test_lists_with_branches() -> None:
    """A branch inside a list adds an item or none."""
    properties = """
    GlobalSecondaryIndexes:
      - !If
        - Always
        - IndexName: a
          KeySchema: [{AttributeName: x, KeyType: HASH}]
          Projection: {ProjectionType: ALL}
        - !Ref AWS::NoValue
      - !If [Never, {IndexName: b}, !Ref AWS::NoValue]
    """
    (found,) = with_properties(properties, HEAD, parameters=GIVEN)
    assert [index.name.content for index in found.indexes.content or ()] == ["a"]
