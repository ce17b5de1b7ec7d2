"""Broken and odd inputs through every reader: each must end in time, and without an internal error."""

from __future__ import annotations

import json
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from fuzz import json_rewriting
from fuzz.cases import FIXTURES, PREPARED, Case
from fuzz.mutations import mutated, mutated_tree
from tablegate.config.configuration import read_configuration
from tablegate.dialects.reading import ReadOptions
from tablegate.engine.settings import ConfigError
from tablegate.findings import Exit
from tablegate.inputs.collect import sources_of_texts
from tablegate.inputs.terraform import calls_of
from tablegate.policy.declare import policies_in
from tablegate.reporters import REPORTERS
from tablegate.reporters.wording import ReportView
from tablegate.run.gate import check_prepared
from tablegate.syntax import recognise, relevance
from tablegate.syntax.source import Beside, Source

SECONDS = 10.0  # of processor time for one input: a busy machine is no hang
RENDERED = 0.05  # of the reports
_POLICIES = policies_in("tablegate_baseline")


class HangError(BaseException):
    """An input that takes too long. No handler of an Exception may swallow it."""


class Seed(NamedTuple):
    """An input to break. ``tree`` is its plain content, if it has one; ``beside`` are the files of its folder."""

    id: str
    name: str
    data: bytes
    run: Callable[[Seed, bytes], None]
    tree: Any = None
    beside: dict[str, bytes] | None = None


class Runner:
    """Runs mutants of all cases, and of configurations."""

    def __init__(self, every: list[Case], chance: random.Random) -> None:
        self._chance = chance
        self._seeds = [seed for case in every for seed in _seeds(case)]
        configurations = [path for path in sorted(FIXTURES.rglob("*.toml")) if path.name == "tablegate.toml"]
        self._seeds += [Seed(str(path), path.name, path.read_bytes(), _configure) for path in configurations * 20]
        self._texts = tuple(seed.data for seed in self._seeds)

    def run(self, wanted: int, end: float) -> Iterator[tuple[str, str, bytes]]:
        """The mutants that bring a reader down, one for each place in the code."""
        chance = self._chance
        done = fallen = hung = 0
        known: set[str] = set()
        signal.signal(signal.SIGPROF, _too_long)
        while done < wanted and time.monotonic() < end:
            seed = chance.choice(self._seeds)
            if seed.tree is not None and chance.random() < 0.5:
                data = mutated_tree(seed.tree, chance, as_yaml=not seed.name.endswith(".json"))
            else:
                data = mutated(seed.data, self._texts, chance)
            done += 1
            try:
                with _limited():
                    seed.run(seed, data)
            except HangError:
                hung += 1
                yield seed.id, f"takes more than {SECONDS:.0f} seconds", data
            except Exception as error:  # noqa: BLE001 - whatever it is, it is found
                fallen += 1
                where = traceback.extract_tb(error.__traceback__)[-1]
                what = f"{type(error).__name__} at {Path(where.filename).name}:{where.lineno}: {error}"[:300]
                if what.partition(": ")[0] not in known:
                    known.add(what.partition(": ")[0])
                    yield seed.id, what, data
        sys.stdout.write(f"{done:,} executions, {fallen} internal errors, {hung} hangs\n")


def _seeds(case: Case) -> Iterator[Seed]:
    for target in case.targets:
        data = case.files[target.name]
        tree = target.plain
        if target.rewrite is json_rewriting.rewritten:
            with suppress(ValueError):  # a number with too many digits
                tree = json.loads(data)
        yield Seed(case.id, target.name, data, _check, tree, case.files if not case.named else None)


def _check(seed: Seed, data: bytes) -> None:
    """One input through all that a check does with it. Raises what must not happen."""
    relevance.sniffed(data)
    relevance.looks_relevant(data, seed.name)
    relevance.embedded_files(data)
    recognise.fragment_of(data)
    recognise.unrendered_of(data)
    calls_of(Source(seed.name, data))
    files = {**(seed.beside or {}), seed.name: data}
    if "manifest.json" in files:
        sources: tuple[Source, ...] = (Source("manifest.json", files["manifest.json"], beside=Beside(files)),)
    else:
        sources = sources_of_texts(Source(name, text) for name, text in files.items())
    report = check_prepared(sources, PREPARED, ReadOptions())
    if report.exit is Exit.INTERNAL:
        raise AssertionError("; ".join(fault.message for fault in report.faults if fault.blocks))
    if random.random() < RENDERED:  # noqa: S311 - which ones says nothing
        for render in REPORTERS.values():
            render(report, ReportView())


def _configure(seed: Seed, data: bytes) -> None:
    """A configuration through all that reads it."""
    path = Path("tablegate.toml")
    path.write_bytes(data)
    try:
        read_configuration({}, folder=".", environment={}, file=path).resolve(_POLICIES)
    except ConfigError:
        pass
    finally:
        path.unlink()


def _too_long(_signal: int, _frame: FrameType | None) -> None:
    raise HangError


@contextmanager
def _limited() -> Iterator[None]:
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
