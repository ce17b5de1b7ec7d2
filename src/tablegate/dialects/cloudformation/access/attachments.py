"""Policies of their own, and to whom they are attached: by reference, by name, or to nobody here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tablegate.access.grants import DocumentRole, HolderForm, HolderKind, role_by_name
from tablegate.access.symbols import has_symbol
from tablegate.dialects.cloudformation.access import identities
from tablegate.dialects.cloudformation.access.drafts import Draft
from tablegate.dialects.cloudformation.access.elsewhere import users_of
from tablegate.dialects.cloudformation.access.ground import NOBODY, Ground, There
from tablegate.dialects.cloudformation.access.pieces import Piece
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
from tablegate.dialects.cloudformation.unsettled import Symbol, Unsettled
from tablegate.model.record import field, record, replace
from tablegate.syntax.node import Node

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
            draft = ground.drafts[identities.FORMS[there.resource.type], there.address]
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
        return self.ground.drafts.get((identities.FORMS[kind], address)) if address else None

    def stranger(self, there: There, value: Node | Unsettled, kind: str) -> Draft:
        """Somebody that the template does not make, known by the first thing of it that is given to them."""
        text = self.ground.texts.symbolic(value)
        form = identities.FORMS[kind]
        name = text.rpartition("/")[2] if text else None
        kind, why = identities.people(form) if form is not HolderForm.ROLE else self._role_elsewhere(value)
        draft = self.ground.draft(form, there.resource, kind, why, key=f"name: {name or there.address}")
        draft.outside = True
        draft.name = name if name and not has_symbol(name) else None
        draft.address = min(draft.address, there.address)
        return draft

    def _role_elsewhere(self, value: Node | Unsettled) -> tuple[HolderKind, str]:
        """What is known of a role that is only named."""
        symbol = value.symbol if isinstance(value, Unsettled) else None
        stack = _stack_of(symbol) if symbol is not None else ""
        if identities.made_for_replicas(stack):
            return identities.REPLICATING
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
