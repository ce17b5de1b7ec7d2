"""Compare what two versions say about the same inputs. Run it with ``make same BASE=REV [DIRS='DIR …']``.

The version of BASE and the working tree check every folder inside each DIR: once as a folder, and once with every
file named. The JSON reports, the access matrices and the exit codes must be equal. Sentences may differ: each changed
sentence is listed once, as a pair of its old and its new text.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
SENTENCES = frozenset(
    {
        "action",
        "detail",
        "do",
        "doubt",
        "fix",
        "hint",
        "how",
        "message",
        "name",
        "rationale",
        "reason",
        "settle",
        "title",
        "why",
    }
)
"""The members of a report that hold text for a person. ``name`` is one in evidence only."""

CHECK = ("check", "--no-config", "--no-ignore", "--select", "ALL", "--fail-on", "medium", "-o", "json")
MATRIX = ("iam", "-o", "json")
PACKED = ("src", "policies")
SUFFIXES = (".json", ".yaml", ".yml", ".template", ".tf", ".tofu", ".tfstate", ".tfplan", ".log", ".jsonl", ".txt")


class Run(NamedTuple):
    """How one command ended."""

    code: int
    out: bytes


def main() -> int:
    """0 if only sentences differ, else 1."""
    parser = argparse.ArgumentParser(prog="make same", description=__doc__)
    parser.add_argument("base")
    parser.add_argument("folders", nargs="*", type=Path)
    arguments = parser.parse_args()
    pairs: dict[tuple[str, str], None] = {}
    broken = compared = size = 0
    with tempfile.TemporaryDirectory() as base:
        unpack(arguments.base, Path(base))
        for name, command in commands(arguments.folders or [ROOT / "fixtures"]):
            old, new = (run(tree, command) for tree in (Path(base), ROOT))
            compared, size = compared + 1, size + len(new.out)
            for difference in differences(old, new, pairs):
                broken += 1
                print(f"DIFFERS {name}: {difference}"[:400])
    for before, after in pairs:
        print(f"- {before}\n+ {after}\n")
    print(f"{compared} reports, {size / 1e6:.1f} MB: {broken} differences, {len(pairs)} changed sentences")
    return 1 if broken else 0


def unpack(revision: str, folder: Path) -> None:
    """Put the sources of a revision into a folder."""
    archive = subprocess.run(["git", "archive", revision, *PACKED], cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive, check=True)


def commands(folders: list[Path]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What is run, with a name for it: two checks and a matrix for each folder inside the given ones."""
    for parent in folders:
        for folder in sorted(path for path in parent.iterdir() if path.is_dir()):
            files = sorted(str(path) for path in folder.rglob("*") if path.suffix in SUFFIXES and path.is_file())
            yield f"{folder} (folder)", (*CHECK, str(folder))
            yield f"{folder} (files)", (*CHECK, *files)
            yield f"{folder} (matrix)", (*MATRIX, *(path for path in files if not path.endswith((".log", ".txt"))))


def run(tree: Path, command: tuple[str, ...]) -> Run:
    """The command under the sources of one tree."""
    paths = os.pathsep.join(str(tree / name) for name in PACKED)
    done = subprocess.run(
        [sys.executable, "-m", "tablegate", *command],
        env={**os.environ, "PYTHONPATH": paths, "TABLEGATE_COLOR": "never"},
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    return Run(done.returncode, done.stdout)


def differences(old: Run, new: Run, pairs: dict[tuple[str, str], None]) -> Iterator[str]:
    """Where two runs differ in more than sentences; those are added to the pairs."""
    if old.code != new.code:
        yield f"exit {old.code} is now {new.code}"
    if old.out == new.out:
        return
    try:
        before, after = json.loads(old.out), json.loads(new.out)
    except ValueError:
        yield "one of the two is not JSON"
        return
    yield from unlike(before, after, "", "", pairs)


def unlike(old: Any, new: Any, path: str, key: str, pairs: dict[tuple[str, str], None]) -> Iterator[str]:
    """The members that differ, by their path."""
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        for member in old:
            yield from unlike(old[member], new[member], f"{path}.{member}", member, pairs)
    elif key == "findings":
        yield from unlike_findings(old, new, pairs)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from unlike(one, other, f"{path}[{index}]", key, pairs)
    elif old != new and key in SENTENCES and isinstance(old, str) and isinstance(new, str):
        pairs[old, new] = None
    elif old != new:
        yield f"{path}: {old!r} is now {new!r}"


def unlike_findings(old: list[Any], new: list[Any], pairs: dict[tuple[str, str], None]) -> Iterator[str]:
    """The findings that went, came or changed. One is known by its policy, input, address, part and scenario."""
    before, after = gathered(old), gathered(new)
    for name in before.keys() | after.keys():
        one, other = before.get(name, []), after.get(name, [])
        label = " ".join(name[:3])
        for index in range(max(len(one), len(other))):
            if index >= len(other):
                yield f"gone: {label}: {one[index]['message']}"
            elif index >= len(one):
                yield f"new: {label}: {other[index]['message']}"
            else:
                yield from unlike(one[index], other[index], label, "", pairs)


def gathered(findings: list[Any]) -> dict[tuple[str, ...], list[Any]]:
    """The findings by what identifies them."""
    by_name: dict[tuple[str, ...], list[Any]] = {}
    for one in findings:
        name = (one["policy"], one["input"], one["address"], str(one["part"]), str(one["scenario"]))
        by_name.setdefault(name, []).append(one)
    return by_name


if __name__ == "__main__":
    sys.exit(main())
