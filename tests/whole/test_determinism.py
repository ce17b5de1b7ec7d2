"""The same input gives the same bytes on any machine, and what is secret stands in none of them."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

ROOT = Path(__file__).parents[2]
TABLES = ROOT / "fixtures" / "tables"
SECRETS = ROOT / "fixtures" / "secrets"
CHECK = ("check", "--no-config", "--select", "ALL", "--region", "us-east-1")
INPUTS = tuple(
    str((TABLES / name).relative_to(ROOT))
    for name in (
        "everything-on/plan.json",
        "hot-keys/template.yaml",
        "module-for-each/plan.json",
        "unknown-replica/template.json",
        "unknown-tags/plan.json",
        "two-replicas-customer-keys/plan.json",
        "per-environment/template.yaml",
    )
)
ELSEWHERE = (
    {"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati", "LC_ALL": "C"},
    {"PYTHONHASHSEED": "2", "TZ": "America/Adak", "LC_ALL": "C.UTF-8", "COLUMNS": "40"},
)


def tablegate(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command in a process of its own, from the repository's root."""
    own = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{ROOT / 'src'}:{ROOT / 'policies'}", "PYTHONHASHSEED": "0"}
    command = (sys.executable, "-m", "tablegate", *arguments)
    return subprocess.run(command, cwd=ROOT, env=own | environment, capture_output=True, check=False)


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_same_bytes_everywhere(form: str) -> None:
    """Neither hash seed, nor time zone, nor locale, nor the width of a terminal shows in a report."""
    here = tablegate(*CHECK, "-v", "-o", form, *INPUTS)
    assert here.returncode == 1, here.stderr.decode()
    for environment in ELSEWHERE:
        there = tablegate(*CHECK, "-v", "-o", form, *INPUTS, **environment)
        assert (there.returncode, there.stdout, there.stderr) == (here.returncode, here.stdout, here.stderr)


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_order_of_inputs_says_nothing(form: str) -> None:
    """Inputs named in another order give the same report."""
    assert tablegate(*CHECK, "-o", form, *INPUTS).stdout == tablegate(*CHECK, "-o", form, *reversed(INPUTS)).stdout


def test_a_folder_is_its_files() -> None:
    """A folder gives the report of the files in it, and says beside it what it does not judge."""
    folder = TABLES.relative_to(ROOT) / "hot-keys"
    names = ("template.yaml", "plan.json", "main.tf", "changeset.json", "cdk.out/manifest.json")
    files = [str(folder / name) for name in names if (ROOT / folder / name).exists()]
    of_folder, of_files = (
        json.loads(tablegate(*CHECK, "-o", "json", *inputs).stdout) for inputs in ([str(folder)], files)
    )
    assert of_folder | {"skipped": []} == of_files


def planted() -> list[str]:
    """Every text that is marked as secret in the plan, in each form in which it could come out."""
    plan = json.loads((SECRETS / "plan" / "plan.json").read_text())
    texts = [str(variable["value"]) for variable in plan["variables"].values()]
    return [*texts, *map(_encoded, texts), *(quote(text, safe="") for text in texts)]


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "arguments",
    [
        (*CHECK, "-v"),
        (*CHECK, "-v", "--color", "always"),
        (*CHECK, "-o", "json"),
        (*CHECK, "-q", "--debug"),
        ("show",),
        ("show", "-o", "json"),
    ],
    ids=" ".join,
)
def test_no_secret_of_a_plan_comes_out(arguments: tuple[str, ...]) -> None:
    """What a plan marks as sensitive appears nowhere, nor does a copy of it that is not marked."""
    run = tablegate(*arguments, str(SECRETS.relative_to(ROOT) / "plan" / "plan.json"))
    assert run.returncode in (0, 1), run.stderr.decode()
    out = (run.stdout + run.stderr).decode()
    assert out
    assert [text for text in planted() if text in out] == []


@pytest.mark.parametrize(
    "arguments", [(*CHECK, "-v"), (*CHECK, "-v", "--color", "always"), (*CHECK, "-o", "json"), ("show",)], ids=" ".join
)
def test_no_line_of_source_with_a_secret_is_quoted(arguments: tuple[str, ...]) -> None:
    """The source of a plan is quoted, but for lines in which something stands that the plan marks as sensitive."""
    folder = SECRETS.relative_to(ROOT) / "source"
    out = tablegate(*arguments, str(folder / "plan.json")).stdout.decode()
    assert "main.tf" in out or arguments == ("show",)
    assert [text for text in ("s3cr3t", "31337", "q9z!", "Effect = ") if text in out] == []


@pytest.mark.parametrize("arguments", [(*CHECK, "-v"), (*CHECK, "-o", "json"), ("show",)], ids=" ".join)
def test_no_secret_parameter_comes_out(arguments: tuple[str, ...]) -> None:
    """What is given for a parameter that must not be echoed is not echoed."""
    template = str(SECRETS.relative_to(ROOT) / "template" / "template.yaml")
    given = {"Token": "s3cr3t-given-token", "Suffix": "s3cr3t_given_suffix"}
    parameters = [word for key, value in given.items() for word in ("--param", f"{key}={value}")]
    run = tablegate(*arguments, template, *parameters)
    assert run.returncode in (0, 1), run.stderr.decode()
    out = (run.stdout + run.stderr).decode()
    assert out
    assert [text for text in given.values() if text in out] == []


def test_a_secret_does_not_hide_a_finding() -> None:
    """What is hidden is judged all the same."""
    run = tablegate(*CHECK, "-o", "json", str(SECRETS.relative_to(ROOT) / "plan" / "plan.json"))
    found = {(item["policy"], item["address"]) for item in json.loads(run.stdout)["findings"]}
    assert ("TG301", "aws_dynamodb_table.marked") in found
    assert ("TG403", "aws_dynamodb_table.marked") in found
