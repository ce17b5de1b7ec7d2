"""``AWS::DynamoDB::GlobalTable``: what all regions share, what each decides for itself, and which one is the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from tablegate.dialects.cloudformation.autoscaling import inline
from tablegate.dialects.cloudformation.kms import destinations, encrypted
from tablegate.dialects.cloudformation.parameters import REGION
from tablegate.dialects.cloudformation.properties import (
    as_section,
    doubted,
    flag,
    listed,
    number,
    properties,
    reference,
    subsection,
    word,
)
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.schema import IndexCapacity, index, indexes, insights, limit, warmth
from tablegate.dialects.cloudformation.settings import policy, recovery, stream, tags
from tablegate.dialects.cloudformation.table import TableJoins, TypeSpecific
from tablegate.dialects.cloudformation.template import Resource
from tablegate.dialects.cloudformation.values import Section, Unresolved, text_with_references
from tablegate.model import facts
from tablegate.model.record import record
from tablegate.model.table import Encryption, Index, Replica, ScalingTarget, Stream, Units
from tablegate.model.value import Doubt, Value
from tablegate.syntax.node import Node

_READS, _WRITES = "ReadProvisionedThroughputSettings", "WriteProvisionedThroughputSettings"
_READ_SCALING, _WRITE_SCALING = "ReadCapacityAutoScalingSettings", "WriteCapacityAutoScalingSettings"
_CONSISTENCIES = frozenset({"EVENTUAL", "STRONG"})


@record(kw_only=False)
class Region:
    """One entry of ``Replicas``."""

    node: Node
    section: Section
    name: Node | Unresolved | None

    @property
    def text(self) -> str:
        """The region's name, or what stands for it."""
        return (text_with_references(self.name) if self.name is not None else None) or ""


def global_table(resolver: Resolver, joins: TableJoins, resource: Resource) -> TypeSpecific:
    """The table's spelling: the entry of the stack's own region is the table, the others its replicas."""
    per_answers = resolver.scenarios.per_answers
    shared = per_answers("properties", properties, resolver, resource)
    home, others = per_answers("regions", _regions, resolver, joins, shared)
    own = home.section if isinstance(home, Region) else home
    return TypeSpecific(
        shared=shared,
        own=own,
        region=per_answers("region", _home_region, resolver, joins, home),
        capacity=per_answers("capacity", _capacity, resolver, shared, own),
        on_demand=per_answers("ceiling", _ceiling, resolver, shared, own),
        encryption=per_answers("encryption", _encryption, resolver, shared, own),
        stream=per_answers("own stream", _stream, resolver, shared, own),
        indexes=per_answers("indexes", _indexes, resolver, shared, own),
        scaling=per_answers("inline scaling", _scaling, resolver, resource.address, shared, home, others),
        replicas=per_answers("listed replicas", _replicas, resolver, shared, others),
        consistency=per_answers("consistency", _consistency, resolver, shared),
        witness_region=per_answers("witness", _witness, resolver, shared),
        source_table=per_answers("source", reference, resolver, facts.SOURCE_TABLE, shared, "GlobalTableSourceArn"),
        settings_replication=per_answers("settings", _settings_replication, resolver, own),
    )


def _regions(
    resolver: Resolver, joins: TableJoins, shared: Section
) -> tuple[Region | Unresolved, Sequence[Region] | Unresolved]:
    """The table itself, and its replicas. What cannot be known of one cannot be known of the other."""
    found = listed(resolver, shared, "Replicas")
    if isinstance(found, Unresolved):
        return found, found
    regions = []
    for item in found or ():
        section = as_section(resolver, item)
        if isinstance(item, Unresolved) or section is None or isinstance(section, Unresolved):
            unknown = section if isinstance(section, Unresolved) else _NO_REPLICA
            return unknown, unknown
        regions.append(Region(item, section, resolver.get(section, "Region")))
    if not regions:
        where = shared["Replicas"] if isinstance(shared, Mapping) and "Replicas" in shared else Node(None, 1, 1)
        unknown = resolver.wrong_shape(where, "a global table needs Replicas")
        return unknown, unknown
    home = next((region for region in regions if _is_home(region, joins)), regions[0])
    return home, [region for region in regions if region is not home]


_NO_REPLICA = Unresolved(Doubt("an entry of Replicas is empty"), Node(None, 1, 1))


def _is_home(region: Region, joins: TableJoins) -> bool:
    return region.text == (joins.region.content or f"${{{REGION}}}")


def _home_region(resolver: Resolver, joins: TableJoins, home: Region | Unresolved) -> Value[str]:
    if joins.region.known or isinstance(home, Unresolved):
        return joins.region
    return word(resolver, facts.REGION, home.section, "Region")


def _capacity(resolver: Resolver, shared: Section, own: Section) -> Units:
    """The fixed read capacity: writes always scale. A table over several accounts says it for all regions."""
    return Units(read=_read_capacity(resolver, own, shared), write=facts.WRITE_CAPACITY.unset)


def _read_capacity(resolver: Resolver, own: Section, shared: Section) -> Value[int]:
    fact = facts.READ_CAPACITY
    inner = subsection(resolver, own, _READS)
    if inner is None:
        inner = subsection(resolver, shared, _READS)
    return fact.unset if inner is None else number(resolver, fact, inner, "ReadCapacityUnits")


def _ceiling(resolver: Resolver, shared: Section, own: Section) -> Units:
    read = _max_read(resolver, own)
    if read is facts.MAX_READ.unset:
        read = _max_read(resolver, shared)
    inner = subsection(resolver, shared, "WriteOnDemandThroughputSettings")
    fact = facts.MAX_WRITE
    return Units(read=read, write=fact.unset if inner is None else limit(resolver, fact, inner, "MaxWriteRequestUnits"))


def _max_read(resolver: Resolver, section: Section) -> Value[int]:
    inner = subsection(resolver, section, "ReadOnDemandThroughputSettings")
    fact = facts.MAX_READ
    return fact.unset if inner is None else limit(resolver, fact, inner, "MaxReadRequestUnits")


def _encryption(resolver: Resolver, shared: Section, own: Section) -> Encryption:
    """The table turns encryption on, each region names its key."""
    enabling = subsection(resolver, shared, "SSESpecification")
    if enabling is None:
        return facts.AWS_OWNED
    return encrypted(resolver, enabling, subsection(resolver, own, "SSESpecification"))


def _stream(resolver: Resolver, shared: Section, own: Section) -> Stream:
    return stream(resolver, shared, subsection(resolver, own, "ReplicaStreamSpecification"))


def _named(resolver: Resolver, section: Section) -> Iterator[tuple[str, Section]]:
    """The entries for indexes, by the indexes' names."""
    found = listed(resolver, section, "GlobalSecondaryIndexes")
    for item in found if isinstance(found, list) else ():
        inner = as_section(resolver, item)
        name = resolver.get(inner, "IndexName") if inner is not None else None
        text = text_with_references(name) if name is not None else None
        if inner is not None and text is not None:
            yield text, inner


def _indexes(resolver: Resolver, shared: Section, own: Section) -> Value[tuple[Index, ...]]:
    overrides = dict(_named(resolver, own))

    def make(node: Node, inner: Section) -> Index:
        name = resolver.get(inner, "IndexName")
        mine = overrides.get((text_with_references(name) if name is not None else None) or "", {})
        capacity_ = IndexCapacity(
            _capacity(resolver, inner, mine),
            _ceiling(resolver, inner, mine),
            warmth(resolver, inner),
            insights(resolver, mine),
        )
        return index(resolver, node, inner, capacity_)

    return indexes(resolver, shared, make)


def _scaling(
    resolver: Resolver,
    address: str,
    shared: Section,
    home: Region | Unresolved,
    others: Sequence[Region] | Unresolved,
) -> tuple[ScalingTarget, ...]:
    """The scaling that the table keeps in its own settings: writes for all regions, reads for each."""
    own = home.section if isinstance(home, Region) else home
    reads = own if subsection(resolver, own, _READS) is not None else shared
    places: list[tuple[Section, str | None]] = [(reads, None)]
    if not isinstance(others, Unresolved):
        places += [(region.section, region.text) for region in others]
    at = partial(_target, resolver, address=address)
    found = [at(shared, dimension="write")]
    found += [at(part, dimension="write", index=name) for name, part in _named(resolver, shared)]
    for section, region in places:
        found.append(at(section, dimension="read", region=region))
        found += [at(part, dimension="read", index=name, region=region) for name, part in _named(resolver, section)]
    return tuple(target for target in found if target is not None)


def _target(
    resolver: Resolver,
    section: Section,
    *,
    address: str,
    dimension: str,
    index: str | None = None,
    region: str | None = None,
) -> ScalingTarget | None:
    settings, scaling = (_READS, _READ_SCALING) if dimension == "read" else (_WRITES, _WRITE_SCALING)
    inner = subsection(resolver, section, settings)
    if inner is None:
        return None
    return inline(resolver, inner, scaling, address=address, dimension=dimension, index=index, region=region)


def _replicas(resolver: Resolver, shared: Section, others: Sequence[Region] | Unresolved) -> Value[tuple[Replica, ...]]:
    fact = facts.REPLICAS
    if isinstance(others, Unresolved):
        return doubted(resolver, fact, others)
    if not others or isinstance(shared, Unresolved):
        return fact.unset
    made = sorted((_replica(resolver, shared, it) for it in others), key=lambda replica: replica.region.content or "")
    return fact.of(tuple(made), resolver.place(shared["Replicas"]))


def _replica(resolver: Resolver, shared: Section, region: Region) -> Replica:
    section = region.section
    return Replica(
        region=word(resolver, facts.REGION, section, "Region"),
        place=resolver.place(region.node),
        encryption=_encryption(resolver, shared, section),
        recovery=recovery(resolver, section),
        deletion_protection=flag(resolver, facts.DELETION_PROTECTION, section, "DeletionProtectionEnabled"),
        table_class=word(resolver, facts.TABLE_CLASS, section, "TableClass"),
        tags=tags(resolver, section),
        insights=insights(resolver, section),
        policy=policy(resolver, facts.POLICY, section),
        read_capacity=_read_capacity(resolver, section, {}),
        max_read=_max_read(resolver, section),
        destinations=destinations(resolver, section),
    )


def _consistency(resolver: Resolver, shared: Section) -> Value[str]:
    return word(resolver, facts.CONSISTENCY, shared, "MultiRegionConsistency", _CONSISTENCIES)


def _settings_replication(resolver: Resolver, own: Section) -> Value[str]:
    return word(resolver, facts.SETTINGS_REPLICATION, own, "GlobalTableSettingsReplicationMode")


def _witness(resolver: Resolver, shared: Section) -> Value[str]:
    found = listed(resolver, shared, "GlobalTableWitnesses")
    if isinstance(found, Unresolved):
        return doubted(resolver, facts.WITNESS_REGION, found)
    section = as_section(resolver, found[0]) if found else None
    return facts.WITNESS_REGION.unset if section is None else word(resolver, facts.WITNESS_REGION, section, "Region")
