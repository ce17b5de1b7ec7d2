"""What a parameter may be: its type, AllowedValues, AllowedPattern, and the limits of its length or number."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import inf

from tablegate.dialects.cloudformation.allowed_pattern import matches
from tablegate.dialects.cloudformation.values import UNFILLED, is_scalar, scalar_of
from tablegate.model.record import record
from tablegate.model.value import Span
from tablegate.syntax.node import Node

DECIMAL = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?")

_NUMBER = "Number"
_STRING = "String"
_MAYBE_NUMBER = re.compile(r"(?i)\s*[-+]?(0x.*|[0-9.]+(e[-+]?[0-9]+)?[fdl]?|nan|infinity)\s*")
_PATTERN_OF = (_STRING, "CommaDelimitedList")


@record(kw_only=False)
class Limits:
    """What the template allows a parameter to be."""

    type: str
    allowed: tuple[str, ...]
    pattern: str | None
    length: Span | None
    number: Span | None

    def refusal(self, text: str) -> tuple[str, str] | None:
        """The text, or the item of a list, that the service refuses, and why; None if it may be taken."""
        typed = typed_text(text, self.type)
        for item in (typed,) if isinstance(typed, str) else typed:
            why = self._why_not(item)
            if why is not None:
                return item, why
        return None

    def _why_not(self, text: str) -> str | None:
        if self.allowed and text not in self.allowed:
            return "is not among its AllowedValues"
        if self.type in (_NUMBER, f"List<{_NUMBER}>") and not _MAYBE_NUMBER.fullmatch(text):
            return "is not a number"
        # In a text beyond the first plane it is not certain what a character is.
        if self.length is not None and text.isascii() and not _is_within(len(text), self.length):
            return "is shorter or longer than its MinLength and MaxLength allow"
        if self.number is not None and DECIMAL.fullmatch(text) and not _is_within(float(text), self.number):
            return "is not between its MinValue and MaxValue"
        if self.pattern is not None and matches(self.pattern, text) is False:
            return "does not match its AllowedPattern"
        return None


def limits_of(declared: Mapping[str, Node]) -> Limits:
    """The limits of a declared parameter, as far as they are certain to hold for its type."""
    type_ = text_of_key(declared, "Type") or _STRING
    return Limits(
        type=type_,
        allowed=_allowed(declared.get("AllowedValues")),
        pattern=text_of_key(declared, "AllowedPattern") if type_ in _PATTERN_OF else None,
        length=_span(declared, "MinLength", "MaxLength") if type_ == _STRING else None,
        number=_span(declared, "MinValue", "MaxValue") if type_ == _NUMBER else None,
    )


def text_of_key(declared: Mapping[str, Node], key: str) -> str | None:
    """A text of a declaration; None if it is filled in before the deploy."""
    node = declared.get(key)
    text = scalar_of(node) if node is not None and is_scalar(node) else None
    return None if text is None or text.startswith(UNFILLED) else text


def is_list(type_: str) -> bool:
    """Whether a parameter of this type is a list."""
    return type_ == "CommaDelimitedList" or type_.startswith("List<")


def typed_text(text: str, type_: str) -> str | tuple[str, ...]:
    """A text as the value of a parameter of this type."""
    if not is_list(type_) and not type_.endswith("<CommaDelimitedList>") and "<List<" not in type_:
        return text
    return tuple(part.strip() for part in text.split(",")) if text else ()


def _allowed(node: Node | None) -> tuple[str, ...]:
    if node is None or not isinstance(node.content, (list, tuple)):
        return ()
    words = [scalar_of(item) for item in node.content if is_scalar(item)]
    return () if any(word.startswith(UNFILLED) for word in words) else tuple(dict.fromkeys(words))


def _span(declared: Mapping[str, Node], least: str, most: str) -> Span | None:
    low, high = (_number(text_of_key(declared, key)) for key in (least, most))
    if low is None and high is None:
        return None
    return Span(-inf if low is None else low, inf if high is None else high)


def _number(text: str | None) -> float | None:
    return float(text) if text is not None and DECIMAL.fullmatch(text) else None


def _is_within(number: float, span: Span) -> bool:
    return span.low <= number <= span.high
