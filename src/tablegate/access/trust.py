"""Who may use a role: read from its trust policy, and from what in the input refers to it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tablegate.access.documents import Document, Principal, PrincipalKind
from tablegate.access.grants import HolderKind
from tablegate.access.symbols import has_symbol
from tablegate.model.record import record

_RUNTIME = frozenset(
    {
        "apigateway",
        "appsync",
        "batch",
        "bedrock",
        "ec2",
        "ecs",
        "ecs-tasks",
        "edgelambda",
        "events",
        "glue",
        "iot",
        "lambda",
        "pipes",
        "pods.eks",
        "sagemaker",
        "scheduler",
        "states",
        "tasks.apprunner",
    }
)
_DEPLOY = frozenset({"cloudformation", "codebuild", "codedeploy", "codepipeline", "servicecatalog"})
_MANAGEMENT = frozenset(
    {
        "application-autoscaling",
        "backup",
        "dax",
        "dms",
        "dynamodb.application-autoscaling",
        "export.dynamodb",
        "firehose",
        "osis-pipelines",
        "redshift",
        "replication.dynamodb",
    }
)
_END_USERS = ("cognito-identity.amazonaws.com", "accounts.google.com", "graph.facebook.com", "www.amazon.com")
_PIPELINES = (
    "token.actions.githubusercontent.com",
    "gitlab",
    "bitbucket",
    "circleci",
    "terraform.io",
    "spacelift",
    "buildkite",
)
_REGION = r"[a-z]{2,4}(-[a-z]+)+-\d+"
_EXPOSED_FIRST = (
    HolderKind.END_USER,
    HolderKind.CROSS_ACCOUNT,
    HolderKind.RUNTIME,
    HolderKind.HUMAN,
    HolderKind.DEPLOY,
    HolderKind.SERVICE,
)
_RANKED = {kind: number for number, kind in enumerate(_EXPOSED_FIRST)}


@record(kw_only=False)
class Trust:
    """What a trust policy says of a role."""

    kind: HolderKind
    why: str
    services: frozenset[str] = frozenset()


UNTOLD = Trust(HolderKind.UNKNOWN, "its trust policy is not known")


def trust_of(document: Document, own_account: str | None) -> Trust:
    """The kind of holder that a trust policy makes of its role: of several, the most exposed."""
    found = [
        _of_principal(principal, own_account, document)
        for statement in document.statements
        if statement.allows and statement.principals is not None and not statement.principals.inverted
        for principal in statement.principals.items
    ]
    if any(one.allows and one.principals is not None and one.principals.inverted for one in document.statements):
        found.append((HolderKind.CROSS_ACCOUNT, "trusts everybody but those it names"))
    services = frozenset(
        service_of(principal.text)
        for statement in document.statements
        if statement.principals is not None
        for principal in statement.principals.items
        if principal.kind is PrincipalKind.SERVICE
    )
    if not found:
        return (
            UNTOLD if document.doubts or not document.statements else Trust(HolderKind.UNKNOWN, "nobody may assume it")
        )
    kind, why = most_exposed(found)
    return Trust(kind, why, frozenset(f"{name}.amazonaws.com" for name in services))


def most_exposed(found: Iterable[tuple[HolderKind, str]]) -> tuple[HolderKind, str]:
    """Of several kinds, the one that most people, or the least known, can use."""
    return min(found, key=lambda item: (_RANKED.get(item[0], len(_RANKED)), item[1]))


def _of_principal(principal: Principal, own_account: str | None, document: Document) -> tuple[HolderKind, str]:
    shown = document.shown(principal.text)
    match principal.kind:
        case PrincipalKind.SERVICE:
            return _of_service(service_of(principal.text)), f"trusts {shown}"
        case PrincipalKind.FEDERATED:
            return _of_provider(shown, document)
        case PrincipalKind.ANYONE:
            return HolderKind.CROSS_ACCOUNT, "trusts everybody"
        case _:
            return _of_account(principal.text, own_account), f"trusts {shown}"


def _of_service(name: str) -> HolderKind:
    if name in _RUNTIME or name.startswith("bedrock"):
        return HolderKind.RUNTIME
    if name in _DEPLOY:
        return HolderKind.DEPLOY
    return HolderKind.SERVICE if name in _MANAGEMENT else HolderKind.UNKNOWN


def _of_provider(text: str, document: Document) -> tuple[HolderKind, str]:
    lower = text.lower()
    if any(provider in lower for provider in _END_USERS):
        anonymous = any(
            "unauthenticated" in value
            for statement in document.statements
            for item in statement.conditions
            for value in item.values
        )
        return HolderKind.END_USER, f"trusts {'unauthenticated users of ' if anonymous else ''}{text}"
    if "oidc.eks." in lower:
        return HolderKind.RUNTIME, f"trusts {text}"
    if any(pipeline in lower for pipeline in _PIPELINES):
        return HolderKind.DEPLOY, f"trusts {text}"
    return HolderKind.HUMAN, f"trusts {text}"


def _of_account(text: str, own_account: str | None) -> HolderKind:
    account = text.split(":")[4] if text.count(":") >= 5 else text
    if "*" in account:
        return HolderKind.CROSS_ACCOUNT  # IAM refuses it, and everybody is meant
    if account.isdigit() and own_account and own_account.isdigit() and account != own_account:
        return HolderKind.CROSS_ACCOUNT
    return HolderKind.HUMAN


def service_of(text: str) -> str:
    """A service principal's name without its domain, and without a region: `lambda`, `ecs-tasks`."""
    whole = text.lower()
    name = whole.removesuffix(".cn").removesuffix(".amazonaws.com")
    head, _, region = name.rpartition(".")
    regional = head and name != whole and (re.fullmatch(_REGION, region) or has_symbol(region))
    return head if regional else name
