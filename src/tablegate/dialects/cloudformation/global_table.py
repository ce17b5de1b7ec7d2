"""``AWS::DynamoDB::GlobalTable``: what all regions share, what each decides for itself, and which one is the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from tablegate.dialects.cloudformation.autoscaling import inline
from tablegate.dialects.cloudformation.kms import destinations, encryption_with_key
from tablegate.dialects.cloudformation.parameters import REGION
from tablegate.dialects.cloudformation.properties import Resource, Section, section_of
from tablegate.dialects.cloudformation.schema import NO_LIMIT, IndexCapacity, indexes, insights, warmth
from tablegate.dialects.cloudformation.settings import deletion_protection, policy, recovery, stream, table_class, tags
from tablegate.dialects.cloudformation.table import TableJoins, TypeSpecific, properties_of
from tablegate.dialects.cloudformation.values import NO_NODE, Unresolved, text_with_references
from tablegate.model import facts
from tablegate.model.record import record
from tablegate.model.table import Encryption, Index, Replica, ScalingTarget, Stream, Units
from tablegate.model.value import Value
from tablegate.syntax.node import Node

_READS, _WRITES = "ReadProvisionedThroughputSettings", "WriteProvisionedThroughputSettings"
_READ_SCALING, _WRITE_SCALING = "ReadCapacityAutoScalingSettings", "WriteCapacityAutoScalingSettings"
_CONSISTENCIES = frozenset({"EVENTUAL", "STRONG"})


@record(kw_only=False)
class Region:
    """One entry of ``Replicas``."""

    section: Section
    name: Node | Unresolved | None

    @property
    def text(self) -> str:
        """The region's name, or the reference to it."""
        return (text_with_references(self.name) if self.name is not None else None) or ""


@record(kw_only=False)
class Regions:
    """The entries of ``Replicas``: that of the stack's own region is the table, the others are its replicas."""

    home: Region
    others: Sequence[Region]
    unresolved: Unresolved | None = None  # if they are not known, neither is the table's own


def global_table(joins: TableJoins, resource: Resource) -> TypeSpecific:
    """What ``AWS::DynamoDB::GlobalTable`` has of its own."""
    per_answers = resource.resolver.scenarios.per_answers
    shared = per_answers(properties_of, resource)
    regions = per_answers(_regions, joins, shared)
    own = regions.home.section
    return TypeSpecific(
        shared=shared,
        own=own,
        region=per_answers(_home_region, joins, regions),
        capacity=per_answers(_capacity, shared, own),
        on_demand=per_answers(_ceiling, shared, own),
        encryption=per_answers(_encryption, shared, own),
        stream=per_answers(_stream, shared, own),
        indexes=per_answers(_indexes, shared, own),
        scaling=per_answers(_scaling, resource.address, shared, regions),
        replicas=per_answers(_replicas, shared, regions),
        consistency=per_answers(_consistency, shared),
        witness_region=per_answers(_witness, shared),
        source_table=per_answers(_source_table, shared),
        settings_replication=per_answers(_settings_replication, own),
    )


def _regions(joins: TableJoins, shared: Section) -> Regions:
    items = shared.items("Replicas")
    if isinstance(items, Unresolved):
        return _unknown_regions(shared, items)
    regions = []
    for item in items or ():
        section = section_of(shared.resolver, item)
        if section.unresolved is not None:
            return _unknown_regions(shared, section.unresolved)
        regions.append(Region(section, section.get("Region")))
    if not regions:
        node = shared.members.get("Replicas", NO_NODE)
        return _unknown_regions(shared, shared.resolver.wrong_shape(node, "a global table needs Replicas"))
    home = next((region for region in regions if _is_home(region, joins)), None)
    if home is None:
        home = regions[0]
        if joins.region.known and all(isinstance(region.name, Node) for region in regions):
            message = f"Replicas has no entry for {joins.region.content}, the region of the stack: the deploy fails"
            shared.resolver.wrong_shape(shared.members["Replicas"], message, "add an entry for it, or correct --region")
    return Regions(home, [region for region in regions if region is not home])


def _unknown_regions(shared: Section, unresolved: Unresolved) -> Regions:
    home = Section(shared.resolver, {}, unresolved.node, unresolved)
    return Regions(Region(home, unresolved), (), unresolved)


def _is_home(region: Region, joins: TableJoins) -> bool:
    return region.text == (joins.region.content or f"${{{REGION}}}")


def _home_region(joins: TableJoins, regions: Regions) -> Value[str]:
    if joins.region.known or regions.unresolved is not None:
        return joins.region
    return regions.home.section.text(facts.REGION, "Region")


def _capacity(shared: Section, own: Section) -> Units:
    """The fixed read capacity: writes always scale. A table over several accounts says it for all regions."""
    return Units(read=_read_capacity(own, shared), write=facts.WRITE_CAPACITY.unset)


def _read_capacity(*sections: Section) -> Value[int]:
    """The read capacity of the first section that has it."""
    for section in sections:
        settings = section.section(_READS)
        if settings is not None:
            return settings.number(facts.READ_CAPACITY, "ReadCapacityUnits")
    return facts.READ_CAPACITY.unset


def _ceiling(shared: Section, own: Section) -> Units:
    read = _max_read(own)
    if read is facts.MAX_READ.unset:
        read = _max_read(shared)
    settings = shared.part("WriteOnDemandThroughputSettings")
    return Units(read=read, write=settings.number(facts.MAX_WRITE, "MaxWriteRequestUnits", NO_LIMIT))


def _max_read(section: Section) -> Value[int]:
    return section.part("ReadOnDemandThroughputSettings").number(facts.MAX_READ, "MaxReadRequestUnits", NO_LIMIT)


def _encryption(shared: Section, own: Section) -> Encryption:
    """The table turns encryption on, each region names its key."""
    enabling = shared.section("SSESpecification")
    if enabling is None:
        return facts.AWS_OWNED
    return encryption_with_key(enabling, own.section("SSESpecification"))


def _stream(shared: Section, own: Section) -> Stream:
    return stream(shared, own.section("ReplicaStreamSpecification"))


def _index_settings(section: Section) -> Iterator[tuple[str, Section]]:
    """The entries for global indexes, by the indexes' names."""
    for settings in section.sections("GlobalSecondaryIndexes"):
        name = settings.get("IndexName")
        text = text_with_references(name) if name is not None else None
        if text is not None:
            yield text, settings


def _indexes(shared: Section, own: Section) -> Value[tuple[Index, ...]]:
    in_region = dict(_index_settings(own))
    absent = Section(own.resolver, {}, own.node)

    def capacity_of(index: Section) -> IndexCapacity:
        name = index.get("IndexName")
        regional = in_region.get((text_with_references(name) if name is not None else None) or "", absent)
        return IndexCapacity(_capacity(index, regional), _ceiling(index, regional), warmth(index), insights(regional))

    return indexes(shared, capacity_of)


def _scaling(address: str, shared: Section, regions: Regions) -> tuple[ScalingTarget, ...]:
    """The scaling that the table keeps in its own settings: writes for all regions, reads for each."""
    own = regions.home.section
    reads = own if own.section(_READS) is not None else shared
    places: list[tuple[Section, str | None]] = [(reads, None)]
    places += [(region.section, region.text) for region in regions.others]
    at = partial(_target, address=address)
    targets = [at(shared, dimension="write")]
    targets += [at(index, dimension="write", index=name) for name, index in _index_settings(shared)]
    for section, region in places:
        targets.append(at(section, dimension="read", region=region))
        targets += [at(index, dimension="read", index=name, region=region) for name, index in _index_settings(section)]
    return tuple(target for target in targets if target is not None)


def _target(
    section: Section, *, address: str, dimension: str, index: str | None = None, region: str | None = None
) -> ScalingTarget | None:
    settings, scaling = (_READS, _READ_SCALING) if dimension == "read" else (_WRITES, _WRITE_SCALING)
    inner = section.section(settings)
    if inner is None:
        return None
    return inline(inner, scaling, address=address, dimension=dimension, index=index, region=region)


def _replicas(shared: Section, regions: Regions) -> Value[tuple[Replica, ...]]:
    fact = facts.REPLICAS
    if regions.unresolved is not None:
        return shared.unknown(fact, regions.unresolved)
    if not regions.others:
        return fact.unset
    replicas = sorted((_replica(shared, it) for it in regions.others), key=lambda replica: replica.region.content or "")
    return fact.of(tuple(replicas), shared.place("Replicas"))


def _replica(shared: Section, region: Region) -> Replica:
    section = region.section
    return Replica(
        region=section.text(facts.REGION, "Region"),
        place=section.place(),
        encryption=_encryption(shared, section),
        recovery=recovery(section),
        deletion_protection=deletion_protection(section),
        table_class=table_class(section),
        tags=tags(section),
        insights=insights(section),
        policy=policy(facts.POLICY, section),
        read_capacity=_read_capacity(section),
        max_read=_max_read(section),
        destinations=destinations(section),
    )


def _consistency(shared: Section) -> Value[str]:
    return shared.text(facts.CONSISTENCY, "MultiRegionConsistency", _CONSISTENCIES)


def _settings_replication(own: Section) -> Value[str]:
    return own.text(facts.SETTINGS_REPLICATION, "GlobalTableSettingsReplicationMode")


def _source_table(shared: Section) -> Value[str]:
    return shared.text_or_reference(facts.SOURCE_TABLE, "GlobalTableSourceArn")


def _witness(shared: Section) -> Value[str]:
    fact, items = facts.WITNESS_REGION, shared.items("GlobalTableWitnesses")
    if isinstance(items, Unresolved):
        return shared.unknown(fact, items)
    witness = section_of(shared.resolver, items[0]) if items else None
    return fact.unset if witness is None else witness.text(fact, "Region")
