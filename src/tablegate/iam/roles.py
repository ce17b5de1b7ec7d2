"""Who uses a role, by its trust policy; and which actions integrations such as state machines call with it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from tablegate.iam.actions import by_name, enclosing_operations
from tablegate.iam.arns import has_symbol, is_symbol
from tablegate.iam.documents import Document, Principal, PrincipalKind
from tablegate.iam.grants import HolderKind
from tablegate.model.record import record

_RUNTIME_SERVICES = frozenset(
    {
        "apigateway",
        "appsync",
        "airflow",
        "airflow-env",
        "amplify",
        "appstream",
        "batch",
        "bedrock",
        "build.apprunner",
        "databrew",
        "ec2",
        "ecs",
        "ecs-tasks",
        "edgelambda",
        "eks-fargate-pods",
        "elasticbeanstalk",
        "elasticmapreduce",
        "emr-containers",
        "emr-serverless",
        "events",
        "gamelift",
        "glue",
        "iot",
        "kafkaconnect",
        "kinesisanalytics",
        "lambda",
        "pipes",
        "pods.eks",
        "rolesanywhere",
        "sagemaker",
        "scheduler",
        "states",
        "tasks.apprunner",
    }
)
_DEPLOY_SERVICES = frozenset({"cloudformation", "codebuild", "codedeploy", "codepipeline", "servicecatalog"})
_MANAGEMENT_SERVICES = frozenset(
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
_END_USER_PROVIDERS = ("cognito-identity.amazonaws.com", "accounts.google.com", "graph.facebook.com", "www.amazon.com")
_PIPELINE_PROVIDERS = (
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
_RANKS = {kind: number for number, kind in enumerate(_EXPOSED_FIRST)}

Calls: TypeAlias = frozenset[str] | None
"""Names of the actions that are called; None where that is not known."""

NOTHING: frozenset[str] = frozenset()
PUTS = frozenset({"PutItem"})
READS_STREAMS = frozenset({"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"})
GATEWAY, RESOLVERS, RULES, PIPES, STATES = "apigateway", "appsync", "iot", "pipes", "states"
_SERVICE_PART = 2  # of an ARN's parts
_INTEGRATION_SERVICES = frozenset({GATEWAY, RESOLVERS, RULES, PIPES, STATES})
_TASK_RESOURCE = r":states:::(?:aws-sdk:)?dynamodb:(\w+)$"
_GATEWAY_URI = r":apigateway:[^:]*:(?:[\w.-]+\.)?dynamodb:action/(\w+)$"
_RESOLVER_OPERATION = r"""["']?\boperation["']?\s*:\s*["'](\w+)["']"""
_PLACEHOLDER = r"\$\{(\w+)\}"
# The actions of resolver operations that have a name of their own.
_RESOLVER_ACTIONS = {
    "batchdeleteitem": frozenset({"BatchWriteItem"}),
    "batchputitem": frozenset({"BatchWriteItem"}),
    "sync": frozenset({"Query", "Scan"}),
}


@record(kw_only=False)
class Trust:
    """Who may assume a role."""

    kind: HolderKind
    why: str
    services: frozenset[str] = frozenset()


_WHY_SENSITIVE = "its trust policy, which is sensitive"
NO_TRUST_POLICY = Trust(HolderKind.UNKNOWN, "its trust policy is not known")


def trust_of(document: Document, own_account: str | None) -> Trust:
    """The kind of holder that a trust policy makes of its role: the most exposed of its principals' kinds."""
    with_principals = [(one, one.principals) for one in document.statements if one.principals is not None]
    kinds = [
        _kind_of_principal(principal, own_account, document)
        for statement, principals in with_principals
        if statement.allows and not principals.inverted
        for principal in principals.items
    ]
    if any(statement.allows and principals.inverted for statement, principals in with_principals):
        kinds.append((HolderKind.CROSS_ACCOUNT, "trusts everybody except those it names"))
    if not kinds:
        readable = document.statements and not document.doubts
        return Trust(HolderKind.UNKNOWN, "nobody may assume it") if readable else NO_TRUST_POLICY
    services = {
        service_of(principal.text)
        for _, principals in with_principals
        for principal in principals.items
        if principal.kind is PrincipalKind.SERVICE
    }
    kind, why = most_exposed(kinds)
    if document.sensitive:
        why = _WHY_SENSITIVE
    return Trust(kind, why, frozenset(f"{name}.amazonaws.com" for name in services))


def most_exposed(kinds: Iterable[tuple[HolderKind, str]]) -> tuple[HolderKind, str]:
    """The kind, with its evidence, that most people, or the least known, can use."""
    return min(kinds, key=lambda item: (_RANKS.get(item[0], len(_RANKS)), item[1]))


def _kind_of_principal(principal: Principal, own_account: str | None, document: Document) -> tuple[HolderKind, str]:
    shown = document.shown(principal.text)
    match principal.kind:
        case PrincipalKind.SERVICE:
            return _kind_of_service(service_of(principal.text)), f"trusts {shown}"
        case PrincipalKind.FEDERATED:
            return _kind_of_provider(shown, document)
        case PrincipalKind.ANYONE:
            return HolderKind.CROSS_ACCOUNT, "trusts everybody"
        case _:
            return _kind_of_account(principal.text, own_account), f"trusts {shown}"


def _kind_of_service(name: str) -> HolderKind:
    if name in _RUNTIME_SERVICES or name.startswith("bedrock"):
        return HolderKind.RUNTIME
    if name in _DEPLOY_SERVICES:
        return HolderKind.DEPLOY
    return HolderKind.SERVICE if name in _MANAGEMENT_SERVICES else HolderKind.UNKNOWN


def _kind_of_provider(text: str, document: Document) -> tuple[HolderKind, str]:
    lower_name = text.lower()
    if any(provider in lower_name for provider in _END_USER_PROVIDERS):
        anonymous = any(
            "unauthenticated" in value
            for statement in document.statements
            for item in statement.conditions
            for value in item.values
        )
        return HolderKind.END_USER, f"trusts {'unauthenticated users of ' if anonymous else ''}{text}"
    if "oidc.eks." in lower_name:
        return HolderKind.RUNTIME, f"trusts {text}"
    if any(pipeline in lower_name for pipeline in _PIPELINE_PROVIDERS):
        bound = any(
            item.key.endswith(":sub") and not item.holds_without and not item.is_null
            for statement in document.statements
            for item in statement.conditions
        )
        return (HolderKind.DEPLOY if bound else HolderKind.UNKNOWN), f"trusts {text}"
    return HolderKind.HUMAN, f"trusts {text}"


def _kind_of_account(text: str, own_account: str | None) -> HolderKind:
    account = text.split(":")[4] if text.count(":") >= 5 else text
    if "*" in account:
        return HolderKind.CROSS_ACCOUNT  # IAM refuses it; its author means everybody
    if account.isdigit() and own_account and own_account.isdigit() and account != own_account:
        return HolderKind.CROSS_ACCOUNT
    return HolderKind.HUMAN


def service_of(text: str) -> str:
    """A service principal's name without domain and region: ``lambda``, ``ecs-tasks``."""
    principal = text.lower()
    if principal and is_symbol(principal[-1]) and "." in principal:  # its domain: ${AWS::URLSuffix}
        principal = f"{principal.rpartition('.')[0]}.amazonaws.com"
    name = principal.removesuffix(".cn").removesuffix(".amazonaws.com")
    service, _, region = name.rpartition(".")
    regional = service and name != principal and (re.fullmatch(_REGION, region) or has_symbol(region))
    return service if regional else name


def declared_services(trust: Document) -> frozenset[str]:
    """The services that may use a role, if only integrations may whose calls are declared; else nothing."""
    if trust.doubts:
        return NOTHING
    allowed = [statement.principals for statement in trust.statements if statement.allows]
    if any(one is None or one.inverted for one in allowed):
        return NOTHING
    items = [item for one in allowed if one is not None for item in one.items]
    names = frozenset(service_of(item.text) if item.kind is PrincipalKind.SERVICE else "" for item in items)
    return names if names <= _INTEGRATION_SERVICES else NOTHING


def needs_of(services: frozenset[str], calls: Iterable[tuple[str, Calls]]) -> Calls:
    """All actions that these services call with a role; None where the calls of one of them are not known."""
    relevant = [(service, names) for service, names in calls if service in services]
    if not services or services != {service for service, _ in relevant}:
        return None
    needs: set[str] = set()
    for _, names in relevant:
        if names is None:
            return None
        needs |= names
    return frozenset(needs)


def calls_of_state_machine(definition: object, substitutions: Mapping[str, str] | None = None) -> Calls:
    """The actions that the tasks of a state machine call. ``substitutions`` has the values of its placeholders."""
    called: set[str] = set()
    for resource in _tasks(definition):
        if not isinstance(resource, str):
            return None
        filled = re.sub(_PLACEHOLDER, lambda match: (substitutions or {}).get(match[1], match[0]), resource)
        names = _calls_of_task(filled)
        if names is None:
            return None
        called |= names
    return frozenset(called) if isinstance(definition, Mapping) else None


def calls_of_gateway(uri: str | None) -> Calls:
    """The actions that a gateway's integration with this URI calls."""
    match = re.search(_GATEWAY_URI, uri or "")
    if match is not None:
        return _actions_of_operation(match[1])
    parts = (uri or "").split(":")
    return NOTHING if len(parts) > 4 and parts[4] and parts[4].isascii() and "dynamodb" not in parts[4] else None


def calls_of_resolvers(programs: Iterable[str | None]) -> Calls:
    """The actions that the resolver templates and functions of a data source call, by the operations in them."""
    called: set[str] = set()
    seen = False
    for program in programs:
        seen = True
        names = [_actions_of_operation(name) for name in re.findall(_RESOLVER_OPERATION, program or "")]
        if not names or None in names:
            return None
        called |= {name for each in names for name in each or ()}
    return frozenset(called) if seen else None


def _tasks(definition: object) -> Iterator[object]:
    waiting = [definition]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, Mapping):
            if inner.get("Type") == "Task":
                yield inner.get("Resource")
            waiting.extend(inner.values())
        elif isinstance(inner, list):
            waiting.extend(inner)


def _calls_of_task(resource: str) -> Calls:
    """The actions that one task calls. A function, or another service than DynamoDB, calls tables by its own role."""
    match = re.search(_TASK_RESOURCE, resource)
    if match is not None:
        return _actions_of_operation(match[1])
    parts = resource.split(":")
    if "${" in resource or len(parts) <= _SERVICE_PART or not parts[_SERVICE_PART].isascii():
        return None
    return None if parts[_SERVICE_PART] == STATES and not resource.isascii() else NOTHING


def _actions_of_operation(name: str) -> Calls:
    """The actions that authorise an operation."""
    lower_name = name.lower()
    if lower_name in by_name():
        return frozenset({by_name()[lower_name].name})
    return _RESOLVER_ACTIONS.get(lower_name) or frozenset(enclosing_operations().get(lower_name, ())) or None
