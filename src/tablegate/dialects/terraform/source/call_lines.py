"""Where module calls are written in source, and how modules and resources are configured there."""

from __future__ import annotations

from tablegate.dialects.terraform.callers import DynamicBlocks, Keys
from tablegate.dialects.terraform.configuration import NOTHING, Tree, parent
from tablegate.dialects.terraform.source.configured import contradicts, expression_of, member_at
from tablegate.dialects.terraform.source.definitions import Key, inner_type
from tablegate.dialects.terraform.source.modules import ModuleInstance
from tablegate.model.value import Place
from tablegate.syntax.hcl.nodes import Access, Attr, Block, Body, Call, Expression, Literal, Name
from tablegate.syntax.node import ParseError

_REPETITIONS = ("count", "for_each")


def argument_place(call: Block, argument: str, keys: Keys, content: object) -> Place:
    """Where a call sets an argument, or a member of its value; the call if it does not, or has another content."""
    try:
        attribute = call.body.attributes.get(argument)
    except ParseError:
        return call.place
    if attribute is None:
        return call.place
    node, taken, _ = member_at(attribute.value, keys)
    if contradicts(node, content):
        return call.place
    span = attribute.file.inner(attribute.first, taken) if taken else None
    return attribute.place if span is None else attribute.file.place(*span)


def dynamic_in(body: Body, name: str) -> DynamicBlocks | None:
    """The dynamic block of a name, if it is the only one and no block is written out beside it."""
    blocks = [block for block in body.blocks if inner_type(block) == name]
    inner = _body(blocks[0]) if len(blocks) == 1 and blocks[0].type == "dynamic" else None
    each = None if inner is None else inner.attributes.get("for_each")
    contents = [] if inner is None else [block for block in inner.blocks if block.type == "content"]
    content = _body(contents[0]) if len(contents) == 1 else None
    if inner is None or each is None or content is None:
        return None
    named = inner.attributes.get("iterator")
    iterator = named.value.name if named is not None and isinstance(named.value, Name) else name
    members = {key: member for key, one in content.attributes.items() if (member := _member(one.value, iterator))}
    return DynamicBlocks(expression_of(each.value), members)


def _member(node: Expression, iterator: str) -> str | None:
    """The member of the iterator's value that an expression reads: ``x.value.member``, in try or lookup as well."""
    if isinstance(node, Call) and node.name == "try" and node.arguments:
        return _member(node.arguments[0], iterator)
    if isinstance(node, Call) and node.name == "lookup" and len(node.arguments) > 1:
        whole, key = node.arguments[:2]
        is_item = whole == Access(Name(iterator), (Attr("value"),))
        return str(key.content) if is_item and isinstance(key, Literal) else None
    if isinstance(node, Access) and node.base == Name(iterator) and node.steps[:1] == (Attr("value"),):
        last = node.steps[1:]
        return last[0].name if len(last) == 1 and isinstance(last[0], Attr) else None
    return None


class CallsOfSource:
    """The calls of a root module of source, in the shape of a plan's configuration."""

    def __init__(self, root: ModuleInstance) -> None:
        self._modules: dict[str, ModuleInstance | None] = {"": root}

    def call(self, address: str) -> Tree:
        """The call of a module: its source, expressions and for_each_expression."""
        module = self._module(address)
        body = None if module is None or module.call is None else _body(module.call)
        if body is None:
            return NOTHING
        expressions = _expressions(body)
        source = expressions.pop("source", {"constant_value": None})
        return {
            "source": source.get("constant_value") if isinstance(source, dict) else None,
            "expressions": expressions,
            **_repetition(body),
        }

    def resource(self, module: str, mode: str, type_: str, name: str) -> Tree | None:
        """A resource with its expressions; None if it is not there."""
        owner = self._module(module)
        block = None if owner is None else owner.definition.resources.get(Key(mode, type_, name))
        body = None if block is None else _body(block)
        return None if body is None else {"expressions": _expressions(body), **_repetition(body)}

    def place(self, call: str, argument: str, keys: Keys, content: object = None) -> Place | None:
        """Where a call sets an argument, or the call itself; None if the call is not found."""
        module = self._module(call)
        return None if module is None or module.call is None else argument_place(module.call, argument, keys, content)

    @property
    def in_order(self) -> bool:
        """Source has the order of blocks."""
        return True

    def dynamic(self, module: str, type_: str, name: str, block: str) -> DynamicBlocks | None:
        """The dynamic blocks of a name in a resource; None if there are none, or others as well."""
        owner = self._module(module)
        found = None if owner is None else owner.definition.resources.get(Key("managed", type_, name))
        body = None if found is None else _body(found)
        return None if body is None else dynamic_in(body, block)

    def folder(self, module: str) -> str | None:
        """The folder of a module."""
        found = self._module(module)
        return None if found is None else found.definition.folder

    def _module(self, address: str) -> ModuleInstance | None:
        if address not in self._modules:
            above = self._module(parent(address))
            children = () if above is None else above.children()
            self._modules[address] = next((child for child in children if child.address == address), None)
        return self._modules[address]


def _body(block: Block) -> Body | None:
    try:
        return block.body
    except ParseError:
        return None


def _expressions(body: Body) -> dict[str, object]:
    """The arguments and blocks of a body as a plan's configuration lists them: dynamic blocks are not in it."""
    members: dict[str, object] = {
        name: expression_of(one.value) for name, one in body.attributes.items() if name not in _REPETITIONS
    }
    for block in body.blocks:
        inner = None if block.type == "dynamic" else _body(block)
        if inner is not None:
            listed = members.setdefault(block.type, [])
            if isinstance(listed, list):
                listed.append(_expressions(inner))
    return members


def _repetition(body: Body) -> dict[str, object]:
    each = body.attributes.get("for_each")
    return {} if each is None else {"for_each_expression": expression_of(each.value)}
