"""Repositories of strangers, checked from within: nothing in them runs, opens the gate, or steers who reads of it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NamedTuple

import pytest

from support.command import ROOT, tablegate
from whole.test_hostile import HARMFUL

HOSTILE = ROOT / "fixtures" / "hostile" / "repo"
TABLE = (HOSTILE / "602-shadow-module" / "t.yaml").read_bytes()
NAMES = (b"-rf", b"new\nline", b"::error::x", "\u202efdp".encode(), b"bad\xff", b"x##[group]x", b"\x1b[2Jx")


class Row(NamedTuple):
    """One line of the index."""

    folder: str
    exit: str
    says: str
    what: str


ROWS = [Row(*line.split("\t")) for line in (HOSTILE / "INDEX.tsv").read_text("utf-8").splitlines()[1:]]


def test_the_index_is_complete() -> None:
    """Every folder has its row."""
    assert sorted(path.name for path in HOSTILE.iterdir() if path.is_dir()) == [row.folder for row in ROWS]


@pytest.mark.parametrize("row", ROWS, ids=[row.folder for row in ROWS])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_each_repository_ends_as_the_index_says(row: Row, jobs: str) -> None:
    """Whoever runs the command inside of it runs nothing of it."""
    ran = tablegate("check", ".", "--jobs", jobs, cwd=HOSTILE / row.folder)
    said = (ran.stdout.decode() + ran.stderr.decode()).replace("\n   | ", " ")  # where a line is continued
    assert (int(row.exit), True, False) == (ran.returncode, row.says in said, "nobody may run this" in said), said


@pytest.mark.parametrize("flags", [("--no-ignore",), ("--untrusted", "--no-config"), ("--config-ref", "HEAD")])
def test_where_the_tree_is_not_trusted_it_leaves_nothing_out(tmp_path: Path, flags: tuple[str, ...]) -> None:
    """An ignore file of a stranger hides nothing then."""
    (tmp_path / "t.yaml").write_bytes(TABLE)
    (tmp_path / ".gitignore").write_text("*\n")
    assert 3 == tablegate("check", ".", cwd=tmp_path).returncode
    if "--config-ref" in flags:
        commit = "git init -q . && git -c user.name=x -c user.email=x@example.com commit -q --allow-empty -m x"
        assert os.system(f"cd '{tmp_path}' && {commit}") == 0  # noqa: S605 - a folder of our own
    assert 1 == tablegate("check", ".", *flags, cwd=tmp_path).returncode


@pytest.mark.parametrize("variable", ["TABLEGATE_UNTRUSTED", "TABLEGATE_NO_IGNORE"])
def test_the_matrix_leaves_nothing_out_either(tmp_path: Path, variable: str) -> None:
    """It has no flag for it, but the variable counts for every command."""
    (tmp_path / "t.yaml").write_bytes(TABLE)
    (tmp_path / ".gitignore").write_text("*\n")
    assert 3 == tablegate("iam", ".", cwd=tmp_path).returncode
    assert 0 == tablegate("iam", ".", cwd=tmp_path, env={variable: "1"}).returncode


@pytest.mark.parametrize("command", [("check", "t.yaml"), ("explain", "TG301"), ("policies",), ("config", "schema")])
def test_policies_of_a_stranger_are_not_loaded(tmp_path: Path, command: tuple[str, ...]) -> None:
    """Loading a file runs its code, also where the flag names a folder that the pull request changed."""
    (tmp_path / "t.yaml").write_bytes(TABLE)
    (tmp_path / "own.py").write_text("open('touched', 'w')\n")
    untrusted = {"TABLEGATE_UNTRUSTED": "1"}
    ran = tablegate(*command, "--no-config", "--policies", "own.py", cwd=tmp_path, env=untrusted)
    assert 2 == ran.returncode
    assert b"--policies: own.py is in the working tree, which is not trusted" in ran.stderr
    assert not (tmp_path / "touched").exists()


@pytest.mark.parametrize("form", ["text", "json"])
def test_names_of_files_steer_nobody(tmp_path: Path, form: str) -> None:
    """Whatever a file or a folder of source is called, it is judged, and its name is shown and not obeyed."""
    for name in NAMES:
        (tmp_path / os.fsdecode(name + b".yaml")).write_bytes(TABLE)
        (tmp_path / os.fsdecode(name)).mkdir()
        source = (HOSTILE / "600-foreign-config" / "main.tf").read_bytes()
        (tmp_path / os.fsdecode(name) / os.fsdecode(name + b".tf")).write_bytes(source)
    ran = tablegate("check", "--no-config", ".", "-o", form, cwd=tmp_path)
    assert 1 == ran.returncode, ran.stderr.decode()
    assert None is HARMFUL.search(ran.stdout.decode()), HARMFUL.search(ran.stdout.decode())
    again = tablegate("check", "--no-config", ".", "-o", form, "--jobs", "2", cwd=tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr) == (again.returncode, again.stdout, again.stderr)
    if form == "json":
        assert 2 * len(NAMES) == len(json.loads(ran.stdout)["inputs"])


def test_a_name_that_looks_like_a_flag_can_be_given(tmp_path: Path) -> None:
    """After two dashes."""
    (tmp_path / "-rf.yaml").write_bytes(TABLE)
    assert 1 == tablegate("check", "--no-config", "--", "-rf.yaml", cwd=tmp_path).returncode
