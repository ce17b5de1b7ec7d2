"""JSON into nodes with places, or into plain objects. Strict, without recursion; messages never quote the text."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from math import isfinite
from typing import NoReturn, TypeAlias

from tablegate.model.record import record
from tablegate.syntax.node import Node, ParseError, Scalar, collector_paused

DEPTH = 200  # deeper than any real document, and far from the interpreter's own limit
DIGITS = 30  # more than Terraform or CloudFormation computes with
SHOWN = 80  # characters of a key in a message

_SPACE = r"[ \t\n\r]*+"
_PLAIN = r'"[^"\\\x00-\x1f]*+"'
_NUMBER = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?"
_SCALAR = rf"{_PLAIN}|{_NUMBER}|true|false|null"
_OPEN = rf"\[{_SPACE}\]|\{{{_SPACE}\}}|\[|\{{"
_BLANK = re.compile(_SPACE)
_VALUE = re.compile(rf"({_SCALAR})|({_OPEN})")
_LINE_END = re.compile(r"\r\n?|\n")
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+"?|([\[{])|([\]}])', re.DOTALL)
_WORDS: dict[str, Scalar] = {"true": True, "false": False, "null": None}

_Span: TypeAlias = tuple[int, int]
_Content: TypeAlias = dict[str, Node] | list[Node]


@record(kw_only=False)
class _Grammar:
    """The patterns for one kind of container: a whole step in the common case, and the end of a value."""

    step: re.Pattern[str]  # groups: key, scalar, sign after it, opening bracket
    after: re.Pattern[str]
    keyed: bool
    follows: str


def _grammar(end: str, follows: str, *, keyed: bool = False) -> _Grammar:
    key = rf'{_SPACE}"([^"\\\x00-\x1f]*+)"{_SPACE}:' if keyed else "()"
    step = rf"{key}{_SPACE}(?:({_SCALAR}){_SPACE}({end})|({_OPEN}))"
    return _Grammar(re.compile(step), re.compile(rf"{_SPACE}({end})"), keyed, follows)


_OBJECT = _grammar(r"[,}]", "',' or '}'", keyed=True)
_ARRAY = _grammar(r"[,\]]", "',' or ']'")
_DOCUMENT = _grammar(r"\Z", "the end of the file")


@record(kw_only=False)
class _Step:
    """A member or an item: its key, the scalar or opening bracket, and their positions."""

    key: str
    key_span: _Span
    value: Scalar
    span: _Span
    opening: str | None
    mark: str
    end: int


def parse_json(text: str) -> Node:
    """The document as nodes, each with its line and column."""
    with collector_paused():
        return _Scanner(text).tree()


def load_json(text: str) -> object:
    """The document as plain objects: as strict as ``parse_json``, and faster."""
    if _depth(text) <= DEPTH:
        try:
            with collector_paused():
                return _strict.decode(text)
        except ValueError:
            pass  # the parser below names the error and its place
    return parse_json(text).plain()


class _Scanner:
    """One text, read once from front to back."""

    __slots__ = ("_row", "_starts", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text)), len(text) + 2]
        self._row = 0

    def tree(self) -> Node:
        """The whole text as one node."""
        root: list[Node] = []
        content: _Content = root
        grammar, pos = _DOCUMENT, 0
        stack: list[tuple[_Content, _Grammar]] = []
        while True:
            step = self._step(grammar, pos)
            pos, mark = step.end, step.mark
            if step.opening is None:
                self._add(content, step, Node(step.value, *self._place(step.span)))
            else:
                if len(stack) == DEPTH:
                    raise self._error(f"nested deeper than {DEPTH} levels", step.span[0])
                inner: _Content = [] if step.opening[0] == "[" else {}
                # a container has the place of its key
                self._add(content, step, Node(inner, *self._place(step.key_span if grammar.keyed else step.span)))
                stack.append((content, grammar))
                content, grammar = inner, _ARRAY if step.opening[0] == "[" else _OBJECT
            while mark != ",":
                if not stack:
                    return root[0]
                content, grammar = stack.pop()
                mark, pos = self._after(grammar, pos)

    def _add(self, content: _Content, step: _Step, node: Node) -> None:
        if isinstance(content, list):
            content.append(node)
        elif step.key in content:
            first, again = content[step.key].line, self._position(step.key_span[0])
            message = f'duplicate key "{step.key[:SHOWN]}" on line {first} and again on line {again[0]}'
            raise ParseError(message, line=again[0], column=again[1], duplicate=True)
        else:
            content[step.key] = node

    def _place(self, span: _Span) -> tuple[int, int, int]:
        """Line, column and end column. Spans come in order, so the search starts at the last line."""
        start, end = span
        starts, row = self._starts, self._row
        while starts[row + 1] <= start:
            row += 1
        self._row = row
        return row + 1, start - starts[row] + 1, end - starts[row] + 1

    def _step(self, grammar: _Grammar, pos: int) -> _Step:
        match = grammar.step.match(self._text, pos)
        if match is None:
            return self._step_with_care(grammar, pos)
        key, scalar, mark, opening = match.groups()
        start, end = match.span(1)
        if opening is not None:
            return _Step(key, (start - 1, end + 1), None, match.span(4), opening, _mark(opening), match.end())
        value = scalar[1:-1] if scalar[0] == '"' else self._literal(scalar, match.start(2))
        return _Step(key, (start - 1, end + 1), value, match.span(2), None, mark, match.end())

    def _step_with_care(self, grammar: _Grammar, pos: int) -> _Step:
        """A step piece by piece: for texts with escapes, and to find an error."""
        key, key_span = "", (pos, pos)
        if grammar.keyed:
            start = self._expect('"', pos, "a key in double quotes")
            key, end = self._string(start)
            key_span = (start, end)
            pos = self._expect(":", end, "':'") + 1
        start = self._skip(pos)
        value: Scalar
        if self._text.startswith('"', start):
            value, end = self._string(start)
        else:
            match = _VALUE.match(self._text, start)
            if match is None:
                raise self._unexpected(start, "a value")
            scalar, opening = match.groups()
            end = match.end()
            if opening is not None:
                return _Step(key, key_span, None, (start, end), opening, _mark(opening), end)
            value = self._literal(scalar, start)
        mark, after = self._after(grammar, end)
        return _Step(key, key_span, value, (start, end), None, mark, after)

    def _after(self, grammar: _Grammar, pos: int) -> tuple[str, int]:
        match = grammar.after.match(self._text, pos)
        if match is None:
            raise self._unexpected(self._skip(pos), grammar.follows)
        return match.group(1), match.end()

    def _skip(self, pos: int) -> int:
        match = _BLANK.match(self._text, pos)
        return match.end() if match else pos

    def _expect(self, character: str, pos: int, wanted: str) -> int:
        pos = self._skip(pos)
        if not self._text.startswith(character, pos):
            raise self._unexpected(pos, wanted)
        return pos

    def _string(self, start: int) -> tuple[str, int]:
        try:
            value, end = _strict.raw_decode(self._text, start)
        except json.JSONDecodeError as error:
            if error.msg.startswith("Unterminated"):
                raise self._cut_short() from None
            what = "unescaped control character" if error.msg.startswith("Invalid control") else "invalid escape"
            raise self._error(f"{what} in a text", error.pos) from None
        return str(value), end

    def _literal(self, scalar: str, at: int) -> Scalar:
        try:
            return _WORDS[scalar] if scalar in _WORDS else _number(scalar)
        except ValueError as error:
            raise self._error(str(error), at) from None

    def _position(self, at: int) -> _Span:
        row = bisect_right(self._starts, at, hi=len(self._starts) - 1) - 1
        return row + 1, at - self._starts[row] + 1

    def _error(self, message: str, at: int, hint: str | None = None) -> ParseError:
        line, column = self._position(at)
        return ParseError(message, line=line, column=column, hint=hint)

    def _cut_short(self) -> ParseError:
        line, column = self._position(len(self._text))
        return ParseError("unexpected end of file (truncated?)", line=line, column=column)

    def _unexpected(self, at: int, wanted: str) -> ParseError:
        rest = self._text[at : at + 9]
        if not rest or any(word.startswith(rest) for word in (*_WORDS, "-")):
            return self._cut_short()
        if wanted == _DOCUMENT.follows:
            hint = "put each document into its own file" if rest[0] in "{[" else None
            return self._error("extra data after the end of the document", at, hint)
        if rest[0] in "]}" and self._text[:at].rstrip(" \t\n\r").endswith(","):
            return self._error("trailing comma, which is not JSON", at)
        for start, what in _NOT_JSON.items():
            if rest.startswith(start):
                return self._error(f"{what} not JSON", at)
        return self._error(f"expected {wanted}", at)


_NOT_JSON = {
    "//": "comments are",
    "/*": "comments are",
    "#": "comments are",
    "'": "single quotes are",
    "NaN": "NaN is",
    "Infinity": "Infinity is",
    "-Infinity": "Infinity is",
}


def _mark(opening: str) -> str:
    """The sign after an opening bracket: its closing one if the container is empty."""
    return "," if len(opening) == 1 else opening[-1]


def _number(text: str) -> int | float:
    return _integer(text) if text.lstrip("-").isdigit() else _float(text)


def _integer(text: str) -> int:
    digits = len(text.lstrip("-"))
    if digits > DIGITS:
        raise ValueError(f"number with {digits} digits; the limit is {DIGITS}")
    return int(text)


def _float(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError("number too large to read exactly")
    return number


def _refused(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("duplicate key")
    return members


def _depth(text: str) -> int:
    """The nesting of brackets outside texts; 0 if there are so few that it does not matter."""
    if text.count("[") + text.count("{") <= DEPTH:
        return 0
    depth = deepest = 0
    for match in _BRACKET.finditer(text):
        if match.lastindex == 1:
            depth += 1
            deepest = max(deepest, depth)
        elif match.lastindex:
            depth -= 1
    return deepest


_strict = json.JSONDecoder(object_pairs_hook=_unique, parse_int=_integer, parse_float=_float, parse_constant=_refused)
