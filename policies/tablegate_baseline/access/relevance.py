"""Which grants are judged where; tables a pattern reaches."""

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
# Services that copy tables for a living, whatever else they may be.
_COPIERS = ("osis-pipelines.", "redshift", "glue.", "backup.", "export.dynamodb.", "dms.")
_FULL = frozenset({Kind.DESTRUCTIVE, Kind.PERMISSIONS, Kind.ITEM_READ, Kind.ITEM_WRITE})

_WILD = re.compile(r"[*?]")
_LAST = chr(0x10FFFF)  # behind every text that goes on


class _Here:
    """The tables of one input by ARN, and what was asked of them before."""

    def __init__(self, estate: Estate, symbols: Symbols) -> None:
        self._all: dict[str, Table] = {}
        self._by_tail: dict[str, list[tuple[int, str, Table]]] = {}
        for number, table in enumerate((*estate.tables, *estate.neighbours)):
            self._all.setdefault(table.address, table)
            arn = arn_of(table, symbols)
            self._by_tail.setdefault(arn.split(":", 5)[-1], []).append((number, arn, table))
        self._tails: list[str] = []  # sorted, once a pattern leaves its end open
        self._reached: dict[str, tuple[Table, ...]] = {}
        self._names: dict[str, tuple[str, ...]] = {}

    def reached(self, pattern: str) -> tuple[Table, ...]:
        found = self._reached.get(pattern)
        if found is None:
            found = self._reached[pattern] = self._found(pattern)
        return found

    def names(self, pattern: str) -> tuple[str, ...]:
        if pattern not in self._names:
            self._names[pattern] = names_of(self.reached(pattern))
        return self._names[pattern]

    def _found(self, pattern: str) -> tuple[Table, ...]:
        if pattern == "*":
            return tuple(self._all.values())
        found: dict[str, Table] = {}
        for _, arn, table in self._candidates(pattern.split(":", 5)[-1]):
            if arn == pattern or _reaches(pattern, arn):
                found.setdefault(table.address, table)
        return tuple(found.values())

    def _candidates(self, tail: str) -> Iterable[tuple[int, str, Table]]:
        """The tables that a pattern with this tail may be about, in their order."""
        whole = "/".join(tail.split("/", 2)[:2])
        named = self._by_tail.get(whole)
        if named is not None and "*" not in whole and "?" not in whole:
            return named  # nearly all that name a table of this input
        candidates = (one for own in self._alike(tail) for one in self._by_tail[own])
        return sorted(candidates, key=itemgetter(0))

    def _alike(self, tail: str) -> Iterable[str]:
        """The tables' own tails that a pattern's may be about: where it begins with one, or leaves the end open."""
        head = _WILD.split(tail, maxsplit=1)[0]
        ends = (place for place in (*_places(head, "/"), len(head) - 1, len(head)) if place > 0)
        own = dict.fromkeys(head[:end] for end in ends if head[:end] in self._by_tail)
        if len(head) == len(tail):
            return own
        self._tails = self._tails or sorted(self._by_tail)
        first, last = bisect_left(self._tails, head), bisect_left(self._tails, head + _LAST)
        return own | dict.fromkeys(self._tails[first:last])


def is_checked(grant: Grant) -> bool:
    """Whether this grants anything on tables to somebody who is judged by more than TG538 alone."""
    return bool(reaches(grant)) and not is_dax_role(grant.holder)


def is_custom_grant(grant: Grant) -> bool:
    """The same, and somebody wrote the statement: it does not come with a policy of AWS's own."""
    return grant.managed is None and is_checked(grant)


def is_dax_role(holder: Holder) -> bool:
    """Whether a role is a cache's."""
    return bool(holder.services) and any(service.startswith("dax.") for service in holder.services)


@lru_cache(maxsize=2048)
def copies_tables(holder: Holder) -> bool:
    """Whether copying tables is the work of every service behind a role."""
    return bool(holder.services) and all(service.startswith(_COPIERS) for service in holder.services)


@lru_cache(maxsize=2048)
def is_full_control(actions: frozenset[Action]) -> bool:
    """Whether these actions amount to full control of a table."""
    return {action.kind for action in actions} >= _FULL


def notable_actions(reach: Reach) -> tuple[Action, ...]:
    """The actions on tables that do more than look at what there is."""
    return _notable_actions(reach.actions)


def table_actions(reach: Reach) -> tuple[Action, ...]:
    """The same, less the reading of streams: that is TG515's to judge."""
    return _table_actions(reach.actions)


def verb_wildcards(grant: Grant) -> tuple[str, ...]:
    """The action patterns, not for the whole service, that stand for actions of different sorts."""
    return tuple(text for text in grant.statement.actions.texts if is_mixed(text))


def covers_service(grant: Grant) -> bool:
    """Whether a statement is about the whole service, by a wildcard or by what it leaves out."""
    return grant.statement.actions.inverted or any(map(is_service, grant.statement.actions.texts))


def gives_full_control(grant: Grant) -> bool:
    """Whether one statement gives full control, by anything but a verb's wildcards: those are reported as such."""
    if covers_service(grant):
        return True
    return not verb_wildcards(grant) and any(is_full_control(reach.actions) for reach in reaches(grant))


def is_part_of_full_control(grant: Grant) -> bool:
    """Whether a statement is part of what gives its holder full control of all tables."""
    return any(map(_is_wide, reaches(grant))) and bool(full_control(grant.holder))


@lru_cache(maxsize=64)
def full_control(holder: Holder) -> tuple[Reach, ...]:
    """The widest reaches of a holder, where together they amount to full control of all tables; else nothing."""
    wide = tuple(reach for reach in reaches_of(holder) if reach.grant.managed is None and _is_wide(reach))
    return wide if is_full_control(frozenset().union(*(reach.actions for reach in wide))) else ()


@lru_cache(maxsize=2048)
def _notable_actions(actions: frozenset[Action]) -> tuple[Action, ...]:
    return tuple(sorted(item for item in actions if item.kind not in HARMLESS and not item.account_level))


@lru_cache(maxsize=2048)
def _table_actions(actions: frozenset[Action]) -> tuple[Action, ...]:
    return tuple(action for action in _notable_actions(actions) if action.kind is not Kind.STREAM_READ)


@lru_cache(maxsize=2048)
def is_mixed(text: str) -> bool:
    """Whether an action pattern, not for the whole service, stands for actions of different sorts."""
    expansion = expand(text)
    if not is_wildcard(text) or is_service(text):
        return False
    sorts = {
        "items" if action.kind in ITEMS else str(action.kind) for action in expansion if action.kind not in HARMLESS
    }
    harmless = any(action.kind in HARMLESS for action in expansion)
    return len(sorts) > 1 or (harmless and bool(sorts) and sorts != {"stream-read"})


@lru_cache(maxsize=2048)
def is_service(text: str) -> bool:
    """Whether an action pattern stands for the whole service."""
    return len(expand(text)) == len(known_actions())


def _is_wide(reach: Reach) -> bool:
    if reach.tier < Tier.ALL:
        return False
    tagged = (action for action in reach.actions if "table" in action.types)
    return any(reach.narrowed(action) < Narrowing.ITEMS for action in tagged)


def tables_reached(grant: Grant, pattern: str) -> tuple[Table, ...]:
    """The tables here, or beside it, that a pattern reaches for certain, or below which it does: each address once."""
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
    if reach.scope.bleeds:
        exact.add(reach.pattern.removesuffix("*"))  # the name that stands there is meant
    if not exact:
        return _here(reach.grant.holder.estate, reach.grant.holder.symbols).names(reach.pattern)
    meant = {table.address for pattern in exact for table in tables_reached(reach.grant, pattern)}
    return names_of(table for table in reached if table.address not in meant)


def only_table(grant: Grant, pattern: str) -> Table | None:
    """The one table that a pattern is about, where it is in this input."""
    found = _here(grant.holder.estate, grant.holder.symbols).reached(pattern)
    return found[0] if len(found) == 1 else None


def _places(text: str, mark: str) -> Iterable[int]:
    return (place for place, character in enumerate(text) if character == mark)


@lru_cache(maxsize=1)
def _here(estate: Estate, symbols: Symbols) -> _Here:
    return _Here(estate, symbols)


def _reaches(pattern: str, arn: str) -> bool:
    if pattern in (arn, "*") or pattern.startswith(f"{arn}/"):
        return True  # nearly all that name a table of this input
    pattern = at_home(pattern, arn)
    if matches(pattern, arn) is True or intersects(pattern, f"{arn}/*") is True:
        return True
    return pattern[:-1] == arn and is_suffix(pattern[-1])
