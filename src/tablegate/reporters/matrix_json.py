"""The matrix as JSON, a holder on each line: cells that are blank are left out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tablegate.access.matrix import Matrix, Row
from tablegate.reporters.matrices import spelled

VERSION = 1


def render(matrices: Sequence[Matrix], scrub: Callable[[str], str]) -> str:
    """The whole document."""
    inputs = ",\n".join(_matrix(matrix, scrub) for matrix in matrices)
    return f'{{"version": {VERSION}, "inputs": [\n{inputs}\n]}}\n'


def _matrix(matrix: Matrix, scrub: Callable[[str], str]) -> str:
    columns = [{"table": column.address, "name": column.name, "index": column.index} for column in matrix.columns]
    parts = (
        f'{{"path": {_text(matrix.file, scrub)}',
        f'"columns": [{_lines(columns, scrub)}]',
        f'"holders": [{_lines(map(_row, matrix.rows), scrub)}]}}',
    )
    return ",\n".join(parts)


def _row(row: Row) -> dict[str, Any]:
    return {
        "address": row.address,
        "form": row.form,
        "kind": row.kind,
        "name": row.name,
        "principal": row.principal,
        "cells": {str(number): spelled(cell) for number, cell in sorted(row.cells.items())},
    }


def _lines(items: Iterator[dict[str, Any]] | list[dict[str, Any]], scrub: Callable[[str], str]) -> str:
    lines = ",\n  ".join(_text(item, scrub) for item in items)
    return f"\n  {lines}\n" if lines else ""


def _text(content: Any, scrub: Callable[[str], str]) -> str:
    return json.dumps(_scrubbed(content, scrub))


def _scrubbed(content: Any, scrub: Callable[[str], str]) -> Any:
    match content:
        case str():
            return scrub(content).encode("utf-8", "replace").decode("utf-8")
        case dict():
            return {key: item if key == "cells" else _scrubbed(item, scrub) for key, item in content.items()}
    return content
