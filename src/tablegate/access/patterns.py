"""IAM's patterns: ``*`` and ``?`` over texts with symbols, in linear time and three-valued.

States of the pattern automaton are bits of one integer, so a step costs one shift and a few masks,
however many stars there are. There is no character class in IAM: brackets are plain characters.
"""

from __future__ import annotations

from functools import lru_cache

from tablegate.access.symbols import SYMBOL, has_symbol, is_suffix
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
