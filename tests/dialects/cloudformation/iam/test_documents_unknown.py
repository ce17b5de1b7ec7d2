"""Elements of statements: functions are folded, references come to one ARN, and what is not known stays open."""

from __future__ import annotations

from textwrap import indent
from typing import Any

import pytest

from support.planned_access import grants, holders, unread
from support.templates import reading
from tablegate.iam.holders import Holder

HEAD = """
Parameters:
  Env: {Type: String, AllowedValues: [dev, prod]}
  Name: {Type: String, Default: orders}
  Star: {Type: String, Default: '*'}
Mappings:
  Names: {live: {table: Orders}}
Conditions:
  IsProd: !Equals [!Ref Env, prod]
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: Orders
      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]
      KeySchema: [{AttributeName: pk, KeyType: HASH}]
      BillingMode: PAY_PER_REQUEST
  Named:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Sub '${Name}-items'
      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]
      KeySchema: [{AttributeName: pk, KeyType: HASH}]
      BillingMode: PAY_PER_REQUEST
  Staged:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Sub '${Env}-items'
      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]
      KeySchema: [{AttributeName: pk, KeyType: HASH}]
      BillingMode: PAY_PER_REQUEST
  Bucket: {Type: AWS::S3::Bucket}
  Made: {Type: Custom::Table}
  P:
    Type: AWS::IAM::ManagedPolicy
    Properties:
      PolicyDocument:
        Version: '2012-10-17'
        Statement:
"""
HOME = "arn:${partition}:dynamodb:${region}:${account}:table"


def held(statement: str, **options: Any) -> Holder:
    """The holder of a policy with this one statement."""
    found = reading(HEAD + indent(statement.strip("\n"), "          "), **options)
    assert [fault.message for fault in found.faults if fault.blocks] == []
    return holders(found)["P"]


def resource(spelled: str, **options: Any) -> tuple[list[str], list[str]]:
    """What a resource element comes to, and which of it is there only in some scenario."""
    return element("Resource", spelled, **options)


def element(key: str, spelled: str, **options: Any) -> tuple[list[str], list[str]]:
    other = "Action: dynamodb:GetItem" if key == "Resource" else "Resource: '*'"
    holder = held(f"- Effect: Allow\n  {other}\n  {key}: {spelled}\n", **options)
    (grant,) = holder.grants
    patterns = grant.statement.resources if key == "Resource" else grant.statement.actions
    return [grant.document.shown(it) for it in patterns.texts], [grant.document.shown(it) for it in patterns.perhaps]


@pytest.mark.parametrize(
    ("spelled", "text"),
    [
        ("!GetAtt Orders.Arn", f"{HOME}/Orders"),
        ("{'Fn::GetAtt': [Orders, Arn]}", f"{HOME}/Orders"),
        ("!Sub '${Orders.Arn}/index/*'", f"{HOME}/Orders/index/*"),
        ("!Sub '${Orders.Arn}*'", f"{HOME}/Orders*"),
        ("!Join ['', [!GetAtt Orders.Arn, /stream/*]]", f"{HOME}/Orders/stream/*"),
        ("!GetAtt Orders.StreamArn", f"{HOME}/Orders/stream/${{Orders.StreamArn}}"),
        ("!Sub 'arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/${Orders}'", f"{HOME}/Orders"),
        ("!Sub 'arn:aws:dynamodb:${AWS::Region}:${AWS::AccountId}:table/Orders/index/i'", f"{HOME}/Orders/index/i"),
        ("!Sub 'arn:aws:dynamodb:${AWS::Region}:${AWS::AccountId}:table/Orders*'", f"{HOME}/Orders*"),
        ("!Sub 'arn:aws:dynamodb:${AWS::Region}:${AWS::AccountId}:table/${Name}-items'", f"{HOME}/${{name of Named}}"),
        ("!GetAtt Named.Arn", f"{HOME}/${{name of Named}}"),
        ("!Sub 'arn:aws:dynamodb:*:*:table/${Named}'", "arn:aws:dynamodb:*:*:table/${name of Named}"),
        (
            "arn:aws:dynamodb:us-east-1:111122223333:table/Orders",
            "arn:aws:dynamodb:us-east-1:111122223333:table/Orders",
        ),
        (
            "!Sub ['arn:aws:dynamodb:*:*:table/${T}', {T: !FindInMap [Names, live, table]}]",
            "arn:aws:dynamodb:*:*:table/Orders",
        ),
        ("!Select [1, ['x', 'arn:aws:dynamodb:*:*:table/a']]", "arn:aws:dynamodb:*:*:table/a"),
        ("!Sub 'arn:aws:dynamodb:*:*:table/${Name}'", "arn:aws:dynamodb:*:*:table/${Name}"),
        ("!Sub 'arn:aws:s3:::${Bucket}/*'", "arn:aws:s3:::${Bucket}/*"),
        ("!Sub '${Bucket.Arn}/*'", "arn:${partition}:s3:${Bucket.Arn}/*"),
        ("!Ref Orders", "Orders"),
    ],
)
def test_a_reference_comes_to_one_text(spelled: str, text: str) -> None:
    """However a table is referred to, its ARN is the same text; other services' resources can be no table."""
    assert resource(spelled) == ([text], [])


def test_given_values_are_used() -> None:
    """Parameters, region and account that are given stand in the ARN."""
    options = {"parameters": {"Name": "n"}, "region": "eu-west-1", "account": "111122223333"}
    expected = "arn:aws:dynamodb:eu-west-1:111122223333:table/n-items"
    assert resource("!GetAtt Named.Arn", **options) == ([expected], [])
    assert resource("!Sub 'arn:aws:dynamodb:eu-west-1:${AWS::AccountId}:table/${Named}'", **options) == ([expected], [])


def test_every_allowed_value_is_a_pattern() -> None:
    """What differs by a parameter's allowed values contributes all of them, each only perhaps."""
    both = [f"arn:aws:dynamodb:*:*:table/{env}" for env in ("dev", "prod")]
    assert resource("!Sub 'arn:aws:dynamodb:*:*:table/${Env}'") == (both, both)


def test_a_table_that_differs_is_meant_in_each_scenario() -> None:
    """A reference to a table is to whatever it is called: always, not perhaps."""
    names = [f"{HOME}/{env}-items" for env in ("dev", "prod")]
    assert resource("!GetAtt Staged.Arn") == (names, [])
    assert resource("[!GetAtt Staged.Arn, !Sub '${Staged.Arn}/index/*']") == (
        [*names, *(f"{name}/index/*" for name in names)],
        [],
    )


def test_both_branches_are_read() -> None:
    """An element under an undecided condition may be there; NoValue takes one away."""
    assert resource("[!If [IsProd, a, b], c, !If [IsProd, d, !Ref AWS::NoValue]]") == (
        ["b", "a", "c", "d"],
        ["b", "a", "d"],
    )
    assert resource("[!If [IsProd, a, b], !Ref AWS::NoValue]", parameters={"Env": "dev"}) == (["b"], [])
    assert resource("!If [IsProd, [a, b], [b, c]]") == (["b", "c", "a"], ["b", "c", "a"])


def test_what_is_always_there_is_not_perhaps() -> None:
    """A text that one branch repeats is certain."""
    assert resource("[!If [IsProd, a, b], a]") == (["b", "a"], ["b"])


@pytest.mark.parametrize(
    ("spelled", "why"),
    [
        ("!Ref Name", "parameter Name has no value (its default orders is not assumed)"),
        ("!Ref Star", "parameter Star has no value (its default * is not assumed)"),
        ("!Sub '${Star}/index/*'", "parameter Star has no value (its default * is not assumed)"),
        ("!ImportValue TableArn", "another stack exports this value, which is read at deploy"),
        ("!GetAtt Made.Arn", "Made.Arn is known only after deploy"),
        ("'{{resolve:ssm:/table}}'", "a dynamic reference to ssm is read at deploy"),
        (
            "{'Fn::Transform': {Name: AWS::Include, Parameters: {Location: x}}}",
            "the macro AWS::Include may insert anything here",
        ),
    ],
)
def test_what_may_be_anything_is_said_so(spelled: str, why: str) -> None:
    """A whole element that is not known is not guessed, and matters where the actions are a table's."""
    holder = held(f"- Effect: Allow\n  Action: dynamodb:GetItem\n  Resource: {spelled}\n")
    assert unread(holder) == [("P", True, True, why)]


def test_an_unknown_element_of_others_does_not_matter() -> None:
    """Nobody reaches a table with actions of another service."""
    holder = held("- Effect: Allow\n  Action: s3:GetObject\n  Resource: !Ref Star\n")
    assert [(relevant, partly) for _, relevant, partly, _ in unread(holder)] == [(False, True)]


def test_actions_are_folded() -> None:
    """An action that functions make of literals is an action like any other."""
    spelled = "[!Join ['', [dyn, 'amodb:', '*']], !Sub 'dynamodb:Get${X}']".replace("${X}", "Item")
    assert element("Action", spelled) == (["dynamodb:*", "dynamodb:GetItem"], [])


@pytest.mark.parametrize("spelled", ["!Sub '${Name}:*'", "!Sub 'dynamodb:${Name}'", "!Ref Name"])
def test_an_unknown_action_is_not_harmless(spelled: str) -> None:
    """It may be any action: that matters wherever the resources may be tables."""
    holder = held(f"- Effect: Allow\n  Resource: '*'\n  Action: {spelled}\n")
    assert [(relevant, partly) for _, relevant, partly, _ in unread(holder)] == [(True, True)]
    other = held(f"- Effect: Allow\n  Resource: arn:aws:s3:::bucket\n  Action: {spelled}\n")
    assert [relevant for _, relevant, _, _ in unread(other)] == [False]


def test_conditions_keep_symbols() -> None:
    """A value that is not known still narrows under a plain operator; under a pattern it may be a star."""
    holder = held(
        """
        - Effect: Allow
          Action: dynamodb:GetItem
          Resource: '*'
          Condition:
            StringEquals: {'aws:ResourceTag/app': !Ref Name}
            StringLike: {'aws:ResourceTag/team': [!Ref Name, x]}
            Bool: {'aws:SecureTransport': true}
        """
    )
    (grant,) = holder.grants
    assert [
        (it.operator, it.key, [grant.document.shown(value) for value in it.values], it.unread)
        for it in grant.statement.conditions
    ] == [
        ("StringEquals", "aws:resourcetag/app", ["${Name}"], 0),
        ("StringLike", "aws:resourcetag/team", ["x"], 1),
        ("Bool", "aws:securetransport", ["true"], 0),
    ]


def test_a_condition_that_may_be_missing_is_two_forms() -> None:
    """With the condition in one scenario and without it in the other, the statement is there in both forms."""
    holder = held(
        """
        - Effect: Allow
          Action: dynamodb:GetItem
          Resource: '*'
          Condition: !If [IsProd, {StringEquals: {'aws:PrincipalOrgID': o-1}}, !Ref AWS::NoValue]
        """
    )
    assert sorted((len(it.statement.conditions), it.statement.present) for it in holder.grants) == [
        (0, False),
        (1, False),
    ]


def test_policy_variables_are_not_functions() -> None:
    """What IAM fills in at each request is told from what CloudFormation fills in."""
    assert resource("!Sub 'arn:aws:dynamodb:*:*:table/${!aws:username}-${Name}'") == (
        ["arn:aws:dynamodb:*:*:table/${aws:username}-${Name}"],
        [],
    )


def test_statements_under_conditions_are_there_perhaps() -> None:
    """Whole statements may be there, and say so; a Deny of that sort leaves open what is allowed."""
    holder = held(
        """
        - !If
          - IsProd
          - {Effect: Deny, Action: 'dynamodb:*', Resource: '*'}
          - !Ref AWS::NoValue
        - {Sid: Read, Effect: Allow, Action: dynamodb:GetItem, Resource: !GetAtt Orders.Arn}
        """
    )
    assert [(it.label, it.statement.effect, it.statement.present) for it in holder.grants] == [
        ("0", "Deny", False),
        ("Read", "Allow", True),
    ]
    assert holder.estate is not None
    orders = next(table for table in holder.estate.tables if table.address == "Orders")
    assert holder.can("dynamodb:GetItem", orders).truth is None


def test_a_holder_can_what_its_references_say() -> None:
    """The ARN that a reference comes to is the ARN that the table is asked by."""
    holder = held(
        "- {Effect: Allow, Action: dynamodb:Query, Resource: [!Sub '${Staged.Arn}/index/*', !GetAtt Named.Arn]}\n"
    )
    tables = {(table.address, (table.scenario or {}).get("Env")): table for table in holder.estate.tables}
    assert [
        holder.can("dynamodb:Query", tables["Staged", "dev"], "index/i").truth,
        holder.can("dynamodb:Query", tables["Staged", "prod"], "index/i").truth,
        holder.can("dynamodb:Query", tables["Named", None]).truth,
        holder.can("dynamodb:Query", tables["Orders", None]).truth,
    ] == [True, True, True, None]


def test_grants_are_told() -> None:
    """Places point at the statement, and the spelling is that of the template."""
    holder = held("- {Effect: Allow, NotAction: 'iam:*', NotResource: [!GetAtt Orders.Arn]}\n")
    (grant,) = holder.grants
    assert grants(holder) == [f"P 0: Allow not iam:* on not {HOME}/Orders"]
    assert grant.statement.place is not None
    assert (grant.statement.place.line, grant.spelling) == (HEAD.count("\n") + 1, "yaml")


@pytest.mark.parametrize(
    ("spelled", "text"),
    [
        ("!GetAtt Orders.TableId", "${Orders.TableId}"),
        ("!Sub 'arn:aws:dynamodb:*:*:table/${AWS::StackName}-x'", "arn:aws:dynamodb:*:*:table/${AWS::StackName}-x"),
        ("!Sub 'arn:aws:dynamodb:*:*:table/${region}'", "arn:aws:dynamodb:*:*:table/${parameter region}"),
        (
            "!Join ['', ['arn:aws:dynamodb:*:*:table/', !ImportValue x]]",
            "arn:aws:dynamodb:*:*:table/${Fn::ImportValue:x}",
        ),
        ("12", "12"),
    ],
)
def test_other_elements(spelled: str, text: str) -> None:
    """What is no table's ARN is kept as it is, as far as it is known."""
    head = HEAD.replace("Parameters:\n", "Parameters:\n  region: {Type: String}\n")
    statement = f"- {{Effect: Allow, Action: dynamodb:GetItem, Resource: {spelled}}}"
    found = reading(head + indent(statement, "          "))
    (grant,) = holders(found)["P"].grants
    assert [grant.document.shown(it) for it in grant.statement.resources.texts] == [text]


def test_parts_of_a_statement_that_are_not_known() -> None:
    """An effect, a condition or a Sid that nothing tells leaves the statement a grant."""
    holder = held(
        """
        - Effect: !Ref Name
          Sid: !Ref Name
          Action: dynamodb:GetItem
          Resource: '*'
          Condition: !ImportValue condition
        - Effect: Allow
          Action: dynamodb:GetItem
          Resource: '*'
          Condition:
            StringEquals: !ImportValue block
            Bool: {'aws:SecureTransport': !If [IsProd, true, !Ref AWS::NoValue]}
        """
    )
    assert [(it.label, it.statement.effect, it.statement.allows) for it in holder.grants] == [
        ("0", None, True),
        ("1", "Allow", True),
        ("2", "Allow", True),
    ]
    assert len(unread(holder)) == 1


def test_a_statement_that_is_not_known() -> None:
    """The others are read all the same."""
    holder = held("- !ImportValue more\n- {Effect: Allow, Action: dynamodb:GetItem, Resource: '*'}\n")
    assert [grant.label for grant in holder.grants] == ["1"]
    assert [(relevant, partly) for _, relevant, partly, _ in unread(holder)] == [(True, True)]


def test_forms_are_not_multiplied_without_end() -> None:
    """Past a few forms of a statement the rest is not read, and said so."""
    statement = "- {Effect: !Ref Effect, Sid: !Ref Sid, Action: 'dynamodb:*', Resource: '*', Condition: !If %s}"
    head = (
        "Parameters:\n"
        "  Effect: {Type: String, AllowedValues: [Allow, Deny]}\n"
        "  Sid: {Type: String, AllowedValues: [a, b, c]}\n"
    )
    condition = "[IsProd, {Bool: {'aws:SecureTransport': true}}, !Ref AWS::NoValue]"
    found = reading(HEAD.replace("Parameters:\n", head) + indent(statement % condition, "          "))
    holder = holders(found)["P"]
    assert (len(holder.grants), {it.statement.present for it in holder.grants}) == (8, {False})
    assert [why for *_, why in unread(holder)] == ["the statement has more than 8 forms"]


def test_texts_are_not_multiplied_without_end() -> None:
    """Past a few hundred texts an element is one that is not known."""
    stages = ", ".join(f"s{number}" for number in range(20))
    head = HEAD.replace("AllowedValues: [dev, prod]", f"AllowedValues: [{stages}]")
    statement = "- {Effect: Allow, Action: dynamodb:GetItem, Resource: !Sub '${Staged.Arn}/${Staged}%s'}"
    within = reading(head + indent(statement % "", "          "))
    (grant,) = holders(within)["P"].grants
    assert len(grant.statement.resources.texts) == 0
    assert [relevant for _, relevant, _, _ in unread(holders(within)["P"])] == [True]


@pytest.mark.parametrize("wrong", ["{a: b}", "[[a]]", "[{a: b}, {a: b}]", "5", "null"])
@pytest.mark.parametrize(
    "statement",
    [
        "{{Effect: Allow, Action: 'dynamodb:*', Resource: !If [IsProd, '*', {wrong}]}}",
        "{{Effect: Allow, Action: !If [IsProd, {wrong}, 'dynamodb:*'], Resource: '*'}}",
        "{{Effect: Allow, NotAction: [!If [IsProd, {wrong}, 'dynamodb:*']], Resource: '*'}}",
        "{{Effect: !If [IsProd, Allow, {wrong}], Action: 'dynamodb:*', Resource: '*'}}",
        "{{Effect: Allow, Action: 'dynamodb:*', Resource: '*', Condition: !If [IsProd, {wrong}, {wrong}]}}",
        "!If [IsProd, {wrong}, {{Effect: Allow, Action: 'dynamodb:*', Resource: '*'}}]",
    ],
)
def test_a_part_of_a_wrong_kind_in_one_scenario(statement: str, wrong: str) -> None:
    """It is a fault, or a doubt: the document is read all the same."""
    found = reading(HEAD + f"          - {statement.format(wrong=wrong)}\n")
    assert found.estate is not None
    assert found.estate.grants


@pytest.mark.parametrize(
    ("type_", "default", "spelled", "usual"),
    [
        ("String", "'*'", "!Ref Wide", ("*",)),
        ("CommaDelimitedList", "'arn:aws:s3:::x,*'", "!Ref Wide", ("arn:aws:s3:::x", "*")),
        ("String", "'*'", "!Sub 'arn:aws:dynamodb:*:*:table/${Wide}'", ("arn:aws:dynamodb:*:*:table/*",)),
        ("String", "orders", "!Sub 'arn:aws:dynamodb:*:*:table/${Wide}'", ()),
        ("String", "orders, NoEcho: true", "!Ref Wide", ()),
        ("String", "'*', AllowedPattern: '[a-z]+'", "!Ref Wide", ()),
        ("String", "'*'", "!Sub '${Wide}${Name}'", ("*orders",)),
    ],
)
def test_what_a_resource_is_by_default_is_remembered(
    type_: str, default: str, spelled: str, usual: tuple[str, ...]
) -> None:
    """It is not assumed, and yet tells how wide the unknown may be."""
    head = HEAD.replace("Parameters:\n", f"Parameters:\n  Wide: {{Type: {type_}, Default: {default}}}\n")
    text = f"- {{Effect: Allow, Action: dynamodb:GetItem, Resource: {spelled}}}"
    found = reading(head + indent(text, "          "))
    (grant,) = holders(found)["P"].grants
    assert grant.statement.resources.usual == usual
