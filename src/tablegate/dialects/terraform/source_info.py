"""The source of a resource: a place for each of its arguments. Implemented by the readers of source."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from tablegate.model.record import record
from tablegate.model.value import Doubt, Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.dialects.terraform.callers import CallLines
    from tablegate.dialects.terraform.references import Rest
    from tablegate.dialects.terraform.resource_changes import ResourceChange
    from tablegate.findings import Fault
    from tablegate.syntax.hcl.nodes import Attribute, Block, Expression


Tree = Mapping[str, object]


class DocumentPlaces(Protocol):
    """The places of the parts of a policy document."""

    @property
    def count(self) -> int:
        """The number of its statements."""

    def __call__(self, path: Sequence[str | int]) -> Place | None:
        """The place of a part, or of the part around it."""


class BlockLines:
    """The lines of one block: of its arguments, and of the blocks in it in their order."""

    __slots__ = ("_attributes", "_block", "_children")

    def __init__(
        self, attributes: Mapping[str, Attribute], children: Mapping[str, Sequence[BlockLines]], block: Block
    ) -> None:
        self._attributes = attributes
        self._children = children
        self._block = block

    @property
    def own_place(self) -> Place:
        """The place of the block."""
        return self._block.place

    def place(self, key: str) -> Place:
        """The place of a member, or of the block if it is not written."""
        attribute = self._attributes.get(key)
        if attribute is None and key == "tags_all":
            attribute = self._attributes.get("tags")  # the provider makes it from tags
        if attribute is not None:
            return attribute.place
        children = self._children.get(key)
        return children[0].own_place if children else self.own_place

    def inner(self, key: str) -> BlockLines:
        """The lines of an object in an argument, or of the only block of its name."""
        children = self._children.get(key)
        return children[0] if children else ArgumentLines(self.place(key), self._block)

    def child(self, key: str, number: int, item: Tree) -> BlockLines | None:  # noqa: ARG002 - they are in its order
        """The lines of the block that made this item."""
        children = self._children.get(key, ())
        return children[number] if number < len(children) else None

    def dynamic(self, key: str) -> Sequence[object] | None:  # noqa: ARG002 - what it makes is in its content
        """What the dynamic blocks of this name repeat over; None if that is not known."""
        return None

    def configured(self) -> Tree | None:
        """The expressions of this block, where a plan does not list them; None if source does not tell either."""
        return None

    def source_value(self, key: str) -> object:  # noqa: ARG002 - what is known of it is in its expression
        """The value of an argument that a plan does not know; None if source does not know it either."""
        return None

    def document_places(self, key: str) -> DocumentPlaces | None:  # noqa: ARG002 - the argument is their place
        """The places in an argument that is a policy document; None if the argument is the place of all."""
        return None


class ArgumentLines(BlockLines):
    """The lines of what is in an argument: all at one place."""

    __slots__ = ("_place",)

    def __init__(self, place: Place, block: Block) -> None:
        super().__init__({}, {}, block)
        self._place = place

    @property
    def own_place(self) -> Place:
        return self._place

    def inner(self, key: str) -> BlockLines:  # noqa: ARG002 - all of it is at one place
        return self


class Lifecycle(NamedTuple):
    """The arguments of a lifecycle that keep a resource: ``prevent_destroy``, and ``destroy`` if it is false."""

    prevent_destroy: Attribute | None = None
    destroy: Attribute | None = None


@record(kw_only=False)
class SourceResource:
    """A resource as source has it: the change that a plan of it would have, and how it is written."""

    change: Tree
    expressions: Tree
    lines: BlockLines
    provider: str
    lifecycle: Lifecycle
    doubts: int  # the number of values that are written and not known


class Condition(NamedTuple):
    """An expression of a module that decides whether resources exist, and why it is not known."""

    module: str
    expression: Expression
    doubt: Doubt


class LazySourceResource:
    """A resource in source that is evaluated when it is first asked for. It exists if its ``conditions`` hold."""

    __slots__ = ("_load", "_loaded", "conditions")

    def __init__(self, load: Callable[[], SourceResource], conditions: tuple[Condition, ...] = ()) -> None:
        self.conditions = conditions
        self._load = load
        self._loaded: SourceResource | None = None

    @property
    def loaded(self) -> SourceResource:
        """The resource."""
        if self._loaded is None:
            self._loaded = self._load()
        return self._loaded


@record(kw_only=False)
class SourceMatch:
    """The source of a resource of a plan. ``certain`` if both agree on every argument."""

    lines: BlockLines
    lifecycle: Lifecycle
    certain: bool


class SourceMap(Protocol):
    """The source that a plan was made from."""

    @property
    def faults(self) -> Sequence[Fault]:
        """The faults of its files."""

    @property
    def calls(self) -> CallLines:
        """Where its module calls are written."""

    def of(self, change: ResourceChange, configured: Tree | None, content: Tree) -> SourceMatch | None:
        """The source of a resource with this content after the plan."""

    def local(self, module: str, name: str, path: Rest) -> tuple[object, Rest] | None:
        """The expression of a part of a local, in the form of plan JSON, and the path that is left in it."""
