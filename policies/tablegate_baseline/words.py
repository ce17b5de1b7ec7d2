"""Which words does a name hold? Names are split where snake, kebab, dot and camel case split them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

# Digits are not words: `prod2` speaks of `prod`, `2fa_token` of `fa` and `token`.
_WORD = re.compile(r"[A-Z]+(?![^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+")
_LOWER = re.compile(r"[a-z]+")  # finds the same in nearly every name, three times as fast
_NAMES_KEPT = 1 << 16


@lru_cache(maxsize=_NAMES_KEPT)
def words_of(name: str) -> tuple[str, ...]:
    """The words of a name, in order and in lower case."""
    if name.isascii() and name == name.lower():
        return tuple(_LOWER.findall(name))
    return tuple([word.lower() for word in _WORD.findall(name)])


def word_in(name: str, words: tuple[str, ...]) -> str | None:
    """The first of the name's words that is one of these, in singular or plural, as these spell it.

    A word of several parts, such as ``magic-link``, is found where its parts follow one another.
    """
    return word_among(words_of(name), words)


@lru_cache(maxsize=_NAMES_KEPT)
def word_among(spoken: tuple[str, ...], words: tuple[str, ...]) -> str | None:
    """The same, of a name that is split already."""
    forms, longest = _forms(words)
    for start in range(len(spoken)):
        for end in range(start + 1, min(start + longest, len(spoken)) + 1):
            found = forms.get(spoken[start:end])
            if found is not None:
                return found
    return None


@lru_cache
def _forms(words: tuple[str, ...]) -> tuple[Mapping[tuple[str, ...], str], int]:
    """Every form that a name may use for each word, and the number of parts of the longest."""
    forms = {(*parts[:-1], last): word for word in words if (parts := words_of(word)) for last in _numbers(parts[-1])}
    return forms, max(map(len, forms), default=0)


def _numbers(word: str) -> tuple[str, ...]:
    """A word in singular and plural. Forms that no language knows are harmless: no name holds them."""
    singulars = (word, word[:-1], word.removesuffix("es"), word.removesuffix("ies") + "y") if _plural(word) else (word,)
    plurals = (f"{word}s", f"{word}es", f"{word[:-1]}ies") if word.endswith("y") else (f"{word}s", f"{word}es")
    return tuple(dict.fromkeys((*singulars, *plurals)))


def _plural(word: str) -> bool:
    return len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))
