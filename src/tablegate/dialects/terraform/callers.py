"""Who may change what a module says: the argument of a call that leads to an attribute, or the call that lacks it.

The author of a finding inside a called module is the one who calls it. An attribute that is exactly one variable of the
module is followed to the call, and from there to the calls above, through ``for_each`` and keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from tablegate.dialects.terraform.configuration import NOTHING, Key, Tree, calls, parent, steps, tree, trees
from tablegate.dialects.terraform.references import longest
from tablegate.model.record import replace
from tablegate.model.value import Place

Keys: TypeAlias = tuple[str | int, ...]

_LOCAL = ("./", "../")
_MAX_DEPTH = 24
_ADDRESS = re.compile(
    r'((?:module\.[^.\[]+(?:\[(?:"(?:[^"\\]|\\.)*"|\d+)\])?\.)*)((?:data\.)?[a-z0-9]+_\w+\.[\w-]+)'
    r'(\[(?:"(?:[^"\\]|\\.)*"|\d+)\])?(?:\.|$)'
)
_MEMBER = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
_SAID = ("", "")  # the call sets it already
_BESIDE = re.compile(r"(resource|data|provider|module|locals|variable|output)\b.*\{$")
_IN_BLOCK = re.compile(r"(\w+)\[(\d+)\](?:\.(\w+))?")
_LINE = re.compile(r"\s*([\w-]+)\s*(=|\{)\s*(.*?)\s*$")


class Configured(Protocol):
    """How modules call each other, and how their resources are written."""

    def call(self, address: str) -> Tree:
        """The call of a module: its source, expressions and for_each_expression."""

    def resource(self, module: str, mode: str, type_: str, name: str) -> Tree | None:
        """A resource with its expressions; None if it is not there."""


class DynamicBlocks(NamedTuple):
    """What dynamic blocks of a name repeat over, and which members of an item their arguments are."""

    each: object
    members: Mapping[str, str]


class CallLines(Protocol):
    """Where module calls are written."""

    @property
    def in_order(self) -> bool:
        """Whether the blocks of a resource are in the order of what makes them."""

    def dynamic(self, module: str, type_: str, name: str, block: str) -> DynamicBlocks | None:
        """The dynamic blocks of a name in a resource; None if there are none, or others as well."""

    def place(self, call: str, argument: str, keys: Keys, content: object = None) -> Place | None:
        """Where a call sets an argument to some content, or the call if it does not; None if the call is not found."""

    def folder(self, module: str) -> str | None:
        """The folder of a module; None if it is not known."""


class Argument(NamedTuple):
    """An argument of the call of a module, and the keys that lead into its value."""

    call: str
    name: str
    keys: Keys = ()
    expression: object = None  # None if the call leaves it out

    @property
    def content(self) -> object:
        """What the call sets, if that is a constant."""
        content = tree(self.expression).get("constant_value")
        for key in self.keys:
            if isinstance(content, list) and isinstance(key, int):
                content = content[key] if key < len(content) else None
            else:
                content = tree(content).get(str(key))
        return content

    def says(self, value: str) -> bool:
        """Whether the call sets what a remedy would: then the module does not pass it on."""
        return self.content is not None and str(self.content).lower() == value.strip('"').lower()

    @property
    def last(self) -> str:
        """The name that is set: of the argument, or of the member of its value."""
        return str(self.keys[-1]) if self.keys else self.name

    @property
    def around(self) -> str:
        """A comment that says what the name is set in."""
        keys = "".join(f"[{key}]" if isinstance(key, int) else f'["{key}"]' for key in self.keys[:-1])
        return f"# in {self.call}, in {self.name}{keys}:" if self.keys else f"# in {self.call}:"

    @property
    def path(self) -> str:
        """The argument with its keys, as a reader writes it."""
        return self.name + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in self.keys)


class _Scope(NamedTuple):
    """Where an expression stands: its module, and what its resource or call repeats over."""

    module: str
    key: Key
    repeats: object


class _Resource(NamedTuple):
    """A resource of an address: its module, its configuration, and the scope of its expressions."""

    address: str
    module: str
    type: str
    name: str
    expressions: Tree
    scope: _Scope


class Callers:
    """The calls of one input."""

    def __init__(self, configured: Configured, file: str, lines: CallLines | None = None) -> None:
        self._configured = configured
        self._file = file
        self._lines = lines
        self._resources: dict[str, _Resource | None] = {}  # by address, each of them asked for several times
        self._arguments: dict[tuple[str, str], Argument | None] = {}
        self._origins: dict[str, str | None] = {}
        self._remedies: dict[str, tuple[list[Leaf], str]] = {}  # of policies, which say the same of many tables

    def place(self, address: str, own: Place | None, fix: str | None = None) -> Place | None:
        """The place of a finding about a resource, or of evidence: that of the call if the resource is in a module.

        ``own`` is the place in the module. If it has no path, the arguments of a ``fix`` tell what is meant.
        """
        named = None if own is None or own.path is None else _ADDRESS.match(own.path)
        resource = self._resource(address if named is None else named[0])
        if resource is None or self._is_outside(resource.module, own):
            return own
        path = "" if own is None or own.path is None else own.path if named is None else own.path[named.end() :]
        if path:
            argument = self._argument(resource, path)
        else:
            found = ((leaf, self._argument(resource, leaf.path)) for leaf in self._remedy(fix or "")[0])
            argument = next((one for leaf, one in found if one is not None and not one.says(leaf.value)), None)
        if argument is None:
            given = None if own is None else own.because
            if own is not None and given is not None and self._is_outside(resource.module, given):
                return replace(given, path=given.path or own.path, inside=_plain(own))
            fetched = self._fetched(resource.module)
            if fetched is None and (own is None or own.line is None):
                fetched = resource.module  # whose source is not at hand
            return own if fetched is None else self._at_call(fetched, own)
        return self._at_argument(argument, own)

    def fix(self, address: str, text: str | None) -> str | None:
        """The remedy of a finding about a resource, as its caller can apply it."""
        resource = self._resource(address)
        if text is None or resource is None or resource.type != "aws_dynamodb_table":
            return text
        written, beside = self._remedy(text)
        fetched = self._fetched(resource.module)
        around: dict[str, list[str]] = {}
        missing: dict[str, None] = {}
        given_already = False
        for leaf in written:
            line = self._line(resource, leaf)
            if line is _SAID:
                given_already = True
            elif line is None:
                missing[leaf.path.replace("[0]", "")] = None
            else:
                around.setdefault(line[0], []).append(line[1])
        if not around and fetched is None:  # the module's own code is the place to edit
            already = f"# {resource.module} is given it already, and does not pass it on; in the module:\n"
            return f"{already if given_already else ''}{text}"
        lines = [line for head, each in around.items() for line in (head, *each)]
        if missing:
            seen = fetched is None or (self._lines is not None and self._lines.folder(resource.module) is not None)
            what = "offers no argument" if seen else "offers no argument that the plan shows"
            lines.append(f"# {fetched or resource.module} {what} for {', '.join(missing)}")
        if given_already and not around:
            lines.append(f"# {fetched or resource.module} is given it already, and does not pass it on")
        if not around and (given_already or missing):
            lines.append("# take a version of the module that does, or declare the table yourself")
        if beside:
            lines += [*([""] if lines else []), f"# beside {fetched or resource.module}:", beside]
        return "\n".join(lines)

    def _remedy(self, text: str) -> tuple[list[Leaf], str]:
        """What a remedy sets in a table, and the resources beside it."""
        if text not in self._remedies:
            own, beside = _apart(text)
            self._remedies[text] = leaves(own), beside
        return self._remedies[text]

    def _line(self, resource: _Resource, leaf: Leaf) -> tuple[str, str] | None:
        """Where a call sets what a remedy sets, and the line to write there. None if it cannot."""
        match = _IN_BLOCK.fullmatch(leaf.path)
        blocks = None if match is None or match[1] in resource.expressions else self._blocks(resource, match[1])
        if blocks is not None:
            item, member = self._traced(blocks.each, resource.scope, (), 0), blocks.members.get(leaf.name)
            if item is None or member is None or not self._is_writable(item, resource):
                return None
            return f"{item.around[:-1]}, in an item of {item.last}:", f"{member} = {leaf.value}"
        argument = self._argument(resource, leaf.path)
        if argument is None:
            return None
        return _SAID if argument.says(leaf.value) else (argument.around, f"{argument.last} = {leaf.value}")

    def _resource(self, address: str) -> _Resource | None:
        """The resource of an address in a called module."""
        if address not in self._resources:
            self._resources[address] = self._resource_at(address)
        return self._resources[address]

    def _resource_at(self, address: str) -> _Resource | None:
        parts = _ADDRESS.match(address) if address.startswith("module.") else None
        if parts is None:
            return None
        module = parts[1].removesuffix(".")
        if not self._configured.call(module):
            return None
        mode, plain = ("data", parts[2][5:]) if parts[2].startswith("data.") else ("managed", parts[2])
        type_, name = plain.split(".", 1)
        configured = self._configured.resource(module, mode, type_, name) or NOTHING
        key = steps(parts[3])[0].key if parts[3] else None
        scope = _Scope(module, key, configured.get("for_each_expression"))
        return _Resource(address, module, type_, name, tree(configured.get("expressions")), scope)

    def _is_outside(self, module: str, own: Place | None) -> bool:
        """Whether a place is in another folder than the module: of the caller already."""
        folder = None if self._lines is None or own is None or own.line is None else self._lines.folder(module)
        return folder is not None and own is not None and own.file.rpartition("/")[0] != folder

    def _argument(self, resource: _Resource, path: str) -> Argument | None:
        """The argument that leads to a member; None if none does, or if it is in the code of a fetched module."""
        key = resource.address, path
        if key not in self._arguments:
            self._arguments[key] = self._leading_to(resource, path)
        return self._arguments[key]

    def _leading_to(self, resource: _Resource, path: str) -> Argument | None:
        expression = _expression_at(resource.expressions, path)
        keys: Keys = ()
        if expression is None:
            expression, keys = self._dynamic(resource, path)
        argument = self._traced(expression, resource.scope, keys, 0)
        return argument if argument is not None and self._is_writable(argument, resource) else None

    def _is_writable(self, argument: Argument, resource: _Resource) -> bool:
        """Whether an argument is not in the code of a fetched module."""
        fetched = self._fetched(resource.module)
        return fetched is None or len(calls(argument.call)) <= len(calls(fetched))

    def _dynamic(self, resource: _Resource, path: str) -> tuple[object, Keys]:
        """What a dynamic block repeats over, and the keys that lead to a member of the item that made a block."""
        match = _IN_BLOCK.fullmatch(path)
        found = None if match is None else self._blocks(resource, match[1])
        if match is None or found is None:
            return None, ()
        member = found.members.get(match[3] or "")
        if match[3] and member is None:
            return None, ()
        in_order = self._lines is not None and self._lines.in_order
        return found.each, (int(match[2]), *([member] if member else [])) if in_order else ()

    def _blocks(self, resource: _Resource, block: str) -> DynamicBlocks | None:
        return (
            None if self._lines is None else self._lines.dynamic(resource.module, resource.type, resource.name, block)
        )

    def _traced(self, expression: object, at: _Scope, keys: Keys, depth: int) -> Argument | None:
        listed = tree(expression).get("references")
        references = [steps(one) for one in longest(listed)] if isinstance(listed, list) else []
        if not references or depth > _MAX_DEPTH or len({one[-1].name for one in references}) > 1:
            return None
        left_out: Argument | None = None
        for reference in references:
            inner = tuple(step.name if step.name is not None else step.key for step in reference[2:])
            rest = (*(key for key in inner if key is not None), *keys)
            argument = None
            if reference[0].name == "var" and len(reference) > 1 and at.module:
                argument = self._of_call(str(reference[1].name), at.module, rest, depth)
            elif at.key is not None and [step.name for step in reference[:2]] == ["each", "value"]:
                argument = self._traced(at.repeats, at, (at.key, *rest), depth + 1)
            if argument is None:
                return left_out
            if argument.expression is not None:
                return argument
            left_out = left_out or argument
        return left_out

    def _of_call(self, name: str, module: str, keys: Keys, depth: int) -> Argument | None:
        """The argument that sets a variable of a module, here or further up."""
        call = self._configured.call(module)
        expression = tree(call.get("expressions")).get(name)
        if expression is None:
            return Argument(module, name, keys)
        above = parent(module)
        if above:
            scope = _Scope(above, calls(module)[-1].key, call.get("for_each_expression"))
            further = self._traced(expression, scope, keys, depth + 1)
            if further is not None:
                return further
        if "constant_value" in tree(expression) and not _has(tree(expression)["constant_value"], keys):
            return Argument(module, name, keys)
        return Argument(module, name, keys, expression)

    def _fetched(self, module: str) -> str | None:
        """The call that fetches a module, or a module around it; None if all are of the same repository."""
        if module not in self._origins:
            self._origins[module] = self._origin(module)
        return self._origins[module]

    def _origin(self, module: str) -> str | None:
        for call in calls(module):
            source = self._configured.call(call.address).get("source")
            if not isinstance(source, str) or not source.startswith(_LOCAL):
                return call.address
        return None

    def _at_call(self, call: str, own: Place | None) -> Place:
        place = None if self._lines is None else self._lines.place(call, "", ())
        return replace(place or Place(self._file), path=call, inside=_plain(own))

    def _at_argument(self, argument: Argument, own: Place | None) -> Place:
        place = None
        if self._lines is not None:
            place = self._lines.place(argument.call, argument.name, argument.keys, argument.content)
        path = f"{argument.call}.{argument.path}"
        if place is None:
            return Place(self._file, path=path, inside=_plain(own))
        because = None if own is None or argument.expression is None else own.because
        if because is not None and "constant_value" not in tree(argument.expression) and because.line != place.line:
            return replace(place, path=path, because=because, inside=_plain(own))
        return replace(place, path=path, inside=_plain(own))


class Leaf(NamedTuple):
    """An argument that a remedy sets: its path in the resource, its name, and its value as it is written."""

    path: str
    name: str
    value: str


def _apart(text: str) -> tuple[str, str]:
    """The part of a remedy that goes into a table, and the resources that go beside it."""
    own: list[str] = []
    beside: list[str] = []
    into = own
    for line in text.splitlines():
        if _BESIDE.match(line):
            into = beside
        into.append(line)
        if line == "}" and into is beside:
            into = own
    return "\n".join(own).strip(), "\n".join(beside)


def leaves(text: str | None) -> list[Leaf]:
    """The arguments of a remedy that is written as a part of a table; none if it is anything else."""
    found: list[Leaf] = []
    within: list[str] = []
    lines = iter((text or "").splitlines())
    for line in lines:
        if line.strip() == "}" and within:
            within.pop()
            continue
        match = _LINE.match(line.partition(" #")[0])
        if match is None:
            if line.strip() and not line.lstrip().startswith("#"):
                return []
            continue
        name, sign, rest = match.groups()
        if sign == "=":
            found.append(Leaf(".".join((*within, name)), name, _value(rest, lines)))
        elif rest.endswith("}"):
            return []
        else:
            within.append(f"{name}[0]")
    return found


def _value(first: str, lines: Iterator[str]) -> str:
    """A value, which may go on over lines."""
    text = first
    while sum(text.count(sign) for sign in "[{(") > sum(text.count(sign) for sign in "]})"):
        line = next(lines, None)
        if line is None:
            break
        text += f"\n{line}"
    return text


def _expression_at(expressions: Tree, path: str) -> object:
    """The expression of a member, by its path in the resource."""
    content: object = expressions
    for name, number in _MEMBER.findall(path):
        if number:
            blocks: Sequence[object] = trees(content)
            content = blocks[int(number)] if int(number) < len(blocks) else blocks[0] if len(blocks) == 1 else None
        else:
            content = tree(content).get(name)
        if isinstance(content, dict) and not {"references", "constant_value"}.isdisjoint(content):
            return content
    return content


def _has(content: object, keys: Keys) -> bool:
    """Whether a constant has a member."""
    for key in keys:
        if isinstance(content, dict) and str(key) in content:
            content = content[str(key)]
        elif isinstance(content, list) and isinstance(key, int) and key < len(content):
            content = content[key]
        else:
            return False
    return content is not None


def _plain(own: Place | None) -> Place | None:
    """A place in a module, without what led to it."""
    return None if own is None or (own.line is None and own.path is None) else replace(own, because=None)
