"""The door for programs: one function, from texts and files to a report."""

from __future__ import annotations

import doctest
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tablegate
from support.command import ROOT
from support.command import tablegate as command
from support.policies import recovery_on
from tablegate import ConfigError, PolicyError, Text, api, check, render
from tablegate.findings import Exit

PLAN = "fixtures/examples/plan.json"
TEMPLATE = """\
Parameters: {Mode: {Type: String}}
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      BillingMode: !Ref Mode
      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
      KeySchema: [{AttributeName: id, KeyType: HASH}]
"""
SOURCE = """\
variable "mode" {}
resource "aws_dynamodb_table" "orders" {
  name         = "orders"
  billing_mode = var.mode
  hash_key     = "id"
  attribute {
    name = "id"
    type = "S"
  }
}
"""


@pytest.fixture(autouse=True)
def _in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_the_examples_are_true(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the docstring, and those of the README."""
    monkeypatch.chdir(ROOT / "fixtures" / "examples")
    assert doctest.testmod(api).failed == 0
    [section] = re.findall(r"## From Python\n(.*?)\n##", (ROOT / "README.md").read_text(), re.DOTALL)
    [example] = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    test = doctest.DocTestParser().get_doctest(example, {}, "README.md", None, None)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0


def test_a_file_is_checked_as_the_command_checks_it() -> None:
    """The JSON report has the same bytes."""
    report = check(PLAN)
    ran = command("check", "--no-config", "-o", "json", PLAN)
    assert (render(report, "json").encode(), int(report.exit)) == (ran.stdout, ran.returncode)
    assert "gate: blocked" in render(report)


def test_a_folder_is_checked_with_what_is_skipped() -> None:
    """Plans have the source that lies beside them."""
    folder = "fixtures/tables/hot-keys"
    assert render(check(Path(folder)), "json").encode() == command("check", "--no-config", "-o", "json", folder).stdout


def test_texts_are_inputs() -> None:
    """Their names say what is Terraform source; reports call them so."""
    report = check(Text("orders.yaml", TEMPLATE), Text("main.tf", SOURCE.encode()), select=["TG301"])
    assert {(item.path, item.kind) for item in report.inputs} == {
        ("orders.yaml", "cloudformation"),
        (".", "terraform-source"),
    }
    assert {(finding.place.file, finding.place.line) for finding in report.findings if finding.place} == {
        ("orders.yaml", 3),
        ("main.tf", 2),
    }


def test_nothing_beside_a_text_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither variables, nor modules, nor a configuration, nor the environment."""
    (tmp_path / "terraform.tfvars").write_text('mode = "PROVISIONED"')
    (tmp_path / "tablegate.toml").write_text('select = ["TG304"]')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TF_VAR_mode", "PROVISIONED")
    monkeypatch.setenv("TABLEGATE_SELECT", "TG304")
    [finding] = check(Text("main.tf", SOURCE), select=["TG101"]).findings
    assert finding.outcome == "unknown"


def test_values_settle_what_an_input_leaves_open() -> None:
    """A parameter of CloudFormation, a variable of Terraform."""
    texts = Text("orders.yaml", TEMPLATE), Text("main.tf", SOURCE)
    mode = "PROVISIONED"
    report = check(*texts, parameters={"Mode": mode}, variables={"mode": mode}, select="TG101", fail_on="medium")
    assert {str(finding.outcome) for finding in report.findings} == {"fails"}
    assert len(report.findings) == 2


def test_what_is_set_by_arguments_and_by_a_configuration(tmp_path: Path) -> None:
    """The keys are those of tablegate.toml, and arguments come first."""
    table = {"select": ["TG301", "TG304"], "policies": {"TG301": {"severity": "low"}}, "require-resources": True}
    report = check(Text("t.yaml", TEMPLATE), config=table, ignore=["TG304"], unknown="warn")
    assert [(finding.policy.id, finding.severity) for finding in report.findings] == [("TG301", "low")]
    assert report.exit is Exit.OPEN
    assert check(Text("t.yaml", "Resources: {A: {Type: 'AWS::SNS::Topic'}}"), config=table).exit is Exit.UNREAD
    (tmp_path / "tablegate.toml").write_text('select = ["TG304"]')
    report = check(Text("t.yaml", TEMPLATE), config=tmp_path / "tablegate.toml")
    assert {finding.policy.id for finding in report.findings} == {"TG304"}


def test_policies_of_ones_own() -> None:
    """Given as they are, or by the path of their file."""
    [finding] = check(Text("t.yaml", TEMPLATE), policies=[recovery_on()], select=["TT101"]).findings
    assert finding.policy.name == "recovery-on"
    with pytest.raises(PolicyError, match="no such file or folder"):
        check(policies=["nowhere.py"])


def test_what_a_pack_prints_is_no_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It goes to standard error."""
    pack = "from tablegate.policy import HIGH, Table, Verdict, holds, policy\nprint('loaded')\n"
    pack += "@policy('XX001', HIGH, 'x', docs='https://x.example.com', terraform='x = 1', cloudformation='X: 1')\n"
    pack += "def check(table: Table) -> Verdict:\n    'Why.'\n    return holds()\n"
    (tmp_path / "pack.py").write_text(pack)
    check(Text("t.yaml", TEMPLATE), policies=[tmp_path / "pack.py"], select=["XX001"])
    assert capsys.readouterr() == ("", "loaded\n")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"select": ["nothing"]}, "nothing"),
        ({"select": [1]}, "a list of texts"),
        ({"fail_on": "always"}, "fail-on"),
        ({"config": {"selekt": []}}, "selekt"),
    ],
)
def test_wrong_arguments_are_refused(wrong: dict[str, object], message: str) -> None:
    """By an error that names them."""
    with pytest.raises(ConfigError, match=message):
        check(Text("t.yaml", TEMPLATE), **wrong)  # type: ignore[arg-type]


def test_other_mistakes() -> None:
    """Two inputs of one name, a format that is none, and no input at all."""
    with pytest.raises(ConfigError, match=r'two inputs are called "t.yaml"'):
        check(Text("t.yaml", TEMPLATE), Text("t.yaml", TEMPLATE))
    with pytest.raises(ConfigError, match='"sarfi" is no format'):
        render(check(Text("t.yaml", TEMPLATE)), "sarfi")
    assert (check().exit, check("nowhere.json").exit) == (Exit.UNREAD, Exit.UNREAD)
    with pytest.raises(AttributeError, match="chekc"):
        _ = tablegate.chekc  # type: ignore[attr-defined]


def test_importing_tablegate_is_cheap() -> None:
    """The first call pays for what it uses."""
    program = "import sys, tablegate; print(sorted(name for name in sys.modules if name.startswith('tablegate')))"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout.replace("'", '"')) == ["tablegate"]
