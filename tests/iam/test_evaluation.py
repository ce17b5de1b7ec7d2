"""Reach: what a holder may do, after denies and ceilings, and under conditions."""

from __future__ import annotations

from typing import Any

import pytest

from support import tables as build
from support.access import HERE, ITEMS, ORDERS, deny, document, holder, statement, table, whole
from support.tables import DOUBT
from tablegate.iam.actions import by_name
from tablegate.iam.arns import Symbols, arn_of
from tablegate.iam.conditions import Narrowing
from tablegate.iam.documents import ConditionalPart, UnknownPart
from tablegate.iam.evaluation import actions_of, fits, reaches, reaches_of, resources_of
from tablegate.iam.grants import DocumentRole, HolderKind, Unread
from tablegate.iam.holders import Holder
from tablegate.iam.patterns import Tier, scope_of
from tablegate.model import facts

VPCE = {"StringEquals": {"aws:SourceVpce": "vpce-1"}}
ALL = "ForAllValues:StringEquals"
KEYED = {ALL: {"dynamodb:LeadingKeys": ["${aws:userid}"]}}
ABSENT = {"Null": {"dynamodb:LeadingKeys": "true"}}
AUDIT = f"{HERE}Audit"


def of(*statements: Any, **others: Any) -> Holder:
    """A role with one document."""
    return holder(whole(*statements), **others)


def names(who: Holder) -> dict[str, set[str]]:
    """What is reached, pattern by pattern."""
    found: dict[str, set[str]] = {}
    for reach in reaches_of(who):
        found.setdefault(reach.pattern, set()).update(action.name for action in reach.actions)
    return found


@pytest.mark.parametrize(
    ("statements", "others", "truth"),
    [
        ([statement("GetItem")], {}, True),
        ([statement("dynamodb:*", "*")], {}, True),
        ([statement("GetItem", f"{HERE}Ord*")], {}, True),
        ([statement("GetItem", AUDIT)], {}, False),
        ([statement("PutItem")], {}, False),
        ([], {}, False),
        ([statement("GetItem"), deny("GetItem")], {}, False),
        ([statement("GetItem"), deny("GetItem", AUDIT)], {}, True),
        ([statement("GetItem"), deny("GetItem", "*", VPCE)], {}, True),
        ([statement("GetItem"), deny(None, "*") | {"NotAction": ["dynamodb:GetItem"]}], {}, True),
        ([statement("GetItem"), deny(None, "*") | {"NotAction": ["dynamodb:PutItem"]}], {}, False),
        ([statement("GetItem"), deny("GetItem", None) | {"NotResource": ORDERS}], {}, True),
        ([statement("GetItem"), deny("GetItem", None) | {"NotResource": AUDIT}], {}, False),
        ([statement(None, "*", NotAction=["iam:*"])], {}, True),
        ([statement("GetItem", None, NotResource=AUDIT)], {}, True),
        ([statement("GetItem", None, NotResource=ORDERS)], {}, False),
        ([statement("GetItem", None, NotResource=f"{HERE}${{aws:username}}-x")], {}, None),
        ([statement("GetItem"), deny("GetItem", None) | {"NotResource": f"{HERE}${{aws:username}}-x"}], {}, None),
        ([statement("GetItem", UnknownPart(DOUBT))], {}, None),
        ([statement(None, Action=UnknownPart(DOUBT))], {}, None),
        ([statement(None, NotAction=UnknownPart(DOUBT))], {}, None),
        ([statement("GetItem", Effect=UnknownPart(DOUBT))], {}, None),
        ([statement("GetItem", Condition=UnknownPart(DOUBT))], {}, None),
        ([ConditionalPart(statement("GetItem"))], {}, None),
        ([statement("GetItem", [ConditionalPart(ORDERS)])], {}, None),
        ([statement("GetItem"), deny("GetItem", UnknownPart(DOUBT))], {}, None),
        ([statement("GetItem"), ConditionalPart(deny("GetItem"))], {}, None),
        ([statement("GetItem")], {"ceilings": (document(statement(ITEMS, "*")),)}, True),
        ([statement("GetItem")], {"ceilings": (document(statement("PutItem", "*")),)}, False),
        ([statement("GetItem")], {"ceilings": (document(statement("GetItem", AUDIT)),)}, False),
        ([statement("GetItem")], {"ceilings": (document(statement("GetItem", "*", VPCE)),)}, True),
        ([statement("GetItem")], {"ceilings": (document(statement("*", "*"), deny("GetItem", "*")),)}, False),
        ([statement("GetItem")], {"ceilings": (document(deny("PutItem", "*")),)}, False),
        ([statement("GetItem")], {"ceilings": (document(statement("*", "*"), deny("PutItem", "*")),)}, True),
        ([statement("GetItem")], {"ceilings": (document(UnknownPart(DOUBT)),)}, None),
        ([statement("GetItem")], {"ceiling_doubt": DOUBT}, None),
    ],
)
def test_whether_a_holder_may(statements: list[Any], others: Any, truth: bool | None) -> None:
    """Yes, no, or unknown, by everything that speaks of it."""
    assert of(*statements, **others).can("dynamodb:GetItem", table()).truth is truth


def test_an_answer_names_what_decides() -> None:
    """The Allows, or the Deny; and whether it stands under a condition."""
    who = of(statement("GetItem", Sid="Read"), statement("GetItem", AUDIT), statement("Get*", Sid="Wide"))
    answer = who.can("GetItem", table())
    assert ([grant.label for grant in answer.grants], answer.conditional) == (["Read", "Wide"], False)
    assert of(statement("GetItem", ORDERS, VPCE)).can("getitem", table()).conditional is True
    assert of(statement("GetItem"), statement("GetItem", ORDERS, VPCE)).can("GetItem", table()).conditional is False
    assert of(statement("GetItem"), deny("GetItem", "*", VPCE)).can("GetItem", table()).conditional is True
    denied = of(statement("GetItem"), deny("Get*") | {"Sid": "No"})
    assert [grant.label for grant in denied.can("GetItem", table()).grants] == ["No"]


@pytest.mark.parametrize(
    ("action", "below", "truth"),
    [
        ("GetItem", "", True),
        ("GetItem", "index/by-status", False),
        ("Query", "index/by-status", True),
        ("GetRecords", "", False),
        ("GetRecords", "stream/*", True),
        ("DeleteBackup", "", False),
        ("DeleteBackup", "backup/1", True),
        ("ListTables", "", True),
    ],
)
def test_an_action_is_asked_of_what_it_works_on(action: str, below: str, truth: bool) -> None:
    """A grant over anything else is empty, however wide it is."""
    assert of(statement("dynamodb:*", "*")).can(action, table(), below).truth is truth


OF_THE_ACCOUNT = [
    ("*", True),
    (f"{HERE}*", True),
    ("arn:aws:dynamodb:*:111122223333:*", True),
    ("arn:aws:dynamodb:us-east-1:111122223333:*", True),
    ([ORDERS, f"{ORDERS}/*"], False),
    (f"{HERE}app-*", False),
    (f"{HERE}*/index/*", False),
    (f"{HERE}*/stream/*", False),
]


@pytest.mark.parametrize(("resources", "truth"), OF_THE_ACCOUNT)
def test_an_account_s_action_is_granted_on_all_tables(resources: Any, truth: bool) -> None:
    """AWS checks it on ``table/*``: no table's ARN grants a listing, and a Deny has the same reach."""
    assert of(statement("ListTables", resources)).can("ListTables", table()).truth is truth
    who = of(statement("ListTables", "*"), deny("ListTables", resources))
    assert who.can("ListTables", table()).truth is not truth
    who = of(statement("ListTables", "*"), ceilings=(document(statement("ListTables", resources)),))
    assert who.can("ListTables", table()).truth is truth
    assert bool(names(who)) is truth


def test_an_account_s_action_beside_what_is_left_out() -> None:
    """NotResource of one table leaves the account."""
    assert of(statement("ListTables", None, NotResource=ORDERS)).can("ListTables", table()).truth is True
    who = of(statement("ListTables", "*"), deny("ListTables", None) | {"NotResource": ORDERS})
    assert who.can("ListTables", table()).truth is False
    assert names(who) == {}


@pytest.mark.parametrize(
    ("allowed", "denied", "left"),
    [
        ("*", "arn:aws:dynamodb:*:111122223333:*", False),
        ("*", "arn:aws:dynamodb:us-east-1:111122223333:*", True),
        (f"{HERE}*", "arn:aws:dynamodb:us-east-1:111122223333:*", False),
        (f"{HERE}*", "arn:aws:dynamodb:eu-west-1:111122223333:*", True),
        ("arn:aws:dynamodb:*:*:*", f"{HERE}*/index/*", True),
        ("*", f"{HERE}app-*", True),
    ],
)
def test_a_deny_takes_an_account_s_action_where_it_covers_the_account(allowed: str, denied: str, left: bool) -> None:
    """In the regions that the Allow has."""
    who = of(statement("UpdateAbacStatus", allowed), deny("UpdateAbacStatus", denied))
    assert bool(names(who)) is left


@pytest.mark.parametrize(
    ("statements", "truth", "conditional"),
    [
        ([statement("Scan", ORDERS, KEYED)], True, False),
        ([statement("Scan", ORDERS, {"StringEquals": KEYED[ALL]})], False, False),
        ([statement("Scan", ORDERS, KEYED), deny("*", "*", ABSENT)], False, False),
        ([statement("Scan"), deny("*", "*", ABSENT | VPCE)], True, True),
        ([statement("Scan"), deny("*", "*", {"StringEquals": KEYED[ALL]})], True, False),
    ],
)
def test_a_condition_that_nothing_meets_is_no_condition(statements: list[Any], truth: bool, conditional: bool) -> None:
    """A scan carries no partition key: what hangs on one is decided before any request."""
    answer = of(*statements).can("Scan", table())
    assert (answer.truth, answer.conditional) == (truth, conditional)


@pytest.mark.parametrize(
    ("limit", "truth"),
    [
        ([statement("*", "*", KEYED)], True),
        ([statement("*", "*", {"StringEquals": KEYED[ALL]})], False),
        ([statement("*", "*"), deny("*", "*", ABSENT)], False),
        ([statement("*", None, NotResource=AUDIT)], True),
        ([statement("*", None, NotResource=[AUDIT, f"{HERE}*"])], False),
        ([statement("*", None, NotResource=[ConditionalPart(f"{HERE}*")])], None),
    ],
)
def test_what_a_ceiling_never_lets_pass_nobody_holds(limit: list[Any], truth: bool | None) -> None:
    """Conditions that are never met count, and so do the resources that it leaves out."""
    who = of(statement("Scan"), ceilings=(document(*limit),))
    assert who.can("Scan", table()).truth is truth
    assert bool(names(who)) is (truth is not False)


def test_an_action_that_nobody_knows_is_unknown() -> None:
    """Newer than the data, or none at all."""
    assert of(statement("dynamodb:*", "*")).can("Frobnicate", table()).truth is None


def test_what_could_not_be_read_may_grant_it() -> None:
    """Where it could matter to a table, and no ceiling keeps it out."""
    unread = Unread(address="x", place=None, doubt=DOUBT, relevant=True, partly=False)
    other = Unread(address="x", place=None, doubt=DOUBT, relevant=False, partly=False)
    assert holder(unread=(unread,)).can("GetItem", table()).truth is None
    assert holder(unread=(other,)).can("GetItem", table()).truth is False
    limit = document(statement("PutItem", "*"))
    assert holder(unread=(unread,), ceilings=(limit,)).can("GetItem", table()).truth is False


def test_an_index_is_asked_for_by_its_path() -> None:
    """The table alone does not reach it."""
    assert of(statement("Query")).can("Query", table(), "index/by-status").truth is False
    assert of(statement("Query", f"{ORDERS}/index/*")).can("Query", table(), "index/by-status").truth is True


def test_what_is_not_known_of_an_arn_does_not_reach_into_its_table() -> None:
    """Where the account is not known, the indexes of one table are still none of another's."""
    symbols = Symbols()
    own, other = (build.table(name=facts.NAME.of(name), address=name) for name in ("Orders", "Users"))
    who = of(statement("Query", f"{arn_of(own, symbols)}/index/*"), symbols=symbols)
    assert who.can("Query", own, "index/by-status").truth is True
    assert who.can("Query", other).truth is False
    assert who.can("Query", other, "index/by-status").truth is False
    spared = deny("Query", None) | {"NotResource": f"{arn_of(own, symbols)}/*"}
    wide = of(statement("Query", arn_of(other, symbols)), spared, symbols=symbols)
    assert names(wide) == {}


def test_a_reference_and_a_literal_are_the_same_table() -> None:
    """Where the account is not known, a literal beside it is taken for that."""
    symbols = Symbols()
    here = build.table(name=facts.NAME.of("Orders"))
    assert of(statement("GetItem"), symbols=symbols).can("GetItem", here).truth is True


def test_an_empty_part_is_not_filled_in() -> None:
    """An ARN without a region or account is none of a table's, known or not; a Deny over it denies nothing."""
    symbols = Symbols()
    here = build.table(name=facts.NAME.of("Orders"))
    empty = "arn:aws:dynamodb:us-east-1::table/Orders"
    assert of(statement("GetItem", empty), symbols=symbols).can("GetItem", here).truth is False
    assert of(statement("GetItem", empty)).can("GetItem", table()).truth is False
    spared = of(statement("GetItem", arn_of(here, symbols)), deny("GetItem", empty), symbols=symbols)
    assert spared.can("GetItem", here).truth is True
    assert names(spared) == {arn_of(here, symbols): {"GetItem"}}


@pytest.mark.parametrize(
    ("actions", "resources", "expected"),
    [
        (["GetItem", "GetRecords"], ORDERS, {ORDERS: {"GetItem"}}),
        (["GetItem", "GetRecords"], f"{ORDERS}/stream/*", {f"{ORDERS}/stream/*": {"GetRecords"}}),
        (["GetItem", "Query"], f"{ORDERS}/index/*", {f"{ORDERS}/index/*": {"Query"}}),
        (["GetItem", "Query"], f"{ORDERS}/*", {f"{ORDERS}/*": {"Query"}}),
        (["ListTables", "GetItem"], "*", {"*": {"ListTables", "GetItem"}}),
        (["ListTables", "GetItem"], f"{HERE}*", {f"{HERE}*": {"ListTables", "GetItem"}}),
        (["ListTables", "GetItem"], f"{HERE}app-*", {f"{HERE}app-*": {"GetItem"}}),
        (
            ["CreateGlobalTable", "GetItem"],
            "arn:aws:dynamodb::1:global-table/A",
            {"arn:aws:dynamodb::1:global-table/A": {"CreateGlobalTable"}},
        ),
        (["GetItem"], ["arn:aws:s3:::a", ORDERS], {ORDERS: {"GetItem"}}),
        (["s3:GetObject"], "*", {}),
        (["GetItem"], [], {}),
    ],
)
def test_an_action_reaches_what_it_is_for(actions: list[str], resources: Any, expected: Any) -> None:
    """Tables, indexes, streams; the account's own actions need all tables."""
    assert names(of(statement(actions, resources))) == expected


def test_what_is_left_out_reaches_everything() -> None:
    """NotResource is a star, NotAction all other actions: none of either where some cannot be known."""
    assert names(of(statement("GetItem", None, NotResource=AUDIT))) == {"*": {"GetItem"}}
    (found,) = of(statement(None, ORDERS, NotAction=["dynamodb:Get*"])).grants
    assert {"PutItem", "Query"} <= {action.name for action in actions_of(found.statement.actions)}
    assert "GetItem" not in {action.name for action in actions_of(found.statement.actions)}
    (found,) = of(statement(None, ORDERS, NotAction=["dynamodb:Get*", UnknownPart(DOUBT)])).grants
    assert actions_of(found.statement.actions) == frozenset()
    assert resources_of(found.statement) == (ORDERS,)


def test_only_what_is_granted_is_reached() -> None:
    """Denies, ceilings and policies of resources reach nothing by themselves."""
    assert names(of(deny("GetItem"))) == {}
    assert names(of(statement("GetItem"), role=DocumentRole.CEILING)) == {}
    assert names(of(statement("GetItem"), role=DocumentRole.RESOURCE)) == {}


def test_a_deny_takes_away_pair_by_pair() -> None:
    """What it covers wholly, and nothing beside it."""
    who = of(statement(["GetItem", "PutItem"], [ORDERS, AUDIT]), deny("PutItem", AUDIT))
    assert names(who) == {ORDERS: {"GetItem", "PutItem"}, AUDIT: {"GetItem"}}
    who = of(statement("GetItem", f"{HERE}*"), deny("GetItem", AUDIT))
    assert names(who) == {f"{HERE}*": {"GetItem"}}
    who = of(statement("GetItem", AUDIT), deny("GetItem", None) | {"NotResource": ORDERS})
    assert names(who) == {}
    who = of(statement("GetItem", [ORDERS]), deny("GetItem", [ConditionalPart(ORDERS)]))
    assert names(who) == {ORDERS: {"GetItem"}}
    who = of(statement("GetItem"), deny("GetItem", None) | {"NotResource": UnknownPart(DOUBT)})
    assert names(who) == {ORDERS: {"GetItem"}}


def test_a_ceiling_caps_action_by_action() -> None:
    """One pattern may come to several widths."""
    limit = document(statement("GetItem", f"{HERE}app-*"), statement("Query", "*"))
    who = of(statement(["GetItem", "Query", "PutItem"], "*"), ceilings=(limit,))
    found = {reach.tier: {action.name for action in reach.actions} for reach in reaches_of(who)}
    assert found == {Tier.EVERYWHERE: {"Query"}, Tier.PREFIX: {"GetItem"}}
    unknown = document(statement("GetItem", UnknownPart(DOUBT)))
    assert names(of(statement("GetItem", "*"), ceilings=(unknown,))) == {"*": {"GetItem"}}
    everything = document(statement("GetItem", None, NotResource=AUDIT))
    assert names(of(statement("GetItem", "*"), ceilings=(everything,))) == {"*": {"GetItem"}}
    unread = document(UnknownPart(DOUBT))
    assert names(of(statement("GetItem", "*"), ceilings=(unread,))) == {"*": {"GetItem"}}
    elsewhere = document(statement("GetItem", "arn:aws:s3:::a"))
    assert names(of(statement("GetItem", "*"), ceilings=(elsewhere,))) == {}


def test_a_guarding_deny_narrows() -> None:
    """A Deny of what is not meant leaves what is: bound as by a condition of the Allow's own."""
    get = by_name()["getitem"]
    guards = {
        Narrowing.TABLES: {"StringNotEquals": {"aws:ResourceTag/app": "orders"}},
        Narrowing.ITEMS: {"ForAnyValue:StringNotEquals": {"dynamodb:LeadingKeys": ["a"]}},
        Narrowing.NONE: {"StringEquals": {"aws:ResourceTag/app": "secret"}},
        Narrowing.CONTEXT: {
            "StringNotEquals": {"aws:ResourceTag/app": "orders", "aws:SourceVpce": "vpce-1"},
        },
    }
    for expected, condition in guards.items():
        (reach,) = reaches_of(of(statement("GetItem", "*"), deny("GetItem", "*", condition)))
        assert reach.narrowed(get) is expected
    (reach,) = reaches_of(of(statement("GetItem", "*"), deny("GetItem", ORDERS, guards[Narrowing.TABLES])))
    assert reach.narrowed(get) is Narrowing.NONE
    (reach,) = reaches_of(
        of(statement("GetItem", "*"), ConditionalPart(deny("GetItem", "*", guards[Narrowing.TABLES])))
    )
    assert reach.narrowed(get) is Narrowing.NONE


def test_reaches_are_worked_out_once() -> None:
    """Whoever asks next gets the same."""
    (grant,) = of(statement("GetItem"), kind=HolderKind.DEPLOY).grants
    assert reaches(grant) is reaches(grant)


@pytest.mark.parametrize(
    ("action", "tail", "answer"),
    [
        ("Query", "table/T", True),
        ("Query", "table/T/index/a", True),
        ("GetItem", "table/T/index/a", False),
        ("DeleteBackup", "table/T", False),
        ("DeleteBackup", "table/T/backup/*", True),
        ("UpdateGlobalTable", "global-table/T", True),
        ("GetItem", "global-table/T", False),
        ("GetItem", "*", True),
        ("GetRecords", "table/T*", True),
    ],
)
def test_what_fits_where(action: str, tail: str, answer: bool) -> None:
    """By the resource types of the action."""
    assert fits(by_name()[action.lower()], scope_of(f"arn:aws:dynamodb:us-east-1:1:{tail}")) is answer
