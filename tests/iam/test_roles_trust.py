"""Trust: who may use a role, by the document that says so."""

from __future__ import annotations

from typing import Any

import pytest

from support.access import document
from support.tables import DOUBT
from tablegate.iam.arns import Symbols
from tablegate.iam.documents import UnknownPart
from tablegate.iam.grants import HolderKind
from tablegate.iam.roles import most_exposed, trust_of

OWN = "111122223333"
USERS = "cognito-identity.amazonaws.com"


def trusting(principal: Any, **others: Any) -> dict[str, Any]:
    """A statement that lets somebody assume the role."""
    return {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": principal} | others


def service(name: str) -> dict[str, str]:
    """A service of AWS's."""
    return {"Service": f"{name}.amazonaws.com"}


@pytest.mark.parametrize(
    ("principal", "kind"),
    [
        *((service(name), HolderKind.RUNTIME) for name in ("lambda", "ecs-tasks", "ec2", "pods.eks", "states")),
        *((service(name), HolderKind.RUNTIME) for name in ("tasks.apprunner", "bedrock-agentcore", "glue", "iot")),
        *((service(name), HolderKind.DEPLOY) for name in ("cloudformation", "codebuild", "codepipeline")),
        *((service(name), HolderKind.SERVICE) for name in ("backup", "dax", "osis-pipelines", "redshift")),
        ({"Service": "lambda.amazonaws.com.cn"}, HolderKind.RUNTIME),
        ({"Service": "LAMBDA.amazonaws.com"}, HolderKind.RUNTIME),
        ({"Service": "states.eu-west-1.amazonaws.com"}, HolderKind.RUNTIME),
        ({"Service": "states.us-gov-west-1.amazonaws.com"}, HolderKind.RUNTIME),
        ({"Service": f"states.{Symbols().of('AWS::Region')}.amazonaws.com"}, HolderKind.RUNTIME),
        ({"Service": "codedeploy.eu-west-1.amazonaws.com"}, HolderKind.DEPLOY),
        ({"Service": "eks.eu-west-1.amazonaws.com"}, HolderKind.UNKNOWN),
        ({"Service": "somewhere.example"}, HolderKind.UNKNOWN),
        ({"Federated": USERS}, HolderKind.END_USER),
        ({"Federated": "graph.facebook.com"}, HolderKind.END_USER),
        ({"Federated": "arn:aws:iam::1:oidc-provider/oidc.eks.eu-west-1.amazonaws.com/id/A"}, HolderKind.RUNTIME),
        ({"Federated": "arn:aws:iam::1:oidc-provider/token.actions.githubusercontent.com"}, HolderKind.UNKNOWN),
        ({"Federated": "arn:aws:iam::1:oidc-provider/app.terraform.io"}, HolderKind.UNKNOWN),
        ({"Federated": "arn:aws:iam::1:saml-provider/office"}, HolderKind.HUMAN),
        ({"AWS": f"arn:aws:iam::{OWN}:root"}, HolderKind.HUMAN),
        ({"AWS": OWN}, HolderKind.HUMAN),
        ({"AWS": "arn:aws:iam::999988887777:root"}, HolderKind.CROSS_ACCOUNT),
        ("*", HolderKind.CROSS_ACCOUNT),
        ({"AWS": "arn:aws:iam::*:root"}, HolderKind.CROSS_ACCOUNT),
        ({"AWS": f"arn:aws:iam::{OWN}:role/*"}, HolderKind.HUMAN),
        ({"Service": ["lambda.amazonaws.com", "backup.amazonaws.com"]}, HolderKind.RUNTIME),
        ({"Service": "lambda.amazonaws.com", "Federated": USERS}, HolderKind.END_USER),
        ({"Service": "cloudformation.amazonaws.com", "AWS": OWN}, HolderKind.HUMAN),
    ],
)
def test_a_role_is_what_its_most_exposed_user_is(principal: Any, kind: HolderKind) -> None:
    """By service, provider and account; of several the one that most people can use."""
    assert trust_of(document(trusting(principal)), OWN).kind is kind


@pytest.mark.parametrize(("operator", "kind"), [("StringLike", "deploy"), ("StringLikeIfExists", "unknown")])
def test_a_pipeline_deploys_if_it_is_known_whose_it_is(operator: str, kind: str) -> None:
    """Without a condition on its subject, anybody's pipeline may assume the role."""
    github = {"Federated": "arn:aws:iam::1:oidc-provider/token.actions.githubusercontent.com"}
    bound = {operator: {"token.actions.githubusercontent.com:sub": "repo:acme/orders:*"}}
    assert trust_of(document(trusting(github, Condition=bound)), OWN).kind == kind


def test_the_domain_of_a_service_may_be_unknown() -> None:
    """As in lambda.${AWS::URLSuffix}."""
    suffix = Symbols().of("AWS::URLSuffix")
    assert trust_of(document(trusting({"Service": f"lambda.{suffix}"})), OWN).kind is HolderKind.RUNTIME


def test_everybody_but_some_is_everybody() -> None:
    """A NotPrincipal lets in all whom it does not name."""
    found = trust_of(document({"Effect": "Allow", "Action": "sts:AssumeRole", "NotPrincipal": {"AWS": OWN}}), OWN)
    assert (found.kind, found.why) == (HolderKind.CROSS_ACCOUNT, "trusts everybody except those it names")


def test_an_account_is_foreign_only_where_this_one_is_known() -> None:
    """Otherwise a number may be this one."""
    stranger = document(trusting({"AWS": "999988887777"}))
    assert trust_of(stranger, None).kind is HolderKind.HUMAN
    assert trust_of(stranger, OWN).kind is HolderKind.CROSS_ACCOUNT


def test_users_who_are_not_signed_in_are_told_apart() -> None:
    """By the condition on their login."""
    condition = {"ForAnyValue:StringLike": {f"{USERS}:amr": "unauthenticated"}}
    assert trust_of(document(trusting({"Federated": USERS}, Condition=condition)), OWN).why == (
        f"trusts unauthenticated users of {USERS}"
    )
    assert trust_of(document(trusting({"Federated": USERS})), OWN).why == f"trusts {USERS}"


def test_the_services_are_kept() -> None:
    """Policies ask for them by name."""
    found = trust_of(document(trusting({"Service": ["lambda.amazonaws.com", "dax.amazonaws.com.cn"]})), OWN)
    assert found.services == {"lambda.amazonaws.com", "dax.amazonaws.com"}
    assert found.why == "trusts lambda.amazonaws.com"


@pytest.mark.parametrize(
    ("statements", "why"),
    [
        ([], "its trust policy is not known"),
        ([trusting(UnknownPart(DOUBT))], "its trust policy is not known"),
        ([trusting("*", Effect="Deny")], "nobody may assume it"),
        ([{"Effect": "Allow", "Action": "sts:AssumeRole"}], "nobody may assume it"),
    ],
)
def test_a_role_that_nobody_is_seen_to_use(statements: list[Any], why: str) -> None:
    """Is of unknown use, for one reason or the other."""
    found = trust_of(document(*statements), OWN)
    assert (found.kind, found.why) == (HolderKind.UNKNOWN, why)


def test_of_several_kinds_the_most_exposed_counts() -> None:
    """And of two alike the first by its words."""
    both = [(HolderKind.DEPLOY, "b"), (HolderKind.RUNTIME, "c"), (HolderKind.RUNTIME, "a"), (HolderKind.UNKNOWN, "d")]
    assert most_exposed(both) == (HolderKind.RUNTIME, "a")
