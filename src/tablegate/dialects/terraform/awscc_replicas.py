"""A Cloud Control global table: which of its regions is the table, and the scaling that it keeps in itself."""

from __future__ import annotations

from collections.abc import Sequence

from tablegate.dialects.terraform import awscc_parts as parts
from tablegate.dialects.terraform.block import MISSHAPEN, Block
from tablegate.dialects.terraform.kms import Keys
from tablegate.dialects.terraform.resources import Resource
from tablegate.model import facts
from tablegate.model.table import Encryption, Replica, ScalingTarget
from tablegate.model.value import Doubt, Value

_READS = ("read_provisioned_throughput_settings", "read_capacity_auto_scaling_settings")
_WRITES = ("write_provisioned_throughput_settings", "write_capacity_auto_scaling_settings")
_TRACKING = "target_tracking_scaling_policy_configuration"
_READ_CEILING = "read_on_demand_throughput_settings"


def home_and_others(table: Resource, region: str | None) -> tuple[Block | Doubt, Sequence[Block]]:
    """The entry that is the table, in its own region or else the first, and the replicas."""
    found = table.block.many("replicas")
    if isinstance(found, Doubt):
        return found, ()
    blocks = [one for one in found if isinstance(one, Block)]
    if not blocks:
        return next((one for one in found if isinstance(one, Doubt)), MISSHAPEN), ()
    home = next((one for one in blocks if one.content.get("region") == region), blocks[0])
    return home, [one for one in blocks if one is not home]


def read_capacity(block: Block) -> Value[int]:
    """The fixed read capacity of a region."""
    return parts.number(facts.READ_CAPACITY, block, _READS[0], "read_capacity_units")


def max_read(block: Block) -> Value[int]:
    """The most that on-demand reads of a region may use."""
    return parts.number(facts.MAX_READ, block, _READ_CEILING, "max_read_request_units", (-1, 0))


def encryption_of(table: Resource, block: Block, keys: Keys) -> Encryption:
    """The table turns encryption on, each region names its key."""
    whole = keys.of_block(table, "sse_specification", "sse_enabled", "kms_master_key_id")
    own = block.one("sse_specification")
    if whole.owner.content is None or whole is facts.AWS_OWNED or not isinstance(own, Block):
        return whole
    return keys.of_key(table, own, "kms_master_key_id")


def read_replica(table: Resource, block: Block, keys: Keys) -> Replica:
    """One region's copy."""
    return Replica(
        region=block.text(facts.REGION, "region"),
        place=block.place(),
        encryption=encryption_of(table, block, keys),
        recovery=parts.recovery(block),
        deletion_protection=block.flag(facts.DELETION_PROTECTION, "deletion_protection_enabled"),
        table_class=block.text(facts.TABLE_CLASS, "table_class"),
        tags=parts.tags(block),
        insights=parts.insights(block),
        policy=parts.policy(facts.POLICY, block),
        read_capacity=read_capacity(block),
        max_read=max_read(block),
        destinations=parts.destination(block),
    )


def scaling(table: Resource, home: Block, others: Sequence[Block]) -> tuple[ScalingTarget, ...]:
    """The scaling in the table's own settings: writes for all regions, reads for each."""
    found = [
        _target(table, table.block, _WRITES, "write", None),
        _target(table, home, _READS, "read", None),
        *(_target(table, one, _READS, "read", str(one.content.get("region"))) for one in others),
    ]
    return tuple(one for one in found if one is not None)


def _target(
    table: Resource, holder: Block, path: tuple[str, str], dimension: str, region: str | None
) -> ScalingTarget | None:
    outer = holder.one(path[0])
    inner = outer.one(path[1]) if isinstance(outer, Block) else None
    if not isinstance(inner, Block):
        return None
    tracking = inner.one(_TRACKING)
    given = tracking if isinstance(tracking, Block) else None
    return ScalingTarget(
        address=table.address,
        place=inner.place(),
        dimension=dimension,
        region=region,
        minimum=inner.number(facts.SCALING_MIN, "min_capacity"),
        maximum=inner.number(facts.SCALING_MAX, "max_capacity"),
        tracking=facts.TRACKING.unset if given is None else facts.TRACKING.of(True, inner.place(_TRACKING)),
        utilisation=facts.UTILISATION.unset if given is None else given.decimal(facts.UTILISATION, "target_value"),
        scale_in_disabled=facts.SCALE_IN_DISABLED.unset
        if given is None
        else given.flag(facts.SCALE_IN_DISABLED, "disable_scale_in"),
        suspended=facts.SUSPENDED.unset,
    )
