"""Open questions and their answers: every scenario that can come true is walked once.

What is built asks questions as it goes. The first walk takes the first answer to each; then the last
question that has another answer gets it, and so on, until there is none left. Questions that depend on
each other (one parameter compared with several words) never get answers that contradict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, TypeVarTuple

from tablegate.model.record import record

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

MOST = 64  # scenarios of one subject
MOST_WALKS = 8 * MOST  # with those that the template's rules forbid

TRUE, FALSE = "true", "false"

VALUE = "value"
EQUAL = "equal"
FREE = "free"


@record(kw_only=False)
class Question:
    """What is open: the value of a subject, whether it equals a word, or something that is true or false."""

    kind: str
    subject: str
    word: str | None = None


Needed = tuple[tuple[Question, str], ...]
"""Questions with their answers."""


class Choice:
    """An open question on the way, with the answer that is being tried."""

    __slots__ = ("options", "question", "tried")

    def __init__(self, question: Question, options: Sequence[str]) -> None:
        self.question = question
        self.options = options
        self.tried = 0


class Scenarios:
    """Asks, remembers, and walks."""

    def __init__(self) -> None:
        self.quiet = True  # outside of a walk nothing is asked, and what is open stays open
        self.answers: dict[Question, str] = {}
        self.walks = 0  # scenarios walked so far, of all subjects
        self.asked: list[Question] = []
        self.left_open: dict[str, None] = {}
        self._path: list[Choice] = []
        self._dropped: frozenset[str] = frozenset()
        self._bound: dict[str, str] = {}
        self._excluded: dict[str, set[str]] = {}
        self._sizes: dict[str, dict[Question, int]] = {}
        self._kept: dict[str, list[tuple[tuple[object, ...], Needed, Any]]] = {}

    def ask(self, question: Question, options: Sequence[str] = (TRUE, FALSE)) -> str | None:
        """The answer in this scenario, or None where it stays open."""
        answer = self.answers.get(question)
        if answer is None:
            answer = self._derived(question)
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
        """Nothing new is asked inside: what is open stays open."""
        was_quiet, self.quiet = self.quiet, True
        yield
        self.quiet = was_quiet

    def per_answers(self, name: str, read: Callable[[*Ts], T], *args: *Ts) -> T:
        """What ``read`` gives, read again only in scenarios that give it other arguments or other answers.

        4 % of a check of templates with scenarios.
        """
        for known_args, needed, value in self._kept.get(name, ()):
            if known_args == args and (not needed or self.still_holds(needed)):
                self.asked.extend([question for question, _ in needed])
                return value  # type: ignore[no-any-return]
        before = len(self.asked)
        value = read(*args)
        needed = tuple([(question, self.answers[question]) for question in self.asked[before:]])
        self._kept.setdefault(name, []).append((args, needed, value))
        return value

    def still_holds(self, needed: Needed) -> bool:
        """Whether these questions have the same answers in this scenario."""
        return all(self.answers.get(question) == answer for question, answer in needed)

    def explore(self, build: Callable[[], T], possible: Callable[[], bool]) -> list[T]:
        """What ``build`` gives in every scenario that is possible."""
        self._dropped, self._sizes, self.left_open, room = frozenset(), {}, {}, MOST
        while (found := self._walk(build, possible)) is None:
            self._dropped, room = self._crowd(room), room // 2
        self._rest()
        return found

    def chosen(self) -> Needed:
        """The answers of this scenario that could have been given otherwise."""
        return tuple([(it.question, it.options[it.tried]) for it in self._path if len(it.options) > 1])

    def _walk(self, build: Callable[[], T], possible: Callable[[], bool]) -> list[T] | None:
        found: list[T] = []
        refused: list[T] = []
        self._path, self._kept, walks = [], {}, 0
        while True:
            self._begin()
            built = build()
            if not self._path:
                return [built]
            walks += 1
            self.quiet = True
            (found if possible() else refused).append(built)
            if not self._advance():
                return found or refused  # rules that forbid everything are not understood
            if len(found) >= MOST or walks >= MOST_WALKS:
                return None

    def _begin(self) -> None:
        self.walks += 1
        self.quiet = False
        self.asked = []
        self._bound, self._excluded = {}, {}
        self.answers = answers = {}
        for choice in self._path:
            answers[choice.question] = answer = choice.options[choice.tried]
            self._settle(choice.question, answer)

    def _rest(self) -> None:
        self.walks += 1
        self.quiet = True
        self.answers, self._bound, self._excluded = {}, {}, {}
        self._kept = {}  # it leads back to whoever asked

    def _advance(self) -> bool:
        path = self._path
        while path:
            last = path[-1]
            if last.tried < len(last.options) - 1:
                last.tried += 1
                return True
            path.pop()
        return False

    def _derived(self, question: Question) -> str | None:
        bound = self._bound.get(question.subject)
        if question.kind == VALUE:
            return bound
        if question.kind == EQUAL and bound is not None:
            return TRUE if bound == question.word else FALSE
        return None

    def _choose(self, question: Question, options: Sequence[str]) -> str:
        excluded = self._excluded.get(question.subject, ())
        left = [option for option in options if option not in excluded] if question.kind == VALUE else options
        choice = Choice(question, left or options)
        self._path.append(choice)
        self._sizes.setdefault(question.subject, {})[question] = len(choice.options) - 1
        self._settle(question, choice.options[0])
        return choice.options[0]

    def _settle(self, asked: Question, answer: str) -> None:
        word = asked.word
        if asked.kind == VALUE:
            self._bound[asked.subject] = answer
        elif asked.kind == EQUAL and word is not None:
            if answer == TRUE:
                self._bound[asked.subject] = word
            else:
                self._excluded.setdefault(asked.subject, set()).add(word)

    def _crowd(self, room: int) -> frozenset[str]:
        """The subjects to leave open, so that the others' scenarios find room: those with fewest answers stay."""
        sizes = {subject: 1 + sum(others.values()) for subject, others in self._sizes.items()}
        dropped = set()
        for subject, size in sorted(sizes.items(), key=lambda item: (item[1], item[0])):
            if room // size:
                room //= size
            else:
                dropped.add(subject)
        return frozenset(dropped)
