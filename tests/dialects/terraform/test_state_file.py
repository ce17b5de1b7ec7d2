"""States: judged as they are, shown by Terraform or as its file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tablegate.dialects import read
from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.model.value import Origin
from tablegate.syntax.source import Source

FIXTURES = Path(__file__).parents[3] / "fixtures"
STATES = FIXTURES / "states"
ACCESS = FIXTURES / "access" / "plans"


def _read(content: Any) -> Reading:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    return read(Source("state.json", data), ReadOptions())


def _file(*instances: dict[str, Any], **members: Any) -> dict[str, Any]:
    table = {"mode": "managed", "type": "aws_dynamodb_table", "name": "t", "instances": list(instances), **members}
    return {"version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "x", "resources": [table]}


def _addresses(reading: Reading) -> list[str]:
    assert reading.estate is not None, reading.faults
    return sorted(table.address for table in reading.estate.tables)


def test_both_forms_say_the_same() -> None:
    """What Terraform shows of a state is what its file holds."""
    shown, raw = (_read((STATES / name).read_bytes()) for name in ("show.json", "raw.tfstate"))
    assert len(_addresses(shown)) == 7
    assert _addresses(shown) == _addresses(raw)
    for reading in (shown, raw):
        assert ("terraform-state", "Terraform 1.11.4", 7) == (
            reading.input.kind,
            reading.input.detail,
            reading.input.tables,
        )
        assert reading.estate is not None
        assert ((), ()) == (reading.estate.changes, reading.faults)


def test_empty_blocks_are_unset() -> None:
    """A state writes what nobody set as empty lists and empty texts."""
    made = _read((STATES / "show.json").read_bytes()).estate
    assert made is not None
    bare = next(table for table in made.tables if table.address == "aws_dynamodb_table.bare")
    for value in (bare.encryption.owner, bare.stream.view, bare.ttl.attribute, bare.on_demand.read):
        assert Origin.DEFAULT is value.origin
    assert "eu-west-1" == bare.region.content


def test_keys_modules_and_what_is_left_over() -> None:
    """Instances have their keys, modules their addresses, and deposed objects are no tables."""
    attributes = {"name": "orders", "hash_key": "id"}
    state = _file(
        {"index_key": "eu", "attributes": attributes},
        {"index_key": 0, "attributes": attributes},
        {"deposed": "0123", "attributes": attributes},
        module='module.shop["a"]',
    )
    assert [
        'module.shop["a"].aws_dynamodb_table.t["eu"]',
        'module.shop["a"].aws_dynamodb_table.t[0]',
    ] == _addresses(_read(state))


def test_what_a_state_marks_is_not_shown() -> None:
    """A state lists the paths of what is sensitive."""
    marked = [[{"type": "get_attr", "value": "name"}]]
    made = _read(_file({"attributes": {"name": "hidden-name"}, "sensitive_attributes": marked})).estate
    assert made is not None
    assert ("(sensitive)", True) == (made.tables[0].name.shown, "hidden-name" in made.secrets)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"version": 3, "serial": 1}, "a state file of version 3, where version 4 is known"),
        ({"version": "x", "serial": 1}, "a state file of version of an unknown sort, where version 4 is known"),
        ({"format_version": "2.0", "values": {}}, "unsupported state format, where 0.1 and 1.x are known"),
        ({"version": 4, "serial": 1, "resources": {}}, "resources of a state must be a list of objects"),
        (_file(type=1), "a resource of a state needs a type, a name and instances"),
        (_file(instances=[1]), "an instance of aws_dynamodb_table in a state must be an object"),
    ],
)
def test_what_is_no_state(content: Any, message: str) -> None:
    """A version or a shape that is not known is refused."""
    reading = _read(content)
    assert [(True, message)] == [(fault.blocks, fault.message) for fault in reading.faults]


def test_an_empty_state_has_nothing() -> None:
    """Terraform shows a state without resources as little more than its version."""
    for content in ({"format_version": "1.0", "terraform_version": "1.5.0"}, {"version": 4, "serial": 1}):
        reading = _read(content)
        assert (0, ()) == (reading.input.tables, reading.faults)


def _held(state: Any) -> list[tuple[str, str]]:
    estate = _read(state).estate
    assert estate is not None
    return [(holder.address, grant.address) for holder in estate.holders for grant in holder.grants]


def test_a_state_tells_who_may_do_what() -> None:
    """The documents of a state are in the hands of whoever it says, as those of a plan are."""
    plan = json.loads((ACCESS / "existing" / "plan.json").read_bytes())
    worker = "aws_iam_role.worker"
    given = ("aws_iam_policy.dropped", "aws_iam_policy.kept", "aws_iam_role_policy.dropped", "aws_iam_role_policy.kept")
    forgotten = ("aws_iam_policy.forgotten", "aws_iam_policy.forgotten")
    assert [forgotten, *((worker, address) for address in given)] == _held(plan["prior_state"])


def test_a_role_without_policies_of_its_own() -> None:
    """Old providers write one empty block for none: that is no document, and no fault."""
    role = {"name": "r", "assume_role_policy": "{}", "inline_policy": [{"name": "", "policy": ""}]}
    state = _file()
    state["resources"].append(
        {"mode": "managed", "type": "aws_iam_role", "name": "r", "instances": [{"attributes": role}]}
    )
    reading = _read(state)
    assert ((), 0) == (reading.faults, reading.input.documents)


@pytest.mark.parametrize("address", [None, [], {"a": 1}, 1])
def test_a_resource_without_an_address_is_refused(address: Any) -> None:
    """Nobody could tell which one it is."""
    table = {"address": address, "mode": "managed", "type": "aws_dynamodb_table", "name": "t", "values": {"name": "t"}}
    reading = _read({"format_version": "1.0", "values": {"root_module": {"resources": [table]}}})
    assert ["prior_state.resources[0]: address must be a text"] == [fault.message for fault in reading.faults]


@pytest.mark.parametrize("mode", ["manage", "Managed", "", None])
def test_mode_that_nobody_knows(mode: str | None) -> None:
    """A resource that is neither managed nor data is refused, whatever its type, in a file and as it is shown."""
    (fault,) = _read(_file({"attributes": {"name": "t"}}, mode=mode)).faults
    assert (fault.code.value, fault.blocks) == ("TG001", True)
    assert fault.message == "aws_dynamodb_table.t: mode must be one of data, managed"


@pytest.mark.parametrize("mode", ["manage", "Managed"])
def test_mode_that_nobody_knows_as_it_is_shown(mode: str) -> None:
    """So is one in the output of terraform show."""
    table = {"address": "aws_dynamodb_table.t", "mode": mode, "type": "aws_dynamodb_table", "name": "t", "values": {}}
    content = {"format_version": "1.0", "values": {"root_module": {"resources": [table]}}}
    assert [fault.blocks for fault in _read(content).faults] == [True]
