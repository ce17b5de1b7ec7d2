"""Resolves the expressions of a template.

The language is recursive, and so are these four files: a function in ``intrinsics`` resolves its arguments here; a
condition in ``conditions`` resolves what it compares, and asks ``scenarios`` what it cannot know.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from tablegate.dialects.cloudformation.conditions import Conditions
from tablegate.dialects.cloudformation.intrinsics import FUNCTIONS, transform
from tablegate.dialects.cloudformation.limits import limits_of
from tablegate.dialects.cloudformation.parameters import (
    NO_VALUE,
    SHORTEST,
    STACK_NAME,
    ParameterValue,
    is_secret,
    parameter,
    pseudo_parameters,
)
from tablegate.dialects.cloudformation.placeholders import unfilled
from tablegate.dialects.cloudformation.scenarios import VALUE, Question, Scenarios
from tablegate.dialects.cloudformation.template import Template, is_module
from tablegate.dialects.cloudformation.values import (
    DYNAMIC_REFERENCE,
    EXPRESSION,
    INPUT,
    OTHER_STACK,
    RESOURCE,
    UNFILLED,
    NameReference,
    Part,
    Resolved,
    SecretNode,
    Unresolved,
    dynamic_reference,
    expression,
    is_scalar,
    scalar_of,
    text_node,
)
from tablegate.dialects.reading import Faults, ReadOptions, TextBudget
from tablegate.model.record import field, record
from tablegate.model.table import Construct, Table
from tablegate.model.value import Doubt, Place
from tablegate.syntax.node import Node
from tablegate.syntax.source import ALONE, Beside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.dialects.cloudformation.exports import Exports
    from tablegate.dialects.cloudformation.properties import Resource
    from tablegate.dialects.cloudformation.stacks import EmbeddedStacks
    from tablegate.iam.arns import Symbols


Constructs = Callable[[str, str | None], Construct | None]
"""Takes a logical id, and the path in the resource's metadata, to the construct that made it."""

_OF_EVERY_STACK = frozenset({"AWS::Region", "AWS::AccountId", "AWS::Partition", "AWS::URLSuffix"})


@record(eq=False)
class StackContext:
    """What is known of a stack. A nested stack has its ``address`` and ``scenario`` in the stack that embeds it."""

    address: str = ""
    name: str | None = None
    parent: Resolver | None = None
    parent_parameters: Mapping[str, Node | Unresolved] = field(default_factory=dict)  # those that are more than a text
    scenario: Mapping[str, str] | None = None
    ancestors: tuple[str, ...] = ()  # the files of the templates that embed this one
    beside: Beside = ALONE
    assets: Mapping[str, str] = field(default_factory=dict)  # files, by the hash that they are published under
    exports: Exports | None = None
    constructs: Constructs | None = None
    embedded: EmbeddedStacks | None = None  # asked for outputs of nested stacks
    symbols: Symbols | None = None  # for what is not known, if several scenarios of a stack must share them

    def full(self, name: str) -> str:
        """The address of a logical id of the stack."""
        return f"{self.address}/{name}" if self.address else name


NO_CONTEXT = StackContext()


def from_other_stack(value: Resolved, node: Node, stack: Resolver) -> Resolved:
    """A value of another stack, at the place where it is used."""
    if value is None:
        return None
    if isinstance(value, Unresolved):
        return Unresolved(
            value.doubt, node, tuple(_part_of_other_stack(part, stack) for part in value.parts), value.span
        )
    if is_scalar(value):
        return text_node(node, scalar_of(value), secret=isinstance(value, SecretNode))
    content = value.content
    if isinstance(content, (list, tuple)) and all(map(is_scalar, content)):
        items = [text_node(node, scalar_of(item), secret=isinstance(item, SecretNode)) for item in content]
        return Node(items, node.line, node.column, node.end_column)
    return expression(node)


def _part_of_other_stack(part: Part, stack: Resolver) -> Part:
    if isinstance(part, str) or part.kind == OTHER_STACK or (part.kind == INPUT and part.name in _OF_EVERY_STACK):
        return part
    name = f"{stack.label}/{part.name}"
    if part.kind == RESOURCE:
        return NameReference(name, part.attribute, OTHER_STACK, stack, part.name)
    return NameReference(name, part.attribute, EXPRESSION)


_OUTPUTS = "Outputs."
_MOST_WORDS = 1_000  # that are held against the limits of parameters


class Resolver:
    """Resolves the expressions of one template in the current one of its scenarios."""

    def __init__(
        self,
        template: Template,
        options: ReadOptions,
        faults: Faults,
        loops: Mapping[str, Doubt],
        context: StackContext = NO_CONTEXT,
    ) -> None:
        self.template = template
        self.context = context
        self.label = context.address or context.name or template.file
        self.tables: tuple[Table, ...] | None = None  # once they are built
        self.keys_of_other_stacks: dict[str, Resource] = {}  # KMS keys that encrypt a table here
        self.options = options
        self.faults = faults
        self.file = template.file
        self.scenarios = Scenarios()
        self.conditions = Conditions(self, template.conditions)
        self.secrets: set[str] = set()  # those that only expressions give
        self.texts = TextBudget()
        self._modules: tuple[str, ...] | None = None
        self._can_be: dict[tuple[str, str], bool] = {}
        self._parameter_values: dict[str, ParameterValue] = pseudo_parameters(options)
        self._parameter_values.update({name: ParameterValue(doubt=doubt) for name, doubt in loops.items()})
        if context.name is not None:
            self._parameter_values[STACK_NAME] = ParameterValue(context.name)

    def resolve(self, node: Node) -> Resolved:
        """What a node comes to. Only its own function is resolved, not those in its members."""
        content = node.content
        if isinstance(content, str):
            return node if "{{" not in content else self._filled_in_later(node, content)
        if isinstance(content, dict):
            names = " ".join(content)
            function = FUNCTIONS.get(names)  # one name alone, joined, is itself
            if function is not None:
                return function(self, node, content[names])
            return self._mapping(node, content) if "Fn::" in names or "Ref" in names else node
        return node

    def _filled_in_later(self, node: Node, text: str) -> Resolved:
        if text.startswith(UNFILLED):
            return unfilled(node, text)
        return dynamic_reference(node, text) if re.search(DYNAMIC_REFERENCE, text) else node

    def resolve_member(self, node: Node) -> Resolved:
        """What a member comes to; None if it is null."""
        value = self.resolve(node)
        return None if isinstance(value, Node) and value.content is None else value

    def get(self, members: Mapping[str, Node], key: str) -> Resolved:
        """What a member of a mapping comes to; None if it is absent or null."""
        node = members.get(key)
        return None if node is None else self.resolve_member(node)

    def items(self, node: Node) -> list[Node | Unresolved]:
        """The items of a list without those that are ``AWS::NoValue``."""
        content = node.content if isinstance(node.content, (list, tuple)) else ()
        values = map(self.resolve, content)
        return [value for value in values if value is not None]

    def is_secret(self, node: Node) -> bool:
        """Whether a value is secret, or anything in it."""
        if type(node) is SecretNode or not self._has_secrets:
            return type(node) is SecretNode
        content = node.content
        inner = content.values() if isinstance(content, dict) else content if isinstance(content, (list, tuple)) else ()
        values = map(self.resolve, inner)
        return any(isinstance(value, Node) and self.is_secret(value) for value in values)

    @cached_property
    def _has_secrets(self) -> bool:
        given = self.context.parent_parameters.values()
        return any(map(is_secret, self.template.parameters.values())) or any(type(it) is SecretNode for it in given)

    def place(self, node: Node) -> Place:
        """The place of a node."""
        return Place(self.file, node.line, node.column, node.end_column)

    def address_for(self, asker: Resolver, name: str) -> str:
        """The address of a logical id of this stack, as another stack knows it."""
        related = self is asker or self.context.address or self.file in asker.context.ancestors
        return self.context.full(name) if related else f"{self.label}/{name}"

    def wrong_shape(self, node: Node, what: str, hint: str | None = None) -> Unresolved:
        """Report a node of a wrong shape. Its value is not known."""
        self.faults.unreadable(what, node, hint)
        return Unresolved(Doubt(what, hint), node)

    def resolve_name(self, node: Node, name: str, attribute: str | None = None) -> Resolved:
        """What a name stands for: a parameter, a pseudo parameter, or a resource."""
        if attribute is None:
            value = self._parameter_values.get(name)
            if value is not None:
                return self._parameter_node(node, name, value)
            if name in self.context.parent_parameters and self.context.parent is not None:
                return from_other_stack(self.context.parent_parameters[name], node, self.context.parent)
            if name in self.template.parameters:
                value = parameter(name, self.template.parameters[name], self.options, self.faults)
                self._parameter_values[name] = value
                return self._parameter_node(node, name, value)
            if name == NO_VALUE:
                return None
        if name in self.template.names:
            embedded = self.context.embedded
            if embedded is not None and attribute is not None and attribute.startswith(_OUTPUTS):
                output = embedded.output(self, node, name, attribute.removeprefix(_OUTPUTS))
                if output is not None:
                    return output
            return _of_resource(node, name, attribute)
        return self._undefined(node, name, attribute)

    def can_be(self, name: str, word: str) -> bool:
        """Whether a parameter without a value can be this word, by the limits that the template sets."""
        node = self.template.parameters.get(name)
        if node is None or not isinstance(node.content, dict):
            return True
        known = self._can_be.get((name, word))
        if known is None:
            limits = limits_of(node.content)
            is_text = limits.type in ("String", "Number") and len(self._can_be) < _MOST_WORDS
            known = self._can_be[name, word] = not is_text or limits.refusal(word) is None
        return known

    def _parameter_node(self, node: Node, name: str, value: ParameterValue) -> Resolved:
        content = value.content
        if isinstance(content, str):
            return text_node(node, content, secret=value.secret)
        if content is not None:
            kind = SecretNode if value.secret else Node
            items = [kind(text, node.line, node.column, node.end_column) for text in content]
            return Node(items, node.line, node.column, node.end_column)
        if value.doubt is not None:
            return Unresolved(value.doubt, node, (NameReference(name),), value.span)
        text = self.scenarios.ask(Question(VALUE, name), value.options)
        if text is None:
            return Unresolved(self.left_open(name), node, (NameReference(name),))
        return text_node(node, text, secret=value.secret)

    def keep_secret(self, pieces: Iterable[str]) -> None:
        """Keep pieces of a secret out of every report, if they are long enough to be no ordinary words."""
        self.secrets.update(piece for piece in pieces if len(piece) >= SHORTEST)

    def left_open(self, subject: str) -> Doubt:
        """The doubt about a question that is not asked, as there are too many."""
        return Doubt(
            f"there are too many scenarios, so {subject} is left open",
            f"pass --params FILE or --param {subject}=VALUE",
            (subject,),
        )

    def _undefined(self, node: Node, name: str, attribute: str | None) -> Unresolved:
        reference = NameReference(name, attribute, RESOURCE)
        if self._may_be_generated(name):
            doubt = Doubt(f"{name} may come from a transform or module, which is not run", None, (name,))
        else:
            what = f"{name!r} is neither a parameter nor a resource of this template"
            self.faults.unreadable(what, node)
            doubt = Doubt(what, None, (name,))
        return Unresolved(doubt, node, (reference,))

    def _may_be_generated(self, name: str) -> bool:
        """Whether a transform or a module may generate a resource of this name."""
        if self._modules is None:
            types = {
                address: node.content.get("Type")
                for address, node in self.template.names.items()
                if isinstance(node.content, dict)
            }
            self._modules = tuple(address for address, type_ in types.items() if is_module(type_))
        return self.template.serverless or self.template.has_open_resources or name.startswith(self._modules)

    def _mapping(self, node: Node, content: Mapping[str, Node]) -> Resolved:
        if "Ref" in content and len(content) > 1:
            return self.wrong_shape(
                node, "Ref must be the only key of its mapping", "put the function into a mapping of its own"
            )
        for name in content:
            if name == "Fn::Transform":
                return transform(self, node, content[name])
            if name.startswith("Fn::ForEach"):
                return self.wrong_shape(
                    node, "Fn::ForEach needs its transform", "add Transform: AWS::LanguageExtensions"
                )
            if name.startswith("Fn::"):
                if len(content) > 1:
                    return self.wrong_shape(
                        node,
                        f"{name} must be the only key of its mapping",
                        "put the function into a mapping of its own",
                    )
                return Unresolved(Doubt(f"{name} is not a known function"), node)
        return node


def _of_resource(node: Node, name: str, attribute: str | None) -> Unresolved:
    what = name if attribute is None else f"{name}.{attribute}"
    return Unresolved(
        Doubt(f"{what} is known only after deploy", None, (name,)),
        node,
        (NameReference(name, attribute, RESOURCE),),
    )
