"""What holds a table back: the verdicts that cases cannot show."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from support.policies import outcome
from support.tables import doubted, replica, table
from tablegate.model import facts
from tablegate.model.estate import Change, ChangeKind
from tablegate.model.table import Dialect, Retention, Table
from tablegate.model.value import Value
from tablegate_baseline.retention import deletion_protection, retained_on_delete, unprotected_birth

ON, OFF = facts.DELETION_PROTECTION.of(True), facts.DELETION_PROTECTION.unset
UNSEEN = doubted(ON)
UNSEEN_POLICY = doubted(facts.DELETION_POLICY.unset)


def protected(here: Value[bool], *elsewhere: Value[bool]) -> Table:
    """A table, and replicas, with this deletion protection."""
    regions = ("eu-west-1", "ap-southeast-2")
    copies = tuple(replica(region, deletion_protection=on) for region, on in zip(regions, elsewhere, strict=False))
    return table(deletion_protection=here, replicas=facts.REPLICAS.of(copies))


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        (protected(OFF), "fails"),
        (protected(ON), "holds"),
        (protected(UNSEEN), "unknown"),
        (protected(ON, ON, OFF), "fails"),
        (protected(ON, ON, ON), "holds"),
        (protected(ON, UNSEEN), "unknown"),
        (protected(OFF, UNSEEN), "fails"),
        (table(deletion_protection=ON, replicas=doubted(facts.REPLICAS.unset)), "unknown"),
        (table(deletion_protection=OFF, replicas=doubted(facts.REPLICAS.unset)), "fails"),
    ],
)
def test_deletion_protection_is_asked_of_every_region(subject: Table, expected: str) -> None:
    """One region without it is enough to fail; replicas that cannot be listed leave a doubt."""
    assert expected == outcome(deletion_protection.check(subject))


def test_every_region_without_protection_is_named_with_its_value() -> None:
    """The finding is one, and its evidence holds each value that is off."""
    one, two = facts.DELETION_PROTECTION.of(False), facts.DELETION_PROTECTION.of(False)
    verdict = deletion_protection.check(protected(one, ON, two))
    assert verdict.note == (
        "deletion protection is off for the table; deletion protection is off for the replica in ap-southeast-2"
    )
    assert verdict.evidence == (one, two)


def in_template(deletion: Value[str], update: Value[str], protection: Value[bool] = OFF) -> Table:
    """A table in a template, with these attributes."""
    retention = Retention(
        deletion_policy=deletion, update_replace_policy=update, prevent_destroy=facts.PREVENT_DESTROY.unset
    )
    return table(dialect=Dialect.CLOUDFORMATION, retention=retention, deletion_protection=protection)


def deletes(policy: str = "Retain") -> Value[str]:
    """A DeletionPolicy."""
    return facts.DELETION_POLICY.of(policy)


def updates(policy: str = "Retain") -> Value[str]:
    """An UpdateReplacePolicy."""
    return facts.UPDATE_REPLACE_POLICY.of(policy)


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        (in_template(facts.DELETION_POLICY.unset, facts.UPDATE_REPLACE_POLICY.unset), "fails"),
        (in_template(deletes(), updates()), "holds"),
        (in_template(deletes("RetainExceptOnCreate"), updates()), "holds"),
        (in_template(deletes("Snapshot"), updates()), "fails"),
        (in_template(deletes(), facts.UPDATE_REPLACE_POLICY.unset), "fails"),
        (in_template(facts.DELETION_POLICY.unset, updates()), "fails"),
        (in_template(UNSEEN_POLICY, updates()), "unknown"),
        (in_template(UNSEEN_POLICY, facts.UPDATE_REPLACE_POLICY.unset), "fails"),
        (in_template(UNSEEN_POLICY, updates(), ON), "holds"),
        (in_template(deletes("Delete"), updates(), UNSEEN), "unknown"),
        (in_template(deletes(), updates(), UNSEEN), "holds"),
    ],
)
def test_a_template_keeps_by_both_attributes_or_by_protection(subject: Table, expected: str) -> None:
    """One attribute without the other lets the table go in the other way."""
    assert expected == outcome(retained_on_delete.check(subject))


def in_plan(prevent_destroy: Value[bool], protection: Value[bool] = OFF) -> Table:
    """A table in a plan."""
    retention = Retention(
        deletion_policy=facts.DELETION_POLICY.unset,
        update_replace_policy=facts.UPDATE_REPLACE_POLICY.unset,
        prevent_destroy=prevent_destroy,
    )
    return table(retention=retention, deletion_protection=protection)


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        (in_plan(facts.PREVENT_DESTROY.of(False)), "fails"),
        (in_plan(facts.PREVENT_DESTROY.of(True)), "holds"),
        (in_plan(doubted(facts.PREVENT_DESTROY.unset)), "unknown"),
        (in_plan(doubted(facts.PREVENT_DESTROY.unset), ON), "holds"),
    ],
)
def test_terraform_keeps_by_prevent_destroy_or_by_protection(subject: Table, expected: str) -> None:
    """What only source shows is in doubt in a plan, unless deletion protection settles it."""
    assert expected == outcome(retained_on_delete.check(subject))


def test_the_message_names_all_that_lets_the_table_go() -> None:
    """Each attribute that could protect it is in the message."""
    verdict = retained_on_delete.check(in_template(deletes("Delete"), facts.UPDATE_REPLACE_POLICY.unset))
    assert verdict.note == (
        "nothing protects the table from being deleted:"
        " DeletionPolicy is Delete, UpdateReplacePolicy is Delete, no deletion protection"
    )


def born(kind: ChangeKind | None, **stated: Any) -> Table:
    """A table that is created in this way, with deletion protection asked for."""
    change = kind and Change(address="aws_dynamodb_table.orders", place=None, kind=kind, make_before=lambda: None)
    return table(change=change, **({"deletion_protection": ON} | stated))


IMPORTED = {"import_source": facts.IMPORT_SOURCE.of("orders-export")}
RESTORED = {"restore_source": facts.RESTORE_SOURCE.of("orders-old")}


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        (born(ChangeKind.CREATE), "exempt"),
        (born(ChangeKind.CREATE, **IMPORTED), "fails"),
        (born(ChangeKind.REPLACE, **RESTORED), "fails"),
        (born(ChangeKind.UNKNOWN, **RESTORED), "fails"),
        (born(ChangeKind.UPDATE, **IMPORTED), "exempt"),
        (born(ChangeKind.NOOP, **IMPORTED), "exempt"),
        (born(None, **IMPORTED), "exempt"),
        (born(None, dialect=Dialect.CLOUDFORMATION, **IMPORTED), "exempt"),
        (born(None, dialect=Dialect.TERRAFORM_SOURCE, **IMPORTED), "unknown"),
        (born(None, dialect=Dialect.TERRAFORM_SOURCE, deletion_protection=OFF, **IMPORTED), "holds"),
        (born(None, dialect=Dialect.TERRAFORM_SOURCE), "exempt"),
        (born(ChangeKind.CREATE, deletion_protection=OFF, **IMPORTED), "holds"),
        (born(ChangeKind.CREATE, deletion_protection=UNSEEN, **IMPORTED), "unknown"),
        (born(ChangeKind.CREATE, import_source=doubted(facts.IMPORT_SOURCE.unset)), "unknown"),
        (born(ChangeKind.CREATE, import_source=doubted(facts.IMPORT_SOURCE.unset), **RESTORED), "fails"),
        (born(ChangeKind.CREATE, deletion_protection=OFF, import_source=doubted(facts.IMPORT_SOURCE.unset)), "holds"),
    ],
)
def test_protection_is_lost_only_when_import_or_restore_creates_the_table(subject: Table, expected: str) -> None:
    """A table that is there, or is created empty, gets the protection it asks for."""
    assert expected == outcome(unprotected_birth.check(subject))


def test_a_replica_in_an_unknown_region_is_still_named() -> None:
    """There is always something to call it."""
    one = replace(replica(), region=doubted(facts.REGION.unset))
    verdict = deletion_protection.check(table(deletion_protection=ON, replicas=facts.REPLICAS.of((one,))))
    assert verdict.note == "deletion protection is off for a replica whose region is not known"
