"""What an Allow's conditions leave of it: they narrow, they depend on context, or they only look as if they did."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum

from tablegate.access.actions import Action
from tablegate.access.symbols import has_symbol

PARTITION_KEYS = frozenset(
    {
        "leadingkeys",
        "firstpartitionkeyvalues",
        "secondpartitionkeyvalues",
        "thirdpartitionkeyvalues",
        "fourthpartitionkeyvalues",
    }
)
_TAGGED = frozenset({"table", "index", "stream"})
_CONTEXT = frozenset(
    {
        "aws:sourcevpce",
        "aws:sourcevpc",
        "aws:sourceip",
        "aws:principalorgid",
        "aws:principalorgpaths",
        "aws:multifactorauthpresent",
        "aws:multifactorauthage",
        "aws:calledvia",
        "aws:calledviafirst",
        "aws:calledvialast",
        "aws:viaawsservice",
        "aws:requestedregion",
        "aws:resourceaccount",
        "aws:resourceorgid",
        "aws:resourceorgpaths",
    }
)
_LIKE = re.compile(r"(like|^ip|^arn)", re.IGNORECASE)
_OPERATOR = re.compile(r"(?:(ForAllValues|ForAnyValue):)?([A-Za-z]+?)(IfExists)?", re.IGNORECASE)


class Narrowing(IntEnum):
    """How much of a grant's width a condition takes away."""

    NONE = 0
    UNKNOWN = 1  # its value is not known: nothing is taken away, and the finding is less certain
    CONTEXT = 2  # it says from where or when, not what
    ATTRIBUTES = 3  # which attributes of an item
    ITEMS = 4  # which items
    TABLES = 5  # which tables


@dataclass(frozen=True, slots=True)
class Condition:
    """One key under one operator. ``values`` are texts with symbols; ``unread`` counts those not known at all."""

    operator: str  # without qualifier and IfExists, as written
    key: str  # lower case
    values: tuple[str, ...]
    qualifier: str | None = None  # forallvalues or foranyvalue
    if_exists: bool = False
    unread: int = 0

    @property
    def negated(self) -> bool:
        """Whether the operator holds where the values do not match, or the key is missing."""
        return "not" in self.operator.lower()

    @property
    def wide_open(self) -> bool:
        """Whether some value lets everything through."""
        return any(
            (set(value) <= {"*"} and value != "" and _LIKE.search(self.operator) is not None)
            or (value in {"0.0.0.0/0", "::/0"} and self.key == "aws:sourceip")
            for value in self.values
        )


def parse_operator(text: str) -> tuple[str, str | None, bool]:
    """An operator's name, its qualifier in lower case, and whether it ends in IfExists."""
    match = _OPERATOR.fullmatch(text)
    if match is None:
        return text, None, False
    qualifier, name, exists = match.groups()
    return name, qualifier.lower() if qualifier else None, bool(exists)


def narrowing(conditions: tuple[Condition, ...], action: Action) -> Narrowing:
    """How much all conditions of one Allow narrow this action: they are joined by `and`, so the strongest counts."""
    return max((_narrowing(condition, action, conditions) for condition in conditions), default=Narrowing.NONE)


def closed_by_null(conditions: tuple[Condition, ...], key: str) -> bool:
    """Whether the same statement demands that the key is there: what makes ForAllValues safe."""
    return any(
        item.operator.lower() == "null" and item.key == key and set(map(str.lower, item.values)) == {"false"}
        for item in conditions
    )


def _narrowing(condition: Condition, action: Action, together: tuple[Condition, ...]) -> Narrowing:
    if condition.operator.lower() == "null" or condition.wide_open:
        return Narrowing.NONE
    service, _, name = condition.key.partition(":")
    strength = (
        _service_key(condition, name, action, together) if service == "dynamodb" else _global_key(condition, action)
    )
    if strength is not Narrowing.NONE and condition.unread and not condition.values:
        return Narrowing.UNKNOWN
    return strength


def _service_key(condition: Condition, name: str, action: Action, together: tuple[Condition, ...]) -> Narrowing:
    carried = {key.lower() for key in action.keys}
    if name in PARTITION_KEYS:
        return _partition_key(condition, carried, together)
    if name == "attributes" and "attributes" in carried:
        return Narrowing.ATTRIBUTES
    if name == "fulltablescan" and action.name == "PartiQLSelect":
        return Narrowing.ITEMS
    return Narrowing.NONE


def _partition_key(condition: Condition, carried: set[str], together: tuple[Condition, ...]) -> Narrowing:
    if "leadingkeys" in carried:
        fits = condition.qualifier != "foranyvalue" and not condition.if_exists and not condition.negated
        return Narrowing.ITEMS if fits else Narrowing.NONE
    if closed_by_null(together, condition.key) or condition.qualifier is None:
        return Narrowing.ITEMS  # the key is never there, so the statement never applies to this action
    return Narrowing.NONE


def _global_key(condition: Condition, action: Action) -> Narrowing:
    if condition.key.startswith("aws:resourcetag/"):
        closes = not condition.if_exists and not condition.negated and condition.qualifier != "forallvalues"
        return Narrowing.TABLES if closes and _TAGGED & set(action.types) else Narrowing.NONE
    if condition.key in _CONTEXT and not condition.if_exists and not condition.negated:
        unsettled = any(has_symbol(value) for value in condition.values)
        return Narrowing.UNKNOWN if unsettled and condition.key == "aws:resourcetag" else Narrowing.CONTEXT
    return Narrowing.NONE
