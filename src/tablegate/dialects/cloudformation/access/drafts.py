"""Holders in the making: what the resources of a template say of each, gathered before it is made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from tablegate.access.documents import Document
from tablegate.access.grants import DocumentRole, Grant, HolderForm, HolderKind, Unread
from tablegate.access.holders import Holder
from tablegate.access.managed import managed_path, managed_policies
from tablegate.access.symbols import Symbols
from tablegate.access.trust import most_exposed
from tablegate.dialects.cloudformation.access.pieces import Piece, concerns_tables
from tablegate.model.value import Doubt, Place

_NOT_HERE = "the policy {} is not in this template"
_GIVE = "check the template that makes it together with this one, or write its statements here"


@dataclass(slots=True, kw_only=True)
class Draft:
    """A holder that is not finished: whatever speaks of it adds to it."""

    address: str
    place: Place
    form: HolderForm
    evidence: list[tuple[HolderKind, str]] = field(default_factory=list)
    name: str | None = None
    services: set[str] = field(default_factory=set)
    grants: list[Grant] = field(default_factory=list)
    inherited: list[Grant] = field(default_factory=list)  # of a user's groups: theirs to answer for
    ceilings: list[Document] = field(default_factory=list)
    ceiling_doubt: Doubt | None = None
    unread: list[Unread] = field(default_factory=list)
    outside: list[Unread] = field(default_factory=list)  # matters if the holder reaches tables at all

    def add(self, piece: Piece, address: str, role: DocumentRole, spelling: str, target: str | None = None) -> None:
        """Put a document into the holder's hands."""
        self.grants.extend(piece.grants(address, role, spelling, target))
        for unread in piece.unread(address):
            (self.unread if unread.relevant or piece.document.doubt is None else self.outside).append(unread)

    def attach(self, arn: str, address: str, place: Place, spelling: str, *, sure: bool = True) -> None:
        """Attach a managed policy that no template writes down: one of AWS's, or one that is somewhere else."""
        path = managed_path(arn)
        policy = managed_policies().get(path) if path is not None else None
        if policy is not None:
            document = policy.document()
            statement = replace(document.statements[0], place=place, present=sure)
            self.grants.append(
                Grant(
                    address=address,
                    place=place,
                    role=DocumentRole.IDENTITY,
                    document=document,
                    statement=statement,
                    managed=path,
                    spelling=spelling,
                )
            )
        elif path is not None:
            doubt = Doubt(f"the AWS managed policy {path} is none of those known to reach tables")
            self.unread.append(Unread(address=address, place=place, doubt=doubt, relevant=False, partly=False))
        else:
            self.outside.append(_outside(arn, address, place))

    def limit(self, piece: Piece) -> None:
        """Hold the draft under a ceiling."""
        if piece.document.doubt is not None:
            self.ceiling_doubt = piece.document.doubt
        else:
            self.ceilings.append(piece.document)

    def limit_by(self, arn: str) -> None:
        """Hold the draft under a policy that the template does not write down."""
        path = managed_path(arn)
        policy = managed_policies().get(path) if path is not None else None
        if policy is None:
            self.ceiling_doubt = Doubt(_NOT_HERE.format(arn.rpartition("/")[2] or arn), _GIVE)
        else:
            self.ceilings.append(policy.document())

    def made(self, symbols: Symbols) -> Holder:
        """The finished holder."""
        matters = any(concerns_tables(grant.statement) for grant in self.grants)
        outside = (replace(unread, relevant=matters) for unread in self.outside)
        kind, why = most_exposed(self.evidence) if self.evidence else (HolderKind.UNKNOWN, "nothing says who uses it")
        return Holder(
            address=self.address,
            place=self.place,
            form=self.form,
            kind=kind,
            why=why,
            name=self.name,
            services=frozenset(self.services),
            grants=(*self.grants, *self.inherited),
            ceilings=tuple(self.ceilings),
            ceiling_doubt=self.ceiling_doubt,
            unread=(*self.unread, *outside),
            symbols=symbols,
        )


def sorted_grants(drafts: Iterable[Draft]) -> tuple[Grant, ...]:
    """Every grant once, by its address and statement."""
    every = (grant for draft in drafts for grant in draft.grants)
    return tuple(sorted(every, key=lambda grant: (grant.address, grant.statement.index, grant.label)))


def _outside(arn: str, address: str, place: Place) -> Unread:
    doubt = Doubt(_NOT_HERE.format(arn.rpartition("/")[2] or arn), _GIVE)
    return Unread(address=address, place=place, doubt=doubt, relevant=False, partly=False)
