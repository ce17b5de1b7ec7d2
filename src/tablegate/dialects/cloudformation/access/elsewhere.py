"""Roles of other stacks of the run: who uses them is in their own templates."""

from __future__ import annotations

from tablegate.access.symbols import Symbols
from tablegate.access.trust import most_exposed, trust_of
from tablegate.dialects.cloudformation.access.drafts import Evidence
from tablegate.dialects.cloudformation.access.pieces import Documents
from tablegate.dialects.cloudformation.access.texts import Texts
from tablegate.dialects.cloudformation.access.trees import Trees
from tablegate.dialects.cloudformation.fields import properties
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.template import ROLE
from tablegate.dialects.cloudformation.unsettled import Symbol
from tablegate.model.table import Table


def users_of(symbol: Symbol) -> Evidence | None:
    """Who uses the role that a symbol stands for; None where that is no role of another stack, or nothing tells."""
    home = symbol.home
    role = home.template.named(symbol.resource, ROLE) if home is not None and symbol.resource is not None else None
    section = properties(home, role) if home is not None and role is not None else None
    node = section.get("AssumeRolePolicyDocument") if isinstance(section, dict) else None
    if home is None or node is None:
        return None
    symbols = Symbols()
    documents = Documents(home, Trees(home, Texts(home, symbols, (), _no_tables)), symbols)
    pieces = (piece.document for piece in documents.uncounted(node) if piece.document.statements)
    found = [trust_of(document, home.options.account) for document in pieces]
    return most_exposed([(each.kind, each.why) for each in found]) if found else None


def _no_tables(_: Resolver) -> tuple[Table, ...]:
    """A trust policy is about no table."""
    return ()
