"""A template into an estate: tables, clusters, documents and constructs, in every scenario."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import TypeVar

from tablegate.dialects.cloudformation.definitions import hold_against_schemas
from tablegate.dialects.cloudformation.global_table import global_table
from tablegate.dialects.cloudformation.parameters import secrets_of
from tablegate.dialects.cloudformation.properties import Resource, resources_of
from tablegate.dialects.cloudformation.related_resources import has_consumers
from tablegate.dialects.cloudformation.resolver import Resolver, StackContext
from tablegate.dialects.cloudformation.table import TableJoins, regional_table, table_of
from tablegate.dialects.cloudformation.template import (
    ALARM,
    BACKUP_SELECTION,
    DAX_CLUSTER,
    LEGACY_REPLICA,
    TABLES,
    ResourceEntry,
    Template,
    may_hold_documents,
)
from tablegate.dialects.cloudformation.values import text_with_references
from tablegate.dialects.reading import Access
from tablegate.findings import Input
from tablegate.model import facts
from tablegate.model.estate import DaxCluster, Estate, LegacyGlobalTable
from tablegate.model.facts import Fact
from tablegate.model.record import record, replace
from tablegate.model.table import GLOBAL_TABLE, Construct, Dialect, Table
from tablegate.model.value import Doubt, Value
from tablegate.syntax.node import Node
from tablegate.syntax.recognise import is_json

T = TypeVar("T")

CONSTRUCT_PATH = "aws:cdk:path"
_RETAINED = Fact[bool]("retention of the table", False)
_RETAINING = ("Retain", "RetainExceptOnCreate")
_SUBJECT = attrgetter("address", "scenario")
_ENCRYPTIONS = frozenset({"NONE", "TLS"})


@record(kw_only=False)
class BuiltEstate:
    """The estate of a template, and its input with counts."""

    estate: Estate
    input: Input


def build_estate(resolver: Resolver, text: str) -> BuiltEstate:
    """Build the estate of a template, in every scenario."""
    template = resolver.template
    joins = TableJoins(resolver)
    tables = _built_tables(resolver, joins)
    spelling = "json" if is_json(text) else "yaml"
    hold_against_schemas(resolver, tables)
    access = _access(resolver, tables, text, spelling)
    estate = Estate(
        file=template.file,
        dialect=Dialect.CLOUDFORMATION,
        spelling=spelling,
        tables=tables,
        neighbours=access.neighbours,
        dax_clusters=tuple(cluster for it in resources_of(resolver, DAX_CLUSTER) for cluster in _clusters(it)),
        legacy_global_tables=tuple(
            legacy for it in resources_of(resolver, LEGACY_REPLICA) for legacy in _legacy(joins, it)
        ),
        manages_alarms=ALARM in template.resources,
        manages_consumers=has_consumers(resolver),
        manages_backups=BACKUP_SELECTION in template.resources,
        holders=access.holders,
        grants=access.grants,
        constructs=constructs_of(resolver),
        secrets=secrets_of(template.parameters, resolver.options) | resolver.secrets,
    )
    return BuiltEstate(estate, _input(template, estate, access))


def _access(resolver: Resolver, tables: tuple[Table, ...], text: str, spelling: str) -> Access:
    if not resolver.keys_of_other_stacks and not may_hold_documents(resolver.template, text):
        return Access()
    # Imported here: a template without documents does not need their readers.
    from tablegate.dialects.cloudformation.iam import access_of

    return access_of(resolver, tables, spelling, _tables_of)


def _tables_of(resolver: Resolver) -> tuple[Table, ...]:
    """The tables of another stack. They are built if they are not built yet."""
    return _built_tables(resolver, TableJoins(resolver)) if resolver.tables is None else resolver.tables


def _built_tables(resolver: Resolver, joins: TableJoins) -> tuple[Table, ...]:
    if resolver.tables is None:
        resources = resources_of(resolver, *TABLES)
        resolver.tables = tuple(table for resource in resources for table in _tables(joins, resource))
    return resolver.tables


def _in_scenarios(resource: Resource, build: Callable[[], T]) -> Iterable[T]:
    """What is built in each scenario in which the resource exists."""

    def build_if_present() -> T | None:
        return None if resource.present is False else build()

    resolver = resource.resolver
    subjects = resolver.scenarios.explore(build_if_present, resolver.conditions.possible)
    return [_seen_from_top(resolver.context, subject) for subject in subjects if subject is not None]


def _seen_from_top(context: StackContext, subject: T) -> T:
    """The subject with its address and scenario as they are from the topmost stack on."""
    changed: dict[str, object] = {"address": context.full(_SUBJECT(subject)[0])} if context.address else {}
    if context.scenario:
        changed["scenario"] = _within(context.scenario, _SUBJECT(subject)[1], context.address)
    return replace(subject, **changed) if changed else subject  # type: ignore[type-var]


def _within(above: Mapping[str, str], own: Mapping[str, str] | None, address: str) -> Mapping[str, str]:
    """Both scenarios. A name that both have gets the inner stack's address."""
    inner = {f"{address}.{name}" if name in above else name: value for name, value in (own or {}).items()}
    return dict(sorted({**above, **inner}.items()))


def _tables(joins: TableJoins, resource: Resource) -> Iterable[Table]:
    read_type = global_table if resource.type == GLOBAL_TABLE else regional_table

    def build() -> Table:
        return table_of(joins, resource, read_type)

    return _in_scenarios(resource, build)


def _clusters(resource: Resource) -> Iterable[DaxCluster]:
    def build() -> DaxCluster:
        section = resource.properties
        encryption = section.section("SSESpecification")
        at_rest = facts.DAX_ENCRYPTED
        return DaxCluster(
            address=resource.address,
            place=resource.place,
            encrypted=at_rest.unset if encryption is None else encryption.flag(at_rest, "SSEEnabled"),
            in_transit=section.text(facts.DAX_IN_TRANSIT, "ClusterEndpointEncryptionType", _ENCRYPTIONS),
            scenario=resource.resolver.conditions.scenario(),
        )

    return _in_scenarios(resource, build)


def _legacy(joins: TableJoins, resource: Resource) -> Iterable[LegacyGlobalTable]:
    def build() -> LegacyGlobalTable:
        name = resource.properties.get("TableName")
        table = joins.tables.address_of((text_with_references(name) if name is not None else None) or "")
        return LegacyGlobalTable(
            address=resource.address,
            place=resource.place,
            custom_resource=True,
            table=None if table is None else resource.resolver.context.full(table),
            table_retained=_retained(resource.resolver, table),
            deletion_policy=resource.body.text(facts.DELETION_POLICY, "DeletionPolicy"),
            scenario=resource.resolver.conditions.scenario(),
        )

    return _in_scenarios(resource, build)


def _retained(resolver: Resolver, table: str | None) -> Value[bool]:
    resource = next((it for it in resources_of(resolver, *TABLES) if it.address == table), None)
    if resource is None:
        return _RETAINED.doubted(Doubt("the table of this replica is not in this template"))
    policy = resource.body.text(facts.DELETION_POLICY, "DeletionPolicy")
    if policy.doubt is not None:
        return _RETAINED.doubted(policy.doubt, policy.place)
    return _RETAINED.of(policy.content in _RETAINING, policy.place)


def _input(template: Template, estate: Estate, access: Access) -> Input:
    tables = {table.address: table for table in reversed(estate.tables)}.values()
    indexes = replicas = 0
    for table in tables:
        indexes += len(table.indexes.content or ()) + len(table.local_indexes.content or ())
        replicas += len(table.replicas.content or ())
    return Input(
        path=template.file,
        kind=Dialect.CLOUDFORMATION,
        resources=len(template.names),
        tables=len(tables),
        not_created=len(template.tables) - len(tables),
        indexes=indexes,
        replicas=replicas,
        documents=access.documents,
        documents_partly=access.partly,
        documents_unread=access.unread,
    )


def constructs_of(resolver: Resolver) -> dict[str, Construct]:
    """The CDK constructs of the resources, by the resources' addresses."""
    is_assembled = resolver.context.constructs is not None
    constructs: dict[str, Construct] = {}
    for entries in resolver.template.resources.values():
        for entry in entries:
            construct = _construct(resolver, entry) if is_assembled or "Metadata" in entry.body else None
            if construct is not None:
                constructs[resolver.context.full(entry.address)] = construct
    return constructs


def _construct(resolver: Resolver, entry: ResourceEntry) -> Construct | None:
    """The construct of a resource; None if the template does not come from the CDK."""
    path = metadata(entry.body, CONSTRUCT_PATH)
    if resolver.context.constructs is not None:
        return resolver.context.constructs(entry.address, path)
    return None if path is None else Construct(path=readable_path(path))


def metadata(body: Mapping[str, Node], key: str) -> str | None:
    """A text in the metadata of a resource."""
    members = body.get("Metadata")
    node = members.content.get(key) if members is not None and isinstance(members.content, dict) else None
    return node.content if isinstance(node, Node) and isinstance(node.content, str) else None


def readable_path(path: str) -> str:
    """The path without the name that every construct ends with."""
    return path.strip("/").removesuffix("/Resource").removesuffix("/Default")
