"""Cases of ``Fn::ForEach``: loops in loops, over lists that are written, given or found in a mapping."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, NamedTuple

from oracles.cloudformation.case import Case, Tree, maybe
from oracles.cloudformation.tables import TABLE

ITEMS = ("Orders", "Carts", "Users", "A1", "b-c", "x.y", "10")
BASE = {
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
}
Round = Mapping[str, str]
"""The values of the variables in one round."""


class Written(NamedTuple):
    """What stands in a template under a key, and what it comes to in a round."""

    key: str
    body: Any
    unrolled: Callable[[Round], Tree]


def loops(random: Random, family: str) -> Case:
    """One or two loops at the top of ``Resources``."""
    author = _Author(random)
    written = [author.loop({}, 0) for _ in range(random.randint(1, 2))]
    wanted: Tree = {}
    for each in written:
        wanted.update(each.unrolled({}))
    template: Tree = {"Transform": "AWS::LanguageExtensions", "Parameters": author.parameters}
    template |= {"Mappings": author.mappings} if author.mappings else {}
    template |= {"Conditions": author.conditions} if author.conditions else {}
    template["Resources"] = {each.key: each.body for each in written}
    return Case(family, template, author.values, [{"Resources": wanted}])


class _Author:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.values = {"Env": random.choice(["Prod", "dev"])}
        self.parameters: Tree = {"Env": {"Type": "String", "AllowedValues": ["Prod", "dev"]}}
        self.mappings: Tree = {}
        self.conditions: Tree = {}
        self._made = 0

    def loop(self, bound: Mapping[str, list[str]], depth: int) -> Written:
        """A loop, and the loops and tables in it."""
        self._made += 1
        number, variable = self._made, f"V{self._made}"
        items = self.random.sample(ITEMS, self.random.randint(1, 3))
        inner = {**bound, variable: items}
        members = [
            self.loop(inner, depth + 1) if depth < 2 and maybe(self.random, 0.35) else self._table(inner)
            for _ in range(self.random.randint(1, 2))
        ]
        body = [variable, self._collection(items), {each.key: each.body for each in members}]

        def unrolled(outer: Round) -> Tree:
            rounds = [{**outer, variable: item} for item in items]
            return {key: it for one in rounds for each in members for key, it in each.unrolled(one).items()}

        return Written(f"Fn::ForEach::Loop{number}", body, unrolled)

    def _collection(self, items: list[str]) -> Any:
        kind = self.random.random()
        if kind < 0.4:
            return list(items)
        if kind < 0.6:
            return {"Ref": self._given("CommaDelimitedList", ", ".join(items))}
        if kind < 0.8:
            name = f"M{len(self.mappings)}"
            self.mappings[name] = {env: {"Names": list(items)} for env in ("Prod", "dev")}
            return {"Fn::FindInMap": [name, {"Ref": "Env"}, "Names"]}
        return [{"Ref": self._given("String", item)} if maybe(self.random, 0.4) else item for item in items]

    def _given(self, type_: str, value: str) -> str:
        name = f"P{len(self.parameters)}"
        self.parameters[name], self.values[name] = {"Type": type_}, value
        return name

    def _table(self, bound: Mapping[str, list[str]]) -> Written:
        self._made += 1
        plain = {name for name, items in bound.items() if all(map(str.isalnum, items))}
        forms = [f"${{{name}}}" if name in plain and maybe(self.random, 0.6) else f"&{{{name}}}" for name in bound]
        key = f"T{self._made}{''.join(forms)}"
        parts = [part for part in (self._name, self._found, self._decided, self._tags) if maybe(self.random, 0.6)]
        made = [part(bound) for part in parts]
        properties = {name: value for each in made for name, value in each[0].items()}

        def unrolled(values: Round) -> Tree:
            wanted = {name: value for each in made for name, value in each[1](values).items()}
            return {_filled(key, values): {"Type": TABLE, "Properties": BASE | wanted}}

        return Written(key, {"Type": TABLE, "Properties": BASE | properties}, unrolled)

    def _name(self, bound: Mapping[str, list[str]]) -> tuple[Tree, Callable[[Round], Tree]]:
        one, env, unique = self.random.choice(sorted(bound)), self.values["Env"], self._made
        forms: tuple[tuple[Any, str], ...] = (
            ({"Fn::Sub": f"t{unique}-${{{one}}}-${{Env}}"}, f"-{env}"),
            ({"Fn::Join": ["-", [f"t{unique}", {"Ref": one}, {"Ref": "Env"}]]}, f"-{env}"),
            (f"t{unique}-${{{one}}}", ""),
        )
        written, end = self.random.choice(forms)
        return {"TableName": written}, lambda values: {"TableName": f"t{unique}-{values[one]}{end}"}

    def _found(self, bound: Mapping[str, list[str]]) -> tuple[Tree, Callable[[Round], Tree]]:
        one, name = self.random.choice(sorted(bound)), f"M{len(self.mappings)}"
        rows = self.mappings[name] = {item: {"on": maybe(self.random, 0.5)} for item in bound[one]}
        key: Any = self.random.choice([{"Ref": one}, f"${{{one}}}"])
        section, flag = "PointInTimeRecoverySpecification", "PointInTimeRecoveryEnabled"
        written = {section: {flag: {"Fn::FindInMap": [name, key, "on"]}}}
        return written, lambda values: {section: {flag: rows[values[one]]["on"]}}

    def _decided(self, bound: Mapping[str, list[str]]) -> tuple[Tree, Callable[[Round], Tree]]:
        one = self.random.choice(sorted(bound))
        if not all(map(str.isalnum, bound[one])):
            return {}, lambda _: {}
        chosen, name = self.random.choice(bound[one]), f"C{len(self.conditions)}x"
        self.conditions |= {name + item: {"Fn::Equals": [item, chosen]} for item in bound[one]}
        on = {"SSESpecification": {"SSEEnabled": True}}
        written = {
            "SSESpecification": {"Fn::If": [f"{name}${{{one}}}", on["SSESpecification"], {"Ref": "AWS::NoValue"}]}
        }
        return written, lambda values: on if values[one] == chosen else {}

    def _tags(self, bound: Mapping[str, list[str]]) -> tuple[Tree, Callable[[Round], Tree]]:
        one = self.random.choice(sorted(bound))
        written = [{"Key": "name", "Value": {"Fn::Sub": f"${{{one}}}"}}, {"Key": f"${{{one}}}", "Value": "x"}]
        return {"Tags": written}, lambda values: {
            "Tags": [{"Key": "name", "Value": values[one]}, {"Key": values[one], "Value": "x"}]
        }


def _filled(text: str, values: Round) -> str:
    for name, value in values.items():
        bare = "".join(filter(str.isalnum, value))
        text = text.replace(f"${{{name}}}", value).replace(f"&{{{name}}}", bare)
    return text
