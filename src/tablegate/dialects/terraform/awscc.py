"""Tables of the Cloud Control provider: CloudFormation's properties in snake case, as objects in attributes."""

from __future__ import annotations

from collections.abc import Sequence

from tablegate.dialects.terraform import awscc_parts as parts
from tablegate.dialects.terraform import awscc_replicas as regions
from tablegate.dialects.terraform.block import Block
from tablegate.dialects.terraform.resources import Resource
from tablegate.dialects.terraform.table import TableJoins, retention_of
from tablegate.dialects.terraform.table_parts import warmth
from tablegate.model import facts
from tablegate.model.table import Replica, Table, TableKind, Units
from tablegate.model.value import Doubt, Value

_GLOBAL = "awscc_dynamodb_global_table"


def read_awscc_table(table: Resource, joins: TableJoins) -> Table:
    """The table. Of a global one, the entry of its own region is the table and the others are its replicas."""
    root = table.block
    is_global = table.resource_change.type == _GLOBAL
    home, others = regions.home_and_others(table, joins.regions.name(table)) if is_global else (root, ())
    own = home if isinstance(home, Block) else root
    tags = joins.tags_by_table.added(parts.tags(own), table)
    scaling, scaling_doubt = joins.scaling.of(table)
    alarms, alarms_doubt = joins.alarms.of(table)
    region, account = joins.regions.region(table), joins.regions.account(table)
    named = table.known_text("table_name") is not None or root.is_unknown("table_name")
    return Table(
        address=table.address,
        place=table.place,
        dialect=table.snapshot.dialect,
        type=table.resource_change.type,
        kind=TableKind.GLOBAL if others else TableKind.REGIONAL,
        label=table.resource_change.name,
        name=root.text(facts.NAME, "table_name") if named else facts.NAME.doubted(_GENERATED),
        name_generated=not named or _is_generated(root),
        name_fixed=False,
        arn=joins.arn(table, region.content, account.content),
        region=region,
        account=account,
        keys=parts.keys(root),
        attributes=parts.attributes(root),
        indexes=parts.indexes(root, facts.INDEXES, "global_secondary_indexes"),
        local_indexes=parts.indexes(root, facts.LOCAL_INDEXES, "local_secondary_indexes", local=True),
        vector_indexes=parts.vector_indexes(root),
        billing_mode=root.text(facts.BILLING_MODE, "billing_mode"),
        capacity=Units(read=regions.read_capacity(own), write=facts.WRITE_CAPACITY.unset)
        if is_global
        else parts.capacity(root),
        on_demand=_ceiling(root, own) if is_global else parts.ceiling(root),
        warm=warmth(root.one("warm_throughput")),
        scaling=(*scaling, *(regions.scaling(table, own, others) if is_global else ())),
        scaling_doubt=scaling_doubt,
        table_class=own.text(facts.TABLE_CLASS, "table_class"),
        insights=parts.insights(own),
        alarms=alarms,
        alarms_doubt=alarms_doubt,
        encryption=regions.encryption_of(table, own, joins.keys)
        if is_global
        else joins.keys.of_block(table, "sse_specification", "sse_enabled", "kms_master_key_id"),
        recovery=parts.recovery(own),
        deletion_protection=own.flag(facts.DELETION_PROTECTION, "deletion_protection_enabled"),
        retention=retention_of(table),
        backed_up=joins.backups.of(table, tags),
        import_source=_import_source(root),
        restore_source=facts.RESTORE_SOURCE.unset,
        ttl=parts.ttl(root),
        stream=parts.stream(root, own, "replica_stream_specification"),
        destinations=parts.destination(own),
        replicas=_replicas(table, home, others, joins),
        consistency=root.text(facts.CONSISTENCY, "multi_region_consistency"),
        witness_region=_witness(root),
        source_table=root.text(facts.SOURCE_TABLE, "global_table_source_arn"),
        settings_replication=own.text(facts.SETTINGS_REPLICATION, "global_table_settings_replication_mode"),
        tags=tags,
        declared=facts.declared_by(tags),
        policy=parts.policy(facts.POLICY, own),
        raw=table.raw,
    )


_GENERATED = Doubt("the table is given no name, and the service makes one up", "table_name")


def _is_generated(root: Block) -> bool:
    """Whether nobody wrote a name."""
    return root.is_unknown("table_name") and root.configured is not None and root.expression("table_name") is None


def _ceiling(root: Block, own: Block) -> Units:
    write = parts.number(
        facts.MAX_WRITE, root, "write_on_demand_throughput_settings", "max_write_request_units", (-1, 0)
    )
    return Units(read=regions.max_read(own), write=write)


def _import_source(root: Block) -> Value[str]:
    inner = root.one("import_source_specification")
    if inner is None:
        return facts.IMPORT_SOURCE.unset
    if isinstance(inner, Doubt):
        return facts.IMPORT_SOURCE.doubted(inner, root.place("import_source_specification"))
    return parts.text(facts.IMPORT_SOURCE, inner, "s3_bucket_source", "s3_bucket")


def _witness(root: Block) -> Value[str]:
    blocks = root.many("global_table_witnesses")
    first = blocks if isinstance(blocks, Doubt) else next(iter(blocks), None)
    if isinstance(first, Block):
        return first.text(facts.WITNESS_REGION, "region")
    fact = facts.WITNESS_REGION
    return fact.unset if first is None else fact.doubted(first, root.place("global_table_witnesses"))


def _replicas(
    table: Resource, home: Block | Doubt, others: Sequence[Block], joins: TableJoins
) -> Value[tuple[Replica, ...]]:
    place = table.block.place("replicas")
    if isinstance(home, Doubt):
        return facts.REPLICAS.doubted(home, place)
    found = sorted(
        (regions.read_replica(table, one, joins.keys) for one in others), key=lambda one: one.region.content or ""
    )
    return facts.REPLICAS.of(tuple(found), place) if found else facts.REPLICAS.unset
