"""Module instances: their variables, locals, resources and outputs, each worked out when somebody asks."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Protocol

from tablegate.dialects.terraform_plan.addresses import bracketed
from tablegate.dialects.terraform_plan.unknowns import Unknown
from tablegate.dialects.terraform_source.definitions import Definition, Key, refuse_parsing
from tablegate.dialects.terraform_source.evaluate import evaluated
from tablegate.dialects.terraform_source.scopes import Scope
from tablegate.dialects.terraform_source.things import Called, Instances, Repeats, Thing, instance_key, repeated
from tablegate.dialects.terraform_source.types import converted
from tablegate.dialects.terraform_source.values import is_large
from tablegate.model.value import Place
from tablegate.syntax.errors import ParseError
from tablegate.syntax.hcl_nodes import Access, Attr, Block, Body, Expression, Literal, Name, Object

_FAR = 24  # modules in one another
_HERE = frozenset({"alias", "version"})


class Project(Protocol):
    """What all module instances of one root share."""

    def called(self, block: Block, folder: str, path: tuple[str, ...]) -> Definition | None:
        """The module that a block calls; None where it was not read."""

    def given(self, name: str, block: Block, module: ModuleInstance) -> object:
        """The content of a variable of the root module."""

    def refuse(self, message: str, place: Place, *, duplicate: bool = False, hint: str | None = None) -> None:
        """A part of the source that is not what it should be."""

    def keep_secret(self, content: object) -> None:
        """Texts that no report may hold."""

    def spend(self) -> None:
        """One more step of a loop."""


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
        scope: Scope | None = None,
    ) -> None:
        self.definition = definition
        self.address = address
        self.marked = False
        self._project = project
        self._path = path
        self._call = call
        self._scope = scope  # where the call stands, in the module above
        self._known: dict[Hashable, tuple[object, bool]] = {}
        self._children: dict[str, Repeats] = {}
        self._made: dict[tuple[str, object], ModuleInstance | None] = {}

    def mark(self) -> None:
        """Something sensitive was read."""
        self.marked = True

    def spend(self) -> None:
        """One more step of a loop."""
        self._project.spend()

    def guarded(self, what: Hashable, work: Callable[[], object]) -> object:
        """Work something out once. What needs itself on the way is not known."""
        found = self._known.get(what)
        if found is None:
            self._known[what] = Unknown("an expression that needs itself"), False
            before, self.marked = self.marked, False
            content = self._worked_out(work)
            found = self._known[what] = content, self.marked
            self.marked = before
        self.marked = self.marked or found[1]
        return found[0]

    def _worked_out(self, work: Callable[[], object]) -> object:
        try:
            content = work()
        except ParseError as error:
            refuse_parsing(error, self.definition.folder, self._project.refuse)
            return Unknown("it is written in a way that could not be read")
        return Unknown("more than is evaluated") if is_large(content) else content

    def variable(self, name: str) -> object:
        """The content of a variable."""
        return self.guarded(("var", name), lambda: self._variable(name))

    def _variable(self, name: str) -> object:
        block = self.definition.variables.get(name)
        if block is None:
            return Unknown(f"the variable {name} is not declared in what was read")
        content = self._of_call(name, block) if self._call is not None else self._project.given(name, block, self)
        sensitive = block.body.attributes.get("sensitive")
        if sensitive is not None and sensitive.value == Literal(True):
            self.mark()
            self._project.keep_secret(content)
        return content

    def _of_call(self, name: str, block: Block) -> object:
        if self._call is None or self._scope is None:
            raise AssertionError(name)
        given = self._call.body.attributes.get(name)
        body = block.body.attributes
        type_ = body["type"].value if "type" in body else None
        if given is not None:
            above = self._scope.module
            content = evaluated(given.value, self._scope)
            self.marked = self.marked or getattr(above, "marked", False)
            if content is not None or not _is_false(body.get("nullable")):
                return converted(content, type_)
        if "default" in body:
            return converted(evaluated(body["default"].value, Scope(self)), type_)
        return Unknown(f"the variable {name} is not given to the module")

    def local(self, name: str) -> object:
        """The content of a local."""
        attribute = self.definition.locals.get(name)
        if attribute is None:
            return Unknown(f"local.{name} is not defined in what was read")
        return self.guarded(("local", name), lambda: evaluated(attribute.value, Scope(self)))

    def output(self, name: str) -> object:
        """The content of an output."""
        return self.guarded(("output", name), lambda: self._output(name))

    def _output(self, name: str) -> object:
        block = self.definition.outputs.get(name)
        value = None if block is None else block.body.attributes.get("value")
        if value is None:
            return Unknown(f"{self.address} has no output {name} in what was read")
        return evaluated(value.value, Scope(self))

    def resource(self, mode: str, type_: str, name: str) -> object:
        """All instances of a resource."""
        key = Key(mode, type_, name)
        if key not in self.definition.resources:
            return Unknown(f"{type_}.{name} is not in what was read")
        repeats = self.repeats(key)
        return Instances(
            repeats,
            lambda at, value: Thing(self, key, at, value, counts=repeats.counts),
            f"{type_}.{name}",
        )

    def repeats(self, key: Key) -> Repeats:
        """How often a resource stands there."""
        found = self.guarded(key, lambda: repeated(self.body(key), Scope(self)))
        return found if isinstance(found, Repeats) else Repeats(doubt=None)

    def body(self, key: Key) -> Body:
        """What is written of a resource; nothing where that cannot be read, which is said."""
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
            return Unknown(f"module.{name} is not in what was read")
        repeats = self._repeats_of(name, block)
        if repeats is None:
            return Unknown(f"module.{name} was not read", "a plan, or --trust-modules after terraform init")

        def one(key: object, value: object) -> Called:
            made = self._child(name, block, key, value, counts=repeats.counts)
            if made is None:
                raise AssertionError(name)
            return Called(made)

        return Instances(repeats, one, f"module.{name}")  # type: ignore[arg-type]

    def children(self) -> Iterator[ModuleInstance]:
        """The instances of all called modules."""
        for name, block in sorted(self.definition.calls.items()):
            repeats = self._repeats_of(name, block)
            for key, value in () if repeats is None else repeats.pairs:
                child = self._child(name, block, key, value, counts=repeats.counts if repeats else False)
                if child is not None:
                    yield child

    def _repeats_of(self, name: str, block: Block) -> Repeats | None:
        """How often a module is called; None where it was not read."""
        if len(self._path) >= _FAR or self._project.called(block, self.definition.folder, (*self._path, name)) is None:
            return None
        found = self.guarded(("module", name), lambda: repeated(block.body, Scope(self)))
        return found if isinstance(found, Repeats) else None

    def _child(self, name: str, block: Block, key: object, value: object, *, counts: bool) -> ModuleInstance | None:
        known = (name, instance_key(key))
        if known not in self._made:
            definition = self._project.called(block, self.definition.folder, (*self._path, name))
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
                    scope=Scope(self, key, value, counts),
                )
            )
        return self._made[known]

    def provider(self, key: str) -> tuple[ModuleInstance, str] | None:
        """Where a provider of this name is configured: here, or in the module that hands it down."""
        if key in self.definition.providers:
            return self, key
        if self._call is None or self._scope is None:
            return None
        above = self._scope.module
        if not isinstance(above, ModuleInstance):
            return None
        handed = self._call.body.attributes.get("providers")
        names = _provider_names(handed.value) if handed is not None else {}
        if key in names:
            return above.provider(names[key])
        return None if "." in key else above.provider(key)


def provider_key(node: Expression | None, type_: str) -> str:
    """Which provider a resource names, or has by its type."""
    if node is None:
        return type_.partition("_")[0]
    return _provider_name(node) or type_.partition("_")[0]


def _provider_name(node: Expression) -> str | None:
    if isinstance(node, Literal) and isinstance(node.content, str):
        return node.content
    if isinstance(node, Name):
        return node.name
    if isinstance(node, Access) and isinstance(node.base, Name) and len(node.steps) == 1:
        step = node.steps[0]
        return f"{node.base.name}.{step.name}" if isinstance(step, Attr) else None
    return None


def _provider_names(node: Expression) -> Mapping[str, str]:
    if not isinstance(node, Object):
        return {}
    found = ((_provider_name(key), _provider_name(value)) for key, value in node.items)
    return {key: value for key, value in found if key and value}


def _is_false(attribute: object) -> bool:
    return getattr(attribute, "value", None) == Literal(False)
