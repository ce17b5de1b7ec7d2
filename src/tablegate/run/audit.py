"""Many sources as one run, in this process or in several. The report is the same.

An audit is for the command: it changes signals and the collector of the process, so threads do not call it.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from io import BytesIO
from multiprocessing.sharedctypes import RawArray
from typing import ClassVar, TypeAlias

from tablegate.findings import Report, merged
from tablegate.policy.declare import Policy
from tablegate.run.parts import Check, Part, check_part, groups, in_parts, lost, size_of
from tablegate.syntax.source import Source

OnProgress: TypeAlias = Callable[[int, int], object]  # sources that are done, and all sources

ENOUGH = 1024 * 1024  # bytes from which processes save more time than their start takes
PARTS_EACH = 8  # a process ends after about so many parts: its memory goes with it
MUCH_GARBAGE = 3_000_000  # objects, about 300 MB
_OFTEN = 0.2  # seconds between two reports of progress
_FORK = multiprocessing.get_context("fork")  # children have sources and policies without being sent them
_exit = os._exit  # packs cannot call it while a policy runs


def audit(
    sources: Sequence[Source],
    check: Check,
    policies: Iterable[Policy],
    *,
    jobs: int | None = None,
    on_progress: OnProgress,
) -> Report:
    """The report on all sources. The number of processes changes nothing in it.

    ``check`` gives the report on one part, by these ``policies``. Without a number of ``jobs`` there are as many
    processes as the machine has cores, or one if there is little to do.
    """
    parts = list(in_parts(sources))
    processes = jobs or (_cores() if sum(map(size_of, parts)) >= ENOUGH else 1)
    if processes == 1 or not hasattr(os, "fork"):
        return merged(_in_this_process(parts, check, on_progress), ours=True)

    if len(parts) < processes:
        parts = groups(sources)
    by_id = {policy.id: policy for policy in policies}
    packed = list(_in_processes(parts, check, processes, on_progress))
    return merged((unpacked(report, by_id) for report in packed), ours=True)


def _in_this_process(parts: Sequence[Part], check: Check, on_progress: OnProgress) -> Iterator[Report]:
    done, total = 0, sum(map(len, parts))
    with _collecting():
        for part in parts:
            yield check_part(part, check)
            done += len(part)
            on_progress(done, total)


@contextmanager
def _collecting() -> Iterator[None]:
    """Run the collector, which the command has switched off, once in a while: estates refer to themselves."""
    before, running = gc.get_threshold(), gc.isenabled()
    gc.set_threshold(MUCH_GARBAGE)
    gc.enable()
    try:
        yield
    finally:
        gc.set_threshold(*before)
        if not running:
            gc.disable()


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _in_processes(parts: Sequence[Part], check: Check, processes: int, on_progress: OnProgress) -> Iterator[bytes]:
    """The packed report on each part. If a process is killed, its parts are checked again, source by source."""
    total = sum(map(len, parts))
    while parts:
        batch = _Batch(parts[: processes * PARTS_EACH], check)
        left = parts[processes * PARTS_EACH :]
        before = total - sum(map(len, parts))
        reports = _reports(batch, processes, lambda done: on_progress(before + done, total))  # noqa: B023 - called now
        yield from (reports[number] for number in sorted(reports))
        missing = [number for number in range(len(batch.parts)) if number not in reports]
        begun = [number for number in missing if batch.begun[number]] or missing
        yield from _one_by_one([source for number in begun for source in batch.parts[number]], check)
        parts = [*(batch.parts[number] for number in missing if number not in begun), *left]


def _one_by_one(sources: Sequence[Source], check: Check) -> Iterator[bytes]:
    """The packed reports on sources of which one may have had its process killed, each in a process of its own."""
    survived = 0
    for source in sources:
        reports = _reports(_Batch([(source,)], check), 1, lambda _done: None)
        survived += len(reports)
        yield reports.get(0) or packed(lost(source, "the process that checked it was killed"))
    if sources and survived == len(sources):
        among = f" or one of {len(sources) - 1} others" if len(sources) > 1 else ""
        yield packed(lost(sources[0], f"a process that checked it{among} was killed; they were checked again"))


class _Batch:
    """The parts of one pool. Its children know it too; ``begun`` marks the parts that one of them has taken."""

    in_child: ClassVar[_Batch]

    def __init__(self, parts: Sequence[Part], check: Check) -> None:
        self.parts = parts
        self.check = check
        self.begun = RawArray("b", len(parts))


def _reports(batch: _Batch, processes: int, on_progress: Callable[[int], object]) -> dict[int, bytes]:
    """The packed reports by the numbers of their parts. Some are missing if a process was killed."""
    heaviest_first = sorted(range(len(batch.parts)), key=lambda number: -size_of(batch.parts[number]))
    reports: dict[int, bytes] = {}
    done = 0
    with _pool(batch, min(processes, len(batch.parts))) as pool:
        with _sigint_blocked():  # and in its children for good: their parent ends them
            running = {pool.submit(_check_in_child, number): number for number in heaviest_first}
        while running:
            for future in wait(running, _OFTEN, FIRST_COMPLETED).done:
                number = running.pop(future)
                done += len(batch.parts[number])
                with suppress(BrokenProcessPool):
                    reports[number] = future.result()
            on_progress(done)
    return reports


@contextmanager
def _pool(batch: _Batch, processes: int) -> Iterator[ProcessPoolExecutor]:
    """A pool of processes that does not outlive an error."""
    pool = ProcessPoolExecutor(processes, _FORK, _begin, (batch,))
    try:
        yield pool
    except BaseException:
        for child in multiprocessing.active_children():
            child.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _sigint_blocked() -> Iterator[None]:
    """Delay Ctrl-C until the end of the block."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(batch: _Batch) -> None:
    """Prepare a child."""
    _Batch.in_child = batch
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End a child whose parent is gone: it would wait for work forever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        _exit(1)


def _check_in_child(number: int) -> bytes:
    batch = _Batch.in_child
    batch.begun[number] = 1
    return packed(check_part(batch.parts[number], batch.check))


def packed(report: Report) -> bytes:
    """The report as bytes. It names policies by their ids: a predicate cannot be pickled."""
    out = BytesIO()
    pickler = pickle.Pickler(out, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = {Policy: lambda policy: (_policy_of, (policy.id,))}
    pickler.dump(report)
    return out.getvalue()


def unpacked(report: bytes, policies: dict[str, Policy]) -> Report:
    """A report that one of our own processes has packed."""
    return _Unpickler(report, policies).load()  # type: ignore[no-any-return]


def _policy_of(id: str) -> Policy:
    raise NotImplementedError(id)  # the unpickler has it


class _Unpickler(pickle.Unpickler):
    def __init__(self, report: bytes, policies: dict[str, Policy]) -> None:
        super().__init__(BytesIO(report))
        self._policies = policies

    def find_class(self, module: str, name: str) -> object:
        """What a name in the bytes stands for."""
        return self._policies.__getitem__ if name == _policy_of.__name__ else super().find_class(module, name)
