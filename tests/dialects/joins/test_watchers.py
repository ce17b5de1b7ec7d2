"""Alarms watch the tables that their metrics name, and consumers read the streams that they name."""

from __future__ import annotations

import json
from typing import Any

from support.both import ACCOUNT, ARN, LATER, Case, Refers, cloudformation, each, terraform
from tablegate.model.table import Table

DOUBT = "(doubt)"
Both = tuple[dict[str, Any], str]
"""An alarm or a consumer in Terraform and in CloudFormation."""

NAME = Refers("aws_dynamodb_table.t.name")
STREAM = Refers("aws_dynamodb_table.t.stream_arn")


def metric(table: Any, text: str, namespace: str = "AWS/DynamoDB", **more: Any) -> Both:
    """A metric of a table."""
    index = more.get("index")
    dimensions = {"TableName": table, **({"GlobalSecondaryIndexName": index} if index else {})}
    whole = table if isinstance(table, Refers) else dimensions  # the provider hides all of a map if a part is not known
    own = f", {{Name: GlobalSecondaryIndexName, Value: {index}}}" if index else ""
    return (
        {"namespace": namespace, "metric_name": "SystemErrors", "dimensions": whole},
        f"{{Namespace: {namespace}, MetricName: SystemErrors, Dimensions: [{{Name: TableName, Value: {text}}}{own}]}}",
    )


def query(watched: Both, account: Any = None, text: str = "") -> Both:
    """An alarm on a metric in a query, which may be of another account."""
    account_text = f", AccountId: {text}" if text else ""
    return (
        {"metric_query": [{"id": "q", "metric": [watched[0]], **({} if account is None else {"account_id": account})}]},
        f"{{Metrics: [{{Id: q, MetricStat: {{Metric: {watched[1]}}}{account_text}}}]}}",
    )


def expression(text: str) -> Both:
    """An alarm on an expression."""
    return {
        "metric_query": [{"id": "q", "expression": text, "metric": []}]
    }, f"{{Metrics: [{{Id: q, Expression: '{text}'}}]}}"


ORDERS = metric("orders", "orders")
ERRORS = ("SystemErrors", None)
ALARMS = [
    Case("by name", *ORDERS, ERRORS),
    Case("by reference", *metric(NAME, "!Ref Orders"), ERRORS),
    Case("an index", *metric("orders", "orders", index="by-a"), ("SystemErrors", "by-a")),
    Case("another table", *metric("carts", "carts"), None),
    Case("any table", *metric(LATER, "!Ref P"), DOUBT),
    Case("another namespace", *metric("orders", "orders", "AWS/Lambda"), None),
    Case("no dimensions", {"namespace": "AWS/DynamoDB", "metric_name": "x"}, "{Namespace: AWS/DynamoDB}", None),
    Case("a query", *query(ORDERS), ERRORS),
    Case("a query of this account", *query(ORDERS, ACCOUNT, f"'{ACCOUNT}'"), ERRORS),
    Case("a query of another account", *query(ORDERS, "999999999999", "'999999999999'"), None),
    Case("a query of any account", *query(ORDERS, LATER, "!Ref P"), DOUBT),
    Case("a sum", *expression("a + b"), None),
    Case("a selection", *expression('SELECT SUM(SystemErrors) FROM SCHEMA("AWS/DynamoDB", TableName)'), DOUBT),
]


def watched(table: Table) -> object:
    """The metric and the index of the only alarm of a table."""
    if table.alarms_doubt is not None:
        return DOUBT
    alarms = [(it.metric, it.index) for it in table.alarms]
    return alarms[0] if len(alarms) == 1 else None


@each(ALARMS, "terraform")
def test_alarm_of_terraform(given: dict[str, Any], expected: object) -> None:
    """An alarm of a plan watches a table or an index."""
    assert watched(terraform({"aws_cloudwatch_metric_alarm.x": given}, account=ACCOUNT)) == expected


@each(ALARMS, "cloudformation")
def test_alarm_of_cloudformation(given: str, expected: object) -> None:
    """An alarm of a template watches a table or an index."""
    (table,) = cloudformation(f"X: {{Type: 'AWS::CloudWatch::Alarm', Properties: {given}}}", account=ACCOUNT)
    assert watched(table) == expected


def test_alarm_of_another_account_by_the_table() -> None:
    """A query that names an account may be of another one than a table whose account is not known."""
    given = query(ORDERS, ACCOUNT, f"'{ACCOUNT}'")
    assert watched(terraform({"aws_cloudwatch_metric_alarm.x": given[0]})) == DOUBT
    (table,) = cloudformation(f"X: {{Type: 'AWS::CloudWatch::Alarm', Properties: {given[1]}}}")
    assert watched(table) == DOUBT


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


def filtered(*images: str) -> Both:
    """A consumer that filters for these images."""
    pattern = json.dumps({"dynamodb": {image: {"a": [1]} for image in images}})
    return (
        {"filter_criteria": [{"filter": [{"pattern": pattern}]}]},
        f"FilterCriteria: {{Filters: [{{Pattern: '{pattern}'}}]}}",
    )


FILTERS = [
    Case("none", {}, "", set()),
    Case("no images", *filtered(), set()),
    Case("new images", *filtered("NewImage"), {"NEW_IMAGE"}),
    Case("both images", *filtered("NewImage", "OldImage"), {"NEW_IMAGE", "OLD_IMAGE"}),
]


@each(FILTERS, "terraform")
def test_images_of_terraform(given: dict[str, Any], expected: object) -> None:
    """A consumer of a plan needs the images that its filter looks into."""
    for address, arguments in (
        ("aws_lambda_event_source_mapping.x", {"event_source_arn": STREAM, **given}),
        ("aws_pipes_pipe.x", {"source": STREAM, "source_parameters": [given]}),
    ):
        (found,) = terraform({address: arguments}, {"stream_enabled": True, "stream_arn": LATER}).stream.consumers
        assert found.images == expected


@each(FILTERS, "cloudformation")
def test_images_of_cloudformation(given: str, expected: object) -> None:
    """A consumer of a template needs the images that its filter looks into."""
    source = "!GetAtt Orders.StreamArn"
    for resource in (
        f"{{Type: 'AWS::Lambda::EventSourceMapping', Properties: {{EventSourceArn: {source}, {given}}}}}",
        f"{{Type: 'AWS::Pipes::Pipe', Properties: {{Source: {source}, SourceParameters: {{{given}}}}}}}",
    ):
        (table,) = cloudformation(f"X: {resource}")
        (found,) = table.stream.consumers
        assert found.images == expected


def test_stream_that_is_off() -> None:
    """A table without a stream has no consumers."""
    given = {"aws_lambda_event_source_mapping.x": stream()[0]}
    assert terraform(given, {"stream_enabled": False}).stream.consumers == ()
