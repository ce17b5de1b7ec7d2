"""The same input gives the same bytes on any machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.spellings import SPELLINGS
from tablegate.reporters import REPORTERS

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


@pytest.mark.parametrize("form", REPORTERS)
def test_the_same_bytes_everywhere(form: str) -> None:
    """Neither hash seed, nor time zone, nor locale, nor the width of a terminal shows in a report."""
    here = tablegate(*CHECK, "-v", "-o", form, *INPUTS)
    assert here.returncode == 1, here.stderr.decode()
    for environment in ELSEWHERE:
        there = tablegate(*CHECK, "-v", "-o", form, *INPUTS, **environment)
        assert (there.returncode, there.stdout, there.stderr) == (here.returncode, here.stdout, here.stderr)


@pytest.mark.parametrize("form", REPORTERS)
def test_the_order_of_inputs_says_nothing(form: str) -> None:
    """Inputs named in another order give the same report."""
    assert tablegate(*CHECK, "-o", form, *INPUTS).stdout == tablegate(*CHECK, "-o", form, *reversed(INPUTS)).stdout


def test_a_folder_is_its_files() -> None:
    """A folder gives the report of the files in it, and says beside it what it does not judge."""
    folder = TABLES.relative_to(ROOT) / "hot-keys"
    names = ["cdk.out/manifest.json" if name == "cdk.out" else name for name in SPELLINGS]
    files = [str(folder / name) for name in names if (ROOT / folder / name).exists()]
    of_folder, of_files = (
        json.loads(tablegate(*CHECK, "-o", "json", *inputs).stdout) for inputs in ([str(folder)], files)
    )
    assert of_folder | {"skipped": []} == of_files


def test_lines_of_source_are_quoted() -> None:
    """A plan's source is quoted, except for lines with a value that the plan marks as sensitive."""
    out = tablegate(*CHECK, "-v", str(SECRETS.relative_to(ROOT) / "plan-with-source" / "plan.json")).stdout.decode()
    assert "main.tf:" in out
    assert 'hash_key     = "id"' in out


def test_a_secret_does_not_hide_a_finding() -> None:
    """What is hidden is judged all the same."""
    run = tablegate(*CHECK, "-o", "json", str(SECRETS.relative_to(ROOT) / "terraform-plan" / "plan.json"))
    found = {(item["policy"], item["address"]) for item in json.loads(run.stdout)["findings"]}
    assert ("TG301", "aws_dynamodb_table.marked") in found
    assert ("TG403", "aws_dynamodb_table.marked") in found
