"""Parse_yaml; lines as editors count; yaml pasted as json."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

from tablegate.syntax.node import Node, ParseError, collector_paused
from tablegate.syntax.yaml.line_reader import SECTION, Extracted, Piece, UnclearError, extract_resources, read_block

LENGTH = 20_000_000  # characters; CloudFormation itself ends at one million
_MARKER = re.compile(r"\A((?:#[^\n]*+\n|\n)*+)---\n")  # of a document's start; without one it is the same


def parse_yaml(text: str, wanted: Callable[[str], bool] | None = None) -> Node:
    """The document as nodes, each with its line and column.

    ``wanted`` says of a type whether a template's resources of it are to be read. Others may come out with nothing but
    their ``Type``, and what is wrong inside of them is then not seen.
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
    """The whole document, with the resources that were taken out of it."""
    sections = _plain_sections(extracted)
    if sections:
        return Node(sections, next(iter(sections.values())).line, 1)
    root = _parsed(extracted.text)
    if not extracted.resources or not isinstance(root.content, dict) or SECTION not in root.content:
        return root  # behind a tag there is no template
    section = root.content[SECTION]
    others = section.content if isinstance(section.content, dict) else {}
    return Node({**root.content, SECTION: _section(section.line, others, extracted.resources)}, root.line, root.column)


def _plain_sections(extracted: Extracted) -> Mapping[str, Node] | None:
    """The sections of the document, if every line of what is left says by itself what it is, too."""
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
        raise UnclearError  # a key is there twice
    return sections


def _section(line: int, others: Mapping[str, Node], resources: Mapping[str, Node]) -> Node:
    """All resources, in their order."""
    content = dict(sorted({**others, **resources}.items(), key=lambda item: item[1].line)) if others else resources
    return Node(content, line, 1, 1 + len(SECTION))


def _parsed(text: str) -> Node:
    from tablegate.syntax.yaml.events import document_of  # few templates need a parser

    return document_of(text)


_END = re.compile("\r\n?|[\n\x85\u2028\u2029]")
_EXTRA = frozenset("\x85\u2028\u2029")


def has_extra_lines(text: str) -> bool:
    """Whether YAML and an editor count this text's lines differently."""
    return not _EXTRA.isdisjoint(text)


def to_editor_lines(root: Node, text: str) -> None:
    """Move every node to the line and column where an editor shows it."""
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
    """For each of YAML's lines: the editor's line, and the columns that come before it there."""
    lines = [(1, 0)]
    line, start = 1, 0
    for end in _END.finditer(text):
        if end.group() not in _EXTRA:
            line, start = line + 1, end.end()
        lines.append((line, end.end() - start))
    return lines


_WIDTH = 72  # what does not fit into one line has a line for each of its parts
_BLANK_LINES = re.compile(r"\n\n+(?=\S)")  # what is nested may have empty lines too


@cache
def as_json(fragments: str) -> str:
    """Fragments with an empty line between them, in JSON. As they are, where one of them is no mapping or list."""
    try:
        return "\n\n".join(_members(parse_yaml(fragment).plain()) for fragment in _BLANK_LINES.split(fragments))
    except (ParseError, ValueError):
        return fragments


def _members(content: object) -> str:
    if not isinstance(content, (dict, list)):
        raise ParseError("a scalar, which is not a part of a template")
    return ",\n".join(_parts(content, ""))


def _parts(content: dict[str, object] | list[object], indent: str) -> Iterator[str]:
    if isinstance(content, dict):
        for key, value in content.items():
            name = f"{indent}{_line(key)}: "
            yield name + _spread(value, indent, len(name))
    else:
        yield from (indent + _spread(item, indent, len(indent)) for item in content)


def _spread(content: object, indent: str, column: int) -> str:
    """A value that begins at a column, in one line if there is room for it."""
    line = _line(content)
    if column + len(line) <= _WIDTH or not isinstance(content, (dict, list)):
        return line
    parts = ",\n".join(_parts(content, indent + "  "))
    return f"{line[0]}\n{parts}\n{indent}{line[-1]}"


def _line(content: object) -> str:
    return json.dumps(content, ensure_ascii=False, allow_nan=False)
