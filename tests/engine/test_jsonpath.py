"""The model as plain data."""

from __future__ import annotations

import json

from support.tables import DOUBT, index, table
from tablegate.engine.jsonpath import view
from tablegate.model import facts
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
