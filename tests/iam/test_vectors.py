"""The policies on whole documents: the same in every dress."""

from __future__ import annotations

from typing import Any

import pytest

from support import access as building
from support import document_forms as dresses

VECTORS = dresses.vectors()


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_a_document_gives_what_is_expected_of_it(vector: dict[str, Any]) -> None:
    """Each document gives exactly its findings, at their severities."""
    world = building.estate(building.holder(vector["document"]))
    assert building.told(world) == vector["expected"]
    assert sorted(building.noted(world)) == vector["info"]


@pytest.mark.parametrize("dress", dresses.DRESSES)
@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_a_document_gives_the_same_in_every_dress(vector: dict[str, Any], dress: str) -> None:
    """Whether it stands in a plan, is composed by one, or stands in a template: a document is what it says."""
    world = dresses.DRESSES[dress](vector["document"])
    assert building.told(world) == vector["expected"]
    assert sorted(building.noted(world)) == vector["info"]


def test_a_document_that_a_plan_does_not_show_is_said_to_be_unread() -> None:
    """Of a document inside a function nothing is known but that it refers to a table: that is all that is said."""
    found = building.findings(dresses.unknown())
    assert [(item.policy.id, str(item.outcome), item.address) for item in found] == [
        ("TG541", "unknown", "aws_iam_role_policy.unknown")
    ]
