"""AWS managed policies by their ARN, and what each grants on tables."""

from __future__ import annotations

import json
from functools import cache

from tablegate.iam.actions import SERVICE
from tablegate.iam.aws_data import POLICIES
from tablegate.iam.aws_other_policies import OTHER_POLICIES
from tablegate.iam.conditions import Condition, parse_operator
from tablegate.iam.documents import Document, Patterns, Statement
from tablegate.model.record import record


@record(kw_only=False)
class ManagedPolicy:
    """What is known of one AWS managed policy."""

    path: str
    width: str
    flags: frozenset[str]
    actions: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    condition: str = ""

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.rpartition("/")[2]

    def document(self) -> Document:
        """The DynamoDB part of the policy, as a document of one statement."""
        actions = tuple(f"{SERVICE}:{name}" for name in self.actions)
        statement = Statement(
            label=self.name,
            index=0,
            place=None,
            effect="Deny" if "denies" in self.flags else "Allow",
            actions=Patterns(actions),
            resources=Patterns(self.resources),
            principals=None,
            conditions=_conditions(self.condition),
            doubts=(),
        )
        return Document(statements=(statement,), version="2012-10-17")


@cache
def managed_policies() -> dict[str, ManagedPolicy]:
    """Every managed policy that grants a DynamoDB action, or denies all of them, by its path."""
    return {policy.path: policy for policy in map(_policy, POLICIES.splitlines())}


@cache
def other_policies() -> frozenset[str]:
    """The paths of the managed policies that neither grant nor deny a DynamoDB action."""
    return frozenset(OTHER_POLICIES.splitlines())


@cache
def paths_by_name() -> dict[str, str]:
    """The path of each managed policy by its name alone, which is unique."""
    return {path.rpartition("/")[2]: path for path in (*other_policies(), *managed_policies())}


def managed_path(arn: str) -> str | None:
    """The path in the ARN of an AWS managed policy, in any partition; None for any other text."""
    start, separator, path = arn.partition(":policy/")
    return path if separator and start.startswith("arn:") and start.endswith(":iam::aws") else None


def path_of(text: str) -> str:
    """The path of an AWS managed policy by its ARN or name; empty for any other text."""
    return managed_path(text) or paths_by_name().get(text, "")


def _policy(line: str) -> ManagedPolicy:
    path, width, flags, actions, resources, condition = (*line.split(" ", 5), "", "", "")[:6]
    return ManagedPolicy(
        path=path,
        width=width,
        flags=frozenset(flags.split(",")) - {"-"},
        actions=tuple(filter(None, actions.split(","))),
        resources=tuple(filter(None, resources.split(","))),
        condition=condition,
    )


def _conditions(text: str) -> tuple[Condition, ...]:
    if not text:
        return ()
    blocks = ((parse_operator(operator), block) for operator, block in json.loads(text).items())
    return tuple(_condition(operator, key, values) for operator, block in blocks for key, values in block.items())


def _condition(operator: tuple[str, str | None, bool], key: str, values: str | list[str]) -> Condition:
    name, qualifier, if_exists = operator
    texts = (values,) if isinstance(values, str) else tuple(values)
    return Condition(name, key.lower(), texts, qualifier, if_exists, written=key)
