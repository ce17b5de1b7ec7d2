"""What an audit may leave unread, by the configuration: told and counted, and no more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command import err, out, written
from support.command import tablegate as run
from tablegate import ConfigError, check
from tablegate.findings import Exit, Report

BROKEN = "Resources:\n  T: {Type: AWS::DynamoDB::Table}\n  T: {Type: AWS::DynamoDB::Table}\n"
GOOD = "Resources:\n  Topic: {Type: AWS::SNS::Topic, Properties: {DisplayName: dynamodb}}\n"


def audit(folder: Path, *inputs: str, path: str = "parts/*.yaml", reason: str = "filled in by the build") -> Report:
    """The report on a folder with a fragment that may stay unread."""
    (folder / "parts").mkdir(exist_ok=True)
    (folder / "parts" / "half.yaml").write_text(BROKEN)
    (folder / "good.yaml").write_text(GOOD)
    return check(*inputs or (".",), config={"audit": {"accept": [{"path": path, "reason": reason}]}})


@pytest.mark.parametrize("path", ["parts/*.yaml", "parts", "parts/", "**/half.yaml", "parts/half.yaml"])
def test_a_fragment_is_accepted_with_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """By its path, a pattern, or the folder that it is in."""
    monkeypatch.chdir(tmp_path)
    report = audit(tmp_path, path=path)
    assert [(fault.blocks, fault.accepted) for fault in report.faults] == [(False, "filled in by the build")]
    assert report.exit is Exit.OPEN


def test_what_is_named_as_an_input_must_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user asks for it; the configuration is for audits."""
    monkeypatch.chdir(tmp_path)
    report = audit(tmp_path, "parts/half.yaml", "good.yaml")
    assert report.exit is Exit.UNREAD


def test_what_accepts_nothing_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be misspelt, or the fragment may be gone."""
    monkeypatch.chdir(tmp_path)
    report = audit(tmp_path, path="part/*.yaml")
    assert 'audit.accept: nothing that could not be read has the path "part/*.yaml"' in [
        fault.message for fault in report.faults
    ]
    assert report.exit is Exit.UNREAD


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"path": "a"}, "audit.accept.reason is not set and must be a text"),
        ({"reason": "a"}, "audit.accept.path is not set and must be a text"),
        ({"path": "a", "reason": " "}, "audit.accept.reason is empty"),
        ({"path": "a", "reason": "b", "until": "c"}, "unknown key audit.accept.until"),
    ],
)
def test_a_wrong_table_is_a_mistake(table: dict[str, str], message: str) -> None:
    """With the key that is wrong."""
    with pytest.raises(ConfigError, match=message):
        check("fixtures/examples/template.yaml", config={"audit": {"accept": [table]}})


@pytest.mark.parametrize("audit", [{"accept": "x"}, {"acept": []}, "x"])
def test_a_wrong_shape_is_a_mistake(audit: object) -> None:
    """As everywhere in the configuration."""
    with pytest.raises(ConfigError):
        check("fixtures/examples/template.yaml", config={"audit": audit})


def test_the_file_of_an_untrusted_tree_accepts_nothing(tmp_path: Path) -> None:
    """A pull request could leave its own tables unread."""
    folder = written(
        tmp_path, half__yaml=BROKEN, tablegate__toml='[[audit.accept]]\npath = "half.yaml"\nreason = "so"\n'
    )
    written(tmp_path, good__yaml=GOOD)
    assert run("check", ".", cwd=folder).returncode == 0
    other = tmp_path.parent / "other.toml"
    other.write_text("")
    assert run("check", "--untrusted", "--config", str(other), ".", cwd=folder).returncode == 3


def test_the_report_tells_the_reason(tmp_path: Path) -> None:
    """In text and in JSON, which is read again."""
    folder = written(
        tmp_path,
        half__yaml=BROKEN,
        good__yaml=GOOD,
        tablegate__toml='[[audit.accept]]\npath = "half.yaml"\nreason = "so it is"\n',
    )
    ran = run("check", "-o", "json=r.json", "-o", "text", ".", cwd=folder)
    assert "accepted: so it is" in out(ran), err(ran)
    (fault,) = json.loads((folder / "r.json").read_text())["faults"]
    assert (fault["blocks"], fault["accepted"]) == (False, {"reason": "so it is"})
    assert "accepted: so it is" in out(run("render", "r.json", cwd=folder))
