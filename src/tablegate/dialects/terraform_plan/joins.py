"""Everything around the tables of a world that says something of them."""

from __future__ import annotations

from tablegate.dialects.terraform_plan.backups import Backups
from tablegate.dialects.terraform_plan.encryption import Keys
from tablegate.dialects.terraform_plan.indexes import Indexes
from tablegate.dialects.terraform_plan.labels import Labels
from tablegate.dialects.terraform_plan.links import Links, table_name
from tablegate.dialects.terraform_plan.regions import Regions
from tablegate.dialects.terraform_plan.replicas import Around, Replicas
from tablegate.dialects.terraform_plan.scaling import Scaling
from tablegate.dialects.terraform_plan.streams import Consumers, Destinations, Policies
from tablegate.dialects.terraform_plan.watching import Alarms, Insights
from tablegate.dialects.terraform_plan.worlds import Resource, World
from tablegate.model import facts
from tablegate.model.value import Doubt, Value

_LATER = Doubt("known only after apply", "--account and --region, or applying it")
_PARTITIONS = (("cn-", "aws-cn"), ("us-gov-", "aws-us-gov"))


class Joins:
    """The joins of one world."""

    def __init__(self, world: World, regions: Regions, keys: Keys) -> None:
        self.regions = regions
        self.keys = keys
        self.links = Links(world, regions)
        for table in self.links.tables:
            regions.learn(table)
        self.labels = Labels(world, self.links, regions)
        self.insights = Insights(world, self.links)
        self.alarms = Alarms(world, self.links)
        self.consumers = Consumers(world, self.links)
        self.destinations = Destinations(world, self.links)
        self.policies = Policies(world, self.links)
        self.scaling = Scaling(world, self.links)
        self.backups = Backups(world, self.links, regions)
        self.indexes = Indexes(world, self.links, self.insights)
        around = Around(regions, keys, self.labels, self.insights, self.destinations, self.policies)
        self.replicas = Replicas(world, self.links, around)

    def arn(self, table: Resource, region: str | None, account: str | None) -> Value[str]:
        """The ARN: as the plan has it, or as it must become when all its parts are known."""
        if table.known("arn") is not None:
            return table.root.text(facts.ARN, "arn")
        name = table_name(table)
        if name is None or region is None or account is None:
            return facts.ARN.doubted(_LATER)
        partition = next((found for start, found in _PARTITIONS if region.startswith(start)), "aws")
        return facts.ARN.of(f"arn:{partition}:dynamodb:{region}:{account}:table/{name}")
