"""Alarms watch the tables that their metrics name, and consumers read the streams that they name."""

from __future__ import annotations

import json
from typing import Any

from support.both import ACCOUNT, ARN, LATER, UNKNOWN, Case, Refers, cloudformation, each, terraform, told
from support.both import NAME as TABLE
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
    Case(
        "no dimensions",
        {"namespace": "AWS/DynamoDB", "metric_name": "x"},
        "{Namespace: AWS/DynamoDB, MetricName: x}",
        None,
    ),
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


def handled(*path: str, arn: Any = "arn:aws:sqs:eu-west-1:1:q", **bounds: int) -> dict[str, Any]:
    """The settings of a consumer in Terraform: a destination in these blocks, and bounds."""
    *blocks, name = path
    inner: Any = {name: arn}
    for block in reversed(blocks):
        inner = {block: [inner]}
    return {**inner, **bounds}


ON_FAILURE = ("destination_config", "on_failure", "destination_arn")
QUEUE = Refers("aws_sqs_queue.q.arn")
BOUNDED: dict[str, Any] = {"maximum_retry_attempts": 0, "maximum_record_age_in_seconds": 60}
UNBOUNDED: dict[str, Any] = {"maximum_retry_attempts": -1, "maximum_record_age_in_seconds": -1}
FAILURES = [
    Case("nothing", {}, "", (False, None, None)),
    Case("a destination", handled(*ON_FAILURE), "DestinationConfig: {OnFailure: {Destination: q}}", (True, None, None)),
    Case(
        "a queue of this input",
        handled(*ON_FAILURE, arn=QUEUE),
        "DestinationConfig: {OnFailure: {Destination: !GetAtt Queue.Arn}}",
        (True, None, None),
    ),
    Case(
        "an unknown destination",
        handled(*ON_FAILURE, arn=LATER),
        "DestinationConfig: {OnFailure: {Destination: !Ref P}}",
        (True, None, None),
    ),
    Case(
        "a destination that may be left out",
        None,
        "DestinationConfig: {OnFailure: {Destination: {'Fn::Transform': {Name: M}}}}",
        (UNKNOWN, None, None),
    ),
    Case("no destination in it", {"destination_config": []}, "DestinationConfig: {}", (False, None, None)),
    Case("an empty destination", None, "DestinationConfig: {OnFailure: {Destination: ''}}", (False, None, None)),
    Case("bounds", BOUNDED, "MaximumRetryAttempts: 0, MaximumRecordAgeInSeconds: '60'", (False, 0, 60)),
    Case("no bounds", UNBOUNDED, "MaximumRetryAttempts: -1, MaximumRecordAgeInSeconds: -1", (False, None, None)),
    Case(
        "unknown bounds",
        {"maximum_retry_attempts": LATER},
        "MaximumRetryAttempts: !Ref P",
        (False, UNKNOWN, None),
    ),
]


def kept(table: Table) -> tuple[object, object, object]:
    """What the one consumer of a table does with records that it cannot process."""
    (consumer,) = (*table.stream.consumers, *(one for into in table.destinations for one in into.consumers))
    failures = consumer.failures
    return told(failures.destination), told(failures.attempts), told(failures.age)


@each(FAILURES, "terraform")
def test_failures_in_terraform(given: dict[str, Any], expected: object) -> None:
    """A mapping of a plan says what becomes of records that it cannot process."""
    mapping = {"event_source_arn": STREAM, **given}
    on = {"stream_enabled": True, "stream_arn": LATER}
    assert kept(terraform({"aws_lambda_event_source_mapping.x": mapping, "aws_sqs_queue.q": {}}, on)) == expected


@each(FAILURES, "cloudformation")
def test_failures_in_cloudformation(given: str, expected: object) -> None:
    """A mapping and an event of a template say what becomes of records that they cannot process."""
    source, queue = "!GetAtt Orders.StreamArn", "Queue: {Type: 'AWS::SQS::Queue', Properties: {}}"
    for resource in (
        f"{{Type: 'AWS::Lambda::EventSourceMapping', Properties: {{EventSourceArn: {source}, {given}}}}}",
        "{Type: 'AWS::Serverless::Function', Properties: "
        f"{{Events: {{E: {{Type: DynamoDB, Properties: {{Stream: {source}, {given}}}}}}}}}}}",
    ):
        tables = cloudformation(f"X: {resource}\n{queue}")
        assert {kept(table) for table in tables} == {expected}


PIPED = [
    Case("nothing", {}, "", (False, None, None)),
    Case("a queue", handled("dead_letter_config", "arn"), "DeadLetterConfig: {Arn: q}", (True, None, None)),
    Case(
        "a queue of this input",
        handled("dead_letter_config", "arn", arn=QUEUE),
        "DeadLetterConfig: {Arn: !GetAtt Queue.Arn}",
        (True, None, None),
    ),
    Case("perhaps a queue", handled("dead_letter_config", "arn", arn=LATER), None, (UNKNOWN, None, None)),
    Case("bounds", BOUNDED, "MaximumRetryAttempts: 0, MaximumRecordAgeInSeconds: 60", (False, 0, 60)),
]


@each(PIPED, "terraform")
def test_failures_of_a_pipe_in_terraform(given: dict[str, Any], expected: object) -> None:
    """A pipe has settings of its own for each kind of stream, and for a Kinesis stream with the table's changes too."""
    queue = {"aws_sqs_queue.q": {}}
    pipe = {"source": STREAM, "source_parameters": [{"dynamodb_stream_parameters": [given]}]}
    on = {"stream_enabled": True, "stream_arn": LATER}
    assert kept(terraform({"aws_pipes_pipe.x": pipe, **queue}, on)) == expected
    arn = Refers("aws_kinesis_stream.k.arn")
    into = {
        "aws_kinesis_stream.k": {"arn": LATER},
        "aws_dynamodb_kinesis_streaming_destination.d": {"stream_arn": arn, "table_name": TABLE},
        "aws_pipes_pipe.x": {"source": arn, "source_parameters": [{"kinesis_stream_parameters": [given]}]},
    }
    assert kept(terraform({**into, **queue}, on)) == expected


@each(PIPED, "cloudformation")
def test_failures_of_a_pipe_in_cloudformation(given: str, expected: object) -> None:
    """A pipe has settings of its own for each kind of stream, and for a Kinesis stream with the table's changes too."""
    queue = "Queue: {Type: 'AWS::SQS::Queue', Properties: {}}\nK: {Type: 'AWS::Kinesis::Stream', Properties: {}}"
    for source, parameters in (
        ("!GetAtt Orders.StreamArn", "DynamoDBStreamParameters"),
        ("!GetAtt K.Arn", "KinesisStreamParameters"),
    ):
        inside = f"{{Source: {source}, SourceParameters: {{{parameters}: {{{given}}}}}}}"
        properties = ", KinesisStreamSpecification: {StreamArn: !GetAtt K.Arn}"
        (table,) = cloudformation(f"X: {{Type: 'AWS::Pipes::Pipe', Properties: {inside}}}\n{queue}", properties)
        assert kept(table) == expected


def test_failures_in_blocks_that_are_not_known() -> None:
    """What holds the settings may be unknown as a whole."""
    text = "SourceParameters: {'Fn::Transform': {Name: M}}"
    inside = f"{{Source: !GetAtt Orders.StreamArn, {text}}}"
    (table,) = cloudformation(f"X: {{Type: 'AWS::Pipes::Pipe', Properties: {inside}}}")
    assert kept(table) == (UNKNOWN, UNKNOWN, UNKNOWN)


def test_an_event_of_kinesis_reads_the_stream_that_it_names() -> None:
    """And no table's stream."""
    events = "{E: {Type: Kinesis, Properties: {Stream: !GetAtt K.Arn, MaximumRetryAttempts: 2}}}"
    stream = "K: {Type: 'AWS::Kinesis::Stream', Properties: {}}"
    function = f"X: {{Type: 'AWS::Serverless::Function', Properties: {{Events: {events}}}}}"
    properties = ", KinesisStreamSpecification: {StreamArn: !GetAtt K.Arn}"
    (table,) = cloudformation(f"{function}\n{stream}", properties)
    assert (table.stream.consumers, kept(table)) == ((), (False, 2, None))
    (table,) = cloudformation(function.replace("!GetAtt K.Arn", "!Ref P"))
    assert table.stream.consumers == ()


def test_consumers_of_the_cloud_control_provider() -> None:
    """Their settings are objects, and named as in CloudFormation."""
    pattern = {"filters": [{"pattern": '{"dynamodb": {"OldImage": {}}}'}]}
    settings = {"maximum_retry_attempts": 4}
    mapping = {
        "event_source_arn": STREAM,
        "filter_criteria": pattern,
        "destination_config": {"on_failure": {"destination": "q"}},
        **settings,
    }
    pipe = {
        "source": STREAM,
        "source_parameters": {
            "filter_criteria": pattern,
            "dynamo_db_stream_parameters": {"dead_letter_config": {"arn": "q"}, **settings},
        },
    }
    for address, given in (("awscc_lambda_event_source_mapping.x", mapping), ("awscc_pipes_pipe.x", pipe)):
        table = terraform({address: given}, {"stream_enabled": True, "stream_arn": LATER})
        assert kept(table) == (True, 4, None)
        assert table.stream.consumers[0].images == {"OLD_IMAGE"}


def test_a_reader_of_another_resource_reads_no_table() -> None:
    """A queue's ARN is not known before the apply, and no stream's all the same."""
    for type_ in ("aws_sqs_queue", "aws_kinesis_stream"):
        mapping = {"event_source_arn": Refers(f"{type_}.q.arn")}
        resources = {"aws_lambda_event_source_mapping.x": mapping, f"{type_}.q": {"arn": LATER}}
        assert terraform(resources, {"stream_enabled": True}).stream.consumers == ()


def test_a_pipe_without_settings_tries_again() -> None:
    """Until the records expire, and keeps none of them."""
    pipe = {"aws_pipes_pipe.x": {"source": STREAM}}
    assert kept(terraform(pipe, {"stream_enabled": True, "stream_arn": LATER})) == (False, None, None)
    template = "Pipe: {Type: 'AWS::Pipes::Pipe', Properties: {Source: !GetAtt Orders.StreamArn}}"
    (table,) = cloudformation(template, ", StreamSpecification: {StreamViewType: KEYS_ONLY}")
    assert kept(table) == (False, None, None)
