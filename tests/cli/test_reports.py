"""Where reports go, and how they look: files, pipes, terminals."""

from __future__ import annotations

import json
import os
import pty
import re
import termios
from pathlib import Path

import pytest

from support.command import ROOT, TEMPLATE, err, out, shell, written
from support.command import tablegate as run

BAD = """\
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
      KeySchema: [{AttributeName: id, KeyType: HASH}]
"""


def test_several_reports_in_one_run(tmp_path: Path) -> None:
    """Text goes to the screen unless another format does; files are written beside it."""
    folder = written(tmp_path, t__yaml=BAD)
    ran = run("check", "t.yaml", "-o", "json=r.json", "-o", "text=r.txt", cwd=folder)
    document = json.loads((folder / "r.json").read_text())
    assert (1, 1) == (ran.returncode, document["exit"])
    assert (folder / "r.txt").read_text() == out(ran)
    assert ["r.json", "r.txt", "t.yaml"] == sorted(path.name for path in folder.iterdir())


def test_json_on_the_screen_leaves_the_gate_to_standard_error(tmp_path: Path) -> None:
    """Standard output is the document and nothing else."""
    ran = run("check", "t.yaml", "-o", "json", cwd=written(tmp_path, t__yaml=BAD))
    assert json.loads(out(ran))["gate"] == "blocked"
    assert err(ran) == "gate: blocked (exit 1)\n"


def test_the_format_never_changes_the_code(tmp_path: Path) -> None:
    """Each format ends alike."""
    folder = written(tmp_path, t__yaml=BAD)
    assert {1} == {run("check", "t.yaml", "-o", form, cwd=folder).returncode for form in ("text", "json")}


@pytest.mark.parametrize("path", ["r.json", "elsewhere/x.json", "{tree}/r.json", "{tree}/elsewhere/x.json"])
@pytest.mark.parametrize("cwd", ["tree", "."])
def test_a_report_is_never_written_through_a_link(tmp_path: Path, path: str, cwd: str) -> None:
    """A link in a checked-out tree may lead anywhere, and so may a folder that is one, by whatever path it is named."""
    (tmp_path / "tree" / ".git").mkdir(parents=True)
    folder = written(tmp_path / "tree", t__yaml=BAD, kept="as it was")
    (folder / "r.json").symlink_to(folder / "kept")
    (folder / "elsewhere").symlink_to(tmp_path)
    named = path.format(tree=folder) if cwd == "tree" or "{" in path else f"tree/{path}"
    ran = run("check", str(folder / "t.yaml"), "-o", f"json={named.format(tree=folder)}", cwd=tmp_path / cwd)
    assert ran.returncode == 4
    assert "is a symbolic link" in re.sub(r"[\s|]+", " ", out(ran))
    assert (folder / "kept").read_text() == "as it was"
    assert not (tmp_path / "x.json").exists()


def test_a_report_is_written_below_a_link_of_the_machine(tmp_path: Path) -> None:
    """A link that is in no checkout nobody else has made: a temporary folder is one on some systems."""
    (tmp_path / "real").mkdir()
    folder = written(tmp_path / "real", t__yaml=BAD)
    (tmp_path / "link").symlink_to(folder)
    assert run("check", "t.yaml", "-o", f"json={tmp_path / 'link' / 'r.json'}", cwd=folder).returncode == 1
    assert (folder / "r.json").exists()


def test_a_report_that_cannot_be_written_is_four_and_leaves_the_old_one(tmp_path: Path) -> None:
    """A missing folder, or a folder with the file's name, is reported once: in the text if there is one."""
    folder = written(tmp_path, t__yaml=BAD)
    (folder / "taken").mkdir()
    for path in ("nowhere/r.json", "taken"):
        ran = run("check", "t.yaml", "-o", f"json={path}", cwd=folder)
        assert (4, "", 1) == (ran.returncode, err(ran), out(ran).count(f"{path}: "))
        assert "\ngate: failed, not everything could be checked (exit 4)\nnext: correct " in out(ran)
        ran = run("check", "t.yaml", "-o", f"json={path}", "-o", "json", cwd=folder)
        assert (4, 1) == (ran.returncode, err(ran).count(f"{path}: "))
    assert ["t.yaml", "taken"] == sorted(path.name for path in folder.iterdir())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    "arguments", [("check", TEMPLATE), ("check", TEMPLATE, "-o", "json"), ("--version",), ("policies",)]
)
def test_a_full_disk_is_four(arguments: tuple[str, ...]) -> None:
    """A report that did not arrive is no report."""
    with Path("/dev/full").open("wb") as full:
        ran = run(*arguments, stdout=full.fileno())
    assert ran.returncode == 4
    assert "standard output: no space left on device" in err(ran)
    assert "Traceback" not in err(ran)


def test_closed_standard_output_is_four() -> None:
    """It was due there."""
    ran = shell(f"$TABLEGATE check {TEMPLATE} >&-")
    assert (4, b"tablegate: standard output is closed\n") == (ran.returncode, ran.stderr)


def test_a_reader_who_leaves_early_changes_nothing() -> None:
    """A broken pipe is quiet, and the gate keeps its code."""
    ran = shell(f"($TABLEGATE check {TEMPLATE} -v; echo $? >&2) | true")
    assert ran.stderr == b"1\n"


def test_a_terminal_without_unicode_is_given_ascii() -> None:
    """In any locale nothing is lost and nothing fails."""
    narrow = {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    ran = run("check", TEMPLATE, env=narrow)
    assert (1, b"") == (ran.returncode, ran.stderr)
    assert ran.stdout.isascii()
    assert out(ran).startswith("tablegate 0.1.0 - CloudFormation template - 2 tables")


@pytest.mark.parametrize(
    ("env", "arguments", "expected"),
    [
        ({}, (), False),
        ({"FORCE_COLOR": "1"}, (), True),
        ({"CLICOLOR_FORCE": "1"}, (), True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, (), False),
        ({"NO_COLOR": "1"}, ("--color", "always"), True),
        ({"FORCE_COLOR": "1"}, ("--color", "never"), False),
        ({"FORCE_COLOR": "0"}, (), False),
    ],
)
def test_colour_is_for_those_who_want_it(env: dict[str, str], arguments: tuple[str, ...], expected: bool) -> None:
    """The flag decides, then NO_COLOR, then what forces it; a pipe has none."""
    assert expected == (b"\x1b[" in run("check", TEMPLATE, *arguments, env=env).stdout)


def test_a_file_is_never_coloured(tmp_path: Path) -> None:
    """Colour is for terminals."""
    folder = written(tmp_path, t__yaml=BAD)
    run("check", "t.yaml", "--color", "always", "-o", "text=r.txt", cwd=folder)
    assert "\x1b" not in (folder / "r.txt").read_text()


def test_reports_go_to_devices_and_pipes_as_they_are(tmp_path: Path) -> None:
    """What is no file is written to, and never replaced."""
    os.mkfifo(tmp_path / "pipe")
    ran = shell(f"cat pipe > read & $TABLEGATE check {ROOT / TEMPLATE} -q -o json=pipe > /dev/null; wait", cwd=tmp_path)
    assert ran.stderr == b""
    assert json.loads((tmp_path / "read").read_text())["gate"] == "blocked"
    ran = run("check", TEMPLATE, "-q", "-o", "json=/dev/stdout")
    assert '"gate": "blocked"' in out(ran)


def test_a_file_that_cannot_be_finished_is_not_there(tmp_path: Path) -> None:
    """A full disk leaves the old report, and no draft beside it."""
    (tmp_path / "r.json").write_text("old")
    ran = shell(f"ulimit -f 1; $TABLEGATE check {ROOT / TEMPLATE} -q -o json=r.json", cwd=tmp_path)
    assert (4, b"", 1) == (ran.returncode, ran.stderr, ran.stdout.count(b"r.json: file too large"))
    assert [("r.json", "old")] == [(path.name, path.read_text()) for path in tmp_path.iterdir()]


def test_closed_standard_error_changes_nothing() -> None:
    """Messages are dropped, and the code stays."""
    assert shell("$TABLEGATE explain TG999 2>&-").returncode == 2
    assert shell("$TABLEGATE explain TG999 2>/dev/full").returncode == 2


@pytest.mark.parametrize(("columns", "widest"), [(72, 72), (30, 60), (500, 120)])
def test_a_terminal_has_colour_and_a_width(tmp_path: Path, columns: int, widest: int) -> None:
    """Prose is wrapped to the reader's width, within reason."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, columns))
    ran = run("check", "t.yaml", "--select", "TG301", cwd=written(tmp_path, t__yaml=BAD), stdout=theirs)
    os.close(theirs)
    text = os.read(ours, 100_000).decode()
    os.close(ours)
    assert ran.returncode == 1
    assert "\x1b[1;31mhigh[TG301" in text
    prose = [re.sub(r"\x1b\[[\d;]*m", "", line) for line in text.splitlines() if "why:" in line]
    assert [True] == [len(line) <= widest for line in prose]


def test_a_terminal_that_is_dumb_has_no_colour(tmp_path: Path) -> None:
    """TERM says so."""
    ours, theirs = pty.openpty()
    run("check", "t.yaml", "-q", cwd=written(tmp_path, t__yaml=BAD), stdout=theirs, env={"TERM": "dumb"})
    os.close(theirs)
    text = os.read(ours, 100_000)
    os.close(ours)
    assert b"gate: blocked" in text
    assert b"\x1b" not in text
