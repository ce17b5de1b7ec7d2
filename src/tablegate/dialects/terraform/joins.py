"""Which table a resource is about, and the tags that resources of their own put on tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tablegate.dialects.joins import ByTable, Location, TableMatch, match_name, table_name_in, unknown_region
from tablegate.dialects.terraform.block import MISSHAPEN
from tablegate.dialects.terraform.configuration import tree
from tablegate.dialects.terraform.references import Reference, UnknownValue, may_be_equal
from tablegate.dialects.terraform.regions import Regions
from tablegate.dialects.terraform.resources import Resource, Snapshot, doubt_about
from tablegate.dialects.terraform.schema import TABLE_TYPES
from tablegate.model import facts
from tablegate.model.record import replace
from tablegate.model.value import Doubt, Value

_NAMES_A_TABLE = {
    "aws_appautoscaling_target": "resource_id",
    "aws_dynamodb_contributor_insights": "table_name",
    "aws_dynamodb_global_secondary_index": "table_name",
    "aws_dynamodb_kinesis_streaming_destination": "table_name",
    "aws_dynamodb_table_replica": "global_table_arn",
}
"""Resources that hand on the name or the ARN of their table, and the argument that they take it from."""

_CIRCULAR = Doubt("resources take its name from each other in a cycle")
_STREAM_ATTRIBUTES = frozenset({"stream_arn", "stream_label"})


class TableFinder:
    """Finds the table that an argument of a resource means."""

    def __init__(self, snapshot: Snapshot, regions: Regions) -> None:
        self._snapshot = snapshot
        self._regions = regions
        self.tables = snapshot.of(*TABLE_TYPES)
        self.by_address = {table.address: table for table in self.tables}
        self._asking: set[str] = set()  # resources whose table is looked for
        self._locations: dict[str, Location] = {}
        self._by_name: dict[str, list[Resource]] = {}
        for table in self.tables:
            name = table_name(table) or spelled(table, _name_key(table))
            if name:
                self._by_name.setdefault(name, []).append(table)

    def of(self, resource: Resource, key: str) -> TableMatch:
        """The table that an argument names or refers to."""
        text = resource.known_text(key)
        if text is not None:
            return self.by_text(text, resource)
        if not resource.block.is_unknown(key):
            return TableMatch()
        if resource.address in self._asking:
            return TableMatch((), _CIRCULAR)
        self._asking.add(resource.address)
        try:
            return self.by_expression(resource.block.expression(key), resource)
        finally:
            self._asking.discard(resource.address)

    def by_expression(self, expression: object, resource: Resource) -> TableMatch:
        """The table that an expression means whose value is not known."""
        given = tree(expression).get("given")
        named = self._spelled(given, resource) if isinstance(given, UnknownValue) else TableMatch()
        if named.table is not None:
            return named
        references = resource.snapshot.resolver.trace(expression, resource.scope)
        return self.by_references(references, resource) if references else named

    def _spelled(self, value: UnknownValue, resource: Resource) -> TableMatch:
        """The table whose name has the same unknown parts, else the tables whose name may come to the same."""
        text = value.spelled()
        match = self.by_text(text, resource)
        if match.tables:
            return match
        name = table_name_in(text)
        location = self.location(resource).of(name)
        possible = tuple(
            table.address
            for known, tables in self._by_name.items()
            for table in tables
            if may_be_equal(name.name, known) and location.is_near(self._location_of_table(table)) is not False
        )
        return TableMatch(possible, value.doubt(), None, name.is_stream) if possible else TableMatch()

    def by_text(self, text: str, resource: Resource) -> TableMatch:
        """The table of a name, an ARN or an id of application autoscaling."""
        name = table_name_in(text)
        tables = [(table.address, self._location_of_table(table)) for table in self._by_name.get(name.name, ())]
        return match_name(name, resource.address, self.location(resource).of(name), tables)

    def account(self, address: str) -> str | None:
        """The account of a table, if it is known."""
        table = self.by_address.get(address)
        return None if table is None else self._regions.account(table).content

    def location(self, resource: Resource) -> Location:
        """Where a table or another resource is."""
        region = self._regions.name(resource)
        doubt = None if region else self._regions.why_unknown(resource)
        return Location(region, None, self._regions.site(resource), doubt)

    def if_it_exists(self, match: TableMatch, resource: Resource) -> TableMatch:
        """The match of a resource that helps its table: only possible if it may not exist where the table does."""
        if not resource.conditions:
            return match
        missing = self.existence(resource, [self.by_address[address] for address in match.tables])
        return match if match.doubt is not None or missing is None else replace(match, doubt=missing)

    def existence(self, resource: Resource, others: Sequence[Resource]) -> Doubt | None:
        """Why a resource may not exist where the others do."""
        for one in resource.conditions:
            if not all(one in other.conditions for other in others):
                return Doubt(f"whether {resource.address} exists is not known: {one.doubt.reason}", one.doubt.settle)
        return None

    def by_references(self, references: Iterable[Reference], resource: Resource) -> TableMatch:
        """The table among what an expression reads."""
        references = tuple(references)
        matches = [self._referenced(reference) for reference in references]
        tables = tuple(dict.fromkeys(address for match in matches for address in match.tables))
        if len(tables) > 1:
            tables = self._with_key_of(resource, tables)
        if len(tables) == 1:
            pairs = zip(matches, references, strict=True)
            match, reference = next(pair for pair in pairs if tables[0] in pair[0].tables)
            doubt = match.doubt if len(match.tables) == 1 else None
            if match.stream or match.region is not None or reference.data is not None:
                return TableMatch(tables, doubt, match.region, match.stream)
            location = self.location(resource)
            near = location.is_near(self.location(self.by_address[tables[0]]))
            if near is None and reference.attribute != "arn":  # which has the region of its table
                doubt = doubt or unknown_region(resource.address, location)
            return TableMatch(tables, doubt, location.region if near is False else None)
        unknown = [one for one in references if not self._snapshot.is_known(one) and not _is_of_another(one)]
        return TableMatch(tables, doubt_about(unknown)) if tables or unknown else TableMatch()

    def _referenced(self, reference: Reference) -> TableMatch:
        resources = [it for change in reference.targets if (it := self._snapshot.at(change)) is not None]
        stream = reference.attribute in _STREAM_ATTRIBUTES
        if reference.data is not None:
            return TableMatch()
        if reference.type in TABLE_TYPES:
            return TableMatch(tuple(table.address for table in resources), stream=stream)
        key = _NAMES_A_TABLE.get(reference.type)
        if key is None or len(resources) != 1:
            return TableMatch()
        match = self.of(resources[0], key)
        is_replica = reference.type == "aws_dynamodb_table_replica"
        return replace(match, region=self._regions.name(resources[0]) if is_replica else None, stream=stream)

    def _with_key_of(self, resource: Resource, addresses: tuple[str, ...]) -> tuple[str, ...]:
        """The instances with the resource's own key: plan JSON leaves a computed index out."""
        key = resource.resource_change.key
        same_key = {table.address for table in self.tables if key is not None and table.resource_change.key == key}
        return tuple(address for address in addresses if address in same_key) or addresses

    def _location_of_table(self, table: Resource) -> Location:
        location = self._locations.get(table.address)
        if location is None:
            own = self.location(table).of_account(self._regions.account(table).content)
            location = self._locations[table.address] = own
        return location


def _is_of_another(reference: Reference) -> bool:
    """Whether a reference is the ARN of a resource of AWS that is no table, such as a queue."""
    is_managed = reference.data is None and bool(reference.targets)
    is_other = reference.type.startswith("aws") and "dynamodb" not in reference.type
    return is_managed and is_other and reference.attribute == "arn"


def table_name(table: Resource) -> str | None:
    """A table's name, if it is known."""
    return table.known_text(_name_key(table))


def _name_key(table: Resource) -> str:
    return "name" if table.resource_change.type == "aws_dynamodb_table" else "table_name"


def spelled(resource: Resource, key: str) -> str | None:
    """A text that source does not know, with symbols for its unknown parts."""
    given = tree(resource.block.expression(key)).get("given")
    return given.spelled() if isinstance(given, UnknownValue) else None


Tags = Value[Mapping[str, str | None]]


class TableTags:
    """Tags of tables and of replicas."""

    def __init__(self, snapshot: Snapshot, finder: TableFinder, regions: Regions) -> None:
        self._regions = regions
        self._added: ByTable[Resource] = ByTable()
        for tag in snapshot.of("aws_dynamodb_tag"):
            self._added.add(finder.of(tag, "resource_arn"), tag)

    def of(self, table: Resource) -> Tags:
        """A table's tags."""
        return self.added(self.own(table), table)

    def added(self, own: Tags, table: Resource) -> Tags:
        """A table's own tags, and those that other resources put on it."""
        return self._with_others(own, table, None)

    def of_replica(self, own: Tags, table: Resource, region: str | None) -> Tags:
        """A replica's own tags, and those that other resources put on it."""
        return own if region is None else self._with_others(own, table, region)

    def own(self, resource: Resource) -> Tags:
        """The tags of a resource and of its provider's ``default_tags``."""
        block = resource.block
        merged = block.content.get("tags_all")
        if isinstance(merged, dict):
            return _tags(resource, "tags_all", merged)
        if merged is not None:
            block.report_shape("tags_all", "an object")
            return facts.TAGS.doubted(MISSHAPEN, block.place("tags_all"))
        tags = block.content.get("tags")
        doubt = block.doubt("tags")
        if doubt is not None:
            # One unknown value makes a plan withhold all tags. Source may spell out the others.
            tags = block.source_value("tags")
            if not isinstance(tags, dict):
                return facts.TAGS.doubted(doubt, block.place("tags"))
        if tags is not None and not isinstance(tags, dict):
            block.report_shape("tags", "an object")
            return facts.TAGS.doubted(MISSHAPEN, block.place("tags"))
        if not block.is_unknown("tags_all"):
            return _tags(resource, "tags", tags) if tags else facts.TAGS.unset
        # Without tags of its own a resource has no tags_all before the apply: they will be the default tags.
        defaults = self._regions.default_tags(resource)
        if defaults is None:
            return facts.TAGS.doubted(block.doubt("tags_all") or MISSHAPEN, block.place("tags_all"))
        together = {**defaults, **(tags or {})}
        return _tags(resource, "tags", together) if together else facts.TAGS.unset

    def _with_others(self, own: Tags, table: Resource, region: str | None) -> Tags:
        doubt = self._added.doubt(table.address)
        if doubt is not None:
            return facts.TAGS.doubted(doubt, own.place)
        others = self._added.of(table.address, region)
        if not others or not own.known:
            return own
        added = {key: tag.known_text("value") for tag in others if (key := tag.known_text("key")) is not None}
        place = own.place or others[0].reference_place
        return facts.TAGS.of({**(own.content or {}), **added}, place, sensitive=own.sensitive)


def _tags(resource: Resource, key: str, content: Mapping[str, object]) -> Tags:
    tags = {name: text if isinstance(text, str) else None for name, text in content.items()}
    sensitive = resource.block.is_sensitive(key) or resource.block.is_sensitive("tags")
    return facts.TAGS.of(tags, resource.block.place(key), sensitive=sensitive)
