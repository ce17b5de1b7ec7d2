"""Role, user, group, resource with a policy; may it do this there."""

from __future__ import annotations

from tablegate.iam.actions import Action, Kind, action_named
from tablegate.iam.arns import Symbols, at_home
from tablegate.iam.documents import Document, Patterns
from tablegate.iam.evaluation import Covers, all_of, always_denies, any_of, applies_to, covered, fits, is_conditional
from tablegate.iam.grants import DocumentRole, Grant, HolderForm, HolderKind, Unread
from tablegate.iam.patterns import Tier, matches, scope_of
from tablegate.model.record import field, record, wire
from tablegate.model.value import Doubt, Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.model.estate import Estate
    from tablegate.model.table import Table


_ACCOUNT = "*"  # what an action without a resource of its own is asked on


@record(kw_only=False)
class Answer:
    """Whether a holder may do something: yes, no, or None; and the grants that decide."""

    truth: bool | None
    grants: tuple[Grant, ...] = ()
    conditional: bool = False


def can(holder: Holder, action_name: str, target: str) -> Answer:
    """Whether a holder may do this action on this ARN. An action works on what it is for alone, or on nothing."""
    action = action_named(action_name)
    if action.account_level:
        return answered(holder, action, _ACCOUNT, _covers)
    scope = scope_of(target)
    if scope.tier is not Tier.NONE and not fits(action, scope):
        return Answer(False)
    return answered(holder, action, target, _covers)


def answered(holder: Holder, action: Action, target: str, covers: Covers) -> Answer:
    """The same for an action that works on the target, by whoever knows what covers it."""
    given = [(applies_to(grant.statement, action, target, covers), grant) for grant in holder.grants if grant.gives]
    taken = [(applies_to(grant.statement, action, target, covers), grant) for grant in holder.grants if grant.takes]
    for hit, grant in taken:
        if hit is True and always_denies(grant.statement, action):
            return Answer(False, (grant,))
    sure = tuple(grant for hit, grant in given if hit is True)
    perhaps = tuple(grant for hit, grant in given if hit is None)
    allowed = all_of(allowed_by(document, action, target, covers) for document in holder.ceilings)
    if allowed is False or not (sure or perhaps):
        blind = allowed is not False and any(unread.relevant for unread in holder.unread)
        return Answer(None if blind else False)
    doubtful = any(hit is None and not is_conditional(grant.statement, action) for hit, grant in taken)
    unsure = doubtful or allowed is None or holder.ceiling_doubt is not None
    if unsure or not sure or action.kind is Kind.UNHEARD:
        return Answer(None, sure + perhaps)
    bound = all(is_conditional(grant.statement, action) for grant in sure)
    return Answer(True, sure, bound or any(hit is not False for hit, _ in taken))


def allowed_by(document: Document, action: Action, target: str, covers: Covers) -> bool | None:
    """Whether a ceiling lets the action pass on this ARN; None where that is not settled."""
    denying = (statement for statement in document.statements if always_denies(statement, action))
    if any(applies_to(statement, action, target, covers) is True for statement in denying):
        return False
    allowing = [statement for statement in document.statements if statement.allows]
    if document.doubt is not None or not allowing:
        return None if document.doubt is not None else True  # a ceiling of Denies alone takes only those away
    answers = [
        None if hit and is_conditional(statement, action) else hit
        for statement in allowing
        for hit in (applies_to(statement, action, target, covers),)
    ]
    return any_of(answers)


def _covers(patterns: Patterns, target: str) -> bool | None:
    return covered(patterns, lambda text: matches(at_home(text, target), target))


@record(eq=False)
class Holder:
    """A role, a user, a group, a permission set, or a resource with a policy of its own."""

    address: str
    place: Place | None
    form: HolderForm
    kind: HolderKind
    why: str  # the evidence for its kind, in words
    name: str | None = None
    outside: bool = False  # only named in this input: its address is that of what it is given
    services: frozenset[str] = frozenset()  # that may assume it
    grants: tuple[Grant, ...] = ()
    ceilings: tuple[Document, ...] = ()
    ceiling_doubt: Doubt | None = None  # there is a boundary, and it is not in this input
    unread: tuple[Unread, ...] = ()
    needs: frozenset[str] | None = None  # all actions that its users can call; None where one of them is code
    symbols: Symbols = field(default_factory=Symbols, repr=False)
    estate: Estate = field(init=False, repr=False)

    denials: tuple[Grant, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        denying: list[Grant] = []
        for grant in self.grants:
            wire(grant, "holder", self)
            if grant.statement.denies and grant.role is DocumentRole.IDENTITY:
                denying.append(grant)
        wire(self, "denials", tuple(denying))

    def can(self, action: str, table: Table, below: str = "") -> Answer:
        """Whether the holder may do this to the table, or to what is below it: ``index/by-status``, ``stream/*``."""
        # imported when asked: every run knows holders, and few ask them
        from tablegate.iam.arns import arn_of

        target = arn_of(table, self.symbols)
        return can(self, action, f"{target}/{below}" if below else target)
