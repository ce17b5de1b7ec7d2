"""What bytes tell before anybody reads them: a mistake here would let a table pass unseen."""

from __future__ import annotations

import pytest

from tablegate.syntax.relevance import Sniffed, may_concern_tables, sniffed

QUEUE = b"Resources:\n  Q: {Type: AWS::SQS::Queue}\n"
EMPTY = b'{"format_version": "1.2", "resource_changes": []'


@pytest.mark.parametrize(
    "data",
    [
        b"hello",
        b'{"name": "x"}',
        b"resources:\n  limits: {cpu: 1}\n",
        b'{"a": "c:\\\\d"}',
        b"iam, dax and export",
        b"AWSTemplateFormatVersion: x",
    ],
)
def test_most_files_are_something_else(data: bytes) -> None:
    """No sign of an input is in them."""
    assert Sniffed.OTHER is sniffed(data)


@pytest.mark.parametrize(
    "data",
    [
        QUEUE,
        EMPTY + b"}",
        EMPTY + b', "errored": false, "complete": true}\n',
        b'{"version": 4, "lineage": "x"}',
    ],
)
def test_an_input_can_have_nothing_that_is_judged(data: bytes) -> None:
    """It is whole, and none of the words is in it."""
    assert Sniffed.SILENT is sniffed(data)


@pytest.mark.parametrize(
    "data",
    [
        QUEUE.replace(b"SQS", b"DynamoDB"),
        QUEUE.replace(b"SQS::Queue", b"DYNAMODB::table"),
        QUEUE.replace(b"SQS", b"IAM"),
        QUEUE.replace(b"SQS", b"DAX"),
        QUEUE.replace(b"SQS::Queue", b"Serverless::SimpleTable"),
        QUEUE.replace(b"AWS::SQS::Queue", b'"AWS::\\x44ynamo\\x44B::Table"'),
        QUEUE.replace(b"AWS::SQS::Queue", b'"AWS::Dynamo\\\nDB::Table"'),
        QUEUE.replace(b"AWS::SQS::Queue", b'"AWS::Dynamo\\\r\nDB::Table"'),
        QUEUE.replace(b"AWS::SQS::Queue", b"Acme::Data::Table::MODULE"),
        QUEUE.replace(b"SQS::Queue", b"CloudFormation::StackSet"),
        QUEUE.replace(b"SQS::Queue", b"SSO::PermissionSet"),
        QUEUE + b"  Fn::ForEach::Each: []\n",
        QUEUE + b"Transform: Acme\n",
        QUEUE + b"Outputs: {A: {Value: 1, Export: {Name: x}}}\n",
        b'{"Resources": {"T": {"Type": "AWS::\\u0044ynamoDB::Table"}}}',
        b'{"Resources": {"Q": {"Type": "AWS::SQS::Queue"}}',
        b'{"Resources": {"Q": {"Type": "AWS::SQS::Queue"',
        b'{"ChangeSetName": "x", "Changes": [{"ResourceType": "AWS::SQS::Queue"}], "NextToken": "y"}',
        b'{"format_version": "1.2", "resource_changes": [{"type": "aws_iam_role"}]}',
        QUEUE.decode().encode("utf-16"),
        b"R\0e\0s\0o\0",
        b"PK\x03\x04",
        EMPTY,
        EMPTY + b', "errored": true}',
        EMPTY + b',\n "complete" :\tfalse}',
        EMPTY + b', "deferred_changes": []}',
        b'{"plan_format_version": "1.2", "resource_changes": []}',
        b"",
        b" \n",
    ],
)
def test_whatever_may_hide_a_table_is_read(data: bytes) -> None:
    """A word, an escape, a macro, what others import, what is cut off, and a plan that is not the whole plan."""
    assert Sniffed.READ is sniffed(data)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'resource "aws_dynamodb_table" "t" {}', True),
        (b'resource "AWS_DynamoDB_table" "t" {}', True),
        (b'resource "aws_dynamo\\u0064b_table" "t" {}', True),
        (b'resource "aws_\\U00000064ynamodb_table" "t" {}', True),
        (b'resource "aws_dax_cluster" "c" {}', True),
        (b'resource "aws_iam_role" "r" {}', True),
        (b'resource "aws_ssoadmin_permission_set" "p" {}', True),
        ('resource "aws_dynamodb_table" "t" {}'.encode("utf-16"), True),
        (b"\xff", True),
        (b'resource "aws_sqs_queue" "q" {}', False),
        (b"", False),
    ],
)
def test_source_without_tables_is_known(data: bytes, expected: bool) -> None:
    """Also where the words cannot be looked for, it is read."""
    assert expected is may_concern_tables(data)
