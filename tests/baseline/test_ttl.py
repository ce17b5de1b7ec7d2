"""Expiry: the verdicts that cases cannot show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from support.policies import names, outcome
from support.tables import doubted, key, table
from tablegate.model import facts
from tablegate.model.estate import Change, ChangeKind
from tablegate.model.table import Table, Ttl
from tablegate.model.value import Value
from tablegate_baseline.ttl import (
    ttl_attribute_type,
    ttl_half_configured,
    ttl_on_ephemeral,
    ttl_on_ephemeral_looking,
    ttl_unsupported,
)

ON, OFF = facts.TTL_ENABLED.of(True), facts.TTL_ENABLED.of(False)
UNSEEN = doubted(ON)
NAMED, UNNAMED = facts.TTL_ATTRIBUTE.of("expires_at"), facts.TTL_ATTRIBUTE.unset
SESSION = facts.TAGS.of({"purpose": "Session"})
UNSEEN_TAGS = doubted(facts.TAGS.unset)


def ttl(enabled: Value[bool], attribute: Value[str] = NAMED) -> Ttl:
    """Time to live as stated."""
    return Ttl(enabled=enabled, attribute=attribute)


@pytest.mark.parametrize(
    ("tags", "enabled", "expected"),
    [
        (facts.TAGS.unset, OFF, "exempt"),
        (facts.TAGS.of({"purpose": "ledger"}), OFF, "exempt"),
        (SESSION, facts.TTL_ENABLED.unset, "fails"),
        (SESSION, OFF, "fails"),
        (SESSION, ON, "holds"),
        (SESSION, UNSEEN, "unknown"),
        (UNSEEN_TAGS, ON, "holds"),
        (UNSEEN_TAGS, OFF, "unknown"),
    ],
)
def test_a_declared_purpose_asks_for_expiry(tags: Any, enabled: Value[bool], expected: str) -> None:
    """Only a purpose that people declared counts; an unknown one is settled by expiry itself."""
    assert expected == outcome(ttl_on_ephemeral.check(table(tags=tags, ttl=ttl(enabled))))


def test_the_purposes_are_an_option() -> None:
    """What counts as ephemeral is for the configuration to say, in any case of letters."""
    ledger = table(tags=facts.TAGS.of({"purpose": "draft"}))
    verdict = ttl_on_ephemeral.check(ledger, purposes=("Draft",))
    assert (verdict.truth, verdict.note) == (False, "the table's purpose is draft, but time to live is off")


def called(name: str, **stated: Any) -> Table:
    """A table of this name."""
    return table(name=facts.NAME.of(name), **stated)


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("session", "session"),
        ("user_sessions", "session"),
        ("UserSessionTable", "session"),
        ("auth.otps.prod", "otp"),
        ("Invitations", "invitation"),
        ("idempotency-keys", "idempotency"),
        ("rateLimits", "rate-limit"),
        ("api-ratelimit", "ratelimit"),
        ("magic_links", "magic-link"),
        ("terraform-locks", "lock"),
        ("ws-connections", "connection"),
        ("job-leases", "lease"),
    ],
)
def test_a_word_of_the_name_looks_ephemeral(name: str, word: str) -> None:
    """In singular and plural, in every style of writing names."""
    verdict = ttl_on_ephemeral_looking.check(called(name))
    assert verdict.note == f"the table name '{name}' contains '{word}', but time to live is off"
    assert verdict.truth is False


@pytest.mark.parametrize("name", ["orders", "blockchain", "tokenizer", "obsessions", "template", "clocks", "leasehold"])
def test_a_word_within_a_word_does_not(name: str) -> None:
    """Whole words only."""
    assert outcome(ttl_on_ephemeral_looking.check(called(name))) == "exempt"


UNSEEN_NAME = doubted(facts.NAME.unset)
UNSEEN_KEYS = doubted(facts.KEYS.unset)


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({"name": UNSEEN_NAME, "label": "sessions"}, "fails"),
        ({"name": facts.NAME.unset, "label": "SessionsTable"}, "fails"),
        ({"name": facts.NAME.of("orders"), "label": "sessions"}, "exempt"),
        ({"keys": facts.KEYS.of(key("session_id"))}, "fails"),
        ({"keys": facts.KEYS.of(key("customer_id", "session_id"))}, "exempt"),
        ({"keys": UNSEEN_KEYS}, "unknown"),
        ({"keys": UNSEEN_KEYS, "ttl": ttl(ON)}, "holds"),
        ({"keys": UNSEEN_KEYS, "name": facts.NAME.of("sessions")}, "fails"),
        ({"keys": facts.KEYS.of(key("session_id")), "ttl": ttl(UNSEEN)}, "unknown"),
        ({"keys": facts.KEYS.of(key("session_id")), "tags": SESSION}, "exempt"),
        ({"keys": facts.KEYS.of(key("session_id")), "tags": UNSEEN_TAGS}, "unknown"),
        ({"keys": facts.KEYS.of(key("session_id")), "tags": UNSEEN_TAGS, "ttl": ttl(ON)}, "holds"),
        ({"tags": UNSEEN_TAGS}, "exempt"),
    ],
)
def test_looks_are_of_the_name_and_of_the_partition_key(stated: Mapping[str, Any], expected: str) -> None:
    """The label speaks only where the name is not known; a declared purpose is judged elsewhere."""
    assert expected == outcome(ttl_on_ephemeral_looking.check(table(**stated)))


def test_an_unknown_key_is_a_doubt_about_looks() -> None:
    """The message says that nothing was found, only that something may be."""
    verdict = ttl_on_ephemeral_looking.check(table(keys=UNSEEN_KEYS))
    assert verdict.note == "cannot tell whether the partition key looks ephemeral; time to live is off"


@pytest.mark.parametrize("name", [UNSEEN_NAME, facts.NAME.unset])
def test_the_message_names_what_was_read(name: Value[str]) -> None:
    """Where the name is not known, or is made up by the service, the label is what speaks."""
    verdict = ttl_on_ephemeral_looking.check(table(name=name, label="SessionsTable"))
    assert verdict.note == "the table name 'SessionsTable' contains 'session', but time to live is off"


def test_a_sensitive_name_is_not_quoted() -> None:
    """It is judged all the same."""
    verdict = ttl_on_ephemeral_looking.check(table(name=facts.NAME.of("acme-sessions", sensitive=True)))
    assert verdict.note == "the table name (sensitive) contains 'session', but time to live is off"


def test_the_words_are_an_option() -> None:
    """A list of one's own replaces the shipped one."""
    assert outcome(ttl_on_ephemeral_looking.check(called("sessions"), words=("draft",))) == "exempt"
    assert outcome(ttl_on_ephemeral_looking.check(called("drafts"), words=("draft",))) == "fails"


@pytest.mark.parametrize(
    ("expiry", "attributes", "expected"),
    [
        (ttl(OFF), {"expires_at": "S"}, "exempt"),
        (ttl(ON), {"expires_at": "S"}, "fails"),
        (ttl(ON), {"expires_at": "B"}, "fails"),
        (ttl(ON), {"expires_at": "N"}, "holds"),
        (ttl(ON), {"id": "S"}, "holds"),
        (ttl(ON, UNNAMED), {"id": "S"}, "holds"),
        (ttl(UNSEEN), {"expires_at": "S"}, "unknown"),
        (ttl(UNSEEN), {"expires_at": "N"}, "holds"),
        (ttl(ON, doubted(NAMED)), {"expires_at": "S"}, "unknown"),
        (ttl(ON), None, "unknown"),
    ],
)
def test_a_declared_attribute_is_a_number(expiry: Ttl, attributes: dict[str, str] | None, expected: str) -> None:
    """An attribute that is not declared cannot be judged, and is not."""
    unseen = doubted(facts.ATTRIBUTES.unset)
    declared = unseen if attributes is None else facts.ATTRIBUTES.of(attributes)
    assert expected == outcome(ttl_attribute_type.check(table(ttl=expiry, attributes=declared)))


def changed(kind: ChangeKind, before: Table | None, now: Ttl) -> Table:
    """A table that a plan changes."""
    change = Change(address="aws_dynamodb_table.orders", place=None, kind=kind, make_before=lambda: before)
    return table(ttl=now, change=change)


EXPIRING, HALF = table(ttl=ttl(ON)), table(ttl=ttl(OFF))


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        (table(), "holds"),
        (table(ttl=ttl(ON)), "holds"),
        (table(ttl=ttl(OFF)), "fails"),
        (table(ttl=ttl(OFF, facts.TTL_ATTRIBUTE.of(""))), "holds"),
        (table(ttl=ttl(ON, UNNAMED)), "fails"),
        (table(ttl=ttl(ON, facts.TTL_ATTRIBUTE.of(""))), "fails"),
        (table(ttl=ttl(UNSEEN)), "unknown"),
        (table(ttl=ttl(ON, doubted(NAMED))), "unknown"),
        (changed(ChangeKind.CREATE, None, ttl(OFF)), "fails"),
        (changed(ChangeKind.NOOP, HALF, ttl(OFF)), "fails"),
        (changed(ChangeKind.UPDATE, HALF, ttl(OFF)), "fails"),
        (changed(ChangeKind.UPDATE, None, ttl(OFF)), "fails"),
        (changed(ChangeKind.UPDATE, EXPIRING, ttl(OFF)), "exempt"),
        (changed(ChangeKind.UPDATE, EXPIRING, ttl(ON, UNNAMED)), "fails"),
        (changed(ChangeKind.REPLACE, EXPIRING, ttl(OFF)), "fails"),
    ],
)
def test_switch_and_attribute_go_together(subject: Table, expected: str) -> None:
    """Turning it off is another policy's business: only what this change leaves half on is judged."""
    assert expected == outcome(ttl_half_configured.check(subject))


def test_a_doubt_names_only_what_is_in_doubt() -> None:
    """What is known beside it is no reason."""
    unseen = doubted(NAMED)
    assert ttl_half_configured.check(table(ttl=ttl(ON, unseen))).evidence == (unseen,)
    assert ttl_attribute_type.check(table(ttl=ttl(ON, unseen))).evidence == (unseen,)


def test_what_is_wrong_comes_first_in_the_evidence() -> None:
    """The finding is shown where the mistake is."""
    assert names(ttl_half_configured.check(table(ttl=ttl(OFF)))) == ("time to live", "time-to-live attribute")
    assert names(ttl_half_configured.check(table(ttl=ttl(ON, UNNAMED)))) == ("time-to-live attribute", "time to live")


STRONG = facts.CONSISTENCY.of("STRONG")


@pytest.mark.parametrize(
    ("consistency", "enabled", "expected"),
    [
        (facts.CONSISTENCY.unset, ON, "exempt"),
        (facts.CONSISTENCY.of("EVENTUAL"), ON, "exempt"),
        (STRONG, ON, "fails"),
        (STRONG, OFF, "holds"),
        (STRONG, facts.TTL_ENABLED.unset, "holds"),
        (STRONG, UNSEEN, "unknown"),
        (doubted(STRONG), ON, "unknown"),
        (doubted(STRONG), OFF, "holds"),
    ],
)
def test_strong_consistency_takes_no_expiry(consistency: Value[str], enabled: Value[bool], expected: str) -> None:
    """The two cannot be had together; without expiry the mode does not matter."""
    assert expected == outcome(ttl_unsupported.check(table(consistency=consistency, ttl=ttl(enabled))))
