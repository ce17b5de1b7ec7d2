"""Small tables for tests: every fact unset, but for those a test states."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from tablegate.model import facts
from tablegate.model.estate import Estate
from tablegate.model.table import (
    Dialect,
    Encryption,
    Index,
    KeyPart,
    Replica,
    Retention,
    Role,
    ScalingTarget,
    Table,
    TableKind,
    Units,
)
from tablegate.model.value import Doubt, Place, Value

DOUBT = Doubt("known only after apply", "give it a literal")


def key(hash_key: str, range_key: str | None = None) -> tuple[KeyPart, ...]:
    """A key schema of one or two attributes."""
    parts = (KeyPart(attribute=hash_key, role=Role.HASH),)
    return parts if range_key is None else (*parts, KeyPart(attribute=range_key, role=Role.RANGE))


def units(read: int | None = None, write: int | None = None) -> Units:
    """A pair of capacities."""
    return Units(
        read=facts.READ_CAPACITY.unset if read is None else facts.READ_CAPACITY.of(read),
        write=facts.WRITE_CAPACITY.unset if write is None else facts.WRITE_CAPACITY.of(write),
    )


def ceiling(read: int | None = None, write: int | None = None) -> Units:
    """A pair of on-demand maxima."""
    return Units(
        read=facts.MAX_READ.unset if read is None else facts.MAX_READ.of(read),
        write=facts.MAX_WRITE.unset if write is None else facts.MAX_WRITE.of(write),
    )


def index(name: str = "by-status", hash_key: str = "status", range_key: str | None = None, **stated: Any) -> Index:
    """A global index that projects its keys only, unless stated otherwise."""
    base = Index(
        name=facts.INDEX_NAME.of(name),
        place=None,
        local=False,
        keys=facts.KEYS.of(key(hash_key, range_key)),
        projection=facts.PROJECTION.of("KEYS_ONLY"),
        projected=facts.PROJECTED.unset,
        capacity=facts.NO_CAPACITY,
        on_demand=facts.NO_CEILING,
        warm=facts.NO_WARMTH,
        insights=facts.INSIGHTS.unset,
    )
    return replace(base, **stated)


def replica(region: str = "eu-west-1", **stated: Any) -> Replica:
    """A replica that states nothing but its region."""
    base = Replica(
        region=facts.REGION.of(region),
        place=None,
        encryption=facts.AWS_OWNED,
        recovery=facts.NO_RECOVERY,
        deletion_protection=facts.DELETION_PROTECTION.unset,
        table_class=facts.TABLE_CLASS.unset,
        tags=facts.TAGS.unset,
        insights=facts.INSIGHTS.unset,
        policy=facts.POLICY.unset,
        read_capacity=facts.READ_CAPACITY.unset,
        max_read=facts.MAX_READ.unset,
    )
    return replace(base, **stated)


def target(dimension: str = "read", **stated: Any) -> ScalingTarget:
    """A scaling target from 5 to 100 that tracks at 70 percent."""
    base = ScalingTarget(
        address=f"aws_appautoscaling_target.{dimension}",
        place=None,
        dimension=dimension,
        minimum=facts.SCALING_MIN.of(5),
        maximum=facts.SCALING_MAX.of(100),
        tracking=facts.TRACKING.of(True),
        utilisation=facts.UTILISATION.of(70.0),
        scale_in_disabled=facts.SCALE_IN_DISABLED.unset,
        suspended=facts.SUSPENDED.unset,
    )
    return replace(base, **stated)


def table(**stated: Any) -> Table:
    """A regional table with a partition key, in a plan, that states nothing else."""
    base: dict[str, Any] = {
        "address": "aws_dynamodb_table.orders",
        "place": Place("plan.json", path="aws_dynamodb_table.orders"),
        "dialect": Dialect.TERRAFORM_PLAN,
        "type": "aws_dynamodb_table",
        "kind": TableKind.REGIONAL,
        "label": "orders",
        "name": facts.NAME.of("orders-prod"),
        "name_generated": False,
        "name_fixed": False,
        "arn": facts.ARN.unset,
        "region": facts.REGION.of("us-east-1"),
        "account": facts.ACCOUNT.unset,
        "keys": facts.KEYS.of(key("customer_id")),
        "attributes": facts.ATTRIBUTES.of({"customer_id": "S"}),
        "indexes": facts.INDEXES.unset,
        "local_indexes": facts.LOCAL_INDEXES.unset,
        "vector_indexes": facts.VECTOR_INDEXES.unset,
        "billing_mode": facts.BILLING_MODE.unset,
        "capacity": facts.NO_CAPACITY,
        "on_demand": facts.NO_CEILING,
        "warm": facts.NO_WARMTH,
        "scaling": (),
        "scaling_doubt": None,
        "table_class": facts.TABLE_CLASS.unset,
        "insights": facts.INSIGHTS.unset,
        "alarms": (),
        "alarms_doubt": None,
        "encryption": facts.AWS_OWNED,
        "recovery": facts.NO_RECOVERY,
        "deletion_protection": facts.DELETION_PROTECTION.unset,
        "retention": Retention(
            deletion_policy=facts.DELETION_POLICY.unset,
            update_replace_policy=facts.UPDATE_REPLACE_POLICY.unset,
            prevent_destroy=facts.PREVENT_DESTROY.unset,
        ),
        "backed_up": facts.BACKED_UP.unset,
        "import_source": facts.IMPORT_SOURCE.unset,
        "restore_source": facts.RESTORE_SOURCE.unset,
        "ttl": facts.NO_TTL,
        "stream": facts.NO_STREAM,
        "destinations": (),
        "replicas": facts.REPLICAS.unset,
        "consistency": facts.CONSISTENCY.unset,
        "witness_region": facts.WITNESS_REGION.unset,
        "source_table": facts.SOURCE_TABLE.unset,
        "settings_replication": facts.SETTINGS_REPLICATION.unset,
        "tags": facts.TAGS.unset,
        "policy": facts.POLICY.unset,
    }
    base |= stated
    base.setdefault("declared", facts.declared_by(base["tags"]))
    made = Table(**base)
    estate(made)
    return made


def estate(*tables: Table, **stated: Any) -> Estate:
    """An estate of these tables; each of them comes to belong to it."""
    known = {field.name for field in fields(Estate)}
    assert stated.keys() <= known
    base = {"file": "plan.json", "dialect": Dialect.TERRAFORM_PLAN, "tables": tables}
    return Estate(**(base | stated))


def doubted(value: Value[Any]) -> Value[Any]:
    """The same fact, unknown."""
    return Value(value.name, None, facts.NAME.doubted(DOUBT).origin, value.place, DOUBT)


def encrypted(**stated: Any) -> Encryption:
    """An encryption that states some of its facts."""
    return replace(facts.AWS_OWNED, **stated)
