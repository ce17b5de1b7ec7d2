"""Aws::dynamodb::table, simpletable; its joins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Any, TypeVar

from tablegate.dialects.cloudformation.autoscaling import Scaling
from tablegate.dialects.cloudformation.backups import Backups
from tablegate.dialects.cloudformation.joins import TableIdentity, TableNames
from tablegate.dialects.cloudformation.kms import destinations, encryption
from tablegate.dialects.cloudformation.parameters import ACCOUNT, REGION, partition_of
from tablegate.dialects.cloudformation.properties import properties, subsection
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.schema import (
    IndexCapacity,
    attributes,
    capacity,
    ceiling,
    index,
    indexes,
    insights,
    keys,
    local_indexes,
    vector_indexes,
    warmth,
)
from tablegate.dialects.cloudformation.settings import (
    UNNAMED,
    Named,
    billing_mode,
    deletion_protection,
    import_source,
    name,
    own_stream,
    recovery,
    resource_policy,
    retention,
    table_class,
    tags,
    ttl,
)
from tablegate.dialects.cloudformation.template import Resource
from tablegate.dialects.cloudformation.values import Section, Unresolved, scalar_of, unevaluated
from tablegate.dialects.cloudformation.watchers import Alarms, Consumers, Replicas
from tablegate.model import facts
from tablegate.model.facts import Fact
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

_NOWHERE = Node(None, 1, 1)


@record(kw_only=False)
class JoinedParts:
    """What speaks of one table."""

    scaling: tuple[ScalingTarget, ...]
    scaling_doubt: Doubt | None
    alarms: tuple[Alarm, ...]
    alarms_doubt: Doubt | None
    consumers: tuple[Consumer, ...]
    replicas: tuple[Replica, ...]


_NOTHING = JoinedParts((), None, (), None, (), ())


class TableJoins:
    """The joins of one template, and what is known of its stack."""

    def __init__(self, resolver: Resolver) -> None:
        self.tables = TableNames(resolver)
        self.scaling = Scaling(resolver, self.tables)
        self.alarms = Alarms(resolver, self.tables)
        self.consumers = Consumers(resolver, self.tables)
        self.replicas = Replicas(resolver, self.tables)
        self.backups = Backups(resolver)
        self.region = _of_the_stack(resolver, facts.REGION, REGION)
        self.account = _of_the_stack(resolver, facts.ACCOUNT, ACCOUNT)

        kinds = [it.candidates for it in (self.scaling, self.alarms, self.consumers, self.replicas)]
        self._read_names = self.backups.any or any(kind.read_names for kind in kinds)
        self._referenced = {address for kind in kinds for address in kind.referenced}

    def identity(self, address: str, name: Node | Unresolved | None) -> TableIdentity:
        """What a table is called, as far as it matters to those who speak of tables."""
        return TableIdentity(address, name if self._read_names else None)

    def about(self, table: TableIdentity) -> JoinedParts:
        """All that speaks of one table, in this scenario."""
        if not self._read_names and table.address not in self._referenced:
            return _NOTHING
        return JoinedParts(
            self.scaling.of(table),
            self.scaling.doubt(table),
            self.alarms.of(table),
            self.alarms.doubt(table),
            self.consumers.of(table),
            self.replicas.of(table),
        )

    def arn(self, name: Value[str], region: Value[str]) -> Value[str]:
        """The ARN of a table, where all that it is made of is known."""
        for part in (region, self.account, name):
            if part.doubt is not None:
                return facts.ARN.doubted(part.doubt, name.place)
        partition, _ = partition_of(region.content or "")
        text = f"arn:{partition}:dynamodb:{region.content}:{self.account.content}:table/{name.content}"
        return facts.ARN.of(text, name.place)


def _of_the_stack(resolver: Resolver, fact: Fact[str], name: str) -> Value[str]:
    found = resolver.resolve_name(_NOWHERE, name)
    if isinstance(found, Unresolved):
        return fact.doubted(found.doubt)
    return fact.of(scalar_of(found) if found is not None else None)


P = TypeVar("P", Index, Replica)


@record(kw_only=False)
class TypeSpecific:
    """What the types of tables spell differently. ``own`` holds what is decided per region."""

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


ReadTypeSpecific = Callable[[Resolver, TableJoins, Resource], TypeSpecific]


@record(kw_only=False)
class Built:
    """A table, with what it is made of."""

    table: Table
    shared: Section
    own: Section
    identity: TableIdentity


@record(kw_only=False)
class Property:
    """A property that one field is made of, and that nothing else is made of."""

    field: str
    is_own: bool  # decided per region
    make: Callable[[Resolver, Section], object]


_NAME = "TableName"
_APART: Mapping[str, Property] = {
    "AttributeDefinitions": Property("attributes", False, attributes),
    "BillingMode": Property("billing_mode", False, billing_mode),
    "ContributorInsightsSpecification": Property("insights", True, insights),
    "DeletionProtectionEnabled": Property("deletion_protection", True, deletion_protection),
    "PointInTimeRecoverySpecification": Property("recovery", True, recovery),
    "TableClass": Property("table_class", True, table_class),
    "TimeToLiveSpecification": Property("ttl", False, ttl),
}
_PARTS = ("indexes", "local_indexes", "replicas")
_FEW = {_NAME, *_APART}


def table_of(resolver: Resolver, joins: TableJoins, resource: Resource, read_type: ReadTypeSpecific) -> Table:
    """The table in the scenario that the resolver is in."""

    def whole() -> Built:
        return _whole(resolver, joins, resource, read_type(resolver, joins, resource))

    def varied(first: Built, asked: AbstractSet[str]) -> Built | None:
        return _varied(resolver, joins, first, asked) if asked <= _FEW else None

    return resolver.scenarios.varied(whole, varied).table


def _varied(resolver: Resolver, joins: TableJoins, first: Built, asked: Iterable[str]) -> Built | None:
    """The table of the first scenario in this one, where nothing but these properties asked which one it is."""
    table, per_answers = first.table, resolver.scenarios.per_answers
    changed: dict[str, Any] = {}
    for name_ in asked:
        if name_ == _NAME:
            named = per_answers(_NAME, name, resolver, first.shared)
            if joins.identity(table.address, named.node) != first.identity:
                return None  # what speaks of the table goes by its name
            changed |= _named(joins, named, table.region)
        else:
            made = _APART[name_]
            changed[made.field] = per_answers(name_, made.make, resolver, first.own if made.is_own else first.shared)
    for parts in _PARTS:
        value = getattr(table, parts)
        if value.content:
            changed[parts] = _unshared(value)
    return replace(first, table=replace(table, **changed, scenario=resolver.conditions.scenario()))


def _named(joins: TableJoins, named: Named, region: Value[str]) -> dict[str, Any]:
    """The fields that a table's name is in."""
    return {
        "name": named.value,
        "name_generated": named.node is None,
        "name_fixed": named.is_fixed,
        "arn": joins.arn(named.value, region),
    }


def _whole(resolver: Resolver, joins: TableJoins, resource: Resource, specific: TypeSpecific) -> Built:
    per_answers, made, shared, own = (
        resolver.scenarios.per_answers,
        resolver.property_value,
        specific.shared,
        specific.own,
    )
    named = made(shared, _NAME, UNNAMED, name)
    identity = joins.identity(resource.address, named.node)
    tagged = per_answers("tags", tags, resolver, own)
    joined = per_answers("joins", joins.about, identity)
    replicas = _replicas(specific.replicas, joined.replicas)
    table = Table(
        address=resource.address,
        place=resolver.place(resource.node),
        dialect=Dialect.CLOUDFORMATION,
        type=resource.type,
        kind=TableKind.GLOBAL if replicas.content else TableKind.REGIONAL,
        label=resource.address,
        **_named(joins, named, specific.region),
        region=specific.region,
        account=joins.account,
        keys=made(shared, "KeySchema", facts.KEYS.unset, keys),
        attributes=made(shared, "AttributeDefinitions", facts.ATTRIBUTES.unset, attributes),
        indexes=_unshared(specific.indexes),
        local_indexes=_unshared(made(shared, "LocalSecondaryIndexes", facts.LOCAL_INDEXES.unset, local_indexes)),
        vector_indexes=made(shared, "VectorIndexes", facts.VECTOR_INDEXES.unset, vector_indexes),
        billing_mode=made(shared, "BillingMode", facts.BILLING_MODE.unset, billing_mode),
        capacity=specific.capacity,
        on_demand=specific.on_demand,
        warm=made(shared, "WarmThroughput", facts.NO_WARMTH, warmth),
        scaling=joined.scaling + specific.scaling,
        scaling_doubt=joined.scaling_doubt,
        table_class=made(own, "TableClass", facts.TABLE_CLASS.unset, table_class),
        insights=made(own, "ContributorInsightsSpecification", facts.INSIGHTS.unset, insights),
        alarms=joined.alarms,
        alarms_doubt=joined.alarms_doubt,
        encryption=specific.encryption,
        recovery=made(own, "PointInTimeRecoverySpecification", facts.NO_RECOVERY, recovery),
        deletion_protection=made(
            own, "DeletionProtectionEnabled", facts.DELETION_PROTECTION.unset, deletion_protection
        ),
        retention=per_answers("retention", retention, resolver, resource),
        backed_up=per_answers("backups", joins.backups.of, identity, tagged)
        if joins.backups.any
        else facts.BACKED_UP.unset,
        import_source=made(shared, "ImportSourceSpecification", facts.IMPORT_SOURCE.unset, import_source),
        restore_source=facts.RESTORE_SOURCE.unset,
        ttl=made(shared, "TimeToLiveSpecification", facts.NO_TTL, ttl),
        stream=replace(specific.stream, consumers=joined.consumers) if joined.consumers else specific.stream,
        destinations=made(own, "KinesisStreamSpecification", (), destinations),
        replicas=_unshared(replicas),
        consistency=specific.consistency,
        witness_region=specific.witness_region,
        source_table=specific.source_table,
        settings_replication=specific.settings_replication,
        tags=tagged,
        declared=facts.declared_by(tagged),
        policy=made(own, "ResourcePolicy", facts.POLICY.unset, resource_policy),
        raw=partial(unevaluated, resource.node),
        scenario=resolver.conditions.scenario(),  # last: all that is asked is asked by now
    )
    return Built(table, shared, own, identity)


def _replicas(listed: Value[tuple[Replica, ...]], added: tuple[Replica, ...]) -> Value[tuple[Replica, ...]]:
    """The replicas that the table lists, and those that custom resources add."""
    if not added or not listed.known:
        return listed
    return facts.REPLICAS.of((*(listed.content or ()), *added), listed.place or added[0].place)


def _unshared(value: Value[tuple[P, ...]]) -> Value[tuple[P, ...]]:
    """Parts know their table: what another scenario's table holds already is held by a copy."""
    if not value.content or getattr(value.content[0], "table", None) is None:
        return value
    return Value(value.name, tuple(map(replace, value.content)), value.origin, value.place)


_APART_regional = frozenset(
    {"ProvisionedThroughput", "OnDemandThroughput", "WarmThroughput", "ContributorInsightsSpecification"}
)
_ALIKE = IndexCapacity()
_PASSED_ON = (
    "ProvisionedThroughput",
    "SSESpecification",
    "PointInTimeRecoverySpecification",
    "TableName",
    "Tags",
)
_TYPES = {"String": "S", "Number": "N", "Binary": "B"}


def regional_table(resolver: Resolver, joins: TableJoins, resource: Resource) -> TypeSpecific:
    """The table's own spelling."""
    section = resolver.scenarios.per_answers("properties", properties, resolver, resource)
    if resource.type == SIMPLE_TABLE and not isinstance(section, Unresolved):
        section = resolver.scenarios.per_answers("expanded", _expanded, resolver, resource, section)
    made = resolver.property_value
    return TypeSpecific(
        shared=section,
        own=section,
        region=joins.region,
        capacity=made(section, "ProvisionedThroughput", facts.NO_CAPACITY, capacity),
        on_demand=made(section, "OnDemandThroughput", facts.NO_CEILING, ceiling),
        encryption=made(section, "SSESpecification", facts.AWS_OWNED, encryption),
        stream=made(section, "StreamSpecification", facts.NO_STREAM, own_stream),
        indexes=made(section, "GlobalSecondaryIndexes", facts.INDEXES.unset, _indexes),
        scaling=(),
        replicas=facts.REPLICAS.unset,
        consistency=facts.CONSISTENCY.unset,
        witness_region=facts.WITNESS_REGION.unset,
        source_table=facts.SOURCE_TABLE.unset,
        settings_replication=facts.SETTINGS_REPLICATION.unset,
    )


def _indexes(resolver: Resolver, section: Section) -> Value[tuple[Index, ...]]:
    def make(node: Node, inner: Section) -> Index:
        return index(resolver, node, inner, _paid(resolver, inner))

    return indexes(resolver, section, make)


def _paid(resolver: Resolver, section: Section) -> IndexCapacity:
    if not isinstance(section, Unresolved) and _APART_regional.isdisjoint(section):
        return _ALIKE
    return IndexCapacity(
        capacity(resolver, section), ceiling(resolver, section), warmth(resolver, section), insights(resolver, section)
    )


def _expanded(resolver: Resolver, resource: Resource, section: Mapping[str, Node]) -> Mapping[str, Node]:
    """A SimpleTable as the Table that SAM makes of it."""
    expanded = {key: section[key] for key in _PASSED_ON if key in section}
    shared = subsection(resolver, resolver.template.globals, "SimpleTable")
    if isinstance(shared, Mapping) and "SSESpecification" in shared:
        expanded["SSESpecification"] = _merged(shared["SSESpecification"], section.get("SSESpecification"))
    if "ProvisionedThroughput" not in section:
        expanded["BillingMode"] = _at(resource.node, "PAY_PER_REQUEST")
    expanded.update(_primary_key(resource.node, section.get("PrimaryKey")))
    return expanded


def _merged(shared: Node, own: Node | None) -> Node:
    """What all SimpleTables say, and what this one says over it."""
    if own is None or not isinstance(own.content, dict) or not isinstance(shared.content, dict):
        return own or shared
    return Node({**shared.content, **own.content}, own.line, own.column, own.end_column)


def _primary_key(at: Node, given: Node | None) -> dict[str, Node]:
    """The key schema and the attribute it needs; the default is ``id``, a String."""
    content = given.content if given is not None and isinstance(given.content, dict) else {}
    where = given or at
    name = content.get("Name") or _at(where, "id")
    type_ = content.get("Type") or _at(where, "String")
    letter = _at(type_, _TYPES[type_.content]) if type_.content in ("String", "Number", "Binary") else type_
    key = _at(where, {"AttributeName": name, "KeyType": _at(where, "HASH")})
    attribute = _at(where, {"AttributeName": name, "AttributeType": letter})
    return {"KeySchema": _at(where, [key]), "AttributeDefinitions": _at(where, [attribute])}


def _at(node: Node, content: str | list[Node] | dict[str, Node]) -> Node:
    return Node(content, node.line, node.column, node.end_column)
