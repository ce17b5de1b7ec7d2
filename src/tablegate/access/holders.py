"""Who holds grants, and what they may do with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablegate.access.grants import DocumentRole, Grant, HolderForm, HolderKind, Unread
from tablegate.access.symbols import Symbols
from tablegate.model.record import field, record, wire
from tablegate.model.value import Doubt, Place

if TYPE_CHECKING:
    from tablegate.access.answers import Answer
    from tablegate.access.documents import Document
    from tablegate.model.estate import Estate
    from tablegate.model.table import Table


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
        from tablegate.access.answers import can
        from tablegate.access.arns import arn_of

        target = arn_of(table, self.symbols)
        return can(self, action, f"{target}/{below}" if below else target)
