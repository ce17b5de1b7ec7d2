"""Where the statements of policy documents stand: in jsonencode, in a text, or as the blocks of a data source."""

from __future__ import annotations

from collections.abc import Sequence

from tablegate.dialects.source_map.causes import Causes, Spot
from tablegate.dialects.source_map.reading import references
from tablegate.model.value import Place
from tablegate.syntax.errors import ParseError
from tablegate.syntax.hcl_nodes import Access, Attribute, Call, Expression, Literal, Object, Template, Tuple
from tablegate.syntax.json_ import parse_json

_DATA = "aws_iam_policy_document"
_FAR = 8
_SUM = frozenset({"source_json", "override_json", "source_policy_documents", "override_policy_documents"})
_HOLE = "\U000f0000"


def places_of(spot: Spot, causes: Causes) -> Sequence[Place]:
    """Where each statement of an argument's document stands; nothing, where they have no places of their own."""
    data = _composed(spot)
    if data:
        return data
    found = _spelling(spot, causes)
    if found is None:
        return ()
    node = found.node
    if isinstance(node, Call):
        return _of_object(found, node.arguments[0])
    return _of_text(found.attribute, node)


def _spelling(spot: Spot, causes: Causes) -> Spot | None:
    found = spot
    for _ in range(_FAR):
        node = found.node
        if found.rest != ():
            return None
        if isinstance(node, Call) and node.name == "jsonencode" and len(node.arguments) == 1:
            return found
        if isinstance(node, Template) or (isinstance(node, Literal) and isinstance(node.content, str)):
            return found
        step = causes.step(found)
        if step is None:
            return None
        found = step
    return None


def _of_object(found: Spot, node: Expression) -> Sequence[Place]:
    statements = next((value for key, value in _members(node) if key == Literal("Statement")), None)
    if isinstance(statements, Object):
        keys: list[tuple[str | int, ...]] = [("Statement",)]
    elif isinstance(statements, Tuple):
        keys = [("Statement", number) for number in range(len(statements.items))]
    else:
        return ()
    spans = [found.attribute.file.inner(found.attribute.first, (*found.taken, *key)) for key in keys]
    return [found.attribute.file.place(*span) for span in spans if span is not None]


def _members(node: Expression) -> Sequence[tuple[Expression, Expression]]:
    return node.items if isinstance(node, Object) else ()


def _of_text(attribute: Attribute, node: Expression) -> Sequence[Place]:
    """The statements of a heredoc."""
    first = attribute.file.heredoc(attribute.first)
    if first is None or first.line is None or first.column is None:
        return ()
    parts = node.parts if isinstance(node, Template) else (node,)
    text = "".join(str(part.content) if isinstance(part, Literal) else _HOLE for part in parts)
    try:
        content = parse_json(text).content
    except ParseError:
        return ()
    statements = content.get("Statement") if isinstance(content, dict) else None
    if statements is None:
        return ()
    listed = statements.content if isinstance(statements.content, (list, tuple)) else (statements,)
    return [Place(first.file, first.line + one.line - 1, first.column + one.column - 1) for one in listed]


def _composed(spot: Spot) -> Sequence[Place]:
    """The statements of the data source that an argument refers to, where nothing is merged into them."""
    found = references(spot.node) if isinstance(spot.node, Access) else []
    words = found[0].root.split(".") if len(found) == 1 else []
    module = spot.site.module
    block = module.block(*words) if words[:2] == ["data", _DATA] and len(words) == 3 else None
    if block is None:
        return ()
    body = module.folders.body(block)
    statements = [one.place for one in body.blocks if one.type == "statement"]
    plain = _SUM.isdisjoint(body.attributes) and not any(one.type == "dynamic" for one in body.blocks)
    return statements if plain else ()
