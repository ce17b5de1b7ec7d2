"""The resources of a plan, before and after it: what is known of each, and why something is not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from tablegate.dialects.reading import Faults
from tablegate.dialects.terraform.block import LATER, Block, ResourceRef
from tablegate.dialects.terraform.configuration import NOTHING, Configuration, Tree, tree
from tablegate.dialects.terraform.references import MAX_NAMES, ExpressionScope, Reference, ReferenceResolver
from tablegate.dialects.terraform.regions import Regions
from tablegate.dialects.terraform.resource_changes import ResourceChange, ResourceChanges
from tablegate.dialects.terraform.schema import TABLE_TYPES, schema_of
from tablegate.dialects.terraform.source_info import Condition, SourceMap, SourceMatch
from tablegate.model.estate import ChangeKind
from tablegate.model.record import replace
from tablegate.model.table import Dialect
from tablegate.model.value import Doubt, Place, Value

_JUDGED = frozenset({*TABLE_TYPES, "aws_dax_cluster", "aws_dynamodb_global_table"})
_GONE = frozenset({ChangeKind.DELETE, ChangeKind.FORGET})
_DELETES = frozenset({ChangeKind.DELETE, ChangeKind.REPLACE})
_FRESH = frozenset({ChangeKind.CREATE, ChangeKind.REPLACE})
# Not every version of the provider computes these. If not computed, unknown without an expression is a dynamic block.
_BLOCKS = ("replica", "global_secondary_index", "local_secondary_index", "import_table", "on_demand_throughput")


class Snapshot:
    """The resources before or after the plan, by type. A resource is read when it is first asked for."""

    def __init__(
        self,
        side: str,
        changes: ResourceChanges,
        configuration: Configuration,
        resolver: ReferenceResolver,
        *,
        regions: Regions,
        faults: Faults,
        dialect: Dialect,
        source_map: SourceMap | None = None,
    ) -> None:
        self.side = side
        self.dialect = dialect
        self.file = faults.file
        self.faults = faults
        self.configuration = configuration
        self.resolver = resolver
        self.regions = regions
        self._source_map = source_map
        self._changes = changes
        self._resources: dict[ResourceChange, Resource | None] = {}

    @property
    def lacks_source(self) -> bool:
        """Whether this is a plan that was given without its source."""
        return self.dialect is Dialect.TERRAFORM_PLAN and self._source_map is None

    @property
    def is_after(self) -> bool:
        """Whether this is how the plan leaves things."""
        return self.side == "after"

    @property
    def has_source(self) -> bool:
        """Whether the source of the plan is at hand, at least that of its root module."""
        return self._source_map is not None

    def of(self, *types: str) -> list[Resource]:
        """The managed resources of these types, in the plan's order."""
        changes = (one for one in self._changes.of(types) if one.mode == "managed" and one.deposed is None)
        return [resource for change in changes if (resource := self.at(change)) is not None]

    def deleted(self, type_: str) -> list[Resource]:
        """The objects of a type that the change deletes, also to replace them, as they were."""
        managed = (one for one in self._changes.of((type_,)) if one.mode == "managed")
        deletes = (one for one in managed if one.kind in _DELETES and not one.keeps)
        contents = ((one, one.side("before")) for one in deletes if self.is_after)
        return [Resource(self, change, content) for change, content in contents if content is not None]

    def at(self, change: ResourceChange) -> Resource | None:
        """The resource of a change; None if it does not exist on this side."""
        if change not in self._resources:
            is_gone = self.is_after and change.kind in _GONE
            content = None if is_gone else change.side(self.side)
            self._resources[change] = None if content is None else Resource(self, change, content)
        return self._resources[change]

    def source_match(self, change: ResourceChange, configured: Tree | None, content: Tree) -> SourceMatch | None:
        """The source of a resource of a plan, if it is at hand."""
        if self._source_map is None or change.source_resource is not None:
            return None
        return self._source_map.of(change, configured, content)

    def is_known(self, reference: Reference) -> bool:
        """Whether what an expression reads is known before the apply."""
        if reference.is_lost:
            return False
        return not any(_is_unknown(target, reference.attribute) for target in reference.targets)


def _is_unknown(change: ResourceChange, attribute: str) -> bool:
    unknown = tree(change.change.get("after_unknown"))
    return bool(unknown.get(attribute)) if attribute else any(value is True for value in unknown.values())


class Resource:
    """One resource of a snapshot."""

    def __init__(self, snapshot: Snapshot, resource_change: ResourceChange, content: Tree) -> None:
        self.snapshot = snapshot
        self.resource_change = resource_change
        self.address = resource_change.address
        self.file = snapshot.file
        self.schema = schema_of(resource_change.type, content)
        # Evidence from a resource that is not judged itself shows which one it is from.
        self.prefix = "" if resource_change.type in _JUDGED else f"{resource_change.address}."
        configured = resource_change.configured(snapshot.configuration)
        self.configured: Tree = configured or NOTHING
        self.source_match = snapshot.source_match(resource_change, configured, content)
        source = resource_change.source_resource
        origin = self.source_match if source is None else source.loaded
        self._lines = None if origin is None else origin.lines
        self._unknown = resource_change.change.get("after_unknown") if snapshot.is_after else None
        self._marks = resource_change.marks(snapshot.side)
        self.block = Block(
            self,
            content,
            self._unknown,
            self._marks,
            configured=None if configured is None or not snapshot.is_after else tree(configured.get("expressions")),
            path=self.prefix,
            inner=False,
            source=self._lines,
        )

    @property
    def type(self) -> str:
        """Such as ``aws_dynamodb_table``."""
        return self.resource_change.type

    @property
    def region(self) -> Value[str]:
        """The region that the resource is in."""
        return self.snapshot.regions.region(self)

    @property
    def conditions(self) -> Sequence[Condition]:
        """What decides whether it exists, and is not known. A plan knows."""
        source = self.resource_change.source_resource
        return () if source is None else source.conditions

    @property
    def owner(self) -> str:
        """The key of its provider's configuration."""
        return self.snapshot.regions.owner(self.configured)

    @property
    def place(self) -> Place:
        """The place of the resource: at least the file."""
        return Place(self.file) if self._lines is None else self._lines.own_place

    @property
    def content(self) -> Tree:
        """The members that are known."""
        return self.block.content

    def raw(self) -> object:
        """The members as the plan has them, with doubts for what is unknown."""
        return overlaid(self.content, self._unknown, self._marks)

    @property
    def reference_place(self) -> Place:
        """The place of values that another resource has from this one."""
        return replace(self.place, path=self.address)

    @property
    def source(self) -> Place | None:
        """Its place in source; None if it is read from a plan."""
        return None if self.resource_change.source_resource is None else self.place

    @property
    def scope(self) -> ExpressionScope:
        """The scope of its expressions."""
        return self.snapshot.resolver.scope(self.resource_change)

    @cached_property
    def assumes_absent(self) -> bool:
        """Whether a computed block that is unknown and not written is absent, and not made by a dynamic block."""
        unwritten = (key for key in _BLOCKS if self.block.is_unknown(key) and self.block.expression(key) is None)
        dynamic = not all(self.schema.is_computed(key) for key in unwritten)
        return self.resource_change.kind in _FRESH and not dynamic

    def known_text(self, key: str) -> str | None:
        """A text; None if it is not known, absent or empty."""
        content = self.block.content.get(key)
        return content if isinstance(content, str) and content else None

    def references(self, key: str) -> tuple[Reference, ...]:
        """What the expression of an argument reads."""
        return self._references(self.block.expression(key))

    def why_unknown(self, expression: object, *, computed: bool) -> Doubt | None:
        """Why a member with this expression is not known; None if it is left to the provider.

        A computed member is left to the provider if all that its expression reads is known: then it comes to null.
        A constant is not: the provider withholds it because of an argument beside it.
        """
        doubt = tree(expression).get("doubt")
        if isinstance(doubt, Doubt):
            return doubt
        unknown = [one for one in self._references(expression) if not self.snapshot.is_known(one)]
        if computed and not unknown and tree(expression).get("constant_value") in (None, ""):
            return None
        return doubt_about(unknown)

    def refs(self, expression: object) -> tuple[ResourceRef, ...]:
        """What an expression reads: texts, attributes of resources, or what plan JSON does not show."""
        return tuple(ref for reference in self._references(expression) for ref in self._refs(reference))

    def report_shape(self, path: str, expected: str, actual: str) -> None:
        """Report a member that has not the shape it must have."""
        self.refuse(path, f"{path.removeprefix(self.prefix)} must be {expected}, not {actual}")

    def refuse(self, path: str, message: str, hint: str | None = None, *, at: Place | None = None) -> None:
        """Report a member that cannot be read, at its place in source if that is known."""
        whole = f"{self.resource_change.path}.change.{self.snapshot.side}.{path.removeprefix(self.prefix)}"
        self.snapshot.faults.unreadable(f"{self.address}: {message}", at or self.source or whole, hint)

    def _references(self, expression: object) -> tuple[Reference, ...]:
        return self.snapshot.resolver.trace(expression, self.scope)

    def _refs(self, reference: Reference) -> Iterable[ResourceRef]:
        if isinstance(reference.content, str):
            return (ResourceRef(text=reference.content),)
        doubt = None if self.snapshot.is_known(reference) else doubt_about((reference,))
        attribute, type_ = reference.attribute or None, reference.type or None
        if not reference.targets:
            return (ResourceRef(type=type_, attribute=attribute, doubt=doubt),) if type_ or doubt else ()
        return (
            ResourceRef(address=target.address, type=type_, attribute=attribute, doubt=doubt)
            for target in reference.targets
        )


def doubt_about(references: Iterable[Reference]) -> Doubt:
    """The doubt of a value that reads these references."""
    references = tuple(references)
    names = tuple(dict.fromkeys(map(_name, references)))
    if not names:
        return LATER
    shown = ", ".join(names[:MAX_NAMES]) + (f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else "")
    if all(one.is_lost for one in references):
        return Doubt(
            f"known only after apply: {shown}, which is not in the plan",
            "check the plan with the module's source",
            names,
        )
    return Doubt(f"known only after apply: {shown}", "apply that first, or write the value itself", names)


def _name(reference: Reference) -> str:
    if len(reference.targets) != 1:
        return reference.reference
    path = "".join(f".{step.name}" if step.name is not None else f"[{step.key}]" for step in reference.path)
    return reference.targets[0].address + path


def overlaid(content: object, unknown: object, marks: object, name: str = "") -> object:
    """The content, with a doubt for what is known only after apply, and a sensitive value for what is marked so."""
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
    """The marks of a member: all of it if all around it is marked."""
    if marks is True:
        return True
    if isinstance(key, int):
        return marks[key] if isinstance(marks, list) and key < len(marks) else None
    return marks.get(key) if isinstance(marks, dict) else None
