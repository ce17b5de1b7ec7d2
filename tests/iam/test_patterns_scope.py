"""Resource patterns: how wide each spelling is."""

from __future__ import annotations

import pytest

from tablegate.iam.arns import Symbols
from tablegate.iam.patterns import Tier, matches, scope_of

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
        ("global-table/*", Tier.ONE, None, False),
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


_TABLES = ("table/Orders", "table/OrdersV2", "table/Orders-archive", "table/app-prod-users", "table/my-prod")
_BELOW = ("table/Orders/index/byEmail", "table/Orders/stream/2024", "table/app-prod-users/index/a")


@pytest.mark.parametrize(
    ("tail", "covered"),
    [
        ("table/Orders", {"table/Orders"}),
        ("table/Orders/index/byEmail", {"table/Orders/index/byEmail"}),
        ("table/Orders/index/*", {"table/Orders/index/byEmail"}),
        ("table/Orders/*", {"table/Orders/index/byEmail", "table/Orders/stream/2024"}),
        (
            "table/Orders*",
            {"table/Orders", "table/OrdersV2", "table/Orders-archive", *_BELOW[:2]},
        ),
        ("table/app-prod-*", {"table/app-prod-users", "table/app-prod-users/index/a"}),
        ("table/a*", {"table/app-prod-users", "table/app-prod-users/index/a"}),
        ("table/*-prod", {"table/my-prod"}),
        ("table/*Orders*", {"table/Orders", "table/OrdersV2", "table/Orders-archive", *_BELOW[:2]}),
        ("table/Order?V2", {"table/OrdersV2"}),
        ("table/orders", set()),
        ("table/*/index/*", {"table/Orders/index/byEmail", "table/app-prod-users/index/a"}),
        ("table/*", {*_TABLES, *_BELOW}),
        ("table*", {*_TABLES, *_BELOW}),
        ("*", {*_TABLES, *_BELOW}),
        ("global-table/*", set()),
    ],
)
def test_a_pattern_covers_what_its_characters_say(tail: str, covered: set[str]) -> None:
    """A star crosses slashes and the end of a name, case counts, and what is below a table is not the table."""
    assert {name for name in (*_TABLES, *_BELOW) if matches(HERE + tail, HERE + name)} == covered


@pytest.mark.parametrize(
    "pattern", ["*", "**", "arn:aws:dynamodb:*:*:*", "arn:*:dynamodb:*", "arn:*:dynamodb:*:*:*", "arn:aws:*"]
)
def test_a_star_over_regions_is_everywhere(pattern: str) -> None:
    """A bare star is only one of the spellings of everything."""
    assert scope_of(pattern).tier is Tier.EVERYWHERE


@pytest.mark.parametrize(
    "pattern",
    [
        "arn:aws:s3:::bucket/*",
        "arn:aws:sqs:*",
        "bucket",
        "bucket*",
        "",
        "arn:aws:dax:eu-west-1:1:cache/*",
        "urn:aws:dynamodb:eu-west-1:1:table/Orders",
        "arn:aws:dynamodb:eu-west-1",
        "arn:aws:dynamodb:eu-west-1:1:export/*",
    ],
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


@pytest.mark.parametrize(
    ("tail", "tier", "itself", "below"),
    [
        ("table/{symbol}", Tier.ONE, True, None),
        ("table/{symbol}-*", Tier.PREFIX, True, "*"),
        ("table/{symbol}*", Tier.WEAK, True, "*"),
        ("table/{symbol}/index/*", Tier.ONE, False, "index"),
        ("table/Orders{suffix}", Tier.ONE, True, "*"),
        ("table/app-*{suffix}", Tier.PREFIX, True, "*"),
        ("table/app-{variable}-*", Tier.VARIABLE, True, "*"),
        ("table/{variable}*", Tier.WEAK, True, "*"),
        ("{symbol}", Tier.ONE, True, None),
        ("{symbol}/index/*", Tier.ONE, True, "*"),
    ],
)
def test_what_is_not_known_is_one_name(tail: str, tier: Tier, itself: bool, below: str | None) -> None:
    """A symbol stands for one table, never for a wildcard; what may follow an ARN may be anything below it."""
    symbols = Symbols()
    variable = symbols.with_variables("${aws:PrincipalTag/team}")
    filled = tail.format(symbol=symbols.of("name"), suffix=symbols.suffix("rest"), variable=variable)
    scope = scope_of(HERE + filled)
    assert (scope.tier, scope.itself, scope.below) == (tier, itself, below)


def test_a_star_crosses_the_colons_behind_it() -> None:
    """What stands at the end still names a table."""
    assert scope_of("arn:aws:*:table/Orders").tier is Tier.ONE
    assert scope_of("*:table/app-prod-*").tier is Tier.PREFIX
    assert scope_of("arn:*/Orders").tier is Tier.EVERYWHERE
    assert scope_of("arn:aws:s3:*/Orders").tier is Tier.NONE


def test_old_global_tables_have_arns_of_their_own() -> None:
    """Without a region, and with nothing below."""
    scope = scope_of("arn:aws:dynamodb::111122223333:global-table/Orders")
    assert (scope.tier, scope.table, scope.global_table) == (Tier.ONE, "Orders", True)


@pytest.mark.parametrize("service", ["dynamo*", "*", "dynamod?"])
def test_a_wildcard_for_the_service_reaches_tables_too(service: str) -> None:
    """IAM refuses it, and until then it means what it says."""
    assert scope_of(f"arn:aws:{service}:eu-west-1:111122223333:table/Orders").tier is Tier.ONE


def test_many_stars_in_every_part_take_no_time_to_speak_of() -> None:
    """Each part is decided by an automaton of its own."""
    stars = "*?" * 40
    assert scope_of(f"arn:{stars}:{stars}:{stars}:{stars}:{stars}").tier is Tier.NONE
    assert scope_of(":".join(["*a" * 40] * 4)).tier is Tier.EVERYWHERE


@pytest.mark.parametrize(
    "pattern",
    [
        "arn:aws:dynamodb::111122223333:table/Orders",
        "arn:aws:dynamodb:us-east-1::table/Orders",
        "arn:aws:dynamodb:*::table/*",
        "arn:aws:dynamodb:::table/*",
        "arn:aws:dynamodb::*",
        "arn:aws:dynamodb:::*",
        "arn::dynamodb:*:*:table/*",
    ],
)
def test_an_empty_part_matches_no_table(pattern: str) -> None:
    """A table is in a region of an account: IAM does not fill in what is missing."""
    assert scope_of(pattern).tier is Tier.NONE
