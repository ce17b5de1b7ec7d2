"""Wildcards: match, intersect, contain; how wide a pattern is."""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache

from tablegate.iam.arns import SYMBOL, has_symbol, is_suffix, is_symbol, is_variable
from tablegate.model.record import record

_COLONS = 5  # in an ARN
_WILD = "*?"
_ANY_RUN = "\0"  # another pattern's `*` while a subset is decided: only a `*` takes it in
_ANY_ONE = "\1"  # another pattern's `?` likewise: a `?` or a `*` takes it in
_OTHER = "\2"  # any character that neither of two patterns names
_FIRST_SYMBOL = "\U000f0000"
_MOST = 4096  # situations that a subset is decided by


@record(kw_only=False)
class _Automaton:
    """A pattern's positions, as bit masks."""

    literals: dict[str, int]
    ones: int
    stars: int
    symbols: int
    final: int


def matches(pattern: str, text: str) -> bool | None:
    """Whether the pattern matches the text, whatever its symbols turn out to be; None where that decides."""
    plain = _is_plain(pattern, text)
    if plain and "*" not in pattern and "?" not in pattern:
        return pattern == text
    if pattern == text or _matches(pattern, text):
        return True
    if not has_symbol(pattern) and not has_symbol(text):
        return False
    return None if _may_meet(pattern, text) else False


def intersects(left: str, right: str) -> bool | None:
    """Whether some text matches both patterns; None where their symbols decide."""
    if left == right:
        return True
    if _is_plain(left, right) and _part_ways(left, right):
        return False
    if _intersects(left, right):
        return True
    if not has_symbol(left) and not has_symbol(right):
        return False
    return None if _may_meet(left, right) else False


def subset(inner: str, outer: str) -> bool:
    """Whether every text that matches the inner pattern surely matches the outer one."""
    if _matches(outer, inner.replace("*", _ANY_RUN).replace("?", _ANY_ONE)):
        return True
    # only a `?` takes in a part of what a `*` stands for
    return "?" in outer and ("*" in inner or "?" in inner) and _within(inner, outer)


def _may_meet(left: str, right: str) -> bool:
    """Whether some text matches both, for some of what their symbols may be.

    Of ARNs each part is held against its counterpart: what is not known of an account holds no colon, and so
    does not reach into the name of a table.
    """
    if left.count(":") == right.count(":") == _COLONS:
        return all(map(_parts_meet, left.split(":"), right.split(":")))
    return _parts_meet(left, right)


def _parts_meet(left: str, right: str) -> bool:
    left, right = _apart(left, right)
    return _intersects(_opened(left), _opened(right))


def _apart(left: str, right: str) -> tuple[str, str]:
    """Two patterns behind what both begin with: a symbol that stands in both has one value."""
    for place, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other or one in _WILD or is_suffix(one):
            return left[place:], right[place:]
    shared = min(len(left), len(right))
    return left[shared:], right[shared:]


def _is_plain(left: str, right: str) -> bool:
    """Whether no symbol is in either."""
    return left.isascii() and right.isascii()


def _part_ways(left: str, right: str) -> bool:
    """Whether two patterns without symbols differ before the first wildcard of either."""
    one, other = _head(left), _head(right)
    return not (one.startswith(other) or other.startswith(one))


def _head(pattern: str) -> str:
    """What stands before the first wildcard."""
    star, one = pattern.find("*"), pattern.find("?")
    ends = [place for place in (star, one) if place >= 0]
    return pattern[: min(ends)] if ends else pattern


def _begins(pattern: str) -> str | None:
    """The whole of a pattern that is a beginning: plain characters, and one star behind them."""
    head = pattern[:-1]
    return head if pattern.endswith("*") and "*" not in head and "?" not in head else None


def _matches(pattern: str, text: str) -> bool:
    if "*" not in pattern and "?" not in pattern:
        return pattern == text
    head = _begins(pattern)
    if head is not None:
        return text.startswith(head)
    automaton = _automaton(pattern)
    states = _closed(1, automaton)
    for character in text:
        states = _step(states, character, automaton)
        if not states:
            return False
    return bool(states & automaton.final)


@lru_cache(maxsize=1024)
def _intersects(left: str, right: str) -> bool:
    begins = _begins(right)
    if begins is not None:
        own = _begins(left)
        if own is not None:
            return own.startswith(begins) or begins.startswith(own)
        if "*" not in left and "?" not in left:
            return left.startswith(begins)
    automaton = _automaton(right)
    states = _closed(1, automaton)
    for character in left:
        if character == "*":
            # any run of characters: every position behind the earliest one can be reached
            states |= -(states & -states) & ((automaton.final << 1) - 1)
        elif character == "?":
            passed = states & ~(automaton.stars | automaton.symbols | automaton.final)
            states = _closed(passed << 1 | states & automaton.stars, automaton)
        else:
            states = _step(states, character, automaton)
        if not states:
            return False
    return bool(states & automaton.final)


@lru_cache(maxsize=1024)
def _within(inner: str, outer: str) -> bool:
    """The same, text by text. Where that takes too long, nothing is sure."""
    automaton = _automaton(outer)
    letters = {character for character in inner + outer if character not in "*?"} | {_OTHER}
    waiting = [(0, _closed(1, automaton))]
    seen = set(waiting)
    while waiting:
        place, states = waiting.pop()
        if place == len(inner):
            if not states & automaton.final:
                return False
            continue
        character = inner[place]
        onward = place if character == "*" else place + 1
        steps = {(onward, _step(states, each, automaton)) for each in (letters if character in "*?" else character)}
        if character == "*":
            steps.add((place + 1, states))
        waiting.extend(steps - seen)
        seen |= steps
        if len(seen) > _MOST:
            return False
    return True


def _step(states: int, character: str, automaton: _Automaton) -> int:
    kept = states & automaton.stars
    if character == _ANY_RUN:
        return _closed(kept, automaton)
    if character == _ANY_ONE:
        taken = states & automaton.ones
    else:  # a symbol may be longer than one character, or nothing
        ones = automaton.ones if character < _FIRST_SYMBOL else 0
        taken = states & (automaton.literals.get(character, 0) | ones)
    return _closed(taken << 1 | kept, automaton)


def _closed(states: int, automaton: _Automaton) -> int:
    """Also the positions behind a star, which may stand for nothing. Stars never stand side by side."""
    return states | (states & automaton.stars) << 1


@lru_cache(maxsize=4096)
def _automaton(pattern: str) -> _Automaton:
    literals: dict[str, int] = {}
    ones = stars = symbols = 0
    bit = 1
    before = ""
    for character in pattern:
        if character == "*":
            if before == "*":
                continue
            stars |= bit
        elif character == "?":
            ones |= bit
        else:
            literals[character] = literals.get(character, 0) | bit
            symbols |= bit if character >= _FIRST_SYMBOL else 0
        before = character
        bit <<= 1
    return _Automaton(literals, ones, stars, symbols, bit)


def _opened(text: str) -> str:
    """The text with a star for each symbol: everything it may turn out to be."""
    return SYMBOL.sub("*", text)


# The sixth part of an ARN: https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
_BELOW = ("index", "stream", "backup", "export", "import")
_SOME_TABLE = "arn:*:dynamodb:*:*:table/*"
_WILD_scope = frozenset("*?")
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
    if parts[0] != "arn" and not set(parts[0]) & _WILD_scope:
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
    if has_symbol(tail) and not set(tail) & _WILD_scope:
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
    if set(name) <= _WILD_scope:
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
    return set(pattern) & _WILD_scope != set() and word.startswith(head)
