"""The access matrix as text, Markdown, CSV or JSON. `RENDERERS` names the formats."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

from tablegate.iam.aws_data import ACTIONS_AS_OF
from tablegate.iam.matrix import Cell, Column, Matrix, Right, Row
from tablegate.reporters.safe import SafeText, Sanitizer, joined, json_text, trusted_text
from tablegate.reporters.wording import counted, listed

Render: TypeAlias = Callable[[Sequence[Matrix], Sanitizer, int], SafeText]

VERSION = 1  # of the JSON format
MAX_ROWS, MAX_COLUMNS = 100, 40  # that text and Markdown show of one input

LEGEND = (
    trusted_text("R read  W write  D delete  S scan  T read the stream  A administer"),
    trusted_text("R* under a condition  R? unknown  blank: no access"),
)
_ROAD = trusted_text("+ can give itself more access (TG544)")
_DAX = trusted_text("not shown: what clusters of DAX reach for ")
_NEWER = trusted_text(f"not among the actions known as of {ACTIONS_AS_OF}, assumed to allow everything: ")
_FEW = 12  # inputs, each of which is shown even without a table; and callers of clusters
_ORDER = tuple(Right)
_GAP = "  "
_NAMES = frozenset({"address", "cells", "form", "kind", "road", "table"})  # keys of what is no value
_LEAD = 48  # columns of a holder's name before it takes a line of its own
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # begin a formula in a spreadsheet


def render_text(matrices: Sequence[Matrix], safe: Sanitizer, width: int) -> SafeText:
    """All matrices, one below the other, and a legend."""
    shown = _with_tables(matrices)
    lines = [line for matrix in shown for line in (*_text_lines(matrix, safe, width), trusted_text(""))]
    if left := len(matrices) - len(shown):
        without = trusted_text(" without a table: access to tables elsewhere is not shown")
        lines += [joined(counted(left, "input"), without), trusted_text("")]
    lines += _legend(matrices, safe)
    return SafeText("".join(f"{line.rstrip()}\n" for line in lines))


def _text_lines(matrix: Matrix, safe: Sanitizer, width: int) -> Iterator[SafeText]:
    tables = sum(column.index is None for column in matrix.columns)
    counts = [counted(tables, "table"), counted(len(matrix.columns) - tables, "index")]
    yield listed([safe.name(matrix.file), *counts, counted(len(matrix.rows), "holder")], " · ")
    rows, used = _filled(matrix)
    for block in _column_blocks(matrix, used[:MAX_COLUMNS], safe, width):
        yield trusted_text("")
        yield from _text_table(matrix, rows[:MAX_ROWS], block, safe)
    idle_rows, idle_columns = len(matrix.rows) - len(rows), len(matrix.columns) - len(used)
    cut = len(rows) > MAX_ROWS or len(used) > MAX_COLUMNS
    if idle_rows or idle_columns or cut:
        yield trusted_text("")
    if not matrix.columns:
        yield trusted_text("this input has no table: access to tables elsewhere is not shown")
    elif idle_rows:
        yield joined(counted(idle_rows, "holder"), trusted_text(" without access to any table here"))
    if idle_columns:
        yield joined(counted(idle_columns, "column"), trusted_text(" that no holder here can access"))
    if cut:
        yield joined(trusted_text("not shown: "), listed(_cut(rows, used)), trusted_text(" (-o csv has them all)"))


def _column_blocks(matrix: Matrix, used: list[int], safe: Sanitizer, width: int) -> Iterator[list[int]]:
    """The columns, as many in a block as fit the width."""
    names = column_titles(matrix.columns, safe)
    lead = min(_LEAD, max((sum(map(len, _holder(row, safe))) for row in matrix.rows), default=0)) + len(_GAP)
    block: list[int] = []
    room = width - lead
    for number in used:
        need = max(len(names[number]), 6) + len(_GAP)
        if block and need > room:
            yield block
            block, room = [], width - lead
        block.append(number)
        room -= need
    if block:
        yield block


def _text_table(matrix: Matrix, rows: Iterable[Row], block: list[int], safe: Sanitizer) -> Iterator[SafeText]:
    names = column_titles(matrix.columns, safe)
    heads = [trusted_text("holder"), trusted_text("kind"), *(names[number] for number in block)]
    shown = [row for row in rows if not row.cells.keys().isdisjoint(block)]
    table = [heads, *([*_holder(row, safe), *_cells(row, block)] for row in shown)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        yield listed((SafeText(text.ljust(wide)) for text, wide in zip(line, widths, strict=True)), _GAP)


def render_markdown(matrices: Sequence[Matrix], safe: Sanitizer, _: int) -> SafeText:
    """All matrices as Markdown tables, and a legend."""
    shown = _with_tables(matrices)
    lines = [line for matrix in shown for line in (*_markdown_lines(matrix, safe), trusted_text(""))]
    if left := len(matrices) - len(shown):
        without = trusted_text(" without a table: access to tables elsewhere is not shown.")
        lines += [joined(counted(left, "input"), without), trusted_text("")]
    lines += map(_code, _legend(matrices, safe))
    return SafeText("\n\n".join("\n".join(part) for part in _paragraphs(lines)) + "\n")


def _markdown_lines(matrix: Matrix, safe: Sanitizer) -> Iterator[SafeText]:
    yield joined(trusted_text("### "), _code(safe.name(matrix.file)))
    rows, used = _filled(matrix)
    names = column_titles(matrix.columns, safe)
    shown = used[:MAX_COLUMNS]
    if used:
        yield _markdown_row([trusted_text("holder"), trusted_text("kind"), *(_code(names[number]) for number in shown)])
        yield _markdown_row([trusted_text("---")] * (2 + len(shown)))
    for row in rows[:MAX_ROWS]:
        cells = [_code(cell) if len(cell) else cell for cell in _cells(row, shown)]
        yield _markdown_row([*map(_code, _holder(row, safe)), *cells])
    if not matrix.columns:
        yield trusted_text("This input has no table: access to tables elsewhere is not shown.")
        return
    idle = counted(len(matrix.rows) - len(rows), "holder"), counted(len(matrix.columns) - len(used), "column")
    yield joined(idle[0], trusted_text(" and "), idle[1], trusted_text(" without access"))
    if len(rows) > MAX_ROWS or len(used) > MAX_COLUMNS:
        more = listed(_cut(rows, used))
        yield joined(trusted_text("Not shown: "), more, trusted_text(" (`-o csv` has them all)."))


def _paragraphs(lines: Iterable[SafeText]) -> Iterator[list[SafeText]]:
    """The lines of each table together, and every other line as a paragraph."""
    part: list[SafeText] = []
    for line in lines:
        if part and not (line.startswith("|") and part[-1].startswith("|")):
            yield part
            part = []
        part += [line] if len(line) else []
    if part:
        yield part


def _markdown_row(cells: Sequence[SafeText]) -> SafeText:
    return joined(trusted_text("| "), listed(cells, " | "), trusted_text(" |"))


def _code(text: SafeText) -> SafeText:
    """The text as inline code, so that nothing in it is markup."""
    return SafeText(f"`{text.replace('`', chr(92) + 'x60').replace('|', chr(92) + 'x7c')}`")


def render_csv(matrices: Sequence[Matrix], safe: Sanitizer, _: int) -> SafeText:
    """One table for each matrix, with an empty line between."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    for at, matrix in enumerate(matrices):
        if at:
            writer.writerow(())
        names = column_titles(matrix.columns, safe)
        writer.writerow(map(_no_formula, ("file", "holder", "kind", *names)))
        for row in matrix.rows:
            lead = (safe.name(matrix.file), *_holder(row, safe))
            writer.writerow([*map(_no_formula, lead), *_cells(row, range(len(names)))])
    return SafeText(file.getvalue())


def _no_formula(text: str) -> str:
    """The text, after an apostrophe if a spreadsheet would run it as a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def render_json(matrices: Sequence[Matrix], safe: Sanitizer, _: int) -> SafeText:
    """The whole document, one holder a line."""
    inputs = ",\n".join(_json_matrix(matrix, safe.scrub) for matrix in matrices)
    return json_text(f'{{"version": {VERSION}, "inputs": [\n{inputs}\n]}}\n')


def _json_matrix(matrix: Matrix, scrub: Callable[[str], str]) -> str:
    columns = [{"table": column.address, "name": column.name, "index": column.index} for column in matrix.columns]
    parts = (
        f'{{"path": {_json_text(matrix.file, str)}',
        f'"columns": [{_json_lines(columns, scrub)}]',
        f'"holders": [{_json_lines(map(_json_row, matrix.rows), scrub)}]}}',
    )
    return ",\n".join(parts)


def _json_row(row: Row) -> dict[str, Any]:
    return {
        "address": row.address,
        "form": row.form,
        "kind": row.kind,
        "road": row.road,
        "dax": row.dax,
        "name": row.name,
        "principal": row.principal,
        "cells": {str(number): cell_text(cell) for number, cell in sorted(row.cells.items())},
    }


def _json_lines(rows: Iterable[dict[str, Any]], scrub: Callable[[str], str]) -> str:
    lines = ",\n  ".join(_json_text(row, scrub) for row in rows)
    return f"\n  {lines}\n" if lines else ""


def _json_text(content: Any, scrub: Callable[[str], str]) -> str:
    return json.dumps(_scrubbed(content, scrub))


def _scrubbed(content: Any, scrub: Callable[[str], str]) -> Any:
    match content:
        case str():
            return scrub(content).encode("utf-8", "replace").decode("utf-8")
        case dict():
            return {key: _scrubbed(item, str if key in _NAMES else scrub) for key, item in content.items()}
    return content


def _legend(matrices: Sequence[Matrix], safe: Sanitizer) -> Iterator[SafeText]:
    """The meaning of the letters, where there are any, what is not shown, and the actions that are not known."""
    if any(row.cells for matrix in matrices for row in matrix.rows):
        yield from LEGEND
        if any(row.road for matrix in matrices for row in matrix.rows):
            yield _ROAD
    callers = sorted({row.address for matrix in matrices for row in matrix.rows if row.dax})
    if callers:
        more = [counted(len(callers) - _FEW, "other holder")] if len(callers) > _FEW else []
        yield joined(_DAX, listed([*map(safe.name, callers[:_FEW]), *more]))
    unheard = sorted({name for matrix in matrices for name in matrix.unheard})
    if unheard:
        yield joined(_NEWER, listed([safe(name) for name in unheard]))


def _with_tables(matrices: Sequence[Matrix]) -> list[Matrix]:
    """The matrices that have a table; all of them if they are few."""
    return list(matrices) if len(matrices) <= _FEW else [matrix for matrix in matrices if matrix.columns]


def _filled(matrix: Matrix) -> tuple[list[Row], list[int]]:
    """The rows and the numbers of the columns that have a cell."""
    rows = [row for row in matrix.rows if row.cells]
    return rows, sorted({number for row in rows for number in row.cells})


def _cut(rows: list[Row], used: list[int]) -> list[SafeText]:
    return [counted(len(rows[MAX_ROWS:]), "holder"), counted(len(used[MAX_COLUMNS:]), "column")]


def _cells(row: Row, columns: Iterable[int]) -> list[SafeText]:
    cells = (row.cells.get(number) for number in columns)
    return [trusted_text("") if cell is None else cell_text(cell) for cell in cells]


@cache
def cell_text(cell: Cell) -> SafeText:
    """A cell as letters: ``RW*D?``."""
    marks = {**dict.fromkeys(cell.sure, ""), **dict.fromkeys(cell.bound, "*"), **dict.fromkeys(cell.unknown, "?")}
    return SafeText("".join(f"{right}{marks[right]}" for right in _ORDER if right in marks))


def column_titles(columns: Sequence[Column], safe: Sanitizer) -> list[SafeText]:
    """The table's name, or its address where two tables share the name; ``/index`` after it for an index."""
    addresses: dict[str, set[str]] = {}
    for column in columns:
        addresses.setdefault(column.name or "", set()).add(column.address)
    titles = []
    for column in columns:
        name = column.name if column.name and len(addresses[column.name]) == 1 else column.address
        index = safe(column.index) if column.index else trusted_text("?")
        shown = safe.name(name) if name == column.address else safe(name)
        titles.append(shown if column.index is None else joined(shown, trusted_text("/"), index))
    return titles


def _holder(row: Row, safe: Sanitizer) -> tuple[SafeText, SafeText]:
    """The row's holder, and its kind."""
    if row.principal is not None:
        lead = joined(safe(row.principal), trusted_text(" by "), safe.name(row.address))
        return lead, joined(safe.name(row.form), trusted_text("'s own policy"))
    address = safe.name(row.address)
    lead = joined(safe(row.name), trusted_text(" by "), address) if row.name else address
    kind = joined(safe.name(row.form), trusted_text(" "), safe.name(row.kind))
    return lead, kind if row.road is None else joined(kind, trusted_text(" +"))


RENDERERS: Mapping[str, Render] = {
    "text": render_text,
    "markdown": render_markdown,
    "csv": render_csv,
    "json": render_json,
}
