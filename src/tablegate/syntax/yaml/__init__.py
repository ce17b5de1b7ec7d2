"""YAML into nodes with places.

CloudFormation's short forms come out as the long ones, ``!Ref x`` as ``{"Ref": "x"}``. Lines are those of an editor,
also where YAML 1.1 ends a line and editors do not: at U+0085, U+2028 and U+2029. `as_json` turns a fragment into JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

from tablegate.syntax.node import Node, ParseError, collector_paused
from tablegate.syntax.yaml.line_reader import SECTION, Extracted, Piece, UnclearError, extract_resources, read_block

LENGTH = 20_000_000  # characters; CloudFormation itself ends at one million
_MARKER = re.compile(r"\A((?:#[^\n]*+\n|\n)*+)---\n")  # of a document's start


def parse_yaml(text: str, wanted: Callable[[str], bool] | None = None) -> Node:
    """The document as nodes, each with its line and column.

    ``wanted`` tells whether a template's resources of a type are needed. The others may have only their ``Type``, and
    errors inside them are then not found. Without ``wanted`` libyaml reads everything.
    """
    if len(text) > LENGTH:
        raise ParseError(f"YAML file with {len(text):,} characters; the limit is {LENGTH:,}")
    with collector_paused():
        root = _parsed(text) if wanted is None else _assembled(extract_resources(text, wanted))
    return root if text.isascii() else _with_editor_lines(root, text)


def _with_editor_lines(root: Node, text: str) -> Node:
    if has_extra_lines(text):
        to_editor_lines(root, text)
    return root


def _assembled(extracted: Extracted) -> Node:
    """The whole document, with the resources that were extracted from it."""
    sections = _plain_sections(extracted)
    if sections:
        return Node(sections, next(iter(sections.values())).line, 1)
    root = _parsed(extracted.text)
    if not extracted.resources or not isinstance(root.content, dict) or SECTION not in root.content:
        return root  # a document with a tag is not a template
    section = root.content[SECTION]
    others = section.content if isinstance(section.content, dict) else {}
    return Node({**root.content, SECTION: _section(section.line, others, extracted.resources)}, root.line, root.column)


def _plain_sections(extracted: Extracted) -> Mapping[str, Node] | None:
    """The sections of the document, if the lines that are left can be read line by line too."""
    before, *rest = extracted.pieces
    try:
        first = read_block(_MARKER.sub(r"\1\n", before.text).split("\n"), before.line, 0)
        return _with_resources(first, rest, extracted.resources) if rest else first
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
        raise UnclearError  # a duplicate key
    return sections


def _section(line: int, others: Mapping[str, Node], resources: Mapping[str, Node]) -> Node:
    """All resources, in order of their lines."""
    content = dict(sorted({**others, **resources}.items(), key=lambda item: item[1].line)) if others else resources
    return Node(content, line, 1, 1 + len(SECTION))


def _parsed(text: str) -> Node:
    from tablegate.syntax.yaml.events import document_of  # few templates need a parser

    return document_of(text)


_END = re.compile("\r\n?|[\n\x85\u2028\u2029]")
_EXTRA = frozenset("\x85\u2028\u2029")


def has_extra_lines(text: str) -> bool:
    """Whether YAML and editors count the lines of this text differently."""
    return not _EXTRA.isdisjoint(text)


def to_editor_lines(root: Node, text: str) -> None:
    """Give every node the line and column that an editor shows."""
    lines = _editor_lines(text)
    waiting, seen = [root], set()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue  # an alias and its anchor are one node
        seen.add(id(node))
        line, offset = lines[node.line - 1]
        node.line = line
        node.column += offset
        node.end_column = None if node.end_column is None else node.end_column + offset
        if isinstance(node.content, dict):
            waiting.extend(node.content.values())
        elif isinstance(node.content, list):
            waiting.extend(node.content)


def _editor_lines(text: str) -> list[tuple[int, int]]:
    """For each line of YAML: the line of an editor, and the columns before it on that line."""
    lines = [(1, 0)]
    line, start = 1, 0
    for end in _END.finditer(text):
        if end.group() not in _EXTRA:
            line, start = line + 1, end.end()
        lines.append((line, end.end() - start))
    return lines


_WIDTH = 72  # a longer value gets a line for each of its parts
_BLANK_LINES = re.compile(r"\n\n+(?=\S)")  # between fragments, not inside a nested one


@cache
def as_json(fragments: str) -> str:
    """Fragments of YAML, separated by empty lines, as JSON. Unchanged if one is not a mapping or a list."""
    try:
        return "\n\n".join(_members(parse_yaml(fragment).plain()) for fragment in _BLANK_LINES.split(fragments))
    except (ParseError, ValueError):
        return fragments


def _members(content: object) -> str:
    if not isinstance(content, (dict, list)):
        raise ParseError("a scalar is not a part of a template")
    return ",\n".join(_parts(content, ""))


def _parts(content: dict[str, object] | list[object], indent: str) -> Iterator[str]:
    if isinstance(content, dict):
        for key, value in content.items():
            name = f"{indent}{_line(key)}: "
            yield name + _spread(value, indent, len(name))
    else:
        yield from (indent + _spread(item, indent, len(indent)) for item in content)


def _spread(content: object, indent: str, column: int) -> str:
    """A value that begins at a column, on one line if it fits."""
    line = _line(content)
    if column + len(line) <= _WIDTH or not isinstance(content, (dict, list)):
        return line
    parts = ",\n".join(_parts(content, indent + "  "))
    return f"{line[0]}\n{parts}\n{indent}{line[-1]}"


def _line(content: object) -> str:
    return json.dumps(content, ensure_ascii=False, allow_nan=False)
