"""A tree that knows its places: what every text format is read into."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from tablegate.model.value import Place

Scalar: TypeAlias = str | int | float | bool | None


class Node(Struct, eq=False, gc=False):  # many, and none leads back to another
    """A scalar, a sequence or a mapping of nodes, with the place where it stands.

    A scalar's place is its own; a sequence or mapping that is the value of a key stands at its key.
    Lines and columns are 1-based; ``end_column`` is on the same line, or None.
    """

    content: Scalar | Sequence[Node] | Mapping[str, Node]
    line: int
    column: int
    end_column: int | None = None

    def place(self, file: str, path: str | None = None) -> Place:
        """This node's place in a file."""
        return Place(file, self.line, self.column, self.end_column, path)

    def plain(self) -> object:
        """The same content without places."""
        if isinstance(self.content, Mapping):
            return {key: child.plain() for key, child in self.content.items()}
        if isinstance(self.content, (list, tuple)):
            return [child.plain() for child in self.content]
        return self.content
