"""The faults of one template, gathered while it is read: each once, with its path."""

from __future__ import annotations

from collections.abc import Iterator

from tablegate.findings import Fault, FaultCode
from tablegate.model.record import record
from tablegate.model.value import Place
from tablegate.syntax.node import Node


@record(kw_only=False)
class _Noted:
    code: FaultCode
    what: str
    line: int
    column: int
    end_column: int | None
    blocks: bool
    hint: str | None


class Faults:
    """Gathers what could not be read of a template."""

    def __init__(self, file: str, root: Node) -> None:
        self.file = file
        self._root = root
        self._noted: dict[_Noted, Node] = {}

    def unreadable(self, node: Node, what: str, hint: str | None = None) -> None:
        """The template is not what it must be here: nothing may be trusted that rests on it."""
        self._note(FaultCode.UNREADABLE, node, what, hint, blocks=True)

    def duplicated(self, node: Node, what: str) -> None:
        """A text in the template repeats a key: what is deployed is not what a reader sees."""
        self._note(FaultCode.DUPLICATE_KEY, node, what, None, blocks=True)

    def uncovered(self, node: Node, what: str, hint: str | None = None) -> None:
        """Something here may matter and is not seen."""
        self._note(FaultCode.INCOMPLETE, node, what, hint, blocks=False)

    def all(self) -> tuple[Fault, ...]:
        """Every fault, with the path to it from the top of the template."""
        if not self._noted:
            return ()
        found = list(_paths("", self._root))
        nodes = {id(node): path for path, node in found}
        places = {(node.line, node.column): path for path, node in reversed(found)}  # for what was made of a node
        faults = (
            self._fault(noted, nodes.get(id(node)) or places.get((node.line, node.column)) or None)
            for noted, node in self._noted.items()
        )
        # two readers of one property find the same fault, and need not say it in the same words
        return tuple({(fault.code, fault.place): fault for fault in reversed(list(faults))}.values())[::-1]

    def _note(self, code: FaultCode, node: Node, what: str, hint: str | None, *, blocks: bool) -> None:
        noted = _Noted(code, what, node.line, node.column, node.end_column, blocks, hint)
        self._noted.setdefault(noted, node)

    def _fault(self, noted: _Noted, path: str | None) -> Fault:
        message = f"{path}: {noted.what}" if path else noted.what
        place = Place(self.file, noted.line, noted.column, noted.end_column, path)
        return Fault(noted.code, message, place, noted.blocks, noted.hint)


def _paths(path: str, node: Node) -> Iterator[tuple[str, Node]]:
    waiting = [(path, node)]
    seen: set[int] = set()  # an alias stands in several places, and is walked once
    while waiting:
        path, node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield path, node
        content = node.content
        if isinstance(content, dict):
            steps = [(f"{path}/{key}" if path else key, child) for key, child in content.items()]
        elif isinstance(content, (list, tuple)):
            steps = [(f"{path}/{number}", child) for number, child in enumerate(content)]
        else:
            continue
        waiting.extend(reversed(steps))
