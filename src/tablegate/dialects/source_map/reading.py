"""What an expression reads, as far as it stands there, and whether what is written can be what a plan says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tablegate.dialects.terraform_source.values import FailedError, as_text
from tablegate.syntax.hcl_nodes import (
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
    """A name that an expression reads, and the way into it."""

    name: str
    steps: tuple[Step, ...]

    @property
    def root(self) -> str:
        """Its first words, which tell what is read: var.x, data.t.n, t.n."""
        words = [self.name]
        for step in self.steps:
            if not isinstance(step, Attr) or len(words) == (3 if words[0] == "data" else 2):
                break
            words.append(step.name)
        return ".".join(words)

    @property
    def spelled(self) -> str:
        """As the configuration of a plan spells it, up to where it is computed."""
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


class Part(NamedTuple):
    """A part of what is spelled out, and the keys that were taken to it."""

    node: Expression
    taken: Rest
    rest: Rest


def contradicts(node: Expression, content: object) -> bool:
    """Whether a literal is something else than the content: spelled by another hand, it may still be the same."""
    if not isinstance(node, Literal) or node.content in (None, "") or content in (None, ""):
        return False
    try:
        left, right = as_text(node.content).strip(), as_text(content).strip()
    except FailedError:
        return False
    return left.casefold() != right.casefold() and not left.startswith(("{", "["))


def references(node: Expression) -> list[Reference]:
    """Everything that an expression reads but its own loops. One that is not read any further is a FailedError."""
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
    for each in _inside(node):
        yield from _references(each)


def _inside(node: Expression) -> tuple[Expression, ...]:
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
    """The names that loops in an expression give."""
    names = node.names if isinstance(node, For) else ()
    return frozenset(names).union(*map(_bound, _inside(node)))


def drilled(node: Expression, rest: Rest) -> Part:
    """As far into what is spelled out as the keys lead."""
    taken: Rest = ()
    while rest:
        while isinstance(node, Call) and node.name in _WHOLE and len(node.arguments) == 1:
            node = node.arguments[0]
        found = _member(node, rest[0])
        if found is None:
            break
        node, taken, rest = found, (*taken, rest[0]), rest[1:]
    return Part(node, taken, rest)


def _member(node: Expression, key: str | int) -> Expression | None:
    if isinstance(node, Object):
        return next((value for name, value in node.items if name == Literal(key)), None)
    if isinstance(node, Tuple) and isinstance(key, int) and key < len(node.items):
        return node.items[key]
    return None


def is_spelled_out(node: Expression) -> bool:
    """Whether all its members stand there."""
    return isinstance(node, (Object, Tuple))
