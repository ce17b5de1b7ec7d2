"""The holders and grants of a plan, or of source in the shape of one."""

from __future__ import annotations

from tablegate.dialects.holders import HolderAssembly
from tablegate.dialects.reading import Access
from tablegate.dialects.terraform.iam.attachments import TYPES, Attachments, HolderIndex
from tablegate.dialects.terraform.iam.context import PlanContext, PolicyTexts
from tablegate.dialects.terraform.iam.documents import DocumentReader
from tablegate.dialects.terraform.iam.managed_policies import ManagedPolicies
from tablegate.dialects.terraform.iam.own_policies import OwnPolicies
from tablegate.dialects.terraform.iam.roles import PlanRoles, add_trusts
from tablegate.iam.grants import DocumentRole, HolderForm
from tablegate.model.record import replace

_CEILINGS = (
    ("aws_organizations_policy", "content"),
    ("aws_eks_pod_identity_association", "policy"),
    ("aws_transfer_user", "policy"),
    ("aws_transfer_access", "policy"),
)
_LIMITS = frozenset({"SERVICE_CONTROL_POLICY", "RESOURCE_CONTROL_POLICY", None})


def read_access(context: PlanContext) -> Access:
    """Read them, with the number of documents and the secrets in them."""
    texts = PolicyTexts(context.symbols, context.snapshot.faults)
    reader = DocumentReader(context, texts)
    policies = ManagedPolicies(context, reader, texts)
    assembly = HolderAssembly(context.symbols, has_tables=bool(context.tables))
    indexes = {form: HolderIndex(context, assembly, form) for form in TYPES}
    Attachments(context, reader, policies, assembly, indexes).gather()
    roles = indexes[HolderForm.ROLE]
    add_trusts(context, assembly, roles, reader, texts)
    OwnPolicies(context, reader, assembly).gather()
    for policy, name in policies.own():
        assembly.policy(policy, replace(policy.place, path=None), name)
    _add_limits(context, reader, assembly)
    holders, grants = assembly.build(PlanRoles(context.snapshot, roles))
    every, partly, unread = reader.counts
    return Access(holders, grants, every + assembly.missing, partly, unread + assembly.missing, reader.secrets)


def _add_limits(context: PlanContext, reader: DocumentReader, assembly: HolderAssembly) -> None:
    """Limits on accounts and sessions: nobody in the plan holds them."""
    for type_, key in _CEILINGS:
        for resource in context.snapshot.of(type_):
            if type_ != "aws_organizations_policy" or resource.known_text("type") in _LIMITS:
                held = reader.of(resource, key, optional=True)
                if held is not None:
                    assembly.unattached(held, replace(held.place, path=None), DocumentRole.CEILING)
