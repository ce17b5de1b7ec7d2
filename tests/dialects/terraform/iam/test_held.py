"""Documents that resources hold of their own, and roles that are known by who uses them."""

from __future__ import annotations

from functools import cache

import pytest

from support.planned_access import grants, holders, made
from tablegate.dialects.reading import Reading
from tablegate.iam.documents import PrincipalKind
from tablegate.iam.grants import DocumentRole, HolderForm, HolderKind
from tablegate.iam.holders import Holder

ORDERS = "arn:aws:dynamodb:us-east-1:${account}:table/Orders"


@cache
def held() -> Reading:
    return made("held")


def of(address: str, form: HolderForm) -> Holder:
    estate = held().estate
    assert estate is not None
    (found,) = [one for one in estate.holders if (one.address, one.form) == (address, form)]
    return found


def test_a_tables_policy_is_held_by_the_table_and_stands_in_its_own_resource() -> None:
    """The holder is the table, the address the policy's, and the target the ARN that it is attached to."""
    table = of("aws_dynamodb_table.orders", HolderForm.TABLE)
    readers, everybody = table.grants
    assert {one.address for one in table.grants} == {"aws_dynamodb_resource_policy.table"}
    assert {one.role for one in table.grants} == {DocumentRole.RESOURCE}
    assert readers.target is not None
    assert readers.document.shown(readers.target) == ORDERS
    assert everybody.statement.principals is not None
    assert [one.kind for one in everybody.statement.principals.items] == [PrincipalKind.ANYONE]


def test_a_principal_that_only_the_apply_knows_is_the_role_that_is_referred_to() -> None:
    """Blocks of one type are one list; a role of this input is in this input's account."""
    readers = of("aws_dynamodb_table.orders", HolderForm.TABLE).grants[0]
    assert readers.statement.principals is not None
    shown = [readers.document.shown(one.text) for one in readers.statement.principals.items]
    assert sorted(shown) == [
        "111122223333",
        "arn:aws:iam::${account}:role/reader",
        "arn:aws:iam::999988887777:root",
    ]


def test_a_streams_policy_is_the_streams() -> None:
    """It is attached to the stream, and reaches no table."""
    (grant,) = of("aws_dynamodb_table.orders", HolderForm.STREAM).grants
    assert grant.target is not None
    assert grant.document.shown(grant.target) == f"{ORDERS}/stream/${{aws_dynamodb_table.orders.stream_label}}"


def test_a_policy_of_a_table_elsewhere_is_known_by_its_own_address() -> None:
    """Its table is not in the input, so the policy's resource stands for it."""
    assert of("aws_dynamodb_resource_policy.elsewhere", HolderForm.TABLE).grants == ()


def test_only_keys_of_tables_are_held_to_account() -> None:
    """A key that encrypts nothing here is somebody else's business; a grant on a key is a statement of it."""
    assert grants(of("aws_kms_key.orders", HolderForm.KEY)) == [
        "aws_kms_grant.reader 0: Allow kms:Decrypt, kms:DescribeKey on *",
        "aws_kms_key.orders Root: Allow kms:* on *",
    ]
    assert "aws_kms_key.other" not in holders(held())


def test_a_key_that_is_not_there_yet_is_in_the_account_of_this_input() -> None:
    """Whether a principal is of the same account is asked of the key's own ARN."""
    (grant, _) = of("aws_kms_key.orders", HolderForm.KEY).grants
    assert grant.target is not None
    assert grant.document.shown(grant.target) == "arn:aws:kms:us-east-1:${account}:key/${aws_kms_key.orders.key_id}"


def test_endpoints_are_those_for_tables() -> None:
    """A policy in a resource of its own takes the place of the endpoint's; without any, everything passes."""
    assert grants(of("aws_vpc_endpoint.narrow", HolderForm.ENDPOINT)) == [
        "aws_vpc_endpoint_policy.narrow Own: Allow * on *"
    ]
    assert grants(of("aws_vpc_endpoint.open", HolderForm.ENDPOINT)) == []
    assert "aws_vpc_endpoint.buckets" not in holders(held())


@pytest.mark.parametrize(
    ("role", "kind", "why"),
    [
        ("cache", HolderKind.SERVICE, "trusts dax.amazonaws.com"),
        ("guest", HolderKind.END_USER, "serves users of aws_cognito_identity_pool_roles_attachment.guests"),
        ("reader", HolderKind.RUNTIME, "used by aws_lambda_function.reader"),
    ],
)
def test_a_role_is_whose_its_users_are(role: str, kind: HolderKind, why: str) -> None:
    """The trust policy tells, and where it does not, the resources that refer to the role."""
    found = of(f"aws_iam_role.{role}", HolderForm.ROLE)
    assert (found.kind, found.why) == (kind, why)


def test_a_cluster_of_kubernetes_is_seen_behind_its_provider() -> None:
    """The issuer's address is not known yet; that it is a cluster's is."""
    assert of("aws_iam_role.pod", HolderForm.ROLE).kind is HolderKind.RUNTIME
    assert "dax.amazonaws.com" in of("aws_iam_role.cache", HolderForm.ROLE).services
