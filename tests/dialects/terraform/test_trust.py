"""What a plan holds is not believed where it contradicts itself, and what it hides is never given away."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.plans import TABLE, change, configured, faults, made, tables, told, written
from tablegate.dialects.reading import ReadOptions
from tablegate.dialects.terraform.plan import read
from tablegate.syntax.json.lazy import Document


def planned(*values: dict[str, Any], outputs: Any = None) -> dict[str, Any]:
    """Planned values of tables, in a module inside the root."""
    resources = [
        {"address": "aws_dynamodb_table.t", "mode": "managed", "type": "aws_dynamodb_table", "name": "t", "values": one}
        for one in values
    ]
    root = {"child_modules": [{"address": "module.m", "resources": resources}]}
    return {"root_module": root, **({} if outputs is None else {"outputs": outputs})}


def test_both_sections_agree() -> None:
    """Terraform writes planned values and resource changes from one thing."""
    assert faults(written(change(TABLE), planned_values=planned(TABLE))) == []
    assert faults(written(change(TABLE), planned_values=planned({**TABLE, "of_no_interest": 1}))) == []


@pytest.mark.parametrize(
    ("values", "changed"),
    [
        ({**TABLE, "deletion_protection_enabled": True}, change({**TABLE, "deletion_protection_enabled": False})),
        ({**TABLE, "replica": [{"region_name": "us-east-1"}]}, change(TABLE)),
    ],
)
def test_sections_disagree(values: dict[str, Any], changed: dict[str, Any]) -> None:
    """Where they differ in what is judged, somebody has edited the plan."""
    found = faults(written(changed, planned_values=planned(values)))
    assert found == [("TG001", True, "aws_dynamodb_table.t: planned values and resource change disagree")]


@pytest.mark.parametrize("without", [[], ..., None])
def test_planned_only(without: object) -> None:
    """A table that is planned and not changed was taken out of the changes."""
    found = faults(written(resource_changes=without, planned_values=planned(TABLE)))
    assert found == [("TG001", True, "aws_dynamodb_table.t is planned, but has no resource change")]


@pytest.mark.parametrize("key", ["planned_values", "format_version", "resource_changes"])
def test_planned_only_in_a_plan_whose_keys_have_escapes(key: str) -> None:
    """A plan that is read strictly is compared like any other."""
    plan = json.dumps({"format_version": "1.2", "resource_changes": [], "planned_values": planned(TABLE)})
    found = faults(read(Document(plan.replace(key, f"\\u{ord(key[0]):04x}{key[1:]}")), "plan.json", ReadOptions()))
    assert found == [("TG001", True, "aws_dynamodb_table.t is planned, but has no resource change")]


@pytest.mark.parametrize(("actions", "blocks"), [(["delete"], True), (["forget"], False)])
def test_planned_and_gone(actions: list[str], blocks: bool) -> None:
    """A table that is deleted is not planned; one that is forgotten may be."""
    one = change(None, before=TABLE, actions=actions)
    found = faults(written(one, planned_values=planned(TABLE)))
    assert bool(found) is blocks


def test_planned_values_of_another_shape() -> None:
    """Planned values that are none say nothing."""
    assert faults(written(change(TABLE), planned_values=[])) == []


def test_addresses_that_are_there_twice() -> None:
    """Two changes of one address cannot both be judged."""
    reading = written(change(TABLE), change({**TABLE, "deletion_protection_enabled": True}))
    assert faults(reading) == [("TG001", True, "aws_dynamodb_table.t is there twice")]
    assert reading.input.tables == 2


@pytest.mark.parametrize(
    ("type_", "address", "found"),
    [
        ("aws_DynamoDB_table", "aws_dynamodb_table.t", ("TG001", True, "address and type disagree")),
        ("aws_s3_bucket", "module.m.aws_dynamodb_table.t[0]", ("TG001", True, "address and type disagree")),
        ("\u0430ws_dynamodb_table", "\u0430ws_dynamodb_table.t", ("TG001", True, "the type is not written in ASCII")),
        ("aws_dynamodb_table", "../../x", ("TG002", False, "an address that is none")),
    ],
)
def test_type_and_address(type_: str, address: str, found: tuple[str, bool, str]) -> None:
    """A type that its address does not bear is refused."""
    assert faults(written({**change(TABLE), "type": type_, "address": address})) == [found]


def test_other_providers() -> None:
    """Whose provider it is exempts no table, and is said."""
    one = {**change(TABLE), "provider_name": "registry.terraform.io/evil/aws"}
    reading = written(one)
    said = "aws_dynamodb_table.t comes from the provider registry.terraform.io/evil/aws"
    assert faults(reading) == [("TG002", False, said)]
    assert len(tables(reading)) == 1
    for name in ("aws", "registry.opentofu.org/hashicorp/aws", "registry.terraform.io/-/aws"):
        assert faults(written({**one, "provider_name": name})) == []


def test_what_is_not_covered() -> None:
    """Resources of DynamoDB that nobody reads are named and counted; what has nothing to judge is not."""
    found = faults(
        written(
            change({}, type="aws_dynamodb_table_export"),
            change({}, type="awscc_dax_cluster"),
            change({}, type="other_dynamodb_thing", name="a"),
            change({}, type="other_dynamodb_thing", name="b"),
        )
    )
    assert found == [
        ("TG002", False, "awscc_dax_cluster is not covered: nothing is known of what it does"),
        ("TG002", False, "other_dynamodb_thing is not covered (2 of them): nothing is known of what it does"),
    ]


def secrets(*changes: dict[str, Any], **members: Any) -> frozenset[str]:
    """The texts that no report may hold."""
    estate = written(*changes, **members).estate
    assert estate is not None
    return estate.secrets


def test_marked_values() -> None:
    """What is under a mark is secret from six characters on, and so says the value."""
    after = {**TABLE, "tags": {"token": "tok-123456", "short": "abc"}, "tags_all": {"token": "tok-123456"}}
    one = change(after, sensitive={"tags": {"token": True, "short": True}, "tags_all": {}})
    assert secrets(one) == {"tok-123456"}
    (table,) = tables(written(one)).values()
    assert table.tags.sensitive


def test_marks_of_any_shape() -> None:
    """A mark covers everything below it, in lists as well, and before the change too."""
    before = {**TABLE, "attribute": [{"name": "first-name", "type": "S"}, {"name": "second-name", "type": "S"}]}
    one = change(TABLE, before=before, actions=["update"], before_sensitive={"attribute": [{}, {"name": True}]})
    assert secrets(one) == {"second-name"}
    assert secrets(change(TABLE, sensitive=True)) == {"orders-prod", "PAY_PER_REQUEST"}
    assert secrets(change({**TABLE, "x": [["listed-text"], 1, None]}, sensitive={"x": [True, True]})) == {"listed-text"}
    assert secrets(change(TABLE, sensitive={"gone": True, "name": {"odd": True}})) == frozenset()


def test_judged_values_that_are_marked() -> None:
    """A value under a mark is judged like another, and says that it must not be shown."""
    after = {**TABLE, "point_in_time_recovery": [{"enabled": False}], "deletion_protection_enabled": True}
    marks = {"point_in_time_recovery": [{"enabled": True}], "attribute": True, "deletion_protection_enabled": True}
    (table,) = tables(written(change(after, sensitive=marks))).values()
    assert (told(table.recovery.enabled), table.recovery.enabled.sensitive) == (False, True)
    assert table.attributes.sensitive
    assert table.deletion_protection.sensitive
    assert not table.name.sensitive


def test_variables_and_providers() -> None:
    """Sensitive variables, their defaults, and what provider blocks hold besides regions."""
    estate = made("modules-and-regions").estate
    assert estate is not None
    assert estate.secrets == {"tok-1234567890", "mock-access-key", "mock-secret-key"}
    configuration = {
        "provider_config": {
            "aws": {
                "expressions": {
                    "region": {"constant_value": "eu-central-1"},
                    "assume_role": [{"external_id": {"constant_value": "external-1"}, "x": {"references": ["var.a"]}}],
                    "default_tags": [{"tags": {"constant_value": {"a": "public-tag"}}}],
                }
            }
        },
        "root_module": {
            "variables": {
                "list": {"sensitive": True, "default": [{"a": "default-1"}]},
                "open": {"default": "open-text"},
            },
            "module_calls": {"m": {"module": {"variables": {"inner": {"sensitive": True, "default": "inner-text"}}}}},
        },
    }
    found = secrets(configuration=configuration, variables={"list": {"value": ["given-1", 5]}})
    assert found == {"external-1", "default-1", "given-1", "inner-text"}


def test_sensitive_outputs() -> None:
    """Outputs that are marked are secret, with everything in them."""
    outputs = {"a": {"sensitive": True, "value": {"password": "hunter-22"}}, "b": {"value": "not-secret"}}
    assert secrets(change(TABLE), planned_values=planned(TABLE, outputs=outputs)) == {"hunter-22"}


def test_reasons_hold_no_values() -> None:
    """Why something is unknown is said in names, never in values."""
    reading = written(
        change({**TABLE, "name": None}, unknown={"name": True}),
        configuration=configured(
            {
                "mode": "managed",
                "type": "aws_dynamodb_table",
                "name": "t",
                "expressions": {"name": {"references": ["var.token", "local.x"]}},
            },
            variables={"token": {"sensitive": True}},
        ),
        variables={"token": {"value": "tok-123456"}},
    )
    (table,) = tables(reading).values()
    assert "tok-123456" not in str(told(table.name))
