"""Holders of grants: roles, users, groups and resources with a policy; and whether one may do an action on an ARN."""

from __future__ import annotations

from tablegate.iam.actions import Action, Kind, action_named
from tablegate.iam.arns import Symbols, arn_of, at_home
from tablegate.iam.documents import Document, Patterns
from tablegate.iam.evaluation import Covers, all_of, always_denies, any_of, applies_to, covers_any, fits, is_conditional
from tablegate.iam.grants import DocumentRole, Grant, HolderForm, HolderKind, Unread
from tablegate.iam.patterns import Tier, matches, scope_of
from tablegate.model.record import field, record, wire
from tablegate.model.value import Doubt, Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.model.estate import Estate
    from tablegate.model.table import Table


_ACCOUNT = "*"  # the target of an action without a resource of its own


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
    outside: bool = False  # only named in this input: its address is that of what names it
    services: frozenset[str] = frozenset()  # that may assume it
    grants: tuple[Grant, ...] = ()
    ceilings: tuple[Document, ...] = ()
    ceiling_doubt: Doubt | None = None  # why a boundary that it has is not known
    unread: tuple[Unread, ...] = ()
    needs: frozenset[str] | None = None  # all actions that its users can call; None where one of them is code
    symbols: Symbols = field(default_factory=Symbols, repr=False)
    estate: Estate = field(init=False, repr=False)
    denials: tuple[Grant, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for grant in self.grants:
            wire(grant, "holder", self)
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
        return answer_for(holder, action, _ACCOUNT, _covers)
    scope = scope_of(target)
    if scope.tier is not Tier.NONE and not fits(action, scope):
        return Answer(False)
    return answer_for(holder, action, target, _covers)


def answer_for(holder: Holder, action: Action, target: str, covers: Covers) -> Answer:
    """Whether a holder may do an action that works on the target. ``covers`` says whether patterns cover the target."""
    allows = [(applies_to(grant.statement, action, target, covers), grant) for grant in holder.grants if grant.gives]
    denies = [(applies_to(grant.statement, action, target, covers), grant) for grant in holder.grants if grant.takes]
    for applies, grant in denies:
        if applies is True and always_denies(grant.statement, action):
            return Answer(False, (grant,))
    certain = tuple(grant for applies, grant in allows if applies is True)
    possible = tuple(grant for applies, grant in allows if applies is None)
    within = all_of(boundary_allows(document, action, target, covers) for document in holder.ceilings)
    if within is False or not (certain or possible):
        unreadable = within is not False and any(unread.relevant for unread in holder.unread)
        return Answer(None if unreadable else False)
    may_be_denied = any(applies is None and not is_conditional(grant.statement, action) for applies, grant in denies)
    if may_be_denied or within is None or holder.ceiling_doubt or not certain or action.kind is Kind.UNHEARD:
        return Answer(None, certain + possible)
    conditional = all(is_conditional(grant.statement, action) for grant in certain)
    return Answer(True, certain, conditional or any(applies is not False for applies, _ in denies))


def boundary_allows(document: Document, action: Action, target: str, covers: Covers) -> bool | None:
    """Whether a boundary allows the action on this ARN; None where that is not known."""
    denying = (statement for statement in document.statements if always_denies(statement, action))
    if any(applies_to(statement, action, target, covers) is True for statement in denying):
        return False
    allowing = [statement for statement in document.statements if statement.allows]
    if document.doubt is not None or not allowing:
        return None if document.doubt is not None else True  # one with Denies alone takes only those away
    answers = [(applies_to(statement, action, target, covers), statement) for statement in allowing]
    return any_of([None if applies and is_conditional(one, action) else applies for applies, one in answers])


def _covers(patterns: Patterns, target: str) -> bool | None:
    return covers_any(patterns, lambda text: matches(at_home(text, target), target))
