"""CloudFormation's resources beside a table: alarms, consumers, replicas of custom resources, backup selections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tablegate.dialects.cloudformation.joins import Candidate, Candidates, TableIdentity, TableNames
from tablegate.dialects.cloudformation.parameters import ACCOUNT, PARTITION, REGION
from tablegate.dialects.cloudformation.properties import Resource, Section, resources_of, section_of
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.template import (
    ALARM,
    BACKUP_SELECTION,
    EVENT_SOURCE_MAPPING,
    FUNCTION,
    LEGACY_REPLICA,
    PIPE,
    ResourceEntry,
)
from tablegate.dialects.cloudformation.values import (
    NO_NODE,
    RESOURCE,
    NameReference,
    Unresolved,
    is_scalar,
    reference_text,
    scalar_of,
    text_with_references,
)
from tablegate.dialects.joins import TableName, table_name_in
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
from tablegate.dialects.resource import CLOUDFORMATION
from tablegate.iam.arns import Symbols
from tablegate.model import facts
from tablegate.model.record import replace
from tablegate.model.table import Alarm, Consumer, Replica, StreamDestination
from tablegate.model.value import Doubt, Value
from tablegate.syntax.node import Node

_NOT_EVERYWHERE = Doubt("whether it exists depends on a condition that is not known")
_BOUNDS = ("MaximumRetryAttempts", "MaximumRecordAgeInSeconds")
_FAILURES = FailureKeys((), *_BOUNDS, ("DestinationConfig", "OnFailure", "Destination"))
_OF_PIPE = FailureKeys(("DynamoDBStreamParameters",), *_BOUNDS, ("DeadLetterConfig", "Arn"))
_OF_PIPE_OF_KINESIS = FailureKeys(("KinesisStreamParameters",), *_BOUNDS, ("DeadLetterConfig", "Arn"))
_UNKNOWN_ARN = Doubt("the ARN of the table is not known", "pass --account and --region")


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
        self.candidates = Candidates(resolver, _readers(resolver, "DynamoDB"), _stream_in, tables)

    def of(self, table: TableIdentity) -> tuple[Consumer, ...]:
        """The consumers of a table's stream, and with a doubt those that may be."""
        certain = (_consumer(candidate, _OF_PIPE) for candidate in self.candidates.of(table) if _is_present(candidate))
        possible = (
            (_consumer(candidate, _OF_PIPE), doubt)
            for candidate, doubt in self.candidates.possible(table)
            if _is_present(candidate)
        )
        return consumers_in_order(certain, possible)

    def with_readers(self, destinations: tuple[StreamDestination, ...]) -> tuple[StreamDestination, ...]:
        """Kinesis streams with those who read them, if they are in the template."""
        return tuple(replace(into, consumers=self._of_kinesis(into.address)) for into in destinations)

    def _of_kinesis(self, address: str | None) -> tuple[Consumer, ...]:
        if address is None:
            return ()
        readers = (it for it in _readers(self._resolver, "Kinesis") if self._reads(it, address))
        return consumers_in_order((_consumer(it, _OF_PIPE_OF_KINESIS) for it in readers if _is_present(it)), ())

    def _reads(self, candidate: Candidate, address: str) -> bool:
        value = self._resolver.resolve(candidate.target)
        return isinstance(value, Unresolved) and value.reference == NameReference(address, "Arn", RESOURCE)


def _is_present(candidate: Candidate) -> bool:
    return candidate.resource.present is not False


def _consumer(candidate: Candidate, of_pipe: FailureKeys) -> Consumer:
    keys = of_pipe if candidate.resource.type == PIPE else _FAILURES
    return Consumer(
        address=candidate.resource.address,
        place=candidate.resource.place,
        images=images_in(_filter_patterns(candidate.section)),
        failures=failure_handling(candidate.section, keys),
    )


def has_consumers(resolver: Resolver) -> bool:
    """Whether the template manages what reads streams and queues at all, created or not."""
    template = resolver.template
    if any(template.resources.get(type_) for type_ in (EVENT_SOURCE_MAPPING, PIPE)):
        return True
    if any(map(_has_stream_event, template.of(FUNCTION))):
        return True
    return any(True for function in resources_of(resolver, FUNCTION) for _ in _events(resolver, function, "DynamoDB"))


def _has_stream_event(function: ResourceEntry) -> bool:
    """Whether an event of a function is written as one of a stream."""
    events = _members(_members(function.body.get("Properties")).get("Events"))
    kinds = (_members(event).get("Type") for event in events.values())
    return any(kind is not None and kind.content == "DynamoDB" for kind in kinds)


def _members(node: Node | None) -> Mapping[str, Node]:
    return node.content if node is not None and isinstance(node.content, dict) else {}


def _readers(resolver: Resolver, event: str) -> Iterator[Candidate]:
    """What reads streams: mappings, pipes, and events of one kind."""
    for type_, key, filters in ((EVENT_SOURCE_MAPPING, "EventSourceArn", None), (PIPE, "Source", "SourceParameters")):
        for resource in resources_of(resolver, type_):
            section = resource.properties
            if key in section.members:
                inner = section.section(filters) if filters else section
                yield Candidate(resource, section.members[key], inner or Section(resolver, {}, resource.node))
    for function in resources_of(resolver, FUNCTION):
        yield from _events(resolver, function, event)


def _events(resolver: Resolver, function: Resource, event_kind: str) -> Iterator[Candidate]:
    events = function.properties.section("Events")
    for node in events.members.values() if events is not None else ():
        value = resolver.resolve(node)
        event = section_of(resolver, value) if isinstance(value, Node) and isinstance(value.content, dict) else None
        kind = event.members.get("Type") if event is not None else None
        if event is None or kind is None or kind.content != event_kind:
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


class Backups:
    """The backup selections of one template."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._symbols = Symbols()
        self.any = bool(resolver.template.resources.get(BACKUP_SELECTION))

    def of(self, table: TableIdentity, tags: Tags) -> Value[bool]:
        """Whether some selection covers the table."""
        selections = resources_of(self._resolver, BACKUP_SELECTION)
        return backed_up((self._selection(selection, table) for selection in selections), tags)

    def _selection(self, resource: Resource, table: TableIdentity) -> Selection:
        address, place = resource.address, resource.place
        present = resource.present
        section = resource.properties.section("BackupSelection")
        if present is False or section is None:
            return Selection(address=address, place=place, present=False)
        if section.unresolved is not None:
            return Selection(address=address, place=place, present=section.unresolved.doubt)
        arn = self._arn(table)
        conditions = section.one("Conditions")
        return Selection(
            address=address,
            place=place,
            present=_NOT_EVERYWHERE if present is None else True,
            resources=self._listed(section, "Resources", table, arn),
            excluded=self._listed(section, "NotResources", table, arn),
            tags=tag_tests(section.many("ListOfTags"), CLOUDFORMATION),
            conditions=conditions_in(() if conditions is None else (conditions,), CLOUDFORMATION),
        )

    def _listed(self, section: Section, key: str, table: TableIdentity, arn: str) -> list[Truth]:
        """For each ARN of a list, whether it covers the table."""
        patterns = section.items(key)
        if isinstance(patterns, Unresolved):
            return [patterns.doubt]
        return [self._covers(pattern, table, arn) for pattern in patterns or ()]

    def _arn(self, table: TableIdentity) -> str:
        """The table's ARN, with symbols for what is not known of it."""
        stack = (self._resolver.resolve_name(NO_NODE, name) for name in (PARTITION, REGION, ACCOUNT))
        partition, region, account = (self._encoded(value) for value in stack)
        own = NameReference(table.address, None, RESOURCE)
        name = self._symbol(own) if table.name is None else self._encoded(table.name)
        return f"arn:{partition}:dynamodb:{region}:{account}:table/{name}"

    def _covers(self, pattern: Node | Unresolved, table: TableIdentity, arn: str) -> Truth:
        parts = pattern.parts if isinstance(pattern, Unresolved) else (scalar_of(pattern),)
        resources = [part for part in parts if isinstance(part, NameReference) and part.kind == RESOURCE]
        if NameReference(table.address, "Arn", RESOURCE) in parts:
            return True
        if any(part.name != table.address for part in resources):
            return False
        own = self._symbol(NameReference(table.address, None, RESOURCE))
        name = arn.partition(":table/")[2]
        doubt = pattern.doubt if isinstance(pattern, Unresolved) else _UNKNOWN_ARN
        return arn_covers(self._encoded(pattern).replace(own, name), arn, doubt) if parts else doubt

    def _encoded(self, value: Node | Unresolved | None) -> str:
        """A text with a symbol for each part that is not known."""
        if isinstance(value, Unresolved):
            parts = value.parts or (NameReference("?"),)
            return "".join(part if isinstance(part, str) else self._symbol(part) for part in parts)
        return scalar_of(value) if value is not None else ""

    def _symbol(self, reference: NameReference) -> str:
        return self._symbols.of(f"{reference.kind} {reference.name} {reference.attribute}")
