"""Estates and their parts: the words that reports show, and who refers to whom."""

from __future__ import annotations

from enum import StrEnum

import pytest

from support.tables import estate, index, replica, table
from tablegate.model import facts
from tablegate.model.estate import Change, ChangeKind, Estate, ReplaceOrder, with_tables
from tablegate.model.record import replace
from tablegate.model.table import GLOBAL_TABLE, SIMPLE_TABLE, TABLE, Construct, Dialect, KeyOwner, Role, TableKind
from tablegate.model.value import Origin


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (ChangeKind, "no-op create update replace delete read forget unknown"),
        (ReplaceOrder, "delete-first create-first create-then-forget forget-then-create"),
        (Dialect, "terraform-plan terraform-source cloudformation"),
        (TableKind, "regional global"),
        (KeyOwner, "aws-owned aws-managed customer"),
        (Role, "HASH RANGE"),
        (Origin, "set default unknown"),
    ],
)
def test_words_stay(kind: type[StrEnum], words: str) -> None:
    """Reports, policies as data and the pack's own policies compare with them."""
    assert [str(each) for each in kind] == words.split()


def test_types_are_those_of_cloudformation() -> None:
    """They are matched with the types of templates."""
    assert ("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable", "AWS::Serverless::SimpleTable") == (
        TABLE,
        GLOBAL_TABLE,
        SIMPLE_TABLE,
    )


def a_change(**stated: object) -> Change:
    """A change without a table before it."""
    base = {"address": "t", "place": None, "kind": ChangeKind.UPDATE, "make_before": lambda: None}
    return Change(**(base | stated))  # type: ignore[arg-type]


def test_parts_refer_to_their_whole() -> None:
    """A policy that is given an index, a replica or a table finds its way up."""
    by_status, local, copy = index(), index("by-date"), replica("eu-west-1")
    whole = table(
        indexes=facts.INDEXES.of((by_status,)),
        local_indexes=facts.LOCAL_INDEXES.of((local,)),
        replicas=facts.REPLICAS.of((copy,)),
    )
    change = a_change(after=whole)
    all_of_it = replace(estate(whole), changes=(change,))
    assert (by_status.table, local.table, copy.table) == (whole, whole, whole)
    assert (whole.estate, change.estate) == (all_of_it, all_of_it)


def test_tables_changes_and_estates_are_themselves() -> None:
    """Two that say the same are two: they are told apart by what they are, and their text shows no whole."""
    assert (table() == table(), estate() == estate(), a_change() == a_change()) == (False, False, False)
    assert index() == index()
    assert hash(index()) == hash(index())
    hidden = replace(estate(table()), secrets=frozenset({"hunter2"}), constructs={"t": Construct(path="App/T")})
    assert "hunter2" not in repr(hidden)
    assert "App/T" not in repr(hidden)
    assert "make_before" not in repr(a_change())
    assert "estate=" not in repr(hidden.tables[0]) + repr(a_change())
    assert "raw=" not in repr(hidden.tables[0])
    assert "table=" not in repr(index()) + repr(replica("eu-west-1"))


def test_an_estate_has_nothing_that_it_is_not_given() -> None:
    """No resource of a kind, unless a dialect says that there is one."""
    empty = Estate(file="f", dialect=Dialect.CLOUDFORMATION)
    assert (empty.manages_alarms, empty.manages_consumers, empty.manages_backups) == (False, False, False)
    assert (empty.tables, empty.changes, empty.grants, empty.holders, empty.secrets) == ((), (), (), (), frozenset())
    assert (a_change().before, a_change().order, a_change().replace_paths) == (None, None, ())


def test_other_tables_take_the_place_of_those_they_replace() -> None:
    """Changes are of the new ones then, and what is not replaced stays the same object."""
    old, kept = table(address="old"), table(address="kept")
    change, other = a_change(after=old), a_change(after=kept)
    gone = a_change(after=None)
    before = replace(estate(old, kept), changes=(change, other, gone))
    new = replace(old, change=change)
    after = with_tables(before, {id(old): new})
    assert (after.tables, after.changes[1:]) == ((new, kept), (other, gone))
    assert after.changes[0].after is new
    assert new.change is after.changes[0]
    assert new.estate is after
    assert with_tables(before, {}) is before
    apart = replace(old, change=None)
    assert with_tables(before, {id(old): apart}).tables[0].change is None
    same = with_tables(before, {id(old): old})
    assert same.changes[0] is change
