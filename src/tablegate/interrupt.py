"""Ctrl-C as an exception of its own: no error of a policy is taken for it, nor it for an error of a policy."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn


class Interrupted(KeyboardInterrupt):
    """The user wants the run to end now."""


@contextmanager
def raised_on_ctrl_c() -> Iterator[None]:
    """Within this context Ctrl-C raises ``Interrupted`` wherever the run is, also in a predicate."""
    try:
        before = signal.signal(signal.SIGINT, _interrupt)
    except ValueError:  # not in the main thread, which alone is interrupted
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _interrupt(_signal: int, _frame: object) -> NoReturn:
    raise Interrupted
