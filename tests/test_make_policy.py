"""What `make policy` writes: a policy in its place, and cases that run."""

from __future__ import annotations

import runpy
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tablegate.packs import from_path
from tablegate.testing import cases_of, gaps_of, prove

ROOT = Path(__file__).parents[1]
SCRIPT: dict[str, Any] = runpy.run_path(str(ROOT / "fixtures" / "make_policy.py"))
write: Callable[..., Path] = SCRIPT["write"]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A root with a pack of its own."""
    shutil.copytree(ROOT / "policies", tmp_path / "policies", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


@pytest.mark.parametrize(
    ("id", "theme", "file"),
    [("TG999", "", "governance"), ("TG900", "", "governance"), ("TG598", "access/width", "access/width")],
)
def test_the_skeleton_is_proved_by_its_cases(copy: Path, id: str, theme: str, file: str) -> None:
    """It stands among the others by its id, and each of its cases is what its folder says."""
    written = write(copy, id, "some-name", theme)
    assert written == Path("policies", "tablegate_baseline", f"{file}.py")
    policies = from_path(copy / written)
    (policy,) = [policy for policy in policies if policy.id == id]
    text = (copy / written).read_text()
    places = [text.index(f'"{each.id}"') for each in policies]
    assert places == sorted(places)
    cases = cases_of(policy, copy / "fixtures" / "cases")
    assert {case.outcome for case in cases} == {"fails", "holds", "unknown"}
    for case in cases:
        prove(case)
        assert case.input.with_name("main.tf").exists()
    assert all("in Terraform" in gap for gap in gaps_of(policy, copy / "fixtures" / "cases"))  # until make plans


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("TG301", "some-name"), "recovery.py:"),
        (("TG399", "deletion-protection"), "deletion-protection exists already"),
        (("ACME1", "some-name"), "an id of this pack is TG and three digits"),
        (("TG399", "Some Name"), "a name is lower-case words"),
        (("TG399", "class"), "a name is lower-case words"),
        (("TG598", "some-name"), "give THEME: one of access/bypasses, "),
        (("TG399", "some-name", "nowhere"), "give THEME"),
    ],
)
def test_what_exists_or_is_no_name_is_refused(copy: Path, arguments: tuple[str, ...], message: str) -> None:
    """Nothing is written then."""
    before = {path: path.read_bytes() for path in copy.rglob("*.py")}
    with pytest.raises(SCRIPT["RefusedError"], match=message):
        write(copy, *arguments)
    assert before == {path: path.read_bytes() for path in copy.rglob("*") if path.is_file() and path.suffix == ".py"}
    assert not (copy / "fixtures").exists()


def test_the_command_says_what_is_next(
    copy: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without arguments it shows its use; an id that exists ends it with 1."""
    monkeypatch.setitem(SCRIPT["main"].__globals__, "ROOT", copy)
    assert SCRIPT["main"](["TG399", "some-name"]) == 0
    assert "make plans D=fixtures/cases/TG399" in capsys.readouterr().out
    assert [SCRIPT["main"](arguments) for arguments in ([], ["", ""], ["TG301", "x"])] == [1, 1, 1]
    assert "TG301 or x exists already" in capsys.readouterr().err
