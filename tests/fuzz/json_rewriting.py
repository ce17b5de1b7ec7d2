"""JSON in other words: white space, escapes and the order of members."""

from __future__ import annotations

import json
import random
from typing import Any


class _Number(str):
    """A number as it is written."""

    __slots__ = ()


class _Members(list[tuple[str, Any]]):
    """An object, in its order."""


def tree_of(text: str) -> Any:
    """A document. Raises a ValueError for what is no JSON."""
    return json.loads(
        text,
        parse_int=_Number,
        parse_float=_Number,
        parse_constant=_Number,
        object_pairs_hook=_Members,
    )


def rewritten(root: Any, chance: random.Random) -> bytes:
    """Another spelling of a document."""
    text = _Writer(chance).value(root)
    text = chance.choice(("", "", "\n \r\n")) + text + chance.choice(("", "\n", " \t\r"))
    return text.encode(chance.choices(("utf-8", "utf-8-sig", "utf-16"), (12, 1, 1))[0])


class _Writer:
    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._escapes = chance.choice((0, 0, 0.02, 0.2, 1))
        self._shuffles = chance.random() < 0.4
        self._blanks = chance.choice(((("",)), ("", " "), ("", "\n", " \t", "\r\n")))

    def value(self, item: Any) -> str:
        """One value."""
        if isinstance(item, _Number):
            return str(item)
        if isinstance(item, _Members):
            pairs = self._chance.sample(item, k=len(item)) if self._shuffles else item
            parts = [f"{self._text(key)}{self._blank()}:{self._blank()}{self.value(inner)}" for key, inner in pairs]
            return self._around("{", parts, "}")
        if isinstance(item, list):
            return self._around("[", [self.value(inner) for inner in item], "]")
        return self._text(item) if isinstance(item, str) else json.dumps(item)

    def _around(self, opened: str, parts: list[str], closed: str) -> str:
        inner = ",".join(f"{self._blank()}{part}{self._blank()}" for part in parts)
        return f"{opened}{inner or self._blank()}{closed}"

    def _blank(self) -> str:
        return self._chance.choice(self._blanks)

    def _text(self, value: str) -> str:
        if not self._escapes or self._chance.random() > 0.5:
            return json.dumps(value, ensure_ascii=self._chance.random() < 0.5 or not _is_utf8(value))
        return f'"{"".join(map(self._sign, value))}"'

    def _sign(self, sign: str) -> str:
        if ord(sign) < 0x10000 and (self._chance.random() < self._escapes or not _is_utf8(sign)):
            return f"\\u{ord(sign):04{self._chance.choice('xX')}}"
        if sign == "/" and self._chance.random() < self._escapes:
            return "\\/"
        return json.dumps(sign, ensure_ascii=False)[1:-1]


def _is_utf8(value: str) -> bool:
    return not any("\ud800" <= sign <= "\udfff" for sign in value)
