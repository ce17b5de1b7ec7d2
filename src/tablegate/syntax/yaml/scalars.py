"""Plain scalars as CloudFormation reads them, by YAML 1.1, and tags: its short forms and YAML's own types."""

from __future__ import annotations

import re
from functools import cache
from math import isfinite

from tablegate.syntax.node import Scalar

# YAML 1.1 without timestamps, merges and defaults: CloudFormation keeps dates as text and has no merges.
# Unlike in YAML 1.1, the single letters y and n are texts.
WORDS: dict[str, Scalar] = {
    "": None,
    "~": None,
    **{form: None for word in ("null",) for form in (word, word.title(), word.upper())},
    **{form: True for word in ("yes", "true", "on") for form in (word, word.title(), word.upper())},
    **{form: False for word in ("no", "false", "off") for form in (word, word.title(), word.upper())},
}
_OF_A_NUMBER = frozenset("+-.0123456789")
FIRST = _OF_A_NUMBER | frozenset("~yYnNtTfFoO") | {""}  # first characters of scalars that are not texts

_DIGITS = 30
# Twelve digits are an account, not an octal number.
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
    """The value of a plain scalar. ValueError if a number cannot be computed with."""
    if text in WORDS:
        return WORDS[text]
    if text[0] not in _OF_A_NUMBER:
        return text
    if text.isdecimal() and text.isascii() and text[0] != "0" and len(text) <= _DIGITS:
        return int(text)  # most numbers; saves compiling the patterns
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

# As in cfn-flip, which is slow to import. A test compares.
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
# Directives of rain, AWS's tool that packages templates before CloudFormation reads them.
_DIRECTIVES = frozenset(f"!Rain::{name}" for name in ("Embed", "Env", "Include", "Module", "S3", "S3Http"))


@cache
def long_form(tag: str) -> str | None:
    """The long form of a tag: ``!Sub`` is ``Fn::Sub``. None if the tag is not a short form.

    The rule is cfn-flip's, but only for known functions: cfn-flip turns every tag into one.
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
    """The tag as it is written: ``!!str``."""
    return "!!" + tag.removeprefix(CORE) if tag.startswith(CORE) else tag
