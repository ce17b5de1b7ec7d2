"""YAML's anchors and aliases, with a budget: a few lines of them can stand for more nodes than a machine can hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tablegate.syntax.node import Node

EXPANDED = 250_000  # nodes that all aliases together may stand for
LEVELS = 120  # how deep they may build


class _Extent(NamedTuple):
    size: int
    height: int


class Aliases:
    """What has been anchored so far, and how much the aliases have used of the budget."""

    __slots__ = ("_expanded", "_extents", "_named", "open")

    def __init__(self) -> None:
        self.open: dict[int, tuple[str, Node]] = {}  # by depth: anchored containers that have not ended
        self._named: dict[str, Node | None] = {}  # None while the container is open
        self._extents: dict[int, _Extent] = {}
        self._expanded = 0

    def scalar(self, name: str, node: Node) -> None:
        """An anchored scalar."""
        self._named[name] = node
        self._extents[id(node)] = self._extent(node)

    def begin(self, name: str, depth: int, node: Node) -> None:
        """An anchored container begins; until its end no alias may name it."""
        self.open[depth] = (name, node)
        self._named[name] = None

    def end(self, depth: int) -> None:
        """A container ends at this depth, anchored or not."""
        if depth in self.open:
            name, node = self.open.pop(depth)
            self._named[name] = node
            self._extents[id(node)] = self._extent(node)

    def target(self, name: str, depth: int) -> Node:
        """The node that an alias at this depth stands for. ValueError says why it can stand for none."""
        if name not in self._named:
            raise ValueError("an alias of an anchor that is not there")
        node = self._named[name]
        if node is None:
            raise ValueError("an alias inside of what it stands for; this would never end")
        size, height = self._extents[id(node)]
        self._expanded += size
        if self._expanded > EXPANDED or depth + height > LEVELS:
            raise ValueError(f"the aliases stand for more than {EXPANDED:,} nodes, or more than {LEVELS} levels")
        return node

    def _extent(self, node: Node) -> _Extent:
        """Size and height, level by level; what is known of an anchored part is not walked again."""
        size = height = depth = 0
        level = [node]
        while level:
            depth += 1
            known = [self._extents[id(each)] for each in level if id(each) in self._extents]
            new = [each for each in level if id(each) not in self._extents]
            size += len(new) + sum(extent.size for extent in known)
            height = max(height, depth, *(depth - 1 + extent.height for extent in known))
            level = [child for each in new for child in _children(each)]
        return _Extent(size, height)


def _children(node: Node) -> Iterable[Node]:
    if isinstance(node.content, Mapping):
        return node.content.values()
    return node.content if isinstance(node.content, list) else ()
