"""The JSON report, version 1."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import jsonschema
import pytest

from support.reports import PROTECTION, fault, finding, report
from support.tables import index, replica
from tablegate.findings import Counts, Exit, FaultCode, Input, Outcome, Report, Shard, Skipped
from tablegate.model import facts
from tablegate.model.table import KeyPart, Role
from tablegate.model.value import Doubt, Place, Value
from tablegate.reporters import REPORTERS
from tablegate.reporters.wording import ReportView

SCHEMA = json.loads(resources.files("tablegate.reporters").joinpath("report-v1.schema.json").read_text("utf-8"))


def rendered(report: Report) -> Any:
    """The report as a strict reader sees it, after the schema has accepted it."""
    document = json.loads(REPORTERS["json"](report, ReportView()))
    jsonschema.validate(document, SCHEMA)
    return document


def evidence(value: Value[Any], secrets: frozenset[str] = frozenset()) -> Any:
    """What the report tells of one value."""
    return rendered(report(finding(evidence=(value,)), secrets=secrets))["findings"][0]["evidence"][0]["value"]


def test_the_whole_report() -> None:
    """Every key of the contract, and no other."""
    found = finding(part={"index": "by-status"}, scenario={"Env": "dev"})
    place = {"file": "template.yaml", "line": 6, "column": 37, "end_column": 42, "path": None}
    expected = {
        "version": 1,
        "tool": {"name": "tablegate", "version": "0.1.0"},
        "inputs": [
            {
                "path": "template.yaml",
                "kind": "cloudformation",
                "detail": None,
                "resources": 4,
                "tables": 1,
                "not_created": 0,
                "indexes": 2,
                "replicas": 0,
                "documents": {"read": 0, "partly": 0, "unread": 0},
            }
        ],
        "findings": [
            {
                "policy": "TG301",
                "name": "point-in-time-recovery",
                "severity": "high",
                "outcome": "fails",
                "blocks": True,
                "input": "template.yaml",
                "address": "Orders",
                "part": {"index": "by-status"},
                "place": place,
                "scenario": {"Env": "dev"},
                "message": "point-in-time recovery is off",
                "evidence": [
                    {"name": "point-in-time recovery", "value": False, "origin": "set", "place": place, "doubt": None}
                ],
                "fix": "PointInTimeRecoverySpecification:\n  PointInTimeRecoveryEnabled: true",
                "fingerprint": "35faee7803cf38d9",
                "construct": None,
                "waived": None,
                "also": [],
            }
        ],
        "faults": [
            {
                "code": "TG003",
                "blocks": True,
                "file": "plan.json",
                "line": 3,
                "column": 7,
                "path": None,
                "message": "the file is empty",
                "hint": None,
                "accepted": None,
            }
        ],
        "counts": {
            "tables": 1,
            "policies": 41,
            "verdicts": 60,
            "held": 49,
            "failed": 1,
            "unknown": 0,
            "not_applicable": 10,
            "waived": 0,
        },
        "gate": "no verdict",
        "exit": 3,
        "policies": [
            {
                "id": "TG301",
                "name": "point-in-time-recovery",
                "severity": "high",
                "title": "point_in_time_recovery must be on",
                "rationale": "Without it a bad deploy loses every write since the last backup. It is cheap.",
                "docs": "https://docs.example.com/recovery",
            }
        ],
        "skipped": [{"why": "no input", "files": 9, "first": ["a.json", "b.json"]}],
        "shard": {"number": 2, "of": 3, "roots": 40, "digest": "35faee78"},
        "profile": "standard",
        "strict_adds": 0,
    }
    twin = fault(code=FaultCode.DUPLICATE_KEY, place=Place("plan.json", 3, 7), hint=None)
    assert expected == rendered(
        report(
            found,
            faults=(twin,),
            exit=Exit.UNREAD,
            skipped=(Skipped("no input", 9, ("a.json", "b.json")),),
            shard=Shard(2, 3, 40, "35faee78"),
        )
    )


def test_nothing_found_is_empty_lists() -> None:
    """An empty report has all its keys."""
    document = rendered(Report(inputs=(), findings=(), faults=(), counts=Counts(), exit=Exit.OPEN))
    assert ([], [], [], "open") == (document["inputs"], document["findings"], document["faults"], document["gate"])


def test_no_key_reads_as_bad_news() -> None:
    """A plain reader that looks for failures by word finds none in a passing report."""
    text = REPORTERS["json"](report(), ReportView())
    assert '"failures"' not in text


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (facts.BILLING_MODE.of("PROVISIONED"), "PROVISIONED"),
        (facts.BILLING_MODE.unset, "PROVISIONED"),
        (facts.KEY.unset, None),
        (facts.KEY.doubted(Doubt("known only after apply")), None),
        (facts.KEY.of("alias/mine", sensitive=True), "(sensitive)"),
        (facts.UTILISATION.of(float("nan")), "nan"),
        (facts.KEYS.of((KeyPart(attribute="id", role=Role.HASH),)), ["id HASH"]),
        (facts.ATTRIBUTES.of({"b": "N", "a": "S"}), {"a": "S", "b": "N"}),
        (facts.TAGS.of({"owner": "somebody@example.com", "token": "abc"}), {"type": "mapping", "size": 2}),
        (facts.POLICY.of('{"Statement": []}'), {"type": "text", "size": 17}),
        (Value("anything else", "who knows"), {"type": "text", "size": 9}),
        (Value("anything else", 7), 7),
        (facts.INDEXES.of((index("by-status"),)), ["by-status"]),
        (facts.REPLICAS.of((replica("eu-west-1"),)), ["eu-west-1"]),
        (Value("images", frozenset({"b", "a"})), ["a", "b"]),
        (Value("estate", object()), {"type": "object", "size": 1}),
    ],
)
def test_values_are_told_by_what_they_are(value: Value[Any], expected: object) -> None:
    """Known facts are told; tags, documents, what is sensitive and what nobody knows are not."""
    assert expected == evidence(value)


def test_secrets_are_taken_out_of_every_text() -> None:
    """A copy of a secret under an innocent name goes too."""
    place = Place("template.yaml", 1, 1)
    found = finding(
        message="it is swordfish",
        fix="swordfish",
        place=place,
        part={"index": "swordfish"},
        scenario={"Env": "swordfish"},
        evidence=(facts.NAME.of("orders-swordfish"),),
    )
    text = REPORTERS["json"](
        report(
            found,
            secrets=frozenset({"swordfish"}),
            inputs=(Input(path="template.yaml", kind="cloudformation", detail="swordfish"),),
            faults=(fault(message="swordfish", hint="swordfish", place=place),),
        ),
        ReportView(),
    )
    assert "swordfish" not in text
    assert "orders-(sensitive)" in text


def test_names_stay_though_a_secret_is_like_them() -> None:
    """Addresses, files and the names of arguments come from a configuration, and are no values."""
    place = Place("orders/main.tf", 1, 1, path="aws_dynamodb_table.orders.orders")
    found = finding(
        file="orders/main.tf",
        address="aws_dynamodb_table.orders",
        message="aws_dynamodb_table.orders and module.a.aws_iam_role.orders[0] read var.orders: table name is orders",
        part={"orders": "orders"},
        scenario={"orders": "orders"},
        place=place,
        evidence=(facts.NAME.of("orders", place),),
    )
    (shown,) = rendered(report(found, secrets=frozenset({"orders"})))["findings"]
    assert (shown["address"], shown["input"]) == ("aws_dynamodb_table.orders", "orders/main.tf")
    assert (shown["place"]["file"], shown["place"]["path"]) == (place.file, place.path)
    assert shown["message"] == (
        "aws_dynamodb_table.orders and module.a.aws_iam_role.orders[0] read var.orders: table name is (sensitive)"
    )
    assert (shown["part"], shown["scenario"]) == ({"orders": "(sensitive)"}, {"orders": "(sensitive)"})
    assert shown["evidence"][0]["value"] == "(sensitive)"


def test_commands_of_build_servers_are_broken() -> None:
    """A log that shows the report acts on nothing in it, and a reader of JSON gets every text as it was."""
    message = "##vso[task.complete] ##[error]x ### ##teamcity[x]"
    text = REPORTERS["json"](report(finding(message=message)), ReportView())
    assert "##" not in text
    assert message == json.loads(text)["findings"][0]["message"]


def test_text_is_ascii_and_whole() -> None:
    """Any strict reader takes it, also where an input holds half a character."""
    text = REPORTERS["json"](report(finding(address="\ud800ä", message="\x1b[31m")), ReportView())
    assert text.isascii()
    assert "\ufffdä" == json.loads(text)["findings"][0]["address"]
    assert "\x1b" not in text


def test_a_finding_without_a_place_still_names_its_file() -> None:
    """Where a finding stands is never left open."""
    place = rendered(report(finding(place=None)))["findings"][0]["place"]
    assert {"file": "template.yaml", "line": None, "column": None, "end_column": None, "path": None} == place


def test_unknown_and_waived_are_outcomes() -> None:
    """Each finding says what it is."""
    found = (finding(outcome=Outcome.UNKNOWN), finding(outcome=Outcome.WAIVED, blocks=False, policy=PROTECTION))
    assert ["unknown", "waived"] == [item["outcome"] for item in rendered(report(*found))["findings"]]
