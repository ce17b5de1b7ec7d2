"""Which documents are whose: inline policies, attachments in all their forms, and boundaries."""

from __future__ import annotations

from collections.abc import Iterator

from tablegate.access.grants import HolderForm
from tablegate.dialects.terraform_plan.access.deeds import Deeds
from tablegate.dialects.terraform_plan.access.ground import Ground
from tablegate.dialects.terraform_plan.access.people import People, Person
from tablegate.dialects.terraform_plan.access.policies import Attached, Policies
from tablegate.dialects.terraform_plan.blocks import Block
from tablegate.dialects.terraform_plan.worlds import Resource
from tablegate.model.record import replace
from tablegate.model.value import Doubt

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

    def __init__(self, ground: Ground, deeds: Deeds, policies: Policies, people: dict[HolderForm, People]) -> None:
        self._ground = ground
        self._world = ground.world
        self._deeds = deeds
        self._policies = policies
        self._people = people
        self._decided = _Decided(ground)
        self.attached: set[str] = set()  # keys of the policies that somebody holds, or is bounded by

    def hand_out(self) -> None:
        """Do it, in an order in which a resource of its own comes before what a role is seen to have."""
        self._inline()
        self._attach()
        self._customer_managed()
        for person in self._people[HolderForm.ROLE].inside:
            self._own(person)
        for form in (HolderForm.ROLE, HolderForm.USER):
            for person in self._people[form].inside:
                self._bound(person)
        self._bound_sets()
        self._join_groups()

    def _inline(self) -> None:
        for type_, key, form, holder in _INLINE:
            for one in self._sorted(type_):
                deed = self._deeds.of(one, key)
                for person in self._people[form].of(one, holder):
                    person.hold(deed)

    def _attach(self) -> None:
        for type_, key, form, holder in _ATTACHED:
            for one in self._sorted(type_):
                policies = list(self._policies.of(one, key)) if _names_anybody(one, holder) else []
                for person in self._people[form].of(one, holder) if policies else ():
                    self._give(person, policies)

    def _sorted(self, type_: str) -> list[Resource]:
        """By address: of two that attach the same, the first one answers for it."""
        return sorted(self._world.of(type_), key=lambda one: one.address)

    def _give(self, person: Person, policies: list[Attached]) -> None:
        for policy in policies:
            person.attach(policy)
            self.attached.add(policy.key)

    def _customer_managed(self) -> None:
        for one in self._world.of(_CUSTOMER_MANAGED):
            policy = self._reference(one, one.root.one("customer_managed_policy_reference"))
            for person in self._people[HolderForm.PERMISSION_SET].of(one, "permission_set_arn"):
                self._give(person, [policy] if policy else [])

    def _reference(self, one: Resource, block: Block | Doubt | None) -> Attached | None:
        """A policy that is named by its name."""
        if not isinstance(block, Block):
            return None
        place = replace(one.root.place("customer_managed_policy_reference"), path="customer_managed_policy_reference")
        name = block.content.get("name")
        if isinstance(name, str):
            return self._policies.named(name, str(block.content.get("path") or "/"), one, place)
        mentions = self._world.tracer.trace(block.expression("name"), one.scope)
        found = [instance for mention in mentions for instance in mention.instances]
        return next((made for instance in found if (made := self._policies.made(instance)) is not None), None)

    def _own(self, person: Person) -> None:
        """What a role's own attributes hold: computed ones repeat what other resources attach."""
        role = person.resource
        if role is None:
            return
        blocks = role.root.many("inline_policy", match="name", computed=True)
        seen = role.root.expression("inline_policy") is None
        for block in () if isinstance(blocks, Doubt) else blocks:
            name = block.content.get("name") if isinstance(block, Block) else None
            if not isinstance(block, Block) or _is_nothing(block):
                continue
            if not (seen and self._decided.inline(person.name, name)):
                person.hold(self._deeds.of(role, "policy", block=block, within=name if isinstance(name, str) else None))
        seen = role.root.expression("managed_policy_arns") is None
        for policy in self._policies.of(role, "managed_policy_arns"):
            if not (seen and self._decided.attached(person.name, policy.arn)):
                self._give(person, [policy])

    def _bound(self, person: Person) -> None:
        if person.resource is not None:
            self._cap(person, list(self._policies.of(person.resource, "permissions_boundary")))

    def _bound_sets(self) -> None:
        for one in self._world.of(_BOUNDARIES):
            block = one.root.one("permissions_boundary")
            if not isinstance(block, Block):
                continue
            policies = list(self._policies.of(one, "managed_policy_arn", block))
            reference = self._reference(one, block.one("customer_managed_policy_reference"))
            for person in self._people[HolderForm.PERMISSION_SET].of(one, "permission_set_arn"):
                self._cap(person, [*policies, *([reference] if reference else [])])

    def _cap(self, person: Person, policies: list[Attached]) -> None:
        for policy in policies:
            self.attached.add(policy.key)
            document = policy.whole
            if document is None or document.doubts or policy.doubt is not None:
                doubts = document.doubts if document is not None else ()
                person.ceiling_doubt = policy.doubt or next(iter(doubts), None)
            else:
                person.ceilings.append(document)

    def _join_groups(self) -> None:
        for type_, users, groups in _MEMBERSHIPS:
            for one in self._world.of(type_):
                joined = self._people[HolderForm.GROUP].of(one, groups)
                for person in self._people[HolderForm.USER].of(one, users):
                    person.groups.extend(group for group in joined if group not in person.groups)


def _names_anybody(one: Resource, key: str) -> bool:
    content, unknown = one.root.member(key)
    return bool(content) or unknown is True or (isinstance(unknown, list) and True in unknown)


class _Decided:
    """What other resources of this input decide of roles, before the plan and after it."""

    def __init__(self, ground: Ground) -> None:
        self._inline = set(_pairs(ground, "aws_iam_role_policy", "name"))
        self._attached = set(_pairs(ground, "aws_iam_role_policy_attachment", "policy_arn"))

    def inline(self, role: str | None, name: object) -> bool:
        """Whether an inline policy of this name has a resource of its own."""
        return (role, name) in self._inline

    def attached(self, role: str | None, arn: str | None) -> bool:
        """Whether this attachment has one."""
        return (role, arn) in self._attached


def _pairs(ground: Ground, type_: str, key: str) -> Iterator[tuple[str | None, object]]:
    for world in (ground.before, ground.world):
        for one in world.of(type_):
            if (role := one.known("role")) and (found := one.known(key)):
                yield role, found


def _is_nothing(block: Block) -> bool:
    """Whether a block stands for none: before version 5 the provider writes one without any text for that."""
    return not any(block.content.get(key) for key in ("name", "policy")) and not block.is_unknown("policy")
