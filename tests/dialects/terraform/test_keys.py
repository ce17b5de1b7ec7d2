"""Whose key it is shows in what the plan refers to, also before anybody knows its ARN."""

from __future__ import annotations

from typing import Any

import pytest

from support.plans import TABLE, change, configured, made, only, resource, tables, told, written
from tablegate.model.table import Encryption, KeyOwner
from tablegate.model.value import Value

EITHER = (KeyOwner.AWS_MANAGED, KeyOwner.CUSTOMER)
ARN = "arn:aws:kms:eu-west-1:123456789012:key/11111111-2222-3333-4444-555555555555"


def encryption(name: str) -> Encryption:
    """The encryption of one table of the plan about keys."""
    return tables(made("keys"))[f"module.{name}.aws_dynamodb_table.this"].encryption


@pytest.mark.parametrize(
    ("name", "owner"),
    [
        ("direct", KeyOwner.CUSTOMER),
        ("aliased", KeyOwner.CUSTOMER),
        ("customer", KeyOwner.CUSTOMER),
        ("by_output", KeyOwner.CUSTOMER),
        ("counted", KeyOwner.CUSTOMER),
        ("first_of", KeyOwner.CUSTOMER),
        ("managed", KeyOwner.AWS_MANAGED),
        ("unkeyed", KeyOwner.AWS_MANAGED),
        ("none", KeyOwner.AWS_MANAGED),
    ],
)
def test_owner_by_reference(name: str, owner: KeyOwner) -> None:
    """Through variables, outputs, aliases, data sources and counts, the owner is found."""
    assert told(encryption(name).owner) is owner


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("local", "known only after apply: local.key, which is not in the plan"),
        ("maybe", "the key may be left out: its expression also reads var.encrypt"),
        ("somebodys", "known only after apply: data.aws_kms_alias.somebody.target_key_arn"),
    ],
)
def test_owner_in_doubt(name: str, reason: str) -> None:
    """Where the plan does not tell, it is one of the two owners that encryption under KMS can have."""
    owner = encryption(name).owner
    assert told(owner) == f"unknown: {reason}"
    assert owner.candidates == EITHER
    assert owner.satisfies(lambda content: content is not KeyOwner.AWS_OWNED).truth is True
    assert owner.equals(KeyOwner.CUSTOMER).truth is None


def test_key_of_this_input() -> None:
    """The key behind the reference is known with its rotation, also behind an alias and a module's output."""
    for name, address, rotation in (
        ("direct", "aws_kms_key.own", False),
        ("aliased", "aws_kms_key.own", False),
        ("by_output", "module.unkeyed.aws_kms_key.inner", True),
    ):
        key = encryption(name).resource
        assert key is not None
        assert (key.address, key.rotation.content, key.enabled.content, key.deleted) == (address, rotation, True, False)
        assert told(encryption(name).key_region) == "us-east-1"


@pytest.mark.parametrize("known", [True, False])
def test_replica_of_a_key(known: bool) -> None:
    """A replica of a multi-Region key is a customer's key, which is rotated with its primary key."""
    block = {"enabled": {"constant_value": True}, "kms_key_arn": {"references": ["aws_kms_replica_key.k.arn"]}}
    table_unknown = None if known else {"server_side_encryption": [{"kms_key_arn": True}]}
    key_unknown = None if known else {"arn": True}
    arn = {"arn": ARN} if known else {}
    encrypted_by = {"enabled": True, **({"kms_key_arn": ARN} if known else {})}
    found = written(
        change({**TABLE, "server_side_encryption": [encrypted_by]}, unknown=table_unknown),
        change({"enabled": False, **arn}, type="aws_kms_replica_key", name="k", unknown=key_unknown),
        configuration=configured(
            resource({"server_side_encryption": [block]}), resource({}, type="aws_kms_replica_key", name="k")
        ),
    )
    encryption = only(found).encryption
    assert told(encryption.owner) is KeyOwner.CUSTOMER
    assert encryption.resource is not None
    key = encryption.resource
    assert (key.address, told(key.enabled), key.replica) == ("aws_kms_replica_key.k", False, True)


def encrypted(block: Any, *, expressions: Any = None, unknown: Any = None, **members: Any) -> Encryption:
    """The encryption of a table with this block."""
    after = TABLE if block is None else {**TABLE, "server_side_encryption": block}
    given = {} if expressions is None else {"server_side_encryption": [expressions]}
    configuration = configured(resource(given))
    found = written(change(after, unknown=unknown), configuration=configuration, **members)
    return only(found).encryption


def test_no_block() -> None:
    """Without a block the service's own key encrypts."""
    assert told(encrypted(None, unknown={"server_side_encryption": True}).owner) is ...


def test_switched_off() -> None:
    """A block that is switched off says the same in so many words."""
    found = encrypted([{"enabled": False}], expressions={"enabled": {"constant_value": False}})
    assert (told(found.owner), told(found.key)) == (KeyOwner.AWS_OWNED, ...)


def test_switch_in_doubt() -> None:
    """Where the switch is not known, the owner can be any."""
    expressions = {"enabled": {"references": ["local.on"]}}
    found = encrypted([{}], expressions=expressions, unknown={"server_side_encryption": [{"enabled": True}]})
    assert found.owner.candidates == tuple(KeyOwner)


@pytest.mark.parametrize(
    ("key", "owner", "region"),
    [
        (ARN, KeyOwner.CUSTOMER, "eu-west-1"),
        ("alias/app", KeyOwner.CUSTOMER, ...),
        ("alias/aws/dynamodb", KeyOwner.AWS_MANAGED, ...),
        ("arn:aws:kms:eu-west-1:123456789012:alias/aws/dynamodb", KeyOwner.AWS_MANAGED, ...),
    ],
)
def test_literal_key(key: str, owner: KeyOwner, region: object) -> None:
    """A literal says whose key it is, and where an ARN is given, of which region."""
    expressions = {"enabled": {"constant_value": True}, "kms_key_arn": {"constant_value": key}}
    found = encrypted([{"enabled": True, "kms_key_arn": key}], expressions=expressions)
    assert (told(found.owner), told(found.key), told(found.key_region)) == (owner, key, region)


@pytest.mark.parametrize("given", [{}, {"kms_key_arn": {"constant_value": None}}])
def test_key_that_the_provider_fills_in(given: dict[str, Any]) -> None:
    """An ARN in the plan that nobody wrote is the AWS-managed key's, which the provider looked up."""
    block = [{"enabled": True, "kms_key_arn": ARN}]
    found = encrypted(block, expressions={"enabled": {"constant_value": True}, **given})
    assert told(found.owner) is KeyOwner.AWS_MANAGED


@pytest.mark.parametrize(
    ("asked", "owner"), [("alias/aws/dynamodb", KeyOwner.AWS_MANAGED), ("alias/app", KeyOwner.CUSTOMER)]
)
@pytest.mark.parametrize("constant", [True, False])
def test_known_key_of_a_data_source(asked: str, owner: KeyOwner, constant: bool) -> None:
    """What a data source was asked for tells the owner, from its expression or from what it gave."""
    name = {"constant_value": asked} if constant else {"references": ["local.alias"]}
    data = {"mode": "data", "type": "aws_kms_alias", "name": "k", "expressions": {"name": name}}
    block = {
        "enabled": {"constant_value": True},
        "kms_key_arn": {"references": ["data.aws_kms_alias.k.target_key_arn", "data.aws_kms_alias.k"]},
    }
    state = {"mode": "data", "type": "aws_kms_alias", "name": "k", "values": {"name": asked}}
    found = written(
        change({**TABLE, "server_side_encryption": [{"enabled": True, "kms_key_arn": ARN}]}),
        configuration=configured(resource({"server_side_encryption": [block]}), data),
        prior_state={"values": {"root_module": {"resources": [state]}}},
    )
    assert told(only(found).encryption.owner) is owner


def test_key_that_was_looked_up_somewhere() -> None:
    """An ARN that a data source found behind the service's own alias is the service's, whatever way it came."""
    values = {"name": "alias/aws/dynamodb", "target_key_arn": ARN}
    state = {"mode": "data", "type": "aws_kms_alias", "name": "a", "address": "data.aws_kms_alias.a", "values": values}
    block = {"enabled": {"constant_value": True}, "kms_key_arn": {"references": ["local.key"]}}
    found = written(
        change({**TABLE, "server_side_encryption": [{"enabled": True, "kms_key_arn": ARN}]}),
        configuration=configured(resource({"server_side_encryption": [block]})),
        prior_state={"values": {"root_module": {"resources": [state]}}},
    )
    assert told(only(found).encryption.owner) is KeyOwner.AWS_MANAGED


def test_key_that_goes() -> None:
    """A key that this change deletes is found by its ARN, and said to go."""
    key = {"arn": ARN, "key_id": "1", "enable_key_rotation": True, "is_enabled": True}
    block = {"enabled": {"constant_value": True}, "kms_key_arn": {"constant_value": ARN}}
    found = written(
        change({**TABLE, "server_side_encryption": [{"enabled": True, "kms_key_arn": ARN}]}, actions=["no-op"]),
        change(None, before=key, actions=["delete"], type="aws_kms_key", name="k"),
        configuration=configured(resource({"server_side_encryption": [block]})),
    )
    resource_ = only(found).encryption.resource
    assert resource_ is not None
    assert (resource_.address, resource_.deleted, resource_.rotation.content) == ("aws_kms_key.k", True, True)


def test_before_and_after_agree() -> None:
    """What is found out about a key after the change holds for the same key before it."""
    table = {**TABLE, "server_side_encryption": [{"enabled": True, "kms_key_arn": ARN}]}
    block = {"enabled": {"constant_value": True}}
    found = only(
        written(
            change(table, before=table, actions=["no-op"]),
            configuration=configured(resource({"server_side_encryption": [block]})),
        )
    )
    assert found.change is not None
    assert found.change.before is not None
    assert told(found.change.before.encryption.owner) is told(found.encryption.owner) is KeyOwner.AWS_MANAGED


def owner_of(value: Value[KeyOwner]) -> object:
    """The owner, or what it can be."""
    return value.content or value.candidates


def test_key_in_a_dynamic_block() -> None:
    """A dynamic block hides its key, but not that it encrypts under KMS."""
    found = tables(made("dynamic-blocks"))["aws_dynamodb_table.known"]
    assert owner_of(found.encryption.owner) == EITHER


@pytest.mark.parametrize(
    "address",
    [
        "aws_dynamodb_table.local",
        'aws_dynamodb_table.each["home"]',
        "aws_dynamodb_table.function",
        "aws_dynamodb_table.dynamic",
        "module.argument.aws_dynamodb_table.this",
    ],
)
def test_known_key_by_an_expression_that_mentions_no_resource(address: str) -> None:
    """A key that a new table has is written: the provider fills in the AWS-managed one only once the table exists."""
    found = tables(made("known-keys"))[address].encryption
    assert (told(found.owner), told(found.key_region)) == (KeyOwner.CUSTOMER, "us-east-1")


def test_known_key_of_a_replica() -> None:
    """So does a replica, with the region of its key."""
    (replica,) = tables(made("known-keys"))["aws_dynamodb_table.local"].replicas.content or ()
    assert (told(replica.encryption.owner), told(replica.encryption.key_region)) == (KeyOwner.CUSTOMER, "us-east-1")


OTHER = ARN.replace("1111", "9999")
BY_LOCAL = {"references": ["local.key"]}


@pytest.mark.parametrize(
    ("expression", "variable", "before", "owner"),
    [
        (BY_LOCAL, None, ARN, None),
        (BY_LOCAL, None, OTHER, KeyOwner.CUSTOMER),
        ({}, None, ARN, None),
        ({}, None, OTHER, KeyOwner.CUSTOMER),
        ({"references": ["var.key"]}, None, ARN, KeyOwner.AWS_MANAGED),
        ({"references": ["var.key"]}, ARN, ARN, KeyOwner.CUSTOMER),
        ({"references": ["var.key"]}, {"orders": ARN}, ARN, KeyOwner.CUSTOMER),
        ({"references": ["var.key"]}, "11111111-2222", ARN, KeyOwner.CUSTOMER),
        ({"references": ["var.key"]}, True, ARN, None),
        ({"references": ["var.key"]}, True, OTHER, KeyOwner.CUSTOMER),
        (
            {"references": ["aws_kms_key.none[0].arn", "aws_kms_key.none[0]", "aws_kms_key.none"]},
            None,
            ARN,
            KeyOwner.AWS_MANAGED,
        ),
        (
            {"references": ["data.terraform_remote_state.k.outputs.key", "data.terraform_remote_state.k"]},
            None,
            ARN,
            KeyOwner.CUSTOMER,
        ),
        (None, None, ARN, KeyOwner.AWS_MANAGED),
    ],
)
def test_known_key_of_a_table_that_exists(expression: Any, variable: Any, before: str, owner: KeyOwner | None) -> None:
    """What was there before may be filled in, unless the plan shows that it is written, or that nothing is."""
    key = {} if expression is None else {"kms_key_arn": expression}
    block = {"enabled": {"constant_value": True}, **key}
    was, after = ({**TABLE, "server_side_encryption": [{"enabled": True, "kms_key_arn": one}]} for one in (before, ARN))
    data = {"mode": "data", "type": "terraform_remote_state", "name": "k", "expressions": {}}
    found = written(
        change(after, before=was, actions=["update"]),
        configuration=configured(resource({"server_side_encryption": [block]}), data),
        variables={"key": {"value": variable}},
    )
    encryption = only(found).encryption
    assert owner_of(encryption.owner) == (owner or EITHER)
    assert told(encryption.key) == ARN
    assert owner is KeyOwner.AWS_MANAGED or told(encryption.key_region) == "eu-west-1"
