"""Conditions and rules: true, false or open. An open one asks a question, which has an answer in each scenario.

A condition resolves what it compares with the resolver, which asks conditions in turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from weakref import proxy

from tablegate.dialects.cloudformation.limits import limits_of
from tablegate.dialects.cloudformation.parameters import is_secret
from tablegate.dialects.cloudformation.placeholders import doubt_of
from tablegate.dialects.cloudformation.scenarios import EQUAL, FREE, SAME, TRUE, VALUE, Answers, Question
from tablegate.dialects.cloudformation.template import CHECK_THE_RESULT, CONDITIONS, INSERTED
from tablegate.dialects.cloudformation.values import (
    INPUT,
    UNFILLED,
    NameReference,
    Part,
    Resolved,
    Unresolved,
    is_scalar,
    scalar_of,
    text_with_references,
)
from tablegate.model.record import record
from tablegate.model.value import Doubt
from tablegate.syntax.node import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablegate.dialects.cloudformation.resolver import Resolver


@record(kw_only=False)
class _Decision:
    """Whether a condition held: in which scenario, and with which answers."""

    walk: int
    truth: bool | None
    known: int  # how many answers there were
    was_quiet: bool
    needed: Answers


_NO_DECISIONS: Mapping[bool | None, _Decision] = {}


class Conditions:
    """The conditions of one template."""

    def __init__(self, resolver: Resolver, declared: Mapping[str, Node]) -> None:
        self._resolver: Resolver = proxy(resolver)  # a circle would outlive the reading
        self._scenarios = resolver.scenarios
        self._rules = resolver.template.rules
        self._declared = declared
        self._fixed: dict[str, bool] = {}
        self._never: dict[str, bool] = {}
        self._decisions: dict[str, dict[bool | None, _Decision]] = {}  # the last one for each truth
        self._being_decided: dict[str, None] = {}
        self._compared: dict[str, dict[str, int]] = {}  # words by NoEcho parameters, in the order of their use
        self._in_words_of: dict[Answers, Mapping[str, str] | None] = {}
        self._names: dict[Question, tuple[str, bool]] | None = None

    def is_declared(self, name: str) -> bool:
        """Whether the template has such a condition."""
        return name in self._declared

    def truth(self, name: str, where: Node) -> bool | None:
        """Whether the condition holds in this scenario."""
        fixed = self._fixed.get(name)
        if fixed is not None:
            return fixed
        node = self._declared.get(name)
        if self._may_be_inserted(name) or name.startswith(UNFILLED):
            return None
        if node is None:
            self._resolver.wrong_shape(where, f"there is no condition {name!r}")
            return None
        if name in self._being_decided:
            self._resolver.wrong_shape(node, f"the condition {name!r} depends on itself")
            return None
        for decision in self._decisions.get(name, _NO_DECISIONS).values():
            if self._is_current(decision):
                self._scenarios.asked.extend([question for question, _ in decision.needed])
                return decision.truth
        return self._decide(name, node)

    def never(self, name: str, where: Node) -> bool:
        """Whether the condition holds in no scenario: it is false, and nothing had to be asked."""
        known = self._never.get(name)
        if known is None:
            asked = self._scenarios.asked
            before = len(asked)
            with self._scenarios.without_asking():
                known = self._never[name] = self.truth(name, where) is False and len(asked) == before
        return known

    def _may_be_inserted(self, name: str) -> bool:
        """Whether what the template says of a condition is not all."""
        template = self._resolver.template
        return CONDITIONS in template.rewritten or (name not in self._declared and CONDITIONS in template.open_sections)

    def _decide(self, name: str, node: Node) -> bool | None:
        scenarios = self._scenarios
        before = len(scenarios.asked)
        self._being_decided[name] = None
        truth = self._holds(node)
        del self._being_decided[name]
        needed = tuple((question, scenarios.answers[question]) for question in dict.fromkeys(scenarios.asked[before:]))
        decision = _Decision(scenarios.walks, truth, len(scenarios.answers), scenarios.quiet, needed)
        self._decisions.setdefault(name, {})[truth] = decision
        if truth is not None and not scenarios.quiet and not needed:
            self._fixed[name] = truth
        return truth

    def _is_current(self, decision: _Decision) -> bool:
        """Whether it is the same now: in its scenario, or if the questions that it asked have the same answers."""
        scenarios = self._scenarios
        if decision.truth is None:  # more may be known by now, or may be asked
            return decision.walk == scenarios.walks and (decision.known, decision.was_quiet) == (
                len(scenarios.answers),
                scenarios.quiet,
            )
        if decision.walk == scenarios.walks:
            return True
        return not decision.was_quiet and scenarios.still_holds(decision.needed)

    def doubt(self, name: str) -> Doubt:
        """Why a condition is not decided."""
        if name.startswith(UNFILLED):
            return doubt_of(name)
        left_open = ", ".join(sorted(self._scenarios.left_open))
        if left_open:
            return self._resolver.left_open(left_open)
        if self._may_be_inserted(name):
            return Doubt(f"a macro may insert the condition {name}", CHECK_THE_RESULT)
        return Doubt(f"the condition {name} cannot be decided")

    def scenario(self) -> Mapping[str, str] | None:
        """The scenario in words: conditions by name, parameters by value. None if nothing is open."""
        chosen = self._scenarios.chosen()
        try:
            return self._in_words_of[chosen]
        except KeyError:
            self._in_words_of[chosen] = words = self._in_words(chosen)
            return words

    def _in_words(self, chosen: Answers) -> Mapping[str, str] | None:
        words: dict[str, str] = {}
        for question, answer in chosen:
            kind, subject, word = question.kind, question.subject, question.word
            name, negated = (None, False) if kind == VALUE else self._condition_asking(question)
            if name is not None:
                words[name] = str((answer == TRUE) != negated).lower()
            elif kind == SAME:
                words[f"${{{subject}}} = ${{{word}}}"] = answer
            elif kind != EQUAL:
                words[subject] = self._shown(subject, answer)
            elif answer == TRUE:
                words[subject] = self._shown(subject, str(word)) or "''"
            else:
                shown = self._shown(subject, str(word))
                words[subject] = f"{words[subject]}, not {shown}" if subject in words else f"not {shown}"
        return dict(sorted(words.items())) or None

    def _shown(self, subject: str, word: str) -> str:
        """What a parameter is in this scenario. Of a NoEcho parameter it gives only the number of the value."""
        node = self._resolver.template.parameters.get(subject)
        if node is None or not is_secret(node) or not isinstance(node.content, dict):
            return word
        allowed = limits_of(node.content).allowed
        if word in allowed:
            return f"value {allowed.index(word) + 1} of {len(allowed)}"
        others = self._compared.setdefault(subject, {})
        return f"value {others.setdefault(word, len(others) + 1)} that it is compared with"

    def possible(self) -> bool:
        """Whether the template's rules allow this scenario, as far as they are understood."""
        return not self._rules or not any(map(self._forbids, self._rules.values()))

    def _holds(self, node: Node) -> bool | None:
        content = node.content
        if isinstance(content, dict) and INSERTED in content:
            self._resolver.resolve(node)
            return None
        if not isinstance(content, dict) or len(content) != 1:
            self._resolver.wrong_shape(
                node, "a condition is one function: Fn::Equals, Fn::And, Fn::Or, Fn::Not or Condition"
            )
            return None
        ((name, argument),) = content.items()
        if name == "Condition" and isinstance(argument.content, str):
            return self.truth(argument.content, argument)
        arguments = argument.content if isinstance(argument.content, (list, tuple)) else None
        least, most = _ARGUMENTS.get(name, _NO_CONDITION)
        if arguments is None or not least <= len(arguments) <= most:
            self._resolver.wrong_shape(node, f"{name[:40]} is not a condition, or has wrong arguments")
            return None
        return self._function(name, arguments)

    def _function(self, name: str, arguments: Sequence[Node]) -> bool | None:
        if name == "Fn::Equals":
            return self._equals(*map(self._resolver.resolve, arguments))
        if name == "Fn::Not":
            return _negated(self._holds(arguments[0]))
        if name == "Fn::And":
            return self._all(arguments, decisive=False)
        if name == "Fn::Or":
            return self._all(arguments, decisive=True)
        if name == "Fn::Contains":
            return self._contains(*map(self._resolver.resolve, arguments))
        return self._each_in(*map(self._resolver.resolve, arguments))

    def _all(self, arguments: Sequence[Node], *, decisive: bool) -> bool | None:
        """Fn::And and Fn::Or. Nothing is asked if a known argument decides."""
        scenarios = self._scenarios
        if not scenarios.quiet:
            with scenarios.without_asking():
                if decisive in map(self._holds, arguments):
                    return decisive
        truths = []
        for argument in arguments:
            truth = self._holds(argument)
            if truth is decisive:
                return truth
            truths.append(truth)
        return None if None in truths else not decisive

    def _equals(self, left: Resolved, right: Resolved) -> bool | None:
        comparison = _comparison(left, right)
        if not isinstance(comparison, Question):
            return comparison
        if comparison.kind == EQUAL and not self._resolver.can_be(comparison.subject, comparison.word or ""):
            return False
        answer = self._scenarios.ask(comparison)
        return None if answer is None else answer == TRUE

    def _contains(self, listed: Resolved, value: Resolved) -> bool | None:
        if not isinstance(listed, Node) or not isinstance(listed.content, (list, tuple)):
            return None
        truths = [self._equals(item, value) for item in self._resolver.items(listed)]
        return True if True in truths else None if None in truths else False

    def _each_in(self, values: Resolved, listed: Resolved) -> bool | None:
        if not isinstance(values, Node) or not isinstance(values.content, (list, tuple)):
            return None
        truths = [self._contains(listed, value) for value in self._resolver.items(values)]
        return False if False in truths else None if None in truths else True

    def _forbids(self, rule: Node) -> bool:
        """Whether a rule forbids this scenario. A rule that is not understood forbids nothing."""
        content = rule.content
        if not isinstance(content, dict):
            return False
        applies, asserted = content.get("RuleCondition"), content.get("Assertions")
        if applies is not None and self._asserted(applies) is not True:
            return False
        entries = asserted.content if asserted is not None and isinstance(asserted.content, (list, tuple)) else ()
        claims = (
            entry.content["Assert"]
            for entry in entries
            if isinstance(entry.content, dict) and "Assert" in entry.content
        )
        return any(self._asserted(claim) is False for claim in claims)

    def _asserted(self, node: Node) -> bool | None:
        return self._holds(node) if _understood(node) else None

    def _condition_asking(self, question: Question) -> tuple[str | None, bool]:
        """The condition that asks this question alone, and whether it negates it."""
        if self._names is None:
            self._names = self._conditions_by_question()
        return self._names.get(question, (None, False))

    def _conditions_by_question(self) -> dict[Question, tuple[str, bool]]:
        names: dict[Question, tuple[str, bool]] = {}
        with self._scenarios.without_asking():
            for name, node in reversed(tuple(self._declared.items())):
                asked, negated = self._question_of(node)
                if asked is not None and (not negated or asked not in names):
                    names[asked] = (name, negated)
        return names

    def _question_of(self, node: Node) -> tuple[Question | None, bool]:
        content = node.content
        arguments = next(iter(content.values())).content if isinstance(content, dict) and len(content) == 1 else None
        if not isinstance(content, dict) or not isinstance(arguments, (list, tuple)):
            return None, False
        if "Fn::Not" in content and len(arguments) == 1:
            asked, negated = self._question_of(arguments[0])
            return asked, not negated
        if "Fn::Equals" not in content or len(arguments) != 2:
            return None, False
        comparison = _comparison(*map(self._resolver.resolve, arguments))
        return (comparison if isinstance(comparison, Question) else None), False


_ARGUMENTS = {
    "Fn::Equals": (2, 2),
    "Fn::Not": (1, 1),
    "Fn::And": (2, 10),
    "Fn::Or": (2, 10),
    "Fn::Contains": (2, 2),
    "Fn::EachMemberIn": (2, 2),
}
"""The fewest and the most arguments of each function of conditions and rules."""
_NO_CONDITION = (1, 0)  # no number of arguments makes another function a condition


def _comparison(left: Resolved, right: Resolved) -> bool | Question | None:
    """Whether two values are equal; the question that decides it; None if there is no such question."""
    if not isinstance(left, Unresolved):
        if not isinstance(right, Unresolved):
            return _comparable(left) == _comparable(right)
        left, right = right, left
    if isinstance(right, Unresolved) and left.parts and left.parts == right.parts:
        return True
    if (
        isinstance(right, Node)
        and is_scalar(right)
        and (decided := _completed(left.parts, scalar_of(right))) is not None
    ):
        return decided
    if isinstance(right, Unresolved) and (names := _only_difference(left.parts, right.parts)) is not None:
        return Question(SAME, *sorted(names))
    sides = [text_with_references(side) if side is not None else "" for side in (left, right)]
    return Question(FREE, " = ".join(sorted(side for side in sides if side is not None))) if None not in sides else None


def _completed(parts: Sequence[Part], text: str) -> bool | Question | None:
    """What one parameter must be for a text around it to equal another; None if there are more, or other, unknowns."""
    unknown = [part for part in parts if isinstance(part, NameReference)]
    if len(unknown) != 1 or unknown[0].kind != INPUT or unknown[0].attribute is not None:
        return None
    number = parts.index(unknown[0])
    before, after = ("".join(map(str, side)) for side in (parts[:number], parts[number + 1 :]))
    if not text.startswith(before) or not text.endswith(after) or len(text) < len(before) + len(after):
        return False
    return Question(EQUAL, unknown[0].name, text[len(before) : len(text) - len(after)])


def _only_difference(left: Sequence[Part], right: Sequence[Part]) -> tuple[str, str] | None:
    """The two parameters that must be equal for two texts around them to be."""
    differing = [pair for pair in zip(left, right, strict=False) if pair[0] != pair[1]]
    if len(left) != len(right) or len(differing) != 1:
        return None
    one, other = differing[0]
    if isinstance(one, str) or isinstance(other, str) or {one.kind, other.kind} != {INPUT}:
        return None
    return (one.name, other.name) if one.attribute is None is other.attribute else None


def _comparable(node: Node | None) -> object:
    if node is None:
        return None
    return scalar_of(node) if is_scalar(node) else node.plain()


def _negated(truth: bool | None) -> bool | None:
    return None if truth is None else not truth


def _understood(node: Node) -> bool:
    content = node.content
    if not isinstance(content, dict) or len(content) != 1:
        return False
    ((name, argument),) = content.items()
    if name in ("Fn::And", "Fn::Or", "Fn::Not"):
        return isinstance(argument.content, (list, tuple)) and all(map(_understood, argument.content))
    return name in _ARGUMENTS
