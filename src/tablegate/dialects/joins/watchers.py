"""What watches and reads a table: CloudWatch alarms, and consumers of its stream."""

from __future__ import annotations

from collections.abc import Iterable

from tablegate.dialects.resource import Properties
from tablegate.model import facts
from tablegate.model.record import record, replace
from tablegate.model.table import Alarm, Consumer, FailureHandling
from tablegate.model.value import Doubt, Value

NAMESPACE = "AWS/DynamoDB"
_NO_BOUND = (-1,)
_IMAGES = {"NewImage": "NEW_IMAGE", "OldImage": "OLD_IMAGE"}


def alarms_in_order(alarms: Iterable[Alarm]) -> tuple[Alarm, ...]:
    """A table's alarms, each metric once."""
    return tuple(sorted(set(alarms), key=lambda alarm: (alarm.address, alarm.metric, alarm.index or "")))


def is_of_account(address: str, account: Value[str], own: str | None) -> bool | Doubt:
    """Whether a metric that an alarm reads from an account can be of a table whose account is ``own``."""
    if account.doubt is not None:
        reason = f"{address} watches a metric in an unknown account: {account.doubt.reason}"
        return Doubt(reason, account.doubt.settle, (address, *account.doubt.refs))
    if account.content is None:
        return True
    if own is None:
        return Doubt(f"{address} watches a metric of account {account.content}, which may be another", "--account")
    return account.content == own


def expression_doubt(address: str, expression: str | None) -> Doubt | None:
    """A metrics query is a language of its own: it may select any table."""
    if expression is None or NAMESPACE not in expression:
        return None
    return Doubt(
        f"{address} watches a metric expression, which may include this table", "add an alarm on the table's own metric"
    )


def consumers_in_order(certain: Iterable[Consumer], possible: Iterable[tuple[Consumer, Doubt]]) -> tuple[Consumer, ...]:
    """The consumers of a table's stream, and with a doubt those that may be."""
    consumers = [*certain, *(replace(consumer, doubt=doubt) for consumer, doubt in possible)]
    return tuple(sorted(consumers, key=lambda consumer: (consumer.address, sorted(consumer.images))))


def images_in(patterns: Iterable[str]) -> frozenset[str]:
    """The images of items that the patterns of a filter look into."""
    return frozenset(image for pattern in patterns for key, image in _IMAGES.items() if key in pattern)


@record(kw_only=False)
class FailureKeys:
    """Where a kind of consumer says what it does with records that it cannot process.

    ``destination`` is a path: the mappings around the destination, and its own key.
    """

    within: tuple[str, ...]  # the mappings that hold the settings
    attempts: str
    age: str
    destination: tuple[str, ...]


def failure_handling(consumer: Properties, keys: FailureKeys) -> FailureHandling:
    """What a consumer does with records that it cannot process."""
    settings = _inside(consumer, keys.within)
    if settings is None:
        return facts.TRIES_AGAIN
    if isinstance(settings, Doubt):
        return FailureHandling(
            destination=facts.FAILURE_DESTINATION.doubted(settings),
            attempts=facts.MAX_ATTEMPTS.doubted(settings),
            age=facts.MAX_AGE.doubted(settings),
        )
    return FailureHandling(
        destination=_destination(settings, keys.destination),
        attempts=settings.number(facts.MAX_ATTEMPTS, keys.attempts, none=_NO_BOUND),
        age=settings.number(facts.MAX_AGE, keys.age, none=_NO_BOUND),
    )


def _destination(settings: Properties, path: tuple[str, ...]) -> Value[bool]:
    holder = _inside(settings, path[:-1])
    if holder is None:
        return facts.FAILURE_DESTINATION.unset
    if isinstance(holder, Doubt):
        return facts.FAILURE_DESTINATION.doubted(holder)
    return holder.is_named(facts.FAILURE_DESTINATION, path[-1])


def _inside(holder: Properties, path: tuple[str, ...]) -> Properties | Doubt | None:
    inner: Properties | Doubt | None = holder
    for key in path:
        if inner is None or isinstance(inner, Doubt):
            break
        inner = inner.one(key)
    return inner
