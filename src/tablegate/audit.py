"""Judges many sources as one run: in this process or in several, each part by itself, and merges what they found."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from tablegate.findings import Report
from tablegate.merge import merged
from tablegate.parts import Judge, Part, groups, in_parts, judged, unpacked, weight
from tablegate.syntax.source import Source

Tell: TypeAlias = Callable[[int, int], object]  # how many of how many are done

WORTH = 1024 * 1024  # bytes from which processes pay for their start


def audit(sources: Sequence[Source], judge: Judge, *, jobs: int | None = None, tell: Tell) -> Report:
    """The report on all sources. How many processes there are, and how they share the work, does not show in it.

    Without a number of jobs there are as many as the machine has cores, where there is enough to do.
    """
    parts = list(in_parts(sources))
    wanted = jobs or (_cores() if sum(map(weight, parts)) >= WORTH else 1)
    if wanted == 1 or not hasattr(os, "fork"):
        return merged(_here(parts, judge, tell), ours=True)
    from tablegate.processes import in_processes

    if len(parts) < wanted:
        parts = groups(sources)
    return merged(unpacked(list(in_processes(parts, judge, wanted, tell)), judge), ours=True)


def _here(parts: Sequence[Part], judge: Judge, tell: Tell) -> Iterator[Report]:
    done, total = 0, sum(map(len, parts))
    for part in parts:
        yield judged(part, judge)
        done += len(part)
        tell(done, total)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
