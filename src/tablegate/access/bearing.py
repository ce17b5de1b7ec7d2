"""Whether one statement is about an action on an ARN, three-valued: the atom of every answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from tablegate.access.actions import Action
from tablegate.access.conditions import met
from tablegate.access.documents import Patterns, Statement
from tablegate.access.patterns import matches

Covers: TypeAlias = Callable[[Patterns, str], bool | None]


def bears(statement: Statement, action: Action, target: str, covers: Covers) -> bool | None:
    """Whether a statement may come to bear on this action and ARN: not where its conditions can never be met."""
    named = names(statement.actions, action)
    reached = named is not False and covers(statement.resources, target)
    if named is False or reached is False or met(statement.conditions, action) is False:
        return False
    return True if named and reached and statement.unsettled is None and statement.present else None


def is_bound(statement: Statement, action: Action) -> bool:
    """Whether a statement's conditions leave it to the request."""
    return met(statement.conditions, action) is None


def surely_denies(statement: Statement, action: Action) -> bool:
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
