"""Runs whole processes, and measures their time by the clock and their peak of memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

PYTHON = sys.executable
TABLEGATE = str(Path(sys.executable).with_name("tablegate"))
ON_ALL_CORES = (TABLEGATE, "check", "--no-config", "--select", "ALL")
CHECK = (*ON_ALL_CORES, "--jobs", "1")  # one process, as the parsers are
OFTEN = 0.02  # seconds between two looks at the memory of processes


class Run(NamedTuple):
    """One process: its seconds, and its peak memory in bytes."""

    seconds: float
    peak: int


def run(command: tuple[str, ...], *, allowed: tuple[int, ...] = (0,)) -> Run:
    """Run one command to its end. Its output goes nowhere."""
    began = time.perf_counter()
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    complaint = process.stderr.read() if process.stderr else ""
    if process.returncode not in allowed:
        raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}\n{complaint}")
    return Run(seconds, usage.ru_maxrss * 1024)


def tree_peak(command: tuple[str, ...], *, allowed: tuple[int, ...] = (0,)) -> int:
    """The most memory that a process and its children hold at once; pages that they share count for each of them."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        peak = max(peak, sum(map(_resident, _family(process.pid))))
        time.sleep(OFTEN)
    if process.returncode not in allowed:
        raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}")
    return peak


def _family(pid: int) -> list[int]:
    with suppress(OSError):
        return [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]
    return []


def _resident(pid: int) -> int:
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
    return 0


def best(commands: dict[str, tuple[str, ...]], rounds: int, **how: object) -> dict[str, Run]:
    """The quickest run of each, in turns, so that a noisy minute is noisy for all of them."""
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            runs[name].append(run(command, **how))
    return {name: min(taken) for name, taken in runs.items()}
