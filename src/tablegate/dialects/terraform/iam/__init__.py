"""Everything about access that goes into the estate: holders with their grants, and how much of it was read."""

from __future__ import annotations

from collections.abc import Iterator

from tablegate.dialects.terraform.coverage import Access
from tablegate.dialects.terraform.iam.attachments import Attachments, People
from tablegate.dialects.terraform.iam.context import Ground, Texts
from tablegate.dialects.terraform.iam.documents import Deed, Deeds
from tablegate.dialects.terraform.iam.holders import Builder
from tablegate.dialects.terraform.iam.managed_policies import Policies
from tablegate.dialects.terraform.iam.own_policies import Things
from tablegate.dialects.terraform.iam.roles import Kinds
from tablegate.iam.grants import DocumentRole, HolderForm, role_by_name

_PEOPLE = (HolderForm.ROLE, HolderForm.USER, HolderForm.GROUP, HolderForm.PERMISSION_SET)
_CEILINGS = (
    ("aws_organizations_policy", "content"),
    ("aws_eks_pod_identity_association", "policy"),
    ("aws_transfer_user", "policy"),
    ("aws_transfer_access", "policy"),
)
_LIMITS = frozenset({"SERVICE_CONTROL_POLICY", "RESOURCE_CONTROL_POLICY", None})


def read_access(ground: Ground) -> Access:
    """What the plan says of access."""
    texts = Texts(ground.symbols, ground.world.faults)
    deeds = Deeds(ground, texts)
    policies = Policies(ground, deeds, texts)
    people = {form: People(ground, form) for form in _PEOPLE}
    attachments = Attachments(ground, deeds, policies, people)
    attachments.hand_out()
    kinds = Kinds(ground, deeds, texts, people[HolderForm.ROLE])
    builder = Builder(ground)
    holders = [builder.person(one, kinds) for form in _PEOPLE for one in people[form].all]
    holders += [builder.thing(one) for one in Things(ground, deeds).all()]
    holders += [builder.nobody(deed, role) for deed, role in _unheld(ground, deeds, policies, attachments)]
    holders.sort(key=lambda one: (one.address, one.form))
    grants = sorted(
        (grant for one in holders for grant in one.grants if not builder.is_copy(grant)),
        key=lambda grant: (grant.address, grant.statement.index, grant.label, grant.holder.address),
    )
    counted = deeds.counted
    return Access(
        tuple(holders),
        tuple(grants),
        len(counted),
        sum(deed.is_partial for deed in counted),
        sum(deed.is_unread for deed in counted),
        deeds.secrets,
    )


def _unheld(
    ground: Ground, deeds: Deeds, policies: Policies, attachments: Attachments
) -> Iterator[tuple[Deed, DocumentRole]]:
    """Documents that nobody holds: policies that are attached to nobody, and limits on accounts and sessions."""
    for policy in policies.own:
        deed = deeds.of(policy, "policy")
        if deed is not None and policy.address not in attachments.attached:
            yield deed, role_by_name(policy.address, policy.known("name"))
    for type_, key in _CEILINGS:
        for one in ground.world.of(type_):
            if type_ != "aws_organizations_policy" or one.known("type") in _LIMITS:
                deed = deeds.of(one, key, optional=True)
                if deed is not None:
                    yield deed, DocumentRole.CEILING
