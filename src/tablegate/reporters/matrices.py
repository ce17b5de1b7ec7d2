"""The words of a matrix of access: its cells, the titles of its columns, and who its holders are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from tablegate.access.columns import Column
from tablegate.access.dates import ACTIONS_AS_OF
from tablegate.access.matrix import Cell, Matrix, Right, Row
from tablegate.reporters.safe import Shower, Shown, joined, own
from tablegate.reporters.words import listed

LEGEND = (
    own("R read  W write  D delete  S scan  T read the stream  A administer"),
    own("R* only under a condition  R? cannot be told  blank: surely not"),
)
UNHEARD = own("what a table's own policy denies to all is not taken from other holders")
_NEWER = own(f"not among the actions known as of {ACTIONS_AS_OF}, so they may do anything: ")
_FEW = 12  # inputs, each of which is shown whatever it holds
_ORDER = tuple(Right)


def legend(matrices: Sequence[Matrix], show: Shower) -> Iterator[Shown]:
    """What is to be known about the cells, where there are any."""
    if any(row.cells for matrix in matrices for row in matrix.rows):
        yield from (*LEGEND, UNHEARD)
    unheard = sorted({name for matrix in matrices for name in matrix.unheard})
    if unheard:
        yield joined(_NEWER, listed([show(name) for name in unheard]))


def worth_showing(matrices: Sequence[Matrix]) -> list[Matrix]:
    """Those that a reader looks for: of many inputs most hold no table. One that is alone says so itself."""
    return list(matrices) if len(matrices) <= _FEW else [matrix for matrix in matrices if matrix.columns]


@cache
def spelled(cell: Cell) -> Shown:
    """A cell as letters: ``RW*D?``."""
    marks = {**dict.fromkeys(cell.sure, ""), **dict.fromkeys(cell.bound, "*"), **dict.fromkeys(cell.unknown, "?")}
    return Shown("".join(f"{right}{marks[right]}" for right in _ORDER if right in marks))


def titles(columns: Sequence[Column], show: Shower) -> list[Shown]:
    """What the columns are called: by a table's name where only one has it, and its address where not."""
    named: dict[str, set[str]] = {}
    for column in columns:
        named.setdefault(column.name or "", set()).add(column.address)
    found = []
    for column in columns:
        name = column.name if column.name and len(named[column.name]) == 1 else column.address
        below = () if column.index is None else (own("/"), show(column.index) if column.index else own("?"))
        found.append(joined(show(name), *below))
    return found


def who(row: Row, show: Shower) -> tuple[Shown, Shown]:
    """A row's holder, and what sort of holder that is."""
    if row.principal is None:
        named = joined(show(row.name), own(" by "), show(row.address)) if row.name else show(row.address)
        return named, joined(show(row.form), own(" "), show(row.kind))
    return joined(show(row.principal), own(" by "), show(row.address)), joined(show(row.form), own("'s own policy"))
