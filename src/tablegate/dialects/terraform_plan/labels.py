"""The tags a table will carry: its own, its provider's defaults, and those that other resources put on it."""

from __future__ import annotations

from collections.abc import Mapping

from tablegate.dialects.terraform_plan.blocks import MISSHAPEN
from tablegate.dialects.terraform_plan.links import Joined, Links
from tablegate.dialects.terraform_plan.regions import Regions
from tablegate.dialects.terraform_plan.worlds import Resource, World
from tablegate.model import facts
from tablegate.model.value import Value

Tags = Value[Mapping[str, str | None]]


class Labels:
    """Tags of tables and of replicas."""

    def __init__(self, world: World, links: Links, regions: Regions) -> None:
        self._regions = regions
        self._joined: Joined[Resource] = Joined()
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
        root = resource.root
        merged = root.content.get("tags_all")
        if isinstance(merged, dict):
            return _tags(resource, "tags_all", merged)
        if merged is not None:
            root.misshapen("tags_all", "an object")
            return facts.TAGS.doubted(MISSHAPEN, root.place("tags_all"))
        tags = root.content.get("tags")
        doubt = root.doubt("tags")
        if doubt is not None:
            return facts.TAGS.doubted(doubt, root.place("tags"))
        if tags is not None and not isinstance(tags, dict):
            root.misshapen("tags", "an object")
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
        added = {key: one.known("value") for one in others if (key := one.known("key")) is not None}
        return facts.TAGS.of({**(own.content or {}), **added}, own.place or others[0].place, sensitive=own.sensitive)


def _tags(resource: Resource, key: str, content: Mapping[str, object]) -> Tags:
    tags = {name: text if isinstance(text, str) else None for name, text in content.items()}
    marked = resource.root.is_marked(key) or resource.root.is_marked("tags")
    return facts.TAGS.of(tags, resource.root.place(key), sensitive=marked)
