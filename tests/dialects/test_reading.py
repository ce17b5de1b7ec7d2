"""Faults of one input, and the reading of an input that cannot be read."""

from __future__ import annotations

import pytest

from tablegate.dialects.reading import Faults, unreadable
from tablegate.findings import FaultCode
from tablegate.model.value import Place
from tablegate.syntax.node import Node, ParseError


def test_faults_by_path() -> None:
    """Each fault once, in the order of places."""
    faults = Faults("plan.json")
    faults.unreadable("wrong", "b")
    faults.unreadable("wrong", "b")
    faults.duplicate_key("twice", "a")
    faults.incomplete("partial")
    assert [(fault.message, fault.place, fault.blocks) for fault in faults.all()] == [
        ("partial", Place("plan.json"), False),
        ("twice", Place("plan.json", path="a"), True),
        ("wrong", Place("plan.json", path="b"), True),
    ]


def test_faults_at_a_place() -> None:
    """A place of another file stays as it is."""
    faults = Faults("plan.json")
    faults.incomplete("not read", Place("main.tf", 3), "give it", blocks=True)
    (fault,) = faults.all()
    assert (fault.code, fault.place, fault.hint) == (FaultCode.INCOMPLETE, Place("main.tf", 3), "give it")


def test_faults_of_a_tree() -> None:
    """A fault has the path to its node, or to the node of its expression; the first of one place counts."""
    inner, item = Node("text", 3, 5), Node("a", 4, 7)
    faults = Faults("t.yaml", Node({"Resources": Node({"T": inner, "L": Node([item], 4, 5)}, 2, 3)}, 1, 1))
    faults.unreadable("is wrong", inner)
    faults.unreadable("is wrong, in other words", inner)
    faults.unreadable("is computed", Node("made", 4, 7))
    assert [(fault.message, fault.place.path) for fault in faults.all()] == [
        ("Resources/T: is wrong", "Resources/T"),
        ("Resources/L/0: is computed", "Resources/L/0"),
    ]


def test_no_faults() -> None:
    """A tree without faults has none."""
    assert Faults("t.yaml", Node({}, 1, 1)).all() == ()


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ParseError("broken"), FaultCode.UNREADABLE),
        (ParseError("twice", duplicate=True), FaultCode.DUPLICATE_KEY),
        (ParseError("cut off", incomplete=True), FaultCode.INCOMPLETE),
    ],
)
def test_unreadable_input(error: ParseError, code: FaultCode) -> None:
    """An input that cannot be parsed has a fault and no estate."""
    reading = unreadable(error, "a.json")
    assert (reading.estate, reading.faults[0].code, reading.faults[0].blocks) == (None, code, True)
