"""Conditions of statements as trees: operators, keys, and the values that a request is held against."""

from __future__ import annotations

from typing import Any

from tablegate.access.documents import Hole
from tablegate.dialects.cloudformation.access.texts import Texts
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.unsettled import Unsettled
from tablegate.syntax.node import Node


class Clauses:
    """Builds the trees of one template's conditions, in the scenario that its choices are in."""

    def __init__(self, resolver: Resolver, texts: Texts) -> None:
        self._resolver = resolver
        self._texts = texts

    def of(self, node: Node) -> Any:
        """A Condition, less what comes to nothing."""
        value = self._resolver.head(node)
        if not isinstance(value, Node) or not isinstance(value.content, dict):
            return self._texts.one(value)
        found = {operator: self._block(operator, child) for operator, child in value.content.items()}
        return _there(found)

    def _block(self, operator: str, node: Node) -> Any:
        value = self._resolver.head(node)
        if not isinstance(value, Node) or not isinstance(value.content, dict):
            return self._texts.one(value)
        lower = operator.lower()
        patterned = "like" in lower or "arn" in lower  # an unknown value may be a star
        return _there({key: self._operands(child, patterned=patterned) for key, child in value.content.items()})

    def _operands(self, node: Node, *, patterned: bool) -> Any:
        """The values of one key. Under a plain operator an unknown one is a symbol: whatever it is, it is no star."""
        if isinstance(node.content, str) and "{{" not in node.content:
            return [node.content]  # nearly all of them
        value = self._resolver.head(node)
        if value is None:
            return None
        listed = isinstance(value, Node) and isinstance(value.content, (list, tuple))
        items = self._resolver.items(value) if listed and isinstance(value, Node) else [value]
        return [self._operand(item, patterned=patterned) for item in items]

    def _operand(self, value: Node | Unsettled, *, patterned: bool) -> Any:
        text = self._texts.symbolic(value)
        if isinstance(value, Node):
            return value.plain() if text is None else text
        whole = value.symbol is not None
        return Hole(value.doubt) if text is None or (whole and patterned) else text


def _there(found: dict[str, Any]) -> dict[str, Any]:
    """What of it comes to something."""
    return {key: made for key, made in found.items() if made is not None} if None in found.values() else found
