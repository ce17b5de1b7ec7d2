"""Whether a document has anything to do with tables."""

from __future__ import annotations

from tablegate.access.actions import may_concern_dynamodb
from tablegate.access.documents import Document, Statement
from tablegate.access.scope import Tier, scope_of


def concerns_tables(document: Document) -> bool:
    """Whether a document grants anything on tables, for certain or perhaps."""
    return any(statement.allows and _concerns(statement) for statement in document.statements)


def _concerns(statement: Statement) -> bool:
    if not _names(statement):
        return False
    resources = statement.resources
    return (
        resources.inverted
        or resources.doubt is not None
        or any(scope_of(text).tier is not Tier.NONE for text in resources.texts)
    )


def _names(statement: Statement) -> bool:
    actions = statement.actions
    return (
        actions.inverted
        or actions.doubt is not None
        or any(may_concern_dynamodb(text) is not False for text in actions.texts)
    )


def is_doubtful(statement: Statement) -> bool:
    """Whether what is not known of a statement may be a grant on tables."""
    if not statement.doubts or not statement.allows:
        return False
    if not _names(statement):
        return False
    spelled = any("dynamodb" in text.lower() for text in statement.actions.texts)
    return spelled or statement.actions.doubt is not None or _concerns(statement)
