"""Which tables of this input does a pattern reach?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from tablegate.policy import Estate, Table
from tablegate.policy.access import (
    Grant,
    Reach,
    Symbols,
    Tier,
    arn_of,
    at_home,
    intersects,
    is_suffix,
    matches,
    reaches_of,
)


def tables_reached(grant: Grant, pattern: str) -> tuple[Table, ...]:
    """The tables of this input that a pattern reaches for certain, or something below them."""
    return _here(grant.holder.estate, grant.holder.symbols).reached(pattern)


def names_of(tables: Iterable[Table]) -> tuple[str, ...]:
    """What a message calls these tables."""
    return tuple(sorted({table.name.content or table.address for table in tables}))


def newly_reached(reach: Reach) -> tuple[str, ...]:
    """The tables of this input that a pattern reaches, less those that its holder names in full."""
    reached = tables_reached(reach.grant, reach.pattern)
    if not reached:
        return ()
    exact = {other.pattern for other in reaches_of(reach.grant.holder) if other.tier is Tier.ONE}
    meant = {table.address for pattern in exact for table in tables_reached(reach.grant, pattern)}
    return names_of(table for table in reached if table.address not in meant)


def only_table(grant: Grant, pattern: str) -> Table | None:
    """The one table that a pattern is about, where it is in this input."""
    found = tables_reached(grant, pattern)
    return found[0] if len({table.address for table in found}) == 1 else None


class _Here:
    """The tables of one input by ARN, and what was asked of them before."""

    def __init__(self, estate: Estate, symbols: Symbols) -> None:
        spelled = ((arn_of(table, symbols), table) for table in estate.tables)
        self._arns = tuple((arn, arn.split(":", 5)[-1], table) for arn, table in spelled)
        self._reached: dict[str, tuple[Table, ...]] = {}

    def reached(self, pattern: str) -> tuple[Table, ...]:
        if pattern not in self._reached:
            self._reached[pattern] = tuple(self._found(pattern).values())
        return self._reached[pattern]

    def _found(self, pattern: str) -> dict[str, Table]:
        head = re.split(r"[*?]", pattern.split(":", 5)[-1], maxsplit=1)[0]
        found: dict[str, Table] = {}
        for arn, tail, table in self._arns:
            if (tail.startswith(head) or head.startswith(tail)) and _reaches(at_home(pattern, arn), arn):
                found.setdefault(table.address, table)
        return found


@lru_cache(maxsize=1)
def _here(estate: Estate, symbols: Symbols) -> _Here:
    return _Here(estate, symbols)


def _reaches(pattern: str, arn: str) -> bool:
    if matches(pattern, arn) is True or intersects(pattern, f"{arn}/*") is True:
        return True
    return pattern[:-1] == arn and is_suffix(pattern[-1])
