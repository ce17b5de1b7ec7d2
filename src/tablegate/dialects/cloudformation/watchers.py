"""CloudFormation's resources beside a table: alarms, consumers, and replicas made by custom resources."""

from __future__ import annotations

from collections.abc import Iterator

from tablegate.dialects.cloudformation.joins import Candidate, Candidates, TableIdentity, TableNames
from tablegate.dialects.cloudformation.parameters import ACCOUNT
from tablegate.dialects.cloudformation.properties import Resource, Section, resources_of, section_of
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.template import ALARM, EVENT_SOURCE_MAPPING, FUNCTION, LEGACY_REPLICA, PIPE
from tablegate.dialects.cloudformation.values import (
    NameReference,
    Unresolved,
    is_scalar,
    reference_text,
    text_with_references,
)
from tablegate.dialects.joins import TableName, table_name_in
from tablegate.dialects.joins.watchers import (
    NAMESPACE,
    alarms_in_order,
    consumers_in_order,
    expression_doubt,
    images_in,
    is_of_account,
)
from tablegate.model import facts
from tablegate.model.table import Alarm, Consumer, Replica
from tablegate.model.value import Doubt
from tablegate.syntax.node import Node


class Alarms:
    """CloudWatch alarms on the metrics of tables."""

    def __init__(self, resolver: Resolver, tables: TableNames) -> None:
        self._resolver = resolver
        alarms = resources_of(resolver, ALARM)
        account = tables.location.account
        metrics = (candidate for alarm in alarms for candidate in _metrics(resolver, alarm, account))
        self.candidates = Candidates(resolver, metrics, table_name_in, tables)
        self.expressions = [(alarm, doubt) for alarm in alarms for doubt in _expression_doubts(alarm)]

    def of(self, table: TableIdentity) -> tuple[tuple[Alarm, ...], Doubt | None]:
        """The alarms on a table and its indexes, and why there may be more."""
        present = (it for it in self.candidates.of(table) if it.resource.present is not False)
        doubts = (doubt for alarm, doubt in self.expressions if alarm.present is not False)
        return alarms_in_order(map(self._alarm, present)), self.candidates.doubt(table) or next(doubts, None)

    def _alarm(self, candidate: Candidate) -> Alarm:
        metric = candidate.section.get("MetricName")
        index = _dimension(self._resolver, candidate.section, "GlobalSecondaryIndexName")
        return Alarm(
            address=candidate.resource.address,
            metric=(text_with_references(metric) if metric is not None else None) or "",
            index=text_with_references(index) if index is not None else None,
        )


def _metrics(resolver: Resolver, alarm: Resource, own_account: str | None) -> Iterator[Candidate]:
    """Each metric of DynamoDB that the alarm watches, also inside a metric query."""
    for query, section in _metric_sections(alarm.properties):
        namespace = section.get("Namespace")
        if isinstance(namespace, Node) and is_scalar(namespace) and text_with_references(namespace) != NAMESPACE:
            continue
        table = _dimension(resolver, section, "TableName")
        own = True if query is None else _is_own(alarm.address, query, own_account)
        if table is not None and namespace is not None and own is not False:
            target = table.node if isinstance(table, Unresolved) else table
            yield Candidate(alarm, target, section, own if isinstance(own, Doubt) else None)


def _metric_sections(section: Section) -> Iterator[tuple[Section | None, Section]]:
    """Each metric, with the query that it is in."""
    yield None, section
    for query in section.sections("Metrics"):
        stat = query.section("MetricStat")
        metric = stat.section("Metric") if stat is not None else None
        if metric is not None:
            yield query, metric


def _is_own(address: str, query: Section, own_account: str | None) -> bool | Doubt:
    """Whether a metric query reads from the account of the stack."""
    account = query.get("AccountId")
    if account is not None and text_with_references(account) == reference_text(NameReference(ACCOUNT)):
        return True
    return is_of_account(address, query.text(facts.ACCOUNT, "AccountId"), own_account)


def _expression_doubts(alarm: Resource) -> Iterator[Doubt]:
    section = alarm.properties
    texts = [query.get("Expression") for query in section.sections("Metrics")]
    criteria = section.section("EvaluationCriteria")
    promql = criteria.section("PromQLCriteria") if criteria is not None else None
    texts.append(promql.get("Query") if promql is not None else None)
    for text in texts:
        doubt = expression_doubt(alarm.address, text_with_references(text) if text is not None else None)
        if doubt is not None:
            yield doubt


def _dimension(resolver: Resolver, section: Section, name: str) -> Node | Unresolved | None:
    dimensions = section.items("Dimensions")
    if not isinstance(dimensions, list):
        return dimensions
    for dimension in dimensions:
        inner = section_of(resolver, dimension)
        key = inner.get("Name")
        if isinstance(key, Node) and key.content == name:
            return inner.get("Value")
    return None


class Consumers:
    """Lambda event source mappings, pipes, and events of SAM functions."""

    def __init__(self, resolver: Resolver, tables: TableNames) -> None:
        self._resolver = resolver
        self.candidates = Candidates(resolver, _readers(resolver), _stream_in, tables)

    def of(self, table: TableIdentity) -> tuple[Consumer, ...]:
        """The consumers of a table's stream, and with a doubt those that may be."""
        certain = (self._consumer(candidate) for candidate in self.candidates.of(table) if self._is_present(candidate))
        possible = (
            (self._consumer(candidate), doubt)
            for candidate, doubt in self.candidates.possible(table)
            if self._is_present(candidate)
        )
        return consumers_in_order(certain, possible)

    def _is_present(self, candidate: Candidate) -> bool:
        return candidate.resource.present is not False

    def _consumer(self, candidate: Candidate) -> Consumer:
        return Consumer(
            address=candidate.resource.address,
            place=candidate.resource.place,
            images=images_in(_filter_patterns(candidate.section)),
        )


def has_consumers(resolver: Resolver) -> bool:
    """Whether the template manages what reads streams and queues at all."""
    if any(resolver.template.resources.get(type_) for type_ in (EVENT_SOURCE_MAPPING, PIPE)):
        return True
    return any(True for function in resources_of(resolver, FUNCTION) for _ in _events(resolver, function))


def _readers(resolver: Resolver) -> Iterator[Candidate]:
    for type_, key, filters in ((EVENT_SOURCE_MAPPING, "EventSourceArn", None), (PIPE, "Source", "SourceParameters")):
        for resource in resources_of(resolver, type_):
            section = resource.properties
            if key in section.members:
                inner = section.section(filters) if filters else section
                yield Candidate(resource, section.members[key], inner or Section(resolver, {}, resource.node))
    for function in resources_of(resolver, FUNCTION):
        yield from _events(resolver, function)


def _events(resolver: Resolver, function: Resource) -> Iterator[Candidate]:
    events = function.properties.section("Events")
    for node in events.members.values() if events is not None else ():
        value = resolver.resolve(node)
        event = section_of(resolver, value) if isinstance(value, Node) and isinstance(value.content, dict) else None
        kind = event.members.get("Type") if event is not None else None
        if event is None or kind is None or kind.content != "DynamoDB":
            continue
        section = event.section("Properties")
        if section is not None and "Stream" in section.members:
            yield Candidate(function, section.members["Stream"], section)


def _stream_in(text: str) -> TableName | None:
    """The table whose stream a text means: ``${Orders.StreamArn}``, or the ARN of a stream."""
    if text.startswith("${") and text.endswith(".StreamArn}"):
        return TableName(text.removesuffix(".StreamArn}") + "}")
    name = table_name_in(text)
    return name if name.is_stream else None


def _filter_patterns(section: Section) -> Iterator[str]:
    """The patterns that a consumer filters with."""
    criteria = section.section("FilterCriteria")
    for entry in criteria.sections("Filters") if criteria is not None else ():
        pattern = entry.get("Pattern")
        text = text_with_references(pattern) if pattern is not None else None
        if text is not None:
            yield text


class Replicas:
    """The replicas that custom resources of old CDK make."""

    def __init__(self, resolver: Resolver, tables: TableNames) -> None:
        self._resolver = resolver
        named = ((it, it.properties) for it in resources_of(resolver, LEGACY_REPLICA))
        pairs = (
            Candidate(it, inner.members["TableName"], inner) for it, inner in named if "TableName" in inner.members
        )
        self.candidates = Candidates(resolver, pairs, TableName, tables)

    def of(self, table: TableIdentity) -> tuple[Replica, ...]:
        """The replicas of a table. They have none of its settings, such as recovery or deletion protection."""
        present = (it for it in self.candidates.of(table) if it.resource.present is not False)
        return tuple(sorted(map(self._replica, present), key=lambda replica: replica.region.content or ""))

    def _replica(self, candidate: Candidate) -> Replica:
        return Replica(
            region=candidate.section.text_or_reference(facts.REGION, "Region"),
            place=candidate.resource.place,
            address=candidate.resource.address,
            encryption=facts.AWS_OWNED,
            recovery=facts.NO_RECOVERY,
            deletion_protection=facts.DELETION_PROTECTION.unset,
            table_class=facts.TABLE_CLASS.unset,
            tags=facts.TAGS.unset,
            insights=facts.INSIGHTS.unset,
            policy=facts.POLICY.unset,
            read_capacity=facts.READ_CAPACITY.unset,
            max_read=facts.MAX_READ.unset,
        )
