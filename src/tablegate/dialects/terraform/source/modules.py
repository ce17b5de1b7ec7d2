"""Instances of modules and resources, as expressions refer to them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import NamedTuple, Protocol

from tablegate.dialects.terraform.configuration import Key as InstanceKey
from tablegate.dialects.terraform.configuration import bracketed
from tablegate.dialects.terraform.references import Reached, UnknownValue
from tablegate.dialects.terraform.source.budget import Budget
from tablegate.dialects.terraform.source.definitions import Definition, Key, lifecycle_of, refuse_parsing
from tablegate.dialects.terraform.source.evaluate import evaluated
from tablegate.dialects.terraform.source.provider_names import ProviderUse, handed_providers, provider_use
from tablegate.dialects.terraform.source.scalars import FailedError, as_bool, as_number, as_text
from tablegate.dialects.terraform.source.values import (
    EvaluationScope,
    SetValue,
    converted,
    is_large,
    known_after_apply,
    known_after_plan,
    merged_unknown,
    unknowns,
)
from tablegate.dialects.terraform.source_info import Condition
from tablegate.model.value import Place
from tablegate.syntax.hcl.nodes import Block, Body, Expression, Literal
from tablegate.syntax.node import ParseError

_MAX_INSTANCES = 5_000  # instances of one resource
# Resources that hand on what they are given.
_PASSES_ON = {"terraform_data": ("output", "input")}


class Repetition(NamedTuple):
    """The instances that count, for_each or OpenTofu's enabled make: (key, value) pairs.

    With a doubt there may be others, or none: ``decided_by`` an expression that is not known.
    """

    pairs: tuple[tuple[object, object], ...] = ((None, None),)
    counts: bool = False
    single: bool = True
    doubt: UnknownValue | None = None
    decided_by: Expression | None = None


def repetition_of(body: Body, scope: EvaluationScope) -> Repetition:
    """The instances of a resource or module call with this body."""
    count, each = body.attributes.get("count"), body.attributes.get("for_each")
    enabled = lifecycle_of(body).get("enabled")
    if count is not None:
        found = _by_count(evaluated(count.value, scope))
    elif each is not None:
        found = _by_for_each(_instances_as_map(evaluated(each.value, scope)))
    elif enabled is not None:
        found = _by_switch(evaluated(enabled.value, scope))
    else:
        return _ONCE
    decides = count or each or enabled
    return found if found.doubt is None or decides is None else found._replace(decided_by=decides.value)


def _by_switch(content: object) -> Repetition:
    if type(content) is not UnknownValue:
        try:
            return _ONCE if as_bool(content) else _NONE
        except FailedError:
            content = UnknownValue("enabled is neither true nor false")
    return _ONCE._replace(doubt=content)


def _by_count(content: object) -> Repetition:
    if type(content) is not UnknownValue:
        try:
            number = as_number(content)
        except FailedError:
            number = -1
        if isinstance(number, int) and 0 <= number <= _MAX_INSTANCES:
            return Repetition(tuple((one, None) for one in range(number)), counts=True, single=False)
        content = UnknownValue("count is not a number of instances")
    return Repetition(((0, None),), counts=True, single=False, doubt=content)


def _by_for_each(content: object) -> Repetition:
    if isinstance(content, dict):
        return Repetition(tuple((key, content[key]) for key in sorted(content)), single=False)
    if isinstance(content, list) and all(isinstance(item, str) for item in content):
        items = content if isinstance(content, SetValue) else sorted(content)
        return Repetition(tuple((item, item) for item in items), single=False)
    doubts = [*unknowns(content), UnknownValue("for_each is neither a map nor a set of strings")]
    doubt = merged_unknown(doubts[:-1] or doubts)
    return Repetition(((doubt, doubt),), single=False, doubt=doubt)


def _instances_as_map(content: object) -> object:
    return content.keys() if hasattr(content, "keys") and not isinstance(content, dict) else content


_ONCE = Repetition()
_NONE = Repetition(pairs=())


def instance_key(key: object) -> InstanceKey:
    """The key in an address. None if it is not known."""
    return key if isinstance(key, (str, int)) else None


class ResourceInstances:
    """All instances of a resource or module call. Without count and for_each it behaves as the single instance."""

    def __init__(
        self,
        repeats: Repetition,
        one: Callable[[object, object], ResourceValue],
        address: str,
        reached: Reached | None = None,
    ) -> None:
        self._repeats = repeats
        self._one = one
        self._address = address
        self._reached = reached  # how a reference reads it

    def get(self, name: str) -> object:
        """An attribute of the single instance."""
        if not self._repeats.single:
            if self._repeats.doubt is not None:
                return self._some(self._repeats.doubt)
            raise FailedError
        if not self._repeats.pairs:
            raise FailedError  # OpenTofu: null has no attributes
        return self._one(None, None).get(name)

    def at(self, key: object) -> object:
        """The instance with this key."""
        repeats = self._repeats
        wanted = as_number(key) if repeats.counts else as_text(key)
        for known, value in repeats.pairs:
            if known == wanted and type(known) is type(wanted):
                return self._one(known, value)
        if repeats.doubt is not None:
            return self._some(repeats.doubt)
        raise FailedError

    def each(self) -> list[object] | UnknownValue:
        """All instances."""
        if self._repeats.doubt is not None:
            return self._some(self._repeats.doubt)
        return [self._one(key, value) for key, value in self._repeats.pairs]

    def keys(self) -> Mapping[str, object] | list[object] | UnknownValue:
        """The instances by key (for_each), or as a list (count)."""
        if self._repeats.doubt is not None:
            return self._some(self._repeats.doubt)
        if self._repeats.single or self._repeats.counts:
            return [self._one(key, value) for key, value in self._repeats.pairs]
        return {str(key): self._one(key, value) for key, value in self._repeats.pairs}

    def _some(self, doubt: UnknownValue) -> UnknownValue:
        """Instances of which it is not known how many there are. What is read of them is read of this resource."""
        references = () if self._reached is None else (self._reached,)
        return UnknownValue(doubt.reason, doubt.settle, names=doubt.names, references=references or doubt.references)

    def whole(self) -> UnknownValue:
        """All instances as one value, which is never known."""
        return UnknownValue(f"{self._address} is not known as a whole")


class ResourceValue:
    """One instance of a resource."""

    def __init__(self, module: ModuleInstance, name: Key, key: object, value: object, *, counts: bool) -> None:
        self._module = module
        self._name = name
        self._key = key
        self._scope = EvaluationScope(module, key, value, counts)

    def _reference(self, attribute: str) -> str:
        data = "data." if self._name.mode == "data" else ""
        behind = f".{attribute}" if attribute else ""
        return f"{data}{self._name.type}.{self._name.name}{bracketed(instance_key(self._key))}{behind}"

    def get(self, name: str) -> object:
        """An attribute: the argument as it is written, else a value that only the apply knows."""
        reference = self._reference(name)
        shown = f"{self._module.address}.{reference}".removeprefix(".")
        own = known_after_apply(shown, (self._module.address, reference))
        if self._name.mode == "data":
            planned = self._module.read_by_plan(self._name, self._key, name)
            if planned is not None:
                return planned
            own = known_after_plan(shown, (self._module.address, reference))
        body = self._module.body(self._name)
        output, input_name = _PASSES_ON.get(self._name.type, ("", ""))
        written = body.attributes.get(input_name if name == output else name)
        if written is None:
            return own
        content = self._module.computed_once(
            (self._name, self._key, name), lambda: evaluated(written.value, self._scope)
        )
        if name == output:
            inner = tuple(reached for one in unknowns(content) for reached in one.references)
            return UnknownValue(own.reason, own.settle, names=own.names, references=inner or own.references)
        if type(content) is UnknownValue:
            return UnknownValue(
                content.reason, content.settle, names=content.names, references=own.references, direct=True
            )
        return content

    def at(self, key: object) -> object:
        """An attribute, by a computed name."""
        return self.get(as_text(key))

    def each(self) -> list[object] | UnknownValue:
        """A list of this instance alone."""
        return [self]

    def whole(self) -> UnknownValue:
        """The whole resource as one value, which is never known."""
        reference = self._reference("")
        return known_after_apply(
            f"{self._module.address}.{reference}".removeprefix("."), (self._module.address, reference)
        )


class ModuleValue:
    """One instance of a called module, as a mapping of its outputs."""

    def __init__(self, module: ModuleInstance) -> None:
        self._module = module

    def get(self, name: str) -> object:
        """An output."""
        return self._module.output(name)

    def at(self, key: object) -> object:
        """An output, by a computed name."""
        return self._module.output(as_text(key))

    def each(self) -> list[object] | UnknownValue:
        """A list of this instance alone."""
        return [self]

    def whole(self) -> UnknownValue:
        """The whole module as one value, which is never known."""
        return UnknownValue(f"{self._module.address} is not known as a whole")


_MAX_DEPTH = 24  # modules in one another


class Project(Protocol):
    """What the module instances of one root share."""

    @property
    def budget(self) -> Budget:
        """What is left to be spent on all of them."""

    def definition_called(self, block: Block, module: ModuleInstance, path: tuple[str, ...]) -> Definition | None:
        """The definition of the module that a block of a module calls. None if it was not read."""

    def root_variable(self, name: str, block: Block, module: ModuleInstance) -> object:
        """The value of a root variable."""

    def refuse(self, message: str, place: Place, *, duplicate: bool = False, hint: str | None = None) -> None:
        """Report a part of the source that cannot be read."""

    def keep_secret(self, content: object) -> None:
        """Keep the texts of a sensitive value out of every report."""

    def read_by_plan(self, module: str, data: Key, key: InstanceKey, attribute: str) -> object:
        """What a plan read from a data source; None if there is no plan, or it does not tell."""


class ModuleInstance:
    """One instance of one module."""

    def __init__(
        self,
        project: Project,
        definition: Definition,
        *,
        address: str = "",
        path: tuple[str, ...] = (),
        call: Block | None = None,
        scope: EvaluationScope | None = None,
        conditions: tuple[Condition, ...] = (),
    ) -> None:
        self.conditions = conditions  # that decide whether it exists
        self.definition = definition
        self.address = address
        self.read_sensitive = False
        self._project = project
        self._path = path
        self.call = call
        self._scope = scope  # where the call stands, in the module above
        self._known: dict[Hashable, tuple[object, bool]] = {}
        self._children: dict[str, Repetition] = {}
        self._made: dict[tuple[str, object], ModuleInstance | None] = {}

    def note_sensitive(self) -> None:
        """Note that a sensitive value was read."""
        self.read_sensitive = True

    @property
    def budget(self) -> Budget:
        """What is left to be spent on the root."""
        return self._project.budget

    def computed_once(self, what: Hashable, work: Callable[[], object]) -> object:
        """Compute something once, and remember it under ``what``. A value that depends on itself is unknown."""
        entry = self._known.get(what)
        if entry is None:
            self._known[what] = UnknownValue("the expression refers to itself"), False
            before, self.read_sensitive = self.read_sensitive, False
            content = self._computed(work)
            entry = self._known[what] = content, self.read_sensitive
            self.read_sensitive = before
        self.read_sensitive = self.read_sensitive or entry[1]
        return entry[0]

    def _computed(self, work: Callable[[], object]) -> object:
        try:
            content = work()
        except ParseError as error:
            refuse_parsing(error, self.definition.folder, self._project.refuse)
            return UnknownValue("its syntax could not be read")
        return UnknownValue("the value is too large to evaluate") if is_large(content) else content

    def variable(self, name: str) -> object:
        """The value of a variable."""
        return self.computed_once(("var", name), lambda: self._variable(name))

    def _variable(self, name: str) -> object:
        block = self.definition.variables.get(name)
        if block is None:
            return UnknownValue(f"variable {name} is not declared in the source")
        content = (
            self._of_call(name, block) if self.call is not None else self._project.root_variable(name, block, self)
        )
        return self._marked(block, content)

    def _marked(self, block: Block, content: object) -> object:
        """The value of a variable or an output, which is kept from every report if the block says so."""
        sensitive = block.body.attributes.get("sensitive")
        if sensitive is not None and sensitive.value != Literal(False):
            self.note_sensitive()
            self._project.keep_secret(content)
        return content

    def _of_call(self, name: str, block: Block) -> object:
        if self.call is None or self._scope is None:
            raise AssertionError(name)
        argument = self.call.body.attributes.get(name)
        body = block.body.attributes
        type_ = body["type"].value if "type" in body else None
        if argument is not None:
            above = self._scope.module
            content = evaluated(argument.value, self._scope)
            self.read_sensitive = self.read_sensitive or getattr(above, "read_sensitive", False)
            if content is not None or not _is_false(body.get("nullable")):
                return converted(content, type_)
        if "default" in body:
            return converted(evaluated(body["default"].value, EvaluationScope(self)), type_)
        return UnknownValue(f"variable {name} is not passed to the module")

    def local(self, name: str) -> object:
        """The value of a local."""
        attribute = self.definition.locals.get(name)
        if attribute is None:
            return UnknownValue(f"local.{name} is not defined in the source")
        return self.computed_once(("local", name), lambda: evaluated(attribute.value, EvaluationScope(self)))

    def output(self, name: str) -> object:
        """The value of an output. If it is sensitive, so is what the module above makes of it."""
        before, self.read_sensitive = self.read_sensitive, False
        content = self.computed_once(("output", name), lambda: self._output(name))
        if self.read_sensitive and self._scope is not None:
            self._scope.module.note_sensitive()
        self.read_sensitive = before or self.read_sensitive
        return content

    def _output(self, name: str) -> object:
        block = self.definition.outputs.get(name)
        value = None if block is None else block.body.attributes.get("value")
        if block is None or value is None:
            return UnknownValue(f"{self.address} has no output {name} in the source")
        return self._marked(block, evaluated(value.value, EvaluationScope(self)))

    def resource(self, mode: str, type_: str, name: str) -> object:
        """All instances of a resource."""
        key = Key(mode, type_, name)
        if key not in self.definition.resources:
            return UnknownValue(f"{type_}.{name} is not in the source")
        repeats = self.repeats(key)
        return ResourceInstances(
            repeats,
            lambda at, value: ResourceValue(self, key, at, value, counts=repeats.counts),
            f"{type_}.{name}",
            (self.address, f"data.{type_}.{name}" if mode == "data" else f"{type_}.{name}"),
        )

    def read_by_plan(self, data: Key, key: object, attribute: str) -> object:
        """An attribute of a data source, if the source belongs to a plan that tells it."""
        return self._project.read_by_plan(self.address, data, instance_key(key), attribute)

    def repeats(self, key: Key) -> Repetition:
        """The instances of a resource."""
        repetition = self.computed_once(key, lambda: repetition_of(self.body(key), EvaluationScope(self)))
        return repetition if isinstance(repetition, Repetition) else Repetition(doubt=None)

    def conditions_of(self, repeats: Repetition) -> tuple[Condition, ...]:
        """What decides whether the instances of a resource or a call exist, and is not known."""
        if repeats.doubt is None or repeats.decided_by is None:
            return self.conditions
        return (*self.conditions, Condition(self.address, repeats.decided_by, repeats.doubt.doubt()))

    def body(self, key: Key) -> Body:
        """The body of a resource. Empty if it cannot be read, which is reported."""
        block = self.definition.resources[key]
        try:
            return block.body
        except ParseError as error:
            refuse_parsing(error, block.file.name, self._project.refuse)
            return Body({}, ())

    def module(self, name: str) -> object:
        """All instances of a called module."""
        block = self.definition.calls.get(name)
        if block is None:
            return UnknownValue(f"module.{name} is not in the source")
        repeats = self._repeats_of(name, block)
        if repeats is None:
            return UnknownValue(
                f"module.{name} was not read", "check a plan, or pass --trust-modules after terraform init"
            )

        def one(key: object, value: object) -> ModuleValue:
            child = self._child(name, block, repeats, key, value)
            if child is None:
                raise AssertionError(name)
            return ModuleValue(child)

        return ResourceInstances(repeats, one, f"module.{name}")  # type: ignore[arg-type]

    def children(self) -> Iterator[ModuleInstance]:
        """The instances of all called modules."""
        for name, block in sorted(self.definition.calls.items()):
            repeats = self._repeats_of(name, block)
            for key, value in () if repeats is None else repeats.pairs:
                child = self._child(name, block, repeats or _ONCE, key, value)
                if child is not None:
                    yield child

    def _repeats_of(self, name: str, block: Block) -> Repetition | None:
        """The instances of a module call. None if the module was not read."""
        if len(self._path) >= _MAX_DEPTH or self._project.definition_called(block, self, (*self._path, name)) is None:
            return None
        repetition = self.computed_once(("module", name), lambda: repetition_of(block.body, EvaluationScope(self)))
        return repetition if isinstance(repetition, Repetition) else None

    def _child(self, name: str, block: Block, repeats: Repetition, key: object, value: object) -> ModuleInstance | None:
        known = (name, instance_key(key))
        if known not in self._made:
            definition = self._project.definition_called(block, self, (*self._path, name))
            address = f"{self.address}.module.{name}{bracketed(instance_key(key))}".removeprefix(".")
            self._made[known] = (
                None
                if definition is None
                else ModuleInstance(
                    self._project,
                    definition,
                    address=address,
                    path=(*self._path, name),
                    call=block,
                    scope=EvaluationScope(self, key, value, repeats.counts),
                    conditions=self.conditions_of(repeats),
                )
            )
        return self._made[known]

    def provider(self, use: ProviderUse) -> tuple[ModuleInstance, ProviderUse] | None:
        """The module that configures this provider, and its key there: this module, or the one that passes it in."""
        key = use.name
        if key in self.definition.providers:
            return self, use
        if self.call is None or self._scope is None:
            return None
        above = self._scope.module
        if not isinstance(above, ModuleInstance):
            return None
        handed = self.call.body.attributes.get("providers")
        names = handed_providers(handed.value) if handed is not None else {}
        if key in names:
            return above.provider(provider_use(names[key], self._scope, key))
        return None if "." in key else above.provider(use)


def _is_false(attribute: object) -> bool:
    return getattr(attribute, "value", None) == Literal(False)
