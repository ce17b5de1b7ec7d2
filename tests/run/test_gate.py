"""The corridor: what goes in, what comes out, and the code it ends with."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from support.policies import declared, recovery_on
from tablegate.dialects import DIALECTS
from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.engine.data_policies import data_policies
from tablegate.engine.settings import ConfigError, Override, Settings
from tablegate.findings import Exit, Fault, FaultCode, Input, Report, exit_of
from tablegate.model.estate import Estate
from tablegate.model.record import replace as replace_record
from tablegate.model.table import GLOBAL_TABLE, Dialect
from tablegate.model.value import Place
from tablegate.policy import LOW, Policy, Table, Verdict, not_applicable
from tablegate.policy.declare import Profile, policies_in
from tablegate.run.gate import check, with_required_resources
from tablegate.syntax.recognise import Kind
from tablegate.syntax.source import Source
from tablegate.syntax.yaml import parse_yaml
from tablegate.testing import smallest_template

FIXTURES = Path(__file__).parents[2] / "fixtures"

BAD = b"""\
AWSTemplateFormatVersion: "2010-09-09"
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
      KeySchema: [{AttributeName: id, KeyType: HASH}]
"""
GOOD = BAD + b"      PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: true}\n"


def checked(*sources: Source, policies: tuple[Policy, ...] = (recovery_on(),), **how: Any) -> Report:
    return check(sources, policies, how.pop("settings", Settings()), how.pop("options", ReadOptions()), **how)


def test_a_good_template_opens_the_gate() -> None:
    """Everything was read, and nothing blocks."""
    report = checked(Source("a.yaml", GOOD))
    assert (report.exit, report.gate) == (Exit.OPEN, "open")
    assert (report.findings, report.faults) == ((), ())
    assert (report.counts.tables, report.counts.held) == (1, 1)
    assert [item.path for item in report.inputs] == ["a.yaml"]


@pytest.mark.parametrize("spelling", ["yaml", "json"])
def test_a_global_table_is_told_what_a_global_table_says(spelling: str) -> None:
    """Its protection is set region by region: at its top level there is no such property."""
    (protection,) = [item for item in policies_in("tablegate_baseline") if item.id == "TG304"]
    text = smallest_template(type=GLOBAL_TABLE)
    if spelling == "json":
        text = json.dumps(parse_yaml(text).plain())
    (finding,) = checked(Source("t", text.encode()), policies=(protection,)).findings
    fragment = finding.fix if spelling == "yaml" else f"{{{finding.fix}}}"
    expected = {"Replicas": [{"Region": "us-east-1", "DeletionProtectionEnabled": True}]}
    assert expected == parse_yaml(fragment or "").plain()
    assert (spelling == "json") == ('"Replicas"' in fragment)


@pytest.mark.parametrize(
    ("id", "expected"),
    [
        (
            "TG304",
            "# not supported by AWS::Serverless::SimpleTable; change the type to AWS::DynamoDB::Table:\n",
        ),
        ("TG301", "PointInTimeRecoverySpecification:\n"),
        ("TG305", "DeletionPolicy: Retain\n"),
        ("TG306", "OrdersBackup:\n  Type: AWS::Backup"),
    ],
)
def test_what_a_simple_table_cannot_say_is_told_with_its_remedy(id: str, expected: str) -> None:
    """SAM's short form has few properties: who needs another one needs the long form."""
    wanted = [item for item in policies_in("tablegate_baseline") if item.id == id]
    text = b"Resources:\n  Orders:\n    Type: AWS::Serverless::SimpleTable\n"
    (finding,) = checked(Source("t.yaml", text), policies=tuple(wanted), settings=Settings(select=(id,))).findings
    assert (finding.fix or "").startswith(expected)


def test_what_stands_beside_a_simple_table_is_none_of_its_properties() -> None:
    """Its scaling target has the bounds, for every kind of table."""
    wanted = tuple(item for item in policies_in("tablegate_baseline") if item.id == "TG103")
    text = b"""\
Resources:
  Orders:
    Type: AWS::Serverless::SimpleTable
    Properties: {ProvisionedThroughput: {ReadCapacityUnits: 5, WriteCapacityUnits: 5}}
  Reads:
    Type: AWS::ApplicationAutoScaling::ScalableTarget
    Properties:
      ServiceNamespace: dynamodb
      ResourceId: !Sub table/${Orders}
      ScalableDimension: dynamodb:table:ReadCapacityUnits
      MinCapacity: 5
      MaxCapacity: 5
"""
    (finding,) = checked(Source("t.yaml", text), policies=wanted).findings
    assert finding.fix == "MinCapacity: 5\nMaxCapacity: 100"


def test_a_bad_template_is_blocked() -> None:
    """The finding is in its file."""
    report = checked(Source("a.yaml", BAD))
    assert (report.exit, report.gate) == (Exit.BLOCKED, "blocked")
    assert [(finding.file, finding.address) for finding in report.findings] == [("a.yaml", "Orders")]


def _fixes(*policies: Policy) -> list[str | None]:
    """What is shown for a table that is written in YAML, and for one that is written in JSON."""
    in_json = b'{"Resources": {"Orders": {"Type": "AWS::DynamoDB::Table", "Properties": {}}}}'
    report = checked(Source("a.yaml", BAD), Source("b.json", in_json), policies=policies)
    return [finding.fix for finding in report.findings]


def test_a_remedy_is_in_the_language_of_its_template() -> None:
    """It is there to be pasted."""
    remedy = replace(recovery_on().remedy, cloudformation="Recovery:\n  Enabled: !Ref On")
    expected = ["Recovery:\n  Enabled: !Ref On", '"Recovery": {"Enabled": {"Ref": "On"}}']
    assert expected == _fixes(replace(recovery_on(), remedy=remedy))


def test_what_is_said_for_every_language_is_in_none() -> None:
    """The remedy of a policy that is data is one text for all languages: it may be a sentence."""
    stated = {"id": "ACME001", "severity": "high", "title": "It has a name", "path": "$.name", "must": {"exist": True}}
    assert ["ask: the team"] * 2 == _fixes(*data_policies([{**stated, "fix": "ask: the team"}]))


def test_a_finding_below_the_line_blocks_nothing() -> None:
    """It is still reported."""
    report = checked(Source("a.yaml", BAD), policies=(recovery_on(severity=LOW),))
    assert (report.exit, len(report.findings)) == (Exit.OPEN, 1)


@pytest.mark.parametrize("data", [b"", b"{", b"[1, 2]", b"hello\n", b"a: 1\na: 2\n", b"\xff\xfe\xfd"])
def test_what_cannot_be_read_is_code_3(data: bytes) -> None:
    """It is never a pass."""
    report = checked(Source("b.yaml", data), Source("a.yaml", GOOD))
    assert (report.exit, report.gate) == (Exit.UNREAD, "no verdict")
    assert [fault.place.file for fault in report.faults if fault.blocks] == ["b.yaml"]
    assert report.counts.tables == 1


def test_duplicate_keys_are_their_own_fault() -> None:
    """What is deployed is not what a reader sees."""
    report = checked(Source("a.yaml", GOOD + GOOD.partition(b"\n")[2]))
    assert [fault.code for fault in report.faults] == [FaultCode.DUPLICATE_KEY]
    assert report.exit is Exit.UNREAD


def test_findings_are_reported_beside_faults() -> None:
    """Code 3 goes before 1, and hides nothing."""
    report = checked(Source("b.yaml", b""), Source("a.yaml", BAD))
    assert (report.exit, len(report.findings)) == (Exit.UNREAD, 1)


def test_no_input_is_no_verdict() -> None:
    """A gate without an input is not open."""
    report = checked()
    assert report.exit is Exit.UNREAD
    assert [fault.message for fault in report.faults] == [
        "no input given; try: tablegate check plan.json, or: tablegate check ."
    ]


def test_what_the_caller_met_before_is_in_the_report() -> None:
    """Such as a path that is not there."""
    met = Fault(FaultCode.UNREADABLE, "there is no such file", Place("z.json"))
    report = checked(Source("a.yaml", GOOD), faults=(met,))
    assert (report.exit, report.faults) == (Exit.UNREAD, (met,))
    assert checked(faults=(met,)).faults == (met,)


def test_the_report_does_not_depend_on_the_order_of_its_inputs() -> None:
    """Same input, same bytes."""
    sources = (Source("b.yaml", BAD), Source("c.yaml", b""), Source("a.yaml", BAD), Source("d.yaml", b"{"))
    assert checked(*sources) == checked(*reversed(sources))


def test_overrides_reach_the_tables() -> None:
    """What the configuration says of a table, a policy sees."""

    def purpose(table: Table) -> Verdict:
        return table.declared.purpose.equals("cache")

    settings = Settings(overrides=(Override(address="Orders", path="a.*", purpose="cache"),))
    report = checked(Source("a.yaml", BAD), Source("b.yaml", BAD), policies=(declared(purpose),), settings=settings)
    assert [finding.file for finding in report.findings] == ["b.yaml"]


def test_a_policy_that_crashes_is_code_4_before_all_others() -> None:
    """The others are reported."""

    def crashing(table: Table) -> Verdict:
        raise SystemExit(0)

    policies = (declared(crashing), recovery_on("TT102"))
    report = checked(Source("a.yaml", BAD), Source("b.yaml", b""), policies=policies)
    assert (report.exit, len(report.findings)) == (Exit.INTERNAL, 1)


def test_what_does_not_apply_opens_the_gate() -> None:
    """It is counted apart."""

    def exempt(table: Table) -> Verdict:
        return not_applicable("not here")

    report = checked(Source("a.yaml", BAD), policies=(declared(exempt),))
    assert (report.exit, report.counts.not_applicable) == (Exit.OPEN, 1)


def test_only_the_selected_policies_run() -> None:
    """A selection that is none stops the run."""
    policies = (recovery_on(), recovery_on("TT202", name="other"))
    report = checked(Source("a.yaml", BAD), policies=policies, settings=Settings(select=("TT2",)))
    assert report.counts.policies == 1
    with pytest.raises(ConfigError):
        checked(Source("a.yaml", BAD), settings=Settings(select=("TT2",)))


def test_a_table_that_was_read_and_not_judged_is_code_4(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ledger closes over what the dialects saw, too. This one sees two tables, and gives none."""
    lossy = ModuleType("lossy")
    estate = Estate(file="a.yaml", dialect=Dialect.CLOUDFORMATION)
    lossy.read = lambda *_: Reading(input=Input(path="a.yaml", kind="x", tables=2), estate=estate)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "lossy", lossy)
    monkeypatch.setitem(DIALECTS, Kind.CLOUDFORMATION, "lossy")  # type: ignore[arg-type]  # a dictionary, to us
    report = checked(Source("a.yaml", GOOD))
    assert report.exit is Exit.INTERNAL
    assert [fault.message for fault in report.faults] == ["2 tables were read and 0 checked"]


@pytest.mark.parametrize(
    ("faults", "expected"),
    [
        ((), Exit.OPEN),
        ((Fault(FaultCode.INCOMPLETE, "m", Place("f"), blocks=False),), Exit.OPEN),
        ((Fault(FaultCode.INCOMPLETE, "m", Place("f")),), Exit.UNREAD),
        ((Fault(FaultCode.INCOMPLETE, "m", Place("f")), Fault(FaultCode.INTERNAL, "m", Place("f"))), Exit.INTERNAL),
    ],
)
def test_the_worst_fault_decides(faults: tuple[Fault, ...], expected: Exit) -> None:
    """4 goes before 3, and a fault that does not block is only reported."""
    assert exit_of((), faults) is expected


RAW = {"id": "AC001", "severity": "high", "title": "It must be so", "subject": "resource"}


def test_a_written_policy_sees_the_resource_as_its_dialect_has_it() -> None:
    """In a template, under ``Properties``."""
    path = {"path": "$.Properties.BillingMode", "must": {"equal": "PAY_PER_REQUEST"}}
    assert checked(Source("a.yaml", BAD), policies=data_policies([RAW | path])).counts.held == 1
    path = {"path": "$.Properties.TableName", "must": {"match": "x"}}
    named = BAD + b"      TableName: !Ref Name\n"
    report = checked(Source("a.yaml", named), policies=data_policies([RAW | path]))
    assert (report.counts.unknown, report.findings[0].evidence[0].name) == (1, "Properties.TableName")


def test_a_written_policy_sees_the_resource_of_a_plan() -> None:
    """By the provider's names; what is known only after apply is unknown."""
    plan = next((FIXTURES / "tables").glob("*/plan.json")).read_bytes()
    known = RAW | {"path": "$.name", "must": {"exist": True}}
    later = RAW | {"id": "AC002", "path": "$.stream_arn", "must": {"match": "x"}}
    counts = checked(Source("plan.json", plan), policies=data_policies([known, later])).counts
    assert (counts.held > 0, counts.unknown > 0, counts.failed) == (True, True, 0)


SECRET = b"""\
Parameters:
  Password: {Type: String, NoEcho: true, Default: correct-horse}
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
      KeySchema: [{AttributeName: id, KeyType: HASH}]
      Tags: [{Key: password, Value: !Ref Password}]
"""


def test_a_report_knows_the_secrets_of_every_input() -> None:
    """Whoever writes it must not show them."""
    report = checked(
        Source("a.yaml", SECRET),
        Source("b.yaml", SECRET.replace(b"correct-horse", b"battery-staple")),
        options=ReadOptions(assume_defaults=True),
    )
    assert {"correct-horse", "battery-staple"} <= report.secrets


def test_a_report_says_what_ran() -> None:
    """The profile, what strict would add, and the addresses that overrides name."""
    settings = Settings(overrides=(Override(address="Orders"), Override(address="Carts")))
    report = checked(Source("a.yaml", GOOD), settings=settings)
    assert (report.profile, report.strict_adds, report.addressed) == (Profile.STANDARD, 0, {"Orders"})
    every = policies_in("tablegate_baseline")
    standard = checked(Source("a.yaml", GOOD), policies=every)
    strict = checked(Source("a.yaml", GOOD), policies=every, settings=Settings(profile=Profile.STRICT))
    assert (strict.profile, strict.strict_adds) == (Profile.STRICT, 0)
    assert standard.counts.policies + standard.strict_adds == strict.counts.policies > standard.counts.policies


def test_required_resources() -> None:
    """A run that judged nothing is no pass; one that judged something, or is worse off already, stays as it is."""
    nothing = checked(Source("a.yaml", b"Resources: {Topic: {Type: 'AWS::SNS::Topic'}}"))
    assert (nothing.exit, nothing.faults, nothing.counts.verdicts) == (Exit.OPEN, (), 0)
    required = with_required_resources(nothing)
    (fault,) = required.faults
    assert (required.exit, fault.code, fault.place.file, fault.blocks) == (
        Exit.UNREAD,
        FaultCode.UNREADABLE,
        "a.yaml",
        True,
    )
    several = replace_record(nothing, inputs=nothing.inputs * 2, faults=required.faults)
    assert [one.place.file for one in with_required_resources(several).faults] == ["a.yaml", ""]
    for code in (Exit.UNREAD, Exit.INTERNAL):
        worse = replace_record(nothing, exit=code)
        assert with_required_resources(worse) is worse
    for code in (Exit.BLOCKED, Exit.USAGE):
        assert with_required_resources(replace_record(nothing, exit=code)).exit is Exit.UNREAD
    judged = checked(Source("a.yaml", GOOD))
    assert with_required_resources(judged) is judged


def test_every_policy_runs_in_the_guard() -> None:
    """It is what keeps a pack's policy in bounds."""
    entered = []

    @contextmanager
    def guard() -> Iterator[None]:
        entered.append(1)
        yield

    checked(Source("a.yaml", GOOD), policies=(recovery_on(), recovery_on("TT102", name="again")), guard=guard)
    assert len(entered) == 2
