"""Where the parts of policy documents stand: in jsonencode, in a text, or as the blocks of a data source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tablegate.dialects.source_map.causes import Causes, Spot
from tablegate.dialects.source_map.modules import Folders
from tablegate.dialects.source_map.reading import references
from tablegate.dialects.terraform_plan.origins import Inside
from tablegate.model.value import Place
from tablegate.syntax.errors import ParseError
from tablegate.syntax.hcl_nodes import Access, Attribute, Block, Call, Expression, Literal, Object, Template, Tuple
from tablegate.syntax.json_ import parse_json
from tablegate.syntax.node import Node

_DATA = "aws_iam_policy_document"
_FAR = 8
_ELEMENTS: Mapping[object, str] = {
    "Action": "actions",
    "Effect": "effect",
    "NotAction": "not_actions",
    "NotResource": "not_resources",
    "Resource": "resources",
    "Sid": "sid",
}
_SUM = frozenset({"source_json", "override_json", "source_policy_documents", "override_policy_documents"})
_HOLE = "\U000f0000"


def inside_of(spot: Spot, causes: Causes) -> Inside | None:
    """Where the parts of an argument's document stand; None where nobody can tell."""
    data = _composed(spot)
    if data is not None:
        return data
    found = _spelling(spot, causes)
    if found is None:
        return None
    if isinstance(found.node, Call):
        whole = found.node.arguments[0]
        return _InObject(found, whole) if isinstance(whole, Object) else None
    return _text(found.attribute, found.node)


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


class _InObject:
    """A document in jsonencode."""

    def __init__(self, spot: Spot, node: Object) -> None:
        self._spot = spot
        statements = next((value for key, value in node.items if key == Literal("Statement")), None)
        self.count = (
            1 if isinstance(statements, Object) else len(statements.items if isinstance(statements, Tuple) else ())
        )

    def __call__(self, path: Sequence[str | int]) -> Place | None:
        attribute = self._spot.attribute
        for end in range(len(path), 0, -1):
            span = attribute.file.inner(attribute.first, (*self._spot.taken, *path[:end]))
            if span is not None:
                return attribute.file.place(*span)
        return None


class _InText:
    """A document in a heredoc, of which the expressions in it hide the columns behind them."""

    def __init__(self, first: Place, text: str, root: Node) -> None:
        self._first = first
        self._lines = text.split("\n")
        self._root = root
        statements = _member(root, "Statement")
        content = None if statements is None else statements.content
        self.count = len(content) if isinstance(content, (list, tuple)) else 1

    def __call__(self, path: Sequence[str | int]) -> Place | None:
        found = None
        node: Node | None = self._root
        for step in path:
            node = None if node is None else _member(node, step)
            if node is not None and _HOLE not in self._lines[node.line - 1][: node.column - 1]:
                found = node
        if found is None:
            return None
        # What an expression comes to is wider, or narrower, than what stands for it here.
        end = None if found.end_column is None or self._hides(found) else found.end_column
        line, column = (self._first.line or 1) - 1, (self._first.column or 1) - 1
        return Place(self._first.file, found.line + line, found.column + column, end and end + column)

    def _hides(self, node: Node) -> bool:
        return isinstance(node.content, str) and _HOLE in node.content


class _InBlocks:
    """A document that a data source composes."""

    def __init__(self, blocks: Sequence[Block], folders: Folders) -> None:
        self._blocks = blocks
        self._folders = folders
        self.count = len(blocks)

    def __call__(self, path: Sequence[str | int]) -> Place | None:
        number = path[1] if len(path) > 1 else 0
        if not isinstance(number, int) or number >= self.count:
            return None
        block = self._blocks[number]
        name = _ELEMENTS.get(path[2]) if len(path) > 2 else None
        attribute = None if name is None else self._folders.body(block).attributes.get(name)
        if attribute is None:
            return block.place
        span = attribute.file.inner(attribute.first, path[3:])
        return attribute.place if span is None else attribute.file.place(*span)


def _member(node: Node, step: str | int) -> Node | None:
    if isinstance(node.content, Mapping):
        return node.content.get(str(step))
    listed = node.content if isinstance(node.content, (list, tuple)) else ()
    return next((item for number, item in enumerate(listed) if number == step), None)


def _text(attribute: Attribute, node: Expression) -> Inside | None:
    """The parts of a heredoc."""
    first = attribute.file.heredoc(attribute.first)
    parts = node.parts if isinstance(node, Template) else (node,)
    text = "".join(str(part.content) if isinstance(part, Literal) else _HOLE for part in parts)
    try:
        return None if first is None else _InText(first, text, parse_json(text))
    except ParseError:
        return None


def _composed(spot: Spot) -> Inside | None:
    """The statements of the data source that an argument refers to, where nothing is merged into them."""
    found = references(spot.node) if isinstance(spot.node, Access) else []
    words = found[0].root.split(".") if len(found) == 1 else []
    module = spot.site.module
    block = module.block(*words) if words[:2] == ["data", _DATA] and len(words) == 3 else None
    if block is None:
        return None
    body = module.folders.body(block)
    statements = [one for one in body.blocks if one.type == "statement"]
    plain = _SUM.isdisjoint(body.attributes) and not any(one.type == "dynamic" for one in body.blocks)
    return _InBlocks(statements, module.folders) if plain else None
