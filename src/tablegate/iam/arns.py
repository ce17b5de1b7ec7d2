"""ARNs of tables, and symbols: single characters that stand for the parts of a text that are not known."""

from __future__ import annotations

import re
from functools import lru_cache

from tablegate.model.record import field, record
from tablegate.model.table import Table

# The supplementary private use areas: never part of an ARN, an action or a name.
_UNKNOWN, _SUFFIX, _VARIABLE, _END = 0xF0000, 0xF8000, 0x100000, 0x10FFFE
_LIMITS = {_UNKNOWN: _SUFFIX, _SUFFIX: _VARIABLE, _VARIABLE: _END}
SYMBOL = re.compile("[\U000f0000-\U0010ffff]")
_POLICY_VARIABLE = r"\$\{([^{}$*?][^{}$]*)\}"

_HERE = chr(_SUFFIX - 1)  # stands for the partition, region or account of the input

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


@record(eq=False, frozen=False, kw_only=False)
class Symbols:
    """The symbols of one estate: each name has one character, and each character one name.

    ``beginnings`` holds the start of the tables' ARNs by region and account, with symbols for unknown parts.
    """

    beginnings: dict[tuple[str | None, str | None], str] = field(default_factory=dict)
    _characters: dict[tuple[int, str], str] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)
    _used: dict[int, int] = field(default_factory=dict)

    def of(self, name: str) -> str:
        """The character for an unknown part of this name."""
        return self._characters.get((_UNKNOWN, name)) or self._character(name, _UNKNOWN)

    def suffix(self, name: str) -> str:
        """The character for what follows a table's ARN: nothing, or a path below the table."""
        return self._character(name, _SUFFIX)

    def with_variables(self, text: str) -> str:
        """The text with a symbol for each policy variable, and for ``${*}`` and ``${?}``, which are no wildcards."""
        if "${" not in text:
            return text
        text = re.sub(_POLICY_VARIABLE, lambda match: self._character(match[1].split(",")[0].strip(), _VARIABLE), text)
        for wildcard in "*?" if "${" in text else "":
            text = text.replace(f"${{{wildcard}}}", self._character(wildcard, _VARIABLE))
        return text.replace("${$}", "$")

    def shown(self, text: str) -> str:
        """The text for a reader: ``${name}`` for each symbol."""
        if not has_symbol(text):
            return text
        return "".join(self._shown(character) if character in self._names else character for character in text)

    def names_in(self, text: str) -> tuple[str, ...]:
        """The names of the symbols in a text, in order."""
        return tuple(self._names[character] for character in text if character in self._names)

    def _character(self, name: str, area: int) -> str:
        key = (area, name)
        if key not in self._characters:
            used = self._used.get(area, 0)
            self._used[area] = used + 1
            character = chr(min(area + used, _LIMITS[area] - 1))
            self._characters[key] = character
            self._names[character] = name
        return self._characters[key]

    def _shown(self, character: str) -> str:
        return "…" if is_suffix(character) else f"${{{self._names[character]}}}"


def is_symbol(character: str) -> bool:
    """Whether a character stands for something unknown."""
    return ord(character) >= _UNKNOWN


def is_suffix(character: str) -> bool:
    """Whether a character stands for what may follow a table's ARN."""
    return _SUFFIX <= ord(character) < _VARIABLE


def is_variable(character: str) -> bool:
    """Whether a character stands for an IAM policy variable."""
    return ord(character) >= _VARIABLE


def has_symbol(text: str) -> bool:
    """Whether any part of a text is unknown."""
    return not text.isascii() and SYMBOL.search(text) is not None


def arn_of(table: Table, symbols: Symbols) -> str:
    """The ARN of a table. The same table has the same text, however it is referred to."""
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
    """The partition of a region: ``aws-cn`` for ``cn-north-1``."""
    return next((partition for start, partition in _PARTITIONS if region.startswith(start)), "aws")


def at_home(pattern: str, target: str) -> str:
    """The pattern with the target's partition, region and account, where the target's are not known and it has one.

    A table of this input is in the account that the input is for, and so, unless it says otherwise, is a policy
    beside it.
    """
    if pattern.count(":") < 5 or target.count(":") < 5:
        return pattern
    target_parts, parts = target.split(":", 5), pattern.split(":", 5)
    for index in (1, 3, 4):
        if parts[index] and has_symbol(target_parts[index]) and "*" not in parts[index]:
            parts[index] = target_parts[index]
    return ":".join(parts)


def account_target(region: str = _HERE) -> str:
    """What AWS checks an account-level action on, in a region: ``table/*`` of the own account.

    That star is no wildcard. A character that no name has stands for it.
    """
    return f"arn:{_HERE}:dynamodb:{region}:{_HERE}:table/="
