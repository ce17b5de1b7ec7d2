"""Follows expressions of source to the place where a value is set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tablegate.dialects.terraform.configuration import Key, Tree, tree
from tablegate.dialects.terraform.source.configured import Reference, Rest, contradicts, member_at, references
from tablegate.dialects.terraform.source.scalars import FailedError
from tablegate.dialects.terraform.source_map.modules import Module
from tablegate.model.record import replace
from tablegate.model.value import Place
from tablegate.syntax.hcl.nodes import (
    Access,
    At,
    Attr,
    Attribute,
    Expression,
    Literal,
    Name,
    Object,
    Step,
    Tuple,
)


def is_spelled_out(node: Expression) -> bool:
    """Whether an expression is an object or list with all members written out."""
    return isinstance(node, (Object, Tuple))


_MAX_STEPS = 16  # hands that a value goes through
_OWN_KEY = (Access(Name("each"), (Attr("key"),)), Access(Name("count"), (Attr("index"),)))
_EACH_KEY = Reference("each", (Attr("key"),))
_HERE = frozenset({"path", "terraform", "count"})  # they are what they are


class ExpressionSite(NamedTuple):
    """The site of an expression: its module, the instance keys on the way there, its for_each, and iterators."""

    module: Module
    keys: tuple[Key, ...] = ()  # of the module's own instance, and of those above it
    each: Attribute | None = None
    key: Key = None
    iterators: Mapping[str, Attribute] = {}

    @property
    def above(self) -> ExpressionSite | None:
        """The site of the module call."""
        module = self.module
        if module.above is None or module.call is None:
            return None
        each = module.folders.body(module.call).attributes.get("for_each")
        return ExpressionSite(module.above, self.keys[:-1], each, self.keys[-1] if self.keys else None)


class ExpressionPart(NamedTuple):
    """A part of an argument's expression. ``rest`` holds the keys still to follow. None if they are not known."""

    attribute: Attribute
    node: Expression
    site: ExpressionSite
    taken: Rest = ()
    rest: Rest | None = ()

    @property
    def place(self) -> Place:
        """Where the part is written. The argument, if its parts have no places."""
        span = self.attribute.file.inner(self.attribute.first, self.taken) if self.taken else None
        return self.attribute.place if span is None else self.attribute.file.place(*span)

    def member(self, key: str | int) -> ExpressionPart | None:
        """A member, if it is written out."""
        path = member_at(self.node, (key,))
        return None if path.rest else self._replace(node=path.node, taken=(*self.taken, *path.taken))


class ValueTracer:
    """Traces values through variables, locals and each.value in one plan's source."""

    def __init__(self, variables: Tree) -> None:
        self._variables = variables  # of the root module, as the plan was made with them
        self._heads: dict[int, tuple[str, tuple[Step, ...]] | None] = {}  # by expressions, which stay as long as this

    def place(self, part: ExpressionPart, content: object) -> Place:
        """The place of an argument, with the place that set its value."""
        last = self.origin(part)
        place = part.place
        if last is None or (last.rest == () and contradicts(last.node, content)):
            return place
        return replace(place, because=last.place)

    def origin(self, part: ExpressionPart) -> ExpressionPart | None:
        """The argument that sets the value which this one passes on. None if it is this one or is not found."""
        last = None
        for _ in range(_MAX_STEPS):
            step = self.step(last or part)
            if step is None:
                break
            last = step
        return last

    def step(self, part: ExpressionPart) -> ExpressionPart | None:
        """One step: where the one name that an expression reads is set."""
        if id(part.node) not in self._heads:
            self._heads[id(part.node)] = _head(part.node)
        head = self._heads[id(part.node)]
        if head is None or not isinstance(head[1][0], Attr):
            return None
        name, steps = head
        rest = None
        if part.rest is not None and part.node == Access(Name(name), steps):
            keys = _keys(steps[1:], part.site)
            rest = None if keys is None else (*keys, *part.rest)
        source_part = self._source_of(name, head[1][0].name, part.site, rest)
        return None if source_part is None else _narrowed(source_part)

    def _source_of(self, head: str, name: str, site: ExpressionSite, rest: Rest | None) -> ExpressionPart | None:
        if head == "var":
            return self._variable(name, site, rest)
        if head == "local":
            attribute = site.module.local(name)
            return (
                None
                if attribute is None
                else ExpressionPart(attribute, attribute.value, ExpressionSite(site.module, site.keys), (), rest)
            )
        if head == "each" and name == "value" and site.each is not None:
            rest = None if rest is None or site.key is None else (site.key, *rest)
            return ExpressionPart(site.each, site.each.value, site._replace(each=None), (), rest)
        if head in site.iterators:
            attribute = site.iterators[head]
            others = {name: one for name, one in site.iterators.items() if name != head}
            return ExpressionPart(attribute, attribute.value, site._replace(iterators=others), (), None)
        return None

    def _variable(self, name: str, site: ExpressionSite, rest: Rest | None) -> ExpressionPart | None:
        block = site.module.block("variable", name)
        if block is None:
            return None
        body = site.module.folders.body(block).attributes
        if "sensitive" in body and body["sensitive"].value != Literal(False):
            return None
        above = site.above
        origin = self._of_root(name, site) if above is None else _argument(name, site)
        if origin is None and "default" in body:
            default = body["default"]
            origin = ExpressionPart(default, default.value, ExpressionSite(site.module, site.keys))
        if origin is None or (above is None and contradicts(origin.node, tree(self._variables.get(name)).get("value"))):
            return None
        return origin._replace(rest=rest)

    def _of_root(self, name: str, site: ExpressionSite) -> ExpressionPart | None:
        for body in site.module.folders.values():
            if name in body.attributes:
                attribute = body.attributes[name]
                return ExpressionPart(attribute, attribute.value, ExpressionSite(site.module))
        return None


def _head(node: Expression) -> tuple[str, tuple[Step, ...]] | None:
    """The one name that an expression reads, and the steps after it. None if it reads nothing, or several."""
    try:
        read = [one for one in references(node) if one.name not in _HERE and one != _EACH_KEY]
    except FailedError:
        return None
    return (read[0].name, read[0].steps) if len({(one.name, one.steps[0]) for one in read}) == 1 else None


def _argument(name: str, site: ExpressionSite) -> ExpressionPart | None:
    """The argument of the module call that sets a variable."""
    call, above = site.module.call, site.above
    attribute = None if call is None else site.module.folders.body(call).attributes.get(name)
    return None if attribute is None or above is None else ExpressionPart(attribute, attribute.value, above)


def _keys(steps: tuple[object, ...], site: ExpressionSite) -> Rest | None:
    """The keys of a reference, if they are literals or the instance's own key."""
    keys: list[str | int] = []
    for step in steps:
        key = step.name if isinstance(step, Attr) else None
        if isinstance(step, At) and isinstance(step.key, Literal) and isinstance(step.key.content, (str, int)):
            key = step.key.content  # type: ignore[assignment]
        elif isinstance(step, At) and step.key in _OWN_KEY:
            key = site.key  # type: ignore[assignment]
        if key is None:
            return None
        keys.append(key)
    return tuple(keys)


def _narrowed(part: ExpressionPart) -> ExpressionPart | None:
    """The part that ``rest`` leads to. None if it is missing from an object that is written out."""
    if part.rest is None:
        return part
    path = member_at(part.node, part.rest)
    if path.rest and is_spelled_out(path.node):
        return None
    return ExpressionPart(part.attribute, path.node, part.site, path.taken, path.rest)
