"""The replicas of a table: its own blocks, and those that are resources of their own."""

from __future__ import annotations

from tablegate.dialects.terraform_plan.blocks import Block
from tablegate.dialects.terraform_plan.encryption import Keys
from tablegate.dialects.terraform_plan.labels import Labels, Tags
from tablegate.dialects.terraform_plan.links import Joined, Links
from tablegate.dialects.terraform_plan.regions import Regions
from tablegate.dialects.terraform_plan.streams import Destinations, Policies
from tablegate.dialects.terraform_plan.watching import Insights
from tablegate.dialects.terraform_plan.worlds import Resource, World
from tablegate.model import facts
from tablegate.model.record import record, replace
from tablegate.model.table import Encryption, KeyOwner, Recovery, Replica
from tablegate.model.value import Doubt, Place, Value

_BLOCK = "replica"


@record(kw_only=False)
class Around:
    """What a replica has from elsewhere than its own block."""

    regions: Regions
    keys: Keys
    labels: Labels
    insights: Insights
    destinations: Destinations
    policies: Policies


class Replicas:
    """Replicas of the tables of a world."""

    def __init__(self, world: World, links: Links, around: Around) -> None:
        self._around = around
        self._joined: Joined[Resource] = Joined()
        for one in world.of("aws_dynamodb_table_replica"):
            self._joined.add(replace(links.of(one, "global_table_arn"), region=None), one)

    def of(
        self, table: Resource, encryption: Encryption, tags: Tags, table_class: Value[str]
    ) -> Value[tuple[Replica, ...]]:
        """A table's replicas, by region."""
        blocks = table.root.many(_BLOCK, match="region_name")
        place = table.root.place(_BLOCK)
        if isinstance(blocks, Doubt):
            return facts.REPLICAS.doubted(blocks, place)
        doubt = self._joined.doubt(table)
        if doubt is not None:
            return facts.REPLICAS.doubted(doubt, place)
        found = []
        for block in blocks:
            if isinstance(block, Doubt):
                return facts.REPLICAS.doubted(block, place)
            found.append(self._block(block, table, encryption, tags, table_class))
        found += [self._resource(one, table, encryption, table_class) for one in self._joined.of(table)]
        found.sort(key=lambda one: (one.region.content or "", one.address or ""))
        return facts.REPLICAS.of(tuple(found), place) if found else facts.REPLICAS.unset

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
            place=block.here,
            address=None,
            encryption=self._encryption(table, block, encryption),
            recovery=block.flag(facts.RECOVERY, "point_in_time_recovery"),
            deletion_protection=block.flag(facts.DELETION_PROTECTION, "deletion_protection_enabled", computed=True),
            table_class=table_class,
            tags=self._around.labels.of_replica(own, table, region.content),
        )

    def _resource(self, one: Resource, table: Resource, encryption: Encryption, table_class: Value[str]) -> Replica:
        root = one.root
        region = self._around.regions.region(one)
        override = root.text(facts.TABLE_CLASS, "table_class_override", computed=True)
        return self._replica(
            table,
            region,
            place=one.place,
            address=one.address,
            encryption=self._encryption(one, root, encryption),
            recovery=root.flag(facts.RECOVERY, "point_in_time_recovery"),
            deletion_protection=root.flag(facts.DELETION_PROTECTION, "deletion_protection_enabled", computed=True),
            table_class=table_class if override is facts.TABLE_CLASS.unset else override,
            tags=self._around.labels.of_replica(self._around.labels.own(one), table, region.content),
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
        there = region.content or "?"
        return Replica(
            region=region,
            place=place,
            address=address,
            encryption=encryption,
            recovery=Recovery(enabled=recovery, days=facts.RECOVERY_DAYS.unset),
            deletion_protection=deletion_protection,
            table_class=table_class,
            tags=tags,
            insights=self._around.insights.of(table, region=there),
            policy=self._around.policies.of(table, facts.POLICY, there),
            read_capacity=facts.READ_CAPACITY.unset,
            max_read=facts.MAX_READ.unset,
            destinations=self._around.destinations.of(table, there),
        )

    def _encryption(self, resource: Resource, block: Block, tables: Encryption) -> Encryption:
        """A key of its own, else that of the service: AWS-owned or AWS-managed as the table's own switch has it."""
        own = self._around.keys.of_key(resource, block, "kms_key_arn")
        if own.owner.content is not KeyOwner.AWS_MANAGED or own.key.content is not None:
            return own
        table = tables.owner
        if table.doubt is not None and KeyOwner.AWS_OWNED in (table.candidates or tuple(KeyOwner)):
            return Encryption(
                owner=facts.KEY_OWNER.doubted(table.doubt, table.place), key=own.key, key_region=own.key_region
            )
        if table.content is KeyOwner.AWS_OWNED:
            return facts.AWS_OWNED
        return own
