"""Random worlds: who there is, what their policies say, and the same in a template and in Terraform source."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

ACCOUNT, REGION = "111122223333", "eu-west-1"
STRANGER = "999988887777"
TABLES = ("orders", "orders-archive", "users")
ACTIONS = (
    "GetItem",
    "PutItem",
    "DeleteItem",
    "BatchGetItem",
    "Query",
    "Scan",
    "DeleteTable",
    "UpdateTable",
    "CreateBackup",
)
PATTERNS = (
    "dynamodb:*",
    "*",
    "dynamodb:Get*",
    "dynamodb:*Item",
    "dynamodb:B*",
    "dynamodb:???Item",
    "s3:GetObject",
    "dynamodb:Delete*",
)
CONTEXTS: tuple[dict[str, Any], ...] = (
    {},
    {"aws:SourceVpce": "vpce-1"},
    {"aws:SourceVpce": "vpce-2", "aws:MultiFactorAuthPresent": "true"},
    {"dynamodb:LeadingKeys": ["a"]},
    {"dynamodb:LeadingKeys": ["b"], "aws:SourceVpce": "vpce-1", "aws:MultiFactorAuthPresent": "false"},
)
CARRIES_KEYS = frozenset({"GetItem", "PutItem", "DeleteItem", "BatchGetItem", "Query"})


def table_arn(name: str) -> str:
    """The ARN of a table."""
    return f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{name}"


@dataclass
class Who:
    """A role or a user: its inline documents and its boundary."""

    form: str
    name: str
    documents: list[dict[str, Any]] = field(default_factory=list)
    boundary: dict[str, Any] | None = None

    @property
    def arn(self) -> str:
        """Its ARN."""
        return f"arn:aws:iam::{ACCOUNT}:{self.form}/{self.name}"


@dataclass
class World:
    """One input."""

    people: list[Who]
    policies: dict[str, dict[str, Any]]  # of tables, by their names


def worlds(count: int, seed: str) -> Iterator[World]:
    """Worlds by a seed."""
    for number in range(count):
        yield _world(random.Random(f"{seed} {number}"))


def _world(chance: random.Random) -> World:
    people = [Who("role", "reader"), Who("role", "writer"), Who("user", "anna")]
    for who in people:
        who.documents = [_document(chance) for _ in range(chance.randint(0, 2))]
        who.boundary = _document(chance, wide=True) if chance.random() < 0.3 else None
    policies = {name: _resource_policy(chance, name) for name in TABLES if chance.random() < 0.4}
    return World(people, policies)


def _document(chance: random.Random, *, wide: bool = False) -> dict[str, Any]:
    statements = [_statement(chance) for _ in range(chance.randint(1, 3))]
    if wide and chance.random() < 0.6:
        statements.append({"Effect": "Allow", "Action": "*", "Resource": "*"})
    return {"Version": "2012-10-17", "Statement": statements}


def _statement(chance: random.Random) -> dict[str, Any]:
    made: dict[str, Any] = {"Effect": "Deny" if chance.random() < 0.3 else "Allow"}
    made["NotAction" if chance.random() < 0.1 else "Action"] = _some(chance, _action)
    made["NotResource" if chance.random() < 0.12 else "Resource"] = _some(chance, _resource)
    if chance.random() < 0.3:
        made["Condition"] = _condition(chance)
    return made


def _some(chance: random.Random, make: Any) -> Any:
    made = [make(chance) for _ in range(chance.choice((1, 1, 2, 3)))]
    return made[0] if len(made) == 1 and chance.random() < 0.5 else made


def _action(chance: random.Random) -> str:
    if chance.random() < 0.35:
        return chance.choice(PATTERNS)
    name = chance.choice(ACTIONS)
    return f"dynamodb:{name if chance.random() < 0.9 else name.lower()}"


def _resource(chance: random.Random) -> str:
    name = chance.choice(TABLES)
    arn = table_arn(name)
    wider = (
        "*",
        f"{arn}*",
        f"{arn}/*",
        f"{arn}/index/*",
        f"arn:aws:dynamodb:*:*:table/{name}",
        f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/*",
        f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:*",
        f"arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/{name}",
        f"arn:aws:dynamodb:{REGION}:{STRANGER}:table/{name}",
        f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/o?ders",
        "arn:aws:s3:::bucket/*",
        f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/${{aws:username}}",
        f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/o*-${{aws:username}}",
    )
    return arn if chance.random() < 0.5 else chance.choice(wider)


def _condition(chance: random.Random) -> dict[str, Any]:
    choices: tuple[dict[str, Any], ...] = (
        {"StringEquals": {"aws:SourceVpce": "vpce-1"}},
        {"StringNotEquals": {"aws:SourceVpce": "vpce-1"}},
        {"StringEqualsIfExists": {"aws:SourceVpce": ["vpce-1", "vpce-3"]}},
        {"Bool": {"aws:MultiFactorAuthPresent": "true"}},
        {"BoolIfExists": {"aws:MultiFactorAuthPresent": "false"}},
        {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["a"]}},
        {"ForAllValues:StringNotEquals": {"dynamodb:LeadingKeys": ["a"]}},
        {"ForAnyValue:StringEquals": {"dynamodb:LeadingKeys": ["a"]}},
        {"Null": {"dynamodb:LeadingKeys": "false"}},
        {"Null": {"dynamodb:LeadingKeys": "true"}},
        {"StringLike": {"aws:SourceVpce": "vpce-*"}},
        {"ForAnyValue:StringNotEquals": {"dynamodb:LeadingKeys": ["a"]}},
        {"StringEquals": {"dynamodb:LeadingKeys": ["a"]}},
        {"StringEquals": {"aws:SourceVpce": "vpce-1"}, "Bool": {"aws:MultiFactorAuthPresent": "true"}},
        {"StringNotEqualsIfExists": {"aws:PrincipalArn": f"arn:aws:iam::{ACCOUNT}:role/reader"}},
    )
    return chance.choice(choices)


def _resource_policy(chance: random.Random, table: str) -> dict[str, Any]:
    return {"Version": "2012-10-17", "Statement": [_open(chance, table) for _ in range(chance.randint(1, 3))]}


def _open(chance: random.Random, table: str) -> dict[str, Any]:
    arn = table_arn(table)
    principals = (
        "*",
        {"AWS": "*"},
        {"AWS": f"arn:aws:iam::{ACCOUNT}:role/reader"},
        {"AWS": f"arn:aws:iam::{ACCOUNT}:user/anna"},
        {"AWS": [f"arn:aws:iam::{ACCOUNT}:role/writer", f"arn:aws:iam::{STRANGER}:role/reader"]},
        {"AWS": f"arn:aws:iam::{ACCOUNT}:root"},
        {"AWS": ACCOUNT},
        {"AWS": STRANGER},
        {"Service": "backup.amazonaws.com"},
        {"AWS": f"arn:aws:sts::{ACCOUNT}:assumed-role/writer/other"},
    )
    made: dict[str, Any] = {
        "Effect": "Deny" if chance.random() < 0.35 else "Allow",
        "Principal": chance.choice(principals),
        "Action": [f"dynamodb:{chance.choice(ACTIONS)}" for _ in range(2)] if chance.random() < 0.7 else "dynamodb:*",
        "Resource": chance.choice(("*", arn, arn, f"{arn}/index/*", [arn, f"{arn}/index/*"])),
    }
    if made["Effect"] == "Deny" and chance.random() < 0.15:
        del made["Principal"]
        made["NotPrincipal"] = {"AWS": [f"arn:aws:iam::{STRANGER}:root"]}
    if chance.random() < 0.4:
        made["Condition"] = chance.choice(
            (
                {"ArnEquals": {"aws:PrincipalArn": f"arn:aws:iam::{ACCOUNT}:role/reader"}},
                {"ArnNotLike": {"aws:PrincipalArn": f"arn:aws:iam::{ACCOUNT}:role/*"}},
                {"StringEquals": {"aws:PrincipalAccount": ACCOUNT}},
                {"StringNotEquals": {"aws:PrincipalAccount": STRANGER}},
                _condition(chance),
            )
        )
    return made


def as_template(world: World) -> bytes:
    """The world as a CloudFormation template."""
    resources: dict[str, Any] = {}
    for name in TABLES:
        properties: dict[str, Any] = {"TableName": name, **_KEYS}
        if name in world.policies:
            properties["ResourcePolicy"] = {"PolicyDocument": world.policies[name]}
        resources[_logical(name)] = {"Type": "AWS::DynamoDB::Table", "Properties": properties}
    for who in world.people:
        role = who.form == "role"
        properties = {
            f"{who.form.title()}Name": who.name,
            "Policies": [
                {"PolicyName": f"p{number}", "PolicyDocument": document}
                for number, document in enumerate(who.documents)
            ],
        }
        if role:
            properties["AssumeRolePolicyDocument"] = _TRUST
        if who.boundary is not None:
            policy = f"{_logical(who.name)}Limit"
            resources[policy] = {"Type": "AWS::IAM::ManagedPolicy", "Properties": {"PolicyDocument": who.boundary}}
            properties["PermissionsBoundary"] = {"Ref": policy}
        resources[_logical(who.name)] = {"Type": f"AWS::IAM::{who.form.title()}", "Properties": properties}
    return json.dumps({"Resources": resources}, indent=1).encode()


_KEYS = {
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
}
_TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}],
}


def _logical(name: str) -> str:
    return name.title().replace("-", "")


def _literal(document: dict[str, Any]) -> str:
    """A document as a text in which Terraform replaces nothing."""
    return json.dumps(document).replace("${", "$${")


def as_source(world: World) -> bytes:
    """The world as Terraform source in JSON."""
    blocks: dict[str, dict[str, Any]] = {}

    def add(type_: str, label: str, **arguments: Any) -> None:
        blocks.setdefault(type_, {})[label] = arguments

    for name in TABLES:
        label = name.replace("-", "_")
        add("aws_dynamodb_table", label, name=name, billing_mode="PAY_PER_REQUEST", hash_key="pk",
            attribute={"name": "pk", "type": "S"})  # fmt: skip
        if name in world.policies:
            arn = f"${{aws_dynamodb_table.{label}.arn}}"
            add("aws_dynamodb_resource_policy", label, resource_arn=arn, policy=_literal(world.policies[name]))
    for who in world.people:
        extra: dict[str, Any] = {"assume_role_policy": json.dumps(_TRUST)} if who.form == "role" else {}
        if who.boundary is not None:
            add("aws_iam_policy", f"{who.name}_limit", name=f"{who.name}-limit", policy=_literal(who.boundary))
            extra["permissions_boundary"] = f"${{aws_iam_policy.{who.name}_limit.arn}}"
        add(f"aws_iam_{who.form}", who.name, name=who.name, **extra)
        for number, document in enumerate(who.documents):
            holder = {who.form: f"${{aws_iam_{who.form}.{who.name}.name}}"}
            add(f"aws_iam_{who.form}_policy", f"{who.name}_{number}", policy=_literal(document), **holder)
    return json.dumps({"resource": blocks}, indent=1).encode()
