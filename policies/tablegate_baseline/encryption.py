"""Encryption: whose key encrypts the data, and is it safe?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from tablegate.policy import (
    HIGH,
    MEDIUM,
    DaxCluster,
    Encryption,
    KeyOwner,
    KmsKey,
    Replica,
    Table,
    Value,
    Verdict,
    all_of,
    fails,
    holds,
    not_applicable,
    policy,
    unknown,
)
from tablegate_baseline.helpers import replica_label, require, unknown_values, worded

Owner = Annotated[Literal["aws-owned", "aws-managed", "customer"], "least that is required of the key's owner"]
Scope = Annotated[Literal["classified", "all"], "tables of these data classes, or all tables"]

Classes = Annotated[tuple[str, ...], "data classes that require a customer-managed key"]

CLASSES = ("confidential", "restricted", "sensitive", "pii", "phi", "pci", "secret")

_ACCEPTED_OWNERS: Mapping[str, tuple[KeyOwner, ...]] = {
    "aws-managed": (KeyOwner.AWS_MANAGED, KeyOwner.CUSTOMER),
    "customer": (KeyOwner.CUSTOMER,),
}
_OWNER_NAMES: Mapping[KeyOwner | None, str] = {
    KeyOwner.AWS_OWNED: "AWS-owned",
    KeyOwner.AWS_MANAGED: "AWS-managed (aws/dynamodb)",
}
_REQUIRED_OWNER: Mapping[str, str] = {
    "aws-managed": "AWS-managed or customer-managed",
    "customer": "customer-managed",
}


@policy(
    "TG201",
    MEDIUM,
    "A table must not use the AWS-owned key",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/EncryptionAtRest.html",
    terraform="""
server_side_encryption {
  enabled = true
}
""",
    cloudformation="""
SSESpecification:
  SSEEnabled: true
""",
    strict_severity=HIGH,
    state_locks=False,
    cause="owner of the table's key",
    follows=True,
)
def encryption_at_rest(table: Table, *, owner: Owner = "aws-managed") -> Verdict:
    """The AWS-owned key leaves no trace: its use is not in CloudTrail, and nobody can audit it or disable it.
    After a leak, nothing shows who read what. The option ``owner`` sets whose key is enough."""
    return _has_owner(table.encryption, owner, "the table's key")


@policy(
    "TG202",
    HIGH,
    "A table with sensitive data must use a customer-managed key",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.howitworks.html",
    terraform="""
server_side_encryption {
  enabled     = true
  kms_key_arn = aws_kms_key.orders.arn
}

resource "aws_kms_key" "orders" {
  enable_key_rotation = true
}
""",
    cloudformation="""
SSESpecification:
  SSEEnabled: true
  SSEType: KMS
  KMSMasterKeyId: !GetAtt OrdersKey.Arn

OrdersKey:
  Type: AWS::KMS::Key
  Properties:
    EnableKeyRotation: true
""",
    global_table="""
SSESpecification:
  SSEEnabled: true
  SSEType: KMS

Replicas:
  - Region: us-east-1
    SSESpecification:
      KMSMasterKeyId: !GetAtt OrdersKey.Arn

OrdersKey:
  Type: AWS::KMS::Key
  Properties:
    EnableKeyRotation: true
""",
    cause="owner of the table's key",
)
def customer_managed_key(table: Table, *, classes: Classes = CLASSES, scope: Scope = "classified") -> Verdict:
    """Only a key of your own has a policy that you write: it can keep out even those who may read the table, and
    disabling it cuts off everybody at once. Sensitive data needs both. ``scope = "all"`` requires it of every table."""
    if scope == "all":
        return _has_owner(table.encryption, "customer", "the table's key")
    data_class = table.declared.data_class
    if not data_class.known:
        return _if_classified(_has_owner(table.encryption, "customer", "the table's key"), data_class)
    if data_class.content is None or data_class.content not in {name.lower() for name in classes}:
        return not_applicable("its data class does not require a customer-managed key", data_class)
    return _has_owner(
        table.encryption,
        "customer",
        f"the table holds {data_class.shown} data, so its key",
        f"the table's key is customer-managed, as its {data_class.shown} data requires",
    )


@policy(
    "TG203",
    HIGH,
    "A replica must be encrypted like its table, with a key in its own region",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/globaltables-security.html",
    terraform="""
replica {
  region_name = "eu-west-1"
  kms_key_arn = "arn:aws:kms:eu-west-1:111122223333:key/0b5e7a52-6f0d-4c3e-9a53-2f1d6f6f9c11"
}
""",
    cloudformation="""
- Region: eu-west-1
  SSESpecification:
    KMSMasterKeyId: arn:aws:kms:eu-west-1:111122223333:key/0b5e7a52-6f0d-4c3e-9a53-2f1d6f6f9c11
""",
)
def replica_encryption(
    replica: Replica,
    *,
    owner: Owner = "aws-managed",
    classes: Classes = CLASSES,
    scope: Scope = "classified",
) -> Verdict:
    """A replica holds all of the table's data, so the weakest key among them decides. A replica cannot use a key of
    another region at all: the apply fails half way."""
    table, name = replica.table, replica_label(replica)
    for_class = customer_managed_key.check(table, classes=classes, scope=scope)
    own = (_has_owner(table.encryption, owner, "the table's key"), for_class)
    if any(verdict.truth is False for verdict in own):
        return not_applicable("the table's own key must be fixed first", table.encryption.owner)
    verdicts = [_has_owner(replica.encryption, owner, f"the key of {name}"), _is_in_region(replica, name)]
    if for_class.applies:
        customers = _has_owner(replica.encryption, "customer", f"the key of {name}")
        known = scope == "all" or table.declared.data_class.known
        verdicts.append(customers if known else _if_classified(customers, table.declared.data_class))
    return all_of(verdicts)


@policy(
    "TG204",
    MEDIUM,
    "A table's customer-managed key must be enabled, be rotated, and not be deleted",
    docs="https://docs.aws.amazon.com/kms/latest/developerguide/rotate-keys.html",
    terraform="""
resource "aws_kms_key" "orders" {
  enable_key_rotation = true
}
""",
    cloudformation="""
OrdersKey:
  Type: AWS::KMS::Key
  Properties:
    EnableKeyRotation: true
""",
)
def key_health(table: Table) -> Verdict:
    """A table whose key is disabled or deleted can be neither read nor restored, and after seven days DynamoDB
    archives it. A key that never rotates exposes years of data when its material leaks once."""
    key = table.encryption.resource
    if key is None:
        return not_applicable("the key is not in this input", table.encryption.key)
    return all_of(_health(key, table.encryption.key))


@policy(
    "TG205",
    HIGH,
    "A DAX cluster must be encrypted at rest",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/DAXEncryptionAtRest.html",
    terraform="""
server_side_encryption {
  enabled = true
}
""",
    cloudformation="""
SSESpecification:
  SSEEnabled: true
""",
)
def dax_encryption(cluster: DaxCluster) -> Verdict:
    """The cache holds the table's items and writes them to its own disks, which the table's key does not protect.
    Encryption can only be chosen when the cluster is created."""
    return require(
        cluster.encrypted,
        True,
        "encryption at rest is off: the cluster writes items to its disks in the clear",
        "encryption at rest is on",
    )


@policy(
    "TG206",
    HIGH,
    "A DAX cluster must accept only TLS connections",
    docs="https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/DAXEncryptionInTransit.html",
    terraform="""
cluster_endpoint_encryption_type = "TLS"
""",
    cloudformation="""
ClusterEndpointEncryptionType: TLS
""",
)
def dax_in_transit(cluster: DaxCluster) -> Verdict:
    """Without TLS, items and signed requests cross the network in the clear, and a client cannot tell the cluster
    from an impostor. TLS can only be chosen when the cluster is created."""
    in_transit = cluster.in_transit
    return require(
        in_transit,
        "TLS",
        f"the endpoint's encryption must be TLS, but is {in_transit.shown}",
        "the endpoint accepts only TLS",
    )


def _has_owner(encryption: Encryption, owner: Owner, what: str, claim: str | None = None) -> Verdict:
    """The key has this owner, or one that gives more control. ``what`` is the key in messages."""
    actual = encryption.owner
    if owner == "aws-owned":
        return holds(actual)
    if actual.known and actual.content in _ACCEPTED_OWNERS[owner]:
        return holds(actual)
    owners = " or ".join(
        _OWNER_NAMES[each] for each in (actual.candidates or (actual.content,)) if each in _OWNER_NAMES
    )
    otherwise = f"{what} must be {_REQUIRED_OWNER[owner]}, but is {owners}"
    claim = claim or f"{what} is {_REQUIRED_OWNER[owner]}"
    return worded(actual.one_of(*_ACCEPTED_OWNERS[owner]), otherwise, claim)


def _if_classified(verdict: Verdict, data_class: Value[str]) -> Verdict:
    """The verdict, unknown unless it holds: whether it is required depends on a data class that is not known."""
    if verdict.truth is True:
        return verdict
    note = "cannot tell whether the table's data class requires a customer-managed key"
    return unknown(note, data_class, *verdict.evidence)


def _is_in_region(replica: Replica, name: str) -> Verdict:
    """The replica's key is in the replica's region. A key without a region in its name is assumed to be there."""
    key_region, region = replica.encryption.key_region, replica.region
    if key_region.known and key_region.content is None:
        return holds()
    if not (key_region.known and region.known):
        note = f"cannot tell whether the key of {name} is in its region"
        return unknown(note, *unknown_values(key_region, region))
    if key_region.content == region.content:
        return holds(key_region, region)
    return fails(f"the key of {name} must be in {region.shown}, but is in {key_region.shown}", key_region, region)


def _health(key: KmsKey, named: Value[str]) -> tuple[Verdict, ...]:
    rotation, enabled = key.rotation.at(key.place), key.enabled.at(key.place)
    verdicts = (
        fails(f"{key.address} is deleted by this change", named.at(key.place)) if key.deleted else holds(named),
        require(enabled, True, f"{key.address} is disabled", f"{key.address} is enabled"),
    )
    if key.replica:
        return verdicts
    return (*verdicts, require(rotation, True, f"{key.address} is not rotated", f"{key.address} is rotated"))
