"""What a holder really reaches: all its documents together, less what is denied, under its ceilings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from tablegate.access.actions import Action, by_name, expand, known_actions
from tablegate.access.arns import at_home
from tablegate.access.conditions import Narrowing, narrowing
from tablegate.access.documents import Document, Patterns, Statement
from tablegate.access.grants import DocumentRole, Grant
from tablegate.access.patterns import intersects, matches, subset
from tablegate.access.scope import Scope, Tier, scope_of

if TYPE_CHECKING:
    from tablegate.access.holders import Holder

_EVERYTHING = "*"


@dataclass(frozen=True, slots=True)
class Reach:
    """What one resource pattern of one Allow comes to."""

    grant: Grant
    pattern: str
    scope: Scope
    actions: frozenset[Action]

    @property
    def tier(self) -> Tier:
        """How wide the pattern is."""
        return self.scope.tier

    def narrowed(self, action: Action) -> Narrowing:
        """How much the statement's conditions take from this action."""
        return narrowing(self.grant.statement.conditions, action)


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether a holder may do something: yes, no, or None; and the grants that decide."""

    truth: bool | None
    grants: tuple[Grant, ...] = ()
    conditional: bool = False


@lru_cache(maxsize=4096)
def actions_of(patterns: Patterns) -> frozenset[Action]:
    """The known DynamoDB actions that a list of action patterns names for certain."""
    named = frozenset(action for text in patterns.texts for action in expand(text))
    if not patterns.inverted:
        return named
    return frozenset(known_actions()) - named if patterns.doubt is None else frozenset()


def resources_of(statement: Statement) -> tuple[str, ...]:
    """The resource patterns that a statement reaches: of a NotResource, everything."""
    if statement.resources.inverted:
        return (_EVERYTHING,)
    return statement.resources.texts


@lru_cache(maxsize=8192)
def reaches(grant: Grant) -> tuple[Reach, ...]:
    """What a grant of an identity comes to, pattern by pattern, after its holder's denies and ceilings."""
    if grant.role is not DocumentRole.IDENTITY or not grant.statement.allows:
        return ()
    actions = actions_of(grant.statement.actions)
    found = (_reach(grant, pattern, actions) for pattern in resources_of(grant.statement))
    return tuple(reach for reach in found if reach is not None and reach.actions)


def reaches_of(holder: Holder) -> tuple[Reach, ...]:
    """All that a holder reaches, over all its documents."""
    return tuple(reach for grant in holder.grants for reach in reaches(grant))


def can(holder: Holder, action_name: str, target: str) -> Answer:
    """Whether a holder may do this action on this ARN."""
    action = by_name().get(action_name.partition(":")[2].lower() or action_name.lower())
    if action is None:
        return Answer(None)
    for grant in holder.grants:
        if _denies(grant) and _hits(grant.statement, action, target) is True:
            return Answer(False, (grant,))
    answers = [(_hits(grant.statement, action, target), grant) for grant in holder.grants if _gives(grant)]
    sure = tuple(grant for hit, grant in answers if hit is True)
    perhaps = tuple(grant for hit, grant in answers if hit is None)
    capped = all(_under(document, action, target) for document in holder.ceilings)
    if sure and capped and holder.ceiling_doubt is None:
        return Answer(True, sure, all(grant.statement.conditions for grant in sure))
    if (sure or perhaps) and capped:
        return Answer(None, sure + perhaps)
    blind = any(unread.relevant for unread in holder.unread)
    return Answer(None if blind else False, ())


def _gives(grant: Grant) -> bool:
    return grant.role is DocumentRole.IDENTITY and grant.statement.allows


def _hits(statement: Statement, action: Action, target: str) -> bool | None:
    """Whether a statement is about this action on this ARN, its conditions aside."""
    named = _names(statement.actions, action)
    covered = _covers(statement.resources, target)
    if named is False or covered is False:
        return False
    return True if named and covered and statement.effect is not None and statement.present else None


def _names(patterns: Patterns, action: Action) -> bool | None:
    answer = _any(
        _perhaps(text, patterns, matches(text.lower(), action.full_name.lower()) if ":" in text else text == "*")
        for text in patterns.texts
    )
    return _settled(answer, patterns)


def _covers(patterns: Patterns, target: str) -> bool | None:
    found = _any(_perhaps(text, patterns, matches(at_home(text, target), target)) for text in patterns.texts)
    return _settled(found, patterns)


def _perhaps(text: str, patterns: Patterns, answer: bool | None) -> bool | None:
    """The answer of one pattern: where the pattern itself is there only perhaps, so is a yes."""
    return None if answer and text in patterns.perhaps else answer


def _settled(answer: bool | None, patterns: Patterns) -> bool | None:
    if answer is not True and patterns.doubt is not None:
        answer = None
    if not patterns.inverted:
        return answer
    return None if answer is None else not answer


def _any(answers: Iterable[bool | None]) -> bool | None:
    """Kleene's `or` over many."""
    seen = tuple(answers)
    return True if True in seen else None if None in seen else False


def _reach(grant: Grant, pattern: str, actions: frozenset[Action]) -> Reach | None:
    scope = scope_of(pattern)
    if scope.tier is Tier.NONE:
        return None
    fitting = frozenset(action for action in actions if fits(action, scope))
    denied = frozenset(action for action in fitting if _is_denied(grant.holder, action, pattern))
    left = fitting - denied
    for document in grant.holder.ceilings:
        left = frozenset(action for action in left if _under(document, action, pattern))
        scope = _capped(document, pattern, scope)
    return Reach(grant, pattern, scope, left)


def fits(action: Action, scope: Scope) -> bool:
    """Whether a scope can hold something that the action is for. Account-level actions have no scope."""
    if scope.global_table:
        return "global-table" in action.types
    if scope.itself and "table" in action.types:
        return True
    if scope.below == "*":
        return bool(set(action.types) - {"table", "global-table"}) or (scope.itself and bool(action.types))
    return scope.below in action.types


def _denies(grant: Grant) -> bool:
    """Whether this takes something away in every case: without a condition, and in every scenario."""
    return grant.statement.denies and not grant.statement.conditions and grant.statement.present


def _is_denied(holder: Holder, action: Action, pattern: str) -> bool:
    return any(
        _denies(grant)
        and grant.role is DocumentRole.IDENTITY
        and _names(grant.statement.actions, action) is True
        and _surely_covers(grant.statement.resources, pattern)
        for grant in holder.grants
    )


def _surely_covers(patterns: Patterns, pattern: str) -> bool:
    """Whether everything that a pattern reaches is among the resources."""
    if not patterns.inverted:
        return any(subset(pattern, text) for text in patterns.sure)
    return patterns.doubt is None and all(intersects(pattern, text) is False for text in patterns.texts)


def _under(document: Document, action: Action, pattern: str) -> bool:
    """Whether a ceiling may let the action pass somewhere in the pattern's reach."""
    return any(
        statement.allows
        and _names(statement.actions, action) is not False
        and (
            statement.resources.inverted
            or statement.resources.doubt is not None
            or any(intersects(pattern, text) is not False for text in statement.resources.texts)
        )
        for statement in document.statements
    )


def _capped(document: Document, pattern: str, scope: Scope) -> Scope:
    """The scope under a ceiling: no wider than the widest pattern that the ceiling lets pass."""
    allowing = [statement for statement in document.statements if statement.allows]
    if any(statement.resources.doubt for statement in allowing):
        return scope
    allowed = [scope_of(text) for statement in allowing for text in resources_of(statement)]
    reachable = [item for item in allowed if item.tier is not Tier.NONE]
    widest = max(reachable, key=lambda item: item.tier, default=scope)
    return min(scope, widest, key=lambda item: item.tier) if pattern else scope
