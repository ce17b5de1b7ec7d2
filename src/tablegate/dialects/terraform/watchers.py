"""Step a."""

from __future__ import annotations

from collections.abc import Iterator

from tablegate.dialects.terraform.block import Block
from tablegate.dialects.terraform.configuration import tree, trees
from tablegate.dialects.terraform.joins import ByTable, TableFinder, TableMatch
from tablegate.dialects.terraform.resources import Resource, Snapshot
from tablegate.model import facts
from tablegate.model.facts import Fact
from tablegate.model.record import replace
from tablegate.model.table import Alarm, Consumer, StreamDestination
from tablegate.model.value import Doubt, Value

_NAMESPACE = "AWS/DynamoDB"


class Insights:
    """Contributor Insights of tables and of their indexes."""

    def __init__(self, world: Snapshot, finder: TableFinder) -> None:
        self._joined: ByTable[Resource] = ByTable()
        for one in world.of("aws_dynamodb_contributor_insights"):
            self._joined.add(finder.of(one, "table_name"), one)

    def of(self, table: Resource, index: str | None = None, region: str | None = None) -> Value[bool]:
        """Whether they are on for a table, for one of its indexes, or for a replica."""
        doubt = self._joined.doubt(table)
        for one in self._joined.of(table, region):
            some_index = one.block.doubt("index_name") if one.block.is_unknown("index_name") else None
            doubt = doubt or some_index
            if some_index is None and one.known_text("index_name") == index:
                return facts.INSIGHTS.of(True, one.reference_place)
        return facts.INSIGHTS.unset if doubt is None else facts.INSIGHTS.doubted(doubt)


class Alarms:
    """CloudWatch alarms on the metrics of tables."""

    def __init__(self, world: Snapshot, finder: TableFinder) -> None:
        self._finder = finder
        self._joined: ByTable[Alarm] = ByTable()
        alarms = world.of("aws_cloudwatch_metric_alarm")
        self.any = bool(alarms)
        for alarm in alarms:
            self._read(alarm, alarm.block)
            queries = alarm.block.many("metric_query")
            for query in () if isinstance(queries, Doubt) else queries:
                metric = query.one("metric") if isinstance(query, Block) else None
                if isinstance(metric, Block):
                    self._read(alarm, metric)
                elif isinstance(query, Block):
                    self._read_expression(alarm, query)

    def of(self, table: Resource) -> tuple[tuple[Alarm, ...], Doubt | None]:
        """A table's alarms, and why there may be more."""
        found = sorted(self._joined.of(table), key=lambda one: (one.address, one.metric, one.index or ""))
        return tuple(found), self._joined.doubt(table)

    def _read(self, alarm: Resource, metric: Block) -> None:
        if metric.content.get("namespace") != _NAMESPACE:
            return
        name = metric.content.get("metric_name")
        dimensions = metric.content.get("dimensions")
        if isinstance(dimensions, dict):
            table, index = dimensions.get("TableName"), dimensions.get("GlobalSecondaryIndexName")
            if isinstance(table, str):
                watched = Alarm(
                    address=alarm.address, metric=str(name), index=index if isinstance(index, str) else None
                )
                self._joined.add(self._finder.by_text(table, alarm), watched)
        elif metric.is_unknown("dimensions"):
            mentions = alarm.snapshot.resolver.trace(metric.expression("dimensions"), alarm.scope)
            self._joined.add(self._finder.by_mentions(mentions, alarm), Alarm(address=alarm.address, metric=str(name)))

    def _read_expression(self, alarm: Resource, query: Block) -> None:
        """A metrics query may watch any table: plan JSON holds it, but it is another language."""
        text = query.content.get("expression")
        if isinstance(text, str) and _NAMESPACE in text:
            doubt = Doubt(
                f"{alarm.address} watches what a metrics expression selects", "an alarm on the table's metric"
            )
            self._joined.add(TableMatch((), doubt), Alarm(address=alarm.address, metric="expression"))


_SOURCES = {"aws_lambda_event_source_mapping": "event_source_arn", "aws_pipes_pipe": "source"}
_IMAGES = {"NewImage": "NEW_IMAGE", "OldImage": "OLD_IMAGE"}


class Consumers:
    """Lambda event source mappings and pipes."""

    def __init__(self, world: Snapshot, finder: TableFinder) -> None:
        self._joined: ByTable[Consumer] = ByTable()
        self._anybodys: list[Consumer] = []
        consumers = world.of(*_SOURCES)
        self.any = bool(consumers)
        for one in consumers:
            consumer = Consumer(address=one.address, place=one.reference_place, images=frozenset(_images(one)))
            link = finder.of(one, _SOURCES[one.resource_change.type])
            if link.table is None and link.doubt is not None:
                self._anybodys.append(replace(consumer, doubt=link.doubt))
            elif link.stream:
                self._joined.add(link, consumer)

    def of(self, table: Resource) -> tuple[Consumer, ...]:
        """A table's consumers. One that cannot be told from anybody's is taken for everybody's."""
        found = [*self._joined.of(table), *self._anybodys]
        return tuple(sorted(found, key=lambda one: one.address))


class Destinations:
    """Kinesis streams that receive the changes of tables."""

    def __init__(self, world: Snapshot, finder: TableFinder) -> None:
        self._world = world
        self._joined: ByTable[Resource] = ByTable()
        self._streams: dict[str, Resource] = {}
        destinations = world.of("aws_dynamodb_kinesis_streaming_destination")
        for one in destinations:
            self._joined.add(finder.of(one, "table_name"), one)
        for stream in world.of("aws_kinesis_stream") if destinations else ():
            for name in ("arn", "id"):
                if arn := stream.known_text(name):
                    self._streams[arn] = stream

    def of(self, table: Resource, region: str | None = None) -> tuple[StreamDestination, ...]:
        """Where a table's changes, or its replica's, are sent."""
        found = (self._destination(one) for one in self._joined.of(table, region))
        return tuple(sorted(found, key=lambda one: one.address or ""))

    def _destination(self, one: Resource) -> StreamDestination:
        stream = self._streams.get(one.known_text("stream_arn") or "")
        if stream is None and one.block.is_unknown("stream_arn"):
            found = [
                resource
                for mention in one.references("stream_arn")
                if mention.type == "aws_kinesis_stream"
                for instance in mention.targets
                if (resource := self._world.at(instance)) is not None
            ]
            stream = found[0] if len(found) == 1 else None
        encrypted = None if stream is None else _under_kms(stream)
        name = one.block.text(facts.DESTINATION, "stream_arn")
        return StreamDestination(stream=name, encrypted=encrypted, address=None if stream is None else stream.address)


class Policies:
    """Resource policies of tables and of their streams."""

    def __init__(self, world: Snapshot, finder: TableFinder) -> None:
        self._joined: ByTable[tuple[Resource, bool]] = ByTable()
        for one in world.of("aws_dynamodb_resource_policy"):
            link = finder.of(one, "resource_arn")
            self._joined.add(link, (one, link.stream))

    def of(self, table: Resource, fact: Fact[str], region: str | None = None) -> Value[str]:
        """The policy of a table, of its stream, or of a replica."""
        for one, stream in self._joined.of(table, region):
            if stream == (fact is facts.STREAM_POLICY):
                return one.block.text(fact, "policy")
        doubt = self._joined.doubt(table)
        return fact.unset if doubt is None else fact.doubted(doubt)


def _under_kms(stream: Resource) -> Value[bool]:
    kind = stream.block.text(_ENCRYPTION, "encryption_type")
    if kind.doubt is not None:
        return facts.DESTINATION_ENCRYPTED.doubted(kind.doubt, kind.place)
    return facts.DESTINATION_ENCRYPTED.of(kind.content == "KMS", stream.block.place("encryption_type"))


_ENCRYPTION = Fact[str]("encryption type", "NONE")


def _images(one: Resource) -> Iterator[str]:
    """The images that the filters of a consumer look into."""
    parameters = one.block.content.get("source_parameters")
    for holder in (one.block.content, *trees(parameters)):
        for criteria in trees(tree(holder).get("filter_criteria")):
            for entry in trees(criteria.get("filter")):
                pattern = entry.get("pattern")
                if isinstance(pattern, str):
                    yield from (image for key, image in _IMAGES.items() if f'"{key}"' in pattern)
