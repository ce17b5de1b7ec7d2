"""The columns of a matrix of access: tables and their indexes, and which of them a pattern reaches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum

from tablegate.access.arns import arn_of, at_home
from tablegate.access.patterns import intersects, matches
from tablegate.access.symbols import Symbols, has_symbol, is_suffix
from tablegate.model.estate import Estate
from tablegate.model.record import record
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
class Spot:
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
        self.spots: list[Spot] = []
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
    def _reaches(text: str, spot: Spot) -> bool | None:
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


def _spots(table: Table, indexes: list[str], arn: str, column: int, symbols: Symbols) -> list[Spot]:
    own = [Spot(Part.TABLE, column, arn, arn), Spot(Part.STREAM, column, arn, f"{arn}/stream/*")]
    for place, index in enumerate(indexes, column + 1):
        name = index or symbols.of(f"index of {table.address}")
        own.append(Spot(Part.INDEX, place, arn, f"{arn}/index/{name}"))
    return own


def _tail(arn: str) -> str:
    return arn.split(":", 5)[-1]
