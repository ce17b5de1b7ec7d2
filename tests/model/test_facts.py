"""What each fact is called, and the service's default for it."""

from __future__ import annotations

import pytest

from support.tables import DOUBT, table
from tablegate.model import facts
from tablegate.model.facts import Fact
from tablegate.model.table import KeyOwner, Units
from tablegate.model.value import Origin, Place, Span, Value

# Fingerprints of findings are made of these names: a name that changes makes every baseline of users stale.
# Defaults are those of the API's reference: CreateTable, UpdateContinuousBackups, UpdateTimeToLive.
FACTS: dict[str, object] = {
    "table name": None,
    "ARN": None,
    "region": None,
    "account": None,
    "key schema": None,
    "attribute definitions": {},
    "global secondary indexes": (),
    "local secondary indexes": (),
    "vector indexes": (),
    "index name": None,
    "projection": None,
    "projected attributes": (),
    "vector attribute": None,
    "vector dimensions": None,
    "distance function": None,
    "billing mode": "PROVISIONED",
    "read capacity": None,
    "write capacity": None,
    "maximum read request units": None,
    "maximum write request units": None,
    "warm read throughput": None,
    "warm write throughput": None,
    "table class": "STANDARD",
    "Contributor Insights": False,
    "minimum capacity": None,
    "maximum capacity": None,
    "target-tracking policy": False,
    "target utilisation": None,
    "scale-in disabled": False,
    "scaling suspended": False,
    "owner of the encryption key": KeyOwner.AWS_OWNED,
    "encryption key": None,
    "region of the encryption key": None,
    "key rotation": False,
    "key enabled": True,
    "confirm_remove_self_resource_access": False,
    "Kinesis stream": None,
    "encryption of the Kinesis stream": False,
    "encryption at rest": False,
    "endpoint encryption": "NONE",
    "point-in-time recovery": False,
    "recovery period in days": 35,
    "deletion protection": False,
    "DeletionPolicy": "Delete",
    "UpdateReplacePolicy": "Delete",
    "retention of the object": False,
    "prevent_destroy": False,
    "backup selection": False,
    "import source": None,
    "restore source": None,
    "time to live": False,
    "time-to-live attribute": None,
    "stream": False,
    "stream view type": None,
    "stream resource policy": None,
    "failure destination": False,
    "maximum retry attempts": None,
    "maximum record age in seconds": None,
    "replicas": (),
    "consistency mode": "EVENTUAL",
    "witness region": None,
    "source table": None,
    "settings replication": None,
    "tags": {},
    "resource policy": None,
    "purpose": None,
    "environment": None,
    "data class": None,
    "required capacity mode": None,
}
PLACE = Place("main.tf", 3)


def test_every_fact_has_its_name_and_its_default() -> None:
    """In the order of the module; one that is added is added here."""
    named = [fact for fact in vars(facts).values() if isinstance(fact, Fact)]
    assert [(fact.name, fact.unset) for fact in named] == [
        (name, Value(name, default, Origin.DEFAULT)) for name, default in FACTS.items()
    ]


def test_a_fact_is_set_or_in_doubt() -> None:
    """With all that is known of it, and nothing else."""
    assert facts.NAME.of("a", PLACE, sensitive=True) == Value("table name", "a", Origin.SET, PLACE, None, True)
    assert facts.NAME.of("a") == Value("table name", "a", Origin.SET)
    assert facts.MAX_AGE.doubted(DOUBT, PLACE, (1, 2), Span(1, 2)) == Value(
        "maximum record age in seconds", None, Origin.UNKNOWN, PLACE, DOUBT, False, (1, 2), Span(1, 2)
    )
    assert facts.MAX_AGE.doubted(DOUBT).candidates == ()


def test_what_a_table_lacks_is_every_default_of_it() -> None:
    """Its capacity, its ceilings, and the features that are off."""
    pairs = (facts.NO_CAPACITY, facts.NO_CEILING, facts.NO_WARMTH)
    assert [(each.read.name, each.write.name) for each in pairs] == [
        ("read capacity", "write capacity"),
        ("maximum read request units", "maximum write request units"),
        ("warm read throughput", "warm write throughput"),
    ]
    assert all(isinstance(each, Units) for each in pairs)
    assert (facts.NO_TTL.enabled, facts.NO_TTL.attribute) == (facts.TTL_ENABLED.unset, facts.TTL_ATTRIBUTE.unset)
    stream = facts.NO_STREAM
    assert (stream.enabled, stream.view, stream.policy, stream.consumers) == (
        facts.STREAM_ENABLED.unset,
        facts.STREAM_VIEW.unset,
        facts.STREAM_POLICY.unset,
        (),
    )
    again = facts.TRIES_AGAIN
    assert (again.destination, again.attempts, again.age) == (
        facts.FAILURE_DESTINATION.unset,
        facts.MAX_ATTEMPTS.unset,
        facts.MAX_AGE.unset,
    )
    assert (facts.NO_RECOVERY.enabled, facts.NO_RECOVERY.days) == (facts.RECOVERY.unset, facts.RECOVERY_DAYS.unset)
    owned = facts.AWS_OWNED
    assert (owned.owner, owned.key, owned.key_region, owned.resource) == (
        facts.KEY_OWNER.unset,
        facts.KEY.unset,
        facts.KEY_REGION.unset,
        None,
    )


def test_an_attribute_that_is_defined_twice_has_both_types() -> None:
    """The service refuses it, and a message can say why."""
    assert facts.defined([("id", "S"), ("at", "N"), ("id", "N")]) == {"id": "S and N", "at": "N"}


@pytest.mark.parametrize(
    ("key", "field"),
    [
        ("tablegate:purpose", "purpose"),
        ("purpose", "purpose"),
        ("tablegate:environment", "environment"),
        ("environment", "environment"),
        ("env", "environment"),
        ("stage", "environment"),
        ("tablegate:data-class", "data_class"),
        ("data-classification", "data_class"),
        ("data_classification", "data_class"),
        ("dataclassification", "data_class"),
        ("data-class", "data_class"),
        ("data_class", "data_class"),
        ("classification", "data_class"),
        ("tablegate:capacity", "capacity"),
    ],
)
@pytest.mark.parametrize("spelled", [str.lower, str.upper, str.title])
def test_a_tag_says_what_a_table_is_for(key: str, field: str, spelled: object) -> None:
    """In any case, by its words without spaces around them; a secret stays one."""
    assert callable(spelled)
    tags = facts.TAGS.of({"other": "x", spelled(key): " Prod\n"}, PLACE, sensitive=True)
    declared = facts.declared_by(tags)
    values = {name: getattr(declared, name) for name in ("purpose", "environment", "data_class", "capacity")}
    found = values.pop(field)
    assert (found.content, found.origin, found.place, found.sensitive) == ("prod", Origin.SET, PLACE, True)
    assert {value.origin for value in values.values()} == {Origin.DEFAULT}


def test_the_first_spelling_of_the_list_counts() -> None:
    """Whatever the order of the tags."""
    tags = facts.TAGS.of({"stage": "dev", "env": "test", "tablegate:environment": "prod"})
    assert facts.declared_by(tags).environment.content == "prod"
    assert facts.declared_by(facts.TAGS.of({"stage": "dev", "env": "test"})).environment.content == "test"


def test_unknown_tags_declare_nothing_for_sure() -> None:
    """All of them, or the value of one."""
    every = facts.declared_by(facts.TAGS.doubted(DOUBT, PLACE))
    assert {(value.doubt, value.place) for value in (every.purpose, every.environment, every.data_class)} == {
        (DOUBT, PLACE)
    }
    nameless = facts.declared_by(Value("tags", None, Origin.UNKNOWN)).purpose
    assert (nameless.known, nameless.doubt is None) == (False, False)
    one = facts.declared_by(facts.TAGS.of({"Env": None, "purpose": "cart"}, PLACE))
    assert (one.environment.known, one.environment.place, one.purpose.content) == (False, PLACE, "cart")
    assert "'Env'" in str(one.environment.doubt)


def test_names_of_evidence_about_statements() -> None:
    """Reports hide what these say where a document is sensitive."""
    elements = {"Action", "NotAction", "NotPrincipal", "NotResource", "Principal", "Resource"}
    assert elements | {"holder", "tables newly reachable"} == facts.STATEMENT
    assert table().billing_mode.name not in facts.STATEMENT
