"""What a statement covers, and what an Allow still reaches after the Denies and boundaries of its holder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TypeAlias

from tablegate.iam.actions import Action, expand, known_actions
from tablegate.iam.arns import account_target, at_home, is_variable
from tablegate.iam.conditions import Narrowing, complement, conditions_hold, narrowing
from tablegate.iam.documents import Document, Patterns, Statement
from tablegate.iam.grants import Grant
from tablegate.iam.patterns import Scope, Tier, intersects, matches, scope_of, subset
from tablegate.model.record import record, wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.iam.holders import Holder

Covers: TypeAlias = Callable[[Patterns, str], bool | None]
"""Whether a statement's resources cover an ARN."""

_EVERYTHING = "*"
_ANY_DYNAMODB_ARN = "arn:*:dynamodb:*:*:*"


def applies_to(statement: Statement, action: Action, target: str, covers: Covers) -> bool | None:
    """Whether a statement applies to this action on this ARN: False also where its conditions can never be met."""
    named = names(statement.actions, action)
    covered = named is not False and covers(statement.resources, target)
    if named is False or covered is False or conditions_hold(statement.conditions, action) is False:
        return False
    return True if named and covered and statement.unsettled is None and statement.present else None


def grant_applies(grant: Grant, action: Action, target: str, covers: Covers) -> bool | None:
    """Whether a grant's statement applies to this action on this ARN. Some actions do nothing in a table's policy."""
    if grant.of_resource and action.in_resource_policy is False:
        return False
    return applies_to(grant.statement, action, target, covers)


def is_conditional(statement: Statement, action: Action) -> bool:
    """Whether it depends on the request that a statement applies."""
    return conditions_hold(statement.conditions, action) is None


def always_denies(statement: Statement, action: Action) -> bool:
    """Whether a statement denies the action to every request, and in every scenario."""
    certain = statement.denies and statement.unsettled is None and statement.present
    return certain and conditions_hold(statement.conditions, action) is True


def names(patterns: Patterns, action: Action) -> bool | None:
    """Whether a list of action patterns matches the action."""
    full_name = action.full_name.lower()
    answer = any_of(
        _if_present(text, patterns, matches(text.lower(), full_name) if ":" in text else text == "*")
        for text in patterns.texts
    )
    return _over_list(answer, patterns)


def covers_any(patterns: Patterns, answer: Callable[[str], bool | None]) -> bool | None:
    """Whether a list of resource patterns covers something, by the answer for each of its patterns.

    A NotResource with a policy variable says nothing of a request that lacks it.
    """
    found = _over_list(any_of(_if_present(text, patterns, answer(text)) for text in patterns.texts), patterns)
    return None if found and patterns.inverted and _has_variable(patterns) else found


def any_of(answers: Iterable[bool | None]) -> bool | None:
    """Kleene's ``or``."""
    seen = tuple(answers)
    return True if True in seen else None if None in seen else False


def all_of(answers: Iterable[bool | None]) -> bool | None:
    """Kleene's ``and``."""
    seen = tuple(answers)
    return False if False in seen else None if None in seen else True


def _has_variable(patterns: Patterns) -> bool:
    return any(not text.isascii() and any(map(is_variable, text)) for text in patterns.texts)


def _if_present(text: str, patterns: Patterns, answer: bool | None) -> bool | None:
    """The answer of one pattern: None in place of yes where the pattern exists only in some scenario."""
    return None if answer and text in patterns.perhaps else answer


def _over_list(answer: bool | None, patterns: Patterns) -> bool | None:
    """The answer for a whole list, which may have unknown patterns and may be inverted."""
    if answer is not True and patterns.doubt is not None:
        answer = None
    if not patterns.inverted:
        return answer
    return None if answer is None else not answer


@record(kw_only=False)
class Reach:
    """What one resource pattern of one Allow grants."""

    grant: Grant
    pattern: str
    scope: Scope
    actions: frozenset[Action]

    @property
    def tier(self) -> Tier:
        """How wide the pattern is."""
        return self.scope.tier

    def narrowed(self, action: Action) -> Narrowing:
        """How much the statement's conditions, and the holder's Denies, narrow this action."""
        conditions, denials = self.grant.statement.conditions, self.grant.holder.denials
        own = narrowing(conditions, action) if conditions else Narrowing.NONE
        return max(own, _narrowed_by_denies(self.grant.holder, action, self.pattern)) if denials else own


def reaches(grant: Grant) -> tuple[Reach, ...]:
    """What a grant of an identity reaches, pattern by pattern, after its holder's Denies and boundaries."""
    if grant.reached is None:
        wire(grant, "reached", _reaches(grant))
    return grant.reached or ()


def reaches_of(holder: Holder) -> tuple[Reach, ...]:
    """All that a holder reaches, over all its documents."""
    return tuple([reach for grant in holder.grants for reach in reaches(grant)])


def actions_of(patterns: Patterns) -> frozenset[Action]:
    """The DynamoDB actions that a list of action patterns certainly matches."""
    if not patterns.inverted:
        return _actions_matching(patterns.texts)
    return _actions_not_matching(patterns.sure) if patterns.doubt is None else frozenset()


def resources_of(statement: Statement) -> tuple[str, ...]:
    """The resource patterns of a statement. For a NotResource: a bare star, or nothing where it lists all tables."""
    if not statement.resources.inverted:
        return statement.resources.texts
    return () if any(subset(_ANY_DYNAMODB_ARN, text) for text in statement.resources.sure) else (_EVERYTHING,)


def fits(action: Action, scope: Scope) -> bool:
    """Whether a scope can contain a resource that the action works on: for an account-level action, all tables."""
    if action.account_level:
        return covers_account(scope)
    return _fits(action, scope.itself, scope.below, scope.global_table)


def covers_account(scope: Scope) -> bool:
    """Whether a scope has all tables of an account: AWS checks an account-level action on ``table/*``."""
    return scope.tier >= Tier.ALL and scope.itself


@lru_cache(maxsize=4096)
def _actions_matching(texts: tuple[str, ...]) -> frozenset[Action]:
    return frozenset(action for text in texts for action in expand(text))


@lru_cache(maxsize=4096)
def _actions_not_matching(texts: tuple[str, ...]) -> frozenset[Action]:
    return frozenset(known_actions()) - _actions_matching(texts)


def _fits(action: Action, itself: bool, below: str | None, global_table: bool) -> bool:
    if global_table:
        return "global-table" in action.types
    if itself and "table" in action.types:
        return True
    if below == _EVERYTHING:
        return bool(set(action.types) - {"table", "global-table"}) or (itself and bool(action.types))
    return below in action.types


def _reaches(grant: Grant) -> tuple[Reach, ...]:
    actions = actions_of(grant.statement.actions) if grant.gives else None
    if actions and grant.of_resource:
        actions = frozenset(action for action in actions if action.in_resource_policy is not False)
    if not actions:
        return ()
    reached: list[Reach] = []
    limited = bool(grant.holder.denials or grant.holder.ceilings)
    for pattern in resources_of(grant.statement):
        scope = scope_of(pattern)
        if scope.tier is not Tier.NONE:
            fitting = _fitting_actions(actions, covers_account(scope), scope.itself, scope.below, scope.global_table)
            if limited:
                reached.extend(_limited_reaches(grant, pattern, scope, fitting))
            elif fitting:
                reached.append(Reach(grant, pattern, scope, fitting))
    return tuple(reached)


def _limited_reaches(grant: Grant, pattern: str, scope: Scope, actions: frozenset[Action]) -> Iterator[Reach]:
    """What a holder's Denies and boundaries leave of a pattern: a reach for each scope that is left."""
    scopes = {action: scope for action in actions if not _is_denied(grant.holder, action, pattern)}
    for boundary in grant.holder.ceilings:
        within = _scope_beyond if grant.beyond_boundary else _scope_within
        limited = ((action, within(boundary, action, pattern, own)) for action, own in scopes.items())
        scopes = {action: left for action, left in limited if left is not None}
    for left in sorted(set(scopes.values()), key=lambda scope: (-scope.tier, str(scope))):
        yield Reach(grant, pattern, left, frozenset(action for action, own in scopes.items() if own == left))


@lru_cache(maxsize=1024)
def _fitting_actions(
    actions: frozenset[Action], account: bool, itself: bool, below: str | None, global_table: bool
) -> frozenset[Action]:
    """Those of the actions that work on a resource in a scope, by the fields of it that matter."""
    return frozenset(
        action
        for action in actions
        if (account if action.account_level else _fits(action, itself, below, global_table))
    )


def _is_denied(holder: Holder, action: Action, pattern: str) -> bool:
    return any(
        always_denies(grant.statement, action) and _certainly_covers(grant.statement, action, pattern)
        for grant in holder.denials
    )


def _narrowed_by_denies(holder: Holder, action: Action, pattern: str) -> Narrowing:
    """How much the conditional Denies of a holder narrow an action."""
    strongest = Narrowing.NONE
    for grant in holder.denials:
        still_allowed = complement(grant.statement.conditions)
        certain = grant.statement.present and grant.statement.unsettled is None
        if still_allowed and certain and _certainly_covers(grant.statement, action, pattern):
            strongest = max(strongest, min(narrowing((condition,), action) for condition in still_allowed))
    return strongest


def _certainly_covers(statement: Statement, action: Action, pattern: str) -> bool:
    """Whether a statement certainly covers the action on everything that the pattern reaches."""
    if names(statement.actions, action) is not True:
        return False
    target = account_target(scope_of(pattern).where[1]) if action.account_level else pattern
    return _contains(statement.resources, target)


def _contains(patterns: Patterns, pattern: str) -> bool:
    """Whether everything that a pattern reaches is among the resources."""
    if not patterns.inverted:
        return any(subset(pattern, at_home(text, pattern)) for text in patterns.sure)
    certain = patterns.doubt is None and not _has_variable(patterns)
    return certain and all(intersects(pattern, at_home(text, pattern)) is False for text in patterns.texts)


def _scope_beyond(boundary: Document, action: Action, pattern: str, scope: Scope) -> Scope | None:
    """The scope that a boundary leaves to an action that does not need its Allow: None where it denies it."""
    denying = (statement for statement in boundary.statements if always_denies(statement, action))
    return None if any(_certainly_covers(statement, action, pattern) for statement in denying) else scope


def _scope_within(boundary: Document, action: Action, pattern: str, scope: Scope) -> Scope | None:
    """The scope that a boundary leaves to an action: no wider than the widest pattern that it allows, or None."""
    if _scope_beyond(boundary, action, pattern, scope) is None:
        return None
    allowing = [statement for statement in boundary.statements if statement.allows]
    if boundary.doubt is not None:
        return scope  # nothing is known to be kept out
    allowed = [text for statement in allowing for text in _allowed_patterns(statement, action, pattern)]
    scopes = [scope for scope in map(scope_of, allowed) if scope.tier is not Tier.NONE]
    if action.account_level:
        scopes = list(filter(covers_account, scopes))
    widest = max(scopes, key=lambda scope: scope.tier, default=None)
    return widest if widest is None or widest.tier < scope.tier else scope


def _allowed_patterns(statement: Statement, action: Action, pattern: str) -> tuple[str, ...]:
    """The patterns under which a boundary's Allow may allow the action, somewhere in the pattern's reach."""
    if names(statement.actions, action) is False or conditions_hold(statement.conditions, action) is False:
        return ()
    if statement.resources.inverted:
        return () if any(subset(pattern, text) for text in statement.resources.sure) else (_EVERYTHING,)
    if statement.resources.doubt is not None:
        return (_EVERYTHING,)
    return tuple(text for text in statement.resources.texts if intersects(at_home(text, pattern), pattern) is not False)
