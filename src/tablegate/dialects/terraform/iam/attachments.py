"""Roles, users, groups; inline, attached, bounded."""

from __future__ import annotations

from collections.abc import Iterator

from tablegate.dialects.terraform.block import Block
from tablegate.dialects.terraform.iam.context import PlanContext
from tablegate.dialects.terraform.iam.documents import DocumentReader, HeldDocument
from tablegate.dialects.terraform.iam.managed_policies import AttachedPolicy, ManagedPolicies
from tablegate.dialects.terraform.references import Reference
from tablegate.dialects.terraform.resources import Resource
from tablegate.iam.documents import Document
from tablegate.iam.grants import HolderForm
from tablegate.model.record import field, record, replace
from tablegate.model.value import Doubt, Place

TYPES = {
    HolderForm.ROLE: "aws_iam_role",
    HolderForm.USER: "aws_iam_user",
    HolderForm.GROUP: "aws_iam_group",
    HolderForm.PERMISSION_SET: "aws_ssoadmin_permission_set",
}
_ARN = {HolderForm.ROLE: ":role/", HolderForm.USER: ":user/", HolderForm.GROUP: ":group/"}


@record(eq=False, frozen=False, kw_only=False)
class HolderDraft:
    """Somebody who holds documents. ``resource`` is None where it is not in this input."""

    form: HolderForm
    address: str
    place: Place | None
    name: str | None
    resource: Resource | None = None
    inline: dict[str, HeldDocument] = field(default_factory=dict)
    attached: dict[str, AttachedPolicy] = field(default_factory=dict)
    ceilings: list[Document] = field(default_factory=list)
    ceiling_doubt: Doubt | None = None
    groups: list[HolderDraft] = field(default_factory=list)

    def hold(self, held: HeldDocument | None) -> None:
        """One more document of its own."""
        if held is not None:
            self.inline.setdefault(f"{held.address} {held.place.path}", held)

    def attach(self, policy: AttachedPolicy) -> None:
        """One more managed policy; the same one twice is one."""
        self.attached.setdefault(policy.key, policy)


class HolderIndex:
    """The holders of one form, found by name, ARN or reference."""

    def __init__(self, context: PlanContext, form: HolderForm) -> None:
        self._world = context.world
        self._form = form
        self._type = TYPES[form]
        self._known: dict[str, HolderDraft] = {}
        self._by_name: dict[str, list[HolderDraft]] = {}
        self._outside: dict[str, HolderDraft] = {}
        for one in context.world.of(self._type):
            holder = HolderDraft(form, one.address, one.place, one.known_text("name"), one)
            self._known[one.address] = holder
            for name in {one.known_text("name"), one.known_text("arn"), one.known_text("id")} - {None}:
                self._by_name.setdefault(str(name), []).append(holder)

    @property
    def all(self) -> list[HolderDraft]:
        """Those of the input, and those that anything of it is attached to."""
        return [*self._known.values(), *self._outside.values()]

    @property
    def inside(self) -> list[HolderDraft]:
        """Those of the input."""
        return list(self._known.values())

    def of(self, resource: Resource, key: str) -> list[HolderDraft]:
        """Those that an argument names, by name, by ARN or by reference."""
        content, unknown = resource.block.member(key)
        found: dict[str, HolderDraft] = {}
        for item in content if isinstance(content, list) else [content]:
            if isinstance(item, str) and item:
                found |= {holder.address: holder for holder in self.named(item, resource)}
        if unknown is True or (isinstance(unknown, list) and True in unknown):
            found |= {holder.address: holder for holder in self._referred(resource, key)}
        return list(found.values())

    def named(self, name: str, resource: Resource) -> list[HolderDraft]:
        """Those of this name, or the stranger who has it."""
        return self.known(name, resource) or [self._outside_holder(self._plain(name), resource)]

    def known(self, name: str, resource: Resource) -> list[HolderDraft]:
        """Those of the input that have this name: of several, those of the resource's own provider."""
        found = self._by_name.get(name) or self._by_name.get(self._plain(name)) or []
        same = [one for one in found if one.resource is not None and one.resource.provider == resource.provider]
        return same or found

    def _plain(self, name: str) -> str:
        return name.rpartition("/")[2] if _ARN.get(self._form, "\0") in name else name

    def mentioned(self, mention: Reference) -> list[HolderDraft]:
        """Those that a reference leads to."""
        return [self._known[one.address] for one in mention.targets if one.address in self._known]

    def _referred(self, resource: Resource, key: str) -> Iterator[HolderDraft]:
        unknown = [one for one in resource.references(key) if not self._world.is_known(one)]
        found = [holder for one in unknown for holder in self.mentioned(one)]
        yield from found or [self._outside_holder(None, resource)]

    def _outside_holder(self, name: str | None, resource: Resource) -> HolderDraft:
        """Somebody who is not in this input: known by the first thing of it that he is given."""
        key = name or f"\0{resource.address}"
        found = self._outside.setdefault(key, HolderDraft(self._form, resource.address, resource.place, name))
        found.address = min(found.address, resource.address)
        return found


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
    """Hands each document of a plan to those who hold it."""

    def __init__(
        self,
        context: PlanContext,
        reader: DocumentReader,
        policies: ManagedPolicies,
        indexes: dict[HolderForm, HolderIndex],
    ) -> None:
        self._context = context
        self._world = context.world
        self._reader = reader
        self._policies = policies
        self._indexes = indexes
        self._declared = _Declared(context)
        self.attached: set[str] = set()  # keys of the policies that somebody holds, or is bounded by

    def gather(self) -> None:
        """Do it, in an order in which a resource of its own comes before what a role is seen to have."""
        self._inline()
        self._attach()
        self._customer_managed()
        for holder in self._indexes[HolderForm.ROLE].inside:
            self._own(holder)
        for form in (HolderForm.ROLE, HolderForm.USER):
            for holder in self._indexes[form].inside:
                self._bound(holder)
        self._bound_sets()
        self._join_groups()

    def _inline(self) -> None:
        for type_, key, form, holder_key in _INLINE:
            for one in self._sorted(type_):
                held = self._reader.of(one, key)
                for holder in self._indexes[form].of(one, holder_key):
                    holder.hold(held)

    def _attach(self) -> None:
        for type_, key, form, holder_key in _ATTACHED:
            for one in self._sorted(type_):
                policies = list(self._policies.of(one, key)) if _names_anybody(one, holder_key) else []
                for holder in self._indexes[form].of(one, holder_key) if policies else ():
                    self._give(holder, policies)

    def _sorted(self, type_: str) -> list[Resource]:
        """By address: of two that attach the same, the first one answers for it."""
        return sorted(self._world.of(type_), key=lambda one: one.address)

    def _give(self, holder: HolderDraft, policies: list[AttachedPolicy]) -> None:
        for policy in policies:
            holder.attach(policy)
            self.attached.add(policy.key)

    def _customer_managed(self) -> None:
        for one in self._world.of(_CUSTOMER_MANAGED):
            policy = self._reference(one, one.block.one("customer_managed_policy_reference"))
            for holder in self._indexes[HolderForm.PERMISSION_SET].of(one, "permission_set_arn"):
                self._give(holder, [policy] if policy else [])

    def _reference(self, one: Resource, block: Block | Doubt | None) -> AttachedPolicy | None:
        """A policy that is named by its name."""
        if not isinstance(block, Block):
            return None
        place = replace(one.block.place("customer_managed_policy_reference"), path="customer_managed_policy_reference")
        name = block.content.get("name")
        if isinstance(name, str):
            return self._policies.named(name, str(block.content.get("path") or "/"), one, place)
        mentions = self._world.resolver.trace(block.expression("name"), one.scope)
        found = [instance for mention in mentions for instance in mention.targets]
        return next((made for instance in found if (made := self._policies.made(instance)) is not None), None)

    def _own(self, holder: HolderDraft) -> None:
        """What a role's own attributes hold: computed ones repeat what other resources attach."""
        role = holder.resource
        if role is None:
            return
        blocks = role.block.many("inline_policy")
        seen = role.block.expression("inline_policy") is None
        for block in () if isinstance(blocks, Doubt) else blocks:
            name = block.content.get("name") if isinstance(block, Block) else None
            if not isinstance(block, Block) or _is_nothing(block):
                continue
            if not (seen and self._declared.inline(holder.name, name)):
                holder.hold(
                    self._reader.of(role, "policy", block=block, within=name if isinstance(name, str) else None)
                )
        seen = role.block.expression("managed_policy_arns") is None
        for policy in self._policies.of(role, "managed_policy_arns"):
            if not (seen and self._declared.attached(holder.name, policy.arn)):
                self._give(holder, [policy])

    def _bound(self, holder: HolderDraft) -> None:
        if holder.resource is not None:
            self._cap(holder, list(self._policies.of(holder.resource, "permissions_boundary")))

    def _bound_sets(self) -> None:
        for one in self._world.of(_BOUNDARIES):
            block = one.block.one("permissions_boundary")
            if not isinstance(block, Block):
                continue
            policies = list(self._policies.of(one, "managed_policy_arn", block))
            reference = self._reference(one, block.one("customer_managed_policy_reference"))
            for holder in self._indexes[HolderForm.PERMISSION_SET].of(one, "permission_set_arn"):
                self._cap(holder, [*policies, *([reference] if reference else [])])

    def _cap(self, holder: HolderDraft, policies: list[AttachedPolicy]) -> None:
        for policy in policies:
            self.attached.add(policy.key)
            document = policy.whole
            if document is None or document.doubts or policy.doubt is not None:
                doubts = document.doubts if document is not None else ()
                holder.ceiling_doubt = policy.doubt or next(iter(doubts), None)
            else:
                holder.ceilings.append(document)

    def _join_groups(self) -> None:
        for type_, users, groups in _MEMBERSHIPS:
            for one in self._world.of(type_):
                joined = self._indexes[HolderForm.GROUP].of(one, groups)
                for holder in self._indexes[HolderForm.USER].of(one, users):
                    holder.groups.extend(group for group in joined if group not in holder.groups)


def _names_anybody(one: Resource, key: str) -> bool:
    content, unknown = one.block.member(key)
    return bool(content) or unknown is True or (isinstance(unknown, list) and True in unknown)


class _Declared:
    """What other resources of this input decide of roles, before the plan and after it."""

    def __init__(self, context: PlanContext) -> None:
        self._inline = set(_pairs(context, "aws_iam_role_policy", "name"))
        self._attached = set(_pairs(context, "aws_iam_role_policy_attachment", "policy_arn"))

    def inline(self, role: str | None, name: object) -> bool:
        """Whether an inline policy of this name has a resource of its own."""
        return (role, name) in self._inline

    def attached(self, role: str | None, arn: str | None) -> bool:
        """Whether this attachment has one."""
        return (role, arn) in self._attached


def _pairs(context: PlanContext, type_: str, key: str) -> Iterator[tuple[str | None, object]]:
    for world in (context.before, context.world):
        for one in world.of(type_):
            if (role := one.known_text("role")) and (found := one.known_text(key)):
                yield role, found


def _is_nothing(block: Block) -> bool:
    """Whether a block stands for none: before version 5 the provider writes one without any text for that."""
    return not any(block.content.get(key) for key in ("name", "policy")) and not block.is_unknown("policy")
