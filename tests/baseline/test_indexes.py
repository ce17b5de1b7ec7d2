"""Index policies: what is hot, what is too much, and what another index already serves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from support import tables as build
from tablegate.model import facts
from tablegate.model.table import Index, KeyPart, Role
from tablegate.model.value import Value, Verdict
from tablegate_baseline.indexes import hot_index_key, index_count, index_projection, local_index, redundant_index

ALL = facts.PROJECTION.of("ALL")


def hashes(*names: str) -> Value[tuple[KeyPart, ...]]:
    """A partition key of these attributes."""
    return facts.KEYS.of(tuple(KeyPart(attribute=name, role=Role.HASH) for name in names))


def include(*names: str) -> dict[str, Any]:
    """A projection of these attributes."""
    return {"projection": facts.PROJECTION.of("INCLUDE"), "projected": facts.PROJECTED.of(names)}


def redundant(index: Index, *others: Index, **stated: Any) -> Verdict:
    """The verdict on an index of a table on `id` and `at`, among these others."""
    made = (index, *others)
    base = {
        "keys": facts.KEYS.of(build.key("id", "at")),
        "indexes": facts.INDEXES.of(tuple(one for one in made if not one.local)),
        "local_indexes": facts.LOCAL_INDEXES.of(tuple(one for one in made if one.local)),
    }
    build.table(**(base | stated))
    return redundant_index.check(index)


def test_the_parts_of_a_key_are_taken_together() -> None:
    """One part that spreads the traffic is enough."""
    assert hot_index_key.check(replace(build.index("x"), keys=hashes("country", "customer"))).truth is True
    verdict = hot_index_key.check(replace(build.index("x"), keys=hashes("country", "day")))
    assert verdict.note == "index x: partition key 'country', 'day' probably follows the time, and is not sharded"


def test_a_hot_key_is_asked_of_global_indexes_whose_key_is_known() -> None:
    """A local index has its table's key; one without a partition key is another policy's business."""
    assert hot_index_key.check(build.index("x", local=True)).applies is False
    assert hot_index_key.check(build.index("x", keys=facts.KEYS.doubted(build.DOUBT))).truth is None
    assert hot_index_key.check(build.index("x", keys=facts.KEYS.unset)).applies is False


@pytest.mark.parametrize(
    ("count", "truth", "severity"), [(5, True, None), (6, False, None), (20, False, None), (21, False, "high")]
)
def test_more_indexes_than_the_quota_weigh_more(count: int, truth: bool, severity: str | None) -> None:
    """Beyond 20 the deploy fails in most accounts."""
    indexes = facts.INDEXES.of(tuple(build.index(f"i{n}") for n in range(count)))
    verdict = index_count.check(build.table(indexes=indexes))
    assert (truth, severity) == (verdict.truth, verdict.severity)


def test_indexes_that_are_not_known_are_not_counted() -> None:
    """No number is guessed."""
    assert index_count.check(build.table(indexes=facts.INDEXES.doubted(build.DOUBT))).truth is None


@pytest.mark.parametrize(
    ("projection", "expected"), [(ALL, False), (facts.PROJECTION.of("INCLUDE"), True), (build.doubted(ALL), None)]
)
def test_projecting_everything_fails(projection: Value[str], expected: bool | None) -> None:
    """Of global and local indexes alike."""
    for local in (False, True):
        assert expected is index_projection.check(build.index("x", local=local, projection=projection)).truth


@pytest.mark.parametrize(
    ("index", "others"),
    [
        (build.index("x", "id", "at"), ()),
        (build.index("x", "id"), ()),
        (build.index("x", "id", "at", local=True), ()),
        (build.index("x", "a"), (build.index("y", "a", "b"),)),
        (build.index("x", "a", projection=ALL), (build.index("y", "a", "b", projection=ALL),)),
        (build.index("x", "a", **include("n")), (build.index("y", "a", "b", **include("n", "m")),)),
        (build.index("x", "a", **include("b", "at")), (build.index("y", "a", "b"),)),
        (build.index("x", "a", **include("n")), (build.index("w", "a", projection=ALL),)),
        (build.index("x", "a"), (build.index("w", "a"),)),
        (build.index("x", "a"), (build.index("y", "a", **include("n")),)),
        (build.index("x", "id", "b"), (build.index("y", "id", "b", local=True),)),
        (build.index("x", "id", "b", local=True), (build.index("w", "id", "b", local=True),)),
        (build.index("x", "a", projection=build.doubted(ALL)), (build.index("y", "a", "b", projection=ALL),)),
    ],
)
def test_what_something_else_serves_is_redundant(index: Index, others: tuple[Index, ...]) -> None:
    """The table's own key, or a key that begins alike with a projection that covers."""
    assert redundant(index, *others).truth is False


@pytest.mark.parametrize(
    ("index", "others"),
    [
        (build.index("x", "at", "id"), ()),
        (build.index("x", "id", "b"), ()),
        (build.index("x", "a", projection=ALL), (build.index("y", "a", "b"),)),
        (build.index("x", "a", **include("n")), (build.index("y", "a", "b", **include("m")),)),
        (build.index("x", "a", **include("n")), (build.index("y", "a", "b"),)),
        (build.index("x", "a", "b"), (build.index("y", "a"), build.index("z", "a", "c"))),
        (build.index("x", "a"), (build.index("y", "a"),)),
        (build.index("x", "a"), (build.index("x", "a"),)),
        (build.index("x", "id", "b", local=True), (build.index("y", "id", "b", projection=ALL),)),
        (build.index("x", "a"), (build.index("y", keys=hashes("a", "b")),)),
    ],
)
def test_what_nothing_else_serves_is_not(index: Index, others: tuple[Index, ...]) -> None:
    """Of two alike the first by name stays, and no global index stands in for strong reads."""
    assert redundant(index, *others).truth is True


@pytest.mark.parametrize(
    ("index", "others", "stated"),
    [
        (build.index("x", keys=facts.KEYS.doubted(build.DOUBT)), (), {}),
        (build.index("x", "a"), (), {"keys": facts.KEYS.doubted(build.DOUBT)}),
        (build.index("x", "a"), (build.index("y", keys=facts.KEYS.doubted(build.DOUBT)),), {}),
        (build.index("x", "a", projection=ALL), (build.index("y", "a", "b", projection=build.doubted(ALL)),), {}),
        (build.index("x", "a"), (), {"local_indexes": facts.LOCAL_INDEXES.doubted(build.DOUBT)}),
    ],
)
def test_what_is_not_known_may_serve_it(index: Index, others: tuple[Index, ...], stated: dict[str, Any]) -> None:
    """A doubt that matters stays one."""
    assert redundant(index, *others, **stated).truth is None


def test_the_message_names_both_indexes() -> None:
    """The reader knows which one may go."""
    assert (
        redundant(build.index("x", "a"), build.index("y", "a", "b")).note
        == "index y serves every query that index x does"
    )


def test_a_local_index_is_for_ever() -> None:
    """It names the index; a global one holds."""
    verdict = local_index.check(build.index("by-total", local=True))
    assert verdict.note == "local index by-total can never be removed, and limits each item collection to 10 GB"
    assert local_index.check(build.index("x")).truth is True
