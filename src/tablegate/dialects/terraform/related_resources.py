"""Terraform's resources beside a table: alarms, Insights, consumers, destinations, policies, backup selections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tablegate.dialects.joins import ByTable, TableMatch, unknown_region
from tablegate.dialects.joins.backups import Selection, Tags, Truth, arn_covers, backed_up, conditions_in, tag_tests
from tablegate.dialects.joins.watchers import (
    NAMESPACE,
    FailureKeys,
    alarms_in_order,
    consumers_in_order,
    expression_doubt,
    failure_handling,
    images_in,
    is_of_account,
)
from tablegate.dialects.resource import TERRAFORM
from tablegate.dialects.terraform.block import Block
from tablegate.dialects.terraform.configuration import Tree, tree, trees
from tablegate.dialects.terraform.joins import TableFinder, table_name
from tablegate.dialects.terraform.regions import Regions
from tablegate.dialects.terraform.resources import Resource, Snapshot, doubt_about
from tablegate.iam.arns import Symbols, partition_of
from tablegate.model import facts
from tablegate.model.facts import Fact
from tablegate.model.record import replace
from tablegate.model.table import Alarm, Consumer, StreamDestination
from tablegate.model.value import Doubt, Value

_MAPPING, _PIPE = "aws_lambda_event_source_mapping", "aws_pipes_pipe"
_CC_MAPPING, _CC_PIPE = "awscc_lambda_event_source_mapping", "awscc_pipes_pipe"
_SOURCES = {_MAPPING: "event_source_arn", _PIPE: "source", _CC_MAPPING: "event_source_arn", _CC_PIPE: "source"}
_BOUNDS = ("maximum_retry_attempts", "maximum_record_age_in_seconds")
_FAILURES = {
    _MAPPING: FailureKeys((), *_BOUNDS, ("destination_config", "on_failure", "destination_arn")),
    _CC_MAPPING: FailureKeys((), *_BOUNDS, ("destination_config", "on_failure", "destination")),
}
_FAILURES_OF_PIPES = {  # by the kind of stream that they read
    kind: FailureKeys(("source_parameters", kind), *_BOUNDS, ("dead_letter_config", "arn"))
    for kind in ("dynamodb_stream_parameters", "dynamo_db_stream_parameters", "kinesis_stream_parameters")
}
_DYNAMODB = {_PIPE: "dynamodb_stream_parameters", _CC_PIPE: "dynamo_db_stream_parameters"}
_KINESIS = dict.fromkeys((_PIPE, _CC_PIPE), "kinesis_stream_parameters")
_ENCRYPTION = Fact[str]("encryption type", "NONE")


class Insights:
    """Contributor Insights of tables and of their indexes."""

    def __init__(self, snapshot: Snapshot, finder: TableFinder) -> None:
        self._joined: ByTable[Resource] = ByTable()
        for insights in snapshot.of("aws_dynamodb_contributor_insights"):
            self._joined.add(finder.if_it_exists(finder.of(insights, "table_name"), insights), insights)

    def of(self, table: Resource, index: str | None = None, region: str | None = None) -> Value[bool]:
        """Whether they are on for a table, for one of its indexes, or for a replica."""
        doubt = self._joined.doubt(table.address)
        for insights in self._joined.of(table.address, region):
            block = insights.block
            unknown_index = block.doubt("index_name") if block.is_unknown("index_name") else None
            doubt = doubt or unknown_index
            if unknown_index is None and insights.known_text("index_name") == index:
                return facts.INSIGHTS.of(True, insights.reference_place)
        return facts.INSIGHTS.unset if doubt is None else facts.INSIGHTS.doubted(doubt)


class Alarms:
    """CloudWatch alarms on the metrics of tables."""

    def __init__(self, snapshot: Snapshot, finder: TableFinder) -> None:
        self._finder = finder
        self._joined: ByTable[Alarm] = ByTable()
        alarms = snapshot.of("aws_cloudwatch_metric_alarm")
        self.any = bool(alarms)
        for alarm in alarms:
            self._read(alarm, alarm.block)
            queries = alarm.block.many("metric_query")
            for query in () if isinstance(queries, Doubt) else queries:
                if isinstance(query, Block):
                    self._read_query(alarm, query)
            criteria = alarm.block.one("evaluation_criteria")
            promql = criteria.one("promql_criteria") if isinstance(criteria, Block) else None
            if isinstance(promql, Block):
                self._read_expression(alarm, promql.content.get("query"))

    def of(self, table: Resource) -> tuple[tuple[Alarm, ...], Doubt | None]:
        """A table's alarms, and why there may be more."""
        return alarms_in_order(self._joined.of(table.address)), self._joined.doubt(table.address)

    def _read_query(self, alarm: Resource, query: Block) -> None:
        metric = query.one("metric")
        if isinstance(metric, Block):
            self._read(alarm, metric, query.text(facts.ACCOUNT, "account_id"))
        else:
            self._read_expression(alarm, query.content.get("expression"))

    def _read(self, alarm: Resource, metric: Block, account: Value[str] = facts.ACCOUNT.unset) -> None:
        if metric.content.get("namespace") != NAMESPACE:
            return
        name = str(metric.content.get("metric_name"))
        dimensions = metric.content.get("dimensions")
        if isinstance(dimensions, dict):
            table, index = dimensions.get("TableName"), dimensions.get("GlobalSecondaryIndexName")
            if isinstance(table, str):
                watched = Alarm(address=alarm.address, metric=name, index=index if isinstance(index, str) else None)
                self._add(alarm, self._finder.by_text(table, alarm), watched, account)
        elif metric.is_unknown("dimensions"):
            expression = metric.expression("dimensions")
            given = tree(tree(expression).get("given"))
            index, table = given.get("GlobalSecondaryIndexName"), given.get("TableName")
            if isinstance(table, str):
                match = self._finder.by_text(table, alarm)
            else:
                match = self._finder.by_expression({**tree(expression), "given": table}, alarm)
            watched = Alarm(address=alarm.address, metric=name, index=index if isinstance(index, str) else None)
            self._add(alarm, match, watched, account)

    def _add(self, resource: Resource, match: TableMatch, alarm: Alarm, account: Value[str]) -> None:
        match = self._finder.if_it_exists(match, resource)
        if not match.tables or account is facts.ACCOUNT.unset:
            self._joined.add(match, alarm)
            return
        for address in match.tables:
            own = is_of_account(alarm.address, account, self._finder.account(address))
            if isinstance(own, Doubt):
                self._joined.add(TableMatch((address,), own), alarm)
            elif own:
                self._joined.add(replace(match, tables=(address,)), alarm)

    def _read_expression(self, alarm: Resource, expression: object) -> None:
        doubt = expression_doubt(alarm.address, expression if isinstance(expression, str) else None)
        if doubt is not None:
            self._joined.add(TableMatch((), doubt), Alarm(address=alarm.address, metric="expression"))


class Consumers:
    """Lambda event source mappings and pipes."""

    def __init__(self, snapshot: Snapshot, finder: TableFinder) -> None:
        self._joined: ByTable[Consumer] = ByTable()
        readers = snapshot.of(*_SOURCES)
        self.any = bool(readers)
        for reader in readers:
            match = finder.of(reader, _SOURCES[reader.type])
            if match.stream or match.doubt is not None:
                self._joined.add(match, _consumer(reader, _DYNAMODB))

    def of(self, table: Resource) -> tuple[Consumer, ...]:
        """The consumers of a table's stream, and with a doubt those that may be."""
        return consumers_in_order(self._joined.of(table.address), self._joined.possible(table.address))


_KINESIS_STREAM = "aws_kinesis_stream"


class Destinations:
    """Kinesis streams that receive the changes of tables."""

    def __init__(self, snapshot: Snapshot, finder: TableFinder) -> None:
        self._joined: ByTable[Resource] = ByTable()
        self._streams: dict[str, Resource] = {}
        self._consumers: dict[str, list[Consumer]] = {}
        for destination in snapshot.of("aws_dynamodb_kinesis_streaming_destination"):
            self._joined.add(finder.of(destination, "table_name"), destination)
        for stream in snapshot.of(_KINESIS_STREAM):
            for name in (stream.address, stream.known_text("arn"), stream.known_text("id")):
                if name is not None:
                    self._streams[name] = stream
        for consumer in snapshot.of(*_SOURCES) if self._streams else ():
            read = self._stream(consumer.block, _SOURCES[consumer.type])
            if read is not None:
                self._consumers.setdefault(read.address, []).append(_consumer(consumer, _KINESIS))

    def of(self, table: Resource, region: str | None = None) -> tuple[StreamDestination, ...]:
        """Where a table's changes, or its replica's, are sent."""
        destinations = [self.of_block(destination.block) for destination in self._joined.of(table.address, region)]
        if region is None:
            destinations += [self._possible(*one) for one in self._joined.possible(table.address)]
        return tuple(sorted(destinations, key=lambda destination: destination.address or ""))

    def _possible(self, destination: Resource, doubt: Doubt) -> StreamDestination:
        """A destination that may be another table's, so that whether the changes are encrypted is not known."""
        read = self.of_block(destination.block)
        if read.encrypted is None or read.encrypted.content is True:
            return read
        return replace(read, encrypted=facts.DESTINATION_ENCRYPTED.doubted(doubt, destination.reference_place))

    def of_block(self, block: Block) -> StreamDestination:
        """The destination that a block names as its ``stream_arn``."""
        stream = self._stream(block, "stream_arn")
        if stream is None:
            return StreamDestination(stream=block.text(facts.DESTINATION, "stream_arn"))
        return StreamDestination(
            stream=block.text(facts.DESTINATION, "stream_arn"),
            encrypted=_is_under_kms(stream),
            address=stream.address,
            consumers=consumers_in_order(self._consumers.get(stream.address, ()), ()),
        )

    def _stream(self, block: Block, key: str) -> Resource | None:
        """The Kinesis stream of this input that a block names."""
        names = {ref.address or ref.text for ref in block.refs(key) if ref.type in (None, _KINESIS_STREAM)}
        streams = [self._streams[name] for name in names if name in self._streams]
        return streams[0] if len(streams) == 1 else None


class Policies:
    """Resource policies of tables and of their streams."""

    def __init__(self, snapshot: Snapshot, finder: TableFinder) -> None:
        self._joined: ByTable[tuple[Resource, bool]] = ByTable()
        for policy in snapshot.of("aws_dynamodb_resource_policy"):
            match = finder.of(policy, "resource_arn")
            self._joined.add(match, (policy, match.stream))

    def of(self, table: Resource, fact: Fact[str], region: str | None = None) -> Value[str]:
        """The policy of a table, of its stream, or of a replica."""
        for policy, is_of_stream in self._joined.of(table.address, region):
            if is_of_stream == (fact is facts.STREAM_POLICY):
                return policy.block.text(fact, "policy")
        doubt = self._joined.doubt(table.address)
        return fact.unset if doubt is None else fact.doubted(doubt)


class Backups:
    """The backup selections of a snapshot."""

    def __init__(self, snapshot: Snapshot, finder: TableFinder, regions: Regions) -> None:
        self._finder = finder
        self._regions = regions
        self._symbols = Symbols()
        self._selections = snapshot.of("aws_backup_selection")
        self.any = bool(self._selections)

    def of(self, table: Resource, tags: Tags) -> Value[bool]:
        """Whether any selection covers the table."""
        if not self._selections:
            return backed_up((), tags)
        arn = self._arn(table)
        return backed_up((self._selection(one, table, arn) for one in self._selections), tags)

    def _selection(self, selection: Resource, table: Resource, arn: str) -> Selection:
        block = selection.block
        location = self._finder.location(selection)
        near = location.is_near(self._finder.location(table))
        present = unknown_region(selection.address, location) if near is None else near
        return Selection(
            address=selection.address,
            place=selection.reference_place,
            present=self._finder.existence(selection, [table]) or present if present else False,
            resources=self._listed(selection, "resources", table, arn),
            excluded=self._listed(selection, "not_resources", table, arn),
            tags=tag_tests(block.many("selection_tag"), TERRAFORM),
            conditions=conditions_in(block.many("condition"), TERRAFORM),
        )

    def _listed(self, selection: Resource, key: str, table: Resource, arn: str) -> list[Truth]:
        """For each ARN of a list, whether it covers the table."""
        patterns = selection.content.get(key)
        if not isinstance(patterns, list):
            unknown = selection.block.doubt(key) is not None
            return [self._referenced(selection, key, table)] if unknown else []
        doubt = Doubt(f"the ARN of {table.address} is known only after apply", "pass --account and --region")
        covered = [arn_covers(pattern, arn, doubt) for pattern in patterns if isinstance(pattern, str)]
        return [*covered, self._referenced(selection, key, table)] if None in patterns else covered

    def _referenced(self, selection: Resource, key: str, table: Resource) -> Truth:
        """Whether a list that is not known yet holds the table: the tables that its expression refers to."""
        references = selection.references(key)
        targets = [
            resource
            for reference in references
            if reference.data is None
            for instance in reference.targets
            if (resource := selection.snapshot.at(instance)) is not None
        ]
        if table in targets or self._finder.by_references(references, selection).table == table.address:
            return True
        unknown = [reference for reference in references if not selection.snapshot.is_known(reference)]
        if unknown and all(reference.targets and reference.type.startswith("aws") for reference in unknown):
            return False  # other resources of AWS; a resource that only passes values on may pass anything
        return doubt_about(unknown) if unknown or not references else False

    def _arn(self, table: Resource) -> str:
        """The table's ARN, with symbols for what is not known of it."""
        parts = (self._regions.region(table).content, self._regions.account(table).content, table_name(table))
        region, account, name = (part or self._symbols.of(str(number)) for number, part in enumerate(parts))
        partition = self._symbols.of("partition") if parts[0] is None else partition_of(parts[0])
        return table.known_text("arn") or f"arn:{partition}:dynamodb:{region}:{account}:table/{name}"


def _is_under_kms(stream: Resource) -> Value[bool]:
    kind = stream.block.text(_ENCRYPTION, "encryption_type")
    if kind.doubt is not None:
        return facts.DESTINATION_ENCRYPTED.doubted(kind.doubt, kind.place)
    return facts.DESTINATION_ENCRYPTED.of(kind.content == "KMS", stream.block.place("encryption_type"))


def _consumer(reader: Resource, of_pipes: Mapping[str, str]) -> Consumer:
    keys = _FAILURES.get(reader.type) or _FAILURES_OF_PIPES[of_pipes[reader.type]]
    return Consumer(
        address=reader.address,
        place=reader.reference_place,
        images=images_in(_filter_patterns(reader)),
        failures=failure_handling(reader.block, keys),
    )


def _filter_patterns(reader: Resource) -> Iterator[str]:
    """The patterns that a consumer filters with."""
    content = reader.block.content
    for holder in (content, *_objects(content.get("source_parameters"))):
        for criteria in _objects(holder.get("filter_criteria")):
            for entry in (*trees(criteria.get("filter")), *trees(criteria.get("filters"))):
                pattern = entry.get("pattern")
                if isinstance(pattern, str):
                    yield pattern


def _objects(content: object) -> Sequence[Tree]:
    """The blocks of one name, or the one object of an attribute."""
    return (content,) if isinstance(content, dict) else trees(content)
