"""An audit by folder: a line for each that has something to look at."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablegate import check
from tablegate.findings import NOTHING, Fault, FaultCode, Input
from tablegate.model.record import replace
from tablegate.model.value import Place
from tablegate.reporters.folders import MAX_FOLDERS, by_folder, folder_lines
from tablegate.reporters.safe import Sanitizer

TABLE = """\
Resources:
  T:
    Type: AWS::DynamoDB::Table
    Properties:
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
      KeySchema: [{AttributeName: id, KeyType: HASH}]
"""
SAFE = Sanitizer((), frozenset())


def test_each_folder_has_its_own_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What blocks, what is unknown, and what was not read."""
    for name, text in {"a/x": TABLE, "a/deep/y": TABLE, "b/z": f"{TABLE}{TABLE}", "c/q": "Resources: {}\n"}.items():
        path = tmp_path / "audit" / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(tmp_path)
    report = check("audit")
    rows = {row.folder: row.cells for row in by_folder(report)}
    assert rows["audit/a"][0] == sum(finding.blocks for finding in report.findings) > 0
    assert rows["audit/a"][3] == 2
    assert rows["audit/b"][2] == 1
    assert next(iter(rows)) == "audit/a"
    lines = list(folder_lines(report, SAFE))
    assert lines[0].split() == ["blocking", "unknown", "not", "read", "inputs"]
    assert lines[1].split()[-1] == "audit/a"


def faulty(*names: str) -> list[str]:
    """The lines for a fault in each of these files, and for an input without one."""
    faults = tuple(Fault(FaultCode.UNREADABLE, "no", Place(name)) for name in names)
    inputs = tuple(Input(path=name, kind="unread") for name in (*names, "clean/t.yaml"))
    return [str(line) for line in folder_lines(replace(NOTHING, faults=faults, inputs=inputs), SAFE)]


def test_many_folders_are_counted() -> None:
    """The list ends, and says how many are left and how many have nothing."""
    lines = faulty(*(f"r{number}/t.yaml" for number in range(MAX_FOLDERS + 3)))
    assert len(lines) == 1 + MAX_FOLDERS + 2
    assert lines[-2:] == ["  ... and 3 more", "  nothing in 1 other"]
    assert faulty("/a/t.yaml")[-1] == "  nothing in 1 other"


def test_one_folder_needs_no_list() -> None:
    """All files are in it; nor does a report without anything to look at."""
    assert faulty("clean/u.yaml") == []
    assert faulty() == []
