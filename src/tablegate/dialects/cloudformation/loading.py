"""Loads a template: its text into a tree without loops, its sections, and a resolver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tablegate.dialects.cloudformation.parameters import check_given
from tablegate.dialects.cloudformation.placeholders import mark_placeholders
from tablegate.dialects.cloudformation.resolver import NO_CONTEXT, Resolver, StackContext
from tablegate.dialects.cloudformation.sam_globals import with_globals
from tablegate.dialects.cloudformation.template import (
    LANGUAGE_EXTENSIONS,
    LOOP,
    bare_template,
    is_read,
    template_of,
    transforms_of,
)
from tablegate.dialects.cloudformation.values import Unresolved, is_scalar, scalar_of
from tablegate.dialects.reading import Faults, ReadOptions
from tablegate.model.record import record
from tablegate.model.value import Doubt
from tablegate.syntax import recognise
from tablegate.syntax.node import Node
from tablegate.syntax.raw_text import may_say

_CONNECTORS, _LOOPS = "Connectors", "ForEach"


@record(kw_only=False)
class LoadedTemplate:
    """A template with its faults. Without resources it has no resolver."""

    resolver: Resolver | None
    faults: Faults
    text: str  # as its author wrote it


def load(text: str, name: str, options: ReadOptions, context: StackContext = NO_CONTEXT) -> LoadedTemplate:
    """Load a template. Raises ParseError if it is neither JSON nor YAML."""
    return load_tree(parse(text), text, name, options, context)


def load_tree(
    root: Node, text: str, name: str, options: ReadOptions, context: StackContext = NO_CONTEXT
) -> LoadedTemplate:
    """Load a template that is parsed already."""
    faults = Faults(name, root)
    mark_placeholders(root, text)
    content: Mapping[str, Node] = root.content if isinstance(root.content, dict) else {}
    if not isinstance(root.content, dict):
        faults.unreadable("a template must be a mapping", root)
    loops: Mapping[str, Doubt] = {}
    if LANGUAGE_EXTENSIONS in transforms_of(content) and may_say(text, _LOOPS):
        content, loops = _unrolled(name, content, options, faults, context)
    content = with_globals(content, faults)
    template = template_of(name, content, faults, options.trusted_macros) if content else None
    resolver = None if template is None else Resolver(template, options, faults, loops, context)
    if template is not None:
        check_given(template.parameters, options, faults)
    return LoadedTemplate(resolver, faults, text)


def parse(text: str) -> Node:
    """The tree of a template. Raises ParseError if the text is neither JSON nor YAML."""
    # A resource of any type may have a connector, and a loop may make any key.
    wanted = None if may_say(text, _CONNECTORS, _LOOPS) else is_read
    return recognise.parse(text, as_json=recognise.is_json(text), wanted=wanted)


def _unrolled(
    file: str, root: Mapping[str, Node], options: ReadOptions, faults: Faults, context: StackContext
) -> tuple[Mapping[str, Node], Mapping[str, Doubt]]:
    """The template's sections without loops, and the loop variables that are not known."""
    resolver = Resolver(bare_template(file, root, faults, options.trusted_macros), options, faults, {}, context)
    loops = Loops(resolver, faults)
    return {key: loops.unrolled(node) for key, node in root.items()}, loops.open


_MAX_NODES = 100_000  # nodes that all loops of one template may make


class Loops:
    """Unrolls the loops of one template. ``open`` holds the variables whose values are not known."""

    def __init__(self, resolver: Resolver, faults: Faults) -> None:
        self._resolver = resolver
        self._faults = faults
        self._left = _MAX_NODES
        self.open: dict[str, Doubt] = {}

    def unrolled(self, node: Node) -> Node:
        """The node without loops; the node itself if it has none."""
        content = node.content
        if isinstance(content, dict):
            return self._mapping(node, content)
        if isinstance(content, (list, tuple)):
            items = [self.unrolled(item) for item in content]
            changed = any(new is not old for new, old in zip(items, content, strict=True))
            return _like(node, items) if changed else node
        return node

    def _mapping(self, node: Node, content: Mapping[str, Node]) -> Node:
        members: dict[str, Node] = {}
        changed = False
        for key, child in content.items():
            if not key.startswith(LOOP):
                members[key] = self.unrolled(child)
                changed = changed or members[key] is not child
                continue
            changed = True
            for name, value in self._iterations(child):
                if name in members:
                    self._faults.unreadable(f"a loop creates {name[:40]!r} twice", child)
                members[name] = value
        return _like(node, members) if changed else node

    def _iterations(self, loop: Node) -> Iterator[tuple[str, Node]]:
        parts = loop.content if isinstance(loop.content, (list, tuple)) else ()
        if len(parts) != 3 or not isinstance(parts[0].content, str) or not isinstance(parts[2].content, dict):
            self._faults.unreadable("Fn::ForEach takes a variable, a list and a mapping", loop)
            return
        variable, body = parts[0].content, parts[2].content
        for value in self._values(variable, parts[1]):
            for key, child in body.items():
                body_node = child if value is None else self._put(child, variable, value)
                name = key if value is None else _filled(key, variable, value)
                if name.startswith(LOOP):
                    yield from self._iterations(body_node)
                else:
                    yield name, self.unrolled(body_node)
            if self._left < 0:
                self._faults.unreadable(f"the loops of the template create more than {_MAX_NODES} values", loop)
                return

    def _values(self, variable: str, collection: Node) -> Iterator[str | None]:
        node = self._resolver.resolve(collection)
        doubt = node.doubt if isinstance(node, Unresolved) else None
        items = self._resolver.items(node) if isinstance(node, Node) else []
        if isinstance(node, Node) and not isinstance(node.content, (list, tuple)):
            self._faults.unreadable("Fn::ForEach needs a list", collection)
        for item in items:
            if isinstance(item, Unresolved):
                doubt = item.doubt
            elif is_scalar(item):
                yield scalar_of(item)
        if doubt is not None:
            self.open[variable] = doubt
            yield None

    def _put(self, node: Node, variable: str, value: str) -> Node:
        """The node with the variable's value in it."""
        self._left -= 1
        content = node.content
        if self._left < 0:
            return node
        if isinstance(content, str):
            return _like(node, _filled(content, variable, value)) if variable in content else node
        if isinstance(content, (list, tuple)):
            return _like(node, [self._put(item, variable, value) for item in content])
        if not isinstance(content, dict):
            return node
        reference = content.get("Ref")
        if reference is not None and reference.content == variable and len(content) == 1:
            return _like(node, value)
        return _like(
            node, {_filled(key, variable, value): self._put(it, variable, value) for key, it in content.items()}
        )


def _filled(text: str, variable: str, value: str) -> str:
    bare = "".join(letter for letter in value if letter.isalnum())
    return text.replace(f"${{{variable}}}", value).replace(f"&{{{variable}}}", bare)


def _like(node: Node, content: str | list[Node] | dict[str, Node]) -> Node:
    return Node(content, node.line, node.column, node.end_column)
