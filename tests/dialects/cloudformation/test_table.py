"""``AWS::DynamoDB::Table`` and SimpleTable: each property into its fact, in each of its states."""

from __future__ import annotations

from typing import Any

import pytest

from support.templates import UNKNOWN, reading, said, table, template
from tablegate.model.table import KeyOwner, KeyPart, Role, Table, TableKind
from tablegate.model.value import Origin, Place

HEAD = "Parameters: {P: {Type: String}}"

EVERYTHING = """
TableName: orders
BillingMode: PROVISIONED
AttributeDefinitions: [{AttributeName: id, AttributeType: S}, {AttributeName: at, AttributeType: N}]
KeySchema: [{AttributeName: id, KeyType: HASH}, {AttributeName: at, KeyType: RANGE}]
ProvisionedThroughput: {ReadCapacityUnits: 5, WriteCapacityUnits: "6"}
OnDemandThroughput: {MaxReadRequestUnits: 7, MaxWriteRequestUnits: -1}
WarmThroughput: {ReadUnitsPerSecond: 8, WriteUnitsPerSecond: 9}
TableClass: STANDARD_INFREQUENT_ACCESS
ContributorInsightsSpecification: {Enabled: true}
PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: "true", RecoveryPeriodInDays: "14"}
DeletionProtectionEnabled: true
TimeToLiveSpecification: {Enabled: true, AttributeName: expires}
StreamSpecification: {StreamViewType: NEW_IMAGE, ResourcePolicy: {PolicyDocument: {b: 1, a: 2}}}
ImportSourceSpecification: {S3BucketSource: {S3Bucket: bucket}, InputFormat: CSV}
ResourcePolicy: {PolicyDocument: {Version: "2012-10-17"}}
Tags: [{Key: team, Value: orders}, {Key: cost, Value: 1}]
"""

FACTS = {
    "name": "orders",
    "billing_mode": "PROVISIONED",
    "keys": (KeyPart(attribute="id", role=Role.HASH), KeyPart(attribute="at", role=Role.RANGE)),
    "attributes": {"id": "S", "at": "N"},
    "capacity.read": 5,
    "capacity.write": 6,
    "on_demand.read": 7,
    "on_demand.write": None,
    "warm.read": 8,
    "warm.write": 9,
    "table_class": "STANDARD_INFREQUENT_ACCESS",
    "insights": True,
    "recovery.enabled": True,
    "recovery.days": 14,
    "deletion_protection": True,
    "ttl.enabled": True,
    "ttl.attribute": "expires",
    "stream.enabled": True,
    "stream.view": "NEW_IMAGE",
    "stream.policy": '{"a": 2, "b": 1}',
    "import_source": "bucket",
    "policy": '{"Version": "2012-10-17"}',
    "tags": {"team": "orders", "cost": "1"},
}

DEFAULTS = {
    "billing_mode": "PROVISIONED",
    "keys": None,
    "attributes": {},
    "indexes": (),
    "local_indexes": (),
    "vector_indexes": (),
    "capacity.read": None,
    "on_demand.write": None,
    "warm.read": None,
    "table_class": "STANDARD",
    "insights": False,
    "recovery.enabled": False,
    "recovery.days": 35,
    "deletion_protection": False,
    "ttl.enabled": False,
    "ttl.attribute": None,
    "stream.enabled": False,
    "stream.view": None,
    "encryption.owner": KeyOwner.AWS_OWNED,
    "encryption.key": None,
    "retention.deletion_policy": "Delete",
    "retention.update_replace_policy": "Delete",
    "import_source": None,
    "policy": None,
    "tags": {},
    "replicas": (),
    "backed_up": False,
}

SECTIONS = {
    "ProvisionedThroughput": ("capacity.read", "capacity.write"),
    "OnDemandThroughput": ("on_demand.read", "on_demand.write"),
    "WarmThroughput": ("warm.read", "warm.write"),
    "TableClass": ("table_class",),
    "BillingMode": ("billing_mode",),
    "ContributorInsightsSpecification": ("insights",),
    "PointInTimeRecoverySpecification": ("recovery.enabled", "recovery.days"),
    "DeletionProtectionEnabled": ("deletion_protection",),
    "TimeToLiveSpecification": ("ttl.enabled", "ttl.attribute"),
    "StreamSpecification": ("stream.enabled", "stream.view", "stream.policy"),
    "SSESpecification": ("encryption.owner",),
    "KeySchema": ("keys",),
    "AttributeDefinitions": ("attributes",),
    "GlobalSecondaryIndexes": ("indexes",),
    "LocalSecondaryIndexes": ("local_indexes",),
    "VectorIndexes": ("vector_indexes",),
    "Tags": ("tags", "declared.purpose"),
    "ResourcePolicy": ("policy",),
    "TableName": ("name",),
}


def fact(found: Table, path: str) -> Any:
    """The value at a path such as ``recovery.days``."""
    thing: Any = found
    for name in path.split("."):
        thing = getattr(thing, name)
    return thing


@pytest.mark.parametrize("path", FACTS)
def test_stated(path: str) -> None:
    """A property that is stated is set, with a place."""
    value = fact(table(template(EVERYTHING)), path)
    assert (said(value), value.origin, value.place is not None) == (FACTS[path], Origin.SET, True)


@pytest.mark.parametrize("path", DEFAULTS)
@pytest.mark.parametrize("text", [template("A: b"), "Resources: {Orders: {Type: 'AWS::DynamoDB::Table'}}"])
def test_not_stated(path: str, text: str) -> None:
    """A property that is not stated has the service's default, without a place."""
    value = fact(table(text), path)
    assert (said(value), value.origin, value.place) == (DEFAULTS[path], Origin.DEFAULT, None)


@pytest.mark.parametrize(("key", "path"), [(key, path) for key, paths in SECTIONS.items() for path in paths])
def test_not_known(key: str, path: str) -> None:
    """A property with an unknown parameter is unknown, and its doubt names the parameter."""
    value = fact(table(template(f"{key}: !Ref P", HEAD)), path)
    assert (said(value), value.doubt and value.doubt.refs) == (UNKNOWN, ("P",))


@pytest.mark.parametrize(
    "properties",
    [
        "KeySchema: text",
        "KeySchema: [text]",
        "KeySchema: [{AttributeName: a, KeyType: hash}]",
        "KeySchema: [{AttributeName: a}]",
        "KeySchema: {}",
        "AttributeDefinitions: {a: b}",
        "GlobalSecondaryIndexes: {a: b}",
        "GlobalSecondaryIndexes: [text]",
        "GlobalSecondaryIndexes: [{IndexName: a, Projection: {ProjectionType: all}}]",
        "GlobalSecondaryIndexes: [{IndexName: a, Projection: {NonKeyAttributes: text}}]",
        "GlobalSecondaryIndexes: [{IndexName: a, Projection: {NonKeyAttributes: [[a]]}}]",
        "BillingMode: pay_per_request",
        "ProvisionedThroughput: {ReadCapacityUnits: true, WriteCapacityUnits: 1}",
        "ProvisionedThroughput: {ReadCapacityUnits: five, WriteCapacityUnits: 1}",
        "ProvisionedThroughput: {ReadCapacityUnits: 1.5, WriteCapacityUnits: 1}",
        "ProvisionedThroughput: 5",
        "DeletionProtectionEnabled: 1",
        "DeletionProtectionEnabled: 'True'",
        "DeletionProtectionEnabled: [true]",
        "PointInTimeRecoverySpecification: true",
        "TimeToLiveSpecification: [a]",
        "StreamSpecification: text",
        "Tags: text",
        "Tags: [text]",
        "Tags: [{Value: a}]",
        "SSESpecification: {SSEEnabled: true, KMSMasterKeyId: [a]}",
        "SSESpecification: {SSEEnabled: 1}",
    ],
)
def test_wrong_shape(properties: str) -> None:
    """A property of a wrong shape is a fault that blocks, never a guess."""
    made = reading(template(properties))
    assert made.estate is not None
    assert [fault.blocks for fault in made.faults] == [True]


def test_places() -> None:
    """A value has the place where it is written: line, column and end."""
    found = table(
        "Resources:\n  Orders:\n    Type: AWS::DynamoDB::Table\n    Properties:\n      BillingMode: PROVISIONED\n"
    )
    assert found.place == Place("template.yaml", 2, 3, 9)
    assert found.billing_mode.place == Place("template.yaml", 5, 20, 31)


def test_json() -> None:
    """A template can be JSON."""
    text = '{"Resources": {"Orders": {"Type": "AWS::DynamoDB::Table", "Properties": {"TableName": "orders"}}}}'
    assert table(text).name.content == "orders"


@pytest.mark.parametrize(
    ("name", "generated", "fixed"),
    [
        (None, True, False),
        ("orders", False, True),
        ("!Sub 'orders-${AWS::Region}'", False, True),
        ("!Sub '${AWS::StackName}-orders'", False, False),
        ("!Ref P", False, False),
    ],
)
def test_who_names_the_table(name: str | None, *, generated: bool, fixed: bool) -> None:
    """A name is generated by the service, fixed by the template, or neither."""
    found = table(template(f"TableName: {name}" if name else "A: b", HEAD))
    assert (found.name_generated, found.name_fixed) == (generated, fixed)


def test_arn() -> None:
    """The ARN follows from region, account and name; the partition from the region."""
    text = template("TableName: orders")
    given = {"region": "cn-north-1", "account": "123456789012"}
    assert said(table(text, **given).arn) == "arn:aws-cn:dynamodb:cn-north-1:123456789012:table/orders"
    assert said(table(text).arn) == UNKNOWN


@pytest.mark.parametrize(
    ("specification", "owner", "key"),
    [
        ("{SSEEnabled: false}", KeyOwner.AWS_OWNED, None),
        ("{SSEEnabled: false, KMSMasterKeyId: k}", KeyOwner.AWS_OWNED, None),
        ("{SSEEnabled: true}", KeyOwner.AWS_MANAGED, None),
        (
            "{SSEEnabled: true, SSEType: KMS, KMSMasterKeyId: alias/aws/dynamodb}",
            KeyOwner.AWS_MANAGED,
            "alias/aws/dynamodb",
        ),
        ("{SSEEnabled: true, KMSMasterKeyId: ''}", KeyOwner.AWS_MANAGED, None),
        ("{SSEEnabled: true, KMSMasterKeyId: alias/orders}", KeyOwner.CUSTOMER, "alias/orders"),
        ("{SSEEnabled: 'true', KMSMasterKeyId: !Ref P}", UNKNOWN, "${P}"),
        ("{SSEEnabled: true, KMSMasterKeyId: !GetAtt Key.Arn}", KeyOwner.CUSTOMER, "${Key.Arn}"),
        (
            "{SSEEnabled: true, KMSMasterKeyId: !Sub 'arn:aws:kms:eu-west-1:${AWS::AccountId}:alias/aws/dynamodb'}",
            KeyOwner.AWS_MANAGED,
            "arn:aws:kms:eu-west-1:${AWS::AccountId}:alias/aws/dynamodb",
        ),
        ("{SSEEnabled: !Ref P}", UNKNOWN, UNKNOWN),
    ],
)
def test_owner_of_the_key(specification: str, owner: object, key: str | None) -> None:
    """Whose key encrypts: a reference to a key is a customer's, the service's own alias is not."""
    head = f"{HEAD}"
    text = template(f"SSESpecification: {specification}", head) + "  Key: {Type: 'AWS::KMS::Key', Properties: {}}\n"
    encryption = table(text).encryption
    assert (said(encryption.owner), said(encryption.key)) == (owner, key)


def test_owner_of_a_key_that_is_not_known() -> None:
    """A key that a parameter names is AWS-managed or a customer's."""
    owner = table(template("SSESpecification: {SSEEnabled: true, KMSMasterKeyId: !Ref P}", HEAD)).encryption.owner
    assert owner.candidates == (KeyOwner.AWS_MANAGED, KeyOwner.CUSTOMER)


@pytest.mark.parametrize(
    ("key", "region"),
    [
        ("arn:aws:kms:us-east-1:123456789012:key/k", "us-east-1"),
        ("!Sub 'arn:aws:kms:us-east-1:${AWS::AccountId}:key/k'", "us-east-1"),
        ("!Sub 'arn:${AWS::Partition}:kms:${AWS::Region}:${AWS::AccountId}:key/k'", "eu-west-1"),
        ("!GetAtt Key.Arn", "eu-west-1"),
        ("alias/orders", None),
        ("1234abcd", None),
        ("!Sub 'alias/${P}'", None),
        ("!Ref P", UNKNOWN),
        ("!ImportValue key", UNKNOWN),
    ],
)
def test_region_of_the_key(key: str, region: object) -> None:
    """A key's region comes from its ARN or its stack; an id or alias has none."""
    text = template(f"SSESpecification: {{SSEEnabled: true, KMSMasterKeyId: {key}}}", HEAD)
    found = table(text + "  Key: {Type: 'AWS::KMS::Key', Properties: {}}\n", region="eu-west-1")
    assert said(found.encryption.key_region) == region


def test_region_of_the_key_without_the_stack() -> None:
    """A key of the stack is in the stack's region, which may be unknown."""
    text = template("SSESpecification: {SSEEnabled: true, KMSMasterKeyId: !GetAtt Key.Arn}")
    found = table(text + "  Key: {Type: 'AWS::KMS::Key', Properties: {}}\n")
    assert said(found.encryption.key_region) == UNKNOWN


KEYS = """
  Key:
    Type: AWS::KMS::Key
    Properties: {EnableKeyRotation: true, Enabled: false}
  Alias:
    Type: AWS::KMS::Alias
    Properties: {AliasName: alias/orders, TargetKeyId: !Ref Key}
"""


@pytest.mark.parametrize("key", ["!Ref Key", "!GetAtt Key.Arn", "!Ref Alias", "alias/orders", "!Sub 'key/${Key}'"])
def test_key_of_the_template(key: str) -> None:
    """A key that the template makes is found, named itself or by its alias."""
    found = table(template(f"SSESpecification: {{SSEEnabled: true, KMSMasterKeyId: {key}}}") + KEYS).encryption.resource
    assert found is not None
    assert (found.address, said(found.rotation), said(found.enabled)) == ("Key", True, False)


@pytest.mark.parametrize("named", ["!Ref Key", "!GetAtt Key.Arn", "!Ref Alias", "alias/orders"])
def test_replica_of_a_key(named: str) -> None:
    """A replica of a multi-Region key is a customer's key, which is rotated with its primary key."""
    keys = KEYS.replace("AWS::KMS::Key", "AWS::KMS::ReplicaKey").replace(
        "EnableKeyRotation: true,", "PrimaryKeyArn: a, KeyPolicy: {},"
    )
    text = template(f"SSESpecification: {{SSEEnabled: true, SSEType: KMS, KMSMasterKeyId: {named}}}") + keys
    found = table(text).encryption
    assert said(found.owner) is KeyOwner.CUSTOMER
    assert found.resource is not None
    assert (found.resource.address, said(found.resource.enabled), found.resource.replica) == ("Key", False, True)


def test_indexes() -> None:
    """Indexes in the order of their names, with all that they have of their own."""
    properties = """
    GlobalSecondaryIndexes:
      - IndexName: b
        KeySchema: [{AttributeName: x, KeyType: HASH}]
        Projection: {ProjectionType: INCLUDE, NonKeyAttributes: [p, q]}
        ProvisionedThroughput: {ReadCapacityUnits: 1, WriteCapacityUnits: 2}
        OnDemandThroughput: {MaxReadRequestUnits: 3}
        WarmThroughput: {ReadUnitsPerSecond: 4}
        ContributorInsightsSpecification: {Enabled: true}
      - IndexName: a
        KeySchema: [{AttributeName: x, KeyType: HASH}]
    LocalSecondaryIndexes:
      - IndexName: l
        KeySchema: [{AttributeName: id, KeyType: HASH}, {AttributeName: y, KeyType: RANGE}]
        Projection: {ProjectionType: KEYS_ONLY}
    VectorIndexes:
      - IndexName: v
        VectorAttribute: {AttributeName: e}
        Projection: {ProjectionType: ALL}
        Dimensions: 8
        DistanceFunction: COSINE
    """
    found = table(template(properties))
    first, second = found.indexes.content or ()
    assert (first.name.content, said(first.projection), first.local) == ("a", None, False)
    assert [
        said(value)
        for value in (
            second.projected,
            second.capacity.write,
            second.on_demand.read,
            second.on_demand.write,
            second.warm.read,
            second.insights,
        )
    ] == [("p", "q"), 2, 3, None, 4, True]
    (local,) = found.local_indexes.content or ()
    assert (local.name.content, said(local.projection), local.local, local.table) == ("l", "KEYS_ONLY", True, found)
    (vector,) = found.vector_indexes.content or ()
    assert [said(it) for it in (vector.name, vector.attribute, vector.dimensions, vector.distance)] == [
        "v",
        "e",
        8,
        "COSINE",
    ]


def test_keys_of_2012() -> None:
    """The first form of the key schema is still accepted."""
    properties = (
        "KeySchema: {HashKeyElement: {AttributeName: id, AttributeType: S}, RangeKeyElement: {AttributeName: at}}"
    )
    assert said(table(template(properties)).keys) == (
        KeyPart(attribute="id", role=Role.HASH),
        KeyPart(attribute="at", role=Role.RANGE),
    )


def test_stack_tags() -> None:
    """The stack's tags are the table's too, and its own win."""
    found = table(template("Tags: [{Key: a, Value: own}]"), stack_tags={"a": "stack", "b": "stack"})
    assert found.tags.content == {"a": "own", "b": "stack"}
    assert table(template("A: b"), stack_tags={"b": "stack"}).tags.content == {"b": "stack"}


def test_unknown_tag() -> None:
    """One tag that is not known leaves the others known; without its key nothing is."""
    assert table(template("Tags: [{Key: a, Value: !Ref P}, {Key: b, Value: c}]", HEAD)).tags.content == {
        "a": None,
        "b": "c",
    }
    assert said(table(template("Tags: [{Key: !Ref P, Value: a}]", HEAD)).tags) == UNKNOWN


def test_retention() -> None:
    """Deletion policies are beside the properties."""
    text = """
    Resources:
      Orders: {Type: 'AWS::DynamoDB::Table', DeletionPolicy: RetainExceptOnCreate, UpdateReplacePolicy: Retain}
    """
    found = table(text).retention
    assert (said(found.deletion_policy), said(found.update_replace_policy)) == ("RetainExceptOnCreate", "Retain")


@pytest.mark.parametrize("attribute", ["DeletionPolicy", "UpdateReplacePolicy"])
@pytest.mark.parametrize("word", ["retain", "Snapshot", "Keep"])
def test_a_retention_that_there_is_not(attribute: str, word: str) -> None:
    """CloudFormation refuses the template: a table has no snapshots of its own, and no word is in lower case."""
    found = reading(f"Resources: {{T: {{Type: 'AWS::DynamoDB::Table', {attribute}: {word}}}}}")
    messages = [fault.message for fault in found.faults if fault.blocks]
    assert [f"Resources/T/{attribute}: '{word}' is not one of Delete, Retain, RetainExceptOnCreate"] == messages


def test_null_is_absence() -> None:
    """A property that is null is absent."""
    assert said(table(template("DeletionProtectionEnabled:\nTags: ~")).deletion_protection) is False


def test_kinesis_destination() -> None:
    """The stream that receives the changes is found, and whether it is encrypted."""
    text = template("KinesisStreamSpecification: {StreamArn: !GetAtt Stream.Arn}")
    stream = "  Stream: {{Type: 'AWS::Kinesis::Stream', Properties: {}}}\n"
    encrypted = "{StreamEncryption: {EncryptionType: KMS, KeyId: k}}"
    (found,) = table(text + stream.format(encrypted)).destinations
    assert found.encrypted is not None
    assert (found.address, said(found.encrypted)) == ("Stream", True)
    (found,) = table(text + stream.format("{}")).destinations
    assert found.encrypted is not None
    assert (said(found.encrypted), found.encrypted.origin) == (False, Origin.DEFAULT)
    (found,) = table(
        template("KinesisStreamSpecification: {StreamArn: 'arn:aws:kinesis:eu-west-1:1:stream/s'}")
    ).destinations
    assert (found.address, found.encrypted) == (None, None)


def test_simple_table() -> None:
    """A SimpleTable is the Table that SAM makes of it."""
    found = table("Resources: {Orders: {Type: 'AWS::Serverless::SimpleTable'}}")
    assert (said(found.billing_mode), said(found.keys), said(found.attributes), found.kind) == (
        "PAY_PER_REQUEST",
        (KeyPart(attribute="id", role=Role.HASH),),
        {"id": "S"},
        TableKind.REGIONAL,
    )


@pytest.mark.parametrize(("written", "kind"), [("String", "S"), ("Number", "N"), ("Binary", "B")])
def test_the_key_of_a_simple_table_has_a_type_of_its_own_words(written: str, kind: str) -> None:
    """SAM writes it out, CloudFormation as a letter."""
    primary = f"PrimaryKey: {{Name: order, Type: {written}}}"
    found = table(f"Resources: {{Orders: {{Type: 'AWS::Serverless::SimpleTable', Properties: {{{primary}}}}}}}")
    assert said(found.attributes) == {"order": kind}


def test_simple_table_in_full() -> None:
    """Properties that a SimpleTable passes on, renames, or has from Globals."""
    text = """
    Transform: AWS::Serverless-2016-10-31
    Globals: {SimpleTable: {SSESpecification: {SSEEnabled: true, KMSMasterKeyId: shared}}}
    Resources:
      Orders:
        Type: AWS::Serverless::SimpleTable
        Properties:
          PrimaryKey: {Name: order, Type: Number}
          ProvisionedThroughput: {ReadCapacityUnits: 5, WriteCapacityUnits: 5}
          PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: true}
          SSESpecification: {KMSMasterKeyId: own}
          TableName: orders
          Tags: {team: orders}
          DeletionProtectionEnabled: true
    """
    found = table(text)
    paths = ("billing_mode", "attributes", "capacity.read", "recovery.enabled", "encryption.key", "name", "tags")
    assert [said(fact(found, path)) for path in paths] == [
        "PROVISIONED",
        {"order": "N"},
        5,
        True,
        "own",
        "orders",
        {"team": "orders"},
    ]
    assert said(found.deletion_protection) is False
