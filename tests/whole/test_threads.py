"""The gate is pure: threads that check the same inputs at once write the same bytes as one alone.

RUNS=60 makes the test longer: 8 threads with 60 runs each.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from tablegate import Text, render
from tablegate import check as check_texts
from tablegate.dialects.reading import ReadOptions
from tablegate.engine.data_policies import data_policies
from tablegate.engine.settings import Settings
from tablegate.inputs.collect import collect
from tablegate.model.record import field, record
from tablegate.packs import load
from tablegate.policy.declare import policies_in
from tablegate.reporters import REPORTERS
from tablegate.reporters.wording import ReportView
from tablegate.run.gate import check
from tablegate.syntax.node import collector_paused
from tablegate.syntax.source import Source

FIXTURES = Path(__file__).parents[2] / "fixtures"
SCENARIOS = "tables/per-environment/template.yaml"
INPUTS = (SCENARIOS, "tables/everything-on/plan.json", "tables/module-for-each/main.tf", "projects")
THREADS, RUNS = 8, int(os.environ.get("RUNS", "15"))
DATA_POLICY = {
    "id": "ACME001",
    "severity": "high",
    "title": "An index projects all",
    "path": "$.indexes[?(@.name =~ '^by')].projection",
    "must": {"equal": "ALL"},
}
PACK = """\
from tablegate.policy import HIGH, Table, Verdict, policy

@policy("XX001", HIGH, "x", docs="https://x.example.com", terraform="x = 1", cloudformation="X: 1")
def check(table: Table) -> Verdict:
    "Why."
    print("a pack prints")
    return table.recovery.enabled.is_true & table.deletion_protection.is_true
"""


@contextmanager
def switching_often() -> Iterator[None]:
    """Let the interpreter change threads after nearly every step."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def in_threads(run: Callable[[], Any], runs: int = RUNS) -> Counter[Any]:
    """How often each result came out of so many runs in each of eight threads."""
    with switching_often(), ThreadPoolExecutor(THREADS) as pool:
        return Counter(pool.map(lambda _: run(), range(THREADS * runs)))


def reporting(name: str) -> Callable[[], str]:
    """A function that checks one input with every policy of the shipped pack, and returns the JSON report."""
    sources = collect([str(FIXTURES / name)]).sources
    policies = policies_in("tablegate_baseline")
    settings, options = Settings(select=("ALL",)), ReadOptions(region="eu-west-1")
    return lambda: REPORTERS["json"](check(sources, policies, settings, options), ReportView())


@pytest.mark.parametrize(("name", "runs"), [(name, 3 if name == "projects" else RUNS) for name in INPUTS])
def test_threads_write_the_bytes_of_one(name: str, runs: int) -> None:
    """No run loses a finding to another that happens at the same time."""
    run = reporting(name)
    assert in_threads(run, runs) == {run(): THREADS * runs}


def test_programs_may_check_in_threads() -> None:
    """Texts, with policies that are data and a configuration of their own."""
    text = Text("t.yaml", (FIXTURES / SCENARIOS).read_bytes())
    config = {"policy": [DATA_POLICY], "overrides": [{"address": "*", "purpose": "cache"}], "select": ["ALL"]}

    def run() -> str:
        return render(check_texts(text, config=config), "json")

    assert in_threads(run, 5) == {run(): THREADS * 5}


def test_threads_may_begin_at_once() -> None:
    """Caches and modules that another thread is about to fill are no reason for another report."""
    program = (
        "import sys; from test_threads import in_threads, reporting; print(len(in_threads(reporting(sys.argv[1]), 1)))"
    )
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    for name in INPUTS:
        command = [sys.executable, "-c", program, name]
        ran = subprocess.run(command, env={"PYTHONPATH": path}, capture_output=True, text=True, check=True)
        assert ran.stdout == "1\n"


def test_threads_may_reread_a_report_at_once(tmp_path: Path) -> None:
    """A crash of the decoder would end the interpreter."""
    (tmp_path / "report.json").write_text(reporting(SCENARIOS)())
    program = (
        "import sys; from test_threads import in_threads; from tablegate.reporters.json_reread import reread;"
        " data = open(sys.argv[1], 'rb').read(); print(len(in_threads(lambda: repr(reread(data)), 1)))"
    )
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    command = [sys.executable, "-c", program, str(tmp_path / "report.json")]
    ran = subprocess.run(command, env={"PYTHONPATH": path}, capture_output=True, text=True, check=True)
    assert ran.stdout == "1\n"


def test_threads_compile_policies_that_are_data() -> None:
    """The parser of JSONPath and the filters of warnings belong to the process: neither is left changed."""
    before = list(warnings.filters)
    assert in_threads(lambda: data_policies([DATA_POLICY])[0].title, 5) == {DATA_POLICY["title"]: THREADS * 5}
    assert warnings.filters == before


def test_threads_take_turns_with_a_pack_of_others(tmp_path: Path) -> None:
    """Each run quotes what its own policy prints. Standard output and os._exit are as before."""
    (tmp_path / "pack.py").write_text(PACK)
    source = Source("t.yaml", (FIXTURES / SCENARIOS).read_bytes())
    before = sys.stdout, os._exit

    def run() -> str:
        printed: list[str] = []
        packs = load((), (tmp_path / "pack.py",), say=printed.append)
        report = check((source,), packs.policies, Settings(select=("XX001",)), ReadOptions(), guard=packs.guard)
        print("a thread prints")  # noqa: T201
        return "".join(printed) + "".join(finding.message for finding in report.findings)

    [result] = in_threads(run, 3)
    assert set(result.split("a pack prints\n")[:-1]) == {""}
    assert (sys.stdout, os._exit) == before


def test_threads_ask_for_the_fields_of_a_record() -> None:
    """They are made when they are first asked for."""

    def compared() -> list[tuple[str, bool]]:
        barrier.wait()
        return [(each.name, each.compare) for each in fields(Kind)]

    for _ in range(20):

        @record()
        class Kind:
            name: str = "x"
            note: str = field(default="", compare=False)
            notes: list[str] = field(default_factory=list, compare=False)

        barrier = threading.Barrier(THREADS)
        with switching_often(), ThreadPoolExecutor(THREADS) as pool:
            results = [future.result() for future in [pool.submit(compared) for _ in range(THREADS)]]
        assert results == [[("name", True), ("note", False), ("notes", False)]] * THREADS


def test_threads_leave_the_collector_running() -> None:
    """A pause that overlaps another one does not last for ever."""

    def pause() -> None:
        with collector_paused():
            pass

    assert gc.isenabled()
    in_threads(pause, 500)
    assert gc.isenabled()
