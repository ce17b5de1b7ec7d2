"""A table's ARN, with a symbol for each part that is not known: the one spelling that every reference comes to."""

from __future__ import annotations

from functools import lru_cache

from tablegate.access.symbols import Symbols, has_symbol
from tablegate.model.table import Table

ACCOUNT = "account"
REGION = "region"
PARTITION = "partition"
_PARTITIONS = (
    ("cn-", "aws-cn"),
    ("us-gov-", "aws-us-gov"),
    ("us-isob-", "aws-iso-b"),
    ("us-isof-", "aws-iso-f"),
    ("us-iso-", "aws-iso"),
    ("eu-isoe-", "aws-iso-e"),
    ("eusc-", "aws-eusc"),
)


def arn_of(table: Table, symbols: Symbols) -> str:
    """The ARN of a table. The same table gives the same text, however it is referred to."""
    if table.arn.content:
        return table.arn.content
    name = table.name.content or symbols.of(f"name of {table.address}")
    where = table.region.content, table.account.content
    beginning = symbols.beginnings.get(where)
    if beginning is None:
        beginning = symbols.beginnings[where] = _beginning(*where, symbols)
    return beginning + name


def _beginning(region: str | None, account: str | None, symbols: Symbols) -> str:
    partition = partition_of(region) if region else symbols.of(PARTITION)
    region = region or symbols.of(REGION)
    account = account or symbols.of(ACCOUNT)
    return f"arn:{partition}:dynamodb:{region}:{account}:table/"


@lru_cache(maxsize=128)
def partition_of(region: str) -> str:
    """The partition that a region is in."""
    return next((partition for start, partition in _PARTITIONS if region.startswith(start)), "aws")


def at_home(pattern: str, target: str) -> str:
    """The pattern with its account and partition as the target's, where those of the target are not known.

    A table of this input is in the account that the input is for, and so, unless it says otherwise, is a
    policy beside it.
    """
    if pattern.count(":") < 5 or target.count(":") < 5:
        return pattern
    own, spelled = target.split(":", 5), pattern.split(":", 5)
    for part in (1, 3, 4):
        if has_symbol(own[part]) and "*" not in spelled[part]:
            spelled[part] = own[part]
    return ":".join(spelled)
