"""What speaks of a table elsewhere in the template: scaling, alarms, consumers, backups, replicas, clusters."""

from __future__ import annotations

from textwrap import indent

import pytest

from support.templates import UNKNOWN, reading, said, tables
from tablegate.model.estate import Estate

HEAD = """
Parameters:
  P: {Type: String}
  Env: {Type: String, AllowedValues: [dev, prod]}
Conditions:
  C: !Equals [!Ref P, a]
Resources:
"""


def estate(resources: str) -> Estate:
    """What is read of these resources, without a fault that blocks."""
    made = reading(HEAD + indent(resources.strip("\n"), "  "))
    assert [fault for fault in made.faults if fault.blocks] == []
    assert made.estate is not None
    return made.estate


ORDERS = "Orders: {Type: 'AWS::DynamoDB::Table', Properties: {TableName: %s}}\n"
GENERATED = "Orders: {Type: 'AWS::DynamoDB::Table'}\n"
TARGET = """
Target:
  Type: AWS::ApplicationAutoScaling::ScalableTarget
  Properties:
    ServiceNamespace: dynamodb
    ResourceId: %s
    ScalableDimension: dynamodb:table:ReadCapacityUnits
    MinCapacity: 5
    MaxCapacity: 50
    ScheduledActions:
      - {ScheduledActionName: night, Schedule: cron(0), ScalableTargetAction: {MinCapacity: 1, MaxCapacity: 2}}
"""
POLICY = """
Policy:
  Type: AWS::ApplicationAutoScaling::ScalingPolicy
  Properties:
    PolicyName: reads
    PolicyType: TargetTrackingScaling
    ScalingTargetId: !Ref Target
    TargetTrackingScalingPolicyConfiguration:
      TargetValue: 70
      DisableScaleIn: "true"
      PredefinedMetricSpecification: {PredefinedMetricType: DynamoDBReadCapacityUtilization}
"""


@pytest.mark.parametrize(
    ("table", "resource_id"),
    [
        (GENERATED, "!Sub 'table/${Orders}'"),
        (GENERATED, "!Join ['/', [table, !Ref Orders]]"),
        (ORDERS % "orders", "table/orders"),
        (ORDERS % "orders", "!Sub 'table/${Orders}'"),
        (ORDERS % "!Sub '${P}-orders'", "!Sub 'table/${P}-orders'"),
        (ORDERS % "!Ref P", "!Join ['', ['table/', !Ref P]]"),
    ],
)
def test_scaling(table: str, resource_id: str) -> None:
    """A target is the table's by reference, by name, or by the same expression."""
    ((target,),) = (it.scaling for it in estate(table + TARGET % resource_id + POLICY).tables)
    assert (target.address, target.dimension, target.index, said(target.minimum), said(target.maximum)) == (
        "Target",
        "read",
        None,
        5,
        50,
    )
    assert (said(target.tracking), said(target.utilisation), said(target.scale_in_disabled)) == (True, 70, True)
    assert [(it.name, said(it.minimum), said(it.maximum)) for it in target.schedules] == [("night", 1, 2)]


def test_scaling_in_one_scenario() -> None:
    """A target that names the table as it is called in one scenario is the table's there."""
    found = estate(ORDERS % "!Sub '${Env}-orders'" + TARGET % "table/prod-orders").tables
    assert [(it.scenario, len(it.scaling)) for it in found] == [({"Env": "dev"}, 0), ({"Env": "prod"}, 1)]


def test_scaling_of_another_table() -> None:
    """A target of another table is not this one's."""
    text = ORDERS % "orders" + GENERATED.replace("Orders", "Carts") + TARGET % "!Sub 'table/${Carts}'"
    assert {it.address: len(it.scaling) for it in estate(text).tables} == {"Orders": 0, "Carts": 1}
    text = ORDERS % "orders" + TARGET % "table/carts"
    assert [(it.scaling, it.scaling_doubt) for it in estate(text).tables] == [((), None)]


@pytest.mark.parametrize(
    ("name", "resource_id", "doubtful"),
    [
        ("orders", "!Ref P", True),
        ("orders", "!Sub 'table/${P}'", True),
        ("orders", "!Sub 'table/${P}-orders'", False),
        ("prod-orders", "!Sub 'table/${P}-orders'", True),
        ("!Sub '${P}-orders'", "table/carts", False),
        ("!Sub '${P}-orders'", "table/prod-orders", True),
        ("orders", "!Sub 'table/${Fleet}'", False),
        ("orders", "!Sub 'service/${P}'", False),
        ("orders", "!ImportValue table", True),
    ],
)
def test_scaling_that_may_be_of_this_table(name: str, resource_id: str, *, doubtful: bool) -> None:
    """Where a target may or may not be the table's, that is said; where it cannot be, nothing is."""
    fleet = "Fleet: {Type: 'AWS::EC2::Fleet', Properties: {}}\n"
    (found,) = estate(ORDERS % name + fleet + TARGET % resource_id).tables
    assert (found.scaling, found.scaling_doubt is not None) == ((), doubtful)


def test_a_made_up_name_is_named_nowhere() -> None:
    """A target that a parameter names is not of a table whose name the service makes up."""
    assert [it.scaling_doubt for it in estate(GENERATED + TARGET % "!Sub 'table/${P}'").tables] == [None]


def test_target_by_condition() -> None:
    """A target that exists in one scenario scales the table there."""
    text = GENERATED + (TARGET % "!Sub 'table/${Orders}'").replace("  Type:", "  Condition: C\n  Type:")
    assert [(it.scenario, len(it.scaling)) for it in estate(text).tables] == [({"C": "true"}, 1), ({"C": "false"}, 0)]


ALARM = """
Alarm:
  Type: AWS::CloudWatch::Alarm
  Properties:
    Namespace: AWS/DynamoDB
    MetricName: ThrottledRequests
    Dimensions: [{Name: TableName, Value: %s}, {Name: GlobalSecondaryIndexName, Value: by-status}]
"""


def test_alarm() -> None:
    """An alarm is a table's by its dimension, and may be an index's."""
    found = estate(GENERATED + ALARM % "!Ref Orders")
    ((alarm,),) = (it.alarms for it in found.tables)
    assert (found.manages_alarms, alarm.address, alarm.metric, alarm.index) == (
        True,
        "Alarm",
        "ThrottledRequests",
        "by-status",
    )


def test_alarms_of_others() -> None:
    """Another namespace, or another table, is not this table's alarm; one that a parameter names may be."""
    other = (ALARM % "!Ref Orders").replace("AWS/DynamoDB", "AWS/Lambda")
    assert [(it.alarms, it.alarms_doubt) for it in estate(GENERATED + other).tables] == [((), None)]
    assert [it.alarms for it in estate(GENERATED + ALARM % "carts").tables] == [()]
    (found,) = estate(ORDERS % "orders" + ALARM % "!Ref P").tables
    assert (found.alarms, found.alarms_doubt is not None) == ((), True)


REPLICA = """
Replica:
  Type: Custom::DynamoDBReplica
  DeletionPolicy: Delete
  Properties: {ServiceToken: t, TableName: %s, Region: eu-west-1}
"""


def test_legacy_replica() -> None:
    """A replica that a custom resource makes is a replica, and is judged for how it is kept."""
    kept = "Orders: {Type: 'AWS::DynamoDB::Table', DeletionPolicy: Retain}\n"
    found = estate(kept + REPLICA % "!Ref Orders")
    ((replica,),) = (it.replicas.content or () for it in found.tables)
    assert (said(replica.region), replica.address, said(replica.recovery.enabled)) == ("eu-west-1", "Replica", False)
    (legacy,) = found.legacy_global_tables
    assert (legacy.address, legacy.custom_resource, legacy.table, said(legacy.table_retained)) == (
        "Replica",
        True,
        "Orders",
        True,
    )
    assert said(legacy.deletion_policy) == "Delete"


def test_legacy_replica_of_a_table_elsewhere() -> None:
    """Whether a table is kept that is not in the template is not known."""
    (legacy,) = estate(GENERATED + REPLICA % "!Ref P").legacy_global_tables
    assert (legacy.table, said(legacy.table_retained)) == (None, UNKNOWN)


DAX = "IAMRoleARN: r, NodeType: dax.r5.large, ReplicationFactor: 3"


@pytest.mark.parametrize(
    ("properties", "encrypted", "in_transit"),
    [
        ("", False, "NONE"),
        (", SSESpecification: {SSEEnabled: true}, ClusterEndpointEncryptionType: TLS", True, "TLS"),
        (", SSESpecification: {}, ClusterEndpointEncryptionType: !Ref P", False, UNKNOWN),
        (", SSESpecification: !Ref P", UNKNOWN, "NONE"),
    ],
)
def test_dax_cluster(properties: str, encrypted: object, in_transit: object) -> None:
    """A DAX cluster is encrypted, or is not."""
    (cluster,) = estate(f"Cache: {{Type: 'AWS::DAX::Cluster', Properties: {{{DAX}{properties}}}}}\n").dax_clusters
    assert (cluster.address, said(cluster.encrypted), said(cluster.in_transit)) == ("Cache", encrypted, in_transit)


def test_dax_cluster_by_condition() -> None:
    """A cluster has its scenarios as a table has."""
    encryption = "SSESpecification: {SSEEnabled: !If [C, true, false]}"
    text = f"Cache: {{Type: 'AWS::DAX::Cluster', Properties: {{{DAX}, {encryption}}}}}\n"
    found = [(it.scenario, said(it.encrypted)) for it in estate(text).dax_clusters]
    assert found == [({"C": "true"}, True), ({"C": "false"}, False)]


def test_nothing_managed() -> None:
    """A template with tables alone manages nothing else."""
    found = estate(GENERATED)
    assert (found.manages_alarms, found.manages_consumers, found.manages_backups) == (False, False, False)
    assert tables(HEAD + "  Orders: {Type: 'AWS::DynamoDB::Table'}\n")[0].estate is not None
