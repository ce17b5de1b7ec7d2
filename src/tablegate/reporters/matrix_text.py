"""The matrix for a terminal: in blocks as wide as the reader, and no longer than anybody reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tablegate.access.matrix import Matrix
from tablegate.reporters.matrices import legend, spelled, titles, who, worth_showing
from tablegate.reporters.safe import Shower, Shown, joined, own
from tablegate.reporters.words import counted, listed

ROWS, COLUMNS = 100, 40
_GAP = "  "
_LEAD = 48  # of a holder's name, before it takes a line of its own


def render(matrices: Sequence[Matrix], show: Shower, width: int) -> str:
    """All matrices, one below the other, and what their letters mean."""
    shown = worth_showing(matrices)
    lines = [line for matrix in shown for line in (*_whole(matrix, show, width), own(""))]
    if left := len(matrices) - len(shown):
        lines += [
            joined(counted(left, "input"), own(" without a table: what their holders may do elsewhere is not shown")),
            own(""),
        ]
    lines += legend(matrices, show)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _whole(matrix: Matrix, show: Shower, width: int) -> Iterator[Shown]:
    tables = sum(column.index is None for column in matrix.columns)
    counts = [counted(tables, "table"), counted(len(matrix.columns) - tables, "index")]
    yield listed([show(matrix.file), *counts, counted(len(matrix.rows), "holder")], " · ")
    rows = [number for number, row in enumerate(matrix.rows) if row.cells]
    used = sorted({number for row in matrix.rows for number in row.cells})
    for block in _blocks(matrix, used[:COLUMNS], show, width):
        yield own("")
        yield from _block(matrix, rows[:ROWS], block, show)
    if len(rows) < len(matrix.rows) or len(used) < len(matrix.columns) or len(rows) > ROWS or len(used) > COLUMNS:
        yield own("")
    if not matrix.columns:
        yield own("no table is in this input: what its holders may do elsewhere is not shown")
    elif idle := len(matrix.rows) - len(rows):
        yield joined(counted(idle, "holder"), own(" with nothing on any table here"))
    if idle := len(matrix.columns) - len(used):
        yield joined(counted(idle, "column"), own(" that nobody here reaches"))
    if len(rows) > ROWS or len(used) > COLUMNS:
        more = [counted(len(rows[ROWS:]), "holder"), counted(len(used[COLUMNS:]), "column")]
        yield joined(own("not shown: "), listed(more), own("; -o csv has them all"))


def _blocks(matrix: Matrix, used: list[int], show: Shower, width: int) -> Iterator[list[int]]:
    """The columns, as many in a block as the reader's width takes."""
    names = titles(matrix.columns, show)
    lead = min(_LEAD, max((sum(map(len, who(row, show))) for row in matrix.rows), default=0)) + len(_GAP)
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


def _block(matrix: Matrix, rows: list[int], block: list[int], show: Shower) -> Iterator[Shown]:
    names = titles(matrix.columns, show)
    shown = [row for row in map(matrix.rows.__getitem__, rows) if not row.cells.keys().isdisjoint(block)]
    table = [[own("holder"), own("sort"), *(names[number] for number in block)]]
    for row in shown:
        cells = (row.cells.get(number) for number in block)
        table.append([*who(row, show), *(own("") if cell is None else spelled(cell) for cell in cells)])
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        yield listed((Shown(text.ljust(wide)) for text, wide in zip(line, widths, strict=True)), _GAP)
