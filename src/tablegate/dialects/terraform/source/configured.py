"""Expressions of source as the configuration of a plan lists them: constants, references, members."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tablegate.dialects.terraform.source.scalars import FailedError, as_text
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

Rest = tuple[str | int, ...]

_WHOLE = frozenset({"tomap", "toset", "tolist", "nonsensitive", "sensitive"})  # what they are given, they give back


class Reference(NamedTuple):
    """A reference in an expression: its first name and the steps after it."""

    name: str
    steps: tuple[Step, ...]

    @property
    def root(self) -> str:
        """The address of what is read: var.x, data.t.n, t.n."""
        words = [self.name]
        for step in self.steps:
            if not isinstance(step, Attr) or len(words) == (3 if words[0] == "data" else 2):
                break
            words.append(step.name)
        return ".".join(words)

    @property
    def spelled(self) -> str:
        """The reference as a plan's configuration writes it, up to the first computed key."""
        text = self.name
        for step in self.steps:
            if isinstance(step, Attr):
                text += f".{step.name}"
            elif isinstance(step, At) and isinstance(step.key, Literal):
                key = step.key.content
                text += f'["{key}"]' if isinstance(key, str) else f"[{key}]"
            elif not isinstance(step, Splat):
                break
        return text


class MemberPath(NamedTuple):
    """A member of a written object or list, the keys that led to it, and the keys that could not be followed."""

    node: Expression
    taken: Rest
    rest: Rest


def contradicts(node: Expression, content: object) -> bool:
    """Whether a literal has another value than the plan. Case, spaces and JSON texts do not count."""
    if not isinstance(node, Literal) or node.content in (None, "") or content in (None, ""):
        return False
    try:
        left, right = as_text(node.content).strip(), as_text(content).strip()
    except FailedError:
        return False
    return left.casefold() != right.casefold() and not left.startswith(("{", "["))


def references(node: Expression) -> list[Reference]:
    """All references of an expression but its own loop variables. Raises FailedError if it is not parsed."""
    own = _bound(node)
    return [one for one in _references(node) if one.name not in own]


def _references(node: Expression) -> Iterator[Reference]:
    if isinstance(node, Opaque):
        raise FailedError
    if isinstance(node, Access) and isinstance(node.base, Name):
        yield Reference(node.base.name, node.steps)
    elif isinstance(node, Access):
        yield from _references(node.base)
    for step in node.steps if isinstance(node, Access) else ():
        if isinstance(step, At):
            yield from _references(step.key)
    for each in _operands(node):
        yield from _references(each)


def _operands(node: Expression) -> tuple[Expression, ...]:
    match node:
        case Template():
            return node.parts
        case Tuple():
            return node.items
        case Object():
            return tuple(each for item in node.items for each in item)
        case Call():
            return node.arguments
        case Unary():
            return (node.operand,)
        case Binary():
            return node.left, node.right
        case Conditional():
            return node.test, node.yes, node.no
        case For():
            return tuple(each for each in (node.all, node.key, node.result, node.condition) if each is not None)
        case _:
            return ()


def _bound(node: Expression) -> frozenset[str]:
    """The variables of the ``for`` loops in an expression."""
    names = node.names if isinstance(node, For) else ()
    return frozenset(names).union(*map(_bound, _operands(node)))


def member_at(node: Expression, rest: Rest) -> MemberPath:
    """Follow keys into a written object or list, as far as possible."""
    taken: Rest = ()
    while rest:
        while isinstance(node, Call) and node.name in _WHOLE and len(node.arguments) == 1:
            node = node.arguments[0]
        member = _member(node, rest[0])
        if member is None:
            break
        node, taken, rest = member, (*taken, rest[0]), rest[1:]
    return MemberPath(node, taken, rest)


def _member(node: Expression, key: str | int) -> Expression | None:
    if isinstance(node, Object):
        return next((value for name, value in node.items if name == Literal(key)), None)
    if isinstance(node, Tuple) and isinstance(key, int) and key < len(node.items):
        return node.items[key]
    return None


def expression_of(node: Expression) -> dict[str, object]:
    """The expression in the form of a plan's configuration: a constant or references. Empty if it is not parsed."""
    try:
        return {"constant_value": _constant(node)}
    except FailedError:
        pass
    try:
        names = list(dict.fromkeys(one.spelled for one in references(node)))
    except FailedError:
        return {}
    return {"references": names} if names else {}


def _constant(node: Expression) -> object:
    if isinstance(node, Literal):
        return node.content
    if isinstance(node, Tuple):
        return [_constant(item) for item in node.items]
    if isinstance(node, Object) and all(isinstance(key, Literal) for key, _ in node.items):
        return {str(_constant(key)): _constant(value) for key, value in node.items}
    raise FailedError
