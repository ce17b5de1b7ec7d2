"""Roles, users, groups; inline, attached, bounded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tablegate.dialects.cloudformation.iam.context import NOBODY, Ground, There
from tablegate.dialects.cloudformation.iam.documents import Piece
from tablegate.dialects.cloudformation.iam.holders import Draft
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
from tablegate.dialects.cloudformation.values import Symbol, Unsettled
from tablegate.iam.arns import has_symbol
from tablegate.iam.grants import DocumentRole, HolderForm, HolderKind, role_by_name
from tablegate.iam.roles import NOTHING, UNTOLD, declared_services, trust_of
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


_LISTS = {"Roles": ROLE, "Users": USER, "Groups": GROUP}
_SINGLE = {ROLE_POLICY: {"RoleName": ROLE}, USER_POLICY: {"UserName": USER}, GROUP_POLICY: {"GroupName": GROUP}}


@record(eq=False, frozen=False, kw_only=False)
class ManagedPolicy:
    """A managed policy of this template. ``used`` where it is attached, or a boundary."""

    there: There
    pieces: list[Piece]
    used: bool = False


@record(eq=False, frozen=False, kw_only=False)
class Attachments:
    """Brings a template's policies to those who hold them."""

    ground: Ground
    managed: dict[str, ManagedPolicy] = field(default_factory=dict)
    _names: dict[tuple[str, str], str] | None = None

    def gather(self) -> None:
        """Attach everything. The holders that the template makes must be begun."""
        ground = self.ground
        for there in ground.resources(MANAGED_POLICY):
            self.managed[there.address] = ManagedPolicy(there, self._pieces(there))
        for there in ground.resources(MANAGED_POLICY, POLICY, *_SINGLE):
            self._give(there)
        for there in ground.resources(ROLE, USER, GROUP):
            draft = ground.drafts[FORMS[there.resource.type], there.address]
            self.attach_listed(draft, there, "ManagedPolicyArns")
            self.bound(draft, there.section)
        for there in ground.resources(PERMISSION_SET):
            self._permission_set(ground.drafts[HolderForm.PERMISSION_SET, there.address], there)
        self._join_groups()

    def leave_over(self) -> None:
        """What nobody holds is judged all the same."""
        for policy in self.managed.values():
            if not policy.used:
                self._leave(policy.there, policy.pieces)
        for resource, unknown in self.ground.unreadable(MANAGED_POLICY, POLICY, *_SINGLE, ROLE, USER, GROUP):
            mentions = self.ground.documents.mentions(resource.node)
            piece = self.ground.documents.unknown(unknown.doubt, resource.node, mentions=mentions)
            draft = self.ground.draft(HolderForm.UNATTACHED, resource, HolderKind.UNKNOWN, NOBODY)
            self.ground.hand(draft, piece, resource.address)

    def _leave(self, there: There, pieces: Iterable[Piece]) -> None:
        draft = self.ground.draft(HolderForm.UNATTACHED, there.resource, HolderKind.UNKNOWN, NOBODY)
        role = role_by_name(there.address, self.ground.text(there.section, "ManagedPolicyName"))
        for piece in pieces:
            if role is DocumentRole.IDENTITY:
                self.ground.hand(draft, piece, there.address)
            else:
                draft.grants.extend(piece.grants(there.address, role, self.ground.spelling))

    def attach_listed(self, draft: Draft, there: There, key: str) -> None:
        """Attach the managed policies that a property lists by their ARNs."""
        for value, sure in self.ground.items(there.section, key):
            self.attach(draft, value, there.address, sure=sure and there.sure)

    def attach(self, draft: Draft, value: Node | Unsettled, address: str, *, sure: bool) -> None:
        """Attach one managed policy by its ARN."""
        policy = self.policy(value)
        if policy is not None:
            policy.used = True
            self._hand(draft, policy.pieces, policy.there.address, sure=sure)
        else:
            arn, place = self.ground.shown(value), self.ground.place(value)
            doubt = value.doubt if isinstance(value, Unsettled) else None
            draft.attach(arn, address, place, self.ground.spelling, sure=sure, doubt=doubt)

    def bound(self, draft: Draft, section: Mapping[str, Node]) -> None:
        """Hold a draft under its permissions boundary."""
        values = [value for value, _ in self.ground.items(section, "PermissionsBoundary")]
        for value in values:
            policy = self.policy(value)
            if policy is not None:
                policy.used = True
        if len(values) == 1:  # of several, none is sure to be the limit
            self._limit(draft, values[0])

    def policy(self, value: Node | Unsettled) -> ManagedPolicy | None:
        """The managed policy of this template that an ARN names."""
        symbol = self.ground.reference(value)
        if symbol is not None:
            return self.managed.get(symbol.name)
        text = self.ground.texts.symbolic(value)
        return self._named(text.rpartition("/")[2]) if text and ":policy/" in text else None

    def holder(self, value: Node | Unsettled, kind: str) -> Draft | None:
        """The role, user or group of this template that a value names, by reference, name or ARN."""
        symbol = self.ground.reference(value)
        if symbol is not None:
            address: str | None = symbol.name
        else:
            text = self.ground.texts.symbolic(value) or ""
            address = self._called(kind, text.rpartition("/")[2])
        return self.ground.drafts.get((FORMS[kind], address)) if address else None

    def stranger(self, there: There, value: Node | Unsettled, kind: str) -> Draft:
        """Somebody that the template does not make, known by the first thing of it that is given to them."""
        text = self.ground.texts.symbolic(value)
        form = FORMS[kind]
        name = text.rpartition("/")[2] if text else None
        kind, why = people(form) if form is not HolderForm.ROLE else self._role_elsewhere(value)
        draft = self.ground.draft(form, there.resource, kind, why, key=f"name: {name or there.address}")
        draft.outside = True
        draft.name = name if name and not has_symbol(name) else None
        draft.address = min(draft.address, there.address)
        return draft

    def _role_elsewhere(self, value: Node | Unsettled) -> tuple[HolderKind, str]:
        """What is known of a role that is only named."""
        symbol = value.symbol if isinstance(value, Unsettled) else None
        stack = _stack_of(symbol) if symbol is not None else ""
        if made_for_replicas(stack):
            return REPLICATING
        found = users_of(symbol) if symbol is not None else None
        return found or (HolderKind.UNKNOWN, "it is not in this input")

    def _named(self, name: str) -> ManagedPolicy | None:
        return self.managed.get(self._called(MANAGED_POLICY, name) or "")

    def _called(self, kind: str, name: str) -> str | None:
        """The logical id of what has this name."""
        if self._names is None:
            self._names = {
                (there.resource.type, self.ground.texts.identity(there.address)): there.address
                for there in self.ground.resources(ROLE, USER, GROUP, MANAGED_POLICY)
            }
        return self._names.get((kind, name))

    def _give(self, there: There) -> None:
        policy = self.managed.get(there.address)
        pieces = self._pieces(there) if policy is None else policy.pieces
        for key, kind in _SINGLE.get(there.resource.type, _LISTS).items():
            for value, sure in self.ground.items(there.section, key):
                self._hand(
                    self.holder(value, kind) or self.stranger(there, value, kind), pieces, there.address, sure=sure
                )
                if policy is not None:
                    policy.used = True

    def _pieces(self, there: There) -> list[Piece]:
        node = there.section.get("PolicyDocument")
        if node is None:
            self.ground.resolver.misfit(there.resource.node, "a policy needs a PolicyDocument")
            return []
        return self.ground.documents.read(node, sure=there.sure)

    def _hand(self, draft: Draft, pieces: Iterable[Piece], address: str, *, sure: bool) -> None:
        for piece in pieces if draft.is_new(address) else ():
            self.ground.hand(draft, piece if sure else piece.perhaps(), address)

    def _limit(self, draft: Draft, value: Node | Unsettled) -> None:
        policy = self.policy(value)
        if policy is None:
            draft.limit_by(self.ground.shown(value))
        for piece in policy.pieces if policy is not None else ():
            draft.limit(piece)

    def _permission_set(self, draft: Draft, there: There) -> None:
        self.attach_listed(draft, there, "ManagedPolicies")
        for reference in self.ground.sections(there, "CustomerManagedPolicyReferences"):
            for value, _ in self.ground.items(reference.section, "Name"):
                self._by_name(draft, value, reference)
        for boundary in self.ground.sections(there, "PermissionsBoundary"):
            for value, _ in self.ground.items(boundary.section, "ManagedPolicyArn"):
                self._limit(draft, value)
            for reference in self.ground.sections(boundary, "CustomerManagedPolicyReference"):
                name = self.ground.text(reference.section, "Name") or "?"
                policy = self._named(name)
                for piece in policy.pieces if policy is not None else ():
                    draft.limit(piece)
                if policy is None:
                    draft.limit_by(name)
                else:
                    policy.used = True

    def _by_name(self, draft: Draft, value: Node | Unsettled, there: There) -> None:
        symbol = self.ground.reference(value)
        name = self.ground.texts.symbolic(value) or "?"
        policy = self.managed.get(symbol.name) if symbol is not None else self._named(name)
        if policy is not None:
            policy.used = True
            self._hand(draft, policy.pieces, policy.there.address, sure=there.sure)
        else:
            shown, place = self.ground.shown(value), self.ground.place(value)
            draft.attach(shown, there.address, place, self.ground.spelling, sure=there.sure)

    def _join_groups(self) -> None:
        """Users hold what their groups hold. Who answers for it is the group."""
        for user, group in self._members():
            user.inherited += map(replace, group.grants)

    def _members(self) -> Iterator[tuple[Draft, Draft]]:
        for there in self.ground.resources(USER):
            user = self.ground.drafts[HolderForm.USER, there.address]
            for value, _ in self.ground.items(there.section, "Groups"):
                group = self.holder(value, GROUP)
                if group is not None:
                    yield user, group
        for there in self.ground.resources(MEMBERSHIP):
            groups = [self.holder(value, GROUP) for value, _ in self.ground.items(there.section, "GroupName")]
            users = [self.holder(value, USER) for value, _ in self.ground.items(there.section, "Users")]
            yield from ((user, group) for group in groups if group for user in users if user)


def _stack_of(symbol: Symbol) -> str:
    """The resource that embeds what a symbol stands for, or the one that it stands for itself."""
    return symbol.name if symbol.home is None else symbol.home.around.address
