"""A policy document between its author and whoever judges it: the tree, and where each part of it is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tablegate.access.documents import Path
from tablegate.model.record import field, record
from tablegate.syntax.node import Node


@record(eq=False, frozen=False, kw_only=False)
class Written:
    """A document as its author wrote it: the tree, and the nodes that its parts come from.

    ``nodes`` are its own and those of its statements, ``elements`` the elements of a statement, ``items`` of a list.
    """

    tree: Any
    node: Node
    nodes: dict[Path, Node] = field(default_factory=dict)
    elements: dict[Path, Mapping[str, Node]] = field(default_factory=dict)
    items: dict[Path, Sequence[Node]] = field(default_factory=dict)

    def at(self, path: Path) -> Node:
        """The node of a part, or the nearest around it."""
        while path:
            node = self.nodes.get(path) or self._within(path[:-1], path[-1])
            if node is not None:
                return node
            path = path[:-1]
        return self.node

    def _within(self, around: Path, last: str | int) -> Node | None:
        if isinstance(last, int):
            return self.items[around][last] if around in self.items else None
        return self.elements[around].get(last) if around in self.elements else None
