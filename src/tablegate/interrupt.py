"""What a user's Ctrl-C raises: a kind of its own, so that no policy's error is taken for it, nor it for a policy's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn


class Interrupted(KeyboardInterrupt):
    """Somebody wants the run to end, now."""


@contextmanager
def heeded() -> Iterator[None]:
    """As long as this lasts, Ctrl-C raises ``Interrupted`` wherever the run is, in a predicate too."""
    import signal
    import threading

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _interrupt(_signal: int, _frame: object) -> NoReturn:
    raise Interrupted
