"""AWS managed policies that grant DynamoDB actions. Written by fixtures/make_iam_data.py: do not edit.

From moto 5.2.5 (Apache-2.0), which holds the policies as of 2026-09-30.

One policy a line: path after `:policy/`, how wide it is, flags (`linked` to a service's role, `conditional`,
`retired`), and unless it grants metadata only, the DynamoDB actions, the resources it grants them on, and the
condition that all of its statements have.
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
AWSElasticBeanstalkFullAccess full retired * *
AWSElasticBeanstalkWorkerTier data-read-write - BatchGetItem,BatchWriteItem,DeleteItem,GetItem,PutItem,Query,Scan,UpdateItem arn:aws:dynamodb:*:*:table/*-stack-AWSEBWorkerCronLeaderRegistry*
AWSGlueConsoleFullAccess metadata-only -
AWSGlueConsoleSageMakerNotebookFullAccess metadata-only -
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
AmazonDynamoDBFullAccess full - * *
AmazonDynamoDBFullAccess_v2 full - * *
AmazonDynamoDBFullAccesswithDataPipeline full - * *
AmazonDynamoDBReadOnlyAccess data-read - BatchGetItem,DescribeBackup,DescribeContinuousBackups,DescribeContributorInsights,DescribeEndpoints,DescribeExport,DescribeGlobalTable,DescribeGlobalTableSettings,DescribeImport,DescribeKinesisStreamingDestination,DescribeLimits,DescribeReservedCapacity,DescribeReservedCapacityOfferings,DescribeStream,DescribeTable,DescribeTableReplicaAutoScaling,DescribeTimeToLive,GetAbacStatus,GetItem,GetResourcePolicy,ListBackups,ListContributorInsights,ListExports,ListGlobalTables,ListImports,ListStreams,ListTables,ListTagsOfResource,PartiQLSelect,Query,Scan *
AmazonEC2RolePolicyForLaunchWizard data-read-write - BatchGetItem,CreateTable,DeleteTable,DescribeTable,PutItem,Query,Scan,UpdateItem,UpdateTable arn:aws:dynamodb:*:*:table/LaunchWizard*
AmazonLaunchWizardFullAccessV2 control-write - CreateTable,DeleteTable,DescribeTable,TagResource,UntagResource arn:aws:dynamodb:*:*:table/LaunchWizard*
AmazonLaunchWizard_Fullaccess control-write retired CreateTable,DeleteTable,DescribeTable arn:aws:dynamodb:*:*:table/LaunchWizard*
AmazonRedshiftAllCommandsFullAccess data-read - DescribeTable,GetItem,Scan arn:aws:dynamodb:*:*:table/*redshift*,arn:aws:dynamodb:*:*:table/*redshift*/index/*
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
