"""The document of a change set: its members, its changes, and the sets of nested stacks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from tablegate.dialects.cloudformation.template import TABLES
from tablegate.dialects.cloudformation.values import MASKED, is_scalar, scalar_of
from tablegate.model import facts
from tablegate.model.estate import Change, ChangeKind, ReplaceOrder
from tablegate.model.record import record
from tablegate.model.table import Table
from tablegate.model.value import Doubt, Place, Value
from tablegate.syntax.json import load_json
from tablegate.syntax.node import Node, ParseError
from tablegate.syntax.recognise import Kind, is_json, parse, recognise
from tablegate.syntax.source import Source

_MASK = "****"  # in place of the value of a NoEcho parameter
_BESIDE_PROPERTIES = ("DeletionPolicy", "UpdateReplacePolicy", "Metadata")

Members = Mapping[str, Node]


def parsed(text: str) -> Node:
    """The document, as JSON or as YAML."""
    return parse(text, as_json=is_json(text))


def member(content: Members, name: str) -> Node | None:
    """A member, in the spelling of the command line or of the console. None if it is absent or null."""
    node = content.get(name) or content.get(name[0].lower() + name[1:])
    return None if node is None or node.content is None else node


def members(node: Node | None) -> Members:
    """The members of an object."""
    return node.content if node is not None and isinstance(node.content, dict) else {}


def items(node: Node | None) -> list[Node]:
    """The items of a list."""
    return list(node.content) if node is not None and isinstance(node.content, (list, tuple)) else []


def text(content: Members, name: str) -> str | None:
    """A scalar, as a text."""
    node = member(content, name)
    return scalar_of(node) if node is not None and is_scalar(node) and scalar_of(node) else None


def pairs(node: Node | None) -> dict[str, str]:
    """A list of keys and values."""
    entries = ((text(members(item), "Key"), text(members(item), "Value")) for item in items(node))
    return {key: value or "" for key, value in entries if key}


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
        """Whether this is a nested stack, whose changes are in a change set of their own."""
        return self.type in ("AWS::CloudFormation::Stack", "AWS::Serverless::Application")

    def resource(self, context: str) -> Node | None:
        """The resource as in a template; None if the change set does not show it."""
        node = member(self.members, context)
        if node is None:
            return None
        content = load_json(scalar_of(node)) if is_scalar(node) else node.plain()
        if not isinstance(content, dict):
            raise ParseError(f"{context} of {self.address} must hold an object", line=node.line, column=node.column)
        resource = {"Type": self.type, "Properties": content.get("Properties") or {}}
        resource |= {key: content[key] for key in _BESIDE_PROPERTIES if content.get(key) is not None}
        return _node(resource, node)


def changes(root: Members) -> Iterator[ResourceChange]:
    """The changes of resources. Raises ParseError if one has another shape."""
    node = member(root, "Changes")
    if node is not None and not isinstance(node.content, (list, tuple)):
        raise ParseError("Changes must be a list", line=node.line, column=node.column)
    seen: set[tuple[str, bool]] = set()
    for item in items(node):
        kind = text(members(item), "Type") or "Resource"
        if kind == "Hook":
            continue
        if kind != "Resource":
            raise ParseError("the Type of a change must be Resource", line=item.line, column=item.column)
        change = members(member(members(item), "ResourceChange"))
        address, type_, action = (text(change, name) for name in ("LogicalResourceId", "ResourceType", "Action"))
        if not address or not type_ or not action:
            raise ParseError(
                "a change needs a LogicalResourceId, a ResourceType and an Action", line=item.line, column=item.column
            )
        side = address, action == "Remove"
        wrong = "it has two changes" if side in seen else _unheard_of(change, type_, action)
        seen.add(side)
        if wrong is not None:
            raise ParseError(f"{address}: {wrong}", line=item.line, column=item.column, hint=_AS_PRINTED)
        yield ResourceChange(address, type_, action, item, change)


def _unheard_of(change: Members, type_: str, action: str) -> str | None:
    """A member of a change that no change set has."""
    if action not in _ACTIONS:
        return f"Action must be one of {', '.join(sorted(_ACTIONS))}"
    if (text(change, "Replacement") or "False").capitalize() not in _REPLACEMENTS:
        return f"Replacement must be one of {', '.join(sorted(_REPLACEMENTS))}"
    is_known = type_ in TABLES or type_ in _OTHER_TYPES
    if type_.casefold().startswith(_SERVICE) and not is_known:
        return f"ResourceType {type_} is no type of DynamoDB that is known"
    return None


def _node(content: object, at: Node) -> Node:
    """Plain content as nodes, all at one place of the change set."""
    if isinstance(content, dict):
        return Node({key: _node(value, at) for key, value in content.items()}, at.line, at.column)
    if isinstance(content, list):
        return Node([_node(item, at) for item in content], at.line, at.column)
    if content == _MASK:
        return Node(MASKED, at.line, at.column)
    scalar = content if content is None or isinstance(content, (str, bool, int, float)) else str(content)
    return Node(scalar, at.line, at.column)


_KINDS = {
    "Add": ChangeKind.CREATE,
    "Modify": ChangeKind.UPDATE,
    "Remove": ChangeKind.DELETE,
    "Import": ChangeKind.NOOP,
    "SyncWithActual": ChangeKind.NOOP,
}
_ACTIONS = frozenset({*_KINDS, "Dynamic"})
_REPLACEMENTS = frozenset({"True", "False", "Conditional"})
_SERVICE = "aws::dynamodb::"
_OTHER_TYPES = frozenset({"AWS::DynamoDB::Backup"})  # of which nothing is judged
_AS_PRINTED = "give it as aws cloudformation describe-change-set prints it"
_RETAINED = {"Delete": False, "ReplaceAndDelete": False, "Retain": True, "ReplaceAndRetain": True}
_CONDITIONAL = Doubt("CloudFormation decides whether it is replaced when it executes the change set")


def exists_before(change: ResourceChange) -> bool:
    """Whether the resource exists before the change set is executed."""
    return change.action != "Add"


def exists_after(change: ResourceChange) -> bool:
    """Whether the resource exists after the change set is executed."""
    return change.action != "Remove"


def change_of(
    change: ResourceChange, place: Place, after: Table | None, earlier: Callable[[str], Table | None]
) -> Change:
    """The record of one change. The table before it is built when it is asked for."""
    kind = _KINDS.get(change.action, ChangeKind.UNKNOWN)
    replacement = text(change.members, "Replacement")
    if kind is ChangeKind.UPDATE and replacement in ("True", "Conditional", "true"):
        kind = ChangeKind.REPLACE
    return Change(
        address=change.address,
        place=place,
        kind=kind,
        make_before=partial(earlier, change.address) if exists_before(change) else _nothing,
        after=after,
        order=ReplaceOrder.CREATE_FIRST if kind is ChangeKind.REPLACE else None,
        replace_paths=tuple(dict.fromkeys(_replacing(change))) if kind is ChangeKind.REPLACE else (),
        importing=text(change.members, "PhysicalResourceId") if change.action == "Import" else None,
        retained=_retained(change, place),
        doubt=_CONDITIONAL if replacement == "Conditional" else None,
    )


def _nothing() -> Table | None:
    return None


def _retained(change: ResourceChange, place: Place) -> Value[bool] | None:
    retained = _RETAINED.get(text(change.members, "PolicyAction") or "")
    return None if retained is None else facts.RETAINED.of(retained, place)


def _replacing(change: ResourceChange) -> Iterator[str]:
    """The properties that make CloudFormation replace the resource."""
    for detail in items(member(change.members, "Details")):
        target = members(member(members(detail), "Target"))
        if text(target, "RequiresRecreation") in ("Always", "Conditionally"):
            path = (text(target, "Path") or "").removeprefix("/Properties/").replace("/", ".")
            name = path or text(target, "Name")
            if name:
                yield name


def addresses_of(sources: Iterable[Source]) -> dict[str, str]:
    """The addresses of nested stacks by the ids of their change sets. A set that cannot be read is left out."""
    parents: dict[str, tuple[str, str]] = {}
    known: set[str] = set()
    for root in _roots(sources):
        own = text(root, "ChangeSetId")
        if own is None:
            continue
        known.add(own)
        for change in changes(root):
            nested = text(change.members, "ChangeSetId")
            if change.is_stack and nested is not None and nested != own:
                parents[nested] = (own, change.address)
    return {nested: _address(nested, parents) for nested in parents if nested in known}


def _roots(sources: Iterable[Source]) -> Iterable[Members]:
    for source in sources:
        try:
            recognised = recognise(source)
            root = members(parsed(recognised.text)) if recognised.kind is Kind.CHANGE_SET else {}
            if member(root, "Changes") is not None and list(changes(root)):
                yield root
        except ParseError:
            continue


def _address(nested: str, parents: Mapping[str, tuple[str, str]]) -> str:
    steps: list[str] = []
    seen: set[str] = set()
    while nested in parents and nested not in seen:
        seen.add(nested)
        nested, address = parents[nested]
        steps.append(address)
    return "/".join(reversed(steps))
