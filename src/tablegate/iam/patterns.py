"""Wildcard patterns of policy documents: match, intersect, contain; and how many tables a resource pattern reaches."""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache

from tablegate.iam.arns import SYMBOL, has_symbol, is_suffix, is_symbol, is_variable
from tablegate.model.record import record

_WILDCARDS = frozenset("*?")
_COLONS = 5  # in an ARN
_FIRST_SYMBOL = "\U000f0000"
# Stand-ins while a subset is decided.
_ANY_RUN = "\0"  # the inner pattern's `*`: only a `*` contains it
_ANY_ONE = "\1"  # the inner pattern's `?`: a `?` or a `*` contains it
_OTHER = "\2"  # any character that neither pattern names
_SEARCH_LIMIT = 4096  # states of the search for a text in the inner pattern alone

# The sixth part of an ARN: https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
_KINDS_BELOW = ("index", "stream", "backup", "export", "import")
_ANY_TABLE = "arn:*:dynamodb:*:*:table/*"
_MEANINGFUL_LENGTH = 4  # literal characters before a star that make a name's beginning specific
_DELIMITERS = "-_."


def matches(pattern: str, text: str) -> bool | None:
    """Whether the pattern matches the text for all values of their symbols; None if for some only."""
    if _has_no_symbol(pattern, text) and "*" not in pattern and "?" not in pattern:
        return pattern == text
    if pattern == text or _matches(pattern, text):
        return True
    if not has_symbol(pattern) and not has_symbol(text):
        return False
    return None if _could_intersect(pattern, text) else False


def intersects(left: str, right: str) -> bool | None:
    """Whether some text matches both patterns; None where their symbols decide."""
    if left == right:
        return True
    if _has_no_symbol(left, right) and _differ_before_wildcards(left, right):
        return False
    if _intersects(left, right):
        return True
    if not has_symbol(left) and not has_symbol(right):
        return False
    return None if _could_intersect(left, right) else False


def subset(inner: str, outer: str) -> bool:
    """Whether every text that matches the inner pattern certainly matches the outer one."""
    if _matches(outer, inner.replace("*", _ANY_RUN).replace("?", _ANY_ONE)):
        return True
    # only a `?` contains a part of what a `*` stands for
    return "?" in outer and ("*" in inner or "?" in inner) and _subset_by_search(inner, outer)


class Tier(IntEnum):
    """Width, from one table to all of them in every region."""

    NONE = -1  # nothing of DynamoDB's
    ONE = 0
    VARIABLE = 2  # starts with a policy variable of the principal
    PREFIX = 3
    WEAK = 4
    ALL = 5
    EVERYWHERE = 6


@record(kw_only=False)
class Scope:
    """What a resource pattern reaches.

    ``table`` is the name's pattern. ``itself`` is false where only resources below tables are reached. ``below`` is
    the kind reached there, ``*`` for every kind, or None.
    """

    tier: Tier
    table: str | None = None
    itself: bool = True
    below: str | None = None
    bleeds: bool = False  # a star follows a complete name: the names of other tables start so too
    where: tuple[str, str, str] = ("*", "*", "*")  # partition, region, account
    global_table: bool = False


@lru_cache(maxsize=4096)
def scope_of(pattern: str) -> Scope:
    """The scope of one resource pattern: an ARN with ``*``, ``?`` and symbols, or a bare star."""
    if pattern and not pattern.strip("*"):
        return Scope(Tier.EVERYWHERE, "*", below="*")
    parts = pattern.split(":", 5)
    if len(parts) < 6:
        return _scope_of_short_arn(parts)
    _, partition, service, region, account, tail = parts
    if parts[0] != "arn" and not set(parts[0]) & _WILDCARDS:
        return Scope(Tier.NONE)
    if service != "dynamodb" and not _may_match(service, "dynamodb"):
        return Scope(Tier.NONE)
    where = (partition, region, account)
    if lacks_place(pattern) and not tail.startswith("global-table/"):
        return Scope(Tier.NONE)
    return _scope_of_table(tail, where) if tail.startswith("table/") else _scope_of_other_resource(tail, where)


def _could_intersect(left: str, right: str) -> bool:
    """Whether some text matches both, for some values of their symbols.

    ARNs are compared part by part: an unknown account holds no colon, so it does not reach into a table's name, and it
    is not empty.
    """
    if left.count(":") == right.count(":") == _COLONS:
        return all(map(_part_could_intersect, left.split(":"), right.split(":")))
    return _part_could_intersect(left, right)


def _part_could_intersect(left: str, right: str) -> bool:
    if not (left and right):
        return set(left or right) <= {"*"}
    left, right = _after_common_start(left, right)
    return _intersects(_symbols_as_stars(left), _symbols_as_stars(right))


def _after_common_start(left: str, right: str) -> tuple[str, str]:
    """Both patterns without their common start: a symbol in both has one value."""
    for index, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other or one in _WILDCARDS or is_suffix(one):
            return left[index:], right[index:]
    shared = min(len(left), len(right))
    return left[shared:], right[shared:]


def _has_no_symbol(left: str, right: str) -> bool:
    return left.isascii() and right.isascii()


def _differ_before_wildcards(left: str, right: str) -> bool:
    """Whether two patterns without symbols differ before the first wildcard of either."""
    one, other = _literal_start(left), _literal_start(right)
    return not (one.startswith(other) or other.startswith(one))


def _literal_start(pattern: str) -> str:
    """The text before the first wildcard."""
    ends = [end for end in (pattern.find("*"), pattern.find("?")) if end >= 0]
    return pattern[: min(ends)] if ends else pattern


def _prefix(pattern: str) -> str | None:
    """The text before the star, where a pattern has one star, at its end, and no other wildcard."""
    start = pattern[:-1]
    return start if pattern.endswith("*") and "*" not in start and "?" not in start else None


def _symbols_as_stars(text: str) -> str:
    return SYMBOL.sub("*", text)


@record(kw_only=False)
class _Automaton:
    """A pattern as a machine whose states are positions in it, each kind of position as a bit mask."""

    literals: dict[str, int]
    ones: int
    stars: int
    symbols: int
    final: int


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


def _step(states: int, character: str, automaton: _Automaton) -> int:
    """The states after one more character."""
    at_star = states & automaton.stars
    if character == _ANY_RUN:
        return _past_stars(at_star, automaton)
    if character == _ANY_ONE:
        taken = states & automaton.ones
    else:  # a symbol may be longer than one character, or empty
        ones = automaton.ones if character < _FIRST_SYMBOL else 0
        taken = states & (automaton.literals.get(character, 0) | ones)
    return _past_stars(taken << 1 | at_star, automaton)


def _past_stars(states: int, automaton: _Automaton) -> int:
    """The states, with those behind a star: it may match nothing. Two stars are never adjacent."""
    return states | (states & automaton.stars) << 1


def _matches(pattern: str, text: str) -> bool:
    if "*" not in pattern and "?" not in pattern:
        return pattern == text
    prefix = _prefix(pattern)
    if prefix is not None:
        return text.startswith(prefix)
    automaton = _automaton(pattern)
    states = _past_stars(1, automaton)
    for character in text:
        states = _step(states, character, automaton)
        if not states:
            return False
    return bool(states & automaton.final)


@lru_cache(maxsize=1024)
def _intersects(left: str, right: str) -> bool:
    right_prefix = _prefix(right)
    if right_prefix is not None:
        left_prefix = _prefix(left)
        if left_prefix is not None:
            return left_prefix.startswith(right_prefix) or right_prefix.startswith(left_prefix)
        if "*" not in left and "?" not in left:
            return left.startswith(right_prefix)
    automaton = _automaton(right)
    states = _past_stars(1, automaton)
    for character in left:
        if character == "*":
            # any run of characters: every position behind the earliest one can be reached
            states |= -(states & -states) & ((automaton.final << 1) - 1)
        elif character == "?":
            passed = states & ~(automaton.stars | automaton.symbols | automaton.final)
            states = _past_stars(passed << 1 | states & automaton.stars, automaton)
        else:
            states = _step(states, character, automaton)
        if not states:
            return False
    return bool(states & automaton.final)


@lru_cache(maxsize=1024)
def _subset_by_search(inner: str, outer: str) -> bool:
    """Whether no text matches the inner pattern alone, by search. False where the search takes too long."""
    automaton = _automaton(outer)
    letters = {character for character in inner + outer if character not in "*?"} | {_OTHER}
    waiting = [(0, _past_stars(1, automaton))]
    seen = set(waiting)
    while waiting:
        position, states = waiting.pop()
        if position == len(inner):
            if not states & automaton.final:
                return False
            continue
        character = inner[position]
        onward = position if character == "*" else position + 1
        steps = {(onward, _step(states, each, automaton)) for each in (letters if character in "*?" else character)}
        if character == "*":
            steps.add((position + 1, states))
        waiting.extend(steps - seen)
        seen |= steps
        if len(seen) > _SEARCH_LIMIT:
            return False
    return True


def lacks_place(pattern: str) -> bool:
    """Whether an ARN's region or account is empty, as in those of global resources. No table's is."""
    return "::" in pattern


def _scope_of_short_arn(parts: list[str]) -> Scope:
    """The scope of fewer than six parts: they reach a table only through a star that crosses colons."""
    pattern = ":".join(parts)
    if lacks_place(pattern) or intersects(pattern, _ANY_TABLE) is not True:
        return Scope(Tier.NONE)
    has_service = len(parts) > 2 and "*" not in parts[0] + parts[1]
    if has_service and not _may_match(parts[2], "dynamodb"):
        return Scope(Tier.NONE)
    if parts[-1].startswith("table/"):
        return _scope_of_table(parts[-1], ("*", "*", "*"))
    return Scope(Tier.EVERYWHERE, "*", below="*")


def _scope_of_other_resource(tail: str, where: tuple[str, str, str]) -> Scope:
    """The scope of an ARN whose last part does not start with ``table/``, and may reach tables all the same."""
    if tail.startswith("global-table/"):
        return Scope(Tier.ONE, tail.removeprefix("global-table/"), global_table=True, where=where)
    if has_symbol(tail) and not set(tail) & _WILDCARDS:
        return Scope(Tier.ONE, tail, where=where)
    if tail and is_symbol(tail[0]):
        return Scope(Tier.ONE, tail, below="*", where=where)
    if not _may_start_with(tail, "table/"):
        return Scope(Tier.NONE)
    return Scope(_all_tables(where[1]), "*", below="*", where=where)


def _scope_of_table(tail: str, where: tuple[str, str, str]) -> Scope:
    """The scope of ``table/`` with a name's pattern, and perhaps a path below the table."""
    region = where[1]
    name, slash, rest = tail.removeprefix("table/").partition("/")
    if name and not slash and is_suffix(name[-1]):
        return Scope(_name_tier(name[:-1], region, crosses=False)[0], name[:-1], below="*", where=where)
    below = _kind_below(rest) if slash else ("*" if name.endswith("*") else None)
    tier, bleeds = _name_tier(name, region, crosses=not slash)
    return Scope(tier, name, not slash, below, bleeds, where)


def _name_tier(name: str, region: str, *, crosses: bool) -> tuple[Tier, bool]:
    """The tier of a table name's pattern, and whether a star follows what may be a complete name."""
    if "*" not in name and "?" not in name:
        return Tier.ONE, False
    if set(name) <= _WILDCARDS:
        return _all_tables(region), False
    start = re.split(r"[*?]", name, maxsplit=1)[0]
    if start and any(map(is_variable, start)) and start[-1] in _DELIMITERS:
        return Tier.VARIABLE, False
    literal = len(start) + 3 * sum(map(is_symbol, start))
    if literal >= _MEANINGFUL_LENGTH and start[-1] in _DELIMITERS:
        return Tier.PREFIX, False
    return Tier.WEAK, crosses and bool(start) and name == start + "*"


def _kind_below(rest: str) -> str:
    kind = rest.partition("/")[0]
    return kind if kind in _KINDS_BELOW else "*"


def _all_tables(region: str) -> Tier:
    return Tier.EVERYWHERE if region == "*" else Tier.ALL


def _may_match(pattern: str, word: str) -> bool:
    """Whether a pattern matches the word, for some values of its symbols."""
    return matches(pattern, word) is not False


def _may_start_with(pattern: str, word: str) -> bool:
    """Whether a pattern with a wildcard can match a text that starts with the word."""
    start = re.split(r"[*?]", pattern, maxsplit=1)[0]
    return set(pattern) & _WILDCARDS != set() and word.startswith(start)
