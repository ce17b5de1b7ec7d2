"""The holders of one input, assembled from what its resources say of each.

A dialect makes the holders of its resources first, and then adds to them in any order: documents and policies,
boundaries, trust policies and groups. ``HolderAssembly.build`` finds who uses each role and which unread documents
matter, and adds the policies that nobody holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import TypeAlias

from tablegate.dialects.roles import (
    DAX_SERVICE,
    DAX_USE,
    Resource,
    RoleReader,
    calls_of,
    dax_roles,
    served_by,
    uses_of,
)
from tablegate.iam.actions import may_concern_dynamodb
from tablegate.iam.arns import Symbols, has_symbol
from tablegate.iam.aws_data import MANAGED_AS_OF
from tablegate.iam.documents import Document, Statement
from tablegate.iam.grants import DocumentRole, Grant, HolderForm, HolderKind, Maker, Unread, role_by_name
from tablegate.iam.holders import Holder
from tablegate.iam.managed_policies import managed_path, managed_policies, other_policies, path_of
from tablegate.iam.patterns import Tier, scope_of
from tablegate.iam.resource_policies import shared_grants, trusted_among
from tablegate.iam.roles import NO_TRUST_POLICY, NOTHING, Calls, declared_services, most_exposed, needs_of, trust_of
from tablegate.model.record import field, record, replace
from tablegate.model.value import Doubt, Place

_NOBODY = (HolderKind.UNKNOWN, "not attached in this input")
_OUTSIDE = (HolderKind.UNKNOWN, "it is not in this input")
_NEWER_AWS_POLICY = f"the AWS managed policy {{}} is not among those known as of {MANAGED_AS_OF}"
_LOOK_UP = "look it up in the AWS managed policy reference, or write your own policy instead"
_CODE = (HolderKind.END_USER, HolderKind.CROSS_ACCOUNT, HolderKind.RUNTIME)
_WITH_OWN_POLICY = (HolderForm.TABLE, HolderForm.STREAM)
_ORDER = attrgetter("address", "statement.index", "statement.label")
_ORDER_OF_ALL = attrgetter("address", "statement.index", "statement.label", "holder.address")

Evidence: TypeAlias = tuple[HolderKind, str]


def concerns_tables(statement: Statement) -> bool:
    """Whether a statement is about tables, for certain or perhaps."""
    actions, resources = statement.actions, statement.resources
    if not (
        actions.inverted
        or actions.doubt is not None
        or any(may_concern_dynamodb(text) is not False for text in actions.texts)
    ):
        return False
    return (
        resources.inverted
        or resources.doubt is not None
        or any(scope_of(text).tier is not Tier.NONE for text in resources.texts)
    )


def _may_grant(statement: Statement) -> bool:
    """Whether what is not known of a statement may be a grant on tables. Unknown principals alone are no such grant."""
    if not statement.doubts or not statement.allows:
        return False
    principals = statement.principals
    if principals is not None and set(statement.doubts) == {principals.doubt}:
        return False
    return concerns_tables(statement)


@record(kw_only=False)
class HeldDocument:
    """A document, in one of its forms, at the resource that holds it.

    ``mentions_table``: whether its unread part mentions a table or DynamoDB. None if that is not known: the part is
    relevant if its holder has access to tables.
    """

    address: str
    place: Place
    document: Document
    spelling: str
    mentions_table: bool | None = None

    def grants(
        self, role: DocumentRole, target: str | None = None, managed: str | None = None, by: Maker | None = None
    ) -> list[Grant]:
        """Its statements."""
        return [
            Grant(
                address=self.address,
                place=self.place,
                role=role,
                document=self.document,
                statement=statement,
                managed=managed,
                target=target,
                spelling=self.spelling,
                made_by=by,
            )
            for statement in self.document.statements
        ]

    def unread(self, *, concerned: bool) -> Unread:
        """The part of it that could not be read. ``concerned``: whether its holder has access to tables."""
        document = self.document
        relevant = concerned if self.mentions_table is None else self.mentions_table
        doubtful = [statement for statement in document.statements if _may_grant(statement)]
        whole = (document.doubt,) if document.doubt is not None and relevant else ()
        doubts = (*whole, *(doubt for statement in doubtful for doubt in statement.doubts), *document.doubts)
        return Unread(
            address=self.address,
            place=doubtful[0].place if doubtful and not whole else self.place,
            doubt=doubts[0],
            relevant=bool(whole or doubtful),
            partly=bool(document.statements),
        )

    def perhaps(self) -> HeldDocument:
        """The document as one that exists only in some scenario."""
        statements = tuple(replace(statement, present=False) for statement in self.document.statements)
        return replace(self, document=replace(self.document, statements=statements))


@record(kw_only=False)
class AttachedPolicy:
    """A policy that may be attached to several holders. ``key`` is one for each policy, however it is named.

    ``documents`` are its forms. If it is not in the input, ``doubt`` says so. ``relevant``: whether it may be about
    tables; None if its holder decides, as for documents. ``usual`` are the ARNs or names that it has by default.
    """

    key: str
    address: str
    place: Place
    documents: tuple[HeldDocument, ...] = ()
    managed: str | None = None
    doubt: Doubt | None = None
    relevant: bool | None = None
    arn: str | None = None
    usual: tuple[str, ...] = ()

    def unread(self, doubt: Doubt, *, concerned: bool) -> Unread:
        """The policy as one that could not be read."""
        usual = tuple([path for text in self.usual if (path := path_of(text)) in managed_policies()])
        relevant = concerned if self.relevant is None else self.relevant
        return Unread(
            address=self.address,
            place=self.place,
            doubt=doubt,
            relevant=relevant or bool(usual),
            partly=False,
            elsewhere=True,
            usual=usual,
        )


def aws_policy(path: str, address: str, place: Place, spelling: str) -> AttachedPolicy:
    """An AWS managed policy. One that is newer than our data may grant anything."""
    if path not in managed_policies() and path not in other_policies():
        doubt = Doubt(_NEWER_AWS_POLICY.format(path), _LOOK_UP)
        return AttachedPolicy(path, address, place, managed=path, doubt=doubt)
    documents = (HeldDocument(address, place, _aws_document(path), spelling),)
    return AttachedPolicy(path, address, place, documents, managed=path)


def missing_policy(name: str, address: str, place: Place, doubt: Doubt) -> AttachedPolicy:
    """A policy whose document is not in the input: relevant if its name mentions DynamoDB."""
    relevant = True if "dynamodb" in name.lower() else None
    return AttachedPolicy(name, address, place, doubt=doubt, relevant=relevant, arn=name)


def policy_of_arn(arn: str, address: str, place: Place, spelling: str, missing: Doubt) -> AttachedPolicy:
    """A policy by its ARN: AWS's own, or one that is not in the input."""
    path = managed_path(arn)
    if path is None or has_symbol(path):
        return missing_policy(arn, address, place, missing)
    return replace(aws_policy(path, address, place, spelling), arn=arn)


@lru_cache
def _aws_document(path: str) -> Document:
    return managed_policies()[path].document() if path in managed_policies() else Document()


@record(eq=False, frozen=False)
class HolderDraft:
    """A holder that is not finished.

    ``arn`` is that of a role or user. ``trusted`` is the evidence of its trust policy for who uses it, and ``serves``
    that of identity pools. ``uses``, that of resources which use it, counts if its trust policy shows nothing.
    ``declared`` are the services that may assume it, if all of them declare what they call, and ``calls`` is what they
    call.
    """

    form: HolderForm
    address: str
    place: Place | None
    trusted: Sequence[Evidence]
    name: str | None = None
    arn: str | None = None
    outside: bool = False
    services: set[str] = field(default_factory=set)
    declared: frozenset[str] = NOTHING
    uses: list[Evidence] = field(default_factory=list)
    serves: list[Evidence] = field(default_factory=list)
    calls: list[tuple[str, Calls]] = field(default_factory=list)
    is_full: bool = False  # its addresses start at the topmost stack already
    concerned: bool = False  # it has access to tables, so that what cannot be read of it matters
    grants: list[Grant] = field(default_factory=list)
    groups: list[HolderDraft] = field(default_factory=list)
    ceilings: list[Document] = field(default_factory=list)
    ceiling_doubt: Doubt | None = None
    trusts: tuple[Document, ...] = ()
    _keys: set[str] = field(default_factory=set)
    doubtful: list[HeldDocument] = field(default_factory=list)
    missing: list[tuple[AttachedPolicy, Doubt]] = field(default_factory=list)

    @property
    def is_trust_known(self) -> bool:
        """Whether its trust policy shows who uses it."""
        return any(kind is not HolderKind.UNKNOWN for kind, _ in self.trusted)

    def give(
        self,
        held: HeldDocument,
        role: DocumentRole = DocumentRole.IDENTITY,
        *,
        target: str | None = None,
        managed: str | None = None,
        by: Maker | None = None,
    ) -> None:
        """Give it a document."""
        self.grants += held.grants(role, target, managed, by)
        if held.document.doubts and role is not DocumentRole.CEILING:
            self.doubtful.append(held)

    def attach(self, policy: AttachedPolicy, *, certain: bool = True, by: Maker | None = None) -> None:
        """Attach a policy; the same one twice is one."""
        if policy.key in self._keys:
            return
        self._keys.add(policy.key)
        for held in policy.documents:
            self.give(held if certain else held.perhaps(), managed=policy.managed, by=by)
        if policy.doubt is not None:
            self.missing.append((policy, policy.doubt))

    def bound(self, policy: AttachedPolicy) -> None:
        """Limit it by a permissions boundary."""
        for held in policy.documents:
            if held.document.doubts:
                self.ceiling_doubt = held.document.doubts[0]
            else:
                self.ceilings.append(held.document)
        if policy.doubt is not None:
            self.ceiling_doubt = policy.doubt

    def trust(self, documents: Sequence[Document], account: str | None) -> None:
        """Add its trust policy, in each of its forms. ``account`` is its own."""
        self.trusts = tuple(documents)
        declared = [declared_services(document) for document in documents]
        self.declared = NOTHING.union(*declared) if all(declared) else NOTHING
        trusts = [trust_of(document, account) for document in documents if document.statements]
        if trusts:
            self.trusted = [(trust.kind, trust.why) for trust in trusts]
            self.services = {service for trust in trusts for service in trust.services}

    def move(self, full: Callable[[str], str]) -> None:
        """Make its addresses start at the topmost stack."""
        if self.is_full:
            return
        self.address = full(self.address)
        self.grants = [replace(grant, address=full(grant.address)) for grant in self.grants]
        self.doubtful = [replace(held, address=full(held.address)) for held in self.doubtful]
        self.missing = [(replace(policy, address=full(policy.address)), doubt) for policy, doubt in self.missing]

    def finished(self, symbols: Symbols, *, has_tables: bool) -> Holder:
        """The holder. A user holds copies of the grants of his groups, which answer for them.

        ``has_tables``: whether the input has any, which what is not known of a holder may be about.
        """
        kind, why = self.kind()
        shared = [replace(grant) for group in self.groups for grant in group.grants]
        return Holder(
            address=self.address,
            place=self.place,
            form=self.form,
            kind=kind,
            why=why,
            name=self.name,
            arn=self.arn,
            outside=self.outside,
            services=frozenset(self.services),
            grants=tuple(sorted([*self.grants, *shared], key=_ORDER)),
            ceilings=tuple(self.ceilings),
            ceiling_doubt=self.ceiling_doubt,
            unread=self._unread(has_tables=has_tables),
            trusts=self.trusts,
            needs=needs_of(self.declared, self.calls),
            symbols=symbols,
        )

    def kind(self) -> Evidence:
        """Who uses it, and how that is known."""
        known = [evidence for evidence in self.trusted if evidence[0] is not HolderKind.UNKNOWN]
        return most_exposed([*(known or self.uses), *self.serves] or self.trusted)

    def _unread(self, *, has_tables: bool) -> tuple[Unread, ...]:
        doubtful = [held for holder in (self, *self.groups) for held in holder.doubtful]
        missing = [each for holder in (self, *self.groups) for each in holder.missing]
        if not doubtful and not missing:
            return ()
        concerned = (
            self.concerned
            or any(grant.statement.allows and concerns_tables(grant.statement) for grant in self.grants)
            or any(held.mentions_table for held in doubtful if held.document.doubt is not None)
        )
        unread = [held.unread(concerned=concerned) for held in doubtful]
        unread += [policy.unread(doubt, concerned=concerned or has_tables) for policy, doubt in missing]
        return tuple(sorted(unread, key=lambda each: (each.address, each.doubt.reason)))


class HolderAssembly:
    """The holders of one input, while they are being made."""

    def __init__(self, symbols: Symbols, *, has_tables: bool = False) -> None:
        self.symbols = symbols
        self._has_tables = has_tables
        self.attached: set[str] = set()  # keys of the policies that somebody holds, or is bounded by
        self._holders: dict[tuple[HolderForm, str], HolderDraft] = {}
        self._policies: dict[str, tuple[AttachedPolicy, Place, DocumentRole]] = {}

    def holder(
        self, form: HolderForm, address: str, place: Place, evidence: Evidence | None = None, key: str | None = None
    ) -> HolderDraft:
        """The holder at an address, made if it is new. ``key`` sets it apart from others at the same address."""
        identity = form, key or address
        if identity not in self._holders:
            self._holders[identity] = HolderDraft(
                form=form, address=address, place=place, trusted=[evidence or default_user(form)]
            )
        return self._holders[identity]

    def at(self, form: HolderForm, address: str) -> HolderDraft | None:
        """The holder at an address."""
        return self._holders.get((form, address))

    def at_outside(self, form: HolderForm, name: str) -> HolderDraft | None:
        """The holder with a name that is not in this input, if anything names it."""
        return self._holders.get((form, _outside_key(name)))

    def outside(
        self, form: HolderForm, name: str | None, address: str, place: Place, evidence: Evidence | None = None
    ) -> HolderDraft:
        """A holder that is not in this input. Its address is the first one of what it is given here."""
        evidence = evidence or (_OUTSIDE if form is HolderForm.ROLE else None)
        holder = self.holder(form, address, place, evidence, key=_outside_key(name or address))
        holder.outside = True
        holder.address = min(holder.address, address)
        return holder

    def owner(self, form: HolderForm, address: str, place: Place, why: str, key: str | None = None) -> HolderDraft:
        """A resource that has a policy of its own: a table, a stream, a key or an endpoint."""
        holder = self.holder(form, address, place, (HolderKind.UNKNOWN, why), key)
        holder.concerned = True
        return holder

    def unattached(self, held: HeldDocument, place: Place, role: DocumentRole) -> None:
        """A document that nobody in this input holds."""
        self.holder(HolderForm.UNATTACHED, held.address, place, _NOBODY).give(held, role)

    def policy(self, policy: AttachedPolicy, place: Place, name: str | None) -> None:
        """A managed policy of this input: unattached if nobody holds it. One that is named a boundary is a limit."""
        self._policies[policy.key] = policy, place, role_by_name(policy.address, name)

    def attach(
        self, holder: HolderDraft, policy: AttachedPolicy, *, certain: bool = True, by: Maker | None = None
    ) -> None:
        """Attach a policy to a holder."""
        self.attached.add(policy.key)
        holder.attach(policy, certain=certain, by=by)

    def bound(self, holder: HolderDraft, policy: AttachedPolicy) -> None:
        """Limit a holder by a permissions boundary."""
        self.attached.add(policy.key)
        holder.bound(policy)

    def member(self, user: HolderDraft, group: HolderDraft) -> None:
        """Make a user a member of a group."""
        if group not in user.groups:
            user.groups.append(group)

    @property
    def missing(self) -> int:
        """How many policies somebody holds that are not in the input."""
        return len({policy.key for holder in self._holders.values() for policy, _ in holder.missing})

    def build(
        self,
        roles: RoleReader[Resource, HolderDraft],
        *,
        full: Callable[[str], str] | None = None,
        every_use: bool = False,
    ) -> tuple[tuple[Holder, ...], tuple[Grant, ...]]:
        """The holders in the order of their addresses, and each grant that they answer for, in the same order.

        ``full`` turns the addresses of a nested stack into those that start at the topmost one. ``every_use`` reads
        the resources that use roles even if all trust policies are known, so that their faults are reported.
        """
        self._find_users(roles, every_use=every_use)
        for policy, place, role in self._policies.values():
            for held in policy.documents if policy.key not in self.attached else ():
                self.unattached(held, place, role)
        if full is not None:
            for holder in self._holders.values():
                holder.move(full)
        self._share_resource_policies()
        self._pass_on_users()
        unfinished = sorted(self._holders.values(), key=lambda holder: (holder.address, holder.form, holder.name or ""))
        holders = tuple(holder.finished(self.symbols, has_tables=self._has_tables) for holder in unfinished)
        grants = tuple(sorted([grant for holder in unfinished for grant in holder.grants], key=_ORDER_OF_ALL))
        return holders, grants

    def _share_resource_policies(self) -> None:
        """Give roles and users the statements of the policies of tables and streams that are about them."""
        grants = [
            grant for holder in self._holders.values() if holder.form in _WITH_OWN_POLICY for grant in holder.grants
        ]
        by_arn = {holder.arn: holder for holder in self._holders.values() if holder.arn is not None and grants}
        for arn, grant in shared_grants(grants, by_arn):
            by_arn[arn].grants.append(grant)

    def _pass_on_users(self) -> None:
        """Who uses a role that another role may assume uses that one too."""
        by_arn = {holder.arn: holder for holder in self._holders.values() if holder.arn is not None}
        by_name = {arn.rpartition("/")[2]: arn for arn in by_arn}
        pairs = [
            (role, by_arn[arn])
            for role in by_arn.values()
            if any(evidence[0] is HolderKind.HUMAN for evidence in role.trusted)
            for arn in trusted_among(role.trusts, by_name)
            if by_arn[arn] is not role
        ]
        for _ in range(len(pairs)):
            before = [role.kind() for role, _ in pairs]
            for role, other in pairs:
                kind, _ = other.kind()
                if kind in _CODE and kind not in (each for each, _ in role.serves):
                    role.serves.append((kind, f"assumed by {other.address}"))
            if before == [role.kind() for role, _ in pairs]:
                return

    def _find_users(self, roles: RoleReader[Resource, HolderDraft], *, every_use: bool) -> None:
        """Add to each role what uses it."""
        for role, kind, why in served_by(roles):
            role.serves.append((kind, why))
        for role in dax_roles(roles):
            role.uses.append(DAX_USE)
            role.services.add(DAX_SERVICE)
        own = [holder for holder in self._holders.values() if holder.form is HolderForm.ROLE]
        if every_use or not all(holder.is_trust_known for holder in own):
            for role, kind, why in uses_of(roles):
                role.uses.append((kind, why))
        if every_use or any(holder.declared for holder in own):
            for role, service, names in calls_of(roles):
                role.calls.append((service, names))


def _outside_key(name: str) -> str:
    return f"name: {name}"


def default_user(form: HolderForm) -> Evidence:
    """Who uses the holders of a form, if nothing more is known."""
    match form:
        case HolderForm.ROLE:
            return HolderKind.UNKNOWN, NO_TRUST_POLICY.why
        case HolderForm.PERMISSION_SET:
            return HolderKind.HUMAN, "a permission set is people's"
    return HolderKind.HUMAN, f"it is an IAM {form}"
