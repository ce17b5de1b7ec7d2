"""Expressions of Terraform's language, read as HashiCorp's parser reads them.

This reader takes everything but how several operators bind, which it asks python-hcl2 (`grammar.py`). A newline ends an
expression, or an item of an object, unless brackets or a template are open around it.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final, NoReturn, TypeAlias

from tablegate.syntax.hcl.nodes import (
    LONG_NUMBER,
    Access,
    At,
    Attr,
    Binary,
    Call,
    Conditional,
    Expression,
    For,
    Literal,
    Name,
    Object,
    Opaque,
    Splat,
    Step,
    Tuple,
    Unary,
)
from tablegate.syntax.hcl.scanner import BLANK, DEPTH, IDENTIFIER, SPACE, closing, heredoc, refuse, unescaped
from tablegate.syntax.hcl.templates import Inserted, Part, joined

_TERM = re.compile(
    rf"""
      "(?P<text>[^"\\$%\n]*+)"
    | (?P<word>{IDENTIFIER})
    | (?P<number>[0-9](?:\.*+(?:[0-9]|[eE][+-]?[0-9]))*+)
    | (?P<quote>") | (?P<list>\[) | (?P<object>\{{) | (?P<parens>\() | (?P<heredoc><<) | (?P<sign>[-!])
    """,
    re.VERBOSE,
)
_FOLLOWS = (
    r"(?:(?P<dot>\.(?!\.\.))|(?P<index>\[)|(?P<test>\?)"
    r"|(?P<operator>==|!=|<=|>=|&&|\|\||[-+*%]|/(?![/*])|<(?!<)|>))"
)
# What may stand in front of the next token, by whether brackets are open: then newlines are blanks.
_BLANKS = {False: SPACE, True: BLANK}
_AFTER = {inside: re.compile(blank.pattern + _FOLLOWS, re.DOTALL) for inside, blank in _BLANKS.items()}
_NAME = re.compile(IDENTIFIER)
_NAME_OR_DIGITS = re.compile(rf"({IDENTIFIER})|([0-9](?:\.*+(?:[0-9]|[eE][+-]?[0-9]))*+)")
_NUMBER = re.compile(r"[0-9]++(?:\.[0-9]*+)?(?:[eE][+-]?([0-9]++))?")
_KEY = re.compile(rf'(?:({IDENTIFIER})|"([^"\\$%\n]*+)")[ \t]*[=:](?![=>:])')
_FOR = re.compile(rf"{BLANK.pattern}for(?!{IDENTIFIER}|[\d-])", re.DOTALL)
_TEXT_PIECE = re.compile(r'((?:[^"\\$%\n]++|\\.|\$\$\{|%%\{|[$%](?!\{))++)|([$%])\{(~?)|"')
_LINE_PIECE = re.compile(
    r"((?:[^$%\n]++|\$\$\{|%%\{|[$%](?!\{))*+\n|(?:[^$%\n]++|\$\$\{|%%\{|[$%](?!\{))++)|([$%])\{(~?)"
)
_ESCAPED = re.compile(r"([$%])\1(?=\{)")
_MAY_BE_CALLED = frozenset("(: \t\r\n/#")
_LITERALS: Final = {"true": Literal(True), "false": Literal(False), "null": Literal(None)}
_EXACT = 15  # digits of a number, all of which a float keeps
_LONGEST = 150  # characters of a number that Terraform keeps whole, and that is read

Read: TypeAlias = tuple[Expression, int]


class Reader:
    """Reads the expressions of a text. ``grammar`` is the file with the compiled grammar of python-hcl2."""

    def __init__(self, text: str, grammar: str | None = None) -> None:
        self._text = text
        self._grammar = grammar

    def expression(self, position: int, depth: int = 0, *, inside: bool = False) -> Read:
        """The expression that starts here, and its end. Inside of brackets newlines are blanks."""
        value, position, after = self._operand(position, depth, inside)
        if after is None:
            return value, position
        tests: list[tuple[Expression, Expression]] = []
        while True:
            if after is not None and after["operator"]:
                value, position, after = self._operation(value, after, depth, inside)
            if after is None:
                break
            yes, position = self.expression(self._past(after.end(), inside), depth + 1, inside=inside)
            tests.append((value, yes))
            position = self._expected(position, ":", inside)
            value, position, after = self._operand(self._past(position, inside), depth, inside)
        for test, yes in reversed(tests):
            value = Conditional(test, yes, value)
        return value, position

    def whole(self) -> Expression:
        """The text as one expression, with nothing but blanks and comments around it."""
        value, position = self.expression(self._past(0, True), inside=True)
        if self._past(position, True) < len(self._text):
            self._refuse(position)
        return value

    def template(self) -> Expression:
        """A template without quotes of its own, as in JSON: only the text between ``${`` and ``}`` is an expression."""
        return joined(self._lines(0, len(self._text), 0))

    def _operation(
        self, value: Expression, after: re.Match[str] | None, depth: int, inside: bool
    ) -> tuple[Expression, int, re.Match[str] | None]:
        """The operands that operators join, the end of the last one, and the ``?`` behind it, if there is one."""
        operands, operators = [value], []
        position = 0
        while after is not None and after["operator"]:
            operators.append(after["operator"])
            value, position, after = self._operand(self._past(after.end(), inside), depth, inside)
            operands.append(value)
        if len(operators) == 1:
            return Binary(operators[0], *operands), position, after
        from tablegate.syntax.hcl.grammar import bound  # imports python-hcl2, which most files do not need

        return bound(operators, operands, self._grammar), position, after

    def _operand(self, position: int, depth: int, inside: bool) -> tuple[Expression, int, re.Match[str] | None]:
        """A term with its signs and its steps, its end, and the operator or ``?`` that follows."""
        if depth > DEPTH:
            refuse(f"nested more than {DEPTH} levels deep", self._text, position)
        signs = []
        match = _TERM.match(self._text, position)
        while match is not None and match.lastgroup == "sign":
            signs.append(match["sign"])
            position = self._past(match.end(), inside)
            match = _TERM.match(self._text, position)
        if match is None:
            self._refuse(position)
        value, position = self._term(match, depth, inside)
        after = _AFTER[inside].match(self._text, position)
        if after is not None and after.lastgroup in ("dot", "index"):
            value, position, after = self._access(value, after, depth, inside)
        for sign in reversed(signs):
            value = _signed(sign, value)
        return value, position, after

    def _term(self, match: re.Match[str], depth: int, inside: bool) -> Read:
        kind, end = match.lastgroup, match.end()
        if kind == "text":
            return Literal(match["text"]), end
        if kind == "word":
            return self._word(match["word"], end, depth, inside)
        if kind == "number":
            return self._number(match["number"], end), end
        if kind == "quote":
            return self._quoted(end, depth)
        if kind == "heredoc":
            return self._heredoc(match.start(), depth)
        if kind == "parens":
            value, end = self.expression(self._past(end, True), depth + 1, inside=True)
            return value, self._expected(end, ")", True)
        loop = _FOR.match(self._text, end)
        if loop is not None:
            return self._for(loop.end(), "]" if kind == "list" else "}", depth)
        if kind == "list":
            items, end, _ = self._items(end, "]", depth)
            return Tuple(items), end
        return self._object(end, depth)

    def _word(self, word: str, position: int, depth: int, inside: bool) -> Read:
        opened = position
        if self._text[position : position + 1] in _MAY_BE_CALLED:
            opened = self._past(position, inside)
            while self._text.startswith("::", opened):
                name = _NAME.match(self._text, self._past(opened + 2, inside))
                if name is None:
                    self._refuse(opened)
                word, opened = f"{word}::{name[0]}", self._past(name.end(), inside)
            if self._text.startswith("(", opened):
                arguments, end, spread = self._items(opened + 1, ")", depth)
                return Call(word.removeprefix("core::"), arguments, spread), end  # the full name of a built-in function
        if "::" in word:
            self._refuse(opened)
        return _LITERALS.get(word) or Name(word), position

    def _number(self, written: str, end: int) -> Expression:
        if written.isdecimal() and len(written) <= _EXACT:
            return Literal(int(written))
        number = _NUMBER.fullmatch(written)
        if number is None:
            refuse("invalid number", self._text, end - len(written))
        if len(written) > _LONGEST or len(number[1] or "") > 3:
            return LONG_NUMBER
        content = int(written) if written.isdecimal() else float(written)
        if isinstance(content, float) and Decimal(repr(content)) != Decimal(written):
            return LONG_NUMBER
        return Literal(content)

    def _access(
        self, base: Expression, after: re.Match[str] | None, depth: int, inside: bool
    ) -> tuple[Expression, int, re.Match[str] | None]:
        """An expression with its steps. What follows ``[*]`` applies to each item, also another splat."""
        steps: list[Step] = []
        opaque = False
        position = 0
        while after is not None and after.lastgroup in ("dot", "index"):
            position = after.end()
            star = self._star(position, inside)
            if not star:
                step, position = self._step(position, after.lastgroup, depth, inside)
                steps.append(step)
            elif after.lastgroup == "index":
                steps.append(Splat())
                position = self._expected(star, "]", inside)
            else:
                opaque = opaque or Splat() in steps
                attributes, position = self._attributes(star, inside)
                base, steps = _with_steps(base, (*steps, Splat(), *attributes)), []
            after = _AFTER[inside].match(self._text, position)
        if opaque:
            return Opaque("a splat of attributes inside another splat"), position, after
        return _with_steps(base, tuple(steps)), position, after

    def _star(self, position: int, inside: bool) -> int:
        """The position behind the star of a splat; 0 if there is none."""
        position = self._past(position, inside)
        return position + 1 if self._text.startswith("*", position) else 0

    def _step(self, position: int, kind: str, depth: int, inside: bool) -> tuple[Step, int]:
        if kind == "index":
            key, position = self.expression(self._past(position, True), depth + 1, inside=True)
            return At(key), self._expected(position, "]", True)
        match = _NAME_OR_DIGITS.match(self._text, self._past(position, inside))
        if match is None:
            self._refuse(position)
        if match[1] is not None:
            return Attr(match[1]), match.end()
        if "." in match[2]:
            self._refuse(position)
        return At(self._number(match[2], match.end())), match.end()

    def _attributes(self, position: int, inside: bool) -> tuple[list[Step], int]:
        """The steps behind ``.*``, which end with the first index in brackets."""
        steps: list[Step] = []
        after = _AFTER[inside].match(self._text, position)
        while after is not None and after["dot"]:
            step, position = self._step(after.end(), "dot", 0, inside)
            steps.append(step)
            after = _AFTER[inside].match(self._text, position)
        return steps, position

    def _items(self, position: int, close: str, depth: int) -> tuple[tuple[Expression, ...], int, bool]:
        """The items between brackets, the end, and whether ``...`` follows the last one."""
        items: list[Expression] = []
        position = self._past(position, True)
        while not self._text.startswith(close, position):
            item, position = self.expression(position, depth + 1, inside=True)
            items.append(item)
            position = self._past(position, True)
            if close == ")" and self._text.startswith("...", position):
                return tuple(items), self._expected(position + 3, close, True), True
            if self._text.startswith(",", position):
                position = self._past(position + 1, True)
            elif not self._text.startswith(close, position):
                self._refuse(position)
        return tuple(items), position + 1, False

    def _object(self, position: int, depth: int) -> Read:
        members: list[tuple[Expression, Expression]] = []
        position = self._past(position, True)
        while not self._text.startswith("}", position):
            key, position = self._key(position, depth)
            value, position = self.expression(position, depth + 1)
            members.append((key, value))
            end = self._past(position, False)
            if self._text.startswith(",", end):
                end = self._past(end + 1, True)
            elif self._text[end : end + 1] in ("\n", "#") or self._text.startswith("//", end):
                end = self._past(end, True)
            elif not self._text.startswith("}", end):
                self._refuse(end)
            position = end
        return Object(tuple(members)), position + 1

    def _key(self, position: int, depth: int) -> Read:
        """The key of a member, and the start of its value. A bare word is a text."""
        plain = _KEY.match(self._text, position)
        if plain is not None:
            word = plain[1] if plain[1] is not None else plain[2]
            return Literal(word), self._past(plain.end(), False)
        bare = _NAME.match(self._text, position)
        key, end = self.expression(position, depth + 1)
        if bare is not None and isinstance(key, (Name, Literal)):
            key = Literal(bare[0])
        elif bare is not None and isinstance(key, Access) and isinstance(key.base, Name) and Splat() not in key.steps:
            # An error when Terraform evaluates it; among the providers of a module it is a name.
            key = Opaque("a key that looks like a reference", key)
        sign = self._past(end, False)
        if not self._text.startswith(("=", ":"), sign) or self._text.startswith("=>", sign):
            self._refuse(sign)
        return key, self._past(sign + 1, False)

    def _for(self, position: int, close: str, depth: int) -> Read:
        names, position = self._names(position)
        everything, position = self.expression(self._past(position, True), depth + 1, inside=True)
        position = self._expected(position, ":", True)
        result, position = self.expression(self._past(position, True), depth + 1, inside=True)
        position = self._past(position, True)
        key = None
        if self._text.startswith("=>", position):
            key = result
            result, position = self.expression(self._past(position + 2, True), depth + 1, inside=True)
            position = self._past(position, True)
        grouped = self._text.startswith("...", position)
        if (close == "}") != (key is not None) or (grouped and key is None):
            self._refuse(position)
        position = self._past(position + 3, True) if grouped else position
        condition = None
        word = _NAME.match(self._text, position)
        if word is not None and word[0] == "if":
            condition, position = self.expression(self._past(word.end(), True), depth + 1, inside=True)
        return For(names, everything, key, result, condition, grouped), self._expected(position, close, True)

    def _names(self, position: int) -> tuple[tuple[str, ...], int]:
        """The variables of a loop, and the position behind ``in``."""
        names: list[str] = []
        while len(names) < 2:
            name = _NAME.match(self._text, self._past(position, True))
            if name is None:
                self._refuse(position)
            names.append(name[0])
            position = self._past(name.end(), True)
            if not self._text.startswith(",", position):
                break
            position += 1
        word = _NAME.match(self._text, position)
        if word is None or word[0] != "in":
            self._refuse(position)
        return tuple(names), word.end()

    def _quoted(self, position: int, depth: int) -> Read:
        parts: list[Part] = []
        opened = position - 1
        while True:
            match = _TEXT_PIECE.match(self._text, position)
            if match is None:
                refuse("unterminated text", self._text, opened)
            position = match.end()
            if match[1] is not None:
                parts.append(unescaped(match[1]))
            elif match[2] is not None:
                part, position = self._inserted(match, depth)
                parts.append(part)
            else:
                return joined(parts), position

    def _heredoc(self, position: int, depth: int) -> Read:
        span = heredoc(self._text, position)
        if span is None:
            self._refuse(position)
        shifted, first, last, over = span
        parts = self._lines(first, last, depth)
        return joined(parts, shifted=shifted), over

    def _lines(self, position: int, end: int, depth: int) -> list[Part]:
        """The parts of a text without quotes: its lines, and what is inserted between them."""
        parts: list[Part] = []
        while position < end and (match := _LINE_PIECE.match(self._text, position, end)) is not None:
            position = match.end()
            if match[1] is not None:
                parts.append(_ESCAPED.sub(r"\1", match[1]))
            else:
                part, position = self._inserted(match, depth)
                parts.append(part)
        return parts

    def _inserted(self, opened: re.Match[str], depth: int) -> tuple[Inserted, int]:
        """What stands between ``${`` or ``%{`` and ``}``. A directive is not read."""
        trims_before = bool(opened[3])
        if opened[2] == "%":
            position = closing(self._text, opened.start() + 1, depth + 1)
            trims_after = self._text[position - 1] == "~"
            return Inserted(Opaque("a directive"), trims_before, trims_after, is_directive=True), position + 1
        value, position = self.expression(self._past(opened.end(), True), depth + 1, inside=True)
        position = self._past(position, True)
        trims_after = self._text.startswith("~", position)
        if not self._text.startswith("}", position + trims_after):
            self._refuse(position)
        return Inserted(value, trims_before, trims_after), position + trims_after + 1

    def _refuse(self, position: int) -> NoReturn:
        position = self._past(position, True)
        refuse("invalid expression", self._text, min(position, len(self._text)))

    def _past(self, position: int, inside: bool) -> int:
        """The position behind blanks and comments, and behind newlines inside of brackets."""
        match = _BLANKS[inside].match(self._text, position)
        return position if match is None else match.end()

    def _expected(self, position: int, sign: str, inside: bool) -> int:
        """The position behind this sign, which must follow."""
        position = self._past(position, inside)
        if not self._text.startswith(sign, position):
            self._refuse(position)
        return position + len(sign)


def _signed(sign: str, value: Expression) -> Expression:
    if sign == "-" and isinstance(value, Literal) and value.content and type(value.content) in (int, float):
        return Literal(-value.content)  # type: ignore[operator]
    return Unary(sign, value)


def _with_steps(base: Expression, steps: tuple[Step, ...]) -> Expression:
    """The expression with more steps. Steps after a splat apply to each item, so they form an access of their own."""
    if not steps:
        return base
    if isinstance(base, Access) and Splat() not in base.steps:
        return Access(base.base, (*base.steps, *steps))
    return Access(base, steps)
