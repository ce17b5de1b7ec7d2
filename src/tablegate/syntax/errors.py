"""How a reader says that an input is not what it should be."""

from __future__ import annotations


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
