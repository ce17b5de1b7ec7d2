"""Expressions as python-hcl2 parses them: those that the quick reader does not support.

The compiled grammar is cached in a file. By default python-hcl2 would write it beside its own code.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from threading import Lock
from typing import Any

import lark
from hcl2 import api, parser

from tablegate.syntax.hcl.nodes import (
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
    Template,
    Tuple,
    Unary,
)
from tablegate.syntax.hcl.scanner import unescaped
from tablegate.syntax.node import ParseError

# Valid in Terraform, unknown to the grammar: full names of built-in functions, an arrow on its own line.
_CORE = re.compile(r"\bcore::(?=\w+\()")
_ARROW = re.compile(r"([ \t]*\n[ \t]*)=>")
_COMMENT = re.compile(r"/\*.*?\*/|(?:\#|//)[^\n]*", re.DOTALL)
_LITERALS = {"true": True, "false": False, "null": None}
_IGNORED = frozenset({"new_line_or_comment"})


def expression(text: str, grammar: str | None) -> Expression:
    """The text as an expression. ``grammar`` is the file with the compiled grammar."""
    try:
        return _parsed(text, grammar)
    except ParseError:
        rewritten = _CORE.sub("", text)
        if "<<" not in text:
            rewritten = _ARROW.sub(r" =>\1", rewritten)
        if rewritten == text:
            raise
        return _parsed(rewritten, grammar)


_ONE_AT_A_TIME = Lock()  # Lark changes its lexers while it parses


@lru_cache(maxsize=4096)
def _parsed(text: str, grammar: str | None) -> Expression:
    try:
        with _ONE_AT_A_TIME:
            tree = _parse(grammar)(f"x = {text}\n")
        attributes = _children(_children(tree)[0])
        if len(attributes) != 1:
            raise ParseError("invalid expression")  # the grammar allows several arguments on one line
        return _of(_children(attributes[0])[-1])
    except lark.exceptions.UnexpectedInput as error:
        line = getattr(error, "line", None)
        column = getattr(error, "column", None)
        known = isinstance(line, int) and line > 0 and isinstance(column, int)
        raise ParseError("invalid expression", line=line if known else None, column=column if known else None) from None
    except RecursionError:
        raise ParseError("expression too long or too deep to read") from None
    except (RuntimeError, ValueError, lark.exceptions.LarkError):
        raise ParseError("invalid expression") from None


@lru_cache(maxsize=2)
def _parse(grammar: str | None) -> Callable[[str], Any]:
    if grammar is not None:
        setattr(parser, "PARSER_FILE", grammar)  # noqa: B010 - typed as a path, used as a text
    return api.parses_to_tree


def _children(tree: Any) -> list[Any]:
    """The children that are rules, without punctuation, newlines and comments."""
    return [one for one in tree.children if hasattr(one, "data") and one.data not in _IGNORED]


def _of(tree: Any) -> Expression:
    rule = str(tree.data)
    rule_reader = _RULES.get(rule)
    if rule_reader is not None:
        return rule_reader(tree)
    children = _children(tree)
    if rule == "expr_term" and len(children) == 1:
        return _of(children[0])
    return Opaque(rule)


def _text(tree: Any) -> str:
    return "".join(str(one) for one in tree.scan_values(lambda _: True))


def _word(tree: Any) -> Expression:
    return Name(_text(tree))


def _number(tree: Any) -> Expression:
    text = _text(tree)
    content = int(text) if text.lstrip("-").isdigit() else float(text)
    if content in (math.inf, -math.inf):
        raise ValueError(text)
    if Decimal(repr(content)) != Decimal(text):
        return Opaque("a number with so many digits")
    return Literal(content)


def _string(tree: Any) -> Expression:
    parts: list[Expression] = []
    for part in _children(tree):
        inner = part.children[0]
        if not hasattr(inner, "data"):
            parts.append(Literal(unescaped(str(inner))))
        elif inner.data == "interpolation":
            parts.append(_of(_children(inner)[0]))
        else:
            return Opaque("a template with directives")
    if len(parts) == 1:
        return parts[0]
    if all(type(part) is Literal and type(part.content) is str for part in parts):
        literal = "".join(str(part.content) for part in parts if isinstance(part, Literal))
        return Literal(literal)
    return Template(tuple(parts))


def _conditional(tree: Any) -> Expression:
    test, yes, no = map(_of, _children(tree))
    return Conditional(test, yes, no)


def _binary(tree: Any) -> Expression:
    left, term = _children(tree)
    operator, right = _children(term)
    return Binary(_COMMENT.sub("", _text(operator)).strip(), _of(left), _of(right))


def _unary(tree: Any) -> Expression:
    operand = _of(_children(tree)[0])
    operator = str(tree.children[0]).strip()
    if operator == "-" and isinstance(operand, Literal) and operand.content and type(operand.content) in (int, float):
        return Literal(-operand.content)  # type: ignore[operator]
    return Unary(operator, operand)


def _tuple(tree: Any) -> Expression:
    return Tuple(tuple(map(_of, _children(tree))))


def _object(tree: Any) -> Expression:
    return Object(tuple(_element(one) for one in _children(tree)))


def _element(tree: Any) -> tuple[Expression, Expression]:
    key, value = _children(tree)
    inner = _children(key)[0]
    bare = inner
    while bare.data == "expr_term" and len(bare.children) == 1 and hasattr(bare.children[0], "data"):
        bare = bare.children[0]
    if bare.data in ("identifier", "keyword", "literal_value"):
        return Literal(_text(bare)), _of(value)
    return _of(inner), _of(value)


def _call(tree: Any) -> Expression:
    children = _children(tree)
    name = "::".join(_text(one) for one in children if one.data == "identifier")
    arguments = [one for one in children if one.data == "arguments"]
    if not arguments:
        return Call(name, ())
    spread = any(getattr(one, "type", None) == "ELLIPSIS" for one in arguments[0].children)
    return Call(name, tuple(map(_of, _children(arguments[0]))), spread)


def _access(tree: Any) -> Expression:
    base, way = _children(tree)
    inner = _of(base)
    if isinstance(inner, Access) and _ends_in_full_splat(base):
        return _inside_splat(inner, way)
    if way.data == "full_splat":
        return _with_steps(inner, (Splat(), *map(_step, _children(way))))
    if way.data != "attr_splat":
        return _with_steps(inner, (_step(way),))
    steps = list(map(_step, _children(way)))
    own = next((number for number, one in enumerate(steps) if isinstance(one, At)), len(steps))
    return _with_steps(_with_steps(inner, (Splat(), *steps[:own])), tuple(steps[own:]))


def _ends_in_full_splat(tree: Any) -> bool:
    """Whether ``[*]`` applies what follows to each item. Parentheses end it."""
    while tree.data == "expr_term" and len(tree.children) == 1:
        tree = tree.children[0]
    if tree.data in ("index_expr_term", "get_attr_expr_term"):
        return _ends_in_full_splat(_children(tree)[0])
    return bool(tree.data == "full_splat_expr_term")


def _inside_splat(inner: Access, way: Any) -> Expression:
    if way.data == "attr_splat":
        return Opaque("a splat of attributes inside another splat")
    steps = (Splat(), *map(_step, _children(way))) if way.data == "full_splat" else (_step(way),)
    return Access(inner.base, (*inner.steps, *steps))


def _with_steps(inner: Expression, steps: tuple[Step, ...]) -> Expression:
    """The expression with more steps. Steps after a splat apply to each item, so they form an access of their own."""
    if not steps:
        return inner
    if isinstance(inner, Access) and not any(isinstance(one, Splat) for one in inner.steps):
        return Access(inner.base, (*inner.steps, *steps))
    return Access(inner, steps)


def _step(tree: Any) -> Step:
    if tree.data == "get_attr":
        return Attr(_text(_children(tree)[0]))
    if tree.data == "short_index":
        return At(Literal(int(str(tree.children[-1]))))
    return At(_of(_children(tree)[0]))


def _for(tree: Any) -> Expression:
    intro, *results = _children(tree)
    condition = None
    if results[-1].data == "for_cond":
        condition = _of(_children(results.pop())[0])
    *names, everything = _children(intro)
    key = _of(results[0]) if tree.data == "for_object_expr" else None
    grouped = any(getattr(one, "type", None) == "ELLIPSIS" for one in tree.children)
    return For(tuple(map(_text, names)), _of(everything), key, _of(results[-1]), condition, grouped)


_RULES: dict[str, Callable[[Any], Expression]] = {
    "identifier": _word,
    "literal_value": lambda tree: Literal(_LITERALS[_text(tree)]),
    "int_lit": _number,
    "float_lit": _number,
    "string": _string,
    "conditional": _conditional,
    "binary_op": _binary,
    "unary_op": _unary,
    "tuple": _tuple,
    "object": _object,
    "function_call": _call,
    "index_expr_term": _access,
    "get_attr_expr_term": _access,
    "attr_splat_expr_term": _access,
    "full_splat_expr_term": _access,
    "for_tuple_expr": _for,
    "for_object_expr": _for,
}
