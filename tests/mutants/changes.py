"""Every small change that can be made to a module: a comparison, a truth, a constant, a result, an argument."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
# What says something to people or to a type checker, and decides nothing.
_SAID = frozenset({"Doubt", "Never", "NewType", "TypeVar", "cast"})
_IN_ANY_ORDER = frozenset({"max", "min"})
_COMMA = re.compile(rb"\s*,\s*")
_Part: TypeAlias = ast.expr | ast.stmt | ast.keyword


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one module. The name stays while lines move: module, function, and the text before and after."""

    module: str
    function: str
    line: int
    before: str
    after: str
    span: tuple[int, int]  # of what is replaced, in bytes

    @property
    def name(self) -> str:
        """How the list of equivalents calls it."""
        return f"{self.module}::{self.function}: {self.before} -> {self.after or 'nothing'}"

    def applied(self, text: bytes) -> bytes:
        """The module's text with the change in it."""
        start, end = self.span
        return text[:start] + self.after.encode() + text[end:]


def mutants_of(path: Path, module: str) -> Iterator[Mutant]:
    """Every mutant of a module, in the order of its text."""
    yield from _Module(module, path.read_bytes()).mutants()


class _Module:
    def __init__(self, module: str, text: bytes) -> None:
        self._module = module
        self._text = text
        self._starts = [0]
        for line in self._text.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def mutants(self) -> Iterator[Mutant]:
        yield from self._inside(ast.parse(self._text), "")

    def _inside(self, node: ast.AST, function: str) -> Iterator[Mutant]:
        """The mutants of a node and of what is in it, without types, messages, and what a type checker alone runs."""
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            function = f"{function}.{node.name}".removeprefix(".")
        for changed, after in _changes(node):
            yield self._mutant(changed, after, function)
        for child in _children(node):
            yield from self._inside(child, function)

    def _mutant(self, node: _Part, after: str, function: str) -> Mutant:
        start = self._starts[node.lineno - 1] + node.col_offset
        end = self._starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        before = " ".join(self._text[start:end].decode().split())
        comma = _COMMA.match(self._text, end) if isinstance(node, ast.keyword) else None
        end = comma.end() if comma else end
        return Mutant(self._module, function, node.lineno, before, after, (start, end))


def _children(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.FunctionDef():
            yield from (*node.args.defaults, *(each for each in node.args.kw_defaults if each), *node.body)
        case ast.AnnAssign():
            yield from () if node.value is None else (node.value,)
        case ast.JoinedStr() | ast.Subscript(ctx=ast.Load(), value=ast.Name(id="Literal")) | ast.Raise() | ast.Assert():
            return
        case ast.Call(func=ast.Name(id=name)) if name in _SAID:
            return
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return
        case ast.Assign(targets=[ast.Name(id="TYPE_CHECKING" | "__all__" | "__slots__")]):
            return
        case ast.ClassDef():
            yield from node.body
        case _:
            yield from ast.iter_child_nodes(node)


def _changes(node: ast.AST) -> Iterator[tuple[_Part, str]]:
    """What a node itself may be changed to: the part that is replaced, and its new text."""
    match node:
        case ast.Compare() | ast.BoolOp() | ast.BinOp() | ast.UnaryOp():
            yield from _operations(node)
        case ast.If() | ast.While() | ast.IfExp() if not isinstance(node.test, (ast.Compare, ast.UnaryOp)):
            yield node.test, f"not ({ast.unparse(node.test)})"
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield node, "return None"
        case ast.Continue():
            yield node, "break"
        case ast.Expr(value=ast.Call()):
            yield node, "pass"
        case ast.Constant():
            yield from _constants(node)
        case ast.Call():
            yield from _calls(node)


def _operations(node: ast.expr) -> Iterator[tuple[_Part, str]]:
    match node:
        case ast.Compare():
            for number, operator in enumerate(node.ops):
                ops = [*node.ops[:number], _COMPARISONS[type(operator)](), *node.ops[number + 1 :]]
                yield node, _text(ast.Compare(node.left, ops, node.comparators))
        case ast.BoolOp():
            yield node, _text(ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values))
        case ast.BinOp() if type(node.op) in _OPERATORS and not _is_type(node):
            yield node, _text(ast.BinOp(node.left, _OPERATORS[type(node.op)](), node.right))
        case ast.UnaryOp(op=ast.Not()):
            yield node, _text(node.operand)


def _constants(node: ast.Constant) -> Iterator[tuple[ast.expr, str]]:
    content = node.value
    if isinstance(content, bool):
        yield node, str(not content)
    elif isinstance(content, int):
        yield node, str(content + 1)
    elif isinstance(content, str) and content and content.isprintable() and " " not in content:
        yield node, repr(content + "_")  # a word that decides; a text with spaces is a message


def _calls(node: ast.Call) -> Iterator[tuple[_Part, str]]:
    """A call without one of its named arguments, and with its first two in each other's place."""
    if isinstance(node.func, ast.Name) and node.func.id in _SAID:
        return
    for keyword in node.keywords:
        yield keyword, ""
    if isinstance(node.func, ast.Name) and node.func.id in _IN_ANY_ORDER:
        return
    first, second = (*map(ast.unparse, node.args[:2]), "", "")[:2]
    if second and first != second and not any(isinstance(each, ast.Starred) for each in node.args[:2]):
        yield node, _text(ast.Call(node.func, [node.args[1], node.args[0], *node.args[2:]], node.keywords))


def _is_type(node: ast.BinOp) -> bool:
    """Whether it joins types."""
    return isinstance(node.op, ast.BitOr) and any(
        isinstance(each, ast.Constant) and each.value is None for each in (node.left, node.right)
    )


def _text(node: ast.expr) -> str:
    text = ast.unparse(node)
    return f"({text})" if isinstance(node, (ast.BoolOp, ast.Compare, ast.BinOp)) else text
