"""The matrix as text, csv, json, markdown."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

from tablegate.iam.aws_data import ACTIONS_AS_OF
from tablegate.iam.matrix import Cell, Column, Matrix, Right, Row
from tablegate.reporters.safe import SafeText, Sanitizer, joined, trusted_text
from tablegate.reporters.wording import counted, listed

Render: TypeAlias = Callable[[Sequence[Matrix], Sanitizer, int], str]


def _text(matrices: Sequence[Matrix], safe: Sanitizer, width: int) -> str:

    return render_matrix_text(matrices, safe, width)


def _markdown(matrices: Sequence[Matrix], safe: Sanitizer, _: int) -> str:

    return render_matrix_markdown(matrices, safe)


def _csv(matrices: Sequence[Matrix], safe: Sanitizer, _: int) -> str:

    return render(matrices, safe)


def _json(matrices: Sequence[Matrix], safe: Sanitizer, _: int) -> str:

    return render_matrix_json(matrices, safe.scrub)


RENDERERS: Mapping[str, Render] = {"text": _text, "markdown": _markdown, "csv": _csv, "json": _json}


LEGEND = (
    trusted_text("R read  W write  D delete  S scan  T read the stream  A administer"),
    trusted_text("R* only under a condition  R? cannot be told  blank: surely not"),
)
UNHEARD = trusted_text("what a table's own policy denies to all is not taken from other holders")
_NEWER = trusted_text(f"not among the actions known as of {ACTIONS_AS_OF}, so they may do anything: ")
_FEW = 12  # inputs, each of which is shown whatever it holds
_ORDER = tuple(Right)


def legend(matrices: Sequence[Matrix], safe: Sanitizer) -> Iterator[SafeText]:
    """What is to be known about the cells, where there are any."""
    if any(row.cells for matrix in matrices for row in matrix.rows):
        yield from (*LEGEND, UNHEARD)
    unheard = sorted({name for matrix in matrices for name in matrix.unheard})
    if unheard:
        yield joined(_NEWER, listed([safe(name) for name in unheard]))


def worth_showing(matrices: Sequence[Matrix]) -> list[Matrix]:
    """Those that a reader looks for: of many inputs most hold no table. One that is alone says so itself."""
    return list(matrices) if len(matrices) <= _FEW else [matrix for matrix in matrices if matrix.columns]


@cache
def spelled(cell: Cell) -> SafeText:
    """A cell as letters: ``RW*D?``."""
    marks = {**dict.fromkeys(cell.sure, ""), **dict.fromkeys(cell.bound, "*"), **dict.fromkeys(cell.unknown, "?")}
    return SafeText("".join(f"{right}{marks[right]}" for right in _ORDER if right in marks))


def titles(columns: Sequence[Column], safe: Sanitizer) -> list[SafeText]:
    """What the columns are called: by a table's name where only one has it, and its address where not."""
    named: dict[str, set[str]] = {}
    for column in columns:
        named.setdefault(column.name or "", set()).add(column.address)
    found = []
    for column in columns:
        name = column.name if column.name and len(named[column.name]) == 1 else column.address
        below = (
            ()
            if column.index is None
            else (trusted_text("/"), safe(column.index) if column.index else trusted_text("?"))
        )
        found.append(joined(safe(name), *below))
    return found


def who(row: Row, safe: Sanitizer) -> tuple[SafeText, SafeText]:
    """A row's holder, and what sort of holder that is."""
    if row.principal is None:
        named = joined(safe(row.name), trusted_text(" by "), safe(row.address)) if row.name else safe(row.address)
        return named, joined(safe(row.form), trusted_text(" "), safe(row.kind))
    return joined(safe(row.principal), trusted_text(" by "), safe(row.address)), joined(
        safe(row.form), trusted_text("'s own policy")
    )


_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def render(matrices: Sequence[Matrix], safe: Sanitizer) -> str:
    """One table for each matrix, with an empty line between."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    for place, matrix in enumerate(matrices):
        if place:
            writer.writerow(())
        names = titles(matrix.columns, safe)
        writer.writerow(map(_inert, ("file", "holder", "sort", *names)))
        for row in matrix.rows:
            cells = ["" if (cell := row.cells.get(number)) is None else spelled(cell) for number in range(len(names))]
            writer.writerow([*map(_inert, (safe(matrix.file), *who(row, safe))), *cells])
    return file.getvalue()


def _inert(text: str) -> str:
    """A leading apostrophe tells a spreadsheet that what follows is text."""
    return f"'{text}" if text.startswith(_FORMULA) else text


VERSION = 1


def render_matrix_json(matrices: Sequence[Matrix], scrub: Callable[[str], str]) -> str:
    """The whole document."""
    inputs = ",\n".join(_matrix(matrix, scrub) for matrix in matrices)
    return f'{{"version": {VERSION}, "inputs": [\n{inputs}\n]}}\n'


def _matrix(matrix: Matrix, scrub: Callable[[str], str]) -> str:
    columns = [{"table": column.address, "name": column.name, "index": column.index} for column in matrix.columns]
    parts = (
        f'{{"path": {_text_matrix_json(matrix.file, scrub)}',
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
    lines = ",\n  ".join(_text_matrix_json(item, scrub) for item in items)
    return f"\n  {lines}\n" if lines else ""


def _text_matrix_json(content: Any, scrub: Callable[[str], str]) -> str:
    return json.dumps(_scrubbed(content, scrub))


def _scrubbed(content: Any, scrub: Callable[[str], str]) -> Any:
    match content:
        case str():
            return scrub(content).encode("utf-8", "replace").decode("utf-8")
        case dict():
            return {key: item if key == "cells" else _scrubbed(item, scrub) for key, item in content.items()}
    return content


ROWS, COLUMNS = 100, 40


def render_matrix_markdown(matrices: Sequence[Matrix], safe: Sanitizer) -> str:
    """All matrices, and what their letters mean."""
    shown = worth_showing(matrices)
    lines = [line for matrix in shown for line in (*_whole(matrix, safe), trusted_text(""))]
    if left := len(matrices) - len(shown):
        lines += [
            joined(
                counted(left, "input"),
                trusted_text(" without a table: what their holders may do elsewhere is not shown."),
            ),
            trusted_text(""),
        ]
    lines += map(_inert_matrix_markdown, legend(matrices, safe))
    return "\n\n".join("\n".join(part) for part in _parts(lines)) + "\n"


def _parts(lines: list[SafeText]) -> Iterator[list[SafeText]]:
    """The lines of each table together, and every other line as a paragraph."""
    part: list[SafeText] = []
    for line in lines:
        if part and not (line.startswith("|") and part[-1].startswith("|")):
            yield part
            part = []
        part += [line] if line else []
    if part:
        yield part


def _whole(matrix: Matrix, safe: Sanitizer) -> Iterator[SafeText]:
    yield joined(trusted_text("### "), _inert_matrix_markdown(safe(matrix.file)))
    rows = [row for row in matrix.rows if row.cells]
    used = sorted({number for row in rows for number in row.cells})
    names = titles(matrix.columns, safe)
    if used:
        yield _line(
            [
                trusted_text("holder"),
                trusted_text("sort"),
                *(_inert_matrix_markdown(names[number]) for number in used[:COLUMNS]),
            ]
        )
        yield _line([trusted_text("---")] * (2 + len(used[:COLUMNS])))
    for row in rows[:ROWS]:
        cells = (row.cells.get(number) for number in used[:COLUMNS])
        marks = [trusted_text("") if cell is None else _inert_matrix_markdown(spelled(cell)) for cell in cells]
        yield _line([*map(_inert_matrix_markdown, who(row, safe)), *marks])
    if not matrix.columns:
        yield trusted_text("No table is in this input: what its holders may do elsewhere is not shown.")
        return
    idle = counted(len(matrix.rows) - len(rows), "holder"), counted(len(matrix.columns) - len(used), "column")
    yield joined(idle[0], trusted_text(" and "), idle[1], trusted_text(" without a cell"))
    if len(rows) > ROWS or len(used) > COLUMNS:
        more = [counted(len(rows[ROWS:]), "holder"), counted(len(used[COLUMNS:]), "column")]
        yield joined(trusted_text("Not shown: "), listed(more), trusted_text(". The format csv has them all."))


def _line(cells: Sequence[SafeText]) -> SafeText:
    return joined(trusted_text("| "), listed(cells, " | "), trusted_text(" |"))


def _inert_matrix_markdown(text: SafeText) -> SafeText:
    """As code: there is no markup in it, but for what would end it."""
    return SafeText(f"`{text.replace('`', chr(92) + 'x60').replace('|', chr(92) + 'x7c')}`")


ROWS_matrix_text, COLUMNS_matrix_text = 100, 40
_GAP = "  "
_LEAD = 48  # of a holder's name, before it takes a line of its own


def render_matrix_text(matrices: Sequence[Matrix], safe: Sanitizer, width: int) -> str:
    """All matrices, one below the other, and what their letters mean."""
    shown = worth_showing(matrices)
    lines = [line for matrix in shown for line in (*_whole_matrix_text(matrix, safe, width), trusted_text(""))]
    if left := len(matrices) - len(shown):
        lines += [
            joined(
                counted(left, "input"),
                trusted_text(" without a table: what their holders may do elsewhere is not shown"),
            ),
            trusted_text(""),
        ]
    lines += legend(matrices, safe)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _whole_matrix_text(matrix: Matrix, safe: Sanitizer, width: int) -> Iterator[SafeText]:
    tables = sum(column.index is None for column in matrix.columns)
    counts = [counted(tables, "table"), counted(len(matrix.columns) - tables, "index")]
    yield listed([safe(matrix.file), *counts, counted(len(matrix.rows), "holder")], " · ")
    rows = [number for number, row in enumerate(matrix.rows) if row.cells]
    used = sorted({number for row in matrix.rows for number in row.cells})
    for block in _blocks(matrix, used[:COLUMNS_matrix_text], safe, width):
        yield trusted_text("")
        yield from _block(matrix, rows[:ROWS_matrix_text], block, safe)
    if (
        len(rows) < len(matrix.rows)
        or len(used) < len(matrix.columns)
        or len(rows) > ROWS_matrix_text
        or len(used) > COLUMNS_matrix_text
    ):
        yield trusted_text("")
    if not matrix.columns:
        yield trusted_text("no table is in this input: what its holders may do elsewhere is not shown")
    elif idle := len(matrix.rows) - len(rows):
        yield joined(counted(idle, "holder"), trusted_text(" with nothing on any table here"))
    if idle := len(matrix.columns) - len(used):
        yield joined(counted(idle, "column"), trusted_text(" that nobody here reaches"))
    if len(rows) > ROWS_matrix_text or len(used) > COLUMNS_matrix_text:
        more = [counted(len(rows[ROWS_matrix_text:]), "holder"), counted(len(used[COLUMNS_matrix_text:]), "column")]
        yield joined(trusted_text("not shown: "), listed(more), trusted_text("; -o csv has them all"))


def _blocks(matrix: Matrix, used: list[int], safe: Sanitizer, width: int) -> Iterator[list[int]]:
    """The columns, as many in a block as the reader's width takes."""
    names = titles(matrix.columns, safe)
    lead = min(_LEAD, max((sum(map(len, who(row, safe))) for row in matrix.rows), default=0)) + len(_GAP)
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


def _block(matrix: Matrix, rows: list[int], block: list[int], safe: Sanitizer) -> Iterator[SafeText]:
    names = titles(matrix.columns, safe)
    shown = [row for row in map(matrix.rows.__getitem__, rows) if not row.cells.keys().isdisjoint(block)]
    table = [[trusted_text("holder"), trusted_text("sort"), *(names[number] for number in block)]]
    for row in shown:
        cells = (row.cells.get(number) for number in block)
        table.append([*who(row, safe), *(trusted_text("") if cell is None else spelled(cell) for cell in cells)])
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        yield listed((SafeText(text.ljust(wide)) for text, wide in zip(line, widths, strict=True)), _GAP)
