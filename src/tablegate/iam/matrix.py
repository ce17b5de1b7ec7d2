"""The access matrix: the rights of each holder on each table and index of one input."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cache
from typing import TypeAlias

from tablegate.iam.actions import HARMLESS, Action, Kind, action_named, is_unheard, known_actions, newer_actions
from tablegate.iam.arns import Symbols, arn_of, at_home, has_symbol, is_suffix
from tablegate.iam.documents import Patterns, Principal
from tablegate.iam.evaluation import actions_of, covers_any
from tablegate.iam.grants import DocumentRole, Grant, HolderForm
from tablegate.iam.holders import Holder, answer_for
from tablegate.iam.patterns import intersects, matches
from tablegate.iam.resource_policies import is_named, is_own_account
from tablegate.iam.roads import road_of
from tablegate.model.estate import Estate
from tablegate.model.record import field, record, replace
from tablegate.model.table import Table


class Part(StrEnum):
    """What a column's rights are about: the table itself, its stream or one of its indexes."""

    TABLE = "table"
    STREAM = "stream"
    INDEX = "index"


class Right(StrEnum):
    """What a holder may do, as one letter."""

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
_RIGHTS_ON = {
    Part.TABLE: (Right.READ, Right.WRITE, Right.DELETE, Right.SCAN, Right.ADMIN),
    Part.STREAM: (Right.STREAM,),
    Part.INDEX: (Right.READ, Right.SCAN),
}
_SENSITIVE = "(sensitive)"  # in place of what a sensitive document says
_WITH_OWN_POLICY = (HolderForm.TABLE, HolderForm.STREAM)
_WITHOUT_ROW = (HolderForm.KEY, HolderForm.ENDPOINT, *_WITH_OWN_POLICY)


@record(kw_only=False)
class Column:
    """A table, or one of its indexes. ``index`` is None for the table itself, and empty where its name is not known."""

    address: str
    name: str | None
    index: str | None = None


@record(kw_only=False)
class Cell:
    """The rights of one holder in one column: certain, under a condition, or not known."""

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
    """One holder, or one principal that a table's own policy names. A blank cell is left out.

    ``name`` is that of a holder outside the input: its address is then that of what names it.
    """

    address: str
    form: str
    kind: str
    principal: str | None
    cells: Mapping[int, Cell] = field(hash=False)
    name: str | None = None
    road: str | None = None  # how the holder can give itself more, in actions
    dax: bool = False  # whether it may call clusters of DAX, which reach tables with roles of their own


@record(kw_only=False)
class Matrix:
    """The matrix of one input."""

    file: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    unheard: tuple[str, ...] = ()  # unknown actions that are granted


def matrix_of(estate: Estate) -> Matrix:
    """Who can do what to the tables of one input."""
    targets = _Targets(estate)
    rows = _Rows(targets)
    made = [rows.row(holder) for holder in estate.holders if holder.form not in _WITHOUT_ROW and _may_grant(holder)]
    for holder in estate.holders:
        if holder.form in _WITH_OWN_POLICY:
            made += (rows.row(one, principal) for principal, one in _by_principal(holder, estate.holders))
    made.sort(key=lambda row: (row.address, row.form, row.principal or ""))
    unheard = sorted({text for holder in estate.holders for text in _shown_unknown_actions(holder)})
    return Matrix(estate.file, targets.columns, tuple(made), tuple(unheard))


def _may_grant(holder: Holder) -> bool:
    """Whether a holder has anything but upper limits."""
    return not holder.grants or any(grant.role is DocumentRole.IDENTITY for grant in holder.grants)


def _calls_dax(holder: Holder) -> bool:
    """Whether a holder is granted calls of clusters of DAX by name. A bare star is a grant on tables as well."""
    allowed = (grant.statement.actions for grant in holder.grants if grant.gives)
    return any(text.lower().startswith("dax:") for actions in allowed if not actions.inverted for text in actions.texts)


def _unknown_actions(holder: Holder) -> list[str]:
    """The action patterns that a holder is granted and that match no known action."""
    allowed = (grant.statement.actions for grant in holder.grants if grant.statement.allows)
    return sorted({text for actions in allowed if not actions.inverted for text in actions.texts if is_unheard(text)})


def _shown_unknown_actions(holder: Holder) -> Iterator[str]:
    """The statements for readers: those of a sensitive document are not shown."""
    for grant in holder.grants:
        actions = grant.statement.actions
        if grant.statement.allows and not actions.inverted:
            unknown = filter(is_unheard, actions.texts)
            yield from (_SENSITIVE if grant.document.sensitive else text for text in unknown)


def _by_principal(resource: Holder, holders: Iterable[Holder]) -> Iterator[tuple[str, Holder]]:
    """Each principal that a resource's own policy names, as a holder of the statements about it.

    Roles and users of the input have rows of their own, and for their account as a whole their own policies decide.
    """
    own = [holder.arn for holder in holders if holder.arn is not None]
    allowing = [grant for grant in resource.grants if grant.statement.allows]
    for shown, principal in sorted({pair for grant in allowing for pair in _principals(grant)}, key=str):
        if principal is not None and any(_has_row(principal, arn) for arn in own):
            continue
        grants = tuple(
            replace(grant, role=DocumentRole.IDENTITY, of_resource=True)
            for grant in resource.grants
            if (shown, principal) in set(_principals(grant)) or (grant.statement.denies and _names_everybody(grant))
        )
        yield shown, replace(resource, grants=grants, unread=())
    if resource.unread:
        yield "principals that could not be read", replace(resource, grants=())


def _has_row(principal: Principal, arn: str) -> bool:
    return is_named(principal, arn) is True or is_own_account(principal, arn)


def _principals(grant: Grant) -> Iterator[tuple[str, Principal | None]]:
    if grant.document.sensitive:
        yield from ((_SENSITIVE, principal) for _, principal in _all_principals(grant))
    else:
        yield from _all_principals(grant)


def _all_principals(grant: Grant) -> Iterator[tuple[str, Principal | None]]:
    principals = grant.statement.principals
    if principals is None or principals.doubt is not None:
        yield "an unknown principal", None
    if principals is not None and principals.inverted:
        yield "everybody except " + ", ".join(grant.document.shown(item.text) for item in principals.items), None
    elif principals is not None:
        for item in principals.items:
            yield grant.document.shown(item.text), item


def _names_everybody(grant: Grant) -> bool:
    principals = grant.statement.principals
    return principals is not None and any(item.text == "*" for item in principals.items) and not principals.inverted


@record(kw_only=False)
class MatrixTarget:
    """One resource that patterns reach, and its column: a table, its stream, or one of its indexes."""

    part: Part
    column: int
    table: str
    arn: str


class _Targets:
    """The columns of one input, their targets, and which of these each pattern reaches."""

    def __init__(self, estate: Estate) -> None:
        self._symbols = estate.holders[0].symbols if estate.holders else Symbols()
        columns: list[Column] = []
        self.all: list[MatrixTarget] = []
        self.by_address: dict[str, list[int]] = {}
        self._by_tail: dict[str, list[int]] = {}
        self._symbolic: list[int] = []
        for table, indexes in _with_indexes((*estate.tables, *estate.neighbours)):
            arn = arn_of(table, self._symbols)
            targets = _targets_of(table, indexes, arn, len(columns), self._symbols)
            numbers = range(len(self.all), len(self.all) + len(targets))
            columns.append(Column(table.address, table.name.content))
            columns += (Column(table.address, table.name.content, index) for index in indexes)
            self.all += targets
            self._by_tail.setdefault(_tail(arn), []).extend(numbers)
            self.by_address.setdefault(table.address, []).extend(numbers)
            self._symbolic += numbers if has_symbol(_tail(arn)) else ()
        self.columns = tuple(columns)
        self._reached: dict[str, Mapping[int, bool | None]] = {}

    def reached_by(self, pattern: str) -> Mapping[int, bool | None]:
        """The numbers of the targets that a pattern reaches: True for certain, None perhaps."""
        reached = self._reached.get(pattern)
        if reached is None:
            answers = ((number, _reaches(pattern, self.all[number])) for number in self._candidates(pattern))
            reached = self._reached[pattern] = {number: answer for number, answer in answers if answer is not False}
        return reached

    def _candidates(self, pattern: str) -> Iterable[int]:
        """The targets that a pattern may reach: those of one table, where it names one of this input in full."""
        tail = _tail(pattern)
        name = tail[:-1] if tail and is_suffix(tail[-1]) else tail
        own = self._by_tail.get("/".join(name.split("/")[:2]))
        if own is not None:
            return own
        plain = tail.isascii() and "*" not in pattern and "?" not in pattern
        return self._symbolic if plain else range(len(self.all))


def _reaches(pattern: str, target: MatrixTarget) -> bool | None:
    pattern = at_home(pattern, target.table)
    if target.part is Part.STREAM:
        return intersects(pattern, target.arn)
    with_suffix = pattern[:-1] == target.table and is_suffix(pattern[-1])
    return True if with_suffix and target.part is Part.TABLE else matches(pattern, target.arn)


def _with_indexes(tables: Iterable[Table]) -> Iterator[tuple[Table, list[str]]]:
    """Each table once, with the names of its indexes in all scenarios; an empty name for those that are not known."""
    by_address: dict[str, list[Table]] = {}
    for table in tables:
        by_address.setdefault(table.address, []).append(table)
    for _, scenarios in sorted(by_address.items()):
        lists = [one for table in scenarios for one in (table.indexes, table.local_indexes, table.vector_indexes)]
        names = {index.name.content or "" for indexes in lists for index in indexes.content or ()}
        names |= {"" for indexes in lists if not indexes.known}
        yield scenarios[0], sorted(names)


def _targets_of(table: Table, indexes: list[str], arn: str, column: int, symbols: Symbols) -> list[MatrixTarget]:
    """The table, its stream directly behind it, and its indexes."""
    targets = [
        MatrixTarget(Part.TABLE, column, arn, arn),
        MatrixTarget(Part.STREAM, column, arn, f"{arn}/stream/*"),
    ]
    for index_column, index in enumerate(indexes, column + 1):
        name = index or symbols.of(f"index of {table.address}")
        targets.append(MatrixTarget(Part.INDEX, index_column, arn, f"{arn}/index/{name}"))
    return targets


def _tail(arn: str) -> str:
    return arn.split(":", 5)[-1]


class _Rows:
    """Makes the rows of one input."""

    def __init__(self, targets: _Targets) -> None:
        self._targets = targets
        self._uniform: dict[tuple[Cell, Cell], dict[int, Cell]] = {}

    def row(self, holder: Holder, principal: str | None = None) -> Row:
        """One row. A principal's is about the one resource that names it."""
        rights = _Rights(holder, self._targets.reached_by)
        if principal is None:
            numbers, everywhere = rights.targets(), self._everywhere(rights)
            numbers |= self._in_same_column(numbers)
        else:
            numbers, everywhere = self._targets_of(holder), {}
        own: dict[int, Cell] = {}
        for number in sorted(numbers):
            target = self._targets.all[number]
            own[target.column] = own.get(target.column, NOTHING) + rights.at(number, target)
        cells = {**everywhere, **own}
        shown = {column: cells[column] for column in sorted(cells) if cells[column]} if own else cells
        name = holder.name if holder.outside else None
        road = road_of(holder) if principal is None else None
        way = " with ".join(road.actions) if road is not None else None
        dax = principal is None and _calls_dax(holder)
        return Row(holder.address, str(holder.form), str(holder.kind), principal, shown, name, way, dax)

    def _targets_of(self, resource: Holder) -> set[int]:
        """What a resource's own policy is about: the stream alone for a stream's, all but the stream for a table's."""
        numbers, targets = self._targets.by_address.get(resource.address, ()), self._targets.all
        is_stream = resource.form is HolderForm.STREAM
        return {number for number in numbers if (targets[number].part is Part.STREAM) is is_stream}

    def _in_same_column(self, numbers: set[int]) -> set[int]:
        """The streams of the tables among these, and the tables of the streams."""
        targets = self._targets.all
        return {number + 1 for number in numbers if targets[number].part is Part.TABLE} | {
            number - 1 for number in numbers if targets[number].part is Part.STREAM
        }

    def _everywhere(self, rights: _Rights) -> Mapping[int, Cell]:
        """The cells of columns that only a bare star reaches."""
        key = (rights.cell(Part.TABLE, ()) + rights.cell(Part.STREAM, ()), rights.cell(Part.INDEX, ()))
        if key not in self._uniform:
            cells = ((number, key[column.index is not None]) for number, column in enumerate(self._targets.columns))
            self._uniform[key] = {number: cell for number, cell in cells if cell}
        return self._uniform[key]


ReachedBy: TypeAlias = Callable[[str], Mapping[int, bool | None]]


class _Rights:
    """The rights of one holder. Each combination of patterns is evaluated once."""

    def __init__(self, holder: Holder, reached_by: ReachedBy) -> None:
        self._holder = holder
        statements = [grant.statement for grant in holder.grants]
        statements += (statement for document in holder.ceilings for statement in document.statements)
        patterns = dict.fromkeys(text for statement in statements for text in statement.resources.texts)
        self._bare_stars = [text for text in patterns if set(text) <= {"*"}]
        self._reached = {text: reached_by(text) for text in patterns if text not in self._bare_stars}
        self._unknown_actions = _unknown_actions(holder)
        allowing = [statement for statement in statements if statement.allows]
        self._named = frozenset(action for statement in allowing for action in actions_of(statement.actions))
        self._cells: dict[tuple[Part, tuple[tuple[str, bool | None], ...]], Cell] = {}

    def targets(self) -> set[int]:
        """The numbers of the targets that any pattern but a bare star reaches."""
        return {number for reached in self._reached.values() for number in reached}

    def at(self, number: int, target: MatrixTarget) -> Cell:
        """The rights on one target."""
        answers = tuple((text, reached[number]) for text, reached in self._reached.items() if number in reached)
        return self.cell(target.part, answers)

    def cell(self, part: Part, answers: tuple[tuple[str, bool | None], ...]) -> Cell:
        """The rights where only these patterns, and bare stars, reach."""
        key = (part, answers)
        if key not in self._cells:
            self._cells[key] = self._evaluated(part, {**dict.fromkeys(self._bare_stars, True), **dict(answers)})
        return self._cells[key]

    def _evaluated(self, part: Part, answers: Mapping[str, bool | None]) -> Cell:
        def covers(patterns: Patterns, _: str) -> bool | None:
            return covers_any(patterns, lambda text: answers.get(text, False))

        sure, bound, unknown = [], [], []
        unknown_actions = map(action_named, self._unknown_actions)
        may_do_anything = any(answer_for(self._holder, action, "", covers).truth is None for action in unknown_actions)
        for right in _RIGHTS_ON[part]:
            actions = _actions(part)[right]
            asked = [action for action in actions if action in self._named] or _one_of(actions)
            given = [answer_for(self._holder, action, "", covers) for action in asked]
            allowed = [answer for answer in given if answer.truth is True]
            if any(not answer.conditional for answer in allowed):
                sure.append(right)
            elif allowed:
                bound.append(right)
            elif may_do_anything or any(answer.truth is None for answer in given):
                unknown.append(right)
        return Cell(tuple(sure), tuple(bound), tuple(unknown))


def _one_of(actions: list[Action]) -> list[Action]:
    """One action for all of a right: one that a resource's own policy may carry, where there is one."""
    return [next((action for action in actions if action.in_resource_policy), actions[0])]


@cache
def _actions(part: Part) -> Mapping[Right, list[Action]]:
    """The actions of each right that work on this part of a table."""
    actions: dict[Right, list[Action]] = {right: [] for right in _RIGHTS_ON[part]}
    for action in (*known_actions(), *newer_actions()):
        right = _RIGHTS.get(action.kind, None if action.kind in HARMLESS else Right.ADMIN)
        if right in actions and part in action.types:
            actions[right].append(action)
    return actions
