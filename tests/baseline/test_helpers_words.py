"""The words of a name, and the words that a policy looks for."""

from __future__ import annotations

import pytest

from tablegate_baseline.helpers import word_in, words_of


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("user_session", ("user", "session")),
        ("user-session", ("user", "session")),
        ("app.user.session", ("app", "user", "session")),
        ("userSession", ("user", "session")),
        ("UserSession", ("user", "session")),
        ("HTTPSession", ("http", "session")),
        ("userID", ("user", "id")),
        ("GSI1PK", ("gsi", "pk")),
        ("gsi1pk", ("gsi", "pk")),
        ("orders-prod2", ("orders", "prod")),
        ("sessión_größe", ("sessión", "größe")),
        ("2024", ()),
        ("", ()),
    ],
)
def test_a_name_splits_where_its_case_style_splits(name: str, expected: tuple[str, ...]) -> None:
    """Snake, kebab, dot and camel case all give the same words."""
    assert expected == words_of(name)


@pytest.mark.parametrize(
    ("name", "words", "expected"),
    [
        ("user-sessions", ("session",), "session"),
        ("caches", ("cache",), "cache"),
        ("statuses", ("status",), "status"),
        ("countryCategories", ("category",), "category"),
        ("token", ("tokens",), "tokens"),
        ("category", ("categories",), "categories"),
        ("magicLinks", ("magic-link",), "magic-link"),
        ("rate_limit", ("rate-limit",), "rate-limit"),
        ("magic-broken-link", ("magic-link",), None),
        ("obsession", ("session",), None),
        ("template", ("temp",), None),
        ("t", ("ts",), None),
        ("statu", ("status",), None),
        ("day", ("days",), "days"),
        ("ga", ("gas",), None),
        ("clock", ("lock",), None),
        ("orders", (), None),
    ],
)
def test_a_word_is_found_whole_in_singular_and_plural(name: str, words: tuple[str, ...], expected: str | None) -> None:
    """A word inside another word does not count; its plural and singular do."""
    assert expected == word_in(name, words)
