"""Measures speed and memory, and fails if a limit is exceeded.

    make bench

Each row is a ratio of two things measured side by side, so that it means the same on every machine. Times are of
whole processes, from start to exit: tablegate's with every policy on, and a parser's that reads the same files and does
nothing else.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from bench.inputs import ROOTS
from bench.measure import CHECK, ON_ALL_CORES, PYTHON, TABLEGATE, Run, best, tree_peak

ROOT = Path(__file__).parents[2]
INPUTS, CODE = ROOT / "build" / "bench", (ROOT / "src", ROOT / "policies")
SMALL, LARGE, HUGE = "1", "1000", "10000"
JUDGED = (0, 1)  # exit codes of a check that has read everything
GROWN = 5  # runs of a check of 10,000 tables: the time for so much memory differs from run to run
NOTICE = """\
This takes about {minutes} minutes. The figures count only if the machine has nothing else to do.
"""
MINUTES = 4  # on two cores


class Row(NamedTuple):
    """One limit: what is measured, against what, and how many times as much it may be."""

    work: str
    measured: float
    against: str
    base: float
    limit: float
    unit: str = "s"

    @property
    def ratio(self) -> float:
        """How many times the base."""
        return self.measured / self.base

    @property
    def kept(self) -> bool:
        """Whether it is within the limit."""
        return self.ratio <= self.limit


def main() -> int:
    """Print all rows as they are measured. The exit code is 1 if a limit is exceeded."""
    sys.stdout.write(NOTICE.format(minutes=MINUTES))
    sys.stdout.flush()
    # pip compiles what it installs. In a working tree every check would compile the modules that have changed.
    subprocess.run([PYTHON, "-m", "compileall", "-q", *map(str, CODE)], check=True)
    # In a process of its own: the peak of a child is never below that of its parent.
    subprocess.run([PYTHON, "-m", "bench.inputs", str(INPUTS), SMALL, LARGE, HUGE], check=True)
    all_kept = True
    for measure in (starts, plans, templates, source, audits):
        for row in measure():
            sys.stdout.write(shown(row))
            all_kept &= row.kept
        sys.stdout.flush()
    return 0 if all_kept else 1


def starts() -> list[Row]:
    """Start-up."""
    commands = {
        "python": (PYTHON, "-c", "pass"),
        "--version": (TABLEGATE, "--version"),
        "--help": (TABLEGATE, "--help"),
        "check of one small plan": (*CHECK, str(plan(SMALL))),
    }
    taken = best(commands, 20, allowed=JUDGED)
    floor = taken["python"].seconds
    limits = {"--version": 10, "--help": 10, "check of one small plan": 16}
    return [Row(work, taken[work].seconds, "python -c pass", floor, limit) for work, limit in limits.items()]


def plans() -> list[Row]:
    """A plan of a thousand tables, one of ten thousand, and one with two thousand policy documents."""
    size, documents = plan(LARGE).stat().st_size, INPUTS / LARGE / "documents.json"
    commands = {
        "check": (*CHECK, str(plan(LARGE))),
        "parser": parser("json", plan(LARGE)),
        "documents": (*CHECK, str(documents)),
        "their parser": parser("json", documents),
    }
    taken = best(commands, 7, allowed=JUDGED)
    ten = best({"check": (*CHECK, str(plan(HUGE)))}, GROWN, allowed=JUDGED)["check"]
    seconds = {name: run.seconds for name, run in taken.items()}
    return [
        Row(f"check of a {size / 1e6:.0f} MB plan", seconds["check"], "json.loads", seconds["parser"], 1.0),
        Row("peak memory of that check", taken["check"].peak, "the file", size, 6, "MB"),
        *growth("plan", taken["check"], ten),
        Row("check of 2,000 documents", seconds["documents"], "json.loads", seconds["their parser"], 1.0),
    ]


def templates() -> list[Row]:
    """Templates of a thousand tables, and of ten thousand."""
    folders = {size: INPUTS / size / "templates" for size in (LARGE, HUGE)}
    files = sorted(folders[LARGE].iterdir())
    size = sum(file.stat().st_size for file in files)
    commands = {
        "check": (*CHECK, str(folders[LARGE])),
        "parser": parser("yaml", *files),
        "on all cores": (*ON_ALL_CORES, str(folders[LARGE])),
    }
    taken = best(commands, 5, allowed=JUDGED)
    ten = best({"check": (*CHECK, str(folders[HUGE]))}, GROWN, allowed=JUDGED)["check"]
    base = taken["parser"].seconds
    return [
        Row(f"check of {size / 1e6:.1f} MB of YAML", taken["check"].seconds, "yaml.load, C", base, 0.6),
        Row("the YAML on all cores", taken["on all cores"].seconds, "yaml.load, C", base, 0.6),
        *growth("YAML", taken["check"], ten),
    ]


def source() -> list[Row]:
    """Terraform source of a thousand tables."""
    folder = INPUTS / LARGE / "source"
    files = sorted(folder.glob("*/*.tf"))
    size = sum(file.stat().st_size for file in files)
    taken = best({"check": (*CHECK, str(folder))}, 5, allowed=JUDGED)["check"]
    base = best({"parser": parser("hcl", *files)}, 1)["parser"]
    return [Row(f"check of {size / 1e6:.1f} MB of source", taken.seconds, "hcl2.load", base.seconds, 0.11)]


def audits() -> list[Row]:
    """Repositories: many roots in one process and on all cores, and one without any table."""
    few, many, others = (INPUTS / "repositories" / name for name in (*map(str, ROOTS), "others"))
    every = (*ON_ALL_CORES, str(many))  # as many processes as there are cores
    taken = best({"few": (*CHECK, str(few)), "one": (*CHECK, str(many)), "all": every}, 2, allowed=JUDGED)
    reading = (PYTHON, "-m", "bench.parsers", "bytes", str(others))
    passed = best({"reading": reading, "check": (*ON_ALL_CORES, str(others))}, 3)
    peak = tree_peak(every, allowed=JUDGED)
    return [
        Row(f"audit of {ROOTS[1]:,} roots, all cores", taken["all"].seconds, "one process", taken["one"].seconds, 0.7),
        Row("memory of all its processes", peak, "400 MB", 400e6, 1, "MB"),
        Row(f"time for {ROOTS[1]:,} roots", taken["one"].seconds, f"for {ROOTS[0]}", taken["few"].seconds, 11),
        Row(f"memory for {ROOTS[1]:,} roots", taken["one"].peak, f"for {ROOTS[0]}", taken["few"].peak, 11, "MB"),
        # a third of it is the start of the command, which reads its options with Typer
        Row("folder without any table", passed["check"].seconds, "reading it", passed["reading"].seconds, 3.5),
    ]


def growth(what: str, one: Run, ten: Run) -> list[Row]:
    """Time and memory of 10,000 tables against 1,000."""
    return [
        Row(f"time for 10,000 tables, {what}", ten.seconds, "for 1,000", one.seconds, 11),
        Row(f"memory for 10,000 tables, {what}", ten.peak, "for 1,000", one.peak, 11, "MB"),
    ]


def plan(size: str) -> Path:
    """The plan of so many tables."""
    return INPUTS / size / "plan.json"


def parser(language: str, *files: Path) -> tuple[str, ...]:
    """A command that parses files with a stock parser and does nothing else."""
    return (PYTHON, "-m", "bench.parsers", language, *map(str, files))


def shown(row: Row) -> str:
    """One line of the table."""
    scale, form = (1e6, ".0f") if row.unit == "MB" else (1, ".3f")
    measured, base = format(row.measured / scale, form), format(row.base / scale, form)
    verdict = "ok" if row.kept else "OVER"
    return (
        f"{row.work:<34} {measured:>8} {row.unit:<2}  {row.against:<14} {base:>8} {row.unit:<2}"
        f"  {row.ratio:>7.2f} x  limit {row.limit:>5} x  {verdict}\n"
    )


if __name__ == "__main__":
    sys.exit(main())
