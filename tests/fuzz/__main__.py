"""Searches for rewrites that move a verdict, and for inputs that bring a reader down.

    make fuzz [SECONDS=600] [SEED=1]

First, inputs of the fixtures are written in other words (`cases`), which must change no verdict, whether the input
is named or found in a folder. Then broken and odd versions of them go through every reader (`runs`), each of which must
end in time, and without an internal error. What is found is kept in build/fuzz, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from fuzz.cases import Case, cases, rewriting
from fuzz.runs import Runner

KEPT = Path(__file__).parents[2] / "build" / "fuzz"
REWRITES, RUNS = 20_000, 300_000
OF_EACH = 3  # rewrites of a case in turn: its own verdicts are asked once for all of them
MOST_SHOWN = 20


def main() -> int:
    """The exit code is 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rewrites", type=int, default=REWRITES)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="the most that each of both may take")
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)  # noqa: S311 - the same inputs for the same seed
    every = list(cases())
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        moved = _report(_moved(every, chance, arguments.rewrites, time.monotonic() + arguments.seconds))
        runner = Runner(every, chance)
        fallen = _report(runner.run(arguments.runs, time.monotonic() + arguments.seconds))
    return 1 if moved or fallen else 0


def _report(found: Iterator[tuple[str, str, bytes]]) -> int:
    """Print what is found, keep its input, and count it."""
    count = 0
    for id_, what, data in found:
        count += 1
        if count <= MOST_SHOWN:
            KEPT.mkdir(parents=True, exist_ok=True)
            kept = KEPT / f"{hashlib.sha256(data).hexdigest()[:12]}-{Path(id_).name or 'folder'}"
            kept.write_bytes(data)
            _print(f"{id_}: {what}: {kept}")
    return count


def _moved(every: list[Case], chance: random.Random, wanted: int, end: float) -> Iterator[tuple[str, str, bytes]]:
    """The rewrites that move a verdict."""
    done = refused = moved = 0
    while done < wanted and time.monotonic() < end:
        for case in chance.sample(every, k=len(every)):
            case.write()
            before = case.outcomes()
            for _ in range(OF_EACH):
                target = chance.choice(case.targets)
                data = rewriting(target, chance)
                if data is None:
                    refused += 1
                    continue
                case.write_one(target.name, data)
                done += 1
                after = case.outcomes()
                if after != before:
                    moved += 1
                    yield case.id, f"the verdicts move from {_short(before)} to {_short(after)}", data
                case.write_one(target.name, case.files[target.name])
            if done >= wanted or time.monotonic() > end:
                break
    _print(f"{done:,} rewrites, {moved} move a verdict ({refused} more were not the same document)")


def _short(outcomes: object) -> str:
    text = repr(outcomes)
    return text if len(text) < 200 else f"{text[:200]} ..."


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
