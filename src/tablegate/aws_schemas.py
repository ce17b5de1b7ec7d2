"""What AWS's schemas let a resource hold. Written by fixtures/make_schema_data.py: do not edit.

From cfn-lint 1.58.0 (MIT-0), schemas as of 2026-10-20. Where tablegate leaves them stands in
fixtures/schemas/deviations.toml.

One member a line: its path, with `!` if it is required and `[]` for the items of a list; its kind; the words of a
closed set, or the limits of a number, of a text's length or of a list's items. `unique` is a list without equal items,
`needs:` the members that must be beside it, `some:` those of which a map has at least one, `one:` exactly one.
"""

SCHEMAS_AS_OF = "2026-10-20"

SCHEMAS = {
    "AWS::DynamoDB::Table": """\
. map
Arn text
AttributeDefinitions any
BillingMode text PAY_PER_REQUEST|PROVISIONED
ContributorInsightsSpecification map
ContributorInsightsSpecification.Enabled! flag
ContributorInsightsSpecification.Mode text ACCESSED_AND_THROTTLED_KEYS|THROTTLED_KEYS
DeletionProtectionEnabled flag
GlobalSecondaryIndexes list
GlobalSecondaryIndexes[] map
GlobalSecondaryIndexes[].ContributorInsightsSpecification map
GlobalSecondaryIndexes[].ContributorInsightsSpecification.Enabled! flag
GlobalSecondaryIndexes[].ContributorInsightsSpecification.Mode text ACCESSED_AND_THROTTLED_KEYS|THROTTLED_KEYS
GlobalSecondaryIndexes[].IndexName! text
GlobalSecondaryIndexes[].KeySchema any
GlobalSecondaryIndexes[].OnDemandThroughput map
GlobalSecondaryIndexes[].OnDemandThroughput.MaxReadRequestUnits whole
GlobalSecondaryIndexes[].OnDemandThroughput.MaxWriteRequestUnits whole
GlobalSecondaryIndexes[].Projection map
GlobalSecondaryIndexes[].Projection.NonKeyAttributes list
GlobalSecondaryIndexes[].Projection.NonKeyAttributes[] text
GlobalSecondaryIndexes[].Projection.ProjectionType text ALL|INCLUDE|KEYS_ONLY
GlobalSecondaryIndexes[].ProvisionedThroughput map
GlobalSecondaryIndexes[].ProvisionedThroughput.ReadCapacityUnits! whole
GlobalSecondaryIndexes[].ProvisionedThroughput.WriteCapacityUnits! whole
GlobalSecondaryIndexes[].WarmThroughput map some:ReadUnitsPerSecond,WriteUnitsPerSecond
GlobalSecondaryIndexes[].WarmThroughput.ReadUnitsPerSecond whole
GlobalSecondaryIndexes[].WarmThroughput.WriteUnitsPerSecond whole
ImportSourceSpecification map
ImportSourceSpecification.InputCompressionType text GZIP|NONE|ZSTD
ImportSourceSpecification.InputFormat! text CSV|DYNAMODB_JSON|ION
ImportSourceSpecification.InputFormatOptions map
ImportSourceSpecification.InputFormatOptions.Csv map
ImportSourceSpecification.InputFormatOptions.Csv.Delimiter text
ImportSourceSpecification.InputFormatOptions.Csv.HeaderList list unique
ImportSourceSpecification.InputFormatOptions.Csv.HeaderList[] text
ImportSourceSpecification.S3BucketSource! map
ImportSourceSpecification.S3BucketSource.S3Bucket! text
ImportSourceSpecification.S3BucketSource.S3BucketOwner text
ImportSourceSpecification.S3BucketSource.S3KeyPrefix text
KeySchema any
KinesisStreamSpecification map
KinesisStreamSpecification.ApproximateCreationDateTimePrecision text MICROSECOND|MILLISECOND
KinesisStreamSpecification.StreamArn! text
LocalSecondaryIndexes list
LocalSecondaryIndexes[] map
LocalSecondaryIndexes[].IndexName! text
LocalSecondaryIndexes[].KeySchema any
LocalSecondaryIndexes[].Projection map
LocalSecondaryIndexes[].Projection.NonKeyAttributes list
LocalSecondaryIndexes[].Projection.NonKeyAttributes[] text
LocalSecondaryIndexes[].Projection.ProjectionType text ALL|INCLUDE|KEYS_ONLY
OnDemandThroughput map
OnDemandThroughput.MaxReadRequestUnits whole
OnDemandThroughput.MaxWriteRequestUnits whole
PointInTimeRecoverySpecification map needs:RecoveryPeriodInDays:PointInTimeRecoveryEnabled
PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled flag
PointInTimeRecoverySpecification.RecoveryPeriodInDays whole 1..35
ProvisionedThroughput map
ProvisionedThroughput.ReadCapacityUnits! whole
ProvisionedThroughput.WriteCapacityUnits! whole
ResourcePolicy map
ResourcePolicy.PolicyDocument any
SSESpecification map
SSESpecification.KMSMasterKeyId text
SSESpecification.SSEEnabled! flag
SSESpecification.SSEType text KMS
StreamArn text
StreamSpecification map
StreamSpecification.ResourcePolicy map
StreamSpecification.ResourcePolicy.PolicyDocument any
StreamSpecification.StreamViewType text KEYS_ONLY|NEW_AND_OLD_IMAGES|NEW_IMAGE|OLD_IMAGE
StreamSpecification.Tags list unique
StreamSpecification.Tags[] map
StreamSpecification.Tags[].Key! text 1..128
StreamSpecification.Tags[].Value! text 0..256
TableClass text STANDARD|STANDARD_INFREQUENT_ACCESS
TableName text
Tags list
Tags[] map
Tags[].Key! text 1..128
Tags[].Value! text 0..256
TimeToLiveSpecification map
TimeToLiveSpecification.AttributeName text
TimeToLiveSpecification.Enabled! flag
VectorIndexes list 1.. unique
VectorIndexes[] map
VectorIndexes[].Dimensions! whole 1..4096
VectorIndexes[].DistanceFunction! text COSINE|DOT_PRODUCT|EUCLIDEAN
VectorIndexes[].IndexName! text
VectorIndexes[].Projection! map
VectorIndexes[].Projection.NonKeyAttributes list 0..
VectorIndexes[].Projection.NonKeyAttributes[] text 1..255
VectorIndexes[].Projection.ProjectionType text ALL|INCLUDE|KEYS_ONLY
VectorIndexes[].SearchSchema list 1.. unique
VectorIndexes[].SearchSchema[] map
VectorIndexes[].SearchSchema[].AttributeName! text 0..65535
VectorIndexes[].SearchSchema[].SearchSchemaElementType! text HASH|INLINE_FILTER
VectorIndexes[].VectorAttribute! map
VectorIndexes[].VectorAttribute.AttributeName! text 1..255
WarmThroughput map some:ReadUnitsPerSecond,WriteUnitsPerSecond
WarmThroughput.ReadUnitsPerSecond whole
WarmThroughput.WriteUnitsPerSecond whole
""",
    "AWS::DynamoDB::GlobalTable": """\
. map
Arn text
AttributeDefinitions any
BillingMode text PAY_PER_REQUEST|PROVISIONED
GlobalSecondaryIndexes list
GlobalSecondaryIndexes[] map
GlobalSecondaryIndexes[].IndexName! text
GlobalSecondaryIndexes[].KeySchema any
GlobalSecondaryIndexes[].Projection map
GlobalSecondaryIndexes[].Projection.NonKeyAttributes list
GlobalSecondaryIndexes[].Projection.NonKeyAttributes[] text
GlobalSecondaryIndexes[].Projection.ProjectionType text ALL|INCLUDE|KEYS_ONLY
GlobalSecondaryIndexes[].ReadOnDemandThroughputSettings map
GlobalSecondaryIndexes[].ReadOnDemandThroughputSettings.MaxReadRequestUnits whole
GlobalSecondaryIndexes[].ReadProvisionedThroughputSettings map
GlobalSecondaryIndexes[].ReadProvisionedThroughputSettings.ReadCapacityUnits whole
GlobalSecondaryIndexes[].WarmThroughput map some:ReadUnitsPerSecond,WriteUnitsPerSecond
GlobalSecondaryIndexes[].WarmThroughput.ReadUnitsPerSecond whole
GlobalSecondaryIndexes[].WarmThroughput.WriteUnitsPerSecond whole
GlobalSecondaryIndexes[].WriteOnDemandThroughputSettings map
GlobalSecondaryIndexes[].WriteOnDemandThroughputSettings.MaxWriteRequestUnits whole
GlobalSecondaryIndexes[].WriteProvisionedThroughputSettings map
GlobalSecondaryIndexes[].WriteProvisionedThroughputSettings.WriteCapacityAutoScalingSettings map
GlobalSecondaryIndexes[].WriteProvisionedThroughputSettings.WriteCapacityAutoScalingSettings.MaxCapacity! whole 1..
GlobalSecondaryIndexes[].WriteProvisionedThroughputSettings.WriteCapacityAutoScalingSettings.MinCapacity! whole 1..
GlobalSecondaryIndexes[].WriteProvisionedThroughputSettings.WriteCapacityAutoScalingSettings.SeedCapacity whole 1..
GlobalSecondaryIndexes[].WriteProvisionedThroughputSettings.WriteCapacityAutoScalingSettings.TargetTrackingScalingPolicyConfiguration! map
GlobalSecondaryIndexes[].WriteProvisionedThroughputSettings.WriteCapacityAutoScalingSettings.TargetTrackingScalingPolicyConfiguration.DisableScaleIn flag
GlobalSecondaryIndexes[].WriteProvisionedThroughputSettings.WriteCapacityAutoScalingSettings.TargetTrackingScalingPolicyConfiguration.ScaleInCooldown whole 0..
GlobalSecondaryIndexes[].WriteProvisionedThroughputSettings.WriteCapacityAutoScalingSettings.TargetTrackingScalingPolicyConfiguration.ScaleOutCooldown whole 0..
GlobalSecondaryIndexes[].WriteProvisionedThroughputSettings.WriteCapacityAutoScalingSettings.TargetTrackingScalingPolicyConfiguration.TargetValue! number
GlobalTableSourceArn text 1..1024
GlobalTableWitnesses list 1..1 unique
GlobalTableWitnesses[] map
GlobalTableWitnesses[].Region text
KeySchema any
LocalSecondaryIndexes list
LocalSecondaryIndexes[] map
LocalSecondaryIndexes[].IndexName! text
LocalSecondaryIndexes[].KeySchema any
LocalSecondaryIndexes[].Projection map
LocalSecondaryIndexes[].Projection.NonKeyAttributes list
LocalSecondaryIndexes[].Projection.NonKeyAttributes[] text
LocalSecondaryIndexes[].Projection.ProjectionType text ALL|INCLUDE|KEYS_ONLY
MultiRegionConsistency text EVENTUAL|STRONG
ReadOnDemandThroughputSettings map
ReadOnDemandThroughputSettings.MaxReadRequestUnits whole
ReadProvisionedThroughputSettings map
ReadProvisionedThroughputSettings.ReadCapacityUnits whole
Replicas list 1.. unique
Replicas[] map
Replicas[].ContributorInsightsSpecification map
Replicas[].ContributorInsightsSpecification.Enabled! flag
Replicas[].ContributorInsightsSpecification.Mode text ACCESSED_AND_THROTTLED_KEYS|THROTTLED_KEYS
Replicas[].DeletionProtectionEnabled flag
Replicas[].DisassociationProtectionEnabled flag
Replicas[].GlobalSecondaryIndexes list unique
Replicas[].GlobalSecondaryIndexes[] map
Replicas[].GlobalSecondaryIndexes[].ContributorInsightsSpecification map
Replicas[].GlobalSecondaryIndexes[].ContributorInsightsSpecification.Enabled! flag
Replicas[].GlobalSecondaryIndexes[].ContributorInsightsSpecification.Mode text ACCESSED_AND_THROTTLED_KEYS|THROTTLED_KEYS
Replicas[].GlobalSecondaryIndexes[].IndexName! text
Replicas[].GlobalSecondaryIndexes[].ReadOnDemandThroughputSettings map
Replicas[].GlobalSecondaryIndexes[].ReadOnDemandThroughputSettings.MaxReadRequestUnits whole
Replicas[].GlobalSecondaryIndexes[].ReadProvisionedThroughputSettings map
Replicas[].GlobalSecondaryIndexes[].ReadProvisionedThroughputSettings.ReadCapacityAutoScalingSettings map
Replicas[].GlobalSecondaryIndexes[].ReadProvisionedThroughputSettings.ReadCapacityAutoScalingSettings.MaxCapacity! whole 1..
Replicas[].GlobalSecondaryIndexes[].ReadProvisionedThroughputSettings.ReadCapacityAutoScalingSettings.MinCapacity! whole 1..
Replicas[].GlobalSecondaryIndexes[].ReadProvisionedThroughputSettings.ReadCapacityAutoScalingSettings.SeedCapacity whole 1..
Replicas[].GlobalSecondaryIndexes[].ReadProvisionedThroughputSettings.ReadCapacityAutoScalingSettings.TargetTrackingScalingPolicyConfiguration! map
Replicas[].GlobalSecondaryIndexes[].ReadProvisionedThroughputSettings.ReadCapacityAutoScalingSettings.TargetTrackingScalingPolicyConfiguration.DisableScaleIn flag
Replicas[].GlobalSecondaryIndexes[].ReadProvisionedThroughputSettings.ReadCapacityAutoScalingSettings.TargetTrackingScalingPolicyConfiguration.ScaleInCooldown whole 0..
Replicas[].GlobalSecondaryIndexes[].ReadProvisionedThroughputSettings.ReadCapacityAutoScalingSettings.TargetTrackingScalingPolicyConfiguration.ScaleOutCooldown whole 0..
Replicas[].GlobalSecondaryIndexes[].ReadProvisionedThroughputSettings.ReadCapacityAutoScalingSettings.TargetTrackingScalingPolicyConfiguration.TargetValue! number
Replicas[].GlobalSecondaryIndexes[].ReadProvisionedThroughputSettings.ReadCapacityUnits whole
Replicas[].GlobalTableSettingsReplicationMode text DISABLED|ENABLED|ENABLED_WITH_OVERRIDES
Replicas[].KinesisStreamSpecification map
Replicas[].KinesisStreamSpecification.ApproximateCreationDateTimePrecision text MICROSECOND|MILLISECOND
Replicas[].KinesisStreamSpecification.StreamArn! text
Replicas[].PointInTimeRecoverySpecification map needs:RecoveryPeriodInDays:PointInTimeRecoveryEnabled
Replicas[].PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled flag
Replicas[].PointInTimeRecoverySpecification.RecoveryPeriodInDays whole 1..35
Replicas[].ReadOnDemandThroughputSettings map
Replicas[].ReadOnDemandThroughputSettings.MaxReadRequestUnits whole
Replicas[].ReadProvisionedThroughputSettings map
Replicas[].ReadProvisionedThroughputSettings.ReadCapacityAutoScalingSettings map
Replicas[].ReadProvisionedThroughputSettings.ReadCapacityAutoScalingSettings.MaxCapacity! whole 1..
Replicas[].ReadProvisionedThroughputSettings.ReadCapacityAutoScalingSettings.MinCapacity! whole 1..
Replicas[].ReadProvisionedThroughputSettings.ReadCapacityAutoScalingSettings.SeedCapacity whole 1..
Replicas[].ReadProvisionedThroughputSettings.ReadCapacityAutoScalingSettings.TargetTrackingScalingPolicyConfiguration! map
Replicas[].ReadProvisionedThroughputSettings.ReadCapacityAutoScalingSettings.TargetTrackingScalingPolicyConfiguration.DisableScaleIn flag
Replicas[].ReadProvisionedThroughputSettings.ReadCapacityAutoScalingSettings.TargetTrackingScalingPolicyConfiguration.ScaleInCooldown whole 0..
Replicas[].ReadProvisionedThroughputSettings.ReadCapacityAutoScalingSettings.TargetTrackingScalingPolicyConfiguration.ScaleOutCooldown whole 0..
Replicas[].ReadProvisionedThroughputSettings.ReadCapacityAutoScalingSettings.TargetTrackingScalingPolicyConfiguration.TargetValue! number
Replicas[].ReadProvisionedThroughputSettings.ReadCapacityUnits whole
Replicas[].Region! text
Replicas[].ReplicaStreamSpecification map some:ResourcePolicy,Tags
Replicas[].ReplicaStreamSpecification.ResourcePolicy map
Replicas[].ReplicaStreamSpecification.ResourcePolicy.PolicyDocument any
Replicas[].ReplicaStreamSpecification.Tags list unique
Replicas[].ReplicaStreamSpecification.Tags[] map
Replicas[].ReplicaStreamSpecification.Tags[].Key! text 1..128
Replicas[].ReplicaStreamSpecification.Tags[].Value! text 0..256
Replicas[].ResourcePolicy map
Replicas[].ResourcePolicy.PolicyDocument any
Replicas[].SSESpecification map
Replicas[].SSESpecification.KMSMasterKeyId! text
Replicas[].TableClass text STANDARD|STANDARD_INFREQUENT_ACCESS
Replicas[].Tags list unique
Replicas[].Tags[] map
Replicas[].Tags[].Key! text 1..128
Replicas[].Tags[].Value! text 0..256
SSESpecification map
SSESpecification.SSEEnabled! flag
SSESpecification.SSEType text KMS
StreamArn text
StreamSpecification map
StreamSpecification.StreamViewType text KEYS_ONLY|NEW_AND_OLD_IMAGES|NEW_IMAGE|OLD_IMAGE
TableId text
TableName text
TableType text GlobalTableReplica|Regional
TimeToLiveSpecification map
TimeToLiveSpecification.AttributeName text
TimeToLiveSpecification.Enabled! flag
VectorIndexes list 1.. unique
VectorIndexes[] map
VectorIndexes[].Dimensions! whole 1..4096
VectorIndexes[].DistanceFunction! text COSINE|DOT_PRODUCT|EUCLIDEAN
VectorIndexes[].IndexName! text
VectorIndexes[].Projection! map
VectorIndexes[].Projection.NonKeyAttributes list ..20 unique
VectorIndexes[].Projection.NonKeyAttributes[] text 1..255
VectorIndexes[].Projection.ProjectionType text ALL|INCLUDE|KEYS_ONLY
VectorIndexes[].SearchSchema list 1.. unique
VectorIndexes[].SearchSchema[] map
VectorIndexes[].SearchSchema[].AttributeName! text 0..65535
VectorIndexes[].SearchSchema[].SearchSchemaElementType! text HASH|INLINE_FILTER
VectorIndexes[].VectorAttribute! map
VectorIndexes[].VectorAttribute.AttributeName! text 1..255
WarmThroughput map some:ReadUnitsPerSecond,WriteUnitsPerSecond
WarmThroughput.ReadUnitsPerSecond whole
WarmThroughput.WriteUnitsPerSecond whole
WriteOnDemandThroughputSettings map
WriteOnDemandThroughputSettings.MaxWriteRequestUnits whole
WriteProvisionedThroughputSettings map
WriteProvisionedThroughputSettings.WriteCapacityAutoScalingSettings map
WriteProvisionedThroughputSettings.WriteCapacityAutoScalingSettings.MaxCapacity! whole 1..
WriteProvisionedThroughputSettings.WriteCapacityAutoScalingSettings.MinCapacity! whole 1..
WriteProvisionedThroughputSettings.WriteCapacityAutoScalingSettings.SeedCapacity whole 1..
WriteProvisionedThroughputSettings.WriteCapacityAutoScalingSettings.TargetTrackingScalingPolicyConfiguration! map
WriteProvisionedThroughputSettings.WriteCapacityAutoScalingSettings.TargetTrackingScalingPolicyConfiguration.DisableScaleIn flag
WriteProvisionedThroughputSettings.WriteCapacityAutoScalingSettings.TargetTrackingScalingPolicyConfiguration.ScaleInCooldown whole 0..
WriteProvisionedThroughputSettings.WriteCapacityAutoScalingSettings.TargetTrackingScalingPolicyConfiguration.ScaleOutCooldown whole 0..
WriteProvisionedThroughputSettings.WriteCapacityAutoScalingSettings.TargetTrackingScalingPolicyConfiguration.TargetValue! number
""",
    "AWS::DAX::Cluster": """\
. map
Arn text
AvailabilityZones list
AvailabilityZones[] text
ClusterDiscoveryEndpoint text
ClusterDiscoveryEndpointURL text
ClusterEndpointEncryptionType text NONE|TLS
ClusterName text
Description text
IAMRoleARN! text
Id text
NetworkType text dual_stack|ipv4|ipv6
NodeType! text
NotificationTopicARN text
ParameterGroupName text
PreferredMaintenanceWindow text
ReplicationFactor! whole
SSESpecification map
SSESpecification.SSEEnabled flag
SecurityGroupIds list
SecurityGroupIds[] text
SubnetGroupName text
Tags any
""",
    "AWS::ApplicationAutoScaling::ScalableTarget": """\
. map
Id text
MaxCapacity! whole
MinCapacity! whole
ResourceId! text 1..1600
RoleARN text 1..1600
ScalableDimension! text dynamodb:index:ReadCapacityUnits|dynamodb:index:WriteCapacityUnits|dynamodb:table:ReadCapacityUnits|dynamodb:table:WriteCapacityUnits
ScheduledActions list unique
ScheduledActions[] map
ScheduledActions[].EndTime text
ScheduledActions[].ScalableTargetAction map
ScheduledActions[].ScalableTargetAction.MaxCapacity whole
ScheduledActions[].ScalableTargetAction.MinCapacity whole
ScheduledActions[].Schedule! text
ScheduledActions[].ScheduledActionName! text
ScheduledActions[].StartTime text
ScheduledActions[].Timezone text
ServiceNamespace! text dynamodb
SuspendedState map
SuspendedState.DynamicScalingInSuspended flag
SuspendedState.DynamicScalingOutSuspended flag
SuspendedState.ScheduledScalingSuspended flag
Tags list unique
Tags[] map
Tags[].Key! text 1..128
Tags[].Value! text 0..256
""",
    "AWS::ApplicationAutoScaling::ScalingPolicy": """\
. map one:ScalingTargetId,ResourceId needs:ResourceId:ScalableDimension,ServiceNamespace
Arn text
PolicyName! text 1..256
PolicyType! text PredictiveScaling|StepScaling|TargetTrackingScaling
PredictiveScalingPolicyConfiguration any
ResourceId text 1..1600
ScalableDimension text dynamodb:index:ReadCapacityUnits|dynamodb:index:WriteCapacityUnits|dynamodb:table:ReadCapacityUnits|dynamodb:table:WriteCapacityUnits
ScalingTargetId text
ServiceNamespace text dynamodb
StepScalingPolicyConfiguration any
TargetTrackingScalingPolicyConfiguration map one:PredefinedMetricSpecification,CustomizedMetricSpecification
TargetTrackingScalingPolicyConfiguration.CustomizedMetricSpecification map
TargetTrackingScalingPolicyConfiguration.CustomizedMetricSpecification.Dimensions list
TargetTrackingScalingPolicyConfiguration.CustomizedMetricSpecification.Dimensions[] map
TargetTrackingScalingPolicyConfiguration.CustomizedMetricSpecification.Dimensions[].Name! text
TargetTrackingScalingPolicyConfiguration.CustomizedMetricSpecification.Dimensions[].Value! text
TargetTrackingScalingPolicyConfiguration.CustomizedMetricSpecification.MetricName text
TargetTrackingScalingPolicyConfiguration.CustomizedMetricSpecification.Metrics any
TargetTrackingScalingPolicyConfiguration.CustomizedMetricSpecification.Namespace text
TargetTrackingScalingPolicyConfiguration.CustomizedMetricSpecification.Statistic text Average|Maximum|Minimum|SampleCount|Sum
TargetTrackingScalingPolicyConfiguration.CustomizedMetricSpecification.Unit text
TargetTrackingScalingPolicyConfiguration.DisableScaleIn flag
TargetTrackingScalingPolicyConfiguration.PredefinedMetricSpecification map
TargetTrackingScalingPolicyConfiguration.PredefinedMetricSpecification.PredefinedMetricType! text DynamoDBReadCapacityUtilization|DynamoDBWriteCapacityUtilization
TargetTrackingScalingPolicyConfiguration.PredefinedMetricSpecification.ResourceLabel text 1..1023
TargetTrackingScalingPolicyConfiguration.ScaleInCooldown whole
TargetTrackingScalingPolicyConfiguration.ScaleOutCooldown whole
TargetTrackingScalingPolicyConfiguration.TargetValue! number
""",
    "AWS::CloudWatch::Alarm": """\
. map one:Metrics,MetricName,EvaluationCriteria
ActionConfiguration any
ActionsEnabled flag
AlarmActions list 0..
AlarmActions[] text 1..1024
AlarmDescription text 0..1024
AlarmName text 0..255
Arn text
ComparisonOperator text GreaterThanOrEqualToThreshold|GreaterThanThreshold|GreaterThanUpperThreshold|LessThanLowerOrGreaterThanUpperThreshold|LessThanLowerThreshold|LessThanOrEqualToThreshold|LessThanThreshold
DatapointsToAlarm whole 1..
Dimensions list 0..30
Dimensions[] map
Dimensions[].Name! text 1..255
Dimensions[].Value! text 1..1024
EvaluateLowSampleCountPercentile text 1..255
EvaluationCriteria any
EvaluationInterval whole 10..3600
EvaluationPeriods whole 1..
EvaluationWindow any
ExtendedStatistic text
InsufficientDataActions list 0..
InsufficientDataActions[] text 1..1024
MetricName text 1..255
Metrics any
Namespace text 1..255
OKActions list 0..
OKActions[] text 1..1024
Period whole 1..
Statistic text Average|Maximum|Minimum|SampleCount|Sum
Tags list ..50 unique
Tags[] map
Tags[].Key! text 1..128
Tags[].Value! text 1..256
Threshold number
ThresholdMetricId text 1..255
TreatMissingData text breaching|ignore|missing|notBreaching 1..255
Unit text Bits|Bits/Second|Bytes|Bytes/Second|Count|Count/Second|Gigabits|Gigabits/Second|Gigabytes|Gigabytes/Second|Kilobits|Kilobits/Second|Kilobytes|Kilobytes/Second|Megabits|Megabits/Second|Megabytes|Megabytes/Second|Microseconds|Milliseconds|None|Percent|Seconds|Terabits|Terabits/Second|Terabytes|Terabytes/Second
WarmUpConfiguration map
WarmUpConfiguration.OnlyStartEvaluatingAfterWarmUpPeriodEnds flag
WarmUpConfiguration.WarmUpPeriodDurationInMinutes whole 1..2880
""",
    "AWS::KMS::Key": """\
. map
Arn text
BypassPolicyLockoutSafetyCheck flag
Description text 0..8192
EnableKeyRotation flag
Enabled flag
KeyId text 1..2048
KeyPolicy any
KeySpec text ECC_NIST_EDWARDS25519|ECC_NIST_P256|ECC_NIST_P384|ECC_NIST_P521|ECC_SECG_P256K1|HMAC_224|HMAC_256|HMAC_384|HMAC_512|ML_DSA_44|ML_DSA_65|ML_DSA_87|RSA_2048|RSA_3072|RSA_4096|SM2|SYMMETRIC_DEFAULT
KeyUsage text ENCRYPT_DECRYPT|GENERATE_VERIFY_MAC|KEY_AGREEMENT|SIGN_VERIFY
MultiRegion flag
Origin text AWS_KMS|EXTERNAL
PendingWindowInDays whole 7..30
RotationPeriodInDays whole 90..2560
Tags list unique
Tags[] map
Tags[].Key! text 1..128
Tags[].Value! text 0..256
""",
    "AWS::KMS::ReplicaKey": """\
. map
Arn text
Description text 0..8192
Enabled flag
KeyId text
KeyPolicy! any
PendingWindowInDays whole 7..30
PrimaryKeyArn! text 1..256
Tags list unique
Tags[] map
Tags[].Key! text 1..128
Tags[].Value! text 0..256
""",
    "AWS::Kinesis::Stream": """\
. map
Arn text
DesiredShardLevelMetrics list ..7 unique
DesiredShardLevelMetrics[] text ALL|IncomingBytes|IncomingRecords|IteratorAgeMilliseconds|OutgoingBytes|OutgoingRecords|ReadProvisionedThroughputExceeded|WriteProvisionedThroughputExceeded
MaxRecordSizeInKiB whole 1024..10240
Name text 1..128
RecordDistributionStrategy text AUTO|USER_PARTITION_KEY
RetentionPeriodHours whole 1..8760
ShardCount whole 1..100000
StreamEncryption map
StreamEncryption.EncryptionType! text KMS
StreamEncryption.KeyId! text 1..2048
StreamModeDetails map
StreamModeDetails.StreamMode! text ON_DEMAND|PROVISIONED
Tags list ..50
Tags[] map
Tags[].Key! text 1..128
Tags[].Value! text 0..255
WarmThroughputMiBps whole 0..
WarmThroughputObject any
""",
    "AWS::Serverless::SimpleTable": """\
PointInTimeRecoverySpecification map needs:RecoveryPeriodInDays:PointInTimeRecoveryEnabled
PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled flag
PointInTimeRecoverySpecification.RecoveryPeriodInDays whole 1..35
PrimaryKey map
PrimaryKey.Name text
PrimaryKey.Type! text
ProvisionedThroughput map
ProvisionedThroughput.ReadCapacityUnits! whole
ProvisionedThroughput.WriteCapacityUnits! whole
SSESpecification map
SSESpecification.KMSMasterKeyId text
SSESpecification.SSEEnabled! flag
SSESpecification.SSEType text KMS
TableName text
Tags any
""",
}
