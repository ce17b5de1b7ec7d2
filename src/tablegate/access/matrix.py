"""Who can do what to which table: holders as rows, tables and their indexes as columns, six rights in a cell.

A right is one of a few groups of actions. Most holders name few tables, so that a row is worked out where one of
the holder's patterns reaches something, and once for all the columns where none does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from functools import cache
from typing import TypeAlias

from tablegate.access.actions import HARMLESS, Action, Kind, action_named, is_unheard, known_actions, newer_actions
from tablegate.access.answers import answered
from tablegate.access.bearing import covered
from tablegate.access.columns import Column, Columns, Part, Spot
from tablegate.access.documents import Patterns, Principal
from tablegate.access.grants import DocumentRole, Grant, HolderForm
from tablegate.access.holders import Holder
from tablegate.access.reach import actions_of
from tablegate.model.estate import Estate
from tablegate.model.record import field, record, replace

Reaching: TypeAlias = Callable[[str], Mapping[int, bool | None]]


class Right(StrEnum):
    """What a holder may do, in one letter."""

    READ = "R"
    WRITE = "W"
    DELETE = "D"
    SCAN = "S"
    STREAM = "T"
    ADMIN = "A"


_RIGHTS = {
    Kind.ITEM_READ: Right.READ,
    Kind.ITEM_WRITE: Right.WRITE,
    Kind.ITEM_DELETE: Right.DELETE,
    Kind.BULK_READ: Right.SCAN,
    Kind.STREAM_READ: Right.STREAM,
}
_OF_PART = {
    Part.TABLE: (Right.READ, Right.WRITE, Right.DELETE, Right.SCAN, Right.ADMIN),
    Part.STREAM: (Right.STREAM,),
    Part.INDEX: (Right.READ, Right.SCAN),
}
_DOORS = (HolderForm.TABLE, HolderForm.STREAM)
_ASIDE = (HolderForm.KEY, HolderForm.ENDPOINT, *_DOORS)


@record(kw_only=False)
class Cell:
    """The rights of one holder on one table or index: certain, only under a condition, or not to be told."""

    sure: tuple[Right, ...] = ()
    bound: tuple[Right, ...] = ()
    unknown: tuple[Right, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.sure or self.bound or self.unknown)

    def __add__(self, other: Cell) -> Cell:
        return Cell(self.sure + other.sure, self.bound + other.bound, self.unknown + other.unknown)


NOTHING = Cell()


@record(kw_only=False)
class Row:
    """One holder, or one principal that a table's own policy names. Cells that are not there are blank.

    ``name`` is that of a holder who is not in the input: its address is then that of what it is given.
    """

    address: str
    form: str
    kind: str
    principal: str | None
    cells: Mapping[int, Cell] = field(hash=False)
    name: str | None = None


@record(kw_only=False)
class Matrix:
    """The whole table of one input."""

    file: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    unheard: tuple[str, ...] = ()  # actions that are not known, as they are granted


def matrix_of(estate: Estate) -> Matrix:
    """Who can do what to the tables of one input. What a table's own policy denies is not taken from the others."""
    columns = Columns(estate)
    make = _Rows(columns)
    rows = [make.row(holder) for holder in estate.holders if holder.form not in _ASIDE and _grants(holder)]
    for holder in estate.holders:
        if holder.form in _DOORS:
            rows += (make.row(one, shown) for shown, one in _let_in(holder))
    rows.sort(key=lambda row: (row.address, row.form, row.principal or ""))
    unheard = sorted({text for holder in estate.holders for text in _unheard(holder)})
    return Matrix(estate.file, columns.all, tuple(rows), tuple(unheard))


def _grants(holder: Holder) -> bool:
    """Whether a holder has anything but upper limits."""
    return not holder.grants or any(grant.role is DocumentRole.IDENTITY for grant in holder.grants)


def _unheard(holder: Holder) -> list[str]:
    """The patterns of actions that a holder is granted and that are not known."""
    given = (grant.statement.actions for grant in holder.grants if grant.statement.allows)
    return sorted({text for actions in given if not actions.inverted for text in actions.texts if is_unheard(text)})


def _let_in(door: Holder) -> Iterator[tuple[str, Holder]]:
    """Everybody whom a resource's own policy names, as a holder of what it says of them."""
    allowing = [grant for grant in door.grants if grant.statement.allows]
    for shown, principal in sorted({pair for grant in allowing for pair in _named(grant)}, key=str):
        own = tuple(
            replace(grant, role=DocumentRole.IDENTITY)
            for grant in door.grants
            if _is_about(grant, shown, principal) or (grant.statement.denies and _is_about_all(grant))
        )
        yield shown, replace(door, grants=own, unread=())
    if door.unread:
        yield "whoever the part that was not read names", replace(door, grants=())


def _named(grant: Grant) -> Iterator[tuple[str, Principal | None]]:
    principals = grant.statement.principals
    if principals is None or principals.doubt is not None:
        yield "a principal that is not known", None
    if principals is not None and principals.inverted:
        yield "everybody but " + ", ".join(grant.document.shown(item.text) for item in principals.items), None
    elif principals is not None:
        for item in principals.items:
            yield grant.document.shown(item.text), item


def _is_about(grant: Grant, shown: str, principal: Principal | None) -> bool:
    return (shown, principal) in set(_named(grant))


def _is_about_all(grant: Grant) -> bool:
    principals = grant.statement.principals
    return principals is not None and any(item.text == "*" for item in principals.items) and not principals.inverted


class _Rows:
    """Makes the rows of one input."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._even: dict[tuple[Cell, Cell], dict[int, Cell]] = {}

    def row(self, holder: Holder, principal: str | None = None) -> Row:
        """One row. A principal's is about the one resource that names it."""
        rights = _Rights(holder, self._columns.reached_by, carried=principal is not None)
        if principal is None:
            special, cells = rights.special(), dict(self._everywhere(rights))
            special |= self._beside(special)
        else:
            special, cells = self._behind(holder), {}
        found: dict[int, Cell] = {}
        for number in sorted(special):
            spot = self._columns.spots[number]
            found[spot.column] = found.get(spot.column, NOTHING) + rights.at(number, spot)
        cells |= found
        shown = {number: cells[number] for number in sorted(cells) if cells[number]} if found else cells
        name = holder.name if holder.outside else None
        return Row(holder.address, str(holder.form), str(holder.kind), principal, shown, name)

    def _behind(self, door: Holder) -> set[int]:
        """What a resource's own policy is about: a stream's about the stream alone, a table's about all but that."""
        numbers, spots = self._columns.of_address.get(door.address, ()), self._columns.spots
        stream = door.form is HolderForm.STREAM
        return {number for number in numbers if (spots[number].part is Part.STREAM) is stream}

    def _beside(self, numbers: set[int]) -> set[int]:
        """The streams of the tables among these, and the tables of the streams: they share a column."""
        spots = self._columns.spots
        return {number + 1 for number in numbers if spots[number].part is Part.TABLE} | {
            number - 1 for number in numbers if spots[number].part is Part.STREAM
        }

    def _everywhere(self, rights: _Rights) -> Mapping[int, Cell]:
        """The cells where no pattern but a bare star reaches."""
        key = (rights.cell(Part.TABLE, ()) + rights.cell(Part.STREAM, ()), rights.cell(Part.INDEX, ()))
        if key not in self._even:
            chosen = ((number, key[column.index is not None]) for number, column in enumerate(self._columns.all))
            self._even[key] = {number: cell for number, cell in chosen if cell}
        return self._even[key]


class _Rights:
    """The rights of one holder: each combination of patterns is judged once.

    ``carried`` where a resource's own policy grants them: not every action has an effect there.
    """

    def __init__(self, holder: Holder, reached_by: Reaching, *, carried: bool) -> None:
        self._holder = holder
        self._carried = carried
        statements = [grant.statement for grant in holder.grants]
        statements += (one for document in holder.ceilings for one in document.statements)
        texts = dict.fromkeys(text for one in statements for text in one.resources.texts)
        self._everywhere = [text for text in texts if set(text) <= {"*"}]
        self._vectors = {text: reached_by(text) for text in texts if text not in self._everywhere}
        allowing = [one for one in statements if one.allows]
        self._unheard = _unheard(holder)
        self._named = frozenset(action for one in allowing for action in actions_of(one.actions))
        self._cells: dict[tuple[Part, tuple[tuple[str, bool | None], ...]], Cell] = {}

    def special(self) -> set[int]:
        """Where any pattern but a bare star reaches something."""
        return {number for vector in self._vectors.values() for number in vector}

    def at(self, number: int, spot: Spot) -> Cell:
        """The rights there."""
        found = tuple((text, vector[number]) for text, vector in self._vectors.items() if number in vector)
        return self.cell(spot.part, found)

    def cell(self, part: Part, found: tuple[tuple[str, bool | None], ...]) -> Cell:
        """The rights where these patterns reach, and the others do not."""
        key = (part, found)
        if key not in self._cells:
            answers = {**dict.fromkeys(self._everywhere, True), **dict(found)}
            self._cells[key] = self._judged(part, answers)
        return self._cells[key]

    def _judged(self, part: Part, answers: Mapping[str, bool | None]) -> Cell:
        def covers(patterns: Patterns, _: str) -> bool | None:
            return covered(patterns, lambda text: answers.get(text, False))

        sure, bound, unknown = [], [], []
        blind = any(answered(self._holder, action_named(name), "", covers).truth is None for name in self._unheard)
        for right in _OF_PART[part]:
            works = _actions(part)[right]
            actions = [action for action in works if not self._carried or action.in_resource_policy is not False]
            asked = [action for action in actions if action in self._named] or actions[:1]
            given = [answered(self._holder, action, "", covers) for action in asked]
            allowed = [answer for answer in given if answer.truth is True]
            if any(not answer.conditional for answer in allowed):
                sure.append(right)
            elif allowed:
                bound.append(right)
            elif blind or any(answer.truth is None for answer in given):
                unknown.append(right)
        return Cell(tuple(sure), tuple(bound), tuple(unknown))


@cache
def _actions(part: Part) -> Mapping[Right, list[Action]]:
    """The actions of each right that work on such a part of a table."""
    found: dict[Right, list[Action]] = {right: [] for right in _OF_PART[part]}
    for action in (*known_actions(), *newer_actions()):
        right = _RIGHTS.get(action.kind, None if action.kind in HARMLESS else Right.ADMIN)
        if right in found and part in action.types:
            found[right].append(action)
    return found
