"""The conditions of a statement: how much they narrow an Allow, and whether a request can meet them."""

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
_TAGGED_TYPES = frozenset({"table", "index", "stream"})
# Keys that limit the regions and accounts of tables, and not the tables in them.
_LOCATION_KEYS = frozenset({"aws:requestedregion", "aws:resourceaccount", "aws:resourceorgid", "aws:resourceorgpaths"})
_CONTEXT_KEYS = frozenset(
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
_RESOURCE_TAG = "aws:resourcetag/"
_BOOLEANS = {"true": True, "false": False}
_TAKES_NO_CONDITIONS = "SearchVectors"  # AWS: it matches no statement with a key of the service, under any operator
_BOOLEAN_KEYS = frozenset({"aws:multifactorauthpresent", "aws:viaawsservice"})
_PATTERN_OPERATOR = re.compile(r"(like|^ip|^arn)", re.IGNORECASE)
_NEGATION = re.compile(r"not", re.IGNORECASE)
_OPERATOR = r"(?i)(?:(ForAllValues|ForAnyValue):)?([A-Za-z]+?)(IfExists)?"
_ANY_ADDRESS = frozenset({"0.0.0.0/0", "::/0"})


class Narrowing(IntEnum):
    """How much of a grant's width a condition takes away."""

    NONE = 0
    UNKNOWN = 1  # its value is not known: nothing is taken away, and the finding is less certain
    WHERE = 2  # limits regions or accounts, with all tables in them
    CONTEXT = 3  # limits from where or when, not what
    ATTRIBUTES = 4  # limits the attributes of an item
    ITEMS = 5  # limits the items
    TABLES = 6  # limits the tables
    NEVER = 7  # no request has the key, so the statement never applies


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
        return _NEGATION.search(self.operator) is not None

    @property
    def is_null(self) -> bool:
        """Whether it only tests that the key is present or absent."""
        return self.operator.lower() == "null"

    @property
    def patterned(self) -> bool:
        """Whether its values are patterns."""
        return _PATTERN_OPERATOR.search(self.operator) is not None

    @property
    def holds_without(self) -> bool:
        """Whether a request without the key meets it: then it does not limit such requests."""
        return self.if_exists or self.negated or self.qualifier == "forallvalues"

    @property
    def wide_open(self) -> bool:
        """Whether one of its values matches everything."""
        return any(
            (value != "" and set(value) <= {"*"} and self.patterned)
            or (value in _ANY_ADDRESS and self.key == "aws:sourceip")
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
    """How much the conditions of one Allow narrow this action. They are joined by ``and``, so the strongest counts."""
    return max(
        (_condition_narrowing(condition, action, conditions) for condition in conditions), default=Narrowing.NONE
    )


def complement(conditions: tuple[Condition, ...]) -> tuple[Condition, ...] | None:
    """What a Deny with these conditions still allows, each as a condition of an Allow.

    A Deny applies only where all of them hold, so it protects no better than the weakest of its complements.
    None where one of them protects nothing: a Deny of some values allows every other value.
    """
    complements = tuple(map(_complement, conditions))
    return None if None in complements else tuple(condition for condition in complements if condition is not None)


def closed_by_null(conditions: tuple[Condition, ...], key: str) -> bool:
    """Whether the same statement requires the key to be present, which makes ForAllValues safe."""
    return any(
        item.is_null and item.key == key and set(map(str.lower, item.values)) == {"false"} for item in conditions
    )


def conditions_hold(conditions: tuple[Condition, ...], action: Action) -> bool | None:
    """Whether every request for an action meets all conditions; False where none can, None where it depends."""
    answers = [_condition_holds(condition, action) for condition in conditions]
    return False if False in answers else None if None in answers else True


def _condition_holds(condition: Condition, action: Action) -> bool | None:
    """True or false only where no request for the action has the key."""
    if not _is_never_carried(condition.key, action):
        return None
    if condition.is_null:
        return _BOOLEANS.get(condition.values[0].lower()) if len(condition.values) == 1 else None
    if action.name == _TAKES_NO_CONDITIONS:
        return False
    if condition.qualifier == "foranyvalue":
        return None if condition.if_exists else False
    return condition.holds_without


def _is_never_carried(key: str, action: Action) -> bool:
    if not action.listed:
        return False
    service, _, name = key.partition(":")
    if service == "dynamodb":
        return _listed_name(name) not in map(str.lower, action.keys)
    return key.startswith(_RESOURCE_TAG) and _TAGGED_TYPES.isdisjoint(action.types)


def _listed_name(name: str) -> str:
    """A service key as the reference lists it: FirstPartitionKeyValues and the like are LeadingKeys."""
    return "leadingkeys" if name in PARTITION_KEYS else name


def _complement(condition: Condition) -> Condition | None:
    operator = condition.operator
    if condition.qualifier == "forallvalues" or condition.is_null:
        return None
    sets = "forallvalues" if condition.qualifier == "foranyvalue" else None
    if condition.negated:
        return replace(condition, operator=_NEGATION.sub("", operator, 1), qualifier=sets, if_exists=False)
    if operator.lower() == "bool" and len(condition.values) == 1:
        other = "false" if condition.values[0].lower() == "true" else "true"
        return replace(condition, values=(other,), if_exists=False)
    return None


def _condition_narrowing(condition: Condition, action: Action, conditions: tuple[Condition, ...]) -> Narrowing:
    if condition.is_null or condition.wide_open:
        return Narrowing.NONE
    service, _, name = condition.key.partition(":")
    if service == "dynamodb":
        strength = _service_key_narrowing(condition, name, action, conditions)
    else:
        strength = _global_key_narrowing(condition, action)
    decides = condition.patterned or condition.key in _BOOLEAN_KEYS
    unsettled = decides and (condition.unread or any(map(_is_one_symbol, condition.values)))
    return Narrowing.UNKNOWN if unsettled and strength not in (Narrowing.NONE, Narrowing.NEVER) else strength


def _service_key_narrowing(
    condition: Condition, name: str, action: Action, conditions: tuple[Condition, ...]
) -> Narrowing:
    if not action.listed:
        return Narrowing.UNKNOWN
    key = _listed_name(name)
    if key not in map(str.lower, action.keys):
        closed = not condition.holds_without or closed_by_null(conditions, condition.key)
        return Narrowing.NEVER if closed or action.name == _TAKES_NO_CONDITIONS else Narrowing.NONE
    if condition.negated or (condition.if_exists and condition.qualifier != "forallvalues"):
        return Narrowing.NONE
    if key == "leadingkeys":
        return Narrowing.NONE if condition.qualifier == "foranyvalue" else Narrowing.ITEMS
    if key == "attributes":
        return Narrowing.ATTRIBUTES
    bounded = key == "fulltablescan" and condition.values and set(map(str.lower, condition.values)) == {"false"}
    return Narrowing.ITEMS if bounded else Narrowing.NONE


def _global_key_narrowing(condition: Condition, action: Action) -> Narrowing:
    if condition.key.startswith(_RESOURCE_TAG):
        if condition.holds_without:
            return Narrowing.NONE
        return Narrowing.TABLES if not _TAGGED_TYPES.isdisjoint(action.types) else Narrowing.NEVER
    if condition.holds_without:
        return Narrowing.NONE
    if condition.key in _LOCATION_KEYS:
        return Narrowing.WHERE
    if condition.key in _BOOLEAN_KEYS and set(map(str.lower, condition.values)) == {"false"}:
        return Narrowing.NONE
    return Narrowing.CONTEXT if condition.key in _CONTEXT_KEYS else Narrowing.NONE


def _is_one_symbol(value: str) -> bool:
    """Whether nothing of a value is known: it may be a star."""
    return len(value) == 1 and is_symbol(value) and not is_variable(value)
