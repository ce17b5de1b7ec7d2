"""The matrix as Markdown tables, in which nothing from an input is markup."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tablegate.access.matrix import Matrix
from tablegate.reporters.matrices import legend, spelled, titles, who, worth_showing
from tablegate.reporters.safe import Shower, Shown, joined, own
from tablegate.reporters.words import counted, listed

ROWS, COLUMNS = 100, 40


def render(matrices: Sequence[Matrix], show: Shower) -> str:
    """All matrices, and what their letters mean."""
    shown = worth_showing(matrices)
    lines = [line for matrix in shown for line in (*_whole(matrix, show), own(""))]
    if left := len(matrices) - len(shown):
        lines += [
            joined(counted(left, "input"), own(" without a table: what their holders may do elsewhere is not shown.")),
            own(""),
        ]
    lines += map(_inert, legend(matrices, show))
    return "\n\n".join("\n".join(part) for part in _parts(lines)) + "\n"


def _parts(lines: list[Shown]) -> Iterator[list[Shown]]:
    """The lines of each table together, and every other line as a paragraph."""
    part: list[Shown] = []
    for line in lines:
        if part and not (line.startswith("|") and part[-1].startswith("|")):
            yield part
            part = []
        part += [line] if line else []
    if part:
        yield part


def _whole(matrix: Matrix, show: Shower) -> Iterator[Shown]:
    yield joined(own("### "), _inert(show(matrix.file)))
    rows = [row for row in matrix.rows if row.cells]
    used = sorted({number for row in rows for number in row.cells})
    names = titles(matrix.columns, show)
    if used:
        yield _line([own("holder"), own("sort"), *(_inert(names[number]) for number in used[:COLUMNS])])
        yield _line([own("---")] * (2 + len(used[:COLUMNS])))
    for row in rows[:ROWS]:
        cells = (row.cells.get(number) for number in used[:COLUMNS])
        marks = [own("") if cell is None else _inert(spelled(cell)) for cell in cells]
        yield _line([*map(_inert, who(row, show)), *marks])
    if not matrix.columns:
        yield own("No table is in this input: what its holders may do elsewhere is not shown.")
        return
    idle = counted(len(matrix.rows) - len(rows), "holder"), counted(len(matrix.columns) - len(used), "column")
    yield joined(idle[0], own(" and "), idle[1], own(" without a cell"))
    if len(rows) > ROWS or len(used) > COLUMNS:
        more = [counted(len(rows[ROWS:]), "holder"), counted(len(used[COLUMNS:]), "column")]
        yield joined(own("Not shown: "), listed(more), own(". The format csv has them all."))


def _line(cells: Sequence[Shown]) -> Shown:
    return joined(own("| "), listed(cells, " | "), own(" |"))


def _inert(text: Shown) -> Shown:
    """As code: there is no markup in it, but for what would end it."""
    return Shown(f"`{text.replace('`', chr(92) + 'x60').replace('|', chr(92) + 'x7c')}`")
