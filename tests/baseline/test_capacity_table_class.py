"""The table class: what figures say, and what they cannot say."""

from __future__ import annotations

import pytest

from support import tables as build
from tablegate.model import facts
from tablegate.model.table import Table
from tablegate_baseline.capacity import table_class

ON_DEMAND = facts.BILLING_MODE.of("PAY_PER_REQUEST")
INFREQUENT = facts.TABLE_CLASS.of("STANDARD_INFREQUENT_ACCESS")
STORES = ("orders-*: 500 GB, 2 reads/s, 1 writes/s",)
SERVES = ("orders-*: 1 GB, 100 reads/s, 50 writes/s",)


def test_the_message_says_both_prices() -> None:
    """500 GB cost 125 USD at 0.25 and 50 at 0.10; the requests come on top."""
    verdict = table_class.check(build.table(billing_mode=ON_DEMAND), figures=STORES)
    assert verdict.note == (
        "table class STANDARD costs about 127 USD a month for the declared figures, STANDARD_INFREQUENT_ACCESS about 53"
    )


@pytest.mark.parametrize(
    ("table", "figures", "expected"),
    [
        (build.table(billing_mode=ON_DEMAND), SERVES, True),
        (build.table(billing_mode=ON_DEMAND, table_class=INFREQUENT), STORES, True),
        (build.table(billing_mode=ON_DEMAND, table_class=INFREQUENT), SERVES, False),
        (build.table(), STORES, False),
        (build.table(billing_mode=facts.BILLING_MODE.doubted(build.DOUBT)), STORES, None),
        (build.table(table_class=facts.TABLE_CLASS.doubted(build.DOUBT)), STORES, None),
        (build.table(), ("orders-*: much",), None),
        (build.table(), ("orders-*: 1.2.3 GB, 1 reads/s, 1 writes/s",), None),
    ],
)
def test_the_cheaper_class_holds(table: Table, figures: tuple[str, ...], expected: bool | None) -> None:
    """Storage makes the infrequent class cheaper, traffic the standard one, in either billing mode."""
    assert expected is table_class.check(table, figures=figures).truth


def test_the_first_line_about_a_table_counts() -> None:
    """A table is known by its name, and by its label where the name is not known."""
    table = build.table(billing_mode=ON_DEMAND, name=facts.NAME.doubted(build.DOUBT), label="Orders")
    figures = (
        "invoices: 1 GB, 1 reads/s, 1 writes/s",
        "Orders: 1 GB, 9 reads/s, 9 writes/s",
        "*: 900 GB, 0 reads/s, 0 writes/s",
    )
    assert table_class.check(table, figures=figures).truth is True


def test_what_costs_the_same_may_stay() -> None:
    """No figures at all cost nothing in either class."""
    nothing = ("orders-*: 0 GB, 0 reads/s, 0 writes/s",)
    assert table_class.check(build.table(), figures=nothing).truth is True


def test_it_must_be_selected() -> None:
    """It needs figures, so nobody gets it unasked."""
    assert table_class.profile is None


def test_without_figures_nothing_is_asked() -> None:
    """No template holds them."""
    assert table_class.check(build.table()).applies is False


def test_a_class_without_a_known_price_is_not_compared() -> None:
    """What the service may add is not guessed."""
    table = build.table(billing_mode=ON_DEMAND, table_class=facts.TABLE_CLASS.of("GLACIAL"))
    assert table_class.check(table, figures=STORES).applies is False
