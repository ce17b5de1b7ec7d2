"""What the roles of a template are used for, where all that uses them is declared."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from support.planned_access import holders
from support.templates import reading

TASK = "States: {One: {Type: Task, Resource: 'arn:aws:states:::dynamodb:putItem'}}"
TEXT = '{"States": {"One": {"Type": "Task", "Resource": "arn:${AWS::Partition}:states:::dynamodb:${Call}"}}}'
STREAM = {"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"}


def needs(service: str, text: str, head: str = "", role: str = "Role") -> frozenset[str] | None:
    """What a role needs that this service may use, beside these resources."""
    trust = (
        f"{{Statement: {{Effect: Allow, Action: 'sts:AssumeRole', Principal: {{Service: {service}.amazonaws.com}}}}}}"
    )
    own = f"Role: {{Type: AWS::IAM::Role, Properties: {{AssumeRolePolicyDocument: {trust}}}}}\n{dedent(text).strip()}"
    found = reading(f"{head}Resources:\n{indent(own, '  ')}\n")
    assert [fault.message for fault in found.faults if fault.blocks] == []
    return holders(found)[role].needs


@pytest.mark.parametrize(
    ("properties", "calls"),
    [
        (f"Definition: {{{TASK}}}", {"PutItem"}),
        (f"DefinitionString: !Sub ['{TEXT}', {{Call: getItem}}]", {"GetItem"}),
        (f"DefinitionString: '{TEXT}', DefinitionSubstitutions: {{Call: getItem}}", {"GetItem"}),
        (f"DefinitionString: '{TEXT}'", None),
        ("DefinitionString: 'no JSON'", None),
        ("DefinitionS3Location: {Bucket: a, Key: b}", None),
        ("Definition: {States: {One: {Type: Task, Resource: !GetAtt Function.Arn}}}", set()),
        ("Definition: {States: {One: {Type: Task, Resource: !ImportValue task}}}", None),
        ("Definition: !Ref AWS::NoValue", None),
    ],
)
def test_a_state_machine_calls_what_its_definition_names(properties: str, calls: set[str] | None) -> None:
    """As an object, as a text, with its placeholders filled in."""
    text = f"""
        Function: {{Type: AWS::Lambda::Function, Properties: {{Handler: a}}}}
        Machine:
          Type: AWS::StepFunctions::StateMachine
          Properties: {{RoleArn: !GetAtt Role.Arn, {properties}}}
    """
    assert needs("states", text) == calls


def test_a_machine_of_sam_s_has_a_role_of_its_own() -> None:
    """It is made for nothing else."""
    text = f"""
        Machine:
          Type: AWS::Serverless::StateMachine
          Properties: {{Policies: [AmazonDynamoDBReadOnlyAccess], Definition: {{{TASK}}}}}
    """
    assert needs("lambda", text, "Transform: AWS::Serverless-2016-10-31\n", "Machine") == {"PutItem"}


@pytest.mark.parametrize(
    ("service", "text", "calls"),
    [
        (
            "apigateway",
            """
            Method:
              Type: AWS::ApiGateway::Method
              Properties:
                Integration:
                  Type: AWS
                  Credentials: !GetAtt Role.Arn
                  Uri: !Sub arn:aws:apigateway:${AWS::Region}:dynamodb:action/Query
            """,
            {"Query"},
        ),
        (
            "appsync",
            """
            Source:
              Type: AWS::AppSync::DataSource
              Properties: {Name: orders, Type: AMAZON_DYNAMODB, ServiceRoleArn: !GetAtt Role.Arn}
            One:
              Type: AWS::AppSync::Resolver
              Properties: {DataSourceName: !GetAtt Source.Name, RequestMappingTemplate: '{"operation": "GetItem"}'}
            Two:
              Type: AWS::AppSync::FunctionConfiguration
              Properties: {DataSourceName: orders, Code: "return { operation: 'Query' }"}
            Three:
              Type: AWS::AppSync::Resolver
              Properties: {DataSourceName: others, Code: "return { operation: 'Scan' }"}
            """,
            {"GetItem", "Query"},
        ),
        (
            "appsync",
            """
            Source:
              Type: AWS::AppSync::DataSource
              Properties: {Name: code, Type: AWS_LAMBDA, ServiceRoleArn: !GetAtt Role.Arn}
            """,
            set(),
        ),
        (
            "pipes",
            """
            Pipe:
              Type: AWS::Pipes::Pipe
              Properties: {RoleArn: !GetAtt Role.Arn, Source: !GetAtt Orders.StreamArn}
            Orders:
              Type: AWS::DynamoDB::Table
              Properties: {KeySchema: [], StreamSpecification: {StreamViewType: KEYS_ONLY}}
            """,
            STREAM,
        ),
        (
            "pipes",
            "Pipe: {Type: AWS::Pipes::Pipe, Properties: {RoleArn: !GetAtt Role.Arn, Source: !ImportValue source}}",
            None,
        ),
        (
            "iot",
            """
            Rule:
              Type: AWS::IoT::TopicRule
              Properties:
                TopicRulePayload:
                  Actions:
                    - S3: {RoleArn: !GetAtt Role.Arn}
                    - DynamoDBv2: {RoleArn: !GetAtt Role.Arn, PutItem: {TableName: orders}}
            """,
            {"PutItem"},
        ),
        ("lambda", "Function: {Type: AWS::Lambda::Function, Properties: {Role: !GetAtt Role.Arn}}", None),
    ],
)
def test_each_integration_says_what_it_calls(service: str, text: str, calls: set[str] | None) -> None:
    """By reference, by name, or not at all."""
    assert needs(service, text) == calls
