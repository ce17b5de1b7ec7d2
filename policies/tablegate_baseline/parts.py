"""How is a verdict over the parts of a table worded? One sentence names every part that is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tablegate.policy import Doubt, Index, Origin, Table, Units, Value, Verdict, all_of

Labelled = tuple[str, Verdict]


def index_label(index: Index) -> str:
    """What a message calls an index."""
    return f"index {index.name.shown}" if index.name.known else "an index whose name is not known"


def global_indexes(table: Table) -> tuple[Index, ...]:
    """The global indexes that are known to be there."""
    return table.indexes.content or ()


def local_indexes(table: Table) -> tuple[Index, ...]:
    """The local indexes that are known to be there."""
    return table.local_indexes.content or ()


def units_of(table: Table, pair: Callable[[Table | Index], Units]) -> Iterator[tuple[str, Value[int]]]:
    """A number for reads and one for writes, of the table and of each global index, all with a label."""
    pairs = [("the table", pair(table)), *((index_label(index), pair(index)) for index in global_indexes(table))]
    for label, units in pairs:
        yield f"reads of {label}", units.read
        yield f"writes of {label}", units.write


def every_part(says: str, parts: Iterable[Labelled], *also: Value[object]) -> Verdict:
    """Every part holds. Where some do not, the note is what it says and their labels; ``also`` is evidence too."""
    labelled = tuple(parts)
    verdict = all_of(part for _, part in labelled)
    broken = [label for label, part in labelled if part.truth is False]
    if not broken:
        return verdict
    return Verdict(False, (*verdict.evidence, *also), f"{says} {', '.join(broken)}")


def otherwise(verdict: Verdict, note: str) -> Verdict:
    """The same verdict, in these words where it fails."""
    return verdict.because(note) if verdict.truth is False else verdict


def undecided(*values: Value[object]) -> Verdict:
    """Nothing can be said while some of these are not known."""
    return Verdict(None, tuple(value for value in values if not value.known))


def in_doubt(*collections: Value[tuple[Index, ...]]) -> Iterator[Labelled]:
    """The doubt about each collection that is not known: what it holds cannot be judged."""
    for collection in collections:
        if not collection.known:
            yield collection.name, undecided(collection)


def doubtful(name: str, doubt: Doubt) -> Value[None]:
    """A fact that the model keeps no value for, and that cannot be known."""
    return Value(name, None, Origin.UNKNOWN, None, doubt)


def not_seen(name: str, doubt: Doubt | None) -> Verdict:
    """What was looked for was not seen. With such a doubt it may be there all the same."""
    return Verdict(False) if doubt is None else Verdict(None, (doubtful(name, doubt),))
