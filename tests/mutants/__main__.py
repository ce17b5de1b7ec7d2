"""Changes the code that judges, one small thing at a time, and asks whether the nearest tests notice.

    make mutants [N=300] [SEED=word] [ROOM=access]

Each mutant is tried in a copy of the tree, with the tests of its own room alone (`nearest`), until the first of them
fails. What survives is printed with its difference: it becomes a test, or it is named in `equivalents.toml` with the
reason why nobody could notice. The exit code is 1 if more than one in ten survive.
"""

from __future__ import annotations

import argparse
import difflib
import multiprocessing
import os
import random
import resource
import shutil
import sys
import tempfile
import tomllib
from collections import Counter
from pathlib import Path

import msgspec  # noqa: F401 - whatever is imported here need not be in each run
import pytest
import yaml  # noqa: F401

from mutants.changes import Mutant, mutants_of
from mutants.nearest import ROOMS, Room

ROOT = Path(__file__).parents[2]
EQUIVALENTS = Path(__file__).with_name("equivalents.toml")
PROCESSOR, CLOCK = 120, 1200  # seconds of one run: a mutant that never ends is noticed
MOST_SURVIVING = 0.1
_RUN = multiprocessing.get_context("fork")


def main() -> int:
    """The exit code is 1 if too many survive, or a name of the list fits nothing."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("number", type=int)
    parser.add_argument("seed")
    parser.add_argument("--room", default="", help="a part of a room's name")
    arguments = parser.parse_args()
    rooms = [room for room in ROOMS if (arguments.room in room.name if arguments.room else not room.by_name)]
    anywhere = {mutant.name: (room, path, mutant) for room in ROOMS for path, mutant in _mutants(room)}
    every = {name: one for name, one in anywhere.items() if one[0] in rooms}
    named = {one["mutant"] for one in tomllib.loads(EQUIVALENTS.read_text(encoding="utf-8"))["equivalent"]}
    stale = sorted(named - anywhere.keys())
    asked = [one for name, one in every.items() if name not in named]
    sample = random.Random(arguments.seed).sample(asked, min(arguments.number, len(asked)))
    known = len(named & every.keys())
    _print(f"{len(every):,} mutants, {known} of them equivalent by name; {len(sample)} with seed {arguments.seed}")
    survivors = _tried(rooms, sample)
    for name in stale:
        _print(f"no mutant is called so any more: {name}")
    return 1 if stale or len(survivors) > MOST_SURVIVING * len(sample) else 0


def _mutants(room: Room) -> list[tuple[Path, Mutant]]:
    paths = dict.fromkeys(room.paths(ROOT))
    return [
        (path, mutant)
        for path in paths
        for mutant in mutants_of(path, path.relative_to(ROOT / room.package).as_posix())
    ]


def _tried(rooms: list[Room], sample: list[tuple[Room, Path, Mutant]]) -> list[Mutant]:
    killed: Counter[str] = Counter()
    survivors: list[Mutant] = []
    with tempfile.TemporaryDirectory() as scratch:
        copy = _copied(Path(scratch))
        for room in rooms:
            mine = sorted((one for one in sample if one[0] is room), key=lambda one: (one[1], one[2].line))
            if mine and not _passes(copy, [test for tests in room.rounds(copy, Path()) for test in tests], write=True):
                _print(f"{room.name}: its tests are red before anything is changed")
                raise SystemExit(2)
            for _, path, mutant in mine:
                if _survives(copy, room, path, mutant):
                    survivors.append(mutant)
                    _print(_shown(path, mutant))
                else:
                    killed[room.name] += 1
            if mine:
                _print(f"{room.name}: {killed[room.name]} of {len(mine)} killed")
    share = 100 * killed.total() / max(len(sample), 1)
    _print(f"{killed.total()} of {len(sample)} killed ({share:.1f} %), {len(survivors)} survive")
    return survivors


def _copied(scratch: Path) -> Path:
    """The tree, with links to what no mutant is in."""
    for name in ("src", "tests", "policies"):
        shutil.copytree(ROOT / name, scratch / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("fixtures", "pyproject.toml", "README.md", ".github", "Makefile"):
        (scratch / name).symlink_to(ROOT / name)
    return scratch


def _survives(copy: Path, room: Room, path: Path, mutant: Mutant) -> bool:
    target = copy / path.relative_to(ROOT)
    kept = target.read_bytes()
    target.write_bytes(mutant.applied(kept))
    for compiled in (target.parent / "__pycache__").glob(f"{target.stem}.*.pyc"):
        compiled.unlink()
    try:
        return all(_passes(copy, tests) for tests in room.rounds(copy, target))
    finally:
        target.write_bytes(kept)


def _passes(copy: Path, tests: list[str], *, write: bool = False) -> bool:
    """Whether tests pass, in a process of their own. ``write`` keeps what Python compiles of the tree."""
    run = _RUN.Process(target=_run, args=(copy, tests, write))
    run.start()
    run.join(CLOCK)
    if run.is_alive():
        run.kill()
        run.join()
    return run.exitcode == 0


def _run(copy: Path, tests: list[str], write: bool) -> None:
    os.chdir(copy)
    sys.dont_write_bytecode = not write
    if not write:
        resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR, PROCESSOR))
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123 - a descriptor is wanted
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    os._exit(pytest.main(["-x", "-p", "no:cacheprovider", "--tb=no", f"--rootdir={copy}", *tests]))


def _shown(path: Path, mutant: Mutant) -> str:
    text = path.read_bytes()
    lines = difflib.unified_diff(
        *(each.decode().splitlines() for each in (text, mutant.applied(text))), n=0, lineterm=""
    )
    return "\n".join([f"survives: {mutant.name}", f"  {path.relative_to(ROOT)}:{mutant.line}", *list(lines)[3:], ""])


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
