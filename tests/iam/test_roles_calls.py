"""Integrations: what is only declared says all that it can call."""

from __future__ import annotations

from typing import Any

import pytest

from support.access import document
from support.tables import DOUBT
from tablegate.iam.arns import Symbols
from tablegate.iam.documents import UnknownPart
from tablegate.iam.roles import (
    calls_of_gateway,
    calls_of_resolvers,
    calls_of_state_machine,
    declared_services,
    needs_of,
)

SYMBOL = Symbols().of("later")


def task(resource: Any, **others: Any) -> dict[str, Any]:
    """A machine of one task."""
    return {"StartAt": "One", "States": {"One": {"Type": "Task", "Resource": resource, **others}}}


@pytest.mark.parametrize(
    ("definition", "calls"),
    [
        (task("arn:aws:states:::dynamodb:getItem"), {"GetItem"}),
        (task(f"arn:{SYMBOL}:states:::dynamodb:updateItem"), {"UpdateItem"}),
        (task("arn:aws:states:::aws-sdk:dynamodb:exportTableToPointInTime"), {"ExportTableToPointInTime"}),
        (task("arn:aws:states:::aws-sdk:dynamodb:transactGetItems"), {"GetItem"}),
        (task("arn:aws:states:::lambda:invoke"), set()),
        (task("arn:aws:lambda:us-east-1:1:function:f"), set()),
        (task(f"arn:aws:lambda:{SYMBOL}"), set()),
        (task("${Put}"), {"PutItem"}),
        (task("arn:aws:states:::dynamodb:frobnicate"), None),
        (task("${Other}"), None),
        (task(f"arn:aws:states:::{SYMBOL}"), None),
        (task(SYMBOL), None),
        (task(None), None),
        ({"States": {"Wait": {"Type": "Wait", "Seconds": 1}}}, set()),
        (
            {
                "States": {
                    "Both": {"Type": "Parallel", "Branches": [task("arn:aws:states:::dynamodb:putItem")]},
                    "Each": {"Type": "Map", "Iterator": task("arn:aws:states:::aws-sdk:dynamodb:query")},
                }
            },
            {"PutItem", "Query"},
        ),
        (None, None),
        ("a text", None),
    ],
)
def test_a_state_machine_calls_what_its_tasks_name(definition: Any, calls: set[str] | None) -> None:
    """Wherever they stand; a function calls in its own name, and what is not known may be anything."""
    assert calls_of_state_machine(definition, {"Put": "arn:aws:states:::dynamodb:putItem"}) == calls


@pytest.mark.parametrize(
    ("uri", "calls"),
    [
        ("arn:aws:apigateway:us-east-1:dynamodb:action/Query", {"Query"}),
        (f"arn:{SYMBOL}:apigateway:{SYMBOL}:dynamodb:action/PutItem", {"PutItem"}),
        ("arn:aws:apigateway:us-east-1:streams.dynamodb:action/GetRecords", {"GetRecords"}),
        ("arn:aws:apigateway:us-east-1:sqs:path/queue", set()),
        ("arn:aws:apigateway:us-east-1:dynamodb:path/anything", None),
        (f"arn:aws:apigateway:us-east-1:{SYMBOL}:path/anything", None),
        ("https://example.com", None),
        (None, None),
    ],
)
def test_a_gateway_calls_the_action_of_its_uri(uri: str | None, calls: set[str] | None) -> None:
    """An integration with another service calls no table."""
    assert calls_of_gateway(uri) == calls


@pytest.mark.parametrize(
    ("programs", "calls"),
    [
        (['{"version": "2018-05-29", "operation": "GetItem"}'], {"GetItem"}),
        (["return { operation: 'Query', index: 'a' }", '{"operation": "Scan"}'], {"Query", "Scan"}),
        (['{"operation": "BatchPutItem"}'], {"BatchWriteItem"}),
        (['{"operation": "Sync"}'], {"Query", "Scan"}),
        (["return ddb.get({ key })"], None),
        (['{"operation": "Frobnicate"}'], None),
        (['{"operation": "GetItem"}', None], None),
        ([], None),
    ],
)
def test_resolvers_call_the_operations_that_they_name(programs: list[str | None], calls: set[str] | None) -> None:
    """Of one that names none nothing is known, nor of a source that nothing here resolves by."""
    assert calls_of_resolvers(programs) == calls


def trust(*principals: Any, **others: Any) -> Any:
    """A trust policy."""
    return document(
        *({"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": one, **others} for one in principals)
    )


@pytest.mark.parametrize(
    ("trusting", "services"),
    [
        (trust({"Service": "states.amazonaws.com"}), {"states"}),
        (trust({"Service": ["states.amazonaws.com", "pipes.amazonaws.com"]}), {"states", "pipes"}),
        (trust({"Service": "lambda.amazonaws.com"}), set()),
        (trust({"Service": "states.amazonaws.com"}, {"AWS": "arn:aws:iam::1:root"}), set()),
        (trust({"Service": ["states.amazonaws.com", UnknownPart(DOUBT)]}), set()),
        (trust("*"), set()),
        (document({"Effect": "Allow", "Action": "sts:AssumeRole", "NotPrincipal": {"AWS": "1"}}), set()),
        (document({"Effect": "Allow", "Action": "sts:AssumeRole"}), set()),
        (document(), set()),
    ],
)
def test_only_declared_services_say_what_they_call(trusting: Any, services: set[str]) -> None:
    """As soon as anybody else may use the role, nobody knows."""
    assert declared_services(trusting) == services


@pytest.mark.parametrize(
    ("services", "calls", "needs"),
    [
        ({"states"}, [("states", frozenset({"GetItem"}))], {"GetItem"}),
        ({"states"}, [("states", frozenset({"GetItem"})), ("states", frozenset({"Query"}))], {"GetItem", "Query"}),
        ({"states"}, [("states", frozenset({"GetItem"})), ("states", None)], None),
        ({"states"}, [("states", frozenset({"GetItem"})), ("pipes", None)], {"GetItem"}),
        ({"states", "pipes"}, [("states", frozenset({"GetItem"}))], None),
        ({"states"}, [], None),
        (set(), [("states", frozenset({"GetItem"}))], None),
    ],
)
def test_a_role_needs_what_all_of_its_users_call(services: set[str], calls: Any, needs: set[str] | None) -> None:
    """Each service that may use it must be seen to do so, and be known."""
    assert needs_of(frozenset(services), calls) == needs
