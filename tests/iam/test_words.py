"""The words and the lists that decide about access: each of them, by what it does."""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import Any

import pytest

from support.access import document, estate, holder, statement, table, whole
from tablegate.iam.actions import Kind, by_name
from tablegate.iam.arns import partition_of
from tablegate.iam.conditions import Narrowing, narrowing
from tablegate.iam.documents import PrincipalKind
from tablegate.iam.grants import DocumentRole, HolderForm, HolderKind, MakerKind, role_by_name
from tablegate.iam.patterns import Tier, scope_of
from tablegate.iam.roads import Road, road_of
from tablegate.iam.roles import trust_of

OWN = "111122223333"
IAM = f"arn:aws:iam::{OWN}"


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (DocumentRole, "identity resource ceiling channel"),
        (HolderKind, "end-user cross-account runtime human deploy service-mgmt unknown"),
        (HolderForm, "role user group permission-set unattached table stream key endpoint"),
        (PrincipalKind, "* AWS Service Federated CanonicalUser"),
    ],
)
def test_words_stay(kind: type[StrEnum], words: str) -> None:
    """Reports show them, and settings and policies as data compare with them."""
    assert [str(each) for each in kind] == words.split()


def test_makers_are_named_in_sentences() -> None:
    """As readers call them."""
    assert [str(each) for each in MakerKind] == ["policy template", "event", "connector"]
    assert len(set(Kind)) == len(list(Kind))


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (Narrowing, "NONE UNKNOWN WHERE CONTEXT ATTRIBUTES ITEMS TABLES NEVER"),
        (Tier, "NONE ONE VARIABLE PREFIX WEAK ALL EVERYWHERE"),
    ],
)
def test_ranks_are_in_order(kind: type[Enum], names: str) -> None:
    """Each is above all before it, and none is another's name."""
    ranked = sorted(kind, key=lambda each: each.value)
    assert [each.name for each in ranked] == names.split() == [each.name for each in kind]
    assert (Narrowing.NONE, Tier.ONE) == (0, 0)


def test_a_policy_that_is_called_a_boundary_is_one() -> None:
    """By any of its names, in any case."""
    assert role_by_name("DeveloperBoundary", None) is DocumentRole.CEILING
    assert role_by_name(None, "x-boundary") is DocumentRole.CEILING
    assert role_by_name("orders", None) is DocumentRole.IDENTITY


@pytest.mark.parametrize(
    ("region", "partition"),
    [("us-isof-south-1", "aws-iso-f"), ("eu-isoe-west-1", "aws-iso-e"), ("us-isoc-east-1", "aws")],
)
def test_a_partition_is_told_by_the_whole_beginning_of_a_region(region: str, partition: str) -> None:
    """One that nobody has heard of yet is taken for the usual one."""
    assert partition_of(region) == partition


RUNTIME = """airflow airflow-env amplify apigateway appstream appsync batch bedrock build.apprunner databrew ec2 ecs
    ecs-tasks edgelambda eks-fargate-pods elasticbeanstalk elasticmapreduce emr-containers emr-serverless events
    gamelift glue iot kafkaconnect kinesisanalytics lambda pipes pods.eks rolesanywhere sagemaker scheduler states
    tasks.apprunner"""
DEPLOY = "cloudformation codebuild codedeploy codepipeline servicecatalog"
MANAGEMENT = """application-autoscaling backup dax dms dynamodb.application-autoscaling export.dynamodb firehose
    osis-pipelines redshift replication.dynamodb"""


@pytest.mark.parametrize(
    ("service", "kind"),
    [
        *((service, HolderKind.RUNTIME) for service in RUNTIME.split()),
        *((service, HolderKind.DEPLOY) for service in DEPLOY.split()),
        *((service, HolderKind.SERVICE) for service in MANAGEMENT.split()),
    ],
)
def test_a_role_of_a_service_is_of_its_kind(service: str, kind: HolderKind) -> None:
    """Code, a deploy or a feature of AWS's own: the severity of what is found depends on it."""
    trusting = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": f"{service}.amazonaws.com"}}
    assert trust_of(document(trusting), OWN).kind is kind


@pytest.mark.parametrize(
    "provider", ["cognito-identity.amazonaws.com", "accounts.google.com", "graph.facebook.com", "www.amazon.com"]
)
def test_a_login_of_the_public_is_an_end_user(provider: str) -> None:
    """By the provider's own domain."""
    trusting = {"Effect": "Allow", "Action": "sts:AssumeRoleWithWebIdentity", "Principal": {"Federated": provider}}
    assert trust_of(document(trusting), OWN).kind is HolderKind.END_USER


@pytest.mark.parametrize(
    "provider",
    [
        "token.actions.githubusercontent.com",
        "gitlab.example.com",
        "api.bitbucket.org/2.0/workspaces/a/pipelines-config/identity/oidc",
        "oidc.circleci.com/org/1",
        "app.terraform.io",
        "acme.app.spacelift.io",
        "agent.buildkite.com",
    ],
)
def test_a_pipeline_with_a_literal_subject_deploys(provider: str) -> None:
    """Whichever build server it is of."""
    trusting = {
        "Effect": "Allow",
        "Action": "sts:AssumeRoleWithWebIdentity",
        "Principal": {"Federated": f"{IAM}:oidc-provider/{provider}"},
        "Condition": {"StringEquals": {f"{provider}:sub": "repo:acme/orders:ref:refs/heads/main"}},
    }
    assert trust_of(document(trusting), OWN).kind is HolderKind.DEPLOY


def road(*statements: Any, form: HolderForm = HolderForm.ROLE) -> Road | None:
    """That of a holder beside a role and a user who reach a table."""
    who = holder(whole(*statements), form=form, arn=f"{IAM}:{form}/worker")
    task = holder(whole(statement("GetItem")), address="aws_iam_role.task", arn=f"{IAM}:role/task")
    anna = holder(
        whole(statement("GetItem")), address="aws_iam_user.anna", form=HolderForm.USER, arn=f"{IAM}:user/anna"
    )
    estate(who, task, anna, tables=[table()])
    return road_of(who)


@pytest.mark.parametrize(
    ("action", "form"),
    [
        ("iam:PutRolePolicy", HolderForm.ROLE),
        ("iam:AttachRolePolicy", HolderForm.ROLE),
        ("iam:UpdateAssumeRolePolicy", HolderForm.ROLE),
        ("iam:PutUserPolicy", HolderForm.USER),
        ("iam:AttachUserPolicy", HolderForm.USER),
        ("iam:AddUserToGroup", HolderForm.USER),
        ("iam:PutGroupPolicy", HolderForm.USER),
        ("iam:AttachGroupPolicy", HolderForm.USER),
        ("iam:CreatePolicyVersion", HolderForm.ROLE),
        ("iam:SetDefaultPolicyVersion", HolderForm.ROLE),
        ("iam:CreateAccessKey", HolderForm.ROLE),
        ("iam:CreateLoginProfile", HolderForm.ROLE),
    ],
)
def test_each_action_of_iam_is_a_road(action: str, form: HolderForm) -> None:
    """By itself."""
    found = road(statement(action, "*"), form=form)
    assert found is not None
    assert (found.actions, found.certain) == ((action,), True)


@pytest.mark.parametrize(
    ("action", "service"),
    [
        ("lambda:CreateFunction", "lambda"),
        ("lambda:UpdateFunctionCode", "lambda"),
        ("ecs:RunTask", "ecs-tasks"),
        ("ec2:RunInstances", "ec2"),
        ("glue:CreateJob", "glue"),
        ("cloudformation:CreateStack", "cloudformation"),
        ("sagemaker:CreateNotebookInstance", "sagemaker"),
        ("states:CreateStateMachine", "states"),
    ],
)
def test_each_way_to_run_code_with_a_role_is_a_road(action: str, service: str) -> None:
    """If the role may be passed to that service."""
    for name, expected in ((service, ("iam:PassRole", action)), ("elsewhere", None)):
        passed = {"StringEquals": {"iam:PassedToService": f"{name}.amazonaws.com"}}
        found = road(statement("iam:PassRole", "*", passed), statement(action, "*"))
        assert (found and found.actions) == expected


@pytest.mark.parametrize(
    ("operator", "key", "value", "rank"),
    [
        ("IpAddress", "aws:SourceIp", "::/0", Narrowing.NONE),
        ("IpAddress", "aws:SourceIp", "0.0.0.0/0", Narrowing.NONE),
        ("IpAddress", "aws:SourceIp", ["10.0.0.0/8", "::/0"], Narrowing.NONE),
        ("IpAddress", "aws:SourceIp", "2001:db8::/32", Narrowing.CONTEXT),
        ("StringEquals", "aws:SourceVpce", "::/0", Narrowing.CONTEXT),
        *(
            ("StringEquals", f"aws:{key}", "x", Narrowing.CONTEXT)
            for key in ("SourceVpce", "SourceVpc", "PrincipalOrgID", "CalledVia", "CalledViaFirst", "CalledViaLast")
        ),
        ("ForAnyValue:StringLike", "aws:PrincipalOrgPaths", "o-1/*", Narrowing.CONTEXT),
        ("NumericLessThan", "aws:MultiFactorAuthAge", "3600", Narrowing.CONTEXT),
        ("Bool", "aws:MultiFactorAuthPresent", "true", Narrowing.CONTEXT),
        ("Bool", "aws:ViaAWSService", "true", Narrowing.CONTEXT),
        *(
            ("StringEquals", f"aws:{key}", "x", Narrowing.WHERE)
            for key in ("RequestedRegion", "ResourceAccount", "ResourceOrgID")
        ),
        ("ForAnyValue:StringLike", "aws:ResourceOrgPaths", "o-1/*", Narrowing.WHERE),
        *(
            ("ForAllValues:StringEquals", f"dynamodb:{key}", "a", Narrowing.ITEMS)
            for key in (
                "LeadingKeys",
                "FirstPartitionKeyValues",
                "SecondPartitionKeyValues",
                "ThirdPartitionKeyValues",
                "FourthPartitionKeyValues",
            )
        ),
    ],
)
def test_each_key_narrows_by_its_kind(operator: str, key: str, value: Any, rank: Narrowing) -> None:
    """Every address of IPv6 is as wide as every one of IPv4."""
    conditions = document(statement("GetItem", "*", {operator: {key: value}})).statements[0].conditions
    assert narrowing(conditions, by_name()["getitem"]) is rank


def test_a_variable_in_an_action_is_not_unknown() -> None:
    """IAM takes it for what it says: nothing has such a name."""
    (one,) = document(statement(None, "*", Action=["dynamodb:${aws:username}"])).statements
    assert one.doubts == ()


@pytest.mark.parametrize(
    ("pattern", "table"),
    [("table/a:b", "a:b"), ("table/a:b:*", "a:b:*")],
)
def test_colons_belong_to_the_last_part(pattern: str, table: str) -> None:
    """An ARN has six parts."""
    assert scope_of(f"arn:aws:dynamodb:eu-west-1:{OWN}:{pattern}").table == table
