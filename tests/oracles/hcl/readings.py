"""What tablegate reads in a file, in the words of `parser/`, and where two readings differ."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any

from tablegate.dialects.terraform.source.definitions import is_blank, utf8
from tablegate.syntax.hcl.json_syntax import file_of
from tablegate.syntax.hcl.nodes import (
    Access,
    Attr,
    Binary,
    Block,
    Body,
    Call,
    Conditional,
    Expression,
    For,
    Literal,
    Name,
    Object,
    Opaque,
    Splat,
    Step,
    Template,
    Tuple,
    Unary,
)
from tablegate.syntax.node import ParseError

Answer = dict[str, Any]

_ANYTHING = "\0"  # stands for what tablegate does not read
# What is legal and refused, which the page on fixtures says: depth, keys of JSON that come twice, and JSON numbers.
_LIMITS = (
    "nested more than",
    "nested deeper than",
    "expression too long",
    "duplicate key",
    "number too large",
    "number with",
)


def reading(name: str, data: bytes) -> Answer:
    """The blocks or values of a file, or its error."""
    try:
        file = file_of(name, utf8(data) if not is_blank(data) else "{}" if name.endswith(".json") else "")
        if ".tfvars" in name:
            body = file.assignments()
            if body.blocks:
                return {"error": "a block in a file of variables"}
            return {"values": {key: written(one.value) for key, one in body.attributes.items()}}
        return {"blocks": [_block(one) for one in file.blocks()]}
    except ParseError as error:
        return {"error": error.message}


def _block(block: Block) -> Answer:
    body: Body = block.body
    return {
        "type": block.type,
        "labels": list(block.labels),
        "line": block.place.line,
        "values": {name: written(one.value) for name, one in body.attributes.items()},
        "lines": {name: one.place.line for name, one in body.attributes.items()},
        "blocks": [_block(one) for one in body.blocks],
    }


def verdict(there: Answer, here: Answer) -> str:
    """How two readings compare: "same", "same error", "limit", "only here", or what differs."""
    if "error" in there:
        return "same error" if "error" in here else "only here"
    if "error" in here:
        return "limit" if here["error"].startswith(_LIMITS) else f"refused: {here['error']}"
    found = _values("", there.get("values") or {}, here.get("values") or {})
    return found or _blocks("", there.get("blocks") or [], here.get("blocks") or []) or "same"


def _blocks(where: str, there: Sequence[Answer], here: Sequence[Answer]) -> str:
    """What differs between two lists of blocks. JSON has no order of different names."""
    key: Callable[[Answer], list[Any]] = lambda one: [one["type"], one["labels"]]  # noqa: E731
    there, here = (sorted((one for one in each if one["type"] != "terraform"), key=key) for each in (there, here))
    if list(map(key, there)) != list(map(key, here)):
        return f"blocks of {where or 'the file'}: {list(map(key, there))} there, {list(map(key, here))} here"
    for one, other in zip(there, here, strict=True):
        at = f"{where}/{one['type']}"
        found = _values(at, one["values"], other["values"]) or _places(at, one, other)
        if found := found or _blocks(at, one.get("blocks") or [], other["blocks"]):
            return found
    return ""


def _values(where: str, there: Answer, here: Answer) -> str:
    if there.keys() != here.keys():
        return f"arguments of {where}: {sorted(there)} there, {sorted(here)} here"
    return next((f"value of {where}/{name}" for name, text in there.items() if not _alike(text, here[name])), "")


def _alike(there: str, here: str) -> bool:
    if _ANYTHING not in here:
        return there == here
    return re.fullmatch(".*".join(map(re.escape, here.split(_ANYTHING))), there, re.DOTALL) is not None


def _places(where: str, there: Answer, here: Answer) -> str:
    if not there["line"]:
        return ""
    if there["line"] != here["line"]:
        return f"place of {where}"
    lines = there.get("lines") or {}
    return next((f"place of {where}/{name}" for name, at in lines.items() if here["lines"][name] not in at), "")


def written(node: Expression) -> str:
    """An expression, as `parser/write.go` writes it."""
    return _WRITTEN[type(node)](node)


def _literal(content: object) -> str:
    if content is None or isinstance(content, bool):
        return "null" if content is None else str(content).lower()
    if isinstance(content, str):
        text = unicodedata.normalize("NFC", content).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'"{text}"'
    sign, digits, power = Decimal(repr(content)).as_tuple()
    whole = "".join(map(str, digits)).lstrip("0") or "0"
    at = int(power) + len(whole) - 1 if whole != "0" else 0
    fraction = whole[1:].rstrip("0")
    return f"{'-' * sign}{whole[0]}{'.' * bool(fraction)}{fraction}e{at:+03d}"


def _listed(nodes: Iterable[Expression]) -> str:
    return ", ".join(map(written, nodes))


def _access(node: Access) -> str:
    return _stepped(written(node.base), node.steps)


def _stepped(text: str, steps: Sequence[Step]) -> str:
    for number, step in enumerate(steps, 1):
        if isinstance(step, Splat):
            return f"each({text}, {_stepped('_', steps[number:])})"
        text += f".{step.name}" if isinstance(step, Attr) else f"[{written(step.key)}]"
    return text


def _template(node: Template) -> str:
    texts: list[str] = []
    for text in map(written, node.parts):
        if texts and _is_text(text) and _is_text(texts[-1]):
            texts[-1] = texts[-1][:-1] + text[1:]
        else:
            texts.append(text)
    return texts[0] if len(texts) == 1 and _is_text(texts[0]) else f"join({', '.join(texts)})"


def _is_text(text: str) -> bool:
    return text[0] == text[-1] == '"'


def _object(node: Object) -> str:
    return "{" + ", ".join(f"{written(key)} = {written(value)}" for key, value in node.items) + "}"


def _unary(node: Unary) -> str:
    operand = written(node.operand)
    if operand == _ANYTHING:
        return operand
    if node.operator == "-" and operand[0].isdecimal():
        return f"-{operand}"
    return operand[1:] if node.operator == "-" == operand[0] else f"({node.operator}{operand})"


def _for(node: For) -> str:
    key = f"{written(node.key)} => " if node.key is not None else ""
    rest = "..." * node.grouped + (f" if {written(node.condition)}" if node.condition is not None else "")
    made = f"for {', '.join(node.names)} in {written(node.all)} : {key}{written(node.result)}{rest}"
    return f"{{{made}}}" if node.key is not None else f"[{made}]"


_WRITTEN: dict[type, Callable[[Any], str]] = {
    Literal: lambda node: _literal(node.content),
    Name: lambda node: node.name,
    Access: _access,
    Template: _template,
    Tuple: lambda node: f"[{_listed(node.items)}]",
    Object: _object,
    Call: lambda node: f"{node.name}({_listed(node.arguments)}{'...' * node.spread})",
    Unary: _unary,
    Binary: lambda node: f"({written(node.left)} {node.operator} {written(node.right)})",
    Conditional: lambda node: f"({written(node.test)} ? {written(node.yes)} : {written(node.no)})",
    For: _for,
    Opaque: lambda _: _ANYTHING,
}
