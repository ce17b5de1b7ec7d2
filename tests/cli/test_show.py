"""The commands show and iam: what they print, and how they end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from support.command import PLAN, err, out, written
from support.command import tablegate as run

ACCESS = "fixtures/projects/access/stack.yaml"


def test_show_prints_what_policies_see() -> None:
    """The whole model, or what a path leads to; as JSON or YAML."""
    document = json.loads(out(run("show", PLAN)))
    addresses = [table["address"] for table in document["tables"]]
    assert ["aws_dynamodb_table.customers", "aws_dynamodb_table.orders", "aws_dynamodb_table.sessions"] == addresses
    found = json.loads(out(run("show", PLAN, "--path", "$.recovery.enabled")))
    assert [True, False, True] == [item["value"] for item in found]
    assert "address: aws_dynamodb_table.orders" in out(run("show", PLAN, "-o", "yaml"))


def test_show_of_what_cannot_be_read_is_three(tmp_path: Path) -> None:
    """It says why, like check."""
    ran = run("show", "t.yaml", cwd=written(tmp_path, t__yaml=""))
    assert (3, "") == (ran.returncode, out(ran))
    assert "t.yaml: the file is empty" in err(ran)


def test_iam_prints_a_matrix() -> None:
    """Holders and what they may do, and nothing beside it."""
    ran = run("iam", ACCESS)
    assert (0, "") == (ran.returncode, err(ran))
    assert "\nOperator " in out(ran)
    assert "RWDSTA" in out(ran)


@pytest.mark.parametrize(("form", "start"), [("markdown", "### `"), ("csv", "file,holder,"), ("json", '{"version": 1')])
def test_iam_writes_every_format_to_a_file(form: str, start: str, tmp_path: Path) -> None:
    """The screen has the text."""
    ran = run("iam", ACCESS, "-o", "text", "-o", f"{form}={tmp_path / 'matrix'}")
    assert (0, "") == (ran.returncode, err(ran))
    assert (tmp_path / "matrix").read_text().startswith(start)


def test_iam_of_what_was_not_read_is_three() -> None:
    """What can be read is shown too."""
    ran = run("iam", ACCESS, "gone.json")
    assert 3 == ran.returncode
    assert "Operator" in out(ran)
    assert "gone.json" in err(ran)


@pytest.mark.parametrize("arguments", [("iam",), ("iam", ACCESS, "-o", "html"), ("iam", ACCESS, "--param", "x")])
def test_iam_that_cannot_be_meant_is_two(arguments: tuple[str, ...]) -> None:
    """No input, no such format, no such value."""
    assert 2 == run(*arguments).returncode


STEERING = r"""
Parameters:
  Secret: {Type: String, NoEcho: true}
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: "a\u202eb##vso[task.complete]\u200b"
      TimeToLiveSpecification: {Enabled: true, AttributeName: !Ref Secret}
      Tags: [{Key: "##[error]", Value: "größe: \"\u202e\" ##[error]\\"}, {Key: address, Value: Orders}]
"""


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_show_steers_neither_terminals_nor_build_servers(form: str, tmp_path: Path) -> None:
    """What could is escaped as the language does, so that whoever reads the document gets it as it was."""
    ran = run("show", "t.yaml", "-o", form, "--param", "Secret=x", cwd=written(tmp_path, t__yaml=STEERING))
    text = out(ran)
    assert (0, []) == (ran.returncode, [each for each in ("\u202e", "\u200b", "##") if each in text])
    table = (json.loads(text) if form == "json" else yaml.safe_load(text))["tables"][0]
    assert "a\u202eb##vso[task.complete]\u200b" == table["name"]
    assert {"##[error]": 'größe: "\u202e" ##[error]\\', "address": "Orders"} == table["tags"]
    assert ("größe" in text) is (form == "yaml")


@pytest.mark.parametrize("form", ["json", "yaml"])
@pytest.mark.parametrize("secret", ["Orders", "t.yaml", "address", "enabled"])
def test_show_keeps_names_though_a_secret_is_like_them(form: str, secret: str, tmp_path: Path) -> None:
    """Addresses, files and keys are no values; a tag under the same key is."""
    param = f"Secret={secret}"
    ran = run("show", "t.yaml", "-o", form, "--param", param, cwd=written(tmp_path, t__yaml=STEERING))
    shown = json.loads(out(ran)) if form == "json" else yaml.safe_load(out(ran))
    table = shown["tables"][0]
    assert ("t.yaml", "Orders", True) == (shown["file"], table["address"], table["ttl"]["enabled"])
    assert "(sensitive)" == table["ttl"]["attribute"]
    assert table["tags"]["address"] == ("(sensitive)" if secret == "Orders" else "Orders")


@pytest.mark.parametrize(
    "path", ["$.ttl.attribute", "$.ttl", "$.keys", "$.keys[0].attribute", "$.attributes", "$.name"]
)
def test_a_path_leads_to_no_secret(path: str, tmp_path: Path) -> None:
    """Neither to a sensitive value nor into one."""
    head = "Parameters: {Secret: {Type: String, NoEcho: true}}\n"
    parts = "{N: !Select [0, !Split ['-', !Ref Secret]]}"
    text = f"""{head}Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Sub ['x${{N}}', {parts}]
      KeySchema: [{{AttributeName: !Select [0, !Split ['-', !Ref Secret]], KeyType: HASH}}]
      AttributeDefinitions: [{{AttributeName: !Select [0, !Split ['-', !Ref Secret]], AttributeType: S}}]
      TimeToLiveSpecification: {{Enabled: true, AttributeName: !Select [0, !Split ['-', !Ref Secret]]}}
"""
    folder = written(tmp_path, t__yaml=text)
    ran = run("show", "t.yaml", "--path", path, "--param", "Secret=q9z-longer", cwd=folder)
    assert (0, False) == (ran.returncode, "q9z" in out(ran)), out(ran)


def test_what_is_said_beside_the_model_tells_no_secret(tmp_path: Path) -> None:
    """Faults go to standard error, as free of secrets as a report."""
    text = f"{STEERING}  Other: {{Type: AWS::IAM::Policy, Properties: {{PolicyDocument: !Sub '${{Secret}}'}}}}\n"
    for command in ("show", "iam"):
        ran = run(command, "t.yaml", "--param", "Secret=s3cr3t", cwd=written(tmp_path, t__yaml=text))
        assert (3, False) == (ran.returncode, "s3cr3t" in err(ran) + out(ran))


def test_a_path_that_leads_nowhere_is_told() -> None:
    """It begins at a table: a name that no table has is wrong usage, and nothing to print is said."""
    wrong = run("show", PLAN, "--path", "$.tables[*].name")
    assert (2, "") == (wrong.returncode, out(wrong))
    assert "there is no tables" in err(wrong)
    empty = run("show", PLAN, "--path", "$.replicas[*].region")
    assert (0, "[]\n") == (empty.returncode, out(empty))
    assert "note: $.replicas[*].region leads to nothing in the tables of this input\n" == err(empty)
