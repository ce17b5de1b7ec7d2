"""Holders in the making: what the resources of a template say of each, gathered before it is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter

from tablegate.dialects.cloudformation.iam.documents import HeldDocument, concerns_tables
from tablegate.iam.arns import Symbols
from tablegate.iam.aws_data import MANAGED_AS_OF
from tablegate.iam.documents import Document
from tablegate.iam.grants import DocumentRole, Grant, HolderForm, HolderKind, Maker, Unread
from tablegate.iam.holders import Holder
from tablegate.iam.managed_policies import managed_path, managed_policies
from tablegate.iam.roles import NOTHING, Calls, most_exposed, needs_of
from tablegate.model.record import field, record, replace
from tablegate.model.value import Doubt, Place

_ELSEWHERE = "the policy {} is not in this template"
_GIVE = "its statements in this template, or a check of the template that makes it"
_STRANGE = f"the AWS managed policy {{}} is not among those that grant DynamoDB actions, as of {MANAGED_AS_OF}"

_ORDER = attrgetter("address", "statement.index", "statement.label")
_ORDER_OF_ALL = attrgetter("address", "statement.index", "statement.label", "holder.address")

Evidence = tuple[HolderKind, str]


@record(eq=False, frozen=False)
class HolderDraft:
    """A holder that is not finished: whatever speaks of it adds to it.

    ``trusted`` is what its trust policy says of it, ``uses`` the resources that use it, which count where that says
    nothing, ``serves`` the end users that it is known to serve, and ``calls`` what integrations of a service call.
    """

    address: str
    place: Place
    form: HolderForm
    trusted: list[Evidence]
    name: str | None = None
    outside: bool = False
    services: set[str] = field(default_factory=set)
    uses: list[Evidence] = field(default_factory=list)
    serves: list[Evidence] = field(default_factory=list)
    declared: frozenset[str] = NOTHING  # services that may assume it, where all of them say what they call
    calls: list[tuple[str, Calls]] = field(default_factory=list)
    whole: bool = False  # its address is that from the topmost stack on already
    concerned: bool = False  # what cannot be read of it matters, whatever can
    grants: list[Grant] = field(default_factory=list)
    inherited: list[Grant] = field(default_factory=list)  # of a user's groups: theirs to answer for
    ceilings: list[Document] = field(default_factory=list)
    ceiling_doubt: Doubt | None = None
    _attached: set[str] = field(default_factory=set)
    _documents: list[tuple[HeldDocument, str]] = field(default_factory=list)
    _others: list[tuple[Unread, bool]] = field(default_factory=list)  # and whether it is its holder that decides

    def hold(self, held: HeldDocument, grants: Iterable[Grant], address: str) -> None:
        """Put a document into the holder's hands."""
        self.grants.extend(grants)
        if held.document.doubts:
            self._documents.append((held, address))

    def is_new(self, policy: str) -> bool:
        """Whether a policy is attached for the first time: the same one twice is one."""
        new = policy not in self._attached
        self._attached.add(policy)
        return new

    def attach(
        self,
        arn: str,
        address: str,
        place: Place,
        spelling: str,
        *,
        certain: bool,
        by: Maker | None = None,
        doubt: Doubt | None = None,
    ) -> None:
        """Attach a managed policy that the template does not write down: one of AWS's, or one from somewhere else."""
        path = managed_path(arn)
        policy = managed_policies().get(path) if path is not None else None
        if not self.is_new(path or arn):
            return
        if policy is None:
            missing = _missing(arn, path, address, place)
            if doubt is not None and ":policy/" not in arn:
                missing = replace(missing, doubt=doubt)
            self._others.append((missing, path is None))
            return
        document = policy.document()
        self.grants.extend(
            Grant(
                address=address,
                place=place,
                role=DocumentRole.IDENTITY,
                document=document,
                statement=statement if certain else replace(statement, present=False),
                managed=path,
                spelling=spelling,
                made_by=by,
            )
            for statement in document.statements
        )

    def limit(self, held: HeldDocument) -> None:
        """Hold the draft under a ceiling."""
        if held.document.doubts:
            self.ceiling_doubt = held.document.doubts[0]
        else:
            self.ceilings.append(held.document)

    def limit_by(self, arn: str) -> None:
        """Hold the draft under a policy that the template does not write down."""
        path = managed_path(arn)
        policy = managed_policies().get(path) if path is not None else None
        if policy is None:
            self.ceiling_doubt = Doubt(_ELSEWHERE.format(arn.rpartition("/")[2] or arn), _GIVE)
        else:
            self.ceilings.append(policy.document())

    def move(self, full: Callable[[str], str]) -> None:
        """Take the addresses as they are from the topmost stack on."""
        if self.whole:
            return
        self.address = full(self.address)
        self.grants = [replace(grant, address=full(grant.address)) for grant in self.grants]
        self.inherited = [replace(grant, address=full(grant.address)) for grant in self.inherited]
        self._documents = [(held, full(address)) for held, address in self._documents]
        self._others = [(replace(unread, address=full(unread.address)), open_) for unread, open_ in self._others]

    def made(self, symbols: Symbols) -> Holder:
        """The finished holder."""
        kind, why = self._kind()
        return Holder(
            address=self.address,
            place=self.place,
            form=self.form,
            kind=kind,
            why=why,
            name=self.name,
            outside=self.outside,
            services=frozenset(self.services),
            grants=tuple(sorted([*self.grants, *self.inherited], key=_ORDER)),
            ceilings=tuple(self.ceilings),
            ceiling_doubt=self.ceiling_doubt,
            unread=self._unread(),
            needs=needs_of(self.declared, self.calls),
            symbols=symbols,
        )

    def _kind(self) -> Evidence:
        told = [evidence for evidence in self.trusted if evidence[0] is not HolderKind.UNKNOWN]
        found = [*(told or self.uses), *self.serves]
        return most_exposed(found or self.trusted)

    def _unread(self) -> tuple[Unread, ...]:
        if not self._documents and not self._others:
            return ()
        concerned = (
            self.concerned
            or any(grant.statement.allows and concerns_tables(grant.statement) for grant in self.grants)
            or any(held.mentions for held, _ in self._documents if held.document.doubt is not None)
        )
        found = [held.unread(address, concerned=concerned) for held, address in self._documents]
        found += [replace(unread, relevant=unread.relevant or (open_ and concerned)) for unread, open_ in self._others]
        return tuple(sorted(found, key=lambda unread: (unread.address, unread.doubt.reason)))


def sorted_grants(holders: Iterable[HolderDraft]) -> tuple[Grant, ...]:
    """Every grant once, by its address and statement."""
    return tuple(sorted([grant for holder in holders for grant in holder.grants], key=_ORDER_OF_ALL))


def _missing(arn: str, path: str | None, address: str, place: Place) -> Unread:
    """A managed policy whose statements are not known; a customer's matters if it is about tables, or its holder is."""
    if path is not None:
        doubt, relevant = Doubt(_STRANGE.format(path)), False
    else:
        doubt, relevant = Doubt(_ELSEWHERE.format(arn.rpartition("/")[2] or arn), _GIVE), "dynamodb" in arn.lower()
    return Unread(address=address, place=place, doubt=doubt, relevant=relevant, partly=False)
