"""What an integration that is only declared can call: state machines, gateways, resolvers, pipes and rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from tablegate.access.actions import by_name, enclosing_operations
from tablegate.access.documents import Document, PrincipalKind
from tablegate.access.trust import service_of

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


def of_states(definition: object, given: Mapping[str, str] | None = None) -> Calls:
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


def of_gateway(uri: str | None) -> Calls:
    """What an integration of a gateway calls, by its URI."""
    match = re.search(_OF_GATEWAY, uri or "")
    if match is not None:
        return _of_operation(match[1])
    parts = (uri or "").split(":")
    return NOTHING if len(parts) > 4 and parts[4] and parts[4].isascii() and "dynamodb" not in parts[4] else None


def of_resolvers(programs: Iterable[str | None]) -> Calls:
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
