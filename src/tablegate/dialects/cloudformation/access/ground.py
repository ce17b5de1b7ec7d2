"""What every reader of a template's documents works with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tablegate.access.grants import HolderForm, HolderKind
from tablegate.access.symbols import Symbols
from tablegate.dialects.cloudformation.access.drafts import Draft
from tablegate.dialects.cloudformation.access.pieces import Documents
from tablegate.dialects.cloudformation.access.texts import Texts
from tablegate.dialects.cloudformation.access.trees import Trees
from tablegate.dialects.cloudformation.fields import exists, properties
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.template import Resource
from tablegate.dialects.cloudformation.unsettled import RESOURCE, Section, Symbol, Unsettled
from tablegate.model.table import Table
from tablegate.syntax.node import Node


@dataclass(frozen=True, slots=True)
class There:
    """A resource that is there, for certain or perhaps, with its properties."""

    resource: Resource
    section: Mapping[str, Node]
    sure: bool

    @property
    def address(self) -> str:
        """Its logical id."""
        return self.resource.address


@dataclass(slots=True, kw_only=True)
class Ground:
    """One template's texts, trees, documents, and the holders that are being made of them."""

    resolver: Resolver
    symbols: Symbols
    texts: Texts
    trees: Trees
    documents: Documents
    spelling: str
    tables: tuple[Table, ...]
    drafts: dict[tuple[HolderForm, str], Draft] = field(default_factory=dict)

    def resources(self, *types: str) -> Iterator[There]:
        """The resources of these types that may be there. Of those that cannot be read, a document is not known."""
        for resource in self.resolver.template.of(*types):
            there = exists(self.resolver, resource)
            if there is False:
                continue
            section = properties(self.resolver, resource)
            if isinstance(section, Unsettled):
                self._unread(resource, section)
            else:
                yield There(resource, section, sure=there is True)

    def draft(self, form: HolderForm, resource: Resource, kind: HolderKind, why: str, key: str | None = None) -> Draft:
        """The holder at a resource, begun where it is new."""
        identity = form, key or resource.address
        if identity not in self.drafts:
            place = self.resolver.place(resource.node)
            self.drafts[identity] = Draft(address=resource.address, place=place, form=form, evidence=[(kind, why)])
        return self.drafts[identity]

    def items(self, section: Mapping[str, Node], key: str) -> Iterable[tuple[Node | Unsettled, bool]]:
        """The items of a property, and whether each is there in every scenario."""
        return self.trees.elements(section[key]) if key in section else ()

    def sections(self, section: Mapping[str, Node], key: str) -> Iterator[tuple[Mapping[str, Node], bool]]:
        """A property that is a mapping, or a list of them."""
        for value, sure in self.items(section, key):
            if isinstance(value, Node) and isinstance(value.content, dict):
                yield value.content, sure
            elif isinstance(value, Node):
                self.resolver.misfit(value, "a mapping is needed")

    def reference(self, value: Node | Unsettled) -> Symbol | None:
        """The resource of this template that a value names, where it is nothing else."""
        symbol = value.symbol if isinstance(value, Unsettled) else None
        return symbol if symbol is not None and symbol.sort == RESOURCE else None

    def _unread(self, resource: Resource, section: Section) -> None:
        if not isinstance(section, Unsettled):
            return
        draft = self.draft(HolderForm.UNATTACHED, resource, HolderKind.UNKNOWN, section.doubt.reason)
        mentions = self.documents.mentions(resource.node)
        for unread in self.documents.unknown(section.doubt, resource.node, mentions=mentions).unread(resource.address):
            draft.unread.append(unread)
