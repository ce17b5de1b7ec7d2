"""Lines as editors count them, where YAML 1.1 counts more: it also ends a line at U+0085, U+2028 and U+2029."""

from __future__ import annotations

import re

from tablegate.syntax.node import Node

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
