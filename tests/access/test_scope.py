"""Resource patterns: how wide each spelling is."""

from __future__ import annotations

import pytest

from tablegate.access.scope import Tier, scope_of
from tablegate.access.symbols import Symbols

HERE = "arn:aws:dynamodb:eu-west-1:111122223333:"


@pytest.mark.parametrize(
    ("tail", "tier", "below", "bleeds"),
    [
        ("table/Orders", Tier.ONE, None, False),
        ("table/Orders/index/byEmail", Tier.ONE, "index", False),
        ("table/Orders/index/*", Tier.ONE, "index", False),
        ("table/Orders/stream/*", Tier.ONE, "stream", False),
        ("table/Orders/backup/*", Tier.ONE, "backup", False),
        ("table/Orders/*", Tier.ONE, "*", False),
        ("table/Orders*", Tier.WEAK, "*", True),
        ("table/${aws:PrincipalTag/team}-*", Tier.VARIABLE, "*", False),
        ("table/app-prod-*", Tier.PREFIX, "*", False),
        ("table/a*", Tier.WEAK, "*", True),
        ("table/*-prod", Tier.WEAK, None, False),
        ("table/*Orders*", Tier.WEAK, "*", False),
        ("table/*", Tier.ALL, "*", False),
        ("table*", Tier.ALL, "*", False),
        ("*", Tier.ALL, "*", False),
        ("table/*/index/*", Tier.ALL, "index", False),
        ("cache/x", Tier.NONE, None, False),
    ],
)
def test_the_tail_of_an_arn_gives_the_tier(tail: str, tier: Tier, below: str | None, bleeds: bool) -> None:
    """One table, a name's beginning, a weak anchor, or all tables."""
    scope = scope_of(Symbols().with_variables(HERE + tail))
    assert (scope.tier, scope.below, scope.bleeds) == (tier, below, bleeds)


@pytest.mark.parametrize(
    "pattern", ["*", "**", "arn:aws:dynamodb:*:*:*", "arn:*:dynamodb:*", "arn:*:dynamodb:*:*:*", "arn:aws:*"]
)
def test_a_star_over_regions_is_everywhere(pattern: str) -> None:
    """A bare star is only one of the spellings of everything."""
    assert scope_of(pattern).tier is Tier.EVERYWHERE


@pytest.mark.parametrize(
    "pattern", ["arn:aws:s3:::bucket/*", "arn:aws:sqs:*", "bucket", "", "arn:aws:dax:eu-west-1:1:cache/*"]
)
def test_other_services_are_out_of_scope(pattern: str) -> None:
    """What cannot be a table's ARN reaches no table."""
    assert scope_of(pattern).tier is Tier.NONE


def test_what_follows_an_arn_is_unknown_and_below_the_table() -> None:
    """An element that refers to a table reaches the table or what is below it, and is never wider than one table."""
    symbols = Symbols()
    scope = scope_of(f"{HERE}table/Orders{symbols.suffix('one')}")
    assert (scope.tier, scope.table, scope.itself, scope.below) == (Tier.ONE, "Orders", True, "*")
    assert symbols.shown(f"table/Orders{symbols.suffix('one')}") == "table/Orders…"
