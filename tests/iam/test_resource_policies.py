"""What the policy of a table says about the roles and users of its input."""

from __future__ import annotations

from typing import Any

import pytest

from support.access import HERE, ORDERS, document, statement
from support.templates import reading
from tablegate.iam.documents import Document, UnknownPart
from tablegate.iam.grants import DocumentRole, Grant
from tablegate.iam.matrix import matrix_of
from tablegate.iam.resource_policies import held_by, shared_grants
from tablegate.model.value import Doubt
from tablegate.reporters.matrix import cell_text

READER = "arn:aws:iam::111122223333:role/app/reader"
ANNA = "arn:aws:iam::111122223333:user/anna"
ROOT = "arn:aws:iam::111122223333:root"
SESSION = "arn:aws:sts::111122223333:assumed-role/reader/build"
OTHER = "arn:aws:iam::999988887777:role/reader"
DOUBT = Doubt("known only after apply")


def granted(one: Document, target: str | None) -> Grant:
    """The first statement of the policy of a table."""
    return Grant(
        address="p", place=None, role=DocumentRole.RESOURCE, document=one, statement=one.statements[0], target=target
    )


def held(
    principal: Any,
    arn: str = READER,
    effect: str = "Allow",
    conditions: Any = None,
    resources: Any = "*",
    **others: Any,
) -> Grant | None:
    """One statement of a table's policy, as a grant of a role or user."""
    whom = {"NotPrincipal": others["besides"]} if "besides" in others else {"Principal": principal}
    one = document(statement("dynamodb:*", resources, conditions, Effect=effect, **whom))
    target = others.get("target", ORDERS)
    return held_by(granted(one, target), arn)


@pytest.mark.parametrize(
    ("principal", "arn", "allowed", "denied"),
    [
        ({"AWS": READER}, READER, True, True),
        ({"AWS": "arn:aws:iam::111122223333:role/reader"}, READER, True, True),
        ({"AWS": READER}, ANNA, False, False),
        ({"AWS": ANNA}, ANNA, True, True),
        ({"AWS": SESSION}, READER, True, False),
        ({"AWS": OTHER}, READER, False, False),
        ({"AWS": ROOT}, READER, False, True),
        ({"AWS": "111122223333"}, READER, False, True),
        ({"AWS": "999988887777"}, READER, False, False),
        ("*", READER, True, True),
        ({"AWS": "*"}, ANNA, True, True),
        ({"Service": "lambda.amazonaws.com"}, READER, False, False),
        ({"AWS": [OTHER, READER]}, READER, True, True),
        ({"AWS": "AROAEXAMPLE"}, READER, False, False),
        ({"AWS": UnknownPart(DOUBT)}, READER, None, None),
        ({"AWS": [UnknownPart(DOUBT), READER]}, READER, True, True),
    ],
)
def test_who_is_named(principal: Any, arn: str, allowed: bool | None, denied: bool | None) -> None:
    """An Allow for an account grants nothing by itself; a Deny for it is one for everybody in it."""
    for effect, expected in (("Allow", allowed), ("Deny", denied)):
        grant = held(principal, arn, effect)
        assert (grant is not None) is (expected is not False)
        assert grant is None or (grant.statement.unsettled is None) is bool(expected)


def test_a_session_is_not_every_session() -> None:
    """What one is allowed, the role has under a condition; beside the role itself it says nothing more."""
    one, both = held({"AWS": SESSION}), held({"AWS": [SESSION, READER]})
    assert one is not None
    assert both is not None
    assert [condition.values for condition in one.statement.conditions] == [("*:build",)]
    assert both.statement.conditions == ()


def test_who_is_excepted() -> None:
    """A NotPrincipal is about everybody else."""
    assert held(None, besides={"AWS": OTHER}) is not None
    assert held(None, besides={"AWS": READER}) is None
    unknown = held(None, besides={"AWS": UnknownPart(DOUBT)})
    assert unknown is not None
    assert unknown.statement.unsettled is not None


@pytest.mark.parametrize(
    ("conditions", "kept"),
    [
        ({"StringEquals": {"aws:PrincipalAccount": "111122223333"}}, 0),
        ({"StringEquals": {"aws:PrincipalAccount": "999988887777"}}, None),
        ({"StringNotEquals": {"aws:PrincipalAccount": "111122223333"}}, None),
        ({"ArnEquals": {"aws:PrincipalArn": READER}}, 0),
        ({"ArnLike": {"aws:PrincipalArn": "arn:aws:iam::*:role/app/*"}}, 0),
        ({"ArnNotLike": {"aws:PrincipalArn": "arn:aws:iam::*:role/app/*"}}, None),
        ({"StringNotLike": {"aws:PrincipalArn": [ANNA, READER]}}, None),
        ({"StringNotEquals": {"aws:PrincipalArn": ANNA}}, 0),
        ({"StringEquals": {"aws:PrincipalArn": "arn:aws:iam::111122223333:role/*"}}, None),
        ({"StringEquals": {"aws:PrincipalArn": UnknownPart(DOUBT)}}, 1),
        ({"StringEquals": {"aws:PrincipalOrgID": "o-1"}}, 1),
        ({"Bool": {"aws:PrincipalIsAWSService": "true"}}, None),
        ({"Bool": {"aws:PrincipalIsAWSService": "false"}}, 0),
        ({"StringEquals": {"aws:PrincipalServiceName": "x.amazonaws.com"}}, None),
        ({"StringNotEquals": {"aws:PrincipalServiceName": "x.amazonaws.com"}}, 0),
        ({"Null": {"aws:PrincipalArn": "false"}}, 1),
        ({"StringEqualsIgnoreCase": {"aws:PrincipalArn": READER.upper()}}, 0),
    ],
)
def test_conditions_on_the_principal_are_settled(conditions: Any, kept: int | None) -> None:
    """A role is known: what a condition says of it is decided before any request."""
    grant = held("*", conditions=conditions)
    assert (None if grant is None else len(grant.statement.conditions)) == kept


@pytest.mark.parametrize(
    ("resources", "sure", "perhaps"),
    [
        ("*", [ORDERS, f"{ORDERS}/index/*"], []),
        (ORDERS, [ORDERS], []),
        (f"{ORDERS}/index/by-status", [f"{ORDERS}/index/by-status"], []),
        (f"{HERE}Or*", [ORDERS, f"{ORDERS}/index/*"], []),
        (f"{HERE}Audit", [], []),
        (f"{HERE}?rders", [ORDERS], []),
        (UnknownPart(DOUBT), [], [ORDERS, f"{ORDERS}/index/*"]),
    ],
)
def test_it_is_about_its_own_table(resources: Any, sure: list[str], perhaps: list[str]) -> None:
    """A star in a table's policy is that table, not every one."""
    grant = held("*", resources=resources)
    assert grant is not None
    found = grant.statement.resources
    assert (sorted(found.sure), sorted(found.perhaps)) == (sorted(sure), sorted(perhaps))


def test_what_it_excepts() -> None:
    """A NotResource that may be this table leaves it in doubt."""
    one = document(statement("GetItem", None, NotResource=f"{HERE}Audit", Principal="*"))
    other = document(statement("GetItem", None, NotResource=ORDERS, Principal="*"))
    grants = [held_by(granted(each, ORDERS), READER) for each in (one, other)]
    assert [grant is not None and grant.statement.resources.perhaps for grant in grants] == [
        (),
        (ORDERS, f"{ORDERS}/index/*"),
    ]


def test_a_stream_has_nothing_below() -> None:
    """The policy of a stream is about the stream alone."""
    stream = f"{ORDERS}/stream/2026"
    grant = held("*", target=stream)
    assert grant is not None
    assert grant.statement.resources.texts == (stream,)


def test_across_accounts_it_is_not_enough() -> None:
    """A role of another account needs a policy of its own as well; a Deny counts there too."""
    role = "arn:aws:iam::444455556666:role/reader"
    assert held("*", role) is None
    assert held("*", role, "Deny") is not None
    assert held("*", target=None) is None


def test_a_boundary_does_not_limit_a_user_who_is_named() -> None:
    """A role's ARN is limited by the role's boundary; that of a user or a session is not."""
    beyond = [(held({"AWS": arn}, holder), arn) for arn, holder in ((READER, READER), (ANNA, ANNA), (SESSION, READER))]
    assert [grant is not None and grant.beyond_boundary for grant, _ in beyond] == [False, True, True]


@pytest.mark.parametrize(
    ("principal", "arns"),
    [
        ({"AWS": [READER, ANNA]}, [ANNA, READER]),
        ({"AWS": "arn:aws:iam::111122223333:role/writer"}, []),
        ({"Service": "lambda.amazonaws.com"}, []),
        ("*", [ANNA, READER]),
        ({"AWS": UnknownPart(DOUBT)}, [ANNA, READER]),
        ({"AWS": "arn:aws:iam::111122223333:role/\U000f0000"}, [READER]),
    ],
)
def test_who_of_an_input_it_is_about(principal: Any, arns: list[str]) -> None:
    """A name that is not known may be anybody's."""
    grant = granted(document(statement("GetItem", Principal=principal)), ORDERS)
    assert [arn for arn, _ in shared_grants([grant], [READER, ANNA])] == arns


TEMPLATE = """
Transform: AWS::Serverless-2016-10-31
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: orders
      KeySchema: [{AttributeName: pk, KeyType: HASH}]
      ResourcePolicy:
        PolicyDocument:
          Version: "2012-10-17"
          Statement:
            - %s
  Reader:
    Type: AWS::IAM::Role
    Properties:
      RoleName: reader
      Path: /app/
      AssumeRolePolicyDocument:
        Statement: [{Effect: Allow, Principal: {Service: lambda.amazonaws.com}, Action: sts:AssumeRole}]
      Policies:
        - PolicyName: p
          PolicyDocument:
            Statement: [{Effect: Allow, Action: "dynamodb:DeleteTable", Resource: !GetAtt Orders.Arn}]
  Work:
    Type: AWS::Serverless::Function
    Properties: {Handler: x, Runtime: python3.12, InlineCode: x}
"""


@pytest.mark.parametrize(
    ("statement", "cells"),
    [
        ("{Effect: Allow, Principal: {AWS: !GetAtt Reader.Arn}, Action: dynamodb:GetItem, Resource: '*'}",
         {"Reader": "RA"}),
        ("{Effect: Allow, Principal: {AWS: !Sub 'arn:aws:iam::${AWS::AccountId}:role/app/reader'}, "
         "Action: dynamodb:GetItem, Resource: '*'}", {"Reader": "RA"}),
        ("{Effect: Allow, Principal: {AWS: !GetAtt WorkRole.Arn}, Action: dynamodb:PutItem, Resource: '*'}",
         {"Reader": "A", "Work": "W"}),
        ("{Effect: Allow, Principal: {AWS: !Ref AWS::AccountId}, Action: dynamodb:PutItem, Resource: '*'}",
         {"Reader": "A"}),
        ("{Effect: Allow, Principal: '*', Action: dynamodb:GetItem, Resource: '*', "
         "Condition: {StringEquals: {aws:PrincipalAccount: !Ref AWS::AccountId}}}",
         {"*": "R*", "Reader": "RA", "Work": "R"}),
        ("{Effect: Deny, Principal: {AWS: !GetAtt Reader.Arn}, Action: dynamodb:*, Resource: '*'}", {}),
        ("{Effect: Deny, Principal: {AWS: !Sub 'arn:aws:iam::${AWS::AccountId}:root'}, Action: dynamodb:*, "
         "Resource: '*'}", {}),
        ("{Effect: Deny, Principal: '*', Action: dynamodb:*, Resource: '*', "
         "Condition: {ArnNotEquals: {aws:PrincipalArn: !GetAtt Reader.Arn}}}", {"Reader": "A"}),
    ],
)  # fmt: skip
def test_it_stands_in_the_row_of_whom_it_names(statement: str, cells: dict[str, str]) -> None:
    """What a table's policy allows or denies a role is in the role's row, and in no other."""
    estate = reading(TEMPLATE % statement).estate
    assert estate is not None
    matrix = matrix_of(estate)
    assert {row.principal or row.address: cell_text(row.cells[0]) for row in matrix.rows if row.cells} == cells


CHAIN = """
Resources:
  Work: {Type: AWS::Lambda::Function, Properties: {Role: !GetAtt First.Arn}}
  First:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument:
        Statement: [{Effect: Allow, Principal: {Service: lambda.amazonaws.com}, Action: sts:AssumeRole}]
  Second:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument:
        Statement: [{Effect: Allow, Principal: {AWS: !GetAtt First.Arn}, Action: sts:AssumeRole}]
  Third:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument:
        Statement: [{Effect: Allow, Principal: {AWS: !GetAtt Second.Arn}, Action: sts:AssumeRole}]
  Other:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument:
        Statement: [{Effect: Allow, Principal: {AWS: !Ref AWS::AccountId}, Action: sts:AssumeRole}]
"""


def test_a_role_that_code_assumes_is_code_s() -> None:
    """However many roles are between them."""
    estate = reading(CHAIN).estate
    assert estate is not None
    assert {holder.address: (str(holder.kind), holder.why) for holder in estate.holders} == {
        "First": ("runtime", "trusts lambda.amazonaws.com"),
        "Second": ("runtime", "assumed by First"),
        "Third": ("runtime", "assumed by Second"),
        "Other": ("human", "trusts ${account}"),
    }


@pytest.mark.parametrize(("named", "is_held"), [(READER, True), (OTHER, False), ("arn:aws:iam::*:role/app/*", True)])
def test_the_caller_is_one_value_under_any_qualifier(named: str, is_held: bool) -> None:
    """A request has one ARN of its caller, so that ForAnyValue and ForAllValues ask what the plain form asks."""
    for qualifier in ("", "ForAnyValue:", "ForAllValues:"):
        grant = held("*", conditions={f"{qualifier}ArnLike": {"aws:PrincipalArn": named}})
        assert (grant is not None) is is_held, qualifier


def test_what_a_table_gives_is_known_as_that() -> None:
    """The role holds it as a grant of its own, which its boundary and its own policies do not make."""
    grant = held({"AWS": READER})
    assert grant is not None
    assert (grant.role, grant.of_resource) == (DocumentRole.IDENTITY, True)
