"""What a plan does to one table: before, after, and how."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING

from tablegate.model.record import field, record
from tablegate.model.value import Doubt, Place, Value

if TYPE_CHECKING:
    from tablegate.model.estate import Estate
    from tablegate.model.table import Table


class ChangeKind(StrEnum):
    """What happens to the object at an address."""

    NOOP = "no-op"
    CREATE = "create"
    UPDATE = "update"
    REPLACE = "replace"
    DELETE = "delete"
    READ = "read"
    FORGET = "forget"
    UNKNOWN = "unknown"


class ReplaceOrder(StrEnum):
    """Which comes first when an object is replaced."""

    DELETE_FIRST = "delete-first"
    CREATE_FIRST = "create-first"
    CREATE_THEN_FORGET = "create-then-forget"


@record(eq=False)
class Change:
    """The change of one table. ``before`` is made when somebody asks for it."""

    address: str
    place: Place | None
    kind: ChangeKind
    make_before: Callable[[], Table | None] = field(repr=False)
    after: Table | None = None
    order: ReplaceOrder | None = None
    replace_paths: tuple[str, ...] = ()
    reason: str | None = None
    importing: str | None = None
    previous_address: str | None = None
    deposed: str | None = None
    retained: Value[bool] | None = None  # whether the object survives its own removal, where the input says so
    doubt: Doubt | None = None  # why it may be something less
    estate: Estate = field(init=False, compare=False, repr=False)

    @property
    def before(self) -> Table | None:
        """The table as it is now."""
        return self.make_before()
