"""Where a value was given that an argument only hands on: followed through variables, calls, locals and loops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tablegate.dialects.source_map.modules import Module
from tablegate.dialects.source_map.reading import Reference, Rest, contradicts, drilled, is_spelled_out, references
from tablegate.dialects.terraform_plan.addresses import Key
from tablegate.dialects.terraform_plan.configuration import Tree, tree
from tablegate.dialects.terraform_source.values import FailedError
from tablegate.model.record import replace
from tablegate.model.value import Place
from tablegate.syntax.hcl_nodes import Access, At, Attr, Attribute, Expression, Literal, Name, Step

_FAR = 16  # hands that a value goes through
_OWN_KEY = (Access(Name("each"), (Attr("key"),)), Access(Name("count"), (Attr("index"),)))
_EACH_KEY = Reference("each", (Attr("key"),))
_HERE = frozenset({"path", "terraform", "count"})  # they are what they are


class Site(NamedTuple):
    """Where an expression stands: its module, the keys of the instances that lead there, and what is repeated."""

    module: Module
    keys: tuple[Key, ...] = ()  # of the module's own instance, and of those above it
    each: Attribute | None = None
    key: Key = None
    iterators: Mapping[str, Attribute] = {}

    @property
    def above(self) -> Site | None:
        """Where the module is called."""
        module = self.module
        if module.above is None or module.call is None:
            return None
        each = module.folders.body(module.call).attributes.get("for_each")
        return Site(module.above, self.keys[:-1], each, self.keys[-1] if self.keys else None)


class Spot(NamedTuple):
    """A part of an argument's expression. ``rest`` is what is still to be taken of it; None where that is lost."""

    attribute: Attribute
    node: Expression
    site: Site
    taken: Rest = ()
    rest: Rest | None = ()

    @property
    def place(self) -> Place:
        """Where it stands; the argument, where its parts have no places of their own."""
        span = self.attribute.file.inner(self.attribute.first, self.taken) if self.taken else None
        return self.attribute.place if span is None else self.attribute.file.place(*span)

    def part(self, key: str | int) -> Spot | None:
        """A member of it, where it is spelled out."""
        part = drilled(self.node, (key,))
        return None if part.rest else self._replace(node=part.node, taken=(*self.taken, *part.taken))


class Causes:
    """Follows expressions of one plan's source."""

    def __init__(self, variables: Tree) -> None:
        self._variables = variables  # of the root module, as the plan was made with them
        self._heads: dict[int, tuple[str, tuple[Step, ...]] | None] = {}  # by expressions, which stay as long as this

    def place(self, spot: Spot, content: object) -> Place:
        """Where an argument stands, and because of what other it is this content."""
        last = self.origin(spot)
        place = spot.place
        if last is None or (last.rest == () and contradicts(last.node, content)):
            return place
        return replace(place, because=last.place)

    def origin(self, spot: Spot) -> Spot | None:
        """The argument that gives what this one hands on; None where it is this one, or nobody can tell."""
        found = None
        for _ in range(_FAR):
            step = self.step(found or spot)
            if step is None:
                break
            found = step
        return found

    def step(self, spot: Spot) -> Spot | None:
        """Where the one thing is given that an expression reads."""
        if id(spot.node) not in self._heads:
            self._heads[id(spot.node)] = _head(spot.node)
        head = self._heads[id(spot.node)]
        if head is None or not isinstance(head[1][0], Attr):
            return None
        name, steps = head
        rest = None
        if spot.rest is not None and spot.node == Access(Name(name), steps):
            keys = _keys(steps[1:], spot.site)
            rest = None if keys is None else (*keys, *spot.rest)
        found = self._given(name, head[1][0].name, spot.site, rest)
        return None if found is None else _narrowed(found)

    def _given(self, head: str, name: str, site: Site, rest: Rest | None) -> Spot | None:
        if head == "var":
            return self._variable(name, site, rest)
        if head == "local":
            attribute = site.module.local(name)
            return (
                None if attribute is None else Spot(attribute, attribute.value, Site(site.module, site.keys), (), rest)
            )
        if head == "each" and name == "value" and site.each is not None:
            rest = None if rest is None or site.key is None else (site.key, *rest)
            return Spot(site.each, site.each.value, site._replace(each=None), (), rest)
        if head in site.iterators:
            attribute = site.iterators[head]
            others = {name: one for name, one in site.iterators.items() if name != head}
            return Spot(attribute, attribute.value, site._replace(iterators=others), (), None)
        return None

    def _variable(self, name: str, site: Site, rest: Rest | None) -> Spot | None:
        block = site.module.block("variable", name)
        if block is None:
            return None
        body = site.module.folders.body(block).attributes
        if "sensitive" in body and body["sensitive"].value != Literal(False):
            return None
        above = site.above
        given = self._of_root(name, site) if above is None else _argument(name, site)
        if given is None and "default" in body:
            default = body["default"]
            given = Spot(default, default.value, Site(site.module, site.keys))
        if given is None or (above is None and contradicts(given.node, tree(self._variables.get(name)).get("value"))):
            return None
        return given._replace(rest=rest)

    def _of_root(self, name: str, site: Site) -> Spot | None:
        for body in site.module.folders.values():
            if name in body.attributes:
                attribute = body.attributes[name]
                return Spot(attribute, attribute.value, Site(site.module))
        return None


def _head(node: Expression) -> tuple[str, tuple[Step, ...]] | None:
    """The one thing that an expression reads, and the way into it; None where it reads nothing, or several."""
    try:
        read = [one for one in references(node) if one.name not in _HERE and one != _EACH_KEY]
    except FailedError:
        return None
    return (read[0].name, read[0].steps) if len({(one.name, one.steps[0]) for one in read}) == 1 else None


def _argument(name: str, site: Site) -> Spot | None:
    """What a module is called with."""
    call, above = site.module.call, site.above
    attribute = None if call is None else site.module.folders.body(call).attributes.get(name)
    return None if attribute is None or above is None else Spot(attribute, attribute.value, above)


def _keys(steps: tuple[object, ...], site: Site) -> Rest | None:
    """The keys that a reference takes, where they stand there, or are this instance's own."""
    found: list[str | int] = []
    for step in steps:
        key = step.name if isinstance(step, Attr) else None
        if isinstance(step, At) and isinstance(step.key, Literal) and isinstance(step.key.content, (str, int)):
            key = step.key.content  # type: ignore[assignment]
        elif isinstance(step, At) and step.key in _OWN_KEY:
            key = site.key  # type: ignore[assignment]
        if key is None:
            return None
        found.append(key)
    return tuple(found)


def _narrowed(spot: Spot) -> Spot | None:
    """The part of it that is meant; None where all is spelled out, and that part is not there."""
    if spot.rest is None:
        return spot
    part = drilled(spot.node, spot.rest)
    if part.rest and is_spelled_out(part.node):
        return None
    return Spot(spot.attribute, part.node, spot.site, part.taken, part.rest)
