"""Words that decide whether more of a template is read: in other spellings they decide the same."""

from __future__ import annotations

import pytest

from support.templates import reading

POLICY = "{PolicyDocument: {Statement: {Effect: Allow, Principal: '*', Action: 'dynamodb:*', Resource: '*'}}}"
TABLE = """
    Transform: AWS::LanguageExtensions
    Resources:
      Orders:
        Type: AWS::DynamoDB::Table
        Properties:
          TableName: orders
          %s
    """
CONNECTED = """
    Transform: AWS::Serverless-2016-10-31
    Resources:
      Orders: {Type: AWS::DynamoDB::Table, Properties: {TableName: orders}}
      R: {Type: AWS::IAM::Role, Properties: {AssumeRolePolicyDocument: {Statement: []}}}
      G:
        Type: AWS::Lambda::Function
        Properties:
          Role: !GetAtt R.Arn
        %s
    """


@pytest.mark.parametrize(
    "member",
    [
        f"ResourcePolicy: {POLICY}",
        f'"Re\\x73ourcePolicy": {POLICY}',
        f"? ResourcePolicy\n          : {POLICY}",
        f'? "Resource\\\n            Policy"\n          : {POLICY}',
        f"!!str ResourcePolicy: {POLICY}",
        f"Fn::ForEach::P: [X, [Policy], {{'Resource${{X}}': {POLICY}}}]",
        f'"Fn::\\x46orEach::P": [X, [Policy], {{"Resource${{X}}": {POLICY}}}]',
        f'"\\x46n::For\\x45ach::P": [X, [Policy], {{"Resource${{X}}": {POLICY}}}]',
    ],
)
def test_a_policy_of_a_table(member: str) -> None:
    """What a table's own policy allows is seen, in whatever spelling its key is written or made."""
    made = reading(TABLE % member)
    assert made.estate is not None
    assert len(made.estate.grants) == 1


def test_a_policy_of_a_table_in_json() -> None:
    """JSON has escapes too."""
    text = '{"Resources": {"T": {"Type": "AWS::DynamoDB::Table", "Properties": {"Resource\\u0050olicy": %s}}}}'
    document = (
        '{"PolicyDocument": {"Statement": {"Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "*"}}}'
    )
    made = reading(text % document)
    assert made.estate is not None
    assert len(made.estate.grants) == 1


@pytest.mark.parametrize(
    "member",
    [
        "Connectors: {C: {Properties: {Destination: {Id: Orders}, Permissions: [Read]}}}",
        "Connectors : {C: {Properties: {Destination: {Id: Orders}, Permissions: [Read]}}}",
        "? Connectors\n        : {C: {Properties: {Destination: {Id: Orders}, Permissions: [Read]}}}",
        '"Connect\\x6Frs": {C: {Properties: {Destination: {Id: Orders}, Permissions: [Read]}}}',
        "&a Connectors: {C: {Properties: {Destination: {Id: Orders}, Permissions: [Read]}}}",
    ],
)
def test_a_connector_in_another_resource(member: str) -> None:
    """It grants the same, in whatever spelling its key is written."""
    plain = reading(CONNECTED % "Connectors: {C: {Properties: {Destination: {Id: Orders}, Permissions: [Read]}}}")
    made = reading(CONNECTED % member)
    assert plain.estate is not None
    assert made.estate is not None
    grants = [[grant.label for grant in holder.grants] for holder in made.estate.holders]
    assert [["C/0"]] == grants == [[grant.label for grant in holder.grants] for holder in plain.estate.holders]
