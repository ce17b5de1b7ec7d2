# ruff: noqa: E501
"""TG543: may anybody assume a role that reaches tables?"""

from __future__ import annotations

from typing import Any

import pytest

from support import tables as build
from support.access import document, estate, holder, said, statement, whole
from tablegate.iam.documents import Document, UnknownPart

GITHUB = "token.actions.githubusercontent.com"
PROVIDER = f"arn:aws:iam::111122223333:oidc-provider/{GITHUB}"
CLUSTER = "oidc.eks.eu-west-1.amazonaws.com/id/ABC"
UNKNOWN = UnknownPart(build.DOUBT)


def trust(principal: Any, conditions: Any = None, **others: Any) -> Document:
    """A trust policy."""
    whom = {} if "NotPrincipal" in others else {"Principal": principal}
    return document(statement("sts:AssumeRole", None, conditions, **whom, **others))


def subject(value: Any, operator: str = "StringLike", claim: str = "sub") -> Any:
    """A condition on the subject of a token."""
    return {operator: {f"{GITHUB}:{claim}": value}}


def severity(trusted: Document, actions: Any = "GetItem") -> str | None:
    """Of a role that may do this."""
    return said(estate(holder(whole(statement(actions)), trusts=(trusted,))), "TG543")


@pytest.mark.parametrize(
    ("principal", "conditions", "expected"),
    [
        ("*", None, "high"),
        ({"AWS": "*"}, None, "high"),
        ({"AWS": "arn:aws:iam::*:root"}, None, "high"),
        ({"AWS": "arn:aws:iam::111122223333:root"}, None, None),
        ({"Service": "lambda.amazonaws.com"}, None, None),
        ("*", {"StringEquals": {"aws:PrincipalOrgID": "o-1"}}, None),
        ("*", {"StringEquals": {"aws:PrincipalAccount": "111122223333"}}, None),
        ("*", {"ArnLike": {"aws:PrincipalArn": "arn:aws:iam::111122223333:role/ci-*"}}, None),
        ("*", {"ArnLike": {"aws:PrincipalArn": "arn:aws:iam::*:role/ci"}}, "high"),
        ("*", {"StringEqualsIfExists": {"aws:PrincipalOrgID": "o-1"}}, "high"),
        ("*", {"StringNotEquals": {"aws:PrincipalAccount": "999988887777"}}, "high"),
        ("*", {"Bool": {"aws:MultiFactorAuthPresent": "true"}}, "high"),
        ("*", {"StringEquals": {"sts:ExternalId": "secret"}}, "medium"),
        ("*", {"StringLike": {"sts:ExternalId": "*"}}, "high"),
        ("*", {"StringEquals": {"aws:PrincipalOrgID": UNKNOWN}}, None),
        ("*", {"StringLike": {"aws:PrincipalOrgID": UNKNOWN}}, "medium?"),
        ("*", UNKNOWN, "medium?"),
        ({"AWS": UNKNOWN}, None, "medium?"),
        (UNKNOWN, None, "medium?"),
        ({"Federated": PROVIDER}, None, "high"),
        ({"Federated": PROVIDER}, subject("repo:acme/orders:*"), None),
        ({"Federated": PROVIDER}, subject("repo:acme/orders"), None),
        ({"Federated": PROVIDER}, subject("repo:acme/ord*"), "medium"),
        ({"Federated": PROVIDER}, subject("repo:acme/*"), "medium"),
        ({"Federated": PROVIDER}, subject("repo:acme*"), "high"),
        ({"Federated": PROVIDER}, subject("repo:*"), "high"),
        ({"Federated": PROVIDER}, subject("*"), "high"),
        ({"Federated": PROVIDER}, subject(["repo:acme/orders:*", "repo:*/x"]), "high"),
        ({"Federated": PROVIDER}, subject("repo:acme/orders:*", "StringLikeIfExists"), "high"),
        ({"Federated": PROVIDER}, subject("repo:acme/orders:*", "ForAllValues:StringLike"), "high"),
        ({"Federated": PROVIDER}, subject("repo:acme/x", "StringNotEquals"), "high"),
        ({"Federated": PROVIDER}, subject("sts.amazonaws.com", "StringEquals", "aud"), "high"),
        ({"Federated": PROVIDER}, subject("acme", "StringEquals", "repository_owner"), "medium"),
        ({"Federated": PROVIDER}, subject("acme/orders", "StringEquals", "repository"), None),
        ({"Federated": PROVIDER}, subject(UNKNOWN), "medium?"),
        ({"Federated": PROVIDER}, subject(UNKNOWN, "StringEquals"), None),
        ({"Federated": "arn:aws:iam::1:oidc-provider/gitlab.com"}, {"StringLike": {"gitlab.com:sub": "project_path:acme/*"}}, "medium"),
        ({"Federated": "arn:aws:iam::1:oidc-provider/app.terraform.io"}, {"StringLike": {"app.terraform.io:sub": "organization:acme:project:*"}}, "medium"),
        ({"Federated": f"arn:aws:iam::1:oidc-provider/{CLUSTER}"}, None, "medium"),
        ({"Federated": f"arn:aws:iam::1:oidc-provider/{CLUSTER}"}, {"StringLike": {f"{CLUSTER}:sub": "system:serviceaccount:shop:*"}}, None),
        ({"Federated": "cognito-identity.amazonaws.com"}, None, "high"),
        ({"Federated": "cognito-identity.amazonaws.com"}, {"StringEquals": {"cognito-identity.amazonaws.com:aud": "eu-west-1:1"}}, None),
        ({"Federated": "accounts.google.com"}, {"StringLike": {"accounts.google.com:aud": "*"}}, "high"),
        ({"Federated": "arn:aws:iam::111122223333:saml-provider/okta"}, None, None),
    ],
)  # fmt: skip
def test_whom_a_trust_policy_lets_in(principal: Any, conditions: Any, expected: str | None) -> None:
    """Everybody, whoever has a token, or those whom a condition names."""
    assert severity(trust(principal, conditions)) == expected


def test_everybody_but_some_is_everybody() -> None:
    """A NotPrincipal is no limit."""
    assert severity(trust(None, NotPrincipal={"AWS": "arn:aws:iam::999988887777:root"})) == "high"


def test_what_the_role_may_do_counts() -> None:
    """Deleting a table makes it critical; looking at one is nobody's loss."""
    assert [severity(trust("*"), name) for name in ("DeleteTable", "PutResourcePolicy", "DescribeTable")] == [
        "critical",
        "critical",
        None,
    ]


def test_a_deny_lets_nobody_in() -> None:
    """Nor does a policy that could not be read show who may: that is not known."""
    assert severity(trust("*", Effect="Deny")) is None
    assert severity(Document(doubt=build.DOUBT)) == "medium?"
