"""Recovery: can a lost or damaged table be brought back?"""

from __future__ import annotations

from typing import Annotated

from tablegate.policy import (
    HIGH,
    LOW,
    MEDIUM,
    Recovery,
    Replica,
    Table,
    Value,
    Verdict,
    all_of,
    holds,
    not_applicable,
    policy,
    unknown,
    when,
)
from tablegate_baseline.helpers import each_replica, replica_label, require, worded

Exempt = Annotated[tuple[str, ...], "purposes of tables that need no recovery"]

EXEMPT = ("ephemeral", "cache", "lock")


@policy(
    "TG301",
    HIGH,
    "Point-in-time recovery must be on",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Point-in-time-recovery.html",
    terraform="""
point_in_time_recovery {
  enabled = true
}
""",
    cloudformation="""
PointInTimeRecoverySpecification:
  PointInTimeRecoveryEnabled: true
""",
    global_table="""
Replicas:
  - Region: us-east-1
    PointInTimeRecoverySpecification:
      PointInTimeRecoveryEnabled: true
""",
    state_locks=False,
)
def point_in_time_recovery(table: Table, *, exempt: Exempt = EXEMPT) -> Verdict:
    """Without it, a bad deploy or a wrong delete takes every write since the last backup with it, and there may be
    no backup. Tables whose declared purpose is in ``exempt`` can be filled again."""
    verdict = _unless_exempt(table, exempt, _is_on(table.recovery, "the table"))
    if verdict.truth is not True and table.ttl.enabled.content is True:
        return verdict.weighing(MEDIUM, "its items expire")
    return verdict


@policy(
    "TG302",
    HIGH,
    "Point-in-time recovery must be on in every replica",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/globaltables-bestpractices.html",
    terraform="""
replica {
  region_name            = "eu-west-1"
  point_in_time_recovery = true
}
""",
    cloudformation="""
- Region: eu-west-1
  PointInTimeRecoverySpecification:
    PointInTimeRecoveryEnabled: true
""",
)
def replica_recovery(replica: Replica, *, exempt: Exempt = EXEMPT) -> Verdict:
    """Replicas copy mistakes as fast as data, but not the recovery setting: it is switched on region by region.
    The region that is left when another fails must be able to go back in time."""
    what = replica_label(replica)
    return _unless_exempt(replica.table, exempt, _is_on(replica.recovery, what))


@policy(
    "TG303",
    MEDIUM,
    "The recovery period must be long enough to notice a mistake",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_PointInTimeRecoverySpecification.html",
    terraform="""
point_in_time_recovery {
  enabled                 = true
  recovery_period_in_days = 35
}
""",
    cloudformation="""
PointInTimeRecoverySpecification:
  PointInTimeRecoveryEnabled: true
  RecoveryPeriodInDays: 35
""",
    global_table="""
Replicas:
  - Region: us-east-1
    PointInTimeRecoverySpecification:
      PointInTimeRecoveryEnabled: true
      RecoveryPeriodInDays: 35
""",
)
def recovery_window(table: Table, *, days: Annotated[int, "shortest recovery window, in days"] = 35) -> Verdict:
    """Damage that nobody notices within the period is permanent, and a shorter period saves nothing: the price is
    the same. ``days`` sets how long it must be, on the table and on every replica."""
    own = _long_enough(table.recovery, days, "")
    replicas = each_replica(
        table, lambda replica: _long_enough(replica.recovery, days, f" of {replica_label(replica)}")
    )
    return all_of((own, *replicas)) if any(verdict.applies for verdict in replicas) else own


@policy(
    "TG306",
    LOW,
    "A backup plan must cover the table",
    docs="https://docs.aws.amazon.com/aws-backup/latest/devguide/assigning-resources.html",
    terraform="""
resource "aws_backup_selection" "orders" {
  name         = "orders"
  plan_id      = aws_backup_plan.daily.id
  iam_role_arn = "arn:aws:iam::111122223333:role/backup"
  resources    = [aws_dynamodb_table.orders.arn]
}
""",
    cloudformation="""
OrdersBackup:
  Type: AWS::Backup::BackupSelection
  Properties:
    BackupPlanId: !Ref DailyBackup
    BackupSelection:
      SelectionName: orders
      IamRoleArn: arn:aws:iam::111122223333:role/backup
      Resources:
        - !GetAtt Table.Arn
""",
    on=False,
    state_locks=False,
)
def backup_plan(table: Table) -> Verdict:
    """Point-in-time recovery goes back 35 days at most, and is lost with the table's account. A backup plan keeps
    copies for longer, in a vault that an attacker with access to the table cannot empty."""
    return require(
        table.backed_up,
        True,
        "no AWS Backup selection in this input covers the table",
        "an AWS Backup selection covers the table",
    )


def _is_on(recovery: Recovery, what: str) -> Verdict:
    return require(
        recovery.enabled,
        True,
        f"point-in-time recovery is off for {what}",
        f"point-in-time recovery is on for {what}",
    )


def _unless_exempt(table: Table, exempt: tuple[str, ...], verdict: Verdict) -> Verdict:
    """The verdict, unless the table's purpose exempts it. An unknown purpose may."""
    purpose = table.declared.purpose
    if purpose.content is not None and purpose.content in {word.lower() for word in exempt}:
        return not_applicable(f"a table whose purpose is {purpose.shown} can be filled again", purpose)
    if purpose.known or verdict.truth is True:
        return verdict
    return unknown(f"{verdict.note}; its purpose, which may exempt it, is not known", *verdict.evidence, purpose)


def _long_enough(recovery: Recovery, days: int, where: str) -> Verdict:
    if recovery.enabled.known and recovery.enabled.content is not True:
        return not_applicable("point-in-time recovery is off", recovery.enabled)
    period = recovery.days
    if recovery.enabled.known and period.known and (period.content is None or period.content >= days):
        return holds(period)
    verdict = worded(
        period.satisfies(lambda period_days: period_days is None or period_days >= days),
        f"the recovery period{where} must be at least {days} days, but is {_days(period)}",
        f"the recovery period{where} is at least {days} days",
    )
    return when(recovery.enabled.is_true, lambda: verdict, "point-in-time recovery is off")


def _days(period: Value[int]) -> str:
    return f"{period.shown} day" if period.content == 1 else f"{period.shown} days"
