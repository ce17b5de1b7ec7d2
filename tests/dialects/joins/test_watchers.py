"""Alarms watch the tables that their metrics name, and consumers read the streams that they name."""

from __future__ import annotations

from typing import Any

from support.both import ACCOUNT, ARN, LATER, Case, Refers, cloudformation, each, terraform
from tablegate.model.table import Table

DOUBT = "(doubt)"
Both = tuple[dict[str, Any], str]
"""An alarm or a consumer in Terraform and in CloudFormation."""

STREAM = Refers("aws_dynamodb_table.t.stream_arn")


def stream(region: str = "eu-west-1", account: str = ACCOUNT, name: str = "orders") -> Both:
    """The ARN of a stream."""
    arn = f"arn:aws:dynamodb:{region}:{account}:table/{name}/stream/2026-01-01T00:00:00.000"
    return {"event_source_arn": arn}, f"'{arn}'"


CONSUMERS = [
    Case("by reference", {"event_source_arn": STREAM}, "!GetAtt Orders.StreamArn", "X"),
    Case("by ARN", *stream(), "X"),
    Case("of another table", *stream(name="carts"), None),
    Case("in another region", *stream(region="us-east-1"), None),
    Case("in another account", *stream(account="999999999999"), None),
    Case("by an ARN of this stack", None, "!Sub '" + ARN.replace("eu-west-1", "${AWS::Region}") + "/stream/2026'", "X"),
    Case("the ARN of the table", {"event_source_arn": ARN}, f"'{ARN}'", None),
    Case("a queue", {"event_source_arn": "arn:aws:sqs:eu-west-1:123456789012:orders"}, "!GetAtt Queue.Arn", None),
    Case("any stream", {"event_source_arn": LATER}, "!Ref P", DOUBT),
]


def reader(table: Table) -> object:
    """The only consumer of a table's stream."""
    consumers = [DOUBT if it.doubt is not None else "X" for it in table.stream.consumers]
    return consumers[0] if len(consumers) == 1 else None


@each(CONSUMERS, "terraform")
def test_consumer_of_terraform(given: dict[str, Any], expected: object) -> None:
    """A mapping of a plan reads a table's stream."""
    table = {"stream_enabled": True, "stream_arn": LATER}
    assert reader(terraform({"aws_lambda_event_source_mapping.x": given}, table, account=ACCOUNT)) == expected
    pipe = {"source": given["event_source_arn"]}
    assert reader(terraform({"aws_pipes_pipe.x": pipe}, table, account=ACCOUNT)) == expected


@each(CONSUMERS, "cloudformation")
def test_consumer_of_cloudformation(given: str, expected: object) -> None:
    """A mapping, a pipe and an event of a template read a table's stream."""
    queue = "Queue: {Type: 'AWS::SQS::Queue', Properties: {}}"
    for resource in (
        f"{{Type: 'AWS::Lambda::EventSourceMapping', Properties: {{EventSourceArn: {given}}}}}",
        f"{{Type: 'AWS::Pipes::Pipe', Properties: {{Source: {given}}}}}",
        "{Type: 'AWS::Serverless::Function', Properties: "
        f"{{Events: {{E: {{Type: DynamoDB, Properties: {{Stream: {given}}}}}}}}}}}",
    ):
        (table,) = cloudformation(f"X: {resource}\n{queue}", account=ACCOUNT)
        assert reader(table) == expected
