"""Verdicts over parts and replicas in words; words of a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

from tablegate.policy import Doubt, Index, Origin, Replica, Table, Units, Value, Verdict, all_of, fails, holds, unknown


def require(value: Value[object], wanted: object, otherwise: str, claim: str) -> Verdict:
    """The value is what is wanted. ``otherwise`` says what is wrong; ``claim`` is what cannot be told."""
    if not value.known:
        return worded(value.equals(wanted), otherwise, claim)  # its candidates may agree
    return holds(value) if value.content == wanted else fails(otherwise, value)


def worded(verdict: Verdict, otherwise: str, claim: str) -> Verdict:
    """The verdict, in the same two ways of speaking."""
    notes = {True: None, False: otherwise, None: f"cannot tell whether {claim}"}
    return verdict.because(notes[verdict.truth])


def of_replicas(table: Table, judge: Callable[[Replica], Verdict]) -> tuple[Verdict, ...]:
    """A verdict on each of the table's replicas, or one doubt where nobody can tell which there are."""
    replicas = table.replicas
    if not replicas.known:
        return (unknown("cannot tell which replicas the table has", replicas),)
    return tuple(map(judge, replicas.content or ()))


def replica_label(replica: Replica) -> str:
    """What a message calls a replica."""
    return f"the replica in {replica.region.shown}" if replica.region.known else "a replica whose region is not known"


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


# Digits are not words: `prod2` speaks of `prod`, `2fa_token` of `fa` and `token`.
_WORD = re.compile(r"[A-Z]+(?![^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+")
_LOWER = re.compile(r"[a-z]+")  # finds the same in nearly every name, three times as fast
_NAMES_KEPT = 1 << 16


@lru_cache(maxsize=_NAMES_KEPT)
def words_of(name: str) -> tuple[str, ...]:
    """The words of a name, in order and in lower case."""
    if name.isascii() and name == name.lower():
        return tuple(_LOWER.findall(name))
    return tuple([word.lower() for word in _WORD.findall(name)])


def word_in(name: str, words: tuple[str, ...]) -> str | None:
    """The first of the name's words that is one of these, in singular or plural, as these spell it.

    A word of several parts, such as ``magic-link``, is found where its parts follow one another.
    """
    return word_among(words_of(name), words)


@lru_cache(maxsize=_NAMES_KEPT)
def word_among(spoken: tuple[str, ...], words: tuple[str, ...]) -> str | None:
    """The same, of a name that is split already."""
    forms, longest = _forms(words)
    for start in range(len(spoken)):
        for end in range(start + 1, min(start + longest, len(spoken)) + 1):
            found = forms.get(spoken[start:end])
            if found is not None:
                return found
    return None


@lru_cache
def _forms(words: tuple[str, ...]) -> tuple[Mapping[tuple[str, ...], str], int]:
    """Every form that a name may use for each word, and the number of parts of the longest."""
    forms = {(*parts[:-1], last): word for word in words if (parts := words_of(word)) for last in _numbers(parts[-1])}
    return forms, max(map(len, forms), default=0)


def _numbers(word: str) -> tuple[str, ...]:
    """A word in singular and plural. Forms that no language knows are harmless: no name holds them."""
    singulars = (word, word[:-1], word.removesuffix("es"), word.removesuffix("ies") + "y") if _plural(word) else (word,)
    plurals = (f"{word}s", f"{word}es", f"{word[:-1]}ies") if word.endswith("y") else (f"{word}s", f"{word}es")
    return tuple(dict.fromkeys((*singulars, *plurals)))


def _plural(word: str) -> bool:
    return len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))
