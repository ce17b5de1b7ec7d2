"""Yaml 1.1 scalars and cloudformation tags."""

from __future__ import annotations

import re
from functools import cache
from math import isfinite

from tablegate.syntax.node import Scalar

# YAML 1.1 without timestamps, merges and defaults: CloudFormation keeps dates as text and knows no merges.
# The single letters y and n are texts to it, whatever the page of YAML 1.1 says.
WORDS: dict[str, Scalar] = {
    "": None,
    "~": None,
    **{form: None for word in ("null",) for form in (word, word.title(), word.upper())},
    **{form: True for word in ("yes", "true", "on") for form in (word, word.title(), word.upper())},
    **{form: False for word in ("no", "false", "off") for form in (word, word.title(), word.upper())},
}
_OF_A_NUMBER = frozenset("+-.0123456789")
FIRST = _OF_A_NUMBER | frozenset("~yYnNtTfFoO") | {""}  # what a scalar that is not a text can begin with

_DIGITS = 30
# Twelve digits are an account, not an octal number: read as one it would name somebody else's.
_ACCOUNT = r"0[0-9]{11}"
_INTEGER = (
    r"[-+]?(?:(?P<octal>0[0-7_]+)|(?P<decimal>0|[1-9][0-9_]*)|0b(?P<binary>[0-1_]+)|0x(?P<hexadecimal>[0-9a-fA-F_]+)"
    r"|(?P<sixty>[1-9][0-9_]*(?::[0-5]?[0-9])+))"
)
_FLOAT = (
    r"[-+]?(?:[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?"
    r"|(?P<sixty>[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*)|(?P<special>\.(?:inf|Inf|INF|nan|NaN|NAN)))"
)
_BASES = {"octal": 8, "decimal": 10, "binary": 2, "hexadecimal": 16}


def resolve(text: str) -> Scalar:
    """The value of a plain scalar. ValueError for a number that nothing can be computed with."""
    if text in WORDS:
        return WORDS[text]
    if text[0] not in _OF_A_NUMBER:
        return text
    if text.isdecimal() and text.isascii() and text[0] != "0" and len(text) <= _DIGITS:
        return int(text)  # as nearly all numbers are written; the patterns take a while to compile
    if re.fullmatch(_ACCOUNT, text):
        return text
    integer = re.fullmatch(_INTEGER, text)
    if integer:
        return _integer(text, integer)
    real = re.fullmatch(_FLOAT, text)
    return _real(text, real) if real else text


def _integer(text: str, match: re.Match[str]) -> Scalar:
    kind = match.lastgroup or ""
    digits = match[kind].replace("_", "")
    sign = -1 if text.startswith("-") else 1
    if len(digits) > _DIGITS:
        raise ValueError(f"number with {len(digits)} digits; the limit is {_DIGITS}")
    if kind == "sixty":
        return sign * _of_sixty([int(part) for part in digits.split(":")])
    return sign * int(digits, _BASES[kind]) if digits else text


def _real(text: str, match: re.Match[str]) -> float:
    if match["special"]:
        raise ValueError(f"{text} cannot be compared with a number")
    if match["sixty"]:
        parts = match["sixty"].replace("_", "").split(":")
        number = _of_sixty([float(part) for part in parts])
        return -number if text.startswith("-") else number
    number = float(text.replace("_", ""))
    if not isfinite(number):
        raise ValueError("number too large to read exactly")
    return number


def _of_sixty(parts: list[int] | list[float]) -> int | float:
    total: int | float = 0
    for part in parts:
        total = total * 60 + part
    return total


CORE = "tag:yaml.org,2002:"
COLLECTIONS = {CORE + "map": dict, CORE + "seq": list}

# As cfn-flip has them, which takes as long to import as a template of ten tables to read. A test compares.
PREFIX = "Fn::"
AS_THEY_ARE = ("Ref", "Condition")

_KINDS: dict[str, tuple[type, ...]] = {
    CORE + "bool": (bool,),
    CORE + "float": (float, int),
    CORE + "int": (int,),
    CORE + "null": (type(None),),
}
_FUNCTIONS = frozenset(
    {
        "Ref",
        "Condition",
        "And",
        "Base64",
        "Cidr",
        "Contains",
        "EachMemberEquals",
        "EachMemberIn",
        "Equals",
        "FindInMap",
        "ForEach",
        "GetAtt",
        "GetAZs",
        "GetStackOutput",
        "If",
        "Implies",
        "ImportValue",
        "Join",
        "Length",
        "Not",
        "Or",
        "RefAll",
        "Select",
        "Split",
        "Sub",
        "ToJsonString",
        "Transform",
        "ValueOf",
        "ValueOfAll",
    }
)
# What the tool of AWS that packages templates puts into them, before CloudFormation sees them.
_DIRECTIVES = frozenset(f"!Rain::{name}" for name in ("Embed", "Env", "Include", "Module", "S3", "S3Http"))


@cache
def long_form(tag: str) -> str | None:
    """The key that a short form stands for: ``!Sub`` is ``Fn::Sub``. None for what is no short form.

    The rule is cfn-flip's; which functions there are is ours to say, for it turns any tag whatever into a function.
    """
    if tag in _DIRECTIVES:
        return tag[1:]
    name = tag.removeprefix("!").split("::")[0]
    if not tag.startswith("!") or name not in _FUNCTIONS:
        return None
    return tag[1:] if tag[1:] in AS_THEY_ARE else PREFIX + tag[1:]


def core_scalar(tag: str, text: str) -> Scalar:
    """A scalar with one of YAML's own tags. LookupError for a tag that is not allowed, ValueError for a bad value."""
    if tag == CORE + "str":
        return text
    kinds = _KINDS[tag]
    value = resolve(text)
    if type(value) not in kinds:
        raise ValueError(f"the value does not match its tag {shown(tag)}")
    return float(value) if float in kinds and isinstance(value, int) else value


def shown(tag: str) -> str:
    """The tag as people write it."""
    return "!!" + tag.removeprefix(CORE) if tag.startswith(CORE) else tag
