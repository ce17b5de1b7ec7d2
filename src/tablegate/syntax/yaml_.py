"""YAML into nodes with places.

CloudFormation's short forms come out as the long ones, ``!Ref x`` as ``{"Ref": "x"}``, so that whoever reads the nodes
knows one spelling only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from tablegate.syntax.blocks import UnclearError, read_block
from tablegate.syntax.collector import collector_paused
from tablegate.syntax.errors import ParseError
from tablegate.syntax.node import Node
from tablegate.syntax.pruning import SECTION, Piece, Taken, taken

LENGTH = 20_000_000  # characters; CloudFormation itself ends at one million
_MARKER = re.compile(r"\A((?:#[^\n]*+\n|\n)*+)---\n")  # of a document's start; without one it is the same


def parse_yaml(text: str, wanted: Callable[[str], bool] | None = None) -> Node:
    """The document as nodes, each with its line and column.

    ``wanted`` says of a type whether a template's resources of it are to be read. Others may come out with nothing but
    their ``Type``, and what is wrong inside of them is then not seen.
    """
    if len(text) > LENGTH:
        raise ParseError(f"a YAML file of {len(text):,} characters, where {LENGTH:,} are the most")
    with collector_paused():
        root = _parsed(text) if wanted is None else _document(taken(text, wanted))
    return root if text.isascii() else _as_editors_count(root, text)


def _as_editors_count(root: Node, text: str) -> Node:
    from tablegate.syntax.lines import has_extra_lines, to_editor_lines  # most templates are ASCII

    if has_extra_lines(text):
        to_editor_lines(root, text)
    return root


def _document(found: Taken) -> Node:
    """The whole document, with the resources that were taken out of it."""
    sections = _plain(found)
    if sections:
        return Node(sections, next(iter(sections.values())).line, 1)
    root = _parsed(found.text)
    if not found.resources or not isinstance(root.content, dict) or SECTION not in root.content:
        return root  # behind a tag there is no template
    section = root.content[SECTION]
    others = section.content if isinstance(section.content, dict) else {}
    return Node({**root.content, SECTION: _section(section.line, others, found.resources)}, root.line, root.column)


def _plain(found: Taken) -> Mapping[str, Node] | None:
    """The sections of the document, if every line of what is left says by itself what it is, too."""
    before, *rest = found.pieces
    try:
        first = read_block(_MARKER.sub(r"\1\n", before.text).split("\n"), before.line, 0)
        return _with_resources(first, rest, found.resources) if rest else first
    except UnclearError:
        return None


def _with_resources(
    first: Mapping[str, Node], rest: Sequence[Piece], resources: Mapping[str, Node]
) -> Mapping[str, Node]:
    opening, *among, after = rest
    indent = next(iter(resources.values())).column - 1
    others = [item for piece in among for item in read_block(piece.text.split("\n"), piece.line, indent).items()]
    last = read_block(after.text.split("\n"), after.line, 0)
    sections = {**first, SECTION: _section(opening.line, dict(others), resources), **last}
    if len(sections) <= len(first) + len(last) or len({*resources, *dict(others)}) < len(resources) + len(others):
        raise UnclearError  # a key is there twice
    return sections


def _section(line: int, others: Mapping[str, Node], resources: Mapping[str, Node]) -> Node:
    """All resources, in their order."""
    content = dict(sorted({**others, **resources}.items(), key=lambda item: item[1].line)) if others else resources
    return Node(content, line, 1, 1 + len(SECTION))


def _parsed(text: str) -> Node:
    from tablegate.syntax.events import document_of  # few templates need a parser

    return document_of(text)
