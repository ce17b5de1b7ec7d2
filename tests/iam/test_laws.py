"""Laws: what can never widen a holder's reach, and what never makes a finding fall silent."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support import document_forms as dresses
from support.access import HERE, deny, document, estate, findings, holder, of, statement, table, whole
from support.tables import DOUBT
from tablegate.iam.actions import Kind, known_actions
from tablegate.iam.conditions import Narrowing
from tablegate.iam.documents import UnknownPart
from tablegate.iam.evaluation import reaches_of
from tablegate.iam.holders import Answer, Holder
from tablegate.iam.matrix import NOTHING, Right, matrix_of
from tablegate.model import facts

ACTIONS = st.sampled_from(
    ["GetItem", "PutItem", "Query", "Scan", "DeleteTable", "GetRecords", "Get*", "dynamodb:*", "*"]
)
RESOURCES = st.sampled_from(
    ["*", f"{HERE}*", f"{HERE}Orders", f"{HERE}Orders*", f"{HERE}Orders/index/*", f"{HERE}Ord-*", f"{HERE}Users"]
)
CONDITIONS = st.sampled_from(
    [
        {"StringEquals": {"aws:ResourceTag/app": "orders"}},
        {"StringNotEquals": {"aws:ResourceTag/app": "orders"}},
        {"StringLike": {"aws:ResourceTag/app": "*"}},
        {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:userid}"]}},
        {"ForAnyValue:StringNotEquals": {"dynamodb:LeadingKeys": ["${aws:userid}"]}},
        {"Bool": {"aws:MultiFactorAuthPresent": "true"}},
        {"StringEquals": {"aws:RequestedRegion": "us-east-1"}},
        {"Null": {"dynamodb:LeadingKeys": "false"}},
        {"Null": {"dynamodb:LeadingKeys": "true"}},
        {"StringEquals": {"dynamodb:LeadingKeys": ["a"]}},
    ]
)
TABLES = (table("Orders"), table("Orders-a"), table("Users"), table("Vast", account=facts.ACCOUNT.unset))
RIGHTS = {
    right: [action.name for action in known_actions() if action.kind is kind and "table" in action.types]
    for right, kind in (
        (Right.READ, Kind.ITEM_READ),
        (Right.WRITE, Kind.ITEM_WRITE),
        (Right.DELETE, Kind.ITEM_DELETE),
        (Right.SCAN, Kind.BULK_READ),
    )
}
LISTS = st.lists(ACTIONS, min_size=1, max_size=3)
ALLOWS = st.lists(
    st.builds(statement, LISTS, st.lists(RESOURCES, min_size=1, max_size=2), st.none() | CONDITIONS),
    min_size=1,
    max_size=3,
)
DENIES = st.builds(deny, LISTS, RESOURCES, st.none() | CONDITIONS)
ASKED = [("GetItem", ""), ("Scan", ""), ("DeleteTable", ""), ("Query", "index/by-status"), ("GetRecords", "stream/x")]
CERTAINTY = {False: 0, None: 1, True: 2}


def answers(who: Holder) -> list[int]:
    """How sure it is that the holder may do each of some things."""
    return [CERTAINTY[who.can(action, table(), below).truth] for action, below in ASKED]


def reached(who: Holder) -> dict[tuple[str, str], tuple[int, Narrowing]]:
    """How far each action goes at each pattern, and what is taken from it."""
    found: dict[tuple[str, str], tuple[int, Narrowing]] = {}
    for reach in reaches_of(who):
        for action in reach.actions:
            found[(f"{reach.grant.label} {reach.pattern}", action.name)] = (reach.tier, reach.narrowed(action))
    return found


@given(allowed=ALLOWS, denied=DENIES)
def test_a_deny_never_adds_reach(allowed: list[Any], denied: Any) -> None:
    """Whatever it is about, and under whatever condition: nothing becomes possible by it, or wider."""
    before, after = holder(whole(*allowed)), holder(whole(*allowed, denied))
    assert all(late <= early for early, late in zip(answers(before), answers(after), strict=True))
    wide, narrow = reached(before), reached(after)
    assert narrow.keys() <= wide.keys()
    assert all(narrow[key][0] <= wide[key][0] and narrow[key][1] >= wide[key][1] for key in narrow)


@given(allowed=ALLOWS, added=CONDITIONS)
def test_a_condition_never_adds_reach(allowed: list[Any], added: dict[str, Any]) -> None:
    """Conditions are joined by `and`: one more takes away, or changes nothing."""
    bound = copy.deepcopy(allowed)
    first = bound[0].setdefault("Condition", {})
    for operator, keys in added.items():
        first[operator] = {**keys, **first.get(operator, {})}
    wide, narrow = reached(holder(whole(*allowed))), reached(holder(whole(*bound)))
    assert narrow.keys() == wide.keys()
    assert all(narrow[key][1] >= wide[key][1] for key in narrow)


@given(allowed=ALLOWS, limit=ALLOWS)
def test_a_ceiling_never_adds_reach(allowed: list[Any], limit: list[Any]) -> None:
    """It grants nothing, and what it leaves is no wider than before."""
    before = holder(whole(*allowed))
    after = holder(whole(*allowed), ceilings=(document(*limit),))
    assert all(late <= early for early, late in zip(answers(before), answers(after), strict=True))
    wide, narrow = reached(before), reached(after)
    assert narrow.keys() <= wide.keys()
    assert all(narrow[key][0] <= wide[key][0] for key in narrow)


@settings(max_examples=40)
@given(allowed=ALLOWS, denied=st.lists(DENIES, max_size=2), limits=st.lists(ALLOWS, max_size=1))
def test_the_matrix_says_what_holders_answer(allowed: list[Any], denied: list[Any], limits: list[Any]) -> None:
    """Its cells are worked out pattern by pattern; asking for each action of a right comes to the same."""
    who = holder(whole(*allowed, *denied), ceilings=tuple(document(*limit) for limit in limits))
    (row,) = matrix_of(estate(who, tables=TABLES)).rows
    for number, one in enumerate(TABLES):
        cell = row.cells.get(number, NOTHING)
        for right, actions in RIGHTS.items():
            asked = [who.can(action, one) for action in actions]
            found = (right in cell.sure, right in cell.bound, right in cell.unknown)
            assert found == _strongest(asked), (one.address, right)


def _strongest(asked: list[Answer]) -> tuple[bool, bool, bool]:
    """Whether one of the answers is sure; else only bound; else unknown."""
    sure = any(answer.truth and not answer.conditional for answer in asked)
    bound = not sure and any(answer.truth for answer in asked)
    return sure, bound, not (sure or bound) and any(answer.truth is None for answer in asked)


VECTORS = [vector for vector in dresses.vectors() if vector["expected"] or vector["info"]]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_an_unknown_never_makes_a_finding_fall_silent(vector: dict[str, Any]) -> None:
    """Wherever a document of many findings has a hole instead, something is still said of it."""
    for path in _paths(vector["document"]):
        hidden = _with_hole(vector["document"], path)
        assert findings(estate(holder(hidden))) != [], path


@given(allowed=ALLOWS, choice=st.integers(min_value=0))
def test_an_unknown_anywhere_never_makes_a_finding_fall_silent(allowed: list[Any], choice: int) -> None:
    """The same for statements of every sort."""
    if findings(of(*allowed)):
        tree = whole(*allowed)
        paths = list(_paths(tree))
        path = paths[choice % len(paths)]
        assert findings(estate(holder(_with_hole(tree, path)))) != [], path


def _paths(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place of a document, but for the names that it gives."""
    if path and path[-1] != "Sid":
        yield path
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, part in items:
        yield from _paths(part, (*path, key))


def _with_hole(tree: Any, path: tuple[Any, ...]) -> Any:
    """The document with a hole at this place."""
    copied = copy.deepcopy(tree)
    node = copied
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = UnknownPart(DOUBT)
    return copied
