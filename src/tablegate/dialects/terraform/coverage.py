"""The types that are read, and faults about those that are not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from tablegate.dialects.reading import Faults
from tablegate.dialects.terraform.resource_changes import MODES, ChangeRow, ResourceChanges
from tablegate.dialects.terraform.schema import TABLE_TYPES

READ = frozenset(
    {
        *TABLE_TYPES,
        "aws_appautoscaling_policy",
        "aws_appautoscaling_scheduled_action",
        "aws_appautoscaling_target",
        "aws_backup_selection",
        "aws_cloudwatch_metric_alarm",
        "aws_dax_cluster",
        "aws_dynamodb_contributor_insights",
        "aws_dynamodb_global_secondary_index",
        "aws_dynamodb_global_table",
        "aws_dynamodb_kinesis_streaming_destination",
        "aws_dynamodb_resource_policy",
        "aws_dynamodb_table_replica",
        "aws_dynamodb_tag",
        "aws_kinesis_stream",
        "aws_kms_alias",
        "aws_kms_key",
        "aws_kms_replica_key",
        "aws_lambda_event_source_mapping",
        "aws_pipes_pipe",
        "awscc_lambda_event_source_mapping",
        "awscc_pipes_pipe",
    }
)
# Of DynamoDB, but no policy is about them.
_NOTHING_TO_JUDGE = frozenset(
    {
        "aws_dax_parameter_group",
        "aws_dax_subnet_group",
        "aws_dynamodb_table_export",
        "aws_dynamodb_table_item",
    }
)
_ADDRESS = r"(?s)(?:^|\.)[A-Za-z][\w-]*\.[A-Za-z_][\w-]*(?:\[.*\])?$"
_PROVIDERS = ("hashicorp/aws", "hashicorp/awscc", "-/aws")


def note_coverage(changes: ResourceChanges, faults: Faults) -> None:
    """Report resources of DynamoDB that are not read, and odd addresses and providers."""
    unread: list[str] = []
    for number, row in enumerate(changes.rows):
        if f"{row.type}." not in row.address or not row.type.isascii():
            _note_address(row, changes.path(number), faults)
        elif row.mode == "managed" and is_unread(row.type):
            unread.append(row.type)
        elif row.type in TABLE_TYPES and row.mode == "managed":
            _note_provider(row, faults)
        elif row.mode not in MODES and (row.type in READ or row.type in POLICY_TYPES or is_unread(row.type)):
            faults.unreadable(f"{row.address}: mode must be one of {', '.join(sorted(MODES))}", changes.path(number))
    note_unread(unread, faults)


def note_unread(types: Iterable[str], faults: Faults) -> None:
    """Report the types that are not read, each with its number of resources."""
    for type_, count in sorted(Counter(types).items()):
        times = "" if count == 1 else f" ({count} of them)"
        faults.incomplete(f"{type_} is not covered{times}: nothing is known of what it does")


def _note_address(row: ChangeRow, path: str, faults: Faults) -> None:
    if not row.type.isascii():
        faults.unreadable("the type is not written in ASCII", f"{path}.type")
    elif re.search(_ADDRESS, row.address):
        faults.unreadable("address and type disagree", f"{path}.type")
    else:
        faults.incomplete("an address that is none", f"{path}.address")


def note_twins(changes: ResourceChanges, faults: Faults) -> None:
    """Report an address that two resource changes have."""
    seen: set[tuple[str, object]] = set()
    for number, row in enumerate(changes.rows):
        key = (row.address, row.deposed)
        if key in seen:
            faults.unreadable(f"{row.address} is there twice", changes.path(number))
        seen.add(key)


def is_unread(type_: str) -> bool:
    """Whether a type of DynamoDB is not read though it may matter."""
    folded = type_.lower()
    return ("dynamodb" in folded or "dax_" in folded) and type_ not in READ and type_ not in _NOTHING_TO_JUDGE


def _note_provider(row: ChangeRow, faults: Faults) -> None:
    provider = row.provider_name or ""
    if provider and provider != "aws" and not provider.endswith(_PROVIDERS):
        faults.incomplete(f"{row.address} comes from the provider {provider}")


def counted(rows: Iterable[ChangeRow]) -> int:
    """The number of managed resources."""
    return sum(1 for row in rows if row.mode == "managed" and not row.deposed)


# Types with policy documents, and those that documents are attached to.
POLICY_TYPES = frozenset(
    {
        "aws_dynamodb_resource_policy",
        "aws_iam_group",
        "aws_iam_group_policy",
        "aws_iam_group_policy_attachment",
        "aws_iam_group_policy_attachments_exclusive",
        "aws_iam_policy",
        "aws_iam_policy_attachment",
        "aws_iam_role",
        "aws_iam_role_policy",
        "aws_iam_role_policy_attachment",
        "aws_iam_role_policy_attachments_exclusive",
        "aws_iam_user",
        "aws_iam_user_policy",
        "aws_iam_user_policy_attachment",
        "aws_iam_user_policy_attachments_exclusive",
        "aws_kms_external_key",
        "aws_kms_grant",
        "aws_kms_key",
        "aws_kms_key_policy",
        "aws_kms_replica_key",
        "aws_organizations_policy",
        "aws_ssoadmin_customer_managed_policy_attachment",
        "aws_ssoadmin_managed_policy_attachment",
        "aws_ssoadmin_permission_set",
        "aws_ssoadmin_permission_set_inline_policy",
        "aws_transfer_access",
        "aws_transfer_user",
        "aws_vpc_endpoint",
        "aws_vpc_endpoint_policy",
        "awscc_dynamodb_global_table",
        "awscc_dynamodb_table",
    }
)
