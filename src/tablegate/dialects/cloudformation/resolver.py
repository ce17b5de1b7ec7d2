"""What an expression comes to; the stack's context."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeVar

from tablegate.dialects.cloudformation.conditions import Conditions
from tablegate.dialects.cloudformation.faults import Faults
from tablegate.dialects.cloudformation.intrinsics import FUNCTIONS, transform
from tablegate.dialects.cloudformation.parameters import NO_VALUE, STACK_NAME, Meaning, parameter, pseudo_parameters
from tablegate.dialects.cloudformation.scenarios import VALUE, Choices, Question
from tablegate.dialects.cloudformation.template import Resource, Template, is_module
from tablegate.dialects.cloudformation.values import (
    EXPRESSION,
    FOREIGN,
    INPUT,
    LATER,
    RESOURCE,
    Part,
    Resolved,
    SecretNode,
    Section,
    Symbol,
    Unsettled,
    expression,
    is_scalar,
    later,
    made,
    scalar_of,
)
from tablegate.dialects.reading import ReadOptions
from tablegate.model.record import field, record
from tablegate.model.table import Construct, Table
from tablegate.model.value import Doubt, Place
from tablegate.syntax.node import Node
from tablegate.syntax.source import ALONE, Beside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.dialects.cloudformation.exports import Exports
    from tablegate.iam.arns import Symbols


Constructs = Callable[[str, str | None], Construct | None]
"""Takes a logical id, and the path in the resource's metadata, to the construct that made it."""

_OF_EVERY_STACK = frozenset({"AWS::Region", "AWS::AccountId", "AWS::Partition", "AWS::URLSuffix"})


@record(eq=False)
class Surroundings:
    """What is known of one stack. ``address`` and ``scenario`` are those of a nested stack in the one above."""

    address: str = ""
    name: str | None = None
    given: Mapping[str, Node | Unsettled] = field(default_factory=dict)  # parameters that are more than a text
    giver: Resolver | None = None
    scenario: Mapping[str, str] | None = None
    above: tuple[str, ...] = ()  # the files of the templates that embed this one
    beside: Beside = ALONE
    assets: Mapping[str, str] = field(default_factory=dict)  # files, by the hash that they are published under
    exports: Exports | None = None
    constructs: Constructs | None = None
    symbols: Symbols | None = None  # of what is not known, where several scenarios of a stack must share them

    def full(self, name: str) -> str:
        """The address of what has this logical id in the stack."""
        return f"{self.address}/{name}" if self.address else name


NOWHERE = Surroundings()


def foreign(value: Resolved, node: Node, home: Resolver) -> Resolved:
    """A value of another stack, standing where it is used."""
    if value is None:
        return None
    if isinstance(value, Unsettled):
        return Unsettled(value.doubt, node, tuple(_abroad(part, home) for part in value.parts), value.span)
    if is_scalar(value):
        return made(node, scalar_of(value), secret=isinstance(value, SecretNode))
    content = value.content
    if isinstance(content, (list, tuple)) and all(map(is_scalar, content)):
        return Node([made(node, scalar_of(item)) for item in content], node.line, node.column, node.end_column)
    return expression(node)


def _abroad(part: Part, home: Resolver) -> Part:
    if isinstance(part, str) or part.sort == FOREIGN or (part.sort == INPUT and part.name in _OF_EVERY_STACK):
        return part
    name = f"{home.label}/{part.name}"
    if part.sort == RESOURCE:
        return Symbol(name, part.attribute, FOREIGN, home, part.name)
    return Symbol(name, part.attribute, EXPRESSION)


T = TypeVar("T")

Outputs = Callable[[Node, str, str], Node | Unsettled | None]
"""Takes the name of a nested stack and of an output of its template to the value, where its template is read."""

_OUTPUTS = "Outputs."


class Resolver:
    """Resolves the expressions of one template, in the scenario that its choices are in."""

    def __init__(
        self,
        template: Template,
        options: ReadOptions,
        faults: Faults,
        loops: Mapping[str, Doubt],
        around: Surroundings = NOWHERE,
    ) -> None:
        self.template = template
        self.around = around
        self.label = around.address or around.name or template.file
        self.outputs: Outputs | None = None
        self.tables: tuple[Table, ...] | None = None  # once they are built
        self.foreign_keys: dict[str, tuple[Resolver, Resource]] = {}  # of other stacks, that encrypt a table here
        self.options = options
        self.faults = faults
        self.file = template.file
        self.choices = Choices()
        self.conditions = Conditions(self, template.conditions)
        self._modules: tuple[str, ...] | None = None
        self._meanings: dict[str, Meaning] = pseudo_parameters(options)
        self._meanings.update({name: Meaning(doubt=doubt) for name, doubt in loops.items()})
        if around.name is not None:
            self._meanings[STACK_NAME] = Meaning(around.name)

    def head(self, node: Node) -> Resolved:
        """What the node comes to: a node, something unsettled, or nothing."""
        content = node.content
        if isinstance(content, str):
            return later(node, content) if "{{" in content and re.search(LATER, content) else node
        if isinstance(content, dict):
            names = " ".join(content)
            function = FUNCTIONS.get(names)  # one name alone, joined, is itself
            if function is not None:
                return function(self, node, content[names])
            return self._mapping(node, content) if "Fn::" in names or "Ref" in names else node
        return node

    def get(self, section: Section, key: str) -> Resolved:
        """What a member comes to; nothing where it is absent or null."""
        if isinstance(section, Unsettled):
            return section
        node = section.get(key)
        if node is None:
            return None
        content = node.content
        # Most members are nothing but what they say, and there is no time to lose on them.
        if type(content) is str:
            if "{{" not in content:
                return node
            value: Resolved = self.head(node)
        elif type(content) is not dict:
            return None if content is None else node
        elif "::" not in (names := " ".join(content)) and "Ref" not in names:
            return node
        else:
            function = FUNCTIONS.get(names)  # one name alone, joined, is itself
            value = self.head(node) if function is None else function(self, node, content[names])
        return None if isinstance(value, Node) and value.content is None else value

    def made(self, section: Section, key: str, unset: T, make: Callable[[Resolver, Section], T]) -> T:
        """What is made of a property: once for all scenarios that agree on it, and ``unset`` where it is absent."""
        if isinstance(section, dict) and key not in section:
            return unset
        choices = self.choices
        if choices.is_again:
            return choices.once(key, make, self, section)
        before = len(choices.asked)
        value = make(self, section)
        choices.keep(key, (self, section), before, value)
        return value

    def items(self, listed: Node) -> list[Node | Unsettled]:
        """The items of a list, less those that come to nothing."""
        content = listed.content if isinstance(listed.content, (list, tuple)) else ()
        values = map(self.head, content)
        return [value for value in values if value is not None]

    def place(self, node: Node) -> Place:
        """Where a node stands."""
        return Place(self.file, node.line, node.column, node.end_column)

    def address_for(self, asker: Resolver, name: str) -> str:
        """The address of what has this logical id here, as another stack knows it."""
        related = self is asker or self.around.address or self.file in asker.around.above
        return self.around.full(name) if related else f"{self.label}/{name}"

    def misfit(self, node: Node, what: str, hint: str | None = None) -> Unsettled:
        """Note that something has a wrong shape: it is unknown from here on."""
        self.faults.unreadable(node, what, hint)
        return Unsettled(Doubt(what, hint), node)

    def reference(self, node: Node, name: str, attribute: str | None = None) -> Resolved:
        """What a name stands for: a parameter, a pseudo parameter, or a resource."""
        if attribute is None:
            meaning = self._meanings.get(name)
            if meaning is not None:
                return self._meant(node, name, meaning)
            if name in self.around.given and self.around.giver is not None:
                return foreign(self.around.given[name], node, self.around.giver)
            if name in self.template.parameters:
                meaning = parameter(name, self.template.parameters[name], self.options, self.faults)
                self._meanings[name] = meaning
                return self._meant(node, name, meaning)
            if name == NO_VALUE:
                return None
        if name in self.template.names:
            if attribute is not None and self.outputs is not None and attribute.startswith(_OUTPUTS):
                output = self.outputs(node, name, attribute.removeprefix(_OUTPUTS))
                if output is not None:
                    return output
            return _of_resource(node, name, attribute)
        return self._undefined(node, name, attribute)

    def _meant(self, node: Node, name: str, meaning: Meaning) -> Resolved:
        content = meaning.content
        if isinstance(content, str):
            return made(node, content, secret=meaning.secret)
        if content is not None:
            kind = SecretNode if meaning.secret else Node
            items = [kind(text, node.line, node.column, node.end_column) for text in content]
            return Node(items, node.line, node.column, node.end_column)
        if meaning.doubt is not None:
            return Unsettled(meaning.doubt, node, (Symbol(name),), meaning.span)
        text = self.choices.ask(Question(VALUE, name), meaning.options)
        if text is None:
            return Unsettled(self.left_open(name), node, (Symbol(name),))
        return made(node, text, secret=meaning.secret)

    def left_open(self, subject: str) -> Doubt:
        """Why a question is not answered."""
        return Doubt(
            f"there are too many scenarios to walk them all, and {subject} is left open",
            f"pass --params FILE or --param {subject}=VALUE",
            (subject,),
        )

    def _undefined(self, node: Node, name: str, attribute: str | None) -> Unsettled:
        symbol = Symbol(name, attribute, RESOURCE)
        if self._is_made(name):
            doubt = Doubt(f"{name} is made by a transform or module that is not run here", None, (name,))
        else:
            what = f"{name!r} is neither a parameter nor a resource of this template"
            self.faults.unreadable(node, what)
            doubt = Doubt(what, None, (name,))
        return Unsettled(doubt, node, (symbol,))

    def _is_made(self, name: str) -> bool:
        """Whether a transform or a module may make what has this name."""
        if self._modules is None:
            types = {
                at: it.content.get("Type") for at, it in self.template.names.items() if isinstance(it.content, dict)
            }
            self._modules = tuple(at for at, it in types.items() if is_module(it))
        return self.template.serverless or bool(self.template.macros) or name.startswith(self._modules)

    def _mapping(self, node: Node, content: Mapping[str, Node]) -> Resolved:
        if "Ref" in content and len(content) > 1:
            return self.misfit(node, "Ref has keys beside it", "give a function a mapping of its own")
        for name in content:
            if name == "Fn::Transform":
                return transform(self, node, content[name])
            if name.startswith("Fn::ForEach"):
                return self.misfit(node, "a loop needs its transform", "add Transform: AWS::LanguageExtensions")
            if name.startswith("Fn::"):
                if len(content) > 1:
                    return self.misfit(node, f"{name} has keys beside it", "give a function a mapping of its own")
                return Unsettled(Doubt(f"{name} is a function that is not known here"), node)
        return node


def _of_resource(node: Node, name: str, attribute: str | None) -> Unsettled:
    what = name if attribute is None else f"{name}.{attribute}"
    return Unsettled(
        Doubt(f"{what} is known only once it is deployed", None, (name,)), node, (Symbol(name, attribute, RESOURCE),)
    )
