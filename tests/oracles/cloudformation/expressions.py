"""Writes expressions that come to a given value, with the parameters, conditions and mappings that they need.

The answer is known first, and the expression is grown around it: no evaluator is needed.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

from oracles.cloudformation.case import NO_VALUE, PSEUDO, Tree, maybe

WORDS = ("prod", "true", "1", "a b", "eu-west-1", "1.0", "false", "0", "True")
OTHER_WORDS = ("dev", "True", "TRUE", "01", "1.00", "nope", "tru", "")
SCALARS: dict[str, tuple[Any, ...]] = {"true": (True,), "false": (False,), "1": (1,), "0": (0,), "1.0": (1.0,)}
WRONG = ("wrong", NO_VALUE, {"Ref": "AWS::StackName"}, {"k": "v"}, ["l"], 5)
DEEPEST = 3


class Expressions:
    """The expressions of one template. With ``extended`` they use AWS::LanguageExtensions."""

    def __init__(self, random: Random, *, extended: bool = False) -> None:
        self.random = random
        self.extended = extended
        self.parameters: Tree = {}
        self.values: dict[str, str] = {}
        self.conditions: Tree = {}
        self.mappings: Tree = {}
        self._truths: dict[str, bool] = {}

    def template(self, resources: Tree) -> Tree:
        """The template with these resources."""
        made: Tree = {"AWSTemplateFormatVersion": "2010-09-09"}
        if self.extended:
            made["Transform"] = self.random.choice(["AWS::LanguageExtensions", ["AWS::LanguageExtensions"]])
        sections = {"Parameters": self.parameters, "Conditions": self.conditions, "Mappings": self.mappings}
        made.update({name: section for name, section in sections.items() if section})
        made["Resources"] = resources
        return made

    def parameter(self, word: str) -> str:
        """The name of a parameter whose value is this word."""
        same = [name for name, value in self.values.items() if value == word and name.startswith("P")]
        if same and maybe(self.random, 0.6):
            return self.random.choice(same)
        name = f"P{len(self.parameters)}"
        is_number = word.lstrip("-").isdigit() and (word == "0" or not word.lstrip("-").startswith("0"))
        declared: Tree = {"Type": "Number" if is_number and maybe(self.random, 0.6) else "String"}
        other = "0" if declared["Type"] == "Number" else self.random.choice(["other", "zzz", ""])
        if other != word and maybe(self.random, 0.6):
            declared["AllowedValues"] = self.random.sample([word, other], 2)
        elif maybe(self.random, 0.3):
            declared.update(self._bounds(word, declared["Type"]))
        if maybe(self.random, 0.5):
            declared["Default"] = word
        self.parameters[name], self.values[name] = declared, word
        return name

    def _bounds(self, word: str, type_: str) -> Tree:
        """Bounds that the word keeps."""
        if type_ == "Number":
            return {
                "MinValue": int(word) - self.random.randint(0, 2),
                "MaxValue": int(word) + self.random.randint(0, 2),
            }
        length = {"MinLength": len(word) // 2, "MaxLength": len(word) + self.random.randint(0, 3)}
        return self.random.choice([length, {"AllowedPattern": "[^\\n]*"}, {**length, "AllowedPattern": ".*"}])

    def list_parameter(self, items: list[str]) -> str:
        """The name of a parameter whose value is this list."""
        name = f"L{len(self.parameters)}"
        numbers = all(item.isdigit() for item in items) and maybe(self.random, 0.5)
        self.parameters[name] = {"Type": "List<Number>" if numbers else "CommaDelimitedList"}
        self.values[name] = self.random.choice([",", ", "]).join(items)
        return name

    def condition(self, truth: bool, depth: int = 0) -> str:
        """The name of a condition that is true, or false."""
        same = [name for name, known in self._truths.items() if known is truth]
        if same and maybe(self.random, 0.5):
            return self.random.choice(same)
        body = self._condition(truth, depth)
        name = f"C{len(self.conditions)}"
        self.conditions[name], self._truths[name] = body, truth
        return name

    def _condition(self, truth: bool, depth: int) -> Tree:
        kind = self.random.random() if depth < DEEPEST else 0.0
        if kind < 0.45:
            return self._equals(truth)
        if kind < 0.6:
            return {"Fn::Not": [self._operand(not truth, depth + 1)]}
        decisive = kind >= 0.78  # Fn::Or is decided by one that is true
        others = self.random.randint(1, 3)
        truths = [maybe(self.random, 0.5) for _ in range(others)] + [decisive]
        if truth is not decisive:
            truths = [not decisive] * (others + 1)
        self.random.shuffle(truths)
        return {"Fn::Or" if decisive else "Fn::And": [self._operand(each, depth + 1) for each in truths]}

    def _operand(self, truth: bool, depth: int) -> Tree:
        if maybe(self.random, 0.5):
            return {"Condition": self.condition(truth, depth)}
        return self._condition(truth, depth)

    def _equals(self, truth: bool) -> Tree:
        word = self.random.choice(WORDS)
        right: Any = word if truth else self.random.choice([each for each in OTHER_WORDS if each != word])
        left = self.text(word, DEEPEST - 1, in_condition=True)
        if right in SCALARS and maybe(self.random, 0.4):
            right = SCALARS[right][0]
        elif maybe(self.random, 0.25):
            right = self.text(right, DEEPEST - 1, in_condition=True)
        return {"Fn::Equals": self.random.sample([left, right], 2)}

    def text(self, word: str, depth: int = 0, *, in_condition: bool = False) -> Any:
        """An expression that comes to a text."""
        if depth > DEEPEST or maybe(self.random, 0.25):
            return self._pseudo(word)
        writers = [self._ref, self._find, self._sub, self._join, self._select]
        if not in_condition:
            writers += [self._if, self._split]
        return self.random.choice(writers)(word, depth, in_condition)

    def _pseudo(self, word: str) -> Any:
        names = [name for name, value in PSEUDO.items() if value == word]
        return {"Ref": names[0]} if names and maybe(self.random, 0.7) else word

    def _ref(self, word: str, _depth: int, _in_condition: bool) -> Tree:
        return {"Ref": self.parameter(word)}

    def _find(self, word: str, depth: int, in_condition: bool) -> Tree:
        name = f"M{len(self.mappings)}"
        first, second = self.random.choice(["prod", "eu-west-1", "k1"]), self.random.choice(["x", "y2", "123456789012"])
        self.mappings[name] = {first: {second: word, "zz": "no"}, "other": {second: "otherwise"}}
        keys: list[Any] = [self._key(first), self._key(second)]
        if not self.extended or maybe(self.random, 0.6):
            return {"Fn::FindInMap": [name, *keys]}
        if maybe(self.random, 0.5):
            return {"Fn::FindInMap": [name, *keys, {"DefaultValue": "wrong"}]}
        default = self.text(word, depth + 1, in_condition=in_condition)
        return {"Fn::FindInMap": [name, "missing", "too", {"DefaultValue": default}]}

    def _key(self, word: str) -> Any:
        return {"Ref": self.parameter(word)} if maybe(self.random, 0.4) else self._pseudo(word)

    def _if(self, word: str, depth: int, _in_condition: bool) -> Tree:
        return self.chosen(self.text(word, depth + 1), self.random.choice(WRONG))

    def chosen(self, right: Any, wrong: Any) -> Tree:
        """``Fn::If`` that takes the right branch."""
        truth = maybe(self.random, 0.5)
        branches = [right, wrong] if truth else [wrong, right]
        return {"Fn::If": [self.condition(truth), *branches]}

    def _pieces(self, word: str) -> list[str]:
        cuts = sorted({0, len(word), *(self.random.randrange(len(word) + 1) for _ in range(self.random.randint(0, 2)))})
        return [word[start:end] for start, end in pairwise(cuts)] or [""]

    def _sub(self, word: str, depth: int, in_condition: bool) -> Tree:
        own: Tree = {}
        text = ""
        for piece in self._pieces(word):
            kind = self.random.random()
            if kind < 0.4 or not piece:
                text += piece.replace("${", "${!")
            elif kind < 0.7:
                text += f"${{{self.parameter(piece)}}}"
            else:
                own[f"v{len(own)}"] = self.text(piece, depth + 1, in_condition=in_condition)
                text += f"${{v{len(own) - 1}}}"
        if own or maybe(self.random, 0.1):
            return {"Fn::Sub": [text, own or {"unused": "x"}]}
        return {"Fn::Sub": text}

    def _join(self, word: str, depth: int, in_condition: bool) -> Tree:
        delimiter = self.random.choice(["", "-", "/", ":", "::"])
        parts = word.split(delimiter) if delimiter else self._pieces(word)
        if len(parts) > 1 and maybe(self.random, 0.3) and all(map(_is_item, parts)):
            return {"Fn::Join": [delimiter, {"Ref": self.list_parameter(parts)}]}
        items = [self.text(part, depth + 1, in_condition=in_condition) for part in parts]
        if not in_condition and maybe(self.random, 0.2):
            items.insert(self.random.randrange(len(items) + 1), self.nothing())
        return {"Fn::Join": [delimiter, items]}

    def nothing(self) -> Tree:
        """An expression that comes to ``AWS::NoValue``."""
        return NO_VALUE if maybe(self.random, 0.4) else self.chosen(NO_VALUE, "x")

    def _select(self, word: str, depth: int, in_condition: bool) -> Tree:
        number = self.random.randint(0, 3)
        items = ["u", "w", "zz", "1"]
        items[number] = word
        index: Any = self.random.choice([number, str(number), {"Ref": self.parameter(str(number))}])
        if maybe(self.random, 0.35) and _is_item(word):
            return {"Fn::Select": [index, {"Ref": self.list_parameter(items)}]}
        written = [*items[:number], self.text(word, depth + 1, in_condition=in_condition), *items[number + 1 :]]
        return {"Fn::Select": [index, written]}

    def _split(self, word: str, depth: int, _in_condition: bool) -> Any:
        if "|" in word:
            return word
        number = self.random.randint(0, 2)
        items = ["u", "", "w"]
        items[number] = word
        return {"Fn::Select": [number, {"Fn::Split": ["|", self.text("|".join(items), depth + 1)]}]}

    def value(self, plain: Any, depth: int = 0) -> Any:
        """An expression that comes to any value; in it, parts may come and go."""
        if isinstance(plain, (bool, int)):
            return self._number(plain, depth)
        if isinstance(plain, str):
            return plain if maybe(self.random, 0.45) else self.text(plain)
        if isinstance(plain, dict):
            return self._perhaps({key: self.value(item, depth + 1) for key, item in plain.items()}, depth)
        items = []
        for item in plain:
            if maybe(self.random, 0.1):
                items.append(self.nothing())
            items.append(self.value(item, depth + 1))
        return self._perhaps(items, depth)

    def _number(self, plain: bool | int, depth: int) -> Any:
        word = str(plain).lower()
        kind = self.random.random()
        if kind < 0.45:
            return plain
        if self.extended and not isinstance(plain, bool) and 0 <= plain < 6 and kind < 0.6:
            return {"Fn::Length": self._of_length(plain)}
        return self._perhaps(plain, depth) if kind < 0.6 else self.text(word, 1)

    def _of_length(self, number: int) -> Any:
        items = [f"i{each}" for each in range(number)]
        written = items if not items or maybe(self.random, 0.5) else {"Ref": self.list_parameter(items)}
        return {"Fn::Split": [",", ",".join(items)]} if len(items) > 1 and maybe(self.random, 0.4) else written

    def _perhaps(self, written: Any, depth: int) -> Any:
        if depth > DEEPEST + 1 or not maybe(self.random, 0.2):
            return written
        return self.chosen(written, self.random.choice([NO_VALUE, written, {"Nonsense": "x"}, "wrong", []]))


def _is_item(word: str) -> bool:
    """Whether a word can be an item of a list parameter."""
    return word != "" and "," not in word and word == word.strip()
