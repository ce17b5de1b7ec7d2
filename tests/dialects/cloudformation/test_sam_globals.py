"""Globals of SAM, as the transform puts them into resources: each answer is that of its translator."""

from __future__ import annotations

from operator import attrgetter
from textwrap import dedent, indent
from typing import Any

import pytest

from support.planned_access import grants, holders
from support.templates import UNKNOWN, reading, said, tables
from tablegate.dialects.reading import Reading
from tablegate.model.table import Table
from tablegate.model.value import Value


def fact(table: Table, path: str) -> Value[Any]:
    """A fact of a table by its path."""
    value: Value[Any] = attrgetter(path)(table)
    return value


SHARED = "SSEEnabled: true, KMSMasterKeyId: shared"


def sam(properties: str, shared: str = SHARED, more: str = "") -> str:
    """A template with one SimpleTable, and an encryption for all of them."""
    return f"""
Transform: AWS::Serverless-2016-10-31
Parameters: {{Env: {{Type: String, AllowedValues: [dev, prod]}}}}
Conditions: {{IsProd: !Equals [!Ref Env, prod]}}
Globals: {{SimpleTable: {{SSESpecification: {{{shared}}}}}}}
Resources: {{Orders: {{Type: AWS::Serverless::SimpleTable, {more} Properties: {properties}}}}}
"""


def encryption(text: str, **options: Any) -> list[object]:
    """Whether KMS is used and the key, in each scenario."""
    found = tables(text, **options)
    return [(said(fact(it, "encryption.owner")).name, said(fact(it, "encryption.key"))) for it in found]


FROM_GLOBALS = [("CUSTOMER", "shared")]
NONE = [("AWS_OWNED", None)]


@pytest.mark.parametrize(
    ("ignored", "found"),
    [
        ("", FROM_GLOBALS),
        ("IgnoreGlobals: '*',", NONE),
        ("IgnoreGlobals: [SSESpecification],", NONE),
        ("IgnoreGlobals: [],", FROM_GLOBALS),
        ("IgnoreGlobals: '',", FROM_GLOBALS),
        ("IgnoreGlobals: null,", FROM_GLOBALS),
    ],
)
def test_ignored_globals(ignored: str, found: object) -> None:
    """A resource may refuse all globals, or some."""
    assert encryption(sam("{}", more=ignored)) == found


@pytest.mark.parametrize("ignored", ["SSESpecification", "{Ref: Env}", "[TableName]", "true"])
def test_refused_to_ignore(ignored: str) -> None:
    """The transform refuses what is neither a star nor a list of names of Globals."""
    (fault,) = [it for it in reading(sam("{}", more=f"IgnoreGlobals: {ignored},")).faults if it.blocks]
    assert ": IgnoreGlobals " in fault.message


@pytest.mark.parametrize(
    ("globals_", "message"),
    [
        ("SimpleTable: {TableName: x}", "SimpleTable/TableName: Globals.SimpleTable does not take TableName"),
        ("Function: {Role: x}", "Function/Role: Globals.Function does not take Role"),
        ("SimpleTable: {Fn::If: [IsProd, a, b]}", "SimpleTable: Globals.SimpleTable must be a mapping of properties"),
        ("SimpleTable: [a]", "SimpleTable: Globals.SimpleTable must be a mapping of properties"),
    ],
)
def test_refused_globals(globals_: str, message: str) -> None:
    """The transform refuses them, so nothing is deployed."""
    text = sam("{}").replace("SimpleTable: {SSESpecification: {SSEEnabled: true, KMSMasterKeyId: shared}}", globals_)
    assert [it.message for it in reading(text).faults if it.blocks] == [f"Globals/{message}"]


OWN = "{SSEEnabled: true, KMSMasterKeyId: own}"


@pytest.mark.parametrize(
    ("own", "found"),
    [
        ("{KMSMasterKeyId: own}", [("CUSTOMER", "own")]),
        (f"!If [IsProd, {OWN}, !Ref AWS::NoValue]", [*NONE, ("CUSTOMER", "own")]),
        ("!If [IsProd, {SSEEnabled: true}, {SSEEnabled: true}]", [("AWS_MANAGED", None)]),
        ("!Ref AWS::NoValue", NONE),
        ("{}", FROM_GLOBALS),
        ("null", NONE),
    ],
)
def test_own_values(own: str, found: object) -> None:
    """A mapping is merged member by member. A function counts alone, whatever it gives."""
    assert encryption(sam(f"{{SSESpecification: {own}}}")) == found


def test_a_function_in_globals() -> None:
    """It gives way as a whole too."""
    shared = "'Fn::If': [IsProd, {SSEEnabled: true, KMSMasterKeyId: shared}, {SSEEnabled: false}]"
    assert encryption(sam("{SSESpecification: {SSEEnabled: true}}", shared)) == [("AWS_MANAGED", None)]
    assert encryption(sam("{}", shared)) == [*NONE, *FROM_GLOBALS]


def test_a_macro_in_globals() -> None:
    """It runs before the transform, and may insert anything."""
    text = sam("{}", "'Fn::Transform': {Name: AWS::Include, Parameters: {Location: s3://b/k}}")
    (found,) = tables(text)
    assert said(fact(found, "encryption.owner")) == UNKNOWN
    text = text.replace("Globals: {", "Globals: {'Fn::Transform': {Name: AWS::Include}, ")
    (found,) = tables(text)
    assert said(found.name) == UNKNOWN


@pytest.mark.parametrize(
    ("capacity", "mode"),
    [
        ("{}", "PAY_PER_REQUEST"),
        ("null", "PAY_PER_REQUEST"),
        ("{ReadCapacityUnits: 1, WriteCapacityUnits: 1}", "PROVISIONED"),
        ("!Ref AWS::NoValue", "PROVISIONED"),
    ],
)
def test_empty_capacity(capacity: str, mode: str) -> None:
    """The transform takes an empty mapping as an absent one, but looks at no function."""
    (found,) = tables(sam(f"{{ProvisionedThroughput: {capacity}}}"))
    assert said(found.billing_mode) == mode


def test_other_empty_properties() -> None:
    """They are absent as well."""
    (found,) = tables(sam("{SSESpecification: {}, PointInTimeRecoverySpecification: {}, TableName: '', Tags: {}}", ""))
    assert found.name_generated
    assert [said(fact(found, path)) for path in ("recovery.enabled", "tags", "encryption.key")] == [False, {}, None]


READ_ONLY = "arn:aws:iam::aws:policy/AmazonDynamoDBReadOnlyAccess"
DELETES = "{Statement: {Effect: Allow, Action: dynamodb:DeleteTable, Resource: '*'}}"


def function(body: str, shared: str) -> Reading:
    """A template with one function, and globals of all functions."""
    head = """
    Transform: AWS::Serverless-2016-10-31
    Parameters: {Env: {Type: String}}
    Conditions: {IsProd: !Equals [!Ref Env, prod]}
    Globals:
      Function:
    """
    orders = "Orders: {Type: AWS::Serverless::SimpleTable}"
    text = dedent(head).rstrip() + "\n" + indent(dedent(shared).strip(), "    ")
    found = reading(f"{text}\nResources:\n  {orders}\n  F: {{Type: AWS::Serverless::Function, {body}}}\n")
    assert [it.message for it in found.faults if it.blocks] == []
    return found


@pytest.mark.parametrize(
    ("ignored", "ceilings"),
    [
        ("", 1),
        ("IgnoreGlobals: '*',", 0),
        ("IgnoreGlobals: [PermissionsBoundary],", 0),
        ("IgnoreGlobals: [Timeout],", 1),
    ],
)
def test_an_ignored_boundary(ignored: str, ceilings: int) -> None:
    """A function that ignores the boundary is not bound by it."""
    found = function(f"{ignored} Properties: {{Policies: {DELETES}}}", f"PermissionsBoundary: {READ_ONLY}\nTimeout: 3")
    role = holders(found)["F"]
    assert (len(role.ceilings), grants(role)) == (ceilings, ["F 0: Allow dynamodb:DeleteTable on *"])


FOREIGN = "{Effect: Allow, Action: 'sts:AssumeRole', Principal: {AWS: '999999999999'}}"
EVENTS = "{Effect: Allow, Action: 'sts:AssumeRole', Principal: {Service: events.amazonaws.com}}"
LAMBDA = "{Effect: Allow, Action: 'sts:AssumeRole', Principal: {Service: lambda.amazonaws.com}}"


@pytest.mark.parametrize(
    ("shared", "own", "statements"),
    [
        (f"[{FOREIGN}]", "{Version: '2012-10-17'}", FOREIGN),
        (f"[{EVENTS}]", f"{{Statement: [{LAMBDA}]}}", f"{EVENTS}, {LAMBDA}"),
        (f"[{EVENTS}]", f"{{Statement: [{FOREIGN}]}}", f"{EVENTS}, {FOREIGN}"),
        (f"[{FOREIGN}]", f"{{Statement: [{EVENTS}]}}", f"{FOREIGN}, {EVENTS}"),
        (f"[{EVENTS}]", f"{{Statement: {LAMBDA}}}", LAMBDA),
        (EVENTS, f"{{Statement: [{FOREIGN}]}}", FOREIGN),
        (f"[{EVENTS}]", f"!If [IsProd, {{Statement: [{LAMBDA}]}}, {{Statement: [{LAMBDA}]}}]", LAMBDA),
    ],
)
def test_trust_of_both(shared: str, own: str, statements: str) -> None:
    """The statements of the resource follow those of Globals, if both are lists."""
    found = function(
        f"Properties: {{AssumeRolePolicyDocument: {own}}}", f"AssumeRolePolicyDocument: {{Statement: {shared}}}"
    )
    alone = function(f"Properties: {{AssumeRolePolicyDocument: {{Statement: [{statements}]}}}}", "Timeout: 3")
    one, other = holders(found)["F"], holders(alone)["F"]
    assert (one.why, one.kind, one.services) == (other.why, other.kind, other.services)
