"""Where a resource was written, for those whose source is at hand: a place for every argument."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from tablegate.model.value import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.syntax.hcl_nodes import Attribute, Block

Tree = Mapping[str, object]


class Written:
    """The arguments of one block, and the blocks in it, in their order."""

    __slots__ = ("_attributes", "_block", "_children")

    def __init__(
        self, attributes: Mapping[str, Attribute], children: Mapping[str, Sequence[Written]], block: Block
    ) -> None:
        self._attributes = attributes
        self._children = children
        self._block = block

    @property
    def here(self) -> Place:
        """Where the block stands."""
        return self._block.place

    def place(self, key: str) -> Place:
        """Where a member is written; the block where it is not."""
        attribute = self._attributes.get(key)
        if attribute is None and key == "tags_all":
            attribute = self._attributes.get("tags")  # the provider makes the one of the other
        if attribute is not None:
            return attribute.place
        children = self._children.get(key)
        return children[0].here if children else self.here

    def of(self, key: str) -> Written:
        """The members of an object that is an argument: they all stand where it does."""
        return _Within(self.place(key), self._block)

    def child(self, key: str, number: int) -> Written | None:
        """One of the blocks in it."""
        children = self._children.get(key, ())
        return children[number] if number < len(children) else None


class _Within(Written):
    """What stands in an argument."""

    __slots__ = ("_place",)

    def __init__(self, place: Place, block: Block) -> None:
        super().__init__({}, {}, block)
        self._place = place

    @property
    def here(self) -> Place:
        return self._place

    def of(self, key: str) -> Written:  # noqa: ARG002 - wherever in it
        return self


class Told(NamedTuple):
    """What source tells of a resource: the change that a plan of it would hold, and how it was written."""

    change: Tree
    expressions: Tree
    written: Written
    provider: str
    kept: Attribute | None  # prevent_destroy
    doubts: int  # values that are written and not known


class Origin:
    """A resource in source, worked out when somebody asks for it."""

    __slots__ = ("_make", "_told")

    def __init__(self, make: Callable[[], Told]) -> None:
        self._make = make
        self._told: Told | None = None

    @property
    def told(self) -> Told:
        """All that source tells of it."""
        if self._told is None:
            self._told = self._make()
        return self._told
