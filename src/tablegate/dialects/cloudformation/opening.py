"""A template's text into the resolver of its expressions: what there is to read, before anything is built of it."""

from __future__ import annotations

from collections.abc import Mapping

from tablegate.dialects.cloudformation.faults import Faults
from tablegate.dialects.cloudformation.resolver import Resolver
from tablegate.dialects.cloudformation.surroundings import NOWHERE, Surroundings
from tablegate.dialects.cloudformation.template import (
    LANGUAGE_EXTENSIONS,
    LOOP,
    bare_template,
    is_read,
    template_of,
    transforms_of,
)
from tablegate.dialects.reading import ReadOptions
from tablegate.model.record import record
from tablegate.model.value import Doubt
from tablegate.syntax.node import Node
from tablegate.syntax.recognise import is_json

_CONNECTORS = "Connectors:"


@record(kw_only=False)
class Opened:
    """A template with its faults; without a resolver where it has nothing to read."""

    resolver: Resolver | None
    faults: Faults
    text: str  # as its author wrote it


def opened(text: str, name: str, options: ReadOptions, around: Surroundings = NOWHERE) -> Opened:
    """A template, opened. Raises ParseError where it is neither JSON nor YAML."""
    return opened_tree(_parsed(text), text, name, options, around)


def opened_tree(root: Node, text: str, name: str, options: ReadOptions, around: Surroundings = NOWHERE) -> Opened:
    """A template that is a tree already, opened."""
    faults = Faults(name, root)
    content: Mapping[str, Node] = root.content if isinstance(root.content, dict) else {}
    if not isinstance(root.content, dict):
        faults.unreadable(root, "a template must be a mapping")
    loops: Mapping[str, Doubt] = {}
    if LANGUAGE_EXTENSIONS in transforms_of(content) and LOOP in text:
        content, loops = _unrolled(name, content, options, faults, around)
    template = template_of(name, content, faults) if content else None
    resolver = None if template is None else Resolver(template, options, faults, loops, around)
    return Opened(resolver, faults, text)


def _parsed(text: str) -> Node:
    # Imported here: a template pays for the one reader that it needs.
    if is_json(text):
        from tablegate.syntax.json_ import parse_json

        return parse_json(text)
    from tablegate.syntax.yaml_ import parse_yaml

    # a connector stands in a resource of any type
    return parse_yaml(text, None if _CONNECTORS in text else is_read)


def _unrolled(
    file: str, root: Mapping[str, Node], options: ReadOptions, faults: Faults, around: Surroundings
) -> tuple[Mapping[str, Node], Mapping[str, Doubt]]:
    """The template's sections without loops."""
    from tablegate.dialects.cloudformation.loops import Loops

    resolver = Resolver(bare_template(file, root, faults), options, faults, {}, around)
    loops = Loops(resolver, faults)
    return {key: loops.unrolled(node) for key, node in root.items()}, loops.open
