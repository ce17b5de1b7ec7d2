"""Resources under a condition that never holds: nothing of them is evaluated, as in CloudFormation."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tablegate.dialects.cloudformation.stacks import read
from tablegate.dialects.cloudformation.template import READ
from tablegate.dialects.reading import ReadOptions

MISSING = {"Fn::FindInMap": ["Names", "missing", "name"]}
KEYS = (
    *("TableName", "BillingMode", "KeySchema", "Tags", "SSESpecification", "StreamSpecification", "Replicas"),
    *("Policies", "PolicyDocument", "Roles", "Users", "Groups", "ManagedPolicyArns", "PermissionsBoundary", "UserName"),
    *("AssumeRolePolicyDocument", "RoleName", "GroupName", "ManagedPolicyName", "Role", "RoleArn", "InlinePolicy"),
    *("ResourceId", "ScalableDimension", "ServiceNamespace", "Dimensions", "Namespace", "MetricName", "Metrics"),
    *("TemplateURL", "Location", "Parameters", "FunctionName", "EventSourceArn", "Source", "Target", "Events"),
    *("Definition", "DefinitionString", "KeyPolicy", "AliasName", "TargetKeyId", "ServiceName", "BackupSelection"),
    *("Destination", "DataSources", "DynamoDBConfig", "Integration", "TopicRulePayload", "ServiceToken", "Content"),
)
NEVER = {"No": {"Fn::Equals": ["a", "b"]}, "Given": {"Fn::Equals": [{"Ref": "Env"}, "prod"]}}


def template(type_: str, condition: str, *, serverless: bool) -> dict[str, Any]:
    """A resource that cannot be evaluated beside a table and a role that can, and that refer to it."""
    body = {
        "Type": type_,
        "Condition": condition,
        "DeletionPolicy": MISSING,
        "Properties": dict.fromkeys(KEYS, MISSING),
    }
    statement = {"Effect": "Allow", "Action": "dynamodb:*", "Resource": {"Fn::GetAtt": ["Odd", "Arn"]}}
    role = {
        "RoleName": "worker",
        "ManagedPolicyArns": [{"Ref": "Odd"}],
        "Policies": [{"PolicyName": "p", "PolicyDocument": {"Statement": [statement]}}],
    }
    return {
        **({"Transform": "AWS::Serverless-2016-10-31"} if serverless else {}),
        "Parameters": {"Env": {"Type": "String"}},
        "Conditions": NEVER,
        "Mappings": {"Names": {"there": {"name": "x"}}},
        "Resources": {
            "Odd": body,
            "Orders": {"Type": "AWS::DynamoDB::Table", "Properties": {"TableName": "orders"}},
            "Worker": {"Type": "AWS::IAM::Role", "Properties": role},
        },
        "Outputs": {"Odd": {"Condition": condition, "Value": MISSING, "Export": {"Name": MISSING}}},
    }


@pytest.mark.parametrize("type_", sorted(READ))
@pytest.mark.parametrize("condition", NEVER)
@pytest.mark.parametrize("serverless", [False, True])
def test_what_never_exists_is_not_evaluated(type_: str, condition: str, *, serverless: bool) -> None:
    """A mapping without the key that it asks for is no fault, whatever the resource is."""
    text = json.dumps(template(type_, condition, serverless=serverless))
    found = read(text, "template.json", ReadOptions(parameters={"Env": "dev"}))
    assert [fault.message for fault in found.faults if "there is no mapping" in fault.message] == []
    assert found.estate is not None
    assert "Orders" in {table.address for table in found.estate.tables}


@pytest.mark.parametrize("type_", ["AWS::IAM::Role", "AWS::CloudWatch::Alarm", "AWS::DynamoDB::Table"])
def test_what_exists_is_evaluated(type_: str) -> None:
    """The same resource where its condition holds: CloudFormation refuses it."""
    text = json.dumps(template(type_, "Given", serverless=False))
    found = read(text, "template.json", ReadOptions(parameters={"Env": "prod"}))
    assert any("there is no mapping 'Names' with this key" in fault.message for fault in found.faults)
