"""Time to live: does data that must expire, expire?"""

from __future__ import annotations

from typing import Annotated

from tablegate.policy import (
    HIGH,
    MEDIUM,
    ChangeKind,
    Role,
    Table,
    Ttl,
    Value,
    Verdict,
    fails,
    holds,
    not_applicable,
    policy,
    unknown,
    when,
)
from tablegate_baseline.helpers import quoted, require, unknown_values, word_in

STRONG = "STRONG"
Purposes = Annotated[tuple[str, ...], "purposes of tables whose items expire"]

PURPOSES = ("ephemeral", "cache", "lock", "session", "token", "temporary")
WORDS = (
    "session",
    "token",
    "otp",
    "nonce",
    "invite",
    "invitation",
    "verification",
    "cache",
    "temp",
    "tmp",
    "temporary",
    "ephemeral",
    "lock",
    "lease",
    "mutex",
    "idempotency",
    "dedup",
    "ratelimit",
    "rate-limit",
    "throttle",
    "captcha",
    "challenge",
    "csrf",
    "presence",
    "connection",
    "magic-link",
    "password-reset",
    "one-time",
)

_REMEDY_TERRAFORM = """
ttl {
  attribute_name = "expires_at"
  enabled        = true
}
"""
_REMEDY_CLOUDFORMATION = """
TimeToLiveSpecification:
  AttributeName: expires_at
  Enabled: true
"""


@policy(
    "TG401",
    HIGH,
    "A table that is declared ephemeral must expire its items",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html",
    terraform=_REMEDY_TERRAFORM,
    cloudformation=_REMEDY_CLOUDFORMATION,
    state_locks=False,
)
def ttl_on_ephemeral(table: Table, *, purposes: Purposes = PURPOSES) -> Verdict:
    """Sessions and tokens that nothing deletes stay valid in backups and exports, and cost money forever.
    Deleting them later by a scan costs more than all the writes that created them."""
    purpose = table.declared.purpose
    if purpose.known and not _is_ephemeral(purpose, purposes):
        return not_applicable("its declared purpose is not ephemeral", purpose)
    verdict = _expires(table.ttl, f"the table's purpose is {purpose.shown}, but time to live is off")
    if purpose.known or verdict.truth is True:
        return verdict
    note = "cannot tell whether the table's purpose requires time to live, nor whether it is on"
    return unknown(note, purpose, *verdict.evidence)


@policy(
    "TG402",
    MEDIUM,
    "A table that looks ephemeral must expire its items",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/time-to-live-ttl-how-to.html",
    terraform=_REMEDY_TERRAFORM,
    cloudformation=_REMEDY_CLOUDFORMATION,
    state_locks=False,
)
def ttl_on_ephemeral_looking(
    table: Table,
    *,
    words: Annotated[tuple[str, ...], "words in a table's name that suggest items that expire"] = WORDS,
    purposes: Purposes = PURPOSES,
) -> Verdict:
    """Sessions, locks and caches in a name mean items that outlive their use. Without an expiry the table only grows,
    and its old items slow down every scan and every restore."""
    purpose = table.declared.purpose
    if _is_ephemeral(purpose, purposes):
        return not_applicable("TG401 checks its declared purpose", purpose)
    looks = _looks_ephemeral(table, words)
    verdict = when(
        looks, lambda: _expires_or_does_not_look(table.ttl, looks), "neither name nor partition key looks ephemeral"
    )
    if not verdict.applies or verdict.truth is True or purpose.known:
        return verdict
    return unknown("cannot tell whether TG401 checks the table's purpose", purpose, *verdict.evidence)


@policy(
    "TG403",
    HIGH,
    "The time-to-live attribute must be a Number",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/time-to-live-ttl-before-you-start.html",
    terraform="""
attribute {
  name = "expires_at"
  type = "N"
}
""",
    cloudformation="""
- AttributeName: expires_at
  AttributeType: N
""",
)
def ttl_attribute_type(table: Table) -> Verdict:
    """DynamoDB reads the attribute as epoch seconds and skips every item in which it is anything else. Nothing reports
    that: time to live is on, and no item ever expires."""
    ttl = table.ttl
    if ttl.enabled.known and ttl.enabled.content is not True:
        return not_applicable("time to live is off", ttl.enabled)
    if not (ttl.attribute.known and table.attributes.known):
        note = "cannot tell the declared type of the time-to-live attribute"
        return unknown(note, *unknown_values(ttl.attribute, table.attributes))
    kind = (table.attributes.content or {}).get(ttl.attribute.content or "")
    if kind in (None, "N"):
        return holds(ttl.attribute)
    note = f"the time-to-live attribute {ttl.attribute.shown} has type {kind}, not N: no item would expire"
    return when(ttl.enabled.is_true, lambda: fails(note, table.attributes, ttl.attribute), "time to live is off")


@policy(
    "TG404",
    MEDIUM,
    "Time to live must be on and have an attribute, or be left out",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TimeToLiveSpecification.html",
    terraform=_REMEDY_TERRAFORM,
    cloudformation=_REMEDY_CLOUDFORMATION,
)
def ttl_half_configured(table: Table) -> Verdict:
    """With an attribute but time to live off, the code looks as if items expired, and none does. Time to live without
    an attribute stops the deploy half way."""
    enabled, attribute = table.ttl.enabled, table.ttl.attribute
    if not (enabled.known and attribute.known):
        note = "cannot tell whether time to live is on, or which attribute it has"
        return unknown(note, *unknown_values(enabled, attribute))
    if (enabled.content is True) is bool(attribute.content):
        return holds(enabled, attribute)
    if enabled.content is True:
        return fails("time to live is on, but has no attribute: the deploy fails", attribute, enabled)
    if _turned_off(table):
        return not_applicable("this change turns time to live off", enabled)
    return fails(f"time to live has the attribute {attribute.shown}, but is off", enabled, attribute)


@policy(
    "TG405",
    HIGH,
    "A table with multi-Region strong consistency must not use time to live",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/multi-region-strong-consistency-gt.html",
    terraform="""
ttl {
  enabled = false
}
""",
    cloudformation="""
TimeToLiveSpecification:
  Enabled: false
""",
)
def ttl_unsupported(table: Table) -> Verdict:
    """Tables with multi-Region strong consistency cannot expire items: the deploy is refused. Data that must expire
    needs eventual consistency, or a job that deletes it."""
    if table.consistency.known and table.consistency.content != STRONG:
        return not_applicable("the table has no multi-Region strong consistency", table.consistency)
    off = require(
        table.ttl.enabled,
        False,
        "time to live is on, but a table with multi-Region strong consistency does not support it",
        "time to live is off",
    )
    return when(table.consistency.equals(STRONG), lambda: off, "the table has no multi-Region strong consistency")


def _is_ephemeral(purpose: Value[str], purposes: tuple[str, ...]) -> bool:
    return purpose.content is not None and purpose.content in {word.lower() for word in purposes}


def _expires(ttl: Ttl, otherwise: str) -> Verdict:
    return require(ttl.enabled, True, otherwise, "time to live is on")


def _expires_or_does_not_look(ttl: Ttl, looks: Verdict) -> Verdict:
    return _expires(ttl, f"{looks.note}{', but' if looks.truth else ';'} time to live is off")


def _looks_ephemeral(table: Table, words: tuple[str, ...]) -> Verdict:
    """The table's name, or its label where the name is not known, or the partition key has one of the words."""
    name, keys = table.name, table.keys
    word = word_in(name.content or table.label, words)
    if word is not None:
        called = quoted(name) if name.content else f"'{table.label}'"
        return Verdict(True, (name,), f"the table name {called} contains '{word}'")
    if not keys.known:
        return unknown("cannot tell whether the partition key looks ephemeral", keys)
    for part in keys.content or ():
        word = word_in(part.attribute, words) if part.role is Role.HASH else None
        if word is not None:
            return Verdict(True, (keys,), f"the partition key '{part.attribute}' contains '{word}'")
    return Verdict(False, (name, keys))


def _turned_off(table: Table) -> bool:
    """Whether the change turns time to live off."""
    change = table.change
    if change is None or change.kind is not ChangeKind.UPDATE:
        return False
    before = change.before
    return before is not None and before.ttl.enabled.content is True
