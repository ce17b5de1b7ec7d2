"""Files of Terraform's language: split into blocks first; the body of a block is read when it is needed."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NoReturn

from tablegate.model.value import Place
from tablegate.syntax.hcl.expressions import Reader
from tablegate.syntax.hcl.nodes import Attribute, Block, Body, Literal
from tablegate.syntax.hcl.scanner import (
    BLANK,
    IDENTIFIER,
    SPACE,
    closing,
    heredoc,
    margin_of,
    part_span,
    refuse,
    unescaped,
)
from tablegate.syntax.hcl.scanner import place as place_of
from tablegate.syntax.node import ParseError

_APART = r"(?:[ \t\r]++|/\*.*?\*/)*+"  # blanks and comments, which may go over lines
_LABELS = rf'(?:{_APART}(?:"(?:[^"\\\n]|\\.)*+"|{IDENTIFIER}))*+'
_HEADER = re.compile(rf"(?P<type>{IDENTIFIER})(?P<labels>{_LABELS}){_APART}\{{", re.DOTALL)
_LABEL = re.compile(rf'"((?:[^"\\\n]|\\.)*+)"|({IDENTIFIER})|/\*.*?\*/', re.DOTALL)
_ITEM = re.compile(
    rf"""
    (?:[ \t\r\n]++|\#[^\n]*+|//[^\n]*+|/\*.*?\*/)*+
    (?:
        (?P<name>{IDENTIFIER}){_APART}=(?![=>]){_APART}
          (?:(?:"(?P<text>[^"\\$%\r\n]*+)"|(?P<int>[0-9]{{1,15}}+)|(?P<word>true|false|null))
             [ \t\r]*+(?=[\n\#}}]|\Z|//))?+
      | (?P<type>{IDENTIFIER})(?P<labels>{_LABELS}){_APART}\{{
      | (?P<close>\}})
      | (?P<end>\Z)
    )
    """,
    re.VERBOSE | re.DOTALL,
)
_WORDS = {"true": Literal(True), "false": Literal(False), "null": Literal(None)}


class File:
    """One file, split into its top-level blocks."""

    def __init__(self, name: str, text: str, grammar: str | None = None) -> None:
        self.name = name
        self._text = text
        self._reader = Reader(text, grammar)
        self._lines: list[int] | None = None

    def blocks(self) -> list[Block]:
        """The top-level blocks, in order."""
        text, position = self._text, 0
        blocks: list[Block] = []
        while (position := self._blank_end(position)) < len(text):
            header = _HEADER.match(text, position)
            if header is None:
                self._refuse_at_top(position)
            close = closing(text, header.end() - 1)
            blocks.append(self._block(header, close))
            position = self._line_over(close + 1, "a block")
        return blocks

    def assignments(self) -> Body:
        """The file as one body, as a file of variables is."""
        return self._body(0, len(self._text))

    def place(self, start: int, end: int | None = None) -> Place:
        """The place of a range, with its end column if it ends on the same line."""
        if self._lines is None:
            self._lines = [match.end() for match in re.finditer("\n", self._text)]
        line = bisect_right(self._lines, start)
        column = start - (self._lines[line - 1] if line else 0) + 1
        within = end is not None and (line == len(self._lines) or end <= self._lines[line])
        return Place(self.name, line + 1, column, column + end - start if within and end is not None else None)

    def says(self, start: int, end: int, word: str) -> bool:
        """Whether a range contains a word, in lower or upper case, also if it is written with escapes."""
        return word in unescaped(self._text[start:end]).lower()

    def inner(self, start: int, steps: Sequence[str | int]) -> tuple[int, int] | None:
        """The range of a part of the object or list that starts here; None if it is not written out."""
        return part_span(self._text, start, steps)

    def heredoc(self, start: int) -> Place | None:
        """The place of the text of a heredoc that starts here, without its margin; None if there is no heredoc."""
        span = heredoc(self._text, start)
        if span is None:
            return None
        shifted, first, last, _ = span
        return self.place(first + (margin_of(self._text[first:last]) if shifted else 0))

    def _block(self, header: re.Match[str], close: int) -> Block:
        return Block(
            header["type"],
            tuple(_labels(header["labels"])),
            start=header.start("type"),
            first=header.end(),
            close=close,
            file=self,
            read=lambda block: self._body(block.first, block.close),
        )

    def _body(self, position: int, close: int) -> Body:
        attributes: dict[str, Attribute] = {}
        blocks: list[Block] = []
        while True:
            match = _ITEM.match(self._text, position)
            if match is None:
                self._refuse_here(position)
            kind = match.lastgroup
            if kind in ("close", "end") or match.start(kind or 0) >= close:
                return Body(attributes, tuple(blocks))
            if kind == "labels":
                end = closing(self._text, match.end() - 1)
                blocks.append(self._block(match, end))
                position = self._line_over(end + 1, "a block")
                continue
            attribute, position = self._attribute(match)
            if attribute.name in attributes:
                self._refuse_twice(attribute)
            attributes[attribute.name] = attribute

    def _attribute(self, match: re.Match[str]) -> tuple[Attribute, int]:
        name, start, end = match["name"], match.start("name"), match.end()
        kind = match.lastgroup
        if kind == "text":
            first = match.start("text") - 1
            return Attribute(name, start, Literal(match["text"]), first, match.end("text") + 1, self), end
        if kind == "int":
            return Attribute(name, start, Literal(int(match["int"])), match.start("int"), match.end("int"), self), end
        if kind == "word":
            return Attribute(name, start, _WORDS[match["word"]], match.start("word"), match.end("word"), self), end
        if self._is_over(end):
            refuse("missing value", self._text, end)
        value, over = self._reader.expression(end)
        return Attribute(name, start, value, end, over, self), self._line_over(over, "an argument")

    def _blank_end(self, position: int) -> int:
        match = BLANK.match(self._text, position)
        return position if match is None else match.end()

    def _is_over(self, position: int) -> bool:
        """Whether the line or the block ends here, or a comment starts."""
        match = SPACE.match(self._text, position)
        position = position if match is None else match.end()
        return position >= len(self._text) or self._text[position] in "\n#}" or self._text.startswith("//", position)

    def _line_over(self, position: int, what: str) -> int:
        if not self._is_over(position):
            refuse(f"missing newline after {what}", self._text, position)
        return position

    def _refuse_twice(self, attribute: Attribute) -> NoReturn:
        line, column = place_of(self._text, attribute.start)
        raise ParseError(
            f'duplicate argument: "{attribute.name}" is set twice', line=line, column=column, duplicate=True
        )

    def _refuse_at_top(self, position: int) -> NoReturn:
        if re.compile(rf"{IDENTIFIER}[ \t]*=").match(self._text, position):
            refuse("argument outside any block", self._text, position)
        self._refuse_here(position)

    def _refuse_here(self, position: int) -> NoReturn:
        position = self._blank_end(position)
        if self._text.startswith("/*", position):
            refuse("unterminated comment", self._text, position)
        refuse("expected an argument or a block", self._text, min(position, len(self._text)))


def _labels(written: str) -> Iterator[str]:
    for match in _LABEL.finditer(written):
        if match[1] is not None:
            yield unescaped(match[1])
        elif match[2] is not None:
            yield match[2]
