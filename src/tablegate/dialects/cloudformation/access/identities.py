"""Roles, users and groups, with the policies that are written into them."""

from __future__ import annotations

from collections.abc import Mapping

from tablegate.access.grants import DocumentRole, HolderForm, HolderKind
from tablegate.access.trust import UNTOLD, trust_of
from tablegate.dialects.cloudformation.access.drafts import Draft
from tablegate.dialects.cloudformation.access.ground import Ground, There
from tablegate.dialects.cloudformation.template import GROUP, ROLE, USER
from tablegate.dialects.cloudformation.unsettled import Unsettled
from tablegate.syntax.node import Node

FORMS = {ROLE: HolderForm.ROLE, USER: HolderForm.USER, GROUP: HolderForm.GROUP}
NAMES = {ROLE: "RoleName", USER: "UserName", GROUP: "GroupName"}
_PEOPLE = {USER: "an IAM user", GROUP: "an IAM group"}


def gather(ground: Ground) -> None:
    """Begin a holder for each of them."""
    for there in ground.resources(ROLE, USER, GROUP):
        kind = there.resource.type
        why = _PEOPLE.get(kind, UNTOLD.why)
        known = HolderKind.HUMAN if kind in _PEOPLE else HolderKind.UNKNOWN
        draft = ground.draft(FORMS[kind], there.resource, known, why)
        draft.name = (
            ground.symbols.shown(ground.texts.identity(there.address)) if NAMES[kind] in there.section else None
        )
        if kind == ROLE:
            trust(ground, draft, there.section.get("AssumeRolePolicyDocument"))
        inline(ground, draft, there)


def trust(ground: Ground, draft: Draft, node: Node | None) -> None:
    """Learn from a trust policy who uses a role."""
    if node is None:
        return
    found = [trust_of(piece.document, ground.resolver.options.account) for piece in ground.documents.uncounted(node)]
    draft.evidence[:] = [(each.kind, each.why) for each in found] or draft.evidence
    for each in found:
        draft.services |= each.services


def inline(ground: Ground, draft: Draft, there: There) -> None:
    """The documents that are written into an identity. Labels tell them apart where there are several."""
    entries = list(ground.items(there.section, "Policies"))
    for number, (value, sure) in enumerate(entries):
        if isinstance(value, Unsettled):
            node = there.section["Policies"]
            piece = ground.documents.unknown(value.doubt, node, mentions=ground.documents.mentions(node))
            draft.add(piece, there.address, DocumentRole.IDENTITY, ground.spelling)
        elif isinstance(value.content, dict):
            name = _name(ground, value.content) or str(number)
            within = name if len(entries) > 1 else None
            document(ground, draft, There(there.resource, value.content, sure and there.sure), within)
        else:
            ground.resolver.misfit(value, "a policy is a mapping with a PolicyDocument")


def document(ground: Ground, draft: Draft, there: There, within: str | None = None) -> None:
    """The ``PolicyDocument`` of a section, in the hands of a holder."""
    node = there.section.get("PolicyDocument")
    if node is None:
        ground.resolver.misfit(there.resource.node, "PolicyDocument is needed")
        return
    for piece in ground.documents.read(node, sure=there.sure, within=within):
        draft.add(piece, there.address, DocumentRole.IDENTITY, ground.spelling)


def _name(ground: Ground, section: Mapping[str, Node]) -> str | None:
    node = section.get("PolicyName")
    values = ground.trees.values(node) if node is not None else []
    text = ground.texts.symbolic(values[0]) if values and values[0] is not None else None
    return ground.symbols.shown(text) if text else None
