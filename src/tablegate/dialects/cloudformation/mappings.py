"""``Mappings``, and how values are found in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tablegate.dialects.cloudformation.scenarios import VALUE, Question
from tablegate.dialects.cloudformation.unsettled import Resolved, Unsettled, expression, scalar_of, text_with_holes
from tablegate.model.value import Doubt
from tablegate.syntax.node import Node

if TYPE_CHECKING:
    from tablegate.dialects.cloudformation.resolver import Resolver

_ANY_OTHER = "any other"


def find_in_map(resolver: Resolver, node: Node, argument: Node) -> Resolved:
    """``Fn::FindInMap``. Where a key is not known, each row is a scenario."""
    content = argument.content
    if not isinstance(content, (list, tuple)) or len(content) not in (3, 4):
        return resolver.misfit(node, "Fn::FindInMap takes a map and two keys")
    default = _default(content)
    name = resolver.head(content[0])
    if not isinstance(name, Node):
        return expression(node, name.doubt if name else None)
    found: Node | Unsettled | None = resolver.template.mappings.get(scalar_of(name))
    for key in content[1:3]:
        if isinstance(found, Node):
            found = _looked_up(resolver, node, found, key, *((_ANY_OTHER,) if default else ()))
    if isinstance(found, Unsettled):
        return found
    if found is None:
        return resolver.head(default) if default is not None else _not_found(resolver, node, scalar_of(name))
    if isinstance(found.content, dict):
        return resolver.misfit(node, "Fn::FindInMap finds a text or a list")
    return resolver.head(found)


def _default(content: Sequence[Node]) -> Node | None:
    last = content[3].content if len(content) == 4 else None
    return last.get("DefaultValue") if isinstance(last, dict) else None


def _looked_up(resolver: Resolver, node: Node, rows: Node, key: Node, *others: str) -> Node | Unsettled | None:
    value = resolver.head(key)
    if value is None or not isinstance(rows.content, dict):
        return resolver.misfit(node, "Fn::FindInMap takes the name of a map with two levels, and two keys")
    if isinstance(value, Node):
        return rows.content.get(scalar_of(value))
    symbol = value.symbol
    subject = symbol.name if symbol is not None else text_with_holes(value)
    options = (*rows.content, *others)
    row = resolver.choices.ask(Question(VALUE, subject), options) if subject and options else None
    return rows.content.get(row) if row is not None else Unsettled(value.doubt, node)


def _not_found(resolver: Resolver, node: Node, mapping: str) -> Unsettled:
    what = f"there is no mapping {mapping!r} with this key"
    if resolver.choices.answers or resolver.template.macros:
        return Unsettled(Doubt(f"{what} in this scenario"), node)
    return resolver.misfit(node, what)
