"""What uses the roles of a plan, where nothing but declared integrations does, and what those can call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from tablegate.access.documents import Document
from tablegate.access.integrations import (
    GATEWAY,
    NOTHING,
    PIPES,
    PUTS,
    READS_STREAMS,
    RESOLVERS,
    RULES,
    STATES,
    Calls,
    declared_services,
    needs_of,
    of_gateway,
    of_resolvers,
    of_states,
)
from tablegate.dialects.terraform_plan.access.people import Person
from tablegate.dialects.terraform_plan.worlds import Resource, World
from tablegate.syntax import raw_json
from tablegate.syntax.errors import ParseError

_TABLE_SOURCE = "AMAZON_DYNAMODB"
_PROGRAMS = ("code", "request_template", "request_mapping_template")


class Integrations:
    """The integrations of one plan. ``users`` finds the roles that an attribute names."""

    def __init__(self, world: World, users: Callable[[Resource, str], Iterable[Person]]) -> None:
        self._world = world
        self._users = users

    def needs(self, person: Person, trust: Document | None) -> Calls:
        """All that the users of a role can call; None where that is not known."""
        services = NOTHING if trust is None else declared_services(trust)
        return needs_of(services, self._calls.get(person, ())) if services else None

    @cached_property
    def _calls(self) -> dict[Person, list[tuple[str, Calls]]]:
        found: dict[Person, list[tuple[str, Calls]]] = {}
        for person, service, calls in self._found():
            found.setdefault(person, []).append((service, calls))
        return found

    def _found(self) -> Iterator[tuple[Person, str, Calls]]:
        for type_, path, service, read in (
            ("aws_sfn_state_machine", "role_arn", STATES, _of_machine),
            ("aws_api_gateway_integration", "credentials", GATEWAY, _of_integration),
            ("aws_apigatewayv2_integration", "credentials_arn", GATEWAY, _of_subtype),
            ("aws_appsync_datasource", "service_role_arn", RESOLVERS, self._of_source),
            ("aws_pipes_pipe", "role_arn", PIPES, _of_pipe),
            ("aws_iot_topic_rule", "dynamodb.role_arn", RULES, _of_rule),
            ("aws_iot_topic_rule", "dynamodbv2.role_arn", RULES, _of_rule),
        ):
            for one in self._world.of(type_):
                for person in self._users(one, path):
                    yield person, service, read(one)

    def _of_source(self, source: Resource) -> Calls:
        name = source.known("name")
        if source.known("type") != _TABLE_SOURCE:
            return NOTHING if source.known("type") else None
        used = (one for one in self._world.of("aws_appsync_resolver", "aws_appsync_function"))
        return of_resolvers(_program(one) for one in used if name and one.known("data_source") == name)


def _program(one: Resource) -> str | None:
    return next((text for key in _PROGRAMS if (text := one.known(key))), None)


def _of_machine(machine: Resource) -> Calls:
    text = machine.known("definition")
    try:
        return None if text is None else of_states(raw_json.decode(raw_json.part_of(text)))
    except (ParseError, UnicodeEncodeError):
        return None


def _of_integration(integration: Resource) -> Calls:
    return of_gateway(integration.known("uri"))


def _of_subtype(integration: Resource) -> Calls:
    """Integrations of HTTP interfaces: those with services have a subtype, and DynamoDB has none."""
    return NOTHING if integration.known("integration_subtype") else None


def _of_pipe(pipe: Resource) -> Calls:
    """A pipe reads what it comes from; where that is the stream of a table, its ARN says so."""
    source = pipe.known("source")
    if source is not None:
        return READS_STREAMS if ":dynamodb:" in source else NOTHING
    mentions = pipe.mentions("source")
    tables = [one.type.startswith(("aws_dynamodb_", "awscc_dynamodb_")) for one in mentions]
    return None if not tables or any(one.dead for one in mentions) else READS_STREAMS if any(tables) else NOTHING


def _of_rule(_: Resource) -> Calls:
    return PUTS
