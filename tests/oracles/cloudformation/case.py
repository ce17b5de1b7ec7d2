"""A case: a template, the values of its parameters, and what both come to."""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

REGION, ACCOUNT = "eu-west-1", "123456789012"
PSEUDO = {
    "AWS::Region": REGION,
    "AWS::AccountId": ACCOUNT,
    "AWS::Partition": "aws",
    "AWS::URLSuffix": "amazonaws.com",
}
NO_VALUE = {"Ref": "AWS::NoValue"}

Tree = dict[str, Any]


class Case(NamedTuple):
    """A template, and templates without functions that say what it comes to.

    ``wanted`` has one template for each value that the parameters may have, or just one if all have a value.
    ``refused`` is a part of the fault that must be reported instead. ``unknown`` are the facts that cannot be known.
    """

    family: str
    template: Tree
    values: dict[str, str]
    wanted: list[Tree]
    refused: str | None = None
    unknown: tuple[str, ...] = ()

    @property
    def can_be_opened(self) -> bool:
        """Whether its parameters have values that may be left out."""
        return bool(self.values) and self.refused is None


def maybe(random: Random, chance: float) -> bool:
    """True as often as that."""
    return random.random() < chance
