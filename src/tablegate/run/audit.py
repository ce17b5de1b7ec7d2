"""Many sources, one or several processes."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing.sharedctypes import RawArray
from typing import ClassVar, TypeAlias

from tablegate.findings import Report, merged
from tablegate.run.parts import Judge, Part, groups, in_parts, judged, lost, packed, unpacked, weight
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


OFTEN = 0.2  # seconds between two words on how far it is
_FORK = multiprocessing.get_context("fork")  # children know sources and policies without being sent them
_leave = os._exit  # while a policy runs, calls of it are refused


class _Work:
    """What one pool does, known to its children too. ``begun`` marks the parts that one of them has taken."""

    mine: ClassVar[_Work]  # in a child: the work that it is there for

    def __init__(self, parts: Sequence[Part], judge: Judge) -> None:
        self.parts = parts
        self.judge = judge
        self.begun = RawArray("b", len(parts))


def in_processes(parts: Sequence[Part], judge: Judge, jobs: int, tell: Callable[[int, int], object]) -> Iterator[bytes]:
    """The report of each part. Where a process was killed, what it had in hand is judged again, source by source."""
    total = sum(map(len, parts))
    while parts:
        work = _Work(parts, judge)
        before = total - sum(map(len, parts))
        found = _found(work, jobs, lambda done: tell(before + done, total))  # noqa: B023 - called before it changes
        yield from (found[number] for number in sorted(found))
        left = [number for number in range(len(parts)) if number not in found]
        begun = [number for number in left if work.begun[number]] or left
        yield from _again([source for number in begun for source in parts[number]], judge)
        parts = [parts[number] for number in left if number not in begun]


def _again(sources: Sequence[Source], judge: Judge) -> Iterator[bytes]:
    """Sources of which one may have had its process killed, each in a process of its own."""
    survived = []
    for source in sources:
        found = _found(_Work([(source,)], judge), 1, lambda _done: None)
        if found:
            survived.append(source)
        yield found.get(0) or packed(lost(source, "the process that judged it was killed"))
    if sources and len(survived) == len(sources):
        among = f" or one of {len(sources) - 1} others" if len(sources) > 1 else ""
        yield packed(lost(sources[0], f"a process that judged it{among} was killed; they were judged again"))


def _found(work: _Work, jobs: int, tell: Callable[[int], object]) -> dict[int, bytes]:
    """What was found in the parts, by their numbers: in all of them, unless a process was killed."""
    heaviest_first = sorted(range(len(work.parts)), key=lambda number: -weight(work.parts[number]))
    found: dict[int, bytes] = {}
    done = 0
    with _pool(work, min(jobs, len(work.parts))) as pool:
        with _undisturbed():  # and its children for good: they are their parent's to end
            running = {pool.submit(_judged, number): number for number in heaviest_first}
        while running:
            for future in wait(running, OFTEN, FIRST_COMPLETED).done:
                number = running.pop(future)
                done += len(work.parts[number])
                with suppress(BrokenProcessPool):
                    found[number] = future.result()
            tell(done)
    return found


@contextmanager
def _pool(work: _Work, jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Some processes. Whatever ends this ends them."""
    pool = ProcessPoolExecutor(jobs, _FORK, _begin, (work,))
    try:
        yield pool
    except BaseException:
        for child in multiprocessing.active_children():
            child.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """As long as this lasts, Ctrl-C waits."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(work: _Work) -> None:
    """In a child, first of all."""
    _Work.mine = work
    work.judge.much //= 4  # there are several such processes
    gc.freeze()  # what the parent has made stays: nobody looks at it again
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A child whose parent is gone would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        _leave(1)


def _judged(number: int) -> bytes:
    """In a child: what it finds in one part."""
    work = _Work.mine
    work.begun[number] = 1
    return packed(judged(work.parts[number], work.judge))
