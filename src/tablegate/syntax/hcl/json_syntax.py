"""Terraform's JSON syntax, read into the same blocks and expressions. Every text is a template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain

from tablegate.model.value import Place
from tablegate.syntax.hcl import File
from tablegate.syntax.hcl.expressions import Reader
from tablegate.syntax.hcl.nodes import Attribute, Block, Body, Expression, Literal, Object, Tuple
from tablegate.syntax.hcl.scanner import unescaped
from tablegate.syntax.json import parse_json
from tablegate.syntax.node import Node, ParseError

# The number of labels of each block type.
_LABELS = {
    "resource": 2,
    "data": 2,
    "ephemeral": 2,
    "variable": 1,
    "output": 1,
    "module": 1,
    "provider": 1,
    "check": 1,
    "locals": 0,
    "terraform": 0,
    "moved": 0,
    "removed": 0,
    "import": 0,
}
_COMMENT = "//"
_BODY = (Mapping, list, tuple, type(None))  # what one block of a list may be written as
# Nested blocks of resources, data sources and providers; any other object or list is a value.
NESTED = frozenset(
    {
        "assume_role",
        "attribute",
        "condition",
        "constraints",
        "content",
        "csv",
        "customer_managed_policy_reference",
        "default_tags",
        "global_secondary_index",
        "global_table_witness",
        "import_table",
        "input_format_options",
        "inline_policy",
        "key_schema",
        "lifecycle",
        "local_secondary_index",
        "mapping_rule",
        "metric",
        "metric_query",
        "not_principals",
        "on_demand_throughput",
        "permissions_boundary",
        "point_in_time_recovery",
        "postcondition",
        "precondition",
        "predefined_metric_specification",
        "principals",
        "provisioned_throughput",
        "provisioner",
        "replica",
        "role_mapping",
        "s3_bucket_source",
        "scalable_target_action",
        "selection_tag",
        "server_side_encryption",
        "statement",
        "string_equals",
        "string_like",
        "string_not_equals",
        "string_not_like",
        "suspended_state",
        "target_tracking_scaling_policy_configuration",
        "timeouts",
        "ttl",
        "validation",
        "warm_throughput",
    }
)
_META = frozenset({"lifecycle", "provisioner"})  # all that a resource of a provider without blocks has
_NESTED_ELSEWHERE = {
    "variable": frozenset({"validation"}),
    "output": frozenset({"precondition"}),
    "module": frozenset[str](),  # each argument is a variable of the module
    "locals": frozenset[str](),
}


def file_of(name: str, text: str, grammar: str | None = None) -> File | JsonFile:
    """A file of Terraform, in JSON if its name says so."""
    return (JsonFile if name.endswith(".json") else File)(name, text, grammar)


class JsonFile:
    """One file, as the blocks of the native syntax."""

    def __init__(self, name: str, text: str, grammar: str | None = None) -> None:
        self.name = name
        self._grammar = grammar
        self._all = unescaped(text).lower()
        self._said: dict[str, bool] = {}  # each block asks for the same few words
        self._places: list[Node] = []
        self._root = parse_json(text)
        if not isinstance(self._root.content, (Mapping, list, tuple)):
            raise ParseError("the top level must be an object, or a list of objects")

    def blocks(self) -> list[Block]:
        """The top-level blocks, in order."""
        blocks: list[Block] = []
        for type_, node in self._top():
            levels = _LABELS.get(type_)
            if levels is None:
                raise ParseError(f'"{type_}" is not a Terraform block', line=node.line, column=node.column)
            blocks += self._labelled(type_, (), node, levels)
        return blocks

    def assignments(self) -> Body:
        """The file as one body, as a file of variables is."""
        attributes: dict[str, Attribute] = {}
        for name, node in self._top():
            _refuse_twice(name, node, attributes)
            attributes[name] = self._attribute(name, node, templates=False)
        return Body(attributes, ())

    def _top(self) -> Iterator[tuple[str, Node]]:
        """The members of the top level, which may be spread over a list of objects."""
        for each in _each(self._root):
            yield from _members(each)

    def place(self, start: int, end: int | None = None) -> Place:
        """The place of the node with this number."""
        node = self._places[start]
        return Place(self.name, node.line, node.column, node.end_column if end is not None else None)

    def says(self, start: int, end: int, word: str) -> bool:  # noqa: ARG002 - anywhere in the file will do
        """Whether the file contains a word, in lower or upper case."""
        said = self._said.get(word)
        if said is None:
            said = self._said[word] = word in self._all
        return said

    def inner(self, start: int, steps: Sequence[str | int]) -> tuple[int, int] | None:
        """The number of the node of a part, twice; None if there is no such part."""
        node: Node | None = self._places[start]
        for step in steps:
            node = None if node is None else _part(node, step)
        if node is None:
            return None
        at = self._at(node)
        return at, at

    def heredoc(self, start: int) -> Place | None:  # noqa: ARG002 - JSON has none
        """None: JSON has no heredocs."""
        return None

    def _labelled(self, type_: str, labels: tuple[str, ...], node: Node, levels: int) -> Iterator[Block]:
        if levels:
            for each in _each(node):
                for label, inner in _members(each):
                    yield from self._labelled(type_, (*labels, label), inner, levels - 1)
            return
        for each in _each(node):
            yield self._block(type_, labels, each)

    def _block(self, type_: str, labels: tuple[str, ...], node: Node) -> Block:
        if not isinstance(node.content, _BODY):
            raise ParseError(f"{type_} must be an object", line=node.line, column=node.column)
        start = self._at(node)
        return Block(
            type_, labels, start=start, first=start, close=start, file=self, read=lambda block: self._body(block, node)
        )

    def _body(self, block: Block, node: Node) -> Body:
        nested = _NESTED_ELSEWHERE.get(block.type, NESTED)
        if block.type in ("resource", "data") and block.labels[0].startswith("awscc_"):
            nested = _META
        is_dynamic = block.type not in _NESTED_ELSEWHERE
        attributes: dict[str, Attribute] = {}
        blocks: list[Block] = []
        for name, value in _members(node):
            if name == "dynamic" and is_dynamic:
                blocks += self._labelled(name, (), value, 1)
            elif name in nested and _is_block(value):
                blocks += [self._block(name, (), each) for each in _each(value)]
            elif block.type == "variable" and name == "type" and isinstance(value.content, str):
                start = self._at(value)
                attributes[name] = Attribute(name, start, self._type(value.content, value), start, start, self)
            else:
                attributes[name] = self._attribute(name, value)
        return Body(attributes, tuple(blocks))

    def _attribute(self, name: str, node: Node, *, templates: bool = True) -> Attribute:
        start = self._at(node)
        return Attribute(name, start, self._expression(node, templates=templates), start, start, self)

    def _expression(self, node: Node, *, templates: bool) -> Expression:
        content = node.content
        if isinstance(content, Mapping):
            return Object(
                tuple(
                    (self._text(key, node) if templates else Literal(key), self._expression(one, templates=templates))
                    for key, one in content.items()
                )
            )
        if isinstance(content, (list, tuple)):
            return Tuple(tuple(self._expression(one, templates=templates) for one in content))
        if isinstance(content, str):
            return self._text(content, node) if templates else Literal(content)
        return Literal(content)  # type: ignore[arg-type]

    def _type(self, text: str, node: Node) -> Expression:
        """A type, which is an expression in a text."""
        with _placed_at(node):
            return Reader(text, self._grammar).whole()

    def _text(self, text: str, node: Node) -> Expression:
        if "${" not in text and "%{" not in text:
            return Literal(text)
        with _placed_at(node):
            return Reader(text, self._grammar).template()

    def _at(self, node: Node) -> int:
        self._places.append(node)
        return len(self._places) - 1


@contextmanager
def _placed_at(node: Node) -> Iterator[None]:
    """An error within a text is where the text is."""
    try:
        yield
    except ParseError as error:
        raise ParseError(error.message, line=node.line, column=node.column) from None


def _members(node: Node) -> Iterator[tuple[str, Node]]:
    """The members of an object, or of each object in a list, which Terraform takes together. Null has none."""
    if node.content is None:
        return iter(())
    if isinstance(node.content, (list, tuple)) and all(isinstance(each.content, Mapping) for each in node.content):
        return chain.from_iterable(map(_members, node.content))
    if not isinstance(node.content, Mapping):
        raise ParseError("expected an object", line=node.line, column=node.column)
    return ((key, one) for key, one in node.content.items() if key != _COMMENT)


def _refuse_twice(name: str, node: Node, attributes: Mapping[str, Attribute]) -> None:
    if name in attributes:
        message = f'duplicate argument: "{name}" is set twice'
        raise ParseError(message, line=node.line, column=node.column, duplicate=True)


def _part(node: Node, step: str | int) -> Node | None:
    if isinstance(node.content, Mapping):
        return node.content.get(str(step))
    listed = node.content if isinstance(node.content, (list, tuple)) else ()
    return next((item for number, item in enumerate(listed) if number == step), None)


def _each(node: Node) -> list[Node]:
    """A block, a list of blocks, or none: null."""
    if node.content is None:
        return []
    return list(node.content) if isinstance(node.content, (list, tuple)) else [node]


def _is_block(node: Node) -> bool:
    return all(isinstance(one.content, _BODY) for one in _each(node))
