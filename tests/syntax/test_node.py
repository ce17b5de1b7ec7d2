"""Nodes, and what they tell of themselves."""

from __future__ import annotations

from tablegate.model.value import Place
from tablegate.syntax.node import Node


def test_a_node_knows_its_place() -> None:
    """A place names the file that the node itself does not know."""
    assert Place("a.yaml", 2, 3, 5, "x.y") == Node("b", 2, 3, 5).place("a.yaml", "x.y")


def test_plain_content_has_no_places() -> None:
    """Mappings and sequences come out as dictionaries and lists, also those that cannot be changed."""
    assert {"a": [1, None]} == Node({"a": Node((Node(1, 1, 1), Node(None, 1, 2)), 1, 1)}, 1, 1).plain()
