"""Expressions as the configuration of a plan says them: a constant, or what they refer to."""

from __future__ import annotations

from tablegate.dialects.source_map.reading import references
from tablegate.dialects.terraform_source.values import FailedError
from tablegate.syntax.hcl_nodes import Expression, Literal, Object, Tuple


def expression_of(node: Expression) -> dict[str, object]:
    """The expression; nothing is said of one that is not read."""
    try:
        return {"constant_value": _constant(node)}
    except FailedError:
        pass
    try:
        found = list(dict.fromkeys(one.spelled for one in references(node)))
    except FailedError:
        return {}
    return {"references": found} if found else {}


def _constant(node: Expression) -> object:
    if isinstance(node, Literal):
        return node.content
    if isinstance(node, Tuple):
        return [_constant(item) for item in node.items]
    if isinstance(node, Object) and all(isinstance(key, Literal) for key, _ in node.items):
        return {str(_constant(key)): _constant(value) for key, value in node.items}
    raise FailedError
