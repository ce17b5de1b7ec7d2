"""The harness that proves a pack: it must refuse what is not proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.policies import declared
from tablegate.model.table import GLOBAL_TABLE
from tablegate.policy import HIGH, Policy, Table, Verdict, policy, when
from tablegate.testing import Case, cases, cases_of, gaps, gaps_of, judged, outcome, prove, smallest, smallest_template

HEAD = """\
Parameters:
  Purpose: {Type: String}
  Keep: {Type: String, AllowedValues: ["yes", "no"]}
Conditions:
  Kept: !Equals [!Ref Keep, "yes"]
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
      KeySchema: [{AttributeName: id, KeyType: HASH}]
"""
ON = """\
      PointInTimeRecoverySpecification:
        PointInTimeRecoveryEnabled: true
"""
BY_PARAMETER = """\
      PointInTimeRecoverySpecification:
        PointInTimeRecoveryEnabled: !If [Kept, true, false]
"""
UNKNOWN = """\
      PointInTimeRecoverySpecification:
        PointInTimeRecoveryEnabled: !Ref Purpose
"""
REMEDY = "PointInTimeRecoverySpecification:\n  PointInTimeRecoveryEnabled: true\n"
WIDE = """\
Replicas:
  - Region: us-east-1
    PointInTimeRecoverySpecification:
      PointInTimeRecoveryEnabled: true
"""


@policy("TT301", HIGH, "Recovery must be on", docs="", terraform=None, cloudformation=REMEDY, global_table=WIDE)
def recovery(table: Table, *, exempt: tuple[str, ...] = ()) -> Verdict:
    """Because a test says so."""
    return when(~table.declared.purpose.one_of(*exempt), lambda: table.recovery.enabled.is_true, "exempt")


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


def proved(folder: Path, outcome: str, text: str, expect: str = "", options: str = "") -> None:
    """Prove one case of the policy, written for the occasion."""
    write(folder, "TT301/x/template.yaml", text)
    write(folder, "TT301/x/expect.toml", expect)
    write(folder, "TT301/x/options.toml", options)
    prove(Case(recovery, outcome, folder / "TT301" / "x" / "template.yaml"))


def told(folder: Path, outcome: str, text: str, expect: str = "", options: str = "") -> str:
    with pytest.raises(AssertionError) as caught:
        proved(folder, outcome, text, expect, options)
    return str(caught.value)


def test_cases_are_found_by_policy_outcome_and_input(tmp_path: Path) -> None:
    """In a fixed order on any file system."""
    for name in (
        "holds/template.yaml",
        "fails/template.json",
        "fails/plan.json",
        "fails-so/plan.json",
        "fails/main.tf",
    ):
        write(tmp_path, f"TT301/{name}", "")
    write(tmp_path, "TT301/README.md", "")
    assert [str(case) for case in cases((recovery,), tmp_path)] == [
        "TT301-fails-template.json",
        "TT301-fails-plan.json",
        "TT301-fails-so-plan.json",
        "TT301-holds-template.yaml",
    ]
    assert [case.outcome for case in cases_of(recovery, tmp_path)] == ["fails", "fails", "fails", "holds"]


def test_a_case_that_is_what_it_says_is_proved(tmp_path: Path) -> None:
    """Every outcome can be proved, with all that a finding says."""
    proved(tmp_path, "holds", HEAD + ON)
    proved(tmp_path, "fails", HEAD, 'address = "Orders"\nmessage = "recovery is off"\nline = 7\nseverity = "high"')
    proved(tmp_path, "fails", HEAD, 'findings = 1\noutcome = "fails"\nline = 1\n["template.yaml"]\nline = 7')
    proved(tmp_path, "unknown", HEAD + UNKNOWN, "findings = 1")
    proved(tmp_path, "fails", HEAD + BY_PARAMETER, 'scenario = {Keep = "no"}')
    proved(tmp_path, "holds", HEAD + BY_PARAMETER, options='[parameters]\nKeep = "yes"')
    exempt = '[options]\nexempt = ["cache"]\n[[overrides]]\naddress = "*"\npurpose = "cache"'
    proved(tmp_path, "exempt", HEAD, options=exempt)
    proved(tmp_path, "fails", HEAD, 'severity = "low"', options='severity = "low"')
    proved(tmp_path, "nothing checked", "{", 'faults = ["TG001"]')


def test_a_case_that_is_not_what_it_says_is_refused(tmp_path: Path) -> None:
    """With what was expected, and what was found."""
    assert "outcome: expected 'fails', found 'holds'" in told(tmp_path, "fails", HEAD + ON)
    assert "outcome: expected 'holds', found 'fails'" in told(tmp_path, "holds", HEAD)
    assert "no finding matches" in told(tmp_path, "fails", HEAD, "line = 99")
    assert "point-in-time recovery is off (default) {'address': 'Orders'" in told(tmp_path, "fails", HEAD, 'part = "x"')
    assert "no finding matches" in told(tmp_path, "fails", HEAD, 'message = "something else"')
    assert "number of findings: expected 2, found 1" in told(tmp_path, "fails", HEAD, "findings = 2")
    assert "blocking faults: expected [], found ['TG001']" in told(tmp_path, "fails", "{")
    assert "blocking faults: expected ['TG001'], found []" in told(tmp_path, "fails", HEAD, 'faults = ["TG001"]')


def test_a_line_is_not_asked_of_a_plan(tmp_path: Path) -> None:
    """A plan is one line that no reader ever saw."""
    write(tmp_path, "TT301/fails/plan.json", "{")
    write(tmp_path, "TT301/fails/expect.toml", 'line = 7\nfaults = ["TG001"]')
    prove(Case(recovery, "nothing checked", tmp_path / "TT301" / "fails" / "plan.json"))


def test_parts_are_compared(tmp_path: Path) -> None:
    """A finding about an index names it."""
    write(tmp_path, "expect.toml", "part = {index = 'a'}")
    case = Case(recovery, "fails", tmp_path / "template.yaml")
    write(tmp_path, "template.yaml", HEAD)
    with pytest.raises(AssertionError, match="no finding matches"):
        prove(case)
    assert outcome(judged(case)) == "fails"


def test_a_policy_needs_a_failing_and_a_holding_case_with_its_remedy(tmp_path: Path) -> None:
    """Otherwise the remedy is not proved."""
    assert gaps((recovery,), tmp_path) == (
        "TT301: no case in CloudFormation that fails",
        "TT301: no case in CloudFormation that holds",
        "TT301: the remedy in CloudFormation is in no case that holds",
        "TT301: the remedy for a global table is in no case that holds",
    )
    write(tmp_path, "TT301/fails/template.yaml", HEAD)
    write(tmp_path, "TT301/holds/template.yaml", HEAD)
    write(tmp_path, "TT301/breaks/template.yaml", HEAD)
    assert gaps_of(recovery, tmp_path) == (
        "TT301: 'breaks' does not begin with an outcome: use one of fails, holds, unknown, exempt",
        "TT301: the remedy in CloudFormation is in no case that holds",
        "TT301: the remedy for a global table is in no case that holds",
    )
    write(tmp_path, "TT301/holds-global/template.yaml", smallest_template(WIDE, GLOBAL_TABLE))
    write(tmp_path, "TT301/holds-too/template.yaml", HEAD + ON)
    (tmp_path / "TT301" / "breaks" / "template.yaml").unlink()
    assert gaps_of(recovery, tmp_path) == ()


def test_the_remedy_in_terraform_stands_in_the_source_of_a_plan(tmp_path: Path) -> None:
    """However it is indented; each of its paragraphs counts."""

    def check(table: Table) -> Verdict:
        return table.recovery.enabled.is_true

    remedied = _terraform_only(declared(check, "TT302"), "ttl {\n  enabled = true\n}\n\nlifecycle {}")
    write(tmp_path, "TT302/fails/plan.json", "")
    write(tmp_path, "TT302/holds/plan.json", "")
    missing = ("TT302: the remedy in Terraform is in no case that holds",)
    assert gaps_of(remedied, tmp_path) == missing
    write(tmp_path, "TT302/holds/main.tf", "x {\n  lifecycle {}\n  ttl {\n     enabled   = true\n  }\n}")
    assert gaps_of(remedied, tmp_path) == ()
    write(tmp_path, "TT302/holds/main.tf", "x {\n  ttl {\n     enabled   = true\n  }\n}")
    assert gaps_of(remedied, tmp_path) == missing


def _terraform_only(item: Policy, remedy: str) -> Policy:
    declare = policy(item.id, item.severity, item.title, docs="", terraform=remedy, cloudformation=None)
    return declare(item.check)


def test_the_remedy_alone_mends_the_smallest_table(tmp_path: Path) -> None:
    """The handbook prints the remedy that is proved."""
    assert outcome(smallest(recovery, remedied=False)) == "fails"
    assert outcome(smallest(recovery, remedied=True)) == "holds"
    assert outcome(smallest(recovery, remedied=False, type=GLOBAL_TABLE)) == "fails"
    assert outcome(smallest(recovery, remedied=True, type=GLOBAL_TABLE)) == "holds"
    useless = policy("TT303", HIGH, "x", docs="", terraform=None, cloudformation="TableName: x")(recovery.check)
    assert gaps_of(useless, tmp_path)[-1].startswith(
        "TT303: the smallest AWS::DynamoDB::GlobalTable with the remedy fails"
    )


def test_a_pack_can_be_named() -> None:
    """As its package."""
    found = cases("tablegate_baseline", Path(__file__).parents[1] / "fixtures" / "cases")
    assert {case.policy.id for case in found} >= {"TG101", "TG301"}
