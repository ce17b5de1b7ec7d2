"""``aws_dynamodb_table``, field by field, and what other resources say of a table."""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from typing import Final, TypeGuard

from tablegate.dialects.terraform.autoscaling import Scaling
from tablegate.dialects.terraform.block import Block
from tablegate.dialects.terraform.configuration import tree
from tablegate.dialects.terraform.joins import TableFinder, TableTags, table_name
from tablegate.dialects.terraform.kms import KmsKeys
from tablegate.dialects.terraform.references import UnknownValue
from tablegate.dialects.terraform.regions import Regions
from tablegate.dialects.terraform.related_resources import Alarms, Backups, Consumers, Destinations, Insights, Policies
from tablegate.dialects.terraform.resources import Resource, Snapshot
from tablegate.dialects.terraform.table_parts import (
    Indexes,
    ReplicaContext,
    Replicas,
    both_types,
    ceilings,
    keys_of,
    units,
    warmth,
)
from tablegate.model import facts
from tablegate.model.record import replace
from tablegate.model.table import Recovery, Retention, Stream, Table, TableKind, Ttl
from tablegate.model.value import Doubt, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.syntax.hcl.nodes import Attribute

_LATER = Doubt("known only after apply", "pass --account and --region, or apply it first")
_PARTITIONS = (("cn-", "aws-cn"), ("us-gov-", "aws-us-gov"))


class TableJoins:
    """What the other resources of a snapshot say of its tables."""

    def __init__(self, snapshot: Snapshot, regions: Regions, keys: KmsKeys) -> None:
        self.regions = regions
        self.keys = keys
        self.finder = TableFinder(snapshot, regions)
        for table in self.finder.tables:
            regions.learn(table)
        self.tags_by_table = TableTags(snapshot, self.finder, regions)
        self.insights = Insights(snapshot, self.finder)
        self.alarms = Alarms(snapshot, self.finder)
        self.consumers = Consumers(snapshot, self.finder)
        self.destinations = Destinations(snapshot, self.finder)
        self.policies = Policies(snapshot, self.finder)
        self.indexes = Indexes(snapshot, self.finder, self.insights)
        self.scaling = Scaling(snapshot, self.finder, self.indexes.names)
        self.backups = Backups(snapshot, self.finder, regions)
        context = ReplicaContext(keys, self.tags_by_table, self.insights, self.destinations, self.policies)
        self.replicas = Replicas(snapshot, self.finder, context)

    def arn(self, table: Resource, region: str | None, account: str | None) -> Value[str]:
        """The ARN as the plan has it, or made of its parts if they are all known."""
        if table.known_text("arn") is not None:
            return table.block.text(facts.ARN, "arn")
        name = table_name(table)
        if name is None or region is None or account is None:
            return facts.ARN.doubted(_LATER)
        partition = next((name for prefix, name in _PARTITIONS if region.startswith(prefix)), "aws")
        text = f"arn:{partition}:dynamodb:{region}:{account}:table/{name}"
        return facts.ARN.of(text, sensitive=table.block.is_sensitive("name"))


NOT_IN_PLANS = Doubt(
    "prevent_destroy is not in plan JSON, only in the source", "pass --source DIR with the source of the plan"
)
_IN_A_MODULE: Final = facts.PREVENT_DESTROY.doubted(
    Doubt("its module's source was not read", "run terraform init and pass --trust-modules")
)
_FLAGS = {"true": True, "false": False}  # Terraform takes either spelling, and variables are given as texts
_NOT_WRITTEN_OUT = Doubt("what its expression comes to is not known", "write true or false")
_NO_RETENTION = Retention(
    deletion_policy=facts.DELETION_POLICY.unset,
    update_replace_policy=facts.UPDATE_REPLACE_POLICY.unset,
    prevent_destroy=facts.PREVENT_DESTROY.doubted(NOT_IN_PLANS),
)


def _name(root: Block) -> Value[str]:
    """The name. Of one that is not known, source may have parts."""
    name = root.text(facts.NAME, "name")
    if name.known or root.is_sensitive("name"):
        return name
    given = tree(root.expression("name")).get("given") or root.source_value("name")
    parts = given.parts if isinstance(given, UnknownValue) else ()
    return replace(name, parts=tuple(part if isinstance(part, str) else None for part in parts))


def read_table(table: Resource, joins: TableJoins) -> Table:
    """The table with what other resources say of it."""
    root = table.block
    mode = root.text(facts.BILLING_MODE, "billing_mode")
    keys = keys_of(root)
    indexes, local_indexes = joins.indexes.of_table(table, mode), joins.indexes.local(table, keys)
    schemas = (keys, *(index.keys for index in (*(indexes.content or ()), *(local_indexes.content or ()))))
    tags = joins.tags_by_table.of(table)
    encryption = joins.keys.of_block(table, "server_side_encryption", "enabled", "kms_key_arn")
    table_class = root.text(facts.TABLE_CLASS, "table_class")
    replicas = joins.replicas.of(table, encryption, tags, table_class)
    scaling, scaling_doubt = joins.scaling.of(table)
    alarms, alarms_doubt = joins.alarms.of(table)
    region, account = joins.regions.region(table), joins.regions.account(table)
    return Table(
        address=table.address,
        place=table.place,
        dialect=table.snapshot.dialect,
        type=table.resource_change.type,
        kind=TableKind.GLOBAL if replicas.content else TableKind.REGIONAL,
        label=table.resource_change.name,
        name=_name(root),
        name_generated=False,
        name_fixed=False,
        arn=joins.arn(table, region.content, account.content),
        region=region,
        account=account,
        keys=keys,
        attributes=joins.indexes.attributes(table, _attributes(root), schemas),
        indexes=indexes,
        local_indexes=local_indexes,
        vector_indexes=facts.VECTOR_INDEXES.unset,
        billing_mode=mode,
        capacity=units(root, mode),
        on_demand=ceilings(table, root),
        warm=warmth(root.one("warm_throughput")),
        scaling=scaling,
        scaling_doubt=scaling_doubt,
        table_class=table_class,
        insights=joins.insights.of(table),
        alarms=alarms,
        alarms_doubt=alarms_doubt,
        encryption=encryption,
        recovery=_recovery(root),
        deletion_protection=root.flag(facts.DELETION_PROTECTION, "deletion_protection_enabled"),
        retention=retention_of(table),
        backed_up=joins.backups.of(table, tags),
        import_source=_import_source(root),
        restore_source=_restore_source(root),
        ttl=_ttl(table),
        stream=_stream(table, joins),
        destinations=joins.destinations.of(table),
        replicas=replicas,
        consistency=_consistency(root),
        witness_region=_witness(root),
        source_table=facts.SOURCE_TABLE.unset,
        settings_replication=facts.SETTINGS_REPLICATION.unset,
        tags=tags,
        declared=facts.declared_by(tags),
        policy=joins.policies.of(table, facts.POLICY),
        raw=table.raw,
    )


def retention_of(table: Resource) -> Retention:
    """What keeps the table when its resource is removed. Only source shows the arguments of a lifecycle."""
    match, source = table.source_match, table.resource_change.source_resource
    if source is not None:
        kept = source.loaded.lifecycle
    elif match is not None and match.certain:
        kept = match.lifecycle
    else:
        unread = table.resource_change.module and table.snapshot.has_source and match is None
        return replace(_NO_RETENTION, prevent_destroy=_IN_A_MODULE) if unread else _NO_RETENTION
    both = (_kept(kept.prevent_destroy, keeps=True), _kept(kept.destroy, keeps=False))
    written = [value for value in both if value is not facts.PREVENT_DESTROY.unset]
    prevented = min(written, key=lambda value: (value.content is not True, value.known), default=both[0])
    return replace(_NO_RETENTION, prevent_destroy=prevented)


def _kept(attribute: Attribute | None, *, keeps: bool) -> Value[bool]:
    """Whether an argument keeps the table, as prevent_destroy does if it is true, and destroy if it is false."""
    if attribute is None:
        return facts.PREVENT_DESTROY.unset
    content = getattr(attribute.value, "content", None)
    content = _FLAGS.get(content, content) if isinstance(content, str) else content
    if isinstance(content, bool):
        return facts.PREVENT_DESTROY.of(content is keeps, attribute.place)
    return facts.PREVENT_DESTROY.doubted(_NOT_WRITTEN_OUT, attribute.place)


def _attributes(root: Block) -> Value[Mapping[str, str]]:
    place = root.place("attribute")
    plain = root.content.get("attribute")
    if isinstance(plain, list) and all(map(_is_plain, plain)):
        types: dict[str, str] = {}
        for attribute in sorted(plain, key=itemgetter("name")):
            name, type_ = attribute["name"], attribute["type"]
            types[name] = type_ if name not in types else both_types(types[name], type_)
        return facts.ATTRIBUTES.of(types, place, sensitive=root.is_sensitive("attribute")) if types else _NO_ATTRIBUTES
    blocks = root.many("attribute")
    if isinstance(blocks, Doubt):
        return facts.ATTRIBUTES.doubted(blocks, place)
    for block in blocks:
        if isinstance(block, Doubt):
            return facts.ATTRIBUTES.doubted(block, place)
        doubt = block.text(facts.INDEX_NAME, "name").doubt or block.text(facts.PROJECTION, "type").doubt
        if doubt is not None:
            return facts.ATTRIBUTES.doubted(doubt, place)
    return _NO_ATTRIBUTES


_NO_ATTRIBUTES = facts.ATTRIBUTES.unset


def _is_plain(attribute: object) -> TypeGuard[dict[str, str]]:
    return (
        isinstance(attribute, dict)
        and isinstance(attribute.get("name"), str)
        and isinstance(attribute.get("type"), str)
    )


def _recovery(root: Block) -> Recovery:
    block = root.one("point_in_time_recovery")
    if block is None:
        return facts.NO_RECOVERY
    if isinstance(block, Doubt):
        place = root.place("point_in_time_recovery")
        return Recovery(enabled=facts.RECOVERY.doubted(block, place), days=facts.RECOVERY_DAYS.doubted(block, place))
    return Recovery(
        enabled=block.flag(facts.RECOVERY, "enabled"),
        days=block.number(facts.RECOVERY_DAYS, "recovery_period_in_days", none=(0,)),
    )


def _ttl(table: Resource) -> Ttl:
    root = table.block
    block = root.one("ttl")
    if block is None:
        return facts.NO_TTL
    if isinstance(block, Doubt):
        place = root.place("ttl")
        return Ttl(enabled=facts.TTL_ENABLED.doubted(block, place), attribute=facts.TTL_ATTRIBUTE.doubted(block, place))
    return Ttl(enabled=block.flag(facts.TTL_ENABLED, "enabled"), attribute=_ttl_attribute(table, block))


def _ttl_attribute(table: Resource, block: Block) -> Value[str]:
    """The attribute as it is written: the provider drops it from the plan unless the switch is known to be on."""
    planned = block.text(facts.TTL_ATTRIBUTE, "attribute_name")
    expression = block.expression("attribute_name")
    if expression is None or planned.content is not None or not planned.known:
        return planned
    place = block.place("attribute_name")
    doubt = table.why_unknown(expression, computed=True)
    contents = [one.content for one in table.snapshot.resolver.trace(expression, table.scope)]
    if len(contents) == 1 and isinstance(contents[0], str):
        return facts.TTL_ATTRIBUTE.of(contents[0], place) if contents[0] else planned
    return planned if doubt is None else facts.TTL_ATTRIBUTE.doubted(doubt, place)


def _stream(table: Resource, joins: TableJoins) -> Stream:
    root = table.block
    enabled = root.flag(facts.STREAM_ENABLED, "stream_enabled")
    return Stream(
        enabled=enabled,
        view=root.text(facts.STREAM_VIEW, "stream_view_type"),
        policy=joins.policies.of(table, facts.STREAM_POLICY),
        consumers=joins.consumers.of(table) if enabled.content is not False else (),
    )


def _import_source(root: Block) -> Value[str]:
    block = root.one("import_table")
    if block is None:
        return facts.IMPORT_SOURCE.unset
    if isinstance(block, Doubt):
        return facts.IMPORT_SOURCE.doubted(block, root.place("import_table"))
    bucket = block.one("s3_bucket_source")
    if isinstance(bucket, Block):
        return bucket.text(facts.IMPORT_SOURCE, "bucket")
    return block.text(facts.IMPORT_SOURCE, "input_format")


def _restore_source(root: Block) -> Value[str]:
    keys = ("restore_source_name", "restore_source_table_arn", "restore_backup_arn")
    sources = (root.text(facts.RESTORE_SOURCE, key) for key in keys)
    return next((source for source in sources if source is not facts.RESTORE_SOURCE.unset), facts.RESTORE_SOURCE.unset)


def _consistency(root: Block) -> Value[str]:
    """The consistency mode of the replicas. All must have the same."""
    blocks = root.many("replica")
    if isinstance(blocks, Doubt):
        return facts.CONSISTENCY.doubted(blocks, root.place("replica"))
    modes = [block.text(facts.CONSISTENCY, "consistency_mode") for block in blocks if isinstance(block, Block)]
    strong = [mode for mode in modes if mode.content == "STRONG"]
    return next(iter(strong or [mode for mode in modes if not mode.known] or modes), facts.CONSISTENCY.unset)


def _witness(root: Block) -> Value[str]:
    fact, name = facts.WITNESS_REGION, "global_table_witness"
    block = root.one(name)
    if block is None:
        return fact.unset
    return fact.doubted(block, root.place(name)) if isinstance(block, Doubt) else block.text(fact, "region_name")
