"""What a user's Ctrl-C raises: a kind of its own, so that no policy's error is taken for it, nor it for a policy's."""

from __future__ import annotations

from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NoReturn


class Interrupted(KeyboardInterrupt):
    """Somebody wants the run to end, now."""


@contextmanager
def heeded() -> Iterator[None]:
    """As long as this lasts, Ctrl-C raises ``Interrupted`` wherever the run is, in a predicate too."""
    import _signal as signal  # type: ignore[import-not-found]  # the module around it takes a millisecond

    try:
        before = signal.signal(signal.SIGINT, _interrupt)
    except ValueError:  # not in the main thread, where nobody interrupts
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _interrupt(_signal: int, _frame: object) -> NoReturn:
    raise Interrupted
