"""Makes modules whose variables, files of values and override files are odd, and what tablegate makes of them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping

from tablegate.dialects.reading import ReadOptions
from tablegate.dialects.terraform.references import UnknownValue
from tablegate.dialects.terraform.source import Project
from tablegate.dialects.terraform.source.evaluate import evaluated
from tablegate.dialects.terraform.source.values import EvaluationScope
from tablegate.inputs.terraform import is_source, is_variables_file
from tablegate.syntax.hcl import File
from tablegate.syntax.source import Folder, Source

Files = dict[str, str]

ASKED = "jsonencode(local.x)"
_TYPES = [
    *"string number bool any list(string) list(number) set(string) set(number) map(string) map(number) map(bool)".split(),
    *"list(any) map(any) set(any) object({}) list(bool) set(bool) list(list(string)) map(list(number)) tuple([])".split(),
    *"list(map(string)) set(list(string))".split(),
    "tuple([string, number])",
    "object({ a = string })",
    "object({ a = any })",
    "object({ a = optional(string), b = optional(number, 5) })",
    'object({ a = optional(bool, true), b = optional(list(string), ["x"]) })',
    'list(object({ a = optional(string, "d") }))',
    "map(object({ a = optional(bool, false), b = string }))",
    'object({ a = optional(object({ c = optional(string, "deep"), d = optional(bool) }), {}) })',
    "object({ a = optional(map(string), { k = 1 }) })",
    'object({ a = optional(string, null), b = optional(set(string), ["y", "x", "y"]) })',
    'object({ a = optional(number, "7") })',
    "set(object({ a = string, b = optional(bool, true) }))",
    "list(tuple([string, bool]))",
]
_VALUES = [
    *'"x" "true" "1" "01" "1.50" "1e3" "false" "TRUE" 1 0 1.50 -1 1e3 1e15 true false null [] {} "0x1" [null] [[]]'.split(),
    '["b", "a", "b"]',
    '["1", 2]',
    "[1, 2, 1]",
    '[true, "x"]',
    '["true", false]',
    "[1, true]",
    '{ a = "x" }',
    "{ a = 1 }",
    "{ a = true }",
    "{ a = null }",
    "{ b = 2 }",
    '{ a = "x", z = 1 }',
    '{ a = 1, b = "x" }',
    '{ a = [1, "x"] }',
    '{ a = { c = "q" } }',
    "{ a = {} }",
    "[{ a = 1 }, {}]",
    "[{ a = null }, { b = 1 }]",
    '{ k = { b = "x" } }',
    '{ k = { a = "true", b = 1 }, l = { b = "y" } }',
    '[["a", 1], ["b"]]',
    '["a", 1]',
    '["a", "x"]',
    '{ k = [1, "2"] }',
    "[{ k = 1 }, { l = true }]",
    '{ a = "e\\u0301" }',
    '[{ a = 1, b = false }, { a = "1" }]',
    '["é", "z", "a"]',
    "{ a = true, b = null }",
    '[["a", true]]',
    '" 1"',
    "[10, 9]",
    '["10", "9"]',
    "12345678901234567890",
]
_JSON_VALUES = [1, "1", True, "true", None, [], ["a", "b"], {"a": 1}, {"a": "${x}"}, [1, "a"], {"a": None}, 1.5]
_OF_VALUES = (
    "terraform.tfvars terraform.tfvars.json a.auto.tfvars b.auto.tfvars a.auto.tfvars.json B.auto.tfvars 10.auto.tfvars "
    "9.auto.tfvars .x.auto.tfvars c.tfvars x.auto.tfvars~"
).split()
_OF_OVERRIDES = (
    "override.tf a_override.tf b_override.tf override.tf.json z_override.tf.json main_override.tf _override.tf "
    "my.override.tf Override.tf x_override.tf~"
).split()
_CALL = 'module "m" {{\n  source = "./m"\n{}}}\nlocals {{\n  x = module.m.x\n}}\n'
_OUTPUT = 'output "x" {\n  value = var.x\n}\n'


def modules(count: int, seed: str) -> Iterator[Files]:
    """The files of so many root modules, each with a local value `x`."""
    made = _Modules(random.Random(f"modules {seed}"))
    for _ in range(count):
        yield made.one()


class _Modules:
    def __init__(self, random_: random.Random) -> None:
        self._random = random_
        self._pick = random_.choice

    def one(self) -> Files:
        return self._pick(
            [self._called, self._called, self._default, self._in_json, self._root, self._overrides, self._merged]
        )()

    def _declared(self) -> str:
        type_ = f"  type = {self._pick(_TYPES)}\n" if self._random.random() > 0.07 else ""
        return type_ + self._pick(["", "", "", "  nullable = false\n", "  nullable = true\n"])

    def _called(self) -> Files:
        default = f"  default = {self._pick(_VALUES)}\n" if self._random.random() < 0.3 else ""
        variable = f'variable "x" {{\n{self._declared()}{default}}}\n'
        return {"m/main.tf": variable + _OUTPUT, "main.tf": _CALL.format(f"  x = {self._pick(_VALUES)}\n")}

    def _default(self) -> Files:
        variable = f'variable "x" {{\n{self._declared()}  default = {self._pick(_VALUES)}\n}}\n'
        return {"m/main.tf": variable + _OUTPUT, "main.tf": _CALL.format(self._pick(["", "", "  x = null\n"]))}

    def _in_json(self) -> Files:
        body = {"type": self._pick(_TYPES)} | self._pick([{}, {}, {"default": None}, {"nullable": False}])
        inner = json.dumps({"variable": {"x": body}, "output": {"x": {"value": "${var.x}"}}})
        return {"m/main.tf.json": inner, "main.tf": _CALL.format(f"  x = {self._pick(_VALUES)}\n")}

    def _root(self) -> Files:
        default = f"  default = {self._pick(_VALUES)}\n" if self._random.random() < 0.4 else ""
        files = {"main.tf": f'variable "x" {{\n{self._declared()}{default}}}\nlocals {{\n  x = var.x\n}}\n'}
        for name in self._random.sample(_OF_VALUES, self._random.randint(1, 3)):
            value = (
                json.dumps({"x": self._pick(_JSON_VALUES)})
                if name.endswith(".json")
                else f"x = {self._pick(_VALUES)}\n"
            )
            files[name] = value
        return files

    def _overrides(self) -> Files:
        value = self._pick(_VALUES)
        files = {"main.tf": f"locals {{\n  x = [local.y, local.z, {value}]\n  y = 1\n  z = 2\n}}\n"}
        for name in self._random.sample(_OF_OVERRIDES, self._random.randint(1, 3)):
            key = self._pick("yz")
            if name.endswith(".json"):
                files[name] = json.dumps({"locals": {key: self._pick([3, "${1 + 3}", [1], "$${a}"])}})
            else:
                files[name] = f"locals {{\n  {key} = {self._pick(_VALUES)}\n}}\n"
        return files

    def _merged(self) -> Files:
        """A called module whose call, variable, output and local are overridden."""
        value, type_, nullable = self._pick(_VALUES), self._pick(_TYPES), self._pick(["true", "false"])
        over = {
            "override.tf": f'module "m" {{\n  x = {value}\n}}\n',
            "main_override.tf": "locals {\n  x = [module.m.x]\n}\n",
            "m/a_override.tf": f'variable "x" {{\n  default = {value}\n}}\n',
            "m/b_override.tf": f'variable "x" {{\n  type = {type_}\n}}\n',
            "m/c_override.tf": f'variable "x" {{\n  nullable = {nullable}\n}}\n',
            "m/override.tf.json": json.dumps(
                {"output": {"x": {"value": self._pick(["${[var.x]}", 1, {"a": "$${b}"}])}}}
            ),
            "m/d_override.tf.json": json.dumps(
                {"variable": {"x": {"default": self._pick(_JSON_VALUES), "type": type_}}}
            ),
        }
        return self._called() | {
            name: over[name] for name in self._random.sample(sorted(over), self._random.randint(1, 3))
        }


def answered(files: Mapping[str, str]) -> str:
    """What tablegate makes of the local value, as JSON; "refused" or "unknown"."""
    parts, beside = (
        tuple(Source(name, text.encode()) for name, text in sorted(files.items()) if known(name.rpartition("/")[2]))
        for known in (is_source, is_variables_file)
    )
    project = Project(".", Folder(root="", parts=parts, beside=beside), ReadOptions(assume_defaults=True))
    asked = File("", f'x = try({ASKED}, "refused")\n').assignments().attributes["x"].value
    found = evaluated(asked, EvaluationScope(project.root))
    if any(fault.blocks for fault in project.reading().faults):
        return "refused"
    return "unknown" if isinstance(found, UnknownValue) else str(found)
