"""``AWS::DynamoDB::GlobalTable``: the table, its replicas, and the scaling that it keeps inside."""

from __future__ import annotations

from typing import Any

import pytest

from support.templates import UNKNOWN, reading, said, table, template
from tablegate.model.table import KeyOwner, Table, TableKind

HEAD = "Parameters: {P: {Type: String}}"


def global_table(properties: str, **options: Any) -> Table:
    """The one global table with these properties."""
    return table(template(properties, HEAD, "AWS::DynamoDB::GlobalTable"), **options)


TWO = """
Replicas:
  - {Region: us-east-1, DeletionProtectionEnabled: true}
  - {Region: eu-west-1, PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: true}}
"""


@pytest.mark.parametrize(
    ("region", "home", "protected", "replicas"),
    [
        (None, "us-east-1", True, ["eu-west-1"]),
        ("eu-west-1", "eu-west-1", False, ["us-east-1"]),
        ("us-east-1", "us-east-1", True, ["eu-west-1"]),
    ],
)
def test_which_replica_is_the_table(region: str | None, home: str, *, protected: bool, replicas: list[str]) -> None:
    """The entry of the stack's own region is the table, else the first; the others are its replicas."""
    found = global_table(TWO, region=region)
    assert (said(found.region), said(found.deletion_protection), found.kind) == (home, protected, TableKind.GLOBAL)
    assert [said(it.region) for it in found.replicas.content or ()] == replicas


@pytest.mark.parametrize(
    ("replicas", "region", "told"),
    [
        ("[{Region: us-east-1}, {Region: eu-west-1}]", "ap-south-1", True),
        ("[{Region: us-east-1}]", "us-east-2", True),
        ("[{Region: us-east-1}, {Region: eu-west-1}]", "eu-west-1", False),
        ("[{Region: us-east-1}, {Region: !Ref AWS::Region}]", "ap-south-1", False),
        ("[{Region: us-east-1}, {Region: !Ref P}]", "ap-south-1", False),
        ("[{Region: us-east-1}]", None, False),
    ],
)
def test_the_stacks_own_region_must_be_among_them(replicas: str, region: str | None, told: bool) -> None:
    """The service refuses the table otherwise, in the middle of the deploy."""
    made = reading(template(f"Replicas: {replicas}", HEAD, "AWS::DynamoDB::GlobalTable"), region=region)
    messages = [fault.message for fault in made.faults if fault.blocks]
    assert any("the region of the stack" in message for message in messages) is told


def test_entry_for_the_region_of_the_stack() -> None:
    """The entry with the stack's region is the table, at any position."""
    found = global_table("Replicas: [{Region: us-east-1}, {Region: !Ref AWS::Region, DeletionProtectionEnabled: true}]")
    assert (said(found.deletion_protection), said(found.region)) == (True, UNKNOWN)
    assert [said(it.region) for it in found.replicas.content or ()] == ["us-east-1"]


def test_one_region() -> None:
    """With one entry it is a table like any other."""
    found = global_table("Replicas: [{Region: us-east-1}]")
    assert (found.kind, said(found.replicas)) == (TableKind.REGIONAL, ())


REPLICA = """
SSESpecification: {SSEEnabled: true, SSEType: KMS}
Replicas:
  - Region: us-east-1
    SSESpecification: {KMSMasterKeyId: arn:aws:kms:us-east-1:123456789012:key/a}
  - Region: eu-west-1
    DeletionProtectionEnabled: true
    PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 7}
    TableClass: STANDARD_INFREQUENT_ACCESS
    Tags: [{Key: a, Value: b}]
    ContributorInsightsSpecification: {Enabled: true}
    ResourcePolicy: {PolicyDocument: {}}
    ReadProvisionedThroughputSettings: {ReadCapacityUnits: 5}
    ReadOnDemandThroughputSettings: {MaxReadRequestUnits: 6}
    SSESpecification: {KMSMasterKeyId: arn:aws:kms:us-east-1:123456789012:key/a}
    KinesisStreamSpecification: {StreamArn: arn:aws:kinesis:eu-west-1:123456789012:stream/s}
"""


def test_replica() -> None:
    """A replica has its own regional settings."""
    (found,) = global_table(REPLICA).replicas.content or ()
    assert [
        said(value)
        for value in (
            found.deletion_protection,
            found.recovery.enabled,
            found.recovery.days,
            found.table_class,
            found.tags,
            found.insights,
            found.policy,
            found.read_capacity,
            found.max_read,
            found.encryption.owner,
            found.encryption.key_region,
        )
    ] == [True, True, 7, "STANDARD_INFREQUENT_ACCESS", {"a": "b"}, True, "{}", 5, 6, KeyOwner.CUSTOMER, "us-east-1"]
    assert [said(it.stream) for it in found.destinations] == ["arn:aws:kinesis:eu-west-1:123456789012:stream/s"]


def test_table_itself_is_not_protected_by_its_replica() -> None:
    """Settings of a replica do not apply to the table."""
    found = global_table(REPLICA)
    assert (said(found.deletion_protection), said(found.recovery.enabled), said(found.tags)) == (False, False, {})


def test_key_needs_encryption() -> None:
    """Encryption is turned on for all regions at the top; a key alone does nothing."""
    found = global_table("Replicas: [{Region: us-east-1, SSESpecification: {KMSMasterKeyId: k}}]")
    assert said(found.encryption.owner) == KeyOwner.AWS_OWNED
    found = global_table("SSESpecification: {SSEEnabled: true}\nReplicas: [{Region: us-east-1}]")
    assert said(found.encryption.owner) == KeyOwner.AWS_MANAGED


SCALING = """
BillingMode: PROVISIONED
WriteProvisionedThroughputSettings:
  WriteCapacityAutoScalingSettings:
    MinCapacity: 1
    MaxCapacity: 10
    TargetTrackingScalingPolicyConfiguration: {TargetValue: 70.5, DisableScaleIn: true}
GlobalSecondaryIndexes:
  - IndexName: i
    KeySchema: [{AttributeName: x, KeyType: HASH}]
    WriteProvisionedThroughputSettings:
      WriteCapacityAutoScalingSettings:
        {MinCapacity: 2, MaxCapacity: 20, TargetTrackingScalingPolicyConfiguration: {TargetValue: 60}}
    WriteOnDemandThroughputSettings: {MaxWriteRequestUnits: 9}
WriteOnDemandThroughputSettings: {MaxWriteRequestUnits: 8}
Replicas:
  - Region: us-east-1
    ReadProvisionedThroughputSettings: {ReadCapacityUnits: 5}
    ReadOnDemandThroughputSettings: {MaxReadRequestUnits: 7}
    GlobalSecondaryIndexes:
      - IndexName: i
        ReadProvisionedThroughputSettings: {ReadCapacityUnits: 4}
        ReadOnDemandThroughputSettings: {MaxReadRequestUnits: 6}
        ContributorInsightsSpecification: {Enabled: true}
  - Region: eu-west-1
    ReadProvisionedThroughputSettings:
      ReadCapacityAutoScalingSettings:
        {MinCapacity: 3, MaxCapacity: 30, TargetTrackingScalingPolicyConfiguration: {TargetValue: 50}}
    GlobalSecondaryIndexes:
      - IndexName: i
        ReadProvisionedThroughputSettings:
          ReadCapacityAutoScalingSettings:
            {MinCapacity: 4, MaxCapacity: 40, TargetTrackingScalingPolicyConfiguration: {TargetValue: 50}}
"""


def test_scaling_inside() -> None:
    """The scaling in a global table's own settings: writes for all regions, reads for each, indexes too."""
    found = global_table(SCALING)
    targets = {
        (it.dimension, it.index, it.region): (said(it.minimum), said(it.maximum), said(it.tracking))
        for it in found.scaling
    }
    assert targets == {
        ("write", None, None): (1, 10, True),
        ("write", "i", None): (2, 20, True),
        ("read", None, "eu-west-1"): (3, 30, True),
        ("read", "i", "eu-west-1"): (4, 40, True),
    }
    assert (said(found.scaling[0].utilisation), said(found.scaling[0].scale_in_disabled)) == (70.5, True)


def test_capacity() -> None:
    """The fixed numbers of the table's own region."""
    found = global_table(SCALING)
    (index,) = found.indexes.content or ()
    values = (
        found.capacity.read,
        found.capacity.write,
        found.on_demand.read,
        found.on_demand.write,
        index.capacity.read,
        index.on_demand.read,
        index.on_demand.write,
        index.insights,
    )
    assert [said(value) for value in values] == [5, None, 7, 8, 4, 6, 9, True]


def test_table_over_several_accounts() -> None:
    """Its read capacity is in the shared settings, and it has a source table."""
    properties = """
    GlobalTableSourceArn: arn:aws:dynamodb:eu-west-1:123456789012:table/orders
    ReadProvisionedThroughputSettings: {ReadCapacityAutoScalingSettings: {MinCapacity: 1, MaxCapacity: 2}}
    ReadOnDemandThroughputSettings: {MaxReadRequestUnits: 3}
    Replicas: [{Region: us-east-1, GlobalTableSettingsReplicationMode: ENABLED}]
    """
    found = global_table(properties)
    assert said(found.source_table) == "arn:aws:dynamodb:eu-west-1:123456789012:table/orders"
    assert (said(found.settings_replication), said(found.on_demand.read)) == ("ENABLED", 3)
    assert [(it.dimension, said(it.maximum)) for it in found.scaling] == [("read", 2)]


def test_consistency() -> None:
    """Strong consistency, and its witness."""
    properties = """
    MultiRegionConsistency: STRONG
    GlobalTableWitnesses: [{Region: us-east-2}]
    Replicas: [{Region: us-east-1}]
    """
    found = global_table(properties)
    assert (said(found.consistency), said(found.witness_region)) == ("STRONG", "us-east-2")


def test_stream_policy_of_the_region() -> None:
    """The stream is the table's, its policy the region's."""
    properties = """
    StreamSpecification: {StreamViewType: NEW_IMAGE}
    Replicas: [{Region: us-east-1, ReplicaStreamSpecification: {ResourcePolicy: {PolicyDocument: {a: 1}}}}]
    """
    found = global_table(properties)
    assert (said(found.stream.view), said(found.stream.policy)) == ("NEW_IMAGE", '{"a": 1}')


@pytest.mark.parametrize("replicas", ["!Ref P", "[!Ref P]"])
def test_replicas_that_are_not_known(replicas: str) -> None:
    """If the regions are unknown, all regional settings are unknown."""
    found = global_table(f"Replicas: {replicas}\nTimeToLiveSpecification: {{Enabled: true}}")
    values = (found.replicas, found.deletion_protection, found.recovery.enabled, found.tags, found.table_class)
    assert {said(value) for value in values} == {UNKNOWN}
    assert said(found.ttl.enabled) is True


@pytest.mark.parametrize(
    "properties", ["Replicas: []", "Replicas: text", "Replicas: [text]", "BillingMode: PROVISIONED"]
)
def test_no_replicas(properties: str) -> None:
    """A global table without regions cannot be deployed."""
    made = reading(template(properties, HEAD, "AWS::DynamoDB::GlobalTable"))
    assert [fault.blocks for fault in made.faults] == [True]


def test_replica_by_condition() -> None:
    """A replica that exists in one scenario is in that scenario's table."""
    text = template(
        "Replicas: [{Region: us-east-1}, !If [Two, {Region: eu-west-1}, !Ref AWS::NoValue]]",
        "Parameters: {P: {Type: String}}\nConditions: {Two: !Equals [!Ref P, a]}",
        "AWS::DynamoDB::GlobalTable",
    )
    estate = reading(text).estate
    assert estate is not None
    assert [(it.scenario, it.kind) for it in estate.tables] == [
        ({"Two": "true"}, TableKind.GLOBAL),
        ({"Two": "false"}, TableKind.REGIONAL),
    ]
