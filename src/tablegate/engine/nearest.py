"""The word that somebody probably meant."""

from __future__ import annotations

from collections.abc import Iterable


def meant(word: str, known: Iterable[str]) -> str | None:
    """A hint that names the known word closest to this one, if one is close."""
    from difflib import get_close_matches

    by_fold = {item.lower(): item for item in sorted(known, reverse=True)}  # of two spellings, the one in capitals
    close = get_close_matches(word.lower(), by_fold, n=1)
    return f'did you mean "{by_fold[close[0]]}"?' if close else None
