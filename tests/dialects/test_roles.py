"""Who uses a role, and what an integration calls with it: one table for both languages."""

from __future__ import annotations

import json
from textwrap import dedent, indent
from typing import Any

import pytest

from support.planned_access import holders, made
from support.plans import change, written
from support.templates import reading
from tablegate.dialects.cloudformation.template import READ
from tablegate.dialects.roles import DAX, USES, Use

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
        (
            "apigateway",
            """
            Integration:
              Type: AWS::ApiGatewayV2::Integration
              Properties: {IntegrationSubtype: SQS-SendMessage, CredentialsArn: !GetAtt Role.Arn}
            """,
            set(),
        ),
        (
            "apigateway",
            "Integration: {Type: AWS::ApiGatewayV2::Integration, Properties: {CredentialsArn: !GetAtt Role.Arn}}",
            None,
        ),
        ("lambda", "Function: {Type: AWS::Lambda::Function, Properties: {Role: !GetAtt Role.Arn}}", None),
    ],
)
def test_each_integration_says_what_it_calls(service: str, text: str, calls: set[str] | None) -> None:
    """By reference, by name, or not at all."""
    assert needs(service, text) == calls


ARN = "arn:aws:iam::111122223333:role/r"
UNSAID_IN_TERRAFORM = {"AWS::Serverless::Function.Role", "AWS::Serverless::StateMachine.Role"}
UNSAID_IN_CLOUDFORMATION = {"aws_cloudformation_stack.iam_role_arn"}


def nested(path: str, value: object, *, listed: bool) -> dict[str, Any]:
    """A value at a path; Terraform's blocks are lists."""
    key, _, rest = path.partition(".")
    if not rest:
        return {key: value}
    inner = nested(rest, value, listed=listed)
    return {key: [inner] if listed else inner}


def test_only_what_a_language_cannot_say_is_an_empty_cell() -> None:
    """SAM makes roles, and a stack is deployed with a role that its template does not name."""
    assert {use.spelling.cloudformation for use in USES if not use.spelling.terraform} == UNSAID_IN_TERRAFORM
    assert {use.spelling.terraform for use in USES if not use.spelling.cloudformation} == UNSAID_IN_CLOUDFORMATION


def test_what_the_table_names_is_read() -> None:
    """A type that the template leaves aside would have no users."""
    assert {spelling.cloudformation.partition(".")[0] for _, spelling, *_ in USES} - {""} <= READ
    assert DAX.cloudformation.partition(".")[0] in READ


@pytest.mark.parametrize("use", [use for use in USES if use.spelling.terraform], ids=lambda use: use.spelling.terraform)
def test_a_resource_of_a_plan_uses_the_role_that_it_names(use: Use) -> None:
    """The role's own trust policy is not known."""
    type_, _, path = use.spelling.terraform.partition(".")
    role = change({"name": "r"}, type="aws_iam_role", name="r", unknown={"assume_role_policy": True, "arn": True})
    arguments = nested(path, ARN, listed=True)
    if type_ == "aws_batch_job_definition":  # its properties are a JSON text
        arguments = {key: json.dumps(*value) for key, value in arguments.items()}
    user = change(arguments, type=type_, name="u")
    holder = holders(written(role, user))["aws_iam_role.r"]
    assert (holder.kind, holder.why) == (use.kind, f"used by {type_}.u")


@pytest.mark.parametrize(
    "use", [use for use in USES if use.spelling.cloudformation], ids=lambda use: use.spelling.cloudformation
)
def test_a_resource_of_a_template_uses_the_role_that_it_names(use: Use) -> None:
    """By reference or by name."""
    type_, _, path = use.spelling.cloudformation.partition(".")
    for named in ({"Fn::GetAtt": ["Role", "Arn"]}, ARN):
        user = {"Type": type_, "Properties": nested(path, named, listed=False)}
        role = {"Type": "AWS::IAM::Role", "Properties": {"RoleName": "r"}}
        template = {"Transform": "AWS::Serverless-2016-10-31", "Resources": {"Role": role, "User": user}}
        holder = holders(reading(json.dumps(template)))["Role"]
        assert (holder.kind, holder.why) == (use.kind, "used by User")


@pytest.mark.parametrize(
    ("role", "names"),
    [
        ("gateway", {"Query"}),
        ("http", set()),
        ("resolvers", {"GetItem", "ConditionCheckItem", "DeleteItem", "PutItem", "UpdateItem"}),
        ("pipe", STREAM),
        ("rule", {"PutItem"}),
        ("unresolved", None),
        ("idle", None),
        ("code", None),
        ("both", None),
    ],
)
def test_a_role_of_a_plan_needs_what_its_integrations_call(role: str, names: set[str] | None) -> None:
    """By references that the apply completes. If code may use it too, or nothing uses it, nobody knows."""
    assert holders(made("integrations"))[f'aws_iam_role.of["{role}"]'].needs == names
