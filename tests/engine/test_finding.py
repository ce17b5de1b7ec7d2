"""Verdicts in words."""

from __future__ import annotations

from typing import Any

import pytest

from support.tables import DOUBT, index, replica
from tablegate.engine.finding import message_of, worded
from tablegate.model import facts
from tablegate.model.table import KeyOwner, KeyPart, Role
from tablegate.model.value import Origin, Value, Verdict, fails


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (facts.RECOVERY.unset, "point-in-time recovery is off (default)"),
        (facts.RECOVERY.of(True), "point-in-time recovery is on"),
        (facts.RECOVERY.doubted(DOUBT), "point-in-time recovery is unknown: known only after apply"),
        (Value("x", None, Origin.UNKNOWN), "x is unknown: it cannot be seen here"),
        (
            facts.KEY_OWNER.doubted(DOUBT, candidates=(KeyOwner.AWS_OWNED, KeyOwner.AWS_MANAGED)),
            "owner of the encryption key is unknown, but one of aws-owned or aws-managed: known only after apply",
        ),
        (facts.TTL_ATTRIBUTE.unset, "time-to-live attribute is not set"),
        (facts.RECOVERY_DAYS.of(7), "recovery period in days is 7"),
        (facts.KEY_OWNER.of(KeyOwner.AWS_OWNED), "owner of the encryption key is aws-owned"),
        (facts.NAME.of("x", sensitive=True), "table name is (sensitive)"),
        (facts.TAGS.of({"token": "S3CRET"}), "tags are not what it must be"),
        (Value("tags.token", "S3CRET"), "tags.token is not what it must be"),
        (Value("tags.count", 3), "tags.count is 3"),
        (facts.KEYS.of((KeyPart(attribute="id", role=Role.HASH),)), "key schema is id (HASH)"),
        (facts.INDEXES.of((index("a"), index("b"))), "global secondary indexes are a, b"),
        (facts.REPLICAS.of((replica("eu-west-1"),)), "replicas are eu-west-1"),
        (facts.PROJECTED.of(()), "projected attributes are empty"),
        (facts.ATTRIBUTES.of({"id": "S"}), "attribute definitions are 1 in number"),
    ],
)
def test_a_value_is_a_statement(value: Value[Any], expected: str) -> None:
    """What people write into tags and policies is named, never quoted."""
    assert worded(value) == expected


def test_a_message_is_the_note_or_the_evidence() -> None:
    """And it is never empty."""
    assert message_of(fails("so it is", facts.RECOVERY.unset)) == "so it is"
    both = Verdict(False, (facts.RECOVERY.unset, facts.TTL_ENABLED.unset, facts.RECOVERY.unset))
    assert message_of(both) == "point-in-time recovery is off (default); time to live is off (default)"
    assert message_of(Verdict(False)) == "the policy does not hold"


def test_much_evidence_is_counted() -> None:
    """A message stays a sentence."""
    many = Verdict(False, tuple(facts.RECOVERY_DAYS.of(days) for days in range(8)))
    assert message_of(many).endswith("; recovery period in days is 4; 3 more")
