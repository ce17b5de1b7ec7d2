"""Records: final fields, and the interface of a dataclass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace

import pytest

from tablegate.model.record import field, field_names, is_compared, record, wire


@record()
class Leaf:
    """A record that is given by names."""

    name: str
    tags: Mapping[str, str] = field(default_factory=dict)
    owner: Tree = field(init=False, repr=False)


@record(eq=False, kw_only=False)
class Tree:
    """A record that is equal to itself alone, and leads to what leads back."""

    leaves: tuple[Leaf, ...] = ()

    def __post_init__(self) -> None:
        for leaf in self.leaves:
            wire(leaf, "owner", self)


@record(eq=False, frozen=False)
class Gathered:
    """A record that is still being made."""

    names: list[str] = field(default_factory=list)
    whole: bool = False


@record(kw_only=False)
class Noted:
    """A record that is compared in part."""

    name: str
    note: str = field(default="", compare=False)


def test_a_field_is_final() -> None:
    """What a policy of a stranger would change stays as it is."""
    leaf = Leaf(name="a")
    for name in ("name", "owner", "anything"):
        with pytest.raises(AttributeError):
            setattr(leaf, name, "b")
    assert leaf.name == "a"


def test_a_record_is_a_dataclass() -> None:
    """`fields` and `replace` of dataclasses know it."""
    assert is_dataclass(Leaf)
    assert [each.name for each in fields(Leaf)] == ["name", "tags", "owner"]
    assert [each.repr for each in fields(Leaf)] == [True, True, False]
    assert replace(Leaf(name="a", tags={"x": "y"}), name="b") == Leaf(name="b", tags={"x": "y"})


def test_what_is_still_being_made_changes() -> None:
    """Each gathers into lists of its own, and is equal to itself alone."""
    one, other = Gathered(), Gathered()
    one.names.append("a")
    one.whole = True
    assert (one.names, one.whole, other.names, other.whole) == (["a"], True, [], False)
    assert len({one, other}) == 2


def test_a_record_tells_what_it_is_given() -> None:
    """What is wired afterwards is no part of it."""
    assert field_names(Leaf) == ("name", "tags")


def test_records_are_given_by_names_unless_they_say_otherwise() -> None:
    """A record of forty fields is not given by their order."""
    with pytest.raises(TypeError):
        Leaf("a")  # type: ignore[misc]
    assert Noted("a") == Noted(name="a")


def test_what_leads_back_is_wired() -> None:
    """It is there once the owner is, is no part of what is compared, and is not shown."""
    leaf = Leaf(name="a")
    assert not hasattr(leaf, "owner")
    tree = Tree((leaf,))
    assert leaf.owner is tree
    assert leaf == Leaf(name="a")
    assert repr(leaf) == "Leaf(name='a', tags={})"


def test_records_compare_by_fields_by_some_or_by_themselves() -> None:
    """As each of them says; what is equal has one hash."""
    assert (is_compared(Leaf), is_compared(Noted), is_compared(Tree)) == (True, True, False)
    assert Noted("a", "x") == Noted("a", "y")
    assert hash(Noted("a", "x")) == hash(Noted("a", "y"))
    assert Noted("a") != Noted("b")
    assert Noted("a") != "a"
    assert Tree() != Tree()
