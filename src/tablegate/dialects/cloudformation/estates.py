"""A template's text into an estate: every table in every scenario, and what could not be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from tablegate.dialects.cloudformation.access import Access, speaks_of_access
from tablegate.dialects.cloudformation.faults import Faults
from tablegate.dialects.cloudformation.fields import exists, flag, member, properties, subsection, word
from tablegate.dialects.cloudformation.global_tables import global_table
from tablegate.dialects.cloudformation.joins import Joins
from tablegate.dialects.cloudformation.loops import LOOP, Loops
from tablegate.dialects.cloudformation.regional import regional_table
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.symbols import secrets_of
from tablegate.dialects.cloudformation.tables import table_of
from tablegate.dialects.cloudformation.template import (
    ALARM,
    BACKUP_SELECTION,
    DAX_CLUSTER,
    GLOBAL_TABLE,
    LANGUAGE_EXTENSIONS,
    LEGACY_REPLICA,
    TABLES,
    Resource,
    Template,
    bare_template,
    is_read,
    template_of,
    transforms_of,
)
from tablegate.dialects.cloudformation.unsettled import text_with_holes
from tablegate.dialects.cloudformation.watchers import has_consumers
from tablegate.dialects.reading import Reading, ReadOptions
from tablegate.findings import Input
from tablegate.model import facts
from tablegate.model.estate import DaxCluster, Estate, LegacyGlobalTable
from tablegate.model.facts import Fact
from tablegate.model.table import Dialect, Table
from tablegate.model.value import Doubt, Value
from tablegate.syntax.collector import collector_paused
from tablegate.syntax.node import Node

T = TypeVar("T")

_RETAINED = Fact[bool]("retention of the table", False)
_CONNECTORS = "Connectors:"
_KEPT = ("Retain", "RetainExceptOnCreate")
_ENCRYPTIONS = frozenset({"NONE", "TLS"})


def read(text: str, name: str, options: ReadOptions) -> Reading:
    """A template, read. Raises ParseError where it is neither JSON nor YAML."""
    with collector_paused():
        return _read(_parsed(text), text, name, options)


def _read(root: Node, text: str, name: str, options: ReadOptions) -> Reading:
    faults = Faults(name, root)
    content = root.content if isinstance(root.content, dict) else {}
    if not isinstance(root.content, dict):
        faults.unreadable(root, "a template must be a mapping")
    sections, loops = _unrolled(name, content, options, faults) if LOOP in text else (content, {})
    template = template_of(name, sections, faults) if content else None
    if template is None:
        return Reading(input=Input(path=name, kind=Dialect.CLOUDFORMATION), estate=None, faults=faults.all())
    estate, access = _estate(Resolver(template, options, faults, loops), text)
    return Reading(input=_input(template, estate, access), estate=estate, faults=faults.all())


def _parsed(text: str) -> Node:
    # Imported here: a template pays for the one reader that it needs.
    if _is_json(text):
        from tablegate.syntax.json_ import parse_json

        return parse_json(text)
    from tablegate.syntax.yaml_ import parse_yaml

    # a connector stands in a resource of any type
    return parse_yaml(text, None if _CONNECTORS in text else is_read)


def _is_json(text: str) -> bool:
    return text.lstrip("\ufeff \t\r\n").startswith("{")


def _unrolled(
    file: str, root: Mapping[str, Node], options: ReadOptions, faults: Faults
) -> tuple[Mapping[str, Node], Mapping[str, Doubt]]:
    """The template's sections without loops, where it asks for that."""
    if LANGUAGE_EXTENSIONS not in transforms_of(root):
        return root, {}
    resolver = Resolver(bare_template(file, root, faults), options, faults, {})
    loops = Loops(resolver, faults)
    return {key: loops.unrolled(node) for key, node in root.items()}, loops.open


def _estate(resolver: Resolver, text: str) -> tuple[Estate, Access]:
    template = resolver.template
    joins = Joins(resolver)
    tables = tuple(table for resource in template.of(*TABLES) for table in _tables(resolver, joins, resource))
    access = _access(resolver, tables, text)
    estate = Estate(
        file=template.file,
        dialect=Dialect.CLOUDFORMATION,
        tables=tables,
        dax_clusters=tuple(found for it in template.of(DAX_CLUSTER) for found in _clusters(resolver, it)),
        legacy_global_tables=tuple(
            found for it in template.of(LEGACY_REPLICA) for found in _legacy(resolver, joins, it)
        ),
        manages_alarms=ALARM in template.resources,
        manages_consumers=has_consumers(resolver),
        manages_backups=BACKUP_SELECTION in template.resources,
        holders=access.holders,
        grants=access.grants,
        secrets=secrets_of(template.parameters, resolver.options),
    )
    return estate, access


def _access(resolver: Resolver, tables: tuple[Table, ...], text: str) -> Access:
    if not speaks_of_access(resolver.template, text):
        return Access()
    # Imported here: a template without documents pays for no reader of them.
    from tablegate.dialects.cloudformation.access.estate import access_of

    return access_of(resolver, tables, "json" if _is_json(text) else "yaml")


def _in_scenarios(resolver: Resolver, resource: Resource, build: Callable[[], T]) -> Iterable[T]:
    """What is built in each scenario in which the resource is there."""

    def there() -> T | None:
        return None if exists(resolver, resource) is False else build()

    found = resolver.choices.explore(there, resolver.conditions.possible)
    return [built for built in found if built is not None]


def _tables(resolver: Resolver, joins: Joins, resource: Resource) -> Iterable[Table]:
    spell = global_table if resource.type == GLOBAL_TABLE else regional_table

    def build() -> Table:
        return table_of(resolver, joins, resource, spell(resolver, joins, resource))

    return _in_scenarios(resolver, resource, build)


def _clusters(resolver: Resolver, resource: Resource) -> Iterable[DaxCluster]:
    def build() -> DaxCluster:
        section = properties(resolver, resource)
        encryption = subsection(resolver, section, "SSESpecification")
        at_rest = facts.DAX_ENCRYPTED
        return DaxCluster(
            address=resource.address,
            place=resolver.place(resource.node),
            encrypted=at_rest.unset if encryption is None else flag(resolver, at_rest, encryption, "SSEEnabled"),
            in_transit=word(resolver, facts.DAX_IN_TRANSIT, section, "ClusterEndpointEncryptionType", _ENCRYPTIONS),
            scenario=resolver.conditions.scenario(),
        )

    return _in_scenarios(resolver, resource, build)


def _legacy(resolver: Resolver, joins: Joins, resource: Resource) -> Iterable[LegacyGlobalTable]:
    def build() -> LegacyGlobalTable:
        name = member(resolver, properties(resolver, resource), "TableName")
        table = joins.tables.called((text_with_holes(name) if name is not None else None) or "")
        return LegacyGlobalTable(
            address=resource.address,
            place=resolver.place(resource.node),
            custom_resource=True,
            table=table,
            table_retained=_retained(resolver, table),
            deletion_policy=word(resolver, facts.DELETION_POLICY, resource.body, "DeletionPolicy"),
            scenario=resolver.conditions.scenario(),
        )

    return _in_scenarios(resolver, resource, build)


def _retained(resolver: Resolver, table: str | None) -> Value[bool]:
    found = next((it for it in resolver.template.of(*TABLES) if it.address == table), None)
    if found is None:
        return _RETAINED.doubted(Doubt("the table that is extended is not in this template"))
    kept = word(resolver, facts.DELETION_POLICY, found.body, "DeletionPolicy")
    if kept.doubt is not None:
        return _RETAINED.doubted(kept.doubt, kept.place)
    return _RETAINED.of(kept.content in _KEPT, kept.place)


def _input(template: Template, estate: Estate, access: Access) -> Input:
    tables = {table.address: table for table in reversed(estate.tables)}.values()
    return Input(
        path=template.file,
        kind=Dialect.CLOUDFORMATION,
        resources=len(template.names),
        tables=len(tables),
        indexes=sum(len(part.content or ()) for table in tables for part in (table.indexes, table.local_indexes)),
        replicas=sum(len(table.replicas.content or ()) for table in tables),
        documents=access.documents,
        documents_partly=access.documents_partly,
        documents_unread=access.documents_unread,
    )
