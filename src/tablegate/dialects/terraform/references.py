"""Expressions followed to resources; values known in part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from tablegate.dialects.terraform.configuration import (
    NOTHING,
    Configuration,
    Key,
    Step,
    Tree,
    bracketed,
    calls,
    parent,
    steps,
    tree,
)
from tablegate.dialects.terraform.resource_changes import ResourceChange, ResourceChanges
from tablegate.dialects.terraform.source_info import SourceMap
from tablegate.model.record import record, replace
from tablegate.model.value import Doubt

Rest: TypeAlias = tuple[Step, ...]

_FAR = 16  # references that lead further than this lead nowhere we can follow
_SETTINGS = frozenset({"path", "terraform", "self"})
# Resources that hand on what they are given: their attribute, and the argument it comes from.
_HANDED_ON = {
    "terraform_data": {"output": "input"},
    "null_resource": {"triggers": "triggers"},
    "aws_ssm_parameter": {"value": "value", "insecure_value": "insecure_value"},
}


@record(kw_only=False)
class Reference:
    """Something an expression reads in the end: a constant, attributes of resources, or a dead end."""

    reference: str
    content: object = None
    targets: tuple[ResourceChange, ...] = ()
    type: str = ""
    module: str = ""
    data: Tree | None = None  # of a data source: how it was written
    attribute: str = ""
    path: Rest = ()
    is_lost: bool = False


@record(kw_only=False)
class ExpressionScope:
    """Where an expression stands: its module instance, and what it repeats over."""

    module: str
    key: Key = None
    repeats: object = None


@record(kw_only=False)
class _At:
    """Where a walk has come to: its scope, what is still to be taken of the value, and how far it has gone."""

    scope: ExpressionScope
    path_left: Rest = ()
    depth: int = 0

    def onto(self, scope: ExpressionScope, rest: Rest) -> _At:
        return _At(scope, rest, self.depth + 1)


class ReferenceResolver:
    """Follows expressions of one plan."""

    def __init__(
        self,
        configuration: Configuration,
        instances: ResourceChanges,
        variables: Tree,
        source_map: SourceMap | None = None,
    ) -> None:
        self._source_map = source_map
        self._configuration = configuration
        self._instances = instances
        self._variables = variables

    def scope(self, instance: ResourceChange) -> ExpressionScope:
        """Where the expressions of a resource stand."""
        written = self._configuration.resource(instance.module, instance.mode, instance.type, instance.name)
        return ExpressionScope(instance.module, instance.key, _repeats(written or NOTHING))

    def above(self, scope: ExpressionScope) -> ExpressionScope:
        """Where the module of a scope is called."""
        return ExpressionScope(
            parent(scope.module), calls(scope.module)[-1].key, _repeats(self._configuration.call(scope.module))
        )

    def trace(self, expression: object, scope: ExpressionScope) -> tuple[Reference, ...]:
        """All that an expression reads, each once."""
        found = self._walk(expression, _At(scope))
        each = {
            (one.module, one.reference, one.path, one.targets, repr(one.content), id(one.data)): one for one in found
        }
        return tuple(each.values())

    def _walk(self, expression: object, at: _At) -> Iterator[Reference]:
        if isinstance(expression, list):
            for item in expression:
                yield from self._walk(item, at)
        elif not isinstance(expression, dict):
            return
        elif "reached" in expression:
            yield from self._reached(expression["reached"], at)
        elif "constant_value" in expression:
            yield Reference("", member_at(expression["constant_value"], at.path_left))
        elif isinstance(references := expression.get("references"), list):
            for reference in _longest(references):
                yield from self._follow(reference, at)
        elif not expression:
            yield Reference("a function call", is_lost=True)
        else:
            for item in expression.values():
                yield from self._walk(item, at)

    def _follow(self, reference: str, at: _At) -> Iterator[Reference]:
        path = steps(reference)
        head = path[0].name
        if len(path) < 2 or at.depth > _FAR:
            yield Reference(reference, is_lost=True)
        elif head == "local":
            yield from self._local(reference, path, at)
        elif head == "var":
            yield from self._variable(reference, str(path[1].name), replace(at, path_left=path[2:] + at.path_left))
        elif head == "each":
            yield from self._each(reference, path[1:], at)
        elif head == "count" or head in _SETTINGS:
            yield Reference(reference, at.scope.key if head == "count" else "")
        elif head == "module":
            yield from self._module(reference, path, at)
        else:
            yield from self._resource(reference, path, at)

    def _reached(self, found: object, at: _At) -> Iterator[Reference]:
        """What source reads: references that were followed already, each in the module where it ends."""
        for module, reference in found if isinstance(found, tuple) else ():
            for mention in self._resource(reference, steps(reference), at.onto(ExpressionScope(module), ())):
                yield mention if mention.targets else replace(mention, is_lost=True)

    def _variable(self, reference: str, name: str, at: _At) -> Iterator[Reference]:
        module = at.scope.module
        default = tree(tree(self._configuration.module(module).get("variables")).get(name)).get("default")
        if not module:
            yield Reference(reference, member_at(tree(self._variables.get(name)).get("value", default), at.path_left))
            return
        call = self._configuration.call(module)
        given = tree(call.get("expressions")).get(name)
        if given is None:
            yield Reference(reference, member_at(default, at.path_left))
        else:
            for found in self._walk(given, at.onto(self.above(at.scope), at.path_left)):
                yield found if found.reference else replace(found, reference=reference)

    def _local(self, reference: str, path: Rest, at: _At) -> Iterator[Reference]:
        """A plan does not hold what locals read; its source does."""
        source = self._source_map
        told = None if source is None else source.local(at.scope.module, str(path[1].name), path[2:] + at.path_left)
        if not told or not told[0]:
            yield Reference(reference, is_lost=True)
            return
        expression, rest = told
        for found in self._walk(expression, replace(at, path_left=rest, depth=at.depth + 1)):
            yield found if found.reference else replace(found, reference=reference)

    def _each(self, reference: str, path: Rest, at: _At) -> Iterator[Reference]:
        key = at.scope.key
        if path[0].name == "key":
            yield Reference(reference, key)
            return
        rest = path[1:] + at.path_left
        whole = _whole_modules(at.scope.repeats)
        for module in whole:
            yield from self._module(module, (*steps(module), Step(None, key)), at.onto(at.scope, rest))
        for found in () if whole else self._walk(at.scope.repeats, at.onto(at.scope, ())):
            if found.targets:
                yield _reached(found, _keyed(found.targets, key), rest)
            elif found.is_lost:
                yield Reference(f"{reference} ({found.reference})", is_lost=True)
            else:
                yield Reference(reference, member_at(found.content, (Step(None, key), *rest)))

    def _module(self, reference: str, path: Rest, at: _At) -> Iterator[Reference]:
        """An output of a called module; where plan JSON does not say which, all of them."""
        name = f"{at.scope.module}.module.{path[1].name}".removeprefix(".")
        keyed = len(path) > 2 and path[2].name is None
        output, rest = path[3 if keyed else 2 :], at.path_left
        outputs = tree(self._configuration.module(name).get("outputs"))
        if not output and rest and rest[0].name in outputs:
            output, rest = rest, ()
        names = [output[0].name] if output else sorted(outputs)
        repeats = _repeats(self._configuration.call(name))
        # what a module repeats over is missing where it reads nothing: its instances are there
        keys: Sequence[Key] = self._instances.keys(name) or ([None] if repeats is None else [])
        if keyed:
            keys = [path[2].key]
        elif at.scope.key in keys:
            keys = [at.scope.key]
        if not keys or not all(one in outputs for one in names) or not names:
            yield Reference(reference, is_lost=True)
            return
        for key in keys:
            scope = ExpressionScope(name + bracketed(key), key, repeats)
            for one in names:
                expression = tree(outputs.get(str(one))).get("expression")
                yield from self._walk(expression, at.onto(scope, output[1:] + rest))

    def _resource(self, reference: str, path: Rest, at: _At) -> Iterator[Reference]:
        scope = at.scope
        mode = "data" if path[0].name == "data" else "managed"
        if mode == "data":
            path = path[1:]
        if len(path) < 2:
            yield Reference(reference, is_lost=True)
            return
        type_, name = str(path[0].name), str(path[1].name)
        found: Sequence[ResourceChange] = self._instances.named(scope.module, mode, type_, name)
        after = path[2:] + at.path_left
        if after and after[0].name is None:
            found = [one for one in found if one.key == after[0].key]
            after = after[1:]
        elif len(found) > 1:
            found = _keyed(found, scope.key)
        written = self._configuration.resource(scope.module, mode, type_, name) or NOTHING
        source = _HANDED_ON.get(type_, {}).get(_name(after))
        if source and found and written:
            inner = ExpressionScope(scope.module, found[0].key, _repeats(written))
            handed = tuple(self._walk(tree(written.get("expressions")).get(source), at.onto(inner, after[1:])))
            if any(one.targets for one in handed):
                yield from handed
                return
        mention = Reference(reference, type=type_, module=scope.module, data=written if mode == "data" else None)
        yield _reached(mention, found, after)


def _keyed(instances: Sequence[ResourceChange], key: Key) -> Sequence[ResourceChange]:
    """Among several, the one with the reader's own key: a computed index is not in plan JSON."""
    return [one for one in instances if key is not None and one.key == key] or instances


def _reached(mention: Reference, instances: Sequence[ResourceChange], rest: Rest) -> Reference:
    path = mention.path + tuple(step for step in rest if step.name != "*")
    return replace(mention, targets=tuple(instances), path=path, attribute=_name(path))


def _name(path: Rest) -> str:
    return next((step.name for step in path if step.name is not None), "")


def _repeats(written: Tree) -> object:
    for name in ("for_each_expression", "count_expression"):
        if name in written:
            return written[name]
    return None


def _whole_modules(expression: object) -> list[str]:
    """References to modules as a whole, where there are no others."""
    references = tree(expression).get("references")
    found = [str(one) for one in references] if isinstance(references, list) else []
    return found if all(one.startswith("module.") and len(steps(one)) == 2 for one in found) else []


def _longest(references: Sequence[object]) -> list[str]:
    """Each reference without those that only are its beginning: plan JSON lists them all."""
    texts = list(dict.fromkeys(text for text in references if isinstance(text, str) and text))
    return [text for text in texts if not any(other.startswith((f"{text}.", f"{text}[")) for other in texts)]


def member_at(content: object, path: Rest) -> object:
    for step in path:
        if isinstance(content, Mapping):
            content = content.get(step.name if step.name is not None else str(step.key))
        elif isinstance(content, list) and isinstance(step.key, int) and step.key < len(content):
            content = content[step.key]
        else:
            return None
    return content


Reached: TypeAlias = tuple[str, str]  # the address of a module, and a reference in it

_SHOWN = 3
PLAN = "a plan, which spells it out"


class UnknownValue:
    """Something that source does not tell: why, what would settle it, and what it reads of resources.

    ``direct`` says that it is what it reads, and not something made of that. A text that is known in part has
    ``parts``, and what is one of several things has ``options``. A ``label`` is what a reader would call it.
    """

    __slots__ = ("candidates", "direct", "label", "names", "options", "parts", "reason", "references", "settle")

    def __init__(
        self,
        reason: str,
        settle: str = PLAN,
        *,
        names: tuple[str, ...] = (),
        references: tuple[Reached, ...] = (),
        candidates: tuple[object, ...] = (),
        direct: bool = False,
        parts: tuple[str | UnknownValue, ...] = (),
        options: tuple[object, ...] = (),
        label: str = "",
    ) -> None:
        self.reason = reason
        self.settle = settle
        self.names = names
        self.references = references
        self.candidates = candidates
        self.direct = direct
        self.label = label
        self.parts = parts
        self.options = options

    def doubt(self) -> Doubt:
        """The same, as the model has it."""
        shown = ", ".join(self.names[:_SHOWN])
        more = f" and {len(self.names) - _SHOWN} more" if len(self.names) > _SHOWN else ""
        return Doubt(f"{self.reason}: {shown}{more}" if shown else self.reason, self.settle, self.names)
