"""Properties into facts: one reader per kind of value, all of them three-valued and strict about shapes."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import TypeVar

from tablegate.dialects.cloudformation.parameters import DECIMAL
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.template import Resource
from tablegate.dialects.cloudformation.values import (
    SecretNode,
    Section,
    Unresolved,
    is_scalar,
    scalar_of,
    text_with_references,
)
from tablegate.model.facts import Fact
from tablegate.model.value import Doubt, Origin, Place, Value
from tablegate.syntax.node import Node

F = TypeVar("F")

_SET = Origin.SET
_INTEGER = re.compile(r"-?[0-9]{1,18}")


def subsection(resolver: Resolver, section: Section, key: str) -> Section | None:
    """A section in a section."""
    if isinstance(section, Unresolved):
        return section
    node = section.get(key)
    if node is None:
        return None
    content = node.content
    if isinstance(content, dict) and "::" not in (names := " ".join(content)) and "Ref" not in names:
        return content  # no function: nearly all of them
    return as_section(resolver, resolver.get(section, key))


def as_section(resolver: Resolver, value: Node | Unresolved | None) -> Section | None:
    """A resolved value, where it must be a mapping."""
    if value is None or isinstance(value, Unresolved):
        return value
    if isinstance(value.content, dict):
        return value.content
    return resolver.wrong_shape(value, f"a mapping is needed, and {_shown(value)} is none")


def listed(resolver: Resolver, section: Section, key: str) -> list[Node | Unresolved] | Unresolved | None:
    """The items of a list; nothing where it is absent."""
    value = resolver.get(section, key)
    if value is None or isinstance(value, Unresolved):
        return value
    if isinstance(value.content, (list, tuple)):
        return resolver.items(value)
    return resolver.wrong_shape(value, f"a list is needed, and {_shown(value)} is none")


def properties(resolver: Resolver, resource: Resource) -> Section:
    """A resource's properties. Where a macro may rewrite them, nothing of them is known."""
    macros = resolver.template.macros
    if macros:
        doubt = Doubt(f"the macro {macros[0]} can rewrite this template", "check it as it is after its transforms")
        return Unresolved(doubt, resource.node)
    if "Fn::Transform" in resource.body:
        value = resolver.head(resource.node)
        return value if isinstance(value, Unresolved) else {}
    return subsection(resolver, resource.body, "Properties") or {}


def exists(resolver: Resolver, resource: Resource) -> bool | None:
    """Whether the resource is there in this scenario."""
    condition = resource.body.get("Condition")
    if condition is None:
        return True
    if not isinstance(condition.content, str):
        resolver.wrong_shape(condition, "Condition takes the name of a condition")
        return None
    return resolver.conditions.truth(condition.content, condition)


def flag(resolver: Resolver, fact: Fact[bool], section: Section, key: str) -> Value[bool]:
    """True or false, also as a text: CloudFormation takes ``"true"`` for ``true``, and no other word."""
    node = resolver.get(section, key)
    if node is None:
        return fact.unset
    if isinstance(node, Unresolved):
        return doubted(resolver, fact, node)
    content = node.content
    if content is True or content == "true":
        truth = True
    elif content is False or content == "false":
        truth = False
    else:
        return doubted(
            resolver, fact, resolver.wrong_shape(node, f"true or false is needed, and {_shown(node)} is neither")
        )
    return stated(resolver, fact, truth, node)


def number(resolver: Resolver, fact: Fact[int], section: Section, key: str) -> Value[int]:
    """A whole number, also as a text."""
    node = resolver.get(section, key)
    if node is None:
        return fact.unset
    if isinstance(node, Unresolved):
        return doubted(resolver, fact, node)
    content = node.content
    if type(content) is int:
        whole = content
    elif (isinstance(content, str) and _INTEGER.fullmatch(content)) or (
        isinstance(content, float) and content.is_integer()
    ):
        whole = int(content)
    else:
        return doubted(
            resolver, fact, resolver.wrong_shape(node, f"a whole number is needed, and {_shown(node)} is none")
        )
    return stated(resolver, fact, whole, node)


def decimal(resolver: Resolver, fact: Fact[float], section: Section, key: str) -> Value[float]:
    """A number, also as a text."""
    node = resolver.get(section, key)
    if node is None:
        return fact.unset
    if isinstance(node, Unresolved):
        return doubted(resolver, fact, node)
    content = node.content
    is_number = type(content) is int or type(content) is float
    if not is_number and (type(content) is bool or not is_scalar(node) or not DECIMAL.fullmatch(scalar_of(node))):
        return doubted(resolver, fact, resolver.wrong_shape(node, f"a number is needed, and {_shown(node)} is none"))
    return stated(resolver, fact, float(scalar_of(node)), node)


def word(
    resolver: Resolver, fact: Fact[str], section: Section, key: str, among: Collection[str] | None = None
) -> Value[str]:
    """A text, where it matters one of a few."""
    node = resolver.get(section, key)
    if node is None:
        return fact.unset
    if isinstance(node, Unresolved):
        return doubted(resolver, fact, node)
    content = node.content
    if type(node) is Node and isinstance(content, str) and (among is None or content in among):
        return stated(resolver, fact, content, node)
    return told(resolver, fact, node, among)


def told(resolver: Resolver, fact: Fact[str], node: Node, among: Collection[str] | None = None) -> Value[str]:
    """A node that must be a text."""
    if not is_scalar(node):
        return doubted(resolver, fact, resolver.wrong_shape(node, f"a text is needed, and {_shown(node)} is none"))
    content = scalar_of(node)
    if among is not None and content not in among:
        what = f"{_shown(node)} is not one of {', '.join(sorted(among))}"
        return doubted(resolver, fact, resolver.wrong_shape(node, what))
    return stated(resolver, fact, content, node)


def reference(resolver: Resolver, fact: Fact[str], section: Section, key: str) -> Value[str]:
    """A text that names something: where it is not known, the reference itself stands for it."""
    node = resolver.get(section, key)
    if node is None:
        return fact.unset
    if isinstance(node, Unresolved):
        text = text_with_references(node)
        return fact.of(text, resolver.place(node.node)) if text is not None else doubted(resolver, fact, node)
    return told(resolver, fact, node)


def document(resolver: Resolver, fact: Fact[str], section: Section, key: str) -> Value[str]:
    """A mapping as JSON, its expressions as they are written."""
    node = resolver.get(section, key)
    if node is None:
        return fact.unset
    if isinstance(node, Unresolved):
        return doubted(resolver, fact, node)
    return fact.of(json.dumps(node.plain(), sort_keys=True), resolver.place(node))


def stated(resolver: Resolver, fact: Fact[F], content: F, node: Node) -> Value[F]:
    """The fact as the node states it."""
    place = Place(resolver.file, node.line, node.column, node.end_column)
    return Value(fact.name, content, _SET, place, None, type(node) is SecretNode)


def doubted(resolver: Resolver, fact: Fact[F], value: Unresolved) -> Value[F]:
    """The fact, where its value cannot be known."""
    return fact.doubted(value.doubt, resolver.place(value.node), span=value.span)


def _shown(node: Node) -> str:
    """A wrong value in a message: short, and never one that must not be shown."""
    if isinstance(node, SecretNode):
        return "(sensitive)"
    if isinstance(node.content, dict):
        return "a mapping"
    if isinstance(node.content, (list, tuple)):
        return "a list"
    text = scalar_of(node)
    return repr(text if len(text) <= 40 else text[:39] + "…") if isinstance(node.content, str) else text
