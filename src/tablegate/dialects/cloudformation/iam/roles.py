"""Step a."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from tablegate.dialects.cloudformation.iam.attachments import Attachments
from tablegate.dialects.cloudformation.iam.context import PresentResource, TemplateContext
from tablegate.dialects.cloudformation.iam.holders import HolderDraft
from tablegate.dialects.cloudformation.template import (
    DATA_SOURCE,
    DAX_CLUSTER,
    FUNCTION,
    MACHINE,
    METHOD,
    PIPE,
    POD_IDENTITY,
    POOL_ROLES,
    RESOLVER,
    RESOLVER_FUNCTION,
    ROLE,
    STATE_MACHINE,
    TOPIC_RULE,
)
from tablegate.dialects.cloudformation.values import Unresolved
from tablegate.iam.grants import HolderForm, HolderKind
from tablegate.iam.roles import (
    GATEWAY,
    NOTHING,
    PIPES,
    PUTS,
    READS_STREAMS,
    RESOLVERS,
    RULES,
    STATES,
    Calls,
    calls_of_gateway,
    calls_of_resolvers,
    calls_of_state_machine,
)
from tablegate.syntax.node import Node

_RUNTIME = {POD_IDENTITY: "RoleArn", PIPE: "RoleArn", FUNCTION: "Role", STATE_MACHINE: "Role"}
_CACHE = "dax.amazonaws.com"


def learn(context: TemplateContext, attachments: Attachments) -> None:
    """Tell each role of the template what uses it."""
    for type_, key in _RUNTIME.items():
        for present in context.resources(type_):
            for holder in _roles(attachments, present.section, key):
                holder.uses.append((HolderKind.RUNTIME, f"used by {present.address}"))
    for present in context.resources(DAX_CLUSTER):
        for holder in _roles(attachments, present.section, "IAMRoleARN"):
            holder.uses.append((HolderKind.SERVICE, "it is a DAX cluster's"))
            holder.services.add(_CACHE)
    for present in context.resources(POOL_ROLES):
        for value, anonymous in _served(context, present):
            role = attachments.holder(value, ROLE)
            if role is not None:
                users = f"{'unauthenticated ' if anonymous else ''}users of {present.address}"
                role.serves.append((HolderKind.END_USER, f"serves {users}"))


def _roles(attachments: Attachments, section: Mapping[str, Node], key: str) -> Iterator[HolderDraft]:
    for value, _ in attachments.context.items(section, key):
        holder = attachments.holder(value, ROLE)
        if holder is not None:
            yield holder


def _served(context: TemplateContext, present: PresentResource) -> Iterator[tuple[Node | Unresolved, bool]]:
    """The roles of an identity pool, and whether it gives them to users who have not signed in."""
    for roles in context.sections(present, "Roles"):
        for key in roles.section:
            for value, _ in context.items(roles.section, key):
                yield value, key == "unauthenticated"
    for mappings in context.sections(present, "RoleMappings"):
        for key in mappings.section:
            for mapping in context.sections(mappings, key):
                for rules in context.sections(mapping, "RulesConfiguration"):
                    for rule in context.sections(rules, "Rules"):
                        yield from ((value, False) for value, _ in context.items(rule.section, "RoleARN"))


_TABLE_SOURCE = "AMAZON_DYNAMODB"
_PROGRAMS = ("Code", "RequestMappingTemplate")
_RULE_ACTIONS = ("DynamoDB", "DynamoDBv2")


def learn_integrations(context: TemplateContext, attachments: Attachments) -> None:
    """Tell each role of the template what its integrations call."""
    for holder, service, calls in _Integrations(context, attachments).found():
        holder.calls.append((service, calls))


class _Integrations:
    """The integrations of one template."""

    def __init__(self, context: TemplateContext, attachments: Attachments) -> None:
        self._context = context
        self._attachments = attachments

    def found(self) -> Iterator[tuple[HolderDraft, str, Calls]]:
        """Each role that one of them uses, with the service and what it calls."""
        context = self._context
        for present in context.resources(MACHINE):
            yield from self._of(present, "RoleArn", STATES, self._of_machine(present))
        for present in context.resources(STATE_MACHINE):
            made = context.holders.get((HolderForm.ROLE, present.address))
            calls = self._of_machine(present)
            yield from self._of(present, "Role", STATES, calls) if made is None else ((made, STATES, calls),)
        for present in context.resources(METHOD):
            for integration in context.sections(present, "Integration"):
                calls = calls_of_gateway(context.text(integration.section, "Uri"))
                yield from self._of(integration, "Credentials", GATEWAY, calls)
        for present in context.resources(DATA_SOURCE):
            yield from self._of(present, "ServiceRoleArn", RESOLVERS, self._of_source(present))
        for present in context.resources(PIPE):
            yield from self._of(present, "RoleArn", PIPES, _of_pipe(context.text(present.section, "Source")))
        yield from self._of_rules()

    def _of(
        self, present: PresentResource, key: str, service: str, calls: Calls
    ) -> Iterator[tuple[HolderDraft, str, Calls]]:
        for value, _ in self._context.items(present.section, key):
            holder = self._attachments.holder(value, ROLE)
            if holder is not None:
                yield holder, service, calls

    def _of_machine(self, present: PresentResource) -> Calls:
        text = self._context.text(present.section, "DefinitionString")
        given = {
            key: self._context.text(part.section, key) or ""
            for part in self._context.sections(present, "DefinitionSubstitutions")
            for key in part.section
        }
        if text is None:
            return (
                calls_of_state_machine(self._plain(present.section["Definition"]), given)
                if "Definition" in present.section
                else None
            )
        try:
            return calls_of_state_machine(json.loads(text), given)
        except (ValueError, RecursionError):
            return None

    def _of_source(self, present: PresentResource) -> Calls:
        context = self._context
        kind = context.text(present.section, "Type")
        if kind != _TABLE_SOURCE:
            return NOTHING if kind and kind.isascii() else None
        name = context.text(present.section, "Name")
        programs = [
            next((text for key in _PROGRAMS if (text := context.text(one.section, key))), None)
            for one in context.resources(RESOLVER, RESOLVER_FUNCTION)
            if self._names(one, present.address, name)
        ]
        return calls_of_resolvers(programs)

    def _names(self, one: PresentResource, address: str, name: str | None) -> bool:
        """Whether a resolver uses a data source, by reference or by its name."""
        for value, _ in self._context.items(one.section, "DataSourceName"):
            symbol = self._context.reference(value)
            if symbol is not None and symbol.name == address:
                return True
        return name is not None and self._context.text(one.section, "DataSourceName") == name

    def _of_rules(self) -> Iterator[tuple[HolderDraft, str, Calls]]:
        for present in self._context.resources(TOPIC_RULE):
            for payload in self._context.sections(present, "TopicRulePayload"):
                for listed in self._context.sections(payload, "Actions"):
                    for kind in _RULE_ACTIONS:
                        for one in self._context.sections(listed, kind):
                            yield from self._of(one, "RoleArn", RULES, PUTS)

    def _plain(self, node: Node) -> object:
        """A definition with each value as the text that it comes to."""
        value = self._context.resolver.head(node)
        if value is None or isinstance(value, Unresolved):
            return None if value is None else self._context.texts.symbolic(value)
        content = value.content
        if isinstance(content, dict):
            return {key: self._plain(child) for key, child in content.items()}
        return [self._plain(child) for child in content] if isinstance(content, (list, tuple)) else content


def _of_pipe(source: str | None) -> Calls:
    """A pipe reads what it comes from; where that is the stream of a table, its ARN says so."""
    if source is None or not source.startswith("arn:"):
        return None
    return READS_STREAMS if ":dynamodb:" in source else NOTHING
