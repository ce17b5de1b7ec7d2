"""Where a resource was written, for those whose source is at hand: a place for every argument."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from tablegate.model.record import record
from tablegate.model.value import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.dialects.terraform.references import Rest
    from tablegate.dialects.terraform.resource_changes import ResourceChange
    from tablegate.findings import Fault
    from tablegate.syntax.hcl.nodes import Attribute, Block


Tree = Mapping[str, object]


class DocumentPlaces(Protocol):
    """Where the parts of a policy document stand."""

    @property
    def count(self) -> int:
        """How many statements it has."""

    def __call__(self, path: Sequence[str | int]) -> Place | None:
        """The place of a part; of what is around it, where it has none of its own."""


class BlockLines:
    """The arguments of one block, and the blocks in it, in their order."""

    __slots__ = ("_attributes", "_block", "_children")

    def __init__(
        self, attributes: Mapping[str, Attribute], children: Mapping[str, Sequence[BlockLines]], block: Block
    ) -> None:
        self._attributes = attributes
        self._children = children
        self._block = block

    @property
    def own_place(self) -> Place:
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
        return children[0].own_place if children else self.own_place

    def inner(self, key: str) -> BlockLines:
        """The members of an object that is an argument, or of the only block of its name."""
        children = self._children.get(key)
        return children[0] if children else ArgumentLines(self.place(key), self._block)

    def child(self, key: str, number: int, item: Tree) -> BlockLines | None:  # noqa: ARG002 - they are in its order
        """One of the blocks in it: that which became this item."""
        children = self._children.get(key, ())
        return children[number] if number < len(children) else None

    def dynamic(self, key: str) -> Sequence[object] | None:  # noqa: ARG002 - what it makes is in its content
        """What the dynamic blocks of this name repeat over; None where that is not to be told."""
        return None

    def source_value(self, key: str) -> object:  # noqa: ARG002 - what is known of it is in its expression
        """What an argument comes to that a plan knows nothing of; None where nothing more is to be told."""
        return None

    def document_places(self, key: str) -> DocumentPlaces | None:  # noqa: ARG002 - the argument stands for them
        """Where the parts of an argument stand that is a policy document; None where it stands for them."""
        return None


class ArgumentLines(BlockLines):
    """What stands in an argument."""

    __slots__ = ("_place",)

    def __init__(self, place: Place, block: Block) -> None:
        super().__init__({}, {}, block)
        self._place = place

    @property
    def own_place(self) -> Place:
        return self._place

    def inner(self, key: str) -> BlockLines:  # noqa: ARG002 - wherever in it
        return self


@record(kw_only=False)
class SourceResource:
    """What source tells of a resource: the change that a plan of it would hold, and how it was written."""

    change: Tree
    expressions: Tree
    lines: BlockLines
    provider: str
    prevent_destroy: Attribute | None  # prevent_destroy
    doubts: int  # values that are written and not known


class LazySourceResource:
    """A resource in source, worked out when somebody asks for it."""

    __slots__ = ("_make", "_told")

    def __init__(self, make: Callable[[], SourceResource]) -> None:
        self._make = make
        self._told: SourceResource | None = None

    @property
    def loaded(self) -> SourceResource:
        """All that source tells of it."""
        if self._told is None:
            self._told = self._make()
        return self._told


@record(kw_only=False)
class SourceMatch:
    """Where a resource of a plan was written. It is ``sure`` where both say the same of every argument."""

    lines: BlockLines
    prevent_destroy: Attribute | None
    certain: bool


class SourceMap(Protocol):
    """The source that a plan was made of."""

    @property
    def faults(self) -> Sequence[Fault]:
        """What of it could not be read."""

    def of(self, instance: ResourceChange, configured: Tree | None, content: Tree) -> SourceMatch | None:
        """Where a resource was written, with this content after the plan."""

    def local(self, module: str, name: str, rest: Rest) -> tuple[object, Rest] | None:
        """What a local reads, as the configuration of a plan says it, and what is still to be taken of that."""
