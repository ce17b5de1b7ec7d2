"""Roles, users, groups; inline, attached, bounded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tablegate.dialects.cloudformation.iam.context import NOBODY, PresentResource, TemplateContext
from tablegate.dialects.cloudformation.iam.documents import HeldDocument
from tablegate.dialects.cloudformation.iam.holders import HolderDraft
from tablegate.dialects.cloudformation.iam.own_policies import users_of
from tablegate.dialects.cloudformation.template import (
    GROUP,
    GROUP_POLICY,
    MANAGED_POLICY,
    MEMBERSHIP,
    PERMISSION_SET,
    POLICY,
    ROLE,
    ROLE_POLICY,
    USER,
    USER_POLICY,
)
from tablegate.dialects.cloudformation.values import NameReference, Unresolved
from tablegate.iam.arns import has_symbol
from tablegate.iam.grants import DocumentRole, HolderForm, HolderKind, role_by_name
from tablegate.iam.roles import NO_TRUST_POLICY, NOTHING, declared_services, trust_of
from tablegate.model.record import field, record, replace
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


def begin(context: TemplateContext) -> None:
    """Begin a holder for each of them."""
    for present in context.resources(ROLE, USER, GROUP, PERMISSION_SET):
        kind = present.resource.type
        holder = context.holder(FORMS[kind], present.resource, *default_users(FORMS[kind]))
        name = context.text(present.section, _NAMES[kind])
        holder.name = context.symbols.shown(name) if name else None
        if kind == ROLE:
            trust(context, holder, present.section.get("AssumeRolePolicyDocument"))
        if kind == PERMISSION_SET:
            _inline_policy(context, holder, present)
        else:
            _inline(context, holder, present)


def default_users(form: HolderForm) -> tuple[HolderKind, str]:
    """Who uses holders of a form, before anything else is known of one."""
    match form:
        case HolderForm.ROLE:
            return HolderKind.UNKNOWN, NO_TRUST_POLICY.why
        case HolderForm.PERMISSION_SET:
            return HolderKind.HUMAN, "a permission set is people's"
    return HolderKind.HUMAN, f"it is an IAM {form}"


def trust(context: TemplateContext, holder: HolderDraft, node: Node | None) -> None:
    """Learn from a trust policy who uses a role."""
    documents = context.reader.uncounted(node) if node is not None else []
    declared = [declared_services(held.document) for held in documents]
    holder.declared = NOTHING.union(*declared) if all(declared) else NOTHING
    account = context.resolver.options.account
    found = [trust_of(held.document, account) for held in documents if held.document.statements]
    if found:
        holder.trusted = [(each.kind, each.why) for each in found]
        holder.services = {service for each in found for service in each.services}
    if made_for_replicas(context.resolver.context.address) and not context.tables:
        holder.trusted = [REPLICATING]


def made_for_replicas(address: str) -> bool:
    """Whether this is the nested stack by which the CDK made replicas, or what references it."""
    return address.rpartition("/")[2].startswith(_REPLICA_PROVIDER)


def document(
    context: TemplateContext, holder: HolderDraft, present: PresentResource, within: str | None = None
) -> None:
    """The ``PolicyDocument`` of a section, in the hands of a holder."""
    node = present.section.get("PolicyDocument")
    if node is None:
        context.resolver.wrong_shape(present.resource.node, "a policy needs a PolicyDocument")
        return
    for held in context.reader.read(node, certain=present.certain, within=within):
        context.give(holder, held, present.address)


def _inline(context: TemplateContext, holder: HolderDraft, present: PresentResource) -> None:
    """The documents that are written into an identity: their names tell their statements apart."""
    for number, (value, certain) in enumerate(context.items(present.section, "Policies")):
        if isinstance(value, Unresolved):
            node = present.section["Policies"]
            held = context.reader.unknown(value.doubt, node, mentions=context.reader.mentions(node))
            context.give(holder, held, present.address)
        elif isinstance(value.content, dict):
            name = context.text(value.content, "PolicyName")
            within = context.symbols.shown(name) if name else str(number)
            document(
                context, holder, PresentResource(present.resource, value.content, certain and present.certain), within
            )
        else:
            context.resolver.wrong_shape(value, "a policy is a mapping with a PolicyDocument")


def _inline_policy(context: TemplateContext, holder: HolderDraft, present: PresentResource) -> None:
    node = present.section.get("InlinePolicy")
    if node is None or node.content == "":
        return
    for held in context.reader.read(node, certain=present.certain):
        context.give(holder, held, present.address)


_LISTS = {"Roles": ROLE, "Users": USER, "Groups": GROUP}
_SINGLE = {ROLE_POLICY: {"RoleName": ROLE}, USER_POLICY: {"UserName": USER}, GROUP_POLICY: {"GroupName": GROUP}}


@record(eq=False, frozen=False, kw_only=False)
class OwnManagedPolicy:
    """A managed policy of this template. ``used`` where it is attached, or a boundary."""

    present: PresentResource
    documents: list[HeldDocument]
    used: bool = False


@record(eq=False, frozen=False, kw_only=False)
class Attachments:
    """Brings a template's policies to those who hold them."""

    context: TemplateContext
    managed: dict[str, OwnManagedPolicy] = field(default_factory=dict)
    _names: dict[tuple[str, str], str] | None = None

    def gather(self) -> None:
        """Attach everything. The holders that the template makes must be begun."""
        context = self.context
        for present in context.resources(MANAGED_POLICY):
            self.managed[present.address] = OwnManagedPolicy(present, self._documents(present))
        for present in context.resources(MANAGED_POLICY, POLICY, *_SINGLE):
            self._give_policy(present)
        for present in context.resources(ROLE, USER, GROUP):
            holder = context.holders[FORMS[present.resource.type], present.address]
            self.attach_listed(holder, present, "ManagedPolicyArns")
            self.bound(holder, present.section)
        for present in context.resources(PERMISSION_SET):
            self._permission_set(context.holders[HolderForm.PERMISSION_SET, present.address], present)
        self._join_groups()

    def report_unattached(self) -> None:
        """What nobody holds is judged all the same."""
        for policy in self.managed.values():
            if not policy.used:
                self._leave_unattached(policy.present, policy.documents)
        for resource, unknown in self.context.unreadable(MANAGED_POLICY, POLICY, *_SINGLE, ROLE, USER, GROUP):
            mentions = self.context.reader.mentions(resource.node)
            held = self.context.reader.unknown(unknown.doubt, resource.node, mentions=mentions)
            holder = self.context.holder(HolderForm.UNATTACHED, resource, HolderKind.UNKNOWN, NOBODY)
            self.context.give(holder, held, resource.address)

    def _leave_unattached(self, present: PresentResource, documents: Iterable[HeldDocument]) -> None:
        holder = self.context.holder(HolderForm.UNATTACHED, present.resource, HolderKind.UNKNOWN, NOBODY)
        role = role_by_name(present.address, self.context.text(present.section, "ManagedPolicyName"))
        for held in documents:
            if role is DocumentRole.IDENTITY:
                self.context.give(holder, held, present.address)
            else:
                holder.grants.extend(held.grants(present.address, role, self.context.spelling))

    def attach_listed(self, holder: HolderDraft, present: PresentResource, key: str) -> None:
        """Attach the managed policies that a property lists by their ARNs."""
        for value, certain in self.context.items(present.section, key):
            self.attach(holder, value, present.address, certain=certain and present.certain)

    def attach(self, holder: HolderDraft, value: Node | Unresolved, address: str, *, certain: bool) -> None:
        """Attach one managed policy by its ARN."""
        policy = self.policy(value)
        if policy is not None:
            policy.used = True
            self._give_documents(holder, policy.documents, policy.present.address, certain=certain)
        else:
            arn, place = self.context.shown(value), self.context.place(value)
            doubt = value.doubt if isinstance(value, Unresolved) else None
            holder.attach(arn, address, place, self.context.spelling, certain=certain, doubt=doubt)

    def bound(self, holder: HolderDraft, section: Mapping[str, Node]) -> None:
        """Hold a draft under its permissions boundary."""
        values = [value for value, _ in self.context.items(section, "PermissionsBoundary")]
        for value in values:
            policy = self.policy(value)
            if policy is not None:
                policy.used = True
        if len(values) == 1:  # of several, none is sure to be the limit
            self._limit(holder, values[0])

    def policy(self, value: Node | Unresolved) -> OwnManagedPolicy | None:
        """The managed policy of this template that an ARN names."""
        symbol = self.context.reference(value)
        if symbol is not None:
            return self.managed.get(symbol.name)
        text = self.context.texts.symbolic(value)
        return self._named(text.rpartition("/")[2]) if text and ":policy/" in text else None

    def holder(self, value: Node | Unresolved, kind: str) -> HolderDraft | None:
        """The role, user or group of this template that a value names, by reference, name or ARN."""
        symbol = self.context.reference(value)
        if symbol is not None:
            address: str | None = symbol.name
        else:
            text = self.context.texts.symbolic(value) or ""
            address = self._called(kind, text.rpartition("/")[2])
        return self.context.holders.get((FORMS[kind], address)) if address else None

    def outside_holder(self, present: PresentResource, value: Node | Unresolved, kind: str) -> HolderDraft:
        """Somebody that the template does not make, known by the first thing of it that is given to them."""
        text = self.context.texts.symbolic(value)
        form = FORMS[kind]
        name = text.rpartition("/")[2] if text else None
        kind, why = default_users(form) if form is not HolderForm.ROLE else self._users_elsewhere(value)
        holder = self.context.holder(form, present.resource, kind, why, key=f"name: {name or present.address}")
        holder.outside = True
        holder.name = name if name and not has_symbol(name) else None
        holder.address = min(holder.address, present.address)
        return holder

    def _users_elsewhere(self, value: Node | Unresolved) -> tuple[HolderKind, str]:
        """What is known of a role that is only named."""
        symbol = value.reference if isinstance(value, Unresolved) else None
        stack = _stack_of(symbol) if symbol is not None else ""
        if made_for_replicas(stack):
            return REPLICATING
        found = users_of(symbol) if symbol is not None else None
        return found or (HolderKind.UNKNOWN, "it is not in this input")

    def _named(self, name: str) -> OwnManagedPolicy | None:
        return self.managed.get(self._called(MANAGED_POLICY, name) or "")

    def _called(self, kind: str, name: str) -> str | None:
        """The logical id of what has this name."""
        if self._names is None:
            self._names = {
                (present.resource.type, self.context.texts.identity(present.address)): present.address
                for present in self.context.resources(ROLE, USER, GROUP, MANAGED_POLICY)
            }
        return self._names.get((kind, name))

    def _give_policy(self, present: PresentResource) -> None:
        policy = self.managed.get(present.address)
        documents = self._documents(present) if policy is None else policy.documents
        for key, kind in _SINGLE.get(present.resource.type, _LISTS).items():
            for value, certain in self.context.items(present.section, key):
                self._give_documents(
                    self.holder(value, kind) or self.outside_holder(present, value, kind),
                    documents,
                    present.address,
                    certain=certain,
                )
                if policy is not None:
                    policy.used = True

    def _documents(self, present: PresentResource) -> list[HeldDocument]:
        node = present.section.get("PolicyDocument")
        if node is None:
            self.context.resolver.wrong_shape(present.resource.node, "a policy needs a PolicyDocument")
            return []
        return self.context.reader.read(node, certain=present.certain)

    def _give_documents(
        self, holder: HolderDraft, documents: Iterable[HeldDocument], address: str, *, certain: bool
    ) -> None:
        for held in documents if holder.is_new(address) else ():
            self.context.give(holder, held if certain else held.perhaps(), address)

    def _limit(self, holder: HolderDraft, value: Node | Unresolved) -> None:
        policy = self.policy(value)
        if policy is None:
            holder.limit_by(self.context.shown(value))
        for held in policy.documents if policy is not None else ():
            holder.limit(held)

    def _permission_set(self, holder: HolderDraft, present: PresentResource) -> None:
        self.attach_listed(holder, present, "ManagedPolicies")
        for reference in self.context.sections(present, "CustomerManagedPolicyReferences"):
            for value, _ in self.context.items(reference.section, "Name"):
                self._by_name(holder, value, reference)
        for boundary in self.context.sections(present, "PermissionsBoundary"):
            for value, _ in self.context.items(boundary.section, "ManagedPolicyArn"):
                self._limit(holder, value)
            for reference in self.context.sections(boundary, "CustomerManagedPolicyReference"):
                name = self.context.text(reference.section, "Name") or "?"
                policy = self._named(name)
                for held in policy.documents if policy is not None else ():
                    holder.limit(held)
                if policy is None:
                    holder.limit_by(name)
                else:
                    policy.used = True

    def _by_name(self, holder: HolderDraft, value: Node | Unresolved, present: PresentResource) -> None:
        symbol = self.context.reference(value)
        name = self.context.texts.symbolic(value) or "?"
        policy = self.managed.get(symbol.name) if symbol is not None else self._named(name)
        if policy is not None:
            policy.used = True
            self._give_documents(holder, policy.documents, policy.present.address, certain=present.certain)
        else:
            shown, place = self.context.shown(value), self.context.place(value)
            holder.attach(shown, present.address, place, self.context.spelling, certain=present.certain)

    def _join_groups(self) -> None:
        """Users hold what their groups hold. Who answers for it is the group."""
        for user, group in self._members():
            user.inherited += map(replace, group.grants)

    def _members(self) -> Iterator[tuple[HolderDraft, HolderDraft]]:
        for present in self.context.resources(USER):
            user = self.context.holders[HolderForm.USER, present.address]
            for value, _ in self.context.items(present.section, "Groups"):
                group = self.holder(value, GROUP)
                if group is not None:
                    yield user, group
        for present in self.context.resources(MEMBERSHIP):
            groups = [self.holder(value, GROUP) for value, _ in self.context.items(present.section, "GroupName")]
            users = [self.holder(value, USER) for value, _ in self.context.items(present.section, "Users")]
            yield from ((user, group) for group in groups if group for user in users if user)


def _stack_of(symbol: NameReference) -> str:
    """The resource that embeds what a symbol stands for, or the one that it stands for itself."""
    return symbol.name if symbol.stack is None else symbol.stack.context.address
