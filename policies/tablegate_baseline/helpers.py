"""What the policies share: verdicts with their message, labels of a table's parts, and the words of a name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from tablegate.policy import (
    Doubt,
    Index,
    Origin,
    Replica,
    Table,
    Units,
    Value,
    Verdict,
    all_of,
    fails,
    holds,
    unknown,
)

Labelled = tuple[str, Verdict]

ON_DEMAND = "PAY_PER_REQUEST"
PROVISIONED = "PROVISIONED"

# Digits are not words: `prod2` has the word `prod`, `2fa_token` the words `fa` and `token`.
_WORD = re.compile(r"[A-Z]+(?![^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+")
_LOWER = re.compile(r"[a-z]+")  # finds the same in nearly every name, three times as fast
_CACHED_NAMES = 1 << 16


def inherits_billing(table: Table) -> bool:
    """Whether the table is a replica in another account, whose billing mode is that of the table that it copies."""
    return table.billing_mode.origin is Origin.DEFAULT and table.source_table.origin is not Origin.DEFAULT


def provisioned(table: Table) -> Verdict:
    """Capacity is provisioned, by the table itself."""
    return Verdict(False) if inherits_billing(table) else table.billing_mode.equals(PROVISIONED)


def require(value: Value[object], wanted: object, otherwise: str, claim: str) -> Verdict:
    """The value is ``wanted``. ``otherwise`` is the message where it is not, and ``claim`` of "cannot tell whether"."""
    if not value.known:
        return worded(value.equals(wanted), otherwise, claim)  # its candidates may agree
    return holds(value) if value.content == wanted else fails(otherwise, value)


def worded(verdict: Verdict, otherwise: str, claim: str) -> Verdict:
    """The verdict with these messages, as for ``require``."""
    notes = {True: None, False: otherwise, None: f"cannot tell whether {claim}"}
    return verdict.because(notes[verdict.truth])


def each_replica(table: Table, judge: Callable[[Replica], Verdict]) -> tuple[Verdict, ...]:
    """A verdict on each replica of the table, or one unknown verdict where the replicas are not known."""
    replicas = table.replicas
    if not replicas.known:
        return (unknown("cannot tell which replicas the table has", replicas),)
    return tuple(map(judge, replicas.content or ()))


def quoted(value: Value[str]) -> str:
    """A name in a message, in quotes unless it is hidden."""
    return value.shown if value.sensitive or not value.known else f"'{value.shown}'"


def replica_label(replica: Replica) -> str:
    """The replica's name in messages."""
    return f"the replica in {replica.region.shown}" if replica.region.known else "a replica whose region is not known"


def index_label(index: Index) -> str:
    """The index's name in messages."""
    name = index.name
    return f"index {name.shown}" if name.known else "an index whose name is not known"


def global_indexes(table: Table) -> tuple[Index, ...]:
    """The known global indexes."""
    return table.indexes.content or ()


def local_indexes(table: Table) -> tuple[Index, ...]:
    """The known local indexes."""
    return table.local_indexes.content or ()


def part_label(part: Table | Index) -> str:
    """The name of a table or an index in messages."""
    return index_label(part) if isinstance(part, Index) else "the table"


def scaled_parts(table: Table) -> tuple[Table | Index, ...]:
    """The table and its global indexes, each with a capacity of its own."""
    return (table, *global_indexes(table))


def units_of(table: Table, pair: Callable[[Table | Index], Units]) -> Iterator[tuple[str, Table | Index, Value[int]]]:
    """The read and write units of the table and of each global index: ``reads`` or ``writes``, the part, the number."""
    for part in scaled_parts(table):
        units = pair(part)
        yield "reads", part, units.read
        yield "writes", part, units.write


def every_part(message: str, parts: Sequence[Labelled], *also: Value[object]) -> Verdict:
    """Every verdict holds. Where some fail, the labels of these complete the message, and ``also`` is evidence too."""
    failing = [(label, verdict) for label, verdict in parts if verdict.truth is False]
    if not failing:
        return all_of([verdict for _, verdict in parts])
    evidence = {id(value): value for _, verdict in failing for value in verdict.evidence}
    return Verdict(False, (*evidence.values(), *also), f"{message} {_parts_listed([label for label, _ in failing])}")


def _parts_listed(labels: Iterable[str]) -> str:
    """The labels in one phrase: ``reads and writes of the table and index by-day, reads of index by-id``."""
    units: dict[str, list[str]] = {}
    for label in labels:
        kind, of, part = label.partition(" of ")
        units.setdefault(part if of else label, []).extend((kind,) if of else ())
    parts: dict[tuple[str, ...], list[str]] = {}
    for part, kinds in units.items():
        parts.setdefault(tuple(kinds), []).append(part)
    phrases = (f"{joined(kinds)} of {joined(named)}" if kinds else joined(named) for kinds, named in parts.items())
    return ", ".join(phrases)


def joined(names: Sequence[str]) -> str:
    """A list in words: ``a, b and c``."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def otherwise(verdict: Verdict, note: str) -> Verdict:
    """The verdict, with this message where it fails."""
    return verdict.because(note) if verdict.truth is False else verdict


def not_known(*values: Value[object]) -> Verdict:
    """The unknown verdict for the reason that some of these values are not known."""
    return Verdict(None, unknown_values(*values))


def unknown_values(*values: Value[object]) -> tuple[Value[object], ...]:
    """Those of the values that are not known."""
    return tuple([value for value in values if not value.known])


def unknown_collection(collection: Value[tuple[Index, ...]]) -> tuple[Labelled, ...]:
    """An unknown verdict for a collection that is not known; else nothing."""
    return () if collection.known else ((collection.name, not_known(collection)),)


def unknown_fact(name: str, doubt: Doubt) -> Value[None]:
    """An unknown fact that the model has no value for."""
    return Value(name, None, Origin.UNKNOWN, None, doubt)


def not_seen(name: str, doubt: Doubt | None) -> Verdict:
    """Fails: no resource of this kind was found. Unknown, where a doubt says that there may be one."""
    return Verdict(False) if doubt is None else Verdict(None, (unknown_fact(name, doubt),))


def compare(left: Value[int], test: Callable[[int, int], bool], right: Value[int]) -> Verdict:
    """The test on two numbers. It holds where one of them is not set."""
    if not left.known or not right.known:
        return not_known(left, right)
    if left.content is None or right.content is None:
        return Verdict(True)
    return Verdict(test(left.content, right.content), (left, right))


@lru_cache(maxsize=_CACHED_NAMES)
def words_of(name: str) -> tuple[str, ...]:
    """The words of a name, in order and in lower case."""
    if name.isascii() and name == name.lower():
        return tuple(_LOWER.findall(name))
    return tuple([word.lower() for word in _WORD.findall(name)])


def word_in(name: str, words: tuple[str, ...]) -> str | None:
    """The first of these words in a name, in singular or plural. ``magic-link`` is two words in a row."""
    return word_among(words_of(name), words)


@lru_cache(maxsize=_CACHED_NAMES)
def word_among(name_words: tuple[str, ...], words: tuple[str, ...]) -> str | None:
    """``word_in`` for a name that is split into its words."""
    forms, longest = _forms(words)
    for start in range(len(name_words)):
        for end in range(start + 1, min(start + longest, len(name_words)) + 1):
            word = forms.get(name_words[start:end])
            if word is not None:
                return word
    return None


@lru_cache
def _forms(words: tuple[str, ...]) -> tuple[Mapping[tuple[str, ...], str], int]:
    """The word of each form that a name may use, and the number of parts of the longest form."""
    split = [(word, words_of(word)) for word in words]
    forms = {(*parts[:-1], last): word for word, parts in split if parts for last in _singular_and_plural(parts[-1])}
    return forms, max(map(len, forms), default=0)


def most_similar(name: str, known: Sequence[str], similarity: float) -> str | None:
    """The known name that is most similar to this one; None where none is similar enough."""
    return next(iter(difflib.get_close_matches(name, known, n=1, cutoff=similarity)), None)


def _singular_and_plural(word: str) -> tuple[str, ...]:
    """A word in singular and plural. Forms that are no English are harmless: no name has them."""
    singulars: tuple[str, ...] = (word,)
    if _is_plural(word):
        singulars = (word, word[:-1], word.removesuffix("es"), word.removesuffix("ies") + "y")
    plurals = (f"{word}s", f"{word}es", f"{word[:-1]}ies") if word.endswith("y") else (f"{word}s", f"{word}es")
    return tuple(dict.fromkeys((*singulars, *plurals)))


def _is_plural(word: str) -> bool:
    return len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))
