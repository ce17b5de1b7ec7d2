"""Roles, users, groups and permission sets, and the policies that they have or are bounded by."""

from __future__ import annotations

from collections.abc import Iterator

from tablegate.dialects.cloudformation.iam.context import PresentResource, TemplateContext
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
from tablegate.dialects.holders import AttachedPolicy, Evidence, HolderDraft, policy_of_arn
from tablegate.iam.arns import has_symbol
from tablegate.iam.grants import DocumentRole, HolderForm, HolderKind
from tablegate.model.record import field, record, replace
from tablegate.model.value import Doubt
from tablegate.syntax.node import Node

FORMS = {
    ROLE: HolderForm.ROLE,
    USER: HolderForm.USER,
    GROUP: HolderForm.GROUP,
    PERMISSION_SET: HolderForm.PERMISSION_SET,
}
_NAMES = {ROLE: "RoleName", USER: "UserName", GROUP: "GroupName", PERMISSION_SET: "Name"}
_LISTS = {"Roles": ROLE, "Users": USER, "Groups": GROUP}
_SINGLE = {ROLE_POLICY: {"RoleName": ROLE}, USER_POLICY: {"UserName": USER}, GROUP_POLICY: {"GroupName": GROUP}}
_NO_DOCUMENT = "a policy needs a PolicyDocument"
_MISSING = "the policy {} is not in this template"
_TO_READ = "write its statements in this template, or check the template that creates it"

_REPLICATING = (HolderKind.DEPLOY, "the CDK makes replicas by it")
_REPLICA_PROVIDER = "awscdkawsdynamodbReplicaProvider"


def make_identities(context: TemplateContext) -> None:
    """Make a holder of each identity of the template, with its trust policy and its inline policies."""
    for resource in context.resources(ROLE, USER, GROUP, PERMISSION_SET):
        holder = context.make(FORMS[resource.type], resource)
        name = context.text(resource.section, _NAMES[resource.type])
        holder.name = context.symbols.shown(name) if name else None
        if resource.type in (ROLE, USER):
            holder.arn = context.texts.arn_of_identity(resource.address)
        if resource.type == ROLE:
            add_trust(context, holder, resource)
        if resource.type == PERMISSION_SET:
            for held in context.read(resource, "InlinePolicy"):
                holder.give(held)
        else:
            _add_inline(context, holder, resource)


def add_trust(context: TemplateContext, role: HolderDraft, resource: PresentResource) -> None:
    """Add the trust policy of a role, in each of its forms."""
    node = resource.section.get("AssumeRolePolicyDocument")
    forms = context.reader.uncounted(node, resource.address) if node is not None else []
    role.trust([form.document for form in forms], context.resolver.options.account)
    if _makes_replicas(context.resolver.context.address) and not context.tables:
        role.trusted = [_REPLICATING]


def _makes_replicas(address: str) -> bool:
    """Whether this is the nested stack by which the CDK makes replicas, or a reference to it."""
    return address.rpartition("/")[2].startswith(_REPLICA_PROVIDER)


def _add_inline(context: TemplateContext, holder: HolderDraft, resource: PresentResource) -> None:
    """The documents inside an identity: their names begin the labels of their statements."""
    for number, (value, certain) in enumerate(context.items(resource.section, "Policies")):
        if isinstance(value, Unresolved):
            holder.give(context.reader.unknown(value.doubt, resource.section["Policies"], resource.address))
        elif not isinstance(value.content, dict):
            context.resolver.wrong_shape(value, "a policy is a mapping with a PolicyDocument")
        elif "PolicyDocument" not in value.content:
            context.resolver.wrong_shape(resource.node, _NO_DOCUMENT)
        else:
            name = context.text(value.content, "PolicyName")
            within = context.symbols.shown(name) if name else str(number)
            inner, node = resource.part(value.content, certain=certain), value.content["PolicyDocument"]
            for held in context.reader.read(node, resource.address, certain=inner.certain, within=within):
                holder.give(held)


@record(eq=False, frozen=False, kw_only=False)
class Attachments:
    """Attaches the policies of a template to those who hold them."""

    context: TemplateContext
    managed: dict[str, AttachedPolicy] = field(default_factory=dict)
    made: dict[str, str] = field(default_factory=dict)  # by the logical ids of roles that SAM makes: whose they are
    _addresses: dict[tuple[str, str], str] | None = None

    def gather(self) -> None:
        """Attach everything to the identities of the template, which must be made."""
        context, assembly = self.context, self.context.assembly
        for resource in context.resources(MANAGED_POLICY):
            policy = self.managed[resource.address] = self._policy_at(resource)
            name = context.text(resource.section, "ManagedPolicyName")
            assembly.policy(policy, resource.place, name)
        for resource in context.resources(MANAGED_POLICY, POLICY, *_SINGLE):
            self._attach_to_listed(resource)
        for resource in context.resources(ROLE, USER, GROUP):
            holder = context.make(FORMS[resource.type], resource)
            self._attach_all(holder, resource, "ManagedPolicyArns")
            self.bound(holder, resource)
        for resource in context.resources(PERMISSION_SET):
            self._permission_set(context.make(HolderForm.PERMISSION_SET, resource), resource)
        for user, group in self._members():
            assembly.member(user, group)
        for unread, unknown in context.unreadable(MANAGED_POLICY, POLICY, *_SINGLE, ROLE, USER, GROUP):
            held = context.reader.unknown(unknown.doubt, unread.node, unread.address)
            assembly.unattached(held, context.resolver.place(unread.node), DocumentRole.IDENTITY)

    def attach(self, holder: HolderDraft, value: Node | Unresolved, resource: PresentResource) -> None:
        """Attach a managed policy by its ARN."""
        policy = self.policy(value)
        if policy is None:
            doubt = value.doubt if isinstance(value, Unresolved) else None
            policy = self.not_in_template(self.context.shown(value), value, resource.address, doubt)
            policy = replace(policy, usual=self.context.texts.usual(value))
        self.context.assembly.attach(holder, policy, certain=resource.certain)

    def bound(self, holder: HolderDraft, resource: PresentResource) -> None:
        """Limit a holder by its permissions boundary. If there are several, none is sure to be the limit."""
        values = [value for value, _ in self.context.items(resource.section, "PermissionsBoundary")]
        for value in values:
            if len(values) == 1:
                self._bound_by(holder, value, resource)
            elif (policy := self.policy(value)) is not None:
                self.context.assembly.attached.add(policy.key)

    def policy(self, value: Node | Unresolved) -> AttachedPolicy | None:
        """The managed policy of this template that an ARN names."""
        symbol = self.context.reference(value)
        if symbol is not None:
            return self.managed.get(symbol.name)
        text = self.context.texts.symbolic(value)
        return self._policy_named(text.rpartition("/")[2]) if text and ":policy/" in text else None

    def not_in_template(
        self, arn: str, value: Node | Unresolved, address: str, doubt: Doubt | None = None
    ) -> AttachedPolicy:
        """A managed policy that is not in the template. ``doubt``: why its ARN is not known."""
        if doubt is None or ":policy/" in arn:
            doubt = Doubt(_MISSING.format(arn.rpartition("/")[2] or arn), _TO_READ)
        return policy_of_arn(arn, address, self.context.place(value), self.context.spelling, doubt)

    def holder(self, value: Node | Unresolved, kind: str) -> HolderDraft | None:
        """The role, user or group of this template that a value names, by reference, name or ARN."""
        symbol = self.context.reference(value)
        if symbol is not None:
            name = self.made.get(symbol.name, symbol.name) if kind == ROLE else symbol.name
            return self.context.assembly.at(FORMS[kind], name)
        text = self.context.texts.symbolic(value) or ""
        address = self._address_of(kind, text.rpartition("/")[2])
        return self.context.assembly.at(FORMS[kind], address) if address else None

    def holder_or_outside(self, value: Node | Unresolved, kind: str, resource: PresentResource) -> HolderDraft:
        """The holder that a value names, in this template or outside of it."""
        own = self.holder(value, kind)
        if own is not None:
            return own
        text = self.context.texts.symbolic(value)
        name = text.rpartition("/")[2] if text else None
        evidence = _users_in_other_stack(value) if kind == ROLE else None
        place = self.context.resolver.place(resource.node)
        holder = self.context.assembly.outside(FORMS[kind], name, resource.address, place, evidence)
        holder.name = name if name and not has_symbol(name) else None
        if name and kind in (ROLE, USER):
            holder.arn = self.context.texts.arn_of_name(holder.form, name)
        return holder

    def _policy_named(self, name: str) -> AttachedPolicy | None:
        return self.managed.get(self._address_of(MANAGED_POLICY, name) or "")

    def _address_of(self, kind: str, name: str) -> str | None:
        """The logical id of the role, user, group or managed policy with this name; of a role of SAM's, its owner's."""
        if self._addresses is None:
            self._addresses = {
                (resource.type, self.context.texts.identity(resource.address)): resource.address
                for resource in self.context.resources(ROLE, USER, GROUP, MANAGED_POLICY)
            } | {(ROLE, self.context.texts.identity(role)): address for role, address in self.made.items()}
        return self._addresses.get((kind, name))

    def _policy_at(self, resource: PresentResource) -> AttachedPolicy:
        """A resource that is a policy, with the forms of its document."""
        place, node = self.context.resolver.place(resource.node), resource.section.get("PolicyDocument")
        if node is None:
            self.context.resolver.wrong_shape(resource.node, _NO_DOCUMENT)
            return AttachedPolicy(resource.address, resource.address, place)
        forms = self.context.reader.read(node, resource.address, certain=resource.certain)
        return AttachedPolicy(resource.address, resource.address, place, tuple(forms))

    def _attach_to_listed(self, resource: PresentResource) -> None:
        """Attach a policy to the identities that it lists."""
        policy = self.managed.get(resource.address) or self._policy_at(resource)
        for key, kind in _SINGLE.get(resource.type, _LISTS).items():
            for value, certain in self.context.items(resource.section, key):
                holder = self.holder_or_outside(value, kind, resource)
                self.context.assembly.attach(holder, policy, certain=certain)

    def _attach_all(self, holder: HolderDraft, resource: PresentResource, key: str) -> None:
        """Attach the managed policies that a property lists by their ARNs."""
        for value, certain in self.context.items(resource.section, key):
            self.attach(holder, value, resource.part(resource.section, certain=certain))

    def _bound_by(self, holder: HolderDraft, value: Node | Unresolved, resource: PresentResource) -> None:
        policy = self.policy(value) or self.not_in_template(self.context.shown(value), value, resource.address)
        self.context.assembly.bound(holder, policy)

    def _permission_set(self, holder: HolderDraft, resource: PresentResource) -> None:
        context = self.context
        self._attach_all(holder, resource, "ManagedPolicies")
        for reference in context.sections(resource, "CustomerManagedPolicyReferences"):
            for policy in self._by_name(reference):
                context.assembly.attach(holder, policy, certain=reference.certain)
        for boundary in context.sections(resource, "PermissionsBoundary"):
            for value, _ in context.items(boundary.section, "ManagedPolicyArn"):
                self._bound_by(holder, value, resource)
            for reference in context.sections(boundary, "CustomerManagedPolicyReference"):
                for policy in self._by_name(reference):
                    context.assembly.bound(holder, policy)

    def _by_name(self, reference: PresentResource) -> Iterator[AttachedPolicy]:
        """The policies that a reference names by their names alone."""
        for value, _ in self.context.items(reference.section, "Name"):
            symbol = self.context.reference(value)
            name = self.context.texts.symbolic(value) or "?"
            policy = self.managed.get(symbol.name) if symbol is not None else self._policy_named(name)
            yield policy or self.not_in_template(self.context.shown(value), value, reference.address)

    def _members(self) -> Iterator[tuple[HolderDraft, HolderDraft]]:
        """Each user with a group that he is in."""
        for resource in self.context.resources(USER):
            user = self.context.make(HolderForm.USER, resource)
            yield from ((user, group) for group in self._named(resource, "Groups", GROUP))
        for resource in self.context.resources(MEMBERSHIP):
            users = list(self._named(resource, "Users", USER))
            yield from ((user, group) for group in self._named(resource, "GroupName", GROUP) for user in users)

    def _named(self, resource: PresentResource, key: str, kind: str) -> Iterator[HolderDraft]:
        """The holders of this template that a property names."""
        for value, _ in self.context.items(resource.section, key):
            holder = self.holder(value, kind)
            if holder is not None:
                yield holder


def _users_in_other_stack(value: Node | Unresolved) -> Evidence | None:
    """Who uses a role of another stack; None if it is not known."""
    symbol = value.reference if isinstance(value, Unresolved) else None
    if symbol is None:
        return None
    return _REPLICATING if _makes_replicas(_stack_of(symbol)) else users_of(symbol)


def _stack_of(symbol: NameReference) -> str:
    """The resource that embeds the stack of what a symbol names, or that it names itself."""
    return symbol.name if symbol.stack is None else symbol.stack.context.address
