"""Change sets: tables after the execution, the change of each, and values that are not shown."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tablegate.dialects import read
from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.findings import FaultCode
from tablegate.model.estate import Change, ChangeKind, ReplaceOrder
from tablegate.model.table import Table
from tablegate.syntax.source import Source

ARN = "arn:aws:cloudformation:eu-west-1:123456789012:stack/shop/1"
PLAIN = {"TableName": "orders", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": "true"}}


def _change(action: str = "Add", type_: str = "AWS::DynamoDB::Table", **members: Any) -> dict[str, Any]:
    contexts = {key: json.dumps({"Properties": members.pop(key)}) for key in list(members) if key.endswith("Context")}
    held = {"Action": action, "LogicalResourceId": "Orders", "ResourceType": type_, **members, **contexts}
    return {"Type": "Resource", "ResourceChange": held}


def _read(*changes: dict[str, Any], **members: Any) -> Reading:
    content = {"Changes": list(changes), "ChangeSetId": "x", "StackId": ARN, "StackName": "shop", **members}
    return read(Source("set.json", json.dumps(content).encode()), ReadOptions())


def _table(reading: Reading) -> Table:
    assert reading.estate is not None
    (table,) = reading.estate.tables
    return table


def _record(reading: Reading) -> Change:
    assert reading.estate is not None
    (change,) = reading.estate.changes
    return change


def _faults(reading: Reading) -> list[tuple[bool, str]]:
    return [(fault.blocks, fault.message) for fault in reading.faults]


def test_a_table_that_is_added() -> None:
    """Its properties are texts with types; region, account and tags come from the stack."""
    reading = _read(_change(AfterContext=PLAIN), Tags=[{"Key": "env", "Value": "prod"}])
    table, change = _table(reading), _record(reading)
    assert ("orders", True, "eu-west-1", "123456789012") == (
        table.name.content,
        table.recovery.enabled.content,
        table.region.content,
        table.account.content,
    )
    assert {"env": "prod"} == table.tags.content
    assert (ChangeKind.CREATE, None, table) == (change.kind, change.before, change.after)
    assert ("change-set", "shop", 1, []) == (
        reading.input.kind,
        reading.input.detail,
        reading.input.tables,
        _faults(reading),
    )


def test_what_is_made_when_it_is_executed_is_unknown() -> None:
    """A masked value is unknown too, and a text with such a part."""
    key = {"SSEEnabled": "true", "SSEType": "KMS", "KMSMasterKeyId": "{{changeSet:KNOWN_AFTER_APPLY}}"}
    table = _table(_read(_change(AfterContext={"TableName": "****", "SSESpecification": key})))
    assert table.name.doubt is not None
    assert "the change set masks this value" == table.name.doubt.reason
    assert table.encryption.owner.doubt is not None
    assert "known only after the change set is executed" == table.encryption.owner.doubt.reason


@pytest.mark.parametrize(
    ("members", "kind", "retained", "doubted"),
    [
        ({"Replacement": "False"}, ChangeKind.UPDATE, None, False),
        ({"Replacement": "True", "PolicyAction": "ReplaceAndDelete"}, ChangeKind.REPLACE, False, False),
        ({"Replacement": "Conditional", "PolicyAction": "ReplaceAndRetain"}, ChangeKind.REPLACE, True, True),
        ({"Action": "Dynamic"}, ChangeKind.UNKNOWN, None, False),
        ({"Action": "Import", "PhysicalResourceId": "orders"}, ChangeKind.NOOP, None, False),
    ],
)
def test_what_happens_to_a_table(members: Any, kind: ChangeKind, retained: bool | None, doubted: bool) -> None:
    """Action, replacement and policy in the words of the model; before and after are both tables."""
    detail = {"Target": {"Path": "/Properties/TableName", "RequiresRecreation": "Always"}}
    given = {"AfterContext": PLAIN, "BeforeContext": {"TableName": "old"}, "Details": [detail], "action": "Modify"}
    change = _record(_read(_change(members.pop("Action", given.pop("action")), **given, **members)))
    found = change.retained.content if change.retained is not None else None
    assert (kind, retained, doubted) == (change.kind, found, change.doubt is not None)
    assert change.before is not None
    assert "old" == change.before.name.content
    replaced = (("TableName",), ReplaceOrder.CREATE_FIRST) if kind is ChangeKind.REPLACE else ((), None)
    assert replaced == (change.replace_paths, change.order)


def test_a_table_that_goes() -> None:
    """A removed table is not in the estate; its policy decides whether it survives."""
    reading = _read(_change("Remove", PolicyAction="Delete", BeforeContext=PLAIN))
    change = _record(reading)
    assert reading.estate is not None
    assert ((), ChangeKind.DELETE, None) == (reading.estate.tables, change.kind, change.after)
    assert change.before is not None
    assert change.retained is not None
    assert False is change.retained.content


def test_what_stays_as_it_is_may_speak_of_a_table() -> None:
    """Autoscaling and alarms that do not change are not listed, but may exist."""
    reading = _read(_change("Modify", AfterContext=PLAIN, BeforeContext=PLAIN))
    table = _table(reading)
    assert None not in (table.scaling_doubt, table.alarms_doubt, table.backed_up.doubt)
    assert [(False, "a change set shows only changes: unchanged resources are not checked")] == _faults(reading)


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"NextToken": "x"}, "this is only one page of a change set (it has a NextToken)"),
        ({"Status": "FAILED", "StatusReason": "Parameters"}, "the change set failed and cannot be executed"),
        ({"Status": "CREATE_PENDING"}, "the change set is not created yet"),
    ],
)
def test_less_than_the_whole_blocks(members: Any, message: str) -> None:
    """One page of a set, a failed set, and a set that is not created yet."""
    assert [(True, message)] == _faults(_read(_change(AfterContext=PLAIN), **members))


def test_a_set_without_changes_is_empty() -> None:
    """CloudFormation calls that a failure, and it is none."""
    why = "The submitted information didn't contain changes. Submit different information."
    reading = _read(Status="FAILED", StatusReason=why)
    assert (0, []) == (reading.input.tables, _faults(reading))


def test_without_values_there_is_no_table_to_judge() -> None:
    """A fault names the option that shows values; the change itself is known."""
    reading = _read(_change())
    assert [(True, "Orders: the change set does not show the table's properties")] == _faults(reading)
    assert ChangeKind.CREATE is _record(reading).kind


def test_nested_stacks_have_change_sets_of_their_own() -> None:
    """They are named, not passed over."""
    ((blocks, message),) = _faults(_read(_change(type_="AWS::CloudFormation::Stack", AfterContext={})))
    assert (False, "Orders: the changes of a nested stack are in a change set of their own") == (blocks, message)


def test_the_spelling_of_the_console() -> None:
    """The same in camel case, and in YAML."""
    context = json.dumps({"Properties": PLAIN})
    text = (
        "changeSetName: x\nchanges:\n- type: Resource\n  resourceChange:\n    action: Add\n"
        f"    logicalResourceId: Orders\n    resourceType: AWS::DynamoDB::Table\n    afterContext: '{context}'\n"
    )
    assert "orders" == _table(read(Source("set.yaml", text.encode()), ReadOptions())).name.content


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, "Changes must be a list"),
        ([{"ResourceChange": {}}], "a change needs a LogicalResourceId, a ResourceType and an Action"),
        ([_change(type_="X") | {"Type": "Hook"}], None),
    ],
)
def test_shapes(changes: Any, message: str | None) -> None:
    """A document of another shape is refused; hooks are no resources."""
    found = _faults(_read(Changes=changes))
    assert ([] if message is None else [(True, message)]) == found


@pytest.mark.parametrize("actions", [("Add", "Add"), ("Add", "Modify"), ("Remove", "Remove")])
def test_a_resource_has_one_change(actions: tuple[str, str]) -> None:
    """Of two, one would hide the other."""
    (fault,) = _read(*(_change(action, AfterContext=PLAIN) for action in actions)).faults
    assert (fault.blocks, fault.message) == (True, "Orders: it has two changes")


def test_a_resource_may_go_and_come_again() -> None:
    """As another one, of the same name."""
    both = _change("Remove", "AWS::SQS::Queue"), _change("Add", AfterContext=PLAIN)
    assert "orders" == _table(_read(*both)).name.content


def test_a_context_must_be_an_object() -> None:
    """A context that cannot be read makes the whole set untrusted."""
    held = _change()
    held["ResourceChange"]["AfterContext"] = "[]"
    assert [(True, "AfterContext of Orders must hold an object")] == _faults(_read(held))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_change("Remve"), "Orders: Action must be one of Add, Dynamic, Import, Modify, Remove, SyncWithActual"),
        (_change("remove"), "Orders: Action must be one of Add, Dynamic, Import, Modify, Remove, SyncWithActual"),
        (
            _change(type_="AWS::DynamoDB::Tabel"),
            "Orders: ResourceType AWS::DynamoDB::Tabel is no type of DynamoDB that is known",
        ),
        (
            _change("Remove", "aws::dynamodb::table"),
            "Orders: ResourceType aws::dynamodb::table is no type of DynamoDB that is known",
        ),
        (_change("Modify", Replacement="Tru"), "Orders: Replacement must be one of Conditional, False, True"),
        (_change() | {"Type": "Resorce"}, "the Type of a change must be Resource"),
    ],
)
def test_what_no_change_set_says(change: Any, message: str) -> None:
    """A word outside those that CloudFormation uses is refused: what it means would be a guess."""
    (fault,) = _read(change).faults
    assert (fault.code, fault.blocks, fault.message) == (FaultCode.UNREADABLE, True, message)


@pytest.mark.parametrize("type_", ["AWS::DynamoDB::Backup", "AWS::Lambda::Function", "Custom::Thing", "My::Own::Table"])
def test_other_types(type_: str) -> None:
    """A type of another service, or one that is harmless, is none of it."""
    assert not _read(_change(type_=type_)).faults
