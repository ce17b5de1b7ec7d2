"""The gate is pure: many threads that check the same inputs at once write the same bytes as one that checks alone."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from tablegate.dialects.reading import ReadOptions
from tablegate.engine.settings import Settings
from tablegate.policy.declare import policies_in
from tablegate.reporters import REPORTERS
from tablegate.reporters.wording import ReportView
from tablegate.run.gate import check
from tablegate.syntax.source import Source

FIXTURES = Path(__file__).parents[2] / "fixtures"
INPUTS = (
    "tables/per-environment/template.yaml",  # two scenarios
    "tables/everything-on/plan.json",
    "examples/plan.json",
)
THREADS = 8
RUNS = 4  # `python tests/whole/test_threads.py` does 60


@contextmanager
def switching_often() -> Iterator[None]:
    """Let the interpreter change threads after nearly every step."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def reports(name: str) -> Callable[[], str]:
    """A function that checks one input with every policy of the shipped pack, and returns the JSON report."""
    path = FIXTURES / name
    source = Source(path.name, path.read_bytes())
    policies = policies_in("tablegate_baseline")
    settings = Settings(select=("ALL",))

    def run() -> str:
        return REPORTERS["json"](check((source,), policies, settings, ReadOptions(region="eu-west-1")), ReportView())

    return run


def in_threads(run: Callable[[], str], threads: int, runs: int) -> Counter[str]:
    """How often each report came out."""
    with switching_often(), ThreadPoolExecutor(threads) as pool:
        return Counter(pool.map(lambda _: run(), range(threads * runs)))


@pytest.mark.parametrize("name", INPUTS)
def test_many_threads_write_the_bytes_of_one(name: str) -> None:
    """No run loses a finding to another that happens at the same time."""
    run = reports(name)
    alone = run()
    assert in_threads(run, THREADS, RUNS) == {alone: THREADS * RUNS}


if __name__ == "__main__":
    for name in INPUTS:
        run = reports(name)
        alone = run()
        written = in_threads(run, THREADS, 60)
        print(f"{name}: {written.total() - written[alone]} of {written.total()} runs differ")  # noqa: T201
