"""Which table a resource names; tags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Generic, TypeVar

from tablegate.dialects.terraform.block import MISSHAPEN
from tablegate.dialects.terraform.references import Reference
from tablegate.dialects.terraform.regions import Regions
from tablegate.dialects.terraform.resources import Resource, Snapshot, doubt_about
from tablegate.dialects.terraform.schema import TABLE_TYPES
from tablegate.model import facts
from tablegate.model.record import record, replace
from tablegate.model.value import Doubt, Value

T = TypeVar("T")

_ARN = re.compile(r"arn:[^:]*:dynamodb:([^:]*):[^:]*:table/([^/]+)(?:/(.*))?")
# Resources that stand for a table: what they have it from.
_FOR_A_TABLE = {
    "aws_appautoscaling_target": "resource_id",
    "aws_dynamodb_contributor_insights": "table_name",
    "aws_dynamodb_global_secondary_index": "table_name",
    "aws_dynamodb_kinesis_streaming_destination": "table_name",
    "aws_dynamodb_table_replica": "global_table_arn",
}
_STREAMS = frozenset({"stream_arn", "stream_label"})


@record(kw_only=False)
class TableName:
    """A table as a text names it: with a region, and what follows the name, where it is an ARN."""

    name: str
    region: str | None = None
    rest: str = ""


@record(kw_only=False)
class TableMatch:
    """The tables that are meant. With a doubt only one of them, or without any at all perhaps one of all."""

    tables: tuple[Resource, ...] = ()
    doubt: Doubt | None = None
    region: str | None = None  # another region than the table's own: a replica is meant
    stream: bool = False
    rest: str = ""

    @property
    def table(self) -> Resource | None:
        """The one table that is meant for certain."""
        return self.tables[0] if self.doubt is None and len(self.tables) == 1 else None


class TableFinder:
    """Finds the tables of a world."""

    def __init__(self, world: Snapshot, regions: Regions) -> None:
        self._world = world
        self._regions = regions
        self.tables = world.of(*TABLE_TYPES)
        self._named: dict[str, list[Resource]] = {}
        for table in self.tables:
            name = table_name(table)
            if name:
                self._named.setdefault(name, []).append(table)

    def of(self, resource: Resource, key: str) -> TableMatch:
        """The table that an argument leads to."""
        text = resource.known_text(key)
        if text is not None:
            return self.by_text(text, resource)
        if not resource.block.is_unknown(key):
            return TableMatch()
        return self.by_mentions(resource.references(key), resource)

    def by_text(self, text: str, resource: Resource) -> TableMatch:
        """The table of a name, an ARN or an autoscaling id. One in another region is that table's replica there."""
        named = parsed(text)
        found = self._named.get(named.name, [])
        region = named.region or self._regions.name(resource)
        there = [table for table in found if self._regions.name(table) in (region, None)] if region else found
        if len(there) > 1:
            there = [table for table in there if table.provider == resource.provider] or there
        stream = named.rest.startswith("stream/")
        if there:
            return TableMatch(tuple(there), None, None, stream, named.rest)
        return TableMatch(tuple(found[:1]), None, region, stream, named.rest)

    def by_mentions(self, mentions: Iterable[Reference], resource: Resource) -> TableMatch:
        """The table among what an expression reads."""
        mentions = tuple(mentions)
        links = [self._matched(mention) for mention in mentions]
        tables = tuple({table.address: table for link in links for table in link.tables}.values())
        if len(tables) > 1 and resource.resource_change.key is not None:
            tables = tuple(one for one in tables if one.resource_change.key == resource.resource_change.key) or tables
        if len(tables) == 1:
            link = next(link for link in links if tables[0] in link.tables)
            return TableMatch(tables, link.doubt if len(link.tables) == 1 else None, link.region, link.stream)
        unknown = [one for one in mentions if not self._world.is_known(one)]
        return TableMatch(tables, doubt_about(unknown)) if tables or unknown else TableMatch()

    def _matched(self, mention: Reference) -> TableMatch:
        resources = [found for one in mention.targets if (found := self._world.at(one)) is not None]
        if mention.data is not None:
            return TableMatch()
        if mention.type in TABLE_TYPES:
            return TableMatch(tuple(resources), stream=mention.attribute in _STREAMS)
        source = _FOR_A_TABLE.get(mention.type)
        if source is None or len(resources) != 1:
            return TableMatch()
        link = self.of(resources[0], source)
        region = self._regions.name(resources[0]) if mention.type == "aws_dynamodb_table_replica" else link.region
        return replace(link, region=region, stream=mention.attribute in _STREAMS)


class ByTable(Generic[T]):
    """What other resources say of tables, by table."""

    def __init__(self) -> None:
        self._matches: dict[str, list[tuple[TableMatch, T]]] = {}
        self._doubts: dict[str, Doubt] = {}
        self._anywhere: Doubt | None = None

    def add(self, link: TableMatch, content: T) -> None:
        """One more, at each table that it may be about."""
        table = link.table
        if table is not None:
            self._matches.setdefault(table.address, []).append((link, content))
        elif link.doubt is None:
            for each in link.tables:
                self._matches.setdefault(each.address, []).append((link, content))
        elif link.tables:
            for each in link.tables:
                self._doubts.setdefault(each.address, link.doubt)
        else:
            self._anywhere = self._anywhere or link.doubt

    def of(self, table: Resource, region: str | None = None) -> list[T]:
        """What is said of a table, or of its replica in a region."""
        found = self._matches.get(table.address)
        return [content for link, content in found if link.region == region] if found else []

    def matches(self, table: Resource) -> list[tuple[TableMatch, T]]:
        """All that is said of a table, in whatever region."""
        return self._matches.get(table.address, [])

    def doubt(self, table: Resource) -> Doubt | None:
        """Why more may be said of a table than was found."""
        return self._doubts.get(table.address) or self._anywhere


def table_name(table: Resource) -> str | None:
    """A table's name, where it is known."""
    return (
        table.known_text("name")
        if table.resource_change.type == "aws_dynamodb_table"
        else table.known_text("table_name")
    )


def parsed(text: str) -> TableName:
    """The table's name in a name, an ARN, or an id of application autoscaling."""
    arn = _ARN.fullmatch(text)
    if arn:
        return TableName(arn[2], arn[1] or None, arn[3] or "")
    if text.startswith("table/"):
        _, name, *rest = text.split("/", 2)
        return TableName(name, None, "".join(rest))
    return TableName(text)


Tags = Value[Mapping[str, str | None]]


class TableTags:
    """Tags of tables and of replicas."""

    def __init__(self, world: Snapshot, links: TableFinder, regions: Regions) -> None:
        self._regions = regions
        self._joined: ByTable[Resource] = ByTable()
        for one in world.of("aws_dynamodb_tag"):
            self._joined.add(links.of(one, "resource_arn"), one)

    def of(self, table: Resource) -> Tags:
        """A table's tags."""
        return self.added(self.own(table), table)

    def added(self, own: Tags, table: Resource) -> Tags:
        """A table's tags with those that other resources put on it."""
        return self._with_others(own, table, None)

    def of_replica(self, own: Tags, table: Resource, region: str | None) -> Tags:
        """A replica's tags, with those that are put on it there."""
        return own if region is None else self._with_others(own, table, region)

    def own(self, resource: Resource) -> Tags:
        """What a resource and its provider say: together where the provider has merged them."""
        root = resource.block
        merged = root.content.get("tags_all")
        if isinstance(merged, dict):
            return _tags(resource, "tags_all", merged)
        if merged is not None:
            root.report_shape("tags_all", "an object")
            return facts.TAGS.doubted(MISSHAPEN, root.place("tags_all"))
        tags = root.content.get("tags")
        doubt = root.doubt("tags")
        if doubt is not None:
            return facts.TAGS.doubted(doubt, root.place("tags"))
        if tags is not None and not isinstance(tags, dict):
            root.report_shape("tags", "an object")
            return facts.TAGS.doubted(MISSHAPEN, root.place("tags"))
        if not root.is_unknown("tags_all"):
            return _tags(resource, "tags", tags) if tags else facts.TAGS.unset
        # Without any tags the provider leaves tags_all for later; its default tags tell what it will be.
        defaults = self._regions.default_tags(resource)
        if defaults is None:
            later = root.doubt("tags_all")
            return facts.TAGS.doubted(later or MISSHAPEN, root.place("tags_all"))
        together = {**defaults, **(tags or {})}
        return _tags(resource, "tags", together) if together else facts.TAGS.unset

    def _with_others(self, own: Tags, table: Resource, region: str | None) -> Tags:
        others = self._joined.of(table, region)
        if not others or not own.known:
            return own
        added = {key: one.known_text("value") for one in others if (key := one.known_text("key")) is not None}
        return facts.TAGS.of(
            {**(own.content or {}), **added}, own.place or others[0].reference_place, sensitive=own.sensitive
        )


def _tags(resource: Resource, key: str, content: Mapping[str, object]) -> Tags:
    tags = {name: text if isinstance(text, str) else None for name, text in content.items()}
    marked = resource.block.is_sensitive(key) or resource.block.is_sensitive("tags")
    return facts.TAGS.of(tags, resource.block.place(key), sensitive=marked)
