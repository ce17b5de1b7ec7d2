"""Operators: what they make of content that is known."""

from __future__ import annotations

import operator
from collections.abc import Callable

from tablegate.dialects.terraform_plan.unknowns import Unknown
from tablegate.dialects.terraform_source.unified import UNTYPED, UntypedError
from tablegate.dialects.terraform_source.values import Elements, FailedError, as_bool, as_number, blended


def applied(sign: str, left: object, right: object) -> object:
    """What an operator comes to, where both sides are known."""
    if sign in ("==", "!="):
        try:
            return _equal(left, right) is (sign == "==")
        except UntypedError:
            return Unknown(UNTYPED)
    try:
        return _SIGNS[sign](as_number(left), as_number(right))
    except (KeyError, ZeroDivisionError, OverflowError):
        raise FailedError from None


def logical(left: object, right: object, *, decisive: bool) -> object:
    """What ``||`` comes to, where true is decisive, or ``&&``, where false is: one side can be enough."""
    sides = [one if type(one) is Unknown else as_bool(one) for one in (left, right)]
    if decisive in [one for one in sides if isinstance(one, bool)]:
        return decisive
    found = [one for one in sides if type(one) is Unknown]
    return blended(found) if found else not decisive


def _equal(left: object, right: object) -> bool:
    """Whether two are the same: of different types they are not, and 1 and 1.0 are of one."""
    numbers = [isinstance(one, (int, float)) and not isinstance(one, bool) for one in (left, right)]
    if all(numbers):
        return left == right
    if type(left) is not type(right) and not (isinstance(left, list) and isinstance(right, list)):
        return False
    if left == right and isinstance(left, (list, dict)) and not (isinstance(left, Elements) and left):
        raise UntypedError  # a list is no tuple, and a map no object, though they hold the same
    return left == right


def _divided(left: float, right: float) -> float:
    return as_number(left / right)


_SIGNS: dict[str, Callable[..., object]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divided,
    "%": operator.mod,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
