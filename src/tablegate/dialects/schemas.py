"""What a resource may hold: members, kinds, closed sets and limits, from AWS's schemas, for both languages.

Each language walks its own trees and asks here about each member. What breaks a schema is refused in the middle of a
deploy, and no verdict on it can be trusted. A member that no schema has may be newer than the schemas.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from functools import cache

from tablegate.aws_schemas import SCHEMAS, SCHEMAS_AS_OF
from tablegate.model.record import field, record

ANY = "any"
_WHOLE = re.compile(r"-?[0-9]{1,18}")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_FLAGS = ("true", "false")
_KINDS = {
    "flag": "true or false",
    "list": "a list",
    "map": "a mapping",
    "number": "a number",
    "text": "a text",
    "whole": "a whole number",
}
_UNITS = {"text": " characters", "list": " items"}


@record()
class Shape:
    """What one member may hold. A map has ``members``, a list ``items``."""

    kind: str
    words: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    unique: bool = False
    members: Mapping[str, Shape] = field(default_factory=dict)
    items: Shape | None = None
    required: tuple[str, ...] = ()
    some: tuple[str, ...] = ()  # at least one of these
    one: tuple[str, ...] = ()  # exactly one of these
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # members that ask for others beside them
    is_free: bool = False  # any single value is right
    asked: frozenset[str] = frozenset()  # members whose presence matters

    def takes(self, content: object) -> bool:
        """Whether a literal is surely right: most are, and are asked no further."""
        kind = type(content)
        if kind is str:
            if self.is_free or content in self.words:
                return True
            return self.kind == "text" and not self.words and self._outside(len(content), "") is None  # type: ignore[arg-type]
        if kind is bool:
            return self.kind == "flag"
        return kind is int and self.kind == "whole" and self.low is None and self.high is None

    def refusal(self, content: object, shown: str) -> str | None:
        """Why a single value is refused, with the text that shows it; None if it is not."""
        if self.kind == ANY:
            return None
        if self.kind == "text":
            return self._refused_text(str(content), shown)
        if self.kind == "flag":
            is_flag = isinstance(content, bool) or content in _FLAGS
            return None if is_flag else self.wrong_kind(shown)
        number = _number(content, whole=self.kind == "whole") if self.kind in ("whole", "number") else None
        return self.wrong_kind(shown) if number is None else self._outside(number, shown)

    def wrong_kind(self, shown: str) -> str:
        """Why a value of another kind is refused."""
        return f"must be {_KINDS[self.kind]}, not {shown}"

    def refused_count(self, count: int) -> str | None:
        """Why a list of so many items is refused."""
        return self._outside(count, str(count))

    def lacking(self, present: Set[str]) -> Iterator[str]:
        """What a map with these members lacks."""
        for name in self.required:
            if name not in present:
                yield f"{name} is required"
        if self.some and present.isdisjoint(self.some):
            yield f"one of {' and '.join(self.some)} is required"
        if self.one and len(present & {*self.one}) != 1:
            yield f"exactly one of {', '.join(self.one[:-1])} and {self.one[-1]} is required"
        for name, beside in self.needs.items():
            if name in present:
                yield from (f"{name} needs {other} beside it" for other in beside if other not in present)

    def _refused_text(self, text: str, shown: str) -> str | None:
        if self.words:
            return None if text in self.words else f"{shown} is not one of {', '.join(self.words)}"
        return self._outside(len(text), str(len(text))) if self.low is not None or self.high is not None else None

    def _outside(self, number: float, shown: str) -> str | None:
        low, high, units = self.low, self.high, _UNITS.get(self.kind, "")
        if (low is None or number >= low) and (high is None or number <= high):
            return None
        limits = f"{low:g} to {high:g}" if low is not None and high is not None else ""
        limits = limits or (f"{low:g} or more" if low is not None else f"at most {high:g}")
        return f"must {'have' if units else 'be'} {limits}{units}, not {shown}"


def unknown_member(name: str, type_: str) -> str:
    """The message about a member that no schema has."""
    return f"{name} is not in AWS's schema of {type_} as of {SCHEMAS_AS_OF}: it is not checked"


@cache
def shape_of(type_: str) -> Shape:
    """The shape of a type of CloudFormation."""
    entries: dict[str, list[str]] = {"": ["map"]}
    inside: dict[str, list[str]] = {}  # the members of each path, required ones with their mark
    for line in SCHEMAS[type_].splitlines():
        marked, *rest = line.split(" ")
        path = "" if marked == "." else marked.rstrip("!")
        entries[path] = rest
        if path and not path.endswith("[]"):
            inside.setdefault(path.rpartition(".")[0], []).append(marked)
    return _shape("", entries, inside)


def at(type_: str, path: str) -> Shape:
    """The shape of a member by its path, with ``[]`` left out."""
    shape = shape_of(type_)
    for step in path.split("."):
        inner = shape.items or shape
        shape = inner.members[step]
    return shape


def _shape(path: str, entries: Mapping[str, list[str]], inside: Mapping[str, list[str]]) -> Shape:
    kind, *words = entries[path]
    names = [(marked.rpartition(".")[2], marked.rstrip("!")) for marked in inside.get(path, ())]
    low, high = _limits(words)
    among = next((tuple(word.split("|")) for word in words if _is_set(word)), ())
    required = tuple([name[:-1] for name, _ in names if name.endswith("!")])
    some, one, needs = _named(words, "some:"), _named(words, "one:"), dict(_needs(words))
    return Shape(
        kind=kind,
        words=among,
        low=low,
        high=high,
        unique="unique" in words,
        members={name.rstrip("!"): _shape(inner, entries, inside) for name, inner in names},
        items=_shape(f"{path}[]", entries, inside) if f"{path}[]" in entries else None,
        required=required,
        some=some,
        one=one,
        needs=needs,
        asked=frozenset((*required, *some, *one, *needs, *(name for others in needs.values() for name in others))),
        is_free=kind == ANY or (kind == "text" and not among and low is None and high is None),
    )


def _is_set(word: str) -> bool:
    return word != "unique" and ".." not in word and not word.startswith(("some:", "one:", "needs:"))


def _limits(words: list[str]) -> tuple[float | None, float | None]:
    text = next((word for word in words if ".." in word), "..")
    low, _, high = text.partition("..")
    return float(low) if low else None, float(high) if high else None


def _named(words: list[str], prefix: str) -> tuple[str, ...]:
    return next((tuple(word.removeprefix(prefix).split(",")) for word in words if word.startswith(prefix)), ())


def _needs(words: list[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for word in words:
        if word.startswith("needs:"):
            _, name, others = word.split(":")
            yield name, tuple(others.split(","))


def _number(content: object, *, whole: bool) -> float | None:
    """A number, also one that is written as a text."""
    if isinstance(content, bool):
        return None
    if isinstance(content, (int, float)):
        return None if whole and content != content // 1 else content
    written = str(content)
    return float(written) if (_WHOLE if whole else _DECIMAL).fullmatch(written) else None
