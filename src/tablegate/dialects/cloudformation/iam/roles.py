"""Step a."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from tablegate.dialects.cloudformation.iam.attachments import Attachments
from tablegate.dialects.cloudformation.iam.context import Ground, There
from tablegate.dialects.cloudformation.iam.holders import Draft
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
from tablegate.dialects.cloudformation.values import Unsettled
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
    of_gateway,
    of_resolvers,
    of_states,
)
from tablegate.syntax.node import Node

_RUNTIME = {POD_IDENTITY: "RoleArn", PIPE: "RoleArn", FUNCTION: "Role", STATE_MACHINE: "Role"}
_CACHE = "dax.amazonaws.com"


def learn(ground: Ground, attachments: Attachments) -> None:
    """Tell each role of the template what uses it."""
    for type_, key in _RUNTIME.items():
        for there in ground.resources(type_):
            for draft in _roles(attachments, there.section, key):
                draft.uses.append((HolderKind.RUNTIME, f"used by {there.address}"))
    for there in ground.resources(DAX_CLUSTER):
        for draft in _roles(attachments, there.section, "IAMRoleARN"):
            draft.uses.append((HolderKind.SERVICE, "it is a DAX cluster's"))
            draft.services.add(_CACHE)
    for there in ground.resources(POOL_ROLES):
        for value, anonymous in _served(ground, there):
            role = attachments.holder(value, ROLE)
            if role is not None:
                users = f"{'unauthenticated ' if anonymous else ''}users of {there.address}"
                role.serves.append((HolderKind.END_USER, f"serves {users}"))


def _roles(attachments: Attachments, section: Mapping[str, Node], key: str) -> Iterator[Draft]:
    for value, _ in attachments.ground.items(section, key):
        draft = attachments.holder(value, ROLE)
        if draft is not None:
            yield draft


def _served(ground: Ground, there: There) -> Iterator[tuple[Node | Unsettled, bool]]:
    """The roles of an identity pool, and whether it gives them to users who have not signed in."""
    for roles in ground.sections(there, "Roles"):
        for key in roles.section:
            for value, _ in ground.items(roles.section, key):
                yield value, key == "unauthenticated"
    for mappings in ground.sections(there, "RoleMappings"):
        for key in mappings.section:
            for mapping in ground.sections(mappings, key):
                for rules in ground.sections(mapping, "RulesConfiguration"):
                    for rule in ground.sections(rules, "Rules"):
                        yield from ((value, False) for value, _ in ground.items(rule.section, "RoleARN"))


_TABLE_SOURCE = "AMAZON_DYNAMODB"
_PROGRAMS = ("Code", "RequestMappingTemplate")
_RULE_ACTIONS = ("DynamoDB", "DynamoDBv2")


def learn_integrations(ground: Ground, attachments: Attachments) -> None:
    """Tell each role of the template what its integrations call."""
    for draft, service, calls in _Integrations(ground, attachments).found():
        draft.calls.append((service, calls))


class _Integrations:
    """The integrations of one template."""

    def __init__(self, ground: Ground, attachments: Attachments) -> None:
        self._ground = ground
        self._attachments = attachments

    def found(self) -> Iterator[tuple[Draft, str, Calls]]:
        """Each role that one of them uses, with the service and what it calls."""
        ground = self._ground
        for there in ground.resources(MACHINE):
            yield from self._of(there, "RoleArn", STATES, self._of_machine(there))
        for there in ground.resources(STATE_MACHINE):
            made = ground.drafts.get((HolderForm.ROLE, there.address))
            calls = self._of_machine(there)
            yield from self._of(there, "Role", STATES, calls) if made is None else ((made, STATES, calls),)
        for there in ground.resources(METHOD):
            for integration in ground.sections(there, "Integration"):
                calls = of_gateway(ground.text(integration.section, "Uri"))
                yield from self._of(integration, "Credentials", GATEWAY, calls)
        for there in ground.resources(DATA_SOURCE):
            yield from self._of(there, "ServiceRoleArn", RESOLVERS, self._of_source(there))
        for there in ground.resources(PIPE):
            yield from self._of(there, "RoleArn", PIPES, _of_pipe(ground.text(there.section, "Source")))
        yield from self._of_rules()

    def _of(self, there: There, key: str, service: str, calls: Calls) -> Iterator[tuple[Draft, str, Calls]]:
        for value, _ in self._ground.items(there.section, key):
            draft = self._attachments.holder(value, ROLE)
            if draft is not None:
                yield draft, service, calls

    def _of_machine(self, there: There) -> Calls:
        text = self._ground.text(there.section, "DefinitionString")
        given = {
            key: self._ground.text(part.section, key) or ""
            for part in self._ground.sections(there, "DefinitionSubstitutions")
            for key in part.section
        }
        if text is None:
            return of_states(self._plain(there.section["Definition"]), given) if "Definition" in there.section else None
        try:
            return of_states(json.loads(text), given)
        except (ValueError, RecursionError):
            return None

    def _of_source(self, there: There) -> Calls:
        ground = self._ground
        kind = ground.text(there.section, "Type")
        if kind != _TABLE_SOURCE:
            return NOTHING if kind and kind.isascii() else None
        name = ground.text(there.section, "Name")
        programs = [
            next((text for key in _PROGRAMS if (text := ground.text(one.section, key))), None)
            for one in ground.resources(RESOLVER, RESOLVER_FUNCTION)
            if self._names(one, there.address, name)
        ]
        return of_resolvers(programs)

    def _names(self, one: There, address: str, name: str | None) -> bool:
        """Whether a resolver uses a data source, by reference or by its name."""
        for value, _ in self._ground.items(one.section, "DataSourceName"):
            symbol = self._ground.reference(value)
            if symbol is not None and symbol.name == address:
                return True
        return name is not None and self._ground.text(one.section, "DataSourceName") == name

    def _of_rules(self) -> Iterator[tuple[Draft, str, Calls]]:
        for there in self._ground.resources(TOPIC_RULE):
            for payload in self._ground.sections(there, "TopicRulePayload"):
                for listed in self._ground.sections(payload, "Actions"):
                    for kind in _RULE_ACTIONS:
                        for one in self._ground.sections(listed, kind):
                            yield from self._of(one, "RoleArn", RULES, PUTS)

    def _plain(self, node: Node) -> object:
        """A definition with each value as the text that it comes to."""
        value = self._ground.resolver.head(node)
        if value is None or isinstance(value, Unsettled):
            return None if value is None else self._ground.texts.symbolic(value)
        content = value.content
        if isinstance(content, dict):
            return {key: self._plain(child) for key, child in content.items()}
        return [self._plain(child) for child in content] if isinstance(content, (list, tuple)) else content


def _of_pipe(source: str | None) -> Calls:
    """A pipe reads what it comes from; where that is the stream of a table, its ARN says so."""
    if source is None or not source.startswith("arn:"):
        return None
    return READS_STREAMS if ":dynamodb:" in source else NOTHING
