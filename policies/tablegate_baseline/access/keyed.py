"""Conditions on keys: which are there, and what is wrong with one?"""

from __future__ import annotations

from tablegate.policy.access import PARTITION_KEYS, Condition, Grant, service_keys

KEYS = frozenset(f"dynamodb:{name}" for name in PARTITION_KEYS)
ATTRIBUTES = "dynamodb:attributes"
# Variables that are another value for another user.
PER_USER = (
    ":sub}",
    ":user_id}",
    "facebook.com:id}",
    "${aws:principaltag/",
    "${aws:userid}",
    "${aws:username}",
    "${aws:sourceidentity}",
)
_DELIMITERS = frozenset("#|/:")
_LIKENESS = 0.8


def keys_of(grant: Grant) -> list[Condition]:
    """The statement's conditions on the partition key."""
    return [item for item in grant.statement.conditions if item.key in KEYS and not item.is_null]


def delimited(character: str) -> bool:
    """Whether a character sets a tenant's name off from what follows it."""
    return character in _DELIMITERS


def is_misspelt(item: Condition) -> bool:
    """Whether a key is none of the service's, and nearly one on partition keys."""
    service, _, name = item.key.partition(":")
    if service != "dynamodb" or name in PARTITION_KEYS or name in service_keys():
        return False
    import difflib  # for findings alone

    return bool(difflib.get_close_matches(name, sorted(PARTITION_KEYS), n=1, cutoff=_LIKENESS))


def wrong_with(item: Condition, grant: Grant) -> str | None:
    """What makes a condition on keys open, or never true; None where it is right."""
    key, written = item.written or item.key, f"{item.spelled} over {item.written or item.key}"
    if is_misspelt(item):
        return f"there is no condition key {key}: the condition never sees a value"
    if item.is_null:
        return None
    if item.qualifier == "foranyvalue":
        return f"{written} lets a whole batch through for one key of the caller's own"
    if item.if_exists:
        return f"{written} holds wherever the key is absent"
    if item.qualifier is None:
        return f"{written} has no ForAllValues, though the key holds several values"
    return _wrong_value(item, grant, written)


def _wrong_value(item: Condition, grant: Grant, written: str) -> str | None:
    if not item.patterned and any("*" in value or "?" in value for value in item.values):
        return f"{written} takes a star for a plain character: only the key that holds one matches"
    if any("${" in value for value in item.values) and grant.document.version != "2012-10-17":
        return f"{written} has a variable, which only version 2012-10-17 of the language fills in"
    if item.wide_open:
        return f"{written} with the value * lets every key through"
    return None
