"""The tree that every text format is read into, the error of a reader, and the pause of the garbage collector."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from msgspec import Struct

from tablegate.model.value import Place

Scalar: TypeAlias = str | int | float | bool | None


class Node(Struct, eq=False, gc=False):  # there are many, and they form no cycles
    """A scalar, a sequence or a mapping of nodes, with its place.

    A scalar has a place of its own; a sequence or mapping that is the value of a key has the place of the key.
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
        """The content without places."""
        if isinstance(self.content, Mapping):
            return {key: child.plain() for key, child in self.content.items()}
        if isinstance(self.content, (list, tuple)):
            return [child.plain() for child in self.content]
        return self.content


class ParseError(Exception):
    """An input, or a part of one, that cannot be read. The message never quotes much of the input."""

    def __init__(
        self,
        message: str,
        *,
        line: int | None = None,
        column: int | None = None,
        hint: str | None = None,
        duplicate: bool = False,
        incomplete: bool = False,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.hint = hint
        self.duplicate = duplicate
        self.incomplete = incomplete
        self.file: str | None = None  # if it is not the file that the reader was given


MANY_OBJECTS = 50_000  # new objects from which a collection pays


def collect_if_many() -> None:
    """Collect new garbage if there are many new objects. The command has switched the collector off."""
    if gc.get_count()[0] > MANY_OBJECTS:
        gc.collect(0)


@contextmanager
def collector_paused() -> Iterator[None]:
    """No garbage collection inside: a parse only adds objects."""
    running = gc.isenabled()
    if running:  # only who paused it enables it again: other threads may be in a pause too
        gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()
