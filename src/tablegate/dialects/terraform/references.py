"""Follows the references of expressions to what they read: resources, constants, or values that source cannot know.

Plan JSON lists the references of an expression, but not how it combines them.
"""

from __future__ import annotations

import re
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

_MAX_DEPTH = 16  # references that lead further are not followed
_MOST_AT_ONCE, _MOST_IN_ALL = 10_000, 5_000_000  # references that are followed, for one expression and for a plan
_ENDS = re.compile(r"[.\[]").finditer
_SETTINGS = frozenset({"path", "terraform", "self"})
# Resources with an attribute that repeats one of their arguments.
_REPEATED = {
    "terraform_data": {"output": "input"},
    "null_resource": {"triggers": "triggers"},
    "aws_ssm_parameter": {"value": "value", "insecure_value": "insecure_value"},
}


@record(kw_only=False)
class Reference:
    """What an expression reads in the end: a constant, attributes of resources, or a dead end."""

    reference: str
    content: object = None
    targets: tuple[ResourceChange, ...] = ()
    type: str = ""
    module: str = ""
    data: Tree | None = None  # the configuration of a data source
    attribute: str = ""
    path: Rest = ()
    is_lost: bool = False


@record(kw_only=False)
class ExpressionScope:
    """The module instance of an expression, and what its resource repeats over."""

    module: str
    key: Key = None
    repeats: object = None


@record(kw_only=False)
class _Position:
    """Where a walk is: its scope, the path that is left to take into the value, and its depth."""

    scope: ExpressionScope
    path_left: Rest = ()
    depth: int = 0

    def moved(self, scope: ExpressionScope, path_left: Rest) -> _Position:
        return _Position(scope, path_left, self.depth + 1)


class ReferenceResolver:
    """Follows the expressions of one plan."""

    def __init__(
        self,
        configuration: Configuration,
        changes: ResourceChanges,
        variables: Tree,
        source_map: SourceMap | None = None,
    ) -> None:
        self._source_map = source_map
        self._configuration = configuration
        self._changes = changes
        self._variables = variables
        self._left_at_once, self._left_in_all = 0, _MOST_IN_ALL

    def scope(self, change: ResourceChange) -> ExpressionScope:
        """The scope of a resource's expressions."""
        configured = self._configuration.resource(change.module, change.mode, change.type, change.name)
        return ExpressionScope(change.module, change.key, _repetition(configured or NOTHING))

    def above(self, scope: ExpressionScope) -> ExpressionScope:
        """The scope of the call of a scope's module."""
        return ExpressionScope(
            parent(scope.module), calls(scope.module)[-1].key, _repetition(self._configuration.call(scope.module))
        )

    def trace(self, expression: object, scope: ExpressionScope) -> tuple[Reference, ...]:
        """All that an expression reads, each once. What it reads beyond a budget is not followed."""
        self._left_at_once = _MOST_AT_ONCE
        unique = {
            (one.module, one.reference, one.path, one.targets, repr(one.content), id(one.data)): one
            for one in self._walk(expression, _Position(scope))
        }
        return tuple(unique.values())

    def _walk(self, expression: object, at: _Position) -> Iterator[Reference]:
        if isinstance(expression, list):
            for item in expression:
                yield from self._walk(item, at)
        elif not isinstance(expression, dict):
            return
        elif "reached" in expression:
            yield from self._from_source(expression["reached"], at)
        elif "constant_value" in expression:
            yield Reference("", member_at(expression["constant_value"], at.path_left))
        elif isinstance(references := expression.get("references"), list):
            for text in longest(references):
                yield from self._follow(text, at)
        elif not expression:
            yield Reference("a function call", is_lost=True)
        else:
            for item in expression.values():
                yield from self._walk(item, at)

    def _follow(self, text: str, at: _Position) -> Iterator[Reference]:
        path = steps(text)
        head = path[0].name if path else None
        self._left_at_once -= 1
        self._left_in_all -= 1
        if len(path) < 2 or at.depth > _MAX_DEPTH or min(self._left_at_once, self._left_in_all) < 0:
            yield Reference(text, is_lost=True)
        elif head == "local":
            yield from self._local(text, path, at)
        elif head == "var":
            yield from self._variable(text, str(path[1].name), replace(at, path_left=path[2:] + at.path_left))
        elif head == "each":
            yield from self._each(text, path[1:], at)
        elif head == "count" or head in _SETTINGS:
            yield Reference(text, at.scope.key if head == "count" else "")
        elif head == "module":
            yield from self._module(text, path, at)
        else:
            yield from self._resource(text, path, at)

    def _from_source(self, pairs: object, at: _Position) -> Iterator[Reference]:
        """References that source has followed already, each with the module that it ends in."""
        for module, text in pairs if isinstance(pairs, tuple) else ():
            for reference in self._resource(text, steps(text), at.moved(ExpressionScope(module), ())):
                yield reference if reference.targets else replace(reference, is_lost=True)

    def _variable(self, text: str, name: str, at: _Position) -> Iterator[Reference]:
        module = at.scope.module
        default = tree(tree(self._configuration.module(module).get("variables")).get(name)).get("default")
        if not module:
            value = tree(self._variables.get(name)).get("value", default)
            yield Reference(text, member_at(value, at.path_left))
            return
        argument = tree(self._configuration.call(module).get("expressions")).get(name)
        if argument is None:
            yield Reference(text, member_at(default, at.path_left))
        else:
            for reference in self._walk(argument, at.moved(self.above(at.scope), at.path_left)):
                yield reference if reference.reference else replace(reference, reference=text)

    def _local(self, text: str, path: Rest, at: _Position) -> Iterator[Reference]:
        """A plan does not show what locals read. Its source does."""
        source = self._source_map
        local = None if source is None else source.local(at.scope.module, str(path[1].name), path[2:] + at.path_left)
        if not local or not local[0]:
            yield Reference(text, is_lost=True)
            return
        expression, path_left = local
        for reference in self._walk(expression, replace(at, path_left=path_left, depth=at.depth + 1)):
            yield reference if reference.reference else replace(reference, reference=text)

    def _each(self, text: str, path: Rest, at: _Position) -> Iterator[Reference]:
        key = at.scope.key
        if path[0].name == "key":
            yield Reference(text, key)
            return
        path_left = path[1:] + at.path_left
        modules = _whole_modules(at.scope.repeats)
        for module in modules:
            yield from self._module(module, (*steps(module), Step(None, key)), at.moved(at.scope, path_left))
        read = () if modules else tuple(self._walk(at.scope.repeats, at.moved(at.scope, ())))
        has_key = any(_has(one.content, key) for one in read)
        for reference in read:
            if reference.targets:
                yield _with_targets(reference, _keyed(reference.targets, key), path_left)
            elif reference.is_lost:
                yield Reference(f"{text} ({reference.reference})", is_lost=True)
            elif has_key:
                yield Reference(text, member_at(reference.content, (Step(None, key), *path_left)))
            else:
                # The instance is of another value than this: plan JSON does not show how they are combined.
                yield Reference(text, is_lost=True)

    def _module(self, text: str, path: Rest, at: _Position) -> Iterator[Reference]:
        """An output of a called module. If plan JSON does not name it, all of its outputs."""
        name = f"{at.scope.module}.module.{path[1].name}".removeprefix(".")
        keyed = len(path) > 2 and path[2].name is None
        output, path_left = path[3 if keyed else 2 :], at.path_left
        outputs = tree(self._configuration.module(name).get("outputs"))
        if not output and path_left and path_left[0].name in outputs:
            output, path_left = path_left, ()
        names = [output[0].name] if output else sorted(outputs)
        repeats = _repetition(self._configuration.call(name))
        # A repetition that reads nothing is missing from plan JSON, but its instances are in the plan.
        keys: Sequence[Key] = self._changes.keys(name) or ([None] if repeats is None else [])
        if keyed:
            keys = [path[2].key]
        elif at.scope.key in keys:
            keys = [at.scope.key]
        if not keys or not all(one in outputs for one in names) or not names:
            yield Reference(text, is_lost=True)
            return
        for key in keys:
            scope = ExpressionScope(name + bracketed(key), key, repeats)
            for one in names:
                expression = tree(outputs.get(str(one))).get("expression")
                yield from self._walk(expression, at.moved(scope, output[1:] + path_left))

    def _resource(self, text: str, path: Rest, at: _Position) -> Iterator[Reference]:
        scope = at.scope
        mode = "data" if path[0].name == "data" else "managed"
        if mode == "data":
            path = path[1:]
        if len(path) < 2:
            yield Reference(text, is_lost=True)
            return
        type_, name = str(path[0].name), str(path[1].name)
        targets: Sequence[ResourceChange] = self._changes.named(scope.module, mode, type_, name)
        path_left = path[2:] + at.path_left
        if path_left and path_left[0].name is None:
            targets = [one for one in targets if one.key == path_left[0].key]
            path_left = path_left[1:]
        elif len(targets) > 1:
            targets = _keyed(targets, scope.key)
        configured = self._configuration.resource(scope.module, mode, type_, name) or NOTHING
        argument = _REPEATED.get(type_, {}).get(_attribute(path_left))
        if argument and targets and configured:
            inner = ExpressionScope(scope.module, targets[0].key, _repetition(configured))
            expression = tree(configured.get("expressions")).get(argument)
            repeated = tuple(self._walk(expression, at.moved(inner, path_left[1:])))
            if any(one.targets for one in repeated):
                yield from repeated
                return
        reference = Reference(text, type=type_, module=scope.module, data=configured if mode == "data" else None)
        yield _with_targets(reference, targets, path_left)


def _has(content: object, key: Key) -> bool:
    """Whether a value has an element of its own for an instance."""
    return isinstance(content, Mapping) and key in content


def _keyed(targets: Sequence[ResourceChange], key: Key) -> Sequence[ResourceChange]:
    """The target with the reader's own key, else all: plan JSON does not show a computed index."""
    return [one for one in targets if key is not None and one.key == key] or targets


def _with_targets(reference: Reference, targets: Sequence[ResourceChange], path_left: Rest) -> Reference:
    path = reference.path + tuple(step for step in path_left if step.name != "*")
    return replace(reference, targets=tuple(targets), path=path, attribute=_attribute(path))


def _attribute(path: Rest) -> str:
    return next((step.name for step in path if step.name is not None), "")


def _repetition(configured: Tree) -> object:
    for name in ("for_each_expression", "count_expression"):
        if name in configured:
            return configured[name]
    return None


def _whole_modules(expression: object) -> list[str]:
    """The modules that an expression reads as a whole, if it reads nothing else."""
    references = tree(expression).get("references")
    texts = [str(one) for one in references] if isinstance(references, list) else []
    return texts if all(one.startswith("module.") and len(steps(one)) == 2 for one in texts) else []


def longest(references: Sequence[object]) -> list[str]:
    """The references that are not the beginning of another: plan JSON lists those as well."""
    texts = list(dict.fromkeys(text for text in references if isinstance(text, str) and text))
    beginnings = {text[: end.start()] for text in texts for end in _ENDS(text)} if len(texts) > 1 else ()
    return [text for text in texts if text not in beginnings]


def member_at(content: object, path: Rest) -> object:
    """The part of a value at a path; None if there is none."""
    for step in path:
        if isinstance(content, Mapping):
            content = content.get(step.name if step.name is not None else str(step.key))
        elif isinstance(content, list) and isinstance(step.key, int) and step.key < len(content):
            content = content[step.key]
        else:
            return None
    return content


Reached: TypeAlias = tuple[str, str]  # the address of a module, and a reference in it

MAX_NAMES = 3  # in a doubt
PLAN = "check the plan, which has the value"


class UnknownValue:
    """A value that source cannot know: why, what resolves it, and the resources that it reads.

    ``direct`` values are what they read, others are made of it. A text that is known in part has ``parts``, one of
    several values has ``options``. ``label`` is what a reader calls it, and ``usual`` is its default.
    """

    __slots__ = (
        "candidates",
        "direct",
        "label",
        "names",
        "options",
        "parts",
        "reason",
        "references",
        "settle",
        "usual",
    )

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
        usual: object = None,
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
        self.usual = usual

    def doubt(self) -> Doubt:
        """The doubt of a fact that has this value."""
        shown = ", ".join(self.names[:MAX_NAMES])
        more = f" and {len(self.names) - MAX_NAMES} more" if len(self.names) > MAX_NAMES else ""
        return Doubt(f"{self.reason}: {shown}{more}" if shown else self.reason, self.settle, self.names)

    def spelled(self) -> str:
        """The value as a text, with a symbol for each part that is not known: the same one for the same part."""
        if self.parts:
            return "".join(part if isinstance(part, str) else part.spelled() for part in self.parts)
        same = self.label or (self.references if self.direct and self.references else id(self))
        return f"{_BEGIN}{same}{_END}"


_BEGIN, _END = "\ue100", "\ue101"  # around what stands for an unknown part: private to this module
_SYMBOL = re.compile(f"{_BEGIN}[^{_END}]*{_END}")


def has_symbols(text: str) -> bool:
    """Whether a spelled text has parts that are not known."""
    return _BEGIN in text


def may_be_equal(left: str, right: str) -> bool:
    """Whether two spelled texts may be equal, by what is known of their beginnings and ends."""
    if not has_symbols(left) and not has_symbols(right):
        return left == right
    ones, others = _SYMBOL.split(left), _SYMBOL.split(right)
    starts, ends = (ones[0], others[0]), (ones[-1][::-1], others[-1][::-1])
    return all(one.startswith(other) or other.startswith(one) for one, other in (starts, ends))
