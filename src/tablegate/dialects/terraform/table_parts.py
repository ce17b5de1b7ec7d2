"""The parts of a table: capacity, key schemas, indexes and replicas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tablegate.dialects.joins import ByTable
from tablegate.dialects.terraform.block import DYNAMIC, Block
from tablegate.dialects.terraform.configuration import tree, trees
from tablegate.dialects.terraform.joins import TableFinder, TableTags, Tags
from tablegate.dialects.terraform.kms import KmsKeys
from tablegate.dialects.terraform.related_resources import Destinations, Insights, Policies
from tablegate.dialects.terraform.resources import Resource, Snapshot
from tablegate.model import facts
from tablegate.model.estate import ChangeKind
from tablegate.model.facts import Fact
from tablegate.model.record import record, replace
from tablegate.model.table import Dialect, Encryption, Index, KeyOwner, KeyPart, Recovery, Replica, Role, Units
from tablegate.model.value import Doubt, Place, Value

_MAKES = (ChangeKind.CREATE, ChangeKind.REPLACE)
_ON_DEMAND = "PAY_PER_REQUEST"
_LIFTED, _NO_LIMIT = -1, 0  # how the provider removes a limit, and how it keeps that in state


def units(block: Block, mode: Value[str]) -> Units:
    """Provisioned units. On demand there are none, even if state still has them."""
    return Units(
        read=_provisioned(facts.READ_CAPACITY, block, "read_capacity", mode),
        write=_provisioned(facts.WRITE_CAPACITY, block, "write_capacity", mode),
    )


def ceilings(table: Resource, block: Block) -> Units:
    """The most that on-demand requests may use. Of a table that the plan makes there is no maximum to lift."""
    limits = block.one("on_demand_throughput")
    if limits is None:
        return facts.NO_CEILING
    if isinstance(limits, Doubt):
        place = block.place("on_demand_throughput")
        return Units(read=facts.MAX_READ.doubted(limits, place), write=facts.MAX_WRITE.doubted(limits, place))
    none = (_NO_LIMIT,) if _is_made(table) else (_LIFTED, _NO_LIMIT)
    return Units(
        read=limits.number(facts.MAX_READ, "max_read_request_units", none=none),
        write=limits.number(facts.MAX_WRITE, "max_write_request_units", none=none),
    )


def _is_made(table: Resource) -> bool:
    """Whether the plan creates the table. Source does not know what exists."""
    return table.snapshot.dialect is Dialect.TERRAFORM_PLAN and table.resource_change.kind in _MAKES


def warmth(warm: Block | Doubt | None) -> Units:
    """Warm throughput."""
    if warm is None:
        return facts.NO_WARMTH
    if isinstance(warm, Doubt):
        return Units(read=facts.WARM_READ.doubted(warm), write=facts.WARM_WRITE.doubted(warm))
    return Units(
        read=warm.number(facts.WARM_READ, "read_units_per_second"),
        write=warm.number(facts.WARM_WRITE, "write_units_per_second"),
    )


def _provisioned(fact: Fact[int], block: Block, key: str, mode: Value[str]) -> Value[int]:
    if mode.content == _ON_DEMAND:
        unwritten = block.configured is not None and block.expression(key) is None
        if unwritten or block.content.get(key) == 0:
            return fact.unset
    return block.number(fact, key)


KeySchema = Value[tuple[KeyPart, ...]]
AttributeTypes = Value[Mapping[str, str]]
_GLOBAL = "global_secondary_index"
_LOCAL = "local_secondary_index"
_APART = "aws_dynamodb_global_secondary_index"


class Indexes:
    """The indexes of all tables of a snapshot.

    The provider lists an index that is a resource of its own in the table too, as what it computes: that list is left
    as it was before the plan, also if the resource goes.
    """

    def __init__(self, snapshot: Snapshot, finder: TableFinder, insights: Insights) -> None:
        self._insights = insights
        self._joined: ByTable[Resource] = ByTable()
        for index in snapshot.of(_APART):
            self._joined.add(finder.of(index, "table_name"), index)
        self._gone: ByTable[Resource] = ByTable()
        for index in snapshot.deleted(_APART):
            self._gone.add(finder.of(index, "table_name"), index)

    def attributes(self, table: Resource, own: AttributeTypes, keys: Iterable[KeySchema]) -> AttributeTypes:
        """The table's attribute definitions with those of indexes that are resources of their own.

        What is left over from an index that goes is no definition: nothing writes it, and none of the keys has it.
        """
        apart, gone = self._joined.of(table.address), self._gone.of(table.address)
        if not own.known or not (apart or gone):
            return own
        types = dict(own.content or {})
        used = {part.attribute for schema in keys for part in schema.content or ()}
        for name, _ in _key_types(gone):
            if name not in used and not _is_written(table, name):
                types.pop(name, None)
        place = own.place
        for name, type_ in _key_types(apart):
            if isinstance(type_, Doubt):
                return facts.ATTRIBUTES.doubted(type_, place)
            types[name] = both_types(types.get(name, type_), type_)
            place = place or apart[0].reference_place
        ordered = dict(sorted(types.items()))
        return facts.ATTRIBUTES.of(ordered, place, sensitive=own.sensitive) if ordered else facts.ATTRIBUTES.unset

    def names(self, table: Resource) -> list[str]:
        """The names of the global indexes that are known."""
        blocks = table.block.many(_GLOBAL)
        listed = [] if isinstance(blocks, Doubt) else self._listed(table, blocks)
        names = [block.content.get("name") for block in listed if isinstance(block, Block)]
        names += [index.known_text("index_name") for index in self._joined.of(table.address)]
        return [name for name in names if isinstance(name, str)]

    def _listed(self, table: Resource, blocks: Sequence[Block | Doubt]) -> Sequence[Block | Doubt]:
        """The blocks of the table without those that the provider added for resources."""
        if table.block.expression(_GLOBAL) is not None:
            return blocks
        resources = (*self._joined.of(table.address), *self._gone.of(table.address))
        apart = [index.known_text("index_name") for index in resources]
        return [block for block in blocks if isinstance(block, Doubt) or block.content.get("name") not in apart]

    def of_table(self, table: Resource, mode: Value[str]) -> Value[tuple[Index, ...]]:
        """The global indexes."""
        blocks = table.block.many(_GLOBAL)
        others = [self._standalone(index, table, mode) for index in self._joined.of(table.address)]
        if isinstance(blocks, Doubt):
            return facts.INDEXES.doubted(blocks, table.block.place(_GLOBAL))
        blocks = self._listed(table, blocks)
        doubt = self._joined.doubt(table.address) or self._hidden(table)
        if doubt is not None:
            return facts.INDEXES.doubted(doubt, table.block.place(_GLOBAL))
        unknown = next((block for block in blocks if isinstance(block, Doubt)), None)
        if unknown is not None:
            return facts.INDEXES.doubted(unknown, table.block.place(_GLOBAL))
        indexes = [*(self._block(block, table, mode) for block in blocks if isinstance(block, Block)), *others]
        return facts.INDEXES.of(by_name(indexes), table.block.place(_GLOBAL)) if indexes else facts.INDEXES.unset

    def _hidden(self, table: Resource) -> Doubt | None:
        """Why a new table may have an index, although the plan shows none and its configuration writes none.

        Where the provider computes the list, a dynamic block over what is not known leaves no other trace than the
        attributes that the table defines for it: without an index, the provider refuses those that no key uses.
        """
        root = table.block
        settled = table.source_match is not None and table.source_match.certain
        if settled or not root.is_unknown(_GLOBAL) or root.expression(_GLOBAL) is not None:
            return None
        sorts = root.many(_LOCAL)
        keys = keys_of(root)
        if isinstance(sorts, Doubt) or not keys.known:
            return None
        used = {part.attribute for part in keys.content or ()}
        used.update(str(sort.content.get("range_key")) for sort in sorts if isinstance(sort, Block))
        used.update(name for name, _ in _key_types(self._joined.of(table.address)))
        defined = {str(attribute.get("name")) for attribute in trees(root.content.get("attribute"))}
        return DYNAMIC if defined - used else None

    def local(self, table: Resource, keys: KeySchema) -> Value[tuple[Index, ...]]:
        """The local indexes. Their partition key is the table's."""
        blocks = table.block.many(_LOCAL)
        place = table.block.place(_LOCAL)
        if isinstance(blocks, Doubt):
            return facts.LOCAL_INDEXES.doubted(blocks, place)
        indexes = []
        for block in blocks:
            if isinstance(block, Doubt):
                return facts.LOCAL_INDEXES.doubted(block, place)
            sort = block.text(facts.INDEX_NAME, "range_key")
            hash_part = next((part for part in keys.content or () if part.role is Role.HASH), None)
            if sort.doubt is not None or keys.doubt is not None:
                schema = facts.KEYS.doubted(sort.doubt or keys.doubt or Doubt("the keys are not known"), sort.place)
            else:
                part = () if sort.content is None else (KeyPart(attribute=sort.content, role=Role.RANGE),)
                listed = (*(() if hash_part is None else (hash_part,)), *part)
                sensitive = keys.sensitive or sort.sensitive
                schema = facts.KEYS.of(listed, block.place("range_key"), sensitive=sensitive)
            indexes.append(_index(block, schema, facts.NO_CAPACITY, facts.INSIGHTS.unset))
        return facts.LOCAL_INDEXES.of(by_name(indexes), place) if indexes else facts.LOCAL_INDEXES.unset

    def _block(self, block: Block, table: Resource, mode: Value[str]) -> Index:
        name = block.content.get("name")
        insights = self._insights.of(table, name) if isinstance(name, str) else facts.INSIGHTS.unset
        on_demand = ceilings(table, block)
        return _index(block, keys_of(block), units(block, mode), insights, on_demand)

    def _standalone(self, resource: Resource, table: Resource, mode: Value[str]) -> Index:
        block = resource.block
        name = block.text(facts.INDEX_NAME, "index_name")
        kind, projected = _projection(block.one("projection"))
        provisioned = block.one("provisioned_throughput")
        capacity = facts.NO_CAPACITY
        if isinstance(provisioned, Block) and mode.content != _ON_DEMAND:
            capacity = Units(
                read=provisioned.number(facts.READ_CAPACITY, "read_capacity_units"),
                write=provisioned.number(facts.WRITE_CAPACITY, "write_capacity_units"),
            )
        return Index(
            name=name,
            place=resource.reference_place,
            local=False,
            keys=keys_of(block),
            projection=kind,
            projected=projected,
            capacity=capacity,
            on_demand=ceilings(table, block),
            warm=warmth(block.one("warm_throughput")),
            insights=self._insights.of(table, name.content) if name.content else facts.INSIGHTS.unset,
        )


def _key_types(indexes: Sequence[Resource]) -> Iterator[tuple[str, str | Doubt]]:
    """The attributes of the indexes' keys with their types, as far as their names are known."""
    for index in indexes:
        parts = index.block.many("key_schema")
        for part in () if isinstance(parts, Doubt) else parts:
            if isinstance(part, Block) and isinstance(name := part.content.get("attribute_name"), str):
                type_ = part.text(facts.PROJECTION, "attribute_type")
                if type_.doubt is not None or type_.content is not None:
                    yield name, type_.doubt or type_.content or ""


def _is_written(table: Resource, name: str) -> bool:
    """Whether the table's own configuration defines an attribute, as far as that is written there."""
    blocks = table.block.expression("attribute")
    return any(tree(tree(block).get("name")).get("constant_value") == name for block in trees(blocks))


def both_types(one: str, other: str) -> str:
    """The type of an attribute that is defined twice: both, if they differ."""
    return one if one == other else " and ".join(sorted({*one.split(" and "), other}))


def keys_of(block: Block) -> KeySchema:
    """A key schema: an ordered list of parts in newer providers, else a partition and a sort key."""
    parts = block.many("key_schema")
    if isinstance(parts, Doubt):
        return facts.KEYS.doubted(parts, block.place("key_schema"))
    if parts:
        return _schema(block, parts)
    plain = []
    for key, role in (("hash_key", Role.HASH), ("range_key", Role.RANGE)):
        name = block.text(facts.INDEX_NAME, key)
        if name.doubt is not None:
            return facts.KEYS.doubted(name.doubt, name.place)
        if name.content is not None:
            plain.append(KeyPart(attribute=name.content, role=role))
    if not plain:
        return facts.KEYS.unset
    sensitive = block.is_sensitive("hash_key") or block.is_sensitive("range_key")
    return facts.KEYS.of(tuple(plain), block.place("hash_key"), sensitive=sensitive)


def by_name(indexes: Sequence[Index]) -> tuple[Index, ...]:
    """Indexes in the order of their names: sets have no order."""
    return tuple(sorted(indexes, key=lambda index: index.name.content or ""))


def _schema(block: Block, parts: Sequence[Block | Doubt]) -> KeySchema:
    place = block.place("key_schema")
    schema = []
    for part in parts:
        if isinstance(part, Doubt):
            return facts.KEYS.doubted(part, place)
        name, role = part.text(facts.INDEX_NAME, "attribute_name"), part.text(facts.PROJECTION, "key_type")
        doubt = name.doubt or role.doubt
        if doubt is not None:
            return facts.KEYS.doubted(doubt, place)
        if name.content is None or role.content not in ("HASH", "RANGE"):
            part.report_shape("key_type", "HASH or RANGE, with an attribute_name")
            return facts.KEYS.doubted(Doubt("the key schema is not valid"), place)
        schema.append(KeyPart(attribute=name.content, role=Role(role.content)))
    return facts.KEYS.of(tuple(schema), place, sensitive=block.is_sensitive("key_schema"))


def _index(
    block: Block, keys: KeySchema, capacity: Units, insights: Value[bool], on_demand: Units | None = None
) -> Index:
    """An index of a table. A local one has no maximum of its own."""
    local = on_demand is None
    return Index(
        name=block.text(facts.INDEX_NAME, "name"),
        place=block.place(),
        local=local,
        keys=keys,
        projection=block.text(facts.PROJECTION, "projection_type"),
        projected=_projected(block, as_set=not local),
        capacity=capacity,
        on_demand=on_demand or facts.NO_CEILING,
        warm=facts.NO_WARMTH if local else warmth(block.one("warm_throughput")),
        insights=insights,
    )


def _projection(block: Block | Doubt | None) -> tuple[Value[str], Value[tuple[str, ...]]]:
    if block is None:
        return facts.PROJECTION.unset, facts.PROJECTED.unset
    if isinstance(block, Doubt):
        return facts.PROJECTION.doubted(block), facts.PROJECTED.doubted(block)
    return block.text(facts.PROJECTION, "projection_type"), _projected(block)


def _projected(block: Block, *, as_set: bool = True) -> Value[tuple[str, ...]]:
    """The attributes that an index projects: a set, but for local indexes, whose list may have one twice."""
    content = block.content.get("non_key_attributes")
    place = block.place("non_key_attributes")
    doubt = block.doubt("non_key_attributes")
    if doubt is not None or (isinstance(content, list) and None in content):
        return facts.PROJECTED.doubted(doubt or Doubt("known only after apply"), place)
    if not content:
        return facts.PROJECTED.unset
    if not isinstance(content, list) or not all(isinstance(name, str) for name in content):
        block.report_shape("non_key_attributes", "a list of names")
        return facts.PROJECTED.doubted(Doubt("it is not a list of names"), place)
    names = tuple(sorted(set(content) if as_set else content))
    return facts.PROJECTED.of(names, place, sensitive=block.is_sensitive("non_key_attributes"))


_BLOCK = "replica"


@record(kw_only=False)
class ReplicaContext:
    """What a replica has from other resources and from its table."""

    keys: KmsKeys
    tags_by_table: TableTags
    insights: Insights
    destinations: Destinations
    policies: Policies


class Replicas:
    """The replicas of all tables of a snapshot."""

    def __init__(self, snapshot: Snapshot, finder: TableFinder, context: ReplicaContext) -> None:
        self._context = context
        self._joined: ByTable[Resource] = ByTable()
        for replica in snapshot.of("aws_dynamodb_table_replica"):
            self._joined.add(replace(finder.of(replica, "global_table_arn"), region=None), replica)

    def of(
        self, table: Resource, encryption: Encryption, tags: Tags, table_class: Value[str]
    ) -> Value[tuple[Replica, ...]]:
        """A table's replicas, by region."""
        blocks = table.block.many(_BLOCK)
        place = table.block.place(_BLOCK)
        if isinstance(blocks, Doubt):
            return facts.REPLICAS.doubted(blocks, place)
        doubt = self._joined.doubt(table.address)
        if doubt is not None:
            return facts.REPLICAS.doubted(doubt, place)
        replicas = []
        for block in blocks:
            if isinstance(block, Doubt):
                return facts.REPLICAS.doubted(block, place)
            replicas.append(self._block(block, table, encryption, tags, table_class))
        replicas += [self._resource(one, table, encryption, table_class) for one in self._joined.of(table.address)]
        replicas.sort(key=lambda replica: (replica.region.content or "", replica.address or ""))
        return facts.REPLICAS.of(tuple(replicas), place) if replicas else facts.REPLICAS.unset

    def _block(
        self, block: Block, table: Resource, encryption: Encryption, tags: Tags, table_class: Value[str]
    ) -> Replica:
        region = block.text(facts.REGION, "region_name")
        propagates = block.flag(facts.RECOVERY, "propagate_tags")
        own: Tags = facts.TAGS.unset
        if propagates.doubt is not None:
            own = facts.TAGS.doubted(propagates.doubt, propagates.place)
        elif propagates.content is True:
            own = tags
        return self._replica(
            table,
            region,
            place=block.place(),
            address=None,
            encryption=self._encryption(table, block, encryption),
            recovery=block.flag(facts.RECOVERY, "point_in_time_recovery"),
            deletion_protection=block.flag(facts.DELETION_PROTECTION, "deletion_protection_enabled"),
            table_class=table_class,
            tags=self._context.tags_by_table.of_replica(own, table, region.content),
        )

    def _resource(self, replica: Resource, table: Resource, encryption: Encryption, table_class: Value[str]) -> Replica:
        block, region, tags = replica.block, replica.region, self._context.tags_by_table
        override = block.text(facts.TABLE_CLASS, "table_class_override")
        return self._replica(
            table,
            region,
            place=replica.reference_place,
            address=replica.address,
            encryption=self._encryption(replica, block, encryption),
            recovery=block.flag(facts.RECOVERY, "point_in_time_recovery"),
            deletion_protection=block.flag(facts.DELETION_PROTECTION, "deletion_protection_enabled"),
            table_class=table_class if override is facts.TABLE_CLASS.unset else override,
            tags=tags.of_replica(tags.own(replica), table, region.content),
        )

    def _replica(
        self,
        table: Resource,
        region: Value[str],
        *,
        place: Place,
        address: str | None,
        encryption: Encryption,
        recovery: Value[bool],
        deletion_protection: Value[bool],
        table_class: Value[str],
        tags: Tags,
    ) -> Replica:
        name = region.content or "?"
        return Replica(
            region=region,
            place=place,
            address=address,
            encryption=encryption,
            recovery=Recovery(enabled=recovery, days=facts.RECOVERY_DAYS.unset),
            deletion_protection=deletion_protection,
            table_class=table_class,
            tags=tags,
            insights=self._context.insights.of(table, region=name),
            policy=self._context.policies.of(table, facts.POLICY, name),
            read_capacity=facts.READ_CAPACITY.unset,
            max_read=facts.MAX_READ.unset,
            destinations=self._context.destinations.of(table, name),
        )

    def _encryption(self, resource: Resource, block: Block, of_table: Encryption) -> Encryption:
        """A key of its own, else AWS-owned or AWS-managed, as the table has it."""
        own = self._context.keys.of_key(resource, block, "kms_key_arn")
        if own.owner.content is not KeyOwner.AWS_MANAGED or own.key.content is not None:
            return own
        owner = of_table.owner
        if owner.doubt is not None and KeyOwner.AWS_OWNED in (owner.candidates or tuple(KeyOwner)):
            return Encryption(
                owner=facts.KEY_OWNER.doubted(owner.doubt, owner.place), key=own.key, key_region=own.key_region
            )
        if owner.content is KeyOwner.AWS_OWNED:
            return facts.AWS_OWNED
        return own
