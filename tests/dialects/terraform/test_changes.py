"""What a plan does to each table, and how the table was before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.plans import TABLE, change, changes, faults, made, tables, told, written
from tablegate.dialects.reading import ReadOptions
from tablegate.dialects.terraform.plan import read
from tablegate.model.estate import Change, ChangeKind, ReplaceOrder
from tablegate.syntax.json.lazy import Document


def test_every_kind() -> None:
    """One plan with everything in it."""
    found = changes(made("update-replace-forget-import-move-drift"))
    kinds = {address: one.kind.value for address, one in found.items()}
    assert kinds == {
        "aws_dynamodb_table.bare": "replace",
        "aws_dynamodb_table.cnt[0]": "update",
        "aws_dynamodb_table.cnt[1]": "delete",
        "aws_dynamodb_table.forgetme": "forget",
        "aws_dynamodb_table.full": "update",
        "aws_dynamodb_table.gone": "delete",
        "aws_dynamodb_table.imported": "update",
        "aws_dynamodb_table.newname": "no-op",
    }
    bare = found["aws_dynamodb_table.bare"]
    assert (bare.order, bare.replace_paths) == (ReplaceOrder.DELETE_FIRST, ("hash_key",))
    assert found["aws_dynamodb_table.imported"].importing == "imported"
    assert found["aws_dynamodb_table.newname"].previous_address == "aws_dynamodb_table.oldname"
    assert found["aws_dynamodb_table.cnt[1]"].reason == "delete_because_count_index"


def test_what_goes_is_no_table() -> None:
    """Tables that are deleted or forgotten are in the changes only."""
    reading = made("update-replace-forget-import-move-drift")
    gone = {address for address, one in changes(reading).items() if one.after is None}
    assert gone == {"aws_dynamodb_table.cnt[1]", "aws_dynamodb_table.forgetme", "aws_dynamodb_table.gone"}
    assert gone.isdisjoint(tables(reading))


def test_before_and_after() -> None:
    """Both sides are whole tables; what the code no longer says stays as it was."""
    full = changes(made("update-replace-forget-import-move-drift"))["aws_dynamodb_table.full"]
    assert full.before is not None
    assert full.after is not None
    assert full.before is full.before
    assert full.after.change is full
    names = [told(index.projection) for index in full.before.indexes.content or ()]
    assert names == ["INCLUDE", "ALL"]
    assert [told(index.projection) for index in full.after.indexes.content or ()] == ["ALL", "ALL"]
    assert (told(full.before.stream.view), told(full.after.stream.view)) == ("NEW_IMAGE", "NEW_AND_OLD_IMAGES")
    assert full.before.change is None


def test_deposed_and_tainted() -> None:
    """What is left over of a replacement is a change of its own; a tainted table is replaced."""
    found = changes(made("tainted-deposed-dynamic-unknown"))
    left = found["aws_dynamodb_table.forgetme 0a1b2c3d"]
    assert (left.kind, left.after, left.before is None) == (ChangeKind.DELETE, None, False)
    gone = found["aws_dynamodb_table.gone"]
    assert (gone.kind, gone.reason, gone.replace_paths) == (ChangeKind.REPLACE, "replace_because_tainted", ())


def test_unchanged_tables_are_judged() -> None:
    """A plan without changes has tables all the same."""
    assert len(tables(made("noop"))) == 7


def one(**members: Any) -> Change:
    """The change of one table."""
    reading = written(change(members.pop("after", TABLE), before=members.pop("before", TABLE), **members))
    (found,) = changes(reading).values()
    return found


@pytest.mark.parametrize(
    ("actions", "kind", "order"),
    [
        (["no-op"], "no-op", None),
        (["read"], "read", None),
        (["delete", "create"], "replace", ReplaceOrder.DELETE_FIRST),
        (["create", "delete"], "replace", ReplaceOrder.CREATE_FIRST),
        (["create", "forget"], "replace", ReplaceOrder.CREATE_THEN_FORGET),
        (["forget", "create"], "replace", ReplaceOrder.FORGET_THEN_CREATE),
        (["frobnicate"], "unknown", None),
        ([], "unknown", None),
        (None, "unknown", None),
    ],
)
def test_kinds(actions: object, kind: str, order: ReplaceOrder | None) -> None:
    """Kinds are told by what is among the actions, so that new ones around them do no harm."""
    found = one(actions=actions)
    assert (found.kind.value, found.order, found.after is None) == (kind, order, False)


@pytest.mark.parametrize(
    ("actions", "retained"),
    [
        (["forget", "create"], True),
        (["create", "forget"], True),
        (["forget"], True),
        (["delete"], None),
        (["delete", "create"], None),
        (["update"], None),
    ],
)
def test_object_that_is_kept(actions: list[str], retained: bool | None) -> None:
    """Forgotten objects stay: with ``destroy = false``, those that are replaced as well."""
    found = one(actions=actions, before=TABLE)
    assert (None if found.retained is None else found.retained.content) == retained


@pytest.mark.parametrize(("actions", "kind"), [(["delete"], "delete"), (["forget"], "forget")])
def test_deposed_object(actions: list[str], kind: str) -> None:
    """The rest of an object that was replaced is deleted, or kept."""
    found = one(actions=actions, before=TABLE, deposed="abcd1234")
    assert (found.kind.value, found.deposed) == (kind, "abcd1234")


def test_kept_and_replaced() -> None:
    """A plan that a new Terraform made: the old table stays, and is no longer managed."""
    path = Path(__file__).parents[3] / "fixtures" / "provider6" / "kept-and-replaced" / "plan.json"
    (found,) = changes(read(Document(path.read_text()), "plan.json", ReadOptions())).values()
    assert (found.kind.value, found.order) == ("replace", ReplaceOrder.FORGET_THEN_CREATE)
    assert found.retained is not None
    assert (found.retained.content, found.replace_paths) == (True, ("hash_key",))


@pytest.mark.parametrize("type_", ["aws_dynamodb_table", "aws_iam_role_policy", "aws_dynamodb_new_thing"])
def test_mode_that_nobody_knows(type_: str) -> None:
    """What is neither managed nor data may be either."""
    reading = written(change(TABLE), change({}, type=type_, name="x", mode="manage"))
    assert faults(reading) == [("TG001", True, f"{type_}.x: mode must be one of data, managed")]


def test_actions_of_a_resource_beside_a_table() -> None:
    """An unknown action is said of whatever is read."""
    reading = written(change(TABLE), change({}, type="aws_appautoscaling_target", actions=["delet"]))
    assert faults(reading) == [("TG001", True, "aws_appautoscaling_target.t: unknown actions (delet)")]


@pytest.mark.parametrize(("actions", "shown"), [(["frobnicate"], "frobnicate"), ([], "none")])
def test_actions_that_nobody_knows(actions: list[str], shown: str) -> None:
    """An unknown action is said, and its table judged."""
    reading = written(change(TABLE, actions=actions))
    assert faults(reading) == [("TG001", True, f"aws_dynamodb_table.t: unknown actions ({shown})")]
    assert len(tables(reading)) == 1


def test_replace_paths() -> None:
    """Paths are written as places are."""
    given = change(TABLE, before=TABLE, actions=["delete", "create"])
    given["change"]["replace_paths"] = [["hash_key"], ["replica", 0, "kms_key_arn"], "name"]
    (found,) = changes(written(given)).values()
    assert found.replace_paths == ("hash_key", "replica[0].kms_key_arn", "name")


@pytest.mark.parametrize(
    ("importing", "shown"),
    [
        ({"id": "orders"}, "orders"),
        ({"identity": {"name": "orders", "account_id": "123456789012"}}, "account_id=123456789012, name=orders"),
        ({"unknown": True}, "known only after apply"),
        (None, None),
    ],
)
def test_importing(importing: object, shown: str | None) -> None:
    """An import is told by its id, or by its identity."""
    given = change(TABLE, before=TABLE, actions=["no-op"])
    given["change"]["importing"] = importing
    (found,) = changes(written(given)).values()
    assert found.importing == shown


def test_data_sources_are_no_tables() -> None:
    """A table that is only looked up is somebody else's."""
    data = {**change(TABLE, actions=["read"]), "mode": "data", "address": "data.aws_dynamodb_table.t"}
    reading = written(data)
    assert (tables(reading), changes(reading), reading.input.resources) == ({}, {}, 0)


def test_joins_before() -> None:
    """Before the change, other resources say what they said then."""
    table = {**TABLE, "arn": "arn:aws:dynamodb:eu-west-1:123456789012:table/orders-prod"}
    insights = {"table_name": "orders-prod"}
    reading = written(
        change(table, before=table, actions=["no-op"]),
        change(None, before=insights, actions=["delete"], type="aws_dynamodb_contributor_insights", name="i"),
    )
    (found,) = changes(reading).values()
    assert found.before is not None
    assert found.after is not None
    assert (told(found.before.insights), told(found.after.insights)) == (True, ...)


STATE = {
    "address": "aws_dynamodb_table.t",
    "mode": "managed",
    "type": "aws_dynamodb_table",
    "name": "t",
    "values": TABLE,
}
PASSES_OVER = "a partial plan (-target or -exclude): it passes over resources that exist"


def state(*resources: dict[str, Any], **members: Any) -> dict[str, Any]:
    """A prior state with these resources in its root module."""
    return {"values": {"root_module": {"resources": list(resources), **members}}}


def test_plan_that_passes_over_what_exists() -> None:
    """OpenTofu does not say that a plan is partial, but its state has what no change names; that is read from there."""
    queue = {**STATE, "address": "aws_sqs_queue.q", "type": "aws_sqs_queue", "name": "q", "values": {}}
    other = change(TABLE, name="other")
    for one in (state(STATE), state(queue), state(child_modules=[{"address": "module.m", "resources": [STATE]}])):
        assert faults(written(other, prior_state=one)) == [("TG002", True, PASSES_OVER)]
    assert set(tables(written(other, prior_state=state(STATE)))) == {"aws_dynamodb_table.t", "aws_dynamodb_table.other"}
    accepted = written(other, prior_state=state(STATE), options=ReadOptions(allow_partial=True))
    assert faults(accepted) == [("TG002", False, PASSES_OVER)]


def test_plan_that_names_all_that_exists() -> None:
    """Nothing is said of data sources, of what moved, or of a plan that says that it is complete."""
    data = {**STATE, "mode": "data", "address": "data.aws_dynamodb_table.t"}
    moved = change(TABLE, name="new", previous_address="aws_dynamodb_table.t", actions=["no-op"])
    assert faults(written(change(TABLE), prior_state=state(STATE, data))) == []
    assert faults(written(moved, prior_state=state(STATE))) == []
    assert faults(written(change(TABLE, name="other"), prior_state=state(STATE), complete=True)) == []


@pytest.mark.parametrize(("registry", "tool"), [("opentofu", "OpenTofu"), ("terraform", "Terraform")])
def test_tool(registry: str, tool: str) -> None:
    """Which tool made the plan shows in where its providers are from."""
    source = f"registry.{registry}.org/hashicorp/aws"
    assert written(change(TABLE, provider_name=source)).input.detail == f"{tool} 1.11.4"
    configuration = {"provider_config": {"aws": {"name": "aws", "full_name": source}}, "root_module": {}}
    assert written(change(TABLE), configuration=configuration).input.detail == f"{tool} 1.11.4"
