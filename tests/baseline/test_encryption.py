"""Whose key: the verdicts of the encryption family that cases cannot show."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from support.policies import names, outcome
from support.tables import DOUBT, doubted, encrypted, replica, table
from tablegate.model import facts
from tablegate.model.estate import DaxCluster
from tablegate.model.record import wire
from tablegate.model.table import KeyOwner, KmsKey, Replica, Table
from tablegate.model.value import Place, Value
from tablegate_baseline.encryption import (
    customer_managed_key,
    dax_encryption,
    dax_in_transit,
    encryption_at_rest,
    key_health,
    replica_encryption,
)

LINE = Place("template.yaml", 12, 9)
OWNED, MANAGED, CUSTOMER = (facts.KEY_OWNER.of(owner, LINE) for owner in KeyOwner)
UNSEEN = doubted(facts.KEY_OWNER.unset)
PII = facts.TAGS.of({"data-class": "pii"})
UNSEEN_TAGS = doubted(facts.TAGS.unset)


def keyed(owner: Value[KeyOwner], **stated: Any) -> Table:
    """A table under a key of this owner."""
    return table(encryption=encrypted(owner=owner), **stated)


def copied(
    owner: Value[KeyOwner],
    *,
    of: Value[KeyOwner] = CUSTOMER,
    key_region: Value[str] = facts.KEY_REGION.unset,
    **stated: Any,
) -> Replica:
    """The replica in eu-west-1, of a table under a key of that owner."""
    encryption = encrypted(owner=owner, key_region=key_region)
    one = replica("eu-west-1", encryption=encryption)
    made = keyed(of, replicas=facts.REPLICAS.of((one,)), **stated)
    return (made.replicas.content or ())[0]


@pytest.mark.parametrize(
    ("owner", "wanted", "expected"),
    [
        (facts.KEY_OWNER.unset, "aws-managed", "fails"),
        (OWNED, "aws-managed", "fails"),
        (MANAGED, "aws-managed", "holds"),
        (CUSTOMER, "aws-managed", "holds"),
        (UNSEEN, "aws-managed", "unknown"),
        (OWNED, "customer", "fails"),
        (MANAGED, "customer", "fails"),
        (CUSTOMER, "customer", "holds"),
        (UNSEEN, "customer", "unknown"),
        (OWNED, "aws-owned", "holds"),
        (UNSEEN, "aws-owned", "holds"),
    ],
)
def test_the_owner_is_enough_or_stronger(owner: Value[KeyOwner], wanted: str, expected: str) -> None:
    """Of the three owners, the one that is asked for and every stronger one will do; no table has less than AWS's."""
    assert expected == outcome(encryption_at_rest.check(keyed(owner), owner=wanted))


@pytest.mark.parametrize(
    ("candidates", "wanted", "expected"),
    [
        ((KeyOwner.AWS_MANAGED, KeyOwner.CUSTOMER), "aws-managed", "holds"),
        ((KeyOwner.AWS_MANAGED, KeyOwner.CUSTOMER), "customer", "unknown"),
        ((KeyOwner.AWS_OWNED, KeyOwner.AWS_MANAGED), "customer", "fails"),
    ],
)
def test_all_that_an_owner_can_be_may_be_enough(candidates: Any, wanted: str, expected: str) -> None:
    """A key that is given and not known yet is nobody's guess: it is not the one that AWS owns."""
    verdict = encryption_at_rest.check(keyed(facts.KEY_OWNER.doubted(DOUBT, LINE, candidates)), owner=wanted)
    assert expected == outcome(verdict)
    if expected == "fails":
        assert (
            verdict.note == "the table's key must be customer-managed, but is AWS-owned or AWS-managed (aws/dynamodb)"
        )


def test_the_message_says_whose_key_it_is() -> None:
    """Every table is encrypted: what is wrong is who owns the key."""
    verdict = customer_managed_key.check(keyed(MANAGED, tags=PII))
    assert verdict.note == (
        "the table holds pii data, so its key must be customer-managed, but is AWS-managed (aws/dynamodb)"
    )
    assert "not encrypted" not in str(encryption_at_rest.check(table()).note)


def test_the_owner_is_the_evidence() -> None:
    """The line of the finding is the line that decides the owner."""
    verdict = encryption_at_rest.check(keyed(OWNED))
    assert verdict.evidence == (OWNED,)
    assert verdict.evidence[0].place == LINE


@pytest.mark.parametrize(
    ("owner", "tags", "expected"),
    [
        (MANAGED, facts.TAGS.unset, "exempt"),
        (UNSEEN, facts.TAGS.unset, "exempt"),
        (MANAGED, facts.TAGS.of({"data-class": "public"}), "exempt"),
        (MANAGED, PII, "fails"),
        (CUSTOMER, PII, "holds"),
        (UNSEEN, PII, "unknown"),
        (CUSTOMER, UNSEEN_TAGS, "holds"),
        (MANAGED, UNSEEN_TAGS, "unknown"),
    ],
)
def test_a_data_class_asks_for_a_customer_key(owner: Value[KeyOwner], tags: Any, expected: str) -> None:
    """Only a customer key settles a class that is not known."""
    assert expected == outcome(customer_managed_key.check(keyed(owner, tags=tags)))


def test_every_table_can_be_asked_for_a_customer_key() -> None:
    """With scope "all" the class decides nothing, known or not."""
    for tags in (facts.TAGS.unset, PII, UNSEEN_TAGS):
        assert outcome(customer_managed_key.check(keyed(MANAGED, tags=tags), scope="all")) == "fails"


def test_the_classes_are_an_option() -> None:
    """What is sensitive is for the configuration to say, in any case of letters."""
    internal = keyed(MANAGED, tags=facts.TAGS.of({"data-class": "Internal"}))
    assert outcome(customer_managed_key.check(internal)) == "exempt"
    assert outcome(customer_managed_key.check(internal, classes=("INTERNAL",))) == "fails"


def test_a_sensitive_class_is_not_quoted() -> None:
    """A tag that the plan marks sensitive decides, and stays out of the message."""
    tags = facts.TAGS.of({"data-class": "pii"}, sensitive=True)
    verdict = customer_managed_key.check(keyed(MANAGED, tags=tags))
    assert verdict.truth is False
    assert "pii" not in str(verdict.note)


@pytest.mark.parametrize(
    ("one", "options", "expected"),
    [
        (copied(MANAGED), {}, "holds"),
        (copied(MANAGED), {"owner": "customer"}, "fails"),
        (copied(MANAGED), {"scope": "all"}, "fails"),
        (copied(MANAGED, tags=PII), {}, "fails"),
        (copied(MANAGED, tags=PII), {"classes": ()}, "holds"),
        (copied(MANAGED, tags=UNSEEN_TAGS), {}, "unknown"),
        (copied(CUSTOMER, tags=UNSEEN_TAGS), {}, "holds"),
        (copied(CUSTOMER, tags=PII), {}, "holds"),
        (copied(UNSEEN, tags=PII), {}, "unknown"),
        (copied(OWNED), {}, "fails"),
        (copied(OWNED, of=UNSEEN), {}, "fails"),
        (copied(OWNED, of=OWNED), {}, "exempt"),
        (copied(OWNED, of=OWNED), {"owner": "aws-owned"}, "holds"),
        (copied(MANAGED, of=MANAGED, tags=PII), {}, "exempt"),
        (copied(MANAGED, of=MANAGED), {"scope": "all"}, "exempt"),
        (copied(MANAGED, of=MANAGED), {"owner": "customer"}, "exempt"),
        (copied(MANAGED, of=MANAGED), {}, "holds"),
    ],
)
def test_a_replica_owes_what_its_table_owes(one: Replica, options: dict[str, Any], expected: str) -> None:
    """A replica is asked for the owner its table is asked for, and for nothing while the table itself fails."""
    assert expected == outcome(replica_encryption.check(one, **options))


@pytest.mark.parametrize(
    ("key_region", "expected"),
    [
        (facts.KEY_REGION.unset, "holds"),
        (facts.KEY_REGION.of("eu-west-1"), "holds"),
        (facts.KEY_REGION.of("us-east-1"), "fails"),
        (doubted(facts.KEY_REGION.unset), "unknown"),
    ],
)
def test_a_replica_needs_a_key_of_its_region(key_region: Value[str], expected: str) -> None:
    """A key that names no region is taken to be where it is used."""
    assert expected == outcome(replica_encryption.check(copied(CUSTOMER, key_region=key_region)))


def test_a_replica_in_an_unknown_region_is_in_doubt() -> None:
    """Nobody can say that the key is in the replica's region when that is not known."""
    one = copied(CUSTOMER, key_region=facts.KEY_REGION.of("us-east-1"))
    lost = replace(one, region=doubted(one.region))
    wire(lost, "table", one.table)
    verdict = replica_encryption.check(lost)
    assert outcome(verdict) == "unknown"
    assert names(verdict) == ("region",)
    assert verdict.note == "cannot tell whether the key of a replica whose region is not known is in its region"


def test_both_faults_of_a_replica_are_named() -> None:
    """A weak key in the wrong region is one finding with two reasons."""
    verdict = replica_encryption.check(copied(MANAGED, key_region=facts.KEY_REGION.of("us-east-1")), owner="customer")
    assert verdict.note == (
        "the key of the replica in eu-west-1 must be customer-managed, but is AWS-managed (aws/dynamodb); "
        "the key of the replica in eu-west-1 must be in eu-west-1, but is in us-east-1"
    )


def key(**stated: Any) -> KmsKey:
    """A customer key at a line of its own, enabled and rotating."""
    base = KmsKey(
        address="aws_kms_key.orders",
        place=Place("template.yaml", 30, 3),
        rotation=facts.ROTATION.of(True),
        enabled=facts.KEY_ENABLED.unset,
    )
    return replace(base, **stated)


@pytest.mark.parametrize(
    ("resource", "expected", "note"),
    [
        (None, "exempt", "the key is not in this input"),
        (key(), "holds", None),
        (key(rotation=facts.ROTATION.unset), "fails", "aws_kms_key.orders is not rotated"),
        (key(enabled=facts.KEY_ENABLED.of(False)), "fails", "aws_kms_key.orders is disabled"),
        (key(deleted=True), "fails", "aws_kms_key.orders is deleted by this change"),
        (
            key(rotation=facts.ROTATION.of(False), enabled=facts.KEY_ENABLED.of(False)),
            "fails",
            "aws_kms_key.orders is disabled; aws_kms_key.orders is not rotated",
        ),
        (key(rotation=facts.ROTATION.unset, replica=True), "holds", None),
        (key(enabled=facts.KEY_ENABLED.of(False), replica=True), "fails", "aws_kms_key.orders is disabled"),
        (key(rotation=doubted(facts.ROTATION.unset)), "unknown", "cannot tell whether aws_kms_key.orders is rotated"),
    ],
)
def test_a_key_must_be_enabled_rotate_and_stay(resource: KmsKey | None, expected: str, note: str | None) -> None:
    """Only a key of this input can be judged."""
    verdict = key_health.check(table(encryption=encrypted(owner=CUSTOMER, resource=resource)))
    assert (expected, note) == (outcome(verdict), verdict.note)


def test_a_key_without_the_switch_is_shown_where_it_stands() -> None:
    """What is left out of the key is placed at the key, not at the table."""
    encryption = encrypted(owner=CUSTOMER, resource=key(rotation=facts.ROTATION.unset))
    verdict = key_health.check(table(encryption=encryption))
    assert verdict.evidence[0].place == Place("template.yaml", 30, 3)


def cluster(**stated: Any) -> DaxCluster:
    """A DAX cluster that states nothing."""
    base = DaxCluster(
        address="Cluster", place=None, encrypted=facts.DAX_ENCRYPTED.unset, in_transit=facts.DAX_IN_TRANSIT.unset
    )
    return replace(base, **stated)


def test_a_cluster_is_neither_encrypted_nor_private_by_default() -> None:
    """The service leaves both switches off."""
    assert outcome(dax_encryption.check(cluster())) == "fails"
    verdict = dax_in_transit.check(cluster())
    assert (verdict.truth, verdict.note) == (False, "the endpoint's encryption must be TLS, but is NONE")
