"""Verdicts in words."""

from __future__ import annotations

from typing import Any

import pytest

from support.policies import judge_all
from support.reports import finding
from support.tables import DOUBT, estate, index, replica, table
from tablegate.dialects.schemas import shape_of
from tablegate.engine.finding import as_called, message_of, worded
from tablegate.model import facts
from tablegate.model.record import replace
from tablegate.model.table import SIMPLE_TABLE, TABLE, Dialect, KeyOwner, KeyPart, Role, Table
from tablegate.model.value import Origin, Place, Value, Verdict, fails
from tablegate.policy import HIGH, policy


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (facts.RECOVERY.unset, "point-in-time recovery is off (default)"),
        (facts.RECOVERY.of(True), "point-in-time recovery is on"),
        (facts.RECOVERY.doubted(DOUBT), "point-in-time recovery is unknown: known only after apply"),
        (Value("x", None, Origin.UNKNOWN), "x is unknown: it cannot be seen here"),
        (
            facts.KEY_OWNER.doubted(DOUBT, candidates=(KeyOwner.AWS_OWNED, KeyOwner.AWS_MANAGED)),
            "owner of the encryption key is unknown, but one of aws-owned or aws-managed: known only after apply",
        ),
        (facts.TTL_ATTRIBUTE.unset, "time-to-live attribute is not set"),
        (facts.RECOVERY_DAYS.of(7), "recovery period in days is 7"),
        (facts.KEY_OWNER.of(KeyOwner.AWS_OWNED), "owner of the encryption key is aws-owned"),
        (facts.NAME.of("x", sensitive=True), "table name is (sensitive)"),
        (facts.TAGS.of({"token": "S3CRET"}), "tags are not what it must be"),
        (Value("tags.token", "S3CRET"), "tags.token is not what it must be"),
        (Value("tags.count", 3), "tags.count is 3"),
        (facts.KEYS.of((KeyPart(attribute="id", role=Role.HASH),)), "key schema is id (HASH)"),
        (facts.INDEXES.of((index("a"), index("b"))), "global secondary indexes are a, b"),
        (facts.REPLICAS.of((replica("eu-west-1"),)), "replicas are eu-west-1"),
        (facts.PROJECTED.of(()), "projected attributes are empty"),
        (facts.ATTRIBUTES.of({"id": "S"}), "attribute definitions are 1 in number"),
    ],
)
def test_a_value_is_a_statement(value: Value[Any], expected: str) -> None:
    """What people write into tags and policies is named, never quoted."""
    assert worded(value) == expected


def test_a_message_is_the_note_or_the_evidence() -> None:
    """And it is never empty."""
    assert message_of(fails("so it is", facts.RECOVERY.unset)) == "so it is"
    both = Verdict(False, (facts.RECOVERY.unset, facts.TTL_ENABLED.unset, facts.RECOVERY.unset))
    assert message_of(both) == "point-in-time recovery is off (default); time to live is off (default)"
    assert message_of(Verdict(False)) == "the policy does not hold"


def test_much_evidence_is_counted() -> None:
    """A message stays a sentence."""
    many = Verdict(False, tuple(facts.RECOVERY_DAYS.of(days) for days in range(8)))
    assert message_of(many).endswith("; recovery period in days is 4; 3 more")


def fix(remedy: str, type: str = TABLE, spelling: str | None = "yaml") -> str | None:
    """What a table of a template is told to write."""

    def never(table: Table) -> Verdict:
        """Because a test says so."""
        return fails("no")

    declared = policy("TT101", HIGH, "T", docs="https://d.example.com", terraform="ttl {}", cloudformation=remedy)
    made = estate(table(type=type, dialect=Dialect.CLOUDFORMATION), dialect=Dialect.CLOUDFORMATION, spelling=spelling)
    (told,) = judge_all([made], (declared(never),)).findings
    return told.fix


# What SAM's short form has, beside its own PrimaryKey; it has none of the other properties of a table.
OF_SIMPLE_TABLES = {
    "PointInTimeRecoverySpecification",
    "ProvisionedThroughput",
    "SSESpecification",
    "TableName",
    "Tags",
}


def test_a_property_that_a_simple_table_lacks_is_said_to_be_lacking() -> None:
    """By AWS's own schema of a table: all of its properties but a few."""
    for name in shape_of(TABLE).members.keys() - {"Arn", "StreamArn", "TableId"}:
        remedy = f"{name}: x"
        note = f"# not supported by {SIMPLE_TABLE}; change the type to {TABLE}:\n"
        assert fix(remedy, SIMPLE_TABLE) == (remedy if name in OF_SIMPLE_TABLES else note + remedy), name
        assert fix(remedy) == remedy


def test_a_remedy_is_written_as_its_template_is() -> None:
    """In JSON if that is JSON; without a spelling, or without a remedy of its language, it stays as it is."""
    assert fix("Tags:\n  - a", spelling="json") == '"Tags": ["a"]'
    assert fix("Tags:\n  - a", spelling=None) == "Tags:\n  - a"


class Moving:
    """Callers that say what they were asked."""

    def place(self, address: str, place: Place | None, fix: str | None = None) -> Place:
        """The call, whose file names all of it."""
        return Place(f"{address} {place and place.line} {fix}", 1)

    def fix(self, address: str, fix: str | None) -> str:
        """The arguments of the call."""
        return f"{address}: {fix}"


def test_a_finding_in_a_module_is_told_to_its_caller() -> None:
    """Its evidence, its place and its fix: the first place of its evidence, or else its own."""
    at, beside = Place("m.tf", 3), facts.KEY.unset
    base = finding(address="module.a.t.x", place=Place("m.tf", 2), fix="f", evidence=(facts.NAME.of("n", at), beside))
    moved = as_called(base, Moving())
    assert (moved.fix, moved.place, moved.evidence[1]) == ("module.a.t.x: f", Place("module.a.t.x 3 None", 1), beside)
    assert moved.evidence[0].place == moved.place
    bare = as_called(replace(base, evidence=(beside,)), Moving())
    assert bare.place == Place("module.a.t.x 2 f", 1)
    own = replace(base, address="aws_dynamodb_table.x")
    assert as_called(own, Moving()) is own
