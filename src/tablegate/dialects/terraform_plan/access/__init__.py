"""Who can do what to which table, as far as a plan shows it: documents, who holds them, and what stays unread.

This module is all that a plan without policies imports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablegate.model.record import record

if TYPE_CHECKING:
    from tablegate.access.grants import Grant
    from tablegate.access.holders import Holder

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


@record(kw_only=False)
class Access:
    """Holders and grants of one plan, and how many of its documents were read."""

    holders: tuple[Holder, ...] = ()
    grants: tuple[Grant, ...] = ()
    documents: int = 0
    partly: int = 0
    unread: int = 0
    secrets: frozenset[str] = frozenset()
