"""Everything in a template that speaks of its tables, found once for all of them."""

from __future__ import annotations

from typing import NamedTuple

from tablegate.dialects.cloudformation.backups import Backups
from tablegate.dialects.cloudformation.links import Naming, Tables
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.scaling import Scaling
from tablegate.dialects.cloudformation.symbols import ACCOUNT, PARTITION, REGION
from tablegate.dialects.cloudformation.unsettled import Unsettled, scalar_of
from tablegate.dialects.cloudformation.watchers import Alarms, Consumers, Replicas
from tablegate.model import facts
from tablegate.model.facts import Fact
from tablegate.model.table import Alarm, Consumer, Replica, ScalingTarget
from tablegate.model.value import Doubt, Value
from tablegate.syntax.node import Node

_NOWHERE = Node(None, 1, 1)


class Joined(NamedTuple):
    """What speaks of one table."""

    scaling: tuple[ScalingTarget, ...]
    scaling_doubt: Doubt | None
    alarms: tuple[Alarm, ...]
    alarms_doubt: Doubt | None
    consumers: tuple[Consumer, ...]
    replicas: tuple[Replica, ...]


class Joins:
    """The joins of one template, and what is known of its stack."""

    def __init__(self, resolver: Resolver) -> None:
        self.tables = Tables(resolver)
        self.scaling = Scaling(resolver, self.tables)
        self.alarms = Alarms(resolver, self.tables)
        self.consumers = Consumers(resolver, self.tables)
        self.replicas = Replicas(resolver, self.tables)
        self.backups = Backups(resolver)
        self.partition = _of_the_stack(resolver, _PARTITION, PARTITION)
        self.region = _of_the_stack(resolver, facts.REGION, REGION)
        self.account = _of_the_stack(resolver, facts.ACCOUNT, ACCOUNT)

    def about(self, table: Naming) -> Joined:
        """All that speaks of one table, in this scenario."""
        return Joined(
            self.scaling.of(table),
            self.scaling.doubt(table),
            self.alarms.of(table),
            self.alarms.doubt(table),
            self.consumers.of(table),
            self.replicas.of(table),
        )

    def arn(self, name: Value[str], region: Value[str]) -> Value[str]:
        """The ARN of a table, where all that it is made of is known."""
        made_of = (self.partition, region, self.account, name)
        for part in made_of:
            if part.doubt is not None:
                return facts.ARN.doubted(part.doubt, name.place)
        text = f"arn:{self.partition.content}:dynamodb:{region.content}:{self.account.content}:table/{name.content}"
        return facts.ARN.of(text, name.place)


_PARTITION = Fact[str]("partition")


def _of_the_stack(resolver: Resolver, fact: Fact[str], name: str) -> Value[str]:
    found = resolver.reference(_NOWHERE, name)
    if isinstance(found, Unsettled):
        return fact.doubted(found.doubt)
    return fact.of(scalar_of(found) if found is not None else None)
