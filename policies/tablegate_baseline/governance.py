"""Governance: can people find out what a table is for, and who answers for it?"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated

from tablegate.policy import (
    LOW,
    MEDIUM,
    Dialect,
    Expression,
    Table,
    Value,
    Verdict,
    all_of,
    fails,
    holds,
    not_applicable,
    policy,
)
from tablegate_baseline.helpers import not_known, otherwise, quoted, words_of

_NO_PATTERN = Expression("")
_ANY = "x"  # for a part of a name that is not known: what is next to it may be half a word
ENVIRONMENTS = (
    *("dev", "development", "test", "testing", "qa", "uat", "int", "integration", "stage", "staging", "preprod"),
    *("prod", "production", "live", "sandbox", "demo", "perf", "ci", "local", "shared"),
)
ENVIRONMENT_TAGS = ("tablegate:environment", "environment", "env", "stage")


@policy(
    "TG901",
    MEDIUM,
    "A table's name or tags must tell its environment",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html",
    terraform='name = "orders-prod"',
    cloudformation="TableName: orders-prod",
    cause="name of the table",
)
def table_name(
    table: Table,
    *,
    pattern: Annotated[Expression, "regular expression that the name must match"] = _NO_PATTERN,
    words: Annotated[tuple[str, ...], "words that name an environment"] = ENVIRONMENTS,
) -> Verdict:
    """On a bill, in an alarm or on the console at night the name is all there is to see, and it must tell whether this
    is production. With ``pattern``, the name must match that regular expression instead."""
    name = table.name
    if table.name_generated:
        return not_applicable("the table's name is generated", name)
    if pattern:
        return otherwise(name.matches(pattern), f"the table name {quoted(name)} does not match {pattern}")
    written = name.content if name.known else "".join(_ANY if part is None else part for part in name.parts)
    if written and _has_word(written, words):
        return holds(name)
    if any(key.lower() in ENVIRONMENT_TAGS for key in table.tags.content or ()):  # also with an unknown value
        return holds(table.tags)
    tells = otherwise(
        name.satisfies(lambda content: content is not None and _has_word(content, words)),
        f"neither the table name {quoted(name)} nor a tag tells the environment",
    )
    return tells | table.declared.environment.is_set


@policy(
    "TG902",
    MEDIUM,
    "A table and its replicas must have the required tags",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Tagging.html",
    terraform="""
tags = {
  owner               = "team-orders"
  environment         = "prod"
  data-classification = "internal"
}
""",
    cloudformation="""
Tags:
  - Key: owner
    Value: team-orders
  - Key: environment
    Value: prod
  - Key: data-classification
    Value: internal
""",
    global_table="""
Replicas:
  - Region: us-east-1
    Tags:
      - Key: owner
        Value: team-orders
      - Key: environment
        Value: prod
      - Key: data-classification
        Value: internal
""",
    on=False,
)
def required_tags(
    table: Table,
    *,
    tags: Annotated[tuple[str, ...], "keys of the required tags"] = ("owner", "environment", "data-classification"),
) -> Verdict:
    """A table without an owner is nobody's when it throttles, and everybody's when it is to be deleted. Tags are not
    copied to replicas: each has its own."""
    own, replicas = _has_tags(table.tags.at(table.place), tags, "the table"), table.replicas
    if not replicas.known:
        return all_of((own, not_known(replicas)))
    copies = [_has_tags(each.tags, tags, f"the replica in {each.region.shown}") for each in replicas.content or ()]
    return all_of((own, *copies)) if copies else own


@policy(
    "TG903",
    LOW,
    "A template must not set a fixed table name",
    docs="https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-name.html",
    terraform=None,
    cloudformation="TableName: !Sub ${AWS::StackName}-orders",
    cause="name of the table",
)
def fixed_name(table: Table) -> Verdict:
    """CloudFormation creates the new table before it deletes the old one. Two tables cannot have one name, so every
    change that needs a replacement fails, and the template cannot be deployed twice in one region."""
    if table.dialect is not Dialect.CLOUDFORMATION:
        return not_applicable("only CloudFormation creates the new table before it deletes the old one")
    name = table.name
    if table.name_fixed:
        return fails(f"fixed TableName {quoted(name)}: CloudFormation cannot replace this table", name)
    return holds(name)


def _has_word(name: str, words: tuple[str, ...]) -> bool:
    return not set(words_of(name)).isdisjoint(words)


def _has_tags(tags: Value[Mapping[str, str | None]], wanted: tuple[str, ...], what: str) -> Verdict:
    if not tags.known:
        return not_known(tags)
    keys = {_normalised(key) for key in tags.content or ()}
    missing = [key for key in wanted if _normalised(key) not in keys]
    return fails(f"tags missing from {what}: {', '.join(missing)}", tags) if missing else holds(tags)


@lru_cache(maxsize=1 << 12)
def _normalised(key: str) -> str:
    """A tag's key in lower case, without what separates its words."""
    return "".join(letter for letter in key.lower() if letter not in "-_ ")
