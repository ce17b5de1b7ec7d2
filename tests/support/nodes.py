"""Trees as tuples, so that tests can compare places too."""

from __future__ import annotations

from tablegate.syntax.node import Node


def places(node: Node) -> tuple[object, int, int, int | None]:
    """Content, line, column and end column, all the way down."""
    content: object = node.content
    if isinstance(content, dict):
        content = {key: places(child) for key, child in content.items()}
    elif isinstance(content, list):
        content = [places(child) for child in content]
    return content, node.line, node.column, node.end_column
