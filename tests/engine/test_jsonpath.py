"""The model as plain data."""

from __future__ import annotations

import json

import pytest

from support.tables import DOUBT, index, table
from tablegate.engine.jsonpath import view
from tablegate.model import facts
from tablegate.model.estate import Change, ChangeKind
from tablegate.model.record import replace
from tablegate.model.table import Consumer, Dialect
from tablegate.model.value import Origin, Place, Value


def test_a_table_is_plain_data() -> None:
    """What an author sees is what a policy sees: names of the model, contents of its values."""
    seen = view(
        table(
            tags=facts.TAGS.of({"owner": "x", "cost": None}),
            indexes=facts.INDEXES.of((index("by-a"),)),
            ttl=facts.NO_TTL,
            arn=facts.ARN.doubted(DOUBT),
            name=facts.NAME.of("S3CRET", sensitive=True),
        )
    )
    assert seen["address"] == "aws_dynamodb_table.orders"
    assert seen["place"] == {"file": "plan.json", "path": "aws_dynamodb_table.orders"}
    assert seen["tags"] == {"owner": "x", "cost": {"unknown": "it cannot be seen here"}}
    assert seen["indexes"][0]["name"] == "by-a"
    assert seen["arn"] == {"unknown": "known only after apply"}
    assert seen["name"] == "(sensitive)"
    assert seen["ttl"] == {"enabled": False, "attribute": None}
    assert not {"table", "estate", "change", "raw"} & set(seen)
    assert json.loads(json.dumps(seen)) == seen


def test_small_things() -> None:
    """Enumerations are their texts, and sets have an order."""
    assert type(view(Dialect.CLOUDFORMATION)) is str
    consumer = Consumer(address="x", place=Place("f"), images=frozenset({"b", "a"}), failures=facts.TRIES_AGAIN)
    assert view(consumer)["images"] == ["a", "b"]
    assert view(Value("x", None, Origin.UNKNOWN)) == {"unknown": "it cannot be seen here"}
    assert view(facts.NAME.of(None, sensitive=True)) is None


ON, OFF = facts.RECOVERY.of(True), facts.RECOVERY.of(False)
UNSURE = facts.RECOVERY.doubted(DOUBT)
SEVEN, UNKNOWN_DAYS = facts.RECOVERY_DAYS.of(7), facts.RECOVERY_DAYS.doubted(DOUBT)
UNKNOWN = {"unknown": DOUBT.reason}


@pytest.mark.parametrize(
    ("enabled", "days", "expected"),
    [
        (ON, facts.RECOVERY_DAYS.unset, 35),
        (ON, SEVEN, 7),
        (OFF, facts.RECOVERY_DAYS.unset, None),
        (facts.RECOVERY.unset, SEVEN, None),
        (OFF, UNKNOWN_DAYS, None),
        (UNSURE, SEVEN, UNKNOWN),
        (UNSURE, UNKNOWN_DAYS, UNKNOWN),
    ],
)
def test_a_setting_of_what_is_off_is_not_set(enabled: Value[bool], days: Value[int], expected: object) -> None:
    """The service keeps no backups, so none for 35 days either."""
    recovery = replace(facts.NO_RECOVERY, enabled=enabled, days=days)
    assert view(recovery)["days"] == expected


def test_other_features_that_are_off_have_no_settings_either() -> None:
    """A stream's view and the attribute of an expiry: their policies and readers are no settings."""
    stream = replace(facts.NO_STREAM, view=facts.STREAM_VIEW.of("KEYS_ONLY"), policy=facts.STREAM_POLICY.of("{}"))
    assert (view(stream)["view"], view(stream)["policy"]) == (None, "{}")
    assert view(replace(stream, enabled=facts.STREAM_ENABLED.of(True)))["view"] == "KEYS_ONLY"
    assert view(replace(facts.NO_TTL, attribute=facts.TTL_ATTRIBUTE.of("at")))["attribute"] is None


def test_a_change_is_shown_without_what_leads_back() -> None:
    """Neither the tables on either side of it, which have it, nor the function that makes one."""
    change = Change(address="t", place=None, kind=ChangeKind.CREATE, make_before=lambda: None)
    assert view(change)["kind"] == "create"
    assert {"make_before", "estate"}.isdisjoint(view(change))
