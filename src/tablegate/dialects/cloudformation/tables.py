"""One table of any type, field by field. Fields that no scenario touches are made once."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, TypeVar

from tablegate.dialects.cloudformation.encryption import destinations
from tablegate.dialects.cloudformation.fields import Section, flag, member, word
from tablegate.dialects.cloudformation.joins import Joins
from tablegate.dialects.cloudformation.links import Naming
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
    BILLING_MODES,
    import_source,
    name,
    policy,
    recovery,
    retention,
    tags,
    ttl,
)
from tablegate.dialects.cloudformation.template import Resource
from tablegate.model import facts
from tablegate.model.table import (
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
from tablegate.model.value import Value

P = TypeVar("P", Index, Replica)


class Spelled(NamedTuple):
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


def table_of(resolver: Resolver, joins: Joins, resource: Resource, spelled: Spelled) -> Table:
    """The table in the scenario that the resolver is in."""
    once, shared, own = resolver.choices.once, spelled.shared, spelled.own
    called, generated, fixed = once("name", name, resolver, shared)
    naming = Naming(resource.address, member(resolver, shared, "TableName"))
    tagged = once("tags", tags, resolver, own)
    replicas = once("replicas", _replicas, joins, naming, spelled)
    return Table(
        address=resource.address,
        place=resolver.place(resource.node),
        dialect=Dialect.CLOUDFORMATION,
        kind=TableKind.GLOBAL if replicas.content else TableKind.REGIONAL,
        label=resource.address,
        name=called,
        name_generated=generated,
        name_fixed=fixed,
        arn=joins.arn(called, spelled.region),
        region=spelled.region,
        account=joins.account,
        keys=once("keys", keys, resolver, shared),
        attributes=once("attributes", attributes, resolver, shared),
        indexes=_unshared(spelled.indexes),
        local_indexes=_unshared(once("local indexes", local_indexes, resolver, shared)),
        vector_indexes=once("vector indexes", vector_indexes, resolver, shared),
        billing_mode=once("billing", word, resolver, facts.BILLING_MODE, shared, "BillingMode", BILLING_MODES),
        capacity=spelled.capacity,
        on_demand=spelled.on_demand,
        warm=once("warmth", warmth, resolver, shared),
        scaling=once("scaling", joins.scaling.of, naming) + spelled.scaling,
        scaling_doubt=once("scaling doubt", joins.scaling.doubt, naming),
        table_class=once("class", word, resolver, facts.TABLE_CLASS, own, "TableClass"),
        insights=once("insights", insights, resolver, own),
        alarms=once("alarms", joins.alarms.of, naming),
        alarms_doubt=once("alarms doubt", joins.alarms.doubt, naming),
        encryption=spelled.encryption,
        recovery=once("recovery", recovery, resolver, own),
        deletion_protection=once(
            "protection", flag, resolver, facts.DELETION_PROTECTION, own, "DeletionProtectionEnabled"
        ),
        retention=once("retention", retention, resolver, resource),
        backed_up=once("backups", joins.backups.cover, naming, tagged),
        import_source=once("import", import_source, resolver, shared),
        restore_source=facts.RESTORE_SOURCE.unset,
        ttl=once("ttl", ttl, resolver, shared),
        stream=once("stream", _with_consumers, joins, naming, spelled.stream),
        destinations=once("destinations", destinations, resolver, own),
        replicas=_unshared(replicas),
        consistency=spelled.consistency,
        witness_region=spelled.witness_region,
        source_table=spelled.source_table,
        settings_replication=spelled.settings_replication,
        tags=tagged,
        declared=once("declared", facts.declared_by, tagged),
        policy=once("policy", policy, resolver, facts.POLICY, own),
        raw=resource.node.plain,
        scenario=resolver.conditions.scenario(),  # last: all that is asked is asked by now
    )


def _with_consumers(joins: Joins, naming: Naming, stream: Stream) -> Stream:
    consumers = joins.consumers.of(naming)
    return replace(stream, consumers=consumers) if consumers else stream


def _replicas(joins: Joins, naming: Naming, spelled: Spelled) -> Value[tuple[Replica, ...]]:
    """The replicas that the table lists, and those that custom resources add."""
    added = joins.replicas.of(naming)
    listed = spelled.replicas
    if not added or not listed.known:
        return listed
    return facts.REPLICAS.of((*(listed.content or ()), *added), listed.place or added[0].place)


def _unshared(value: Value[tuple[P, ...]]) -> Value[tuple[P, ...]]:
    """Parts know their table: what another scenario's table holds already is held by a copy."""
    parts = value.content
    if not parts or not hasattr(parts[0], "table"):
        return value
    return replace(value, content=tuple(replace(part) for part in parts))
