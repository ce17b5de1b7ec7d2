"""The members of a change set: in either spelling, and each change with what it holds before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tablegate.dialects.cloudformation.unsettled import MASKED, is_scalar, scalar_of
from tablegate.model.record import record
from tablegate.syntax.errors import ParseError
from tablegate.syntax.json_ import load_json, parse_json
from tablegate.syntax.node import Node
from tablegate.syntax.recognise import is_json

_MASK = "****"  # what stands for the value of a NoEcho parameter
_KEPT = ("DeletionPolicy", "UpdateReplacePolicy", "Metadata")

Members = Mapping[str, Node]


def parsed(text: str) -> Node:
    """The document, as JSON or as YAML."""
    if is_json(text):
        return parse_json(text)
    # Imported here: hardly a change set is kept as YAML.
    from tablegate.syntax.yaml_ import parse_yaml

    return parse_yaml(text)


def member(holder: Members, name: str) -> Node | None:
    """A member, as the command line spells it or as the console does. None where it is absent or null."""
    node = holder.get(name) or holder.get(name[0].lower() + name[1:])
    return None if node is None or node.content is None else node


def members(node: Node | None) -> Members:
    """The members of an object."""
    return node.content if node is not None and isinstance(node.content, dict) else {}


def items(node: Node | None) -> list[Node]:
    """The items of a list."""
    return list(node.content) if node is not None and isinstance(node.content, (list, tuple)) else []


def text(holder: Members, name: str) -> str | None:
    """A scalar, as a text."""
    node = member(holder, name)
    return scalar_of(node) if node is not None and is_scalar(node) and scalar_of(node) else None


def pairs(node: Node | None) -> dict[str, str]:
    """A list of keys and values."""
    found = ((text(members(item), "Key"), text(members(item), "Value")) for item in items(node))
    return {key: value or "" for key, value in found if key}


@record(kw_only=False)
class ResourceChange:
    """One change of one resource."""

    address: str
    type: str
    action: str
    node: Node
    members: Members

    @property
    def is_stack(self) -> bool:
        """Whether this is a nested stack, whose own changes are in a change set of their own."""
        return self.type in ("AWS::CloudFormation::Stack", "AWS::Serverless::Application")

    def resource(self, context: str) -> Node | None:
        """The resource as a template would have it; None where the change set does not show it."""
        node = member(self.members, context)
        if node is None:
            return None
        held = load_json(scalar_of(node)) if is_scalar(node) else node.plain()
        if not isinstance(held, dict):
            raise ParseError(f"{context} of {self.address} must hold an object", line=node.line, column=node.column)
        shown = {"Type": self.type, "Properties": held.get("Properties") or {}}
        shown |= {key: held[key] for key in _KEPT if held.get(key) is not None}
        return _node(shown, node)


def changes(root: Members) -> Iterator[ResourceChange]:
    """The changes of resources. What is shaped otherwise is refused."""
    listed = member(root, "Changes")
    if listed is not None and not isinstance(listed.content, (list, tuple)):
        raise ParseError("Changes must be a list", line=listed.line, column=listed.column)
    for item in items(listed):
        if text(members(item), "Type") not in (None, "Resource"):
            continue  # a hook
        change = members(member(members(item), "ResourceChange"))
        address, type_, action = (text(change, name) for name in ("LogicalResourceId", "ResourceType", "Action"))
        if not address or not type_ or not action:
            raise ParseError(
                "a change needs a LogicalResourceId, a ResourceType and an Action", line=item.line, column=item.column
            )
        yield ResourceChange(address, type_, action, item, change)


def _node(content: object, at: Node) -> Node:
    """Plain content as nodes that all stand where the change set holds them."""
    if isinstance(content, dict):
        return Node({key: _node(value, at) for key, value in content.items()}, at.line, at.column)
    if isinstance(content, list):
        return Node([_node(item, at) for item in content], at.line, at.column)
    if content == _MASK:
        return Node(MASKED, at.line, at.column)
    scalar = content if content is None or isinstance(content, (str, bool, int, float)) else str(content)
    return Node(scalar, at.line, at.column)
