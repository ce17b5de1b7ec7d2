"""The matrix for spreadsheets: every holder and every column, and no cell that is a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from tablegate.access.matrix import Matrix
from tablegate.reporters.matrices import spelled, titles, who
from tablegate.reporters.safe import Shower

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def render(matrices: Sequence[Matrix], show: Shower) -> str:
    """One table for each matrix, with an empty line between."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    for place, matrix in enumerate(matrices):
        if place:
            writer.writerow(())
        names = titles(matrix.columns, show)
        writer.writerow(map(_inert, ("file", "holder", "sort", *names)))
        for row in matrix.rows:
            cells = ["" if (cell := row.cells.get(number)) is None else spelled(cell) for number in range(len(names))]
            writer.writerow([*map(_inert, (show(matrix.file), *who(row, show))), *cells])
    return file.getvalue()


def _inert(text: str) -> str:
    """A leading apostrophe tells a spreadsheet that what follows is text."""
    return f"'{text}" if text.startswith(_FORMULA) else text
