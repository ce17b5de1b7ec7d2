"""Resources that use roles: they tell who a role serves where its trust policy does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tablegate.access.grants import HolderKind
from tablegate.dialects.cloudformation.access.attachments import Attachments
from tablegate.dialects.cloudformation.access.drafts import Draft
from tablegate.dialects.cloudformation.access.ground import Ground, There
from tablegate.dialects.cloudformation.template import (
    DAX_CLUSTER,
    FUNCTION,
    PIPE,
    POD_IDENTITY,
    POOL_ROLES,
    ROLE,
    STATE_MACHINE,
)
from tablegate.dialects.cloudformation.unsettled import Unsettled
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
