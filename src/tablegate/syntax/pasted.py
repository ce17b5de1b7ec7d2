"""A fragment of YAML as the members or items of JSON that say the same, to be pasted where JSON is written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache

from tablegate.syntax.errors import ParseError
from tablegate.syntax.yaml_ import parse_yaml

_WIDTH = 72  # what does not fit into one line has a line for each of its parts
_APART = re.compile(r"\n\n+(?=\S)")  # what is nested may have empty lines too


@cache
def pasted(fragments: str) -> str:
    """Fragments with an empty line between them, in JSON. As they are, where one of them is no mapping or list."""
    try:
        return "\n\n".join(_members(parse_yaml(fragment).plain()) for fragment in _APART.split(fragments))
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
