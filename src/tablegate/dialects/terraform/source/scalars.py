"""Numbers, texts and flags as Terraform converts and counts them. What is not certain raises InexactError."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from unicodedata import normalize

UNTYPED = "a value whose type only Terraform works out"
_INEXACT = "a value that only Terraform works out exactly"
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_UNUSUAL = re.compile(r"[+-]?(?:[0-9.]+[pP][+-]?[0-9]+|[iI]nf)")  # which Go takes, too
_LONGEST = 150  # characters of a number in a text
_LARGEST = 1 << 256  # Terraform counts with 512 bits


class FailedError(Exception):
    """The expression fails in Terraform too."""


class InexactError(FailedError):
    """What Terraform makes of it is not certain: neither a value nor a failure, so ``try`` and ``can`` are unknown."""

    def __init__(self, reason: str = _INEXACT) -> None:
        super().__init__(reason)
        self.reason = reason


class UntypedError(InexactError):
    """Values of different types, which only Terraform can unify."""

    def __init__(self) -> None:
        super().__init__(UNTYPED)


def composed(text: str) -> str:
    """A text in the normal form that every text of Terraform has (NFC)."""
    return text if text.isascii() else normalize("NFC", text)


def as_text(content: object) -> str:
    """Convert to a string, as Terraform does."""
    if isinstance(content, str):
        return composed(content)
    if isinstance(content, bool):
        return "true" if content else "false"
    if isinstance(content, (int, float)):
        number = as_number(content)
        return str(number) if isinstance(number, int) else format(Decimal(repr(number)), "f")
    raise FailedError


def as_bool(content: object) -> bool:
    """Convert to a bool, as Terraform does."""
    if isinstance(content, bool):
        return content
    if content in ("true", "1"):
        return True
    if content in ("false", "0"):
        return False
    raise FailedError


def as_number(content: object) -> int | float:
    """Convert to a number, as Terraform does."""
    if isinstance(content, bool):
        raise FailedError
    if isinstance(content, int):
        return _bounded(content)
    if isinstance(content, float):
        return _of_decimal(Decimal(repr(content)))
    if isinstance(content, str):
        return _of_text(content)
    raise FailedError


def as_whole(content: object) -> int:
    """Convert to a number without a fraction."""
    number = as_number(content)
    if not isinstance(number, int):
        raise FailedError
    return number


def _of_text(text: str) -> int | float:
    if _NUMBER.fullmatch(text) is None:
        raise InexactError if _UNUSUAL.fullmatch(text) else FailedError
    if len(text) > _LONGEST:
        raise InexactError
    return _of_decimal(Decimal(text))


def _of_decimal(number: Decimal) -> int | float:
    if not number.is_finite() or abs(number.adjusted()) > _LONGEST or (not number and number.is_signed()):
        raise InexactError  # -0 stays -0
    if number == number.to_integral_value():
        return _bounded(int(number))
    content = float(number)
    if Decimal(repr(content)) != number:
        raise InexactError
    return content


def _bounded(number: int) -> int:
    if abs(number) > _LARGEST:
        raise InexactError
    return number


def total(numbers: list[object]) -> int | float:
    """The sum of numbers."""
    return _result(sum(map(_exact, numbers), Fraction(0)))


def calculated(sign: str, left: object, right: object) -> object:
    """The result of an operator on numbers."""
    if sign in _COMPARISONS:
        return _COMPARISONS[sign](as_number(left), as_number(right))
    if sign not in _ARITHMETIC:
        raise FailedError
    first, second = _exact(left), _exact(right)
    if sign in "/%" and not second:
        raise InexactError  # no failure: Terraform counts with infinity
    result = _ARITHMETIC[sign](first, second)
    if not result and sign in "*/%" and (first < 0 or second < 0):
        raise InexactError  # Terraform may show it as -0
    return _result(result)


def negated(content: object) -> int | float:
    """The number with the other sign."""
    number = as_number(content)
    if not number:
        raise InexactError  # which Terraform shows as -0
    return -number


def _exact(content: object) -> Fraction:
    """A number that Terraform's binary numbers hold exactly: no 0.1."""
    number = as_number(content)
    if Decimal(number) != Decimal(repr(number)):
        raise InexactError
    return Fraction(number)


def _result(number: Fraction) -> int | float:
    if abs(number) > _LARGEST:
        raise InexactError
    if number.denominator == 1:
        return int(number)
    content = float(number)
    if Fraction(content) != number or Decimal(content) != Decimal(repr(content)):
        raise InexactError
    return content


def _remainder(left: Fraction, right: Fraction) -> Fraction:
    """What is left of a division that truncates towards zero."""
    return left - right * int(left / right)


_COMPARISONS: dict[str, Callable[..., bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
_ARITHMETIC: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "%": _remainder,
}
