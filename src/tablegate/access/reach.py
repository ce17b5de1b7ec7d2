"""What a holder really reaches: all its documents together, less what is denied, under its ceilings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from tablegate.access.actions import Action, Kind, action_named, expand, known_actions
from tablegate.access.arns import at_home
from tablegate.access.conditions import Narrowing, complement, narrowing
from tablegate.access.documents import Document, Patterns, Statement
from tablegate.access.grants import DocumentRole, Grant
from tablegate.access.patterns import intersects, matches, subset
from tablegate.access.scope import Scope, Tier, scope_of
from tablegate.model.record import record

if TYPE_CHECKING:
    from tablegate.access.holders import Holder

Covers: TypeAlias = Callable[[Patterns, str], bool | None]

_EVERYTHING = "*"
_OF_DYNAMODB = "arn:*:dynamodb:*:*:*"


class _Shape(NamedTuple):
    """What of a scope decides which actions have something there."""

    itself: bool
    below: str | None
    global_table: bool


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


@record(kw_only=False)
class Answer:
    """Whether a holder may do something: yes, no, or None; and the grants that decide."""

    truth: bool | None
    grants: tuple[Grant, ...] = ()
    conditional: bool = False


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
        object.__setattr__(grant, "reached", tuple(_reaches(grant)))
    return grant.reached or ()


def reaches_of(holder: Holder) -> tuple[Reach, ...]:
    """All that a holder reaches, over all its documents."""
    return tuple(reach for grant in holder.grants for reach in reaches(grant))


def can(holder: Holder, action_name: str, target: str, covers: Covers | None = None) -> Answer:
    """Whether a holder may do this action on this ARN. Whoever knows already what covers it can say so."""
    covers = covers or _covers
    action = action_named(action_name)
    given = [(_hits(grant.statement, action, target, covers), grant) for grant in holder.grants if _gives(grant)]
    taken = [(_hits(grant.statement, action, target, covers), grant) for grant in holder.grants if _takes(grant)]
    for hit, grant in taken:
        if hit is True and is_plain_deny(grant.statement):
            return Answer(False, (grant,))
    sure = tuple(grant for hit, grant in given if hit is True)
    perhaps = tuple(grant for hit, grant in given if hit is None)
    allowed = _all(allowed_by(document, action, target, covers) for document in holder.ceilings)
    if allowed is False or not (sure or perhaps):
        blind = allowed is not False and any(unread.relevant for unread in holder.unread)
        return Answer(None if blind else False)
    doubtful = any(hit is None and not grant.statement.conditions for hit, grant in taken)
    if action.kind is Kind.UNHEARD or not sure or allowed is None or holder.ceiling_doubt is not None or doubtful:
        return Answer(None, sure + perhaps)
    bound = all(grant.statement.conditions for grant in sure)
    return Answer(True, sure, bound or any(hit is not False for hit, _ in taken))


def covered(patterns: Patterns, answer: Callable[[str], bool | None]) -> bool | None:
    """Whether a list of resources covers something, by what is known of each of its patterns."""
    return _settled(_any(_perhaps(text, patterns, answer(text)) for text in patterns.texts), patterns)


def fits(action: Action, scope: Scope | _Shape) -> bool:
    """Whether a scope can hold something that the action is for. Account-level actions have no scope."""
    if scope.global_table:
        return "global-table" in action.types
    if scope.itself and "table" in action.types:
        return True
    if scope.below == _EVERYTHING:
        return bool(set(action.types) - {"table", "global-table"}) or (scope.itself and bool(action.types))
    return scope.below in action.types


def is_plain_deny(statement: Statement) -> bool:
    """Whether this takes something away in every case: without a condition, and in every scenario."""
    return statement.denies and not statement.conditions and statement.unsettled is None and statement.present


def allowed_by(document: Document, action: Action, target: str, covers: Covers) -> bool | None:
    """Whether a ceiling lets the action pass on this ARN; None where that is not settled."""
    plain = (statement for statement in document.statements if is_plain_deny(statement))
    if any(_hits(statement, action, target, covers) is True for statement in plain):
        return False
    allowing = [statement for statement in document.statements if statement.allows]
    if document.doubt is not None or not allowing:
        return None if document.doubt is not None else True  # a ceiling of Denies alone takes only those away
    answers = [
        None if hit and statement.conditions else hit
        for statement in allowing
        for hit in (_hits(statement, action, target, covers),)
    ]
    return _any(answers)


def _reaches(grant: Grant) -> Iterator[Reach]:
    if not _gives(grant):
        return
    actions = actions_of(grant.statement.actions)
    if not actions:
        return
    for pattern in resources_of(grant.statement):
        scope = scope_of(pattern)
        if scope.tier is not Tier.NONE:
            yield from _reach(grant, pattern, scope, actions)


def _reach(grant: Grant, pattern: str, scope: Scope, actions: frozenset[Action]) -> Iterator[Reach]:
    fitting = _fitting(actions, not pattern.strip(_EVERYTHING), _Shape(scope.itself, scope.below, scope.global_table))
    if not (grant.holder.denials or grant.holder.ceilings):
        if fitting:
            yield Reach(grant, pattern, scope, fitting)
        return
    left = {action: scope for action in fitting if not _is_denied(grant.holder, action, pattern)}
    for document in grant.holder.ceilings:
        capped = ((action, _under(document, action, pattern, own)) for action, own in left.items())
        left = {action: under for action, under in capped if under is not None}
    for under in sorted(set(left.values()), key=lambda item: (-item.tier, str(item))):
        yield Reach(grant, pattern, under, frozenset(action for action, own in left.items() if own == under))


@lru_cache(maxsize=1024)
def _fitting(actions: frozenset[Action], bare: bool, shape: _Shape) -> frozenset[Action]:
    """Those of the actions that a pattern of this shape has something for."""
    return frozenset(action for action in actions if (bare if action.account_level else fits(action, shape)))


def _gives(grant: Grant) -> bool:
    return grant.role is DocumentRole.IDENTITY and grant.statement.allows


def _takes(grant: Grant) -> bool:
    return grant.role is DocumentRole.IDENTITY and grant.statement.effect != "Allow"


def _hits(statement: Statement, action: Action, target: str, covers: Covers) -> bool | None:
    """Whether a statement is about this action on this ARN, its conditions aside."""
    named = _names(statement.actions, action)
    reached = named is not False and covers(statement.resources, target)
    if named is False or reached is False:
        return False
    return True if named and reached and statement.unsettled is None and statement.present else None


def _names(patterns: Patterns, action: Action) -> bool | None:
    answer = _any(
        _perhaps(text, patterns, matches(text.lower(), action.full_name.lower()) if ":" in text else text == "*")
        for text in patterns.texts
    )
    return _settled(answer, patterns)


def _covers(patterns: Patterns, target: str) -> bool | None:
    return covered(patterns, lambda text: matches(at_home(text, target), target))


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


def _all(answers: Iterable[bool | None]) -> bool | None:
    """Kleene's `and` over many."""
    seen = tuple(answers)
    return False if False in seen else None if None in seen else True


def _is_denied(holder: Holder, action: Action, pattern: str) -> bool:
    return any(
        is_plain_deny(grant.statement) and _is_about(grant.statement, action, pattern) for grant in holder.denials
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
    return _names(statement.actions, action) is True and _surely_covers(statement.resources, pattern)


def _surely_covers(patterns: Patterns, pattern: str) -> bool:
    """Whether everything that a pattern reaches is among the resources."""
    if not patterns.inverted:
        return any(subset(pattern, text) for text in patterns.sure)
    return patterns.doubt is None and all(intersects(pattern, text) is False for text in patterns.texts)


def _under(document: Document, action: Action, pattern: str, scope: Scope) -> Scope | None:
    """The scope that a ceiling leaves to an action: no wider than the widest pattern that it lets pass, or none."""
    plain = (statement for statement in document.statements if is_plain_deny(statement))
    if any(_is_about(statement, action, pattern) for statement in plain):
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
    if _names(statement.actions, action) is False:
        return ()
    if statement.resources.inverted or statement.resources.doubt is not None:
        return (_EVERYTHING,)
    return tuple(text for text in statement.resources.texts if intersects(at_home(text, pattern), pattern) is not False)
