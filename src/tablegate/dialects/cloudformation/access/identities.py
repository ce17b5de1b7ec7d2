"""Roles, users, groups and permission sets, with the policies that are written into them."""

from __future__ import annotations

from tablegate.access.grants import HolderForm, HolderKind
from tablegate.access.integrations import NOTHING, declared_services
from tablegate.access.trust import UNTOLD, trust_of
from tablegate.dialects.cloudformation.access.drafts import Draft
from tablegate.dialects.cloudformation.access.ground import Ground, There
from tablegate.dialects.cloudformation.template import GROUP, PERMISSION_SET, ROLE, USER
from tablegate.dialects.cloudformation.unsettled import Unsettled
from tablegate.syntax.node import Node

FORMS = {
    ROLE: HolderForm.ROLE,
    USER: HolderForm.USER,
    GROUP: HolderForm.GROUP,
    PERMISSION_SET: HolderForm.PERMISSION_SET,
}
_NAMES = {ROLE: "RoleName", USER: "UserName", GROUP: "GroupName", PERMISSION_SET: "Name"}


REPLICATING = (HolderKind.DEPLOY, "the CDK makes replicas by it")
_REPLICA_PROVIDER = "awscdkawsdynamodbReplicaProvider"


def begin(ground: Ground) -> None:
    """Begin a holder for each of them."""
    for there in ground.resources(ROLE, USER, GROUP, PERMISSION_SET):
        kind = there.resource.type
        draft = ground.draft(FORMS[kind], there.resource, *people(FORMS[kind]))
        name = ground.text(there.section, _NAMES[kind])
        draft.name = ground.symbols.shown(name) if name else None
        if kind == ROLE:
            trust(ground, draft, there.section.get("AssumeRolePolicyDocument"))
        if kind == PERMISSION_SET:
            _inline_policy(ground, draft, there)
        else:
            _inline(ground, draft, there)


def people(form: HolderForm) -> tuple[HolderKind, str]:
    """Who uses holders of a form, before anything else is known of one."""
    match form:
        case HolderForm.ROLE:
            return HolderKind.UNKNOWN, UNTOLD.why
        case HolderForm.PERMISSION_SET:
            return HolderKind.HUMAN, "a permission set is people's"
    return HolderKind.HUMAN, f"it is an IAM {form}"


def trust(ground: Ground, draft: Draft, node: Node | None) -> None:
    """Learn from a trust policy who uses a role."""
    pieces = ground.documents.uncounted(node) if node is not None else []
    declared = [declared_services(piece.document) for piece in pieces]
    draft.declared = NOTHING.union(*declared) if all(declared) else NOTHING
    account = ground.resolver.options.account
    found = [trust_of(piece.document, account) for piece in pieces if piece.document.statements]
    if found:
        draft.trusted = [(each.kind, each.why) for each in found]
        draft.services = {service for each in found for service in each.services}
    if made_for_replicas(ground.resolver.around.address) and not ground.tables:
        draft.trusted = [REPLICATING]


def made_for_replicas(address: str) -> bool:
    """Whether this is the nested stack by which the CDK made replicas, or what references it."""
    return address.rpartition("/")[2].startswith(_REPLICA_PROVIDER)


def document(ground: Ground, draft: Draft, there: There, within: str | None = None) -> None:
    """The ``PolicyDocument`` of a section, in the hands of a holder."""
    node = there.section.get("PolicyDocument")
    if node is None:
        ground.resolver.misfit(there.resource.node, "a policy needs a PolicyDocument")
        return
    for piece in ground.documents.read(node, sure=there.sure, within=within):
        ground.hand(draft, piece, there.address)


def _inline(ground: Ground, draft: Draft, there: There) -> None:
    """The documents that are written into an identity: their names tell their statements apart."""
    for number, (value, sure) in enumerate(ground.items(there.section, "Policies")):
        if isinstance(value, Unsettled):
            node = there.section["Policies"]
            piece = ground.documents.unknown(value.doubt, node, mentions=ground.documents.mentions(node))
            ground.hand(draft, piece, there.address)
        elif isinstance(value.content, dict):
            name = ground.text(value.content, "PolicyName")
            within = ground.symbols.shown(name) if name else str(number)
            document(ground, draft, There(there.resource, value.content, sure and there.sure), within)
        else:
            ground.resolver.misfit(value, "a policy is a mapping with a PolicyDocument")


def _inline_policy(ground: Ground, draft: Draft, there: There) -> None:
    node = there.section.get("InlinePolicy")
    if node is None or node.content == "":
        return
    for piece in ground.documents.read(node, sure=there.sure):
        ground.hand(draft, piece, there.address)
