"""Roles that SAM makes: the rest of the template refers to them by the logical ids that SAM gives them."""

from __future__ import annotations

import pytest

from support.planned_access import holders
from support.templates import reading
from tablegate.iam.grants import HolderKind

TEMPLATE = """
Transform: AWS::Serverless-2016-10-31
Parameters: {{Env: {{Type: String}}}}
Conditions: {{IsProd: !Equals [!Ref Env, prod]}}
Resources:
  F:
    Type: AWS::Serverless::Function
    Properties: {{Runtime: python3.13, Handler: a.b, InlineCode: pass{given}}}
  M: {{Type: AWS::Serverless::StateMachine, Properties: {{DefinitionUri: a.json}}}}
  Given: {{Type: AWS::IAM::Role, Properties: {{AssumeRolePolicyDocument: {{Statement: []}}}}}}
  P:
    Type: {kind}
    Properties:
      PolicyName: p
      {key}: {named}
      PolicyDocument: {{Statement: {{Effect: Allow, Action: "dynamodb:*", Resource: "*"}}}}
"""


def written(named: str, kind: str = "AWS::IAM::RolePolicy", key: str = "RoleName", given: str = "") -> str:
    """The template with a policy for this role."""
    return TEMPLATE.format(named=named, kind=kind, key=key, given=given)


@pytest.mark.parametrize(
    ("named", "kind", "key", "whose"),
    [
        ("!Ref FRole", "AWS::IAM::RolePolicy", "RoleName", "F"),
        ("!Sub '${FRole}'", "AWS::IAM::RolePolicy", "RoleName", "F"),
        ("[!Ref FRole]", "AWS::IAM::Policy", "Roles", "F"),
        ("[!Ref MRole]", "AWS::IAM::ManagedPolicy", "Roles", "M"),
        ("!Ref MRole", "AWS::IAM::RolePolicy", "RoleName", "M"),
    ],
)
def test_a_policy_for_a_role_that_sam_makes(named: str, kind: str, key: str, whose: str) -> None:
    """It is the function's, which Lambda runs: not that of an unknown role."""
    found = holders(reading(written(named, kind, key)))
    assert [(grant.address, grant.statement.label) for grant in found[whose].grants] == [("P", "0")]
    assert found[whose].kind is HolderKind.RUNTIME
    assert "P" not in found


def test_a_role_that_sam_does_not_make() -> None:
    """A function that is given a role has none of its own, so the reference leads nowhere."""
    found = holders(reading(written("!Ref FRole", given=", Role: !GetAtt Given.Arn")))
    assert "F" not in found
    assert found["P"].kind is HolderKind.UNKNOWN
