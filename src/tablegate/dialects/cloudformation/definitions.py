"""Holds a template's tables, and what is about a table, against AWS's schemas."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from tablegate.dialects.cloudformation.properties import Resource, resources_of, shown
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.template import (
    ALARM,
    DAX_CLUSTER,
    KEYS,
    KINESIS_STREAM,
    SCALABLE_TARGET,
    SCALING_POLICY,
    TABLES,
)
from tablegate.dialects.cloudformation.values import Unresolved, is_call, is_plain, is_scalar, text_with_references
from tablegate.dialects.joins.watchers import NAMESPACE
from tablegate.dialects.schemas import ANY, Shape, shape_of, unknown_member
from tablegate.model.table import SIMPLE_TABLE, Replica, Table
from tablegate.syntax.node import Node

_SCALED = ("dynamodb:", "table/")  # how the dimension of a table begins, and its id
_TARGET = "ScalingTargetId"


def hold_against_schemas(resolver: Resolver, tables: Iterable[Table]) -> None:
    """Report what the schemas of the tables' types, and of the types about them, do not let a resource hold."""
    for resource in (*resources_of(resolver, *TABLES, DAX_CLUSTER), *_about(resolver, tables)):
        _explore(resource)


def _explore(resource: Resource) -> None:
    """Hold a resource against the schema of its type, in each scenario of its own: those of its table stay few."""
    resolver = resource.resolver

    def check() -> None:
        if resource.present is not False:
            check_resource(resource, new_members=True)

    resolver.scenarios.explore(check, resolver.conditions.possible)


def check_resource(resource: Resource, *, new_members: bool) -> None:
    """Hold the properties of a resource against its schema, and report members that are newer than it on demand."""
    section = resource.properties
    if section.unresolved is not None:
        return
    members = section.members
    if resource.type == SIMPLE_TABLE:  # to which what is empty is absent
        members = {key: node for key, node in members.items() if node.content not in ({}, [], "")}
    checker = _Checker(resource.resolver, resource.type if new_members else None)
    checker.check_map(section.node, members, shape_of(resource.type))


def _about(resolver: Resolver, tables: Iterable[Table]) -> Iterator[Resource]:
    """The resources about a table: what scales and watches it, its keys, and the streams that it sends changes to."""
    targets = [it for it in resources_of(resolver, SCALABLE_TARGET) if _scales_a_table(it)]
    yield from targets
    references = {f"${{{target.address}}}" for target in targets}
    for policy in resources_of(resolver, SCALING_POLICY):
        if _text(policy, _TARGET) in references or _scales_a_table(policy):
            yield policy
    for alarm in resources_of(resolver, ALARM):
        if _text(alarm, "Namespace") == NAMESPACE:
            yield alarm
    related = [*resources_of(resolver, *KEYS), *resources_of(resolver, KINESIS_STREAM)]
    used = set(_addresses(tables)) if related else ()
    yield from (resource for resource in related if resolver.context.full(resource.address) in used)


def _addresses(tables: Iterable[Table]) -> Iterator[str]:
    """The addresses of the keys and Kinesis streams of tables and replicas."""
    for table in tables:
        parts: tuple[Table | Replica, ...] = (table, *(table.replicas.content or ()))
        for part in parts:
            if part.encryption.resource is not None:
                yield part.encryption.resource.address
            yield from (one.address for one in part.destinations if one.address is not None)


def _scales_a_table(resource: Resource) -> bool:
    return any((_text(resource, key) or "").startswith(_SCALED) for key in ("ScalableDimension", "ResourceId"))


def _text(resource: Resource, key: str) -> str | None:
    value = resource.properties.get(key)
    return None if value is None else text_with_references(value)


def _is_free_call(key: str, node: Node, shape: Shape) -> bool:
    """Whether every result of a member's function is right, so that it need not be resolved."""
    content = node.content
    return isinstance(content, dict) and shape.members[key].is_free and key not in shape.asked and is_call(content)


def _is_sound(content: object, shape: Shape) -> bool:
    """Whether what is written is surely right as it stands, in every scenario: most is, and is resolved no further."""
    if isinstance(content, dict):
        if shape.kind != "map":
            return shape.kind == ANY and not is_call(content)
        shapes = shape.members
        for key, inner in content.items():
            part = shapes.get(key)  # no schema has a member that is named like a function
            if part is None:
                return False
            if not (part.takes(inner.content) or _is_free_call(key, inner, shape) or _is_sound(inner.content, part)):
                return False
        return (shape.asked <= content.keys() and not shape.one) or not any(shape.lacking(content.keys()))
    if isinstance(content, (list, tuple)):
        if shape.kind != "list" or (shape.unique and len(content) > 1) or shape.refused_count(len(content)):
            return shape.kind == ANY
        of_item = shape.items
        return of_item is not None and all(_is_sound(item.content, of_item) for item in content)
    return content is not None and shape.refusal(content, "") is None


class _Checker:
    """Compares the nodes of one resource with its shape, in the scenario that the resolver is in."""

    def __init__(self, resolver: Resolver, type_: str | None) -> None:
        self._resolver = resolver
        self._type = type_  # None where members that are newer than the schema are not reported

    def check_map(self, node: Node, members: Mapping[str, Node], shape: Shape) -> None:
        """Check a mapping and all that is in it."""
        shapes = shape.members
        present = set()
        for key, inner in members.items():
            part = shapes.get(key)
            if part is None:
                self._note_new(key, inner)
            elif part.takes(inner.content) or _is_sound(inner.content, part):
                present.add(key)
            elif _is_free_call(key, inner, shape):
                continue
            else:
                value = self._resolver.resolve_member(inner)
                if value is not None:
                    present.add(key)
                    self._check(value, part)
        for message in shape.lacking(present):
            self._refuse(node, message)

    def _check(self, value: Node | Unresolved, shape: Shape) -> None:
        if isinstance(value, Unresolved) or shape.kind == "any":
            return
        content = value.content
        if isinstance(content, dict) and shape.kind == "map":
            self.check_map(value, content, shape)
        elif isinstance(content, (list, tuple)) and shape.kind == "list":
            self._check_list(value, shape)
        elif not is_scalar(value):
            self._refuse(value, shape.wrong_kind(shown(value)))
        elif shape.refusal(content, "") is not None:
            self._refuse(value, shape.refusal(content, shown(value)) or "")

    def _check_list(self, node: Node, shape: Shape) -> None:
        items, of_item = self._resolver.items(node), shape.items
        for item in items:
            if of_item is not None and (not isinstance(item, Node) or item.content is not None):
                self._check(item, of_item)
        known = [item for item in items if isinstance(item, Node)]
        if len(known) < len(items):
            return
        if (message := shape.refused_count(len(known))) is not None:
            self._refuse(node, message)
        if shape.unique and len(known) > 1 and all(map(is_plain, known)):
            texts = {json.dumps(item.plain(), sort_keys=True) for item in known}
            if len(texts) < len(known):
                self._refuse(node, "two items of the list are equal")

    def _note_new(self, key: str, node: Node) -> None:
        if self._type is not None and not key.startswith("Fn::"):
            self._resolver.faults.incomplete(unknown_member(key, self._type), node)

    def _refuse(self, node: Node, message: str) -> None:
        self._resolver.wrong_shape(node, message)
