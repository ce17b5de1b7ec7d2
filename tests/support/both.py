"""One table in both languages, with resources beside it: a table of cases has a column for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from textwrap import dedent, indent
from typing import Any, NamedTuple

import pytest

from support.plans import change, configured, only, resource, written
from support.templates import tables
from tablegate.dialects.reading import ReadOptions
from tablegate.model.table import Table
from tablegate.model.value import Value

REGION = "eu-west-1"
ACCOUNT = "123456789012"
NAME = "orders"
ARN = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{NAME}"
HEAD = """
Parameters:
  P: {Type: String}
Conditions:
  C: !Equals [!Ref P, a]
Resources:
"""
UNKNOWN = "(unknown)"


class Refers(NamedTuple):
    """A value of a plan that is known only after the apply, by what its expression reads."""

    reference: str


LATER = Refers("local.later")


class Case(NamedTuple):
    """What is said in each language, and what follows. None is an empty cell: it cannot be said there."""

    name: str
    terraform: Any
    cloudformation: str | None
    expected: object


def each(cases: Iterable[Case], language: str) -> pytest.MarkDecorator:
    """Run a test for each case of a language, with what is said and what follows."""
    said = [case for case in cases if getattr(case, language) is not None]
    pairs = [(getattr(case, language), case.expected) for case in said]
    return pytest.mark.parametrize(("given", "expected"), pairs, ids=[case.name for case in said])


def terraform(
    resources: Mapping[str, Mapping[str, Any]],
    table: Mapping[str, Any] | None = None,
    *,
    regions: Mapping[str, str] | None = None,
    account: str | None = None,
) -> Table:
    """The table of a plan, with resources by address.

    A resource that has a member ``provider`` is in one of the other ``regions``, which are by provider; the region of a
    provider may be empty, which a plan does not show, or a reference.
    """
    changes, configuration = [], []
    own = {"name": NAME, "arn": LATER, **(table or {})}
    for address, arguments in {"aws_dynamodb_table.t": own, **resources}.items():
        type_, name = address.split(".")
        provider = arguments.get("provider", "aws")
        after, unknown, expressions = _split({key: it for key, it in arguments.items() if key != "provider"})
        changes.append(change(after, type=type_, name=name, unknown=unknown))
        configuration.append({**resource(expressions, type=type_, name=name), "provider_config_key": provider})
    whole = configured(*configuration)
    for provider, region in (regions or {}).items():
        is_known = region and "." not in region
        expression = {"constant_value": region} if is_known else {"references": [region or "var.region"]}
        alias = provider.partition(".")[2]
        whole["provider_config"][provider] = {"alias": alias, "expressions": {"region": expression}}
    return only(written(*changes, configuration=whole, options=ReadOptions(account=account)))


def cloudformation(resources: str, properties: str = "", *, account: str | None = None) -> tuple[Table, ...]:
    """The table ``Orders`` of a template in one region, in each of its scenarios, with resources beside it."""
    table = f"  Orders: {{Type: 'AWS::DynamoDB::Table', Properties: {{TableName: {NAME}{properties}}}}}\n"
    text = HEAD + table + indent(dedent(resources).strip("\n"), "  ") + "\n"
    return tuple(it for it in tables(text, region=REGION, account=account) if it.address == "Orders")


def told(value: Value[Any]) -> object:
    """A value's content, or that it is not known."""
    return value.content if value.known else UNKNOWN


def _split(value: Any) -> tuple[Any, Any, Any]:
    """A value as a plan shows it: what is known, what is not, and the expressions."""
    if isinstance(value, Refers):
        resource_of = ".".join(value.reference.split(".")[:2])
        return None, True, {"references": list(dict.fromkeys((value.reference, resource_of)))}
    if isinstance(value, dict):
        parts = {key: _split(it) for key, it in value.items()}
        return (
            {key: known for key, (known, unknown, _) in parts.items() if unknown is not True},
            {key: unknown for key, (_, unknown, _) in parts.items() if unknown},
            {key: expression for key, (_, _, expression) in parts.items()},
        )
    if isinstance(value, list) and any(isinstance(it, (dict, Refers)) for it in value):
        known, unknown, expressions = (list(column) for column in zip(*map(_split, value), strict=True))
        is_list = any(isinstance(it, Refers) for it in value)
        references = [reference for it in expressions for reference in it.get("references", ())]
        return known, unknown if any(unknown) else None, {"references": references} if is_list else expressions
    return value, None, {"constant_value": value}
