"""An action that is newer than what is known here: unknown, never harmless."""

from __future__ import annotations

from typing import Any

import pytest

from iam.test_matrix import orders, row
from support import document_forms as dresses
from support.access import ORDERS, deny, estate, findings, holder, of, statement, table, whole
from tablegate.iam.actions import action_named, is_unheard
from tablegate.iam.aws_data import ACTIONS_AS_OF
from tablegate.iam.matrix import NOTHING, Cell, Right, matrix_of
from tablegate.reporters.matrix import RENDERERS
from tablegate.reporters.safe import Sanitizer

NEWER = "dynamodb:FrobnicateLedger"
NO_TRUST_POLICY = Cell(unknown=(Right.READ, Right.WRITE, Right.DELETE, Right.SCAN, Right.ADMIN))


@pytest.mark.parametrize("dress", dresses.DRESSES)
def test_it_is_unknown_in_every_dress(dress: str) -> None:
    """In a plan as in a template, with the day that the actions are of."""
    world = dresses.DRESSES[dress](whole(statement(NEWER)))
    found = [item for item in findings(world, "TG530") if NEWER in item.message]
    why = "action is unknown: it is newer than this data, or grants nothing"
    told = f"{NEWER} is not a known action (as of {ACTIONS_AS_OF}); {why}"
    assert [(str(item.outcome), item.message) for item in found] == [("unknown", told)]


@pytest.mark.parametrize("dress", dresses.DRESSES)
def test_its_holder_s_cells_are_not_blank(dress: str) -> None:
    """Whatever it does, it may do it to the table that its statement names."""
    read = dresses.DRESSES[dress](whole(statement(NEWER)))
    (worker,) = (one for one in read.holders if any(grant.statement.actions.texts for grant in one.grants))
    cells = matrix_of(estate(worker, tables=[table()]))
    assert [one.cells.get(0, NOTHING) for one in cells.rows] == [NO_TRUST_POLICY]


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ([statement(NEWER)], {"orders": "R?W?D?S?A?"}),
        ([statement("dynamodb:Frob*")], {"orders": "R?W?D?S?A?"}),
        ([statement([NEWER, "GetItem"])], {"orders": "RW?D?S?A?"}),
        ([statement(NEWER), deny("dynamodb:*", "*")], {}),
        ([statement(NEWER, f"{ORDERS}-archive")], {}),
        ([statement("TransactWriteItems")], {}),
        ([statement("s3:FrobnicateLedger", "*")], {}),
        ([statement("StartBulkPutItems")], {"orders": "W"}),
    ],
)
def test_a_matrix_says_that_it_cannot_tell(statements: list[Any], expected: dict[str, str]) -> None:
    """Where the statement reaches, less what is denied. Of one that AWS names already, what it does is known."""
    assert row(of(*statements, tables=[orders()])) == expected


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_the_matrix_names_it(form: str) -> None:
    """With the day that the actions are of; and nothing where all are known."""
    told = f"not among the actions known as of {ACTIONS_AS_OF}, assumed to allow everything: {NEWER}"
    world = of(statement([NEWER, "GetItem"]), statement("dynamodb:*", "*"), tables=[table()])
    assert told in RENDERERS[form]([matrix_of(world)], Sanitizer(()), 80)
    known = of(statement("GetItem"), tables=[table()])
    assert "known as of" not in RENDERERS[form]([matrix_of(known)], Sanitizer(()), 80)


def test_who_asks_is_told_no_only_where_nobody_grants_it() -> None:
    """A wildcard may cover it; a name that no statement has, nobody holds."""
    assert holder(whole(statement(NEWER))).can(NEWER, table()).truth is None
    assert holder(whole(statement("dynamodb:*", "*"))).can("FrobnicateLedger", table()).truth is None
    assert holder(whole(statement("GetItem"))).can(NEWER, table()).truth is False
    assert holder(whole(statement(NEWER), deny("Frob*", "*"))).can(NEWER, table()).truth is False


def test_a_name_is_unheard_of_or_not() -> None:
    """Operations without an action of their own are known to be none."""
    assert is_unheard(NEWER) is True
    assert [is_unheard(f"dynamodb:{name}") for name in ("GetItem", "TransactGetItems", "Get*", "")] == [False] * 4
    assert is_unheard("s3:FrobnicateLedger") is False
    assert action_named(NEWER).full_name == NEWER
