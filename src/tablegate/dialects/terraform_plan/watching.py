"""What watches a table: Contributor Insights and CloudWatch alarms."""

from __future__ import annotations

from tablegate.dialects.terraform_plan.blocks import Block
from tablegate.dialects.terraform_plan.links import Joined, Link, Links
from tablegate.dialects.terraform_plan.worlds import Resource, World
from tablegate.model import facts
from tablegate.model.table import Alarm
from tablegate.model.value import Doubt, Value

_NAMESPACE = "AWS/DynamoDB"


class Insights:
    """Contributor Insights of tables and of their indexes."""

    def __init__(self, world: World, links: Links) -> None:
        self._joined: Joined[Resource] = Joined()
        for one in world.of("aws_dynamodb_contributor_insights"):
            self._joined.add(links.of(one, "table_name"), one)

    def of(self, table: Resource, index: str | None = None, region: str | None = None) -> Value[bool]:
        """Whether they are on for a table, for one of its indexes, or for a replica."""
        doubt = self._joined.doubt(table)
        for one in self._joined.of(table, region):
            some_index = one.root.doubt("index_name", computed=True) if one.root.is_unknown("index_name") else None
            doubt = doubt or some_index
            if some_index is None and one.known("index_name") == index:
                return facts.INSIGHTS.of(True, one.place)
        return facts.INSIGHTS.unset if doubt is None else facts.INSIGHTS.doubted(doubt)


class Alarms:
    """CloudWatch alarms on the metrics of tables."""

    def __init__(self, world: World, links: Links) -> None:
        self._links = links
        self._joined: Joined[Alarm] = Joined()
        alarms = world.of("aws_cloudwatch_metric_alarm")
        self.any = bool(alarms)
        for alarm in alarms:
            self._read(alarm, alarm.root)
            queries = alarm.root.many("metric_query")
            for query in () if isinstance(queries, Doubt) else queries:
                metric = query.one("metric") if isinstance(query, Block) else None
                if isinstance(metric, Block):
                    self._read(alarm, metric)
                elif isinstance(query, Block):
                    self._read_expression(alarm, query)

    def of(self, table: Resource) -> tuple[tuple[Alarm, ...], Doubt | None]:
        """A table's alarms, and why there may be more."""
        found = sorted(self._joined.of(table), key=lambda one: (one.address, one.metric, one.index or ""))
        return tuple(found), self._joined.doubt(table)

    def _read(self, alarm: Resource, metric: Block) -> None:
        if metric.content.get("namespace") != _NAMESPACE:
            return
        name = metric.content.get("metric_name")
        dimensions = metric.content.get("dimensions")
        if isinstance(dimensions, dict):
            table, index = dimensions.get("TableName"), dimensions.get("GlobalSecondaryIndexName")
            if isinstance(table, str):
                watched = Alarm(
                    address=alarm.address, metric=str(name), index=index if isinstance(index, str) else None
                )
                self._joined.add(self._links.by_text(table, alarm), watched)
        elif metric.is_unknown("dimensions"):
            mentions = alarm.world.tracer.trace(metric.expression("dimensions"), alarm.scope)
            self._joined.add(self._links.by_mentions(mentions, alarm), Alarm(address=alarm.address, metric=str(name)))

    def _read_expression(self, alarm: Resource, query: Block) -> None:
        """A metrics query may watch any table: plan JSON holds it, but it is another language."""
        text = query.content.get("expression")
        if isinstance(text, str) and _NAMESPACE in text:
            doubt = Doubt(
                f"{alarm.address} watches what a metrics expression selects", "an alarm on the table's metric"
            )
            self._joined.add(Link((), doubt), Alarm(address=alarm.address, metric="expression"))
