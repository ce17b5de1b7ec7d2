"""The state of reading one template's policies: its resources, texts, documents and holders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tablegate.dialects.cloudformation.iam.arn_texts import ArnTexts, TablesOf
from tablegate.dialects.cloudformation.iam.document_trees import DocumentTrees
from tablegate.dialects.cloudformation.iam.documents import DocumentReader
from tablegate.dialects.cloudformation.properties import Resource, resources_of
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.values import RESOURCE, NameReference, Unresolved
from tablegate.dialects.holders import Evidence, HeldDocument, HolderAssembly, HolderDraft
from tablegate.iam.arns import Symbols
from tablegate.iam.grants import HolderForm
from tablegate.model.record import field, record
from tablegate.model.table import Table
from tablegate.model.value import Place
from tablegate.syntax.node import Node


@record(kw_only=False)
class PresentResource:
    """A resource that exists, for certain or perhaps, with its properties or a part of them."""

    resource: Resource
    section: Mapping[str, Node]
    certain: bool

    @property
    def address(self) -> str:
        """Its logical id."""
        return self.resource.address

    @property
    def type(self) -> str:
        """Its type, such as ``AWS::IAM::Role``."""
        return self.resource.type

    @property
    def place(self) -> Place:
        """Its place."""
        return self.resource.place

    @property
    def node(self) -> Node:
        """The whole of it."""
        return self.resource.node

    def part(self, section: Mapping[str, Node], *, certain: bool = True) -> PresentResource:
        """A mapping inside it."""
        return PresentResource(self.resource, section, certain and self.certain)


@record(eq=False, frozen=False)
class TemplateContext:
    """One template: its texts, trees and documents, and the holders that are made of them."""

    resolver: Resolver
    symbols: Symbols
    texts: ArnTexts
    trees: DocumentTrees
    reader: DocumentReader
    spelling: str
    tables: tuple[Table, ...]
    tables_of: TablesOf
    assembly: HolderAssembly
    _present: dict[str, tuple[PresentResource, ...]] = field(default_factory=dict)

    def resources(self, *types: str) -> Iterator[PresentResource]:
        """The resources of these types that may exist and can be read."""
        for type_ in types:
            if type_ not in self._present:
                self._present[type_] = tuple(self._readable(type_))
            yield from self._present[type_]

    def _readable(self, type_: str) -> Iterator[PresentResource]:
        return filter(None, map(self.present, resources_of(self.resolver, type_)))

    def present(self, resource: Resource) -> PresentResource | None:
        """A resource, if it may exist and can be read."""
        present = resource.present
        section = resource.properties if present is not False else None
        if section is None or section.unresolved is not None:
            return None
        return PresentResource(resource, section.members, present is True)

    def unreadable(self, *types: str) -> Iterator[tuple[Resource, Unresolved]]:
        """The resources of these types whose properties are not known."""
        for resource in resources_of(self.resolver, *types):
            unresolved = resource.properties.unresolved
            if unresolved is not None:
                yield resource, unresolved

    def make(
        self, form: HolderForm, resource: PresentResource, evidence: Evidence | None = None, key: str | None = None
    ) -> HolderDraft:
        """The holder at a resource, made if it is new."""
        return self.assembly.holder(form, resource.address, resource.place, evidence, key)

    def owner(self, form: HolderForm, resource: PresentResource, why: str, key: str | None = None) -> HolderDraft:
        """The resource as one that has a policy of its own."""
        return self.assembly.owner(form, resource.address, resource.place, why, key)

    def read(
        self, resource: PresentResource, key: str, *, within: str | None = None, sized: bool = False
    ) -> list[HeldDocument]:
        """The forms of a document in a property; none if it is absent or empty."""
        node = resource.section.get(key)
        if node is None or node.content in ("", None):
            return []
        return self.reader.read(node, resource.address, certain=resource.certain, within=within, sized=sized)

    def items(self, section: Mapping[str, Node], key: str) -> Iterable[tuple[Node | Unresolved, bool]]:
        """The items of a property, and whether each is present in every scenario."""
        node = section.get(key)
        if node is None:
            return ()
        if isinstance(node.content, str) and "{{" not in node.content:
            return ((node, True),)
        return self.trees.elements(node)

    def sections(self, resource: PresentResource, key: str) -> Iterator[PresentResource]:
        """A property that is a mapping, or a list of them."""
        for value, certain in self.items(resource.section, key):
            if isinstance(value, Node) and isinstance(value.content, dict):
                yield resource.part(value.content, certain=certain)
            elif isinstance(value, Node):
                self.resolver.wrong_shape(value, "must be a mapping")

    def text(self, section: Mapping[str, Node], key: str) -> str | None:
        """The text of a property, with symbols; of a list, that of its first item."""
        for value, _ in self.items(section, key):
            return self.texts.symbolic(value)
        return None

    def shown(self, value: Node | Unresolved) -> str:
        """A value as a reader may see it: ``${name}`` for what is not known."""
        return self.symbols.shown(self.texts.symbolic(value) or "?")

    def place(self, value: Node | Unresolved) -> Place:
        """The place of a value."""
        return self.resolver.place(value.node if isinstance(value, Unresolved) else value)

    def reference(self, value: Node | Unresolved) -> NameReference | None:
        """The resource of this template that a value refers to; None if the value is anything else."""
        symbol = value.reference if isinstance(value, Unresolved) else None
        return symbol if symbol is not None and symbol.kind == RESOURCE else None
