"""Regional tables (``AWS::DynamoDB::Table`` and SAM's ``SimpleTable``), and what other resources say of a table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from tablegate.dialects.cloudformation.autoscaling import Scaling
from tablegate.dialects.cloudformation.joins import TableIdentity, TableNames
from tablegate.dialects.cloudformation.kms import destinations, encryption
from tablegate.dialects.cloudformation.parameters import ACCOUNT, REGION, partition_of
from tablegate.dialects.cloudformation.properties import Resource, Section, value_of_stack
from tablegate.dialects.cloudformation.related_resources import Alarms, Backups, Consumers, Replicas
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.schema import (
    IndexCapacity,
    attributes,
    capacity,
    ceiling,
    indexes,
    insights,
    keys,
    local_indexes,
    vector_indexes,
    warmth,
)
from tablegate.dialects.cloudformation.settings import (
    UNNAMED,
    billing_mode,
    deletion_protection,
    import_source,
    name,
    recovery,
    resource_policy,
    retention,
    table_class,
    table_stream,
    tags,
    ttl,
)
from tablegate.dialects.cloudformation.values import Unresolved, unevaluated
from tablegate.model import facts
from tablegate.model.record import record, replace
from tablegate.model.table import (
    SIMPLE_TABLE,
    Alarm,
    Consumer,
    Dialect,
    Encryption,
    Index,
    Replica,
    ScalingTarget,
    Stream,
    Table,
    TableKind,
    Units,
)
from tablegate.model.value import Doubt, Value
from tablegate.syntax.node import Node


@record(kw_only=False)
class JoinedParts:
    """What other resources say of one table."""

    scaling: tuple[ScalingTarget, ...]
    scaling_doubt: Doubt | None
    alarms: tuple[Alarm, ...]
    alarms_doubt: Doubt | None
    consumers: tuple[Consumer, ...]
    replicas: tuple[Replica, ...]


_NOTHING = JoinedParts((), None, (), None, (), ())


class TableJoins:
    """What other resources of a template say of its tables, and the region and account of its stack."""

    def __init__(self, resolver: Resolver) -> None:
        self.tables = TableNames(resolver)
        self.scaling = Scaling(resolver, self.tables)
        self.alarms = Alarms(resolver, self.tables)
        self.consumers = Consumers(resolver, self.tables)
        self.replicas = Replicas(resolver, self.tables)
        self.backups = Backups(resolver)
        self.region = value_of_stack(resolver, facts.REGION, REGION)
        self.account = value_of_stack(resolver, facts.ACCOUNT, ACCOUNT)

        kinds = [it.candidates for it in (self.scaling, self.alarms, self.consumers, self.replicas)]
        self._read_names = self.backups.any or any(kind.read_names for kind in kinds)
        self._may_be_any = self._read_names or bool(self.alarms.expressions)
        self._referenced = {address for kind in kinds for address in kind.referenced}

    def identity(self, address: str, name: Node | Unresolved | None) -> TableIdentity:
        """The identity of a table. Its name is left out if no other resource may use it."""
        return TableIdentity(address, name if self._read_names else None)

    def about(self, table: TableIdentity) -> JoinedParts:
        """What other resources say of one table in this scenario."""
        if not self._may_be_any and table.address not in self._referenced:
            return _NOTHING
        return JoinedParts(
            *self.scaling.of(table),
            *self.alarms.of(table),
            self.consumers.of(table),
            self.replicas.of(table),
        )

    def arn(self, name: Value[str], region: Value[str]) -> Value[str]:
        """The ARN of a table, if its name, region and account are known."""
        for part in (region, self.account, name):
            if part.doubt is not None:
                return facts.ARN.doubted(part.doubt, name.place)
        partition, _ = partition_of(region.content or "")
        text = f"arn:{partition}:dynamodb:{region.content}:{self.account.content}:table/{name.content}"
        return facts.ARN.of(text, name.place, sensitive=name.sensitive)


P = TypeVar("P", Index, Replica)


@record(kw_only=False)
class TypeSpecific:
    """What each type of table spells differently. ``own`` holds what each region decides for itself."""

    shared: Section
    own: Section
    region: Value[str]
    capacity: Units
    on_demand: Units
    encryption: Encryption
    stream: Stream
    indexes: Value[tuple[Index, ...]]
    scaling: tuple[ScalingTarget, ...]
    replicas: Value[tuple[Replica, ...]]
    consistency: Value[str]
    witness_region: Value[str]
    source_table: Value[str]
    settings_replication: Value[str]


ReadTypeSpecific = Callable[[TableJoins, Resource], TypeSpecific]


def table_of(joins: TableJoins, resource: Resource, read_type: ReadTypeSpecific) -> Table:
    """The table in the scenario that the resolver is in."""
    resolver, specific = resource.resolver, read_type(joins, resource)
    shared, own = specific.shared, specific.own
    per_answers = resolver.scenarios.per_answers
    named = shared.per_answers("TableName", UNNAMED, name)
    identity = joins.identity(resource.address, named.node)
    tagged = per_answers(tags, own)
    joined = per_answers(joins.about, identity)
    replicas = _replicas(specific.replicas, joined.replicas)
    return Table(
        address=resource.address,
        place=resource.place,
        dialect=Dialect.CLOUDFORMATION,
        type=resource.type,
        kind=TableKind.GLOBAL if replicas.content else TableKind.REGIONAL,
        label=resource.address,
        name=named.value,
        name_generated=named.node is None,
        name_fixed=named.is_fixed,
        arn=joins.arn(named.value, specific.region),
        region=specific.region,
        account=joins.account,
        keys=shared.per_answers("KeySchema", facts.KEYS.unset, keys),
        attributes=shared.per_answers("AttributeDefinitions", facts.ATTRIBUTES.unset, attributes),
        indexes=_copied(specific.indexes),
        local_indexes=_copied(shared.per_answers("LocalSecondaryIndexes", facts.LOCAL_INDEXES.unset, local_indexes)),
        vector_indexes=shared.per_answers("VectorIndexes", facts.VECTOR_INDEXES.unset, vector_indexes),
        billing_mode=shared.per_answers("BillingMode", facts.BILLING_MODE.unset, billing_mode),
        capacity=specific.capacity,
        on_demand=specific.on_demand,
        warm=shared.per_answers("WarmThroughput", facts.NO_WARMTH, warmth),
        scaling=joined.scaling + specific.scaling,
        scaling_doubt=joined.scaling_doubt,
        table_class=own.per_answers("TableClass", facts.TABLE_CLASS.unset, table_class),
        insights=own.per_answers("ContributorInsightsSpecification", facts.INSIGHTS.unset, insights),
        alarms=joined.alarms,
        alarms_doubt=joined.alarms_doubt,
        encryption=specific.encryption,
        recovery=own.per_answers("PointInTimeRecoverySpecification", facts.NO_RECOVERY, recovery),
        deletion_protection=own.per_answers(
            "DeletionProtectionEnabled", facts.DELETION_PROTECTION.unset, deletion_protection
        ),
        retention=per_answers(retention, resource),
        backed_up=per_answers(joins.backups.of, identity, tagged) if joins.backups.any else facts.BACKED_UP.unset,
        import_source=shared.per_answers("ImportSourceSpecification", facts.IMPORT_SOURCE.unset, import_source),
        restore_source=facts.RESTORE_SOURCE.unset,
        ttl=shared.per_answers("TimeToLiveSpecification", facts.NO_TTL, ttl),
        stream=replace(specific.stream, consumers=joined.consumers) if joined.consumers else specific.stream,
        destinations=joins.consumers.with_readers(own.per_answers("KinesisStreamSpecification", (), destinations)),
        replicas=_copied(replicas),
        consistency=specific.consistency,
        witness_region=specific.witness_region,
        source_table=specific.source_table,
        settings_replication=specific.settings_replication,
        tags=tagged,
        declared=facts.declared_by(tagged),
        policy=own.per_answers("ResourcePolicy", facts.POLICY.unset, resource_policy),
        raw=partial(unevaluated, resource.node),
        scenario=resolver.conditions.scenario(),  # last: all that is asked is asked by now
    )


def _replicas(listed: Value[tuple[Replica, ...]], added: tuple[Replica, ...]) -> Value[tuple[Replica, ...]]:
    """The replicas that the table lists, and those that custom resources add."""
    if not added or not listed.known:
        return listed
    return facts.REPLICAS.of((*(listed.content or ()), *added), listed.place or added[0].place)


def _copied(value: Value[tuple[P, ...]]) -> Value[tuple[P, ...]]:
    """The parts, copied if the table of another scenario has them: a part knows its table."""
    if not value.content or getattr(value.content[0], "table", None) is None:
        return value
    return Value(value.name, tuple(map(replace, value.content)), value.origin, value.place)


_OWN_CAPACITY = frozenset(
    {"ProvisionedThroughput", "OnDemandThroughput", "WarmThroughput", "ContributorInsightsSpecification"}
)
_TABLE_CAPACITY = IndexCapacity()
_PASSED_ON = (
    "ProvisionedThroughput",
    "SSESpecification",
    "PointInTimeRecoverySpecification",
    "TableName",
    "Tags",
)
_TYPES = {"String": "S", "Number": "N", "Binary": "B"}


def regional_table(joins: TableJoins, resource: Resource) -> TypeSpecific:
    """What ``AWS::DynamoDB::Table`` and ``AWS::Serverless::SimpleTable`` have of their own."""
    per_answers = resource.resolver.scenarios.per_answers
    section = per_answers(properties_of, resource)
    if resource.type == SIMPLE_TABLE and section.unresolved is None:
        section = per_answers(_expanded, section, resource)
    return TypeSpecific(
        shared=section,
        own=section,
        region=joins.region,
        capacity=section.per_answers("ProvisionedThroughput", facts.NO_CAPACITY, capacity),
        on_demand=section.per_answers("OnDemandThroughput", facts.NO_CEILING, ceiling),
        encryption=section.per_answers("SSESpecification", facts.AWS_OWNED, encryption),
        stream=section.per_answers("StreamSpecification", facts.NO_STREAM, table_stream),
        indexes=section.per_answers("GlobalSecondaryIndexes", facts.INDEXES.unset, _indexes),
        scaling=(),
        replicas=facts.REPLICAS.unset,
        consistency=facts.CONSISTENCY.unset,
        witness_region=facts.WITNESS_REGION.unset,
        source_table=facts.SOURCE_TABLE.unset,
        settings_replication=facts.SETTINGS_REPLICATION.unset,
    )


def _indexes(section: Section) -> Value[tuple[Index, ...]]:
    return indexes(section, _own_capacity)


def _own_capacity(index: Section) -> IndexCapacity:
    if index.unresolved is None and _OWN_CAPACITY.isdisjoint(index.members):
        return _TABLE_CAPACITY
    return IndexCapacity(capacity(index), ceiling(index), warmth(index), insights(index))


def properties_of(resource: Resource) -> Section:
    """The properties of a resource."""
    return resource.properties


def _expanded(section: Section, resource: Resource) -> Section:
    """A SimpleTable as the Table that SAM makes of it, to which what is empty is absent."""
    resolver, members = section.resolver, section.members
    expanded = {key: members[key] for key in _PASSED_ON if key in members and members[key].content}
    if "ProvisionedThroughput" not in expanded:
        expanded["BillingMode"] = _at(resource.node, "PAY_PER_REQUEST")
    expanded.update(_primary_key(resource.node, members.get("PrimaryKey")))
    return Section(resolver, expanded, section.node)


def _primary_key(at: Node, written: Node | None) -> dict[str, Node]:
    """The key schema and the attribute it needs; the default is ``id``, a String."""
    content = written.content if written is not None and isinstance(written.content, dict) else {}
    where = written or at
    name = content.get("Name") or _at(where, "id")
    type_ = content.get("Type") or _at(where, "String")
    letter = _at(type_, _TYPES[type_.content]) if type_.content in ("String", "Number", "Binary") else type_
    key = _at(where, {"AttributeName": name, "KeyType": _at(where, "HASH")})
    attribute = _at(where, {"AttributeName": name, "AttributeType": letter})
    return {"KeySchema": _at(where, [key]), "AttributeDefinitions": _at(where, [attribute])}


def _at(node: Node, content: str | list[Node] | dict[str, Node]) -> Node:
    return Node(content, node.line, node.column, node.end_column)
