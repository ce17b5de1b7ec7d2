"""AWS managed policies: what attaching one by its name grants on tables."""

from __future__ import annotations

from functools import cache

from tablegate.iam.actions import SERVICE
from tablegate.iam.aws_data import POLICIES
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
        """The part of the policy that is about DynamoDB, as a document of one statement."""
        actions = tuple(f"{SERVICE}:{name}" for name in self.actions)
        statement = Statement(
            label=self.name,
            index=0,
            place=None,
            effect="Allow",
            actions=Patterns(actions),
            resources=Patterns(self.resources),
            principals=None,
            conditions=_conditions(self.condition),
            doubts=(),
        )
        return Document(statements=(statement,), version="2012-10-17")


@cache
def managed_policies() -> dict[str, ManagedPolicy]:
    """Every known managed policy that grants a DynamoDB action, by its path."""
    return {policy.path: policy for policy in map(_policy, POLICIES.splitlines())}


def managed_path(arn: str) -> str | None:
    """The path of an AWS managed policy's ARN, in any partition; None for anything else."""
    head, found, path = arn.partition(":policy/")
    return path if found and head.startswith("arn:") and head.endswith(":iam::aws") else None


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
    import json

    blocks = ((parse_operator(operator), block) for operator, block in json.loads(text).items())
    return tuple(_condition(operator, key, values) for operator, block in blocks for key, values in block.items())


def _condition(operator: tuple[str, str | None, bool], key: str, values: str | list[str]) -> Condition:
    name, qualifier, exists = operator
    listed = (values,) if isinstance(values, str) else tuple(values)
    return Condition(name, key.lower(), listed, qualifier, exists, written=key)
