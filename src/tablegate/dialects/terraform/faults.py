"""What a plan does not let one read, gathered on the way."""

from __future__ import annotations

from tablegate.findings import Fault, FaultCode
from tablegate.model.value import Place


class Faults:
    """The faults of one plan, each once, in the order of their places."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._found: dict[Fault, None] = {}

    def refuse(
        self,
        message: str,
        path: str | None = None,
        hint: str | None = None,
        *,
        blocks: bool = True,
        place: Place | None = None,
    ) -> None:
        """A part that is not what a plan holds there. ``place`` is where it was written, where that is known."""
        self._add(Fault(FaultCode.UNREADABLE, message, place or self._place(path), blocks=blocks, hint=hint))

    def repeats(self, message: str, path: str | None = None, *, place: Place | None = None) -> None:
        """A mapping that gives one key twice."""
        self._add(Fault(FaultCode.DUPLICATE_KEY, message, place or self._place(path)))

    def refuse_at(self, message: str, place: Place, *, code: FaultCode, hint: str | None = None) -> None:
        """A part of the source that is not what it should be."""
        self._add(Fault(code, message, place, hint=hint))

    def incomplete_at(self, message: str, place: Place, *, blocks: bool, hint: str | None = None) -> None:
        """A part of the source that was not read."""
        self._add(Fault(FaultCode.INCOMPLETE, message, place, blocks=blocks, hint=hint))

    def incomplete(self, message: str, *, blocks: bool, path: str | None = None, hint: str | None = None) -> None:
        """The plan itself says that it does not show everything."""
        self._add(Fault(FaultCode.INCOMPLETE, message, self._place(path), blocks=blocks, hint=hint))

    @property
    def found(self) -> tuple[Fault, ...]:
        """All of them."""
        return tuple(sorted(self._found, key=_order))

    def _place(self, path: str | None) -> Place:
        return Place(self.file, path=path)

    def _add(self, fault: Fault) -> None:
        self._found.setdefault(fault)


def _order(fault: Fault) -> tuple[str, str, int, str, str]:
    return fault.place.path or "", fault.place.file, fault.place.line or 0, fault.code, fault.message
