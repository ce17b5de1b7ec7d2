"""Puts the ``Globals`` of a SAM template into its resources, as the transform does it."""

from __future__ import annotations

from collections.abc import Mapping

from tablegate.dialects.cloudformation.template import FUNCTION, section_of
from tablegate.dialects.reading import Faults
from tablegate.model.table import SIMPLE_TABLE
from tablegate.syntax.node import Node

_TRANSFORM = "Fn::Transform"
_SECTIONS = {FUNCTION: "Function", SIMPLE_TABLE: "SimpleTable"}
"""The types that are read, and what they are called in ``Globals``. No other type has anything there that matters."""
_OWN_ALONE = {
    FUNCTION: ("Role", "Policies", "FunctionName", "Events"),
    SIMPLE_TABLE: (
        "PointInTimeRecoverySpecification",
        "PrimaryKey",
        "ProvisionedThroughput",
        "TableName",
        "Tags",
    ),
}
"""Properties that the transform does not take from ``Globals``."""


def with_globals(root: Mapping[str, Node], faults: Faults) -> Mapping[str, Node]:
    """The sections of a template, with the globals in each resource that takes them."""
    entries = root.get("Resources")
    common = section_of(root, "Globals", faults)
    if not common or entries is None or not isinstance(entries.content, dict):
        return root
    shared = {
        type_: _shared(common, type_, faults)
        for type_, section in _SECTIONS.items()
        if section in common or _TRANSFORM in common
    }
    merged = {address: _with(shared, node, faults) for address, node in entries.content.items()}
    return {**root, "Resources": _like(entries, merged)}


def _shared(common: Mapping[str, Node], type_: str, faults: Faults) -> Mapping[str, Node]:
    """The globals of a type. What a macro inserts into them may be anything."""
    inserted = {_TRANSFORM: common[_TRANSFORM]} if _TRANSFORM in common else {}
    node = common.get(_SECTIONS[type_])
    if node is None:
        return inserted
    if not isinstance(node.content, dict) or _is_whole(node):
        faults.unreadable(f"Globals.{_SECTIONS[type_]} must be a mapping of properties", node)
        return inserted
    shared = {**inserted, **node.content}
    for name in _OWN_ALONE[type_]:
        if name in shared:
            faults.unreadable(
                f"Globals.{_SECTIONS[type_]} does not take {name}", shared.pop(name), "set it in each resource"
            )
    return shared


def _with(shared: Mapping[str, Mapping[str, Node]], node: Node, faults: Faults) -> Node:
    """A resource, with the globals of its type."""
    body = node.content
    type_ = body.get("Type") if isinstance(body, dict) else None
    name = type_.content if type_ is not None and isinstance(type_.content, str) else ""
    if not isinstance(body, dict) or name not in shared:
        return node
    taken = _taken(shared[name], body.get("IgnoreGlobals"), faults)
    own = body.get("Properties") or _like(node, {})
    return _like(node, {**body, "Properties": _merged(_like(own, taken), own)}) if taken else node


def _taken(shared: Mapping[str, Node], ignored: Node | None, faults: Faults) -> Mapping[str, Node]:
    """The globals that a resource does not ignore."""
    if ignored is None or not ignored.content:
        return shared
    if ignored.content == "*":
        return {}
    if not isinstance(ignored.content, (list, tuple)):
        faults.unreadable("IgnoreGlobals must be '*' or a list of properties", ignored)
        return {}
    names = [str(item.content) for item in ignored.content]
    if _TRANSFORM not in shared:
        for name, item in zip(names, ignored.content, strict=True):
            if name not in shared:
                faults.unreadable(f"IgnoreGlobals names {name[:40]!r}, which is not in Globals", item)
    return {name: node for name, node in shared.items() if name not in names}


def _merged(shared: Node, own: Node) -> Node:
    """Mappings are merged, lists follow each other; otherwise, and for functions, the resource's own value counts."""
    if isinstance(shared.content, dict) and isinstance(own.content, dict):
        if _is_whole(shared) or _is_whole(own):
            return own
        both = {key: _merged(node, own.content[key]) for key, node in shared.content.items() if key in own.content}
        return _like(own, {**shared.content, **own.content, **both})
    if isinstance(shared.content, (list, tuple)) and isinstance(own.content, (list, tuple)):
        return _like(own, [*shared.content, *own.content])
    return own


def _is_whole(node: Node) -> bool:
    """Whether a mapping is a function, whose result is never merged. A macro is run before."""
    name = next(iter(node.content)) if isinstance(node.content, dict) and len(node.content) == 1 else ""
    return name in ("Ref", "Condition") or (name.startswith("Fn::") and name != _TRANSFORM)


def _like(node: Node, content: list[Node] | Mapping[str, Node]) -> Node:
    return Node(content, node.line, node.column, node.end_column)
