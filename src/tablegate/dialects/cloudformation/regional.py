"""``AWS::DynamoDB::Table``, and SAM's SimpleTable spelled as one."""

from __future__ import annotations

from collections.abc import Mapping

from tablegate.dialects.cloudformation.encryption import encryption
from tablegate.dialects.cloudformation.fields import properties, subsection
from tablegate.dialects.cloudformation.joins import Joins
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.schema import Paid, capacity, ceiling, index, indexes, insights, warmth
from tablegate.dialects.cloudformation.settings import own_stream
from tablegate.dialects.cloudformation.tables import Spelled
from tablegate.dialects.cloudformation.template import Resource
from tablegate.dialects.cloudformation.unsettled import Section, Unsettled
from tablegate.model import facts
from tablegate.model.table import SIMPLE_TABLE, Index
from tablegate.model.value import Value
from tablegate.syntax.node import Node

_APART = frozenset(
    {"ProvisionedThroughput", "OnDemandThroughput", "WarmThroughput", "ContributorInsightsSpecification"}
)
_ALIKE = Paid()
_PASSED_ON = (
    "ProvisionedThroughput",
    "SSESpecification",
    "PointInTimeRecoverySpecification",
    "TableName",
    "Tags",
)
_TYPES = {"String": "S", "Number": "N", "Binary": "B"}


def regional_table(resolver: Resolver, joins: Joins, resource: Resource) -> Spelled:
    """The table's own spelling."""
    section = resolver.choices.once("properties", properties, resolver, resource)
    if resource.type == SIMPLE_TABLE and not isinstance(section, Unsettled):
        section = resolver.choices.once("expanded", _expanded, resolver, resource, section)
    made = resolver.made
    return Spelled(
        shared=section,
        own=section,
        region=joins.region,
        capacity=made(section, "ProvisionedThroughput", facts.NO_CAPACITY, capacity),
        on_demand=made(section, "OnDemandThroughput", facts.NO_CEILING, ceiling),
        encryption=made(section, "SSESpecification", facts.AWS_OWNED, encryption),
        stream=made(section, "StreamSpecification", facts.NO_STREAM, own_stream),
        indexes=made(section, "GlobalSecondaryIndexes", facts.INDEXES.unset, _indexes),
        scaling=(),
        replicas=facts.REPLICAS.unset,
        consistency=facts.CONSISTENCY.unset,
        witness_region=facts.WITNESS_REGION.unset,
        source_table=facts.SOURCE_TABLE.unset,
        settings_replication=facts.SETTINGS_REPLICATION.unset,
    )


def _indexes(resolver: Resolver, section: Section) -> Value[tuple[Index, ...]]:
    def make(node: Node, inner: Section) -> Index:
        return index(resolver, node, inner, _paid(resolver, inner))

    return indexes(resolver, section, make)


def _paid(resolver: Resolver, section: Section) -> Paid:
    if not isinstance(section, Unsettled) and _APART.isdisjoint(section):
        return _ALIKE
    return Paid(
        capacity(resolver, section), ceiling(resolver, section), warmth(resolver, section), insights(resolver, section)
    )


def _expanded(resolver: Resolver, resource: Resource, section: Mapping[str, Node]) -> Mapping[str, Node]:
    """A SimpleTable as the Table that SAM makes of it."""
    expanded = {key: section[key] for key in _PASSED_ON if key in section}
    shared = subsection(resolver, resolver.template.globals, "SimpleTable")
    if isinstance(shared, Mapping) and "SSESpecification" in shared:
        expanded["SSESpecification"] = _merged(shared["SSESpecification"], section.get("SSESpecification"))
    if "ProvisionedThroughput" not in section:
        expanded["BillingMode"] = _at(resource.node, "PAY_PER_REQUEST")
    expanded.update(_primary_key(resource.node, section.get("PrimaryKey")))
    return expanded


def _merged(shared: Node, own: Node | None) -> Node:
    """What all SimpleTables say, and what this one says over it."""
    if own is None or not isinstance(own.content, dict) or not isinstance(shared.content, dict):
        return own or shared
    return Node({**shared.content, **own.content}, own.line, own.column, own.end_column)


def _primary_key(at: Node, given: Node | None) -> dict[str, Node]:
    """The key schema and the attribute it needs; the default is ``id``, a String."""
    content = given.content if given is not None and isinstance(given.content, dict) else {}
    where = given or at
    name = content.get("Name") or _at(where, "id")
    type_ = content.get("Type") or _at(where, "String")
    letter = _at(type_, _TYPES[type_.content]) if type_.content in ("String", "Number", "Binary") else type_
    key = _at(where, {"AttributeName": name, "KeyType": _at(where, "HASH")})
    attribute = _at(where, {"AttributeName": name, "AttributeType": letter})
    return {"KeySchema": _at(where, [key]), "AttributeDefinitions": _at(where, [attribute])}


def _at(node: Node, content: str | list[Node] | dict[str, Node]) -> Node:
    return Node(content, node.line, node.column, node.end_column)
