"""An outline is a grant without its names: what is answered of it is true of every grant of its shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from support.access import HERE, ORDERS, deny, holder, statement, whole
from tablegate.engine.outlines import HiddenFieldError, hidden_reads, outlines
from tablegate.iam.arns import Symbols
from tablegate.iam.evaluation import reaches
from tablegate.iam.grants import Grant, HolderKind

ITEMS = statement(("GetItem", "Query"), [ORDERS, f"{ORDERS}/index/*"], Sid="Items")
OTHER = statement(("GetItem", "Query"), [f"{HERE}Users", f"{HERE}Users/index/*"], Sid="Others")


def outlined(*trees: Any) -> Grant:
    """The outline of the first grant of a holder of these documents."""
    one = holder(*trees)
    return outlines([one, one])[one.grants[0]]


def test_grants_that_differ_in_names_have_one_outline() -> None:
    """Labels, places, addresses and the names in ARNs are names."""
    one, other = holder(whole(ITEMS)), holder(whole(OTHER), address="aws_iam_role.other", at="aws_iam_policy.other")
    found = outlines([one, other])
    assert found[one.grants[0]] is found[other.grants[0]]


def test_a_grant_like_no_other_has_none() -> None:
    """The policy is asked about the grant itself."""
    assert outlines([holder(whole(ITEMS)), holder(whole(ITEMS), kind=HolderKind.HUMAN)]) == {}


@pytest.mark.parametrize(
    "other",
    [
        holder(whole(statement(("GetItem", "Scan"), [ORDERS, f"{ORDERS}/index/*"]))),
        holder(whole(statement(("GetItem", "Query"), [ORDERS, f"{HERE}*"]))),
        holder(whole(statement(("GetItem", "Query"), [ORDERS]))),
        holder(whole(statement(("GetItem", "Query"), [ORDERS, f"{ORDERS}/index/*"], {"Bool": {"a:b": "true"}}))),
        holder(whole(ITEMS, deny("Scan"))),
        holder(whole(ITEMS), whole(ITEMS)),
        holder(whole(ITEMS, version=None)),
        holder(whole(ITEMS), services=()),
        holder(whole(ITEMS), managed="AmazonDynamoDBFullAccess"),
    ],
)
def test_whatever_else_differs_is_another_outline(other: Any) -> None:
    """Actions, widths, conditions, the holder, and all that it holds besides."""
    one = holder(whole(ITEMS))
    found = outlines([one, one, other, other])
    assert found[one.grants[0]] is not found[other.grants[0]]


def test_an_outline_keeps_how_things_hang_together() -> None:
    """Statements of one document are of one document, and denials are among the holder's grants."""
    one = holder(whole(ITEMS, deny("Scan")), whole(ITEMS))
    first, second, third = map(outlines([one, one]).__getitem__, one.grants)
    assert first.document is second.document
    assert first.document is not third.document
    assert first.holder.grants == (first, second, third)
    assert first.holder.denials == (second,)
    assert [reach.grant for reach in reaches(first)] == [first, first]


def test_an_outline_shows_its_shape() -> None:
    """What a statement does, how wide, to whom and when is all there."""
    outline = outlined(whole(ITEMS))
    one = holder(whole(ITEMS)).grants[0]
    assert outline.statement.actions.texts == one.statement.actions.texts
    assert outline.holder.kind is one.holder.kind
    assert [(reach.tier, reach.actions) for reach in reaches(outline)] == [
        (reach.tier, reach.actions) for reach in reaches(one)
    ]


@pytest.mark.parametrize(
    "ask",
    [
        lambda grant: grant.address,
        lambda grant: grant.label,
        lambda grant: grant.target,
        lambda grant: grant.holder.name,
        lambda grant: grant.holder.estate,
        lambda grant: grant.holder.can("GetItem", None),
        lambda grant: grant.statement.place,
        lambda grant: grant.statement.resources.texts,
        lambda grant: grant.statement.resources.sure,
        lambda grant: bool(grant.statement.resources),
        lambda grant: grant.document.shown("text"),
        lambda grant: grant.document.statements,
        lambda grant: reaches(grant)[0].pattern,
        lambda grant: reaches(grant)[0].scope.table,
        lambda grant: reaches(grant)[0].scope == reaches(grant)[0].scope,
        lambda grant: hash(reaches(grant)[0].scope),
        lambda grant: getattr(grant, "address", None),
        lambda grant: hasattr(grant.holder, "name"),
    ],
)
def test_a_name_is_withheld(ask: Callable[[Grant], object]) -> None:
    """Reading a name is an error that counts, and so is comparing."""
    before = hidden_reads.get()
    with pytest.raises(HiddenFieldError):
        ask(outlined(whole(ITEMS)))
    assert hidden_reads.get() == before + 1


def test_symbols_tell_shapes_apart() -> None:
    """An account that is not known is another account than one that is."""
    symbols = Symbols()
    unknown = whole(statement("GetItem", f"arn:aws:dynamodb:us-east-1:{symbols.of('account')}:table/Orders"))
    one, other = holder(whole(statement("GetItem"))), holder(unknown, symbols=symbols)
    found = outlines([one, one, other, other])
    assert found[one.grants[0]] is not found[other.grants[0]]
