"""What is known of a stack from outside of its template: who embeds it, what it is given, and what made it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from tablegate.dialects.cloudformation.unsettled import (
    EXPRESSION,
    FOREIGN,
    INPUT,
    RESOURCE,
    Part,
    Resolved,
    SecretNode,
    Symbol,
    Unsettled,
    expression,
    is_scalar,
    made,
    scalar_of,
)
from tablegate.model.record import field, record
from tablegate.model.table import Construct
from tablegate.syntax.node import Node
from tablegate.syntax.source import ALONE, Beside

if TYPE_CHECKING:
    from tablegate.access.symbols import Symbols
    from tablegate.dialects.cloudformation.exports import Exports
    from tablegate.dialects.cloudformation.resolver import Resolver

Constructs = Callable[[str, str | None], Construct | None]
"""Takes a logical id, and the path in the resource's metadata, to the construct that made it."""

_OF_EVERY_STACK = frozenset({"AWS::Region", "AWS::AccountId", "AWS::Partition", "AWS::URLSuffix"})


@record(eq=False)
class Surroundings:
    """What is known of one stack. ``address`` and ``scenario`` are those of a nested stack in the one above."""

    address: str = ""
    name: str | None = None
    given: Mapping[str, Node | Unsettled] = field(default_factory=dict)  # parameters that are more than a text
    giver: Resolver | None = None
    scenario: Mapping[str, str] | None = None
    above: tuple[str, ...] = ()  # the files of the templates that embed this one
    beside: Beside = ALONE
    assets: Mapping[str, str] = field(default_factory=dict)  # files, by the hash that they are published under
    exports: Exports | None = None
    constructs: Constructs | None = None
    symbols: Symbols | None = None  # of what is not known, where several scenarios of a stack must share them

    def full(self, name: str) -> str:
        """The address of what has this logical id in the stack."""
        return f"{self.address}/{name}" if self.address else name


NOWHERE = Surroundings()


def foreign(value: Resolved, node: Node, home: Resolver) -> Resolved:
    """A value of another stack, standing where it is used."""
    if value is None:
        return None
    if isinstance(value, Unsettled):
        return Unsettled(value.doubt, node, tuple(_abroad(part, home) for part in value.parts), value.span)
    if is_scalar(value):
        return made(node, scalar_of(value), secret=isinstance(value, SecretNode))
    content = value.content
    if isinstance(content, (list, tuple)) and all(map(is_scalar, content)):
        return Node([made(node, scalar_of(item)) for item in content], node.line, node.column, node.end_column)
    return expression(node)


def _abroad(part: Part, home: Resolver) -> Part:
    if isinstance(part, str) or part.sort == FOREIGN or (part.sort == INPUT and part.name in _OF_EVERY_STACK):
        return part
    name = f"{home.label}/{part.name}"
    if part.sort == RESOURCE:
        return Symbol(name, part.attribute, FOREIGN, home, part.name)
    return Symbol(name, part.attribute, EXPRESSION)
