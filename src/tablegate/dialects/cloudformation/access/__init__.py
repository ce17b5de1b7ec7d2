"""Who holds which grants in a template: every policy document that it writes, in the hands of its holder.

This module is all that a template without documents imports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablegate.dialects.cloudformation.template import ACCESS, FUNCTION, KEY, Template
from tablegate.model.record import record

if TYPE_CHECKING:
    from tablegate.access.grants import Grant
    from tablegate.access.holders import Holder
    from tablegate.model.table import Table

_RESOURCE_POLICY = "ResourcePolicy"


@record(kw_only=False)
class Access:
    """All that a template says of access, and how many of its documents were read."""

    holders: tuple[Holder, ...] = ()
    grants: tuple[Grant, ...] = ()
    documents: int = 0
    documents_partly: int = 0
    documents_unread: int = 0
    neighbours: tuple[Table, ...] = ()  # tables of other stacks that documents name


def speaks_of_access(template: Template, text: str) -> bool:
    """Whether anything in a template may hold a document."""
    return (
        template.serverless
        or any(type_ in template.resources for type_ in (*ACCESS, FUNCTION, KEY))
        or _RESOURCE_POLICY in text
    )
