"""Streams: global tables, filters and forgotten streams."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from support import tables as build
from support.policies import outcome
from tablegate.model import facts
from tablegate.model.table import Consumer, Stream, StreamDestination, Table, TableKind
from tablegate.model.value import Doubt, Place, Value, Verdict
from tablegate_baseline.streams import stream_destination_encryption, stream_failures, stream_view

REPLICAS = facts.REPLICAS.of((build.replica(),))


def stream(view: str | None = None, *images: str) -> Stream:
    """A stream with this view, and a reader that filters on these images where some are named."""
    reader = Consumer(address="reader", place=None, images=frozenset(images), failures=facts.TRIES_AGAIN)
    return Stream(
        enabled=facts.STREAM_ENABLED.of(True) if view else facts.STREAM_ENABLED.unset,
        view=facts.STREAM_VIEW.of(view) if view else facts.STREAM_VIEW.unset,
        policy=facts.STREAM_POLICY.unset,
        consumers=(reader,) if images else (),
    )


def judged(made: Table, *, manages: bool = False) -> Verdict:
    """The verdict on a table in an input that manages consumers, or not."""
    build.estate(made, manages_consumers=manages)
    return stream_view.check(made)


@pytest.mark.parametrize(
    ("view", "images", "expected"),
    [
        ("KEYS_ONLY", ["NEW_IMAGE"], False),
        ("NEW_IMAGE", ["NEW_IMAGE"], True),
        ("NEW_IMAGE", ["OLD_IMAGE"], False),
        ("OLD_IMAGE", ["NEW_IMAGE", "OLD_IMAGE"], False),
        ("NEW_AND_OLD_IMAGES", ["NEW_IMAGE", "OLD_IMAGE"], True),
    ],
)
def test_a_filter_needs_the_image_it_looks_into(view: str, images: list[str], expected: bool) -> None:
    """A filter on an image that never comes passes no record."""
    assert expected is judged(build.table(stream=stream(view, *images)), manages=True).truth


def test_a_reader_of_a_stream_that_is_off_gets_nothing() -> None:
    """A table without a stream may have readers all the same."""
    made = build.table(stream=replace(stream("KEYS_ONLY", "NEW_IMAGE"), enabled=facts.STREAM_ENABLED.unset))
    assert judged(made).note == "reader filters on NEW_IMAGE, but the stream is off"


def test_the_message_names_the_reader() -> None:
    """And what it misses."""
    verdict = judged(build.table(stream=stream("KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE")))
    assert verdict.note == "reader filters on NEW_IMAGE and OLD_IMAGE, but the stream is KEYS_ONLY"


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({"replicas": REPLICAS, "stream": stream("NEW_IMAGE")}, "NEW_IMAGE"),
        ({"replicas": REPLICAS}, "off"),
        ({"kind": TableKind.GLOBAL}, "off"),
    ],
)
def test_replication_needs_both_images(stated: dict[str, Any], expected: str) -> None:
    """However the table comes to be global."""
    note = f"the stream of a global table must be NEW_AND_OLD_IMAGES for replication, but is {expected}"
    assert note == judged(build.table(**stated)).note


@pytest.mark.parametrize(
    "stated",
    [
        {"replicas": REPLICAS, "stream": stream("NEW_AND_OLD_IMAGES")},
        {"replicas": REPLICAS, "consistency": facts.CONSISTENCY.of("STRONG")},
        {},
    ],
)
def test_what_replicates_otherwise_or_not_at_all_holds(stated: dict[str, Any]) -> None:
    """Strong consistency needs no stream."""
    assert judged(build.table(**stated)).truth is True


def test_a_stream_that_nobody_reads_weighs_little() -> None:
    """It is told where the input manages readers, and replication is a reader."""
    made = build.table(stream=stream("NEW_IMAGE"))
    assert judged(made).truth is True
    verdict = judged(made, manages=True)
    assert (verdict.note, verdict.severity) == ("nothing in this input reads the stream", "low")
    assert judged(build.table(replicas=REPLICAS, stream=stream("NEW_AND_OLD_IMAGES")), manages=True).truth is True
    assert judged(build.table(), manages=True).truth is True


def test_a_graver_failure_keeps_its_weight() -> None:
    """A filter that passes nothing is not low because of what else is wrong."""
    made = build.table(kind=TableKind.GLOBAL, stream=stream("KEYS_ONLY"))
    assert judged(made, manages=True).severity is None


def test_a_reader_that_may_be_anothers_is_a_doubt() -> None:
    """What it misses, and whether there is a reader at all, is not known; a view that suits any reader is."""
    reader = replace(stream("KEYS_ONLY", "NEW_IMAGE").consumers[0], doubt=build.DOUBT)
    for view, images in (("KEYS_ONLY", {"NEW_IMAGE"}), ("NEW_IMAGE", {"NEW_IMAGE"}), ("KEYS_ONLY", set())):
        made = build.table(
            stream=replace(stream(view), consumers=(replace(reader, images=frozenset(images)),)),
        )
        assert judged(made, manages=True).truth is None
        expected = None if view == "KEYS_ONLY" and images else True
        assert expected is judged(made).truth


@pytest.mark.parametrize(
    "stated",
    [
        {"replicas": facts.REPLICAS.doubted(build.DOUBT)},
        {"replicas": REPLICAS, "consistency": facts.CONSISTENCY.doubted(build.DOUBT)},
        {
            "stream": Stream(
                enabled=facts.STREAM_ENABLED.of(True),
                view=facts.STREAM_VIEW.doubted(build.DOUBT),
                policy=facts.STREAM_POLICY.unset,
                consumers=stream("KEYS_ONLY", "NEW_IMAGE").consumers,
            )
        },
    ],
)
def test_what_is_not_known_may_lack_an_image(stated: dict[str, Any]) -> None:
    """Neither view nor replicas are guessed."""
    assert judged(build.table(**stated)).truth is None


def destination(encrypted: Value[bool] | None, address: str | None = "aws_kinesis_stream.changes") -> StreamDestination:
    """A Kinesis stream; None where it is not in this input."""
    return StreamDestination(stream=facts.DESTINATION.of("changes"), encrypted=encrypted, address=address)


ON, OFF = facts.DESTINATION_ENCRYPTED.of(True), facts.DESTINATION_ENCRYPTED.unset


@pytest.mark.parametrize(
    ("destinations", "expected"),
    [
        ((), "exempt"),
        ((destination(None),), "exempt"),
        ((destination(ON),), "holds"),
        ((destination(None), destination(OFF)), "fails"),
        ((destination(ON), destination(OFF)), "fails"),
        ((destination(build.doubted(OFF)), destination(ON)), "unknown"),
    ],
)
def test_streams_of_this_input_must_be_under_kms(destinations: tuple[StreamDestination, ...], expected: str) -> None:
    """A stream of somebody else's cannot be judged; of ours, each is."""
    assert expected == outcome(stream_destination_encryption.check(build.table(destinations=destinations)))


def test_a_replica_s_stream_receives_the_table_s_changes_too() -> None:
    """A copy of the changes in another region is a copy."""
    one = build.replica("eu-west-1", destinations=(destination(OFF, address=None),))
    verdict = stream_destination_encryption.check(build.table(replicas=facts.REPLICAS.of((one,))))
    assert (verdict.truth, verdict.note) == (False, "changes stores the table's changes without KMS encryption")


def test_replicas_that_cannot_be_listed_may_have_streams() -> None:
    """Not knowing the replicas is not knowing their streams."""
    unlisted = build.table(replicas=build.doubted(facts.REPLICAS.unset))
    assert outcome(stream_destination_encryption.check(unlisted)) == "unknown"


UNKNOWN_BOUND = facts.MAX_AGE.doubted(build.DOUBT)
SENT = facts.FAILURE_DESTINATION.of(True)
UNKNOWN_SENT = facts.FAILURE_DESTINATION.doubted(build.DOUBT)
BOUND = facts.MAX_ATTEMPTS.of(0)
STREAMS = facts.STREAM_ENABLED.of(True)


def reader(doubt: Doubt | None = None, **handled: Value[Any]) -> Consumer:
    """A reader that treats records which it cannot process like this."""
    failures = replace(facts.TRIES_AGAIN, **handled)
    return Consumer(address="reader", place=Place("f", 9), failures=failures, doubt=doubt)


def read_by(*readers: Consumer, enabled: Value[bool] = STREAMS) -> Verdict:
    """The verdict on a table whose stream has these readers."""
    made = build.table(stream=replace(stream("NEW_IMAGE"), enabled=enabled, consumers=readers))
    return stream_failures.check(made)


@pytest.mark.parametrize(
    ("handled", "expected"),
    [
        ({}, ("fails", None)),
        ({"attempts": BOUND}, ("fails", "low")),
        ({"age": facts.MAX_AGE.of(60)}, ("fails", "low")),
        ({"destination": SENT}, ("holds", None)),
        ({"destination": SENT, "age": UNKNOWN_BOUND}, ("holds", None)),
        ({"age": UNKNOWN_BOUND}, ("unknown", None)),
        ({"age": UNKNOWN_BOUND, "attempts": BOUND}, ("fails", "low")),
        ({"destination": UNKNOWN_SENT}, ("unknown", None)),
        ({"destination": UNKNOWN_SENT, "attempts": BOUND}, ("unknown", "low")),
    ],
)
def test_a_reader_needs_a_destination_and_a_bound_weighs_less(
    handled: dict[str, Any], expected: tuple[str, str | None]
) -> None:
    """Without a bound one record holds up its shard; with one it is dropped."""
    verdict = read_by(reader(**handled))
    assert (outcome(verdict), verdict.severity) == expected


def test_a_reader_that_may_be_anothers_is_a_doubt_about_failures() -> None:
    """It weighs what it would weigh if it were ours, and one that sends records on is none."""
    for handled, expected in (
        ({}, ("unknown", None)),
        ({"attempts": BOUND}, ("unknown", "low")),
        ({"destination": SENT}, ("holds", None)),
    ):
        verdict = read_by(reader(doubt=build.DOUBT, **handled))
        assert (outcome(verdict), verdict.severity) == expected


def test_the_gravest_reader_decides() -> None:
    """A reader that drops records does not hide one that stops, or that may stop."""
    drops = reader(attempts=BOUND)
    assert read_by(drops, reader()).severity is None
    assert outcome(read_by(drops, reader(age=UNKNOWN_BOUND))) == "unknown"
    assert read_by(drops, drops, reader(destination=SENT)).severity == "low"


def test_the_place_is_the_readers() -> None:
    """The table is right."""
    assert [value.place for value in read_by(reader()).evidence] == [Place("f", 9)]


def test_nothing_reads_a_stream_that_is_off() -> None:
    """It is judged where it may be on."""
    off, unknown = facts.STREAM_ENABLED.unset, facts.STREAM_ENABLED.doubted(build.DOUBT)
    assert outcome(read_by()) == "exempt"
    assert outcome(read_by(reader(), enabled=off)) == "exempt"
    assert outcome(read_by(reader(), enabled=unknown)) == "unknown"


def test_readers_of_a_kinesis_stream_with_the_changes_count() -> None:
    """Their shards are held up as well."""
    into = replace(destination(ON), consumers=(reader(),))
    assert outcome(stream_failures.check(build.table(destinations=(into,)))) == "fails"
