"""What an allow reaches after deny and boundary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TypeAlias

from tablegate.iam.actions import Action, expand, known_actions
from tablegate.iam.arns import at_home
from tablegate.iam.conditions import Narrowing, complement, met, narrowing
from tablegate.iam.documents import Document, Patterns, Statement
from tablegate.iam.grants import Grant
from tablegate.iam.patterns import Scope, Tier, intersects, matches, scope_of, subset
from tablegate.model.record import record, wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.iam.holders import Holder


Covers: TypeAlias = Callable[[Patterns, str], bool | None]


def applies_to(statement: Statement, action: Action, target: str, covers: Covers) -> bool | None:
    """Whether a statement may come to bear on this action and ARN: not where its conditions can never be met."""
    named = names(statement.actions, action)
    reached = named is not False and covers(statement.resources, target)
    if named is False or reached is False or met(statement.conditions, action) is False:
        return False
    return True if named and reached and statement.unsettled is None and statement.present else None


def is_conditional(statement: Statement, action: Action) -> bool:
    """Whether a statement's conditions leave it to the request."""
    return met(statement.conditions, action) is None


def always_denies(statement: Statement, action: Action) -> bool:
    """Whether this takes the action away in every case: whatever the request holds, and in every scenario."""
    certain = statement.denies and statement.unsettled is None and statement.present
    return certain and met(statement.conditions, action) is True


def names(patterns: Patterns, action: Action) -> bool | None:
    """Whether a list of action patterns is about the action."""
    answer = any_of(
        _perhaps(text, patterns, matches(text.lower(), action.full_name.lower()) if ":" in text else text == "*")
        for text in patterns.texts
    )
    return _settled(answer, patterns)


def covered(patterns: Patterns, answer: Callable[[str], bool | None]) -> bool | None:
    """Whether a list of resources covers something, by what is known of each of its patterns."""
    return _settled(any_of(_perhaps(text, patterns, answer(text)) for text in patterns.texts), patterns)


def any_of(answers: Iterable[bool | None]) -> bool | None:
    """Kleene's `or` over many."""
    seen = tuple(answers)
    return True if True in seen else None if None in seen else False


def all_of(answers: Iterable[bool | None]) -> bool | None:
    """Kleene's `and` over many."""
    seen = tuple(answers)
    return False if False in seen else None if None in seen else True


def _perhaps(text: str, patterns: Patterns, answer: bool | None) -> bool | None:
    """The answer of one pattern: where the pattern itself is there only perhaps, so is a yes."""
    return None if answer and text in patterns.perhaps else answer


def _settled(answer: bool | None, patterns: Patterns) -> bool | None:
    if answer is not True and patterns.doubt is not None:
        answer = None
    if not patterns.inverted:
        return answer
    return None if answer is None else not answer


_EVERYTHING = "*"
_OF_DYNAMODB = "arn:*:dynamodb:*:*:*"


@record(kw_only=False)
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
        """How much the statement's conditions take from this action, and those of the Denies that guard it."""
        conditions, denials = self.grant.statement.conditions, self.grant.holder.denials
        own = narrowing(conditions, action) if conditions else Narrowing.NONE
        return max(own, _guarded(self.grant.holder, action, self.pattern)) if denials else own


def actions_of(patterns: Patterns) -> frozenset[Action]:
    """The DynamoDB actions that a list of action patterns names for certain."""
    if not patterns.inverted:
        return _named(patterns.texts)
    return _not_named(patterns.sure) if patterns.doubt is None else frozenset()


@lru_cache(maxsize=4096)
def _named(texts: tuple[str, ...]) -> frozenset[Action]:
    return frozenset(action for text in texts for action in expand(text))


@lru_cache(maxsize=4096)
def _not_named(texts: tuple[str, ...]) -> frozenset[Action]:
    return frozenset(known_actions()) - _named(texts)


def resources_of(statement: Statement) -> tuple[str, ...]:
    """The resource patterns that a statement reaches: of a NotResource, everything, unless all tables are listed."""
    if not statement.resources.inverted:
        return statement.resources.texts
    return () if any(subset(_OF_DYNAMODB, text) is True for text in statement.resources.sure) else (_EVERYTHING,)


def reaches(grant: Grant) -> tuple[Reach, ...]:
    """What a grant of an identity comes to, pattern by pattern, after its holder's denies and ceilings."""
    if grant.reached is None:
        wire(grant, "reached", _reaches(grant))
    return grant.reached or ()


def reaches_of(holder: Holder) -> tuple[Reach, ...]:
    """All that a holder reaches, over all its documents."""
    found: list[Reach] = []
    for grant in holder.grants:
        found += reaches(grant)
    return tuple(found)


def fits(action: Action, scope: Scope) -> bool:
    """Whether a scope can hold something that the action is for. Account-level actions have no scope."""
    return _fits(action, scope.itself, scope.below, scope.global_table)


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
    if not actions:
        return ()
    found: list[Reach] = []
    limited = bool(grant.holder.denials or grant.holder.ceilings)
    for pattern in resources_of(grant.statement):
        scope = scope_of(pattern)
        if scope.tier is not Tier.NONE:
            bare = not pattern.strip(_EVERYTHING)
            fitting = _fitting(actions, bare, scope.itself, scope.below, scope.global_table)
            if limited:
                found.extend(_left(grant, pattern, scope, fitting))
            elif fitting:
                found.append(Reach(grant, pattern, scope, fitting))
    return tuple(found)


def _left(grant: Grant, pattern: str, scope: Scope, fitting: frozenset[Action]) -> Iterator[Reach]:
    """What a holder's denies and ceilings leave of a pattern."""
    left = {action: scope for action in fitting if not _is_denied(grant.holder, action, pattern)}
    for document in grant.holder.ceilings:
        capped = ((action, _under(document, action, pattern, own)) for action, own in left.items())
        left = {action: under for action, under in capped if under is not None}
    for under in sorted(set(left.values()), key=lambda item: (-item.tier, str(item))):
        yield Reach(grant, pattern, under, frozenset(action for action, own in left.items() if own == under))


@lru_cache(maxsize=1024)
def _fitting(
    actions: frozenset[Action], bare: bool, itself: bool, below: str | None, global_table: bool
) -> frozenset[Action]:
    """Those of the actions that a pattern has something for, by the shape of its scope."""
    return frozenset(
        action for action in actions if (bare if action.account_level else _fits(action, itself, below, global_table))
    )


def _is_denied(holder: Holder, action: Action, pattern: str) -> bool:
    return any(
        always_denies(grant.statement, action) and _is_about(grant.statement, action, pattern)
        for grant in holder.denials
    )


def _guarded(holder: Holder, action: Action, pattern: str) -> Narrowing:
    """How much the conditional Denies of a holder narrow an action: those that spare the intended use only."""
    strongest = Narrowing.NONE
    for grant in holder.denials:
        left = complement(grant.statement.conditions)
        settled = grant.statement.present and grant.statement.unsettled is None
        if left and settled and _is_about(grant.statement, action, pattern):
            strongest = max(strongest, min(narrowing((condition,), action) for condition in left))
    return strongest


def _is_about(statement: Statement, action: Action, pattern: str) -> bool:
    """Whether a Deny is surely about the action, wherever the pattern reaches."""
    return names(statement.actions, action) is True and _surely_covers(statement.resources, pattern)


def _surely_covers(patterns: Patterns, pattern: str) -> bool:
    """Whether everything that a pattern reaches is among the resources."""
    if not patterns.inverted:
        return any(subset(pattern, text) for text in patterns.sure)
    return patterns.doubt is None and all(intersects(pattern, text) is False for text in patterns.texts)


def _under(document: Document, action: Action, pattern: str, scope: Scope) -> Scope | None:
    """The scope that a ceiling leaves to an action: no wider than the widest pattern that it lets pass, or none."""
    denying = (statement for statement in document.statements if always_denies(statement, action))
    if any(_is_about(statement, action, pattern) for statement in denying):
        return None
    allowing = [statement for statement in document.statements if statement.allows]
    if document.doubt is not None or not allowing:
        return scope  # nothing is known to be kept out, or a ceiling of Denies alone
    passing = [text for statement in allowing for text in _let_through(statement, action, pattern)]
    scopes = [found for found in map(scope_of, passing) if found.tier is not Tier.NONE]
    widest = max(scopes, key=lambda item: item.tier, default=None)
    return widest if widest is None or widest.tier < scope.tier else scope


def _let_through(statement: Statement, action: Action, pattern: str) -> tuple[str, ...]:
    """The patterns under which a ceiling's Allow may let the action pass somewhere in the pattern's reach."""
    if names(statement.actions, action) is False or met(statement.conditions, action) is False:
        return ()
    if statement.resources.inverted:
        return () if any(subset(pattern, text) for text in statement.resources.sure) else (_EVERYTHING,)
    if statement.resources.doubt is not None:
        return (_EVERYTHING,)
    return tuple(text for text in statement.resources.texts if intersects(at_home(text, pattern), pattern) is not False)
