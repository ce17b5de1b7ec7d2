"""What source does not tell: why, what would settle it, and as much of it as source does tell."""

from __future__ import annotations

from typing import TypeAlias

from tablegate.model.value import Doubt

Reached: TypeAlias = tuple[str, str]  # the address of a module, and a reference in it

_SHOWN = 3
PLAN = "a plan, which spells it out"


class Unknown:
    """Something that source does not tell: why, what would settle it, and what it reads of resources.

    ``direct`` says that it is what it reads, and not something made of that. A text that is known in part has
    ``parts``, and what is one of several things has ``options``. A ``label`` is what a reader would call it.
    """

    __slots__ = ("candidates", "direct", "label", "names", "options", "parts", "reached", "reason", "settle")

    def __init__(
        self,
        reason: str,
        settle: str = PLAN,
        *,
        names: tuple[str, ...] = (),
        reached: tuple[Reached, ...] = (),
        candidates: tuple[object, ...] = (),
        direct: bool = False,
        parts: tuple[str | Unknown, ...] = (),
        options: tuple[object, ...] = (),
        label: str = "",
    ) -> None:
        self.reason = reason
        self.settle = settle
        self.names = names
        self.reached = reached
        self.candidates = candidates
        self.direct = direct
        self.label = label
        self.parts = parts
        self.options = options

    def doubt(self) -> Doubt:
        """The same, as the model has it."""
        shown = ", ".join(self.names[:_SHOWN])
        more = f" and {len(self.names) - _SHOWN} more" if len(self.names) > _SHOWN else ""
        return Doubt(f"{self.reason}: {shown}{more}" if shown else self.reason, self.settle, self.names)
