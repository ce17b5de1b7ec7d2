"""The commands show and iam: what they print, and how they end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

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
