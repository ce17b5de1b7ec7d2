"""Who uses the roles of a template, and what for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from tablegate.dialects.cloudformation.iam.attachments import Attachments
from tablegate.dialects.cloudformation.iam.context import PresentResource
from tablegate.dialects.cloudformation.template import (
    POOL_ROLES,
    RESOLVER,
    RESOLVER_FUNCTION,
    ROLE,
    STATE_MACHINE,
    USERS_OF_ROLES,
)
from tablegate.dialects.cloudformation.values import Unresolved
from tablegate.dialects.holders import HolderDraft
from tablegate.dialects.resource import CLOUDFORMATION
from tablegate.iam.grants import HolderForm
from tablegate.syntax.node import Node

_PROGRAMS = ("Code", "RequestMappingTemplate")


class TemplateRoles:
    """The roles of one template, as its resources name them."""

    column = CLOUDFORMATION

    def __init__(self, attachments: Attachments) -> None:
        self._context = attachments.context
        self._attachments = attachments

    def resources(self, type_: str) -> Iterator[PresentResource]:
        """The resources of a type that can be read. Those that only use a role matter beside one alone."""
        if type_ in USERS_OF_ROLES and ROLE not in self._context.resolver.template.resources:
            return iter(())
        return self._context.resources(type_)

    def address_of(self, resource: PresentResource) -> str:
        """Its logical id."""
        return resource.address

    def roles(self, resource: PresentResource, path: str) -> Iterator[HolderDraft]:
        """The roles of this template that a property names; of a state machine, also the one that SAM makes for it."""
        own = self._context.assembly.at(HolderForm.ROLE, resource.address)
        if own is not None and resource.type == STATE_MACHINE:
            yield own
            return
        for inner, key in self._at(resource, path):
            for value, _ in self._context.items(inner.section, key):
                role = self._attachments.holder(value, ROLE)
                if role is not None:
                    yield role

    def text(self, resource: PresentResource, path: str) -> str | None:
        """The one text of a property, with symbols; None if it has several."""
        texts = {self._context.text(inner.section, key) for inner, key in self._at(resource, path)}
        return texts.pop() if len(texts) == 1 else None

    def names_stream(self, resource: PresentResource, path: str) -> bool | None:
        """Whether a property names the stream of a table, by its ARN or by reference."""
        source = self.text(resource, path)
        return ":dynamodb:" in source if source is not None and source.startswith("arn:") else None

    def definition(self, machine: PresentResource) -> tuple[object, Mapping[str, str]]:
        """The definition of a state machine, and the texts that replace its placeholders."""
        text = self._context.text(machine.section, "DefinitionString")
        substitutions = {
            key: self._context.text(part.section, key) or ""
            for part in self._context.sections(machine, "DefinitionSubstitutions")
            for key in part.section
        }
        if text is None:
            node = machine.section.get("Definition")
            return None if node is None else self._plain(node), substitutions
        try:
            return json.loads(text), substitutions
        except (ValueError, RecursionError):
            return None, substitutions

    def programs(self, source: PresentResource) -> Iterator[str | None]:
        """The code and templates of the resolvers that use a data source."""
        name = self._context.text(source.section, "Name")
        for resolver in self._context.resources(RESOLVER, RESOLVER_FUNCTION):
            if self._names(resolver, source.address, name):
                texts = (self._context.text(resolver.section, key) for key in _PROGRAMS)
                yield next(filter(None, texts), None)

    def pool_roles(self) -> Iterator[tuple[HolderDraft, str, bool]]:
        """Roles of identity pools, and whether users hold them without having signed in."""
        for pool in self._context.resources(POOL_ROLES):
            for value, anonymous in self._of_pool(pool):
                role = self._attachments.holder(value, ROLE)
                if role is not None:
                    yield role, pool.address, anonymous

    def _of_pool(self, pool: PresentResource) -> Iterator[tuple[Node | Unresolved, bool]]:
        for roles, key in self._members(pool, "Roles"):
            yield from ((value, key == "unauthenticated") for value, _ in self._context.items(roles.section, key))
        for mappings, key in self._members(pool, "RoleMappings"):
            for mapping in self._context.sections(mappings, key):
                for rule, role in self._at(mapping, "RulesConfiguration.Rules.RoleARN"):
                    yield from ((value, False) for value, _ in self._context.items(rule.section, role))

    def _members(self, resource: PresentResource, key: str) -> Iterator[tuple[PresentResource, str]]:
        """Each key of a property that is a mapping."""
        for inner in self._context.sections(resource, key):
            yield from ((inner, member) for member in inner.section)

    def _at(self, resource: PresentResource, path: str) -> Iterator[tuple[PresentResource, str]]:
        """The mappings that a path leads to, each with the last key."""
        first, _, rest = path.partition(".")
        if not rest:
            yield resource, first
            return
        for inner in self._context.sections(resource, first):
            yield from self._at(inner, rest)

    def _names(self, resolver: PresentResource, address: str, name: str | None) -> bool:
        """Whether a resolver uses a data source, by reference or by its name."""
        for value, _ in self._context.items(resolver.section, "DataSourceName"):
            symbol = self._context.reference(value)
            if symbol is not None and symbol.name == address:
                return True
        return name is not None and self._context.text(resolver.section, "DataSourceName") == name

    def _plain(self, node: Node) -> object:
        """A definition with each value as the text that it comes to."""
        value = self._context.resolver.resolve(node)
        if value is None or isinstance(value, Unresolved):
            return None if value is None else self._context.texts.symbolic(value)
        content = value.content
        if isinstance(content, dict):
            return {key: self._plain(child) for key, child in content.items()}
        return [self._plain(child) for child in content] if isinstance(content, (list, tuple)) else content
