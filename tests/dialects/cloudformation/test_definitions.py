"""Templates that AWS's schemas refuse."""

from __future__ import annotations

from textwrap import indent

import pytest

from support.templates import reading, template

GLOBAL, SIMPLE = "AWS::DynamoDB::GlobalTable", "AWS::Serverless::SimpleTable"
KEY = "KeySchema: [{AttributeName: id, KeyType: HASH}]\nAttributeDefinitions: [{AttributeName: id, AttributeType: S}]"
TARGET = """
X:
  Type: AWS::ApplicationAutoScaling::ScalableTarget
  Properties: {ResourceId: table/orders, ScalableDimension: 'dynamodb:table:ReadCapacityUnits', %s}
"""
SCALED = "ServiceNamespace: dynamodb, MinCapacity: 1, MaxCapacity: 9"
POLICY = """
P:
  Type: AWS::ApplicationAutoScaling::ScalingPolicy
  Properties: {PolicyName: p, PolicyType: TargetTrackingScaling, ScalingTargetId: !Ref X, %s}
"""
TRACKING = "TargetTrackingScalingPolicyConfiguration: {%s}"
METRIC = "PredefinedMetricSpecification: {PredefinedMetricType: %s}"


def told(text: str) -> list[tuple[str, bool, str]]:
    """The faults of a template: code, whether they block, and message."""
    return [
        (it.code.value, it.blocks, it.message.removeprefix("Resources/").replace("/Properties", ""))
        for it in reading(text).faults
    ]


def refused(properties: str, type_: str = "AWS::DynamoDB::Table", head: str = "") -> list[str]:
    """What is refused of a table with these properties."""
    head = "Transform: AWS::Serverless-2016-10-31" if type_ == SIMPLE else head
    own = "" if type_ == SIMPLE else KEY + "\n"
    faults = told(template(own + properties, head, type_))
    assert {(code, blocks) for code, blocks, _ in faults} <= {("TG001", True)}
    return [message.removeprefix("Orders").removeprefix("/") for _, _, message in faults]


def beside(*resources: str) -> list[str]:
    """What is refused of resources beside a table."""
    text = template(KEY, "Parameters: {P: {Type: String}}") + "".join(indent(it, "  ") for it in resources)
    return [message for _, _, message in told(text)]


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ("SSESpecification: {SSEType: KMS}", "SSESpecification: SSEEnabled is required"),
        ("SSESpecification: {SSEEnabled: !Ref AWS::NoValue}", "SSESpecification: SSEEnabled is required"),
        (
            "SSESpecification: {SSEEnabled: true, SSEType: AES256}",
            "SSESpecification/SSEType: 'AES256' is not one of KMS",
        ),
        (
            "PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 36}",
            "PointInTimeRecoverySpecification/RecoveryPeriodInDays: must be 1 to 35, not 36",
        ),
        (
            "TableClass: GLACIER",
            "TableClass: 'GLACIER' is not one of STANDARD, STANDARD_INFREQUENT_ACCESS",
        ),
        ("ImportSourceSpecification: {InputFormat: CSV}", "ImportSourceSpecification: S3BucketSource is required"),
        ("KinesisStreamSpecification: {}", "KinesisStreamSpecification: StreamArn is required"),
        ("TimeToLiveSpecification: {AttributeName: x}", "TimeToLiveSpecification: Enabled is required"),
        ("ContributorInsightsSpecification: {}", "ContributorInsightsSpecification: Enabled is required"),
        ("Tags: [{Key: a}]", "Tags/0: Value is required"),
        ("VectorIndexes: []", "VectorIndexes: must have 1 or more items, not 0"),
        ("DeletionProtectionEnabled: [true]", "DeletionProtectionEnabled: must be true or false, not a list"),
        ("StreamSpecification: {StreamViewType: BOTH}", "StreamSpecification/StreamViewType: 'BOTH' is not one of "),
    ],
)
def test_tables(properties: str, message: str) -> None:
    """Closed sets, limits and required members of a table."""
    (found,) = refused(properties)
    assert found.startswith(message)


@pytest.mark.parametrize(
    "properties",
    [
        "SSESpecification: {SSEEnabled: !Ref P}",
        "SSESpecification: !Ref P",
        "TableClass: !Ref P",
        "SSESpecification: {SSEEnabled: true, KMSMasterKeyId: k}",
        "PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: '35'}",
        "OnDemandThroughput: {MaxReadRequestUnits: -1}",
        "TableClass: !Ref AWS::NoValue",
        "TableClass:",
        "Tags: [!Ref AWS::NoValue, {Key: a, Value: 1}, !If [C, {Key: b, Value: c}, !Ref AWS::NoValue]]",
    ],
)
def test_sound_tables(properties: str) -> None:
    """What is not known may be right, and what is absent is not there."""
    assert refused(properties, head="Parameters: {P: {Type: String}}\nConditions: {C: !Equals [!Ref P, x]}") == []


def test_scenarios() -> None:
    """A member that only some scenarios refuse, and those of the tables stay as they are."""
    head = "Parameters: {P: {Type: String}}\nConditions: {C: !Equals [!Ref P, x]}"
    assert refused("ImportSourceSpecification: !If [C, {InputFormat: CSV}, !Ref AWS::NoValue]", head=head) == [
        "ImportSourceSpecification/Fn::If/1: S3BucketSource is required"
    ]
    text = template(f"{KEY}\nTags: [{{Key: !If [C, a, b], Value: v}}]\nTableClass: !If [C, STANDARD, ODD]", head)
    assert [message for _, _, message in told(text)] == [
        "Orders/TableClass/Fn::If/2: 'ODD' is not one of STANDARD, STANDARD_INFREQUENT_ACCESS"
    ]


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ("Replicas: [{TableClass: GLACIER, Region: a}]", "Replicas/0/TableClass: 'GLACIER' is not one of STANDARD"),
        ("Replicas: [{}]", "Replicas/0: Region is required"),
        ("Replicas: [{Region: a}, {Region: a}]", "Replicas: two items of the list are equal"),
        ("Replicas: [{Region: a, SSESpecification: {}}]", "Replicas/0/SSESpecification: KMSMasterKeyId is required"),
        (
            "Replicas: [{Region: a}]\nWriteProvisionedThroughputSettings: "
            "{WriteCapacityAutoScalingSettings: {MinCapacity: 0, MaxCapacity: 9, "
            "TargetTrackingScalingPolicyConfiguration: {TargetValue: 70}}}",
            "WriteProvisionedThroughputSettings/WriteCapacityAutoScalingSettings/MinCapacity: must be 1 or more, not 0",
        ),
    ],
)
def test_global_tables(properties: str, message: str) -> None:
    """Members of global tables and of their replicas."""
    (found,) = refused(properties, GLOBAL)
    assert found.startswith(message)


@pytest.mark.parametrize(
    ("properties", "messages"),
    [
        ("PrimaryKey: {Name: id}", ["PrimaryKey: Type is required"]),
        ("SSESpecification: {KMSMasterKeyId: k}", ["SSESpecification: SSEEnabled is required"]),
        ("ProvisionedThroughput: {}", []),
        ("Tags: {a: b}\nPrimaryKey: {Type: String}", []),
    ],
)
def test_simple_tables(properties: str, messages: list[str]) -> None:
    """SAM requires the type of a key; what is empty is absent to it."""
    assert refused(properties, SIMPLE) == messages


def test_a_member_that_is_newer_is_said() -> None:
    """AWS adds members: one that no schema has does not block."""
    ((code, blocks, message),) = told(template(f"{KEY}\nStreamSpecification: {{StreamViewType: KEYS_ONLY, Speed: 1}}"))
    assert (code, blocks) == ("TG002", False)
    assert message.startswith(
        "Orders/StreamSpecification/Speed: Speed is not in AWS's schema of AWS::DynamoDB::Table as"
    )


def test_scaling() -> None:
    """Targets and policies of tables."""
    assert beside(TARGET % SCALED) == []
    assert beside(TARGET % SCALED.replace("dynamodb", "ecs")) == ["X/ServiceNamespace: 'ecs' is not one of dynamodb"]
    assert beside(TARGET % SCALED.replace("MinCapacity: 1, ", "")) == ["X: MinCapacity is required"]
    target = TARGET % SCALED
    metric = METRIC % "DynamoDBReadCapacityUtilization"
    assert beside(target, POLICY % TRACKING % f"TargetValue: 70, {metric}") == []
    assert beside(target, POLICY % TRACKING % metric) == [
        "P/TargetTrackingScalingPolicyConfiguration: TargetValue is required"
    ]
    assert beside(target, POLICY % TRACKING % "TargetValue: 70") == [
        "P/TargetTrackingScalingPolicyConfiguration: exactly one of PredefinedMetricSpecification and "
        "CustomizedMetricSpecification is required"
    ]
    (found,) = beside(target, POLICY % TRACKING % f"TargetValue: 70, {METRIC % 'ECSServiceAverageCPUUtilization'}")
    assert "'ECSServiceAverageCPUUtilization' is not one of DynamoDBRead" in found


def test_what_is_about_no_table_is_left_alone() -> None:
    """Targets of other services, alarms on other metrics, and keys of something else."""
    service = "\nX:\n  Type: AWS::ApplicationAutoScaling::ScalableTarget\n  Properties: {ResourceId: service/x/y}\n"
    policy = "\nP:\n  Type: AWS::ApplicationAutoScaling::ScalingPolicy\n  Properties: {ScalingTargetId: !Ref X}\n"
    alarm = "\nA:\n  Type: AWS::CloudWatch::Alarm\n  Properties: {Namespace: AWS/Lambda, Statistic: Odd}\n"
    key = "\nK:\n  Type: AWS::KMS::Key\n  Properties: {KeySpec: ODD}\n"
    assert beside(service, policy, alarm, key) == []


def test_keys_streams_alarms_and_clusters() -> None:
    """What encrypts, watches and serves a table."""
    alarm = "\n  A:\n    Type: AWS::CloudWatch::Alarm\n    Properties: {Namespace: AWS/DynamoDB, Statistic: Odd}\n"
    cluster = "\n  C:\n    Type: AWS::DAX::Cluster\n    Properties: {IAMRoleARN: r, NodeType: n}\n"
    key = "\n  K:\n    Type: AWS::KMS::Key\n    Properties: {PendingWindowInDays: 3}\n"
    stream = "\n  S:\n    Type: AWS::Kinesis::Stream\n    Properties: {StreamEncryption: {EncryptionType: KMS}}\n"
    own = "SSESpecification: {SSEEnabled: true, KMSMasterKeyId: !GetAtt K.Arn}"
    sent = "KinesisStreamSpecification: {StreamArn: !GetAtt S.Arn}"
    faults = told(template(f"{KEY}\n{own}\n{sent}") + alarm + cluster + key + stream)
    assert [message for _, _, message in faults] == [
        "C: ReplicationFactor is required",
        "A/Statistic: 'Odd' is not one of Average, Maximum, Minimum, SampleCount, Sum",
        "A: exactly one of Metrics, MetricName and EvaluationCriteria is required",
        "K/PendingWindowInDays: must be 7 to 30, not 3",
        "S/StreamEncryption: KeyId is required",
    ]
