"""Streams: do a table's changes carry what their readers need, does anybody read them, and are they kept safe?"""

from __future__ import annotations

from tablegate.policy import (
    LOW,
    MEDIUM,
    Consumer,
    StreamDestination,
    Table,
    TableKind,
    Value,
    Verdict,
    all_of,
    fails,
    holds,
    not_applicable,
    policy,
    unknown,
    when,
)
from tablegate_baseline.helpers import each_replica, not_seen, otherwise, require, unknown_values

_BOTH_IMAGES = "NEW_AND_OLD_IMAGES"
_CARRIED = {"NEW_IMAGE": {"NEW_IMAGE"}, "OLD_IMAGE": {"OLD_IMAGE"}, _BOTH_IMAGES: {"NEW_IMAGE", "OLD_IMAGE"}}


@policy(
    "TG207",
    MEDIUM,
    "A Kinesis stream that receives a table's changes must be encrypted with KMS",
    docs="https://docs.aws.amazon.com/streams/latest/dev/what-is-sse.html",
    terraform="""
resource "aws_kinesis_stream" "changes" {
  name            = "orders-changes"
  shard_count     = 1
  encryption_type = "KMS"
  kms_key_id      = "alias/aws/kinesis"
}
""",
    cloudformation="""
Changes:
  Type: AWS::Kinesis::Stream
  Properties:
    ShardCount: 1
    StreamEncryption:
      EncryptionType: KMS
      KeyId: alias/aws/kinesis
""",
)
def stream_destination_encryption(table: Table) -> Verdict:
    """Every change is copied into the stream with whole items, and stays there for up to a year. The table's key
    does not protect it: the data is only as safe as the stream."""
    places = [
        _destinations_encrypted(table.destinations),
        *each_replica(table, lambda replica: _destinations_encrypted(replica.destinations)),
    ]
    verdicts = [verdict for verdict in places if verdict.applies]
    return (
        all_of(verdicts) if verdicts else not_applicable("no Kinesis stream in this input receives the table's changes")
    )


@policy(
    "TG610",
    MEDIUM,
    "A stream must carry the images that its readers need",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html",
    terraform="""
stream_enabled   = true
stream_view_type = "NEW_AND_OLD_IMAGES"
""",
    cloudformation="""
StreamSpecification:
  StreamViewType: NEW_AND_OLD_IMAGES
""",
)
def stream_view(table: Table) -> Verdict:
    """A stream's view type is fixed: a stream that lacks an image must be replaced, and every reader with it.

    Replication needs both images. A filter on an image that never comes silently drops every record. A stream
    without a reader is a leftover, or its reader was forgotten.
    """
    if _has_no_stream(table):
        return not_applicable("the table has neither a stream nor a replica")
    return all_of(
        (_replication_images(table), *[_carries(table, reader) for reader in table.stream.consumers], _is_read(table))
    )


@policy(
    "TG611",
    MEDIUM,
    "A reader of a stream must not lose what it cannot process",
    docs="https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html",
    terraform="""
resource "aws_lambda_event_source_mapping" "orders" {
  event_source_arn       = aws_dynamodb_table.orders.stream_arn
  function_name          = "invoice"
  starting_position      = "LATEST"
  maximum_retry_attempts = 5

  destination_config {
    on_failure {
      destination_arn = aws_sqs_queue.failed.arn
    }
  }
}
""",
    cloudformation="""
Reader:
  Type: AWS::Lambda::EventSourceMapping
  Properties:
    EventSourceArn: !GetAtt Table.StreamArn
    FunctionName: invoice
    StartingPosition: LATEST
    MaximumRetryAttempts: 5
    DestinationConfig:
      OnFailure:
        Destination: !GetAtt Failed.Arn
""",
)
def stream_failures(table: Table) -> Verdict:
    """One record that cannot be processed holds up its shard until the stream forgets it, after 24 hours: by then what
    came behind it may be lost too. With a bound but without a destination, records are dropped and nobody knows."""
    verdicts = [
        *[_survives_stream(table, reader) for reader in table.stream.consumers],
        *[_survives(reader) for into in table.destinations for reader in into.consumers],
    ]
    if not any(verdict.applies for verdict in verdicts):
        return not_applicable("nothing in this input reads the table's changes")
    lossy = [verdict for verdict in verdicts if verdict.truth is not True]
    grave = [verdict for verdict in lossy if verdict.severity is None]
    together = all_of(grave or verdicts)
    return together.weighing(LOW) if lossy and not grave else together


def _survives_stream(table: Table, reader: Consumer) -> Verdict:
    return when(table.stream.enabled.is_true, lambda: _survives(reader), "the stream is off")


def _survives(reader: Consumer) -> Verdict:
    """A reader sends what it cannot process somewhere. If it gives up after a bound, what it loses weighs little."""
    failures = reader.failures
    sent = failures.destination.at(reader.place)
    if sent.known and sent.content:
        return holds(sent)
    bounds = [bound for bound in (failures.attempts, failures.age) if bound.content is not None]
    if reader.doubt is not None:
        lost = not_seen("stream reader", reader.doubt)
    elif not sent.known:
        lost = unknown(f"cannot tell whether {reader.address} has a failure destination", sent)
    elif bounds:
        lost = fails(f"{reader.address} drops records that it cannot process: it has no failure destination", sent)
    elif failures.attempts.known and failures.age.known:
        lost = fails(
            f"{reader.address} has neither a failure destination nor a bound on retries: "
            "one record that it cannot process holds up its shard until the stream forgets it",
            sent,
        )
    else:
        unbounded = unknown_values(failures.attempts, failures.age)
        lost = unknown(
            f"cannot tell whether {reader.address}, which has no failure destination, ever gives up", *unbounded
        )
    return lost.weighing(LOW) if bounds else lost


def _has_no_stream(table: Table) -> bool:
    """Whether the table certainly has neither a stream nor a replica, as most tables."""
    stream, replicas = table.stream, table.replicas
    off = stream.enabled.known and not stream.enabled.content and not stream.consumers
    return off and table.kind is TableKind.REGIONAL and replicas.known and not replicas.content


def _replication_images(table: Table) -> Verdict:
    return when(_replicates_by_stream(table), lambda: _carries_both(table), "the table is not global")


def _carries_both(table: Table) -> Verdict:
    stream = table.stream
    return otherwise(
        stream.enabled.is_true & stream.view.equals(_BOTH_IMAGES),
        f"the stream of a global table must be {_BOTH_IMAGES} for replication, but is {_shown(table)}",
    )


def _shown(table: Table) -> str:
    stream = table.stream
    return "off" if stream.enabled.content is False else stream.view.shown


def _replicates_by_stream(table: Table) -> Verdict:
    """The table has replicas, and is not strongly consistent."""
    has_replicas = Verdict(True) if table.kind is TableKind.GLOBAL else table.replicas.satisfies(bool)
    return has_replicas & ~table.consistency.equals("STRONG")


def _carries(table: Table, reader: Consumer) -> Verdict:
    view = table.stream.view
    carried = view.satisfies(lambda content: reader.images <= _CARRIED.get(str(content), set()))
    if carried.truth is True:
        return carried
    if reader.doubt is not None and carried.truth is False:
        return not_seen("stream reader", reader.doubt)
    wanted = " and ".join(sorted(reader.images))
    return otherwise(carried, f"{reader.address} filters on {wanted}, but the stream is {_shown(table)}")


def _is_read(table: Table) -> Verdict:
    """Something reads the stream: a consumer, replication, or another input where this one has no consumers at all."""
    enabled = table.stream.enabled
    if any(reader.doubt is None for reader in table.stream.consumers) or not table.estate.manages_consumers:
        return holds(enabled)
    nobody = fails("nothing in this input reads the stream", enabled).weighing(LOW)
    for reader in table.stream.consumers:
        nobody = nobody | not_seen("stream reader", reader.doubt)
    return when(
        enabled.is_true & ~_replicates_by_stream(table), lambda: nobody, "the stream is for replication, or off"
    )


def _destinations_encrypted(destinations: tuple[StreamDestination, ...]) -> Verdict:
    """Each of these streams that is in this input is encrypted under KMS."""
    verdicts = [_is_under_kms(into, into.encrypted) for into in destinations if into.encrypted is not None]
    return all_of(verdicts) if verdicts else not_applicable("no stream in this input")


def _is_under_kms(into: StreamDestination, encrypted: Value[bool]) -> Verdict:
    name = into.address or into.stream.shown
    return require(
        encrypted, True, f"{name} stores the table's changes without KMS encryption", f"{name} is encrypted with KMS"
    )
