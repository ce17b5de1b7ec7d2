"""The question that policies ask: may a holder do this, there? Yes, no, or unknown, and which grants decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablegate.access.actions import Action, Kind, action_named
from tablegate.access.arns import at_home
from tablegate.access.bearing import Covers, all_of, any_of, bears, covered, is_bound, surely_denies
from tablegate.access.documents import Document, Patterns
from tablegate.access.grants import Grant
from tablegate.access.patterns import matches
from tablegate.access.reach import fits
from tablegate.access.scope import Tier, scope_of
from tablegate.model.record import record

if TYPE_CHECKING:
    from tablegate.access.holders import Holder

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
    given = [(bears(grant.statement, action, target, covers), grant) for grant in holder.grants if grant.gives]
    taken = [(bears(grant.statement, action, target, covers), grant) for grant in holder.grants if grant.takes]
    for hit, grant in taken:
        if hit is True and surely_denies(grant.statement, action):
            return Answer(False, (grant,))
    sure = tuple(grant for hit, grant in given if hit is True)
    perhaps = tuple(grant for hit, grant in given if hit is None)
    allowed = all_of(allowed_by(document, action, target, covers) for document in holder.ceilings)
    if allowed is False or not (sure or perhaps):
        blind = allowed is not False and any(unread.relevant for unread in holder.unread)
        return Answer(None if blind else False)
    doubtful = any(hit is None and not is_bound(grant.statement, action) for hit, grant in taken)
    unsure = doubtful or allowed is None or holder.ceiling_doubt is not None
    if unsure or not sure or action.kind is Kind.UNHEARD:
        return Answer(None, sure + perhaps)
    bound = all(is_bound(grant.statement, action) for grant in sure)
    return Answer(True, sure, bound or any(hit is not False for hit, _ in taken))


def allowed_by(document: Document, action: Action, target: str, covers: Covers) -> bool | None:
    """Whether a ceiling lets the action pass on this ARN; None where that is not settled."""
    denying = (statement for statement in document.statements if surely_denies(statement, action))
    if any(bears(statement, action, target, covers) is True for statement in denying):
        return False
    allowing = [statement for statement in document.statements if statement.allows]
    if document.doubt is not None or not allowing:
        return None if document.doubt is not None else True  # a ceiling of Denies alone takes only those away
    answers = [
        None if hit and is_bound(statement, action) else hit
        for statement in allowing
        for hit in (bears(statement, action, target, covers),)
    ]
    return any_of(answers)


def _covers(patterns: Patterns, target: str) -> bool | None:
    return covered(patterns, lambda text: matches(at_home(text, target), target))
