"""What nobody wrote is told apart from what nobody knows yet, and both from what has the wrong shape."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.plans import TABLE, change, configured, faults, made, only, resource, tables, told, written
from tablegate.dialects.reading import ReadOptions
from tablegate.dialects.terraform.plan import read
from tablegate.model.table import Table
from tablegate.syntax.json.lazy import Document

LATER = "unknown: known only after apply"
DYNAMIC = "unknown: the contents of a dynamic block are known only after apply"


def table(
    after: dict[str, Any] | None = None,
    *,
    unknown: Any = None,
    expressions: Any = None,
    actions: Any = ("create",),
    **members: Any,
) -> Table:
    """A table with this after the change, and these expressions."""
    configuration = configured(resource({} if expressions is None else expressions), **members)
    return only(
        written(change({**TABLE, **(after or {})}, unknown=unknown, actions=actions), configuration=configuration)
    )


def test_left_out_on_creation() -> None:
    """A computed block that nobody wrote is unknown to Terraform, and to us what the service does by default."""
    found = tables(made("dynamic-blocks"))["aws_dynamodb_table.unwritten"]
    assert (told(found.recovery.enabled), found.recovery.enabled.content) == (..., False)
    assert (told(found.ttl.enabled), told(found.encryption.owner)) == (..., ...)
    assert (told(found.capacity.read), told(found.stream.view)) == (..., ...)


def test_made_by_dynamic_blocks() -> None:
    """What dynamic blocks came to is known; what they left out is left out."""
    found = tables(made("dynamic-blocks"))["aws_dynamodb_table.known"]
    assert (told(found.recovery.enabled), told(found.recovery.days), told(found.ttl.enabled)) == (True, ..., ...)


def test_beside_dynamic_blocks() -> None:
    """Where one block is certainly still to come, its neighbours may be too."""
    found = tables(made("dynamic-blocks"))["aws_dynamodb_table.later"]
    assert told(found.recovery.enabled) == f"{LATER}: terraform_data.later.output"
    assert told(found.ttl.enabled) == DYNAMIC
    assert told(found.replicas) == DYNAMIC
    assert told(found.encryption.owner) == DYNAMIC


@pytest.mark.parametrize("block", ["point_in_time_recovery", "ttl", "server_side_encryption"])
@pytest.mark.parametrize(
    ("actions", "left_out"), [(["create"], True), (["delete", "create"], True), (["update"], False)]
)
def test_computed_block(block: str, actions: list[str], left_out: bool) -> None:
    """On an update the provider keeps what there is: only a dynamic block can be unknown there."""
    found = table(unknown={block: True}, actions=actions)
    values = {
        "point_in_time_recovery": found.recovery.enabled,
        "ttl": found.ttl.enabled,
        "server_side_encryption": found.encryption.owner,
    }
    assert told(values[block]) == (... if left_out else DYNAMIC)


def test_index_of_old_and_new_providers() -> None:
    """Only a provider that gives tables a region computes the indexes that nobody wrote."""
    assert told(table(unknown={"global_secondary_index": True}).indexes) == DYNAMIC
    assert told(table({"region": "eu-west-1"}, unknown={"global_secondary_index": True}).indexes) is ...


def test_never_computed() -> None:
    """A member that has no computed value is unknown when it is unknown, whatever the configuration shows."""
    unknown = {"point_in_time_recovery": [{"enabled": True}]}
    assert told(table({"point_in_time_recovery": [{}]}, unknown=unknown).recovery.enabled) == LATER
    assert (
        told(
            table(
                {"deletion_protection_enabled": None}, unknown={"deletion_protection_enabled": True}
            ).deletion_protection
        )
        == LATER
    )


@pytest.mark.parametrize(("default", "found"), [(None, ...), ("arn:aws:kms:eu-west-1:123456789012:key/k", ...)])
def test_all_inputs_known(default: str | None, found: object) -> None:
    """A computed member that is unknown although all it reads is known was given null."""
    expressions = {"stream_view_type": {"references": ["var.view"]}}
    shown = table(unknown={"stream_view_type": True}, expressions=expressions, variables={"view": {"default": default}})
    assert told(shown.stream.view) is found


def test_reason_names_what_is_awaited() -> None:
    """The reason names what is read, in full, and no more than three of them."""
    expressions = {"name": {"references": ["local.a", "local.b", "local.c", "local.d"]}}
    found = table({"name": None}, unknown={"name": True}, expressions=expressions)
    assert told(found.name) == f"{LATER}: local.a, local.b, local.c and 1 more, which is not in the plan"
    assert found.name.doubt is not None
    assert found.name.doubt.refs == ("local.a", "local.b", "local.c", "local.d")


def test_default_of_the_provider() -> None:
    """A default that the provider fills in is nobody's word; the same value written is somebody's."""
    assert told(table({"billing_mode": "PROVISIONED"}).billing_mode) is ...
    expressions = {"billing_mode": {"constant_value": "PROVISIONED"}}
    assert told(table({"billing_mode": "PROVISIONED"}, expressions=expressions).billing_mode) == "PROVISIONED"


@pytest.mark.parametrize(
    ("after", "fact"),
    [
        ({"point_in_time_recovery": None}, lambda it: it.recovery.enabled),
        ({"point_in_time_recovery": []}, lambda it: it.recovery.enabled),
        ({"point_in_time_recovery": [{}]}, lambda it: it.recovery.enabled),
        ({"point_in_time_recovery": [{"enabled": None}]}, lambda it: it.recovery.enabled),
        ({"point_in_time_recovery": [{"enabled": True, "recovery_period_in_days": 0}]}, lambda it: it.recovery.days),
        ({"ttl": [{"attribute_name": "", "enabled": False}]}, lambda it: it.ttl.attribute),
        ({"table_class": None}, lambda it: it.table_class),
        ({"deletion_protection_enabled": None}, lambda it: it.deletion_protection),
        ({"stream_view_type": ""}, lambda it: it.stream.view),
        ({"tags": {}, "tags_all": {}}, lambda it: it.declared.purpose),
        ({"read_capacity": 0}, lambda it: it.capacity.read),
        ({"on_demand_throughput": [{"max_read_request_units": 0}]}, lambda it: it.on_demand.read),
        ({"import_table": []}, lambda it: it.import_source),
        ({"restore_source_name": ""}, lambda it: it.restore_source),
        ({"global_secondary_index": []}, lambda it: it.indexes),
        ({"replica": []}, lambda it: it.replicas),
        ({"attribute": []}, lambda it: it.attributes),
    ],
)
def test_ways_to_say_nothing(after: dict[str, Any], fact: Any) -> None:
    """Null, empty and zero say nothing where Terraform uses them so."""
    assert told(fact(table(after))) is ...


def test_what_is_left_of_provisioned_units() -> None:
    """On demand, units that nobody writes are what is left of another time."""
    after = {"read_capacity": 5, "write_capacity": 7}
    assert told(table(after).capacity.read) is ...
    written_out = {"read_capacity": {"constant_value": 5}}
    assert told(table(after, expressions=written_out).capacity.read) == 5
    assert told(table({**after, "billing_mode": "PROVISIONED"}).capacity.write) == 7
    assert told(table({"read_capacity": 0, "billing_mode": "PROVISIONED"}).capacity.read) == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([None], "point_in_time_recovery[0] must be a block, not null"),
        ({"enabled": True}, "point_in_time_recovery must be a list of blocks, not an object"),
        ([{"enabled": "false"}], "point_in_time_recovery[0].enabled must be true or false, not a text"),
        ([{"enabled": "true"}], "point_in_time_recovery[0].enabled must be true or false, not a text"),
        ([{"enabled": 1}], "point_in_time_recovery[0].enabled must be true or false, not a number"),
        ([{"enabled": False}, {"enabled": True}], "point_in_time_recovery must be at most one block, not 2"),
        ([[{"enabled": True}]], "point_in_time_recovery[0] must be a block, not a list"),
        ([{"enabled": [True]}], "point_in_time_recovery[0].enabled must be true or false, not a list"),
        ([{"enabled": {"a": True}}], "point_in_time_recovery[0].enabled must be true or false, not an object"),
        ("enabled", "point_in_time_recovery must be a list of blocks, not a text"),
    ],
)
def test_wrong_shape(content: object, message: str) -> None:
    """Only true itself, in the shape that Terraform gives it, counts; anything else is refused and unknown."""
    reading = written(change({**TABLE, "point_in_time_recovery": content}))
    assert faults(reading) == [("TG001", True, f"aws_dynamodb_table.t: {message}")]
    path = reading.faults[0].place.path or ""
    assert path.startswith("resource_changes[0].change.after.point_in_time_recovery")
    assert only(reading).recovery.enabled.is_true.truth is None


@pytest.mark.parametrize(
    ("after", "fact"),
    [
        ({"name": 1}, lambda it: it.name),
        ({"read_capacity": "5", "billing_mode": "PROVISIONED"}, lambda it: it.capacity.read),
        ({"read_capacity": True, "billing_mode": "PROVISIONED"}, lambda it: it.capacity.read),
        ({"tags_all": []}, lambda it: it.tags),
        ({"tags": []}, lambda it: it.tags),
        ({"attribute": {}}, lambda it: it.attributes),
        ({"attribute": [None]}, lambda it: it.attributes),
        ({"attribute": [{"name": 1, "type": "S"}]}, lambda it: it.attributes),
        ({"global_secondary_index": {}}, lambda it: it.indexes),
        ({"global_secondary_index": [None]}, lambda it: it.indexes),
        ({"local_secondary_index": "x"}, lambda it: it.local_indexes),
        ({"local_secondary_index": [None]}, lambda it: it.local_indexes),
        ({"replica": 1}, lambda it: it.replicas),
        ({"replica": [None]}, lambda it: it.replicas),
        ({"ttl": {}}, lambda it: it.ttl.enabled),
        ({"server_side_encryption": {}}, lambda it: it.encryption.owner),
        ({"on_demand_throughput": {}}, lambda it: it.on_demand.read),
        ({"warm_throughput": {}}, lambda it: it.warm.read),
        ({"import_table": {}}, lambda it: it.import_source),
        ({"global_table_witness": {}}, lambda it: it.witness_region),
        ({"stream_enabled": "yes"}, lambda it: it.stream.enabled),
        ({"hash_key": []}, lambda it: it.keys),
        ({"arn": 1}, lambda it: it.arn),
    ],
)
def test_wrong_shapes_elsewhere(after: dict[str, Any], fact: Any) -> None:
    """Wherever a shape is wrong, the fact is not known, and the input is refused."""
    reading = written(change({**TABLE, **after}))
    assert not fact(only(reading)).known
    if "arn" not in after:
        assert [fault.blocks for fault in reading.faults] == [True]


@pytest.mark.parametrize("block", ["global_secondary_index", "local_secondary_index"])
def test_index_in_doubt(block: str) -> None:
    """An index that only the apply knows, whole or in its keys, is not known."""
    found = table({block: [None]}, unknown={block: [True]})
    assert not (found.indexes if block.startswith("global") else found.local_indexes).known
    index = {"name": "i", "projection_type": "ALL"}
    key = "hash_key" if block.startswith("global") else "range_key"
    expressions = {block: [{key: {"references": ["local.k"]}}]}
    found = table({block: [index]}, unknown={block: [{key: True, "non_key_attributes": True}]}, expressions=expressions)
    (one,) = (found.indexes if block.startswith("global") else found.local_indexes).content or ()
    assert told(one.keys) == f"{LATER}: local.k, which is not in the plan"
    assert told(one.projected) == LATER


def test_partly_known_lists() -> None:
    """A list with one unknown item is not known as a whole."""
    index = {"name": "i", "hash_key": "a", "projection_type": "INCLUDE", "non_key_attributes": ["a", None]}
    unknown = {"global_secondary_index": [{"non_key_attributes": [False, True]}]}
    (one,) = table({"global_secondary_index": [index]}, unknown=unknown).indexes.content or ()
    assert not one.projected.known
    bad = {**index, "non_key_attributes": "a"}
    (one,) = table({"global_secondary_index": [bad]}).indexes.content or ()
    assert not one.projected.known


def test_attributes_in_doubt() -> None:
    """An attribute whose name only the apply knows leaves the definitions unknown."""
    found = table({"attribute": [{"type": "S"}]}, unknown={"attribute": [{"name": True}]})
    assert told(found.attributes) == LATER
    assert not table({"attribute": [None]}, unknown={"attribute": [True]}).attributes.known


def test_keys_in_doubt() -> None:
    """A local index whose table's keys are not known has unknown keys."""
    expressions = {"hash_key": {"references": ["local.k"]}}
    index = {"name": "l", "range_key": "at", "projection_type": "ALL"}
    found = table(
        {"hash_key": None, "local_secondary_index": [index]}, unknown={"hash_key": True}, expressions=expressions
    )
    (local,) = found.local_indexes.content or ()
    assert not found.keys.known
    assert not local.keys.known
    assert told(table({"hash_key": None}).keys) is ...


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        (None, ...),
        ({"constant_value": "expires"}, "expires"),
        ({"constant_value": ""}, ...),
        ({"references": ["var.ttl"]}, "from-var"),
        ({"references": ["var.none"]}, ...),
        ({"references": ["local.ttl"]}, f"{LATER}: local.ttl, which is not in the plan"),
    ],
)
def test_expiry_attribute_that_was_dropped(expression: Any, found: object) -> None:
    """The provider drops the attribute while the switch is not on; what was written counts."""
    block = {"enabled": {"constant_value": False}, **({} if expression is None else {"attribute_name": expression})}
    reading = written(
        change({**TABLE, "ttl": [{"enabled": False, "attribute_name": ""}]}),
        configuration=configured(resource({"ttl": [block]})),
        variables={"ttl": {"value": "from-var"}, "none": {"value": None}},
    )
    assert told(only(reading).ttl.attribute) == found


def test_keys_of_newer_providers() -> None:
    """Keys of several parts come in a list of their own."""
    schema = [{"attribute_name": "a", "key_type": "HASH"}, {"attribute_name": "b", "key_type": "RANGE"}]
    index = {"name": "i", "projection_type": "ALL", "key_schema": schema}
    (one,) = table({"global_secondary_index": [index]}).indexes.content or ()
    assert [part.attribute for part in one.keys.content or ()] == ["a", "b"]
    for wrong in ([{"attribute_name": "a", "key_type": "BOTH"}], [None], {"a": 1}, [{"key_type": "HASH"}]):
        (one,) = table({"global_secondary_index": [{**index, "key_schema": wrong}]}).indexes.content or ()
        assert not one.keys.known
    later = table(
        {"global_secondary_index": [{**index, "key_schema": [{"key_type": "HASH"}]}]},
        unknown={"global_secondary_index": [{"key_schema": [{"attribute_name": True}]}]},
    )
    (one,) = later.indexes.content or ()
    assert told(one.keys) == LATER


def test_blocks_are_matched_by_name() -> None:
    """Sets have no order: which block of the source became which is told by name."""
    schema = [
        {"name": {"constant_value": "z"}, "read_capacity": {"references": ["local.z"]}},
        {"name": {"constant_value": "a"}},
    ]
    indexes = [{"name": "a", "hash_key": "a"}, {"name": "z", "hash_key": "z"}]
    unknown = {"global_secondary_index": [{"read_capacity": True}, {"read_capacity": True}]}
    found = table(
        {"global_secondary_index": indexes, "billing_mode": "PROVISIONED"},
        unknown=unknown,
        expressions={"global_secondary_index": schema},
    )
    a, z = found.indexes.content or ()
    assert (told(a.capacity.read), told(z.capacity.read)) == (..., f"{LATER}: local.z, which is not in the plan")


def test_replicas() -> None:
    """Each replica has its own protections, and the table's where the provider gives it those."""
    replicas = [
        {"region_name": "us-east-1", "point_in_time_recovery": True, "propagate_tags": True},
        {"region_name": "ap-south-1", "point_in_time_recovery": False, "consistency_mode": "STRONG"},
    ]
    found = table({"replica": replicas, "tags_all": {"a": "b"}, "table_class": "STANDARD_INFREQUENT_ACCESS"})
    south, east = found.replicas.content or ()
    assert (told(south.region), told(east.region), found.kind.value) == ("ap-south-1", "us-east-1", "global")
    assert (told(south.recovery.enabled), told(east.recovery.enabled)) == (False, True)
    assert (told(south.tags), told(east.tags)) == (..., {"a": "b"})
    assert told(east.table_class) == "STANDARD_INFREQUENT_ACCESS"
    assert told(found.consistency) == "STRONG"
    assert east.place is not None
    assert east.place.path == "replica[0]"


def test_replica_in_doubt() -> None:
    """What a replica's block leaves for later is not known."""
    found = table(
        {"replica": [{"region_name": "us-east-1"}]},
        unknown={"replica": [{"propagate_tags": True, "consistency_mode": True, "point_in_time_recovery": True}]},
    )
    (replica,) = found.replicas.content or ()
    assert (told(replica.tags), told(replica.recovery.enabled), told(found.consistency)) == (LATER, LATER, LATER)


@pytest.mark.parametrize(
    ("sse", "key", "owner"),
    [
        ([], None, ...),
        ([{"enabled": True}], None, "aws-managed"),
        ([{"enabled": True}], "arn:aws:kms:us-east-1:123456789012:key/k", "customer"),
        ([], "arn:aws:kms:us-east-1:123456789012:key/k", "customer"),
    ],
)
def test_keys_of_replicas(sse: Any, key: str | None, owner: object) -> None:
    """Without a key of its own a replica is encrypted as the service does it for such a table."""
    block = {"region_name": {"constant_value": "us-east-1"}}
    if key is not None:
        block["kms_key_arn"] = {"constant_value": key}
    found = table(
        {"server_side_encryption": sse, "replica": [{"region_name": "us-east-1", "kms_key_arn": key}]},
        expressions={"server_side_encryption": [{"enabled": {"constant_value": True}}], "replica": [block]},
    )
    (replica,) = found.replicas.content or ()
    assert told(replica.encryption.owner) == owner


def test_key_of_a_replica_in_doubt() -> None:
    """A replica without a key of its own is as doubtful as its table's switch."""
    found = table(
        {"server_side_encryption": [{}], "replica": [{"region_name": "us-east-1"}]},
        unknown={"server_side_encryption": [{"enabled": True}]},
        expressions={"replica": [{"region_name": {"constant_value": "us-east-1"}}]},
    )
    (replica,) = found.replicas.content or ()
    assert not replica.encryption.owner.known


def test_births() -> None:
    """A table born from a bucket or from another table says so."""
    bucket = [{"input_format": "CSV", "s3_bucket_source": [{"bucket": "exports"}]}]
    assert told(table({"import_table": bucket}).import_source) == "exports"
    assert told(table({"import_table": [{"input_format": "CSV"}]}).import_source) == "CSV"
    assert told(table({"restore_source_name": "old"}).restore_source) == "old"
    arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/old"
    assert told(table({"restore_source_table_arn": arn}).restore_source) == arn


def test_newest_features() -> None:
    """What only newer providers know is read where it is there."""
    after = {
        "region": "eu-west-3",
        "warm_throughput": [{"read_units_per_second": 12000, "write_units_per_second": 4000}],
        "global_table_witness": [{"region_name": "eu-west-1"}],
    }
    found = table(after)
    assert (told(found.warm.read), told(found.warm.write)) == (12000, 4000)
    assert (told(found.witness_region), told(found.region)) == ("eu-west-1", "eu-west-3")


def test_prevent_destroy() -> None:
    """A plan does not hold prevent_destroy, and says so with what would tell."""
    doubt = table().retention.prevent_destroy.doubt
    assert doubt is not None
    assert "not in plan JSON" in doubt.reason
    assert "source" in (doubt.settle or "")


INDEXED = Path(__file__).parents[3] / "fixtures" / "provider6" / "gsi-dynamic-unknown-count" / "plan.json"


@pytest.mark.parametrize(
    ("attributes", "more", "known"),
    [
        (["account_id"], {}, True),
        (["account_id", "shop"], {}, False),
        (["account_id", "shop"], {"range_key": "shop"}, True),
        (["account_id", "shop"], {"local_secondary_index": [{"name": "l", "range_key": "shop"}]}, True),
        (["account_id", "shop", "day"], {"local_secondary_index": [{"name": "l", "range_key": "shop"}]}, False),
        (["account_id", "shop"], {"hash_key": None}, True),
    ],
)
def test_attributes_of_an_index_that_the_plan_hides(attributes: list[str], more: dict[str, Any], known: bool) -> None:
    """A table may define what no key uses only for an index of a dynamic block, which provider 6 hides."""
    plan = json.loads(INDEXED.read_text())
    del plan["planned_values"]
    (changed,) = (one["change"] for one in plan["resource_changes"] if one["type"] == "aws_dynamodb_table")
    changed["after"] |= {"attribute": [{"name": name, "type": "S"} for name in attributes], **more}
    changed["after_unknown"] |= {"hash_key": more.get("hash_key", "") is None}
    found = only(read(Document(json.dumps(plan)), "plan.json", ReadOptions())).indexes
    assert found.known is known
    assert known or (found.doubt is not None and "source" in (found.doubt.settle or ""))
