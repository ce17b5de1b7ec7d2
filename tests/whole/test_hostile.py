"""Hostile inputs: each ends as the index says, in time, in little memory, and gives no secret away."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

import pytest

from tablegate import cli

ROOT = Path(__file__).parents[2]
HOSTILE = ROOT / "fixtures" / "hostile"
SECONDS = 2.0
MEGABYTES = 300
HARMFUL = re.compile(r"^\s*(::|##)|[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", re.MULTILINE)


class Row(NamedTuple):
    """One line of the index."""

    file: str
    exit: str
    says: str
    what: str


ROOMS = ("cdk", "cfn", "hcl", "tfplan")
ROWS = [Row(*line.split("\t")) for line in (HOSTILE / "INDEX.tsv").read_text("utf-8").splitlines()[1:]]


def _run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = cli.run(["check", "--profile", "strict", *arguments])
    return code, *capfd.readouterr()


def test_the_index_is_complete() -> None:
    """Every file has its row, and every row its file."""
    files = {path.relative_to(HOSTILE).as_posix() for room in ROOMS for path in (HOSTILE / room).iterdir()}
    assert files == {row.file for row in ROWS}
    assert sorted(ROWS) == ROWS


@pytest.mark.parametrize("row", ROWS, ids=[row.file for row in ROWS])
def test_each_input_ends_as_the_index_says(
    row: Row, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exit code and the message are pinned; both formats stay whole, and harmless wherever they are shown."""
    monkeypatch.chdir(HOSTILE)
    code, out, err = _run(capfd, row.file, "-o", "json")
    report = json.loads(out, parse_constant=pytest.fail)
    said = [fault["message"] for fault in report["faults"]]
    said += [f"{finding['policy']} {finding['outcome']}: {finding['message']}" for finding in report["findings"]]
    said += [f"{other['policy']} fails: {other['message']}" for each in report["findings"] for other in each["also"]]
    assert (str(code) in row.exit.split(), report["exit"]) == (True, code)
    assert any(row.says.removeprefix("!") in line for line in said) is not row.says.startswith("!")
    again, text, more = _run(capfd, row.file)
    assert again == code
    for shown in (out, err, text, more):
        assert "S3CRET" not in shown
        assert "Traceback" not in shown
        assert not re.search(
            r"^\s*(::|##)|[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", shown, re.M
        )


def test_all_of_them_are_quick_and_small() -> None:
    """Each takes less than two seconds, and none more than 300 MB, in a process that does nothing else."""
    driver = textwrap.dedent("""\
        import pathlib, sys, time
        from tablegate import cli
        for file in sys.argv[1:]:
            begun = time.monotonic()
            cli.run(["check", file, "-o", "json=/dev/null"])
            print(file, time.monotonic() - begun, sep="\\t", file=sys.stderr)
        status = pathlib.Path("/proc/self/status").read_text()
        print(status.partition("VmHWM:")[2].split()[0])
        """)
    ran = subprocess.run(
        [sys.executable, "-c", driver, *(row.file for row in ROWS)],
        cwd=HOSTILE,
        env={"PYTHONPATH": f"{ROOT / 'src'}:{ROOT / 'policies'}"},
        capture_output=True,
        text=True,
        check=True,
    )
    took = dict(line.split("\t") for line in ran.stderr.splitlines() if "\t" in line)
    assert took.keys() == {row.file for row in ROWS}
    assert [] == [file for file, seconds in took.items() if float(seconds) >= SECONDS]
    assert int(ran.stdout.split()[-1]) < MEGABYTES * 1024
