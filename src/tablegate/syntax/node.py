"""Tree node with place, parseerror, collector_paused."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
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


class ParseError(Exception):
    """An input, or a part of one, that cannot be read. The message never quotes the input's own text at length."""

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
        self.file: str | None = None  # where it is not the file that the reader was given


MUCH = 50_000  # objects, from which on it pays to look for those that nobody needs


def collect_if_much() -> None:
    """Collect what is new if there is much of it: the command has switched the collector off."""
    if gc.get_count()[0] > MUCH:
        gc.collect(0)


@contextmanager
def collector_paused() -> Iterator[None]:
    """No collection inside: a parse only ever adds objects, and looking for garbage among them costs more than it."""
    running = gc.isenabled()
    if running:  # who has not paused it must not: another thread would have enabled it for the last time
        gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()
