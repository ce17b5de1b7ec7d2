"""How much a resource pattern covers: one table, a name's beginning, or everything."""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache

from tablegate.access.patterns import intersects, matches
from tablegate.access.symbols import has_symbol, is_suffix, is_symbol, is_variable
from tablegate.model.record import record

# The sixth part of an ARN: https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
_BELOW = ("index", "stream", "backup", "export", "import")
_SOME_TABLE = "arn:*:dynamodb:*:*:table/*"
_WILD = frozenset("*?")
_ANCHOR = 4  # literal characters before a star that make a name's beginning mean something
_DELIMITERS = "-_."


class Tier(IntEnum):
    """Width, from one table to all of them in every region."""

    NONE = -1  # nothing of DynamoDB's
    ONE = 0
    VARIABLE = 2  # led by a variable of the principal
    PREFIX = 3
    WEAK = 4
    ALL = 5
    EVERYWHERE = 6


@record(kw_only=False)
class Scope:
    """What a resource pattern reaches.

    ``table`` is the name's pattern, ``itself`` whether tables are reached and not only what is below
    them, ``below`` what is reached there: one kind, ``*`` for every kind, or nothing.
    """

    tier: Tier
    table: str | None = None
    itself: bool = True
    below: str | None = None
    bleeds: bool = False  # a complete name with a star behind it: other tables begin so too
    where: tuple[str, str, str] = ("*", "*", "*")  # partition, region, account
    global_table: bool = False


@lru_cache(maxsize=4096)
def scope_of(pattern: str) -> Scope:
    """The scope of one resource pattern: an ARN with ``*``, ``?`` and symbols, or a bare star."""
    if pattern and not pattern.strip("*"):
        return Scope(Tier.EVERYWHERE, "*", below="*")
    parts = pattern.split(":", 5)
    if len(parts) < 6:
        return _short(parts)
    _, partition, service, region, account, tail = parts
    if parts[0] != "arn" and not set(parts[0]) & _WILD:
        return Scope(Tier.NONE)
    if service != "dynamodb" and not _covers(service, "dynamodb"):
        return Scope(Tier.NONE)
    where = (partition, region, account)
    return _of_tables(tail, where) if tail.startswith("table/") else _of_others(tail, where)


def _short(parts: list[str]) -> Scope:
    """Fewer than six parts can only reach a table through a star that crosses colons."""
    if intersects(":".join(parts), _SOME_TABLE) is not True:
        return Scope(Tier.NONE)
    in_place = len(parts) > 2 and "*" not in parts[0] + parts[1]
    if in_place and not _covers(parts[2], "dynamodb"):
        return Scope(Tier.NONE)
    if parts[-1].startswith("table/"):
        return _of_tables(parts[-1], ("*", "*", "*"))
    return Scope(Tier.EVERYWHERE, "*", below="*")


def _of_others(tail: str, where: tuple[str, str, str]) -> Scope:
    """The scope of what is no table by the word, and may be one all the same."""
    if tail.startswith("global-table/"):
        return Scope(Tier.ONE, tail.removeprefix("global-table/"), global_table=True, where=where)
    if has_symbol(tail) and not set(tail) & _WILD:
        return Scope(Tier.ONE, tail, where=where)
    if tail and is_symbol(tail[0]):
        return Scope(Tier.ONE, tail, below="*", where=where)
    if not _covers_start(tail, "table/"):
        return Scope(Tier.NONE)
    return Scope(_everything(where[1]), "*", below="*", where=where)


def _of_tables(tail: str, where: tuple[str, str, str]) -> Scope:
    """The scope of the name of a table, and what follows it."""
    region = where[1]
    name, slash, rest = tail.removeprefix("table/").partition("/")
    if name and not slash and is_suffix(name[-1]):
        return Scope(_name_tier(name[:-1], region, crosses=False)[0], name[:-1], below="*", where=where)
    below = _below(rest) if slash else ("*" if name.endswith("*") else None)
    tier, bleeds = _name_tier(name, region, crosses=not slash)
    return Scope(tier, name, not slash, below, bleeds, where)


def _name_tier(name: str, region: str, *, crosses: bool) -> tuple[Tier, bool]:
    """The tier of a table name's pattern, and whether a star hangs on what may be a complete name."""
    if "*" not in name and "?" not in name:
        return Tier.ONE, False
    if set(name) <= _WILD:
        return _everything(region), False
    head = re.split(r"[*?]", name, maxsplit=1)[0]
    if head and any(map(is_variable, head)) and head[-1] in _DELIMITERS:
        return Tier.VARIABLE, False
    literal = len(head) + 3 * sum(map(is_symbol, head))
    if literal >= _ANCHOR and head[-1] in _DELIMITERS:
        return Tier.PREFIX, False
    return Tier.WEAK, crosses and bool(head) and name == head + "*"


def _below(rest: str) -> str:
    kind = rest.partition("/")[0]
    return kind if kind in _BELOW else "*"


def _everything(region: str) -> Tier:
    return Tier.EVERYWHERE if region == "*" else Tier.ALL


def _covers(pattern: str, word: str) -> bool:
    """Whether a segment's pattern reaches the word, also when a symbol would have to allow it."""
    return matches(pattern, word) is not False


def _covers_start(pattern: str, word: str) -> bool:
    """Whether a pattern with a star can stand for something that begins with the word."""
    head = re.split(r"[*?]", pattern, maxsplit=1)[0]
    return set(pattern) & _WILD != set() and word.startswith(head)
