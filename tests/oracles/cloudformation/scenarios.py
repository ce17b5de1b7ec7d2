"""Cases of what is open: parameters without a value, bounds of parameters, and sections that a macro completes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from itertools import product
from random import Random
from typing import Any, NamedTuple

from oracles.cloudformation.case import NO_VALUE, Case, Tree, maybe
from oracles.cloudformation.tables import TABLE

Values = Mapping[str, str]
KEYS: Tree = {
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
}


class Open(NamedTuple):
    """A parameter without a value: its declaration, the words that it is compared with, and what it can be."""

    declared: Tree
    words: tuple[str, ...]
    possible: tuple[str, ...]


def _listed(*words: str) -> Open:
    return Open({"Type": "String", "AllowedValues": list(words)}, (*words, "never"), words)


FREE = Open({"Type": "String"}, ("prod", ""), ("prod", "", "qq", "rr", "ss"))  # as many others as there can be of it
# Each can be any of the words that its bounds let pass, or another one, of which one stands for all.
OPEN = (
    _listed("dev", "prod"),
    _listed("dev", "test", "prod"),
    _listed("", "x"),
    _listed("true", "false"),
    FREE,
    Open({"Type": "String", "MinLength": 1}, ("", "prod"), ("prod", "qq")),
    Open({"Type": "String", "MinLength": 3, "MaxLength": 4}, ("ab", "prod", "staging"), ("prod", "qqq")),
    Open({"Type": "String", "AllowedPattern": "[a-z]+"}, ("Prod", "prod", "a1", ""), ("prod", "qq")),
    Open({"Type": "String", "AllowedPattern": "^[A-Z][a-z]{2,3}$"}, ("Prod", "prod", "Dev"), ("Prod", "Dev", "Qqq")),
    Open({"Type": "Number", "MinValue": 1, "MaxValue": 5}, ("0", "3", "9"), ("3", "4")),
    Open({"Type": "Number"}, ("1", "many"), ("1", "4")),
    Open({"Type": "String", "AllowedValues": ["", "x", "yy"], "MinLength": 1}, ("", "x"), ("x", "yy")),
)
REFUSED = (
    ({"Type": "String", "MinLength": 3}, "ab"),
    ({"Type": "String", "MaxLength": 3}, "abcd"),
    ({"Type": "Number", "MinValue": 2}, "1"),
    ({"Type": "Number", "MaxValue": 2}, "3"),
    ({"Type": "Number"}, "many"),
    ({"Type": "String", "AllowedPattern": "[a-z]+"}, "a1"),
    ({"Type": "String", "AllowedPattern": "^(dev|prod)$"}, "staging"),
    ({"Type": "String", "AllowedValues": ["dev", "prod"]}, "staging"),
    ({"Type": "List<Number>"}, "1,x"),
    ({"Type": "CommaDelimitedList", "AllowedValues": ["a", "b"]}, "a,c"),
)
TAKEN = (
    ({"Type": "String", "MinLength": 3}, "abc"),
    ({"Type": "String", "MaxLength": 3}, "abc"),
    ({"Type": "String", "MinLength": 0}, ""),
    ({"Type": "Number", "MinValue": 2, "MaxValue": 2}, "2"),
    ({"Type": "Number", "MinValue": 1}, "1.5"),
    ({"Type": "String", "AllowedPattern": "[a-z]+[0-9]?"}, "a1"),
    ({"Type": "String", "AllowedPattern": "^(dev|prod)$"}, "prod"),
    ({"Type": "List<Number>"}, "1,2"),
    ({"Type": "CommaDelimitedList", "AllowedValues": ["a", "b"]}, "a,b"),
)


class Truth(NamedTuple):
    """A condition, and when it holds."""

    node: Tree
    holds: Callable[[Values], bool]


class _Conditions:
    """The conditions of one template over its open parameters."""

    def __init__(self, random: Random, parameters: Mapping[str, Open]) -> None:
        self.random = random
        self.parameters = parameters
        self.declared: dict[str, Truth] = {}
        self.mappings: Tree = {}

    def named(self) -> str:
        """A condition by its name: a new one, or one that is there."""
        if self.declared and maybe(self.random, 0.3):
            return self.random.choice(sorted(self.declared))
        truth = self._truth(0)
        name = f"C{len(self.declared)}"
        self.declared[name] = truth
        return name

    def _truth(self, depth: int) -> Truth:
        kind = self.random.random() if depth < 2 else 0.0
        if kind < 0.55:
            return self._equals()
        if kind < 0.7:
            inner = self._operand(depth)
            return Truth({"Fn::Not": [inner.node]}, lambda values: not inner.holds(values))
        operands = [self._operand(depth) for _ in range(self.random.randint(2, 3))]
        nodes = [each.node for each in operands]
        if kind < 0.85:
            return Truth({"Fn::And": nodes}, lambda values: all(each.holds(values) for each in operands))
        return Truth({"Fn::Or": nodes}, lambda values: any(each.holds(values) for each in operands))

    def _operand(self, depth: int) -> Truth:
        if self.declared and maybe(self.random, 0.4):
            name = self.random.choice(sorted(self.declared))
            return Truth({"Condition": name}, self.declared[name].holds)
        return self._truth(depth + 1)

    def _equals(self) -> Truth:
        listed = self.listed()
        kind = self.random.random()
        alike = self.random.choice([listed, [name for name, each in self.parameters.items() if each is FREE]])
        if kind < 0.15 and len(alike) > 1:
            return self._of_both(*self.random.sample(alike, 2))
        if kind < 0.3 and listed:
            return self._found(self.random.choice(listed))
        name = self.random.choice(sorted(self.parameters))
        word = self.random.choice(self.parameters[name].words)
        forms: tuple[tuple[Any, Any], ...] = (
            ({"Ref": name}, word),
            ({"Fn::Sub": f"${{{name}}}"}, word),
            ({"Fn::Sub": f"x-${{{name}}}"}, f"x-{word}"),
            ({"Fn::Sub": f"${{{name}}}-${{AWS::Region}}"}, f"{word}-eu-west-1"),
            ({"Fn::Join": ["/", ["a", {"Ref": name}, "b"]]}, f"a/{word}/b"),
        )
        sides = self.random.choice(forms)
        return Truth({"Fn::Equals": self.random.sample(sides, 2)}, lambda values: values[name] == word)

    def listed(self) -> list[str]:
        """The parameters of which every word is listed, and can be a key."""
        return [
            name
            for name, each in self.parameters.items()
            if each.declared.get("AllowedValues") == list(each.possible) and "" not in each.possible
        ]

    def _of_both(self, one: str, other: str) -> Truth:
        is_free = FREE in (self.parameters[one], self.parameters[other])
        if is_free or maybe(self.random, 0.5):
            forms = [[{"Ref": name} for name in (one, other)], [{"Fn::Sub": f"x-${{{name}}}"} for name in (one, other)]]
            return Truth({"Fn::Equals": self.random.choice(forms)}, lambda values: values[one] == values[other])
        words = [self.random.choice(self.parameters[name].words) for name in (one, other)]
        text = {"Fn::Sub": f"${{{one}}}/${{{other}}}"}
        return Truth({"Fn::Equals": [text, "/".join(words)]}, lambda values: [values[one], values[other]] == words)

    def _found(self, name: str) -> Truth:
        """What a mapping has in the row of a parameter's word."""
        mapping = f"M{len(self.mappings)}"
        rows = {word: {"on": self.random.choice(["yes", "no"])} for word in self.parameters[name].possible}
        self.mappings[mapping] = rows
        call = {"Fn::FindInMap": [mapping, {"Ref": name}, "on"]}
        return Truth({"Fn::Equals": [call, "yes"]}, lambda values: rows[values[name]]["on"] == "yes")

    def rule(self) -> tuple[Tree, Callable[[Values], bool]]:
        """A rule, and the scenarios that it allows."""
        name = self.random.choice(sorted(self.parameters))
        words = self.random.sample(self.parameters[name].possible, len(self.parameters[name].possible) - 1)
        applies = self._equals_alone()
        claim: Tree = {"Fn::Contains": [words, {"Ref": name}]}
        if maybe(self.random, 0.5):
            claim = {"Fn::Or": [{"Fn::Equals": [{"Ref": name}, word]} for word in (words[0], words[-1])]}
            words = [words[0], words[-1]]
        rule = {"RuleCondition": applies.node, "Assertions": [{"Assert": claim, "AssertDescription": "of a case"}]}
        return rule, lambda values: not applies.holds(values) or values[name] in words

    def _equals_alone(self) -> Truth:
        name = self.random.choice(sorted(self.parameters))
        word = self.random.choice(self.parameters[name].words)
        return Truth({"Fn::Equals": [{"Ref": name}, word]}, lambda values: values[name] == word)


def choices(random: Random, family: str) -> Case:
    """Parameters without values: every scenario that can be, and no other."""
    kinds = random.choice([OPEN, OPEN, (FREE,)])
    parameters = {name: random.choice(kinds) for name in ("Env", "Mode", "Kind")[: random.choice([1, 2, 2, 3])]}
    conditions = _Conditions(random, parameters)
    parts = [_part(random, conditions, key, value) for key, value in _settings(random)]
    parts += _mapped(random, conditions)
    exists = conditions.named() if maybe(random, 0.25) else None
    properties = KEYS | {key: written for part in parts for key, written in part.written.items()}
    body: Tree = {"Type": TABLE, "Properties": properties} | ({"Condition": exists} if exists else {})
    template: Tree = {"Parameters": {name: each.declared for name, each in parameters.items()}}
    mappings = conditions.mappings | {key: rows for part in parts for key, rows in part.mappings.items()}
    rule, allows = conditions.rule() if maybe(random, 0.25) else (None, None)
    template |= {"Rules": {"Only": rule}} if rule else {}
    template |= {"Mappings": mappings} if mappings else {}
    if conditions.declared:
        template["Conditions"] = {name: truth.node for name, truth in conditions.declared.items()}
    template["Resources"] = {"Orders": body}
    wanted: dict[str, Tree] = {}
    for values in filter(allows, _assignments(parameters)) if allows else _assignments(parameters):
        made = KEYS | {key: value for part in parts for key, value in part.made(values).items()}
        there = exists is None or conditions.declared[exists].holds(values)
        tree: Tree = {"Resources": {"Orders": {"Type": TABLE, "Properties": made}} if there else {}}
        wanted[json.dumps(tree, sort_keys=True)] = tree
    return Case(family, template, {}, list(wanted.values()))


def _assignments(parameters: Mapping[str, Open]) -> Iterable[Values]:
    for words in product(*(each.possible for each in parameters.values())):
        yield dict(zip(parameters, words, strict=True))


class Part(NamedTuple):
    """A property as it is written, and what it comes to."""

    written: Tree
    made: Callable[[Values], Tree]
    mappings: Tree


def _settings(random: Random) -> list[tuple[str, Any]]:
    every: list[tuple[str, Any]] = [
        ("SSESpecification", {"SSEEnabled": True}),
        ("PointInTimeRecoverySpecification", {"PointInTimeRecoveryEnabled": True}),
        ("DeletionProtectionEnabled", True),
        ("TableClass", "STANDARD_INFREQUENT_ACCESS"),
        ("Tags", [{"Key": "a", "Value": "b"}]),
    ]
    return random.sample(every, random.randint(1, 4))


def _part(random: Random, conditions: _Conditions, key: str, value: Any) -> Part:
    name = conditions.named()
    on, off = (value, NO_VALUE) if maybe(random, 0.5) else (NO_VALUE, value)
    if maybe(random, 0.4):  # a branch that asks again
        inner = conditions.named()
        written = {"Fn::If": [name, {"Fn::If": [inner, on, off]}, off]}
    else:
        inner, written = name, {"Fn::If": [name, on, off]}
    declared = conditions.declared

    def made(values: Values) -> Tree:
        taken = on if declared[name].holds(values) and declared[inner].holds(values) else off
        return {} if taken is NO_VALUE else {key: taken}

    return Part({key: written}, made, {})


def _mapped(random: Random, conditions: _Conditions) -> list[Part]:
    """A setting that a mapping finds by a parameter whose words are listed."""
    listed = conditions.listed()
    if not listed or maybe(random, 0.5):
        return []
    name = random.choice(listed)
    words = conditions.parameters[name].possible
    modes = {word: {"v": random.choice(["KEYS_ONLY", "NEW_IMAGE"])} for word in words}
    found = {"StreamSpecification": {"StreamViewType": {"Fn::FindInMap": ["Modes", {"Ref": name}, "v"]}}}

    def made(values: Values) -> Tree:
        return {"StreamSpecification": {"StreamViewType": modes[values[name]]["v"]}}

    return [Part(found, made, {"Modes": modes})]


def bounds(random: Random, family: str) -> Case:
    """A value that is given for a parameter with bounds: refused, or taken as it is."""
    refused = maybe(random, 0.5)
    declared, value = random.choice(REFUSED if refused else TAKEN)
    secret = {"NoEcho": True} if maybe(random, 0.2) else {}
    is_used = maybe(random, 0.5) and not declared["Type"].startswith(("List", "Comma"))
    tags = [{"Key": "given", "Value": {"Ref": "Given"} if is_used and not secret else "b"}]
    template = {
        "Parameters": {"Given": declared | secret},
        "Resources": {"Orders": {"Type": TABLE, "Properties": KEYS | {"Tags": tags}}},
    }
    tags = [{"Key": "given", "Value": value if is_used and not secret else "b"}]
    wanted = {"Resources": {"Orders": {"Type": TABLE, "Properties": KEYS | {"Tags": tags}}}}
    return Case(family, template, {"Given": value}, [wanted], "given for the parameter Given" if refused else None)


INCLUDE = {"Name": "AWS::Include", "Parameters": {"Location": "s3://bucket/part.yaml"}}
FOUND = ("TableClass", {"Fn::FindInMap": ["Included", "a", "b"]}, "table_class")
INCLUDED: Mapping[str, tuple[str, Any, str]] = {  # by the section: a property that needs it, and its fact
    "": FOUND,
    "Mappings": FOUND,
    "Conditions": ("TableClass", {"Fn::If": ["Included", "STANDARD", "STANDARD_INFREQUENT_ACCESS"]}, "table_class"),
    "Resources": ("TableClass", {"Fn::GetAtt": ["Included", "Class"]}, "table_class"),
}
OWN: Tree = {"Mappings": {"Own": {"a": {"b": "c"}}}, "Conditions": {"Own": {"Fn::Equals": ["a", "b"]}}}


def includes(random: Random, family: str) -> Case:
    """What ``AWS::Include`` may bring is unknown, and is not said to be missing."""
    section = random.choice(sorted(INCLUDED))
    key, value, fact = INCLUDED[section]
    settings = dict(_settings(random))
    settings.pop(key, None)
    template: Tree = {"Resources": {"Orders": {"Type": TABLE, "Properties": KEYS | settings | {key: value}}}}
    if section == "" and maybe(random, 0.5):
        template["Transform"] = random.choice([INCLUDE, [INCLUDE], ["AWS::CodeStar", INCLUDE]])
    else:
        within = template.setdefault(section, dict(OWN.get(section, {}))) if section else template
        within["Fn::Transform"] = INCLUDE
    wanted = {"Resources": {"Orders": {"Type": TABLE, "Properties": KEYS | settings}}}
    return Case(family, template, {}, [wanted], unknown=(fact,))
