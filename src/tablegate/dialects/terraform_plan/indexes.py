"""The secondary indexes of a table: its own blocks, and those that are resources of their own."""

from __future__ import annotations

from collections.abc import Sequence

from tablegate.dialects.terraform_plan.blocks import Block
from tablegate.dialects.terraform_plan.capacity import ceilings, units, warmth
from tablegate.dialects.terraform_plan.links import Joined, Links
from tablegate.dialects.terraform_plan.watching import Insights
from tablegate.dialects.terraform_plan.worlds import Resource, World
from tablegate.model import facts
from tablegate.model.table import Index, KeyPart, Role, Units
from tablegate.model.value import Doubt, Value

Keys = Value[tuple[KeyPart, ...]]
_GLOBAL = "global_secondary_index"
_LOCAL = "local_secondary_index"


class Indexes:
    """Indexes of the tables of a world."""

    def __init__(self, world: World, links: Links, insights: Insights) -> None:
        self._insights = insights
        self._joined: Joined[Resource] = Joined()
        for one in world.of("aws_dynamodb_global_secondary_index"):
            self._joined.add(links.of(one, "table_name"), one)

    def of_table(self, table: Resource, mode: Value[str]) -> Value[tuple[Index, ...]]:
        """The global indexes."""
        blocks = table.root.many(_GLOBAL, match="name", computed=computes_indexes(table))
        others = [self._standalone(one, table, mode) for one in self._joined.of(table)]
        if isinstance(blocks, Doubt):
            return facts.INDEXES.doubted(blocks, table.root.place(_GLOBAL))
        doubt = self._joined.doubt(table)
        if doubt is not None:
            return facts.INDEXES.doubted(doubt, table.root.place(_GLOBAL))
        found = [*(self._block(one, table, mode) for one in blocks if isinstance(one, Block)), *others]
        unread = [one for one in blocks if isinstance(one, Doubt)]
        if unread:
            return facts.INDEXES.doubted(unread[0], table.root.place(_GLOBAL))
        return facts.INDEXES.of(by_name(found), table.root.place(_GLOBAL)) if found else facts.INDEXES.unset

    def local(self, table: Resource, keys: Keys) -> Value[tuple[Index, ...]]:
        """The local indexes: their partition key is the table's."""
        blocks = table.root.many(_LOCAL, match="name")
        place = table.root.place(_LOCAL)
        if isinstance(blocks, Doubt):
            return facts.LOCAL_INDEXES.doubted(blocks, place)
        found = []
        for block in blocks:
            if isinstance(block, Doubt):
                return facts.LOCAL_INDEXES.doubted(block, place)
            sort = block.text(facts.INDEX_NAME, "range_key")
            hash_part = next((part for part in keys.content or () if part.role is Role.HASH), None)
            if sort.doubt is not None or keys.doubt is not None:
                schema = facts.KEYS.doubted(sort.doubt or keys.doubt or Doubt("the keys are not known"), sort.place)
            else:
                part = () if sort.content is None else (KeyPart(attribute=sort.content, role=Role.RANGE),)
                schema = facts.KEYS.of((*(() if hash_part is None else (hash_part,)), *part), block.place("range_key"))
            found.append(_index(block, schema, facts.NO_CAPACITY, facts.INSIGHTS.unset, local=True))
        return facts.LOCAL_INDEXES.of(by_name(found), place) if found else facts.LOCAL_INDEXES.unset

    def _block(self, block: Block, table: Resource, mode: Value[str]) -> Index:
        name = block.content.get("name")
        insights = self._insights.of(table, name) if isinstance(name, str) else facts.INSIGHTS.unset
        return _index(block, keys_of(block), units(block, mode), insights, local=False)

    def _standalone(self, one: Resource, table: Resource, mode: Value[str]) -> Index:
        root = one.root
        name = root.text(facts.INDEX_NAME, "index_name")
        projection = root.one("projection")
        provisioned = root.one("provisioned_throughput", computed=True)
        capacity = facts.NO_CAPACITY
        if isinstance(provisioned, Block) and mode.content != "PAY_PER_REQUEST":
            capacity = Units(
                read=provisioned.number(facts.READ_CAPACITY, "read_capacity_units", computed=True),
                write=provisioned.number(facts.WRITE_CAPACITY, "write_capacity_units", computed=True),
            )
        return Index(
            name=name,
            place=one.place,
            local=False,
            keys=keys_of(root),
            projection=projection.text(facts.PROJECTION, "projection_type")
            if isinstance(projection, Block)
            else facts.PROJECTION.unset,
            projected=_projected(projection) if isinstance(projection, Block) else facts.PROJECTED.unset,
            capacity=capacity,
            on_demand=ceilings(root),
            warm=warmth(root.nested("warm_throughput")),
            insights=self._insights.of(table, name.content) if name.content else facts.INSIGHTS.unset,
        )


def computes_indexes(table: Resource) -> bool:
    """Whether the provider is new enough to compute indexes that nobody wrote; those give tables a region."""
    return "region" in table.content


def keys_of(block: Block) -> Keys:
    """A key schema: an ordered list of parts in newer providers, else a partition and a sort key."""
    parts = block.many("key_schema", computed=True)
    if isinstance(parts, Doubt):
        return facts.KEYS.doubted(parts, block.place("key_schema"))
    if parts:
        return _schema(block, parts)
    plain = block.shared(facts.KEYS, "hash_key", "range_key", _simple_schema)
    if plain is not None:
        return plain
    found = []
    for key, role in (("hash_key", Role.HASH), ("range_key", Role.RANGE)):
        name = block.text(facts.INDEX_NAME, key, computed=key == "hash_key")
        if name.doubt is not None:
            return facts.KEYS.doubted(name.doubt, name.place)
        if name.content is not None:
            found.append(KeyPart(attribute=name.content, role=role))
    if not found:
        return facts.KEYS.unset
    marked = block.is_marked("hash_key") or block.is_marked("range_key")
    return facts.KEYS.of(tuple(found), block.place("hash_key"), sensitive=marked)


def _simple_schema(hash_key: str, range_key: str | None) -> tuple[KeyPart, ...]:
    parts = (KeyPart(attribute=hash_key, role=Role.HASH),)
    return (*parts, KeyPart(attribute=range_key, role=Role.RANGE)) if range_key else parts


def by_name(indexes: Sequence[Index]) -> tuple[Index, ...]:
    """Sets have no order: ours is that of the names."""
    return tuple(sorted(indexes, key=lambda one: one.name.content or ""))


def _schema(block: Block, parts: Sequence[Block | Doubt]) -> Keys:
    place = block.place("key_schema")
    found = []
    for part in parts:
        if isinstance(part, Doubt):
            return facts.KEYS.doubted(part, place)
        name, role = part.text(facts.INDEX_NAME, "attribute_name"), part.text(facts.PROJECTION, "key_type")
        doubt = name.doubt or role.doubt
        if doubt is not None:
            return facts.KEYS.doubted(doubt, place)
        if name.content is None or role.content not in ("HASH", "RANGE"):
            part.misshapen("key_type", "HASH or RANGE, with an attribute_name")
            return facts.KEYS.doubted(Doubt("the key schema is not one"), place)
        found.append(KeyPart(attribute=name.content, role=Role(role.content)))
    return facts.KEYS.of(tuple(found), place)


def _index(block: Block, keys: Keys, capacity: Units, insights: Value[bool], *, local: bool) -> Index:
    return Index(
        name=block.text(facts.INDEX_NAME, "name"),
        place=block.here,
        local=local,
        keys=keys,
        projection=block.text(facts.PROJECTION, "projection_type"),
        projected=_projected(block),
        capacity=capacity,
        on_demand=facts.NO_CEILING if local else ceilings(block),
        warm=facts.NO_WARMTH if local else warmth(block.one("warm_throughput", computed=True)),
        insights=insights,
    )


def _projected(block: Block) -> Value[tuple[str, ...]]:
    content = block.content.get("non_key_attributes")
    place = block.place("non_key_attributes")
    doubt = block.doubt("non_key_attributes")
    if doubt is not None or (isinstance(content, list) and None in content):
        return facts.PROJECTED.doubted(doubt or Doubt("known only after apply"), place)
    if not content:
        return facts.PROJECTED.unset
    if not isinstance(content, list) or not all(isinstance(name, str) for name in content):
        block.misshapen("non_key_attributes", "a list of names")
        return facts.PROJECTED.doubted(Doubt("it is not a list of names"), place)
    return facts.PROJECTED.of(tuple(sorted(content)), place)
