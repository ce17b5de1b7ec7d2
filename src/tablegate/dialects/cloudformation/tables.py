"""One table of any type, field by field. Fields that no scenario touches are made once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Any, TypeVar

from tablegate.dialects.cloudformation.encryption import destinations
from tablegate.dialects.cloudformation.joins import Joins
from tablegate.dialects.cloudformation.links import Naming
from tablegate.dialects.cloudformation.raw import unevaluated
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.schema import (
    attributes,
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
    recovery,
    resource_policy,
    retention,
    table_class,
    tags,
    ttl,
)
from tablegate.dialects.cloudformation.template import Resource
from tablegate.dialects.cloudformation.unsettled import Section
from tablegate.model import facts
from tablegate.model.record import record, replace
from tablegate.model.scaling import ScalingTarget
from tablegate.model.table import Dialect, Encryption, Index, Replica, Stream, Table, TableKind, Units
from tablegate.model.value import Value

P = TypeVar("P", Index, Replica)


@record(kw_only=False)
class Spelled:
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


Spelling = Callable[[Resolver, Joins, Resource], Spelled]


@record(kw_only=False)
class Built:
    """A table, with what it is made of."""

    table: Table
    shared: Section
    own: Section
    naming: Naming


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


def table_of(resolver: Resolver, joins: Joins, resource: Resource, spell: Spelling) -> Table:
    """The table in the scenario that the resolver is in."""

    def whole() -> Built:
        return _whole(resolver, joins, resource, spell(resolver, joins, resource))

    def varied(first: Built, asked: AbstractSet[str]) -> Built | None:
        return _varied(resolver, joins, first, asked) if asked <= _FEW else None

    return resolver.choices.varied(whole, varied).table


def _varied(resolver: Resolver, joins: Joins, first: Built, asked: Iterable[str]) -> Built | None:
    """The table of the first scenario in this one, where nothing but these properties asked which one it is."""
    table, once = first.table, resolver.choices.once
    changed: dict[str, Any] = {}
    for name_ in asked:
        if name_ == _NAME:
            named = once(_NAME, name, resolver, first.shared)
            if joins.naming(table.address, named.node) != first.naming:
                return None  # what speaks of the table goes by its name
            changed |= _named(joins, named, table.region)
        else:
            made = _APART[name_]
            changed[made.field] = once(name_, made.make, resolver, first.own if made.is_own else first.shared)
    for parts in _PARTS:
        value = getattr(table, parts)
        if value.content:
            changed[parts] = _unshared(value)
    return replace(first, table=replace(table, **changed, scenario=resolver.conditions.scenario()))


def _named(joins: Joins, named: Named, region: Value[str]) -> dict[str, Any]:
    """The fields that a table's name is in."""
    return {
        "name": named.value,
        "name_generated": named.node is None,
        "name_fixed": named.is_fixed,
        "arn": joins.arn(named.value, region),
    }


def _whole(resolver: Resolver, joins: Joins, resource: Resource, spelled: Spelled) -> Built:
    once, made, shared, own = resolver.choices.once, resolver.made, spelled.shared, spelled.own
    named = made(shared, _NAME, UNNAMED, name)
    naming = joins.naming(resource.address, named.node)
    tagged = once("tags", tags, resolver, own)
    joined = once("joins", joins.about, naming)
    replicas = _replicas(spelled.replicas, joined.replicas)
    table = Table(
        address=resource.address,
        place=resolver.place(resource.node),
        dialect=Dialect.CLOUDFORMATION,
        type=resource.type,
        kind=TableKind.GLOBAL if replicas.content else TableKind.REGIONAL,
        label=resource.address,
        **_named(joins, named, spelled.region),
        region=spelled.region,
        account=joins.account,
        keys=made(shared, "KeySchema", facts.KEYS.unset, keys),
        attributes=made(shared, "AttributeDefinitions", facts.ATTRIBUTES.unset, attributes),
        indexes=_unshared(spelled.indexes),
        local_indexes=_unshared(made(shared, "LocalSecondaryIndexes", facts.LOCAL_INDEXES.unset, local_indexes)),
        vector_indexes=made(shared, "VectorIndexes", facts.VECTOR_INDEXES.unset, vector_indexes),
        billing_mode=made(shared, "BillingMode", facts.BILLING_MODE.unset, billing_mode),
        capacity=spelled.capacity,
        on_demand=spelled.on_demand,
        warm=made(shared, "WarmThroughput", facts.NO_WARMTH, warmth),
        scaling=joined.scaling + spelled.scaling,
        scaling_doubt=joined.scaling_doubt,
        table_class=made(own, "TableClass", facts.TABLE_CLASS.unset, table_class),
        insights=made(own, "ContributorInsightsSpecification", facts.INSIGHTS.unset, insights),
        alarms=joined.alarms,
        alarms_doubt=joined.alarms_doubt,
        encryption=spelled.encryption,
        recovery=made(own, "PointInTimeRecoverySpecification", facts.NO_RECOVERY, recovery),
        deletion_protection=made(
            own, "DeletionProtectionEnabled", facts.DELETION_PROTECTION.unset, deletion_protection
        ),
        retention=once("retention", retention, resolver, resource),
        backed_up=once("backups", joins.backups.cover, naming, tagged) if joins.backups.any else facts.BACKED_UP.unset,
        import_source=made(shared, "ImportSourceSpecification", facts.IMPORT_SOURCE.unset, import_source),
        restore_source=facts.RESTORE_SOURCE.unset,
        ttl=made(shared, "TimeToLiveSpecification", facts.NO_TTL, ttl),
        stream=replace(spelled.stream, consumers=joined.consumers) if joined.consumers else spelled.stream,
        destinations=made(own, "KinesisStreamSpecification", (), destinations),
        replicas=_unshared(replicas),
        consistency=spelled.consistency,
        witness_region=spelled.witness_region,
        source_table=spelled.source_table,
        settings_replication=spelled.settings_replication,
        tags=tagged,
        declared=facts.declared_by(tagged),
        policy=made(own, "ResourcePolicy", facts.POLICY.unset, resource_policy),
        raw=partial(unevaluated, resource.node),
        scenario=resolver.conditions.scenario(),  # last: all that is asked is asked by now
    )
    return Built(table, shared, own, naming)


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
