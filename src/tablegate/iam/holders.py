"""Holders of grants: roles, users, groups and resources with a policy; and whether one may do an action on an ARN."""

from __future__ import annotations

from collections.abc import Iterable

from tablegate.iam.actions import Action, Kind, action_named
from tablegate.iam.arns import Symbols, account_target, arn_of, at_home
from tablegate.iam.documents import Document, Patterns
from tablegate.iam.evaluation import (
    Covers,
    all_of,
    always_denies,
    applies_to,
    covers_any,
    fits,
    grant_applies,
    is_conditional,
)
from tablegate.iam.grants import DocumentRole, Grant, HolderForm, HolderKind, Unread
from tablegate.iam.patterns import Tier, matches, scope_of
from tablegate.model.record import field, record, wire
from tablegate.model.value import Doubt, Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.model.estate import Estate
    from tablegate.model.table import Table


@record(kw_only=False)
class Answer:
    """Whether a holder may do something, None where that is not known; and the grants that decide."""

    truth: bool | None
    grants: tuple[Grant, ...] = ()
    conditional: bool = False


@record(eq=False)
class Holder:
    """A role, a user, a group, a permission set, or a resource with a policy of its own."""

    address: str
    place: Place | None
    form: HolderForm
    kind: HolderKind
    why: str  # the evidence for its kind, in words
    name: str | None = None
    arn: str | None = None  # of a role or user, with symbols for its unknown parts
    outside: bool = False  # only named in this input: its address is that of what names it
    services: frozenset[str] = frozenset()  # that may assume it
    grants: tuple[Grant, ...] = ()
    ceilings: tuple[Document, ...] = ()
    ceiling_doubt: Doubt | None = None  # why a boundary that it has is not known
    unread: tuple[Unread, ...] = ()
    trusts: tuple[Document, ...] = ()  # a role's trust policy, in each of its forms
    needs: frozenset[str] | None = None  # all actions that its users can call; None where one of them is code
    symbols: Symbols = field(default_factory=Symbols, repr=False)
    estate: Estate = field(init=False, repr=False)
    denials: tuple[Grant, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for part in (*self.grants, *self.unread):
            wire(part, "holder", self)
        identity = (grant for grant in self.grants if grant.role is DocumentRole.IDENTITY)
        wire(self, "denials", tuple([grant for grant in identity if grant.statement.denies]))

    def can(self, action: str, table: Table, below: str = "") -> Answer:
        """Whether the holder may do this to the table, or to what is below it: ``index/by-status``, ``stream/*``."""
        target = arn_of(table, self.symbols)
        return can(self, action, f"{target}/{below}" if below else target)


def can(holder: Holder, action_name: str, target: str) -> Answer:
    """Whether a holder may do this action on this ARN. No: also where the action does not work on such a resource."""
    action = action_named(action_name)
    if action.account_level:
        return answer_for(holder, action, account_target(), _covers)
    scope = scope_of(target)
    if scope.tier is not Tier.NONE and not fits(action, scope):
        return Answer(False)
    return answer_for(holder, action, target, _covers)


def answer_for(holder: Holder, action: Action, target: str, covers: Covers) -> Answer:
    """Whether a holder may do an action that works on the target. ``covers`` says whether patterns cover the target."""
    allows = [(grant_applies(grant, action, target, covers), grant) for grant in holder.grants if grant.gives]
    denies = [(grant_applies(grant, action, target, covers), grant) for grant in holder.grants if grant.takes]
    for applies, grant in denies:
        if applies is True and always_denies(grant.statement, action):
            return Answer(False, (grant,))
    limit = beyond = _NO_LIMIT
    if holder.ceilings:
        limit = _limit(holder.ceilings, action, target, covers)
        beyond = _limit(holder.ceilings, action, target, covers, needs_allow=False)
    left = [
        (all_of((applies, (beyond if grant.beyond_boundary else limit).truth)), grant)
        for applies, grant in allows
        if applies is not False
    ]
    certain = tuple(grant for applies, grant in left if applies is True)
    possible = tuple(grant for applies, grant in left if applies is None)
    if not (certain or possible):
        unreadable = limit.truth is not False and any(unread.relevant for unread in holder.unread)
        return Answer(None if unreadable else False)
    may_be_denied = any(applies is None and not is_conditional(grant.statement, action) for applies, grant in denies)
    if may_be_denied or holder.ceiling_doubt or not certain or action.kind is Kind.UNHEARD:
        return Answer(None, certain + possible)
    conditional = all(
        is_conditional(grant.statement, action) or (beyond if grant.beyond_boundary else limit).conditional
        for grant in certain
    )
    return Answer(True, certain, conditional or any(applies is not False for applies, _ in denies))


_NO_LIMIT = Answer(True)


def _limit(
    boundaries: Iterable[Document], action: Action, target: str, covers: Covers, *, needs_allow: bool = True
) -> Answer:
    """What boundaries leave of an action on this ARN. Without ``needs_allow`` only their Denies count."""
    answers = [_within(document, action, target, covers, needs_allow=needs_allow) for document in boundaries]
    return Answer(all_of(answer.truth for answer in answers), conditional=any(answer.conditional for answer in answers))


def _within(document: Document, action: Action, target: str, covers: Covers, *, needs_allow: bool) -> Answer:
    """What one boundary leaves of an action: it allows only what it allows."""
    applying = [(applies_to(statement, action, target, covers), statement) for statement in document.statements]
    denies = [(applies, each) for applies, each in applying if each.effect != "Allow" and applies is not False]
    if any(applies and always_denies(each, action) for applies, each in denies):
        return Answer(False)
    allows = [(applies, each) for applies, each in applying if each.allows and applies is not False]
    certain = [each for applies, each in allows if applies]
    truth = bool(certain) or (None if allows else False)
    if not needs_allow:
        truth, certain = True, []
    may_deny = any(applies is None and not is_conditional(each, action) for applies, each in denies)
    if document.doubt is not None or (truth and may_deny):
        truth = None
    bound = bool(denies) or (bool(certain) and all(is_conditional(each, action) for each in certain))
    return Answer(truth, conditional=bound)


def _covers(patterns: Patterns, target: str) -> bool | None:
    return covers_any(patterns, lambda text: matches(at_home(text, target), target))
