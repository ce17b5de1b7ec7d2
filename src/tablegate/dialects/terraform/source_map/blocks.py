"""Maps blocks of a plan, and policy documents in their arguments, to lines of source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from tablegate.dialects.terraform.configuration import Tree, tree
from tablegate.dialects.terraform.source.configured import contradicts, expression_of, references
from tablegate.dialects.terraform.source.definitions import inner_type
from tablegate.dialects.terraform.source_info import ArgumentLines, BlockLines, DocumentPlaces
from tablegate.dialects.terraform.source_map.expressions import ExpressionPart, ExpressionSite, ValueTracer
from tablegate.dialects.terraform.source_map.modules import Folders
from tablegate.model.value import Place
from tablegate.syntax.hcl.nodes import (
    Access,
    Attribute,
    Block,
    Body,
    Call,
    Expression,
    Literal,
    Name,
    Object,
    Template,
    Tuple,
)
from tablegate.syntax.json import parse_json
from tablegate.syntax.node import Node, ParseError

_DATA = "aws_iam_policy_document"
_MAX_STEPS = 8
_ELEMENTS: Mapping[object, str] = {
    "Action": "actions",
    "Effect": "effect",
    "NotAction": "not_actions",
    "NotResource": "not_resources",
    "Resource": "resources",
    "Sid": "sid",
}
_SUM = frozenset({"source_json", "override_json", "source_policy_documents", "override_policy_documents"})
_PLACEHOLDER = "\U000f0000"


def document_places(part: ExpressionPart, tracer: ValueTracer) -> DocumentPlaces | None:
    """The places of the parts of a policy document in an argument. None if they cannot be found."""
    data = _data_source_places(part)
    if data is not None:
        return data
    origin = _spelling(part, tracer)
    if origin is None:
        return None
    if isinstance(origin.node, Call):
        whole = origin.node.arguments[0]
        return _InObject(origin, whole) if isinstance(whole, Object) else None
    return _text(origin.attribute, origin.node)


def _spelling(part: ExpressionPart, tracer: ValueTracer) -> ExpressionPart | None:
    for _ in range(_MAX_STEPS):
        node = part.node
        if part.rest != ():
            return None
        if isinstance(node, Call) and node.name == "jsonencode" and len(node.arguments) == 1:
            return part
        if isinstance(node, Template) or (isinstance(node, Literal) and isinstance(node.content, str)):
            return part
        step = tracer.step(part)
        if step is None:
            return None
        part = step
    return None


class _InObject:
    """A document written with jsonencode."""

    def __init__(self, part: ExpressionPart, node: Object) -> None:
        self._part = part
        statements = next((value for key, value in node.items if key == Literal("Statement")), None)
        self.count = (
            1 if isinstance(statements, Object) else len(statements.items if isinstance(statements, Tuple) else ())
        )

    def __call__(self, path: Sequence[str | int]) -> Place | None:
        attribute = self._part.attribute
        for end in range(len(path), 0, -1):
            span = attribute.file.inner(attribute.first, (*self._part.taken, *path[:end]))
            if span is not None:
                return attribute.file.place(*span)
        return None


class _InText:
    """A document in a heredoc. Columns after an interpolation are not known."""

    def __init__(self, first: Place, text: str, root: Node) -> None:
        self._first = first
        self._lines = text.split("\n")
        self._root = root
        statements = _member(root, "Statement")
        content = None if statements is None else statements.content
        self.count = len(content) if isinstance(content, (list, tuple)) else 1

    def __call__(self, path: Sequence[str | int]) -> Place | None:
        deepest = None
        node: Node | None = self._root
        for step in path:
            node = None if node is None else _member(node, step)
            if node is not None and _PLACEHOLDER not in self._lines[node.line - 1][: node.column - 1]:
                deepest = node
        if deepest is None:
            return None
        # What an expression comes to is wider, or narrower, than what stands for it here.
        end = None if deepest.end_column is None or self._hides(deepest) else deepest.end_column
        line, column = (self._first.line or 1) - 1, (self._first.column or 1) - 1
        return Place(self._first.file, deepest.line + line, deepest.column + column, end and end + column)

    def _hides(self, node: Node) -> bool:
        return isinstance(node.content, str) and _PLACEHOLDER in node.content


class _InBlocks:
    """A document in the statement blocks of a data source."""

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


def _text(attribute: Attribute, node: Expression) -> DocumentPlaces | None:
    """The places in a heredoc."""
    first = attribute.file.heredoc(attribute.first)
    parts = node.parts if isinstance(node, Template) else (node,)
    text = "".join(str(part.content) if isinstance(part, Literal) else _PLACEHOLDER for part in parts)
    try:
        return None if first is None else _InText(first, text, parse_json(text))
    except ParseError:
        return None


def _data_source_places(part: ExpressionPart) -> DocumentPlaces | None:
    """The statements of the aws_iam_policy_document that an argument refers to, if it merges no other document."""
    read = references(part.node) if isinstance(part.node, Access) else []
    words = read[0].root.split(".") if len(read) == 1 else []
    module = part.site.module
    block = module.block(*words) if words[:2] == ["data", _DATA] and len(words) == 3 else None
    if block is None:
        return None
    body = module.folders.body(block)
    statements = [one for one in body.blocks if one.type == "statement"]
    plain = _SUM.isdisjoint(body.attributes) and not any(one.type == "dynamic" for one in body.blocks)
    return _InBlocks(statements, module.folders) if plain else None


# What the provider makes of another argument.
_DERIVED_FROM = {"tags_all": "tags"}
# Blocks that keep the order in which they are written.
_ORDERED = frozenset({"statement", "key_schema"})


class _Candidate(NamedTuple):
    """A block that may have made an item of the plan. A dynamic block is a candidate for each of its items."""

    block: Block
    body: Body
    site: ExpressionSite
    name: str = ""  # of what a dynamic block repeats over


Names = Mapping[str, object]
NO_NAMES: Names = {}


class DynamicItem(NamedTuple):
    """One block that a dynamic block makes: the variables in it, its known content, and its expressions."""

    names: Names
    content: Tree
    expressions: Tree

    def may_be(self, item: Tree) -> bool:
        """Whether no text or number of a planned block contradicts it."""
        known = ((key, one) for key, one in self.content.items() if isinstance(one, (str, int, float)))
        return not any(contradicts(Literal(one), item.get(key)) for key, one in known)


class Values(Protocol):
    """What expressions of a resource instance come to."""

    def value(self, node: Expression, known: Names = NO_NAMES) -> object:
        """The value of an expression."""

    def items(self, dynamic: Block, content: Body, known: Names) -> list[DynamicItem]:
        """What a dynamic block makes."""


class BlockMap(BlockLines):
    """One block of a plan with its source."""

    __slots__ = ("_around", "_body", "_content", "_dynamic", "_items", "_site", "_sure", "_tracer", "_values")

    def __init__(
        self,
        block: Block,
        body: Body,
        content: Tree,
        site: ExpressionSite,
        tracer: ValueTracer,
        *,
        sure: bool,
        values: Values,
        around: BlockMap | None = None,
        dynamic: bool = False,
    ) -> None:
        super().__init__(body.attributes, {}, block)
        self._body = body
        self._content = content
        self._site = site
        self._tracer = tracer
        self._sure = sure
        self._values = values
        self._around = around
        self._dynamic = dynamic
        self._items: Sequence[DynamicItem] | None = None

    def place(self, key: str) -> Place:
        """Where a member is written. The block, if it is not set there or has another value."""
        part, content = self._part(key), self._content.get(key)
        if part is not None:
            return self.own_place if contradicts(part.node, content) else self._tracer.place(part, content)
        blocks = [one for one in self._body.blocks if inner_type(one) == key]
        return blocks[0].place if blocks else self.own_place

    def inner(self, key: str) -> BlockLines:
        """The lines of an object in an argument."""
        part = self._part(key)
        if part is None:
            return super().inner(key)
        return ObjectLines(part, self._content.get(key), self._tracer, self._block)

    def child(self, key: str, number: int, item: Tree) -> BlockLines | None:
        """The block that made this item. If several may have, only the enclosing block is known."""
        candidates = list(self._candidates(key))
        if not candidates:
            part = self._part(key)
            if part is None:
                return ArgumentLines(self.own_place, self._block)
            return ObjectLines(part, self._content.get(key), self._tracer, self._block).item(number, item)
        whole = self._content.get(key) if key in _ORDERED else None
        chosen = _best_candidate(candidates, item, number, len(whole) if isinstance(whole, list) else 0)
        if chosen is None:
            return ArgumentLines(self.own_place, self._block)
        return BlockMap(
            chosen.block,
            chosen.body,
            item,
            chosen.site,
            self._tracer,
            sure=self._sure,
            values=self._values,
            around=self,
            dynamic=bool(chosen.name),
        )

    def dynamic(self, key: str) -> Sequence[object] | None:
        """The for_each expressions of the dynamic blocks of this name. None if source and plan may not match."""
        if not self._sure:
            return None
        each = [one.site.iterators[one.name] for one in self._candidates(key) if one.name]
        # Constants make blocks or make none, and in a plan both are seen.
        read = [expression_of(one.value) for one in each]
        references_only = [one for one in read if "constant_value" not in one]
        return references_only if all(references_only) else None

    def configured(self) -> Tree | None:
        """The expressions of a block that a dynamic block makes, if source and plan are known to match."""
        made = self._made if self._dynamic else None
        return None if made is None else made.expressions

    def source_value(self, key: str) -> object:
        """The value of an argument, if source and plan are known to match."""
        attribute = self._attributes.get(key)
        if attribute is None or not self._sure:
            return None
        made = self._made
        if self._site.iterators and made is None:
            return None
        return self._values.value(attribute.value, NO_NAMES if made is None else made.names)

    @property
    def _made(self) -> DynamicItem | None:
        """The one item of a dynamic block that made this block, or a block around it. None if there is none."""
        if self._items is None:
            self._items = self._possible()
        return self._items[0] if len(self._items) == 1 else None

    def _possible(self) -> Sequence[DynamicItem]:
        if self._around is None or not self._sure:
            return ()
        outer = self._around._made
        if not self._dynamic:
            return () if outer is None else (outer,)
        if outer is None and self._around._site.iterators:
            return ()
        items = self._values.items(self._block, self._body, NO_NAMES if outer is None else outer.names)
        return [one for one in items if one.may_be(self._content)]

    def document_places(self, key: str) -> DocumentPlaces | None:
        """The places of the parts of a policy document in an argument."""
        part = self._part(key)
        return None if part is None else document_places(part, self._tracer)

    def _part(self, key: str) -> ExpressionPart | None:
        attribute = self._attributes.get(key) or self._attributes.get(_DERIVED_FROM.get(key, ""))
        return None if attribute is None else ExpressionPart(attribute, attribute.value, self._site)

    def _candidates(self, key: str) -> Iterator[_Candidate]:
        for block in self._body.blocks:
            if inner_type(block) != key:
                continue
            if block.type != "dynamic":
                yield _Candidate(block, self._site.module.folders.body(block), self._site)
                continue
            body = self._site.module.folders.body(block)
            each = body.attributes.get("for_each")
            for content in body.blocks:
                if content.type == "content" and each is not None:
                    name = _iterator(block, body)
                    site = self._site._replace(iterators={**self._site.iterators, name: each})
                    yield _Candidate(block, self._site.module.folders.body(content), site, name)


class ObjectLines(BlockLines):
    """An object value in an argument. Its members have places where they are written out."""

    __slots__ = ("_content", "_tracer", "_whole")

    def __init__(self, whole: ExpressionPart, content: object, tracer: ValueTracer, block: Block) -> None:
        super().__init__({}, {}, block)
        self._whole = whole
        self._content = content
        self._tracer = tracer

    @property
    def own_place(self) -> Place:
        return self._whole.place

    def place(self, key: str) -> Place:
        part = self._whole.member(key)
        if part is None or contradicts(part.node, tree(self._content).get(key)):
            return self.own_place
        return self._tracer.place(part, tree(self._content).get(key))

    def inner(self, key: str) -> BlockLines:
        part = self._whole.member(key)
        if part is None:
            return self
        return ObjectLines(part, tree(self._content).get(key), self._tracer, self._block)

    def child(self, key: str, number: int, item: Tree) -> BlockLines | None:
        inner = self.inner(key)
        return inner.item(number, item) if isinstance(inner, ObjectLines) and inner is not self else inner

    def item(self, number: int, item: Tree) -> BlockLines:
        """One object of a list. The list, if the object may be another one."""
        part = self._whole.member(number)
        if part is None or _differs(part.node, item):
            return self
        return ObjectLines(part, item, self._tracer, self._block)


def _best_candidate(candidates: list[_Candidate], item: Tree, number: int, count: int) -> _Candidate | None:
    """The one block that made an item: by equal literals, else by order. None if it is ambiguous."""
    agreed = [(one, _agreement(one.body.attributes, item)) for one in candidates]
    fitting = [(one, score) for one, score in agreed if score is not None]
    if not fitting:
        return None
    best = max(score for _, score in fitting)
    tied = [one for one, score in fitting if score == best]
    if len(tied) == 1:
        return tied[0]
    if any(one.name for one in candidates) or count != len(candidates) or candidates[number] not in tied:
        return None
    return candidates[number]


def _differs(node: Expression, item: Tree) -> bool:
    """Whether an object in source contradicts the planned item."""
    members = node.items if isinstance(node, Object) else ()
    return any(isinstance(key, Literal) and contradicts(value, item.get(str(key.content))) for key, value in members)


def _agreement(attributes: Mapping[str, Attribute], item: Tree) -> int | None:
    """The number of literals that a block and an item share. None if one differs."""
    literals = [(key, one.value) for key, one in attributes.items() if isinstance(one.value, Literal)]
    if any(contradicts(value, item.get(key)) for key, value in literals):
        return None
    return sum(item.get(key) not in (None, "") for key, _ in literals)


def _iterator(block: Block, body: Body) -> str:
    attribute = body.attributes.get("iterator")
    if attribute is not None and isinstance(attribute.value, Name):
        return attribute.value.name
    return block.labels[0]
