"""Options of policies: what a user wrote, against the type that the predicate declares."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal, get_args, get_origin

from tablegate.policy.declare import Expression, Option

_WORDS: Mapping[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    Expression: "a regular expression",
}


def accepted(option: Option, written: object) -> object:
    """What the predicate is given for the option. TypeError says what would be right."""
    if _fits(option.type, written):
        return tuple(written) if isinstance(written, list) else written
    raise TypeError(wanted(option))


def wanted(option: Option) -> str:
    """What the option takes, in words."""
    if get_origin(option.type) is Literal:
        return "one of " + ", ".join(f'"{choice}"' for choice in get_args(option.type))
    return _WORDS.get(option.type, "a list of texts")


def schema(option: Option) -> dict[str, object]:
    """The option as JSON schema."""
    default = list(option.default) if isinstance(option.default, tuple) else option.default
    return {**_type_schema(option.type), "default": default}


def _type_schema(kind: Any) -> dict[str, object]:
    if get_origin(kind) is Literal:
        return {"enum": list(get_args(kind))}
    if kind is Expression:
        return {"type": "string", "format": "regex"}
    names = {bool: "boolean", int: "integer", float: "number", str: "string"}
    return {"type": names[kind]} if kind in names else {"type": "array", "items": {"type": "string"}}


def _fits(kind: Any, written: object) -> bool:
    if get_origin(kind) is Literal:
        return written in get_args(kind)
    if kind in (int, float):
        numeric = (int, float) if kind is float else int
        return isinstance(written, numeric) and not isinstance(written, bool)
    if kind in (bool, str):
        return isinstance(written, kind)
    if kind is Expression:
        return isinstance(written, str) and _compiles(written)
    return isinstance(written, list) and all(isinstance(item, str) for item in written)


def _compiles(expression: str) -> bool:
    try:
        re.compile(expression)
    except re.error:
        return False
    return True
