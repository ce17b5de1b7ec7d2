"""Types that are read, and those that are not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from tablegate.dialects.reading import Faults
from tablegate.dialects.terraform.resource_changes import ChangeRow, ResourceChanges
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
        "aws_lambda_event_source_mapping",
        "aws_pipes_pipe",
    }
)
# Of DynamoDB, but nothing that a standard speaks of.
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


def note_coverage(instances: ResourceChanges, faults: Faults) -> None:
    """Say which resources of DynamoDB were not read, and what is odd about those that were."""
    left: list[str] = []
    for number, item in enumerate(instances.rows):
        if f"{item.type}." not in item.address or not item.type.isascii():
            _note_address(item, instances.path(number), faults)
        elif item.mode == "managed" and is_left(item.type):
            left.append(item.type)
        elif item.type in TABLE_TYPES and item.mode == "managed":
            _note_provider(item, faults)
    note_left(left, faults)


def note_left(types: Iterable[str], faults: Faults) -> None:
    """Say which types were left unread, and how often."""
    for type_, count in sorted(Counter(types).items()):
        times = "" if count == 1 else f" ({count} of them)"
        faults.incomplete(f"{type_} is not covered{times}: nothing is known of what it does")


def _note_address(item: ChangeRow, path: str, faults: Faults) -> None:
    if not item.type.isascii():
        faults.unreadable("the type is not written in ASCII", f"{path}.type")
    elif re.search(_ADDRESS, item.address):
        faults.unreadable("address and type disagree", f"{path}.type")
    else:
        faults.incomplete("an address that is none", f"{path}.address")


def note_twins(instances: ResourceChanges, faults: Faults) -> None:
    """Refuse an address that two resource changes share."""
    seen: set[tuple[str, object]] = set()
    for number, item in enumerate(instances.rows):
        key = (item.address, item.deposed)
        if key in seen:
            faults.unreadable(f"{item.address} is there twice", instances.path(number))
        seen.add(key)


def is_left(type_: str) -> bool:
    """Whether a type of DynamoDB's is not read, though it may do something."""
    folded = type_.lower()
    return ("dynamodb" in folded or "dax_" in folded) and type_ not in READ and type_ not in _NOTHING_TO_JUDGE


def _note_provider(item: ChangeRow, faults: Faults) -> None:
    provider = item.provider_name or ""
    if provider and provider != "aws" and not provider.endswith(_PROVIDERS):
        faults.incomplete(f"{item.address} comes from the provider {provider}")


def counted(items: Iterable[ChangeRow]) -> int:
    """How many managed resources there are."""
    return sum(1 for item in items if item.mode == "managed" and not item.deposed)


# Types that hold documents, or that are held to.
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
