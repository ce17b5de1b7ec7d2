"""Python's cyclic garbage collector, kept out of the way while a tree is built."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

MUCH = 50_000  # objects, from which on it pays to look for those that nobody needs


def collect_if_much() -> None:
    """Let go of what only holds on to itself, where the command collects nothing: what is new, as often as is due."""
    if gc.get_count()[0] > MUCH:
        gc.collect(0)


@contextmanager
def collector_paused() -> Iterator[None]:
    """No collection inside: a parse only ever adds objects, and looking for garbage among them costs more than it."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()
