"""Scans, streams and PartiQL: who reads more than a request needs?"""

from __future__ import annotations

from typing import Any

import pytest

from support.access import (
    HERE,
    ORDERS,
    deny,
    estate,
    holder,
    of,
    reported,
    said,
    statement,
    table,
    tagged,
    whole,
)
from tablegate.iam.grants import HolderKind

KEYED = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:userid}"]}}
NO_SCAN = {"Bool": {"dynamodb:FullTableScan": "false"}}


@pytest.mark.parametrize(
    ("kind", "environment", "severity"),
    [
        (HolderKind.RUNTIME, None, "info"),
        (HolderKind.RUNTIME, "prod", "medium"),
        (HolderKind.UNKNOWN, "prod", "low"),
        (HolderKind.END_USER, None, "medium"),
        (HolderKind.CROSS_ACCOUNT, None, "medium"),
        (HolderKind.HUMAN, "prod", None),
        (HolderKind.DEPLOY, "prod", None),
        (HolderKind.SERVICE, "prod", None),
    ],
)
def test_a_scan_weighs_by_its_holder_and_its_table(
    kind: HolderKind, environment: str | None, severity: str | None
) -> None:
    """A note for code, more in production, and medium in the hands of users."""
    tables = [tagged(environment=environment) if environment else table()]
    assert said(of(statement(["GetItem", "Query", "Scan"]), kind=kind, tables=tables), "TG514") == severity


@pytest.mark.parametrize(
    ("statements", "severity"),
    [
        ([statement(["GetItem", "Query"])], None),
        ([statement("Scan", "*")], None),
        ([statement("Scan", f"{HERE}myapp-*")], "info"),
        ([statement("Scan", f"{ORDERS}/index/by-status")], "info"),
        ([statement("Scan", ORDERS, KEYED)], None),
        ([statement("Scan"), deny("Scan")], None),
        ([statement("PartiQLSelect")], "info"),
        ([statement("PartiQLSelect", ORDERS, NO_SCAN)], None),
        ([statement("PartiQLSelect"), deny("PartiQLSelect", "*", {"Bool": {"dynamodb:FullTableScan": "true"}})], None),
    ],
)
def test_what_counts_as_a_scan(statements: list[Any], severity: str | None) -> None:
    """SELECT without a guard scans too; what is on all tables, or slips past keys, is reported as that."""
    assert said(of(*statements), "TG514") == severity


def test_a_document_is_told_once() -> None:
    """Three statements of one document that scan are one finding; another document is another."""
    scan = statement("Scan")
    (found,) = reported(of(scan, scan, scan))
    assert [other.policy for other in found.also] == ["TG514", "TG514"]
    assert len(reported(estate(holder(whole(scan), whole(scan))))) == 2


def test_the_statement_that_scans_production_is_told() -> None:
    """Another one before it weighs less."""
    statements = statement("Scan", f"{HERE}Users", Sid="Small"), statement("Scan", Sid="Large")
    (found,) = reported(of(*statements, tables=[tagged(environment="prod")]))
    assert (found.part, found.severity) == ({"statement": "Large"}, "medium")
    assert [other.severity for other in found.also] == ["info"]


def test_a_scan_that_another_policy_leads_hides_no_other() -> None:
    """The wide statement's is listed there; the other one is a finding of its own."""
    wide = statement(["GetItem", "Scan"], f"{HERE}myapp-*", Sid="Wide")
    found = reported(of(wide, statement("Scan", Sid="Own")))
    told = {(item.policy.id, (item.part or {})["statement"]): [other.policy for other in item.also] for item in found}
    assert "TG514" in told["TG504", "Wide"]
    assert told["TG514", "Own"] == []


def test_small_tables_may_be_scanned() -> None:
    """And what production is called can be said."""
    world = of(statement("Scan"), tables=[tagged(environment="blue")])
    assert said(world, "TG514", small_tables=("Orders",)) is None
    assert said(world, "TG514", small_tables=("Users",)) == "info"
    assert said(world, "TG514", production=("blue",)) == "medium"


@pytest.mark.parametrize(
    ("actions", "resources", "severity"),
    [
        (["GetRecords"], "*", "medium"),
        (["GetRecords", "GetShardIterator", "DescribeStream", "ListStreams"], f"{HERE}*/stream/*", "medium"),
        (["DescribeStream", "ListStreams"], f"{HERE}*/stream/*", None),
        (["GetRecords"], f"{HERE}myapp-*", "low"),
        (["GetRecords"], f"{HERE}Orders*", "medium"),
        (["GetRecords"], f"{ORDERS}/stream/*", None),
        (["ListStreams"], "*", None),
        (["GetRecords"], f"{ORDERS}/stream/2024-01-01T00:00:00.000", "info"),
        (["GetRecords"], f"{ORDERS}/*", None),
    ],
)
def test_a_streams_reader_is_bound_to_one_table(actions: list[str], resources: str, severity: str | None) -> None:
    """Listing streams needs a star; a label is a note where no table here explains it."""
    assert said(of(statement(actions, resources)), "TG515") == severity


def test_the_label_of_a_table_here_may_be_a_reference() -> None:
    """A plan shows what a reference came to: nobody wrote that label."""
    world = of(statement("GetRecords", f"{ORDERS}/stream/2024-01-01T00:00:00.000"), tables=[table()])
    assert said(world, "TG515") is None


@pytest.mark.parametrize(
    ("statements", "kind", "severity"),
    [
        ([statement(["Query", "PartiQLSelect"])], HolderKind.RUNTIME, "low"),
        ([statement(["Query", "PartiQLSelect"])], HolderKind.END_USER, "high"),
        ([statement(["Query", "PartiQLSelect"])], HolderKind.DEPLOY, None),
        ([statement(["Query", "PartiQLSelect", "Scan"])], HolderKind.RUNTIME, None),
        ([statement(["Query", "PartiQLSelect"], ORDERS, NO_SCAN)], HolderKind.RUNTIME, None),
        (
            [
                statement(["Query", "PartiQLSelect"]),
                deny("PartiQLSelect", "*", {"Bool": {"dynamodb:FullTableScan": "true"}}),
            ],
            HolderKind.RUNTIME,
            None,
        ),
        ([statement(["PutItem", "PartiQLDelete"])], HolderKind.RUNTIME, "low"),
        ([statement(["DeleteItem", "PartiQLDelete"])], HolderKind.RUNTIME, None),
        ([statement(["PartiQLDelete"])], HolderKind.RUNTIME, None),
        ([statement(["Query"])], HolderKind.RUNTIME, None),
    ],
)
def test_partiql_does_what_was_left_out(statements: list[Any], kind: HolderKind, severity: str | None) -> None:
    """An author who granted Query and no Scan did not mean SELECT to scan."""
    assert said(of(*statements, kind=kind), "TG516") == severity


@pytest.mark.parametrize("environments", [("prod", "dev"), ("dev", "prod")])
def test_a_table_that_is_production_in_some_scenario_is(environments: tuple[str, str]) -> None:
    """Whichever scenario comes first."""
    scenarios = [tagged(environment=name) for name in environments]
    assert said(of(statement("Scan"), tables=scenarios), "TG514") == "medium"
