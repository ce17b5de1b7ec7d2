"""How is a verdict over the parts of a table worded? One sentence names every part that is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tablegate.policy import Doubt, Index, Origin, Table, Units, Value, Verdict, all_of

Labelled = tuple[str, Verdict]


def index_label(index: Index) -> str:
    """What a message calls an index."""
    name = index.name
    return f"index {name.shown}" if name.known else "an index whose name is not known"


def global_indexes(table: Table) -> tuple[Index, ...]:
    """The global indexes that are known to be there."""
    return table.indexes.content or ()


def local_indexes(table: Table) -> tuple[Index, ...]:
    """The local indexes that are known to be there."""
    return table.local_indexes.content or ()


def part_label(part: Table | Index) -> str:
    """What a message calls a table or one of its indexes."""
    return index_label(part) if isinstance(part, Index) else "the table"


def scaled_parts(table: Table) -> tuple[Table | Index, ...]:
    """The table and its global indexes: each has a capacity of its own."""
    return (table, *global_indexes(table))


def units_of(table: Table, pair: Callable[[Table | Index], Units]) -> Iterator[tuple[str, Table | Index, Value[int]]]:
    """A number for reads and one for writes, of the table and of each global index."""
    for part in scaled_parts(table):
        units = pair(part)
        yield "reads", part, units.read
        yield "writes", part, units.write


def every_part(says: str, parts: Sequence[Labelled], *also: Value[object]) -> Verdict:
    """Every part holds; those that do need not be named. Where some do not, the note is what it says and their labels,
    and ``also`` is evidence too."""
    broken = [(label, part) for label, part in parts if part.truth is False]
    if not broken:
        return all_of([part for _, part in parts])
    evidence = {id(value): value for _, part in broken for value in part.evidence}
    return Verdict(False, (*evidence.values(), *also), f"{says} {', '.join([label for label, _ in broken])}")


def otherwise(verdict: Verdict, note: str) -> Verdict:
    """The same verdict, in these words where it fails."""
    return verdict.because(note) if verdict.truth is False else verdict


def undecided(*values: Value[object]) -> Verdict:
    """Nothing can be said while some of these are not known."""
    return Verdict(None, tuple([value for value in values if not value.known]))


def in_doubt(collection: Value[tuple[Index, ...]]) -> tuple[Labelled, ...]:
    """The doubt about a collection that is not known: what it holds cannot be judged."""
    return () if collection.known else ((collection.name, undecided(collection)),)


def doubtful(name: str, doubt: Doubt) -> Value[None]:
    """A fact that the model keeps no value for, and that cannot be known."""
    return Value(name, None, Origin.UNKNOWN, None, doubt)


def not_seen(name: str, doubt: Doubt | None) -> Verdict:
    """What was looked for was not seen. With such a doubt it may be there all the same."""
    return Verdict(False) if doubt is None else Verdict(None, (doubtful(name, doubt),))


def compared(left: Value[int], test: Callable[[int, int], bool], right: Value[int]) -> Verdict:
    """The test's answer about two numbers. A number that is not stated is not compared."""
    if not left.known or not right.known:
        return undecided(left, right)
    if left.content is None or right.content is None:
        return Verdict(True)
    return Verdict(test(left.content, right.content), (left, right))
