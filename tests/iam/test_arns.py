"""ARNs: one spelling of a table, whatever is known of it."""

from __future__ import annotations

import pytest

from support import tables as build
from support.access import ORDERS, table
from tablegate.iam.arns import Symbols, arn_of, at_home, has_symbol, is_suffix, is_symbol, is_variable, partition_of
from tablegate.model import facts


def test_a_table_has_one_arn() -> None:
    """The one that is known, or the one that its parts come to."""
    symbols = Symbols()
    assert arn_of(table(), symbols) == ORDERS
    assert arn_of(build.table(arn=facts.ARN.of("arn:known")), symbols) == "arn:known"


def test_what_is_not_known_of_an_arn_is_the_same_everywhere() -> None:
    """Two tables of one input share the account that is not known."""
    symbols = Symbols()
    one = arn_of(build.table(region=facts.REGION.unset), symbols)
    assert symbols.shown(one) == "arn:${partition}:dynamodb:${region}:${account}:table/orders-prod"
    nameless = arn_of(build.table(name=facts.NAME.unset), symbols)
    assert symbols.shown(nameless).endswith("table/${name of aws_dynamodb_table.orders}")
    assert symbols.names_in(one) == ("partition", "region", "account")


@pytest.mark.parametrize(
    ("region", "partition"),
    [
        ("eu-west-1", "aws"),
        ("cn-north-1", "aws-cn"),
        ("us-gov-west-1", "aws-us-gov"),
        ("us-iso-east-1", "aws-iso"),
        ("us-isob-east-1", "aws-iso-b"),
        ("eusc-de-east-1", "aws-eusc"),
    ],
)
def test_a_region_is_in_one_partition(region: str, partition: str) -> None:
    """By its beginning."""
    assert partition_of(region) == partition


def test_a_policy_is_at_home_where_its_table_is() -> None:
    """What is not known of the table's ARN is taken from there; a star stays a star."""
    symbols = Symbols()
    account = symbols.of("account")
    target = f"arn:aws:dynamodb:us-east-1:{account}:table/Orders"
    assert at_home(ORDERS, target) == target
    assert at_home(ORDERS.replace("111122223333", "*"), target) == ORDERS.replace("111122223333", "*")
    assert at_home("*", target) == "*"
    assert at_home(ORDERS, "*") == ORDERS
    assert at_home(ORDERS, ORDERS.replace("1111", "9999")) == ORDERS


def test_symbols_are_of_three_sorts() -> None:
    """What is unknown, what follows an ARN, and what each request fills in: none is another's character."""
    symbols = Symbols()
    unknown, suffix, variable = symbols.of("a"), symbols.suffix("a"), symbols.with_variables("${a}")
    assert len({unknown, suffix, variable}) == 3
    assert [is_symbol(one) for one in (unknown, suffix, variable, "a")] == [True, True, True, False]
    assert [is_suffix(one) for one in (unknown, suffix, variable, "a")] == [False, True, False, False]
    assert [is_variable(one) for one in (unknown, suffix, variable, "a")] == [False, False, True, False]
    assert symbols.shown(f"x{unknown}{suffix}{variable}") == "x${a}…${a}"
    assert symbols.of("a") == unknown
    assert (has_symbol("é"), has_symbol(unknown), has_symbol("a")) == (False, True, False)


def test_a_default_of_a_variable_is_not_its_name() -> None:
    """IAM takes one behind a comma."""
    symbols = Symbols()
    text = "${aws:PrincipalTag/team, 'none'}"
    assert symbols.with_variables(text) == symbols.with_variables("${aws:PrincipalTag/team}")
