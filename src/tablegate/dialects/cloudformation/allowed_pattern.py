"""Whether a text matches an ``AllowedPattern``, in a time that no pattern can stretch.

CloudFormation matches the whole text with Java's regular expressions. What might mean something else there or here
(back references, flags, possessive quantifiers, set operations, texts that are not printable ASCII) is not decided.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from typing import TypeAlias

_MOST_STEPS = 20_000
_MOST_CHARACTERS = 1_000  # of a pattern
_MOST_GROUPS = 30  # inside each other
_CONTROL = re.compile(r"[^ -~]")
_PRINTABLE = frozenset(map(chr, range(32, 127)))
_CLASSES = {
    "d": frozenset(string.digits),
    "w": frozenset(string.ascii_letters + string.digits + "_"),
    "s": frozenset(" "),
}
_CLASSES |= {name.upper(): _PRINTABLE - letters for name, letters in _CLASSES.items()}
_COUNT = re.compile(r"\{([0-9]{1,4})(?:(,)([0-9]{0,4}))?\}")
_LOOK = {"(?=": True, "(?!": False}
_UNSAFE_IN_SET = re.compile(r"\[|&&|--|~~|\|\|")


class _UndecidedError(Exception):
    """The pattern has something that is not understood, or takes too many steps."""


class _Run:
    """A text that is matched, and the steps that are left."""

    __slots__ = ("steps", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.steps = _MOST_STEPS

    def spend(self, steps: int) -> None:
        """Count steps."""
        self.steps -= steps + 1
        if self.steps < 0:
            raise _UndecidedError


_Places: TypeAlias = frozenset[int]
_Part: TypeAlias = Callable[[_Run, _Places], _Places]
"""A part of a pattern: takes the places where it may begin to those where it may end."""


def matches(pattern: str, text: str) -> bool | None:
    """Whether the whole text matches; None if that is not certain."""
    if len(pattern) > _MOST_CHARACTERS or _CONTROL.search(pattern) or _CONTROL.search(text):
        return None
    try:
        part = _Parser(pattern).whole()
        return len(text) in part(_Run(text), frozenset({0}))
    except _UndecidedError:
        return None


class _Parser:
    """Reads one pattern."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._depth = 0

    def whole(self) -> _Part:
        """The whole pattern."""
        part = self._alternatives()
        if self._at < len(self._pattern):
            raise _UndecidedError
        return part

    def _next(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _takes(self, text: str) -> bool:
        follows = self._pattern.startswith(text, self._at)
        self._at += len(text) if follows else 0
        return follows

    def _alternatives(self) -> _Part:
        choices = [self._sequence()]
        while self._takes("|"):
            choices.append(self._sequence())
        return choices[0] if len(choices) == 1 else _any_of(choices)

    def _sequence(self) -> _Part:
        parts = []
        while self._next() not in ("", "|", ")"):
            parts.append(self._repeated(self._one()))
        return _in_turn(parts)

    def _repeated(self, part: _Part) -> _Part:
        least, most = 0, None
        counted = _COUNT.match(self._pattern, self._at)
        if counted is not None:
            self._at = counted.end()
            least = int(counted[1])
            most = least if counted[2] is None else int(counted[3]) if counted[3] else None
            if most is not None and most < least:
                raise _UndecidedError
        elif self._takes("+"):
            least = 1
        elif self._takes("?"):
            most = 1
        elif not self._takes("*"):
            return part
        self._takes("?")  # a lazy one matches the same whole texts
        if self._next() and self._next() in "+*?{":
            raise _UndecidedError
        return _repeat(part, least, most)

    def _one(self) -> _Part:
        letter = self._next()
        if letter == "(":
            return self._group()
        if letter == "[":
            return _letter(self._set())
        self._at += 1
        if letter in "*+?{":
            raise _UndecidedError
        if letter == "^":
            return lambda _, places: places & {0}
        if letter == "$":
            return lambda run, places: places & {len(run.text)}
        if letter == ".":
            return _letter(_PRINTABLE)
        return _letter(self._escaped() if letter == "\\" else frozenset(letter))

    def _group(self) -> _Part:
        self._depth += 1
        look = next((wanted for text, wanted in _LOOK.items() if self._takes(text)), None)
        if look is None and not self._takes("(?:"):
            self._at += 1
            if self._next() in ("?", "*"):
                raise _UndecidedError
        if self._depth > _MOST_GROUPS:
            raise _UndecidedError
        part = self._alternatives()
        if not self._takes(")"):
            raise _UndecidedError
        self._depth -= 1
        return part if look is None else _ahead(part, wanted=look)

    def _escaped(self) -> frozenset[str]:
        letter = self._next()
        self._at += 1
        if letter in _CLASSES:
            return _CLASSES[letter]
        if not letter or letter.isalnum():
            raise _UndecidedError
        return frozenset(letter)

    def _set(self) -> frozenset[str]:
        self._at += 1
        negated = self._takes("^")
        members: set[str] = set()
        if self._next() in ("]", "&"):
            raise _UndecidedError
        while not self._takes("]"):
            if not self._next() or _UNSAFE_IN_SET.match(self._pattern, self._at):
                raise _UndecidedError
            members |= self._members()
        return _PRINTABLE - members if negated else frozenset(members)

    def _members(self) -> frozenset[str]:
        """One letter of a set, or a range."""
        first = self._member()
        if self._next() != "-" or self._pattern[self._at + 1 : self._at + 2] in ("]", ""):
            return first
        self._at += 1
        last = self._member()
        if len(first) != 1 or len(last) != 1 or min(first) > min(last) or self._next() == "[":
            raise _UndecidedError
        return frozenset(map(chr, range(ord(min(first)), ord(min(last)) + 1)))

    def _member(self) -> frozenset[str]:
        letter = self._next()
        self._at += 1
        if letter == "[":
            raise _UndecidedError
        return self._escaped() if letter == "\\" else frozenset(letter)


def _letter(letters: frozenset[str]) -> _Part:
    def part(run: _Run, places: _Places) -> _Places:
        run.spend(len(places))
        return frozenset(place + 1 for place in places if run.text[place : place + 1] in letters)

    return part


def _in_turn(parts: list[_Part]) -> _Part:
    def part(run: _Run, places: _Places) -> _Places:
        for each in parts:
            places = each(run, places)
        return places

    return part


def _any_of(parts: list[_Part]) -> _Part:
    def part(run: _Run, places: _Places) -> _Places:
        return frozenset().union(*(each(run, places) for each in parts))

    return part


def _ahead(inner: _Part, *, wanted: bool) -> _Part:
    def part(run: _Run, places: _Places) -> _Places:
        run.spend(len(places))
        return frozenset(place for place in places if bool(inner(run, frozenset({place}))) is wanted)

    return part


def _repeat(inner: _Part, least: int, most: int | None) -> _Part:
    def part(run: _Run, places: _Places) -> _Places:
        for _ in range(least):
            run.spend(0)
            places = inner(run, places)
        reached, new, times = places, places, least
        while new and times != most:
            run.spend(len(new))
            new = inner(run, new) - reached
            reached, times = reached | new, times + 1
        return reached

    return part
