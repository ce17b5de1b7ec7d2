"""Texts of a plan that no report may show: those marked sensitive, wherever else they occur."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tablegate.dialects.terraform.configuration import Configuration, Tree, tree
from tablegate.dialects.terraform.resource_changes import ResourceChange

_SHORTEST = 6  # shorter ones are hidden by their path alone: as values they would blank out half a report
_PUBLIC = frozenset({"region", "alias", "version", "profile", "default_tags", "ignore_tags", "endpoints"})


def of_changes(changes: Iterable[ResourceChange]) -> Iterator[str]:
    """Texts at the marked paths of resources."""
    for change in changes:
        for side in ("before", "after"):
            marks = change.marks(side)
            if marks is not None:
                yield from marked(change.change.get(side), marks)


def of_variables(configuration: Configuration, values: Tree) -> Iterator[str]:
    """The values and defaults of sensitive variables."""
    waiting = [(configuration.root, values)]
    while waiting:
        module, arguments = waiting.pop()
        for name, variable in tree(module.get("variables")).items():
            if tree(variable).get("sensitive") is True:
                yield from texts(tree(variable).get("default"))
                yield from texts(tree(arguments.get(name)).get("value"))
        waiting += [(tree(tree(call).get("module")), {}) for call in tree(module.get("module_calls")).values()]


def of_providers(configuration: Configuration) -> Iterator[str]:
    """Constants in provider blocks: keys, tokens, roles."""
    for provider in configuration.providers.values():
        for name, expression in tree(tree(provider).get("expressions")).items():
            if name not in _PUBLIC:
                yield from _constants(expression)


def marked(content: object, marks: object) -> Iterator[str]:
    """The texts of the content that are marked."""
    if marks is True:
        yield from texts(content)
    elif isinstance(marks, dict) and isinstance(content, dict):
        for key, mark in marks.items():
            if mark:
                yield from marked(content.get(key), mark)
    elif isinstance(marks, list) and isinstance(content, list):
        for item, mark in zip(content, marks, strict=False):
            if mark:
                yield from marked(item, mark)


def texts(content: object) -> Iterator[str]:
    """Every text that is long enough not to be an ordinary word."""
    if isinstance(content, str):
        if len(content) >= _SHORTEST:
            yield content
    elif isinstance(content, dict):
        for item in content.values():
            yield from texts(item)
    elif isinstance(content, list):
        for item in content:
            yield from texts(item)


def _constants(expression: object) -> Iterator[str]:
    if isinstance(expression, list):
        for item in expression:
            yield from _constants(item)
    elif isinstance(expression, dict):
        if "constant_value" in expression:
            yield from texts(expression["constant_value"])
        else:
            for item in expression.values():
                yield from _constants(item)
