"""Blocks of a plan's resources, each with the block that it was written as."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from tablegate.dialects.source_map.causes import Causes, Site, Spot
from tablegate.dialects.source_map.documents import inside_of
from tablegate.dialects.source_map.expressions import expression_of
from tablegate.dialects.source_map.reading import contradicts
from tablegate.dialects.terraform_plan.configuration import Tree, tree
from tablegate.dialects.terraform_plan.origins import Inside as InDocument
from tablegate.dialects.terraform_plan.origins import Within, Written
from tablegate.dialects.terraform_source.definitions import inner_type
from tablegate.model.value import Place
from tablegate.syntax.hcl_nodes import Attribute, Block, Body, Expression, Literal, Name, Object

# What the provider makes of another argument.
_MADE_OF = {"tags_all": "tags"}
# Blocks that keep the order in which they are written.
_ORDERED = frozenset({"statement", "key_schema"})


class _Candidate(NamedTuple):
    """A block that an item may have been written as: a dynamic one stands for each that it makes."""

    block: Block
    body: Body
    site: Site
    name: str = ""  # of what a dynamic block repeats over


class Mapped(Written):
    """One block of a plan, and where it was written."""

    __slots__ = ("_causes", "_content", "_mapped", "_site", "_sure", "_value")

    def __init__(
        self,
        block: Block,
        body: Body,
        content: Tree,
        site: Site,
        causes: Causes,
        *,
        sure: bool,
        value: Callable[[Expression], object],
    ) -> None:
        super().__init__(body.attributes, {}, block)
        self._mapped = body
        self._content = content
        self._site = site
        self._causes = causes
        self._sure = sure
        self._value = value

    def place(self, key: str) -> Place:
        """Where a member is written: the block, where it is not, or where something else stands there."""
        spot, content = self._spot(key), self._content.get(key)
        if spot is not None:
            return self.here if contradicts(spot.node, content) else self._causes.place(spot, content)
        blocks = [one for one in self._mapped.blocks if inner_type(one) == key]
        return blocks[0].place if blocks else self.here

    def of(self, key: str) -> Written:
        """The members of an object that is an argument."""
        spot = self._spot(key)
        if spot is None:
            return super().of(key)
        return Inside(spot, self._content.get(key), self._causes, self._block)

    def child(self, key: str, number: int, item: Tree) -> Written | None:
        """The block that became this item; where several may have, all that is known is the block around them."""
        candidates = list(self._candidates(key))
        if not candidates:
            spot = self._spot(key)
            if spot is None:
                return Within(self.here, self._block)
            return Inside(spot, self._content.get(key), self._causes, self._block).item(number, item)
        whole = self._content.get(key) if key in _ORDERED else None
        found = _chosen(candidates, item, number, len(whole) if isinstance(whole, list) else 0)
        if found is None:
            return Within(self.here, self._block)
        return Mapped(found.block, found.body, item, found.site, self._causes, sure=self._sure, value=self._value)

    def dynamic(self, key: str) -> Sequence[object] | None:
        """What the dynamic blocks of this name repeat over; None where the source may be another one."""
        if not self._sure:
            return None
        each = [one.site.iterators[one.name] for one in self._candidates(key) if one.name]
        # Constants make blocks or make none, and in a plan both are seen.
        read = [expression_of(one.value) for one in each]
        found = [one for one in read if "constant_value" not in one]
        return found if all(found) else None

    def given(self, key: str) -> object:
        """What an argument comes to, where source and plan are known to agree how it is written."""
        attribute = self._attributes.get(key) if self._sure and not self._site.iterators else None
        return None if attribute is None else self._value(attribute.value)

    def inside(self, key: str) -> InDocument | None:
        """Where the parts of an argument stand that is a policy document."""
        spot = self._spot(key)
        return None if spot is None else inside_of(spot, self._causes)

    def _spot(self, key: str) -> Spot | None:
        attribute = self._attributes.get(key) or self._attributes.get(_MADE_OF.get(key, ""))
        return None if attribute is None else Spot(attribute, attribute.value, self._site)

    def _candidates(self, key: str) -> Iterator[_Candidate]:
        for block in self._mapped.blocks:
            if inner_type(block) != key:
                continue
            if block.type != "dynamic":
                yield _Candidate(block, self._site.module.folders.body(block), self._site)
                continue
            body = self._site.module.folders.body(block)
            each = body.attributes.get("for_each")
            for content in body.blocks:
                if content.type == "content" and each is not None:
                    name = _iterator(block, body)
                    site = self._site._replace(iterators={**self._site.iterators, name: each})
                    yield _Candidate(block, self._site.module.folders.body(content), site, name)


class Inside(Written):
    """An object that is an argument, or in one: its members stand where they are spelled out."""

    __slots__ = ("_causes", "_content", "_spot")

    def __init__(self, spot: Spot, content: object, causes: Causes, block: Block) -> None:
        super().__init__({}, {}, block)
        self._spot = spot
        self._content = content
        self._causes = causes

    @property
    def here(self) -> Place:
        return self._spot.place

    def place(self, key: str) -> Place:
        found = self._part(key)
        if found is None or contradicts(found.node, tree(self._content).get(key)):
            return self.here
        return self._causes.place(found, tree(self._content).get(key))

    def of(self, key: str) -> Written:
        found = self._part(key)
        if found is None:
            return self
        return Inside(found, tree(self._content).get(key), self._causes, self._block)

    def child(self, key: str, number: int, item: Tree) -> Written | None:
        found = self.of(key)
        return found.item(number, item) if isinstance(found, Inside) and found is not self else found

    def item(self, number: int, item: Tree) -> Written:
        """One of several objects in a list; the list, where it may be another one."""
        found = self._spot.part(number)
        if found is None or _differs(found.node, item):
            return self
        return Inside(found, item, self._causes, self._block)

    def _part(self, key: str) -> Spot | None:
        return self._spot.part(key)


def _chosen(candidates: list[_Candidate], item: Tree, number: int, count: int) -> _Candidate | None:
    """The one block that an item can have been written as: by what they agree in, else by their order."""
    agreed = [(one, _agreement(one.body.attributes, item)) for one in candidates]
    fitting = [(one, score) for one, score in agreed if score is not None]
    if not fitting:
        return None
    best = max(score for _, score in fitting)
    found = [one for one, score in fitting if score == best]
    if len(found) == 1:
        return found[0]
    if any(one.name for one in candidates) or count != len(candidates) or candidates[number] not in found:
        return None
    return candidates[number]


def _differs(node: Expression, item: Tree) -> bool:
    """Whether an object that is spelled out is another one."""
    members = node.items if isinstance(node, Object) else ()
    return any(isinstance(key, Literal) and contradicts(value, item.get(str(key.content))) for key, value in members)


def _agreement(attributes: Mapping[str, Attribute], item: Tree) -> int | None:
    """In how many literals a block and an item agree; None where they differ in one."""
    literals = [(key, one.value) for key, one in attributes.items() if isinstance(one.value, Literal)]
    if any(contradicts(value, item.get(key)) for key, value in literals):
        return None
    return sum(item.get(key) not in (None, "") for key, _ in literals)


def _iterator(block: Block, body: Body) -> str:
    attribute = body.attributes.get("iterator")
    if attribute is not None and isinstance(attribute.value, Name):
        return attribute.value.name
    return block.labels[0]
