"""Holders by tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cache
from typing import TypeAlias

from tablegate.iam.actions import HARMLESS, Action, Kind, action_named, is_unheard, known_actions, newer_actions
from tablegate.iam.arns import Symbols, arn_of, at_home, has_symbol, is_suffix
from tablegate.iam.documents import Patterns, Principal
from tablegate.iam.evaluation import actions_of, covered
from tablegate.iam.grants import DocumentRole, Grant, HolderForm
from tablegate.iam.holders import Holder, answered
from tablegate.iam.patterns import intersects, matches
from tablegate.model.estate import Estate
from tablegate.model.record import field, record, replace
from tablegate.model.table import Table


class Part(StrEnum):
    """What of a table a column is about."""

    TABLE = "table"
    STREAM = "stream"
    INDEX = "index"


@record(kw_only=False)
class Column:
    """A table, or one of its indexes; ``index`` is None for the table itself, and empty where its name is not known."""

    address: str
    name: str | None
    index: str | None = None


@record(kw_only=False)
class MatrixTarget:
    """One thing that patterns reach: a table, its stream, or one of its indexes."""

    part: Part
    column: int
    arn: str
    target: str


class Columns:
    """The columns of one input, and which of them each pattern reaches."""

    def __init__(self, estate: Estate) -> None:
        self._symbols = estate.holders[0].symbols if estate.holders else Symbols()
        columns: list[Column] = []
        self.spots: list[MatrixTarget] = []
        self._of_tail: dict[str, list[int]] = {}
        self.of_address: dict[str, list[int]] = {}
        self._symbolic: list[int] = []
        for table, indexes in _tables((*estate.tables, *estate.neighbours)):
            arn = arn_of(table, self._symbols)
            spots = _spots(table, indexes, arn, len(columns), self._symbols)
            numbers = range(len(self.spots), len(self.spots) + len(spots))
            columns.append(Column(table.address, table.name.content))
            columns += (Column(table.address, table.name.content, index) for index in indexes)
            self.spots += spots
            self._of_tail.setdefault(_tail(arn), []).extend(numbers)
            self.of_address.setdefault(table.address, []).extend(numbers)
            self._symbolic += numbers if has_symbol(_tail(arn)) else ()
        self.all = tuple(columns)
        self._reached: dict[str, Mapping[int, bool | None]] = {}

    def reached_by(self, text: str) -> Mapping[int, bool | None]:
        """What a pattern reaches, for certain or perhaps, by number."""
        found = self._reached.get(text)
        if found is None:
            answers = ((number, self._reaches(text, self.spots[number])) for number in self._candidates(text))
            found = self._reached[text] = {number: answer for number, answer in answers if answer is not False}
        return found

    def _candidates(self, text: str) -> Iterable[int]:
        """Of a table of this input that is named in full, nothing but what is its own."""
        tail = _tail(text)
        name = tail[:-1] if tail and is_suffix(tail[-1]) else tail
        own = self._of_tail.get("/".join(name.split("/")[:2]))
        if own is not None:
            return own
        plain = tail.isascii() and "*" not in text and "?" not in text
        return self._symbolic if plain else range(len(self.spots))

    @staticmethod
    def _reaches(text: str, spot: MatrixTarget) -> bool | None:
        pattern = at_home(text, spot.arn)
        if spot.part is not Part.STREAM:
            own = pattern[:-1] == spot.arn and is_suffix(pattern[-1])
            return True if own and spot.part is Part.TABLE else matches(pattern, spot.target)
        return intersects(pattern, f"{spot.arn}/stream/*")


def _tables(tables: Iterable[Table]) -> Iterator[tuple[Table, list[str]]]:
    """Each table once, with the names of its indexes in all scenarios; an empty name for those that are not known."""
    gathered: dict[str, list[Table]] = {}
    for table in tables:
        gathered.setdefault(table.address, []).append(table)
    for _, several in sorted(gathered.items()):
        kinds = [kind for table in several for kind in (table.indexes, table.local_indexes, table.vector_indexes)]
        names = {index.name.content or "" for kind in kinds for index in kind.content or ()}
        names |= {"" for kind in kinds if not kind.known}
        yield several[0], sorted(names)


def _spots(table: Table, indexes: list[str], arn: str, column: int, symbols: Symbols) -> list[MatrixTarget]:
    own = [MatrixTarget(Part.TABLE, column, arn, arn), MatrixTarget(Part.STREAM, column, arn, f"{arn}/stream/*")]
    for place, index in enumerate(indexes, column + 1):
        name = index or symbols.of(f"index of {table.address}")
        own.append(MatrixTarget(Part.INDEX, place, arn, f"{arn}/index/{name}"))
    return own


def _tail(arn: str) -> str:
    return arn.split(":", 5)[-1]


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

    def at(self, number: int, spot: MatrixTarget) -> Cell:
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
