"""Places: a finding points at the element that it is about, and not at the whole document."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import document_forms as dresses
from support.access import ORDERS, deny, findings, statement, whole
from tablegate.dialects import cloudformation
from tablegate.dialects.reading import ReadOptions
from tablegate.dialects.terraform import plan as terraform_plan
from tablegate.syntax.json.lazy import Document

FIXTURES = Path(__file__).parents[3] / "fixtures"
TEMPLATE = """\
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: Orders
      ResourcePolicy:
        PolicyDocument:
          Statement:
            - Effect: Allow
              Principal: "*"
              Action: dynamodb:Query
              Resource: "*"
  Worker:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument:
        Statement: {Effect: Allow, Action: sts:AssumeRole, Principal: {Service: lambda.amazonaws.com}}
      Policies:
        - PolicyName: worker
          PolicyDocument:
            Version: "2012-10-17"
            Statement:
              - Effect: Allow
                Action:
                  - dynamodb:GetItem
                  - dynamodb:DeleteTable
                  - dynamodb:Creat
                Resource:
                  - !GetAtt Orders.Arn
                  - !Sub "arn:aws:dynamodb:*:${AWS::AccountId}:table/app-*"
              - Effect: Allow
                Action: dynamodb:BatchGetItem
                Resource: !GetAtt Orders.Arn
                Condition:
                  ForAnyValue:StringEquals:
                    dynamodb:LeadingKeys: ["${aws:userid}"]
"""


@pytest.mark.parametrize(
    ("policy", "line", "marked"),
    [
        ("TG527", 10, '"*"'),
        ("TG504", 30, '!Sub "arn:aws:dynamodb:*:${AWS::AccountId}:table/app-*"'),
        ("TG506", 30, '!Sub "arn:aws:dynamodb:*:${AWS::AccountId}:table/app-*"'),
        ("TG510", 26, "dynamodb:DeleteTable"),
        ("TG530", 27, "dynamodb:Creat"),
        ("TG522", 34, "Condition"),
    ],
)
def test_a_template_is_marked_at_the_element(policy: str, line: int, marked: str) -> None:
    """The action, the resource, the principal or the condition: by what the policy takes exception to."""
    estate = cloudformation.read(TEMPLATE, "template.yaml", ReadOptions()).estate
    assert estate is not None
    place = findings(estate, policy)[0].place
    assert place is not None
    assert place.line is not None
    assert place.column is not None
    assert (place.line, TEMPLATE.splitlines()[place.line - 1][place.column - 1 :].startswith(marked)) == (line, True)


def test_a_text_in_a_template_is_marked_as_a_whole() -> None:
    """Lines inside a JSON text are nobody's."""
    estate = dresses.text(whole(statement(["GetItem", "DeleteTable"])))
    (found,) = findings(estate, "TG510")
    assert found.place is not None
    assert found.place.line is not None


@pytest.mark.parametrize(
    ("policy", "path"),
    [
        ("TG510", "policy.Statement[0].Action[1]"),
        ("TG504", "policy.Statement[0].Resource[1]"),
        ("TG522", "policy.Statement[1].Condition"),
        ("TG525", "policy.Statement[2].Action[0]"),
    ],
)
def test_a_plan_is_told_by_the_path_inside_the_policy(policy: str, path: str) -> None:
    """From the resource that holds the document on."""
    prefix = "arn:aws:dynamodb:us-east-1:111122223333:table/app-*"
    estate = dresses.known(
        whole(
            statement(["GetItem", "DeleteTable", "BatchGetItem"], [ORDERS, prefix]),
            statement(["Query", "BatchGetItem"], ORDERS, {"ForAnyValue:StringEquals": {"dynamodb:LeadingKeys": ["a"]}}),
            deny(["GetItem"], ORDERS),
        )
    )
    place = findings(estate, policy)[0].place
    assert place is not None
    assert (place.line, place.path) == (None, path)


def test_a_composed_document_is_told_by_the_argument_of_its_block() -> None:
    """It has the names that the data source gives them."""
    text = (FIXTURES / "cases" / "TG510" / "fails" / "plan.json").read_text()
    estate = terraform_plan.read(Document(text), "plan.json", ReadOptions()).estate
    assert estate is not None
    place = findings(estate, "TG510")[0].place
    assert place is not None
    assert place.path == "data.aws_iam_policy_document.example.statement[0].actions"
