"""Joins resources to the tables that they are about, for both languages.

A dialect reads what a resource names and what it says; here it is decided which table is meant, and what follows:

1. A reference to a table means that table; from another region that is known, its replica there. If one of the two
   regions is not known, it means the table of the same provider configuration, and of another one only possibly.
2. An equal name means the table in the same region, or else its replica in the resource's region.
3. If a region is not known, an equal name means a table of the same provider configuration or stack. Another table of
   that name is possible.
4. The region and the account of an ARN count as the resource's own. A table in another account is not meant.
5. A text that may be any name makes every table possible that 2 and 3 leave.

What is possible is a doubt, and never a match.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

from tablegate.model.record import record
from tablegate.model.value import Doubt

T = TypeVar("T")

_PART = r"(?:\$\{[^}]*\}|[^:/])*"  # of an ARN: a reference may hold colons
_TABLE = re.compile(rf"(?:arn:{_PART}:dynamodb:({_PART}):({_PART}):)?table/({_PART})(?:/(.*))?", re.DOTALL)
_STREAM = "stream/"


@record(kw_only=False)
class TableName:
    """A table as a text names it. ``rest`` is what follows the name, such as ``index/by-status``."""

    name: str
    region: str | None = None
    account: str | None = None
    rest: str = ""

    @property
    def is_stream(self) -> bool:
        """Whether the text is the ARN of a stream."""
        return self.rest.startswith(_STREAM)


def table_name_in(text: str) -> TableName:
    """The table in a name, an ARN, or an id of application autoscaling such as ``table/orders/index/by-status``."""
    parts = _TABLE.fullmatch(text)
    if parts is None:
        return TableName(text)
    return TableName(parts[3], _literal(parts[1]), _literal(parts[2]), parts[4] or "")


def _literal(part: str | None) -> str | None:
    return part if part and "${" not in part else None


@record(kw_only=False)
class Location:
    """Where a table or a resource is, as far as that is known.

    ``owner`` is its provider configuration or its stack. It is empty for a resource that the configuration lacks.
    ``doubt`` says why the region is not known, if more than the options would tell it.
    """

    region: str | None = None
    account: str | None = None
    owner: str = ""
    doubt: Doubt | None = None

    def of(self, name: TableName) -> Location:
        """The location that a name from here leads to."""
        return Location(name.region or self.region, name.account, self.owner, self.doubt)

    def of_account(self, account: str | None) -> Location:
        """The location in an account."""
        return Location(self.region, account, self.owner, self.doubt)

    def is_near(self, other: Location) -> bool | None:
        """Whether an equal name means the same thing in both locations; None if that is not known."""
        if self.account is not None and other.account is not None and self.account != other.account:
            return False
        if self.region is not None and other.region is not None:
            return self.region == other.region
        return True if self.owner == other.owner or not self.owner or not other.owner else None


@record(kw_only=False)
class TableMatch:
    """The tables that are meant, by address.

    With a doubt only one of them is meant, or if there are none, possibly any table of the input.
    """

    tables: tuple[str, ...] = ()
    doubt: Doubt | None = None
    region: str | None = None  # of the replica that is meant
    stream: bool = False
    rest: str = ""

    @property
    def table(self) -> str | None:
        """The one table that is certainly meant."""
        return self.tables[0] if self.doubt is None and len(self.tables) == 1 else None


def unknown_region(address: str, location: Location) -> Doubt:
    """Why a resource in a location may be about another table of the same name."""
    reason, why = f"whether {address} is in the region of the table is not known", location.doubt
    if why is None:
        return Doubt(reason, "--region", (address,))
    return Doubt(f"{reason}: {why.reason}", why.settle, (address, *why.refs))


def match_name(name: TableName, address: str, location: Location, tables: Sequence[tuple[str, Location]]) -> TableMatch:
    """Which of the tables of a name is meant by the resource of an address, which is in a location."""
    near = [(table, own) for table, own in tables if location.is_near(own)]
    near = [(table, own) for table, own in near if own.owner == location.owner] or near
    if near:
        return TableMatch(tuple(table for table, _ in near), None, None, name.is_stream, name.rest)
    possible = tuple(table for table, own in tables if location.is_near(own) is None)
    if possible:
        return TableMatch(possible, unknown_region(address, location), None, name.is_stream, name.rest)
    away = [table for table, own in tables if Location(None, location.account).is_near(own) is not False]
    return TableMatch(tuple(away[:1]), None, location.region, name.is_stream, name.rest)


class ByTable(Generic[T]):
    """What resources say about tables."""

    def __init__(self) -> None:
        self._certain: dict[str, list[tuple[TableMatch, T]]] = {}
        self._possible: dict[str, list[tuple[T, Doubt]]] = {}
        self._anywhere: list[tuple[T, Doubt]] = []

    def add(self, match: TableMatch, content: T) -> None:
        """Add it to each table that it may be about."""
        if match.doubt is None:
            for address in match.tables:
                self._certain.setdefault(address, []).append((match, content))
        elif match.tables:
            for address in match.tables:
                self._possible.setdefault(address, []).append((content, match.doubt))
        else:
            self._anywhere.append((content, match.doubt))

    def of(self, address: str, region: str | None = None) -> list[T]:
        """What is certainly about a table, or about its replica in a region."""
        return [content for match, content in self._certain.get(address, ()) if match.region == region]

    def matches(self, address: str) -> Sequence[tuple[TableMatch, T]]:
        """What is certainly about a table or one of its replicas."""
        return self._certain.get(address, ())

    def possible(self, address: str) -> Iterator[tuple[T, Doubt]]:
        """What may be about a table, and why that is not known."""
        yield from self._possible.get(address, ())
        yield from self._anywhere

    def doubt(self, address: str) -> Doubt | None:
        """Why there may be more about a table."""
        return next((doubt for _, doubt in self.possible(address)), None)
