"""Everything in a template that speaks of its tables, found once for all of them."""

from __future__ import annotations

from tablegate.dialects.cloudformation.backups import Backups
from tablegate.dialects.cloudformation.links import Naming, Tables
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.scaling import Scaling
from tablegate.dialects.cloudformation.symbols import ACCOUNT, REGION, partition_of
from tablegate.dialects.cloudformation.unsettled import Unsettled, scalar_of
from tablegate.dialects.cloudformation.watchers import Alarms, Consumers, Replicas
from tablegate.model import facts
from tablegate.model.facts import Fact
from tablegate.model.record import record
from tablegate.model.scaling import ScalingTarget
from tablegate.model.table import Alarm, Consumer, Replica
from tablegate.model.value import Doubt, Value
from tablegate.syntax.node import Node

_NOWHERE = Node(None, 1, 1)


@record(kw_only=False)
class Joined:
    """What speaks of one table."""

    scaling: tuple[ScalingTarget, ...]
    scaling_doubt: Doubt | None
    alarms: tuple[Alarm, ...]
    alarms_doubt: Doubt | None
    consumers: tuple[Consumer, ...]
    replicas: tuple[Replica, ...]


_NOTHING = Joined((), None, (), None, (), ())


class Joins:
    """The joins of one template, and what is known of its stack."""

    def __init__(self, resolver: Resolver) -> None:
        self.tables = Tables(resolver)
        self.scaling = Scaling(resolver, self.tables)
        self.alarms = Alarms(resolver, self.tables)
        self.consumers = Consumers(resolver, self.tables)
        self.replicas = Replicas(resolver, self.tables)
        self.backups = Backups(resolver)
        self.region = _of_the_stack(resolver, facts.REGION, REGION)
        self.account = _of_the_stack(resolver, facts.ACCOUNT, ACCOUNT)

        links = (self.scaling.links, self.alarms.links, self.consumers.links, self.replicas.links)
        self._read_names = self.backups.any or any(link.read_names for link in links)
        self._spoken_of = {address for link in links for address in link.spoken_of}

    def naming(self, address: str, name: Node | Unsettled | None) -> Naming:
        """What a table is called, as far as it matters to those who speak of tables."""
        return Naming(address, name if self._read_names else None)

    def about(self, table: Naming) -> Joined:
        """All that speaks of one table, in this scenario."""
        if not self._read_names and table.address not in self._spoken_of:
            return _NOTHING
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
        for part in (region, self.account, name):
            if part.doubt is not None:
                return facts.ARN.doubted(part.doubt, name.place)
        partition, _ = partition_of(region.content or "")
        text = f"arn:{partition}:dynamodb:{region.content}:{self.account.content}:table/{name.content}"
        return facts.ARN.of(text, name.place)


def _of_the_stack(resolver: Resolver, fact: Fact[str], name: str) -> Value[str]:
    found = resolver.reference(_NOWHERE, name)
    if isinstance(found, Unsettled):
        return fact.doubted(found.doubt)
    return fact.of(scalar_of(found) if found is not None else None)
