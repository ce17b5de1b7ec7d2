"""Who uses a role: its trust policy tells, or the resources that refer to it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.planned_access import holders
from support.plans import change, configured, resource, written
from tablegate.iam.grants import HolderKind

ROLE = "arn:aws:iam::111122223333:role/path/r"


def role(trust: str | None = None) -> dict[str, Any]:
    """A role of which at most the trust policy is known."""
    after: dict[str, Any] = {"name": "r"}
    if trust is None:
        return change(after, type="aws_iam_role", name="r", unknown={"assume_role_policy": True, "arn": True})
    return change({**after, "assume_role_policy": trust}, type="aws_iam_role", name="r", unknown={"arn": True})


def trusts(principal: Any) -> str:
    return json.dumps({"Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": principal}]})


@pytest.mark.parametrize(
    ("type_", "after", "kind"),
    [
        ("aws_lambda_function", {"role": ROLE}, HolderKind.RUNTIME),
        ("aws_ecs_task_definition", {"task_role_arn": ROLE}, HolderKind.RUNTIME),
        ("aws_iam_instance_profile", {"role": "r"}, HolderKind.RUNTIME),
        ("aws_scheduler_schedule", {"target": [{"role_arn": ROLE}]}, HolderKind.RUNTIME),
        ("aws_codebuild_project", {"service_role": ROLE}, HolderKind.DEPLOY),
        ("aws_backup_selection", {"iam_role_arn": ROLE}, HolderKind.SERVICE),
    ],
)
def test_who_refers_to_a_role_uses_it(type_: str, after: dict[str, Any], kind: HolderKind) -> None:
    """The function, the task, the machine, the pipeline: by the role's ARN or its name."""
    found = holders(written(role(), change(after, type=type_, name="u")))["aws_iam_role.r"]
    assert (found.kind, found.why) == (kind, f"used by {type_}.u")


def test_the_most_exposed_of_several_users_counts() -> None:
    """A role that a pipeline and a function share is a function's."""
    users = [
        change({"service_role": ROLE}, type="aws_codebuild_project", name="u"),
        change({"role": ROLE}, type="aws_lambda_function", name="u"),
    ]
    assert holders(written(role(), *users))["aws_iam_role.r"].kind is HolderKind.RUNTIME


def test_a_trust_policy_that_tells_goes_before_what_refers_to_the_role() -> None:
    """Nobody can use a role that does not trust them."""
    user = change({"service_role": ROLE}, type="aws_codebuild_project", name="u")
    found = holders(written(role(trusts({"Service": "ecs-tasks.amazonaws.com"})), user))["aws_iam_role.r"]
    assert (found.kind, found.why) == (HolderKind.RUNTIME, "trusts ecs-tasks.amazonaws.com")


def test_a_role_that_nothing_tells_of_is_anybodys() -> None:
    """It is said that nothing is known."""
    found = holders(written(role()))["aws_iam_role.r"]
    assert (found.kind, found.why) == (HolderKind.UNKNOWN, "its trust policy is not known")


def test_a_clusters_role_serves_the_cluster() -> None:
    """By its trust policy or by the cluster: the service is among those that may assume it."""
    cluster = change({"iam_role_arn": ROLE}, type="aws_dax_cluster", name="c")
    untold = holders(written(role(), cluster))["aws_iam_role.r"]
    assert (untold.kind, untold.why) == (HolderKind.SERVICE, "it is a DAX cluster's")
    told = holders(written(role(trusts({"Service": "ec2.amazonaws.com"})), cluster))["aws_iam_role.r"]
    assert (told.kind, told.services) == (HolderKind.RUNTIME, {"ec2.amazonaws.com", "dax.amazonaws.com"})


def test_end_users_of_a_pool_outrank_what_the_role_trusts() -> None:
    """Whoever is most exposed decides; a rule of the pool may name the role too."""
    rules = [{"mapping_rule": [{"role_arn": ROLE}]}]
    pool = change(
        {"roles": {"authenticated": "arn:aws:iam::111122223333:role/elsewhere"}, "role_mapping": rules},
        type="aws_cognito_identity_pool_roles_attachment",
        name="pool",
    )
    found = holders(written(role(trusts({"Service": "lambda.amazonaws.com"})), pool))["aws_iam_role.r"]
    assert (found.kind, found.why) == (
        HolderKind.END_USER,
        "serves users of aws_cognito_identity_pool_roles_attachment.pool",
    )


def test_another_account_is_told_from_ones_own_where_that_is_known() -> None:
    """The account is that of the provider, as it was asked when the plan was made."""
    identity = {"mode": "data", "type": "aws_caller_identity", "name": "d", "values": {"account_id": "111122223333"}}
    told = configured(
        {**resource({}, type="aws_caller_identity", name="d"), "mode": "data"},
        resource({}, type="aws_iam_role", name="r"),
    )
    kinds = [
        holders(
            written(
                role(trusts({"AWS": f"arn:aws:iam::{account}:root"})),
                configuration=told,
                prior_state={"values": {"root_module": {"resources": [identity]}}},
            )
        )["aws_iam_role.r"].kind
        for account in ("111122223333", "999988887777")
    ]
    assert kinds == [HolderKind.HUMAN, HolderKind.CROSS_ACCOUNT]
