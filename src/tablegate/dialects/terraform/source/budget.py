"""What the evaluation of one root may take: source can be written to exhaust its reader."""

from __future__ import annotations

from tablegate.dialects.reading import TOO_LONG, TextBudget
from tablegate.dialects.terraform.source.scalars import InexactError

_STEPS = 100_000  # of all loops


class Budget:
    """What is left of it."""

    def __init__(self) -> None:
        self._steps = _STEPS
        self._texts = TextBudget()

    def spend_step(self) -> None:
        """Count a step of a loop. Raises InexactError after too many."""
        self._steps -= 1
        if self._steps < 0:
            raise InexactError("loops that are too long to be read")

    def spend_text(self, length: int) -> None:
        """Count the length of a text that is made, known or not. Raises InexactError if it is too much."""
        if not self._texts.allows(length):
            raise InexactError(TOO_LONG)
