"""Holders, made of the documents that were handed to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tablegate.dialects.terraform.iam.attachments import HolderDraft
from tablegate.dialects.terraform.iam.context import PlanContext
from tablegate.dialects.terraform.iam.documents import HeldDocument, concerns_tables
from tablegate.dialects.terraform.iam.managed_policies import AttachedPolicy
from tablegate.dialects.terraform.iam.own_policies import PolicyOwner
from tablegate.dialects.terraform.iam.roles import RoleUsers
from tablegate.iam.documents import Document
from tablegate.iam.grants import DocumentRole, Grant, HolderForm, HolderKind, Unread
from tablegate.iam.holders import Holder
from tablegate.model.record import replace

_NOBODY = "nobody in this input holds it"


class HolderBuilder:
    """Makes the holders of one plan."""

    def __init__(self, context: PlanContext) -> None:
        self._context = context
        self._copies: set[Grant] = set()

    def is_copy(self, grant: Grant) -> bool:
        """Whether a grant is a member's share in what its group holds: it counts for him, and is judged there."""
        return grant in self._copies

    def identity(self, holder: HolderDraft, users: RoleUsers) -> Holder:
        """A role, a user, a group or a permission set, a user with all that his groups hold."""
        grants = list(_held(holder))
        shared = [grant for group in holder.groups for grant in _held(group)]
        self._copies.update(shared)
        trust = users.of(holder)
        return Holder(
            address=holder.address,
            place=holder.place,
            form=holder.form,
            kind=trust.kind,
            why=trust.why,
            name=holder.name,
            outside=holder.resource is None,
            services=trust.services,
            grants=tuple(sorted([*grants, *shared], key=_order)),
            ceilings=tuple(holder.ceilings),
            ceiling_doubt=holder.ceiling_doubt,
            unread=_unread(list(holder.inline.values()), list(holder.attached.values())),
            needs=users.needs(holder),
            symbols=self._context.symbols,
        )

    def policy_owner(self, owner: PolicyOwner) -> Holder:
        """A resource with documents of its own."""
        documents = [held for held, _ in owner.documents]
        grants = [grant for held, target in owner.documents for grant in _grants(held, owner.role, target)]
        return Holder(
            address=owner.address,
            place=owner.place,
            form=owner.form,
            kind=HolderKind.UNKNOWN,
            why=owner.why,
            name=owner.name,
            grants=tuple(sorted(grants, key=_order)),
            unread=_unread(documents, [], concerned=True),
            symbols=self._context.symbols,
        )

    def unattached(self, held: HeldDocument, role: DocumentRole) -> Holder:
        """A document that nobody in the input holds."""
        return Holder(
            address=held.address,
            place=replace(held.place, path=None),
            form=HolderForm.UNATTACHED,
            kind=HolderKind.UNKNOWN,
            why=_NOBODY,
            grants=tuple(_grants(held, role)),
            unread=_unread([held], []) if role is DocumentRole.IDENTITY else (),
            symbols=self._context.symbols,
        )


def _held(holder: HolderDraft) -> Iterator[Grant]:
    for held in holder.inline.values():
        yield from _grants(held, DocumentRole.IDENTITY)
    for policy in holder.attached.values():
        if policy.held is not None:
            yield from _grants(policy.held, DocumentRole.IDENTITY)
        elif policy.document is not None:
            yield from _of_aws(policy, policy.document)


def _grants(held: HeldDocument, role: DocumentRole, target: str | None = None) -> Iterator[Grant]:
    for statement in held.document.statements:
        yield Grant(
            address=held.address,
            place=held.place,
            role=role,
            document=held.document,
            statement=statement,
            target=target,
            spelling=held.spelling,
        )


def _of_aws(policy: AttachedPolicy, document: Document) -> Iterator[Grant]:
    for statement in document.statements:
        yield Grant(
            address=policy.address,
            place=policy.place,
            role=DocumentRole.IDENTITY,
            document=document,
            statement=statement,
            managed=policy.managed,
            spelling="hcl",
        )


def _unread(
    documents: Iterable[HeldDocument], attached: Iterable[AttachedPolicy], *, concerned: bool | None = None
) -> tuple[Unread, ...]:
    """What could not be read of somebody's documents. One that concerns tables makes the others matter."""
    documents, attached = list(documents), list(attached)
    doubtful: list[HeldDocument | AttachedPolicy] = [held for held in documents if held.document.doubts]
    doubtful += [one for one in attached if _is_doubtful(one)]
    if not doubtful:
        return ()
    if concerned is None:
        texts = (*(held.document for held in documents), *(one.whole for one in attached))
        concerned = any(concerns_tables(text) for text in texts if text is not None)
        concerned = concerned or any(one.mentions_table for one in _held_documents(documents, attached))
    found = (one.unread(concerned=concerned) for one in doubtful)
    return tuple(sorted((one for one in found if one is not None), key=lambda one: (one.address, one.doubt.reason)))


def _held_documents(documents: Iterable[HeldDocument], attached: Iterable[AttachedPolicy]) -> Iterator[HeldDocument]:
    yield from documents
    yield from (one.held for one in attached if one.held is not None)


def _is_doubtful(policy: AttachedPolicy) -> bool:
    return policy.doubt is not None or (policy.whole is not None and bool(policy.whole.doubts))


def _order(grant: Grant) -> tuple[str, int, str]:
    return grant.address, grant.statement.index, grant.label
