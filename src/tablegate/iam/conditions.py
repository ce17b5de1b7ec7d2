"""What an Allow's conditions leave of it: they narrow, they depend on context, or they only look as if they did."""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache

from tablegate.iam.actions import Action
from tablegate.iam.arns import is_symbol, is_variable
from tablegate.model.record import record, replace

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
# From which regions and accounts a request's tables may be: as many tables as before in those that are left.
_WHERE = frozenset({"aws:requestedregion", "aws:resourceaccount", "aws:resourceorgid", "aws:resourceorgpaths"})
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
    }
)
_TAG_OF_RESOURCE = "aws:resourcetag/"
_BOOLEANS = {"true": True, "false": False}
_UNCONDITIONAL = "SearchVectors"  # AWS: it matches no statement with a key of the service, whatever the operator
_SWITCHES = frozenset({"aws:multifactorauthpresent", "aws:viaawsservice"})
_LIKE = re.compile(r"(like|^ip|^arn)", re.IGNORECASE)
_NOT = re.compile(r"not", re.IGNORECASE)
_OPERATOR = r"(?i)(?:(ForAllValues|ForAnyValue):)?([A-Za-z]+?)(IfExists)?"
_ANYWHERE = frozenset({"0.0.0.0/0", "::/0"})


class Narrowing(IntEnum):
    """How much of a grant's width a condition takes away."""

    NONE = 0
    UNKNOWN = 1  # its value is not known: nothing is taken away, and the finding is less certain
    WHERE = 2  # regions or accounts, and all tables in them
    CONTEXT = 3  # it says from where or when, not what
    ATTRIBUTES = 4  # which attributes of an item
    ITEMS = 5  # which items
    TABLES = 6  # which tables
    NEVER = 7  # the key is never there, so the statement never applies


@record(kw_only=False)
class Condition:
    """One key under one operator. ``values`` are texts with symbols; ``unread`` counts those not known at all."""

    operator: str  # without qualifier and IfExists, as written
    key: str  # lower case
    values: tuple[str, ...]
    qualifier: str | None = None  # forallvalues or foranyvalue
    if_exists: bool = False
    unread: int = 0
    written: str = ""  # the key as it is written

    @property
    def negated(self) -> bool:
        """Whether the operator holds where the values do not match, or the key is missing."""
        return _NOT.search(self.operator) is not None

    @property
    def is_null(self) -> bool:
        """Whether it only asks whether the key is there."""
        return self.operator.lower() == "null"

    @property
    def patterned(self) -> bool:
        """Whether its values are patterns."""
        return _LIKE.search(self.operator) is not None

    @property
    def holds_without(self) -> bool:
        """Whether it is met by a request that lacks the key: then it binds nothing that can come without it."""
        return self.if_exists or self.negated or self.qualifier == "forallvalues"

    @property
    def wide_open(self) -> bool:
        """Whether some value lets everything through."""
        return any(
            (value != "" and set(value) <= {"*"} and self.patterned)
            or (value in _ANYWHERE and self.key == "aws:sourceip")
            for value in self.values
        )

    @property
    def spelled(self) -> str:
        """The operator as it is written."""
        sets = {"forallvalues": "ForAllValues:", "foranyvalue": "ForAnyValue:", None: ""}
        return f"{sets[self.qualifier]}{self.operator}{'IfExists' if self.if_exists else ''}"


@lru_cache(maxsize=256)
def parse_operator(text: str) -> tuple[str, str | None, bool]:
    """An operator's name, its qualifier in lower case, and whether it ends in IfExists."""
    match = re.fullmatch(_OPERATOR, text)
    if match is None:
        return text, None, False
    qualifier, name, exists = match.groups()
    return name, qualifier.lower() if qualifier else None, bool(exists)


def narrowing(conditions: tuple[Condition, ...], action: Action) -> Narrowing:
    """How much all conditions of one Allow narrow this action: they are joined by `and`, so the strongest counts."""
    return max((_narrowing(condition, action, conditions) for condition in conditions), default=Narrowing.NONE)


def complement(conditions: tuple[Condition, ...]) -> tuple[Condition, ...] | None:
    """What is still allowed under a Deny with these conditions, each as a condition of an Allow.

    A Deny stands only where all of them hold, so it guards no better than the weakest of its complements.
    None where one of them guards nothing: a Deny of some values lets every other value through.
    """
    turned = tuple(map(_turned, conditions))
    return None if None in turned else tuple(condition for condition in turned if condition is not None)


def closed_by_null(conditions: tuple[Condition, ...], key: str) -> bool:
    """Whether the same statement demands that the key is there: what makes ForAllValues safe."""
    return any(
        item.is_null and item.key == key and set(map(str.lower, item.values)) == {"false"} for item in conditions
    )


def met(conditions: tuple[Condition, ...], action: Action) -> bool | None:
    """Whether each request for an action meets all conditions; False where none can, None where it depends."""
    answers = [_met(condition, action) for condition in conditions]
    return False if False in answers else None if None in answers else True


def _met(condition: Condition, action: Action) -> bool | None:
    """Decided only where a request for the action never carries the key."""
    if not _is_never_carried(condition.key, action):
        return None
    if condition.is_null:
        return _BOOLEANS.get(condition.values[0].lower()) if len(condition.values) == 1 else None
    if action.name == _UNCONDITIONAL:
        return False
    if condition.qualifier == "foranyvalue":
        return None if condition.if_exists else False
    return condition.holds_without


def _is_never_carried(key: str, action: Action) -> bool:
    if not action.listed:
        return False
    service, _, name = key.partition(":")
    if service == "dynamodb":
        return _as_listed(name) not in map(str.lower, action.keys)
    return key.startswith(_TAG_OF_RESOURCE) and _TAGGED.isdisjoint(action.types)


def _as_listed(name: str) -> str:
    """A key of the service as the reference lists it: the keys of a table with several partition keys are aliases."""
    return "leadingkeys" if name in PARTITION_KEYS else name


def _turned(condition: Condition) -> Condition | None:
    operator = condition.operator
    if condition.qualifier == "forallvalues" or condition.is_null:
        return None
    sets = "forallvalues" if condition.qualifier == "foranyvalue" else None
    if condition.negated:
        return replace(condition, operator=_NOT.sub("", operator, 1), qualifier=sets, if_exists=False)
    if operator.lower() == "bool" and len(condition.values) == 1:
        other = "false" if condition.values[0].lower() == "true" else "true"
        return replace(condition, values=(other,), if_exists=False)
    return None


def _narrowing(condition: Condition, action: Action, together: tuple[Condition, ...]) -> Narrowing:
    if condition.is_null or condition.wide_open:
        return Narrowing.NONE
    service, _, name = condition.key.partition(":")
    if service == "dynamodb":
        strength = _service_key(condition, name, action, together)
    else:
        strength = _global_key(condition, action)
    decides = condition.patterned or condition.key in _SWITCHES
    unsettled = decides and (condition.unread or any(map(_is_one_symbol, condition.values)))
    return Narrowing.UNKNOWN if unsettled and strength not in (Narrowing.NONE, Narrowing.NEVER) else strength


def _service_key(condition: Condition, name: str, action: Action, together: tuple[Condition, ...]) -> Narrowing:
    if not action.listed:
        return Narrowing.UNKNOWN
    key = _as_listed(name)
    if key not in map(str.lower, action.keys):
        closed = not condition.holds_without or closed_by_null(together, condition.key)
        return Narrowing.NEVER if closed or action.name == _UNCONDITIONAL else Narrowing.NONE
    if condition.if_exists or condition.negated:
        return Narrowing.NONE
    if key == "leadingkeys":
        return Narrowing.NONE if condition.qualifier == "foranyvalue" else Narrowing.ITEMS
    if key == "attributes":
        return Narrowing.ATTRIBUTES
    bounded = key == "fulltablescan" and condition.values and set(map(str.lower, condition.values)) == {"false"}
    return Narrowing.ITEMS if bounded else Narrowing.NONE


def _global_key(condition: Condition, action: Action) -> Narrowing:
    if condition.key.startswith(_TAG_OF_RESOURCE):
        if condition.holds_without:
            return Narrowing.NONE
        return Narrowing.TABLES if not _TAGGED.isdisjoint(action.types) else Narrowing.NEVER
    if condition.holds_without:
        return Narrowing.NONE
    if condition.key in _WHERE:
        return Narrowing.WHERE
    if condition.key in _SWITCHES and set(map(str.lower, condition.values)) == {"false"}:
        return Narrowing.NONE
    return Narrowing.CONTEXT if condition.key in _CONTEXT else Narrowing.NONE


def _is_one_symbol(value: str) -> bool:
    """Whether nothing at all is known of a value: it may be a star."""
    return len(value) == 1 and is_symbol(value) and not is_variable(value)
