"""A kept speed layer: the expressions that most arguments have.

Texts, numbers, references, calls, lists and objects of these are nine in ten expressions of Terraform source. This
reader takes them from the text with a few regular expressions, ten times as fast as the whole grammar. At anything else
(operators, conditionals, loops) it raises ``UnsupportedError``, and python-hcl2's grammar reads the expression.

- It never guesses: an expression that it does not read to its end is left to the grammar.
- It buys: `make bench`, row of the folder of .tf files: 2 times as fast as with the grammar alone. Most inputs do not
  even import python-hcl2.
- It is held to the plain reader by tests/syntax/hcl/test_hcl.py, which compares both on every form of expression that
  it takes.
- To switch it off, let ``File._expression`` in this package ignore ``quick_expression``.
"""

from __future__ import annotations

import re
from typing import Final

from tablegate.syntax.hcl.nodes import (
    Access,
    At,
    Attr,
    Call,
    Expression,
    Literal,
    Name,
    Object,
    Splat,
    Step,
    Template,
    Tuple,
)
from tablegate.syntax.hcl.scanner import BLANK, DEPTH, IDENTIFIER, heredoc, unescaped, unmargined

_TERM = re.compile(
    rf"""
      "(?P<text>[^"\\$%\n]*+)"
    | (?P<quote>")
    | (?P<float>-?[0-9]{{1,99}}+(?:\.[0-9]++(?:[eE][+-]?[0-9]{{1,2}}+)?|[eE][+-]?[0-9]{{1,2}}+))(?![\w.])
    | (?P<int>(?!-0)-?[0-9]{{1,99}}+)(?![\w.])
    | (?P<word>{IDENTIFIER})
    | (?P<list>\[) | (?P<object>\{{) | (?P<heredoc><<)
    """,
    re.VERBOSE,
)
_STEP = re.compile(rf'\.({IDENTIFIER})|\["([^"\\$%\n]*+)"\]|\[([0-9]{{1,9}}+)\]|(\[\*\])|(\.[0-9*])|([\[(])|(::)')
_CORE = re.compile(rf"::({IDENTIFIER})(?=\()")
_KEY = re.compile(rf'(?:({IDENTIFIER})|"([^"\\$%\n]*+)")[ \t]*[=:](?![=>])')
_TEXT_PIECE = re.compile(r'((?:[^"\\$%\n]++|\\.|\$\$\{|%%\{|[$%](?!\{))++)|(\$\{)(?!~)|(")')
_HEREDOC_PIECE = re.compile(r"((?:[^$%]++|\$\$\{|%%\{|[$%](?!\{))++)|(\$\{)(?!~)")
_MARGIN = re.compile(r"\$\$\{|%%\{")
# A template over lines, which have no margin; white space that counts by characters as they are seen.
_ODD_MARGIN = re.compile(r"[$%]\{[^}\n]*\n|^[ \t]*[^\S \t\r\n]", re.MULTILINE)
_LITERALS: Final = {"true": Literal(True), "false": Literal(False), "null": Literal(None)}
_EXACT = 16  # characters of a decimal number, all of whose digits a float keeps
_NOT_NAMES = frozenset({"for", "if", "in"})


class UnsupportedError(Exception):
    """An expression that this reader does not support."""


def quick_expression(text: str, position: int, depth: int = 0) -> tuple[Expression, int]:
    """The expression that starts here, and its end."""
    match = _TERM.match(text, position)
    if match is None or depth > DEPTH:
        raise UnsupportedError
    kind, end = match.lastgroup, match.end()
    if kind == "text":
        return Literal(match["text"]), end
    if kind == "word":
        return _word(text, match["word"], end, depth)
    if kind == "int":
        return Literal(int(match["int"])), end
    if kind == "quote":
        return _template(text, end, depth)
    if kind == "list":
        return _list(text, end, depth)
    if kind == "object":
        return _object(text, end, depth)
    if kind == "float":
        if len(match["float"]) > _EXACT:
            raise UnsupportedError
        return Literal(float(match["float"])), end
    return _heredoc(text, position, depth)


def _word(text: str, word: str, position: int, depth: int) -> tuple[Expression, int]:
    if word in _LITERALS:
        return _LITERALS[word], position
    if word in _NOT_NAMES:
        raise UnsupportedError
    if word == "core" and (match := _CORE.match(text, position)):
        word, position = match[1], match.end()  # the full name of a built-in function
    if text.startswith("(", position):
        arguments, end = _items(text, position + 1, ")", depth)
        return Call(word, arguments), end
    steps: list[Step] = []
    splat = False
    while match := _STEP.match(text, position):
        if match.lastindex == 1:
            steps.append(Attr(match[1]))
        elif match.lastindex == 2:
            steps.append(At(Literal(match[2])))
        elif match.lastindex == 3:
            steps.append(At(Literal(int(match[3]))))
        elif match.lastindex == 4 and not splat:
            steps.append(Splat())
            splat = True
        else:
            raise UnsupportedError
        position = match.end()
    return (Access(Name(word), tuple(steps)) if steps else Name(word)), position


def _items(text: str, position: int, close: str, depth: int) -> tuple[tuple[Expression, ...], int]:
    """The items between brackets."""
    items: list[Expression] = []
    while True:
        position = _blank_end(text, position)
        if text.startswith(close, position):
            return tuple(items), position + 1
        item, position = quick_expression(text, position, depth + 1)
        items.append(item)
        position = _blank_end(text, position)
        if text.startswith(",", position):
            position += 1
        elif not text.startswith(close, position):
            raise UnsupportedError


def _list(text: str, position: int, depth: int) -> tuple[Expression, int]:
    items, end = _items(text, position, "]", depth)
    return Tuple(items), _without_steps(text, end)


def _object(text: str, position: int, depth: int) -> tuple[Expression, int]:
    members: list[tuple[Expression, Expression]] = []
    while True:
        position = _blank_end(text, position)
        if text.startswith("}", position):
            return Object(tuple(members)), _without_steps(text, position + 1)
        key = _KEY.match(text, position)
        if key is None:
            raise UnsupportedError
        value, position = quick_expression(text, _blank_end(text, key.end()), depth + 1)
        members.append((Literal(key[1] if key[1] is not None else key[2]), value))
        end = _blank_end(text, position)
        if text.startswith(",", end):
            position = end + 1
        elif text.startswith("}", end) or "\n" in text[position:end]:
            position = end
        else:
            raise UnsupportedError


def _without_steps(text: str, position: int) -> int:
    """The position, if no index or attribute follows a list or an object."""
    if text.startswith(("[", "."), position):
        raise UnsupportedError
    return position


def _template(text: str, position: int, depth: int) -> tuple[Expression, int]:
    parts: list[Expression] = []
    while True:
        match = _TEXT_PIECE.match(text, position)
        if match is None:
            raise UnsupportedError
        position = match.end()
        if match.lastindex == 1:
            parts.append(Literal(unescaped(match[1])))
        elif match.lastindex == 2:
            part, position = _interpolated(text, position, depth)
            parts.append(part)
        else:
            return _joined(parts), position


def _interpolated(text: str, position: int, depth: int) -> tuple[Expression, int]:
    part, position = quick_expression(text, _blank_end(text, position), depth + 1)
    position = _blank_end(text, position)
    if not text.startswith("}", position):
        raise UnsupportedError
    return part, position + 1


def _heredoc(text: str, position: int, depth: int) -> tuple[Expression, int]:
    span = heredoc(text, position)
    if span is None:
        raise UnsupportedError
    shifted, first, last, over = span
    body = text[first:last]
    if shifted and _ODD_MARGIN.search(body):
        raise UnsupportedError
    return _joined(_pieces(unmargined(body) if shifted else body, depth), single=False), over


def template(text: str) -> Expression:
    """A template without quotes of its own, as in JSON: only the text between ``${`` and ``}`` is an expression."""
    return _joined(_pieces(text, 0))


def _pieces(body: str, depth: int) -> list[Expression]:
    parts: list[Expression] = []
    at = 0
    while at < len(body):
        piece = _HEREDOC_PIECE.match(body, at)
        if piece is None:
            raise UnsupportedError
        at = piece.end()
        if piece.lastindex == 1:
            parts.append(Literal(_MARGIN.sub(lambda sign: sign[0][1:], piece[1])))
        else:
            part, at = _interpolated(body, at, depth)
            parts.append(part)
    return parts


def _joined(parts: list[Expression], *, single: bool = True) -> Expression:
    """The pieces as one expression. A single expression in quotes is that expression, of any type."""
    if single and len(parts) == 1:
        return parts[0]
    if all(type(part) is Literal and type(part.content) is str for part in parts):
        return Literal("".join(str(part.content) for part in parts if isinstance(part, Literal)))
    return Template(tuple(parts))


def _blank_end(text: str, position: int) -> int:
    match = BLANK.match(text, position)
    return position if match is None else match.end()
