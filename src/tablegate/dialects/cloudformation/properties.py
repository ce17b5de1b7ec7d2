"""CloudFormation's resources: properties into facts, three-valued and strict about shapes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar, overload

from tablegate.dialects.cloudformation.limits import DECIMAL
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.template import CHECK_THE_RESULT, ResourceEntry
from tablegate.dialects.cloudformation.values import (
    NO_NODE,
    Resolved,
    SecretNode,
    Unresolved,
    is_scalar,
    scalar_of,
    text_with_references,
)
from tablegate.model.facts import Fact
from tablegate.model.value import Doubt, Place, Value
from tablegate.syntax.node import Node

T = TypeVar("T")

_NAMED = Fact[str]("name")
_INTEGER = re.compile(r"-?[0-9]{1,18}")


class Section:
    """A mapping of a template, read member by member in the scenario that its resolver is in.

    Implements ``Properties``. A section that is not known has no members and says why in ``unresolved``: each of its
    members is not known for the same reason.
    """

    __slots__ = ("members", "node", "resolver", "unresolved")

    def __init__(
        self, resolver: Resolver, members: Mapping[str, Node], node: Node, unresolved: Unresolved | None = None
    ) -> None:
        self.resolver = resolver
        self.members = members
        self.node = node
        self.unresolved = unresolved

    def get(self, key: str) -> Resolved:
        """What a member comes to; None if it is absent or null."""
        node = self.members.get(key)
        if node is None:
            return self.unresolved
        if type(node.content) is str and "{{" not in node.content:
            return node  # most members are as they are written: 4 % of the reading of templates
        return self.resolver.resolve_member(node)

    def section(self, key: str) -> Section | None:
        """A mapping in the mapping."""
        return section_of(self.resolver, self.get(key))

    def part(self, key: str) -> Section:
        """A mapping in the mapping. If it is absent, an empty one: each of its members is absent too."""
        return self.section(key) or Section(self.resolver, {}, self.node)

    def one(self, key: str) -> Section | Doubt | None:
        """A mapping in the mapping; a doubt if it is not known."""
        section = self.section(key)
        return section if section is None or section.unresolved is None else section.unresolved.doubt

    def items(self, key: str) -> list[Node | Unresolved] | Unresolved | None:
        """The items of a list; None if it is absent."""
        value = self.get(key)
        if value is None or isinstance(value, Unresolved):
            return value
        if isinstance(value.content, (list, tuple)):
            return self.resolver.items(value)
        return self.resolver.wrong_shape(value, f"must be a list, not {shown(value)}")

    def sections(self, key: str) -> list[Section]:
        """The mappings of a list; none if the list is absent or not known."""
        items = self.items(key)
        return [section_of(self.resolver, item) for item in items] if isinstance(items, list) else []

    def many(self, key: str) -> Sequence[Section | Doubt] | Doubt:
        """The mappings of a list; a doubt for one that is not known, or for the list."""
        items = self.items(key)
        if isinstance(items, Unresolved):
            return items.doubt
        sections = [section_of(self.resolver, item) for item in items or ()]
        return [it if it.unresolved is None else it.unresolved.doubt for it in sections]

    def flag(self, fact: Fact[bool], key: str) -> Value[bool]:
        """True or false, also as a text: CloudFormation takes ``"true"`` for ``true``, and no other word."""
        node = self.get(key)
        if node is None:
            return fact.unset
        if isinstance(node, Unresolved):
            return self.unknown(fact, node)
        content = node.content
        if content is True or content == "true":
            return self.known(fact, True, node)  # a content, not an option
        if content is False or content == "false":
            return self.known(fact, False, node)
        return self._refused(fact, node, f"must be true or false, not {shown(node)}")

    def number(self, fact: Fact[int], key: str, none: tuple[int, ...] = ()) -> Value[int]:
        """A whole number, also as a text. One in ``none`` stands for no number."""
        node = self.get(key)
        if node is None:
            return fact.unset
        if isinstance(node, Unresolved):
            return self.unknown(fact, node)
        content = node.content
        if type(content) is int:
            whole = content
        elif (isinstance(content, str) and _INTEGER.fullmatch(content)) or (
            isinstance(content, float) and content.is_integer()
        ):
            whole = int(content)
        else:
            return self._refused(fact, node, f"must be a whole number, not {shown(node)}")
        return fact.of(None, self.resolver.place(node)) if whole in none else self.known(fact, whole, node)

    def decimal(self, fact: Fact[float], key: str) -> Value[float]:
        """A number with or without a fraction, also as a text."""
        node = self.get(key)
        if node is None:
            return fact.unset
        if isinstance(node, Unresolved):
            return self.unknown(fact, node)
        content = node.content
        is_number = type(content) is int or type(content) is float
        if not is_number and (type(content) is bool or not is_scalar(node) or not DECIMAL.fullmatch(scalar_of(node))):
            return self._refused(fact, node, f"must be a number, not {shown(node)}")
        return self.known(fact, float(scalar_of(node)), node)

    def text(self, fact: Fact[str], key: str, among: Collection[str] = ()) -> Value[str]:
        """A text. With ``among``, any other text is reported as a fault and unknown."""
        node = self.get(key)
        if node is None:
            return fact.unset
        return self.unknown(fact, node) if isinstance(node, Unresolved) else self.text_of(fact, node, among)

    def text_of(self, fact: Fact[str], node: Node, among: Collection[str] = ()) -> Value[str]:
        """The text of a node."""
        if not is_scalar(node):
            return self._refused(fact, node, f"must be a text, not {shown(node)}")
        content = scalar_of(node)
        if among and content not in among:
            return self._refused(fact, node, f"{shown(node)} is not one of {', '.join(sorted(among))}")
        return self.known(fact, content, node)

    def text_or_reference(self, fact: Fact[str], key: str) -> Value[str]:
        """A text that names something. If it is not known, the reference itself is the text, like ``${Bucket}``."""
        node = self.get(key)
        if isinstance(node, Unresolved) and (text := text_with_references(node)) is not None:
            return fact.of(text, self.resolver.place(node.node))
        return self.text(fact, key)

    def is_named(self, fact: Fact[bool], key: str) -> Value[bool]:
        """Whether a text that names something is set. A reference names something, though its text is not known."""
        named = self.text_or_reference(_NAMED, key)
        if named.doubt is not None:
            return fact.doubted(named.doubt, named.place)
        return fact.of(True, named.place) if named.content else fact.unset

    def required_text(self, key: str) -> str | Unresolved:
        """A text that must be there."""
        node = self.get(key)
        if isinstance(node, Unresolved):
            return node
        if node is None or not is_scalar(node):
            return self.resolver.wrong_shape(node or self.node, f"{key} is required and must be a text")
        return scalar_of(node)

    def json(self, fact: Fact[str], key: str) -> Value[str]:
        """A mapping as JSON, its expressions as they are written."""
        node = self.get(key)
        if node is None:
            return fact.unset
        if isinstance(node, Unresolved):
            return self.unknown(fact, node)
        return fact.of(json.dumps(node.plain(), sort_keys=True), self.resolver.place(node))

    def doubt(self, key: str) -> Doubt | None:
        """Why a member is not known; None if it is known or absent."""
        value = self.get(key)
        return value.doubt if isinstance(value, Unresolved) else None

    def place(self, key: str | None = None) -> Place:
        """The place of a member, or of the section itself."""
        return self.resolver.place(self.node if key is None else self.members.get(key, self.node))

    def per_answers(self, key: str, unset: T, read: Callable[[Section], T]) -> T:
        """What ``read`` takes from a member: once for scenarios that agree on it, and ``unset`` if it is absent."""
        if self.unresolved is None and key not in self.members:
            return unset
        return self.resolver.scenarios.per_answers(read, self)

    def known(self, fact: Fact[T], content: T, node: Node) -> Value[T]:
        """The fact as a node states it."""
        return fact.of(content, self.resolver.place(node), sensitive=self.resolver.is_secret(node))

    def unknown(self, fact: Fact[T], value: Unresolved) -> Value[T]:
        """The fact if its value cannot be known."""
        return fact.doubted(value.doubt, self.resolver.place(value.node), span=value.span)

    def _refused(self, fact: Fact[T], node: Node, what: str) -> Value[T]:
        return self.unknown(fact, self.resolver.wrong_shape(node, what))


class Resource:
    """A resource in the scenario that its resolver is in."""

    __slots__ = ("_entry", "resolver")

    def __init__(self, resolver: Resolver, entry: ResourceEntry) -> None:
        self.resolver = resolver
        self._entry = entry

    @property
    def address(self) -> str:
        """Its logical id."""
        return self._entry.address

    @property
    def type(self) -> str:
        """Its type."""
        return self._entry.type

    @property
    def node(self) -> Node:
        """Its entry in ``Resources``."""
        return self._entry.node

    @property
    def place(self) -> Place:
        """Its place."""
        return self.resolver.place(self._entry.node)

    @property
    def present(self) -> bool | None:
        """Whether it exists in this scenario; None if that is unknown."""
        condition = self._entry.body.get("Condition")
        if condition is None:
            return True
        if not isinstance(condition.content, str):
            self.resolver.wrong_shape(condition, "Condition takes the name of a condition")
            return None
        return self.resolver.conditions.truth(condition.content, condition)

    @property
    def body(self) -> Section:
        """Its entry as a section, with what is beside the properties, such as ``DeletionPolicy``."""
        return Section(self.resolver, self._entry.body, self._entry.node)

    @property
    def properties(self) -> Section:
        """Its properties. If a macro may rewrite them, nothing of them is known."""
        node, macros = self._entry.node, self.resolver.template.macros
        if macros:
            doubt = Doubt(f"the macro {macros[0]} can rewrite this template", CHECK_THE_RESULT)
            return Section(self.resolver, {}, node, Unresolved(doubt, node))
        if "Fn::Transform" in self._entry.body:
            value = self.resolver.resolve(node)
            return Section(self.resolver, {}, node, value if isinstance(value, Unresolved) else None)
        return self.body.section("Properties") or Section(self.resolver, {}, node)


def resources_of(resolver: Resolver, *types: str) -> list[Resource]:
    """The resources of these types that exist in some scenario, in the template's order.

    Nothing of the others is read, as CloudFormation reads nothing of them.
    """
    return [Resource(resolver, entry) for entry in resolver.template.of(*types) if not _never(resolver, entry)]


def _never(resolver: Resolver, entry: ResourceEntry) -> bool:
    condition = entry.body.get("Condition")
    return (
        condition is not None
        and isinstance(condition.content, str)
        and resolver.conditions.never(condition.content, condition)
    )


def resource_named(resolver: Resolver, address: str, type_: str) -> Resource | None:
    """The resource with this logical id, if it is of this type and exists in some scenario."""
    entry = resolver.template.named(address, type_)
    return None if entry is None or _never(resolver, entry) else Resource(resolver, entry)


def value_of_stack(resolver: Resolver, fact: Fact[str], name: str) -> Value[str]:
    """A pseudo parameter, such as ``AWS::Region``, as a fact."""
    value = resolver.resolve_name(NO_NODE, name)
    if isinstance(value, Unresolved):
        return fact.doubted(value.doubt)
    return fact.of(scalar_of(value) if value is not None else None)


@overload
def section_of(resolver: Resolver, value: Node | Unresolved) -> Section: ...


@overload
def section_of(resolver: Resolver, value: Resolved) -> Section | None: ...


def section_of(resolver: Resolver, value: Resolved) -> Section | None:
    """A resolved value that must be a mapping."""
    if value is None:
        return None
    if isinstance(value, Unresolved):
        return Section(resolver, {}, value.node, value)
    if isinstance(value.content, dict):
        return Section(resolver, value.content, value)
    return Section(resolver, {}, value, resolver.wrong_shape(value, f"must be a mapping, not {shown(value)}"))


def shown(node: Node) -> str:
    """A wrong value in a message: short, and never one that must not be shown."""
    if isinstance(node, SecretNode):
        return "(sensitive)"
    if isinstance(node.content, dict):
        return "a mapping"
    if isinstance(node.content, (list, tuple)):
        return "a list"
    text = scalar_of(node)
    return repr(text if len(text) <= 40 else text[:39] + "…") if isinstance(node.content, str) else text
