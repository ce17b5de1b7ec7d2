"""SAM under conditions: which roles it makes, and what connectors and references to absent tables come to."""

from __future__ import annotations

from textwrap import dedent, indent
from typing import Any

import pytest

from support.planned_access import holders
from support.templates import reading
from tablegate.dialects.reading import Reading
from tablegate.iam.matrix import matrix_of

HEAD = """
Transform: AWS::Serverless-2016-10-31
Parameters: {Env: {Type: String}}
Conditions: {IsProd: !Equals [!Ref Env, prod]}
Resources:
  Orders: {Type: AWS::DynamoDB::Table, Properties: {TableName: orders}}
"""
ROLE = "R: {Type: AWS::IAM::Role, Properties: {RoleName: worker}}"


def beside_orders(text: str, **options: Any) -> Reading:
    """A SAM template of these resources beside ``Orders``."""
    return reading(HEAD + indent(dedent(text).strip(), "  "), **options)


@pytest.mark.parametrize("given", [{}, {"Env": "prod"}])
@pytest.mark.parametrize("table", ["Orders", "[Orders]"])
def test_a_connector_in_a_conditional_function_is_sure(table: str, given: dict[str, str]) -> None:
    """Its policy has no condition of its own: wherever the role exists, it is attached."""
    destination = "{Id: Orders}" if table == "Orders" else "[{Id: Orders}, {Id: Orders}]"
    found = beside_orders(
        f"""
        F:
          Type: AWS::Serverless::Function
          Condition: IsProd
          Connectors: {{Own: {{Properties: {{Destination: {destination}, Permissions: [Read]}}}}}}
        """,
        parameters=given,
    )
    assert {grant.statement.present for grant in holders(found)["F"].grants} == {True}


def test_a_connector_under_a_condition_is_perhaps() -> None:
    """Its policy has the condition of the connector."""
    found = beside_orders(
        """
        F: {Type: AWS::Serverless::Function}
        C:
          Type: AWS::Serverless::Connector
          Condition: IsProd
          Properties: {Source: {Id: F}, Destination: {Id: Orders}, Permissions: [Read]}
        """
    )
    assert {grant.statement.present for grant in holders(found)["F"].grants} == {False}


@pytest.mark.parametrize("type_", ["Function", "StateMachine"])
def test_a_connector_of_what_does_not_exist_has_no_holder(type_: str) -> None:
    """Its policy refers to a role that is not created, which CloudFormation refuses: no holder is invented."""
    found = beside_orders(
        f"""
        F:
          Type: AWS::Serverless::{type_}
          Condition: IsProd
          Connectors: {{Own: {{Properties: {{Destination: {{Id: Orders}}, Permissions: [Read]}}}}}}
        C:
          Type: AWS::Serverless::Connector
          Properties: {{Source: {{Id: F}}, Destination: {{Id: Orders}}, Permissions: [Write]}}
        """,
        parameters={"Env": "dev"},
    )
    assert holders(found) == {}


@pytest.mark.parametrize(
    ("role", "made"),
    [
        ("!If [IsProd, !GetAtt R.Arn, !Ref AWS::NoValue]", True),
        ("!If [IsProd, !Ref AWS::NoValue, !GetAtt R.Arn]", False),
        ("!GetAtt R.Arn", False),
        ("!Ref AWS::NoValue", False),
    ],
)
def test_a_role_that_one_branch_needs_is_made_without_the_function(role: str, *, made: bool) -> None:
    """The transform puts the branch in place of the function's condition; any other role has that of the function."""
    found = beside_orders(
        f"""
        F:
          Type: AWS::Serverless::Function
          Condition: IsProd
          Properties: {{Role: {role}, Policies: [AmazonDynamoDBFullAccess]}}
        {ROLE}
        """,
        parameters={"Env": "dev"},
    )
    assert made is ("F" in holders(found))


@pytest.mark.parametrize("type_", ["DynamoDB::Table", "DynamoDB::GlobalTable", "Serverless::SimpleTable"])
@pytest.mark.parametrize("reference", ["!GetAtt Gone.Arn", "!Sub '${Gone.Arn}'", "!Sub '${Gone.Arn}/index/*'"])
def test_a_table_that_does_not_exist_is_no_other_table(type_: str, reference: str) -> None:
    """What refers to it cannot be deployed, and is not about the tables that are there."""
    found = beside_orders(
        f"""
        Gone: {{Type: "AWS::{type_}", Condition: IsProd}}
        F:
          Type: AWS::Serverless::Function
          Properties:
            Policies: [{{Statement: [{{Effect: Allow, Action: 'dynamodb:*', Resource: {reference}}}]}}]
        """,
        parameters={"Env": "dev"},
    )
    assert found.estate is not None
    assert [row.cells for row in matrix_of(found.estate).rows] == [{}]
