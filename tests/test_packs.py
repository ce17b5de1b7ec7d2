"""Packs: how they are found and loaded, and what becomes of those that misbehave."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from tablegate.dialects.reading import ReadOptions
from tablegate.engine.ask import OutOfTime
from tablegate.engine.data_policies import data_policies
from tablegate.engine.settings import Settings
from tablegate.findings import Exit, Report
from tablegate.packs import guarded, installed_packs, load
from tablegate.policy import PolicyError
from tablegate.run.gate import check
from tablegate.syntax.node import collector_paused
from tablegate.syntax.source import Source
from tablegate.testing import Case, prove

HOSTILE = Path(__file__).parents[1] / "fixtures" / "hostile" / "packs"

TEMPLATE = b"""\
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
      KeySchema: [{AttributeName: id, KeyType: HASH}]
"""

GOOD = '''
from tablegate.policy import LOW, Table, Verdict, policy

@policy("ACME001", LOW, "A name", docs="https://docs.example.com", terraform="x", cloudformation=None)
def acme_name(table: Table) -> Verdict:
    """People look for it."""
    return table.name.is_set
'''


def dist(folder: Path, name: str, text: str) -> None:
    (folder / f"{name}.dist-info").mkdir(parents=True)
    (folder / f"{name}.dist-info" / "entry_points.txt").write_text(textwrap.dedent(text), encoding="utf-8")


def judged(pack: str, *, seconds: float = 5, said: list[str] | None = None) -> Report:
    loaded = load((), (HOSTILE / f"{pack}.py",))
    guard = guarded((said if said is not None else []).append, seconds)
    settings = Settings(select=("XX001", "TG301"))
    with collector_paused():  # as in the command: whoever listens to the collector has no stack left in a recursion
        return check((Source("t.yaml", TEMPLATE),), loaded.policies, settings, ReadOptions(), guard=guard)


def test_the_shipped_pack_is_always_there() -> None:
    """It is loaded by its entry point, like any pack."""
    policies = load((), ()).policies
    assert [policy.id for policy in policies] == sorted({policy.id for policy in policies})
    assert any(policy.id == "TG301" for policy in policies)


def test_installed_packs_are_found_by_their_entry_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In every folder of the path, and in no other group."""
    text = """
    [console_scripts]
    acme = wrong:main

    [tablegate.packs]
    acme = acme_tables
    other = other_tables:ignored
    """
    before = installed_packs()
    dist(tmp_path / "a", "acme-1.0", text)
    dist(tmp_path / "b", "third-1.0", "[tablegate.packs]\nthird=third_tables\n")
    (tmp_path / "b" / "empty-1.0.dist-info").mkdir()
    for name in ("a", "b", "nowhere"):
        monkeypatch.syspath_prepend(str(tmp_path / name))
    assert before["baseline"] == "tablegate_baseline"
    assert installed_packs() == {**before, "acme": "acme_tables", "other": "other_tables", "third": "third_tables"}


def test_two_packs_of_one_name_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Either one could be meant."""
    dist(tmp_path, "a-1", "[tablegate.packs]\nacme = one\n")
    dist(tmp_path, "b-1", "[tablegate.packs]\nacme = two\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(PolicyError, match='two installed packs are called "acme": one and two'):
        load((), ())


def test_a_named_pack_is_loaded_beside_the_shipped_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every module of the package is searched."""
    dist(tmp_path, "acme-1", "[tablegate.packs]\nacme = acme_tables\n")
    (tmp_path / "acme_tables" / "deep").mkdir(parents=True)
    (tmp_path / "acme_tables" / "__init__.py").write_text("")
    (tmp_path / "acme_tables" / "deep" / "__init__.py").write_text("")
    (tmp_path / "acme_tables" / "deep" / "names.py").write_text(GOOD)
    monkeypatch.syspath_prepend(str(tmp_path))
    ids = [policy.id for policy in load(("acme", "acme", "baseline"), ()).policies]
    assert ids.count("ACME001") == 1
    assert "TG301" in ids


def test_an_unknown_pack_names_the_nearest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or none, where none is close."""
    dist(tmp_path, "acme-1", "[tablegate.packs]\nacme = acme_tables\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(PolicyError, match=r'no installed pack is called "acne"; did you mean "acme"\?'):
        load(("acne",), ())
    with pytest.raises(PolicyError, match=r'no installed pack is called "zzz"$'):
        load(("zzz",), ())


def test_a_path_is_a_file_or_a_folder(tmp_path: Path) -> None:
    """Each file is a module under a name of its own, so that none shadows another, and leaves nothing behind."""
    (tmp_path / "json.py").write_text(GOOD)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "json.py").write_text(GOOD.replace("ACME001", "ACME002").replace("acme_name", "acme_other"))
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "x.py").write_text("raise SystemExit(0)")
    assert {"ACME001", "ACME002"} <= {policy.id for policy in load((), (tmp_path,)).policies}
    assert "ACME001" in {policy.id for policy in load((), (tmp_path / "json.py",)).policies}
    assert not list(tmp_path.rglob("__pycache__"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, ": no such file or folder"),
        ("x = 1", " declares no policy"),
        ("x = (", ":1: '(' was never closed"),
        ("\nraise ValueError('text')", ":2: ValueError while loading: text"),
        ("\n\nimport nowhere_at_all", ":3: ModuleNotFoundError while loading: No module named 'nowhere_at_all'"),
        ("\nraise SystemExit(0)", ":2: SystemExit while loading"),
        (GOOD.replace('"""People look for it."""', ""), ":4: ACME001"),
        (GOOD.replace("-> Verdict", "-> Verdct"), ":5: NameError while loading"),
        (GOOD + GOOD, ":12: acme_name is defined twice"),
        (GOOD + GOOD.replace("def acme_name", "def other"), "ACME001 is declared twice"),
        (GOOD.replace("ACME001", "TG301"), "TG301 is declared twice"),
    ],
)
def test_a_pack_that_does_not_load_stops_the_run(tmp_path: Path, text: str | None, message: str) -> None:
    """With the file and the line: a gate that silently lost a policy is worse than none."""
    file = tmp_path / "mine.py"
    if text is not None:
        file.write_text(text)
    with pytest.raises(PolicyError) as caught:
        load((), (file,))
    assert message in str(caught.value)


def test_bytes_that_are_no_python_stop_the_run(tmp_path: Path) -> None:
    """NUL, or what is not UTF-8."""
    (tmp_path / "mine.py").write_bytes(b"x = 1\0")
    with pytest.raises(PolicyError, match=r"mine\.py: source code"):
        load((), (tmp_path,))


def test_a_pack_that_does_not_end_while_it_is_loaded_stops_the_run(tmp_path: Path) -> None:
    """The watch begins before the first line of a stranger runs."""
    (tmp_path / "mine.py").write_text("while True: pass")
    with pytest.raises(PolicyError, match="does not end"):
        load((), (tmp_path,), seconds=0.05)


@pytest.mark.parametrize(
    ("pack", "told"),
    [
        ("pack_infinite", "did not end in time, and was given up"),
        ("pack_swallows", "did not end in time, and was given up"),
        ("pack_keyboard", "raised KeyboardInterrupt"),
        ("pack_memory", "raised MemoryError"),
        ("pack_mutates", "raised AttributeError"),
        ("pack_os_exit0", "raised SystemExit"),
        ("pack_raises", "raised ValueError"),
        ("pack_recursion", "raised RecursionError"),
        ("pack_returns_coroutine", "returned coroutine where a Verdict is wanted"),
        ("pack_returns_none", "returned None where a Verdict is wanted"),
        ("pack_returns_truthy", "returned str where a Verdict is wanted"),
        ("pack_sys_exit0", "raised SystemExit"),
        (
            "pack_truth",
            "raised TypeError: the value 'point-in-time recovery' may be unknown and has no truth of its own; "
            "ask .is_true, .is_set or .equals(...)",
        ),
        ("pack_yields_none", "returned generator where a Verdict is wanted"),
    ],
)
def test_a_policy_that_misbehaves_is_code_4_and_the_others_go_on(pack: str, told: str) -> None:
    """The fault names it; what the others found is still reported; nothing of the exception's text is."""
    report = judged(pack, seconds=0.2)
    assert report.exit is Exit.INTERNAL
    assert [fault.message for fault in report.faults] == [f"policy XX001 (check) {told}"]
    assert [fault.subjects for fault in report.faults] == [("Orders in t.yaml",)]
    assert report.faults[0].place.file.endswith(f"{pack}.py")
    assert [finding.policy.id for finding in report.findings] == ["TG301"]
    assert "S3CRET" not in repr(report)


def test_what_a_policy_prints_does_not_reach_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    """It is handed over apart, and standard output stays open."""
    said: list[str] = []
    report = judged("pack_prints", said=said)
    assert (report.exit, report.faults) == (Exit.BLOCKED, ())
    assert said == ["::stop-commands::x\x1b[2J\n"]
    sys.stdout.write("still open\n")
    assert capsys.readouterr().out == "still open\n"


@pytest.mark.parametrize(
    ("pack", "message"),
    [
        ("pack_bad_syntax", "pack_bad_syntax.py:7: '(' was never closed"),
        ("pack_bad_meta", "an id is 2 to 8 capital letters and 3 or 4 digits"),
        ("pack_same_id", "TG301 is declared twice"),
    ],
)
def test_a_hostile_pack_does_not_load(pack: str, message: str) -> None:
    """Nothing is checked."""
    with pytest.raises(PolicyError) as caught:
        load((), (HOSTILE / f"{pack}.py",))
    assert message in str(caught.value)


def test_a_pack_that_replaces_the_engine_is_found_out() -> None:
    """In a process of its own, since it breaks the one it runs in: the engine's check of itself fails."""
    program = f"""
import sys
sys.path[:0] = {sys.path!r}
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_packs import judged
report = judged("pack_monkeypatch")
print(int(report.exit), report.faults[0].message)
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "4 the engine does not judge a known case as it must, so nothing it says can be trusted\n"


def test_a_policy_that_throws_a_coin_proves_nothing(tmp_path: Path) -> None:
    """A policy that does not give the same verdict each time is refused."""
    (tmp_path / "template.yaml").write_bytes(TEMPLATE)
    policy = next(item for item in load((), (HOSTILE / "pack_nondeterministic.py",)).policies if item.id == "XX001")
    told = set()
    for _ in range(40):
        try:
            prove(Case(policy, "fails", tmp_path / "template.yaml"))
        except AssertionError as error:
            told.add(str(error).partition(": ")[2])
    assert "the policy does not give the same verdict twice" in told


def test_without_timers_or_off_the_main_thread_there_is_no_limit() -> None:
    """Nothing breaks there; only the watch is missing."""
    ended = []

    def run() -> None:
        with guarded(print, 0.01)():
            time.monotonic()
        ended.append(True)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert ended == [True]


def _for_ever() -> None:
    while True:
        pass


def test_the_limit_ends_with_the_guard() -> None:
    """What runs afterwards has all the time it needs."""
    with pytest.raises(OutOfTime), guarded(print, 0.05)():
        _for_ever()
    end = time.monotonic() + 0.1
    with guarded(print, 0.05)():
        pass
    while time.monotonic() < end:
        pass


def test_an_expression_of_a_policy_as_data_has_the_limit_of_packs() -> None:
    """One that does not end in time is given up, and named."""
    claim = {"path": "$.name", "must": {"match": "(a+)+$"}}
    (policy,) = data_policies([{"id": "ACME001", "severity": "high", "title": "It must be so", **claim}])
    guard = load((), (), seconds=0.05, limited=True).guard
    template = TEMPLATE.replace(b"Properties:", b"Properties:\n      TableName: " + b"a" * 60 + b"-b")
    report = check((Source("t.yaml", template),), (policy,), Settings(), ReadOptions(), guard=guard)
    (fault,) = report.faults
    assert fault.message == "policy ACME001 (acme001) did not end in time, and was given up"
