"""What the access policies ask of a grant: do they check it, how powerful is it, and which tables does it reach?"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache
from operator import itemgetter

from tablegate.policy import Estate, Table
from tablegate.policy.access import (
    HARMLESS,
    Action,
    Grant,
    Holder,
    Kind,
    Narrowing,
    Reach,
    Symbols,
    Tier,
    arn_of,
    at_home,
    expand,
    intersects,
    is_suffix,
    is_wildcard,
    known_actions,
    matches,
    reaches,
    reaches_of,
)

ITEMS = frozenset({Kind.ITEM_READ, Kind.ITEM_WRITE, Kind.ITEM_DELETE, Kind.BULK_READ})
# Services whose work it is to copy tables.
_COPYING_SERVICES = ("osis-pipelines.", "redshift", "glue.", "backup.", "export.dynamodb.", "dms.")
_FULL_CONTROL = frozenset({Kind.DESTRUCTIVE, Kind.PERMISSIONS, Kind.ITEM_READ, Kind.ITEM_WRITE})

_WILDCARD = re.compile(r"[*?]")
_LAST = chr(0x10FFFF)  # sorts after every text with the same start


def is_checked(grant: Grant) -> bool:
    """Whether a grant reaches tables, and its holder is no DAX role: TG538 alone checks those."""
    return bool(reaches(grant)) and not is_dax_role(grant.holder)


def is_custom_grant(grant: Grant) -> bool:
    """Whether a checked grant is not from an AWS managed policy."""
    return grant.managed is None and is_checked(grant)


def is_dax_role(holder: Holder) -> bool:
    """Whether a role is used by a DAX cluster."""
    return any(service.startswith("dax.") for service in holder.services)


def copies_tables(holder: Holder) -> bool:
    """Whether all services that use a role are there to copy tables."""
    return bool(holder.services) and all(service.startswith(_COPYING_SERVICES) for service in holder.services)


def notable_actions(reach: Reach) -> tuple[Action, ...]:
    """The actions on tables that do more than read metadata."""
    return _notable_actions(reach.actions)


def table_actions(reach: Reach) -> tuple[Action, ...]:
    """The notable actions without those that read streams, which TG515 checks."""
    return _table_actions(reach.actions)


def verb_wildcards(grant: Grant) -> tuple[str, ...]:
    """The action patterns that mix kinds of actions, other than those for the whole service."""
    return tuple(text for text in grant.statement.actions.texts if is_mixed(text))


def covers_service(grant: Grant) -> bool:
    """Whether a statement is about the whole service, by a wildcard or by a NotAction."""
    return grant.statement.actions.inverted or any(map(is_service, grant.statement.actions.texts))


def gives_full_control(grant: Grant) -> bool:
    """Whether one statement gives full control. Verb wildcards do not count: TG507 reports them."""
    if covers_service(grant):
        return True
    return not verb_wildcards(grant) and any(is_full_control(reach.actions) for reach in reaches(grant))


def is_part_of_full_control(grant: Grant) -> bool:
    """Whether a statement is part of what gives its holder full control of all tables."""
    return any(map(_reaches_all_tables, reaches(grant))) and bool(full_control(grant.holder))


def full_control(holder: Holder) -> tuple[Reach, ...]:
    """The reaches that together give a holder full control of all tables; none where they do not."""
    wide = [reach for reach in reaches_of(holder) if reach.grant.managed is None and _reaches_all_tables(reach)]
    return tuple(wide) if is_full_control(frozenset().union(*(reach.actions for reach in wide))) else ()


@lru_cache(maxsize=2048)
def is_full_control(actions: frozenset[Action]) -> bool:
    """Whether these actions amount to full control of a table."""
    return {action.kind for action in actions} >= _FULL_CONTROL


@lru_cache(maxsize=2048)
def is_mixed(text: str) -> bool:
    """Whether an action pattern, not for the whole service, mixes kinds of actions."""
    actions = expand(text)
    if not is_wildcard(text) or is_service(text):
        return False
    kinds = {"items" if action.kind in ITEMS else str(action.kind) for action in actions if action.kind not in HARMLESS}
    harmless = any(action.kind in HARMLESS for action in actions)
    return len(kinds) > 1 or (harmless and bool(kinds))


@lru_cache(maxsize=2048)
def is_service(text: str) -> bool:
    """Whether an action pattern matches the whole service."""
    return len(expand(text)) == len(known_actions())


# Many statements have the same actions.
@lru_cache(maxsize=2048)
def _notable_actions(actions: frozenset[Action]) -> tuple[Action, ...]:
    return tuple(sorted(item for item in actions if item.kind not in HARMLESS and not item.account_level))


@lru_cache(maxsize=2048)
def _table_actions(actions: frozenset[Action]) -> tuple[Action, ...]:
    return tuple(action for action in _notable_actions(actions) if action.kind is not Kind.STREAM_READ)


def _reaches_all_tables(reach: Reach) -> bool:
    """Whether a reach has all tables, with an action on them that no condition limits to some items."""
    if reach.tier < Tier.ALL:
        return False
    on_tables = (action for action in reach.actions if "table" in action.types)
    return any(reach.narrowed(action) < Narrowing.ITEMS for action in on_tables)


def tables_reached(grant: Grant, pattern: str) -> tuple[Table, ...]:
    """The tables in or beside this input that a pattern certainly reaches, or something below them; each once."""
    return _tables_by_arn(grant.holder.estate, grant.holder.symbols).reached(pattern)


def tables_in_scenarios(grant: Grant, pattern: str) -> Iterable[Table]:
    """The tables that a pattern certainly reaches in some scenario, each as it is in every one."""
    return _tables_by_arn(grant.holder.estate, grant.holder.symbols).in_scenarios(pattern)


def only_table(grant: Grant, pattern: str) -> Table | None:
    """The table that a pattern reaches, where it is the only one in this input."""
    tables = tables_reached(grant, pattern)
    return tables[0] if len(tables) == 1 else None


def newly_reached(reach: Reach) -> tuple[str, ...]:
    """The names of the tables that a pattern reaches, without those that its holder is granted by name."""
    tables = tables_reached(reach.grant, reach.pattern)
    if not tables:
        return ()
    by_name = {other.pattern for other in reaches_of(reach.grant.holder) if other.tier is Tier.ONE}
    if reach.scope.bleeds:
        by_name.add(reach.pattern.removesuffix("*"))  # its author means the name before the star
    if not by_name:
        return _tables_by_arn(reach.grant.holder.estate, reach.grant.holder.symbols).names(reach.pattern)
    named = {table.address for pattern in by_name for table in tables_reached(reach.grant, pattern)}
    return names_of(table for table in tables if table.address not in named)


def names_of(tables: Iterable[Table]) -> tuple[str, ...]:
    """The names of tables in messages."""
    return tuple(sorted({table.name.content or table.address for table in tables}))


class _TablesByArn:
    """The tables of one input by ARN, and which of them each pattern reaches."""

    def __init__(self, estate: Estate, symbols: Symbols) -> None:
        self._all: dict[str, Table] = {}
        self._scenarios: dict[str, list[Table]] = {}
        self._by_tail: dict[str, list[tuple[int, str, Table]]] = {}
        for number, table in enumerate((*estate.tables, *estate.neighbours)):
            self._all.setdefault(table.address, table)
            self._scenarios.setdefault(table.address, []).append(table)
            arn = arn_of(table, symbols)
            self._by_tail.setdefault(arn.split(":", 5)[-1], []).append((number, arn, table))
        self._tails = sorted(self._by_tail)
        self._reached: dict[str, tuple[Table, ...]] = {}
        self._names: dict[str, tuple[str, ...]] = {}

    def reached(self, pattern: str) -> tuple[Table, ...]:
        tables = self._reached.get(pattern)
        if tables is None:
            tables = self._reached[pattern] = self._find(pattern)
        return tables

    def in_scenarios(self, pattern: str) -> Iterable[Table]:
        return (one for table in self.reached(pattern) for one in self._scenarios[table.address])

    def names(self, pattern: str) -> tuple[str, ...]:
        if pattern not in self._names:
            self._names[pattern] = names_of(self.reached(pattern))
        return self._names[pattern]

    def _find(self, pattern: str) -> tuple[Table, ...]:
        if pattern == "*":
            return tuple(self._all.values())
        by_address: dict[str, Table] = {}
        for _, arn, table in self._candidates(pattern.split(":", 5)[-1]):
            if arn == pattern or _reaches(pattern, arn):
                by_address.setdefault(table.address, table)
        return tuple(by_address.values())

    def _candidates(self, tail: str) -> Iterable[tuple[int, str, Table]]:
        """The tables that a pattern with this last part may reach, in their order."""
        name = "/".join(tail.split("/", 2)[:2])
        named = self._by_tail.get(name)
        if named is not None and "*" not in name and "?" not in name:
            return named  # the usual case: a table of this input by name
        candidates = (table for own in self._candidate_tails(tail) for table in self._by_tail[own])
        return sorted(candidates, key=itemgetter(0))

    def _candidate_tails(self, tail: str) -> Iterable[str]:
        """The last parts of tables' ARNs that a pattern may start with, or match where it ends in a wildcard."""
        start = _WILDCARD.split(tail, maxsplit=1)[0]
        slashes = (place for place, character in enumerate(start) if character == "/")
        ends = (place for place in (*slashes, len(start) - 1, len(start)) if place > 0)
        starts = dict.fromkeys(start[:end] for end in ends if start[:end] in self._by_tail)
        if len(start) == len(tail):
            return starts
        first, last = bisect_left(self._tails, start), bisect_left(self._tails, start + _LAST)
        return starts | dict.fromkeys(self._tails[first:last])


@lru_cache(maxsize=1)  # every grant of an input asks
def _tables_by_arn(estate: Estate, symbols: Symbols) -> _TablesByArn:
    return _TablesByArn(estate, symbols)


def _reaches(pattern: str, arn: str) -> bool:
    if pattern in (arn, "*") or pattern.startswith(f"{arn}/"):
        return True  # the usual case
    pattern = at_home(pattern, arn)
    if matches(pattern, arn) is True or intersects(pattern, f"{arn}/*") is True:
        return True
    return pattern[:-1] == arn and is_suffix(pattern[-1])
