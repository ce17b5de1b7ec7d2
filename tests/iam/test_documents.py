"""Documents: every form that IAM takes, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from support.access import document, nowhere, statement
from support.tables import DOUBT
from tablegate.iam.arns import Symbols, has_symbol
from tablegate.iam.documents import (
    ConditionalPart,
    Document,
    Patterns,
    Principal,
    PrincipalKind,
    UnknownPart,
    hidden,
    parse_document,
)
from tablegate.model.value import Doubt

VERSION = "2012-10-17"


def read(tree: Any, symbols: Symbols | None = None, within: str | None = None) -> Document:
    """The document that a tree spells."""
    return parse_document(tree, symbols or Symbols(), nowhere, within)


def one(**elements: Any) -> Any:
    """The one statement of a document."""
    (found,) = read({"Version": VERSION, "Statement": elements}).statements
    return found


def test_a_single_statement_needs_no_list() -> None:
    """Nor do a single action and resource."""
    found = one(Effect="Allow", Action="dynamodb:GetItem", Resource="*")
    assert (found.effect, found.actions.texts, found.resources.texts) == ("Allow", ("dynamodb:GetItem",), ("*",))
    assert (found.label, found.allows, found.denies, found.present) == ("0", True, False, True)


def test_a_statement_is_known_by_its_sid() -> None:
    """By its index where it has none, and by its document where there are several at one address."""
    tree = {"Statement": [{"Sid": "Read", **statement("GetItem")}, statement("GetItem"), statement("GetItem", Sid="")]}
    assert [item.label for item in read(tree).statements] == ["Read", "1", "2"]
    assert [item.label for item in read(tree, within="own").statements] == ["own/Read", "own/1", "own/2"]


@pytest.mark.parametrize(
    ("tree", "messages"),
    [
        ([], ["a policy document is an object"]),
        ("{}", ["a policy document is an object"]),
        ({"Statement": "none"}, ["Statement is a list or an object"]),
        ({"Statement": ["none"]}, ["a statement is an object"]),
        ({"Statement": statement("GetItem", Effect="allow")}, ["Effect is Allow or Deny, in exactly these letters"]),
        ({"Statement": {"Effect": "Allow", "Resource": "*"}}, ["a statement has an Action or a NotAction"]),
        ({"Statement": statement("GetItem", NotAction="a:b")}, ["a statement has Action or NotAction, not both"]),
        ({"Statement": statement("GetItem", NotResource="*")}, ["a statement has Resource or NotResource, not both"]),
        ({"Statement": statement("GetItem", Resources="*")}, ["a statement has no element 'Resources'"]),
        ({"Statement": statement("GetItem", [1])}, ["a pattern is a text"]),
        ({"Statement": statement("GetItem", Condition=[])}, ["a Condition is an object"]),
        ({"Statement": statement("GetItem", Condition={"Bool": []})}, ["a condition operator holds an object of keys"]),
        ({"Statement": statement("GetItem", Principal="me")}, ["a principal is * or an object"]),
        ({"Statement": statement("GetItem", Principal={"Aws": "1"})}, ["there is no principal of type 'Aws'"]),
        ({"Statement": []}, []),
        ({}, []),
    ],
)
def test_what_iam_would_refuse_is_listed(tree: Any, messages: list[str]) -> None:
    """Never skipped in silence: each with what would be right."""
    assert [item.message for item in read(tree).malformed] == messages


@pytest.mark.parametrize(
    ("principal", "expected"),
    [
        ("*", [Principal(PrincipalKind.ANYONE, "*")]),
        ({"AWS": "*"}, [Principal(PrincipalKind.ANYONE, "*")]),
        ({"*": "*"}, [Principal(PrincipalKind.ANYONE, "*")]),
        ({"AWS": ["1", "2"]}, [Principal(PrincipalKind.AWS, "1"), Principal(PrincipalKind.AWS, "2")]),
        ({"Service": "a.b"}, [Principal(PrincipalKind.SERVICE, "a.b")]),
        ({"Federated": "a"}, [Principal(PrincipalKind.FEDERATED, "a")]),
        ({"CanonicalUser": "a"}, [Principal(PrincipalKind.CANONICAL, "a")]),
        ({"Service": "*"}, [Principal(PrincipalKind.SERVICE, "*")]),
    ],
)
def test_principals_have_several_forms(principal: Any, expected: list[Principal]) -> None:
    """A star is anyone, by itself or as an account."""
    found = one(**statement("GetItem", Principal=principal))
    assert (list(found.principals.items), found.principals.inverted) == (expected, False)
    assert one(**statement("GetItem", NotPrincipal=principal)).principals.inverted is True
    assert one(**statement("GetItem")).principals is None


@pytest.mark.parametrize(
    "tree",
    [
        UnknownPart(DOUBT),
        {"Version": UnknownPart(DOUBT), "Statement": []},
        {"Statement": UnknownPart(DOUBT)},
        {"Statement": [UnknownPart(DOUBT)]},
        {"Statement": statement("GetItem", Effect=UnknownPart(DOUBT))},
        {"Statement": statement(None, Action=UnknownPart(DOUBT))},
        {"Statement": statement(None, Action=[UnknownPart(DOUBT)])},
        {"Statement": statement("GetItem", UnknownPart(DOUBT))},
        {"Statement": statement("GetItem", Principal=UnknownPart(DOUBT))},
        {"Statement": statement("GetItem", Principal={"AWS": UnknownPart(DOUBT)})},
        {"Statement": statement("GetItem", Condition=UnknownPart(DOUBT))},
        {"Statement": statement("GetItem", Condition={"Bool": UnknownPart(DOUBT)})},
    ],
)
def test_what_cannot_be_known_is_a_doubt(tree: Any) -> None:
    """Wherever the hole is."""
    assert read(tree).doubts == (DOUBT,)


def test_a_hole_that_tells_what_it_reaches_is_none() -> None:
    """A reference to a table is as good as its ARN."""
    found = one(**statement("GetItem", ["*", UnknownPart(DOUBT, ("arn:a", "arn:b"))]))
    assert (found.resources.texts, found.resources.doubt, found.doubts) == (("*", "arn:a", "arn:b"), None, ())
    assert found.resources.paths == (
        ("Statement", "Resource", 0),
        ("Statement", "Resource", 1),
        ("Statement", "Resource", 1),
    )


def test_an_effect_or_a_condition_that_is_not_known_leaves_a_statement_unsettled() -> None:
    """It may be a Deny, or bound to nothing at all."""
    assert one(**statement("GetItem", Effect=UnknownPart(DOUBT))).unsettled == DOUBT
    assert one(**statement("GetItem", Effect=UnknownPart(DOUBT))).effect is None
    assert one(**statement("GetItem", Condition=UnknownPart(DOUBT))).unsettled == DOUBT
    assert one(**statement("GetItem", Condition={"Bool": {"a": UnknownPart(DOUBT)}})).unsettled is None
    assert one(**statement("GetItem", UnknownPart(DOUBT))).unsettled is None


def test_an_action_with_a_hole_in_its_name_is_a_doubt() -> None:
    """It may be any action; a variable of IAM's is none."""
    symbols = Symbols()
    text = f"dynamodb:{symbols.of('verb')}Item"
    found = parse_document({"Statement": statement(text)}, symbols, nowhere).statements[0]
    assert found.actions.doubt == Doubt("the name of one of its actions is not known", "write the action's full name")
    assert one(**statement("dynamodb:${aws:username}")).actions.doubt is None


def test_what_is_there_only_in_some_scenario_is_told_apart() -> None:
    """Statements and single patterns."""
    tree = {
        "Statement": [
            ConditionalPart(statement("GetItem")),
            {"Effect": "Allow", "Action": [ConditionalPart("dynamodb:Scan"), "dynamodb:Query"], "Resource": "*"},
        ]
    }
    first, second = read(tree).statements
    assert (first.present, second.present) == (False, True)
    assert (second.actions.texts, second.actions.sure) == (("dynamodb:Scan", "dynamodb:Query"), ("dynamodb:Query",))


def test_patterns_are_true_where_something_is_in_them() -> None:
    """Or may be."""
    assert bool(Patterns()) is False
    assert bool(Patterns(("a",))) is True
    assert bool(Patterns(doubt=DOUBT)) is True


@pytest.mark.parametrize(("version", "filled"), [(VERSION, True), ("2008-10-17", False), (None, False)])
def test_variables_belong_to_the_languages_second_version(version: str | None, filled: bool) -> None:
    """Before it they are plain text."""
    tree = {"Version": version, "Statement": statement("GetItem", "arn:aws:dynamodb:::table/${aws:username}")}
    found = read({key: value for key, value in tree.items() if value is not None})
    assert has_symbol(found.statements[0].resources.texts[0]) is filled
    assert found.version == version
    assert found.shown(found.statements[0].resources.texts[0]) == "arn:aws:dynamodb:::table/${aws:username}"
    assert Document().shown("a") == "a"


def test_escapes_are_plain_characters() -> None:
    """A dollar may be written out; a star that is written out is no wildcard."""
    found = one(**statement("GetItem", ["${$}", "${*}x"]))
    assert found.resources.texts[0] == "$"
    assert "*" not in found.resources.texts[1]


def test_the_statements_of_a_hidden_document_are_called_by_number() -> None:
    """A Sid is a part of what is sensitive."""
    made = hidden(document({**statement("GetItem"), "Sid": "Hunter2"}, {**statement("PutItem"), "Sid": "Other"}))
    assert ([one.label for one in made.statements], made.sensitive) == (["0", "1"], True)
