"""Macros in any section: what they may insert is unknown and said, and nothing is called wrong for its absence."""

from __future__ import annotations

from typing import Any

import pytest

from support.templates import UNKNOWN, reading, said, tables
from tablegate.dialects.reading import Reading

INCLUDE = "'Fn::Transform': {Name: AWS::Include, Parameters: {Location: s3://b/k}}"
OTHER = "'Fn::Transform': {Name: Macro}"
PARTS = """
Parameters: {Env: {Type: String, AllowedValues: [dev, prod]}}
Mappings: {Names: {one: {Name: orders}}, %(mappings)s}
Conditions: {Is: !Equals [a, a], %(conditions)s}
Resources:
  %(resources)s
  T: {Type: AWS::DynamoDB::Table, %(more)s Properties: {%(properties)s}}
"""


def made(properties: str, head: str = "", more: str = "", **parts: str) -> str:
    """A template with these parts in its sections."""
    filled = {"mappings": "M: {a: {b: c}}", "conditions": "Isnt: !Equals [a, b]", "resources": ""} | parts
    return f"{head}\n{PARTS % {'properties': properties, 'more': more, **filled}}"


def codes(found: Reading) -> set[tuple[str, bool]]:
    """The faults."""
    return {(fault.code.value, fault.blocks) for fault in found.faults}


def protection(text: str) -> list[Any]:
    """Whether the tables are protected."""
    return [said(it.deletion_protection) for it in tables(text)]


NEW_ROW = "TableName: !FindInMap [New, one, Name], DeletionProtectionEnabled: true"
OLD_ROW = "TableName: !FindInMap [Names, one, Name], DeletionProtectionEnabled: true"
DEFAULT_ROW = "TableName: !FindInMap [New, one, Name, DefaultValue: x], DeletionProtectionEnabled: true"


@pytest.mark.parametrize(
    ("properties", "parts", "name"),
    [
        (NEW_ROW, {"mappings": INCLUDE}, UNKNOWN),
        (DEFAULT_ROW, {"mappings": INCLUDE}, UNKNOWN),
        (OLD_ROW, {"mappings": INCLUDE}, "orders"),
        (OLD_ROW, {"mappings": OTHER}, UNKNOWN),
        (NEW_ROW, {"head": "Transform: {Name: AWS::Include}"}, UNKNOWN),
        (NEW_ROW, {"head": INCLUDE}, UNKNOWN),
        (OLD_ROW, {"head": INCLUDE}, "orders"),
        (NEW_ROW, {"mappings": f"New: {{{INCLUDE}}}"}, UNKNOWN),
        (NEW_ROW, {"mappings": f"New: {{two: {{a: b}}, {INCLUDE}}}"}, UNKNOWN),
        (NEW_ROW, {"mappings": f"New: {{one: {{{INCLUDE}}}}}"}, UNKNOWN),
        (NEW_ROW, {"mappings": f"New: {{one: {{Name: {{{INCLUDE}}}}}}}"}, UNKNOWN),
        (NEW_ROW.replace("one", "!Ref Env"), {"mappings": f"New: {{dev: {{Name: a}}, {INCLUDE}}}"}, UNKNOWN),
    ],
)
def test_rows(properties: str, parts: dict[str, str], name: str) -> None:
    """A mapping that an include may bring is unknown; one that is there is as it is."""
    text = made(properties, **parts)
    assert codes(reading(text)) == {("TG002", False)}
    found = tables(text)
    assert {said(it.name) for it in found} == {name}
    assert protection(text) == [True] * len(found)


def test_a_row_that_nothing_inserts() -> None:
    """An include elsewhere brings no mapping."""
    assert ("TG001", True) in codes(reading(made(NEW_ROW, conditions=INCLUDE)))
    assert ("TG001", True) in codes(reading(made(NEW_ROW, resources=INCLUDE)))


@pytest.mark.parametrize(
    ("condition", "parts", "found"),
    [
        ("New", {"conditions": INCLUDE}, [UNKNOWN]),
        ("Is", {"conditions": INCLUDE}, [True]),
        ("Is", {"conditions": OTHER}, [UNKNOWN]),
        ("New", {"head": "Transform: [{Name: AWS::Include}]"}, [UNKNOWN]),
        ("New", {"head": INCLUDE}, [UNKNOWN]),
        ("New", {"conditions": f"New: {{{INCLUDE}}}"}, [UNKNOWN]),
        ("New", {"conditions": f"New: !Not [{{{INCLUDE}}}]"}, [UNKNOWN]),
        ("New", {"conditions": f"New: !Equals [{{{INCLUDE}}}, a]"}, [UNKNOWN]),
        ("New", {"conditions": f"New: !Not [Condition: Newer], {INCLUDE}"}, [UNKNOWN]),
    ],
)
def test_conditions(condition: str, parts: dict[str, str], found: list[Any]) -> None:
    """A condition that an include may bring is not decided."""
    text = made(f"DeletionProtectionEnabled: !If [{condition}, true, false]", **parts)
    assert codes(reading(text)) == {("TG002", False)}
    assert protection(text) == found


def test_the_condition_of_a_table() -> None:
    """A table that exists under such a condition is checked."""
    text = made("DeletionProtectionEnabled: true", more="Condition: New,", conditions=INCLUDE)
    assert codes(reading(text)) == {("TG002", False)}
    assert protection(text) == [True]


@pytest.mark.parametrize("parts", [{"resources": INCLUDE}, {"head": INCLUDE}, {"head": "Transform: AWS::Include"}])
@pytest.mark.parametrize("name", ["!Ref New", "!Sub '${New}-x'", "!GetAtt New.Arn"])
def test_references(parts: dict[str, str], name: str) -> None:
    """They may name a resource that an include brings."""
    text = made(f"TableName: {name}, DeletionProtectionEnabled: true", **parts)
    assert codes(reading(text)) == {("TG002", False)}
    assert [said(it.name) for it in tables(text)] == [UNKNOWN]
    assert protection(text) == [True]


def test_a_resource_that_is_inserted() -> None:
    """It may be a table."""
    found = reading(made("DeletionProtectionEnabled: true", resources=f"N: {{{INCLUDE}}}"))
    assert [fault.message for fault in found.faults] == [
        "Resources/N: a macro may insert a table here, which is not checked"
    ]


@pytest.mark.parametrize("head", [INCLUDE, "Transform: AWS::Include"])
def test_all_resources_are_inserted(head: str) -> None:
    """A template may have no Resources of its own then."""
    assert codes(reading(f"AWSTemplateFormatVersion: '2010-09-09'\n{head}\n")) == {("TG002", False)}


def test_another_macro_at_the_top() -> None:
    """It rewrites whatever it likes, as a transform does."""
    text = made("DeletionProtectionEnabled: true", head=OTHER)
    assert codes(reading(text)) == {("TG002", False)}
    assert protection(text) == [UNKNOWN]


@pytest.mark.parametrize(
    ("head", "parts"),
    [
        ("Transform: Macro", {}),
        ("Transform: [AWS::Serverless-2016-10-31, Macro]", {}),
        ("Transform: {Name: Macro, Parameters: {Service: orders}}", {}),
        (OTHER, {}),
        ("", {"resources": OTHER}),
    ],
)
def test_a_trusted_macro_is_neither_fault_nor_doubt(head: str, parts: dict[str, str]) -> None:
    """It leaves tables, roles and policies as they are, says the configuration."""
    text = made("DeletionProtectionEnabled: true", head=head, **parts)
    assert codes(reading(text, trusted_macros=("Macro",))) == set()
    assert [said(it.deletion_protection) for it in tables(text, trusted_macros=("Macro",))] == [True]
    assert codes(reading(text, trusted_macros=("Another",))) == {("TG002", False)}


def test_another_macro_beside_a_trusted_one_counts() -> None:
    """Trust is in one name."""
    text = made("DeletionProtectionEnabled: true", head="Transform: [Macro, Other]")
    assert [said(it.deletion_protection) for it in tables(text, trusted_macros=("Macro",))] == [UNKNOWN]
