"""Makes files of Terraform's language: valid ones, odd ones, and mutations of either, by a seed."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

SCHEMAS: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent / "parser" / "schemas.json").read_text(encoding="utf-8")
)
_NATIVE = [
    'resource "aws_dynamodb_table" "t" {\n  name = "orders-${var.env}" # c\n  attribute {\n    name = "id"\n    type = "S"\n'
    '  }\n  point_in_time_recovery { enabled = true }\n  tags = { a = "b", "c" : 1, (local.k) = true }\n}\n',
    "locals {\n  a = [for k, v in var.m : upper(k) if v != null]\n  b = { for k in var.l : k => k... }\n"
    '  c = var.x ? "y" : "n"\n  d = a.b[0].c["k"].*.id\n  e = -1 + 2 * 3 % 4 >= 5 && !true || false\n}\n',
    'resource "aws_iam_policy" "p" {\n  policy = <<-EOT\n    {\n      "a": "${var.x}",\n      "b": [1, 2]\n    }\n  EOT\n}\n'
    "locals {\n  x = <<EOT\nx $${y} ${z} %%{q}\nEOT\n}\n",
    'variable "v" {\n  type = object({ a = optional(string, "x"), b = list(number) })\n  default = { b = [1e3, 0.5] }\n'
    '  validation {\n    condition = can(regex("^a", var.v.a))\n    error_message = "no \\"x\\" \\\\ \\u0061."\n  }\n}\n',
    'data "aws_iam_policy_document" "d" {\n  statement {\n    actions = ["dynamodb:GetItem", "dynamodb:${var.a}"]\n'
    '    values = ["%{ if var.a }x%{ else }y%{ endif }"]\n  }\n  dynamic "statement" {\n    for_each = var.s\n'
    "    content { actions = statement.value }\n  }\n}\n",
]
_VARIABLES = ['a = "x"\nb = [1, 2]\nc = { k = true }\nd = <<EOT\nx\nEOT\n', "a = 1\nb-c = -2\n"]
_JSON = [
    '{"resource": {"aws_dynamodb_table": {"t": {"name": "x-${var.a}", "attribute": [{"name": "id", "type": "S"}], '
    '"ttl": {"enabled": false}, "tags": {"a": "b"}}}}}',
    '{"//": "c", "locals": {"a": [1, 2.5, true, null, "${1 + 2}"]}, "variable": {"v": {"type": "list(string)"}}, '
    '"resource": [{"aws_iam_policy": {"p": [{"policy": "${jsonencode({a = 1})}"}]}}]}',
    '{"data": {"aws_iam_policy_document": {"d": {"statement": [{"actions": ["dynamodb:*"]}], '
    '"dynamic": {"statement": {"for_each": "${var.x}", "content": {"actions": ["a"]}}}}}}}',
]
_BITS = (
    "# // /* */ {} [] () { } [ ] ( ) \" ' \\ $ % $$ %% ${ $${ $$${ %{ %%{ ~} = => == != : :: ? , . ... .* [*] .0 .0.1 [0] "
    "[-1] - -- ! !! !- + && || < > 1e3 1E+3 007 1.5 1. .5 0x1 1_0 1e400 é क्ष größe a-b a- _ ² ٣ null true for if in else EOT "
    '<<EOT <<-EOT <<EOT\\n EOT\\n \\u0061 \\U00000061 \\ud800 \\n \\" \\q ["k"] a-b-c -1 -a.b !a.b f(x) core::upper(x) '
    "provider::a::b(x) f(x...) f(x,) a.*.b.*.c a.*.b[0] a.0.b a[*][0] a[b.c] a[*].b[*].c (a) {a=1} {(a)=1} {1=2} {a.b=1}"
).split() + [
    "\n",
    "\r\n",
    "\r",
    "\t",
    "\f",
    "\0",
    "\ufeff",
    "\u00a0",
    "\u2028",
    "\u0085",
    "e\u0301",
    "/* c */",
    "/*\n*/",
    "# c\n",
    "// c\n",
    "<<EOT\n",
    "<<-EOT\n",
    "\nEOT\n",
    " EOT ",
    "${x}",
    '${"x"}',
    "${~ x ~}",
    "${ \n x \n}",
    "%{ if true }",
    "%{ endif }",
    "x = 1\n",
    "x {}\n",
    '\nb l "m" {}\n',
    "a ? b : c",
    "(a\n? b\n: c)",
    "f(\nx,\n)",
    "[\n1,\n2\n]",
    "[for x in y : x]",
    "{\nfor x in y :\nx\n=>\nx\n}",
    "- 1",
    "9" * 20,
]
_JSON_BITS = (
    "null true 1e3 -0 01 1. NaN [] {} [{}] [null] , : { } [ ] \" \\ ' /**/ //c "
    '"//":1, "//":{}, "${x}" "$${x}" "%{if\u00a0x}a%{endif}" "${" "a${x}b" "\\u0061" "\\u0024{x}" "\\ud83d\\ude00" "\\ud800" '
    '"locals":{"z":1}, "attribute":null, "ttl":[], "name":"y", "é":1, "${\\"x\\"}" "${~x~}" "dynamic":[], 1e400'
).split()
_NESTED = {"point_in_time_recovery", "timeouts"}
_ODD_SPACES = [" # c\n", " // c\n", "/* c */", "/* c\n c */", "\n", "\r\n", "\t", "\r", "\f"]
_TERMS = (
    '1 1.5e2 "s" a a.b var.x a[0] a["k"] true null "${a}" "x${a}y" "$${a}" "$${a${b}}" "%%{a${b}" f(a) f(a...) [a,b] {a=b} -1 '
    '!a !!a --1 (a) a.*.b a[*].b a.0 a-b größe a[*].c[*].d provider::aws::q(a) "\\u00e9\\n\\"\\\\" "\\U0001F600" "$${" "a${~b~}c"'
).split() + [
    "[for x in a : x]",
    "{ for k, v in a : k => v }",
    '"%{ if a }b%{ endif }"',
    '"a ${~ b } c"',
    '" ${ b ~} c"',
    '"${a\n}"',
    "<<EOT\nx ${a}\n y\nEOT\n",
    "<<-EOT\n  x\n    ${a}\n  EOT\n",
]
_OPERATORS = "+ - * / % == != < > <= >= && ||".split()


def files(count: int, seed: str) -> Iterator[tuple[str, bytes]]:
    """Names and bytes of so many files."""
    random_ = random.Random(f"files {seed}")
    made = _Files(random_)
    for _ in range(count):
        name, text = made.one()
        yield name, text.encode("utf-8", "surrogatepass")


class _Files:
    def __init__(self, random_: random.Random) -> None:
        self._random = random_
        self._pick = random_.choice
        self._forms = [self._chain, self._chain, self._test, self._parens, self._tuple, self._object, self._call]
        self._forms += [self._loop, self._steps, self._signed, self._quoted, self._quoted]

    def one(self) -> tuple[str, str]:
        makers: list[tuple[float, str, Callable[[], str]]] = [
            (0.34, "x.tf", lambda: self._mutated(self._pick(_NATIVE), _BITS)),
            (0.36, "x.tf", lambda: "".join(self._block() + self._ending() for _ in range(self._random.randint(1, 2)))),
            (0.10, "x.tf", lambda: self._mutated(self._block() + "\n", _BITS)),
            (0.05, "x.tf.json", lambda: self._mutated(self._pick(_JSON), _JSON_BITS)),
            (0.09, "x.tf.json", self._json),
            (0.04, "x.tfvars", lambda: self._mutated(self._pick(_VARIABLES), _BITS)),
            (0.02, "x.tfvars.json", lambda: json.dumps({"a": self._value(), "b": self._value()})),
        ]
        (chosen,) = self._random.choices(makers, [share for share, _, _ in makers])
        text = chosen[2]()
        if self._random.random() < 0.02:
            text = self._pick(["\ufeff" + text, text.replace("\n", "\r\n")])
        return chosen[1], text

    def _mutated(self, text: str, bits: list[str]) -> str:
        for _ in range(self._pick([1, 1, 1, 2, 3])):
            at = self._random.randrange(len(text) + 1)
            cut = self._pick([0, 0, 0, 1, 2, 5, 12])
            text = text[:at] + self._pick([*bits, "", text[at : at + 20]]) + text[at + cut :]
        return text

    def _space(self, usual: str = " ") -> str:
        return self._pick(_ODD_SPACES) if self._random.random() < 0.015 else usual

    def _ending(self) -> str:
        odd = [" # c\n", "/* c\n */\n", "\r\n", "\n\n", " ", ""]
        return self._pick(odd) if self._random.random() < 0.1 else "\n"

    def _block(self, depth: int = 0) -> str:
        odd = ['"${a}"', '"$${a}"', '"%"', '"a\\"b"', '""', "é", '"\\u0061"']
        labels = odd if self._random.random() < 0.02 else ['"a"', "a", '"a-b"']
        head = self._pick(["x", "locals", "ttl", "a-b", "for", "größe"])
        head += "".join(self._space() + self._pick(labels) for _ in range(self._random.randint(0, 2)))
        if self._random.random() < 0.08:
            return (
                head + " {" + self._pick(["", " a = 1 ", "a = [\n1\n]", " a = 1, b = 2 ", " x {} ", "\n a = 1 }"]) + "}"
            )
        items = "".join(self._item(depth) for _ in range(self._random.randint(1, 3)))
        return f"{head}{self._space()}{{{self._space('')}\n{items}}}"

    def _item(self, depth: int) -> str:
        if depth < 2 and self._random.random() < 0.15:
            return self._block(depth + 1) + self._ending()
        name = self._pick("abcdefgh") + self._pick(["", "", "-1", "_x", "é"])
        value = self._heredoc() if self._random.random() < 0.15 else self._expression()
        return f"{name}{self._space()}={self._space()}{value}{self._ending()}"

    def _expression(self, depth: int = 0) -> str:
        if depth > 2 or self._random.random() < 0.35:
            return self._pick(_TERMS)
        return self._pick(self._forms)(lambda: self._expression(depth + 1))

    def _chain(self, make: Callable[[], str]) -> str:
        rest = (
            f"{self._space()}{self._pick(_OPERATORS)}{self._space()}{make()}" for _ in range(self._pick([1, 1, 2, 3]))
        )
        return make() + "".join(rest)

    def _test(self, make: Callable[[], str]) -> str:
        return f"{make()}{self._space()}?{self._space()}{make()}{self._space()}:{self._space()}{make()}"

    def _parens(self, make: Callable[[], str]) -> str:
        return f"({self._space('')}{make()}{self._space('')})"

    def _tuple(self, make: Callable[[], str]) -> str:
        return f"[{self._space('')}{make()},{self._space()}{make()}{self._pick(['', ','])}{self._space('')}]"

    def _object(self, make: Callable[[], str]) -> str:
        key = self._pick(["a", '"k"', "(a)", "a-b", "1", '"${a}"', "null", "for", "a.b", "if"])
        first = f"{key}{self._space()}{self._pick('=:')}{self._space()}{make()}"
        return f"{{{self._space()}{first}{self._pick([',', chr(10), ' '])} b = {make()}{self._pick(['', ','])}}}"

    def _call(self, make: Callable[[], str]) -> str:
        name = self._pick(["f", "jsonencode", "core::f", "a::b"])
        return f"{name}({make()},{self._space()}{make()}{self._pick(['', '...', ','])})"

    def _loop(self, make: Callable[[], str]) -> str:
        head = f"for {self._pick(['x', 'k, v'])} in {make()} :{self._space()}"
        condition = self._pick(["", f" if {make()}"])
        if self._random.random() < 0.5:
            return f"[{head}{make()}{condition}]"
        return f"{{{head}{make()} =>{self._space()}{make()}{self._pick(['', '', '...'])}{condition}}}"

    def _steps(self, make: Callable[[], str]) -> str:
        steps = [".b", "[0]", "[*]", ".*", ".0", ".*.c", "[*].c", "[a]", "[*].c[*].d", ".0.1", "[a + 1]", "\n.b"]
        return make() + self._pick(steps) + self._pick(["", "", *steps])

    def _signed(self, make: Callable[[], str]) -> str:
        return f"{self._pick('-!')}{self._space('')}{make()}"

    def _quoted(self, make: Callable[[], str]) -> str:
        texts = ["x", "$", "%", "$${a}", "%%{a}", "\\n", " ", "$ ", "e\u0301"]
        parts = [f"${{{self._space('')}{make()}{self._space('')}}}", f"${{~{make()} ~}}", f"${{{make()}~}}"]
        return '"' + "".join(self._pick([*texts, *parts]) for _ in range(self._random.randint(1, 4))) + '"'

    def _heredoc(self) -> str:
        word = self._pick(["EOT", "E", "E-1", "É"])
        texts = [
            "x",
            "",
            "${a}",
            "%{ if a }",
            "%{ endif }",
            word + "x",
            "x " + word,
            "$${a}",
            "$${a${b}}",
            "\\n",
            '"',
            "{",
        ]
        texts += [
            "${~ a ~}",
            "a ${~ b} ",
            "# c",
            f"${{f(\n{word}\n)}}",
            "\u00a0x",
            "$",
            "%",
            "${a ~}  ",
            " ${~ a}x",
            "e\u0301",
        ]
        newline = self._pick(["\n", "\n", "\n", "\r\n"])
        margins = ["", " ", "  ", "\t", "    "]
        lines = [self._pick(margins) + self._pick(texts) for _ in range(self._random.randint(0, 5))]
        end = self._pick(margins) + word + self._pick(["", "", "", " ", "\t", "\f", "\u00a0"])
        return f"<<{self._pick(['', '-'])}{word}{newline}" + "".join(line + newline for line in lines) + end

    def _json(self) -> str:
        makers: dict[str, Callable[[], Any]] = {
            "resource": lambda: self._many({"aws_dynamodb_table": self._many({"t": self._many(self._table())})}),
            "data": lambda: {"aws_iam_policy_document": {"d": self._many(self._document())}},
            "locals": lambda: self._many({"a": self._value(), "//": 1}),
            "variable": lambda: {
                "v": {"type": self._pick(["string", "list(string)", "${a}"]), "default": self._value()}
            },
            "module": lambda: {"m": {"source": "./m", "ttl": self._value(), "replica": self._value()}},
            "//": self._value,
        }
        made = {name: makers[name]() for name in self._random.sample(sorted(makers), self._random.randint(1, 3))}
        return json.dumps(self._pick([made, made, made, [made]]), ensure_ascii=self._random.random() < 0.5)

    def _many(self, one: Any) -> Any:
        return self._pick([[one], [one, one], [], None, [[one]]]) if self._random.random() < 0.2 else one

    def _table(self) -> dict[str, Any]:
        return self._body(SCHEMAS["resource"]["aws_dynamodb_table"])

    def _document(self) -> dict[str, Any]:
        return self._body(SCHEMAS["data"]["aws_iam_policy_document"])

    def _body(self, schema: dict[str, Any], depth: int = 0) -> dict[str, Any]:
        # A name that is a block elsewhere: its type allows nothing else.
        made = {name: 1 if name in _NESTED else self._value() for name in self._few(schema["attributes"])}
        blocks = schema["blocks"] if depth < 3 else {}
        for name in self._few(blocks):
            made[name] = (
                self._many(self._body(blocks[name], depth + 1)) if self._random.random() < 0.9 else self._value()
            )
        if blocks and self._random.random() < 0.2:
            name = self._pick(sorted(blocks))
            made["dynamic"] = {name: {"for_each": self._value(), "content": self._body(blocks[name], depth + 1)}}
        return made | ({"//": 1} if self._random.random() < 0.1 else {})

    def _few(self, names: Any) -> list[str]:
        return self._random.sample(sorted(names), min(len(names), self._random.randint(0, 2)))

    def _value(self, depth: int = 0) -> Any:
        roll = self._random.random()
        if depth > 2 or roll < 0.5:
            texts = [
                "s",
                "${a}",
                "x${a}y",
                "$${a}",
                "$${a${b}}",
                "%{ if a }b%{ endif }",
                "${a ? b : c}",
                "${a}${b + 1}",
                "é",
            ]
            texts += [
                "${[for x in a : x]}",
                '${"x"}',
                "${1}",
                "%%{a}",
                "$$${a}",
                "a\nb ${~ c ~}\n d",
                "${ \n a \n }",
                '${"}"}',
            ]
            return self._pick([1, 1.5, True, None, *texts])
        if roll < 0.75:
            return [self._value(depth + 1) for _ in range(self._random.randint(0, 3))]
        keys = ["a", "name", "ttl", "attribute", "//", "${a}", "statement", "dynamic", "lifecycle", "x-y"]
        return {self._pick(keys): self._value(depth + 1) for _ in range(self._random.randint(0, 3))}
