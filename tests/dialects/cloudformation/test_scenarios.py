"""Scenarios: which there are, their names, and the tables in each."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from support.templates import UNKNOWN, reading, reason, said, table, tables, template, with_properties
from tablegate.engine.jsonpath import view
from tablegate.model.table import Table
from tablegate.model.value import Span

PITR = "PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: %s}"
IS_PROD = """
    Parameters:
      Env: {Type: String, Default: prod}
    Conditions:
      IsProd: !Equals [!Ref Env, prod]
"""


def recovery(found: tuple[Table, ...]) -> list[tuple[Any, Any]]:
    """Each scenario, and whether recovery is on in it."""
    return [(it.scenario, said(it.recovery.enabled)) for it in found]


@pytest.mark.parametrize(
    "type_", ["AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable", "AWS::Serverless::SimpleTable"]
)
@pytest.mark.parametrize(("given", "tables"), [({"Env": "dev"}, (0, 1)), ({"Env": "prod"}, (1, 0)), ({}, (1, 0))])
def test_tables_that_are_not_created_are_counted(type_: str, given: dict[str, str], tables: tuple[int, int]) -> None:
    """A table under a condition that never holds is none, but is not forgotten."""
    seen = reading(
        f"""
        Transform: AWS::Serverless-2016-10-31
        Parameters: {{Env: {{Type: String}}}}
        Conditions: {{IsProd: !Equals [!Ref Env, prod]}}
        Resources:
          Orders: {{Type: "{type_}", Condition: IsProd}}
        """,
        parameters=given,
    ).input
    assert tables == (seen.tables, seen.not_created)


def test_allowed_values() -> None:
    """Without a value, each of AllowedValues is a scenario, with any default."""
    head = "Parameters: {Recover: {Type: String, Default: 'true', AllowedValues: ['true', 'false']}}"
    assert recovery(with_properties(PITR % "!Ref Recover", head)) == [
        ({"Recover": "true"}, True),
        ({"Recover": "false"}, False),
    ]


@pytest.mark.parametrize(
    ("declared", "units", "expected"),
    [
        ("Type: Number, MinValue: 1, MaxValue: 40", "!Ref Units", Span(1, 40)),
        ("Type: Number, MinValue: '5', Default: 7", "!Ref Units", Span(low=5)),
        ("Type: Number, MaxValue: 0.5", "!Ref Units", Span(high=0.5)),
        ("Type: Number, MinValue: 1", "!If [Large, !Ref Units, !Ref Units]", Span(low=1)),
        ("Type: Number, MinValue: 1", "!Sub '${Units}0'", None),
        ("Type: Number, MinValue: 1", "!Select [0, !Split [',', !Ref Units]]", None),
        ("Type: Number, MinValue: many", "!Ref Units", None),
        ("Type: Number, MinValue: [1]", "!Ref Units", None),
        ("Type: Number", "!Ref Units", None),
        ("Type: String, MinValue: 1", "!Ref Units", None),
    ],
)
def test_a_bounded_number(declared: str, units: str, expected: Span | None) -> None:
    """MinValue and MaxValue bound an unknown number, as CloudFormation refuses any other."""
    head = f"Parameters: {{Units: {{{declared}}}}}\nConditions: {{Large: !Equals [!Ref 'AWS::StackName', x]}}"
    given = f"ProvisionedThroughput: {{ReadCapacityUnits: {units}, WriteCapacityUnits: 1}}"
    found = {it.capacity.read.span for it in with_properties(given, head)}
    assert {expected} == found


def test_one_allowed_value() -> None:
    """One allowed value leaves nothing open."""
    head = "Parameters: {Recover: {Type: String, AllowedValues: ['true']}}"
    assert recovery(with_properties(PITR % "!Ref Recover", head)) == [(None, True)]


def test_a_default_is_no_promise() -> None:
    """A parameter without a value is unknown even with a default, and its doubt names the option to pass."""
    head = "Parameters: {Recover: {Type: String, Default: 'true'}}"
    (found,) = with_properties(PITR % "!Ref Recover", head)
    doubt = found.recovery.enabled.doubt
    assert doubt is not None
    assert doubt == (
        "parameter Recover has no value (its default true is not assumed)",
        "pass --params FILE or --param Recover=VALUE, or --assume-defaults",
        ("Recover",),
    )


def test_assumed_defaults() -> None:
    """With --assume-defaults the default is the value, also if others are allowed."""
    head = "Parameters: {Recover: {Type: String, Default: 'true', AllowedValues: ['true', 'false']}}"
    assert recovery(with_properties(PITR % "!Ref Recover", head, assume_defaults=True)) == [(None, True)]


def test_given_value() -> None:
    """With a value there is one scenario."""
    head = "Parameters: {Recover: {Type: String, Default: 'true', AllowedValues: ['true', 'false']}}"
    assert recovery(with_properties(PITR % "!Ref Recover", head, parameters={"Recover": "false"})) == [(None, False)]


def test_given_value_that_is_not_allowed() -> None:
    """A value that CloudFormation would refuse is refused."""
    head = "Parameters: {Name: {Type: String, AllowedValues: [a, b]}}"
    (fault,) = reading(template("TableName: !Ref Name", head), parameters={"Name": "c"}).faults
    assert (fault.blocks, fault.message) == (
        True,
        "Parameters/Name: 'c' given for the parameter Name is not among its AllowedValues",
    )


@pytest.mark.parametrize(
    ("left", "right", "scenarios"),
    [
        ("!Sub 'x-${Env}'", "x-prod", 2),
        ("!Sub '${Env}-x'", "prod-x", 2),
        ("prod", "!Join ['', [!Ref Env]]", 2),
        ("!Join ['-', [a, !Ref Env, b]]", "a-prod-b", 2),
        ("!Sub 'x-${Env}'", "y-prod", 1),
        ("!Sub 'aa${Env}aa'", "aaa", 1),
        ("!Sub '${Env}-${Env}'", "prod-prod", 4),
        ("!Sub '${Env}-${AWS::Region}'", "prod-eu-west-1", 4),
    ],
)
def test_a_text_around_a_parameter(left: str, right: str, scenarios: int) -> None:
    """It equals a word if the parameter is the rest of that word, so that no two scenarios contradict each other."""
    head = f"{IS_PROD.rstrip()}\n      IsNamed: !Equals [{left}, {right}]"
    text = "DeletionProtectionEnabled: !If [IsProd, true, false]\n" + PITR % "!If [IsNamed, true, false]"
    found = {(said(it.deletion_protection), said(it.recovery.enabled)) for it in with_properties(text, head)}
    expected = {(True, True), (False, False)} if scenarios == 2 else {(True, False), (False, False)}
    assert found == (expected if scenarios < 4 else {(one, other) for one in (True, False) for other in (True, False)})


def test_undecided_condition() -> None:
    """Both branches of a condition that cannot be decided are scenarios, called by its name."""
    assert recovery(with_properties(PITR % "!If [IsProd, true, false]", IS_PROD)) == [
        ({"IsProd": "true"}, True),
        ({"IsProd": "false"}, False),
    ]


def test_branches_that_say_the_same() -> None:
    """Equal branches need no scenarios."""
    assert recovery(with_properties(PITR % "!If [IsProd, true, true]", IS_PROD)) == [(None, True)]


def test_true_and_one_are_not_alike() -> None:
    """A branch that only counts as true is not taken for the other."""
    faults = reading(template(PITR % "!If [IsProd, true, 1]", IS_PROD)).faults
    assert [fault.blocks for fault in faults] == [True]


def test_table_under_a_condition() -> None:
    """A table that exists in some scenarios appears in those alone, and agrees with them inside."""
    text = f"""
    Parameters: {{Env: {{Type: String}}}}
    Conditions: {{IsProd: !Equals [!Ref Env, prod]}}
    Resources:
      Orders:
        Type: AWS::DynamoDB::Table
        Condition: IsProd
        Properties:
          {PITR % "!If [IsProd, false, true]"}
    """
    assert recovery(tables(text)) == [({"IsProd": "true"}, False)]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("!Not [!Condition IsProd]", [({"IsProd": "true"}, False), ({"IsProd": "false"}, True)]),
        ("!And [!Condition IsProd, !Condition Never]", [(None, False)]),
        ("!Or [!Condition IsProd, !Condition Always]", [(None, True)]),
        ("!Equals [!Ref Env, dev]", [({"Other": "true"}, True), ({"Other": "false"}, False)]),
        ("!Not [!Equals [!Ref Env, dev]]", [({"Other": "false"}, False), ({"Other": "true"}, True)]),
        ("!Equals [!Ref Env, !Ref Twin]", [({"Other": "true"}, True), ({"Other": "false"}, False)]),
        ("!Equals [!Ref Env, !Ref Env]", [(None, True)]),
    ],
)
def test_derived_conditions(condition: str, expected: list[tuple[Any, Any]]) -> None:
    """Conditions follow from the conditions in them; a comparison is named by its condition."""
    head = f"""
    Parameters: {{Env: {{Type: String}}, Twin: {{Type: String}}}}
    Conditions:
      IsProd: !Equals [!Ref Env, prod]
      Never: !Equals [a, b]
      Always: !Equals ["true", true]
      Other: {condition}
    """
    assert recovery(with_properties(PITR % "!If [Other, true, false]", head)) == expected


def test_conditions_that_multiply() -> None:
    """Conditions that name each other over and over are decided once each."""
    chain = "\n".join(f"  C{at}: !Or [!Condition C{at - 1}, !Condition C{at - 1}]" for at in range(1, 60))
    head = f"Parameters: {{P: {{Type: String}}}}\nConditions:\n  C0: !Equals [!Ref P, a]\n{chain}"
    found = recovery(with_properties(PITR % "!If [C59, true, false]", head))
    assert found == [({"C0": "true"}, True), ({"C0": "false"}, False)]


def test_one_parameter_is_never_two_words() -> None:
    """Two comparisons of one parameter do not both come true."""
    head = """
    Parameters: {Env: {Type: String}}
    Conditions: {IsProd: !Equals [!Ref Env, prod], IsDev: !Equals [!Ref Env, dev]}
    """
    properties = """
    PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: !If [IsProd, true, false]}
    DeletionProtectionEnabled: !If [IsDev, false, true]
    """
    found = [(it.scenario, said(it.deletion_protection)) for it in with_properties(properties, head)]
    assert found == [
        ({"IsProd": "true"}, True),
        ({"IsDev": "true", "IsProd": "false"}, False),
        ({"IsDev": "false", "IsProd": "false"}, True),
    ]


def test_what_is_compared_in_passing() -> None:
    """A comparison without a condition of its own is named by what it compares."""
    head = """
    Parameters: {Env: {Type: String}, Size: {Type: String}}
    Conditions: {Big: !And [!Equals [!Ref Env, prod], !Equals [!Ref Size, big]]}
    """
    assert recovery(with_properties(PITR % "!If [Big, true, false]", head)) == [
        ({"Env": "prod", "Size": "big"}, True),
        ({"Env": "prod", "Size": "not big"}, False),
        ({"Env": "not prod"}, False),
    ]


def test_correlated_settings() -> None:
    """Settings with the same condition change together."""
    properties = """
    BillingMode: !If [IsProd, PROVISIONED, PAY_PER_REQUEST]
    ProvisionedThroughput: !If [IsProd, {ReadCapacityUnits: 5, WriteCapacityUnits: "6"}, !Ref AWS::NoValue]
    """
    found = [(said(it.billing_mode), it.capacity.write.content) for it in with_properties(properties, IS_PROD)]
    assert found == [("PROVISIONED", 6), ("PAY_PER_REQUEST", None)]


def test_whole_sections_by_condition() -> None:
    """The members of a conditional section come from the branch of the scenario."""
    text = template("A: b", IS_PROD).split("    Properties:")[0] + (
        "    Properties: !If [IsProd, {DeletionProtectionEnabled: true}, {DeletionProtectionEnabled: false}]\n"
    )
    assert [said(it.deletion_protection) for it in tables(text)] == [True, False]


def test_tags_by_condition() -> None:
    """Declarations follow the tags of the scenario."""
    properties = "Tags: [{Key: purpose, Value: !If [IsProd, Orders, Cache]}]"
    found = with_properties(properties, IS_PROD)
    assert [said(it.declared.purpose) for it in found] == ["orders", "cache"]


def test_same_values_are_shared() -> None:
    """Values that scenarios agree on are shared, and parts know their own table."""
    properties = """
    TableName: !If [IsProd, orders-prod, orders-dev]
    GlobalSecondaryIndexes:
      - IndexName: by-status
        KeySchema: [{AttributeName: status, KeyType: HASH}]
        Projection: {ProjectionType: ALL}
    KeySchema: [{AttributeName: id, KeyType: HASH}]
    """
    one, other = with_properties(properties, IS_PROD)
    assert one.keys is other.keys
    assert [it.indexes.content[0].table for it in (one, other) if it.indexes.content] == [one, other]


def test_unknown_row_of_a_mapping() -> None:
    """If the key is unknown, each row is a scenario, the same one in every mapping."""
    head = """
    Mappings:
      Recovery: {us-east-1: {'on': true}, eu-west-1: {'on': false}}
      Names: {us-east-1: {name: a}, eu-west-1: {name: b}}
    """
    properties = f"""
    TableName: !FindInMap [Names, !Ref AWS::Region, name]
    {PITR % "!FindInMap [Recovery, !Ref AWS::Region, 'on']"}
    """
    found = [(it.scenario, it.name.content, said(it.recovery.enabled)) for it in with_properties(properties, head)]
    assert found == [({"AWS::Region": "us-east-1"}, "a", True), ({"AWS::Region": "eu-west-1"}, "b", False)]
    assert [it.name.content for it in with_properties(properties, head, region="eu-west-1")] == ["b"]


def test_default_of_a_mapping_is_a_scenario_too() -> None:
    """A mapping with a default has a scenario for all keys that it does not list."""
    head = """
    Transform: AWS::LanguageExtensions
    Mappings: {M: {us-east-1: {'on': true}}}
    """
    properties = PITR % "{'Fn::FindInMap': [M, !Ref AWS::Region, 'on', {DefaultValue: false}]}"
    assert recovery(with_properties(properties, head)) == [
        ({"AWS::Region": "us-east-1"}, True),
        ({"AWS::Region": "any other"}, False),
    ]


def test_rules_forbid_scenarios() -> None:
    """A scenario that the template's rules forbid is left out."""
    head = """
    Parameters:
      Env: {Type: String, AllowedValues: [dev, prod]}
      Recover: {Type: String, AllowedValues: ['true', 'false']}
    Rules:
      Protected:
        RuleCondition: !Equals [!Ref Env, prod]
        Assertions: [{Assert: {'Fn::Contains': [['true'], !Ref Recover]}}]
    """
    properties = f"TableName: !Ref Env\n{PITR % '!Ref Recover'}"
    assert [(it.name.content, said(it.recovery.enabled)) for it in with_properties(properties, head)] == [
        ("dev", True),
        ("dev", False),
        ("prod", True),
    ]


def test_rules_that_are_not_understood() -> None:
    """A rule with functions that are not known here forbids nothing, and is no fault."""
    head = """
    Parameters: {Recover: {Type: String, AllowedValues: ['true', 'false']}}
    Rules: {R: {Assertions: [{Assert: {'Fn::EachMemberEquals': [[!Ref Recover], 'true']}}]}, S: text}
    """
    assert len(with_properties(PITR % "!Ref Recover", head)) == 2


def test_rules_that_forbid_everything() -> None:
    """A table is never lost to rules that contradict each other."""
    head = """
    Parameters: {Recover: {Type: String, AllowedValues: ['true', 'false']}}
    Rules: {R: {Assertions: [{Assert: !Equals [a, b]}]}}
    """
    assert len(with_properties(PITR % "!Ref Recover", head)) == 2


def test_too_many_scenarios() -> None:
    """With too many scenarios, values that depend on the questions with most answers are unknown."""
    flags = ", ".join(f"P{number}: {{Type: String, AllowedValues: ['true', 'false']}}" for number in range(7))
    name = "".join(f"${{P{number}}}" for number in range(7))
    properties = f"TableName: !Sub '{name}'\nDeletionProtectionEnabled: false\n{PITR % '!Ref P0'}"
    found = with_properties(properties, f"Parameters: {{{flags}}}")
    assert len(found) == 64
    assert {said(it.deletion_protection) for it in found} == {False}
    assert {reason(it.name) for it in found} == {"there are too many scenarios, so P6 is left open"}
    assert {said(it.recovery.enabled) for it in found} == {True, False}


def test_one_choice_with_too_many_answers() -> None:
    """A parameter with more allowed values than scenarios are walked is unknown."""
    values = ", ".join(f"v{number}" for number in range(65))
    found = table(template("TableName: !Ref P", f"Parameters: {{P: {{Type: String, AllowedValues: [{values}]}}}}"))
    assert said(found.name) == UNKNOWN


def test_too_many_conditions() -> None:
    """Values that depend on a condition that is left open have a doubt that names it."""
    count = 70
    conditions = ", ".join(f"C{number}: !Equals [!Ref P{number}, a]" for number in range(count))
    parameters = ", ".join(f"P{number}: {{Type: String}}" for number in range(count))
    tags = ", ".join(f"{{Key: k{number}, Value: !If [C{number}, a, b]}}" for number in range(count))
    head = f"Parameters: {{{parameters}}}\nConditions: {{{conditions}}}"
    found = with_properties(f"Tags: [{tags}]", head)
    assert len(found) == 64
    assert (found[0].tags.content or {})["k9"] is None


def test_undecidable_comparison_of_lists() -> None:
    """A comparison that is no question stays unknown."""
    head = """
    Parameters: {L: {Type: CommaDelimitedList}}
    Conditions: {C: !Equals [!Ref L, [a, b]]}
    """
    found = with_properties(PITR % "!If [C, true, false]", head)
    assert {said(it.recovery.enabled) for it in found} <= {True, False, UNKNOWN}
    assert said(found[-1].recovery.enabled) is not True


CHANGING = {
    "TableName": "!Sub 'orders-${Env}'",
    "AttributeDefinitions": "[{AttributeName: !If [IsProd, pk, id], AttributeType: S}]",
    "BillingMode": "!If [IsProd, PROVISIONED, PAY_PER_REQUEST]",
    "ContributorInsightsSpecification": "{Enabled: !If [IsProd, true, false]}",
    "DeletionProtectionEnabled": "!If [IsProd, true, !Ref AWS::NoValue]",
    "KeySchema": "[{AttributeName: !If [IsProd, pk, id], KeyType: HASH}]",
    "PointInTimeRecoverySpecification": "!If [IsProd, {PointInTimeRecoveryEnabled: true}, !Ref AWS::NoValue]",
    "SSESpecification": "!If [IsProd, {SSEEnabled: true}, !Ref AWS::NoValue]",
    "TableClass": "!If [IsProd, STANDARD, STANDARD_INFREQUENT_ACCESS]",
    "Tags": "[{Key: Environment, Value: !Ref Env}]",
    "TimeToLiveSpecification": "{AttributeName: ends, Enabled: !If [IsProd, false, true]}",
}
STILL = """
GlobalSecondaryIndexes:
  - IndexName: by-owner
    KeySchema: [{AttributeName: owner, KeyType: HASH}]
    Projection: {ProjectionType: ALL}
"""
SCALED = """
  Reads:
    Type: AWS::ApplicationAutoScaling::ScalableTarget
    Properties: {MinCapacity: 1, MaxCapacity: 9, ServiceNamespace: dynamodb, %s}
"""
BY_ID = "ResourceId: !Sub 'table/${Orders}', ScalableDimension: 'dynamodb:table:ReadCapacityUnits'"
BY_NAME = "ResourceId: table/orders-prod, ScalableDimension: 'dynamodb:table:ReadCapacityUnits'"


@pytest.mark.parametrize("scaled", [BY_ID, BY_NAME])
@pytest.mark.parametrize("changing", [*([name] for name in CHANGING), ["TableName", "TableClass"], [*CHANGING]])
def test_a_table_is_in_its_scenario_what_it_is_when_the_scenario_is_given(changing: list[str], scaled: str) -> None:
    """Each scenario has the same table as a run with its parameters."""
    head = """
        Parameters: {Env: {Type: String, AllowedValues: [dev, prod]}}
        Conditions: {IsProd: !Equals [!Ref Env, prod]}
    """
    properties = "\n".join(f"{name}: {CHANGING[name]}" for name in changing)
    text = template(properties + STILL, head) + SCALED % scaled
    found = tables(text)
    assert len(found) == 2
    for it in found:
        (env,) = (it.scenario or {}).values()
        assert view(replace(table(text, parameters={"Env": env}), scenario=it.scenario)) == view(it)
        assert [it] == [index.table for index in it.indexes.content or ()]


SECRET = "Parameters: {Level: {Type: String, NoEcho: true, AllowedValues: [s3cr3t-one, s3cr3t-two, three]}}"


def test_the_values_of_a_secret_are_told_by_their_numbers() -> None:
    """What NoEcho may be is as secret as what it is."""
    made = reading(template("TableName: !Ref Level", SECRET))
    assert made.estate is not None
    found = [(it.scenario, it.name.shown) for it in made.estate.tables]
    assert found == [({"Level": f"value {number} of 3"}, "(sensitive)") for number in (1, 2, 3)]
    assert made.estate.secrets == {"s3cr3t-one", "s3cr3t-two"}


@pytest.mark.parametrize(
    ("properties", "more", "scenarios"),
    [
        (
            "DeletionProtectionEnabled: !If [One, true, !If [Two, false, !Ref AWS::NoValue]]",
            "Conditions: {One: !Equals [!Ref L, s3cr3t-1], Two: !Equals [!Ref L, s3cr3t-2], Both: !Equals [a, a]}",
            [{"One": "true"}, {"One": "false", "Two": "true"}, {"One": "false", "Two": "false"}],
        ),
        (
            "TableName: !FindInMap [M, !Ref L, name]",
            "Mappings: {M: {s3cr3t-1: {name: a}, s3cr3t-2: {name: b}}}",
            [{"L": "value 1 that it is compared with"}, {"L": "value 2 that it is compared with"}],
        ),
        (
            "DeletionProtectionEnabled: !If [Any, true, false]",
            "Conditions: {Any: !Or [!Equals [!Ref L, s3cr3t-1], !Equals [!Ref L, s3cr3t-2]]}",
            [
                {"L": "value 1 that it is compared with"},
                {"L": "value 2 that it is compared with"},
                {"L": "not value 1 that it is compared with, not value 2 that it is compared with"},
            ],
        ),
    ],
)
def test_the_words_that_a_secret_is_compared_with_are_not_shown(
    properties: str, more: str, scenarios: list[dict[str, str]]
) -> None:
    """Each of them may be the secret."""
    head = f"Parameters: {{L: {{Type: String, NoEcho: true}}}}\n{more}"
    found = [it.scenario for it in with_properties(properties, head)]
    assert [dict(it or {}) for it in found] == scenarios
