"""The names of provider configurations: those that resources use, and those that calls of modules pass in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tablegate.dialects.terraform.source.evaluate import evaluated
from tablegate.dialects.terraform.source.values import EvaluationScope
from tablegate.syntax.hcl.nodes import Access, At, Attr, Expression, Literal, Name, Object, Opaque


class ProviderUse(NamedTuple):
    """The provider configuration that a resource uses, by its name, and of OpenTofu's instances of it the key."""

    name: str
    key: object = None


def provider_use(node: Expression | None, scope: EvaluationScope, type_: str) -> ProviderUse:
    """The provider configuration that an expression names; else that of a type."""
    name = None if node is None else _provider_name(node)
    if name is None:
        return ProviderUse(type_.partition("_")[0])
    last = node.steps[-1] if isinstance(node, Access) else None
    return ProviderUse(name, evaluated(last.key, scope) if isinstance(last, At) else None)


def _provider_name(node: Expression) -> str | None:
    if isinstance(node, Literal) and isinstance(node.content, str):
        return node.content
    if isinstance(node, Name):
        return node.name
    if isinstance(node, Opaque) and node.reference is not None:
        return _provider_name(node.reference)
    if isinstance(node, Access) and isinstance(node.base, Name):
        step, *keys = node.steps
        named = isinstance(step, Attr) and (not keys or (len(keys) == 1 and isinstance(keys[0], At)))
        return f"{node.base.name}.{step.name}" if named and isinstance(step, Attr) else None
    return None


def handed_providers(node: Expression) -> Mapping[str, Expression]:
    """The provider configurations that a call of a module passes in, by their names there."""
    if not isinstance(node, Object):
        return {}
    pairs = ((_provider_name(key), value) for key, value in node.items)
    return {key: value for key, value in pairs if key and _provider_name(value)}
