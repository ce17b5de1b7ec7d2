"""Who uses a role: trust policy, and what integrations call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from tablegate.iam.actions import by_name, enclosing_operations
from tablegate.iam.arns import has_symbol
from tablegate.iam.documents import Document, Principal, PrincipalKind
from tablegate.iam.grants import HolderKind
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


NO_TRUST_POLICY = Trust(HolderKind.UNKNOWN, "its trust policy is not known")


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
            NO_TRUST_POLICY
            if document.doubts or not document.statements
            else Trust(HolderKind.UNKNOWN, "nobody may assume it")
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


Calls: TypeAlias = frozenset[str] | None
"""Names of the actions that are called; None where that is not known."""

NOTHING: frozenset[str] = frozenset()
PUTS = frozenset({"PutItem"})
READS_STREAMS = frozenset({"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"})
GATEWAY, RESOLVERS, RULES, PIPES, STATES = "apigateway", "appsync", "iot", "pipes", "states"
_SERVICE = 2  # of an ARN's parts
_DECLARED = frozenset({GATEWAY, RESOLVERS, RULES, PIPES, STATES})
_OF_STATES = r":states:::(?:aws-sdk:)?dynamodb:(\w+)$"
_OF_GATEWAY = r":apigateway:[^:]*:(?:[\w.-]+\.)?dynamodb:action/(\w+)$"
_OPERATION = r"""["']?\boperation["']?\s*:\s*["'](\w+)["']"""
_PLACEHOLDER = r"\$\{(\w+)\}"
# What a resolver calls an operation that has another name elsewhere.
_RESOLVED = {
    "batchdeleteitem": frozenset({"BatchWriteItem"}),
    "batchputitem": frozenset({"BatchWriteItem"}),
    "sync": frozenset({"Query", "Scan"}),
}


def declared_services(trust: Document) -> frozenset[str]:
    """The services that may use a role, where all of them say what they call; nothing where anybody else may."""
    if trust.doubts:
        return NOTHING
    allowed = [statement.principals for statement in trust.statements if statement.allows]
    if any(one is None or one.inverted for one in allowed):
        return NOTHING
    items = [item for one in allowed if one is not None for item in one.items]
    names = frozenset(service_of(item.text) if item.kind is PrincipalKind.SERVICE else "" for item in items)
    return names if names <= _DECLARED else NOTHING


def needs_of(services: frozenset[str], calls: Iterable[tuple[str, Calls]]) -> Calls:
    """All that a role is used for, by services that say what they call; None where one of them is not in sight."""
    found = [(service, names) for service, names in calls if service in services]
    if not services or services != {service for service, _ in found}:
        return None
    needs: set[str] = set()
    for _, names in found:
        if names is None:
            return None
        needs |= names
    return frozenset(needs)


def calls_of_state_machine(definition: object, given: Mapping[str, str] | None = None) -> Calls:
    """What the tasks of a state machine call. ``given`` is what stands for its placeholders."""
    called: set[str] = set()
    for resource in _tasks(definition):
        if not isinstance(resource, str):
            return None
        names = _of_task(re.sub(_PLACEHOLDER, lambda match: (given or {}).get(match[1], match[0]), resource))
        if names is None:
            return None
        called |= names
    return frozenset(called) if isinstance(definition, Mapping) else None


def calls_of_gateway(uri: str | None) -> Calls:
    """What an integration of a gateway calls, by its URI."""
    match = re.search(_OF_GATEWAY, uri or "")
    if match is not None:
        return _of_operation(match[1])
    parts = (uri or "").split(":")
    return NOTHING if len(parts) > 4 and parts[4] and parts[4].isascii() and "dynamodb" not in parts[4] else None


def calls_of_resolvers(programs: Iterable[str | None]) -> Calls:
    """What the templates and functions of a data source call, by the operations that they name."""
    called: set[str] = set()
    some = False
    for program in programs:
        some = True
        names = [_of_operation(name) for name in re.findall(_OPERATION, program or "")]
        if not names or None in names:
            return None
        called |= {name for each in names for name in each or ()}
    return frozenset(called) if some else None


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


def _of_task(resource: str) -> Calls:
    """What one task calls. A function, or a service other than DynamoDB, calls tables in its own name, if at all."""
    match = re.search(_OF_STATES, resource)
    if match is not None:
        return _of_operation(match[1])
    parts = resource.split(":")
    if "${" in resource or len(parts) <= _SERVICE or not parts[_SERVICE].isascii():
        return None
    return None if parts[_SERVICE] == STATES and not resource.isascii() else NOTHING


def _of_operation(name: str) -> Calls:
    """The actions that authorise an operation."""
    lower = name.lower()
    if lower in by_name():
        return frozenset({by_name()[lower].name})
    return _RESOLVED.get(lower) or frozenset(enclosing_operations().get(lower, ())) or None
