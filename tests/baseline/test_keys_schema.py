"""The key schema: every disagreement and every limit, and what a doubt leaves open."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from support import tables as build
from tablegate.model import facts
from tablegate.model.table import Index, KeyPart, Role, Table, VectorIndex
from tablegate.model.value import Value, Verdict
from tablegate_baseline.definitions import key_schema

ATTRIBUTES = {"id": "S", "at": "S"}


def table(
    *made: Index, local: tuple[Index, ...] = (), attributes: dict[str, str] | None = None, **stated: Any
) -> Table:
    """A table on `id` and `at`, with these indexes."""
    base = {
        "keys": facts.KEYS.of(build.key("id", "at")),
        "attributes": facts.ATTRIBUTES.of(ATTRIBUTES if attributes is None else attributes),
        "indexes": facts.INDEXES.of(made),
        "local_indexes": facts.LOCAL_INDEXES.of(local),
    }
    return build.table(**(base | stated))


def said(made: Table) -> Verdict:
    """The verdict on a table."""
    return key_schema.check(made)


def local(name: str, range_key: str, hash_key: str = "id") -> Index:
    """A local index."""
    return build.index(name, hash_key, range_key, local=True)


def key(hashes: int, ranges: int) -> Value[tuple[KeyPart, ...]]:
    """A key of so many parts."""
    parts = [KeyPart(attribute=f"h{n}", role=Role.HASH) for n in range(hashes)]
    return facts.KEYS.of((*parts, *(KeyPart(attribute=f"r{n}", role=Role.RANGE) for n in range(ranges))))


def defined(hashes: int, ranges: int) -> dict[str, str]:
    """The definitions that go with it."""
    return ATTRIBUTES | {f"h{n}": "S" for n in range(hashes)} | {f"r{n}": "S" for n in range(ranges)}


def test_a_table_whose_keys_agree_holds() -> None:
    """Keys, indexes and definitions name the same attributes."""
    made = table(build.index("by-at", "at"), local=(local("own", "x"),), attributes=ATTRIBUTES | {"x": "N"})
    assert said(made).truth is True


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (table(attributes={"id": "S"}), "attribute at is in the key of the table, but is not defined"),
        (table(build.index("by-x", "x")), "attribute x is in the key of index by-x, but is not defined"),
        (table(attributes=ATTRIBUTES | {"x": "S", "y": "S"}), "attribute x, y is defined, but no key uses it"),
        (table(attributes={"id": "S", "at": "M"}), "attribute at has type M, but a key must be S, N or B"),
        (
            table(keys=facts.KEYS.of(build.key("id")), local=(local("own", "at"),)),
            "local index own needs a table with a sort key",
        ),
        (
            table(local=(local("own", "id", "at"),)),
            "local index own has partition key at, but its table has id",
        ),
        (
            table(local=(build.index("own", "id", local=True),)),
            "local index own has 0 sort keys: it must have exactly 1",
        ),
        (
            table(keys=key(2, 0), attributes={"h0": "S", "h1": "S"}),
            "the table has 2 partition keys and 0 sort keys: it must have 1, and at most 1",
        ),
        (
            table(keys=facts.KEYS.unset, attributes={}),
            "the table has 0 partition keys and 0 sort keys: it must have 1, and at most 1",
        ),
        (
            table(replace(build.index("odd"), keys=key(5, 0)), attributes=defined(5, 0)),
            "index odd has 5 partition and 0 sort key parts: it must have 1 to 4, and at most 4",
        ),
        (
            table(replace(build.index("odd"), keys=key(0, 5)), attributes=defined(0, 5)),
            "index odd has 0 partition and 5 sort key parts: it must have 1 to 4, and at most 4",
        ),
        (
            table(build.index("odd", "at", projection=facts.PROJECTION.of("INCLUDE"))),
            "index odd projects INCLUDE, but names no attributes",
        ),
        (
            table(build.index("odd", "at", projected=facts.PROJECTED.of(("a",)))),
            "index odd projects KEYS_ONLY, but names attributes",
        ),
        (
            table(
                build.index("odd", "at", projection=facts.PROJECTION.of("ALL"), projected=facts.PROJECTED.of(("a",)))
            ),
            "index odd projects ALL, but names attributes",
        ),
        (table(build.index("odd", "at"), build.index("odd", "id")), "2 indexes are named odd"),
        (table(build.index("own", "at"), local=(local("own", "at"),)), "2 indexes are named own"),
        (
            table(local=tuple(local(f"own{n}", "at") for n in range(6))),
            "the table has 6 local indexes: the limit is 5",
        ),
    ],
)
def test_each_disagreement_is_named(made: Table, expected: str) -> None:
    """The service would refuse the table for exactly this."""
    assert said(made).truth is False
    assert expected == said(made).note


def included(count: int, name: str) -> Index:
    """An index that projects so many attributes."""
    attributes = tuple(f"{name}{n}" for n in range(count))
    return build.index(name, "at", projection=facts.PROJECTION.of("INCLUDE"), projected=facts.PROJECTED.of(attributes))


def test_projected_attributes_count_over_all_indexes() -> None:
    """100 are possible, 101 are not."""
    full = [included(20, f"full{n}") for n in range(5)]
    assert said(table(*full)).truth is True
    verdict = said(table(*full, included(1, "one")))
    assert verdict.note == "the indexes project 101 attributes: the limit is 100"


def test_five_local_indexes_are_possible() -> None:
    """The limit itself holds."""
    assert said(table(local=tuple(local(f"own{n}", "at") for n in range(5)))).truth is True


def test_the_names_of_twins_are_the_evidence() -> None:
    """And no other name is."""
    twins = said(table(build.index("odd", "at"), build.index("odd", "id"), build.index("even", "id"))).evidence
    assert [value.content for value in twins] == ["odd", "odd"]


def test_four_and_four_key_parts_are_possible() -> None:
    """The limit itself holds."""
    assert said(table(replace(build.index("odd"), keys=key(4, 4)), attributes=defined(4, 4))).truth is True


def test_a_vector_index_may_use_what_no_key_uses() -> None:
    """Its search schema is defined beside the keys; an unknown one may be there."""
    attributes = ATTRIBUTES | {"x": "S"}
    vector = VectorIndex(
        name=facts.INDEX_NAME.of("vec"),
        attribute=facts.VECTOR_ATTRIBUTE.of("e"),
        dimensions=facts.VECTOR_DIMENSIONS.of(8),
        distance=facts.VECTOR_DISTANCE.of("COSINE"),
    )
    assert said(table(attributes=attributes, vector_indexes=facts.VECTOR_INDEXES.of((vector,)))).truth is True
    assert said(table(attributes=attributes, vector_indexes=facts.VECTOR_INDEXES.doubted(build.DOUBT))).truth is None
    twin = said(table(build.index("vec", "at"), vector_indexes=facts.VECTOR_INDEXES.of((vector,))))
    assert twin.note == "2 indexes are named vec"


@pytest.mark.parametrize(
    "stated",
    [
        {"keys": facts.KEYS.doubted(build.DOUBT)},
        {"indexes": facts.INDEXES.doubted(build.DOUBT)},
        {"local_indexes": facts.LOCAL_INDEXES.doubted(build.DOUBT)},
        {"attributes": facts.ATTRIBUTES.doubted(build.DOUBT)},
        {
            "keys": facts.KEYS.doubted(build.DOUBT),
            "local_indexes": facts.LOCAL_INDEXES.of((build.index("own", "id", "at", local=True),)),
        },
        {"indexes": facts.INDEXES.of((build.index("odd", "at", keys=facts.KEYS.doubted(build.DOUBT)),))},
        {"indexes": facts.INDEXES.of((build.index("odd", "at", projection=facts.PROJECTION.doubted(build.DOUBT)),))},
        {"indexes": facts.INDEXES.of((build.index("odd", "at", projected=facts.PROJECTED.doubted(build.DOUBT)),))},
    ],
)
def test_what_is_not_known_may_disagree(stated: dict[str, Any]) -> None:
    """The doubt itself is the evidence."""
    made = replace_values(stated)
    assert said(made).truth is None
    assert {value.doubt for value in said(made).evidence} == {build.DOUBT}


def replace_values(stated: dict[str, Any]) -> Table:
    """A table that agrees but for what is stated."""
    base: dict[str, Any] = {"keys": facts.KEYS.of(build.key("id", "at")), "attributes": facts.ATTRIBUTES.of(ATTRIBUTES)}
    return build.table(**(base | stated))


def test_what_is_wrong_fails_whatever_else_is_not_known() -> None:
    """A doubt excuses nothing."""
    made = table(build.index("odd", "x"), local_indexes=facts.LOCAL_INDEXES.doubted(build.DOUBT))
    assert said(made).note == "attribute x is in the key of index odd, but is not defined"


@pytest.mark.parametrize("source", ["restore_source", "source_table"])
def test_a_key_that_comes_from_another_table_is_not_judged(source: str) -> None:
    """A restored table, or a replica in another account, has the key of its source."""
    for value in (Value(source, "orders-old"), build.doubted(Value(source, "x"))):
        made = build.table(keys=facts.KEYS.unset, attributes=facts.ATTRIBUTES.unset, **{source: value})
        assert said(made).applies is False
