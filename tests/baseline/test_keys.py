"""Key policies: words, sort keys and naming styles."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from support import tables as build
from tablegate.model import facts
from tablegate.model.table import Table
from tablegate.model.value import Place
from tablegate_baseline.keys import HOT_WORDS, attribute_naming, hot_partition_key, hot_word, sort_key


@pytest.mark.parametrize("name", ["status", "orderStatus", "order_status", "date2", "IsActive", "user.role"])
def test_a_hot_word_counts_where_it_ends_the_name(name: str) -> None:
    """In any case style, and whatever number follows."""
    assert hot_word(name, HOT_WORDS) is not None


@pytest.mark.parametrize("name", ["created_at", "updatedOn", "timestampId", "day_id", "end_date_id", "created_at_id"])
def test_small_words_after_a_time_are_dropped(name: str) -> None:
    """`created_at` and `day_id` are times."""
    assert hot_word(name, HOT_WORDS) is not None


@pytest.mark.parametrize(
    "name",
    ["status_id", "deleted_at", "status_owner", "birthday", "update", "estate", "at", "id", "2024", "", "daily_total"],
)
def test_what_only_looks_like_a_hot_word_is_none(name: str) -> None:
    """A word inside another, not at the end, or with an id of something else."""
    assert hot_word(name, HOT_WORDS) is None


@pytest.mark.parametrize("name", ["created_at_shard", "shard_date", "statusBucket", "hash_of_day", "prefix.ts"])
def test_a_shard_anywhere_in_the_name_spreads_it(name: str) -> None:
    """A declared shard, bucket, hash or prefix."""
    assert hot_word(name, HOT_WORDS) is None


def test_a_word_of_the_option_may_have_several_parts() -> None:
    """Its parts end the name together."""
    assert hot_word("order_cost_center", ("cost-center",)) == "cost-center"
    assert hot_word("center", ("cost-center",)) is None


def test_the_finding_stands_at_the_key() -> None:
    """The key schema decides, and its place is where to look."""
    keys = facts.KEYS.of(build.key("order_date"), Place("t.yaml", 7))
    verdict = hot_partition_key.check(build.table(keys=keys))
    assert verdict.note == "partition key 'order_date' probably follows the time, and is not sharded"
    assert verdict.evidence == (keys,)


@pytest.mark.parametrize("policy", [hot_partition_key, sort_key])
def test_a_key_that_is_not_known_is_a_doubt_and_one_from_elsewhere_is_not_judged(policy: Any) -> None:
    """A restored table has the key of its source."""
    assert policy.check(build.table(keys=facts.KEYS.doubted(build.DOUBT))).truth is None
    assert policy.check(build.table(keys=facts.KEYS.unset)).applies is False


def test_a_sort_key_is_asked_for() -> None:
    """A partition key alone finds one item."""
    assert sort_key.check(build.table()).note == "no sort key, so queries cannot read a range of items"
    assert sort_key.check(build.table(keys=facts.KEYS.of(build.key("id", "at")))).truth is True


def keyed(*names: str, address: str = "a") -> Table:
    """A table whose key attributes have these names."""
    key, *others = names
    indexes = tuple(build.index(f"by-{name}", name) for name in others)
    return build.table(address=address, keys=facts.KEYS.of(build.key(key)), indexes=facts.INDEXES.of(indexes))


def truths(*tables: Table) -> list[bool | None]:
    """What the naming policy says of each table, all of them in one input."""
    build.estate(*tables)
    return [attribute_naming.check(table).truth for table in tables]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["customer_id", "order_id"], True),
        (["customer_id", "id"], True),
        (["customer_id", "ID"], True),
        (["customer_id", "orderId"], False),
        (["customer_id", "OrderId"], False),
        (["customerId", "OrderId"], False),
        (["customer_id", "order-id"], False),
        (["customer_id", "order.id"], False),
        (["customer_id", "CUSTOMER_ID"], False),
        (["customer_id", "order_Id"], False),
        (["PK", "sk", "GSI1PK", "gsi_2_sk", "LSI1SK", "pk2"], True),
        (["PK", "customer_id"], False),
    ],
)
def test_one_table_uses_one_style(names: list[str], expected: bool) -> None:
    """One word fits every style, and the generic names are one."""
    assert [expected] == truths(keyed(*names))


def test_the_minority_is_told() -> None:
    """Of several tables, those that do not follow the others."""
    assert truths(keyed("a_b", address="a"), keyed("c_d", address="b"), keyed("eF", address="c")) == [True, True, False]


def test_where_no_style_leads_each_table_is_told() -> None:
    """Nobody can say which of the two is meant."""
    assert truths(keyed("a_b", address="a"), keyed("eF", address="b")) == [False, False]


def test_the_scenarios_of_one_table_count_once() -> None:
    """A table with many scenarios does not outvote two others."""
    variants = [keyed("eF", address="a") for _ in range(5)]
    assert truths(*variants, keyed("a_b", address="b"), keyed("c_d", address="c"))[-2:] == [True, True]


def test_a_key_that_is_not_known_may_turn_the_majority() -> None:
    """A table that mixes styles itself still fails, and one whose names fit every style holds."""
    unknown = build.table(address="z", keys=facts.KEYS.doubted(build.DOUBT))
    assert truths(keyed("a_b", address="a"), unknown) == [None, None]
    assert truths(keyed("a_b", "eF", address="a"), keyed("id", address="b"), unknown) == [False, True, None]


def test_the_state_of_an_authorization_request_is_no_hot_key() -> None:
    """If the purpose is ephemeral or the items expire."""
    keyed = build.table(keys=facts.KEYS.of(build.key("state")))
    expiring = replace(keyed, ttl=replace(keyed.ttl, enabled=facts.TTL_ENABLED.of(True)))
    session = replace(keyed, declared=facts.declared_by(facts.TAGS.of({"purpose": "session"})))
    assert [hot_partition_key.check(each).truth for each in (keyed, expiring, session)] == [False, True, True]
    of_country = replace(expiring, keys=facts.KEYS.of(build.key("country_state")))
    assert hot_partition_key.check(of_country).truth is False
