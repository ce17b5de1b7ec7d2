"""Surrounds the code of strangers: what it prints does not reach the report, and what never ends is ended."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from types import FrameType
from typing import NoReturn

from tablegate.engine.ask import OutOfTime
from tablegate.engine.judge import Guard

_AGAIN = 0.2  # for a policy that catches everything, also what should end it
_MUCH = 10_000


def guarded(say: Callable[[str], None], seconds: float) -> Guard:
    """What surrounds one policy while it runs on one input."""

    @contextmanager
    def guard() -> Iterator[None]:
        printed = _Printed()
        try:
            with redirect_stdout(printed), _staying(), _limited(seconds):
                yield
        finally:
            text = printed.getvalue()
            if text:
                say(text[:_MUCH])

    return guard


class _Printed(StringIO):
    """Where strangers print. They cannot close it."""

    def close(self) -> None:
        """Stay open."""


@contextmanager
def _staying() -> Iterator[None]:
    """Turn the one call that ends a process without a word, with code 0 at will, into an error. No sandbox: a slip."""
    leave = os._exit
    os._exit = _refuse  # type: ignore[assignment]
    try:
        yield
    finally:
        os._exit = leave


def _refuse(_status: int) -> NoReturn:
    raise SystemExit


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise OutOfTime in the main thread when the time is over. Elsewhere, and without timers, there is no limit."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, _out_of_time)
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _out_of_time(_signal: int, _frame: FrameType | None) -> None:
    raise OutOfTime
