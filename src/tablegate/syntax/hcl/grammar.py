"""How operators bind, as python-hcl2 parses them. Nothing else is asked of its grammar.

The compiled grammar is cached in a file. By default python-hcl2 would write it beside its own code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from threading import Lock
from typing import Any, TypeAlias

from hcl2 import api, parser

from tablegate.syntax.hcl.nodes import Binary, Expression
from tablegate.syntax.node import ParseError

Binding: TypeAlias = "int | tuple[str, Binding, Binding]"

_ONE_AT_A_TIME = Lock()  # Lark changes its lexers while it parses


def bound(operators: Sequence[str], operands: Sequence[Expression], grammar: str | None) -> Expression:
    """The operands, joined by the operators between them. ``grammar`` is the file with the compiled grammar."""
    try:
        return _joined(_binding(tuple(operators), grammar), operands)
    except RecursionError:
        raise ParseError("expression too long or too deep to read") from None


def _joined(binding: Binding, operands: Sequence[Expression]) -> Expression:
    if isinstance(binding, int):
        return operands[binding]
    operator, left, right = binding
    return Binary(operator, _joined(left, operands), _joined(right, operands))


@lru_cache(maxsize=4096)
def _binding(operators: tuple[str, ...], grammar: str | None) -> Binding:
    """What binds to what: numbers of operands, joined by operators."""
    written = " ".join(f"{operator} a{number}" for number, operator in enumerate(operators, 1))
    with _ONE_AT_A_TIME:
        tree = _parse(grammar)(f"x = a0 {written}\n")
    return _of(_rules(_rules(tree)[0])[0])


@lru_cache(maxsize=2)
def _parse(grammar: str | None) -> Callable[[str], Any]:
    if grammar is not None:
        setattr(parser, "PARSER_FILE", grammar)  # noqa: B010 - typed as a path, used as a text
    return api.parses_to_tree


def _rules(tree: Any) -> list[Any]:
    return [one for one in tree.children if hasattr(one, "data") and one.data != "new_line_or_comment"]


def _of(tree: Any) -> Binding:
    if tree.data == "binary_op":
        left, term = _rules(tree)
        operator, right = _rules(term)
        return _words(operator).strip(), _of(left), _of(right)
    inner = _rules(tree)
    return _of(inner[-1]) if inner else int(_words(tree)[1:])


def _words(tree: Any) -> str:
    return "".join(str(one) for one in tree.scan_values(lambda _: True))
