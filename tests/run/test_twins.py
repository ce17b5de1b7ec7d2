"""A plan beside its source in one folder is one root, counted once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.command import ROOT
from tablegate import check, render
from tablegate.findings import Exit, Outcome, Report
from tablegate.reporters.json_reread import reread

CASE = ROOT / "fixtures" / "cases" / "TG301" / "fails-switched-off"
LATE = """
resource "aws_dynamodb_table" "late" {
  name     = %s
  hash_key = "id"
  attribute {
    name = "id"
    type = "S"
  }
}
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A root module with its plan, in the working directory."""
    (tmp_path / "root").mkdir()
    for name in ("main.tf", "plan.json"):
        shutil.copy(CASE / name, tmp_path / "root" / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "root"


def told(report: Report) -> set[tuple[str, str, Outcome]]:
    """Policies, addresses and outcomes of what is found."""
    return {(finding.policy.id, finding.address, finding.outcome) for finding in report.findings}


def test_the_plan_tells_what_the_source_would_say_again(root: Path) -> None:
    """Named alone, found, and named together: the same findings and counts."""
    alone = check("root/plan.json")
    for inputs in (("root",), (".",), ("root/plan.json", "root")):
        report = check(*inputs)
        assert told(report) == told(alone)
        assert [item.path for item in report.inputs] == ["root/plan.json"]
        assert report.counts == alone.counts
        assert len(report.findings) == len(alone.findings)


def test_what_the_plan_does_not_have_yet_is_found(root: Path) -> None:
    """It is older than its source: a table is missing, and its doubts count, or a value has changed."""
    alone = check("root/plan.json")
    (root / "late.tf").write_text('variable "x" {}\n' + LATE % "var.x")
    report = check("root")
    late = {(id, outcome) for id, address, outcome in told(report) if address == "aws_dynamodb_table.late"}
    assert {("TG301", Outcome.FAILS), ("TG901", Outcome.UNKNOWN)} <= late
    assert told(report) > told(alone)
    assert report.counts.failed > alone.counts.failed
    assert reread(render(report, "json").encode()).exit is report.exit


def test_a_failure_that_the_plan_does_not_show_counts(root: Path, tmp_path: Path) -> None:
    """The plan holds, and the source has been changed since."""
    good = ROOT / "fixtures" / "cases" / "TG301" / "exempt"
    shutil.copy(good / "plan.json", root / "plan.json")
    source = (good / "main.tf").read_text()
    (root / "main.tf").write_text(source)
    assert told(check("root")) == told(check("root/plan.json"))
    (root / "main.tf").write_text(source + LATE % '"late-prod"')
    assert ("TG301", "aws_dynamodb_table.late", Outcome.FAILS) in told(check("root"))


def test_source_that_cannot_be_read_blocks(root: Path) -> None:
    """As without the plan."""
    (root / "broken.tf").write_text('resource "aws_dynamodb_table" {')
    assert check("root").exit is Exit.UNREAD


def test_several_plans_in_a_folder_leave_the_source_apart(root: Path) -> None:
    """Nobody says which of them it is of."""
    shutil.copy(root / "plan.json", root / "other.json")
    assert [item.path for item in check("root").inputs] == ["root", "root/other.json", "root/plan.json"]


def test_a_variable_of_the_source_alone_is_no_mistake(root: Path) -> None:
    """Values that are given for it fit the source, if not the plan."""
    (root / "late.tf").write_text('variable "later" {}\n' + LATE % "var.later")
    assert check("root", variables={"later": "orders-prod"}).exit is Exit.BLOCKED
