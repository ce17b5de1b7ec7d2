"""Everything about access that goes into the estate: holders with their grants, and how much of it was read."""

from __future__ import annotations

from collections.abc import Iterator

from tablegate.dialects.reading import Access
from tablegate.dialects.terraform.iam.attachments import Attachments, HolderIndex
from tablegate.dialects.terraform.iam.context import PlanContext, PolicyTexts
from tablegate.dialects.terraform.iam.documents import DocumentReader, HeldDocument
from tablegate.dialects.terraform.iam.holders import HolderBuilder
from tablegate.dialects.terraform.iam.managed_policies import ManagedPolicies
from tablegate.dialects.terraform.iam.own_policies import OwnPolicies
from tablegate.dialects.terraform.iam.roles import RoleUsers
from tablegate.iam.grants import DocumentRole, HolderForm, role_by_name

_IDENTITIES = (HolderForm.ROLE, HolderForm.USER, HolderForm.GROUP, HolderForm.PERMISSION_SET)
_CEILINGS = (
    ("aws_organizations_policy", "content"),
    ("aws_eks_pod_identity_association", "policy"),
    ("aws_transfer_user", "policy"),
    ("aws_transfer_access", "policy"),
)
_LIMITS = frozenset({"SERVICE_CONTROL_POLICY", "RESOURCE_CONTROL_POLICY", None})


def read_access(context: PlanContext) -> Access:
    """What the plan says of access."""
    texts = PolicyTexts(context.symbols, context.world.faults)
    reader = DocumentReader(context, texts)
    policies = ManagedPolicies(context, reader, texts)
    indexes = {form: HolderIndex(context, form) for form in _IDENTITIES}
    attachments = Attachments(context, reader, policies, indexes)
    attachments.gather()
    users = RoleUsers(context, reader, texts, indexes[HolderForm.ROLE])
    builder = HolderBuilder(context)
    holders = [builder.identity(one, users) for form in _IDENTITIES for one in indexes[form].all]
    holders += [builder.policy_owner(one) for one in OwnPolicies(context, reader).all()]
    holders += [builder.unattached(held, role) for held, role in _unheld(context, reader, policies, attachments)]
    holders.sort(key=lambda one: (one.address, one.form))
    grants = sorted(
        (grant for one in holders for grant in one.grants if not builder.is_copy(grant)),
        key=lambda grant: (grant.address, grant.statement.index, grant.label, grant.holder.address),
    )
    counted = reader.counted
    return Access(
        tuple(holders),
        tuple(grants),
        len(counted),
        sum(held.is_partial for held in counted),
        sum(held.is_unread for held in counted),
        reader.secrets,
    )


def _unheld(
    context: PlanContext, reader: DocumentReader, policies: ManagedPolicies, attachments: Attachments
) -> Iterator[tuple[HeldDocument, DocumentRole]]:
    """Documents that nobody holds: policies that are attached to nobody, and limits on accounts and sessions."""
    for policy in policies.own:
        held = reader.of(policy, "policy")
        if held is not None and policy.address not in attachments.attached:
            yield held, role_by_name(policy.address, policy.known_text("name"))
    for type_, key in _CEILINGS:
        for one in context.world.of(type_):
            if type_ != "aws_organizations_policy" or one.known_text("type") in _LIMITS:
                held = reader.of(one, key, optional=True)
                if held is not None:
                    yield held, DocumentRole.CEILING
