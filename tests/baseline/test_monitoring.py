"""Watching policies: which alarms count, and what a doubt does."""

from __future__ import annotations

import pytest

from support import tables as build
from tablegate.model import facts
from tablegate.model.table import Alarm, Table
from tablegate_baseline.monitoring import capacity_alarms, contributor_insights


def alarmed(metric: str, index: str | None = None) -> Table:
    """A table with one alarm, in an input that manages alarms."""
    table = build.table(alarms=(Alarm(address="aws_cloudwatch_metric_alarm.a", metric=metric, index=index),))
    build.estate(table, manages_alarms=True)
    return table


@pytest.mark.parametrize(
    "metric",
    [
        "ReadThrottleEvents",
        "WriteThrottleEvents",
        "ReadKeyRangeThroughputThrottleEvents",
        "ThrottledRequests",
        "SystemErrors",
        "ConsumedReadCapacityUnits",
        "ConsumedWriteCapacityUnits",
    ],
)
def test_one_alarm_on_one_of_the_metrics_is_enough(metric: str) -> None:
    """Throttling, system errors and consumption all show a table in trouble."""
    assert capacity_alarms.check(alarmed(metric)).truth is True


@pytest.mark.parametrize("metric", ["SuccessfulRequestLatency", "UserErrors", "ThrottledPutRecordCount"])
def test_an_alarm_on_another_metric_does_not_watch_capacity(metric: str) -> None:
    """Latency, the callers' mistakes and the Kinesis destination are other things."""
    assert capacity_alarms.check(alarmed(metric)).truth is False


def test_an_alarm_on_an_index_does_not_watch_the_table() -> None:
    """An index has metrics of its own."""
    assert capacity_alarms.check(alarmed("ReadThrottleEvents", "by-status")).truth is False


def test_an_alarm_that_may_be_this_tables_is_a_doubt() -> None:
    """An alarm that cannot be assigned may watch any table."""
    table = build.table(alarms_doubt=build.DOUBT)
    build.estate(table, manages_alarms=True)
    verdict = capacity_alarms.check(table)
    assert verdict.truth is None
    assert verdict.evidence[0].doubt is build.DOUBT


def test_alarms_are_asked_for_where_the_input_manages_them_or_the_configuration_says_so() -> None:
    """An input without alarms leaves them to another one, unless they are demanded."""
    table = build.table()
    assert capacity_alarms.check(table).applies is False
    assert capacity_alarms.check(table, require="always").truth is False


def test_insights_are_asked_for_of_the_table_and_of_each_global_index() -> None:
    """Local indexes have none of their own."""
    table = build.table(
        indexes=facts.INDEXES.of((build.index("by-status"), build.index("by-day", insights=facts.INSIGHTS.of(True)))),
        local_indexes=facts.LOCAL_INDEXES.of((build.index("by-total", local=True),)),
    )
    assert contributor_insights.check(table).note == "Contributor Insights is off for the table and index by-status"


def test_insights_on_indexes_that_are_not_known_are_a_doubt() -> None:
    """An index that cannot be listed may go without."""
    table = build.table(insights=facts.INSIGHTS.of(True), indexes=build.doubted(facts.INDEXES.unset))
    assert contributor_insights.check(table).truth is None
