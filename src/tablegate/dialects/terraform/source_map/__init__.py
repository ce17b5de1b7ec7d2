"""Finds the lines of source that a plan was made from, and checks that source and plan agree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tablegate.dialects.terraform.configuration import Configuration, Tree, calls, steps, tree, trees, unkeyed
from tablegate.dialects.terraform.configuration import Key as InstanceKey
from tablegate.dialects.terraform.prior_state import PriorState
from tablegate.dialects.terraform.references import Rest, UnknownValue
from tablegate.dialects.terraform.resource_changes import ResourceChange
from tablegate.dialects.terraform.source.budget import Budget
from tablegate.dialects.terraform.source.configured import contradicts, expression_of, member_at, references
from tablegate.dialects.terraform.source.definitions import Definition, Key, definition_of, inner_type
from tablegate.dialects.terraform.source.evaluate import evaluated
from tablegate.dialects.terraform.source.modules import ModuleInstance, instance_key
from tablegate.dialects.terraform.source.plan_shape import bodies, keeping, plainly, plan_object
from tablegate.dialects.terraform.source.scalars import FailedError
from tablegate.dialects.terraform.source.values import EvaluationScope
from tablegate.dialects.terraform.source_info import Lifecycle, SourceMatch
from tablegate.dialects.terraform.source_map.blocks import NO_NAMES, BlockMap, DynamicItem, Names
from tablegate.dialects.terraform.source_map.call_lines import CallsOfPlan
from tablegate.dialects.terraform.source_map.expressions import ExpressionSite, ValueTracer
from tablegate.dialects.terraform.source_map.modules import Folders, Module
from tablegate.findings import Fault
from tablegate.model.value import Place
from tablegate.syntax.hcl.nodes import Attribute, Block, Body, Expression, Literal
from tablegate.syntax.node import ParseError
from tablegate.syntax.source import Source
from tablegate.syntax.source import Tree as SourceTree

# Arguments and blocks of Terraform itself: they are elsewhere in a plan, or not in it.
_META = frozenset({"count", "for_each", "provider", "depends_on"})
OF_CALLS = frozenset({"source", "version", "providers"})
_META_BLOCKS = frozenset({"lifecycle", "provisioner", "connection", "dynamic"})
_WITHOUT_SECRETS = frozenset(
    {
        "aws_caller_identity",
        "aws_dynamodb_table",
        "aws_iam_policy_document",
        "aws_kms_alias",
        "aws_kms_key",
        "aws_partition",
        "aws_region",
    }
)


def agrees(body: Body, expressions: Tree, own: frozenset[str] = frozenset()) -> bool:
    """Whether a block has the same arguments and blocks as the plan's configuration, with the same references.

    ``own`` names arguments of Terraform itself, which the configuration does not list.
    """
    try:
        return _agrees(body, expressions, own)
    except (FailedError, ParseError):
        return False


def _agrees(body: Body, expressions: Tree, own: frozenset[str]) -> bool:
    arguments = {name: one.value for name, one in body.attributes.items() if name not in _META | own}
    blocks: dict[str, list[Block]] = {}
    for block in body.blocks:
        if block.type not in _META_BLOCKS:
            blocks.setdefault(inner_type(block), []).append(block)
    if arguments.keys() | blocks.keys() != expressions.keys():
        return False
    return all(_same(value, expressions[name]) for name, value in arguments.items()) and all(
        _same_blocks(inner, expressions[name]) for name, inner in blocks.items()
    )


def _same_blocks(blocks: list[Block], expression: object) -> bool:
    written = [expression] if isinstance(expression, dict) else trees(expression)
    if len(written) != len(blocks):
        return False
    return all(_agrees(block.body, one, frozenset()) for block, one in zip(blocks, written, strict=True))


def _same(node: Expression, expression: object) -> bool:
    """Whether an expression has the constant or the references that the configuration lists."""
    if not isinstance(expression, dict):
        return not isinstance(expression, list) or not isinstance(node, Literal)
    if "constant_value" in expression and isinstance(node, Literal):
        return not contradicts(node, expression["constant_value"])
    listed = expression.get("references")
    return {_root(str(one)) for one in (listed if isinstance(listed, list) else ())} == {
        one.root for one in references(node)
    }


def _root(reference: str) -> str:
    words = [str(step.name) for step in steps(reference) if step.name is not None]
    return ".".join(words[: 3 if words[:1] == ["data"] else 2])


class Evaluation:
    """Evaluates expressions of a plan's source with the variables of the plan."""

    def __init__(self, folders: Folders, root: Module, variables: Tree, state: PriorState) -> None:
        self._folders = folders
        self._state = state
        self._variables = variables
        self.budget = Budget()
        self._definitions: dict[str, Definition] = {}
        self._dynamic: dict[tuple[str, int], list[DynamicItem]] = {}
        self._modules: dict[str, ModuleInstance | None] = {"": ModuleInstance(self, self._definition(root.folder))}

    def value(self, instance: ResourceChange, node: Expression, known: Names) -> object:
        """The value of an expression of a resource instance, with the variables of dynamic blocks around it.

        None if the instance does not exist in source.
        """
        module = self._module(instance.module)
        if module is None:
            return None
        try:
            scope = self._scope(module, instance)
            return None if scope is None else evaluated(node, scope._replace(names=known))
        except ParseError:
            return None

    def items(self, instance: ResourceChange, dynamic: Block, content: Body, known: Names) -> list[DynamicItem]:
        """What a dynamic block makes. None of it if that is not known."""
        if known:  # of a dynamic block around it
            return self._items(instance, dynamic, content, known)
        key = instance.address, id(dynamic)
        if key not in self._dynamic:
            self._dynamic[key] = self._items(instance, dynamic, content, known)
        return self._dynamic[key]

    def _items(self, instance: ResourceChange, dynamic: Block, content: Body, known: Names) -> list[DynamicItem]:
        module = self._module(instance.module)
        try:
            scope = None if module is None else self._scope(module, instance)
            if module is None or scope is None:
                return []
            items = []
            for body, inner in bodies(dynamic, scope._replace(names=known)):
                if isinstance(inner, UnknownValue) or body is not content:
                    return []
                made = plan_object(body, dynamic, inner, module)
                items.append(DynamicItem(inner.names, made.content, plainly(made.expressions)))
        except ParseError:
            return []
        return items

    def definition_called(self, block: Block, module: ModuleInstance, path: tuple[str, ...]) -> Definition | None:
        """The definition of the module that a block calls. None if its source is not available."""
        target = self._folders.of_call(block, module.definition.folder, path)
        return None if target is None or not self._folders.sources(target) else self._definition(target)

    def root_variable(self, name: str, block: Block, module: ModuleInstance) -> object:  # noqa: ARG002 - the plan says it
        """The value of a root variable, as the plan has it."""
        held = tree(self._variables.get(name))
        return held["value"] if "value" in held else UnknownValue(f"variable {name} is not in the plan")

    def refuse(self, message: str, place: Place, *, duplicate: bool = False, hint: str | None = None) -> None:
        """Report a part of the source that cannot be read."""
        self._folders.refuse(message, place, duplicate=duplicate, hint=hint)

    def keep_secret(self, content: object) -> None:
        """Nothing to do: the plan marks its sensitive values."""

    def read_by_plan(self, module: str, data: Key, key: InstanceKey, attribute: str) -> object:
        """What the plan read from a data source that can hold no secret."""
        if data.type not in _WITHOUT_SECRETS:
            return None
        return tree(self._state.data(module, data.type, data.name, key)).get(attribute)

    def _definition(self, folder: str) -> Definition:
        definition = self._definitions.get(folder)
        if definition is None:
            sources = self._folders.sources(folder)
            definition = self._definitions[folder] = definition_of(
                folder, sources, self._folders.grammar, self._folders.refuse
            )
        return definition

    def _module(self, address: str) -> ModuleInstance | None:
        if address not in self._modules:
            path = calls(address)
            above = self._module(path[-2].address if len(path) > 1 else "")
            candidates = None if above is None else (child for child in above.children() if child.address == address)
            self._modules[address] = None if candidates is None else next(candidates, None)
        return self._modules[address]

    def _scope(self, module: ModuleInstance, instance: ResourceChange) -> EvaluationScope | None:
        key = Key(instance.mode, instance.type, instance.name)
        if key not in module.definition.resources:
            return None
        repeats = module.repeats(key)
        pairs = (pair for pair in repeats.pairs if instance_key(pair[0]) == instance.key)
        at = next(pairs, None)
        return None if at is None or repeats.doubt is not None else EvaluationScope(module, *at, repeats.counts)


class InstanceValues:
    """Evaluates the expressions of one resource instance."""

    def __init__(self, evaluation: Callable[[], Evaluation], instance: ResourceChange) -> None:
        self._evaluation = evaluation
        self._instance = instance

    def value(self, node: Expression, known: Names = NO_NAMES) -> object:
        """The value of an expression."""
        return self._evaluation().value(self._instance, node, known)

    def items(self, dynamic: Block, content: Body, known: Names) -> list[DynamicItem]:
        """What a dynamic block makes."""
        return self._evaluation().items(self._instance, dynamic, content, known)


class SourceMap:
    """The source of one plan. Files are parsed only when a resource in them is looked up."""

    def __init__(
        self,
        source: SourceTree,
        values: Iterable[Source],
        grammar: str | None,
        configuration: Configuration,
        variables: Tree,
        *,
        tofu: bool,
        state: PriorState,
    ) -> None:
        self._folders = Folders(source, values, grammar, tofu=tofu)
        self._state = state
        self._configuration = configuration
        self._tracer = ValueTracer(variables)
        self._root = Module(self._folders, source.root)
        self._variables = variables
        self._evaluation: Evaluation | None = None
        self._sure: dict[tuple[int, int], bool] = {}  # by blocks and what is configured, which stay as long as this
        self._called: dict[str, bool] = {"": True}

    @property
    def faults(self) -> Sequence[Fault]:
        """The files that could not be read."""
        return self._folders.faults

    @property
    def calls(self) -> CallsOfPlan:
        """Where its module calls are written."""
        return CallsOfPlan(self._module)

    def of(self, instance: ResourceChange, configured: Tree | None, content: Tree) -> SourceMatch | None:
        """Where a resource is written. ``content`` is its planned value."""
        module = self._module(instance.module)
        kind = "data" if instance.mode == "data" else "resource"
        block = None if module is None else module.block(kind, instance.type, instance.name)
        if module is None or block is None:
            return None
        body = self._folders.body(block)
        sure = configured is not None and self._agrees(block, body, configured) and self._is_called(instance.module)
        keys = tuple(call.key for call in calls(instance.module))
        site = ExpressionSite(module, keys, body.attributes.get("for_each"), instance.key)
        values = InstanceValues(self._evaluator, instance)
        written = BlockMap(block, body, content, site, self._tracer, sure=sure, values=values)
        kept = Lifecycle(*(_evaluated_flag(values, attribute) for attribute in keeping(body)))
        return SourceMatch(written, kept, sure)

    def _agrees(self, block: Block, body: Body, configured: Tree) -> bool:
        """Whether the block is the one that was planned. Computed once for all instances of a resource."""
        key = id(block), id(configured)
        if key not in self._sure:
            self._sure[key] = agrees(body, tree(configured.get("expressions")))
        return self._sure[key]

    def _is_called(self, address: str) -> bool:
        """Whether a module and its callers are called as the plan says."""
        address = unkeyed(address)
        if address not in self._called:
            module, path = self._module(address), calls(address)
            call = None if module is None else module.call
            expressions = tree(self._configuration.call(address).get("expressions"))
            same = call is not None and agrees(self._folders.body(call), expressions, OF_CALLS)
            self._called[address] = same and self._is_called(path[-2].address if len(path) > 1 else "")
        return self._called[address]

    def local(self, module: str, name: str, rest: Rest) -> tuple[object, Rest] | None:
        """The expression of a local in the form of a plan's configuration, and the steps that remain."""
        owner = self._module(module) if self._is_called(module) else None
        attribute = None if owner is None else owner.local(name)
        if attribute is None:
            return None
        keys = tuple(step.name if step.name is not None else step.key for step in rest)
        part = member_at(attribute.value, tuple(key for key in keys if key is not None))
        return expression_of(part.node), rest[len(part.taken) :]

    def _evaluator(self) -> Evaluation:
        if self._evaluation is None:
            self._evaluation = Evaluation(self._folders, self._root, self._variables, self._state)
        return self._evaluation

    def _module(self, address: str) -> Module | None:
        module: Module | None = self._root
        for call in calls(address):
            module = None if module is None else module.child(call.name)
        return module


def _evaluated_flag(values: InstanceValues, attribute: Attribute | None) -> Attribute | None:
    """An argument with what its expression comes to, if that is known: OpenTofu takes variables in a lifecycle."""
    if attribute is None or isinstance(attribute.value, Literal):
        return attribute
    content = values.value(attribute.value)
    return attribute._replace(value=Literal(content)) if isinstance(content, (bool, str)) else attribute
