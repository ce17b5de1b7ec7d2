"""Policies of their own, and to whom they are attached: by reference, by name, or to nobody here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field

from tablegate.access.grants import DocumentRole, HolderForm, HolderKind
from tablegate.dialects.cloudformation.access import identities
from tablegate.dialects.cloudformation.access.drafts import Draft
from tablegate.dialects.cloudformation.access.ground import Ground, There
from tablegate.dialects.cloudformation.access.pieces import Piece
from tablegate.dialects.cloudformation.template import (
    GROUP,
    GROUP_POLICY,
    MANAGED_POLICY,
    MEMBERSHIP,
    POLICY,
    ROLE,
    ROLE_POLICY,
    USER,
    USER_POLICY,
)
from tablegate.dialects.cloudformation.unsettled import Unsettled
from tablegate.syntax.node import Node

_LISTS = {"Roles": ROLE, "Users": USER, "Groups": GROUP}
_SINGLE = {ROLE_POLICY: ("RoleName", ROLE), USER_POLICY: ("UserName", USER), GROUP_POLICY: ("GroupName", GROUP)}
_PEOPLE = {USER: (HolderForm.USER, "an IAM user"), GROUP: (HolderForm.GROUP, "an IAM group")}


@dataclass(slots=True)
class ManagedPolicy:
    """A managed policy of this template. ``used`` where it is attached, or a boundary."""

    there: There
    pieces: list[Piece]
    used: bool = False


@dataclass(slots=True)
class Attachments:
    """Brings a template's policies to those who hold them."""

    ground: Ground
    managed: dict[str, ManagedPolicy] = field(default_factory=dict)
    _names: dict[tuple[str, str], str] = field(default_factory=dict)

    def gather(self) -> None:
        """Attach everything. The holders that the template makes must be begun."""
        self._name_all()
        self._managed_policies()
        self._inline_policies()
        for there in self.ground.resources(ROLE, USER, GROUP):
            draft = self.ground.drafts[identities.FORMS[there.resource.type], there.address]
            self.attach_listed(draft, there, "ManagedPolicyArns")
            self.bound(draft, there.section)

    def leave_over(self) -> None:
        """What nobody holds is held by nobody: it is judged all the same."""
        for address, policy in self.managed.items():
            if not policy.used:
                why = "nothing in this template uses it"
                draft = self.ground.draft(HolderForm.UNATTACHED, policy.there.resource, HolderKind.UNKNOWN, why)
                self._hand(draft, policy.pieces, address, sure=True)

    def attach_listed(self, draft: Draft, there: There, key: str) -> None:
        """Attach the managed policies that a property lists by their ARNs."""
        for value, sure in self.ground.items(there.section, key):
            self.attach(draft, value, there, sure=sure and there.sure)

    def attach(self, draft: Draft, value: Node | Unsettled, there: There, *, sure: bool) -> None:
        """Attach one managed policy by its ARN."""
        policy = self.policy(value)
        if policy is not None:
            policy.used = True
            self._hand(draft, policy.pieces, policy.there.address, sure=sure)
            return
        place = self.ground.resolver.place(value.node if isinstance(value, Unsettled) else value)
        arn = self.ground.symbols.shown(self.ground.texts.symbolic(value) or "?")
        draft.attach(arn, there.address, place, self.ground.spelling, sure=sure)

    def bound(self, draft: Draft, section: Mapping[str, Node]) -> None:
        """Hold a draft under its permissions boundary."""
        values = [value for value, _ in self.ground.items(section, "PermissionsBoundary")]
        if len(values) == 1:  # of several, none is sure to be the limit
            self.limit(draft, values[0])

    def limit(self, draft: Draft, value: Node | Unsettled) -> None:
        """Hold a draft under a policy."""
        policy = self.policy(value)
        if policy is None:
            draft.limit_by(self.ground.symbols.shown(self.ground.texts.symbolic(value) or "?"))
            return
        policy.used = True
        for piece in policy.pieces:
            draft.limit(piece)

    def policy(self, value: Node | Unsettled) -> ManagedPolicy | None:
        """The managed policy of this template that an ARN names."""
        symbol = self.ground.reference(value)
        if symbol is not None and symbol.name in self.managed:
            return self.managed[symbol.name]
        text = self.ground.texts.symbolic(value)
        return self.named(text.rpartition("/")[2]) if text and ":policy/" in text else None

    def named(self, name: str) -> ManagedPolicy | None:
        """The managed policy of this template with this name."""
        return self.managed.get(self._names.get((MANAGED_POLICY, name), ""))

    def holder(self, value: Node | Unsettled, kind: str) -> Draft | None:
        """The role, user or group of this template that a value names, by reference, name or ARN."""
        symbol = self.ground.reference(value)
        if symbol is None:
            text = self.ground.texts.symbolic(value) or ""
            address = self._names.get((kind, text.rpartition("/")[2]))
        else:
            address = symbol.name
        return self.ground.drafts.get((identities.FORMS[kind], address)) if address else None

    def _name_all(self) -> None:
        for kind in (ROLE, USER, GROUP, MANAGED_POLICY):
            for there in self.ground.resources(kind):
                self._names[kind, self.ground.texts.identity(there.address)] = there.address

    def _managed_policies(self) -> None:
        found = list(self.ground.resources(MANAGED_POLICY))
        for there in found:
            self.managed[there.address] = ManagedPolicy(there, self._pieces(there))
        for there in found:
            policy = self.managed[there.address]
            for draft, sure in self._holders(there):
                policy.used = True
                self._hand(draft, policy.pieces, there.address, sure=sure)

    def _inline_policies(self) -> None:
        for there in self.ground.resources(POLICY, *_SINGLE):
            pieces = self._pieces(there)
            for draft, sure in self._holders(there):
                self._hand(draft, pieces, there.address, sure=sure)

    def _pieces(self, there: There) -> list[Piece]:
        node = there.section.get("PolicyDocument")
        if node is None:
            self.ground.resolver.misfit(there.resource.node, "PolicyDocument is needed")
            return []
        return self.ground.documents.read(node, sure=there.sure)

    def _hand(self, draft: Draft, pieces: Iterable[Piece], address: str, *, sure: bool) -> None:
        for piece in pieces:
            whole = piece if sure else piece.perhaps()
            draft.add(whole, address, DocumentRole.IDENTITY, self.ground.spelling)

    def _holders(self, there: There) -> Iterator[tuple[Draft, bool]]:
        listed = (
            {_SINGLE[there.resource.type][0]: _SINGLE[there.resource.type][1]}
            if there.resource.type in _SINGLE
            else _LISTS
        )
        for key, kind in listed.items():
            for value, sure in self.ground.items(there.section, key):
                yield self.holder(value, kind) or self._stranger(there, value, kind), sure

    def _stranger(self, there: There, value: Node | Unsettled, kind: str) -> Draft:
        """Whoever a policy is attached to that the template does not make."""
        name = self.ground.symbols.shown(self.ground.texts.symbolic(value) or "?")
        form, why = _PEOPLE.get(kind, (HolderForm.UNATTACHED, f"the role {name} is not in this template"))
        known = HolderKind.HUMAN if kind in _PEOPLE else HolderKind.UNKNOWN
        draft = self.ground.draft(form, there.resource, known, why, f"{there.address} {name}")
        draft.name = name
        return draft


def join_groups(ground: Ground, attachments: Attachments) -> None:
    """Users hold what their groups hold. Who answers for it is the group."""
    members: list[tuple[Draft, Draft]] = []
    for there in ground.resources(USER):
        user = ground.drafts[HolderForm.USER, there.address]
        members += [
            (user, group)
            for value, _ in ground.items(there.section, "Groups")
            if (group := attachments.holder(value, GROUP))
        ]
    for there in ground.resources(MEMBERSHIP):
        groups = [attachments.holder(value, GROUP) for value, _ in ground.items(there.section, "GroupName")]
        users = [attachments.holder(value, USER) for value, _ in ground.items(there.section, "Users")]
        members += [(user, group) for group in groups if group for user in users if user]
    for user, group in members:
        user.inherited += [copy(grant) for grant in group.grants]
