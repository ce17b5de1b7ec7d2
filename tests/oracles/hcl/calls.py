"""Makes calls of functions and operators with odd arguments, and what tablegate makes of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from unittest.mock import Mock

from tablegate.dialects.terraform.references import UnknownValue
from tablegate.dialects.terraform.source.evaluate import evaluated
from tablegate.dialects.terraform.source.values import EvaluationScope, Module
from tablegate.syntax.hcl import File
from tablegate.syntax.node import ParseError

UNKNOWN = "terraform_data.unknown.id"  # known only after apply
_T = (
    '"" "a" "abc" "ABC" "aBc" " x " "é" "e\\u0301" "日本" "👍🏽" "ß" "ŉ" "İ" "ǆ" "a,b,,c" "1" "1.50" "-0" "1e3" "true" "TRUE" '
    '"0x10" " 1" "a\\nb\\n\\n" "a\\r\\n" "\\tx\\u00a0" "aaa" "$" "a.b" "a-b_c" "it\'s" "<a&b>" "\\u2028" "०" "Infinity" "1_0" "٣" '
    '"a\\\\b" "null" "σς" "ﬁ"'
).split(" ")
_T = [text for text in _T if text.count('"') == 2] + ['" 1"', '" x "', '"aBc dEf"', '"hello-world foo_bar"']
_N = (
    "0 1 -1 2 3 2.5 -2.5 1e3 1e20 0.1 0.2 12345678901234567890 1e-7 100000000000000000000000.5 7 -7 10 1.0 "
    "0.30000000000000004 1e15 123456789012345678 0.000001 1.5e300"
).split()
_B = ["true", "false"]
_NUMERIC = [
    *_N,
    '"5"',
    '"-1"',
    '"1.50"',
    '" 1"',
    '"1e3"',
    '"०"',
    '"1_0"',
    '"0x10"',
    '""',
    '"+1"',
    '".5"',
    '"5."',
    '"Inf"',
    '"nan"',
]
_L = (
    '[] ["a"] ["b","a"] ["a","b","a"] [1,2] [2,1,1] [1,"a"] ["","a",""] [null,"a"] [[1],[2,[3]]] [true,false] [true,true] '
    '["true"] toset(["b","a"]) tolist(["x","y"]) toset([]) [[]] [{a=1},{a=2}] ["é","e\\u0301"] [1,1.0] ["1",1] [0.1,0.2] '
    '["B","a","C"] toset([3,1,2]) [10,9] ["10","9"] [["a","b"],["c"]] ["a",["b"]] [null] [{a=1},{b=2}] tolist([]) [UNKNOWN,"a"]'
).split()
_M = (
    '{} {a=1} {b="x",a="y"} tomap({a="1"}) {a={b=1}} {a=null} {"é"=1} {a=1,b="x"} {b=2,a=1} {a=[1]} {a=UNKNOWN} '
    '{"B"=1,a=2,"C"=3} {a=true}'
).split()
_P = '"a" "[a-z]+" "^a" "b$" "[^a]+" "a*" "x?" "[0-9]+" "." "\\\\." "[A-Z]" "é" "(a)" "[a-c-]+" "\\\\w+" "a+b" "_$"'.split()
_F = '"%s" "%d" "%v" "%q" "%s-%s" "%%" "%s%%" "x" "%5s" "%t" "%d/%v" "%f" "%[1]s" "%" "%s:%q"'.split()
_SMALL = ["0", "1", "2", "3", "-1", "-2", "5", "100", "1.5", '"1"']
_JSON = (
    '"1" "[1,2.5]" "{\\"a\\":1,\\"a\\":2}" "NaN" "null" "\\"x\\"" "1e3" "1.0" "{}" "[1," "{\\"b\\":1,\\"a\\":[null]}" "01" '
    '"12345678901234567890" "\\"\\\\u0065\\\\u0301\\"" "[1,1.0]" "" "Infinity" "-0" "[\\t]"'
).split()
# A number with more digits than a float keeps is unknown here, and its type with it.
_A = [*_T, *(text for text in _N if len(text) < 22), *_B, *_L, *_M, "null"]
_WRONG = ["null", '"x"', "1", "true", "[]", "{}", "UNKNOWN"]

# The kinds of the arguments of each function. A star: the last kind may come again, or not at all.
FUNCTIONS: dict[str, list[list[str] | str]] = {
    **{name: [_T] for name in ("chomp", "lower", "title", "trimspace", "upper", "nonsensitive", "sensitive")},
    **{
        name: [_T, _T]
        for name in ("endswith", "split", "startswith", "strcontains", "trim", "trimprefix", "trimsuffix")
    },
    **{name: [_NUMERIC] for name in ("abs", "ceil", "floor")},
    **{
        name: [_L] for name in ("alltrue", "anytrue", "compact", "distinct", "flatten", "one", "reverse", "sort", "sum")
    },
    **{name: [_L, _L, "*"] for name in ("coalescelist", "concat", "setintersection", "setproduct", "setunion")},
    **{name: [_A] for name in ("jsonencode", "tobool", "tostring")},
    **{name: [_M] for name in ("keys", "values")},
    **{name: [_P, _T] for name in ("regex", "regexall")},
    **{name: [_NUMERIC, _NUMERIC, "*"] for name in ("max", "min")},
    **{name: [_L + _M] for name in ("tolist", "tomap", "toset")},
    "coalesce": [_A, _A, "*"],
    "contains": [_L, _T + _N + _B],
    "element": [_L, _SMALL],
    "format": [_F, _A, _A, "*"],
    "formatlist": [_F, _L, _T + _L, "*"],
    "index": [_L, _T + _N],
    "join": [_T, _L],
    "jsondecode": [_JSON],
    "length": [_T + _L + _M],
    "lookup": [_M, ['"a"', '"b"', '"é"', "1"], _A, "*"],
    "merge": [_M + ["null"], _M, "*"],
    "range": [_SMALL + _N[:6], _SMALL, _SMALL, "*"],
    "replace": [_T, [*_T, '"/a/"', '"/[a-z]+/"', '"/^a/"', '"/"', '"//"', '"/b$/"'], [*_T, '"$1"', '"\\\\1"']],
    "setsubtract": [_L, _L],
    "slice": [_L, _SMALL, _SMALL],
    "substr": [_T, _SMALL, _SMALL],
    "tonumber": [_NUMERIC + _T],
    "zipmap": [_L, _L],
}
_OPERATORS = "+ - * / % == != < > <= >= && ||".split()


def calls(count: int, seed: str) -> Iterator[str]:
    """So many expressions; one that may be known only after apply has `UNKNOWN` in it."""
    made = _Calls(random.Random(f"calls {seed}"))
    for _ in range(count):
        yield made.one()


class _Calls:
    def __init__(self, random_: random.Random) -> None:
        self._random = random_
        self._pick = random_.choice

    def one(self) -> str:
        roll = self._random.random()
        if roll < 0.7:
            return self._call()
        return self._operation() if roll < 0.85 else self._mixture()

    def _call(self) -> str:
        name = self._pick(sorted(FUNCTIONS))
        kinds = [kind for kind in FUNCTIONS[name] if kind != "*"]
        if "*" in FUNCTIONS[name] and self._random.random() < 0.35:
            kinds = self._pick([kinds[:-1], [*kinds, kinds[-1]]])
        arguments = [self._pick(_WRONG if self._random.random() < 0.04 else list(kind)) for kind in kinds]
        return f"{name}({', '.join(arguments)})"

    def _operation(self) -> str:
        sign, outer = self._pick(_OPERATORS), self._pick(_OPERATORS)
        text = f"{self._operand(sign)} {sign} {self._operand(sign)}"
        if self._random.random() < 0.2:
            return f"{self._pick('-!')}({text})"
        return f"({text}) {outer} {self._operand(outer)}" if self._random.random() < 0.2 else text

    def _operand(self, sign: str) -> str:
        if sign in ("&&", "||"):
            return self._pick([*_B, '"true"', '"1"', "1", "null", "UNKNOWN"])
        return self._pick(_A if sign in ("==", "!=") else _NUMERIC)

    def _mixture(self) -> str:
        any_, items, map_ = self._pick(_A), self._pick(_L), self._pick(_M)
        forms = [
            f"{self._pick(_B + ['null', 'UNKNOWN'])} ? {any_} : {self._pick(_A)}",
            f"try({self._call()}, {any_})",
            f"can({self._call()})",
            f"[for x in {items} : x if x != null]",
            f"{{for k, v in {map_} : v => k...}}",
            f"[for i, x in {items} : i]",
            f"{items}[*]",
            f"{items}[{self._pick(_SMALL)}]",
            f"{map_}.a",
            f"[{{c = [{{d = {any_}}}]}}, {{c = []}}][*].c[*].d",
            f'"${{{any_}}}-${{{self._pick(_A)}}}"',
            f"{items} == {self._pick(_L)}",
            f"{self._call()} == {any_}",
            f"{{a = {any_}, (try(tostring({any_}), 1)) = 2}}",
        ]
        return self._pick(forms)


def answered(expression: str) -> str:
    """What tablegate makes of `try(jsonencode(expression), "refused")`; "unknown" if it does not know."""
    text = expression.replace("UNKNOWN", UNKNOWN)
    try:
        body = File("", f'x = try(jsonencode({text}), "refused")\n').assignments()
    except ParseError as error:
        return f"not read: {error.message}"
    found = evaluated(body.attributes["x"].value, EvaluationScope(_module()))
    return "unknown" if isinstance(found, UnknownValue) else str(found)


def _module() -> Module:
    """A module in which every resource is known only after apply."""
    module = Mock(spec=Module)
    module.resource.return_value = UnknownValue("known after apply")
    return module


def compared(there: str, here: str) -> str:
    """How two answers compare: "same", "unknown here", "known here", or "value"."""
    if here == there:
        return "same"
    return "unknown here" if here == "unknown" else "known here" if there == "unknown" else "value"
