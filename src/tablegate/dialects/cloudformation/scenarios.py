"""Scenarios: every combination of answers to what a template leaves open.

A subject is built once in each scenario, and asks questions while it is built. The first scenario takes the first
answer to each question. Each next one changes the last answer that can be changed, until none is left. Questions that
depend on each other (one parameter compared with several words, or with another one) never get contradictory answers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, TypeVarTuple

from tablegate.model.record import record

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

MAX_SCENARIOS = 64  # scenarios of one subject
MAX_WALKS = 8 * MAX_SCENARIOS  # with those that the template's rules forbid

TRUE, FALSE = "true", "false"

VALUE = "value"
EQUAL = "equal"
SAME = "same"
FREE = "free"


@record(kw_only=False)
class Question:
    """What is open: the value of a subject, whether it equals a word or another subject, or whether something is true.

    The other subject of ``SAME`` is its ``word``.
    """

    kind: str
    subject: str
    word: str | None = None


Answers = tuple[tuple[Question, str], ...]
"""Questions with their answers."""


class _Known:
    """What the answers of one scenario say of its subjects."""

    def __init__(self) -> None:
        self._bound: dict[str, str] = {}
        self._excluded: dict[str, set[str]] = {}
        self._same: dict[str, str] = {}  # a subject to an equal one, which stands for both
        self._different: dict[str, set[str]] = {}

    def answer(self, question: Question) -> str | None:
        """The answer that follows; None if none does."""
        subject, word = self._one(question.subject), question.word
        bound = self._bound.get(subject)
        if question.kind == VALUE:
            return bound
        if question.kind == FREE or word is None:
            return None
        if question.kind == SAME:
            return self._are_same(subject, self._one(word))
        if bound is not None:
            return TRUE if bound == word else FALSE
        return FALSE if word in self.excluded(subject) else None

    def excluded(self, subject: str) -> Collection[str]:
        """What a subject is known not to be."""
        return self._excluded.get(self._one(subject), ())

    def learn(self, question: Question, answer: str) -> None:
        """Take note of an answer."""
        subject, word = self._one(question.subject), question.word
        if question.kind == VALUE:
            self._bind(subject, answer)
        elif word is None or question.kind == FREE:
            return
        elif question.kind == SAME:
            (self._unite if answer == TRUE else self._part)(subject, self._one(word))
        elif answer == TRUE:
            self._bind(subject, word)
        else:
            self._excluded.setdefault(subject, set()).add(word)

    def _one(self, subject: str) -> str:
        while subject in self._same:
            subject = self._same[subject]
        return subject

    def _are_same(self, one: str, other: str) -> str | None:
        if one == other:
            return TRUE
        left, right = self._bound.get(one), self._bound.get(other)
        if left is not None and left == right:
            return TRUE
        apart = other in self._different.get(one, ()) or left in self.excluded(other) or right in self.excluded(one)
        return FALSE if apart or (left is not None and right is not None) else None

    def _bind(self, subject: str, word: str) -> None:
        self._bound[subject] = word
        for other in self._different.get(subject, ()):
            self._excluded.setdefault(self._one(other), set()).add(word)

    def _unite(self, one: str, other: str) -> None:
        if one == other:
            return
        self._same[other] = one
        self._excluded.setdefault(one, set()).update(self._excluded.get(other, ()))
        for apart in tuple(self._different.get(other, ())):
            self._part(one, self._one(apart))
        word = self._bound.get(one, self._bound.get(other))
        if word is not None:
            self._bind(one, word)

    def _part(self, one: str, other: str) -> None:
        for subject, apart in ((one, other), (other, one)):
            self._different.setdefault(subject, set()).add(apart)
            if subject in self._bound:
                self._excluded.setdefault(apart, set()).add(self._bound[subject])


class Choice:
    """A question of the current scenario, with the number of its answer."""

    __slots__ = ("options", "question", "tried")

    def __init__(self, question: Question, options: Sequence[str]) -> None:
        self.question = question
        self.options = options
        self.tried = 0


class Scenarios:
    """Goes through the scenarios of one subject after another, and answers questions in each."""

    def __init__(self) -> None:
        self.quiet = True  # nothing is asked: what is open stays open
        self.answers: dict[Question, str] = {}
        self.walks = 0  # the number of the current scenario, over all subjects
        self.asked: list[Question] = []
        self.left_open: dict[str, None] = {}
        self._path: list[Choice] = []
        self._dropped: frozenset[str] = frozenset()
        self._known = _Known()
        self._sizes: dict[str, dict[Question, int]] = {}
        self._memory: dict[Callable[..., Any], list[tuple[tuple[object, ...], Answers, Any]]] = {}

    def ask(self, question: Question, options: Sequence[str] = (TRUE, FALSE)) -> str | None:
        """The answer in this scenario; None if the question stays open."""
        answer = self.answers.get(question)
        if answer is None:
            answer = self._known.answer(question)
            if answer is None and self.quiet:
                return None
            if answer is None and question.subject in self._dropped:
                self.left_open[question.subject] = None
                return None
            answer = answer or self._choose(question, options)
            self.answers[question] = answer
        self.asked.append(question)
        return answer

    @contextmanager
    def without_asking(self) -> Iterator[None]:
        """Ask nothing inside: what is open stays open."""
        was_quiet, self.quiet = self.quiet, True
        yield
        self.quiet = was_quiet

    def per_answers(self, read: Callable[[*Ts], T], *args: *Ts) -> T:
        """What ``read`` gives, read again only in scenarios that give it other arguments or other answers.

        4 % of a check of templates with scenarios.
        """
        for known_args, needed, value in self._memory.get(read, ()):
            if known_args == args and (not needed or self.still_holds(needed)):
                self.asked.extend([question for question, _ in needed])
                return value  # type: ignore[no-any-return]
        before = len(self.asked)
        value = read(*args)
        needed = tuple([(question, self.answers[question]) for question in self.asked[before:]])
        self._memory.setdefault(read, []).append((args, needed, value))
        return value

    def still_holds(self, needed: Answers) -> bool:
        """Whether these questions have the same answers in this scenario."""
        return all(self.answers.get(question) == answer for question, answer in needed)

    def explore(self, build: Callable[[], T], possible: Callable[[], bool]) -> list[T]:
        """What ``build`` gives in each possible scenario. If there are too many, some subjects stay open."""
        self._dropped, self._sizes, self.left_open, room = frozenset(), {}, {}, MAX_SCENARIOS
        while (results := self._build_all(build, possible)) is None:
            self._dropped, room = self._left_out(room), room // 2
        self._end()
        return results

    def chosen(self) -> Answers:
        """The answers of this scenario to questions that have other answers."""
        return tuple([(it.question, it.options[it.tried]) for it in self._path if len(it.options) > 1])

    def _build_all(self, build: Callable[[], T], possible: Callable[[], bool]) -> list[T] | None:
        allowed: list[T] = []
        forbidden: list[T] = []
        self._path, self._memory, walks = [], {}, 0
        while True:
            self._start()
            result = build()
            if not self._path:
                return [result]
            walks += 1
            self.quiet = True
            (allowed if possible() else forbidden).append(result)
            if not self._advance():
                return allowed or forbidden  # rules that forbid every scenario are not understood
            if len(allowed) >= MAX_SCENARIOS or walks >= MAX_WALKS:
                return None

    def _start(self) -> None:
        self.walks += 1
        self.quiet = False
        self.asked = []
        self._known = _Known()
        self.answers = answers = {}
        for choice in self._path:
            answers[choice.question] = answer = choice.options[choice.tried]
            self._known.learn(choice.question, answer)

    def _end(self) -> None:
        self.walks += 1
        self.quiet = True
        self.answers, self._known = {}, _Known()
        self._memory = {}  # its arguments lead back to the resolver

    def _advance(self) -> bool:
        path = self._path
        while path:
            last = path[-1]
            if last.tried < len(last.options) - 1:
                last.tried += 1
                return True
            path.pop()
        return False

    def _choose(self, question: Question, options: Sequence[str]) -> str:
        excluded = self._known.excluded(question.subject)
        left = [option for option in options if option not in excluded] if question.kind == VALUE else options
        choice = Choice(question, left or options)
        self._path.append(choice)
        self._sizes.setdefault(question.subject, {})[question] = len(choice.options) - 1
        self._known.learn(question, choice.options[0])
        return choice.options[0]

    def _left_out(self, room: int) -> frozenset[str]:
        """The subjects to leave open, so that at most ``room`` scenarios remain: those with most answers."""
        sizes = {subject: 1 + sum(others.values()) for subject, others in self._sizes.items()}
        dropped = set()
        for subject, size in sorted(sizes.items(), key=lambda item: (item[1], item[0])):
            if room // size:
                room //= size
            else:
                dropped.add(subject)
        return frozenset(dropped)
