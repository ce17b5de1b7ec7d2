"""Python's cyclic garbage collector, kept out of the way while a tree is built."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

MUCH = 50_000  # objects, from which on it pays to look for those that nobody needs


def collect_if_much(much: int = MUCH, *, first: Callable[[], object] | None = None) -> bool:
    """Let go of what is new and only holds on to itself, if there is much of it: the command collects nothing.

    ``first`` is called before, and lets go of what would hold on to it.
    """
    if gc.get_count()[0] <= much:
        return False
    if first is not None:
        first()
    gc.collect(0)
    return True


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
