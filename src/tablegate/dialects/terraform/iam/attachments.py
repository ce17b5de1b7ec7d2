"""Roles, users, groups and permission sets, and the policies that they have or are bounded by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tablegate.dialects.holders import AttachedPolicy, HolderAssembly, HolderDraft
from tablegate.dialects.terraform.block import Block
from tablegate.dialects.terraform.iam.context import PlanContext
from tablegate.dialects.terraform.iam.documents import DocumentReader
from tablegate.dialects.terraform.iam.managed_policies import ManagedPolicies
from tablegate.dialects.terraform.iam.unknown_text import UnknownElements
from tablegate.dialects.terraform.references import Reference
from tablegate.dialects.terraform.resources import Resource
from tablegate.iam.grants import HolderForm
from tablegate.model.record import replace
from tablegate.model.value import Doubt

TYPES = {
    HolderForm.ROLE: "aws_iam_role",
    HolderForm.USER: "aws_iam_user",
    HolderForm.GROUP: "aws_iam_group",
    HolderForm.PERMISSION_SET: "aws_ssoadmin_permission_set",
}
_PRINCIPALS = (HolderForm.ROLE, HolderForm.USER)
_ARN = {HolderForm.ROLE: ":role/", HolderForm.USER: ":user/", HolderForm.GROUP: ":group/"}


class HolderIndex:
    """The holders of one form, found by name, ARN or reference."""

    def __init__(self, context: PlanContext, assembly: HolderAssembly, form: HolderForm) -> None:
        self._snapshot = context.snapshot
        self._assembly = assembly
        self._form = form
        self._elements = UnknownElements(context)
        self._by_address: dict[str, tuple[Resource, HolderDraft]] = {}
        self._by_name: dict[str, list[tuple[Resource, HolderDraft]]] = {}
        for resource in context.snapshot.of(TYPES[form]):
            holder = assembly.holder(form, resource.address, resource.place)
            holder.name = resource.known_text("name")
            holder.arn = self._elements.arn_of_identity(resource) if form in _PRINCIPALS else None
            self._by_address[resource.address] = resource, holder
            for name in {holder.name, resource.known_text("arn"), resource.known_text("id")} - {None}:
                self._by_name.setdefault(str(name), []).append((resource, holder))

    @property
    def inside(self) -> list[tuple[Resource, HolderDraft]]:
        """Those of the input, each with its resource."""
        return list(self._by_address.values())

    def of(self, resource: Resource, key: str) -> list[HolderDraft]:
        """Those that an argument names, by name, by ARN or by reference; also those that are not in the input."""
        content, unknown = resource.block.member(key)
        names = [item for item in (content if isinstance(content, list) else [content]) if isinstance(item, str)]
        holders = [holder for name in names if name for holder in self._named(name, resource)]
        if unknown is True or (isinstance(unknown, list) and True in unknown):
            holders += self._referred(resource, key)
        return list(dict.fromkeys(holders))

    def known(self, name: str, resource: Resource) -> list[HolderDraft]:
        """Those of the input with this name. If there are several, those of the resource's own provider."""
        matches = self._by_name.get(name) or self._by_name.get(self._without_path(name)) or []
        same = [match for match in matches if match[0].owner == resource.owner]
        return [holder for _, holder in same or matches]

    def referred(self, reference: Reference) -> list[HolderDraft]:
        """Those that a reference leads to."""
        return [self._by_address[one.address][1] for one in reference.targets if one.address in self._by_address]

    def _named(self, name: str, resource: Resource) -> list[HolderDraft]:
        return self.known(name, resource) or [self._outside(self._without_path(name), resource)]

    def _without_path(self, name: str) -> str:
        return name.rpartition("/")[2] if _ARN.get(self._form, "\0") in name else name

    def _referred(self, resource: Resource, key: str) -> list[HolderDraft]:
        unknown = [one for one in resource.references(key) if not self._snapshot.is_known(one)]
        holders = [holder for reference in unknown for holder in self.referred(reference)]
        return holders or [self._outside(None, resource)]

    def _outside(self, name: str | None, resource: Resource) -> HolderDraft:
        """A holder that is not in this input."""
        holder = self._assembly.outside(self._form, name, resource.address, resource.place)
        holder.name = name
        if name is not None and self._form in _PRINCIPALS:
            holder.arn = self._elements.arn(resource, "iam", f"{self._form}/{name}", region="")
        return holder


_INLINE = (
    ("aws_iam_role_policy", "policy", HolderForm.ROLE, "role"),
    ("aws_iam_user_policy", "policy", HolderForm.USER, "user"),
    ("aws_iam_group_policy", "policy", HolderForm.GROUP, "group"),
    (
        "aws_ssoadmin_permission_set_inline_policy",
        "inline_policy",
        HolderForm.PERMISSION_SET,
        "permission_set_arn",
    ),
)
_ATTACHED = (
    ("aws_iam_role_policy_attachment", "policy_arn", HolderForm.ROLE, "role"),
    ("aws_iam_user_policy_attachment", "policy_arn", HolderForm.USER, "user"),
    ("aws_iam_group_policy_attachment", "policy_arn", HolderForm.GROUP, "group"),
    ("aws_iam_policy_attachment", "policy_arn", HolderForm.ROLE, "roles"),
    ("aws_iam_policy_attachment", "policy_arn", HolderForm.USER, "users"),
    ("aws_iam_policy_attachment", "policy_arn", HolderForm.GROUP, "groups"),
    ("aws_iam_role_policy_attachments_exclusive", "policy_arns", HolderForm.ROLE, "role_name"),
    ("aws_iam_user_policy_attachments_exclusive", "policy_arns", HolderForm.USER, "user_name"),
    ("aws_iam_group_policy_attachments_exclusive", "policy_arns", HolderForm.GROUP, "group_name"),
    (
        "aws_ssoadmin_managed_policy_attachment",
        "managed_policy_arn",
        HolderForm.PERMISSION_SET,
        "permission_set_arn",
    ),
)
_CUSTOMER_MANAGED = "aws_ssoadmin_customer_managed_policy_attachment"
_BOUNDARIES = "aws_ssoadmin_permissions_boundary_attachment"
_MEMBERSHIPS = (("aws_iam_group_membership", "users", "group"), ("aws_iam_user_group_membership", "user", "groups"))


class Attachments:
    """Gives each document and policy of a plan to those who hold it."""

    def __init__(
        self,
        context: PlanContext,
        reader: DocumentReader,
        policies: ManagedPolicies,
        assembly: HolderAssembly,
        indexes: Mapping[HolderForm, HolderIndex],
    ) -> None:
        self._snapshot = context.snapshot
        self._reader = reader
        self._policies = policies
        self._assembly = assembly
        self._indexes = indexes
        self._declared = _Declared(context)

    def gather(self) -> None:
        """Give everything. A resource of its own comes before what the provider read of a role."""
        self._inline()
        for resource, role in self._indexes[HolderForm.ROLE].inside:
            self._inline_of_role(resource, role)
        self._attach()
        self._customer_managed()
        for resource, role in self._indexes[HolderForm.ROLE].inside:
            self._attached_to_role(resource, role)
        for form in (HolderForm.ROLE, HolderForm.USER):
            for resource, holder in self._indexes[form].inside:
                for policy in self._policies.of(resource, "permissions_boundary"):
                    self._assembly.bound(holder, policy)
        self._bound_sets()
        self._join_groups()

    def _inline(self) -> None:
        for type_, key, form, holder_key in _INLINE:
            for resource in self._sorted(type_):
                held = self._reader.of(resource, key)
                for holder in self._indexes[form].of(resource, holder_key):
                    if held is not None:
                        holder.give(held)

    def _attach(self) -> None:
        for type_, key, form, holder_key in _ATTACHED:
            for resource in self._sorted(type_):
                policies = list(self._policies.of(resource, key)) if _names_anybody(resource, holder_key) else []
                for holder in self._indexes[form].of(resource, holder_key) if policies else ():
                    for policy in policies:
                        self._assembly.attach(holder, policy)

    def _sorted(self, type_: str) -> list[Resource]:
        """By address: if two attach the same, the first one answers for it."""
        return sorted(self._snapshot.of(type_), key=lambda resource: resource.address)

    def _customer_managed(self) -> None:
        for resource in self._snapshot.of(_CUSTOMER_MANAGED):
            policy = self._reference(resource, resource.block.one("customer_managed_policy_reference"))
            for holder in self._indexes[HolderForm.PERMISSION_SET].of(resource, "permission_set_arn"):
                if policy is not None:
                    self._assembly.attach(holder, policy)

    def _reference(self, resource: Resource, block: Block | Doubt | None) -> AttachedPolicy | None:
        """A policy that is named by its name alone."""
        if not isinstance(block, Block):
            return None
        key = "customer_managed_policy_reference"
        name = block.content.get("name")
        if isinstance(name, str):
            place = replace(resource.block.place(key), path=key)
            return self._policies.named(name, str(block.content.get("path") or "/"), resource, place)
        references = self._snapshot.resolver.trace(block.expression("name"), resource.scope)
        targets = [target for reference in references for target in reference.targets]
        return next((policy for target in targets if (policy := self._policies.at(target)) is not None), None)

    def _inline_of_role(self, resource: Resource, role: HolderDraft) -> None:
        """The documents inside a role, less those that the provider read and another resource declares."""
        blocks = resource.block.many("inline_policy")
        is_read = resource.block.expression("inline_policy") is None
        for block in () if isinstance(blocks, Doubt) else blocks:
            if not isinstance(block, Block) or _is_nothing(block):
                continue
            name = block.content.get("name")
            if is_read and self._declared.inline(role.name, name):
                continue
            within = name if isinstance(name, str) else None
            held = self._reader.of(resource, "policy", block=block, within=within)
            if held is not None:
                role.give(held)

    def _attached_to_role(self, resource: Resource, role: HolderDraft) -> None:
        """The policies that a role lists, less those that the provider read and another resource declares."""
        is_read = resource.block.expression("managed_policy_arns") is None
        for policy in self._policies.of(resource, "managed_policy_arns"):
            if not (is_read and self._declared.attached(role.name, policy.arn)):
                self._assembly.attach(role, policy)

    def _bound_sets(self) -> None:
        for resource in self._snapshot.of(_BOUNDARIES):
            block = resource.block.one("permissions_boundary")
            if not isinstance(block, Block):
                continue
            policies = list(self._policies.of(resource, "managed_policy_arn", block))
            reference = self._reference(resource, block.one("customer_managed_policy_reference"))
            for holder in self._indexes[HolderForm.PERMISSION_SET].of(resource, "permission_set_arn"):
                for policy in [*policies, *([reference] if reference else [])]:
                    self._assembly.bound(holder, policy)

    def _join_groups(self) -> None:
        for type_, users, groups in _MEMBERSHIPS:
            for resource in self._snapshot.of(type_):
                joined = self._indexes[HolderForm.GROUP].of(resource, groups)
                for user in self._indexes[HolderForm.USER].of(resource, users):
                    for group in joined:
                        self._assembly.member(user, group)


def _names_anybody(resource: Resource, key: str) -> bool:
    content, unknown = resource.block.member(key)
    return bool(content) or unknown is True or (isinstance(unknown, list) and True in unknown)


class _Declared:
    """What resources of their own give to roles, before the plan and after it."""

    def __init__(self, context: PlanContext) -> None:
        self._inline = set(_pairs(context, "aws_iam_role_policy", "name"))
        self._attached = set(_pairs(context, "aws_iam_role_policy_attachment", "policy_arn"))

    def inline(self, role: str | None, name: object) -> bool:
        """Whether an inline policy of this name has a resource of its own."""
        return (role, name) in self._inline

    def attached(self, role: str | None, arn: str | None) -> bool:
        """Whether this attachment has a resource of its own."""
        return (role, arn) in self._attached


def _pairs(context: PlanContext, type_: str, key: str) -> Iterator[tuple[str | None, object]]:
    for snapshot in (context.before, context.snapshot):
        for resource in snapshot.of(type_):
            if (role := resource.known_text("role")) and (value := resource.known_text(key)):
                yield role, value


def _is_nothing(block: Block) -> bool:
    """Whether a block is no policy: before version 5 the provider writes one without any text for none."""
    return not any(block.content.get(key) for key in ("name", "policy")) and not block.is_unknown("policy")
