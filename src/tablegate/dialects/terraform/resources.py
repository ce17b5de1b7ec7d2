"""Resources before and after; terraform's resource."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from tablegate.dialects.reading import Faults
from tablegate.dialects.resource import ResourceRef
from tablegate.dialects.terraform.block import LATER, Block
from tablegate.dialects.terraform.configuration import NOTHING, Configuration, Tree, tree
from tablegate.dialects.terraform.references import ExpressionScope, Reference, ReferenceResolver
from tablegate.dialects.terraform.resource_changes import ResourceChange, ResourceChanges
from tablegate.dialects.terraform.schema import TABLE_TYPES, schema_of
from tablegate.dialects.terraform.source_info import SourceMap, SourceMatch
from tablegate.model.estate import ChangeKind
from tablegate.model.record import replace
from tablegate.model.table import Dialect
from tablegate.model.value import Doubt, Place, Value


def overlaid(content: object, unknown: object, marks: object, name: str = "") -> object:
    """The content, with a doubt where it is known only after apply, and a sensitive value where it is marked."""
    if unknown is True:
        return LATER
    if isinstance(content, list):
        return [
            overlaid(item, _of(unknown, number), _of(marks, number), f"{name}[{number}]")
            for number, item in enumerate(content)
        ]
    if isinstance(content, dict):
        keys = dict.fromkeys((*content, *(unknown if isinstance(unknown, dict) else ())))
        return {
            key: overlaid(content.get(key), _of(unknown, key), _of(marks, key), f"{name}.{key}" if name else key)
            for key in keys
        }
    return content if marks is not True or content is None else Value(name, content, sensitive=True)


def _of(marks: object, key: str | int) -> object:
    """What is marked below a key: all of it, where all above is marked."""
    if marks is True:
        return True
    if isinstance(key, int):
        return marks[key] if isinstance(marks, list) and key < len(marks) else None
    return marks.get(key) if isinstance(marks, dict) else None


_JUDGED = frozenset({*TABLE_TYPES, "aws_dax_cluster", "aws_dynamodb_global_table"})
_GONE = frozenset({ChangeKind.DELETE, ChangeKind.FORGET})
_FRESH = frozenset({ChangeKind.CREATE, ChangeKind.REPLACE})
# Blocks that not every provider computes: unknown and without an expression, they come from a dynamic block there.
_BLOCKS = ("replica", "global_secondary_index", "local_secondary_index", "import_table", "on_demand_throughput")
_SHOWN = 3


class Snapshot:
    """What there is at one moment, by type. Resources are made when somebody asks."""

    def __init__(
        self,
        moment: str,
        instances: ResourceChanges,
        configuration: Configuration,
        tracer: ReferenceResolver,
        faults: Faults,
        *,
        dialect: Dialect,
        source_map: SourceMap | None = None,
    ) -> None:
        self._source_map = source_map
        self.side = moment
        self.dialect = dialect
        self.file = faults.file
        self.faults = faults
        self.configuration = configuration
        self.resolver = tracer
        self._instances = instances
        self._made: dict[ResourceChange, Resource | None] = {}

    @property
    def is_after(self) -> bool:
        """Whether this is how things will be."""
        return self.side == "after"

    def of(self, *types: str) -> list[Resource]:
        """The managed resources of these types, in the plan's order."""
        found = (self.at(one) for one in self._instances.of(types) if one.mode == "managed" and one.deposed is None)
        return [one for one in found if one is not None]

    def at(self, instance: ResourceChange) -> Resource | None:
        """An instance at this moment; None when it is not there then."""
        if instance in self._made:
            return self._made[instance]
        gone = self.is_after and instance.kind in _GONE
        content = None if gone else instance.side(self.side)
        found = self._made[instance] = None if content is None else Resource(self, instance, content)
        return found

    def source_match(self, instance: ResourceChange, written: Tree | None, content: Tree) -> SourceMatch | None:
        """Where a resource of a plan was written, if its source is at hand."""
        if self._source_map is None or instance.source_resource is not None:
            return None
        return self._source_map.of(instance, written, content)

    def is_known(self, mention: Reference) -> bool:
        """Whether what an expression reads is known before the apply."""
        if mention.is_lost:
            return False
        return not any(self._is_unknown(one, mention.attribute) for one in mention.targets)

    def _is_unknown(self, instance: ResourceChange, attribute: str) -> bool:
        unknown = tree(instance.change.get("after_unknown"))
        return bool(unknown.get(attribute)) if attribute else any(value is True for value in unknown.values())


class Resource:
    """One resource at one moment."""

    def __init__(self, world: Snapshot, instance: ResourceChange, content: Tree) -> None:
        self.snapshot = world
        self.resource_change = instance
        self.address = instance.address
        self.file = world.file
        change = instance.change
        unknown = change.get("after_unknown") if world.is_after else None
        marks = instance.marks(world.side)
        written = instance.configured(world.configuration)
        self.configured: Tree = written or NOTHING
        expressions = None if written is None or not world.is_after else tree(written.get("expressions"))
        self.source_match = world.source_match(instance, written, content)
        origin = self.source_match if instance.source_resource is None else instance.source_resource.loaded
        self._lines = None if origin is None else origin.lines
        self.schema = schema_of(instance.type, content)
        # Evidence from another resource than the one that is judged says from which.
        self.prefix = "" if instance.type in _JUDGED else f"{instance.address}."
        self.block = Block(
            self, content, unknown, marks, configured=expressions, path=self.prefix, inner=False, source=self._lines
        )

    @property
    def type(self) -> str:
        """Such as ``aws_dynamodb_table``."""
        return self.resource_change.type

    @property
    def content(self) -> Tree:
        """All that is known of it."""
        return self.block.content

    def raw(self) -> object:
        """All that the plan says of it, what is unknown and what is sensitive told apart."""
        unknown = self.resource_change.change.get("after_unknown") if self.snapshot.is_after else None
        return overlaid(self.content, unknown, self.resource_change.marks(self.snapshot.side))

    @property
    def reference_place(self) -> Place:
        """Where values stand that come from this resource into another one."""
        return replace(self.place, path=self.address)

    @property
    def place(self) -> Place:
        """Where the resource itself stands: in the file at least."""
        return Place(self.file) if self._lines is None else self._lines.own_place

    @property
    def source(self) -> Place | None:
        """Where it is written; None where only a plan is at hand."""
        return None if self.resource_change.source_resource is None else self.place

    @property
    def provider(self) -> str:
        """The key of its provider's configuration."""
        return str(self.configured.get("provider_config_key", ""))

    @property
    def scope(self) -> ExpressionScope:
        """Where its expressions stand."""
        return self.snapshot.resolver.scope(self.resource_change)

    @cached_property
    def assumes_absent(self) -> bool:
        """Whether a computed block that is unknown and unwritten was left out, rather than made by a dynamic one."""
        unwritten = (key for key in _BLOCKS if self.block.is_unknown(key) and self.block.expression(key) is None)
        dynamic = not all(self.schema.is_computed(key) for key in unwritten)
        return self.resource_change.kind in _FRESH and not dynamic

    def known_text(self, key: str) -> str | None:
        """A text, where it is known and not empty."""
        content = self.block.content.get(key)
        return content if isinstance(content, str) and content else None

    def references(self, key: str) -> tuple[Reference, ...]:
        """What the expression of an argument reads."""
        return self.snapshot.resolver.trace(self.block.expression(key), self.scope)

    def why_unknown(self, expression: object, *, computed: bool) -> Doubt | None:
        """Why what is written there is not known. A computed member whose inputs all are known was given null,
        unless it was given a constant: then the provider holds it back because of something beside it."""
        doubt = tree(expression).get("doubt")
        if isinstance(doubt, Doubt):
            return doubt
        mentions = self.snapshot.resolver.trace(expression, self.scope)
        unknown = [one for one in mentions if not self.snapshot.is_known(one)]
        if computed and not unknown and tree(expression).get("constant_value") in (None, ""):
            return None
        return doubt_about(unknown)

    def refs(self, expression: object) -> tuple[ResourceRef, ...]:
        """What an expression reads that is not known: attributes of resources, or what plan JSON does not show."""
        references = self.snapshot.resolver.trace(expression, self.scope)
        return tuple(ref for reference in references for ref in self._refs(reference))

    def _refs(self, reference: Reference) -> Iterable[ResourceRef]:
        if isinstance(reference.content, str):
            return (ResourceRef(text=reference.content, certain=False),)
        doubt = None if self.snapshot.is_known(reference) else doubt_about((reference,))
        attribute, type_ = reference.attribute or None, reference.type or None
        if not reference.targets:
            return (ResourceRef(type=type_, attribute=attribute, doubt=doubt),) if type_ or doubt else ()
        one = len(reference.targets) == 1
        return (
            ResourceRef(address=target.address, type=type_, attribute=attribute, doubt=doubt, certain=one)
            for target in reference.targets
        )

    def report_shape(self, path: str, expected: str, found: str) -> None:
        """Refuse a member that has not the shape it must have."""
        self.refuse(path, f"{path.removeprefix(self.prefix)} must be {expected}, not {found}")

    def refuse(self, path: str, message: str, hint: str | None = None) -> None:
        """Refuse a member."""
        whole = f"{self.resource_change.path}.change.{self.snapshot.side}.{path.removeprefix(self.prefix)}"
        self.snapshot.faults.unreadable(f"{self.address}: {message}", self.source or whole, hint)


def doubt_about(mentions: Iterable[Reference]) -> Doubt:
    """Not known because of these."""
    found = list(mentions)
    names = tuple(dict.fromkeys(_name(one) for one in found))
    if not names:
        return LATER
    shown = ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
    if all(one.is_lost for one in found):
        return Doubt(f"known only after apply: {shown}, which a plan does not spell out", "the module's source", names)
    return Doubt(f"known only after apply: {shown}", "applying that first, or the value itself in its place", names)


def _name(mention: Reference) -> str:
    if len(mention.targets) != 1:
        return mention.reference
    path = "".join(f".{step.name}" if step.name is not None else f"[{step.key}]" for step in mention.path)
    return mention.targets[0].address + path
