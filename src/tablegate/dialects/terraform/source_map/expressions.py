"""Where a value was given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tablegate.dialects.terraform.configuration import Key, Tree, tree
from tablegate.dialects.terraform.source.values import FailedError, as_text
from tablegate.dialects.terraform.source_map.modules import Module
from tablegate.model.record import replace
from tablegate.model.value import Place
from tablegate.syntax.hcl.nodes import (
    Access,
    At,
    Attr,
    Attribute,
    Binary,
    Call,
    Conditional,
    Expression,
    For,
    Literal,
    Name,
    Object,
    Opaque,
    Splat,
    Step,
    Template,
    Tuple,
    Unary,
)

Rest = tuple[str | int, ...]

_WHOLE = frozenset({"tomap", "toset", "tolist", "nonsensitive", "sensitive"})  # what they are given, they give back


class Reference(NamedTuple):
    """A name that an expression reads, and the way into it."""

    name: str
    steps: tuple[Step, ...]

    @property
    def root(self) -> str:
        """Its first words, which tell what is read: var.x, data.t.n, t.n."""
        words = [self.name]
        for step in self.steps:
            if not isinstance(step, Attr) or len(words) == (3 if words[0] == "data" else 2):
                break
            words.append(step.name)
        return ".".join(words)

    @property
    def spelled(self) -> str:
        """As the configuration of a plan spells it, up to where it is computed."""
        text = self.name
        for step in self.steps:
            if isinstance(step, Attr):
                text += f".{step.name}"
            elif isinstance(step, At) and isinstance(step.key, Literal):
                key = step.key.content
                text += f'["{key}"]' if isinstance(key, str) else f"[{key}]"
            elif not isinstance(step, Splat):
                break
        return text


class MemberPath(NamedTuple):
    """A part of what is spelled out, and the keys that were taken to it."""

    node: Expression
    taken: Rest
    rest: Rest


def contradicts(node: Expression, content: object) -> bool:
    """Whether a literal is something else than the content: spelled by another hand, it may still be the same."""
    if not isinstance(node, Literal) or node.content in (None, "") or content in (None, ""):
        return False
    try:
        left, right = as_text(node.content).strip(), as_text(content).strip()
    except FailedError:
        return False
    return left.casefold() != right.casefold() and not left.startswith(("{", "["))


def references(node: Expression) -> list[Reference]:
    """Everything that an expression reads but its own loops. One that is not read any further is a FailedError."""
    own = _bound(node)
    return [one for one in _references(node) if one.name not in own]


def _references(node: Expression) -> Iterator[Reference]:
    if isinstance(node, Opaque):
        raise FailedError
    if isinstance(node, Access) and isinstance(node.base, Name):
        yield Reference(node.base.name, node.steps)
    elif isinstance(node, Access):
        yield from _references(node.base)
    for step in node.steps if isinstance(node, Access) else ():
        if isinstance(step, At):
            yield from _references(step.key)
    for each in _operands(node):
        yield from _references(each)


def _operands(node: Expression) -> tuple[Expression, ...]:
    match node:
        case Template():
            return node.parts
        case Tuple():
            return node.items
        case Object():
            return tuple(each for item in node.items for each in item)
        case Call():
            return node.arguments
        case Unary():
            return (node.operand,)
        case Binary():
            return node.left, node.right
        case Conditional():
            return node.test, node.yes, node.no
        case For():
            return tuple(each for each in (node.all, node.key, node.result, node.condition) if each is not None)
        case _:
            return ()


def _bound(node: Expression) -> frozenset[str]:
    """The names that loops in an expression give."""
    names = node.names if isinstance(node, For) else ()
    return frozenset(names).union(*map(_bound, _operands(node)))


def member_at(node: Expression, rest: Rest) -> MemberPath:
    """As far into what is spelled out as the keys lead."""
    taken: Rest = ()
    while rest:
        while isinstance(node, Call) and node.name in _WHOLE and len(node.arguments) == 1:
            node = node.arguments[0]
        member = _member(node, rest[0])
        if member is None:
            break
        node, taken, rest = member, (*taken, rest[0]), rest[1:]
    return MemberPath(node, taken, rest)


def _member(node: Expression, key: str | int) -> Expression | None:
    if isinstance(node, Object):
        return next((value for name, value in node.items if name == Literal(key)), None)
    if isinstance(node, Tuple) and isinstance(key, int) and key < len(node.items):
        return node.items[key]
    return None


def is_spelled_out(node: Expression) -> bool:
    """Whether all its members stand there."""
    return isinstance(node, (Object, Tuple))


def expression_of(node: Expression) -> dict[str, object]:
    """The expression; nothing is said of one that is not read."""
    try:
        return {"constant_value": _constant(node)}
    except FailedError:
        pass
    try:
        names = list(dict.fromkeys(one.spelled for one in references(node)))
    except FailedError:
        return {}
    return {"references": names} if names else {}


def _constant(node: Expression) -> object:
    if isinstance(node, Literal):
        return node.content
    if isinstance(node, Tuple):
        return [_constant(item) for item in node.items]
    if isinstance(node, Object) and all(isinstance(key, Literal) for key, _ in node.items):
        return {str(_constant(key)): _constant(value) for key, value in node.items}
    raise FailedError


_MAX_STEPS = 16  # hands that a value goes through
_OWN_KEY = (Access(Name("each"), (Attr("key"),)), Access(Name("count"), (Attr("index"),)))
_EACH_KEY = Reference("each", (Attr("key"),))
_HERE = frozenset({"path", "terraform", "count"})  # they are what they are


class ExpressionSite(NamedTuple):
    """Where an expression stands: its module, the keys of the instances that lead there, and what is repeated."""

    module: Module
    keys: tuple[Key, ...] = ()  # of the module's own instance, and of those above it
    each: Attribute | None = None
    key: Key = None
    iterators: Mapping[str, Attribute] = {}

    @property
    def above(self) -> ExpressionSite | None:
        """Where the module is called."""
        module = self.module
        if module.above is None or module.call is None:
            return None
        each = module.folders.body(module.call).attributes.get("for_each")
        return ExpressionSite(module.above, self.keys[:-1], each, self.keys[-1] if self.keys else None)


class ExpressionPart(NamedTuple):
    """A part of an argument's expression. ``rest`` is what is still to be taken of it; None where that is lost."""

    attribute: Attribute
    node: Expression
    site: ExpressionSite
    taken: Rest = ()
    rest: Rest | None = ()

    @property
    def place(self) -> Place:
        """Where it stands; the argument, where its parts have no places of their own."""
        span = self.attribute.file.inner(self.attribute.first, self.taken) if self.taken else None
        return self.attribute.place if span is None else self.attribute.file.place(*span)

    def part(self, key: str | int) -> ExpressionPart | None:
        """A member of it, where it is spelled out."""
        part = member_at(self.node, (key,))
        return None if part.rest else self._replace(node=part.node, taken=(*self.taken, *part.taken))


class ValueTracer:
    """Follows expressions of one plan's source."""

    def __init__(self, variables: Tree) -> None:
        self._variables = variables  # of the root module, as the plan was made with them
        self._heads: dict[int, tuple[str, tuple[Step, ...]] | None] = {}  # by expressions, which stay as long as this

    def place(self, spot: ExpressionPart, content: object) -> Place:
        """Where an argument stands, and because of what other it is this content."""
        last = self.origin(spot)
        place = spot.place
        if last is None or (last.rest == () and contradicts(last.node, content)):
            return place
        return replace(place, because=last.place)

    def origin(self, spot: ExpressionPart) -> ExpressionPart | None:
        """The argument that gives what this one hands on; None where it is this one, or nobody can tell."""
        last = None
        for _ in range(_MAX_STEPS):
            step = self.step(last or spot)
            if step is None:
                break
            last = step
        return last

    def step(self, spot: ExpressionPart) -> ExpressionPart | None:
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
        source_part = self._given(name, head[1][0].name, spot.site, rest)
        return None if source_part is None else _narrowed(source_part)

    def _given(self, head: str, name: str, site: ExpressionSite, rest: Rest | None) -> ExpressionPart | None:
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
    """The one thing that an expression reads, and the way into it; None where it reads nothing, or several."""
    try:
        read = [one for one in references(node) if one.name not in _HERE and one != _EACH_KEY]
    except FailedError:
        return None
    return (read[0].name, read[0].steps) if len({(one.name, one.steps[0]) for one in read}) == 1 else None


def _argument(name: str, site: ExpressionSite) -> ExpressionPart | None:
    """What a module is called with."""
    call, above = site.module.call, site.above
    attribute = None if call is None else site.module.folders.body(call).attributes.get(name)
    return None if attribute is None or above is None else ExpressionPart(attribute, attribute.value, above)


def _keys(steps: tuple[object, ...], site: ExpressionSite) -> Rest | None:
    """The keys that a reference takes, where they stand there, or are this instance's own."""
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


def _narrowed(spot: ExpressionPart) -> ExpressionPart | None:
    """The part of it that is meant; None where all is spelled out, and that part is not there."""
    if spot.rest is None:
        return spot
    part = member_at(spot.node, spot.rest)
    if part.rest and is_spelled_out(part.node):
        return None
    return ExpressionPart(spot.attribute, part.node, spot.site, part.taken, part.rest)
