"""Texts with holes: a part of an ARN that is not known yet stands in its text as one private character.

A symbol equals itself and nothing else for certain; it may equal anything. Two texts with the same
symbol at the same spot are therefore the same, however little is known of them. IAM's own policy
variables (``${aws:PrincipalTag/team}``) are symbols of a second sort: filled in at each request.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

# The supplementary private use areas: never part of an ARN, an action or a name.
_UNKNOWN, _VARIABLE, _END = 0xF0000, 0x100000, 0x10FFFE
_VARIABLES = re.compile(r"\$\{([^{}$*?][^{}$]*)\}")


@dataclass(slots=True)
class Symbols:
    """The symbols of one estate: each name is one character, and each character one name."""

    _characters: dict[str, str] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)

    def of(self, name: str) -> str:
        """The character that stands for something not known yet."""
        return self._made(name, _UNKNOWN)

    def with_variables(self, text: str) -> str:
        """The text with a symbol for each policy variable; ``${*}``, ``${?}`` and ``${$}`` are those characters."""
        text = _VARIABLES.sub(lambda match: self._made(match[1].split(",")[0].strip(), _VARIABLE), text)
        return text.replace("${$}", "$") if "${" in text else text

    def _made(self, name: str, area: int) -> str:
        if name not in self._characters:
            character = chr(min(area + len(self._characters), _END))
            self._characters[name] = character
            self._names[character] = name
        return self._characters[name]

    def shown(self, text: str) -> str:
        """The text as a reader would write it: ``${name}`` for each symbol."""
        return "".join(f"${{{self._names[part]}}}" if part in self._names else part for part in text)

    def names_in(self, text: str) -> tuple[str, ...]:
        """The names of the symbols in a text, in order."""
        return tuple(self._names[part] for part in text if part in self._names)


def is_symbol(character: str) -> bool:
    """Whether a character stands for something unknown."""
    return ord(character) >= _UNKNOWN


def is_variable(character: str) -> bool:
    """Whether a character stands for one of IAM's policy variables."""
    return ord(character) >= _VARIABLE


def has_symbol(text: str) -> bool:
    """Whether anything in a text is unknown."""
    return not text.isascii() and any(map(is_symbol, text))
