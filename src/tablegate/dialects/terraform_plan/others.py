"""What else in a plan is judged beside tables: DAX clusters and global tables of 2017."""

from __future__ import annotations

from tablegate.dialects.terraform_plan.links import Links
from tablegate.dialects.terraform_plan.worlds import Resource, World
from tablegate.model import facts
from tablegate.model.estate import DaxCluster, LegacyGlobalTable
from tablegate.model.value import Doubt


def dax_clusters(world: World) -> tuple[DaxCluster, ...]:
    """The DAX clusters."""
    return tuple(sorted((_cluster(one) for one in world.of("aws_dax_cluster")), key=lambda one: one.address))


def legacy_global_tables(world: World, links: Links) -> tuple[LegacyGlobalTable, ...]:
    """The global tables of 2017: a resource that ties tables of one name together."""
    found = (_legacy(one, links) for one in world.of("aws_dynamodb_global_table"))
    return tuple(sorted(found, key=lambda one: one.address))


def _cluster(one: Resource) -> DaxCluster:
    block = one.root.one("server_side_encryption")
    if block is None:
        encrypted = facts.DAX_ENCRYPTED.unset
    elif isinstance(block, Doubt):
        encrypted = facts.DAX_ENCRYPTED.doubted(block, one.root.place("server_side_encryption"))
    else:
        encrypted = block.flag(facts.DAX_ENCRYPTED, "enabled")
    return DaxCluster(
        address=one.address,
        place=one.here,
        encrypted=encrypted,
        in_transit=one.root.text(facts.DAX_IN_TRANSIT, "cluster_endpoint_encryption_type", computed=True),
    )


def _legacy(one: Resource, links: Links) -> LegacyGlobalTable:
    link = links.of(one, "name")
    table = link.tables[0] if link.tables and link.doubt is None else None
    return LegacyGlobalTable(
        address=one.address,
        place=one.here,
        custom_resource=False,
        table=None if table is None else table.address,
        table_retained=facts.DELETION_PROTECTION.unset
        if table is None
        else table.root.flag(facts.DELETION_PROTECTION, "deletion_protection_enabled"),
        deletion_policy=facts.DELETION_POLICY.unset,
    )
