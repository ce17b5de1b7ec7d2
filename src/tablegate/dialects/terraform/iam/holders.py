"""Holders, made of the documents that were handed to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tablegate.dialects.terraform.iam.attachments import Person
from tablegate.dialects.terraform.iam.context import Ground
from tablegate.dialects.terraform.iam.documents import Deed, concerns_tables
from tablegate.dialects.terraform.iam.managed_policies import Attached
from tablegate.dialects.terraform.iam.own_policies import Thing
from tablegate.dialects.terraform.iam.roles import Kinds
from tablegate.iam.documents import Document
from tablegate.iam.grants import DocumentRole, Grant, HolderForm, HolderKind, Unread
from tablegate.iam.holders import Holder
from tablegate.model.record import replace

_NOBODY = "nobody in this input holds it"


class Builder:
    """Makes the holders of one plan."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._copies: set[Grant] = set()

    def is_copy(self, grant: Grant) -> bool:
        """Whether a grant is a member's share in what its group holds: it counts for him, and is judged there."""
        return grant in self._copies

    def person(self, person: Person, kinds: Kinds) -> Holder:
        """A role, a user, a group or a permission set, a user with all that his groups hold."""
        grants = list(_held(person))
        shared = [grant for group in person.groups for grant in _held(group)]
        self._copies.update(shared)
        trust = kinds.of(person)
        return Holder(
            address=person.address,
            place=person.place,
            form=person.form,
            kind=trust.kind,
            why=trust.why,
            name=person.name,
            outside=person.resource is None,
            services=trust.services,
            grants=tuple(sorted([*grants, *shared], key=_order)),
            ceilings=tuple(person.ceilings),
            ceiling_doubt=person.ceiling_doubt,
            unread=_unread(list(person.deeds.values()), list(person.attached.values())),
            needs=kinds.needs(person),
            symbols=self._ground.symbols,
        )

    def thing(self, thing: Thing) -> Holder:
        """A resource with documents of its own."""
        deeds = [deed for deed, _ in thing.deeds]
        grants = [grant for deed, target in thing.deeds for grant in _grants(deed, thing.role, target)]
        return Holder(
            address=thing.address,
            place=thing.place,
            form=thing.form,
            kind=HolderKind.UNKNOWN,
            why=thing.why,
            name=thing.name,
            grants=tuple(sorted(grants, key=_order)),
            unread=_unread(deeds, [], concerned=True),
            symbols=self._ground.symbols,
        )

    def nobody(self, deed: Deed, role: DocumentRole) -> Holder:
        """A document that nobody in the input holds."""
        return Holder(
            address=deed.address,
            place=replace(deed.place, path=None),
            form=HolderForm.UNATTACHED,
            kind=HolderKind.UNKNOWN,
            why=_NOBODY,
            grants=tuple(_grants(deed, role)),
            unread=_unread([deed], []) if role is DocumentRole.IDENTITY else (),
            symbols=self._ground.symbols,
        )


def _held(person: Person) -> Iterator[Grant]:
    for deed in person.deeds.values():
        yield from _grants(deed, DocumentRole.IDENTITY)
    for policy in person.attached.values():
        if policy.deed is not None:
            yield from _grants(policy.deed, DocumentRole.IDENTITY)
        elif policy.document is not None:
            yield from _of_aws(policy, policy.document)


def _grants(deed: Deed, role: DocumentRole, target: str | None = None) -> Iterator[Grant]:
    for statement in deed.document.statements:
        yield Grant(
            address=deed.address,
            place=deed.place,
            role=role,
            document=deed.document,
            statement=statement,
            target=target,
            spelling=deed.spelling,
        )


def _of_aws(policy: Attached, document: Document) -> Iterator[Grant]:
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
    deeds: Iterable[Deed], attached: Iterable[Attached], *, concerned: bool | None = None
) -> tuple[Unread, ...]:
    """What could not be read of somebody's documents. One that concerns tables makes the others matter."""
    deeds, attached = list(deeds), list(attached)
    doubtful: list[Deed | Attached] = [deed for deed in deeds if deed.document.doubts]
    doubtful += [one for one in attached if _is_doubtful(one)]
    if not doubtful:
        return ()
    if concerned is None:
        texts = (*(deed.document for deed in deeds), *(one.whole for one in attached))
        concerned = any(concerns_tables(text) for text in texts if text is not None)
        concerned = concerned or any(one.touches for one in _deeds(deeds, attached))
    found = (one.unread(concerned=concerned) for one in doubtful)
    return tuple(sorted((one for one in found if one is not None), key=lambda one: (one.address, one.doubt.reason)))


def _deeds(deeds: Iterable[Deed], attached: Iterable[Attached]) -> Iterator[Deed]:
    yield from deeds
    yield from (one.deed for one in attached if one.deed is not None)


def _is_doubtful(policy: Attached) -> bool:
    return policy.doubt is not None or (policy.whole is not None and bool(policy.whole.doubts))


def _order(grant: Grant) -> tuple[str, int, str]:
    return grant.address, grant.statement.index, grant.label
