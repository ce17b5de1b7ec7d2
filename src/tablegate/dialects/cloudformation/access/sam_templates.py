"""SAM's policy templates for DynamoDB, as data: what each of them grants below the table that it is given.

From policy_templates.json of the AWS SAM translator (Apache-2.0), as of May 2026.
"""

from __future__ import annotations

from tablegate.model.record import record

_ITEMS = "GetItem DeleteItem PutItem Scan Query UpdateItem BatchWriteItem BatchGetItem DescribeTable ConditionCheckItem"
_ITSELF = ("", "/index/*")
_STREAM = "/stream/{StreamName}"


@record(kw_only=False)
class Given:
    """One statement: its actions, and what stands behind the table's ARN."""

    actions: tuple[str, ...]
    behind: tuple[str, ...]


def _given(names: str, *behind: str) -> Given:
    return Given(tuple(f"dynamodb:{name}" for name in names.split()), behind)


POLICY_TEMPLATES = {
    "DynamoDBBackupFullAccessPolicy": (
        _given("CreateBackup DescribeContinuousBackups", ""),
        _given("DeleteBackup DescribeBackup ListBackups", "/backup/*"),
    ),
    "DynamoDBCrudPolicy": (_given(_ITEMS, *_ITSELF),),
    "DynamoDBReadPolicy": (_given("GetItem Scan Query BatchGetItem DescribeTable", *_ITSELF),),
    "DynamoDBReconfigurePolicy": (_given("UpdateTable", ""),),
    "DynamoDBRestoreFromBackupPolicy": (
        _given("RestoreTableFromBackup", "/backup/*"),
        _given("PutItem UpdateItem DeleteItem GetItem Query Scan BatchWriteItem", ""),
    ),
    "DynamoDBStreamReadPolicy": (
        _given("DescribeStream GetRecords GetShardIterator", _STREAM),
        _given("ListStreams", "/stream/*"),
    ),
    "DynamoDBWritePolicy": (_given("PutItem UpdateItem BatchWriteItem", *_ITSELF),),
}

# What a connector grants: https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/reference-sam-connector.html
CONNECTED = {
    "Read": _given("GetItem Query Scan BatchGetItem ConditionCheckItem PartiQLSelect", *_ITSELF),
    "Write": _given("PutItem UpdateItem DeleteItem BatchWriteItem PartiQLDelete PartiQLInsert PartiQLUpdate", *_ITSELF),
}
STREAMED = _given("DescribeStream GetRecords GetShardIterator ListStreams", "/stream/*")
EXECUTION = "service-role/AWSLambdaDynamoDBExecutionRole"
