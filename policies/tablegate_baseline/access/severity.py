"""The severity of a grant, by its holder, its kind of action and its width: one table for all access policies."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Annotated

from tablegate.policy import CRITICAL, HIGH, INFO, LOW, MEDIUM, Severity
from tablegate.policy.access import Action, Grant, Holder, HolderKind, Kind, Narrowing, Reach, Tier, matches
from tablegate_baseline.access.relevance import tables_in_scenarios

EVERYTHING = "everything"
DeployRoles = Annotated[tuple[str, ...], "name patterns of roles that deploy"]

PRODUCTION = ("live", "prd", "prod", "production")

# One table, a name's beginning, a weak pattern, all tables; held by code. None: no finding.
_Row = tuple[Severity | None, Severity | None, Severity | None, Severity | None]
_SEVERITIES: dict[str, _Row] = {
    Kind.DISCOVERY: (None, None, None, None),
    Kind.METADATA_READ: (None, None, None, None),
    Kind.ITEM_READ: (None, LOW, MEDIUM, HIGH),
    Kind.STREAM_READ: (None, LOW, MEDIUM, HIGH),
    Kind.BULK_READ: (INFO, LOW, MEDIUM, HIGH),
    Kind.ITEM_WRITE: (None, MEDIUM, MEDIUM, HIGH),
    Kind.ITEM_DELETE: (None, MEDIUM, MEDIUM, HIGH),
    Kind.TAGGING: (INFO, LOW, MEDIUM, MEDIUM),
    Kind.PROVISIONING: (MEDIUM, MEDIUM, HIGH, HIGH),
    Kind.PROTECTION_CHANGE: (MEDIUM, HIGH, HIGH, HIGH),
    Kind.DATA_COPY: (MEDIUM, HIGH, HIGH, HIGH),
    Kind.DESTRUCTIVE: (HIGH, HIGH, CRITICAL, CRITICAL),
    Kind.PERMISSIONS: (HIGH, HIGH, CRITICAL, CRITICAL),
    Kind.REPLICATION: (HIGH, HIGH, CRITICAL, CRITICAL),
    Kind.FAULT_INJECTION: (HIGH, HIGH, CRITICAL, CRITICAL),
    EVERYTHING: (HIGH, HIGH, CRITICAL, CRITICAL),
}
_COLUMNS = {Tier.ONE: 0, Tier.VARIABLE: 0, Tier.PREFIX: 1, Tier.WEAK: 2}
_FOR_DEPLOY_ROLES: _Row = (None, None, LOW, MEDIUM)
_DEPLOY_KINDS = frozenset(tuple(_SEVERITIES)[tuple(_SEVERITIES).index(Kind.PROVISIONING) :])
SCALE = (INFO, LOW, MEDIUM, HIGH, CRITICAL)
_STEPS_BY_HOLDER = {
    HolderKind.END_USER: 1,
    HolderKind.CROSS_ACCOUNT: 1,
    HolderKind.HUMAN: -1,
    HolderKind.UNKNOWN: -1,
}

# The actions that roles of AWS's own services are for.
_SERVICE_WORK = {
    "application-autoscaling": "DescribeTable UpdateTable",
    "backup": "CreateBackup DeleteBackup RestoreTableFromAwsBackup RestoreTableFromBackup RestoreTableToPointInTime "
    "StartAwsBackupJob ListTagsOfResource TagResource UntagResource",
    "dms": "CreateTable DeleteItem DeleteTable DescribeTable PutItem UpdateItem",
    "dynamodb.application-autoscaling": "DescribeTable UpdateTable",
    "osis-pipelines": "DescribeStream ExportTableToPointInTime GetRecords GetShardIterator",
    "redshift": "ExportTableToPointInTime",
    "replication.dynamodb": "AssociateTableReplica ReadDataForReplication ReplicateSettings WriteDataForReplication",
}


class Scale:
    """Severities for one grant's holder."""

    def __init__(self, grant: Grant, deploy_roles: tuple[str, ...] = ()) -> None:
        self._grant = grant
        self.kind = kind_of(grant.holder, deploy_roles)

    def of(
        self, kind: str, tier: Tier, narrowed: Narrowing = Narrowing.NONE, pattern: str | None = None
    ) -> Severity | None:
        """The severity of this kind of action at this width; None where it is no finding."""
        row = _FOR_DEPLOY_ROLES if self.kind is HolderKind.DEPLOY and kind in _DEPLOY_KINDS else _SEVERITIES[kind]
        base = row[_COLUMNS.get(tier, 3)]
        if base is None or narrowed >= Narrowing.ITEMS:
            return None
        steps = {Narrowing.ATTRIBUTES: -2, Narrowing.CONTEXT: -1}.get(narrowed, 0)
        if self.kind is not HolderKind.HUMAN or not in_production(self._grant, pattern):
            steps += _STEPS_BY_HOLDER.get(self.kind, 0)
        return shifted(base, steps)

    def highest(self, reach: Reach, actions: Collection[Action], tier: Tier | None = None) -> Severity | None:
        """The highest severity of these actions at this reach, each under the statement's conditions."""
        if not actions:
            return None
        work = work_of(reach.grant.holder)
        severities: dict[tuple[str, Narrowing], Severity | None] = {}
        for action in actions:
            key = (action.kind, reach.narrowed(action))
            if key not in severities and action.name not in work:
                severities[key] = self.of(action.kind, reach.tier if tier is None else tier, key[1], reach.pattern)
        return highest(severities.values())

    def everything(self, reach: Reach, tier: Tier | None = None) -> Severity | None:
        """The severity of full control at this reach."""
        on_tables = (action for action in reach.actions if "table" in action.types)
        limited = reach.grant.statement.conditions or reach.grant.holder.denials
        narrowed = min(map(reach.narrowed, on_tables), default=Narrowing.NONE) if limited else Narrowing.NONE
        return self.of(EVERYTHING, reach.tier if tier is None else tier, narrowed, reach.pattern)


def kind_of(holder: Holder, deploy_roles: tuple[str, ...] = ()) -> HolderKind:
    """Who uses the holder, by its trust policy; a deploy role where its name matches one of these patterns."""
    if deploy_roles:
        names = [name for name in (holder.name, holder.address) if name]
        if any(matches(pattern, name) for name in names for pattern in deploy_roles):
            return HolderKind.DEPLOY
    return holder.kind


def shifted(severity: Severity, steps: int) -> Severity:
    """The severity some steps up or down, within the scale."""
    return SCALE[max(0, min(len(SCALE) - 1, SCALE.index(severity) + steps))]


def highest(severities: Iterable[Severity | None]) -> Severity | None:
    """The highest severity, None where there is none."""
    return max((severity for severity in severities if severity is not None), key=SCALE.index, default=None)


def lower_of(one: Severity, other: Severity) -> Severity:
    """The lower of two severities."""
    return min(one, other, key=SCALE.index)


def in_production(grant: Grant, pattern: str | None, words: tuple[str, ...] = PRODUCTION) -> bool:
    """Whether a table that the grant reaches is declared to be production, in some scenario."""
    patterns = (pattern,) if pattern else grant.statement.resources.texts
    tables = (table for text in patterns for table in tables_in_scenarios(grant, text))
    return any(table.declared.environment.content in words for table in tables)


def work_of(holder: Holder) -> frozenset[str]:
    """The actions that the AWS services behind a holder need for their work."""
    if holder.kind is not HolderKind.SERVICE:
        return frozenset()
    services = (service.partition(".amazonaws.")[0] for service in holder.services)
    return frozenset(name for service in services for name in _SERVICE_WORK.get(service, "").split())
