"""What expressions come to: nodes, values that are not known, and texts with references in them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from tablegate.dialects.reading import TOO_LONG, UNKNOWN_LENGTH, TextBudget
from tablegate.model.record import record
from tablegate.model.value import Doubt, Span
from tablegate.syntax.node import Node, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.dialects.cloudformation.resolver import Resolver


INPUT = "input"  # a parameter or pseudo parameter
RESOURCE = "resource"
EXPRESSION = "expression"  # any other expression, as it is written
OTHER_STACK = "other stack"  # a resource of another stack

NO_NODE = Node(None, 1, 1)
"""The node of a value that is written nowhere."""

DYNAMIC_REFERENCE = r"\{\{(resolve|changeSet):"
UNFILLED = "{{unfilled}}"
"""The mark before a text with placeholders of another tool. Readers look for ``{{`` in any text, and so resolve it."""
MASKED = "{{changeSet:MASKED}}"
_CHANGE_SET = r"(\{\{changeSet:[A-Z_]+\}\})"
_APPLIED = Doubt("known only after the change set is executed")
_MASKED = Doubt("the change set masks this value", "check the template, with its parameters")


@record(kw_only=False)
class NameReference:
    """A part of a text that is not known: ``${Orders.Arn}``. Equal references have equal values.

    A resource of another stack has its ``stack``, and its logical id there as ``resource``.
    """

    name: str
    attribute: str | None = None
    kind: str = INPUT
    stack: Resolver | None = None
    resource: str | None = None


Part: TypeAlias = str | NameReference


class SecretNode(Node):
    """A scalar made from a parameter that must not be shown."""


class Unresolved:  # not a record: isinstance takes twice as long for a Struct, and every value is asked
    """A value that is not known. ``parts`` is what is known of a text, ``span`` what is known of a number."""

    __slots__ = ("doubt", "node", "parts", "span")

    def __init__(self, doubt: Doubt, node: Node, parts: tuple[Part, ...] = (), span: Span | None = None) -> None:
        self.doubt = doubt
        self.node = node
        self.parts = parts
        self.span = span

    @property
    def reference(self) -> NameReference | None:
        """The reference, if the value is one and nothing else."""
        if len(self.parts) == 1 and isinstance(self.parts[0], NameReference):
            return self.parts[0]
        return None


Resolved: TypeAlias = Node | Unresolved | None
"""What an expression comes to. None if it is ``AWS::NoValue``."""


def text_of(content: Scalar) -> str:
    """A scalar as a text, as CloudFormation reads it."""
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    return str(content).lower() if isinstance(content, bool) else str(content)


def is_scalar(node: Node) -> bool:
    """Whether the node is a single value."""
    content = node.content
    return isinstance(content, str) or not isinstance(content, (dict, list, tuple))


def is_call(content: Mapping[str, Node]) -> bool:
    """Whether a mapping is written as a function."""
    if "Ref" in content:
        return True
    return "Fn::" in " ".join(content) and any(key.startswith("Fn::") for key in content)


def is_plain(node: Node) -> bool:
    """Whether no function and no dynamic reference is in a node."""
    content = node.content
    if isinstance(content, dict):
        return not is_call(content) and all(map(is_plain, content.values()))
    if isinstance(content, (list, tuple)):
        return all(map(is_plain, content))
    return not isinstance(content, str) or "{{" not in content


def scalar_of(node: Node) -> str:
    """The text of a node that is a single value."""
    content = node.content
    if isinstance(content, str):
        return content
    return text_of(content) if content is None or isinstance(content, (bool, int, float)) else ""


def joined_text(parts: Iterable[Part]) -> str:
    """A text as a template's author would write it."""
    return "".join(part if isinstance(part, str) else reference_text(part) for part in parts)


def reference_text(reference: NameReference) -> str:
    """A reference as a template's author would write it: ``${Orders.Arn}``."""
    return f"${{{reference.name}}}" if reference.attribute is None else f"${{{reference.name}.{reference.attribute}}}"


def text_with_references(value: Node | Unresolved) -> str | None:
    """A value as a text with references; None if it is no text, or nothing of it is known."""
    if isinstance(value, Unresolved):
        return joined_text(value.parts) if value.parts else None
    return scalar_of(value) if is_scalar(value) else None


def text_node(node: Node, content: str, *, secret: bool = False) -> Node:
    """A computed text, at the place of its expression."""
    return (SecretNode if secret else Node)(content, node.line, node.column, node.end_column)


def as_secret(node: Node) -> Node:
    """A value, or a list of them, marked as secret."""
    content = node.content
    if isinstance(content, (list, tuple)):
        return Node([as_secret(item) for item in content], node.line, node.column, node.end_column)
    return SecretNode(content, node.line, node.column, node.end_column)


def assembled(node: Node, pieces: Iterable[str | Node | Unresolved], budget: TextBudget) -> Node | Unresolved:
    """One text from its pieces, with references for the pieces that are not known; unknown beyond the budget."""
    pieces = tuple(pieces)
    if not budget.allows(sum(map(_length, pieces))):
        return Unresolved(Doubt(TOO_LONG), node)
    return _assembled(node, pieces)


def _assembled(node: Node, pieces: Iterable[str | Node | Unresolved]) -> Node | Unresolved:
    parts: list[Part] = []  # never two texts side by side
    text = ""
    kind = Node
    unresolved: list[Unresolved] = []
    for piece in pieces:
        if isinstance(piece, str):
            text += piece
        elif isinstance(piece, Node):
            text += scalar_of(piece)
            if isinstance(piece, SecretNode):
                kind = SecretNode
        else:
            unresolved.append(piece)
            for part in piece.parts or (NameReference(piece.doubt.reason, kind=EXPRESSION),):
                if isinstance(part, str):
                    text += part
                    continue
                if text:
                    parts.append(text)
                    text = ""
                parts.append(part)
    if not unresolved:
        return kind(text, node.line, node.column, node.end_column)
    if text:
        parts.append(text)
    return Unresolved(_doubt(unresolved), node, tuple(parts))


def _length(piece: str | Node | Unresolved) -> int:
    if isinstance(piece, Unresolved):
        return sum(len(part) if isinstance(part, str) else UNKNOWN_LENGTH for part in piece.parts) or UNKNOWN_LENGTH
    return len(piece if isinstance(piece, str) else scalar_of(piece))


def dynamic_reference(node: Node, text: str) -> Unresolved:
    """A text with parts that CloudFormation fills in at the deploy."""
    match = re.search(DYNAMIC_REFERENCE, text)
    if match is None or match[1] == "resolve":
        service = text.partition("{{resolve:")[2].partition(":")[0]
        doubt = Doubt(f"a dynamic reference to {service[:20]} is read at deploy", None, ())
        return Unresolved(doubt, node, (NameReference(text, kind=EXPRESSION),))
    doubt = _MASKED if MASKED in text else _APPLIED
    pieces = re.split(_CHANGE_SET, text)  # every second piece is a token
    parts = [
        NameReference(doubt.reason, kind=EXPRESSION) if number % 2 else piece for number, piece in enumerate(pieces)
    ]
    return Unresolved(doubt, node, tuple(part for part in parts if part != ""))


def expression(node: Node, doubt: Doubt | None = None) -> Unresolved:
    """A value that is not known. Equal expressions have equal values."""
    text = json.dumps(node.plain(), sort_keys=True, separators=(",", ":")).replace(UNFILLED, "")
    return Unresolved(
        doubt or Doubt("the value is known only after deploy"), node, (NameReference(text, kind=EXPRESSION),)
    )


def _doubt(pieces: list[Unresolved]) -> Doubt:
    first = pieces[0].doubt
    if len(pieces) == 1:
        return first
    refs = dict.fromkeys(ref for piece in pieces for ref in piece.doubt.refs)
    return Doubt(first.reason, first.settle, tuple(refs))


def unevaluated(node: Node) -> object:
    """The content without places. An expression becomes a doubt, so that it is not taken for its own result."""
    content = node.content
    if isinstance(content, dict):
        name = next(iter(content), "")
        if len(content) == 1 and (name == "Ref" or name.startswith("Fn::")):
            return Doubt(f"it is computed by {name}, which is not evaluated here")
        return {key: unevaluated(child) for key, child in content.items()}
    if isinstance(content, (list, tuple)):
        return [unevaluated(child) for child in content]
    if isinstance(content, str) and "{{" in content:
        if content.startswith(UNFILLED):
            return Doubt("it is filled in before the stack is deployed")
        if re.search(DYNAMIC_REFERENCE, content):
            return Doubt("it is looked up when the stack is deployed")
    return content
