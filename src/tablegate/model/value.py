"""Values with their place and doubt, and three-valued verdicts. Neither is a boolean: ``if value`` raises TypeError."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from functools import lru_cache
from math import inf
from typing import Generic, NamedTuple, NoReturn, TypeGuard, TypeVar

from tablegate.model.record import record, replace

T_co = TypeVar("T_co", covariant=True)


@record(kw_only=False, leaf=True)
class Place:
    """A place in an input: 1-based line and column, or a path in a document that has one line only.

    ``because`` is the place that the value there comes from, such as a file of variables. ``inside`` is the place in a
    called module that the argument at this place leads to.
    """

    file: str
    line: int | None = None
    column: int | None = None
    end_column: int | None = None
    path: str | None = None
    because: Place | None = None
    inside: Place | None = None


class Origin(StrEnum):
    """Whether a value is set in the input, is the service's default, or is unknown."""

    SET = "set"
    DEFAULT = "default"
    UNKNOWN = "unknown"


_UNKNOWN = Origin.UNKNOWN


class Doubt(NamedTuple):
    """Why a value is unknown, and what the user can do to make it known."""

    reason: str
    settle: str | None = None
    refs: tuple[str, ...] = ()


@record(kw_only=False)
class Span:
    """The bounds of an unknown number."""

    low: float = -inf
    high: float = inf


@record(kw_only=False)
class Value(Generic[T_co]):
    """One fact about a subject. It has no content if it is unknown, or unset and without a default.

    ``place`` is None if the fact has no line of its own; its subject's place is used then.
    """

    name: str
    content: T_co | None
    origin: Origin = Origin.SET
    place: Place | None = None
    doubt: Doubt | None = None
    sensitive: bool = False
    candidates: tuple[T_co, ...] = ()  # all that an unknown content can be, if these are known
    span: Span | None = None  # the bounds of an unknown number, if these are known
    parts: tuple[str | None, ...] = ()  # of an unknown text: those that are known, and None for each other

    @property
    def known(self) -> bool:
        """Whether the content is known. Unset is known too."""
        return self.origin is not _UNKNOWN

    @property
    def is_set(self) -> Verdict:
        """There is a content, set or by default."""
        return self.satisfies(lambda content: content is not None)

    @property
    def is_true(self) -> Verdict:
        """The content is ``True``. 1 is not."""
        if self.origin is _UNKNOWN:
            return self.satisfies(lambda content: content is True)
        return Verdict(self.content is True, (self,))

    @property
    def is_false(self) -> Verdict:
        """The content is ``False``. None and 0 are not."""
        return self.satisfies(lambda content: content is False)

    def equals(self, other: object) -> Verdict:
        """The content equals the other."""
        if self.origin is _UNKNOWN:
            return self.satisfies(lambda content: content == other)
        return Verdict(bool(self.content == other), (self,))

    def one_of(self, *others: object) -> Verdict:
        """The content is one of the others."""
        return self.satisfies(lambda content: content in others)

    def at_least(self, bound: float) -> Verdict:
        """The content is a number that is not below the bound."""
        if self.origin is not _UNKNOWN:
            return Verdict(_is_number(self.content) and self.content >= bound, (self,))
        return self._compared(lambda content: _is_number(content) and content >= bound)

    def at_most(self, bound: float) -> Verdict:
        """The content is a number that is not above the bound."""
        if self.origin is not _UNKNOWN:
            return Verdict(_is_number(self.content) and self.content <= bound, (self,))
        return self._compared(lambda content: _is_number(content) and content <= bound)

    def matches(self, pattern: str) -> Verdict:
        """The content is a text in which the regular expression has a match."""
        search = re.compile(pattern).search
        return self.satisfies(lambda content: isinstance(content, str) and search(content) is not None)

    def satisfies(self, test: Callable[[T_co | None], object]) -> Verdict:
        """The test's result for the content; unknown if the content is unknown and the candidates disagree."""
        if self.origin is _UNKNOWN:
            answers = {bool(test(candidate)) for candidate in self.candidates}
            return Verdict(answers.pop() if len(answers) == 1 else None, (self,))
        return Verdict(bool(test(self.content)), (self,))

    def _compared(self, test: Callable[[object], bool]) -> Verdict:
        """The result of a comparison with a bound: if both ends of a span agree, so does all between them."""
        if self.span is not None and test(self.span.low) is test(self.span.high):
            return Verdict(test(self.span.low), (self,))
        return self.satisfies(test)

    @property
    def shown(self) -> str:
        """The content as a message shows it. A sensitive or unknown content is not shown."""
        if self.sensitive:
            return "(sensitive)"
        if self.origin is not _UNKNOWN:
            return str(self.content)
        return " or ".join("not set" if one is None else str(one) for one in self.candidates) or "(unknown)"

    def at(self, place: Place | None) -> Value[T_co]:
        """The value with this place if it has none."""
        return self if self.place is not None or place is None else replace(self, place=place)

    def __bool__(self) -> NoReturn:
        raise TruthValueError(_NOT_A_BOOL.format(f"the value {self.name!r}", "ask .is_true, .is_set or .equals(...)"))

    def __repr__(self) -> str:
        return f"Value({self.name}: {self.origin}{'' if self.sensitive or not self.known else f' {self.content!r}'})"


@record(kw_only=False)
class Verdict:
    """True, false or unknown (None), with the values that decided it.

    ``note`` is the message; without one the evidence is put in words. ``severity`` and ``fix`` override those of the
    policy, the severity for a ``reason`` that the message gives. A verdict that does not apply is true, and left out of
    every combination.
    """

    truth: bool | None
    evidence: tuple[Value[object], ...] = ()
    note: str | None = None
    applies: bool = True
    severity: str | None = None
    fix: str | None = None
    reason: str | None = None

    def __and__(self, other: Verdict) -> Verdict:
        return _joined(self, other, decisive=False)

    def __or__(self, other: Verdict) -> Verdict:
        return _joined(self, other, decisive=True)

    def __invert__(self) -> Verdict:
        if self.truth is None or not self.applies:
            return self
        return Verdict(not self.truth, self.evidence, self.note, True, self.severity, self.fix, self.reason)

    def implies(self, other: Verdict) -> Verdict:
        """The other holds if this one does."""
        return ~self | other

    def because(self, note: str | None) -> Verdict:
        """The verdict with another message."""
        return Verdict(self.truth, self.evidence, note, self.applies, self.severity, self.fix, self.reason)

    def weighing(self, severity: str, reason: str | None = None) -> Verdict:
        """The verdict at this severity instead of its policy's, for a reason such as "its items expire"."""
        return Verdict(self.truth, self.evidence, self.note, self.applies, severity, self.fix, reason)

    def fixed_by(self, text: str | None) -> Verdict:
        """The verdict with a fix for its subject."""
        return Verdict(self.truth, self.evidence, self.note, self.applies, self.severity, text, self.reason)

    def __bool__(self) -> NoReturn:
        raise TruthValueError(_NOT_A_BOOL.format("a verdict", "combine verdicts with &, |, ~, or use when(...)"))


def holds(*evidence: Value[object], note: str | None = None) -> Verdict:
    """A verdict that is true."""
    return Verdict(True, evidence, note)


def fails(note: str, *evidence: Value[object]) -> Verdict:
    """A verdict that is false, with a message."""
    return Verdict(False, evidence, note)


def unknown(note: str, *evidence: Value[object]) -> Verdict:
    """A verdict that is unknown, with a message."""
    return Verdict(None, evidence, note)


def not_applicable(note: str, *evidence: Value[object]) -> Verdict:
    """A verdict that does not apply: it holds, and is counted apart."""
    return Verdict(True, evidence, note, False) if evidence else _not_applicable(note)


@lru_cache(maxsize=1024)  # every policy says it of many subjects
def _not_applicable(note: str) -> Verdict:
    return Verdict(True, (), note, False)


def all_of(verdicts: Iterable[Verdict]) -> Verdict:
    """Whether every verdict holds. It holds if there is none."""
    return _folded(verdicts, decisive=False)


def any_of(verdicts: Iterable[Verdict]) -> Verdict:
    """Whether at least one verdict holds. It fails if there is none."""
    return _folded(verdicts, decisive=True)


def when(condition: Verdict, then: Callable[[], Verdict], otherwise: str) -> Verdict:
    """The verdict of ``then`` if the condition holds, and not applicable if it fails.

    If the condition is unknown, the result is unknown unless ``then`` holds anyway. Combine it with ``&`` and
    ``all_of`` only: under ``|`` and ``~`` a verdict that does not apply would count as one that holds.
    """
    if condition.truth is False:
        return Verdict(True, condition.evidence, otherwise, False)
    verdict = then()
    if condition.truth is True or verdict.truth is True:
        return verdict
    return Verdict(None, condition.evidence + verdict.evidence, verdict.note)


class TruthValueError(TypeError):
    """Raised where a value or a verdict is used as a boolean. Its text has no value of an input."""


_NOT_A_BOOL = "{} may be unknown and has no truth of its own; {}"


def _is_number(content: object) -> TypeGuard[float]:
    return isinstance(content, (int, float)) and not isinstance(content, bool)


def _joined(left: Verdict, right: Verdict, *, decisive: bool) -> Verdict:
    """Kleene's `and` (decisive: False) and `or` (decisive: True), with the evidence of the deciding side."""
    if not left.applies:
        return right
    if not right.applies:
        return left
    if left.truth is decisive:
        return left
    if right.truth is decisive:
        return right
    if left.truth is None or right.truth is None:
        return _summed(None, [side for side in (left, right) if side.truth is None])
    return _summed(not decisive, (left, right))


def _folded(verdicts: Iterable[Verdict], *, decisive: bool) -> Verdict:
    """Kleene's `and` or `or` over all verdicts, with the evidence of every deciding one."""
    deciding: list[Verdict] = []
    doubtful: list[Verdict] = []
    others: list[Verdict] = []
    for verdict in verdicts:
        if verdict.applies:
            truth = verdict.truth
            (deciding if truth == decisive else doubtful if truth is None else others).append(verdict)
    if deciding:
        return _summed(decisive, deciding, deciding[0].severity, deciding[0].reason)
    return _summed(None, doubtful) if doubtful else _summed(not decisive, others) if others else Verdict(not decisive)


def _summed(
    truth: bool | None, verdicts: Sequence[Verdict], severity: str | None = None, reason: str | None = None
) -> Verdict:
    """One verdict with all evidence, each value once, and with all notes."""
    if len(verdicts) == 1:
        return Verdict(truth, verdicts[0].evidence, verdicts[0].note or None, True, severity, None, reason)
    evidence: dict[int, Value[object]] = {}
    notes: dict[str, None] = {}
    for verdict in verdicts:
        for value in verdict.evidence:
            evidence[id(value)] = value
        if verdict.note:
            notes[verdict.note] = None
    return Verdict(truth, tuple(evidence.values()), "; ".join(notes) or None, True, severity, None, reason)
